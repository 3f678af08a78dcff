# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `warploom bench` prints: a table for people (Markdown), a list for machines (JSON)."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence

from warploom.core.records import asdict
from warploom.measure.runs import Result
from warploom.measure.workloads import WORKLOADS

NAME_WIDTH = max(len(workload.name) for workload in WORKLOADS)
MOST_SLOWER = 1.05  # what takes less than so many times as long takes as long
HEADINGS = ("ratio", "ours, ms", "OpenMP, ms", "rate", "of roofline")


def heading(peers: Sequence[str]) -> str:
    """The first two lines of the table."""
    columns = [*HEADINGS, *(f"against {peer}" for peer in peers)]
    names = f"| {'workload':<{NAME_WIDTH}} | " + " | ".join(f"{column:>{width(column)}}" for column in columns) + " |"
    return names + f"\n|{'-' * (NAME_WIDTH + 2)}|" + "".join(f"{'-' * (width(column) + 1)}:|" for column in columns)


def width(column: str) -> int:
    """How wide a column of numbers is."""
    return max(13 if column == "rate" else 7, len(column))


def row(result: Result, peers: Sequence[str]) -> str:
    """A line of the table."""
    cells = [
        f"{result.ratio:.3g}",
        f"{result.ours_s * 1e3:.4g}",
        f"{result.openmp_s * 1e3:.4g}",
        f"{result.rate:.3g} {result.unit}",
        f"{result.fraction_of_roofline:.1%}",
        *(f"{result.peers[peer]:.3g}" if peer in result.peers else "" for peer in peers),
    ]
    return line(result.name, cells, peers)


def line(name: str, cells: Sequence[str], peers: Sequence[str]) -> str:
    """Cells under their headings."""
    columns = [*HEADINGS, *(f"against {peer}" for peer in peers)]
    padded = (f"{cell:>{width(column)}}" for cell, column in zip(cells, columns, strict=True))
    return f"| {name:<{NAME_WIDTH}} | " + " | ".join(padded) + " |"


def footing(results: Sequence[Result], peers: Sequence[str]) -> str:
    """The last line: geometric means."""
    means = [mean([result.ratio for result in results]), "", "", "", ""]
    means += [mean([result.peers[peer] for result in results if peer in result.peers]) for peer in peers]
    return line("geometric mean", means, peers)


def by_cores(results: Sequence[Result]) -> str:
    """All ratios, and our milliseconds, by the number of cores; then what takes longer on more cores than on fewer."""
    counts = sorted({result.cores for result in results})
    found = {(result.name, result.cores): result for result in results}
    lines = [f"| cores | {' | '.join(map(str, counts))} |", f"|---|{'---:|' * len(counts)}"]
    slower: list[str] = []
    for name in dict.fromkeys(result.name for result in results):
        row = [found.get((name, count)) for count in counts]
        cells = (f"{each.ratio:.3g} ({each.ours_s * 1e3:.4g} ms)" if each else "" for each in row)
        lines.append(f"| {name} | {' | '.join(cells)} |")
        measured = [each for each in row if each]
        for number, each in enumerate(measured):
            fewer = min(measured[:number], key=lambda other: other.ours_s, default=each)
            if each.ours_s > MOST_SLOWER * fewer.ours_s:
                slower.append(f"{name} on {each.cores}: {each.ours_s / fewer.ours_s:.2f} times that on {fewer.cores}")
    means = (mean([result.ratio for result in results if result.cores == count]) for count in counts)
    lines.append(f"| geometric mean | {' | '.join(means)} |")
    return "\n".join([*lines, "", f"longer on more cores than on fewer: {'; '.join(slower) or 'nothing'}"])


def mean(ratios: Sequence[float]) -> str:
    """Their geometric mean, where there are any."""
    return f"{statistics.geometric_mean(ratios):.3g}" if ratios else ""


def as_json(results: Sequence[Result], with_peers: bool) -> str:
    """A list of objects, one a workload."""
    rows = [asdict(result) for result in results]
    for made in rows:
        if not with_peers:
            del made["peers"]
    return json.dumps(rows, indent=1)
