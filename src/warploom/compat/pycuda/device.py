# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.driver's device, context, and the words that they are asked with."""

from __future__ import annotations

import ctypes

from warploom.api.runtime import CudaError, device_properties, runtime
from warploom.compat.cupy.cuda import runtime as functions


def mem_get_info() -> tuple[int, int]:
    """The bytes of memory that are free, and all."""
    return functions.memGetInfo()


class _Attributes:
    """`device_attribute`: numbers by PyCUDA's names."""

    def __getattr__(self, name: str) -> int:
        words = name.lower().split("_")
        found = functions.ATTRIBUTES.get(
            "cudaDevAttr" + "".join(_SPELLED.get(word, word.capitalize()) for word in words)
        )
        if found is None:
            raise AttributeError(f"device_attribute has no '{name}'")
        return found


_SPELLED = {"multiprocessor": "MultiProcessor", "gpu": "Gpu", "l2": "L2", "id": "Id", "pci": "Pci", "ecc": "Ecc"}
device_attribute = _Attributes()


class event_flags:  # noqa: N801 - PyCUDA's name
    """Of Event."""

    DEFAULT, BLOCKING_SYNC, DISABLE_TIMING, INTERPROCESS = 0, 1, 2, 4


class func_cache:  # noqa: N801 - PyCUDA's name
    """What a GPU's cache prefers."""

    PREFER_NONE, PREFER_SHARED, PREFER_L1, PREFER_EQUAL = 0, 1, 2, 3


class ctx_flags:  # noqa: N801 - PyCUDA's name
    """Of make_context."""

    SCHED_AUTO, SCHED_SPIN, SCHED_YIELD, MAP_HOST = 0, 1, 2, 8


class host_alloc_flags:  # noqa: N801 - PyCUDA's name
    """Of pagelocked_empty."""

    PORTABLE, DEVICEMAP, WRITECOMBINED = 1, 2, 4


class mem_attach_flags:  # noqa: N801 - PyCUDA's name
    """Of managed_empty."""

    GLOBAL, HOST, SINGLE = 1, 2, 4


class limit:  # noqa: N801 - PyCUDA's name
    """Of Context.set_limit."""

    STACK_SIZE, PRINTF_FIFO_SIZE, MALLOC_HEAP_SIZE, DEV_RUNTIME_SYNC_DEPTH, DEV_RUNTIME_PENDING_LAUNCH_COUNT = range(5)


class Device:
    """The device; there is one, number 0."""

    def __init__(self, number: int = 0) -> None:
        if number != 0:
            raise CudaError(101, "cuDeviceGet", "invalid device ordinal")

    @staticmethod
    def count() -> int:
        """How many there are."""
        return functions.getDeviceCount()

    def name(self) -> str:
        """What it is called."""
        return device_properties().name

    def compute_capability(self) -> tuple[int, int]:
        """(8, 0) for 8.0."""
        return device_properties().compute_capability

    def total_memory(self) -> int:
        """Its bytes."""
        return mem_get_info()[1]

    def get_attribute(self, attr: int) -> int:
        """An attribute of `device_attribute`."""
        return functions.deviceGetAttribute(attr, 0)

    def get_attributes(self) -> dict[str, int]:
        """All of them, by CUDA's names."""
        return {name: functions.deviceGetAttribute(number, 0) for name, number in functions.ATTRIBUTES.items()}

    def pci_bus_id(self) -> str:
        """Where it is on a bus that it is not on."""
        return "0000:00:00.0"

    def make_context(self, flags: int = 0) -> Context:
        """A context: there is one."""
        del flags
        return Context()

    def retain_primary_context(self) -> Context:
        """The context: there is one."""
        return Context()

    max_threads_per_block = property(lambda self: self.get_attribute(1))
    warp_size = property(lambda self: self.get_attribute(10))
    multiprocessor_count = property(lambda self: self.get_attribute(16))


class Context:
    """What the device is used in."""

    @staticmethod
    def synchronize() -> None:
        """Wait for all that was launched."""
        functions.deviceSynchronize()

    @staticmethod
    def get_current() -> Context:
        """The context: there is one."""
        return Context()

    @staticmethod
    def get_device() -> Device:
        """The device."""
        return Device(0)

    @staticmethod
    def pop() -> None:
        """There is no other one below."""

    def push(self) -> None:
        """It is in use."""

    def detach(self) -> None:
        """It stays."""

    @staticmethod
    def set_cache_config(config: int) -> None:
        """A CPU's cache prefers nothing."""

    @staticmethod
    def set_limit(limit: int, value: int) -> None:
        """Change one of `limit`. Raises CudaError for what has none."""
        runtime().call("cudaDeviceSetLimit", ctypes.c_int(limit), ctypes.c_size_t(value))

    @staticmethod
    def get_limit(limit: int) -> int:
        """One of `limit`."""
        value = ctypes.c_size_t()
        runtime().call("cudaDeviceGetLimit", ctypes.byref(value), ctypes.c_int(limit))
        return value.value
