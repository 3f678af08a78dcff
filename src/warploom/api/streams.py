# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and events: launches that go on while Python does something else."""

from __future__ import annotations

import ctypes
import threading
from types import TracebackType
from typing import Any

from warploom.api.runtime import NOT_READY, SUCCESS, runtime

_NON_BLOCKING, _NO_TIMING = 1, 2


class _Current(threading.local):
    def __init__(self) -> None:
        self.streams: list[Stream] = []


_current = _Current()


def current_stream() -> Stream | None:
    """The stream of the innermost `with stream:` of this thread; None: launches are waited for."""
    return _current.streams[-1] if _current.streams else None


class Stream:
    """Launches that run in their order, beside what Python and other streams do.

        with warploom.Stream() as stream:
            scale(grid, block, (x, 2.0))  # returns at once
            shift(grid, block, (x, 1.0))
        # here both have ended

    Arrays that a launch was given are kept alive until the stream is synchronised; what they hold is the kernel's until
    then. Leaving the `with` block waits for the stream, and raises what went wrong in it.
    """

    def __init__(self, *, non_blocking: bool = False) -> None:
        """`non_blocking`: launches without a stream do not wait for it, and it does not wait for them."""
        made = ctypes.c_void_p()
        self.ptr = 0
        runtime().call("cudaStreamCreateWithFlags", ctypes.byref(made), _NON_BLOCKING if non_blocking else 0)
        self.ptr: int = made.value or 0
        self._kept: list[Any] = []

    def keep(self, *objects: Any) -> None:
        """Keep `objects` alive until the next `synchronize`."""
        self._kept.append(objects)

    def synchronize(self) -> None:
        """Wait until all that was launched has ended; KernelFault where a kernel faulted."""
        kept, self._kept = self._kept, []
        try:
            runtime().call("cudaStreamSynchronize", self.ptr)
        finally:
            kept.clear()

    @property
    def done(self) -> bool:
        """Whether all that was launched has ended."""
        return _has_ended(runtime().function("cudaStreamQuery")(self.ptr))

    def record(self, event: Event | None = None) -> Event:
        """An event that happens when all that was launched so far has ended."""
        event = event or Event()
        runtime().call("cudaEventRecord", event.ptr, self.ptr)
        return event

    def wait_event(self, event: Event) -> None:
        """What is launched from here on waits for an event of another stream."""
        runtime().call("cudaStreamWaitEvent", self.ptr, event.ptr, 0)

    def __enter__(self) -> Stream:
        _current.streams.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.streams.remove(self)
        self.synchronize()

    def __del__(self) -> None:
        if self.ptr:
            run = runtime()
            run.function("cudaStreamSynchronize")(self.ptr)  # the arrays of its launches go with it
            run.function("cudaStreamDestroy")(self.ptr)


class Event:
    """A moment in a stream: `stream.record()` sets it, `seconds_since` tells the time between two."""

    def __init__(self, *, timing: bool = True) -> None:
        made = ctypes.c_void_p()
        self.ptr = 0
        runtime().call("cudaEventCreateWithFlags", ctypes.byref(made), 0 if timing else _NO_TIMING)
        self.ptr: int = made.value or 0

    def record(self, stream: Stream | None = None) -> None:
        """Happen when all that was launched in `stream`, by default the one of the `with` block, has ended."""
        chosen = stream or current_stream()
        runtime().call("cudaEventRecord", self.ptr, chosen.ptr if chosen else None)

    def synchronize(self) -> None:
        """Wait until it has happened."""
        runtime().call("cudaEventSynchronize", self.ptr)

    @property
    def done(self) -> bool:
        """Whether it has happened."""
        return _has_ended(runtime().function("cudaEventQuery")(self.ptr))

    def seconds_since(self, earlier: Event) -> float:
        """The time between two events that have happened, in seconds."""
        milliseconds = ctypes.c_float()
        runtime().call("cudaEventElapsedTime", ctypes.byref(milliseconds), earlier.ptr, self.ptr)
        return milliseconds.value / 1000

    def __enter__(self) -> Event:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.record()
        self.synchronize()

    def __del__(self) -> None:
        if self.ptr:
            runtime().function("cudaEventDestroy")(self.ptr)


def _has_ended(code: int) -> bool:
    if code not in (SUCCESS, NOT_READY):
        raise runtime().error(code)
    return code == SUCCESS
