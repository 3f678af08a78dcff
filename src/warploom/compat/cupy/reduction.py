# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.ReductionKernel: map each element, combine the results along axes, write what comes of it.

Two shapes of a kernel. Where there are many results, or few elements for each, a thread makes one result after its own
walk through the elements, so that neighbouring threads read side by side. Else the elements of a result are dealt to
`_PARTS` threads, each of which combines its own in a buffer; a second kernel combines these. As on a GPU, the order of
combining is open: `reduce_expr` is to be associative and commutative.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from warploom.api.arguments import Packed
from warploom.compat.cupy import generated
from warploom.compat.cupy.access import Extents, access_to, collapsed, coordinates_of, packed_int, raw_parameters
from warploom.compat.cupy.core import Plain, memory_of, ndarray
from warploom.compat.cupy.parameters import (
    TEXTURE,
    DType,
    c_name,
    check_name,
    definitions,
    parameters_of,
    types_of,
)

_BLOCK = 128
_PARTS = 1024  # threads that share the elements of one result
_MANY_RESULTS = 1024
_SHORT = 4096  # so few elements are not worth a second kernel


class ReductionKernel:
    """`map_expr` of each element, `reduce_expr` of two such (`a` and `b`), `post_map_expr` writes what came of
    all (`a`).

    `identity`: what to begin with; None: there is none, and an empty array is refused. `reduce_type`: the type that is
    combined, by default the first output's.
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None:
        check_name(name)
        self.in_params, self.out_params = parameters_of(in_params), parameters_of(out_params)
        self.params = self.in_params + self.out_params
        self.nin, self.nout, self.nargs = len(self.in_params), len(self.out_params), len(self.params)
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = "" if identity is None else str(identity)
        self.name, self.__name__, self.preamble, self.options = name, name, preamble, tuple(options)
        self.reduce_type, self.reduce_dims = reduce_type, reduce_dims
        self._cached_codes: dict[tuple[str, ...], str] = {}

    @property
    def cached_codes(self) -> dict[tuple[str, ...], str]:
        """The source of each kernel that was made, by the types of its arrays."""
        return dict(self._cached_codes)

    def __call__(
        self, *args: Any, out: ndarray | None = None, axis: Any = None, keepdims: bool = False, stream: Any = None
    ) -> Any:
        """The results, along `axis`: a number, some, or None for all."""
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name}: {len(args)}")
        given = list(args[self.nin :])
        if out is not None:
            if given:
                raise ValueError("cannot specify 'out' as both a positional and keyword argument")
            given = [out]
        inputs = [generated.argument(each) for each in args[: self.nin]]
        generated.check_outputs(given)
        pairs = zip(inputs, self.in_params, strict=True)
        shapes = [a.shape for a, parameter in pairs if isinstance(a, ndarray) and not parameter.is_raw]
        if not shapes:
            raise ValueError("Loop size is undecided.")
        shape = np.broadcast_shapes(*shapes)
        along = _axes(axis, len(shape))
        left = tuple(place for place in range(len(shape)) if place not in along)
        known, dtypes = types_of(self.params, inputs, given)
        kept = tuple(1 if place in along else extent for place, extent in enumerate(shape))
        final = kept if keepdims else tuple(shape[place] for place in left)
        outputs: list[ndarray] = given or [ndarray(final, dtype) for dtype in dtypes[self.nin :]]
        for each in outputs:
            if each.shape != final:
                raise ValueError(f"Out shape is mismatched: {each.shape} for {final}")
        if not self.identity and prod(shape[place] for place in along) == 0:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        if prod(final):
            run = _Run(self, known, dtypes, stream)
            run.reduce(inputs, [memory_of(each).reshape(final) for each in outputs], shape, left, along, outputs)
        return outputs[0] if self.nout == 1 else tuple(outputs)


def _axes(axis: Any, dimensions: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(dimensions))
    return tuple(np.lib.array_utils.normalize_axis_tuple(axis, dimensions))


class _Run:
    """One call: gathers the text of its kernel and what it is given."""

    def __init__(
        self, kernel: ReductionKernel, known: dict[str, DType | None], dtypes: list[DType | None], stream: Any
    ) -> None:
        self.kernel, self.known, self.dtypes, self.stream = kernel, known, dtypes, stream
        self.parameters: list[str] = []
        self.values: list[bytes] = []
        self.above: list[str] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []

    def reduce(
        self,
        inputs: list[Any],
        outputs: list[Plain],
        shape: Extents,
        left: Extents,
        along: Extents,
        kept: list[ndarray],
    ) -> None:
        """Launch the kernels of a call."""
        views = [
            np.broadcast_to(memory_of(a), shape)
            for a, p in zip(inputs, self.kernel.in_params, strict=True)
            if isinstance(a, ndarray) and not p.is_raw
        ]
        results = tuple(shape[place] for place in left)
        plain = [each.reshape(results) if each.size == prod(results) else each for each in outputs]
        steps_left = [tuple(v.strides[place] for place in left) for v in views]
        outer, outer_steps = collapsed(results, [*steps_left, *(each.strides for each in plain)])
        extents = tuple(shape[place] for place in along)
        inner, inner_steps = collapsed(extents, [tuple(v.strides[place] for place in along) for v in views])
        count, length = prod(results), prod(extents)
        is_shared = count < _MANY_RESULTS and length > _SHORT
        names_outer, find_outer = coordinates_of("_out", len(outer), "_o")
        names_inner, find_inner = coordinates_of("_J", len(inner), "_r")
        self._arguments(inputs, zip(outer_steps, inner_steps, strict=False), [*names_outer, *names_inner])
        for parameter, array, steps in zip(self.kernel.out_params, plain, outer_steps[len(views) :], strict=True):
            access, values = access_to(parameter.name, array, steps, is_const=False)
            self.parameters += access.parameters()
            self.values += values
            self.outputs.append(f"{access.element} &{parameter.name} = {access.place(names_outer)};")
        axes = [*(f"_o{axis}" for axis in range(len(outer))), *(f"_r{axis}" for axis in range(len(inner)))]
        self.parameters += [f"ptrdiff_t {axis}" for axis in (*axes, "_count", "_length")]
        self.values += [packed_int(each) for each in (*outer, *inner, count, length)]
        self._index_objects(axes, len(outer))
        parts = min(_PARTS, length) if is_shared else 1
        self._run(find_outer, find_inner, count, parts, [*inputs, *kept])

    def _arguments(self, inputs: list[Any], steps: Any, names: list[str]) -> None:
        for parameter, value, dtype in zip(self.kernel.in_params, inputs, self.dtypes, strict=False):
            if isinstance(value, ndarray) and parameter.is_raw:
                takes, declared, values = raw_parameters(parameter.name, memory_of(value), is_const=True)
                self.parameters.append(takes)
                self.above.append(declared)
            elif isinstance(value, ndarray):
                outer, inner = next(steps)
                access, values = access_to(parameter.name, memory_of(value), outer + inner, is_const=True)
                self.parameters += access.parameters()
                self.inputs.append(f"{access.element} {parameter.name} = {access.place(names)};")
            else:
                self.parameters.append(f"const {TEXTURE if dtype is None else c_name(dtype)} {parameter.name}")
                values = [generated.bytes_of(value, dtype)]
            self.values += values

    def _index_objects(self, axes: list[str], outer: int) -> None:
        """`_in_ind` and `_out_ind`, where the expressions name them."""
        text = f"{self.kernel.map_expr}{self.kernel.post_map_expr}"
        if "_out_ind" in text:
            self.above += generated.indexer("_out_ind", axes[:outer])
        if "_in_ind" in text:
            self.above += generated.indexer("_in_ind", axes)

    def _run(self, find_outer: list[str], find_inner: list[str], count: int, parts: int, kept: list[Any]) -> None:
        code = self._code(find_outer, find_inner, is_shared=parts > 1)
        key = tuple("texture" if dtype is None else dtype.char for dtype in self.dtypes)
        self.kernel._cached_codes.setdefault(key, code)  # pyright: ignore[reportPrivateUsage]
        name = self.kernel.name
        module = generated.module(code, name, self.kernel.options)
        threads = count * parts
        block = min(_BLOCK, threads)
        if parts == 1:
            packed = Packed(self.values, kept)
            generated.launch(module.get_function(name), -(-threads // block), block, packed, self.stream)
            return
        size = int(module.get_global("_reduce_size"))
        buffer = np.empty(threads * size, np.uint8)
        packed = Packed([*self.values, packed_int(buffer.ctypes.data), packed_int(parts)], [*kept, buffer])
        for each, threads in ((name, count * parts), (f"{name}_last", count)):
            generated.launch(module.get_function(each), -(-threads // block), block, packed, self.stream)

    def _code(self, find_outer: list[str], find_inner: list[str], is_shared: bool) -> str:
        kernel = self.kernel
        first = self.kernel.out_params[0]
        combined = kernel.reduce_type or (first.kind if first.dtype is None else c_name(first.dtype))
        takes, above = ", ".join(self.parameters), " ".join(self.above)
        element = " ".join([*find_inner, *self.inputs])
        index = "_in_ind.set(_out * _length + _J);" if "_in_ind" in kernel.map_expr else ""
        mapped = f"{element} {index} const _type_reduce _b = static_cast<_type_reduce>({kernel.map_expr});"
        begin = f"_type_reduce({kernel.identity})" if kernel.identity else "_type_reduce()"
        join = "REDUCE(_s, _b)" if kernel.identity else "_any ? _type_reduce(REDUCE(_s, _b)) : _b"
        outputs = " ".join([*self.outputs, "_out_ind.set(_out);" if "_out_ind" in kernel.post_map_expr else ""])
        head = f"""{generated.PROLOGUE}{definitions(self.known)}{kernel.preamble}
#define REDUCE(a, b) ({kernel.reduce_expr})
#define POST_MAP(a) ({kernel.post_map_expr})
typedef {combined} _type_reduce;
extern "C" __device__ int _reduce_size = sizeof(_type_reduce);
"""
        loop = f"""_type_reduce _s = {begin}; bool _any = false;
  for (ptrdiff_t _J = _first; _J < _length; _J += _step) {{ {mapped} _s = {join}; _any = true; }}"""
        place = "const ptrdiff_t _t = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;"
        if not is_shared:
            return f"""{head}extern "C" __global__ void {kernel.name}({takes}) {{
  {above} {place} const ptrdiff_t _out = _t, _first = 0, _step = 1;
  if (_out >= _count) return;
  {" ".join(find_outer)}
  {loop}
  {outputs} POST_MAP(_s);
}}
"""
        more = f"{takes}, _type_reduce *_partial, ptrdiff_t _parts"
        return f"""{head}extern "C" __global__ void {kernel.name}({more}) {{
  {above} {place} const ptrdiff_t _out = _t / _parts, _first = _t % _parts, _step = _parts;
  if (_out >= _count) return;
  {" ".join(find_outer)}
  {loop}
  _partial[_t] = _s;
}}
extern "C" __global__ void {kernel.name}_last({more}) {{
  {above} {place} const ptrdiff_t _out = _t;
  if (_out >= _count) return;
  {" ".join(find_outer)}
  _type_reduce _s = _partial[_out * _parts];
  for (ptrdiff_t _j = 1; _j < _parts; ++_j) {{
    const _type_reduce _b = _partial[_out * _parts + _j];
    _s = REDUCE(_s, _b);
  }}
  {outputs} POST_MAP(_s);
}}
"""
