# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of CuPy's kind: pieces of it, and pointers into them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from warploom.compat.cupy import pending

Plain = np.ndarray[Any, Any]


class Memory:
    """New memory of so many bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.array: Plain = np.empty(size, np.uint8)

    @property
    def ptr(self) -> int:
        """Its address."""
        return self.array.ctypes.data


class UnownedMemory(Memory):
    """Memory at an address, that `owner` keeps alive."""

    def __init__(self, ptr: int, size: int, owner: object, device_id: int = -1) -> None:  # pyright: ignore[reportMissingSuperCall]
        del device_id
        self.size = size
        self._owner = owner
        self.array = np.frombuffer(memoryview((ctypes.c_ubyte * size).from_address(ptr)), np.uint8)


class MemoryPointer:
    """A place in a piece of memory."""

    def __init__(self, mem: Memory, offset: int) -> None:
        self.mem, self.offset = mem, offset

    @property
    def ptr(self) -> int:
        """The address."""
        return self.mem.ptr + self.offset

    @property
    def device_id(self) -> int:
        """The device's number."""
        return 0

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.offset + offset)

    def __sub__(self, offset: int) -> MemoryPointer:
        return self + -offset

    def _bytes(self, size: int) -> Plain:
        return self.mem.array[self.offset : self.offset + size]

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy `size` bytes from a pointer of this kind or ctypes' kind."""
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_device(self, src: MemoryPointer, size: int) -> None:
        """Copy `size` bytes."""
        pending.settle()
        np.copyto(self._bytes(size), src._bytes(size))

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy `size` bytes from an address."""
        pending.settle()
        ctypes.memmove(self.ptr, mem, size)

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy `size` bytes to an address."""
        pending.settle()
        ctypes.memmove(mem, self.ptr, size)

    def memset(self, value: int, size: int) -> None:
        """Fill `size` bytes."""
        pending.settle()
        self._bytes(size)[:] = value & 255

    copy_from_async, copy_from_device_async = copy_from, copy_from_device
    copy_from_host_async, copy_to_host_async, memset_async = copy_from_host, copy_to_host, memset


def alloc(size: int) -> MemoryPointer:
    """New memory."""
    return MemoryPointer(Memory(size), 0)


def pointer_to(array: Plain) -> MemoryPointer:
    """Where the first element of an array is."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    low, high = np.lib.array_utils.byte_bounds(base)
    return MemoryPointer(UnownedMemory(low, high - low, base), array.ctypes.data - low)


class MemoryPool:
    """There is none: memory comes from the process and goes back to it."""

    def __init__(self, allocator: Any = None) -> None:
        del allocator

    def malloc(self, size: int) -> MemoryPointer:
        """New memory."""
        return alloc(size)

    def free_all_blocks(self, stream: Any = None) -> None:
        """Nothing is kept."""

    free_all_free = free_all_blocks

    def used_bytes(self) -> int:
        """Nothing is counted."""
        return 0

    free_bytes = total_bytes = n_free_blocks = used_bytes


PinnedMemoryPool = MemoryPool


def set_allocator(allocator: Any = None) -> None:
    """Memory comes from the process, whatever is asked for."""


set_pinned_memory_allocator = set_allocator


def alloc_pinned_memory(size: int) -> Plain:
    """Memory of the host: all of it can be reached."""
    return np.empty(size, np.uint8)
