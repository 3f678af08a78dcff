# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.cuda: streams, events, memory and the device."""

from __future__ import annotations

from typing import Any

from warploom.compat.cupy.cuda import compiler, device, driver, memory, runtime, stream
from warploom.compat.cupy.cuda.device import Device, get_compute_capability, get_device_id
from warploom.compat.cupy.cuda.memory import (
    Memory,
    MemoryPointer,
    MemoryPool,
    PinnedMemoryPool,
    UnownedMemory,
    alloc,
    alloc_pinned_memory,
    set_allocator,
    set_pinned_memory_allocator,
)
from warploom.compat.cupy.cuda.stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time


def is_available() -> bool:
    """Whether there is a device: this machine is one."""
    return True


def get_local_runtime_version() -> int:
    """13000 for CUDA 13.0."""
    return runtime.runtimeGetVersion()


def get_nvcc_path() -> str | None:
    """The compiler driver."""
    import shutil
    import sys
    from pathlib import Path

    beside = Path(sys.executable).with_name("warpcc")
    return str(beside) if beside.exists() else shutil.which("warpcc")


def __getattr__(name: str) -> Any:
    if name in ("function", "texture", "profiler", "nvtx"):
        from importlib import import_module

        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            pass
    if name in ("RawKernel", "RawModule"):
        import warploom.compat.cupy as module

        return getattr(module, name)
    raise AttributeError(f"cupy.cuda's '{name}' is not part of warploom.compat.cupy")


__all__ = [
    "Device",
    "Event",
    "ExternalStream",
    "Memory",
    "MemoryPointer",
    "MemoryPool",
    "PinnedMemoryPool",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "compiler",
    "device",
    "driver",
    "get_compute_capability",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "memory",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
]
