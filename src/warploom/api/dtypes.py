# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of CUDA C++ as NumPy has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np

from warploom.compiler.signature import Type

DType = np.dtype[Any]
Array = np.ndarray[Any, Any]
_CODES = {"b": "?", "i": "i", "u": "u", "f": "f"}


def is_array(value: object) -> TypeGuard[Array]:
    """Whether a value is an array of NumPy's."""
    return isinstance(value, np.ndarray)


def is_scalar(value: object) -> TypeGuard[np.generic[Any]]:
    """Whether a value is a number or record of NumPy's."""
    return isinstance(value, np.generic)


def dtype_of(found: Type) -> DType:
    """The dtype with the layout of a type: structs are structured, arrays have a shape, what has no counterpart is
    bytes without meaning (`V`), bfloat16 too, unless a package has brought that dtype."""
    if found.kind in _CODES and found.size in (1, 2, 4, 8):
        return np.dtype("?" if found.kind == "b" else f"{_CODES[found.kind]}{found.size}")
    if found.kind == "array" and found.element is not None:
        return np.dtype((dtype_of(found.element), found.shape))
    if found.kind == "struct":
        return np.dtype(
            {
                "names": [name for name, _, _ in found.fields],
                "formats": [dtype_of(each) for _, _, each in found.fields],
                "offsets": [offset for _, offset, _ in found.fields],
                "itemsize": found.size,
            }
        )
    return np.dtype(f"V{found.size}")


def name_of(found: Type) -> str:
    """How to say in Python what dtype is wanted."""
    if found.is_number and found.kind != "bf":
        return str(dtype_of(found))
    if found.kind == "bf":
        return "bfloat16"
    return f"{found.name}, {found.size} bytes: {dtype_of(found)}"


def holds(dtype: DType, found: Type | None) -> bool:
    """Whether memory of `dtype` is memory of a type: the same numbers at the same places, whatever they are called.

    Objects of Python's are nothing for a kernel.

    An array of the plain numbers that a struct or array is made of holds it too (float32 for `float4 *`), and complex
    numbers two equal ones. None and types without a layout: any memory.
    """
    if dtype.hasobject:
        return False
    if found is None or found.kind == "opaque":
        return True
    wanted, given = list(_numbers_of(found, 0)), list(_numbers(dtype, 0))
    if wanted == given and dtype.itemsize == found.size:
        return True
    kinds = {(kind, size) for _, kind, size in wanted}
    return len(kinds) == 1 and len(given) < len(wanted) and _fills(dtype, found, given, *kinds.pop())


def _fills(dtype: DType, found: Type, given: list[tuple[int, str, int]], kind: str, size: int) -> bool:
    """Whether a struct of equal numbers side by side is a whole number of elements of `dtype`."""
    is_dense = len(list(_numbers_of(found, 0))) * size == found.size and len(given) * size == dtype.itemsize
    return is_dense and all(each[1:] == (kind, size) for each in given) and found.size % dtype.itemsize == 0


def _numbers_of(found: Type, at: int) -> Iterator[tuple[int, str, int]]:
    """The numbers in a type, in the order of their places: offset, kind, size."""
    if found.kind == "struct":
        for _, offset, each in found.fields:
            yield from _numbers_of(each, at + offset)
    elif found.kind == "array" and found.element is not None:
        for place in range(0, found.size, found.element.size or 1):
            yield from _numbers_of(found.element, at + place)
    elif found.name == "char":  # neither signed nor unsigned: text
        yield at, "c", found.size
    elif found.kind != "opaque":
        yield at, found.kind, found.size


def _numbers(dtype: DType, at: int) -> Iterator[tuple[int, str, int]]:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for number in range(int(np.prod(shape))):
            yield from _numbers(base, at + number * base.itemsize)
    elif dtype.names is not None and dtype.fields is not None:
        for each, offset, *_ in dtype.fields.values():
            yield from _numbers(each, at + offset)
    elif dtype.kind == "c":
        for place in (0, dtype.itemsize // 2):
            yield at + place, "f", dtype.itemsize // 2
    elif dtype.kind != "V" or dtype.name == "bfloat16":  # bytes without meaning fill a place
        kind = "bf" if dtype.name == "bfloat16" else dtype.kind
        yield at, kind if dtype.isnative else f"swapped {kind}", dtype.itemsize


def is_text(dtype: DType, found: Type | None) -> bool:
    """Whether plain `char` of C++ is given bytes of some kind."""
    return (
        found is not None
        and found.name == "char"
        and dtype.kind in "iuSb"
        and (dtype.itemsize == 1 or dtype.kind == "S")
    )
