# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom profile PROGRAM ARGUMENTS`: what the time of a program went to."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from warploom.diagnostics import Diagnostic
from warploom.profiling.records import Process, read_folder
from warploom.profiling.report import Roof, as_csv, as_json, page, text
from warploom.profiling.summary import Summary, summarise
from warploom.profiling.trace import chrome_trace

USAGE_ERROR = 2
HELP = """usage: warploom profile [--trace F] [--html F] [--json F] [--csv F] [--no-roof] PROGRAM [ARGUMENTS]

Run a program that warpcc or `warploom run` linked, and tell what its kernels, copies, calls of the API and NVTX ranges
took. The program needs no other compilation; its exit status is passed on. The tables go to stderr.

  --trace F    a trace for ui.perfetto.dev or chrome://tracing: streams, host threads and workers as tracks
  --html F     one page with a timeline and the tables, for a browser
  --json F     the tables for machines; `-`: to stdout
  --csv F      the kernels, one a line; `-`: to stdout
  --no-roof    do not measure what this machine can do (a second, once)"""
FILES = ("--trace", "--html", "--json", "--csv")


def main(argv: Sequence[str]) -> int:
    """Run the program and print the tables; the program's exit status."""
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP, file=sys.stdout if argv else sys.stderr)
        return 0 if argv else USAGE_ERROR
    files, with_roof, command = _split(argv)
    with tempfile.TemporaryDirectory(prefix="warploom-profile-") as folder:
        status = _run(command, Path(folder))
        processes = [each for each in read_folder(Path(folder)) if each.events]
    if not processes:
        raise Diagnostic(
            f"{command[0]} recorded nothing",
            hint="is it linked with Warploom's runtime (warpcc), and does it use the CUDA API?",
        )
    summaries = [summarise(process) for process in processes]
    roof = machine_roof(processes[0].processors) if with_roof else None
    for summary in summaries:
        print(text(summary, roof), file=sys.stderr)
    _write(files, processes, summaries, roof)
    return status


def _split(argv: Sequence[str]) -> tuple[dict[str, str], bool, list[str]]:
    """The files that are asked for, whether the machine is measured, and the program's command line."""
    files, with_roof, words = dict[str, str](), True, list(argv)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, has_value, value = word.partition("=")
        if word == "--":
            break
        if word == "--no-roof":
            with_roof = False
        elif name in FILES and (has_value or words):
            files[name] = value if has_value else words.pop(0)
        else:
            raise Diagnostic(
                f"warploom profile: what is {word}?", hint="warploom profile --help", exit_code=USAGE_ERROR
            )
    if not words:
        raise Diagnostic("warploom profile: no program is named", hint="warploom profile --help", exit_code=USAGE_ERROR)
    return files, with_roof, words


def _run(command: Sequence[str], folder: Path) -> int:
    program = shutil.which(command[0])
    if program is None:
        named = Path(command[0])
        near = f"./{command[0]}" if named.exists() and "/" not in command[0] else ""
        raise Diagnostic(f"{command[0]} is no program that can be run", hint=f"did you mean {near}?" if near else None)
    environment = dict(os.environ, WARPLOOM_PROFILE=str(folder))
    done = subprocess.run([program, *command[1:]], env=environment, check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def machine_roof(processors: int) -> Roof | None:
    """What this many cores can do; None where the probe or a compiler for it is missing."""
    from warploom.measure.builds import NATIVE, Builder
    from warploom.measure.runs import Plan, RunFailed, available_cores, roofline
    from warploom.toolchain import find_toolchain

    try:
        cores = available_cores(processors)
        builder = Builder(toolchain=find_toolchain(), march=NATIVE, engine=None, flags=(), openmp_flags=())
        found = roofline(builder.roofline(), MEMORY_BYTES, Plan(1, 0.1, cores, quick=True))
    except (Diagnostic, RunFailed, OSError) as problem:
        print(f"warploom: this machine was not measured: {problem}", file=sys.stderr)
        return None
    return Roof(found.flops, max(found.read, found.update))


MEMORY_BYTES = 1 << 28  # more than any cache holds


def _write(
    files: dict[str, str], processes: Sequence[Process], summaries: Sequence[Summary], roof: Roof | None
) -> None:
    makers = {
        "--trace": lambda: json.dumps(chrome_trace(processes)),
        "--html": lambda: page(summaries, roof),
        "--json": lambda: json.dumps([as_json(summary, roof) for summary in summaries], indent=1) + "\n",
        "--csv": lambda: as_csv(summaries),
    }
    for name, file in files.items():
        if file == "-":
            sys.stdout.write(makers[name]())
        else:
            Path(file).write_text(makers[name]())
