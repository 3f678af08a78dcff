# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile each C++ test of the reference engine with the engine's own sources, and run it under several schedules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.toolchain import Toolchain, find_toolchain

sys.path.insert(0, str(Path(__file__).resolve().parent))
import engine as build

TESTS = sorted(build.HERE.glob("*.cpp"))
SCHEDULES = {
    "in order": {},
    "seed 1": {"WARPLOOM_SCHEDULE_SEED": "1"},
    "one worker": {"WARPLOOM_NUM_THREADS": "1"},
    "OpenMP's threads": {"WARPLOOM_TEST_OPENMP": "1", "OMP_NUM_THREADS": "16"},
}


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find_toolchain()


@pytest.fixture(scope="session")
def engine(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The engine's object files, without the CUDA API."""
    return build.engine_objects(toolchain, tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="session", params=TESTS, ids=lambda path: path.stem)
def program(
    request: pytest.FixtureRequest, toolchain: Toolchain, engine: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    source: Path = request.param
    folder = tmp_path_factory.mktemp(source.stem)
    main = build.compile_object(toolchain, source, folder)
    return build.link_program(toolchain, [main, *engine], folder / source.stem)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_engine(program: Path, schedule: str) -> None:
    """Every line the program prints reports a passing test; it ends with success and in time."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WARPLOOM_SCHEDULE")}
    clean["WARPLOOM_ALONE"] = "1"  # other tests at work beside it would take processors that some of these wait for
    done = subprocess.run(
        [program], capture_output=True, text=True, timeout=120, check=False, env=clean | SCHEDULES[schedule]
    )
    build.check_output(done)
