# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch._C._nvtx: ranges and marks of NVTX, which `warploom profile` shows."""

from __future__ import annotations

import ctypes
from types import ModuleType

from warploom.torch.calls import Calls


def nvtx_module(calls: Calls) -> ModuleType:
    """The module; texts are str, a stream is its handle in the runtime."""
    runtime = calls.library  # which is linked with it
    runtime.nvtxRangeStartA.restype = ctypes.c_uint64
    module = ModuleType("torch._C._nvtx")

    def push(text: str) -> int:
        return runtime.nvtxRangePushA(text.encode())

    def pop() -> int:
        return runtime.nvtxRangePop()

    def start(text: str) -> int:
        return runtime.nvtxRangeStartA(text.encode())

    def end(number: int) -> None:
        runtime.nvtxRangeEnd(ctypes.c_uint64(number))

    def mark(text: str) -> None:
        runtime.nvtxMarkA(text.encode())

    def start_on_device(text: str, stream: int) -> int:
        return calls.number("begin_device_range", text.encode(), stream)

    def end_on_device(handle: int, stream: int) -> None:
        calls.end_device_range(handle, stream)

    vars(module).update(
        rangePushA=push,
        rangePop=pop,
        rangeStartA=start,
        rangeEnd=end,
        markA=mark,
        deviceRangeStart=start_on_device,
        deviceRangeEnd=end_on_device,
    )
    return module
