# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch._C._cudart: the functions of the CUDA runtime that `torch.cuda.cudart()` hands out."""

from __future__ import annotations

import ctypes
from types import ModuleType

from warploom.torch.calls import Calls


class CudaError(int):
    """cudaError_t: the number of an error."""

    success = 0


def cudart_module(calls: Calls) -> ModuleType:
    """The module."""
    runtime = calls.library  # which is linked with it
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    module = ModuleType("torch._C._cudart")

    def error_string(error: int) -> str:
        return runtime.cudaGetErrorString(int(error)).decode()

    def memory_info(device: int) -> tuple[int, int]:
        free, total = ctypes.c_int64(), ctypes.c_int64()
        calls.memory_info(device, ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def host_register(pointer: int, size: int, flags: int) -> int:
        return runtime.cudaHostRegister(ctypes.c_void_p(pointer), ctypes.c_size_t(size), ctypes.c_uint(flags))

    def host_unregister(pointer: int) -> int:
        return runtime.cudaHostUnregister(ctypes.c_void_p(pointer))

    def stream_create(pointer: int) -> int:
        return runtime.cudaStreamCreate(ctypes.c_void_p(pointer))

    def stream_destroy(stream: int) -> int:
        return runtime.cudaStreamDestroy(ctypes.c_void_p(stream))

    vars(module).update(
        cudaError=CudaError,
        cudaGetErrorString=error_string,
        cudaMemGetInfo=memory_info,
        cudaHostRegister=host_register,
        cudaHostUnregister=host_unregister,
        cudaStreamCreate=stream_create,
        cudaStreamDestroy=stream_destroy,
        cudaProfilerStart=lambda: runtime.cudaProfilerStart(),
        cudaProfilerStop=lambda: runtime.cudaProfilerStop(),
    )
    return module
