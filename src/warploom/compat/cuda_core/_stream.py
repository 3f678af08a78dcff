# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and events of cuda.core."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from warploom.api import streams
from warploom.api.runtime import runtime
from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda.stream import stream_of
from warploom.core.records import dataclass


@dataclass
class StreamOptions:
    """Of create_stream."""

    nonblocking: bool = True
    priority: int | None = None


@dataclass
class EventOptions:
    """Of record and create_event."""

    enable_timing: bool = False
    busy_waited_sync: bool = False
    ipc_enabled: bool = False


class Event:
    """A moment in a stream; `later - earlier` are milliseconds."""

    def __init__(self, options: EventOptions | None = None) -> None:
        self._has_timing = bool(options and options.enable_timing)
        self.own = streams.Event(timing=self._has_timing)

    @property
    def handle(self) -> int:
        """cudaEvent_t."""
        return self.own.ptr

    @property
    def is_timing_disabled(self) -> bool:
        """Whether it has no time."""
        return not self._has_timing

    @property
    def is_done(self) -> bool:
        """Whether it has happened."""
        return self.own.done

    def sync(self) -> None:
        """Wait until it has happened."""
        self.own.synchronize()

    def close(self) -> None:
        """It is no longer used."""

    def __sub__(self, other: Event) -> float:
        if not (self._has_timing and other._has_timing):
            raise RuntimeError("Both Events must be created with timing enabled: EventOptions(enable_timing=True)")
        return self.own.seconds_since(other.own) * 1000


class Stream:
    """A stream. `own` is None for the default one."""

    def __init__(self, own: streams.Stream | None, is_nonblocking: bool = False) -> None:
        self.own, self.is_nonblocking, self.priority = own, is_nonblocking, 0

    @staticmethod
    def from_handle(handle: int) -> Stream:
        """A stream by its handle, somebody else's."""
        return Stream(stream_of(int(handle)))

    @property
    def handle(self) -> int:
        """cudaStream_t."""
        return self.own.ptr if self.own is not None else 0

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def note(self) -> None:
        """Something was launched in it, for which NumPy waits; what a graph captures was not."""
        if self.own is not None and not self._is_captured():
            pending.note(self.own)

    def _is_captured(self) -> bool:
        status = ctypes.c_int()
        function = runtime().function("cudaStreamIsCapturing")
        return function(ctypes.c_void_p(self.handle), ctypes.byref(status)) == 0 and status.value != 0

    def sync(self) -> None:
        """Wait until all that was launched has ended."""
        pending.settle()
        if self.own is not None:
            self.own.synchronize()
        else:
            runtime().call("cudaStreamSynchronize", None)

    def record(self, event: Event | None = None, options: EventOptions | None = None) -> Event:
        """An event that happens when all that was launched so far has ended."""
        made = event or Event(options)
        runtime().call("cudaEventRecord", made.own.ptr, self.handle)
        return made

    def wait(self, event_or_stream: Event | Stream) -> None:
        """What is launched from here on waits for an event, or for what another stream has so far."""
        event = event_or_stream if isinstance(event_or_stream, Event) else event_or_stream.record()
        runtime().call("cudaStreamWaitEvent", self.handle, event.own.ptr, 0)

    def close(self) -> None:
        """It is no longer used."""
        self.sync()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.handle == other.handle

    def __hash__(self) -> int:
        return hash(self.handle)


def stream_from(value: Any) -> Stream:
    """A stream, or what names one by `__cuda_stream__`."""
    if isinstance(value, Stream):
        return value
    if value is None:
        return Stream(None)
    if hasattr(value, "__cuda_stream__"):
        return Stream.from_handle(value.__cuda_stream__()[1])
    raise TypeError(f"a stream is wanted, not {type(value).__name__}")


_HOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_scheduled: dict[int, Any] = {}  # functions that streams will call


def host_launch(stream: Any, function: Callable[..., object], user_data: Any = None) -> None:
    """Have the host call a function when all has ended that was launched in a stream before; what is launched after
    waits for it. What it raises is printed. In a graph it is called at each launch."""
    chosen = stream_from(stream)
    is_captured = hasattr(stream, "kept")

    def called(_data: int | None) -> None:
        try:
            function() if user_data is None else function(user_data)  # ctypes gives sys.unraisablehook what it raises
        finally:
            if not is_captured:
                _scheduled.pop(id(place), None)

    place = _HOST(called)
    if is_captured:
        stream.kept.append(place)
    else:
        _scheduled[id(place)] = place
    runtime().call("cudaLaunchHostFunc", ctypes.c_void_p(chosen.handle), place, None)
    chosen.note()
