# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build, run and judge programs, several at a time. Whatever a program does it ends as a row."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from warploom.core.records import dataclass, field
from warploom.engines import COMPARE
from warploom.frontend.passes import INCLUDE
from warploom.suite.comparing import Compared, take_report
from warploom.suite.judge import Result, clipped, judge
from warploom.suite.process import Finished, run_shell
from warploom.suite.programs import Program, title_of
from warploom.suite.workspace import Workspace, launch_by, lay_out
from warploom.target import HERE, Machine

Item = TypeVar("Item")
Found = TypeVar("Found")

SEED = "WARPLOOM_SCHEDULE_SEED"
TAIL = 2000  # characters of output that a row keeps


class Verdict(StrEnum):
    """How a program fared."""

    RIGHT = "right"
    WRONG = "wrong"
    CRASH = "crash"
    TIME_OUT = "time-out"
    NOT_BUILT = "not built"
    MISSING = "missing"  # its sources, or what it is judged against


@dataclass(frozen=True)
class Settings:
    """What is the same for all programs of a run."""

    suites: Path
    data: Path
    golden: Path
    support: Path
    tools: Path
    scratch: Path
    engine: str
    build_limit: float
    run_limit: float
    keep: bool = False
    headers: Path = INCLUDE  # of the compiler
    seeds: tuple[str, ...] = ("",)  # the orders of threads that each program runs under; "": the usual one
    machine: Machine = HERE
    compare: str = ""  # WARPLOOM_COMPARE of builds and runs; empty: each kernel runs on one engine

    def environment(self, workspace: Workspace) -> dict[str, str]:
        """What the build and run lines see."""
        return dict(
            os.environ,
            PATH=f"{self.tools}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            EXE=str(workspace.executable),
            DATA=str(self.data),
            SUPPORT=str(self.support),
            SUITES=str(workspace.suites),
            WARPLOOM_ENGINE=self.engine,
            **({COMPARE: self.compare} if self.compare else {}),
        )


@dataclass
class Row:
    """One line of the table."""

    name: str
    verdict: Verdict
    reason: str = ""
    build_seconds: float | None = None
    run_seconds: float | None = None
    returncode: int | None = None
    features: Sequence[str] = field(default_factory=tuple)
    flags: str = ""
    stdout_tail: str = ""
    stderr_tail: str = ""
    compared: Compared | None = None

    @property
    def title(self) -> str:
        """As a program's."""
        return title_of(self.name, self.flags)


def run_programs(
    programs: Sequence[Program], settings: Settings, jobs: int, on_row: Callable[[Row], None]
) -> list[Row]:
    """The rows in the order of `programs`; `on_row` is called with each as soon as it is there."""
    return in_parallel(programs, lambda program: run_program(program, settings), jobs, on_row)


def in_parallel(
    items: Sequence[Item], work: Callable[[Item], Found], jobs: int, on_done: Callable[[Found], None]
) -> list[Found]:
    """`work` of each of `items`, in their order; `on_done` is called with each as soon as it is there."""
    with ThreadPoolExecutor(jobs) as pool:
        pending = [pool.submit(work, item) for item in items]
        try:
            for future in as_completed(pending):
                on_done(future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [future.result() for future in pending]


def run_program(program: Program, settings: Settings) -> Row:
    """Build, run and judge one program."""
    row = Row(program.name, Verdict.MISSING, features=program.features, flags=program.flags)
    root = settings.scratch / row.title.replace(" ", "")
    try:
        workspace = lay_out(root, settings.suites, program.folder)
        if build(program, settings, workspace, row):
            run_under_seeds(program, settings, workspace, row)
    except (OSError, shutil.Error) as error:  # sources, a golden file or room on the disk
        row.verdict, row.reason = Verdict.MISSING, clipped(str(error), 200)
    finally:
        if not settings.keep:
            shutil.rmtree(root, ignore_errors=True)
    return row


def build(program: Program, settings: Settings, workspace: Workspace, row: Row) -> bool:
    """Run the build line; true when the program is there."""
    wanted = (os.environ.get("NVCC_APPEND_FLAGS"), shlex.join(settings.machine.flags), program.flags)
    appended = " ".join(part for part in wanted if part)
    flags = {"NVCC_APPEND_FLAGS": appended} if appended else {}
    done = run_shell(
        program.build,
        folder=workspace.folder,
        environment={**settings.environment(workspace), **flags},
        limit=settings.build_limit,
        log=workspace.root / "build",
    )
    row.build_seconds = done.seconds
    if done.returncode == 0 and not done.timed_out and workspace.executable.exists():
        if settings.machine.launcher:
            launch_by(settings.machine.launcher, workspace.executable)
        return True
    row.verdict, row.returncode = Verdict.NOT_BUILT, done.returncode
    row.reason = f"the build took over {settings.build_limit:g} s" if done.timed_out else build_failure(done)
    keep_tails(row, done)
    return False


def run_under_seeds(program: Program, settings: Settings, workspace: Workspace, row: Row) -> None:
    """Run the program under one seed after the other, until it is not right."""
    for seed in settings.seeds:
        run(program, settings, workspace, row, seed)
        if row.verdict != Verdict.RIGHT:
            row.reason = f"seed {seed}: {row.reason}" if seed else row.reason
            return


def run(program: Program, settings: Settings, workspace: Workspace, row: Row, seed: str) -> None:
    """Run the run line and judge what it left."""
    done = run_shell(
        program.run,
        folder=workspace.folder,
        environment={**settings.environment(workspace), **({SEED: seed} if seed else {})},
        limit=settings.run_limit,
        log=workspace.root / "run",
    )
    row.run_seconds, row.returncode = done.seconds, done.returncode
    done = judged_apart(done, settings, row)
    faults = judge(program.clauses, Result(done.returncode, done.stdout, done.stderr), settings.golden)
    if done.timed_out:
        row.verdict, row.reason = Verdict.TIME_OUT, f"killed after {settings.run_limit:g} s"
    elif not faults:
        row.verdict = Verdict.RIGHT
    elif done.returncode > 128 and any(clause.kind == "rc" for clause in program.clauses):
        row.verdict, row.reason = Verdict.CRASH, crash_reason(done)
    else:
        row.verdict, row.reason = Verdict.WRONG, "; ".join(faults)
    judge_comparison(row)
    if row.verdict != Verdict.RIGHT:
        keep_tails(row, done)


def judged_apart(done: Finished, settings: Settings, row: Row) -> Finished:
    """The run without what was told of comparisons, which goes into the row."""
    if not settings.compare:
        return done
    done, row.compared = take_report(done)
    return done


def judge_comparison(row: Row) -> None:
    """A program whose kernels differ between the engines is not right, whatever it printed."""
    if row.compared is None or not row.compared.fault:
        return
    if row.verdict == Verdict.RIGHT:
        row.verdict = Verdict.WRONG
    row.reason = "; ".join(filter(None, [row.reason, row.compared.fault]))


def build_failure(done: Finished) -> str:
    """The first error that the compiler wrote, else the last line."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line or "undefined" in line]
    chosen = errors[0] if errors else (lines[-1] if lines else f"exit status {done.returncode}, no message")
    return clipped(chosen, 200)


def crash_reason(done: Finished) -> str:
    """The signal, and the last that the program said."""
    name = signal_name(done.returncode - 128)
    # The shell names the signal as well.
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip() and not line.startswith(name)]
    return f"{name}: {clipped(lines[-1], 160)}" if lines else name


def signal_name(number: int) -> str:
    """`Segmentation fault` for 11."""
    try:
        return signal.strsignal(number) or f"signal {number}"
    except ValueError:
        return f"exit status {number + 128}"


def keep_tails(row: Row, done: Finished) -> None:
    """The end of the output goes into the row."""
    row.stdout_tail, row.stderr_tail = done.stdout[-TAIL:], done.stderr[-TAIL:]
