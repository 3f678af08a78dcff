# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What launches of kernels in Python are given, and what numba's names tell of compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index
from typing import Any

from warploom.api.arguments import ArgumentError
from warploom.api.runtime import device_properties
from warploom.pyjit.types import Type


class LaunchError(ArgumentError, ValueError):
    """A kernel is not launched as kernels are."""


def extent_of_launch(what: str, value: Any) -> Any:
    """An extent of a launch. Raises LaunchError, ArgumentError."""
    if isinstance(value, int):
        return value
    numbers: list[Any] = list(value) if isinstance(value, tuple | list) else [value]  # pyright: ignore[reportUnknownArgumentType]
    if len(numbers) not in (1, 2, 3):
        raise LaunchError(f"{what} must be a sequence of 1, 2 or 3 integers, got {numbers}")
    try:
        return tuple(map(index, numbers))
    except TypeError:  # an array has __index__, too, but is not always a number
        raise ArgumentError(f"{what} must be a sequence of integers, got {numbers}") from None


class Overloads:
    """The kernels of a function by the types of their arguments, or by a signature."""

    def __init__(self, types: Callable[[], list[tuple[Type, ...]]]) -> None:
        """`types`: the types of arguments that there are kernels for."""
        self._types = types

    def __len__(self) -> int:
        return len(self._types())

    def __getitem__(self, signature: Any) -> Overload:
        return Overload()

    def items(self) -> list[tuple[tuple[Type, ...], Overload]]:
        """Each with its types."""
        return [(types, Overload()) for types in self._types()]


class Overload:
    """What is known of a compiled kernel."""

    def max_cooperative_grid_blocks(self, blockdim: Any, dynsmemsize: int = 0) -> int:
        """How many blocks may wait for one another."""
        del dynsmemsize
        properties = device_properties()
        extents = extent_of_launch("blockdim", blockdim)
        threads = math.prod(extents) if isinstance(extents, tuple) else int(extents)  # pyright: ignore[reportUnknownArgumentType]
        return properties.multiprocessor_count * max(properties.max_threads_per_block // max(threads, 1), 1)
