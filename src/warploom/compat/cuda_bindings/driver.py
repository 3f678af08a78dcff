# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.bindings.driver: functions of the driver API."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from warploom.api.runtime import runtime
from warploom.compat.cuda_bindings._functions import Constants, Handle, address_of, errors, make, table_of

CUresult = errors("driver_error_codes.def", "WARPLOOM_DRIVER_ERROR", "CUDA_ERROR_", "CUDA_SUCCESS", "CUresult")
CUdevice_attribute = CUfunction_attribute = CUctx_flags = CUstream_flags = CUevent_flags = CUjit_option = Constants()
CUmemAttach_flags = CUpointer_attribute = CUlimit = CUfunc_cache = CUcomputemode = Constants()
CUdeviceptr = CUstream = CUevent = CUmodule = CUfunction = CUcontext = CUdevice = CUlibrary = CUkernel = Handle
_TABLE = """
cuInit u -
cuDriverGetVersion - i
cuDeviceGet i i
cuDeviceGetCount - i
cuDeviceTotalMem i z
cuDeviceGetAttribute ii i
cuDevicePrimaryCtxRetain i p
cuDevicePrimaryCtxRelease i -
cuCtxDestroy p -
cuCtxSetCurrent p -
cuCtxGetCurrent - p
cuCtxPushCurrent p -
cuCtxPopCurrent - p
cuCtxGetDevice - i
cuCtxSynchronize - -
cuModuleLoadData p p
cuModuleLoad s p
cuModuleUnload p -
cuModuleGetFunction ps p
cuModuleGetGlobal ps pz
cuLibraryLoadFromFile spppupp p
cuLibraryUnload p -
cuLibraryGetKernel ps p
cuKernelGetFunction p p
cuFuncGetAttribute ip i
cuFuncSetAttribute pii -
cuFuncSetCacheConfig pi -
cuMemAlloc z p
cuMemAllocManaged zu p
cuMemAllocHost z p
cuMemHostAlloc zu p
cuMemFree p -
cuMemFreeHost p -
cuMemAllocAsync zp p
cuMemFreeAsync pp -
cuMemGetInfo - zz
cuMemcpy ppz -
cuMemcpyHtoD ppz -
cuMemcpyDtoH ppz -
cuMemcpyDtoD ppz -
cuMemcpyAsync ppzp -
cuMemcpyHtoDAsync ppzp -
cuMemcpyDtoHAsync ppzp -
cuMemcpyDtoDAsync ppzp -
cuMemsetD8 piz -
cuMemsetD16 piz -
cuMemsetD32 puz -
cuMemsetD8Async pizp -
cuMemsetD32Async puzp -
cuStreamCreate u p
cuStreamCreateWithPriority ui p
cuStreamDestroy p -
cuStreamSynchronize p -
cuStreamQuery p -
cuStreamWaitEvent ppu -
cuEventCreate u p
cuEventDestroy p -
cuEventRecord pp -
cuEventSynchronize p -
cuEventQuery p -
cuEventElapsedTime pp f
cuOccupancyMaxActiveBlocksPerMultiprocessor piz i
"""
globals().update(table_of(_TABLE, CUresult))


def cuDeviceGetName(size: int, device: int) -> tuple[Any, bytes | None]:  # noqa: N802 - CUDA's names
    """The device's name, of at most `size` bytes."""
    text = ctypes.create_string_buffer(int(size))
    code = CUresult(runtime().function("cuDeviceGetName")(text, int(size), int(device)))
    return code, text.value if code == 0 else None


def cuGetErrorName(error: int) -> tuple[Any, bytes | None]:  # noqa: N802
    """The name of an error."""
    return _text("cuGetErrorName", error)


def cuGetErrorString(error: int) -> tuple[Any, bytes | None]:  # noqa: N802
    """What an error means."""
    return _text("cuGetErrorString", error)


def _text(symbol: str, error: int) -> tuple[Any, bytes | None]:
    found = ctypes.c_char_p()
    code = CUresult(runtime().function(symbol)(int(error), ctypes.byref(found)))
    return code, found.value


_create = make("cuDevicePrimaryCtxRetain", "i", "p", CUresult)


def cuCtxCreate(*given: Any) -> Any:  # noqa: N802
    """A context of a device, the last argument, in use from now on: there is one a device."""
    code, context = _create(given[-1])
    return (code, context) if code != 0 else (globals()["cuCtxSetCurrent"](context)[0], context)


def cuLaunchKernel(  # noqa: N802
    f: Any,
    gridDimX: int,  # noqa: N803
    gridDimY: int,  # noqa: N803
    gridDimZ: int,  # noqa: N803
    blockDimX: int,  # noqa: N803
    blockDimY: int,  # noqa: N803
    blockDimZ: int,  # noqa: N803
    sharedMemBytes: int,  # noqa: N803
    hStream: Any,  # noqa: N803
    kernelParams: Any,  # noqa: N803
    extra: Any = 0,
) -> tuple[Any]:
    """Launch. `kernelParams`: the address of addresses, or a tuple of values and one of their types of ctypes (None:
    what is an object of ctypes itself)."""
    kept, params = packed(kernelParams)
    extents = gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes
    numbers = [ctypes.c_uint(int(each)) for each in extents]
    stream, more = ctypes.c_void_p(address_of(hStream)), ctypes.c_void_p(address_of(extra))
    code = runtime().function("cuLaunchKernel")(
        ctypes.c_void_p(int(f)), *numbers, stream, ctypes.c_void_p(params), more
    )
    del kept
    return (CUresult(code),)


def packed(params: Any) -> tuple[object, int]:
    """What keeps the arguments of a launch, and the address of their addresses."""
    if not isinstance(params, tuple):
        return params, address_of(params)
    pair: tuple[Sequence[Any], Sequence[Any]] = params  # pyright: ignore[reportUnknownVariableType]
    values, kinds = pair
    slots = [value if kind is None else kind(_plain(value)) for value, kind in zip(values, kinds, strict=True)]
    addresses = (ctypes.c_void_p * max(len(slots), 1))(*map(ctypes.addressof, slots))
    return (slots, addresses), ctypes.addressof(addresses)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else int(value) if isinstance(value, Handle) else value
