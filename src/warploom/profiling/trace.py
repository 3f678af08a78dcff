# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile as a trace: streams, workers and host threads as tracks, in the JSON that Perfetto and Chrome read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from warploom.profiling.records import Event, Kind, Process
from warploom.profiling.summary import DIRECTIONS

# What stands for a process there: three groups of tracks for each of ours.
GROUPS = ("streams", "host threads", "workers")
TRACK_OF = {
    Kind.LAUNCH: "streams",
    Kind.COPY: "streams",
    Kind.FILL: "streams",
    Kind.API: "host threads",
    Kind.RANGE: "host threads",
    Kind.MARK: "host threads",
    Kind.PART: "workers",
}


def label(event: Event) -> str:
    """What an event is called."""
    if event.kind is Kind.COPY:
        return f"copy {DIRECTIONS[event.data[1] & 3]}"
    return "memset" if event.kind is Kind.FILL else event.name


def details(event: Event) -> dict[str, Any]:
    """What is known of an event beside its name and time."""
    if event.kind is Kind.LAUNCH:
        return {"grid": list(event.grid), "block": list(event.block), "engine": event.kernel and event.kernel.engine}
    if event.kind in (Kind.COPY, Kind.FILL):
        return {"bytes": event.data[0]}
    return {"blocks": event.data[1]} if event.kind is Kind.PART else {}


def track(event: Event) -> tuple[str, int]:
    """The group and the number of an event's track."""
    group = TRACK_OF[event.kind]
    return group, event.stream if group == "streams" else event.thread


def track_name(process: Process, group: str, number: int) -> str:
    """What a track is called."""
    if group == "streams":
        return f"stream {number}" if number else "stream 0 (default)"
    name = process.threads.get(number, "")
    return f"{name} {number}" if name else f"thread {number}"


def chrome_trace(processes: Sequence[Process]) -> dict[str, Any]:
    """The whole trace; times are microseconds."""
    return {"displayTimeUnit": "ns", "traceEvents": [each for index, process in enumerate(processes)
                                                     for each in _events(process, index)]}  # fmt: skip


def _events(process: Process, index: int) -> Iterator[dict[str, Any]]:
    pids = {group: index * len(GROUPS) + place + 1 for place, group in enumerate(GROUPS)}
    for group, pid in pids.items():
        name = f"{group} of process {process.number}" if index else group
        yield {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}
        yield {"ph": "M", "pid": pid, "name": "process_sort_index", "args": {"sort_index": pid}}
    named = set[tuple[str, int]]()
    for event in process.events:
        group, number = track(event)
        if (group, number) not in named:
            named.add((group, number))
            name = {"name": track_name(process, group, number)}
            yield {"ph": "M", "pid": pids[group], "tid": number, "name": "thread_name", "args": name}
        place = {"pid": pids[group], "tid": number, "name": label(event), "cat": event.kind.name.lower()}
        if event.kind is Kind.MARK:
            yield {"ph": "i", "s": "t", "ts": event.start * 1e6, **place}
        else:
            yield {"ph": "X", "ts": event.start * 1e6, "dur": event.seconds * 1e6, "args": details(event), **place}
