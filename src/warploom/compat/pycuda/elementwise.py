# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.elementwise: a line of CUDA C++ for each index of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.compat.pycuda.compiler import SourceModule
from warploom.compat.pycuda.gpuarray import GPUArray

_BLOCK = 128


class ElementwiseKernel:
    """`operation` for each `i` up to the size of the arrays, or over a `range` or `slice`.

    ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]", "scale")
    """

    def __init__(
        self, arguments: str, operation: str, name: str = "kernel", keep: bool = False, options: Any = (), **more: Any
    ) -> None:
        del keep
        self.name = name
        preamble, before, after = (more.pop(each, "") for each in ("preamble", "loop_prep", "after_loop"))
        if more:
            raise TypeError(f"ElementwiseKernel does not take {', '.join(more)}")
        source = f"""{preamble}
#define PYCUDA_ELWISE_CONTINUE continue
extern "C" __global__ void {name}({arguments}, long long _start, long long _stop, long long _step) {{
  const long long _at = (long long)blockIdx.x * blockDim.x + threadIdx.x, n = _stop;
  {before};
  for (long long i = _start + _at * _step; _step > 0 ? i < _stop : i > _stop; i += _step * gridDim.x * blockDim.x) {{
    {operation};
  }}
  {after};
}}
"""
        self._function = SourceModule(source, options=list(options or ()), no_extern_c=True).get_function(name)

    def __call__(self, *args: Any, range: Any = None, slice: Any = None, stream: Any = None) -> None:  # noqa: A002
        """Launch. Arrays are GPUArrays of one size; numbers become what the kernel declares."""
        arrays = [each for each in args if isinstance(each, GPUArray)]
        if not arrays:
            raise TypeError("there is no array to tell how many elements there are")
        if any(each.size != arrays[0].size for each in arrays) and range is None and slice is None:
            raise ValueError("the arrays have different sizes")
        orders = {each.flags.c_contiguous for each in arrays if each.ndim > 1}
        if not all(each.flags.forc for each in arrays) or len(orders) > 1:
            raise ValueError("elementwise kernel cannot deal with non-contiguous arrays, or rows beside columns")
        where = (0, arrays[0].size, 1)
        if slice is not None:
            where = slice.indices(arrays[0].size)
        elif range is not None:
            where = (range.start or 0, range.stop, range.step or 1)
        count = max(-(-(where[1] - where[0]) // where[2]), 0)
        if count == 0:
            return
        given = [each if isinstance(each, GPUArray) else np.asarray(each)[()] for each in args]
        ends = [np.int64(each) for each in where]
        self._function(*given, *ends, block=(_BLOCK, 1, 1), grid=(-(-count // _BLOCK), 1), stream=stream)
