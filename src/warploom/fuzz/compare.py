# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a random program in several ways, runs it on several engines, and compares what each prints."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from warploom.cache import content_key
from warploom.core.records import dataclass, field, replace
from warploom.diagnostics import Diagnostic
from warploom.fuzz.build import BuildFailed, Built, Halves, build, build_whole, last_error, read_source
from warploom.fuzz.tree import EXACT
from warploom.target import HERE, Machine

QUICK = ("-Xptxas=-O0",)  # LLVM does not optimise device code
RUN_SECONDS = 30
SEPARATE = "-rdc=true"
SEEDS = (1, 2)  # of the schedules under which the reference engine must agree with itself


@dataclass(frozen=True)
class Variant:
    """One way to build and run: an engine, passes that are off, more flags, a schedule seed.

    `width`: threads of a vector; `jam`: rows of threads that go together; None: as the compiler likes. `mode`: an
    option of warpcc that concerns all of the build (-O0, -G, -O3, -rdc=true), which is then done from the source;
    under -rdc=true that is two files.
    """

    engine: str = "loom"
    off: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    seed: int | None = None
    width: int | None = None
    jam: int | None = None
    mode: str = ""

    @property
    def build_flags(self) -> tuple[str, ...]:
        """What warpcc is told; variants with the same flags share an executable."""
        off = (f"--off-pass={','.join(self.off)}",) if self.off else ()
        return (f"--engine={self.engine}", *off, *self.flags, *([self.mode] if self.mode else []))

    @property
    def settings(self) -> dict[str, str]:
        """Environment variables of the build."""
        known = {"WARPLOOM_WIDTH": self.width, "WARPLOOM_JAM": self.jam}
        return {name: str(value) for name, value in known.items() if value is not None}

    @property
    def build_key(self) -> tuple[str, ...]:
        """What tells builds apart."""
        return (*(f"{name}={value}" for name, value in self.settings.items()), *self.build_flags)

    def __str__(self) -> str:
        seed = (f"--seed={self.seed}",) if self.seed is not None else ()
        return " ".join((*self.build_key, *seed))


REFERENCE = Variant("reference", flags=QUICK)


def variants(off: str, passes: Sequence[str], *, quick: bool = False) -> list[Variant]:
    """What to compare with the reference engine; `off`: `none`, `each` pass in turn, or the names of some.

    `quick`: nothing that LLVM optimises.
    """
    found = [*(replace(REFERENCE, seed=seed) for seed in SEEDS), Variant(flags=QUICK), Variant(flags=QUICK, seed=3)]
    found += [] if quick else [Variant("reference"), Variant()]
    names = [(name,) for name in passes] if off == "each" else [] if off == "none" else [tuple(off.split(","))]
    # LLVM's optimiser is not what these look at, and takes most of the time.
    return [*found, *(Variant(off=each, flags=QUICK) for each in names)]


def vector_variants(widths: Sequence[int], jams: Sequence[int], cpus: Sequence[str], *, quick: bool) -> list[Variant]:
    """Each width with each number of rows on each processor; nothing where all three are empty."""
    if not (widths or jams or cpus):
        return []
    return [
        Variant(flags=(*(f"--cpu={name}" for name in cpu), *QUICK * quick), width=width, jam=jam)
        for cpu in [(each,) for each in cpus] or [()]
        for width in widths or (None,)
        for jam in jams or (None,)
    ]


@dataclass(frozen=True)
class Outcome:
    """What came of one variant: the lines it printed, or (`failure`) why there are none or too few."""

    lines: dict[str, str] = field(default_factory=dict[str, str])
    failure: str = ""

    def differences(self, right: Outcome) -> list[str]:
        """The launches (`KERNEL ORDER`) whose sums are not those of `right`."""
        return [name for name, sums in right.lines.items() if self.lines.get(name) != sums]


class Workshop:
    """Builds and runs one source text, of so many `kernels`, in `folder`; what was built is kept there.

    `verify`: whether the IR is checked after every pass; `machine`: what the program is for; `flags`: of all builds;
    `expected`: the lines that it must print, where they are known without running it; `parts`: the text as two files.
    """

    def __init__(
        self,
        folder: Path,
        text: str,
        kernels: int = 1,
        *,
        verify: bool = True,
        machine: Machine = HERE,
        flags: Sequence[str] = EXACT,
        expected: Mapping[str, str] | None = None,
        parts: Sequence[str] = (),
    ) -> None:
        self.source = folder / "program.cu"
        self.source.write_text(text)
        self.kernels = kernels
        self.verify = verify
        self.machine = machine
        self.flags = flags
        self.expected = expected
        self.parts = [folder / f"part{number}.cu" for number in range(len(parts))]
        for path, part in zip(self.parts, parts, strict=True):
            path.write_text(part)
        self._halves: Halves | None = None
        self._builds: dict[tuple[str, ...], Built] = {}

    def executable(self, variant: Variant) -> Path:
        """Where the program of a variant is."""
        return self.source.with_name(content_key(*variant.build_key))

    def built(self, variant: Variant) -> Built:
        """Build, unless that was done."""
        key = variant.build_key
        if key not in self._builds and variant.mode:
            sources = self.parts if variant.mode == SEPARATE and self.parts else [self.source]
            flags = [*self.flags, *self.machine.flags, *variant.build_flags]
            self._builds[key] = build_whole(sources, flags, self.executable(variant), self.kernels, variant.settings)
        elif key not in self._builds:
            try:
                self._halves = self._halves or read_source(self.source, self.machine, self.flags)
                executable = self.executable(variant)
                self._builds[key] = build(
                    self._halves,
                    variant.build_flags,
                    executable,
                    self.kernels,
                    verify=self.verify,
                    settings=variant.settings,
                )
            except BuildFailed as failure:
                self._builds[key] = Built(f"clang failed: {failure}")
        return self._builds[key]

    def outcome(self, variant: Variant) -> Outcome:
        """Build and run."""
        failure = self.built(variant).failure
        return Outcome(failure=failure) if failure else run(self.executable(variant), variant, self.machine.launcher)


def run(executable: Path, variant: Variant, launcher: Sequence[str]) -> Outcome:
    """Run a program; what it printed before it failed counts."""
    environment = {name: value for name, value in os.environ.items() if name != "WARPLOOM_SCHEDULE_SEED"}
    environment["WARPLOOM_ENGINE"] = variant.engine
    if variant.seed is not None:
        environment["WARPLOOM_SCHEDULE_SEED"] = str(variant.seed)
    try:
        done = subprocess.run(
            [*launcher, executable],
            env=environment,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(failure=f"no end within {RUN_SECONDS} s")
    failure = "" if done.returncode == 0 else f"exit status {done.returncode}: {last_error(done.stderr)}"
    return Outcome(parse_lines(done.stdout), failure)


def parse_lines(stdout: str) -> dict[str, str]:
    """`KERNEL ORDER SUM SUM SUM ERROR` by its first two words."""
    rows = (line.split(" ", 2) for line in stdout.splitlines())
    return {f"{row[0]} {row[1]}": row[2] for row in rows if len(row) == 3}


@dataclass(frozen=True)
class Difference:
    """A variant that differs from the reference engine: in these launches, or it failed; `broken`: a pass did."""

    variant: Variant
    launches: tuple[str, ...]
    failure: str = ""
    broken: bool = False

    @property
    def kernels(self) -> list[str]:
        """The kernels of these launches."""
        return list(dict.fromkeys(launch.split()[0] for launch in self.launches))

    def __str__(self) -> str:
        what = self.failure or "other results than expected"
        return f"{self.variant}: {', '.join(self.launches[:6])}: {what}"

    @property
    def kind(self) -> str:
        """What tells bugs apart, as far as one can see."""
        return signature(self.failure)


def grouped(differences: Iterable[Difference]) -> dict[str, list[Difference]]:
    """Differences of one kind: a broken pass shows in many kernels and variants."""
    found: dict[str, list[Difference]] = {}
    for difference in differences:
        found.setdefault(difference.kind, []).append(difference)
    return found


def summary(group: Sequence[Difference]) -> str:
    """A group in one line."""
    kernels = len({kernel for difference in group for kernel in difference.kernels})
    variants = len({difference.variant for difference in group})
    return f"{group[0]} ({kernels} kernels, {variants} variants)"


def signature(failure: str) -> str:
    """A message without what changes when a program is reduced: numbers and names with numbers."""
    return re.sub(r"[\w./%^-]*\d[\w.]*", "N", failure)


def compare(workshop: Workshop, wanted: Iterable[Variant]) -> list[Difference]:
    """Run each variant and compare it with what is expected, or else with the reference engine."""
    right = Outcome(dict(workshop.expected)) if workshop.expected else workshop.outcome(REFERENCE)
    if right.failure:
        return [Difference(REFERENCE, tuple(right.lines)[-1:], right.failure)]
    if not right.lines:
        raise Diagnostic("the program prints nothing", file=workshop.source)
    found: list[Difference] = []
    for variant in wanted:
        outcome = workshop.outcome(variant)
        wrong = tuple(outcome.differences(right))
        found += broken_passes(workshop, variant)
        if wrong or outcome.failure:
            found.append(Difference(variant, wrong, outcome.failure))
    return list(dict.fromkeys(found))


def broken_passes(workshop: Workshop, variant: Variant) -> list[Difference]:
    """The kernels on which a pass broke when the variant was built."""
    return [Difference(variant, (name,), text, broken=True) for name, text in workshop.built(variant).broken.items()]
