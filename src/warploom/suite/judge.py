# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judge what a program wrote against the clauses of its line."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from warploom.core.records import dataclass
from warploom.suite.programs import Clause

# nan and inf count as numbers: a result that became one must not vanish from the comparison.
NUMBER = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf(?:inity)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Result:
    """What a run left."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        """All that it wrote."""
        return f"{self.stdout}\n{self.stderr}"


def judge(clauses: Sequence[Clause], result: Result, golden: Path) -> list[str]:
    """What is wrong with a run, one sentence for each clause that does not hold; empty when it is right."""
    faults = (CHECKS[clause.kind](clause, result, golden) for clause in clauses)
    return [fault for fault in faults if fault is not None]


def numbers_in(text: str) -> list[float]:
    """Every number of a text, in order."""
    return [float(match) for match in NUMBER.findall(text)]


def is_close(found: float, wanted: float, tolerance: float, absolute: bool) -> bool:
    """Equal within `tolerance`, which is relative to the larger of the two unless it is absolute."""
    if math.isnan(wanted) or math.isnan(found):
        return math.isnan(wanted) and math.isnan(found)
    if found == wanted:
        return True
    if math.isinf(wanted) or math.isinf(found):
        return False
    scale = 1.0 if absolute else max(abs(found), abs(wanted))
    return abs(found - wanted) <= tolerance * scale


def check_status(clause: Clause, result: Result, _golden: Path) -> str | None:
    wanted = int(clause.text)
    return None if result.returncode == wanted else f"exit status {result.returncode}, not {wanted}"


def check_has(clause: Clause, result: Result, _golden: Path) -> str | None:
    found = re.search(clause.text, result.text, re.MULTILINE)
    return None if found else f"nothing matches '{clause.text}'"


def check_not(clause: Clause, result: Result, _golden: Path) -> str | None:
    found = re.search(clause.text, result.text, re.MULTILINE)
    return f"'{found.group()}' in the output" if found else None


def check_lines(clause: Clause, result: Result, golden: Path) -> str | None:
    wanted = read_golden(golden, clause.text).splitlines()
    found = result.stdout.splitlines()
    for number, (line, wanted_line) in enumerate(zip(found, wanted, strict=False), 1):
        if line != wanted_line:
            return f"line {number} is '{clipped(line)}', not '{clipped(wanted_line)}'"
    return None if len(found) == len(wanted) else f"{len(found)} lines, not {len(wanted)}"


def check_sorted(clause: Clause, result: Result, golden: Path) -> str | None:
    missing = Counter(read_golden(golden, clause.text).splitlines()) - Counter(result.stdout.splitlines())
    if not missing:
        return None
    return f"{missing.total()} lines missing, the first '{clipped(next(iter(missing)))}'"


def check_numbers(clause: Clause, result: Result, golden: Path) -> str | None:
    wanted, found = numbers_in(read_golden(golden, clause.text)), numbers_in(result.stdout)
    if len(found) != len(wanted):
        return f"{len(found)} numbers, not {len(wanted)}"
    pairs = list(zip(found, wanted, strict=True))
    off = [at for at, (a, b) in enumerate(pairs) if not is_close(a, b, clause.tolerance, clause.absolute)]
    if not off:
        return None
    first, expected = pairs[off[0]]
    return f"{len(off)} of {len(pairs)} numbers off, the first (number {off[0] + 1}) is {first:g}, not {expected:g}"


def read_golden(folder: Path, name: str) -> str:
    """The text of a golden file. A missing one is an error of the list, which the caller reports as such."""
    return (folder / f"{name}.txt").read_text(errors="replace")


def clipped(line: str, width: int = 60) -> str:
    """`line`, cut to fit in a table."""
    return line if len(line) <= width else f"{line[: width - 3]}..."


CHECKS: dict[str, Callable[[Clause, Result, Path], str | None]] = {
    "rc": check_status,
    "has": check_has,
    "not": check_not,
    "lines": check_lines,
    "sorted": check_sorted,
    "numbers": check_numbers,
}
