# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of cuda.core: programs, kernels, launches, streams and memory.

    from warploom.compat.cuda_core import Device, LaunchConfig, Program, ProgramOptions, launch

Not there: code of PTX or cubin from elsewhere, graphs with nodes by name, conditions or forks, surfaces, clusters,
tensor maps, memory by virtual addresses or shared with other processes, more than one device.
"""

from __future__ import annotations

from warploom.compat.cuda_core._device import Device, system
from warploom.compat.cuda_core._graph import Graph, GraphBuilder
from warploom.compat.cuda_core._launch import LaunchConfig, launch
from warploom.compat.cuda_core._memory import (
    Buffer,
    DeviceMemoryResource,
    GraphMemoryResource,
    Host,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    ManagedMemoryResourceOptions,
    MemoryResource,
    PinnedMemoryResource,
    PinnedMemoryResourceOptions,
)
from warploom.compat.cuda_core._program import Kernel, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions
from warploom.compat.cuda_core._stream import Event, EventOptions, Stream, StreamOptions, host_launch

__version__ = "1.0.0"
__all__ = [
    "Buffer",
    "Device",
    "DeviceMemoryResource",
    "Event",
    "EventOptions",
    "Graph",
    "GraphBuilder",
    "GraphMemoryResource",
    "Host",
    "Kernel",
    "LaunchConfig",
    "LegacyPinnedMemoryResource",
    "Linker",
    "LinkerOptions",
    "ManagedMemoryResource",
    "ManagedMemoryResourceOptions",
    "MemoryResource",
    "ObjectCode",
    "PinnedMemoryResource",
    "PinnedMemoryResourceOptions",
    "Program",
    "ProgramOptions",
    "Stream",
    "StreamOptions",
    "host_launch",
    "launch",
    "system",
]
