# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom bundle ./app`: put the libraries that a program needs beside it, but for those that every machine has."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from warploom.diagnostics import Diagnostic
from warploom.host_libraries import named_library, openblas_file
from warploom.toolchain import run_tool

SYSTEM = tuple(map(Path, ("/lib", "/lib64", "/usr/lib", "/usr/lib64")))
ORIGIN = b"$ORIGIN"  # in a program that looks for libraries in its own folder; warpcc links all programs so


def main(argv: Sequence[str]) -> int:
    """Copy the libraries, and with --to the program, and say which."""
    options = parser().parse_args(argv)
    program: Path = options.program
    folder: Path = options.to or program.absolute().parent
    if not program.is_file():
        raise Diagnostic("no such file", file=program)
    if ORIGIN not in program.read_bytes():
        raise Diagnostic(
            "this program does not look for libraries beside it", file=program,
            hint="link it by warpcc, or with -Wl,-rpath,'$ORIGIN'; warpcc -cudart=static needs no bundle",
        )  # fmt: skip
    libraries = needed(program)
    folder.mkdir(parents=True, exist_ok=True)
    for file in [*([program] if options.to else []), *libraries]:
        copy = folder / file.name
        if not (copy.exists() and copy.samefile(file)):
            shutil.copy2(file, copy)
            print(copy)
    return 0


def needed(program: Path) -> list[Path]:
    """The libraries of a program outside of the system's folders, as the loader finds them."""
    told = run_tool(["ldd", program])
    missing = re.findall(r"^\s*(\S+) => not found", told.stdout, re.MULTILINE)
    if told.returncode != 0 or missing:
        raise Diagnostic(
            f"not found: {', '.join(missing)}" if missing else told.stderr.strip() or "ldd cannot read it",
            file=program, hint="bundle a program where it was built",
        )  # fmt: skip
    found = [Path(path) for path in re.findall(r"=> (/\S+) \(0x", told.stdout)]
    own = [path for path in found if not any(path.is_relative_to(folder) for folder in SYSTEM)]
    openblas = openblas_file()  # loaded by libraries of ours when they are first used
    uses = any(named_library(path.name) is not None for path in own)
    return [*own, openblas] if uses and openblas is not None else own


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="warploom bundle", description="Put the libraries that a program needs beside it, for other machines."
    )
    made.add_argument("program", type=Path)
    made.add_argument("--to", type=Path, metavar="DIR", help="copy the program there as well")
    return made
