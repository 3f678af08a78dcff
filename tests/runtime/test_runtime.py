# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile each C++ test of the reference engine with the engine's own sources, and run it under several schedules."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from warploom.toolchain import Toolchain, find_toolchain

HERE = Path(__file__).parent
RUNTIME = HERE.parents[1] / "src" / "warploom" / "runtime"
TESTS = sorted(HERE.glob("*.cpp"))
SCHEDULES = {"in order": {}, "seed 1": {"WARPLOOM_SCHEDULE_SEED": "1"}, "one worker": {"WARPLOOM_NUM_THREADS": "1"}}


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find_toolchain()


def _compile(toolchain: Toolchain, source: Path, output: Path) -> None:
    command = [toolchain.clang, *toolchain.cxx_flags, "-std=c++20", "-O1", "-g1", "-fPIC", "-fvisibility=hidden"]
    command += [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-command-line-argument",
        "-c",
        source,
        "-o",
        output,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def engine(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The engine's object files, without the CUDA API."""
    folder = tmp_path_factory.mktemp("engine")
    objects: list[Path] = []
    for source in sorted([*RUNTIME.glob("*.cpp"), *RUNTIME.glob("*.S")]):
        objects.append(folder / (source.name + ".o"))
        _compile(toolchain, source, objects[-1])
    return objects


@pytest.fixture(scope="session", params=TESTS, ids=lambda path: path.stem)
def program(
    request: pytest.FixtureRequest, toolchain: Toolchain, engine: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    source: Path = request.param
    folder = tmp_path_factory.mktemp(source.stem)
    main = folder / "main.o"
    _compile(toolchain, source, main)
    program = folder / source.stem
    command = [toolchain.clang, *toolchain.link_flags, main, *engine, "-o", program]
    command += ["-lpthread", "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_engine(program: Path, schedule: str) -> None:
    """Every line the program prints reports a passing test; it ends with success and in time."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WARPLOOM_SCHEDULE")}
    done = subprocess.run(
        [program], capture_output=True, text=True, timeout=120, check=False, env=clean | SCHEDULES[schedule]
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(line.startswith("ok ") for line in done.stdout.splitlines()), done.stdout
