# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that pin the CUDA headers down: what they print was recorded on a GPU, over millions of values."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.engines import ENGINES

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(HERE.glob("*.cu"))
FLAGS = ("-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr", "-lcurand")


def test_every_program_has_its_expected_output() -> None:
    assert {path.stem for path in PROGRAMS} == {path.stem for path in HERE.glob("*.out")}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_headers(source: Path, engine: str, tmp_path: Path) -> None:
    program = tmp_path / source.stem
    command = [
        sys.executable,
        "-m",
        "warploom.cli.warpcc",
        f"--engine={engine}",
        *FLAGS,
        str(source),
        "-o",
        str(program),
    ]
    own = {**os.environ, "WARPLOOM_CCCL": "none"}  # where CCCL is installed its cuda/barrier would be used
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=own)
    assert built.returncode == 0, built.stderr
    for seed in ("", "7"):
        environment = {**os.environ, "WARPLOOM_SCHEDULE_SEED": seed}
        done = subprocess.run([program], capture_output=True, text=True, timeout=300, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout == source.with_suffix(".out").read_text(), f"seed {seed or 'none'}"
