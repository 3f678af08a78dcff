# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of a profile: kernels, calls of the API, copies, ranges, and what lies between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from warploom.analysis.expressions import evaluate
from warploom.backend.work_text import WorkText, read_work
from warploom.core.records import dataclass, field
from warploom.profiling.records import Event, Kind, Process

# What a copy goes from and to: the numbers of runtime/api/copy.cpp.
DIRECTIONS = ("device to device", "host to device", "device to host", "host to host")


@dataclass
class Times:
    """How long something took, in seconds."""

    name: str
    calls: int = 0
    total: float = 0.0
    least: float = float("inf")
    most: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.calls if self.calls else 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.calls += 1
        self.total += seconds
        self.least, self.most = min(self.least, seconds), max(self.most, seconds)


@dataclass
class KernelTimes(Times):
    """Those of a kernel. Rates are None where the compiler cannot count; `at_most`: they may be less."""

    engine: str = ""
    symbol: str = ""
    threads: float = 0.0  # OS threads of a launch, on average
    busy: float = 0.0  # of these threads' time, the part in which they ran blocks
    flops: float | None = 0.0  # of all calls
    bytes: float | None = 0.0
    at_most: bool = False

    @property
    def flop_rate(self) -> float | None:
        """Operations a second."""
        return self.flops / self.total if self.flops is not None and self.total else None

    @property
    def byte_rate(self) -> float | None:
        """Bytes loaded and stored a second."""
        return self.bytes / self.total if self.bytes is not None and self.total else None


@dataclass
class CopyTimes(Times):
    """Those of copies in one direction, or of fills."""

    bytes: int = 0


@dataclass
class Gaps:
    """When nothing ran: between the first kernel or copy and the last."""

    busy: float = 0.0
    span: float = 0.0
    count: int = 0
    longest: float = 0.0
    longest_at: float = 0.0


@dataclass
class Summary:
    """Everything that the tables show of one process."""

    process: Process
    kernels: list[KernelTimes] = field(default_factory=list[KernelTimes])
    calls: list[Times] = field(default_factory=list[Times])
    copies: list[CopyTimes] = field(default_factory=list[CopyTimes])
    ranges: list[Times] = field(default_factory=list[Times])
    gaps: Gaps = field(default_factory=Gaps)

    @property
    def kernel_seconds(self) -> float:
        """Of all launches of the host, added up."""
        return sum(each.total for each in self.kernels)


def summarise(process: Process) -> Summary:
    """The tables of a process, what took longest first."""
    found = Summary(process)
    found.kernels = _kernels(process)
    found.calls = _by_name(process.of(Kind.API))
    found.ranges = _by_name(process.of(Kind.RANGE))
    found.copies = _copies(process)
    found.gaps = gaps([each for each in process.events if each.kind in (Kind.LAUNCH, Kind.COPY, Kind.FILL)])
    return found


def _by_name(events: Iterable[Event]) -> list[Times]:
    found = dict[str, Times]()
    for event in events:
        found.setdefault(event.name, Times(event.name)).add(event.seconds)
    return sorted(found.values(), key=lambda each: -each.total)


def _copies(process: Process) -> list[CopyTimes]:
    found = dict[str, CopyTimes]()
    for event in process.events:
        if event.kind not in (Kind.COPY, Kind.FILL):
            continue
        name = DIRECTIONS[event.data[1] & 3] if event.kind is Kind.COPY else "memset"
        times = found.setdefault(name, CopyTimes(name))
        times.add(event.seconds)
        times.bytes += event.data[0]
    return sorted(found.values(), key=lambda each: -each.total)


def _kernels(process: Process) -> list[KernelTimes]:
    parts = parts_of(process)
    found = dict[str, KernelTimes]()
    busy = defaultdict[str, float](float)
    available = defaultdict[str, float](float)
    for launch in process.of(Kind.LAUNCH):
        kernel = launch.kernel
        if kernel is None or launch.depth != 0:  # what a grid launches is part of it
            continue
        times = found.setdefault(kernel.symbol, KernelTimes(kernel.name, engine=kernel.engine, symbol=kernel.symbol))
        times.add(launch.seconds)
        own = parts.get(launch.data[0], [])
        threads = max(len({part.thread for part in own}), 1)
        times.threads += threads
        busy[kernel.symbol] += sum(part.seconds for part in own)
        available[kernel.symbol] += threads * launch.seconds
        _add_work(times, launch, read_work(kernel.work))
    for times in found.values():
        times.threads /= times.calls
        times.busy = min(busy[times.symbol] / available[times.symbol], 1.0) if available[times.symbol] else 0.0
    return sorted(found.values(), key=lambda each: -each.total)


def parts_of(process: Process) -> dict[int, list[Event]]:
    """The parts of each launch, by the number of its first loop over blocks."""
    firsts = sorted(launch.data[0] for launch in process.of(Kind.LAUNCH) if launch.data[0])
    found = defaultdict[int, list[Event]](list)
    at = 0
    for part in sorted(process.of(Kind.PART), key=lambda part: part.data[0]):
        while at + 1 < len(firsts) and firsts[at + 1] <= part.data[0]:
            at += 1
        if firsts and firsts[at] <= part.data[0]:
            found[firsts[at]].append(part)
    return found


def _add_work(times: KernelTimes, launch: Event, text: WorkText | None) -> None:
    work = text.of(launch.block) if text is not None else None
    if text is None or work is None:
        times.flops = times.bytes = None
        return
    values = {f"{letter}{axis}": float(each) for letter, sizes in (("g", launch.grid), ("b", launch.block))
              for axis, each in enumerate(sizes)}  # fmt: skip
    for number, value in zip(text.arguments, launch.arguments, strict=False):
        for size in (1, 2, 4, 8):
            values[f"s{size}_{number}"] = float(_signed(value, size))
    threads = float(launch.grid[0] * launch.grid[1] * launch.grid[2])
    threads *= launch.block[0] * launch.block[1] * launch.block[2]
    times.at_most |= work.at_most
    try:
        if times.flops is not None:
            times.flops += threads * evaluate(work.flops, values)
        if times.bytes is not None:
            times.bytes += threads * evaluate(work.bytes, values)
    except ValueError:  # the arguments were not kept
        times.flops = times.bytes = None


def _signed(value: int, size: int) -> int:
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if value >> (8 * size - 1) else value


def gaps(events: Sequence[Event]) -> Gaps:
    """The time in which none of `events` (in order of their begin) ran."""
    found = Gaps()
    if not events:
        return found
    end = events[0].start
    for event in events:
        gap = event.start - end
        if gap > 0:
            found.count += 1
            if gap > found.longest:
                found.longest, found.longest_at = gap, end
        found.busy += max(event.end - max(event.start, end), 0.0)
        end = max(end, event.end)
    found.span = end - events[0].start
    return found
