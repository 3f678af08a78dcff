# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom fuzz`: run random kernels on every engine and with every pass switched off; 1 when one differs."""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from copy import deepcopy
from functools import partial
from pathlib import Path

from warploom.cache import content_key
from warploom.cli.suite import add_machine, machine_of, positive
from warploom.core.records import astuple, dataclass, replace
from warploom.fuzz.compare import (
    QUICK,
    REFERENCE,
    SEEDS,
    SEPARATE,
    Difference,
    Variant,
    Workshop,
    broken_passes,
    compare,
    grouped,
    summary,
    variants,
    vector_variants,
)
from warploom.fuzz.generate import KINDS, USUAL_KINDS, program, without_kernels
from warploom.fuzz.interpret import Finding, interpret
from warploom.fuzz.judge import expected_lines
from warploom.fuzz.reduce import Reducer
from warploom.fuzz.standalone import Chunk, write_programs
from warploom.fuzz.text import program_parts, program_text
from warploom.fuzz.tree import Program
from warploom.pipeline import off_names, optional_passes, options_from_environment
from warploom.target import HERE, Machine


def main(argv: Sequence[str]) -> int:
    """Print what differs, and lines of totals."""
    options = parser().parse_args(argv)
    chunks = chunks_of(options)
    if options.nvcc:
        write_programs(options.nvcc, options.seed, chunks)
        return 0
    checks = (options.off_passes, options.quick, options.interpret)
    vectors = vector_variants(options.widths, options.jams, options.cpus, quick=options.quick)
    vectors += [Variant(engine, mode=mode) for mode in options.modes for engine in ("reference", "loom")]
    machine = machine_of(options)
    run = Run(options.seed, *checks, options.output, options.reduce_time, tuple(vectors), machine, options.engines)
    run = replace(run, judge_only=options.judge_only)
    if run.off not in ("each", "none"):
        off_names(run.off)
    deadline = time.monotonic() + options.time_limit
    totals = {kind: Totals() for kind, _, _ in chunks}
    # Processes, not threads: the builds fork.
    workers = ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) if options.jobs > 1 else None
    with workers or nullcontext():
        done = (workers.map if workers else map)(partial(run.check, deadline), chunks)
        for (kind, _, _), checked in zip(chunks, done, strict=True):
            totals[kind].add(checked)
            print("".join(f"{line}\n" for line in [*checked.wrong, *checked.notes]), end="", flush=True)
    if len(totals) > 1:
        print("".join(f"kind {kind}: {total}\n" for kind, total in totals.items()), end="")
    everything = Totals(*(sum(each) for each in zip(*map(astuple, totals.values()), strict=True)))
    print(f"seed {run.seed}: {everything}")
    return 1 if everything.failed else 0


def chunks_of(options: argparse.Namespace) -> list[Chunk]:
    """The work, program by program; programs of all kinds that were asked for take turns."""
    first, step = int(options.first), int(options.per_file)
    last = first + int(options.kernels)
    kinds: tuple[str, ...] = options.kind
    return [(kinds[start // step % len(kinds)], start, min(step, last - start)) for start in range(first, last, step)]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="warploom fuzz", description=__doc__, allow_abbrev=False)
    made.add_argument("--seed", type=int, default=1, metavar="S", help="which kernels (default 1)")
    made.add_argument("--kernels", type=positive, default=100, metavar="N", help="how many (default 100)")
    made.add_argument("--first", type=int, default=0, metavar="N", help="number of the first kernel (default 0)")
    made.add_argument("--kind", type=_kinds, default=("both",), metavar="both|all|K,...", help="default: both")
    made.add_argument("--per-file", type=positive, default=50, metavar="N", help="kernels a program (default 50)")
    made.add_argument("--jobs", type=positive, default=1, metavar="J", help="programs at a time (default 1)")
    made.add_argument("--off-passes", default="each", metavar="each|none|P,...", help="also without these passes")
    made.add_argument("--widths", type=_numbers, default=[], metavar="W,...", help="also with vectors of W threads")
    made.add_argument("--jams", type=_numbers, default=[], metavar="R,...", help="also with R rows of threads at once")
    made.add_argument("--cpus", type=_words, default=[], metavar="CPU,...", help="also for these processors")
    made.add_argument(
        "--modes", type=_words, default=[], metavar="M,...", help="also by warpcc with -O0, -G, -rdc=true"
    )
    add_machine(made)
    made.add_argument("--quick", action="store_true", help="only builds that LLVM does not optimise, unverified")
    made.add_argument("--interpret", action="store_true", help="also run small launches in the interpreter, per pass")
    made.add_argument("--time-limit", type=float, default=1e9, metavar="S", help="start no program after S seconds")
    made.add_argument("--engines", action="store_true", help="the reference engine once, then loom: the fewest builds")
    made.add_argument("--judge-only", action="store_true", help="no reference engine where the generator is the judge")
    made.add_argument(
        "--nvcc", type=Path, metavar="DIR", help="only write programs, and a script that runs them by nvcc"
    )
    made.add_argument("--reduce-time", type=float, default=600, metavar="S", help="to make a failure small; 0: don't")
    made.add_argument("--output", type=Path, default=Path(), metavar="DIR", help="where failing programs are written")
    return made


def _words(text: str) -> list[str]:
    return text.split(",")


def _kinds(text: str) -> tuple[str, ...]:
    found = USUAL_KINDS if text == "all" else tuple(_words(text))
    if unknown := [each for each in found if each not in ("both", *KINDS)]:
        raise argparse.ArgumentTypeError(f"no kind {', '.join(unknown)}; kinds are both, all, {', '.join(KINDS)}")
    return found


def _numbers(text: str) -> list[int]:
    return [positive(each) for each in _words(text)]


@dataclass(frozen=True)
class Checked:
    """What came of one program: how many kernels it holds, what is wrong, what else there is to tell."""

    kernels: int = 0
    fallbacks: int = 0
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class Totals:
    """What came of programs: kernels in them, those of them that ran on the reference engine, programs that failed."""

    kernels: int = 0
    fallbacks: int = 0
    failed: int = 0

    def add(self, checked: Checked) -> None:
        """Count a program."""
        self.kernels += checked.kernels
        self.fallbacks += checked.fallbacks
        self.failed += bool(checked.wrong)

    def __str__(self) -> str:
        files = "file" if self.failed == 1 else "files"
        fallbacks = f", {self.fallbacks} of them on the reference engine" if self.fallbacks else ""
        return f"{self.kernels} kernels{fallbacks}, {self.failed or 'no'} {files} with a difference"


@dataclass(frozen=True)
class Run:
    """The settings that every program shares."""

    seed: int
    off: str
    quick: bool
    interpret: bool
    output: Path
    reduce_seconds: float
    vectors: tuple[Variant, ...] = ()
    machine: Machine = HERE
    engines: bool = False
    judge_only: bool = False

    def check(self, deadline: float, chunk: Chunk) -> Checked:
        """Check one program, unless time is up."""
        if time.monotonic() > deadline:
            return Checked()
        kind, first, count = chunk
        made = program(self.seed, first, count, kind)
        differences, fallbacks = self.examine(made)
        wrong = [f"interpreter: {finding}" for finding in self.findings(made)] if self.interpret else []
        groups = grouped(differences)
        place = f"{'' if kind == 'both' else f'{kind}: '}kernels {first} to {first + count - 1}"
        for group in groups.values():
            wrong += [f"{place}: {summary(group)}", f"  {self.keep(made, group[0], kind)}"]
        if self.engines:
            return Checked(count, len(fallbacks), tuple(wrong))
        notes = [f"{place}: {len(groups) or 'no'} differences, {len(fallbacks) or 'no'} fallbacks"]
        notes += [f"  {name}: {reason}" for name, reason in fallbacks.items()]
        return Checked(count, len(fallbacks), tuple(wrong), tuple(notes))

    def examine(self, made: Program) -> tuple[list[Difference], dict[str, str]]:
        """What differs, and the reasons of fallbacks by kernel; a program that fails as a whole is cut in two."""
        with tempfile.TemporaryDirectory(prefix="warploom-fuzz-") as folder:
            text, kernels, expected = program_text(made), len(made.kernels), expected_lines(made)
            workshop = Workshop(
                Path(folder),
                text,
                kernels,
                verify=not (self.quick or self.engines),
                machine=self.machine,
                flags=made.flags,
                expected=expected,
                parts=program_parts(made) if any(each.mode == SEPARATE for each in self.vectors) else (),
            )
            engines = ("loom",) if self.judge_only and expected else made.engines
            wanted = [each for each in (*self.variants(), *self.vectors) if each.engine in engines]
            differences = compare(workshop, wanted)
            loom = [each for each in wanted if each.engine == "loom"]
            fallbacks = workshop.built(loom[0]).fallbacks
        if len(made.kernels) == 1 or not any(each.failure and not each.broken for each in differences):
            return differences, fallbacks
        half = len(made.kernels) // 2
        parts = [self.examine(replace(made, kernels=part)) for part in (made.kernels[:half], made.kernels[half:])]
        found = [difference for part, _ in parts for difference in part]
        return found or differences, {name: reason for _, part in parts for name, reason in part.items()}

    def variants(self) -> list[Variant]:
        """What is compared."""
        if self.engines:
            return [REFERENCE, Variant(flags=QUICK * self.quick)]
        return variants(self.off, optional_passes(), quick=self.quick)

    def findings(self, made: Program) -> list[Finding]:
        """What the interpreter finds."""
        with tempfile.TemporaryDirectory(prefix="warploom-fuzz-") as folder:
            source = Path(folder, "program.cu")
            source.write_text(program_text(made))
            return list(interpret(made, source, options_from_environment(), SEEDS[0]))

    def keep(self, made: Program, difference: Difference, kind: str = "both") -> str:
        """Make the program small and write it down; what to tell of it."""
        smaller = deepcopy(made)
        if difference.kernels:
            smaller = without_kernels(smaller, difference.kernels[:1])
        if self.reduce_seconds > 0:
            Reducer(smaller, lambda tried: fails_alike(tried, difference, self.machine), self.reduce_seconds).run()
        names = "-".join(kernel.name for kernel in smaller.kernels[:1]) or "program"
        path = self.output / f"warploom-fuzz-{kind}-{self.seed}-{names}-{content_key(difference.kind)[:6]}.cu"
        command = how_to_repeat(path, difference.variant, self.machine, made.flags)
        self.output.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"\n// expected: {name} {sums}" for name, sums in expected_lines(smaller).items())
        path.write_text(program_text(smaller, f"{difference}\n// {command}{lines}"))
        return command


def fails_alike(made: Program, difference: Difference, machine: Machine) -> bool:
    """Whether the variant still differs, and the reference engine agrees with itself in every order."""
    with tempfile.TemporaryDirectory(prefix="warploom-fuzz-") as folder:
        try:
            expected = expected_lines(made)
        except KeyError:  # it reads a variable whose declaration is gone, which no compiler takes
            return False
        text = program_text(made)
        workshop = Workshop(Path(folder), text, machine=machine, flags=made.flags, expected=expected)
        variant = difference.variant
        if difference.broken:  # nothing needs to run
            return any(difference.kind == each.kind for each in broken_passes(workshop, variant))
        found = [each for each in compare(workshop, [variant]) if each.variant == variant]
        if not any(difference.kind == each.kind for each in found):
            return False
        others = [Variant("reference", seed=seed) for seed in SEEDS if "reference" in made.engines]
        return variant.engine == "reference" or not compare(workshop, others)


def how_to_repeat(path: Path, variant: Variant, machine: Machine, flags: Sequence[str]) -> str:
    """The commands that show a difference."""
    command = "warpcc" if machine.target else "warploom run"
    words = [*(f"{name}={value}" for name, value in variant.settings.items()), command, *machine.flags, *flags]
    words += [str(replace(variant, width=None, jam=None)), str(path)]
    return f"{' '.join(words)}; compare with --engine=reference"
