# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device of cuda.core."""

from __future__ import annotations

from typing import Any, NamedTuple

from warploom.api import streams
from warploom.api.runtime import device_properties
from warploom.compat.cuda_core._graph import GraphBuilder, create_graph_builder
from warploom.compat.cuda_core._memory import Buffer, DeviceMemoryResource
from warploom.compat.cuda_core._stream import Event, EventOptions, Stream, StreamOptions
from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda import runtime as functions


class ComputeCapability(NamedTuple):
    """(8, 0) for 8.0."""

    major: int
    minor: int


# What cuda.core calls otherwise than the runtime does.
_OTHERWISE = {
    "mempool_supported_handle_types": "MemoryPoolSupportedHandleTypes",
    "multi_gpu_board": "IsMultiGpuBoard",
    "read_only_host_register_supported": "HostRegisterReadOnlySupported",
}
# What only the driver's interface asks for; there is none of it here.
_NOT_THERE = frozenset(
    """generic_compression_supported handle_type_posix_file_descriptor_supported handle_type_win32_handle_supported
    handle_type_win32_kmt_handle_supported multicast_supported virtual_memory_management_supported""".split()
)


class DeviceProperties:
    """The device's attributes by cuda.core's names: `multiprocessor_count`."""

    def __getattr__(self, name: str) -> int:
        if name in _NOT_THERE:
            return 0
        plain = _OTHERWISE.get(name, name.replace("maximum_", "max_").replace("_alternate", "_alt").replace("_", ""))
        for known, number in functions.ATTRIBUTES.items():
            if known.removeprefix("cudaDevAttr").lower() == plain.lower():
                return functions.deviceGetAttribute(number, 0)
        raise AttributeError(f"the device has no property '{name}'")


class Context:
    """The device's context: there is one."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context)

    def __hash__(self) -> int:
        return 0


class Device:
    """The device; there is one, number 0."""

    properties = DeviceProperties()
    uuid = "00000000-0000-0000-0000-000000000000"
    pci_bus_id = "0000:00:00.0"

    def __init__(self, device_id: int | None = None) -> None:
        self.device_id = device_id or 0
        if self.device_id != 0:
            raise ValueError(f"device_id must be within [0, 1), got {device_id}")
        self.memory_resource: Any = DeviceMemoryResource()

    @property
    def name(self) -> str:
        """What it is called."""
        return device_properties().name

    @property
    def compute_capability(self) -> ComputeCapability:
        """What its code may use."""
        return ComputeCapability(*device_properties().compute_capability)

    @property
    def arch(self) -> str:
        """`80` for 8.0."""
        return "".join(map(str, self.compute_capability))

    @property
    def context(self) -> Context:
        """Its context."""
        return Context(self)

    @property
    def default_stream(self) -> Stream:
        """Where launches go that name no stream."""
        return Stream(None)

    def set_current(self, ctx: Any = None) -> None:
        """It is in use."""

    def create_stream(self, obj: Any = None, options: StreamOptions | None = None) -> Stream:
        """A new stream, or that of an object with `__cuda_stream__`."""
        if obj is not None:
            return Stream.from_handle(obj.__cuda_stream__()[1])
        is_apart = (options or StreamOptions()).nonblocking
        return Stream(streams.Stream(non_blocking=is_apart), is_apart)

    def create_event(self, options: EventOptions | None = None) -> Event:
        """A new event."""
        return Event(options)

    def allocate(self, size: int, stream: Any = None) -> Buffer:
        """New memory."""
        return self.memory_resource.allocate(size, stream)

    def create_graph_builder(self) -> GraphBuilder:
        """A builder of a graph."""
        return create_graph_builder()

    def sync(self) -> None:
        """Wait for all that was launched."""
        pending.settle()
        functions.deviceSynchronize()

    def __int__(self) -> int:
        return self.device_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"<Device {self.device_id} ({self.name})>"


def _device_of(_stream: Stream) -> Device:
    """The device."""
    return Device()


setattr(Stream, "device", property(_device_of))  # noqa: B010 - it is there once there is a device


class _System:
    """`system`."""

    num_devices = 1

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices."""
        return (Device(),)

    @property
    def driver_version(self) -> tuple[int, int]:
        """The CUDA that this is."""
        version = functions.driverGetVersion()
        return version // 1000, version % 1000 // 10

    def get_num_devices(self) -> int:
        """How many devices there are."""
        return self.num_devices

    def get_driver_version(self) -> tuple[int, int]:
        """The CUDA that this is."""
        return self.driver_version


system = _System()
