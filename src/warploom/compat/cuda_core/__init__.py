# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of cuda.core: programs, kernels, launches, streams and memory.

    from warploom.compat.cuda_core import Device, LaunchConfig, Program, ProgramOptions, launch

Not there: linking several objects, code of PTX or cubin from elsewhere, graphs, textures, more than one device.
"""

from __future__ import annotations

from warploom.compat.cuda_core._device import Device, system
from warploom.compat.cuda_core._launch import LaunchConfig, launch
from warploom.compat.cuda_core._memory import Buffer, DeviceMemoryResource, LegacyPinnedMemoryResource, MemoryResource
from warploom.compat.cuda_core._program import Kernel, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions
from warploom.compat.cuda_core._stream import Event, EventOptions, Stream, StreamOptions

__version__ = "1.0.0"
__all__ = [
    "Buffer",
    "Device",
    "DeviceMemoryResource",
    "Event",
    "EventOptions",
    "Kernel",
    "LaunchConfig",
    "LegacyPinnedMemoryResource",
    "Linker",
    "LinkerOptions",
    "MemoryResource",
    "ObjectCode",
    "Program",
    "ProgramOptions",
    "Stream",
    "StreamOptions",
    "launch",
    "system",
]
