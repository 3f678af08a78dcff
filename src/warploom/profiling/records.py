# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records that a profiled process leaves (runtime/profile.cpp has the format), with times in seconds."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path

from warploom.core.records import dataclass, field, replace
from warploom.diagnostics import Diagnostic

MAGIC = b"WLPROF1\n"
_RECORD = struct.Struct("=QQQII6Q")
_MASK = (1 << 32) - 1


class Kind(IntEnum):
    """What a record is about; as in runtime/profile.h."""

    API = 1
    LAUNCH = 2
    PART = 3
    COPY = 4
    FILL = 5
    RANGE = 6
    MARK = 7
    ARGUMENTS = 8


class _Piece(IntEnum):
    CLOCK = 1
    NAME = 2
    THREAD = 3
    RECORDS = 4
    PROCESS = 5


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that was launched."""

    name: str  # as its author wrote it, with parameters
    symbol: str
    engine: str
    work: str  # formulas of what a thread does (backend/work_text.py); empty: not known


@dataclass(slots=True)
class Event:
    """Something that took from `start` to `end`, seconds since the process began to record."""

    kind: Kind
    start: float
    end: float
    name: str
    thread: int
    stream: int
    data: tuple[int, ...]
    kernel: Kernel | None = None
    arguments: tuple[int, ...] = ()

    @property
    def seconds(self) -> float:
        return self.end - self.start

    @property
    def grid(self) -> tuple[int, int, int]:
        """Of a launch: blocks."""
        return self.data[1] & _MASK, self.data[1] >> 32, self.data[2] & _MASK

    @property
    def block(self) -> tuple[int, int, int]:
        """Of a launch: threads of a block."""
        return self.data[2] >> 32, self.data[3] & _MASK, self.data[3] >> 32

    @property
    def depth(self) -> int:
        """Of a launch: 0 where the host made it."""
        return self.data[4] & _MASK

    @property
    def is_alone(self) -> bool:
        """Of a launch: one thread has run all of it, and there is no record of its part."""
        return self.data[4] >> 32 != 0


@dataclass
class Process:
    """All that one process recorded, by time of its begin."""

    number: int
    program: str = ""
    processors: int = 0
    seconds: float = 0.0  # from the first moment to the last
    events: list[Event] = field(default_factory=list[Event])
    threads: dict[int, str] = field(default_factory=dict[int, str])
    began: int = 0  # nanoseconds of the clock CLOCK_MONOTONIC that count as 0

    def of(self, kind: Kind) -> list[Event]:
        """The events of one kind."""
        return [event for event in self.events if event.kind is kind]

    def between(self, first: int, last: int) -> Process:
        """What began and ended between two moments, in nanoseconds of that clock; the first one counts as 0."""
        shift, seconds = (first - self.began) * 1e-9, (last - first) * 1e-9
        moved = (replace(each, start=each.start - shift, end=each.end - shift) for each in self.events)
        events = [each for each in moved if each.start >= 0 and each.end <= seconds]
        return replace(self, began=first, seconds=seconds, events=events)


def read_folder(folder: Path) -> list[Process]:
    """Every process that recorded something in `folder`, the earliest first."""
    return [read_process(path) for path in sorted(folder.glob("*.profile"), key=lambda path: path.stat().st_ctime_ns)]


def read_process(path: Path) -> Process:
    """The records of one file; a Diagnostic when it is none. One that was cut off counts as far as it goes."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise Diagnostic(f"{path} holds no records of a profile")
    pieces = list(_pieces(data))
    clocks = [struct.unpack("=QQ", body) for kind, body in pieces if kind == _Piece.CLOCK]
    found = Process(int(path.stem) if path.stem.isdigit() else 0)
    names, kernels = dict[int, str](), dict[int, Kernel]()
    raw = list[tuple[int, bytes]]()
    for kind, body in pieces:
        if kind == _Piece.NAME:
            _add_name(body, names, kernels)
        elif kind == _Piece.THREAD:
            found.threads[struct.unpack_from("=I", body)[0]] = body[4:].decode(errors="replace")
        elif kind == _Piece.PROCESS:
            processors, _, program = body.decode(errors="replace").partition("\t")
            found.processors, found.program = int(processors), program
        elif kind == _Piece.RECORDS:
            raw.append((struct.unpack_from("=I", body)[0], body[8:]))
    scale, origin = _scale(clocks, raw)
    found.began = clocks[0][1] if clocks else 0
    for thread, body in raw:
        for record in _RECORD.iter_unpack(body[: len(body) // _RECORD.size * _RECORD.size]):
            _add_event(found, thread, record, (scale, origin), names, kernels)
    found.events.sort(key=lambda event: event.start)
    last = max((event.end for event in found.events), default=0.0)
    found.seconds = max(last, (clocks[-1][0] - origin) * scale)
    return found


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = len(MAGIC)
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("=II", data, at)
        if at + 8 + size > len(data):
            return
        yield kind, data[at + 8 : at + 8 + size]
        at += 8 + size


def _scale(clocks: list[tuple[int, int]], raw: list[tuple[int, bytes]]) -> tuple[float, int]:
    """Seconds of a tick, and the tick that counts as 0. Of a process that was killed only one moment is known."""
    (first, began), (last, ended) = clocks[0], clocks[-1]
    if last > first:
        return (ended - began) / (last - first) * 1e-9, first
    # Counters of today's processors count at about their base frequency.
    return 1e-9 if not raw or began == first else 1 / 2.5e9, first


def _add_name(body: bytes, names: dict[int, str], kernels: dict[int, Kernel]) -> None:
    address, text = struct.unpack_from("=Q", body)[0], body[8:].decode(errors="replace")
    parts = text.split("\t")
    if len(parts) == 4:
        kernels[address] = Kernel(*parts)
        text = parts[0]
    names[address] = text


def _add_event(
    found: Process,
    thread: int,
    record: tuple[int, ...],
    clock: tuple[float, int],
    names: dict[int, str],
    kernels: dict[int, Kernel],
) -> None:
    start, end, what, kind, stream, *data = record
    if kind == Kind.ARGUMENTS:
        if found.events and found.events[-1].kind is Kind.LAUNCH:
            found.events[-1].arguments = tuple(data)
        return
    scale, origin = clock

    def times(first: int, last: int) -> tuple[float, float]:
        return (first - origin) * scale, (last - origin) * scale

    name, kernel = names.get(what, ""), kernels.get(what)
    event = Event(Kind(kind), *times(start, end), name, thread, stream, tuple(data), kernel)
    if event.kind is Kind.LAUNCH and data[5]:
        call = times(start - (data[5] & _MASK), end + (data[5] >> 32))
        found.events.append(Event(Kind.API, *call, "cudaLaunchKernel", thread, 0, (0,) * 6))
    if event.kind is Kind.LAUNCH and event.is_alone:
        blocks = event.grid[0] * event.grid[1] * event.grid[2]
        found.events.append(Event(Kind.PART, event.start, event.end, name, thread, 0, (data[0], blocks), kernel))
    found.events.append(event)
