# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.reduction: combine what is mapped from each index of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.compat.pycuda.compiler import SourceModule
from warploom.compat.pycuda.gpuarray import GPUArray, empty
from warploom.compat.pycuda.tools import dtype_to_ctype

_BLOCK, _MOST_PARTS = 128, 1024


class ReductionKernel:
    """`map_expr` of each `i`, combined by `reduce_expr` of `a` and `b`, beginning with `neutral`.

    ReductionKernel(numpy.float32, "0", "a + b", "x[i] * y[i]", "float *x, float *y")
    """

    def __init__(
        self,
        dtype_out: Any,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Any = (),
        preamble: str = "",
        **_more: Any,
    ) -> None:
        del keep
        self.dtype_out = np.empty(0, dtype_out).dtype
        kind = dtype_to_ctype(self.dtype_out)
        takes = arguments or f"const {kind} *in"
        source = f"""{preamble}
#define REDUCE(a, b) ({reduce_expr})
extern "C" __global__ void {name}({takes}, {kind} *_out, long long _size, long long _parts) {{
  const long long _at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (_at >= _parts) return;
  {kind} _sum = {neutral};
  for (long long i = _at; i < _size; i += _parts) {{
    const {kind} _next = {map_expr or "in[i]"};
    _sum = REDUCE(_sum, _next);
  }}
  _out[_at] = _sum;
}}
extern "C" __global__ void {name}_last(const {kind} *_parts, {kind} *_out, long long _size) {{
  {kind} _sum = {neutral};
  for (long long i = 0; i < _size; ++i) _sum = REDUCE(_sum, _parts[i]);
  *_out = _sum;
}}
"""
        module = SourceModule(source, options=list(options or ()), no_extern_c=True)
        self._parts, self._last = module.get_function(name), module.get_function(f"{name}_last")

    def __call__(self, *args: Any, stream: Any = None, out: GPUArray | None = None, **_more: Any) -> GPUArray:
        """The result, an array without dimensions."""
        arrays = [each for each in args if isinstance(each, GPUArray)]
        if not arrays:
            raise TypeError("there is no array to tell how many elements there are")
        orders = {each.flags.c_contiguous for each in arrays if each.ndim > 1}
        if not all(each.flags.forc for each in arrays) or len(orders) > 1:
            raise ValueError("reduction kernel cannot deal with non-contiguous arrays, or rows beside columns")
        size = arrays[0].size
        count = max(min(size // 16, _MOST_PARTS), 1)
        parts = empty((count,), self.dtype_out)
        made = out if out is not None else empty((), self.dtype_out)
        given = [each if isinstance(each, GPUArray) else np.asarray(each)[()] for each in args]
        extents: dict[str, Any] = {"block": (_BLOCK, 1, 1), "grid": (-(-count // _BLOCK), 1), "stream": stream}
        self._parts(*given, parts, np.int64(size), np.int64(count), **extents)
        self._last(parts, made, np.int64(count), block=(1, 1, 1), grid=(1, 1), stream=stream)
        return made
