# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a generated kernel finds the elements of its arrays.

Extents that all arrays walk through alike become one; a step of 0 or 1 is written out in the kernel, so that what
lies side by side is seen to. Everything else comes with the launch.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from warploom.compat.cupy.core import Plain
from warploom.compat.cupy.parameters import DType, c_name
from warploom.core.records import dataclass

Extents = tuple[int, ...]


def packed_int(value: int) -> bytes:
    """A ptrdiff_t."""
    return struct.pack("=q", value)


def collapsed(shape: Extents, strides: Sequence[Extents]) -> tuple[Extents, list[Extents]]:
    """Fewer extents with the same elements in the same order: those of one go, and neighbours that every array walks
    through as if they were one are one."""
    kept = [axis for axis, extent in enumerate(shape) if extent != 1]
    extents: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis in kept:
        is_one = extents and all(
            own[-1] == whole[axis] * shape[axis] for own, whole in zip(steps, strides, strict=True)
        )
        if is_one:
            extents[-1] *= shape[axis]
        else:
            extents.append(shape[axis])
        for own, whole in zip(steps, strides, strict=True):
            own[len(extents) - 1 :] = [whole[axis]]
    return tuple(extents), [tuple(own) for own in steps]


@dataclass(frozen=True)
class Access:
    """An array as a kernel walks through it: the kind of each step (`0`, `1` or `n`, which the launch tells)."""

    name: str
    dtype: DType
    kinds: str
    in_bytes: bool
    is_const: bool

    @property
    def element(self) -> str:
        """The type of an element."""
        return f"{'const ' if self.is_const else ''}{c_name(self.dtype)}"

    def parameters(self) -> list[str]:
        """What the kernel takes for it."""
        steps = [f"ptrdiff_t _step_{self.name}_{axis}" for axis, kind in enumerate(self.kinds) if kind == "n"]
        return [f"{self.element} *_at_{self.name}", *steps]

    def place(self, coordinates: Sequence[str]) -> str:
        """The element at `coordinates`."""
        terms: list[str] = []
        for axis, (kind, coordinate) in enumerate(zip(self.kinds, coordinates, strict=True)):
            if kind != "0":
                terms.append(coordinate if kind == "1" else f"{coordinate} * _step_{self.name}_{axis}")
        offset = " + ".join(terms) or "0"
        if self.in_bytes:
            memory = f"{'const ' if self.is_const else ''}char"
            return f"(*({self.element} *)(({memory} *)_at_{self.name} + ({offset})))"
        return f"_at_{self.name}[{offset}]"


def access_to(name: str, array: Plain, strides: Extents, is_const: bool) -> tuple[Access, list[bytes]]:
    """How to walk through `array` by `strides`, and what the launch hands over for it."""
    size = array.itemsize
    in_bytes = any(step % size for step in strides)
    steps = strides if in_bytes else tuple(step // size for step in strides)
    kinds = "".join("0" if step == 0 else "1" if step == 1 and not in_bytes else "n" for step in steps)
    values = [packed_int(array.ctypes.data), *(packed_int(s) for s, k in zip(steps, kinds, strict=True) if k == "n")]
    return Access(name, array.dtype, kinds, in_bytes, is_const), values


def raw_parameters(name: str, array: Plain, is_const: bool) -> tuple[str, str, list[bytes]]:
    """An array that the kernel indexes itself: the parameters' text, that of its declaration, and the values."""
    element = f"{'const ' if is_const else ''}{c_name(array.dtype)}"
    is_flat = array.flags.c_contiguous
    found = f"CArray<{element}, {array.ndim}, {str(is_flat).lower()}>"
    values = [packed_int(array.ctypes.data)]
    if array.ndim:
        values.append(b"".join(map(packed_int, (*array.shape, *array.strides))))
        text = f"{element} *_at_{name}, warploom_cupy::Numbers<{2 * array.ndim}> _extents_{name}"
        return (
            text,
            f"{found} {name}(_at_{name}, _extents_{name}.values, _extents_{name}.values + {array.ndim});",
            values,
        )
    return f"{element} *_at_{name}", f"{found} {name}(_at_{name});", values


def coordinates_of(index: str, extents: int, prefix: str) -> tuple[list[str], list[str]]:
    """The coordinates of the `index`-th element of `extents` dimensions, and the statements that find them.

    The extents are named `{prefix}0` and so on.
    """
    if extents <= 1:
        return [index] * extents, []
    names = [f"_c{prefix}{axis}" for axis in range(extents)]
    lines = [f"ptrdiff_t _rest{prefix} = {index};"]
    for axis in reversed(range(1, extents)):
        lines.append(
            f"const ptrdiff_t {names[axis]} = _rest{prefix} % {prefix}{axis}; _rest{prefix} /= {prefix}{axis};"
        )
    return names, [*lines, f"const ptrdiff_t {names[0]} = _rest{prefix};"]
