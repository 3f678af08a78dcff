# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pycuda.driver: memory, copies, streams and events; the device is in device.py."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_size_t, c_void_p
from typing import Any

import numpy as np

from warploom.api import streams
from warploom.api.dtypes import is_array
from warploom.api.runtime import CudaError, runtime
from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda import runtime as functions
from warploom.compat.pycuda import device as _device

Plain = np.ndarray[Any, Any]
Error = LogicError = LaunchError = RuntimeError = CudaError  # noqa: A001 - PyCUDA's name
_DEFAULT = 4  # cudaMemcpyDefault
Context = _device.Context
Device = _device.Device
ctx_flags = _device.ctx_flags
device_attribute = _device.device_attribute
event_flags = _device.event_flags
func_cache = _device.func_cache
host_alloc_flags = _device.host_alloc_flags
limit = _device.limit
mem_attach_flags = _device.mem_attach_flags
mem_get_info = _device.mem_get_info


class CompileError(Exception):
    """The compiler refused a source; the text is what it said."""


class MemoryError(CudaError):  # noqa: A001 - PyCUDA's name
    """There is not so much memory."""


def init(flags: int = 0) -> None:
    """The driver is ready."""


def get_version() -> tuple[int, int, int]:
    """The CUDA that this is."""
    version = functions.runtimeGetVersion()
    return version // 1000, version % 1000 // 10, 0


def get_driver_version() -> int:
    """13000 for CUDA 13.0."""
    return functions.driverGetVersion()


# -- memory -----------------------------------------------------------------------------------------------------------


class DeviceAllocation:
    """Memory of the device; an address wherever a number is wanted."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._place = 0
        try:
            self._place = functions.malloc(max(size, 1))
        except CudaError as error:
            raise MemoryError(error.code, error.name, f"{size} bytes") from None

    def __int__(self) -> int:
        return self._place

    __index__ = __int__

    def __add__(self, offset: int) -> int:
        return self._place + offset

    def free(self) -> None:
        """It is no longer used."""
        place, self._place = self._place, 0
        if place:
            pending.settle()
            functions.free(place)

    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """Its bytes."""
        return memoryview((ctypes.c_ubyte * size).from_address(self._place + offset))

    def __del__(self) -> None:
        if getattr(self, "_place", 0):
            self.free()


def mem_alloc(bytes: int) -> DeviceAllocation:  # noqa: A002 - PyCUDA's name
    """New memory."""
    return DeviceAllocation(int(bytes))


def mem_alloc_like(ary: Plain) -> DeviceAllocation:
    """Memory for as many bytes as an array has."""
    return mem_alloc(ary.nbytes)


def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Memory of rows, and the bytes from one to the next."""
    del access_size
    pitch = -(-width // 512) * 512
    return DeviceAllocation(pitch * height), pitch


def _host(array: Any, is_written: bool) -> tuple[int, int]:
    """The address and the bytes of an array of the host's. Raises ValueError where it is not contiguous."""
    found = np.asarray(array)
    if not (found.flags.c_contiguous or found.flags.f_contiguous):
        raise ValueError("ndarray is not contiguous")
    if is_written and (not is_array(array) or not found.flags.writeable):
        raise ValueError("a writable numpy.ndarray is wanted")
    return found.ctypes.data, found.nbytes


def _copy(target: int, source: int, size: int, stream: Any) -> None:
    if stream is None:
        pending.settle()
        functions.call("cudaMemcpy", c_void_p(target), c_void_p(source), c_size_t(size), _DEFAULT)
        return
    functions.call("cudaMemcpyAsync", c_void_p(target), c_void_p(source), c_size_t(size), _DEFAULT, stream.handle)
    pending.note(stream.own)


def memcpy_htod(dest: Any, src: Any) -> None:
    """Copy an array to the device."""
    address, size = _host(src, is_written=False)
    _copy(int(dest), address, size, None)


def memcpy_htod_async(dest: Any, src: Any, stream: Stream | None = None) -> None:
    """Copy an array to the device in a stream."""
    address, size = _host(src, is_written=False)
    _copy(int(dest), address, size, stream)
    if stream is not None:
        stream.own.keep(src)


def memcpy_dtoh(dest: Any, src: Any) -> None:
    """Copy from the device to an array."""
    address, size = _host(dest, is_written=True)
    _copy(address, int(src), size, None)


def memcpy_dtoh_async(dest: Any, src: Any, stream: Stream | None = None) -> None:
    """Copy from the device to an array in a stream."""
    address, size = _host(dest, is_written=True)
    _copy(address, int(src), size, stream)
    if stream is not None:
        stream.own.keep(dest, src)


def memcpy_dtod(dest: Any, src: Any, size: int) -> None:
    """Copy `size` bytes on the device."""
    _copy(int(dest), int(src), size, None)


def memcpy_dtod_async(dest: Any, src: Any, size: int, stream: Stream | None = None) -> None:
    """Copy `size` bytes on the device in a stream."""
    _copy(int(dest), int(src), size, stream)


def memset_d8(dest: Any, data: int, count: int) -> None:
    """Fill `count` bytes."""
    _fill(dest, np.uint8(data), count)


def memset_d16(dest: Any, data: int, count: int) -> None:
    """Fill `count` numbers of 16 bits."""
    _fill(dest, np.uint16(data), count)


def memset_d32(dest: Any, data: int, count: int) -> None:
    """Fill `count` numbers of 32 bits."""
    _fill(dest, np.uint32(data), count)


def _fill(dest: Any, value: np.generic[Any], count: int) -> None:
    pending.settle()
    _view(int(dest), (count,), value.dtype)[...] = value


def _view(address: int, shape: Sequence[int], dtype: Any) -> Plain:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size == 0:
        return np.empty(tuple(shape), dtype)
    return np.frombuffer(memoryview((ctypes.c_ubyte * size).from_address(address)), dtype).reshape(tuple(shape))


def to_device(bf_obj: Any) -> DeviceAllocation:
    """A copy of an array on the device."""
    made = DeviceAllocation(_host(bf_obj, is_written=False)[1])
    memcpy_htod(made, bf_obj)
    return made


def from_device(devptr: Any, shape: Any, dtype: Any, order: str = "C") -> Plain:
    """A copy of the device's memory as an array."""
    made = np.empty(shape, dtype, order="F" if order == "F" else "C")
    memcpy_dtoh(made, devptr)
    return made


def from_device_like(devptr: Any, other_ary: Plain) -> Plain:
    """A copy of the device's memory as an array like another one."""
    made = np.empty_like(other_ary)
    memcpy_dtoh(made, devptr)
    return made


def pagelocked_empty(shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0) -> Plain:
    """An array of NumPy's: copies from it need no more."""
    del mem_flags
    return np.empty(shape, dtype, order="F" if order == "F" else "C")


def pagelocked_zeros(shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0) -> Plain:
    """An array of zeros."""
    made = pagelocked_empty(shape, dtype, order, mem_flags)
    made[...] = 0
    return made


def pagelocked_empty_like(array: Plain, mem_flags: int = 0) -> Plain:
    """An array like another one."""
    return pagelocked_empty(array.shape, array.dtype, "C", mem_flags)


managed_empty, managed_zeros = pagelocked_empty, pagelocked_zeros


class In:
    """An array that a kernel reads: it is copied to the device for the launch."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)
        self.size = _host(self.array, is_written=False)[1]

    def before(self) -> DeviceAllocation:
        """The copy."""
        return to_device(self.array)

    def after(self, memory: DeviceAllocation) -> None:
        """Nothing comes back."""


class Out(In):
    """An array that a kernel fills: it is copied back after the launch."""

    def __init__(self, array: Plain) -> None:
        _host(array, is_written=True)
        super().__init__(array)

    def before(self) -> DeviceAllocation:
        """Memory without its numbers."""
        return DeviceAllocation(self.size)

    def after(self, memory: DeviceAllocation) -> None:
        """Copy back."""
        memcpy_dtoh(self.array, memory)


class InOut(Out):
    """An array that a kernel reads and writes."""

    def before(self) -> DeviceAllocation:
        """The copy."""
        return to_device(self.array)


# -- streams and events -----------------------------------------------------------------------------------------------


class Stream:
    """A stream."""

    def __init__(self, flags: int = 0) -> None:
        self.own = streams.Stream(non_blocking=bool(flags & 1))

    @property
    def handle(self) -> int:
        """cudaStream_t."""
        return self.own.ptr

    def synchronize(self) -> None:
        """Wait until all that was launched has ended."""
        self.own.synchronize()

    def is_done(self) -> bool:
        """Whether all that was launched has ended."""
        return self.own.done

    def wait_for_event(self, evt: Event) -> None:
        """What is launched from here on waits for an event."""
        self.own.wait_event(evt.own)


class Event:
    """A moment in a stream."""

    def __init__(self, flags: int = 0) -> None:
        self.own = streams.Event(timing=not flags & 2)

    def record(self, stream: Stream | None = None) -> Event:
        """Happen when all that was launched so far has ended."""
        runtime().call("cudaEventRecord", self.own.ptr, stream.handle if stream is not None else None)
        return self

    def synchronize(self) -> Event:
        """Wait until it has happened."""
        self.own.synchronize()
        return self

    def query(self) -> bool:
        """Whether it has happened."""
        return self.own.done

    def time_since(self, event: Event) -> float:
        """The milliseconds since an earlier one."""
        return self.own.seconds_since(event.own) * 1000

    def time_till(self, event: Event) -> float:
        """The milliseconds until a later one."""
        return event.time_since(self)


def __getattr__(name: str) -> Any:
    if name in ("Function", "Module", "module_from_file", "module_from_buffer", "SourceModule", "DynamicSourceModule"):
        from warploom.compat.pycuda import compiler

        return getattr(compiler, name)
    raise AttributeError(f"pycuda.driver's '{name}' is not part of warploom.compat.pycuda")
