# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of arrays: from NumPy's dtypes, and as text for constant memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from warploom.pyjit.intrinsics import VectorName
from warploom.pyjit.numbers import scalar_type
from warploom.pyjit.types import SCALARS, Element, Field, Fixed, Record, Scalar, Text
from warploom.pyjit.values import JitError

_DType = np.dtype[Any]


@lru_cache(maxsize=1000)
def element_of(dtype: _DType) -> Element:
    """What kernels know the elements of a dtype as. Raises JitError for what they cannot have."""
    if dtype.names is not None and dtype.fields is not None:
        parts = [(str(name), entry[1], entry[0]) for name, entry in dtype.fields.items() if name in dtype.names]
        return Record(tuple(Field(name, offset, _member(name, part)) for name, offset, part in parts), dtype.itemsize)
    if dtype.kind in "SU":
        return Text(dtype.kind, dtype.itemsize)
    if dtype.kind in "mM" and dtype.isnative:
        return Scalar("i", 8, str(dtype.name))
    found = SCALARS.get(dtype.name)
    if found is None or not dtype.isnative:
        raise JitError(f"{dtype} is no number that kernels in Python have")
    return found


def _member(name: str, dtype: _DType) -> Element | Fixed:
    if dtype.subdtype is None:
        return element_of(dtype)
    base, shape = dtype.subdtype
    if base.subdtype is not None:
        raise JitError(f"the member '{name}' is an array of arrays")
    return Fixed(element_of(base), tuple(shape))


def described_element(described: Any) -> Element | None:
    """The element that a dtype, its name, a type of NumPy's or of numba's means; None: none."""
    if isinstance(described, VectorName):
        return described.type
    found = scalar_type(described)
    if found is not None:
        return found
    try:
        return element_of(np.dtype(getattr(described, "dtype", described)))
    except (TypeError, JitError):
        return None


def constant_text(name: str, array: np.ndarray[Any, Any]) -> str:
    """A variable in constant memory with the bytes of an array, row by row."""
    data = np.ascontiguousarray(array).tobytes()
    words = np.frombuffer(data + bytes(-len(data) % 8 or 8 * (not data)), np.uint64)
    return f"__constant__ unsigned long long {name}[] = {{{', '.join(f'{int(word)}ull' for word in words)}}};"


def stored_text(found: Text, text: str | bytes) -> str:
    """The bytes of a constant in memory for text: cut, or filled with zeros, as NumPy does."""
    data = text.encode("utf-32-le") if isinstance(text, str) else text
    if isinstance(text, str) != (found.kind == "U"):
        raise JitError(f"{text!r} cannot be stored in {found.name}")
    data = data[: found.size].ljust(found.size, b"\0")
    return f"{found.stored}{{{{{', '.join(f'(char){byte}' for byte in data)}}}}}"
