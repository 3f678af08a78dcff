# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A private working copy for each program, and the tools that its command lines find.

Programs write into the folder they lie in and reach others by relative paths (`../../data`). So a copy of the checkouts
is laid out that is real only along the program's own folder; beside that path everything is a link to the original:

    SUITES/rodinia/cuda/bfs          SCRATCH/suites/rodinia/cuda/bfs     a copy
    SUITES/rodinia/cuda/lud     ==>  SCRATCH/suites/rodinia/cuda/lud     a link
    SUITES/rodinia/data              SCRATCH/suites/rodinia/data         a link
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from warploom import toolchain
from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.target import ARCHITECTURES, HERE, Machine, parse_target

LINKED_ABOVE = 64 << 20  # bytes: a larger file is linked, not copied; inputs are, and nobody writes to those


@dataclass(frozen=True)
class Workspace:
    """Where one program is built and run."""

    root: Path
    suites: Path
    folder: Path

    @property
    def executable(self) -> Path:
        """What the build line has to make."""
        return self.root / "program"


def lay_out(root: Path, suites: Path, folder: str) -> Workspace:
    """Make a workspace below `root` for the program in `folder` of `suites`; FileNotFoundError when there is none."""
    original = suites / folder
    if not original.is_dir():
        raise FileNotFoundError(f"no folder {original}")
    copy = root / "suites"
    source, target = suites, copy
    for part in PurePosixPath(folder).parts:
        target.mkdir(parents=True, exist_ok=True)
        link_all(source, target, but=part)
        source, target = source / part, target / part
    shutil.copytree(source, target, symlinks=False, copy_function=copy_or_link, ignore_dangling_symlinks=True)
    return Workspace(root, copy, target)


def link_all(source: Path, target: Path, *, but: str) -> None:
    """Link every entry of `source` into `target`, except the one named `but`."""
    for entry in source.iterdir():
        if entry.name != but:
            (target / entry.name).symlink_to(entry.resolve())


def copy_or_link(source: str, target: str) -> str:
    """Copy a file; link it when it is large."""
    if Path(source).stat().st_size > LINKED_ABOVE:
        Path(target).symlink_to(Path(source).resolve())
        return target
    return shutil.copy2(source, target)


def launch_by(launcher: Sequence[str], executable: Path) -> None:
    """Put a script in the place of `executable` that has `launcher` run it."""
    program = executable.with_name(f"{executable.name}.built")
    executable.rename(program)
    write_script(executable, shlex.join([*launcher, str(program)]))


def write_script(path: Path, command: str) -> None:
    """A script that becomes `command`, a line of the shell's, and hands on its arguments."""
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(0o755)


def make_tools(folder: Path, compiler: str | None = None, machine: Machine = HERE) -> Path:
    """A folder to put first on PATH, where `nvcc` and `warpcc` are this installation's warpcc, or `compiler`.

    For another machine `gcc` and `g++` are the cross compilers, whose `char` has a sign as warpcc's has.
    """
    # -P: a program's folder may hold a file that is called like a Python module.
    command = shlex.quote(compiler) if compiler else f"{shlex.quote(sys.executable)} -P -m warploom.cli.warpcc"
    folder.mkdir(parents=True)
    for name in ("nvcc", "warpcc"):
        write_script(folder / name, command)
    target = parse_target(machine.target or None, machine.sysroot or None)
    if not target.is_host:
        for name, tool in (("gcc", "gcc"), ("cc", "gcc"), ("g++", "g++"), ("c++", "g++")):
            words = [f"{target.gnu_triple}-{tool}", *target.sysroot_flags, *ARCHITECTURES[target.arch].source_flags]
            write_script(folder / name, shlex.join(words))
    return folder


def make_support(source: Path, folder: Path, machine: Machine = HERE) -> Path:
    """Build every C file of `source` as a shared library into `folder`; other files come along."""
    folder.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if path.suffix == ".c":
            library = folder / f"{path.stem}.so"
            done = toolchain.run_tool([*c_compiler(machine), "-shared", "-fPIC", "-O1", path, "-o", library, "-ldl"])
            if done.returncode != 0:
                raise Diagnostic(f"cannot be built as a shared library:\n{done.stderr}", file=path)
        elif path.is_file():
            shutil.copy2(path, folder / path.name)
    return folder


def c_compiler(machine: Machine) -> Sequence[str]:
    """A C compiler for the machine: this one's `cc` where there is one, else clang."""
    target = parse_target(machine.target or None, machine.sysroot or None)
    own = shutil.which("cc") if target.is_host else None
    if own is not None:
        return [own]
    found = toolchain.find_toolchain(target)
    clang = found.clang.with_name(found.clang.name.replace("clang++", "clang"))
    return [str(clang), "-Wno-unused-command-line-argument", *found.link_flags]
