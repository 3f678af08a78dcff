# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.cuda.runtime: functions of the CUDA runtime by their names, and some of its constants."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from pathlib import Path
from typing import Any

from warploom.api.runtime import CudaError
from warploom.api.runtime import runtime as _library
from warploom.compat.cupy import pending

CUDARuntimeError = CudaError
is_hip = False
errorInvalidValue, errorMemoryAllocation, errorInvalidDevice = 1, 2, 101  # noqa: N816 - CUDA's names
errorPeerAccessAlreadyEnabled, errorNotReady = 704, 600  # noqa: N816
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice, memcpyDefault = range(5)  # noqa: N816
streamDefault, streamNonBlocking = 0, 1  # noqa: N816
eventDefault, eventBlockingSync, eventDisableTiming = 0, 1, 2  # noqa: N816
hostAllocDefault, hostAllocPortable, hostAllocMapped = 0, 1, 2  # noqa: N816
cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D = range(4)  # noqa: N816
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)  # noqa: N816
cudaFilterModePoint, cudaFilterModeLinear = 0, 1  # noqa: N816
cudaReadModeElementType, cudaReadModeNormalizedFloat = 0, 1  # noqa: N816
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat = range(3)  # noqa: N816
_ATTRIBUTE = re.compile(r"WARPLOOM_ATTRIBUTE\((\w+), (\d+)\)")


@cache
def _attributes() -> dict[str, int]:
    table = Path(__file__).parents[3] / "include" / "warploom" / "device_attributes.def"
    return {f"cudaDevAttr{name}": int(number) for name, number in _ATTRIBUTE.findall(table.read_text())}


def __getattr__(name: str) -> Any:
    if name == "ATTRIBUTES":
        return _attributes()
    if name in _attributes():
        return _attributes()[name]
    raise AttributeError(f"cupy.cuda.runtime's '{name}' is not part of warploom.compat.cupy")


def _int(function: str, *arguments: Any) -> int:
    value = ctypes.c_int()
    call(function, ctypes.byref(value), *arguments)
    return value.value


def call(function: str, *arguments: Any) -> None:
    """Call a function of the runtime. Raises CudaError where it fails."""
    code = _library().function(function)(*arguments)
    if code != 0:
        raise _library().error(code)


def getDevice() -> int:  # noqa: N802 - CUDA's names
    """The current device."""
    return _int("cudaGetDevice")


def getDeviceCount() -> int:  # noqa: N802
    """How many there are."""
    return _int("cudaGetDeviceCount")


def setDevice(device: int) -> None:  # noqa: N802
    """Choose a device."""
    call("cudaSetDevice", device)


def deviceGetAttribute(attribute: int, device: int) -> int:  # noqa: N802
    """An attribute by its number."""
    return _int("cudaDeviceGetAttribute", attribute, device)


def deviceCanAccessPeer(device: int, peer: int) -> int:  # noqa: N802
    """Whether a device reaches another one's memory."""
    return _int("cudaDeviceCanAccessPeer", device, peer)


def deviceSynchronize() -> None:  # noqa: N802
    """Wait for all that was launched."""
    pending.settle()
    call("cudaDeviceSynchronize")


def runtimeGetVersion() -> int:  # noqa: N802
    """13000 for CUDA 13.0."""
    return _int("cudaRuntimeGetVersion")


def driverGetVersion() -> int:  # noqa: N802
    """13000 for CUDA 13.0."""
    return _int("cudaDriverGetVersion")


def memGetInfo() -> tuple[int, int]:  # noqa: N802
    """The bytes of memory that are free, and all."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cudaMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def getDeviceProperties(device: int) -> dict[str, Any]:  # noqa: N802
    """What the device is."""
    from warploom.api.runtime import device_properties

    found = device_properties()
    limits = {name: deviceGetAttribute(_attributes()[f"cudaDevAttr{name}"], device) for name in _LIMITS}
    major, minor = found.compute_capability
    return {
        "name": found.name.encode(),
        "major": major,
        "minor": minor,
        "warpSize": found.warp_size,
        "multiProcessorCount": found.multiprocessor_count,
        "maxThreadsPerBlock": found.max_threads_per_block,
        "sharedMemPerBlock": found.max_shared_memory_per_block,
        "sharedMemPerBlockOptin": found.max_shared_memory_per_block_optin,
        "totalGlobalMem": memGetInfo()[1],
        "maxThreadsDim": tuple(limits[f"MaxBlockDim{axis}"] for axis in "XYZ"),
        "maxGridSize": tuple(limits[f"MaxGridDim{axis}"] for axis in "XYZ"),
        "regsPerBlock": limits["MaxRegistersPerBlock"],
        "clockRate": limits["ClockRate"],
        "totalConstMem": limits["TotalConstantMemory"],
        "maxThreadsPerMultiProcessor": limits["MaxThreadsPerMultiProcessor"],
        "l2CacheSize": limits["L2CacheSize"],
    }


_LIMITS = [
    *(f"Max{what}Dim{axis}" for what in ("Block", "Grid") for axis in "XYZ"),
    *("MaxRegistersPerBlock", "ClockRate", "TotalConstantMemory", "MaxThreadsPerMultiProcessor", "L2CacheSize"),
]


def malloc(size: int) -> int:
    """New memory, by its address."""
    place = ctypes.c_void_p()
    call("cudaMalloc", ctypes.byref(place), ctypes.c_size_t(size))
    return place.value or 0


def mallocManaged(size: int, flags: int = 1) -> int:  # noqa: N802
    """New memory, by its address."""
    place = ctypes.c_void_p()
    call("cudaMallocManaged", ctypes.byref(place), ctypes.c_size_t(size), flags)
    return place.value or 0


def free(ptr: int) -> None:
    """Memory that is no longer used."""
    call("cudaFree", ctypes.c_void_p(ptr))


def memcpy(dst: int, src: int, size: int, kind: int) -> None:
    """Copy `size` bytes. Arrays lie in the process's memory, whatever `kind` says."""
    del kind
    pending.settle()
    call("cudaMemcpy", ctypes.c_void_p(dst), ctypes.c_void_p(src), ctypes.c_size_t(size), memcpyDefault)


def memcpyAsync(dst: int, src: int, size: int, kind: int, stream: int) -> None:  # noqa: N802
    """Copy `size` bytes in a stream."""
    call(
        "cudaMemcpyAsync",
        ctypes.c_void_p(dst),
        ctypes.c_void_p(src),
        ctypes.c_size_t(size),
        kind,
        ctypes.c_void_p(stream),
    )


def memset(ptr: int, value: int, size: int) -> None:
    """Fill `size` bytes."""
    pending.settle()
    if is_memory(ptr, size):  # an array's, which the runtime does not know
        ctypes.memset(ptr, value & 255, size)
    else:
        call("cudaMemset", ctypes.c_void_p(ptr), value, ctypes.c_size_t(size))


def memsetAsync(ptr: int, value: int, size: int, stream: int) -> None:  # noqa: N802
    """Fill `size` bytes, after what was launched in a stream."""
    call("cudaStreamSynchronize", ctypes.c_void_p(stream))
    memset(ptr, value, size)


def is_memory(address: int, size: int) -> bool:
    """Whether the process can read and write memory."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights = line.split(" ", 2)[:2]
        low, high = (int(each, 16) for each in span.split("-"))
        if low <= address < high:
            if not rights.startswith("rw"):
                return False
            if address + size <= high:
                return True
            size -= high - address
            address = high
    return False


def streamCreate() -> int:  # noqa: N802
    """A new stream."""
    made = ctypes.c_void_p()
    call("cudaStreamCreateWithFlags", ctypes.byref(made), 0)
    return made.value or 0


def streamDestroy(stream: int) -> None:  # noqa: N802
    """A stream that is no longer used."""
    call("cudaStreamDestroy", stream)


def streamSynchronize(stream: int) -> None:  # noqa: N802
    """Wait for a stream."""
    pending.settle()
    call("cudaStreamSynchronize", stream)
