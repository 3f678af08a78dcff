# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run two programs in alternation on pinned cores and compare: every round gives one ratio, the median counts.

Neighbours on a shared machine slow down both programs of a round about alike, so ratios within a round are steadier
than times; the CPU time of the process, which one core is measured by, leaves out what the system gave to others.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from warploom.core.records import dataclass, field
from warploom.diagnostics import Diagnostic
from warploom.measure.workloads import GFLOPS, Workload

TIME_LIMIT = 600.0  # seconds for one run of one program


class RunFailed(Exception):
    """A program gave a wrong result, or none; the message says which and why."""


@dataclass(frozen=True)
class Plan:
    """How to measure."""

    rounds: int
    seconds: float  # of repetition in one process
    cores: tuple[int, ...]
    quick: bool = False
    environment: Mapping[str, str] = field(default_factory=dict[str, str])  # what the peers need

    @property
    def arguments(self) -> list[str]:
        """What every program of a workload is given."""
        wall = ["--wall"] if len(self.cores) > 1 else []
        return [*(["--quick"] if self.quick else []), *wall, "--seconds", f"{self.seconds:g}"]


@dataclass(frozen=True)
class Sample:
    """What one process measured and has to do at the least: see harness.h."""

    seconds: float
    flops: float
    bytes: float
    footprint: float
    writes: bool


@dataclass(frozen=True)
class Roofline:
    """What the cores can do: operations a second, bytes a second when reading and when updating."""

    flops: float
    read: float
    update: float

    def seconds(self, work: Sample) -> float:
        """The least time that `work` takes."""
        return max(work.flops / self.flops, work.bytes / (self.update if work.writes else self.read))


@dataclass
class Result:
    """One workload, as --json tells it; `ratio` is our time over that of OpenMP."""

    name: str
    cores: int
    ratio: float
    ours_s: float
    openmp_s: float
    rate: float
    unit: str
    fraction_of_roofline: float
    width: int | None = None
    jam: int | None = None
    peers: dict[str, float] = field(default_factory=dict[str, float])  # our time over that of each peer


@dataclass(frozen=True)
class Programs:
    """The programs of a workload, built, by command line; `peers` by name."""

    ours: Sequence[str | Path]
    openmp: Sequence[str | Path]
    roofline: Path
    peers: Mapping[str, Sequence[str | Path]] = field(default_factory=dict[str, Sequence[str | Path]])


def available_cores(count: int) -> tuple[int, ...]:
    """The last `count` cores that this process may use: the first is where the system's own work tends to run."""
    cores = sorted(os.sched_getaffinity(0))
    if count > len(cores):
        raise Diagnostic(f"--cores {count}: this process may use {len(cores)}", exit_code=2)
    return tuple(cores[-count:])


@contextmanager
def pinned(cores: Sequence[int]) -> Generator[None]:
    """This process, and so every process that it starts, runs on `cores` only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def compare(workload: Workload, programs: Programs, plan: Plan) -> Result:
    """Measure one workload; raises RunFailed when a program is wrong or ends with an error.

    A peer that is or does is left out.
    """
    contestants = {"CUDA": programs.ours, "OpenMP": programs.openmp}
    rounds: list[dict[str, Sample]] = []
    roofs: list[Roofline] = []
    with pinned(plan.cores):
        contestants.update((name, words) for name, words in programs.peers.items() if works(name, words, plan))
        for number in range(plan.rounds):
            # Who goes first changes from round to round: the first may find the core colder or hotter.
            order = list(contestants) if number % 2 == 0 else list(reversed(contestants))
            found: dict[str, Sample] = {}
            for name in order:
                found[name] = sample(name, [*contestants[name], *plan.arguments], plan)
                if name == "CUDA":  # at once: minutes of peers may lie between the ends of a round
                    roofs.append(roofline(programs.roofline, found[name].footprint, plan))
            check_same_work(found)
            rounds.append(found)
    return summary(workload, len(plan.cores), rounds, roofs)


def works(name: str, command: Sequence[str | Path], plan: Plan) -> bool:
    """Whether a peer runs this workload and is right."""
    try:
        sample(name, [*command, *plan.arguments], plan)
    except RunFailed:
        return False
    return True


def sample(name: str, command: Sequence[str | Path], plan: Plan) -> Sample:
    """Run the program `name` once."""
    told = run(f"the {name} program", command, plan)
    if not told["right"]:
        raise RunFailed(f"the {name} program's result is wrong: error {told['error']:g}, bound {told['bound']:g}")
    return Sample(**{each: told[each] for each in Sample.__dataclass_fields__})


def check_same_work(found: Mapping[str, Sample]) -> None:
    """Every program must say that it did the same work (rounding may change the steps of an iteration a little)."""
    ours = found["CUDA"]
    for name, other in found.items():
        if abs(other.flops - ours.flops) > 1e-3 * ours.flops or other.bytes != ours.bytes:
            raise RunFailed(f"the {name} program does other work than the CUDA program")


def roofline(program: Path, footprint: float, plan: Plan) -> Roofline:
    """What the cores can do with data of `footprint` bytes, just now."""
    told = run("the roofline's probe", [program, str(int(footprint)), str(len(plan.cores))], plan)
    return Roofline(**told)


def run(name: str, command: Sequence[str | Path], plan: Plan) -> dict[str, Any]:
    """The line of JSON that a program prints; its exit status is 0, or 1 for a wrong result."""
    environment = threads_environment(plan)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=environment, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        raise RunFailed(f"{name} took more than {TIME_LIMIT:g} s") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode not in (0, 1) or len(lines) != 1:
        raise RunFailed(f"{name} ended with status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return json.loads(lines[0])


def threads_environment(plan: Plan) -> dict[str, str]:
    """The environment of every program: as many threads as there are cores."""
    threads = str(len(plan.cores))
    environment = dict(os.environ, WARPLOOM_NUM_THREADS=threads, OMP_NUM_THREADS=threads, OMP_PROC_BIND="true")
    return environment | dict(plan.environment)


def summary(
    workload: Workload, cores: int, rounds: Sequence[Mapping[str, Sample]], roofs: Sequence[Roofline]
) -> Result:
    """Medians over the rounds."""
    ours = statistics.median(each["CUDA"].seconds for each in rounds)
    work = rounds[0]["CUDA"]
    fractions = [roof.seconds(each["CUDA"]) / each["CUDA"].seconds for each, roof in zip(rounds, roofs, strict=True)]
    return Result(
        name=workload.name,
        cores=cores,
        ratio=median_ratio(rounds, "OpenMP"),
        ours_s=ours,
        openmp_s=statistics.median(each["OpenMP"].seconds for each in rounds),
        rate=(work.flops if workload.unit == GFLOPS else work.bytes) / ours / 1e9,
        unit=workload.unit,
        fraction_of_roofline=statistics.median(fractions),
        peers={name: median_ratio(rounds, name) for name in rounds[0] if name not in ("CUDA", "OpenMP")},
    )


def median_ratio(rounds: Sequence[Mapping[str, Sample]], other: str) -> float:
    """Our time over that of `other`."""
    return statistics.median(each["CUDA"].seconds / each[other].seconds for each in rounds)
