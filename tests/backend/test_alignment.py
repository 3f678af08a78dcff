# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference engine ends a grid whose accesses are misaligned, and no other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MISALIGNED = {"load4": 4, "load2": 2, "load8": 8, "store4": 4, "atomic4": 4, "float4_by_4": 16, "aligned_by_4": 8}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("misaligned") / "program"
    command = [sys.executable, "-m", "warploom.cli.warpcc", "--engine=reference", HERE / "misaligned.cu", "-o", made]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


def run(program: Path, kernel: str) -> tuple[str, str]:
    done = subprocess.run([program, kernel], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


@pytest.mark.parametrize("kernel", MISALIGNED)
def test_a_misaligned_access_ends_the_grid(program: Path, kernel: str) -> None:
    name, told = run(program, kernel)
    assert name == "cudaErrorMisalignedAddress\n"
    assert f"misaligned access of {MISALIGNED[kernel]} bytes at 0x" in told


def test_the_thread_is_named(program: Path) -> None:
    name, told = run(program, "thread_33")
    assert name == "cudaErrorMisalignedAddress\n"
    assert "thread (33, 0, 0)" in told


@pytest.mark.parametrize("kernel", ["member_by_4", "pair_by_4", "bytes"])
def test_an_access_is_held_to_its_own_size(program: Path, kernel: str) -> None:
    assert run(program, kernel) == ("cudaSuccess\n", "")
