#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plant deliberate errors (mutations.py) in copies of the compiler, one at a time, and see what finds each.

    scripts/mutation_check.py [--jobs J] [--only N,...] [--kernels K] [--seed S]

Three finders, in this order until one fails: random kernels with LLVM's optimiser off, random kernels with all of it,
the tests of analyses, passes and backend. Run by the Python that warploom is installed for. First all three must pass
without an error planted. The exit status is 1 when an error was not found. About a minute of one core an error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutations import MUTATIONS, Mutation

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 1800  # that a finder may take; one that does not end has found the error
TESTS = ("tests/analysis", "tests/passes", "tests/backend")


@dataclass(frozen=True)
class Finder:
    """A command of Python's that fails where it finds an error."""

    name: str
    words: tuple[str, ...]

    def finds(self, source: Path) -> str:
        """What it says against the compiler in folder `source`; nothing where it passes."""
        environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        with tempfile.TemporaryDirectory(prefix="warploom-mutant-") as folder:
            words = [each.replace("{folder}", folder) for each in self.words]
            try:
                done = subprocess.run(
                    [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS
                )
            except subprocess.TimeoutExpired:
                return "does not end"
        if done.returncode == 0:
            return ""
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "--engine" in line or "FAILED" in line]
        return (lines or (done.stdout + done.stderr).splitlines() or ["fails"])[0]


def main(argv: Sequence[str]) -> int:
    """Print a line an error, and how many were found."""
    options = parser().parse_args(argv)
    finders = finders_of(options.kernels, options.seed)
    with tempfile.TemporaryDirectory(prefix="warploom-mutants-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        for finder, said in zip(finders, pool.map(lambda each: each.finds(ROOT / "src"), finders), strict=True):
            if said:
                print(f"without an error planted, {finder.name} fails: {said}")
                return 2
        wanted = options.only or range(len(MUTATIONS))

        def check(number: int) -> tuple[str, str, float]:
            started = time.monotonic()
            return *found_by(Path(folder, str(number)), MUTATIONS[number], finders), time.monotonic() - started

        found = 0
        for number, (name, said, seconds) in zip(wanted, pool.map(check, wanted), strict=True):
            mutation = MUTATIONS[number]
            found += bool(name)
            print(f"{number:2} {name or 'NOT FOUND'}, {seconds:.0f} s: {mutation.file}: {mutation.breaks}", flush=True)
            print(f"      {said[:200]}" if said else "", flush=True)
    print(f"{found} of {len(wanted)} errors found")
    return 0 if found == len(wanted) else 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--jobs", type=int, default=1, help="errors at a time (default 1)")
    made.add_argument("--only", type=lambda text: [int(each) for each in text.split(",")], help="numbers of errors")
    made.add_argument("--kernels", type=int, default=240, help="random kernels for each error (default 240)")
    made.add_argument("--seed", type=int, default=40, help="which random kernels (default 40)")
    return made


def finders_of(kernels: int, seed: int) -> list[Finder]:
    """The three finders, the quickest first."""
    fuzz = ("-m", "warploom", "fuzz", f"--seed={seed}", "--kind=all", "--engines", "--reduce-time=0")
    output = "--output={folder}"
    return [
        Finder("fuzz", (*fuzz, output, "--quick", f"--kernels={kernels}", "--per-file=10")),
        Finder("fuzz with LLVM's optimiser", (*fuzz, output, f"--kernels={max(60, kernels // 2)}", "--per-file=5")),
        Finder("tests", ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS)),
    ]


def found_by(folder: Path, mutation: Mutation, finders: Sequence[Finder]) -> tuple[str, str]:
    """Which finder finds the error, and what it says; two empty texts where none does."""
    source = folder / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    path = source / "warploom" / mutation.file
    path.write_text(planted(path.read_text(), mutation))
    for finder in finders:
        if said := finder.finds(source):
            return finder.name, said
    return "", ""


def planted(text: str, mutation: Mutation) -> str:
    """The text of its file with the error in it."""
    assert text.count(mutation.old) == 1, f"{mutation.file} holds {text.count(mutation.old)} times {mutation.old!r}"
    return text.replace(mutation.old, mutation.new)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
