# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of `numba.cuda`: `import warploom.compat.numba_cuda as cuda` runs a program that was written for it.

Device memory is memory: `to_device` copies, as there, and what it gives is an array of NumPy's. What needs PTX, NVVM or
NVIDIA's driver is not there, and says so.
"""

from __future__ import annotations

import types
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from warploom.api.runtime import device_properties, synchronize
from warploom.compat import numba_arrays as devicearray
from warploom.compat import numba_random as random
from warploom.compat.numba_arrays import (
    DeviceNDArray,
    as_cuda_array,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    managed_array,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
    to_device,
)
from warploom.compat.numba_reduce import Reduce
from warploom.compat.numba_streams import Event, Stream
from warploom.compat.numba_vectorize import guvectorize, vectorize
from warploom.pyjit.arguments import In, InOut, Out
from warploom.pyjit.function import Function, jit
from warploom.pyjit.intrinsics import CUDA, VECTORS, Intrinsic
from warploom.pyjit.types import SCALARS

threadIdx, blockIdx = Intrinsic("threadIdx"), Intrinsic("blockIdx")  # noqa: N816 - CUDA's names
blockDim, gridDim = Intrinsic("blockDim"), Intrinsic("gridDim")  # noqa: N816
laneid, warpsize = Intrinsic("laneid"), Intrinsic("warpsize")
shared, local, atomic = Intrinsic("shared"), Intrinsic("local"), Intrinsic("atomic")
const, cg, fp16 = Intrinsic("const"), Intrinsic("cg"), Intrinsic("fp16")
# The functions of the dialect, each a name that kernels know, types of numbers, and vector types.
globals().update({name: Intrinsic(name) for name in CUDA if "." not in name})
globals().update({name: np.dtype(name).type for name in SCALARS})
globals().update(VECTORS)


reduce = Reduce


# What was compiled for a GPU, under the names by which numba has it.
_NEEDS_NVVM = "compile compile_ptx compile_for_current_device compile_ptx_for_current_device declare_device".split()


def _of_nvvm(name: str) -> Any:
    def refuse(*_arguments: Any, **_options: Any) -> Any:
        raise NotImplementedError(f"cuda.{name} gives PTX or LTO-IR; nothing here makes or runs those; use cuda.jit")

    return refuse


globals().update({name: _of_nvvm(name) for name in _NEEDS_NVVM})


@contextmanager
def defer_cleanup() -> Generator[None]:
    """Memory is freed when its arrays go: nothing is put off."""
    yield


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


def list_devices() -> tuple[_Device, ...]:
    """All devices."""
    return gpus


def current_context(devnum: int | None = None) -> Any:
    """What stands for the device's context: its device, and what can be asked of it."""
    if devnum not in (None, 0):
        raise IndexError(f"there is no device {devnum}")
    return types.SimpleNamespace(device=gpus[0], synchronize=synchronize, id=0)


def cuda_error() -> None:
    """What went wrong when the device was looked for: nothing."""


def profile_start() -> None:
    """`warploom profile` measures whole programs: there is nothing to begin."""


def profile_stop() -> None:
    """As `profile_start`."""


def __getattr__(name: str) -> Any:
    raise AttributeError(f"numba.cuda's '{name}' is not part of warploom.compat.numba_cuda")


__all__ = [
    "DeviceNDArray", "Event", "Function", "In", "InOut", "Out", "Stream", "as_cuda_array", "device_array",
    "device_array_like", "devicearray", "from_cuda_array_interface", "guvectorize", "is_cuda_array", "jit",
    "managed_array", "mapped_array", "mapped_array_like", "pinned", "pinned_array", "pinned_array_like", "random",
    "synchronize", "to_device", "vectorize",
]  # fmt: skip
