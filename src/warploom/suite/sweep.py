# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build and run folders of CUDA programs by their own build files, and judge each by its own check.

Nothing is known about a program but what its folder says: the build file tells how it is built and run, and what it
prints tells whether its own comparison held. A list of notes may give smaller arguments, and the cause of a failure
that somebody has found out.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath

from warploom.core.records import dataclass, replace
from warploom.diagnostics import Diagnostic
from warploom.suite.judge import clipped
from warploom.suite.process import Finished, run_shell
from warploom.suite.recipes import Recipe, build_folder, recipe_of
from warploom.suite.runner import (
    Row,
    Settings,
    Verdict,
    build_failure,
    crash_reason,
    in_parallel,
    judge_comparison,
    judged_apart,
    keep_tails,
)
from warploom.suite.workspace import Workspace, lay_out

# A count of zero is no failure: "mismatches: 0", "0 errors", "no mismatch".
BAD_WORDS = re.compile(
    r"(?<!\b0 )(?<!\bno )(?<!\bnot )(?<!` )(?<!assertion )"  # what a test of assert prints
    r"\b(?:FAIL(?:ED|URE|URES|S)?|mismatch(?:es|ed)?|incorrect|(?:does|do|did) not match|wrong|not equal)\b"
    r"(?! as expected)(?!\w*(?:\s+\w+)?\s*[:=]\s*(?:0\b(?!\.)|no\b|false\b))",
    re.IGNORECASE,
)
GOOD_WORDS = re.compile(
    r"\b(?:PASS(?:ED|ES)?|success(?:ful|fully)?|succeeded|correct|match(?:es|ed)?|OK)\b", re.IGNORECASE
)
NO_DATA = re.compile(
    r"no such file|(?:can\W?t|cannot|could ?n[o']t|unable to|failed to|error) (?:open|find|read|load)(?:ing)?",
    re.IGNORECASE,
)
HEADERS_ELSEWHERE = re.compile(
    r"fatal error: '((?:GL|GLES\w*|EGL|llvm|boost|vulkan|GLFW|X11|d3d\w*|nvsci\w*|cudla|nvm?media\w*|mpi|nvml|nccl"
    r"|npp\w*)\w*[/.]?[/.\w]*)' file not found"
)
NO_LIBRARY = re.compile(r"^warploom: \w+: (\w+) is not supported yet: its calls return", re.MULTILINE)
LAST_SIGNAL = 128 + 64  # a shell's exit status for a process that a signal ended
WAIVED = 2  # the exit status of a CUDA sample that needs something which the machine has not
FEATURES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(cu[A-Z]\w+) is not supported yet"), "host library {}"),
    (re.compile(r"'([^']+)' file not found"), "header {}"),
    (re.compile(r"use of undeclared identifier '([^']+)'"), "name {}"),
    (re.compile(r"unknown type name '([^']+)'"), "type {}"),
    (re.compile(r"no member named '([^']+)' in"), "member {}"),
    (re.compile(r"no matching function for call to '([^']+)'"), "overload of {}"),
    (re.compile(r"undefined symbol: (.+)"), "symbol {}"),
    (re.compile(r"unable to find library (-l\S+)"), "library {}"),
    (re.compile(r"(?:unknown|unsupported) (?:option|argument|flag):? ?'?([^' ]+)"), "option {}"),
    (re.compile(r"inline PTX[^:]*: (.+)|PTX instruction '([^']+)'"), "PTX {}"),
    (re.compile(r"error: (.+)"), "{}"),
)


class Cause(StrEnum):
    """Why a program is not right."""

    OURS = "ours"
    PROGRAM = "program"  # its own bug, or a demand that no run could meet
    DATA = "data"  # input that is not in the checkout
    LIBRARY = "math library"  # its answer comes from cuBLAS, cuFFT, cuSPARSE or cuSOLVER, which are declared only
    OTHER = "not on a CPU"  # a graphics API, hardware or software beside CUDA


@dataclass
class SweepRow(Row):
    """One folder."""

    check: str = "none"  # what the program said of its own result: pass, fail or none
    cause: str = ""
    feature: str = ""


@dataclass(frozen=True)
class Note:
    """What is known of a folder beside its own files."""

    prepare: str = ""  # a shell line before the build: makes a problem smaller whose size is written in the source
    run: str = ""
    cause: str = ""
    why: str = ""


def read_list(path: Path) -> list[str]:
    """The folders of a list, one a line."""
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise Diagnostic(f"cannot read the list: {error.strerror}", file=path) from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def read_notes(path: Path) -> dict[str, Note]:
    """Notes by folder: tab-separated lines of folder, prepare, run, cause, why; all but the folder may be empty."""
    notes: dict[str, Note] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [part.strip() for part in line.split("\t")]
        if len(fields) > 5:
            raise Diagnostic("a note has at most five columns", file=path, line=number)
        folder, prepare, run, cause, why = [*fields, "", "", "", ""][:5]
        if cause and cause not in list(Cause):
            raise Diagnostic(f"no cause '{cause}': one of {', '.join(Cause)}", file=path, line=number)
        notes[folder] = Note(prepare, run, cause, why)
    return notes


def sweep(
    folders: Sequence[str],
    notes: Mapping[str, Note],
    settings: Settings,
    jobs: int,
    on_row: Callable[[SweepRow], None],
    *,
    build_only: bool = False,
) -> list[SweepRow]:
    """The rows in the order of `folders`; `on_row` is called with each as soon as it is there."""

    def work(name: str) -> SweepRow:
        return sweep_folder(name, notes.get(name, Note()), settings, build_only)

    return in_parallel(folders, work, jobs, on_row)


def sweep_folder(name: str, note: Note, settings: Settings, build_only: bool) -> SweepRow:
    """Build, run, judge and classify one folder."""
    row = SweepRow(name, Verdict.MISSING)
    root = settings.scratch / name.replace("/", ".")
    try:
        place = build_folder(settings.suites / name).relative_to(settings.suites)
        recipe = recipe_of(settings.suites / place)
        if recipe.needs:
            row.verdict, row.cause, row.reason = Verdict.NOT_BUILT, Cause.OTHER, f"needs {', '.join(recipe.needs)}"
            return row
        workspace = lay_out(root, settings.suites, str(place))
        if note.prepare:
            recipe = replace(recipe, build=f"{note.prepare} && {recipe.build}")
        if build(recipe, settings, workspace, row) and not build_only:
            run(note.run or recipe.run, settings, workspace, row)
        classify(row, note)
    except (OSError, shutil.Error) as error:
        row.verdict, row.reason = Verdict.MISSING, clipped(str(error), 200)
    finally:
        if not settings.keep:
            shutil.rmtree(root, ignore_errors=True)
    return row


def build(recipe: Recipe, settings: Settings, workspace: Workspace, row: SweepRow) -> bool:
    """Run the build line; true when it worked."""
    done = shell(recipe.build, settings, workspace, settings.build_limit, "build")
    row.build_seconds = done.seconds
    if done.returncode == 0 and not done.timed_out:
        row.verdict = Verdict.RIGHT
        return True
    row.verdict, row.returncode = Verdict.NOT_BUILT, done.returncode
    row.reason = f"the build took over {settings.build_limit:g} s" if done.timed_out else build_failure(done)
    keep_tails(row, done)
    return False


def run(command: str, settings: Settings, workspace: Workspace, row: SweepRow) -> None:
    """Run a built program and judge what it printed."""
    done = shell(command, settings, workspace, settings.run_limit, "run")
    row.run_seconds, row.returncode = done.seconds, done.returncode
    done = judged_apart(done, settings, row)
    text = f"{done.stdout}\n{done.stderr}"
    row.check = own_check(text)
    if done.timed_out:
        row.verdict, row.reason = Verdict.TIME_OUT, f"killed after {settings.run_limit:g} s"
    elif 128 < done.returncode <= LAST_SIGNAL:
        row.verdict, row.reason = Verdict.CRASH, crash_reason(done)
    elif done.returncode != 0 or row.check == "fail":
        row.verdict, row.reason = Verdict.WRONG, f"exit status {done.returncode}: {telling_line(done)}"
    judge_comparison(row)
    keep_tails(row, done)


def shell(command: str, settings: Settings, workspace: Workspace, limit: float, log: str) -> Finished:
    """Run a line in the workspace."""
    environment = {**settings.environment(workspace), "CUDA_INCLUDE": str(settings.headers)}
    return run_shell(command, folder=workspace.folder, environment=environment, limit=limit, log=workspace.root / log)


def own_check(text: str) -> str:
    """What a program says of its own result: pass, fail or none."""
    if BAD_WORDS.search(text):
        return "fail"
    return "pass" if GOOD_WORDS.search(text) else "none"


def telling_line(done: Finished) -> str:
    """The line that says most about a failure: Warploom's own, else one with a bad word, else the last."""
    lines = [line.strip() for line in (*done.stderr.splitlines(), *done.stdout.splitlines()) if line.strip()]
    ours = [line for line in lines if line.startswith("warploom:")]
    bad = [line for line in lines if BAD_WORDS.search(line) or NO_DATA.search(line)]
    return clipped(next(iter([*ours, *bad, *reversed(lines)]), "no output"), 160)


def classify(row: SweepRow, note: Note) -> None:
    """Fill in the cause of what is not right."""
    if row.verdict == Verdict.RIGHT:
        return
    elsewhere = HEADERS_ELSEWHERE.search(row.reason)
    text = f"{row.stdout_tail}\n{row.stderr_tail}"
    if note.cause:
        row.cause, row.feature = note.cause, note.why
    elif elsewhere:
        row.cause, row.feature = Cause.OTHER, f"needs {elsewhere[1]}"
    elif NO_LIBRARY.search(text):
        row.cause, row.feature = Cause.LIBRARY, clipped(row.reason, 80)
    elif row.verdict == Verdict.WRONG and row.returncode == WAIVED and "waiv" in text.lower():
        row.cause, row.feature = Cause.OTHER, "waives itself"
    elif row.verdict != Verdict.NOT_BUILT and row.check != "fail" and NO_DATA.search(text) and "warploom:" not in text:
        row.cause, row.feature = Cause.DATA, row.reason
    else:
        row.cause, row.feature = Cause.OURS, missing_feature(row.reason)


def missing_feature(reason: str) -> str:
    """A name for what is missing, by which failures can be counted."""
    for pattern, template in FEATURES:
        found = pattern.search(reason)
        if found:
            return clipped(template.format(next(group for group in found.groups() if group)), 80)
    return clipped(reason, 80)


def summary(rows: Sequence[SweepRow]) -> list[str]:
    """One line for each checkout, then the causes, then what is missing, most often met first."""
    lines: list[str] = []
    for suite in sorted({PurePosixPath(row.name).parts[0] for row in rows}):
        mine = [row for row in rows if PurePosixPath(row.name).parts[0] == suite]
        possible = [row for row in mine if row.cause != Cause.OTHER]
        built = sum(row.build_seconds is not None and row.verdict != Verdict.NOT_BUILT for row in possible)
        right = sum(row.verdict == Verdict.RIGHT for row in possible)
        line = (
            f"{suite}: {len(mine)} folders, {len(possible)} possible on a CPU: {built} built "
            f"({percent(built, len(possible))}), {right} right ({percent(right, len(possible))})"
        )
        library = sum(row.cause == Cause.LIBRARY for row in possible)
        if library:
            others = len(possible) - library
            line += f"; {right} of the {others} without a math library ({percent(right, others)})"
        lines.append(line)
    causes = Counter(row.cause for row in rows if row.cause)
    lines.append("not right: " + (", ".join(f"{number} {cause}" for cause, number in causes.most_common()) or "none"))
    missing = Counter(row.feature for row in rows if row.cause == Cause.OURS)
    return [*lines, *(f"{number:4} {feature}" for feature, number in missing.most_common())]


def percent(part: int, whole: int) -> str:
    """`78.1 %`."""
    return f"{100 * part / whole:.1f} %" if whole else "-"
