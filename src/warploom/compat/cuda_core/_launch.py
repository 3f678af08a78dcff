# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of cuda.core."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from warploom.api.arguments import Address
from warploom.api.kernel import Kernel as Own
from warploom.compat.cuda_core._memory import Buffer
from warploom.compat.cuda_core._program import Kernel
from warploom.compat.cuda_core._stream import stream_from
from warploom.compat.cupy.core import memory_of, ndarray
from warploom.core.records import dataclass


@dataclass
class LaunchConfig:
    """How many blocks of how many threads, and the bytes of dynamic shared memory."""

    grid: Any = None
    cluster: Any = None
    block: Any = None
    shmem_size: int | None = None
    cooperative_launch: bool = False

    def __post_init__(self) -> None:
        if self.grid is None or self.block is None:
            raise ValueError("grid= and block= are wanted")
        if self.cluster is not None:
            raise NotImplementedError("a launch with cluster=: clusters are launched from CUDA C++ here")
        self.shmem_size = self.shmem_size or 0


def launch(stream: Any, config: LaunchConfig, kernel: Kernel, *kernel_args: Any) -> None:
    """Launch in a stream. Arguments are buffers, addresses, and numbers of Python's or NumPy's."""
    chosen = stream_from(stream)
    own = kernel.own
    if config.cooperative_launch:
        own = own.cooperating()
    given = tuple(_argument(own, place, each) for place, each in enumerate(kernel_args))
    own(_extents(config.grid), _extents(config.block), given, shared_mem=config.shmem_size or 0, stream=chosen.own)
    chosen.note()


def _extents(given: int | float | Sequence[int | float]) -> Any:
    """Whole numbers; cuda.core takes those of a division, too."""
    if isinstance(given, int | float):
        return int(given) if given == int(given) else given
    return tuple(map(_extents, given))


def _argument(kernel: Own, place: int, value: Any) -> Any:
    if isinstance(value, Buffer):
        return Address(value.handle, value)
    if isinstance(value, ndarray):
        return Address(memory_of(value).ctypes.data, value)
    parameters = kernel.signature.parameters
    if place < len(parameters) and parameters[place].is_pointer:
        if isinstance(value, ctypes.c_void_p):
            return Address(value.value or 0)
        if hasattr(value, "__index__"):
            return Address(int(value))
    return value.value if isinstance(value, ctypes._SimpleCData) else value  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
