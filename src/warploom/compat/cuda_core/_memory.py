# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of cuda.core."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.compat.cuda_core._stream import stream_from
from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda import runtime as functions
from warploom.core.records import dataclass


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
        if chosen.own is None:
            chosen.sync()
        chosen.note()

    def fill(self, value: Any, *, stream: Any = None) -> None:
        """Fill it with a number below 256, or with one of NumPy's, or bytes, of one, two or four bytes."""
        word = bytes([value]) if isinstance(value, int) else bytes(memoryview(value).cast("B"))
        kinds = {1: ("cuMemsetD8Async", ctypes.c_ubyte), 2: ("cuMemsetD16Async", ctypes.c_ushort)}
        name, kind = kinds.get(len(word), ("cuMemsetD32Async", ctypes.c_uint))
        if len(word) not in (1, 2, 4) or self.size % len(word) != 0:
            raise ValueError(f"{len(word)} bytes do not fill a buffer of {self.size}: 1, 2 or 4 that divide its size")
        chosen, count = stream_from(stream), ctypes.c_size_t(self.size // len(word))
        pattern = kind(int.from_bytes(word, sys.byteorder))
        functions.call(name, ctypes.c_void_p(self.handle), pattern, count, ctypes.c_void_p(chosen.handle))
        if chosen.own is None:
            chosen.sync()
        chosen.note()

    def set_deallocation_stream(self, stream: Any) -> None:
        """What its memory waits for when it is given back: here for all streams."""
        stream_from(stream)

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


@dataclass(frozen=True)
class Host:
    """Where memory lies, where something other than a device is meant."""

    numa_id: int | None = None


@dataclass
class PinnedMemoryResourceOptions:
    """Of PinnedMemoryResource."""

    ipc_enabled: bool = False
    max_size: int = 0
    numa_id: int | None = None


class PinnedMemoryResource(MemoryResource):
    """The host's memory, from a pool."""

    def __init__(self, options: PinnedMemoryResourceOptions | None = None) -> None:
        if options is not None and options.ipc_enabled:
            raise NotImplementedError("ipc_enabled=True: memory of a pool is not shared with other processes here")
        self.numa_id = options.numa_id if options is not None and options.numa_id is not None else -1

    def close(self) -> None:
        """It is no longer used."""


@dataclass
class ManagedMemoryResourceOptions:
    """Of ManagedMemoryResource."""

    preferred_location: int | None = None
    preferred_location_type: str | None = None


class ManagedMemoryResource(MemoryResource):
    """Memory of host and device."""

    is_managed = True

    def __init__(self, options: ManagedMemoryResourceOptions | None = None) -> None:
        wanted = options or ManagedMemoryResourceOptions()
        kind = wanted.preferred_location_type or ("device" if wanted.preferred_location is not None else None)
        self.preferred_location = None if kind is None else (kind, wanted.preferred_location)

    def close(self) -> None:
        """It is no longer used."""


class _GraphMemoryAttributes:
    """Bytes of memory that graphs have, and had at most."""

    def __init__(self, owner: GraphMemoryResource) -> None:
        self.used_mem_current = self.reserved_mem_current = owner.used
        self.used_mem_high = self.reserved_mem_high = owner.most


class GraphMemoryResource(MemoryResource):
    """Memory of graphs. Here it is there as long as this resource is, which the graphs have to be launched before."""

    def __init__(self, device_id: Any = 0) -> None:
        DeviceMemoryResource(device_id)  # which says where there is none
        self.used = self.most = 0
        self._all: list[int] = []

    def allocate(self, size: int, stream: Any = None) -> Buffer:
        del stream
        place = functions.malloc(max(size, 1))
        self._all.append(place)
        self.used += size
        self.most = max(self.most, self.used)
        return Buffer(place, size, self)

    def deallocate(self, ptr: int, size: int, stream: Any = None) -> None:
        del ptr, stream
        self.used -= size

    @property
    def attributes(self) -> _GraphMemoryAttributes:
        """How much memory graphs have."""
        return _GraphMemoryAttributes(self)

    def trim(self) -> None:
        """Give back what no graph needs: nothing."""

    def close(self) -> None:
        """Nor are its graphs used any more."""
        pending.settle()
        while self._all:
            functions.free(self._all.pop())
