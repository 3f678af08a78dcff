# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile as text, as rows for machines, and as one page for a browser."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warploom.core.records import dataclass
from warploom.profiling.records import Event
from warploom.profiling.summary import KernelTimes, Summary, Times
from warploom.profiling.trace import GROUPS, details, label, track, track_name

MOST_CALLS = 12  # of the API, in the text
MOST_EVENTS = 200_000  # of a page
TEMPLATE = Path(__file__).with_name("page.html")


@dataclass(frozen=True)
class Roof:
    """What the machine can do: operations and bytes of memory a second."""

    flops: float
    bytes: float


def seconds_text(seconds: float) -> str:
    """A time with three digits and its unit."""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 999.5 else f"{seconds * factor:.0f} {unit}"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:.0f} s"


def rate_text(rate: float | None, roof: float | None, *, at_most: bool) -> str:
    """A rate in units of 1e9 a second, and the part of the roof that it is."""
    if rate is None:
        return "unknown"
    part = f" ({rate / roof:.0%})" if roof else ""
    return f"{'<= ' if at_most and rate else ''}{rate / 1e9:.3g}{part}"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: all columns but the last one to the right."""
    widths = [max(len(row[i]) for row in (headings, *rows)) for i in range(len(headings))]
    return ["  ".join([*(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]).rstrip()
            for row in (headings, *rows)]  # fmt: skip


def text(summary: Summary, roof: Roof | None) -> str:
    """The tables of one process."""
    process, gaps = summary.process, summary.gaps
    lines = [f"profile of {Path(process.program).name} (process {process.number}): {seconds_text(process.seconds)}, "
             f"{process.processors} processors"]  # fmt: skip
    if gaps.span:
        longest = f", the longest {seconds_text(gaps.longest)} at {seconds_text(gaps.longest_at)}" if gaps.count else ""
        part = f"{gaps.busy / gaps.span:.1%} of {seconds_text(gaps.span)}"
        lines.append(f"kernels and copies: busy {part}; {gaps.count} gaps{longest}")
    if roof is not None:
        rates = f"{roof.flops / 1e9:.0f} GFLOP/s (float, multiply-add), {roof.bytes / 1e9:.1f} GB/s from memory"
        lines.append(f"this machine: {rates}")
    if summary.kernels:
        headings = ("share", "total", "calls", "mean", "min", "max", "threads", "busy", "GFLOP/s", "GB/s", "kernel")
        lines += ["", *table(headings, [_kernel_row(each, summary, roof) for each in summary.kernels])]
    if summary.copies:
        rows = [
            (*_times(each), f"{each.bytes / max(each.total, 1e-12) / 1e9:.3g}", each.name) for each in summary.copies
        ]
        lines += ["", *table(("total", "calls", "mean", "min", "max", "GB/s", "copies"), rows)]
    if summary.ranges:
        rows = [(*_times(each), each.name) for each in summary.ranges]
        lines += ["", *table(("total", "calls", "mean", "min", "max", "range"), rows)]
    if summary.calls:
        rows = [(*_times(each), each.name) for each in summary.calls[:MOST_CALLS]]
        lines += ["", *table(("total", "calls", "mean", "min", "max", "call"), rows)]
        if len(summary.calls) > MOST_CALLS:
            lines.append(f"and {len(summary.calls) - MOST_CALLS} more")
    if summary.kernels:
        commands = dict.fromkeys(map(explain_command, summary.kernels))
        lines += ["", "what the compiler did with a kernel:", *(f"  {command}" for command in commands)]
    return "\n".join(lines)


def explain_command(kernel: Times) -> str:
    """What shows why the kernel is compiled as it is."""
    return f"warploom explain FILE.cu --kernel {plain_name(kernel.name)}"


def plain_name(name: str) -> str:
    """A kernel's name without parameters and template arguments."""
    return name.partition("(")[0].partition("<")[0].split()[-1].rpartition("::")[2]


def _times(each: Times) -> tuple[str, ...]:
    return (seconds_text(each.total), str(each.calls), *map(seconds_text, (each.mean, each.least, each.most)))


def _kernel_row(each: KernelTimes, summary: Summary, roof: Roof | None) -> tuple[str, ...]:
    engine = "" if each.engine == "loom" else f" [{each.engine}]"
    return (
        f"{each.total / max(summary.kernel_seconds, 1e-12):.1%}",
        *_times(each),
        f"{each.threads:.1f}".removesuffix(".0"),
        f"{each.busy:.0%}",
        rate_text(each.flop_rate, roof and roof.flops, at_most=each.at_most),
        rate_text(each.byte_rate, roof and roof.bytes, at_most=each.at_most),
        each.name + engine,
    )


# -- for machines -----------------------------------------------------------------------------------------------------


def _times_json(each: Times) -> dict[str, Any]:
    return {"name": each.name, "calls": each.calls, "total_s": each.total, "mean_s": each.mean,
            "min_s": each.least, "max_s": each.most}  # fmt: skip


def _kernel_json(each: KernelTimes, summary: Summary) -> dict[str, Any]:
    return {
        **_times_json(each),
        "symbol": each.symbol,
        "explain": explain_command(each),
        "engine": each.engine,
        "share": each.total / max(summary.kernel_seconds, 1e-12),
        "threads": each.threads,
        "busy": each.busy,
        "flops": each.flops,
        "bytes": each.bytes,
        "at_most": each.at_most,
        "gflop_s": None if each.flop_rate is None else each.flop_rate / 1e9,
        "gb_s": None if each.byte_rate is None else each.byte_rate / 1e9,
    }


def as_json(summary: Summary, roof: Roof | None) -> dict[str, Any]:
    """One process for machines; times in seconds."""
    return {
        "program": summary.process.program,
        "process": summary.process.number,
        "seconds": summary.process.seconds,
        "processors": summary.process.processors,
        "roof": None if roof is None else {"gflop_s": roof.flops / 1e9, "gb_s": roof.bytes / 1e9},
        "kernels": [_kernel_json(each, summary) for each in summary.kernels],
        "copies": [{**_times_json(each), "bytes": each.bytes} for each in summary.copies],
        "ranges": [_times_json(each) for each in summary.ranges],
        "calls": [_times_json(each) for each in summary.calls],
        "gaps": vars(summary.gaps),
    }


def as_csv(summaries: Sequence[Summary]) -> str:
    """The kernels of all processes, one a line."""
    rows = [{"process": summary.process.number, **_kernel_json(each, summary)}
            for summary in summaries for each in summary.kernels]  # fmt: skip
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else ["process", "name"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


# -- for a browser ----------------------------------------------------------------------------------------------------


def page(summaries: Sequence[Summary], roof: Roof | None) -> str:
    """One page that needs nothing else: a timeline and the tables."""
    data = {
        "processes": [as_json(summary, roof) for summary in summaries],
        "timelines": [_timeline(summary) for summary in summaries],
    }
    # `<` of a kernel's name must not end the script.
    return TEMPLATE.read_text().replace("/*DATA*/null", json.dumps(data).replace("<", "\\u003c"))


def _timeline(summary: Summary) -> dict[str, Any]:
    events = summary.process.events
    left_out = max(len(events) - MOST_EVENTS, 0)
    if left_out:
        events = sorted(sorted(events, key=lambda each: -each.seconds)[:MOST_EVENTS], key=lambda each: each.start)
    tracks = dict[tuple[str, int], list[Event]]()
    for event in events:
        tracks.setdefault(track(event), []).append(event)
    ordered = sorted(tracks, key=lambda key: (GROUPS.index(key[0]), key[1]))
    return {
        "seconds": summary.process.seconds,
        "left_out": left_out,
        "tracks": [
            {
                "name": track_name(summary.process, *key),
                "group": key[0],
                "events": [
                    [each.start, each.seconds, label(each), int(each.kind), details(each)] for each in tracks[key]
                ],
            }
            for key in ordered
        ],
    }
