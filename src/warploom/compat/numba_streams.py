# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams and events with the functions that numba.cuda's have."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from warploom.api import streams


class Stream(streams.Stream):
    """A stream of numba's: a context that waits is `auto_synchronize()`."""

    @contextmanager
    def auto_synchronize(self) -> Generator[Stream]:
        """The stream; all that was launched in it has ended behind the block."""
        try:
            yield self
        finally:
            self.synchronize()

    @property
    def handle(self) -> int:
        """The stream as the runtime's functions take it."""
        return self.ptr


class Event(streams.Event):
    """An event of numba's, recorded in a stream."""

    def record(self, stream: streams.Stream | None = None) -> None:
        """It happens when all that was launched in the stream so far has ended."""
        super().record(stream)

    def query(self) -> bool:
        """Whether it has happened."""
        return self.done

    def wait(self, stream: streams.Stream | None = None) -> None:
        """What is launched in the stream from here on waits for it."""
        (stream or _DefaultStream()).wait_event(self)

    def elapsed_time(self, evtend: streams.Event) -> float:
        """The time up to another event in milliseconds."""
        return evtend.seconds_since(self) * 1000


class _DefaultStream(streams.Stream):
    """The stream of launches that name none."""

    def __init__(self) -> None:  # pyright: ignore[reportMissingSuperCall]
        self.ptr = 0
        self._kept = []
