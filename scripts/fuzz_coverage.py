#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which branches of passes, analyses and backend random kernels take: run `warploom fuzz` under coverage.py.

    scripts/fuzz_coverage.py [--kernels N] [--jobs J] [--seed S] [--list] [-- more options of warploom fuzz]

Prints the share of branches that were taken, of each file and in all; --list: also each one that was not, as
`FILE:LINE -> LINE: text of the line`. Needs the package `coverage`. The builds run in forked processes, which write
what they saw for themselves. Three times the time of the run without it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("passes", "analysis", "backend")
SETTINGS = """\
[run]
branch = True
parallel = True
concurrency = multiprocessing
sigterm = True
data_file = {folder}/data
source = {source}
"""


def main(argv: Sequence[str]) -> int:
    """Run, combine, print."""
    options, more = parser().parse_known_args(argv)
    more = [each for each in more if each != "--"]
    with tempfile.TemporaryDirectory(prefix="warploom-coverage-") as folder:
        settings = Path(folder, "settings")
        source = ",".join(str(ROOT / "src" / "warploom" / each) for each in PACKAGES)
        settings.write_text(SETTINGS.format(folder=folder, source=source))
        words = [
            "fuzz",
            "--kind=all",
            f"--kernels={options.kernels}",
            f"--jobs={options.jobs}",
            f"--seed={options.seed}",
        ]
        words += ["--engines", "--per-file=10", "--reduce-time=0", f"--output={folder}", *more]
        coverage(settings, "run", "-m", "warploom", *words, check=False)
        coverage(settings, "combine", "-q", folder)
        report = Path(folder, "report.json")
        coverage(settings, "json", "-q", "-o", str(report))
        show(json.loads(report.read_text())["files"], every=options.list)
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--kernels", type=int, default=2400, help="random kernels (default 2400)")
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time (default: all cores)")
    made.add_argument("--seed", type=int, default=1, help="which random kernels (default 1)")
    made.add_argument("--list", action="store_true", help="also every branch that was not taken")
    return made


def coverage(settings: Path, command: str, *words: str, check: bool = True) -> None:
    """A command of coverage.py's, in this Python."""
    line = [sys.executable, "-m", "coverage", command, f"--rcfile={settings}", *words]
    subprocess.run(line, cwd=ROOT, check=check)


def show(files: dict[str, Any], *, every: bool) -> None:
    """The shares, the least first, and what was not taken."""
    taken = total = 0
    rows: list[tuple[float, str, int, int]] = []
    for name, file in files.items():
        summary = file["summary"]
        taken += summary["covered_branches"]
        total += summary["num_branches"]
        if summary["num_branches"]:
            share = summary["covered_branches"] / summary["num_branches"]
            rows.append((share, name, summary["covered_branches"], summary["num_branches"]))
    for share, name, covered, number in sorted(rows):
        print(f"{100 * share:5.1f} %  {covered:4} of {number:4}  {short(name)}")
    print(f"{100 * taken / max(1, total):5.1f} %  {taken} of {total} branches")
    for _, name, _, _ in sorted(rows, key=lambda row: row[1]) if every else []:
        lines = Path(ROOT, name).read_text().splitlines()
        for start, end in files[name]["missing_branches"]:
            print(f"{short(name)}:{start} -> {'the end' if end < 0 else end}: {lines[start - 1].strip()}")


def short(name: str) -> str:
    """The path below src/warploom."""
    return name.split("warploom/")[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
