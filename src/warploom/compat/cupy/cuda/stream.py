# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and events of CuPy's kind."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import TracebackType
from typing import Any

from warploom.api import streams
from warploom.api.runtime import runtime
from warploom.compat.cupy import pending

_stack: list[Any] = []


class Stream:
    """A stream: `with stream:` sends there what is launched. `null=True`: the default stream."""

    null: Stream
    ptds: Stream

    def __init__(
        self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: int | None = None
    ) -> None:
        del priority  # all are alike
        self._own = None if null or ptds else streams.Stream(non_blocking=non_blocking)
        self.is_non_blocking = non_blocking

    @property
    def ptr(self) -> int:
        """Its handle: cudaStream_t."""
        return self._own.ptr if self._own is not None else 0

    @property
    def done(self) -> bool:
        """Whether all that was launched has ended."""
        return True if self._own is None else self._own.done

    def synchronize(self) -> None:
        """Wait until all that was launched has ended."""
        pending.settle()
        if self._own is not None:
            self._own.synchronize()

    def record(self, event: Event | None = None) -> Event:
        """An event that happens when all that was launched so far has ended."""
        made = event or Event()
        made.record(self)
        return made

    def wait_event(self, event: Event) -> None:
        """What is launched from here on waits for an event of another stream."""
        if self._own is not None:
            self._own.wait_event(event.own)
        else:
            event.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], Any], arg: Any) -> None:
        """Call `callback(stream, error, arg)` when all that was launched so far has ended."""
        self.synchronize()
        callback(self, 0, arg)

    def launch_host_func(self, callback: Callable[[Any], Any], arg: Any) -> None:
        """Call `callback(arg)` when all that was launched so far has ended."""
        self.synchronize()
        callback(arg)

    def use(self) -> Stream:
        """Launches go here from now on."""
        leave = [each for each in _stack if each.is_used_forever]
        for each in leave:
            _stack.remove(each)
        _stack.insert(0, _Entry(self, True))
        return self

    def __enter__(self) -> Stream:
        _stack.append(_Entry(self, False))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _stack.pop()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.ptr == other.ptr

    def __hash__(self) -> int:
        return hash(self.ptr)

    def __repr__(self) -> str:
        return f"<Stream {self.ptr}>"


class _Entry:
    def __init__(self, stream: Stream, is_used_forever: bool) -> None:
        self.stream, self.is_used_forever = stream, is_used_forever


class Event:
    """A moment in a stream."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        del block, interprocess
        self.own = streams.Event(timing=not disable_timing)

    @property
    def ptr(self) -> int:
        """Its handle: cudaEvent_t."""
        return self.own.ptr

    @property
    def done(self) -> bool:
        """Whether it has happened."""
        return self.own.done

    def record(self, stream: Stream | None = None) -> None:
        """Happen when all that was launched so far has ended."""
        runtime().call("cudaEventRecord", self.own.ptr, (stream or get_current_stream()).ptr)

    def synchronize(self) -> None:
        """Wait until it has happened."""
        self.own.synchronize()


class ExternalStream(Stream):
    """A stream by its handle, somebody else's."""

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        del device_id
        super().__init__(null=True)
        if ptr:
            self._own = _Borrowed(ptr)


class _Borrowed(streams.Stream):
    def __init__(self, ptr: int) -> None:  # pyright: ignore[reportMissingSuperCall]
        self.ptr = ptr
        self._kept: list[Any] = []

    def __del__(self) -> None:
        self.ptr = 0


Stream.null = Stream(null=True)
Stream.ptds = Stream(null=True)


def get_current_stream(device_id: int = -1) -> Stream:
    """Where launches go."""
    del device_id
    return _stack[-1].stream if _stack else Stream.null


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """The milliseconds between two events."""
    milliseconds = ctypes.c_float()
    runtime().call("cudaEventElapsedTime", ctypes.byref(milliseconds), start_event.ptr, end_event.ptr)
    return milliseconds.value


def stream_of(stream: Any) -> streams.Stream | None:
    """The stream of a launch; None: the default one, which is waited for."""
    chosen = stream if stream is not None else get_current_stream()
    if isinstance(chosen, int):
        return _Borrowed(chosen) if chosen else None
    return chosen._own if isinstance(chosen, Stream) else chosen  # pyright: ignore[reportPrivateUsage]
