# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build one program from several sources by warpcc's own command line, and tell which files were read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warploom.frontend.dependencies import parse_dependencies
from warploom.scratch import temporary_folder

COMPILED_SUFFIXES = frozenset((".cu", ".c", ".cc", ".cpp", ".cxx"))


class BuildFailed(Exception):
    """The compiler ended with `status` and has said why."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the compiler ended with status {status}")
        self.status = status


def build_program(sources: Sequence[str], flags: Sequence[str], program: Path) -> set[Path]:
    """Compile and link `sources` into `program`; the files that went into it, by absolute path.

    Each source is compiled by itself, as build systems do it: the dependency file that the compiler writes is then that
    of one source. Raises BuildFailed.
    """
    read: set[Path] = set()
    inputs: list[str] = []
    with temporary_folder("warploom-run-") as scratch:
        for number, source in enumerate(sources):
            if Path(source).suffix in COMPILED_SUFFIXES:
                # Flags and names decide the object's name: two sources may share theirs.
                made = Path(scratch, f"{number}-{Path(source).stem}.o")
                dependencies = made.with_suffix(".d")
                compile_source([*flags, "-c", source, "-o", str(made), "-MD", "-MF", str(dependencies)])
                read |= parse_dependencies(dependencies.read_text())
                inputs.append(str(made))
            else:
                read.add(Path(source).absolute())
                inputs.append(source)
        compile_source([*flags, *inputs, "-o", str(program)])
    return read


def compile_source(arguments: Sequence[str]) -> None:
    """One run of warpcc in this process; its messages go to stderr."""
    from warploom.cli import warpcc

    status = warpcc.main(list(arguments))
    if status != 0:
        raise BuildFailed(status)
