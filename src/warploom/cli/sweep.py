# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom sweep LIST.txt`: build and run folders by their own build files; classify what fails."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from warploom.cli.suite import add_compare, existing, positive, write_json
from warploom.core.records import asdict
from warploom.diagnostics import Diagnostic
from warploom.engines import DEFAULT_ENGINE, ENGINES
from warploom.frontend.passes import INCLUDE
from warploom.suite import report
from warploom.suite.programs import match_names
from warploom.suite.runner import Settings, Verdict
from warploom.suite.sweep import Note, SweepRow, read_list, read_notes, summary, sweep
from warploom.suite.workspace import make_tools


def main(argv: Sequence[str]) -> int:
    """Print the table; 0 when every folder is right, else 1."""
    options = parser().parse_args(argv)
    folders = match_names(read_list(options.list), [glob for glob in options.only.split(",") if glob])
    notes: dict[str, Note] = read_notes(options.notes) if options.notes else {}
    with ExitStack() as stack:
        scratch = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="warploom-sweep-")))
        settings = settings_of(options, scratch.absolute())
        width = report.name_width(folders)
        print(report.heading(width), flush=True)
        done: list[SweepRow] = []

        def note(row: SweepRow) -> None:
            done.append(row)
            print(line_of(row, width), flush=True)
            if options.json is not None and str(options.json) != "-":  # now: who is killed has told what is known
                write_json(options.json, as_json(done, options.engine))

        rows = sweep(folders, notes, settings, options.jobs, note, build_only=options.build_only)
    if options.json is not None:
        write_json(options.json, as_json(rows, options.engine))
    print("\n".join([*report.comparisons(rows), *summary(rows)]), flush=True)
    return 0 if all(row.verdict == Verdict.RIGHT for row in rows) else 1


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="warploom sweep", description=__doc__, allow_abbrev=False)
    made.add_argument("list", type=Path, metavar="LIST.txt", help="the folders, one a line, below --suites")
    made.add_argument("--suites", type=Path, metavar="DIR", required=True, help="where the checkouts lie")
    made.add_argument(
        "--notes",
        type=Path,
        metavar="FILE.tsv",
        help="smaller arguments and known causes by folder; its folder is $SUPPORT to them",
    )
    made.add_argument("--engine", choices=ENGINES, default=DEFAULT_ENGINE, help="what runs the kernels")
    made.add_argument("--nvcc", metavar="PROGRAM", help="another compiler instead of warpcc: NVIDIA's, to compare")
    add_compare(made)
    made.add_argument("--only", default="", metavar="GLOB,...", help="only folders whose name matches")
    made.add_argument("--build-only", action="store_true", help="run nothing")
    made.add_argument("--jobs", type=positive, default=1, metavar="N", help="folders at a time (default 1)")
    made.add_argument("--timeout", type=positive, default=60, metavar="S", help="seconds for a run (default 60)")
    made.add_argument("--build-timeout", type=positive, default=300, metavar="S", help="for a build (default 300)")
    made.add_argument("--json", type=Path, metavar="FILE", help="write all results there; - is stdout's end")
    made.add_argument("--keep", type=Path, metavar="DIR", help="keep sources, binaries and outputs below DIR")
    return made


def settings_of(options: argparse.Namespace, scratch: Path) -> Settings:
    """The settings of a run; a Diagnostic for a folder that is not there."""
    if options.keep and scratch.exists() and any(scratch.iterdir()):
        raise Diagnostic("--keep: the folder is not empty", file=scratch, exit_code=2)
    scratch.mkdir(parents=True, exist_ok=True)
    # Jobs share the cores, unless the user has said otherwise.
    os.environ.setdefault("WARPLOOM_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // options.jobs)))
    return Settings(
        suites=existing(options.suites),
        data=scratch,
        golden=scratch,
        support=options.notes.resolve().parent if options.notes else scratch,
        tools=make_tools(scratch / "tools", options.nvcc),
        scratch=scratch,
        engine=options.engine,
        build_limit=options.build_timeout,
        run_limit=options.timeout,
        keep=options.keep is not None,
        headers=Path(options.nvcc).resolve().parent.parent / "include" if options.nvcc else INCLUDE,
        compare=options.compare,
    )


def line_of(row: SweepRow, width: int) -> str:
    """A line of the table; the cause stands before the reason."""
    line = report.table_line(row, width)
    return f"{line} [{row.cause}]" if row.cause else line


def as_json(rows: Sequence[SweepRow], engine: str) -> str:
    """All that is known of a sweep, for machines."""
    return json.dumps({"engine": engine, "summary": summary(rows), "folders": [asdict(row) for row in rows]}, indent=2)
