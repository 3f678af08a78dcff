# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.ElementwiseKernel: a line of CUDA C++ for each element of arrays that are broadcast against one another.

    ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
        --> __global__ void add(const float *_at_x, const float *_at_y, float *_at_z, ptrdiff_t _size) {
              const ptrdiff_t i = ...;
              if (i < _size) do { const float x = _at_x[i], y = _at_y[i]; float &z = _at_z[i]; z = x + y; } while (0);
            }

One kernel is made for each combination of dtypes and of ways to walk through the arrays (access.py).
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
    Parameter,
    c_name,
    check_name,
    definitions,
    parameters_of,
    types_of,
)
from warploom.core.records import dataclass, field

_BLOCK = 128
_WIDE_ROW = 64  # rows of so many elements are blocks of their own: no thread divides to find its place


class Walk:
    """How the threads of a launch share the elements: one each; long rows are given to blocks of their own."""

    def __init__(self, extents: int, in_rows: bool) -> None:
        self.axes = [f"_d{axis}" for axis in range(extents)]
        self.in_rows = in_rows
        if not in_rows:
            self.names, self.find = coordinates_of("i", extents, "_d")
            self.start = ["ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;"]
            self.guard = "i < _size"
            return
        last = self.axes[-1]
        outer, self.find = coordinates_of("_row", extents - 1, "_d")
        self.names = [*outer, "_x"]
        self.start = [
            f"const ptrdiff_t _wide = ({last} + blockDim.x - 1) / blockDim.x, _row = blockIdx.x / _wide;",
            "const ptrdiff_t _x = blockIdx.x % _wide * blockDim.x + threadIdx.x;",
            f"ptrdiff_t i = _row * {last} + _x;",
        ]
        self.guard = f"_x < {last}"

    def blocks(self, extents: Extents, block: int) -> int:
        """How many blocks there are."""
        if self.in_rows:
            return -(-extents[-1] // block) * prod(extents[:-1])
        return -(-prod(extents) // block)


@dataclass
class Text:
    """The parts of a kernel as they are gathered, and what its launch hands over."""

    parameters: list[str] = field(default_factory=list[str])
    above: list[str] = field(default_factory=list[str])  # before the element is known
    elements: list[str] = field(default_factory=list[str])
    values: list[bytes] = field(default_factory=list[bytes])

    def element(self, parameter: Parameter, array: Plain, strides: Extents, walk: Walk, is_const: bool) -> None:
        """An array of which each thread has one element."""
        access, values = access_to(parameter.name, array, strides, is_const)
        self.parameters += access.parameters()
        self.values += values
        reference = "" if is_const else "&"
        self.elements.append(f"{access.element} {reference}{parameter.name} = {access.place(walk.names)};")

    def raw(self, parameter: Parameter, array: Plain, is_const: bool) -> None:
        """An array that the operation indexes."""
        takes, declared, values = raw_parameters(parameter.name, array, is_const)
        self.parameters.append(takes)
        self.above.append(declared)
        self.values += values

    def number(self, parameter: Parameter, value: Any, dtype: DType | None) -> None:
        """A number, or a texture."""
        self.parameters.append(f"const {TEXTURE if dtype is None else c_name(dtype)} {parameter.name}")
        self.values.append(generated.bytes_of(value, dtype))


class ElementwiseKernel:
    """`operation` is done for each element of the broadcast arguments; `i` counts the elements.

    `raw` arguments are indexed by `operation` itself. A letter as a type stands for what the arguments have.
    `loop_prep` and `after_loop` are what each thread does before and after.
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: Sequence[str] = (),
        doc: str = "",
    ) -> None:
        check_name(name)
        self.in_params, self.out_params = parameters_of(in_params), parameters_of(out_params)
        self.params = self.in_params + self.out_params
        self.nin, self.nout, self.nargs = len(self.in_params), len(self.out_params), len(self.params)
        self.operation, self.name, self.__name__ = operation, name, name
        self.reduce_dims, self.preamble = reduce_dims, preamble
        self.no_return, self.return_tuple = no_return, return_tuple
        self._loop_prep, self._after_loop, self._options = loop_prep, after_loop, tuple(options)
        self.__doc__ = doc or type(self).__doc__
        self._cached_codes: dict[tuple[str, ...], str] = {}

    @property
    def cached_codes(self) -> dict[tuple[str, ...], str]:
        """The source of each kernel that was made, by the types of its arrays."""
        return dict(self._cached_codes)

    @property
    def cached_code(self) -> str:
        """One of them."""
        return next(iter(self._cached_codes.values()), "")

    def __call__(self, *args: Any, size: int | None = None, stream: Any = None, block_size: int = _BLOCK) -> Any:
        """What the outputs hold. `size`: how often, where no argument tells."""
        if block_size <= 0:
            raise ValueError("block_size must be greater than zero")
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or {self.nargs} (with "
                f"outputs), but given {len(args)}."
            )
        inputs, given = [generated.argument(each) for each in args[: self.nin]], list(args[self.nin :])
        generated.check_outputs(given)
        shape = self._shape([*inputs, *given], size)
        known, dtypes = types_of(self.params, inputs, given)
        made = zip(self.out_params, dtypes[self.nin :], strict=True)
        outputs: list[ndarray] = given or [_new(*pair, shape, size) for pair in made]
        for parameter, out in zip(self.out_params, outputs, strict=True):
            if not parameter.is_raw and out.shape != shape:
                raise ValueError(f"Out shape is mismatched: {out.shape} for {shape}")
        if prod(shape):
            self._launch(inputs, outputs, shape, known, dtypes, block_size, stream)
        if self.no_return:
            return None
        return outputs[0] if self.nout == 1 and not self.return_tuple else tuple(outputs)

    def _shape(self, args: Sequence[Any], size: int | None) -> Extents:
        sized = [a.shape for a, p in zip(args, self.params, strict=False) if isinstance(a, ndarray) and not p.is_raw]
        if sized:
            if size is not None:
                raise ValueError("Specified 'size' can be used only if all of the ndarray are 'raw'.")
            return np.broadcast_shapes(*sized)
        if size is None:
            raise ValueError("Loop size is undecided.")
        return (size,)

    def _launch(
        self,
        inputs: list[Any],
        outputs: list[ndarray],
        shape: Extents,
        known: dict[str, DType | None],
        dtypes: list[DType | None],
        block: int,
        stream: Any,
    ) -> None:
        values: list[Any] = [*inputs, *outputs]
        arrays = [
            np.broadcast_to(memory_of(value), shape)
            for value, parameter in zip(values, self.params, strict=True)
            if isinstance(value, ndarray) and not parameter.is_raw
        ]
        extents, strides = shape, [array.strides for array in arrays]
        if self.reduce_dims:
            extents, strides = collapsed(shape, strides)
        walk = Walk(len(extents), in_rows=len(extents) > 1 and extents[-1] >= _WIDE_ROW)
        text, steps = Text(), iter(strides)
        for number, (value, parameter, dtype) in enumerate(zip(values, self.params, dtypes, strict=True)):
            is_input = number < self.nin
            if isinstance(value, ndarray) and not parameter.is_raw:
                text.element(parameter, memory_of(value), next(steps), walk, is_const=is_input)
            elif isinstance(value, ndarray):
                text.raw(parameter, memory_of(value), is_const=is_input)
            else:
                text.number(parameter, value, dtype)
        code = self._code(text, known, walk)
        key = tuple("texture" if dtype is None else dtype.char for dtype in dtypes)
        self._cached_codes.setdefault(key, code)
        given = [*text.values, *map(packed_int, extents), packed_int(prod(extents))]
        kernel = generated.module(code, self.name, self._options).get_function(self.name)
        generated.launch(kernel, walk.blocks(extents, block), block, Packed(given, values), stream)

    def _code(self, text: Text, known: dict[str, DType | None], walk: Walk) -> str:
        """The source of a kernel."""
        needs_index = "_ind" in f"{self.operation}{self._loop_prep}{self._after_loop}"
        above = [*text.above, *(generated.indexer("_ind", walk.axes) if needs_index else ())]
        own = [*walk.find, *(["_ind.set(i);"] if needs_index else []), *text.elements]
        takes = ", ".join([*text.parameters, *(f"ptrdiff_t {axis}" for axis in walk.axes), "ptrdiff_t _size"])
        return f"""{generated.PROLOGUE}{definitions(known)}{self.preamble}
extern "C" __global__ void {self.name}({takes}) {{
  {" ".join(above)}
  {self._loop_prep};
  {" ".join(walk.start)}
  if ({walk.guard}) do {{
    {" ".join(own)}
    {self.operation};
  }} while (0);
  {self._after_loop};
}}
"""


def _new(parameter: Parameter, dtype: DType | None, shape: Extents, size: int | None) -> ndarray:
    if parameter.is_raw and size is None:
        raise ValueError("Output array size is Undecided")
    return ndarray(shape, dtype)
