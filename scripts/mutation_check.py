#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plant deliberate errors (mutations.py) in copies of the compiler, one at a time, and see what finds each.

    scripts/mutation_check.py [--jobs J] [--only N,...] [--kernels K] [--seed S] [--time S] [--each S]

Finders are commands that fail where they find an error: the tests that name the changed file, then all tests of
passes, analyses and IR, then random kernels of each kind with LLVM's optimiser off, tests of the backend, random
kernels with all of the optimiser, at last the CUDA programs of tests/programs. J commands run at once, of whatever
errors are not found yet; an error is done with when one fails. A finder that fails without an error planted counts for
nothing.

Run by the Python that warploom's tools are installed for: `.venv/bin/python`, or any other with the tools' packages and
pytest on its path. Each error has its own copy of the tree, made of hard links, and its own cache of built things,
in which the runtime is built already. The exit status is 1 when an error was not found.
"""

from __future__ import annotations

import argparse
import heapq
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from mutations import MUTATIONS, Mutation

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("src", "tests", "scripts", "examples", "bench", "docs", "pyproject.toml", "README.md")
UNIT_TESTS = ("tests/passes", "tests/analysis", "tests/ir")
PROGRAMS = "tests/programs/test_programs.py"
PYTEST = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--basetemp={folder}/pytest")
SLICES = 24  # of tests/programs
KEPT = ("object", "vector-math")  # of the cache: what does not depend on the compiler's passes
BUILD_RUNTIME = """\
from warploom.runtime_library import toolkit
from warploom.toolchain import find_toolchain
toolkit(find_toolchain())
"""


@dataclass(frozen=True)
class Finder:
    """A command of Python's that fails where it finds an error."""

    name: str
    words: tuple[str, ...]


@dataclass
class Copy:
    """The tree with an error in it, or without one, and what runs on it."""

    folder: Path
    seconds: float
    running: set[int] = field(default_factory=set[int])
    found: threading.Event = field(default_factory=threading.Event)

    def environment(self) -> dict[str, str]:
        """What commands see: this copy's package before what was on the path, and a cache of its own."""
        own = [str(self.folder / "src"), str(self.folder / "scripts")]
        path = [
            each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each and Path(each) != ROOT / "src"
        ]
        kept = {name: text for name, text in os.environ.items() if not name.startswith("WARPLOOM_")}
        return {**kept, "PYTHONPATH": os.pathsep.join([*own, *path]), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def says(self, finder: Finder) -> str:
        """What a finder says against this copy; nothing where it passes, or where the error was found meanwhile."""
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.folder) as folder:
            words = [sys.executable, *(each.replace("{folder}", folder) for each in finder.words)]
            environment = {**self.environment(), "TMPDIR": folder}
            with open(Path(folder, "output"), "w+", errors="replace") as output:
                process = subprocess.Popen(
                    words, cwd=self.folder, env=environment, stdout=output, stderr=output, start_new_session=True
                )
                self.running.add(process.pid)
                try:
                    status = process.wait(self.seconds)
                except subprocess.TimeoutExpired:
                    return "does not end"
                finally:
                    self.running.discard(process.pid)
                    _end(process.pid)
                    process.wait()
                output.seek(0)
                return "" if status == 0 or self.found.is_set() else _told(output.read())

    def stop(self) -> None:
        """The error is found: what still looks for it may end."""
        self.found.set()
        for process in list(self.running):
            _end(process)


def _end(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _told(output: str) -> str:
    lines = output.splitlines()
    telling = [each for each in lines if each.startswith(("FAILED", "ERROR")) or "--engine" in each]
    return (telling or lines or ["fails"])[0]


def main(argv: Sequence[str]) -> int:
    """Print a line an error as it is found, the ones that are not found, and how many are."""
    options = parser().parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="warploom-mutants-", dir=options.folder) as folder:
        check = Check(Path(folder), options)
        try:
            return check.run()
        finally:
            check.end()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--jobs", type=int, default=1, help="commands at a time (default 1)")
    made.add_argument("--only", type=lambda text: [int(each) for each in text.split(",")], help="numbers of errors")
    made.add_argument("--kernels", type=int, default=40, help="random kernels of each kind (default 40)")
    made.add_argument("--seed", type=int, default=40, help="which random kernels (default 40)")
    made.add_argument("--time", type=float, default=1e9, help="start no command after so many seconds, and end all")
    made.add_argument("--each", type=float, default=600, help="seconds that a command may take (default 600)")
    made.add_argument("--folder", type=Path, help="where the copies go (default: the system's for temporary files)")
    return made


class Check:
    """The errors that are looked for, and how far that has come."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.options, self.folder = options, folder
        self.started = time.monotonic()
        self.wanted: list[int] = options.only or list(range(len(MUTATIONS)))
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.original = copy_of_tree(folder / "original", cache, options.each)
        self.copies: dict[int, Copy] = {}
        self.finders: dict[int, list[Finder]] = {}
        self.passed: dict[int, int] = dict.fromkeys(self.wanted, 0)
        self.lock = threading.Lock()
        self.waiting: list[tuple[int, int, int]] = []  # stage, order, error
        self.sound: dict[str, str] = {}  # what finders say without an error
        self.asking: dict[str, threading.Lock] = {}

    def run(self) -> int:
        """Look for all errors; the exit status."""
        made = subprocess.run(
            [sys.executable, "-c", BUILD_RUNTIME], env=self.original.environment(), capture_output=True, text=True
        )
        if made.returncode != 0:
            print(f"the runtime does not build: {made.stderr}")
            return 2
        shared = finders_of(self.options.kernels, self.options.seed)
        order = count()
        for number in self.wanted:
            self.finders[number] = [*targeted(MUTATIONS[number]), *shared]
        for stage in range(max(map(len, self.finders.values()))):
            self.waiting += [(stage, next(order), each) for each in self.wanted if stage < len(self.finders[each])]
        heapq.heapify(self.waiting)
        threads = [threading.Thread(target=self.work, daemon=True) for _ in range(self.options.jobs)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(max(0.0, self.options.time - (time.monotonic() - self.started)))
        return self.report()

    def work(self) -> None:
        """Take the next command of an error that is not found yet, until there is none."""
        while True:
            with self.lock:
                if not self.waiting:
                    return
                stage, _, number = heapq.heappop(self.waiting)
                if number in self.copies and self.copies[number].found.is_set():
                    continue
                if number not in self.copies:
                    self.copies[number] = mutant(self.folder / str(number), MUTATIONS[number], self.original)
            self.look(number, self.finders[number][stage])

    def look(self, number: int, finder: Finder) -> None:
        """Ask one finder about one error."""
        copy = self.copies[number]
        said = copy.says(finder)
        if not said or copy.found.is_set() or self.without(finder):
            self.passed[number] += 1
            return
        with self.lock:
            if not copy.found.is_set():
                copy.stop()
                self.tell(number, f"killed by {finder.name}", said)

    def without(self, finder: Finder) -> str:
        """What the finder says when there is no error: then it finds nothing."""
        with self.lock:
            asking = self.asking.setdefault(finder.name, threading.Lock())
        with asking:
            if finder.name not in self.sound:
                self.sound[finder.name] = said = self.original.says(finder)
                if said:
                    print(f"without an error planted, {finder.name} fails: {said}", flush=True)
        return self.sound[finder.name]

    def tell(self, number: int, verdict: str, said: str) -> None:
        """A line about an error, and what was said."""
        mutation, seconds = MUTATIONS[number], time.monotonic() - self.started
        print(f"{number:2} {verdict}, at {seconds:.0f} s: {mutation.file}: {mutation.breaks}", flush=True)
        if said:
            print(f"      {said[:200]}", flush=True)

    def report(self) -> int:
        """Those that were not found, and the sum."""
        with self.lock:
            missed = [each for each in self.wanted if each not in self.copies or not self.copies[each].found.is_set()]
            for number in missed:
                passed, of = self.passed[number], len(self.finders[number])
                self.tell(number, "SURVIVED" if passed == of else f"NOT DECIDED ({passed} of {of} finders pass)", "")
        print(f"{len(self.wanted) - len(missed)} of {len(self.wanted)} errors found")
        return 1 if missed else 0

    def end(self) -> None:
        """End all that runs."""
        with self.lock:
            self.waiting.clear()
        for each in (*self.copies.values(), self.original):
            each.stop()


def targeted(mutation: Mutation) -> Iterator[Finder]:
    """The tests that name the changed file."""
    module = mutation.file.removesuffix(".py").replace("/", ".")
    name = module.rpartition(".")[2]
    found = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if path.stem == f"test_{name}" or f"warploom.{module} " in path.read_text()
    ]
    if found:
        yield Finder(f"tests of {name}", _pytest(*found))


def finders_of(kernels: int, seed: int) -> list[Finder]:
    """What every error is looked for with, the quickest first."""
    from warploom.fuzz.generate import USUAL_KINDS

    found = [Finder(each, _pytest(each)) for each in UNIT_TESTS]
    common = ("-m", "warploom", "fuzz", f"--seed={seed}", "--engines", "--reduce-time=0", "--output={folder}")
    for kind in USUAL_KINDS:
        words = (*common, f"--kind={kind}", "--quick", f"--kernels={kernels}", "--per-file=20")
        found.append(Finder(f"fuzz {kind}", words))
    found += [Finder(each, _pytest(each)) for each in _files("tests/backend")]
    for kind in USUAL_KINDS:
        words = (*common, f"--kind={kind}", f"--first={kernels}", f"--kernels={kernels}", "--per-file=10")
        found.append(Finder(f"fuzz {kind} with LLVM's optimiser", words))
    for number in range(SLICES):
        words = (str(Path("scripts", "pytest_slice.py")), str(number), str(SLICES), PROGRAMS)
        found.append(Finder(f"{PROGRAMS}, part {number + 1} of {SLICES}", (*words, "-k", "loom and none", *PYTEST)))
    return found


def _pytest(*words: str) -> tuple[str, ...]:
    return ("-m", "pytest", *PYTEST, *words)


def _files(folder: str) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / folder).glob("test_*.py"))]


def mutant(folder: Path, mutation: Mutation, original: Copy) -> Copy:
    """A copy of the tree with an error in it."""
    made = copy_of_tree(folder, original.folder / "cache", original.seconds)
    path = folder / "src" / "warploom" / mutation.file
    text = planted(path.read_text(), mutation)
    path.unlink()  # it is one with the original
    path.write_text(text)
    return made


def planted(text: str, mutation: Mutation) -> str:
    """The text of its file with the error in it."""
    assert text.count(mutation.old) == 1, f"{mutation.file} holds {text.count(mutation.old)} times {mutation.old!r}"
    return text.replace(mutation.old, mutation.new)


def copy_of_tree(folder: Path, cache: Path, seconds: float) -> Copy:
    """A copy of this checkout, of hard links, with what `cache` has of the runtime."""
    folder.mkdir(parents=True)
    for part in PARTS:
        linked(ROOT / part, folder / part)
    for kind in KEPT:
        linked(cache / "warploom" / kind, folder / "cache" / "warploom" / kind)
    return Copy(folder, seconds)


def linked(source: Path, target: Path) -> None:
    """The file or folder `source`, by hard links, at `target`, if it is there."""
    if source.is_dir():
        unfinished = shutil.ignore_patterns(".*")
        shutil.copytree(source, target, ignore=unfinished, copy_function=_link, symlinks=True)
    elif source.exists():
        _link(str(source), str(target))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
