# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the tests here build the engine, without the CUDA API, and programs that use it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from warploom.toolchain import Toolchain

HERE = Path(__file__).parent
RUNTIME = HERE.parents[1] / "src" / "warploom" / "runtime"
FLAGS = ("-std=c++20", "-O1", "-g1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")


def compile_object(toolchain: Toolchain, source: Path, folder: Path) -> Path:
    """The object of a source file, in `folder`."""
    made = folder / f"{source.name}.o"
    flags = [*toolchain.cxx_flags, *FLAGS, "-Wno-unused-command-line-argument"]
    call([toolchain.clang, *flags, "-c", source, "-o", made])
    return made


def engine_objects(toolchain: Toolchain, folder: Path) -> list[Path]:
    """The engine's objects, in `folder`."""
    sources = sorted([*RUNTIME.glob("*.cpp"), *RUNTIME.glob("*.S")])
    return [compile_object(toolchain, source, folder) for source in sources]


def link_program(toolchain: Toolchain, objects: Sequence[Path], program: Path) -> Path:
    """`program`, of these objects."""
    call([toolchain.clang, *toolchain.link_flags, *objects, "-o", program, "-lpthread", "-ldl"])
    return program


def call(command: Sequence[str | Path]) -> None:
    """Run a tool that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check_output(done: subprocess.CompletedProcess[str]) -> None:
    """Every line that a test program prints reports a passing test, and it ends with success."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(line.startswith("ok ") for line in done.stdout.splitlines()), done.stdout
