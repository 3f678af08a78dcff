# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a suite run, and the same as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from warploom.core.records import asdict
from warploom.suite.comparing import summary
from warploom.suite.runner import Row, Verdict

HEADING = ("id", "build s", "run s", "verdict", "reason")
VERDICT_WIDTH = max(map(len, Verdict))


def name_width(names: Sequence[str]) -> int:
    """The width of the first column."""
    return max([len(HEADING[0]), *map(len, names)])


def heading(width: int) -> str:
    """The first line of the table."""
    return f"{HEADING[0]:<{width}} | {HEADING[1]:>7} | {HEADING[2]:>7} | {HEADING[3]:<{VERDICT_WIDTH}} | {HEADING[4]}"


def table_line(row: Row, width: int) -> str:
    """One program's line."""
    build, run = seconds(row.build_seconds), seconds(row.run_seconds)
    line = f"{row.title:<{width}} | {build:>7} | {run:>7} | {row.verdict:<{VERDICT_WIDTH}} | {one_line(row.reason)}"
    return line.rstrip(" |") if not row.reason else line


def seconds(value: float | None) -> str:
    """A time; `-` where there is none."""
    return "-" if value is None else f"{value:.2f}"


def one_line(text: str) -> str:
    """`text` without line breaks."""
    return " ".join(text.split())


def counts(rows: Sequence[Row]) -> str:
    """`50 of 57 right; 4 wrong, 3 not built`."""
    tally = Counter(row.verdict for row in rows)
    others = [f"{tally[verdict]} {verdict}" for verdict in Verdict if verdict != Verdict.RIGHT and tally[verdict]]
    text = f"{tally[Verdict.RIGHT]} of {len(rows)} right"
    return f"{text}; {', '.join(others)}" if others else text


def counts_by_flags(rows: Sequence[Row]) -> list[str]:
    """`counts` of each group of rows with the same flags, where there are several groups."""
    groups = {flags: [row for row in rows if row.flags == flags] for flags in dict.fromkeys(row.flags for row in rows)}
    if len(groups) == 1:
        return []
    return [f"{flags or 'as it is'}: {counts(group)}" for flags, group in groups.items()]


def comparisons(rows: Sequence[Row]) -> list[str]:
    """What was compared, and all that was told of it; nothing when no run compared."""
    rows = [row for row in rows if row.compared is not None]
    if not rows:
        return []
    told = [f"{row.title}: {line}" for row in rows if row.compared for line in row.compared.lines]
    return [*told, summary([row.compared for row in rows if row.compared])]


def as_json(rows: Sequence[Row], engine: str) -> str:
    """All that is known of a run, for machines."""
    tally = Counter(row.verdict for row in rows)
    document: dict[str, Any] = {
        "engine": engine,
        "right": tally[Verdict.RIGHT],
        "total": len(rows),
        "counts": {verdict.value: tally[verdict] for verdict in Verdict},
        "programs": [asdict(row) for row in rows],
    }
    return json.dumps(document, indent=2)
