# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base classes of torch.cuda.Stream and torch.cuda.Event: PyTorch's general ones, with CUDA's names."""

from __future__ import annotations

import ctypes
from typing import Any

from warploom.torch.calls import Calls

CUDA = 1  # PyTorch's number for the device type


def stream_base(c_module: Any, calls: Calls) -> type:
    """torch._C._CudaStreamBase."""

    base: Any = c_module.Stream

    class _CudaStreamBase(base):
        def __new__(
            cls,
            priority: int = 0,
            stream_id: int = 0,
            device_index: int = 0,
            device_type: int = 0,
            stream_ptr: int = 0,
        ) -> Any:
            if not device_type:
                device_index, device_type = calls.current_device(), CUDA
                stream_id = stream_ptr or calls.number("new_stream", priority)
            return base.__new__(cls, stream_id=stream_id, device_index=device_index, device_type=device_type)

        @property
        def cuda_stream(self) -> int:
            """The stream's handle in the runtime."""
            return calls.number("stream_handle", self.stream_id, self.device_index)

        @property
        def priority(self) -> int:
            """0, or below for a higher one."""
            return calls.number("stream_priority", self.stream_id, self.device_index)

        @staticmethod
        def priority_range() -> tuple[int, int]:
            """The lowest and the highest."""
            return 0, -3

    return _CudaStreamBase


def event_base(c_module: Any, calls: Calls) -> type:
    """torch._C._CudaEventBase."""

    base: Any = c_module.Event

    class _CudaEventBase(base):
        def __new__(
            cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
        ) -> Any:
            if external or interprocess:
                what = "external" if external else "interprocess"
                raise NotImplementedError(f"Warploom has no events with {what}=True")
            return base.__new__(cls, device="cuda", enable_timing=enable_timing, blocking=blocking)

        @property
        def cuda_event(self) -> int:
            """The event's handle in the runtime; 0 before it was recorded."""
            return self.event_id or 0

        def elapsed_time(self, other: Any) -> float:
            """Milliseconds from this one to the other; PyTorch's general function refuses events of a subclass."""
            if not isinstance(other, c_module.Event):
                raise TypeError(f"expected a torch.cuda.Event, got {type(other).__name__}")
            found = ctypes.c_double()
            events = (ctypes.c_void_p(self.event_id or 0), ctypes.c_void_p(other.event_id or 0))
            calls.elapsed(*events, ctypes.byref(found))
            return found.value

    return _CudaEventBase
