# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs that were built for both engines tell of themselves under WARPLOOM_COMPARE."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warploom.core.records import dataclass, replace
from warploom.suite.process import Finished

DIFFERENCE_STATUS = 86  # runtime/compare/record.h
PREFIX = "warploom: compare: "
_TOTAL = re.compile(r"compared (\d+) launch(?:es)? of (\d+) kernels? \((\d+) launch(?:es)? in all\): (\d+) differ")


@dataclass(frozen=True)
class Compared:
    """Of one run, all its processes together."""

    launches: int
    compared: int
    differing: int
    lines: tuple[str, ...]  # all that was told

    @property
    def fault(self) -> str:
        """What is wrong; empty: nothing."""
        told = next((line for line in self.lines if line.startswith("kernel ") and "DIFFER" in line), "")
        if not self.launches:  # who is killed has told no counts
            return told
        if not self.differing:
            return ""
        return f"{self.differing} of {self.compared} launches differ between the engines: {told}"


def take_report(done: Finished) -> tuple[Finished, Compared]:
    """The run as it would have been without, and what was told of comparisons."""
    own: list[str] = []
    told: list[str] = []
    continues, kept = False, 0  # whether the line above was told; how many were not
    for line in done.stderr.splitlines(keepends=True):
        if line.startswith(PREFIX):
            told.append(line.removeprefix(PREFIX).rstrip("\n"))
        elif continues and line.startswith("  "):
            told[-1] += " " + line.strip()
        else:
            own.append(line)
        continues = len(own) == kept
        kept = len(own)
    totals = [[int(each) for each in found.groups()] for line in told if (found := _TOTAL.match(line))]
    compared, _, launches, differing = (sum(column) for column in zip(*totals, strict=True)) if totals else (0, 0, 0, 0)
    status = 0 if done.returncode == DIFFERENCE_STATUS and differing else done.returncode
    plain = replace(done, returncode=status, stderr="".join(own))
    return plain, Compared(launches, compared, differing, tuple(told))


def summary(reports: Sequence[Compared]) -> str:
    """One line for all runs."""
    launches = sum(each.launches for each in reports)
    compared = sum(each.compared for each in reports)
    programs = sum(each.differing > 0 for each in reports)
    return f"compared {compared} of {launches} launches of {len(reports)} programs: {programs} programs differ"
