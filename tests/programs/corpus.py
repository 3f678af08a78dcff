# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The test programs: what each needs to be built, and what it must print.

A program is `NAME.cu`, or a folder `NAME/` with `main.cu`; its expected output is `NAME.out`. Comments on lines of
their own in the main file direct the build and the check:

    // flags: -rdc=true            more flags for the compiler
    // sources: a.cu b.cpp         more sources, beside the main file
    // library: c.cu               sources of a static library that is linked in
    // build: objects              compile each source to an object, then link
    // arch: sm_90                 the target architecture (sm_80 unless given)
    // args: 3 4                   the program's arguments
    // rc: 1                       the expected exit status
    // order: default              right in the default order of threads only: the program leaves an order open
    // stderr: REGEX               must be found in stderr
    // report: REGEX               must be found in stderr, in a report of Warploom's that a GPU's run lacks
    // unrecorded: REASON          no GPU's output to compare with: recording leaves the program out, and says why

Run as a script it builds and runs programs with any compiler that takes nvcc's command line:

    corpus.py list
    corpus.py record NAME --compiler nvcc --machine sm_90 --out FOLDER
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIRECTIVE = re.compile(
    r"^// (flags|sources|library|build|arch|args|rc|order|stderr|report|unrecorded): (.+?)\s*$", re.MULTILINE
)
RUN_SECONDS = 60


@dataclass(frozen=True)
class Program:
    """One test program and its directives."""

    name: str
    main: Path
    flags: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    library: tuple[Path, ...] = ()
    objects: bool = False
    arch: str = "sm_80"
    args: tuple[str, ...] = ()
    rc: int = 0
    default_order_only: bool = False
    stderr: str | None = None
    report: str | None = None
    unrecorded: str | None = None

    @property
    def expected_path(self) -> Path:
        """Where the expected stdout is kept."""
        return HERE / f"{self.name}.out"

    @property
    def all_sources(self) -> tuple[Path, ...]:
        """The sources that are named on the command line, the main file first."""
        return (self.main, *self.sources)


def parse(name: str, main: Path) -> Program:
    """Read the directives of one program."""
    found = dict(DIRECTIVE.findall(main.read_text()))

    def files(key: str) -> tuple[Path, ...]:
        return tuple(main.parent / item for item in found.get(key, "").split())

    return Program(
        name=name,
        main=main,
        flags=tuple(shlex.split(found.get("flags", ""))),
        sources=files("sources"),
        library=files("library"),
        objects=found.get("build") == "objects",
        arch=found.get("arch", "sm_80"),
        args=tuple(shlex.split(found.get("args", ""))),
        rc=int(found.get("rc", "0")),
        default_order_only=found.get("order") == "default",
        stderr=found.get("stderr"),
        report=found.get("report"),
        unrecorded=found.get("unrecorded"),
    )


def discover(root: Path = HERE) -> list[Program]:
    """Every program under `root`, by name."""
    programs = [parse(path.stem, path) for path in root.glob("*.cu")]
    programs += [parse(path.parent.name, path) for path in root.glob("*/main.cu")]
    return sorted(programs, key=lambda program: program.name)


def arch_flags(program: Program, machine: str | None) -> list[str]:
    """Flags for the program's architecture; with `machine`, compile for it but machine code for the given GPU."""
    if machine is None:
        return [f"-arch={program.arch}"]
    return [f"-gencode=arch={program.arch.replace('sm_', 'compute_')},code={machine}"]


def build_commands(
    program: Program, compiler: Sequence[str], folder: Path, machine: str | None = None
) -> tuple[list[list[str]], Path]:
    """The commands that build a program in `folder`, in order, and the executable they leave there."""
    executable = folder / program.name
    standard = [] if any(flag.startswith("-std=") for flag in program.flags) else ["-std=c++17"]
    start = [*compiler, *standard, *arch_flags(program, machine), *program.flags]
    commands: list[list[str]] = []
    inputs = [str(path) for path in program.all_sources]
    if program.objects:
        objects = [str(folder / f"{path.stem}.o") for path in program.all_sources]
        commands += [[*start, "-c", source, "-o", target] for source, target in zip(inputs, objects, strict=True)]
        inputs = objects
    if program.library:
        archive = str(folder / f"lib{program.name}.a")
        commands.append([*start, "-lib", *map(str, program.library), "-o", archive])
        inputs += [f"-L{folder}", f"-l{program.name}"]
    commands.append([*start, *inputs, "-o", str(executable)])
    return commands, executable


def build(program: Program, compiler: Sequence[str], folder: Path, machine: str | None = None) -> Path:
    """Build a program; raises RuntimeError with the compiler's output when a step fails."""
    commands, executable = build_commands(program, compiler, folder, machine)
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return executable


def run(program: Program, executable: Path) -> subprocess.CompletedProcess[str]:
    """Run a built program and capture what it prints."""
    return subprocess.run(
        [str(executable), *program.args],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=RUN_SECONDS,
        check=False,
    )


def judge(program: Program, rc: int, stdout: str, stderr: str, *, reports: bool = True) -> list[str]:
    """What is wrong with a run; empty when nothing is. On a GPU there are no `reports`."""
    wrong: list[str] = []
    if rc != program.rc:
        wrong.append(f"exit status {rc}, expected {program.rc}")
    if "MISMATCH" in stdout:
        wrong.append("the program's own check failed")
    expected = program.expected_path.read_text() if program.expected_path.exists() else None
    if expected is None:
        wrong.append(f"no {program.expected_path.name}")
    elif stdout != expected:
        wrong.append("stdout differs from the expected one")
    for pattern in (program.stderr, program.report if reports else None):
        if pattern is not None and re.search(pattern, stderr) is None:
            wrong.append(f"stderr lacks {pattern}")
    return wrong


def left_out(program: Program, machine: str | None) -> str | None:
    """Why a program is not recorded on `machine`; None when it is."""
    if program.unrecorded is not None:
        return program.unrecorded
    if machine is not None and int(program.arch.removeprefix("sm_")) > int(machine.removeprefix("sm_")):
        return f"it needs {program.arch}"
    return None


def record(program: Program, compiler: Sequence[str], machine: str | None, out: Path) -> str:
    """Build and run a program, write its stdout to `out`, and say in one block what came of it."""
    if (reason := left_out(program, machine)) is not None:
        return f"{program.name}: left out: {reason}"
    with tempfile.TemporaryDirectory() as folder:
        try:
            executable = build(program, compiler, Path(folder), machine)
        except RuntimeError as error:
            return f"{program.name}: BUILD FAILED\n{error}"
        try:
            done = run(program, executable)
        except subprocess.TimeoutExpired:
            return f"{program.name}: TIMED OUT"
    (out / program.expected_path.name).write_text(done.stdout)
    wrong = judge(program, done.returncode, done.stdout, done.stderr, reports=False)
    lines = [f"{program.name}: {'DIFFERS: ' + '; '.join(wrong) if wrong else 'same'} (exit status {done.returncode})"]
    lines += [f"  stderr: {line}" for line in done.stderr.splitlines()]
    return "\n".join(lines)


def main(arguments: Iterable[str] | None = None) -> int:
    """The command line of this file."""
    parser = argparse.ArgumentParser(description="list, build and record the test programs")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="print every program's name")
    recorder = verbs.add_parser("record", help="build and run one program, keep its stdout")
    recorder.add_argument("name")
    recorder.add_argument("--compiler", default="nvcc", help="command line of the compiler")
    recorder.add_argument("--machine", help="generate machine code for this architecture")
    recorder.add_argument("--out", type=Path, required=True, help="folder for NAME.out")
    options = parser.parse_args(None if arguments is None else list(arguments))
    programs = {program.name: program for program in discover()}
    if options.verb == "list":
        print("\n".join(programs))
        return 0
    if options.name not in programs:
        print(f"no program is called {options.name}", file=sys.stderr)
        return 2
    print(record(programs[options.name], shlex.split(options.compiler), options.machine, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
