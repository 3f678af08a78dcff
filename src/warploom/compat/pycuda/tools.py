# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.tools: what programs take from there."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from warploom.compat.pycuda import driver, vec

_C_NAMES = {
    "bool": "bool", "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long",
    "uint8": "unsigned char", "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long",
    "float16": "__half", "float32": "float", "float64": "double", "complex64": "complex<float>",
    "complex128": "complex<double>",
}  # fmt: skip


# What a function gives is kept by its arguments; there is one context.
context_dependent_memoize = functools.cache


def make_default_context() -> driver.Context:
    """The context."""
    return driver.Context()


def dtype_to_ctype(dtype: Any) -> str:
    """A dtype in C++. Raises ValueError for one that has no name there."""
    name = _C_NAMES.get(np.dtype(dtype).name) or vec.name_of(np.dtype(dtype))
    if name is None:
        raise ValueError(f"unable to map dtype '{dtype}'")
    return name


class DeviceMemoryPool:
    """There is none: memory comes from the device and goes back to it."""

    def allocate(self, size: int) -> driver.DeviceAllocation:
        """New memory."""
        return driver.mem_alloc(size)

    def free_held(self) -> None:
        """Nothing is kept."""

    stop_holding = free_held


class PageLockedMemoryPool:
    """Arrays of NumPy's: there is nothing to lock."""

    def allocate(self, shape: Any, dtype: Any, order: str = "C") -> Any:
        """A new array."""
        return driver.pagelocked_empty(shape, dtype, order)

    def free_held(self) -> None:
        """Nothing is kept."""

    stop_holding = free_held


def clear_context_caches() -> None:
    """Nothing is kept."""
