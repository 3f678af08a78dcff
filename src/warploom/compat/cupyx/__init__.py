# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of cupyx that programs for RawKernel use."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from warploom.compat import cupy
from warploom.compat.cupyx import profiler


def scatter_add(a: cupy.ndarray, slices: Any, value: Any) -> None:
    """Add to elements, each as often as it is named."""
    a.scatter_add(slices, value)


def empty_pinned(shape: Any, dtype: Any = float, order: str = "C") -> Any:
    """An array of NumPy's: all memory can be reached by kernels."""
    import numpy as np

    return np.empty(shape, dtype, order="F" if order == "F" else "C")


def zeros_pinned(shape: Any, dtype: Any = float, order: str = "C") -> Any:
    """An array of NumPy's, of zeros."""
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


@contextmanager
def errstate(**_options: Any) -> Generator[None]:
    """Nothing is reported in any case."""
    yield


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return 1 / cupy.__dict__["sqrt"](x)


__all__ = ["empty_pinned", "errstate", "profiler", "rsqrt", "scatter_add", "zeros_pinned"]
