# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of `numba.cuda`: `import warploom.compat.numba_cuda as cuda` runs a program that was written for it.

Device memory is memory: `to_device` copies, as there, and what it gives is an array of NumPy's. Not there: vectorize,
reduce, random numbers, cooperative groups, records and complex numbers in kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.api.runtime import device_properties, synchronize
from warploom.api.streams import Event, Stream
from warploom.compat.numba_reduce import Reduce
from warploom.pyjit.function import Function, jit
from warploom.pyjit.intrinsics import CUDA, Intrinsic
from warploom.pyjit.types import SCALARS

threadIdx, blockIdx = Intrinsic("threadIdx"), Intrinsic("blockIdx")  # noqa: N816 - CUDA's names
blockDim, gridDim = Intrinsic("blockDim"), Intrinsic("gridDim")  # noqa: N816
laneid, warpsize = Intrinsic("laneid"), Intrinsic("warpsize")
shared, local, atomic = Intrinsic("shared"), Intrinsic("local"), Intrinsic("atomic")
# The functions of the dialect, each a name that kernels know, and types of numbers.
globals().update({name: Intrinsic(name) for name in CUDA})
globals().update({name: np.dtype(name).type for name in SCALARS})


class DeviceNDArray(np.ndarray[Any, Any]):
    """An array of the device's: NumPy's, with the two functions that copy."""

    def copy_to_host(self, ary: np.ndarray[Any, Any] | None = None, stream: Stream | None = None) -> Any:
        """A copy, in `ary` where that is given; waits for `stream`."""
        if stream:
            stream.synchronize()
        if ary is None:
            return np.array(self)
        np.copyto(ary, self)
        return ary

    def copy_to_device(self, ary: Any, stream: Stream | None = None) -> None:
        """Take what `ary` holds."""
        if stream:
            stream.synchronize()
        np.copyto(self, ary)


def to_device(obj: Any, stream: Stream | None = None, copy: bool = True, to: Any = None) -> DeviceNDArray:
    """A copy of an array, in `to` where that is given; with `copy=False` an array without its numbers."""
    del stream  # a copy has ended when it returns
    made: DeviceNDArray = device_array_like(obj) if to is None else to
    if copy:
        np.copyto(made, obj)
    return made


def device_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C") -> DeviceNDArray:
    """An array of no particular numbers."""
    if strides is not None:
        raise NotImplementedError("an array with strides of one's own: make a view of another one")
    return np.empty(shape, dtype, order="F" if order == "F" else "C").view(DeviceNDArray)


def device_array_like(ary: Any, stream: Stream | None = None) -> DeviceNDArray:
    """An array of the same extents and dtype."""
    del stream
    return np.empty_like(np.asarray(ary)).view(DeviceNDArray)


def pinned_array(shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C") -> np.ndarray[Any, Any]:
    """An array: all memory can be reached by kernels."""
    return device_array(shape, dtype, strides, order).view(np.ndarray)


mapped_array = managed_array = pinned_array


def pinned_array_like(ary: Any) -> np.ndarray[Any, Any]:
    """An array of the same extents and dtype."""
    return np.empty_like(np.asarray(ary))


mapped_array_like = pinned_array_like


def from_cuda_array_interface(desc: Any, owner: Any = None, sync: bool = True) -> Any:
    """Memory that `__cuda_array_interface__` describes, as an array."""
    del sync
    return as_cuda_array(type("Described", (), {"__cuda_array_interface__": desc, "owner": owner})())


def as_cuda_array(obj: Any) -> Any:
    """An object with an array interface as an array over its memory."""
    from warploom.api.arguments import as_array_argument

    return as_array_argument(obj).view(DeviceNDArray)


def is_cuda_array(obj: Any) -> bool:
    """Whether an object shows memory by `__cuda_array_interface__`, or is an array of the device's."""
    return isinstance(obj, DeviceNDArray) or hasattr(obj, "__cuda_array_interface__")


reduce = Reduce


def stream() -> Stream:
    """A new stream."""
    return Stream()


def default_stream() -> int:
    """The stream of launches that name none."""
    return 0


def event(timing: bool = True) -> Event:
    """A new event."""
    return Event(timing=timing)


def event_elapsed_time(start: Event, end: Event) -> float:
    """The time between two events in milliseconds."""
    return end.seconds_since(start) * 1000


def is_available() -> bool:
    """Whether there is a device: this machine is one."""
    return True


def select_device(device_id: int) -> None:
    """There is one device, number 0."""
    if device_id != 0:
        raise IndexError(f"there is no device {device_id}")


def close() -> None:
    """Wait for all that was launched."""
    synchronize()


class _Device:
    """What `get_current_device` gives."""

    id = 0

    def __getattr__(self, name: str) -> Any:
        properties = device_properties()
        known = {
            "name": properties.name.encode(),
            "compute_capability": properties.compute_capability,
            "MULTIPROCESSOR_COUNT": properties.multiprocessor_count,
            "MAX_THREADS_PER_BLOCK": properties.max_threads_per_block,
            "MAX_SHARED_MEMORY_PER_BLOCK": properties.max_shared_memory_per_block,
            "WARP_SIZE": properties.warp_size,
        }
        if name not in known:
            raise AttributeError(f"the device has no '{name}'")
        return known[name]


gpus = (_Device(),)


def get_current_device() -> _Device:
    """The device."""
    return gpus[0]


def detect() -> bool:
    """Say which device there is."""
    print(f"Found 1 device: {device_properties().name}")
    return True


def __getattr__(name: str) -> Any:
    raise AttributeError(f"numba.cuda's '{name}' is not part of warploom.compat.numba_cuda")


__all__ = ["DeviceNDArray", "Event", "Function", "Stream", "jit", "synchronize"]
