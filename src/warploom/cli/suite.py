# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom suite LIST.tsv`: build, run and judge a list of CUDA programs; print the coverage table."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from warploom.core.records import replace
from warploom.diagnostics import Diagnostic
from warploom.engines import DEFAULT_ENGINE, ENGINES
from warploom.pipeline import optional_passes
from warploom.suite import report
from warploom.suite.programs import Program, read_programs, select
from warploom.suite.runner import Row, Settings, Verdict, run_programs
from warploom.suite.workspace import make_support, make_tools
from warploom.target import Machine, parse_target


def main(argv: Sequence[str]) -> int:
    """Print the table; 0 when every program is right, else 1."""
    options = parser().parse_args(argv)
    listed = select(read_programs(options.list), [glob for glob in options.only.split(",") if glob])
    programs = [replace(program, flags=each) for each in builds(options) for program in listed]
    if options.names:
        print("\n".join(program.name for program in listed))
        return 0
    with ExitStack() as stack:
        scratch = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="warploom-suite-")))
        rows = run_all(programs, settings_of(options, scratch), options.jobs)
    if options.json is not None:
        write_json(options.json, report.as_json(rows, options.engine))
    print("\n".join([*report.comparisons(rows), *report.counts_by_flags(rows), report.counts(rows)]), flush=True)
    return 0 if all(row.verdict == Verdict.RIGHT for row in rows) else 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="warploom suite", description=__doc__, allow_abbrev=False)
    made.add_argument("list", type=Path, metavar="LIST.tsv", help="the programs: docs/suite.md tells the format")
    made.add_argument("--suites", type=Path, metavar="DIR", help="where the checkouts lie (default: $SUITES)")
    made.add_argument("--data", type=Path, metavar="DIR", help="$DATA of the run lines (default: data beside the list)")
    made.add_argument("--golden", type=Path, metavar="DIR", help="expected outputs (default: golden beside the list)")
    made.add_argument("--support", type=Path, metavar="DIR", help="C files to build for $SUPPORT (default: support)")
    made.add_argument("--engine", choices=ENGINES, default=DEFAULT_ENGINE, help="what runs the kernels")
    made.add_argument("--off-passes", default="none", metavar="each|none|P,...", help="also built without these passes")
    made.add_argument("--flags", action="append", default=[], metavar="FLAGS", help="also built with these of warpcc's")
    made.add_argument("--seeds", type=seeds, default=("",), metavar="none|S,...", help="run under each schedule seed")
    add_compare(made)
    made.add_argument("--only", default="", metavar="GLOB,...", help="only programs whose id matches")
    add_machine(made)
    made.add_argument("--names", action="store_true", help="print the ids and stop")
    made.add_argument("--jobs", type=positive, default=1, metavar="N", help="programs at a time (default 1)")
    made.add_argument("--timeout", type=positive, default=120, metavar="S", help="seconds for a run (default 120)")
    made.add_argument("--build-timeout", type=positive, default=300, metavar="S", help="for a build (default 300)")
    made.add_argument("--json", type=Path, metavar="FILE", help="write all results there; - is stdout's end")
    made.add_argument("--keep", type=Path, metavar="DIR", help="keep sources, binaries and outputs below DIR")
    return made


def add_compare(made: argparse.ArgumentParser) -> None:
    """The option that runs each kernel on both engines."""
    text = "run each kernel on both engines and compare; HOW as in WARPLOOM_COMPARE (default 1)"
    made.add_argument("--compare", nargs="?", const="1", default="", metavar="HOW", help=text)


def add_machine(made: argparse.ArgumentParser) -> None:
    """The options that say what machine the programs are for."""
    made.add_argument("--target", default="", metavar="TRIPLE", help="build for another machine (warpcc's --target)")
    made.add_argument("--sysroot", default="", metavar="DIR", help="where that one's C library is (warpcc's --sysroot)")
    made.add_argument("--launcher", default="", metavar="'COMMAND'", help="what runs its programs here, as qemu does")


def machine_of(options: argparse.Namespace) -> Machine:
    """What these options say; a Diagnostic for a target that there is no support for."""
    parse_target(options.target or None, options.sysroot or None)
    return Machine(options.target, tuple(shlex.split(options.launcher)), options.sysroot)


def positive(text: str) -> int:
    """A whole number above 0."""
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def seeds(text: str) -> tuple[str, ...]:
    """Schedule seeds; `none` is the usual order of threads."""
    return tuple("" if each == "none" else str(int(each)) for each in text.split(","))


def builds(options: argparse.Namespace) -> list[str]:
    """What warpcc gets beside the build line, for each build of a program; nothing at first."""
    off: list[str] = {"each": optional_passes(), "none": []}.get(options.off_passes, [options.off_passes])
    return ["", *(f"--off-pass={names}" for names in off), *options.flags]


def settings_of(options: argparse.Namespace, scratch: Path) -> Settings:
    """The settings of a run; a Diagnostic for a folder that is not there."""
    beside = Path(options.list).absolute().parent
    suites = options.suites or (Path(os.environ["SUITES"]) if os.environ.get("SUITES") else None)
    if suites is None:
        raise Diagnostic("where are the checkouts?", hint="give --suites DIR, or set SUITES", exit_code=2)
    folder = scratch.absolute()
    if options.keep and folder.exists() and any(folder.iterdir()):
        raise Diagnostic("--keep: the folder is not empty", file=folder, exit_code=2)
    folder.mkdir(parents=True, exist_ok=True)
    support = options.support or beside / "support"
    machine = machine_of(options)
    return Settings(
        suites=existing(suites),
        data=(options.data or default_data(beside)).absolute(),
        golden=(options.golden or beside / "golden").absolute(),
        support=make_support(existing(support), folder / "support.built", machine) if support.exists() else folder,
        tools=make_tools(folder / "tools", machine=machine),
        scratch=folder,
        engine=options.engine,
        build_limit=options.build_timeout,
        run_limit=options.timeout,
        keep=options.keep is not None,
        seeds=options.seeds,
        machine=machine,
        compare=options.compare,
    )


def default_data(beside: Path) -> Path:
    """`data` beside the list, or the only folder in it."""
    data = beside / "data"
    inside = list(data.iterdir()) if data.is_dir() else []
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else data


def existing(folder: Path) -> Path:
    """`folder`, absolute, when it is one."""
    if not folder.is_dir():
        raise Diagnostic("no such folder", file=folder, exit_code=2)
    return folder.absolute()


def run_all(programs: Sequence[Program], settings: Settings, jobs: int) -> list[Row]:
    """Run the programs and print each line of the table as it is known."""
    width = report.name_width([program.title for program in programs])
    print(report.heading(width), flush=True)
    return run_programs(programs, settings, jobs, lambda row: print(report.table_line(row, width), flush=True))


def write_json(path: Path, text: str) -> None:
    """Write the results for machines."""
    if str(path) == "-":
        sys.stdout.write(f"{text}\n")
    else:
        path.write_text(f"{text}\n")
