# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.bindings.runtime: functions of the runtime API."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from warploom.api.runtime import runtime
from warploom.compat.cuda_bindings._functions import Constants, Handle, errors, table_of

cudaError_t = errors("error_codes.def", "WARPLOOM_ERROR", "cudaError", "cudaSuccess", "cudaError_t")  # noqa: N816
cudaMemcpyKind = Constants(  # noqa: N816
    {f"cudaMemcpy{name}": number for number, name in enumerate(
        ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"))}
)  # fmt: skip
cudaDeviceAttr = cudaFuncAttribute = cudaLimit = Constants()  # noqa: N816
cudaStream_t = cudaEvent_t = Handle  # noqa: N816
cudaStreamDefault, cudaStreamNonBlocking = 0, 1  # noqa: N816
cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming = 0, 1, 2  # noqa: N816
cudaMemAttachGlobal, cudaMemAttachHost = 1, 2  # noqa: N816
_TABLE = """
cudaRuntimeGetVersion - i
cudaDriverGetVersion - i
cudaGetDevice - i
cudaSetDevice i -
cudaGetDeviceCount - i
cudaDeviceGetAttribute ii i
cudaDeviceSynchronize - -
cudaDeviceReset - -
cudaGetLastError - -
cudaPeekAtLastError - -
cudaMalloc z p
cudaMallocManaged zu p
cudaMallocHost z p
cudaHostAlloc zu p
cudaMallocAsync zp p
cudaFree p -
cudaFreeHost p -
cudaFreeAsync pp -
cudaMemGetInfo - zz
cudaMemcpy ppzi -
cudaMemcpyAsync ppzip -
cudaMemset piz -
cudaMemsetAsync pizp -
cudaStreamCreate - p
cudaStreamCreateWithFlags u p
cudaStreamDestroy p -
cudaStreamSynchronize p -
cudaStreamQuery p -
cudaStreamWaitEvent ppu -
cudaEventCreate - p
cudaEventCreateWithFlags u p
cudaEventDestroy p -
cudaEventRecord pp -
cudaEventSynchronize p -
cudaEventQuery p -
cudaEventElapsedTime pp f
"""
globals().update(table_of(_TABLE, cudaError_t))


def cudaGetErrorName(error: int) -> tuple[Any, bytes]:  # noqa: N802 - CUDA's names
    """The name of an error."""
    return cudaError_t(0), runtime().error(int(error)).name.encode()


def cudaGetErrorString(error: int) -> tuple[Any, bytes]:  # noqa: N802
    """What an error means."""
    return cudaError_t(0), str(runtime().error(int(error))).partition(": ")[2].encode()


def cudaGetDeviceProperties(device: int) -> tuple[Any, Any]:  # noqa: N802
    """What the device is."""
    from warploom.compat.cupy.cuda.runtime import getDeviceCount, getDeviceProperties

    if not 0 <= int(device) < getDeviceCount():
        return cudaError_t["cudaErrorInvalidDevice"], None
    return cudaError_t(0), SimpleNamespace(**getDeviceProperties(int(device)))
