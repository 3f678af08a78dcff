# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers that types of NumPy's, of Python's and of numba's are, and the names that these have."""

from __future__ import annotations

from typing import Any

from warploom.pyjit.types import BOOL, COMPLEX, FLOAT, INT, SCALARS, Scalar

_ALIASES = {
    "boolean": "bool", "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8",
    "u2": "uint16", "u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64",
    "c8": "complex64", "c16": "complex128", "byte": "uint8", "char": "int8", "short": "int16", "ushort": "uint16",
    "int": "int64", "uint": "uint64", "intc": "int32", "uintc": "uint32", "intp": "int64", "uintp": "uint64",
    "long_": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "half": "float16",
    "single": "float32", "float": "float32", "double": "float64",
}  # fmt: skip


def scalar_type(described: Any) -> Scalar | None:
    """The number that a type of NumPy's, of Python's, of numba's or of the dialect is."""
    if isinstance(described, Scalar):
        return described
    plain = {int: INT, float: FLOAT, bool: BOOL, complex: COMPLEX}
    if isinstance(described, type) and described in plain:
        return plain[described]
    if isinstance(described, str):
        name = described
    else:
        name = getattr(described, "name", None) or getattr(described, "__name__", "")
    if not isinstance(name, str):
        return None
    found = _ALIASES.get(name, name).rstrip("_")
    return SCALARS.get(found)
