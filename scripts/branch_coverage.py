#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which branches of passes, analyses and backend are taken: by random kernels, by the tests, under coverage.py.

    scripts/branch_coverage.py fuzz|tests [--jobs J] [--time S] [--list] [--kernels N] [--seed S]
                               [--tests FILE...]

Prints the share of branches that were taken, of each file and in all; --list: also each one that was not, as
`FILE:LINE -> LINE: text of the line`. `fuzz` runs `warploom fuzz` with some kernels of all kinds on other vectors,
processors and compiler flags, then many of them on the usual vectors; `tests` runs all tests. Needs the package
`coverage`, 7.10 or newer, for the Python that runs this. Every process of it is measured, the forked ones as well, as
it ends.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("passes", "analysis", "backend")
SETTINGS = """\
[run]
branch = True
parallel = True
sigterm = True
patch = _exit
data_file = {folder}/data
source = {source}
"""
AT_START = "import coverage\n\ncoverage.process_startup()\n"
# What random kernels are built for, the quickest first: the share of the time that is left to these and all after them,
# the number of kernels as a share of --kernels.
CAMPAIGNS: tuple[tuple[float, float, tuple[str, ...]], ...] = (
    (0.02, 0.05, ("--kind=tails", "--engines", "--quick", "--per-file=10")),
    (0.15, 0.15, ("--kind=all", "--off-passes=none", "--quick", "--per-file=3", "--widths=1,4,16", "--jams=1,2")),
    (0.15, 0.1, ("--kind=all", "--engines", "--per-file=3", "--modes=-O0,-G,-rdc=true,--compare")),
    (0.15, 0.1, ("--kind=all", "--engines", "--quick", "--per-file=3", "--cpus=x86-64-v2,x86-64-v3")),
    (0.15, 0.05, ("--kind=all", "--off-passes=each", "--quick", "--per-file=2")),
    (0.05, 0.001, ("--kind=huge", "--engines", "--quick", "--per-file=1")),
    (0.15, 0.05, ("--kind=all", "--engines", "--per-file=2")),
    (1.0, 1.0, ("--kind=all", "--engines", "--quick", "--per-file=5")),
)
GRACE = 5.0  # seconds that who is asked to end may take to write what it saw
COMBINING = 15.0  # seconds for that, of --time


def main(argv: Sequence[str]) -> int:
    """Run, combine, print."""
    options = parser().parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="warploom-coverage-") as name:
        folder = Path(name)
        settings = folder / "settings"
        source = ",".join(str(ROOT / "src" / "warploom" / each) for each in PACKAGES)
        settings.write_text(SETTINGS.format(folder=folder, source=source))
        Path(folder, "start").mkdir()
        Path(folder, "start", "sitecustomize.py").write_text(AT_START)
        path = [str(folder / "start"), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        measured = {
            **os.environ,
            "COVERAGE_PROCESS_START": str(settings),
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
        }
        (run_fuzz if options.what == "fuzz" else run_tests)(options, folder, measured)
        combine(settings, folder, options.jobs)
        report = folder / "report.json"
        coverage(settings, "json", "-q", "-o", str(report))
        show(json.loads(report.read_text())["files"], every=options.list)
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("what", choices=("fuzz", "tests"))
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time (default: all cores)")
    made.add_argument("--time", type=float, default=1e9, help="seconds for all: what runs then is ended, and counts")
    made.add_argument("--list", action="store_true", help="also every branch that was not taken")
    made.add_argument("--kernels", type=int, default=2400, help="random kernels of the first round (default 2400)")
    made.add_argument("--seed", type=int, default=1, help="which random kernels (default 1)")
    made.add_argument("--tests", nargs="*", default=["tests"], help="files and folders of tests (default: all)")
    return made


def run_fuzz(options: argparse.Namespace, folder: Path, measured: dict[str, str]) -> None:
    """Random kernels, one round after the other; a round whose time is up is ended."""
    end = time.monotonic() + options.time - COMBINING
    for share, number, words in CAMPAIGNS:
        left = max(GRACE, share * (end - time.monotonic()) - GRACE)
        kernels = max(1, round(options.kernels * number))
        line = ["-m", "warploom", "fuzz", f"--seed={options.seed}", f"--kernels={kernels}", f"--jobs={options.jobs}"]
        line += [*words, "--reduce-time=0", f"--output={folder}", f"--time-limit={left}"]
        print(f"fuzz {' '.join(words)} --kernels={kernels}, {left:.0f} s", flush=True)
        said = ended([sys.executable, *line], folder / "said", measured, left)
        told = [each for each in said if "no differences" not in each and "kind " not in each]
        print("\n".join(told[-20:]), flush=True)


def ended(command: Sequence[str], output: Path, measured: dict[str, str], seconds: float) -> list[str]:
    """Run a command for so many seconds; the lines it said. Who is asked to end writes what it saw; who does not, in
    a few seconds more, is killed, and all that it has started with it."""
    with output.open("w") as stream:
        process = subprocess.Popen(
            command, cwd=ROOT, env=measured, stdout=stream, stderr=stream, start_new_session=True
        )
    note: list[str] = []
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        note = [f"ended after {seconds:.0f} s"]
        for number in (signal.SIGTERM, signal.SIGKILL):
            patience = time.monotonic() + GRACE
            while is_there(process, number) and time.monotonic() < patience:
                time.sleep(0.1)
                number = 0
    return [*output.read_text(errors="replace").splitlines(), *note]


def is_there(process: subprocess.Popen[bytes], number: int) -> bool:
    """Whether any process of the session that began with `process` was there to take the signal; 0 is none."""
    process.poll()
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    return True


def run_tests(options: argparse.Namespace, folder: Path, measured: dict[str, str]) -> None:
    """All tests, in parts."""
    parts, end = 4 * options.jobs if options.jobs > 1 else 1, time.monotonic() + options.time - COMBINING
    script = str(ROOT / "scripts" / "pytest_slice.py")

    def run(number: int) -> str:
        left = end - time.monotonic()
        if left < GRACE:
            return "not run: no time left"
        more = [f"--basetemp={folder}/tests-{number}", "-q", "-p", "no:cacheprovider", *options.tests]
        words = [sys.executable, script, str(number), str(parts), *more]
        said = ended(words, folder / f"said-{number}", measured, left)
        return "\n".join([*(each for each in said if each.startswith(("FAILED", "ERROR"))), *said[-1:]])

    with ThreadPoolExecutor(options.jobs) as pool:
        for number, said in enumerate(pool.map(run, range(parts)), start=1):
            print(f"part {number} of {parts}: {said}", flush=True)


def combine(settings: Path, folder: Path, jobs: int) -> None:
    """Make one file of what every process saw: thousands of small files, so in parts at first."""
    files = sorted(map(str, folder.glob("data.*")))
    groups = [files[start::jobs] for start in range(min(jobs, len(files)))]
    parts = [str(folder / f"part-{number}") for number in range(len(groups))]

    def join(part: str, group: list[str]) -> None:
        coverage(settings, "combine", "-q", f"--data-file={part}", *group)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(join, parts, groups))
    coverage(settings, "combine", "-q", *parts)


def coverage(settings: Path, command: str, *words: str) -> None:
    """A command of coverage.py's, in this Python."""
    subprocess.run([sys.executable, "-m", "coverage", command, f"--rcfile={settings}", *words], cwd=ROOT, check=True)


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
