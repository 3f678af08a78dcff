# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of cuda.core."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.compat.cuda_core._stream import Stream, stream_from
from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda import runtime as functions


class Buffer:
    """A piece of memory, given back when it is closed or nobody has it."""

    def __init__(self, handle: int, size: int, owner: Any = None, free: Callable[[int], None] | None = None) -> None:
        self.handle, self.size, self.memory_resource = handle, size, owner
        self._free = free

    @classmethod
    def from_handle(cls, ptr: int, size: int, mr: Any = None, owner: Any = None) -> Buffer:
        """Memory of somebody else's."""
        return cls(int(ptr), size, mr or owner)

    is_device_accessible = is_host_accessible = True
    device_id = 0

    def copy_to(self, dst: Buffer | None = None, *, stream: Any = None) -> Buffer:
        """Copy to another piece, or a new one."""
        target = dst if dst is not None else DeviceMemoryResource().allocate(self.size)
        target.copy_from(self, stream=stream)
        return target

    def copy_from(self, src: Buffer, *, stream: Any = None) -> None:
        """Take what another piece holds."""
        if self.size != src.size:
            raise ValueError(f"buffer sizes mismatch between src and dst (sizes are: {src.size}, {self.size})")
        chosen = stream_from(stream)
        functions.memcpyAsync(self.handle, src.handle, self.size, 4, chosen.handle)
        if chosen.own is not None:
            pending.note(chosen.own)
        else:
            chosen.sync()

    def close(self, stream: Any = None) -> None:
        """It is no longer used."""
        if self.handle and self._free is not None:
            stream_from(stream).sync()
            pending.settle()
            self._free(self.handle)
        self.handle, self._free = 0, None

    def __dlpack__(self, **options: Any) -> Any:
        options.pop("stream", None)
        pending.settle()
        memory = (ctypes.c_byte * self.size).from_address(self.handle)
        memory.owner = self  # pyright: ignore[reportAttributeAccessIssue]
        return np.frombuffer(memoryview(memory), np.int8).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __del__(self) -> None:
        if getattr(self, "handle", 0):
            self.close()


class MemoryResource:
    """Where memory comes from."""

    is_device_accessible = is_host_accessible = True
    device_id = 0

    def allocate(self, size: int, stream: Any = None) -> Buffer:
        """New memory."""
        del stream
        return Buffer(functions.malloc(max(size, 1)), size, self, functions.free)

    def deallocate(self, ptr: int, size: int, stream: Any = None) -> None:
        """Memory that is no longer used."""
        del size
        stream_from(stream).sync()
        functions.free(int(ptr))


class DeviceMemoryResource(MemoryResource):
    """The device's memory."""

    def __init__(self, device_id: Any = 0, options: Any = None) -> None:
        del options
        if int(getattr(device_id, "device_id", device_id)) != 0:
            raise ValueError(f"there is no device {device_id}")


class LegacyPinnedMemoryResource(MemoryResource):
    """The host's memory: it is the same."""


__all__ = ["Buffer", "DeviceMemoryResource", "LegacyPinnedMemoryResource", "MemoryResource", "Stream"]
