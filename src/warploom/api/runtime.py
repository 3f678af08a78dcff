# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA runtime of this package in this process: loaded once, its functions with their C types, its errors."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import c_char_p, c_float, c_int, c_size_t, c_uint, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from warploom.core.interpreter import check_interpreter
from warploom.core.records import dataclass

SUCCESS, NOT_READY = 0, 600
OTHER = -1  # of calls.c: the arguments are not for the quick way
# Errors of a kernel that ran: the device stays in that state until it is told to forget.
FAULTS = frozenset((700, 702, 710, 714, 715, 716, 717, 718, 719))


class CudaError(RuntimeError):
    """A function of the CUDA runtime failed. `code` is the number of the error, `name` its name."""

    def __init__(self, code: int, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.code = code
        self.name = name


class KernelFault(CudaError):
    """A kernel did what it may not do (an address that is no memory, a trap, a failed assertion).

    What else was queued is dropped; what the kernel wrote before stays written; further launches work. The report on
    standard error names the kernel, and with the option `-lineinfo` the line.
    """


class Extent(ctypes.Structure):
    """dim3."""

    _fields_ = (("x", c_uint), ("y", c_uint), ("z", c_uint))


class PointerAttributes(ctypes.Structure):
    """cudaPointerAttributes."""

    _fields_ = (
        ("type", c_int),
        ("device", c_int),
        ("device_pointer", c_void_p),
        ("host_pointer", c_void_p),
        ("reserved", ctypes.c_long * 8),
    )


_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cudaLibraryLoadFromFile": (c_void_p, c_char_p, c_void_p, c_void_p, c_uint, c_void_p, c_void_p, c_uint),
    "cudaLibraryGetKernel": (c_void_p, c_void_p, c_char_p),
    "cudaLibraryGetGlobal": (c_void_p, c_void_p, c_void_p, c_char_p),
    "cudaLaunchKernel": (c_void_p, Extent, Extent, c_void_p, c_size_t, c_void_p),
    "cudaLaunchCooperativeKernel": (c_void_p, Extent, Extent, c_void_p, c_size_t, c_void_p),
    "cudaFuncSetAttribute": (c_void_p, c_int, c_int),
    "cudaFuncGetParamInfo": (c_void_p, c_size_t, c_void_p, c_void_p),
    "cudaFuncGetAttributes": (c_void_p, c_void_p),
    "cudaPointerGetAttributes": (c_void_p, c_void_p),
    "cudaDeviceGetAttribute": (c_void_p, c_int, c_int),
    "cudaDeviceSynchronize": (),
    "cudaStreamCreateWithFlags": (c_void_p, c_uint),
    "cudaStreamDestroy": (c_void_p,),
    "cudaStreamSynchronize": (c_void_p,),
    "cudaStreamQuery": (c_void_p,),
    "cudaStreamWaitEvent": (c_void_p, c_void_p, c_uint),
    "cudaEventCreateWithFlags": (c_void_p, c_uint),
    "cudaEventDestroy": (c_void_p,),
    "cudaEventRecord": (c_void_p, c_void_p),
    "cudaEventSynchronize": (c_void_p,),
    "cudaEventQuery": (c_void_p,),
    "cudaEventElapsedTime": (ctypes.POINTER(c_float), c_void_p, c_void_p),
    "cudaGetLastError": (),
    "__warploom_clear_fault": (),
    "__warploom_run_unseen": (ctypes.POINTER(c_char_p), ctypes.POINTER(c_char_p), c_int),
}


class Runtime:
    """libwarploom.so, with the functions above as attributes; each call lets other threads of Python run."""

    def __init__(self, library: Path) -> None:
        self.path = library
        self._library = ctypes.CDLL(str(library))
        for name, arguments in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.argtypes, function.restype = arguments, c_int
        for name in ("cudaGetErrorName", "cudaGetErrorString"):
            function = getattr(self._library, name)
            function.argtypes, function.restype = (c_int,), c_char_p

    def function(self, name: str) -> Callable[..., int]:
        """A function of the runtime; what it returns is an error's number."""
        return getattr(self._library, name)

    def address(self, name: str) -> int:
        """Where a function of the runtime is."""
        return ctypes.cast(getattr(self._library, name), c_void_p).value or 0

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; CudaError or KernelFault where it fails."""
        code = self.function(name)(*arguments)
        if code != SUCCESS:
            raise self.error(code)

    def error(self, code: int) -> CudaError:
        """The exception of an error; after a fault the device is made ready for the next launch."""
        name = self._library.cudaGetErrorName(code).decode()
        text = self._library.cudaGetErrorString(code).decode()
        if code in FAULTS:
            self.function("__warploom_clear_fault")()
            return KernelFault(code, name, text)
        self.function("cudaGetLastError")()  # or a later caller would be told of it, too
        return CudaError(code, name, text)


@cache
def runtime() -> Runtime:
    """The runtime, built first where the package is a source tree that has none; a Diagnostic where that fails."""
    from warploom.runtime_library import LIBRARY, toolkit
    from warploom.toolchain import find_toolchain

    check_interpreter()
    return Runtime(toolkit(find_toolchain()) / "lib64" / LIBRARY)


@cache
def quick_call() -> Callable[..., int] | None:
    """`call` of calls.c; None where this Python cannot take it: then every launch takes the general way."""
    from warploom.runtime_library import calls_library

    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    try:
        make = ctypes.PyDLL(str(calls_library())).warploom_make_call
    except (OSError, AttributeError):
        return None
    make.restype = ctypes.py_object
    return make()


@dataclass(frozen=True)
class DeviceProperties:
    """What the device, the processors of this machine, is to a CUDA program."""

    name: str
    multiprocessor_count: int  # blocks that run at once
    max_threads_per_block: int
    warp_size: int
    max_shared_memory_per_block: int  # bytes, without asking
    max_shared_memory_per_block_optin: int  # bytes
    compute_capability: tuple[int, int]


def device_properties() -> DeviceProperties:
    """The properties of the device."""
    numbers = {name: _attribute(number) for name, number in _ATTRIBUTES.items()}
    major, minor = numbers.pop("major"), numbers.pop("minor")
    return DeviceProperties(name="Warploom CPU", compute_capability=(major, minor), **numbers)


_ATTRIBUTES = {
    "multiprocessor_count": 16,
    "max_threads_per_block": 1,
    "warp_size": 10,
    "max_shared_memory_per_block": 8,
    "max_shared_memory_per_block_optin": 97,
    "major": 75,
    "minor": 76,
}


def _attribute(number: int) -> int:
    value = c_int()
    runtime().call("cudaDeviceGetAttribute", ctypes.byref(value), number, 0)
    return value.value


def synchronize() -> None:
    """Wait until all that was launched has ended; KernelFault where a kernel faulted."""
    runtime().call("cudaDeviceSynchronize")
