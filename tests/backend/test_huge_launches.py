# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of as many threads as CUDA allows, on the optimising engine; and programs whose launches all take the code
for such."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from built_program import LAUNCHES, built

OPTIONS = ("--engine=loom", "-std=c++17", "-O3")
PROGRAMS = Path(__file__).parent.parent / "programs"
# Divergent control and barriers; warp collectives; private arrays; barriers of the grid; blocks of a plane; fma.
LIMITED = ("barrier_uniform_control", "warp_shuffle_divergent", "local_arrays", "cg_grid_sync", "transpose", "n_body")


def test_launches_of_2_31_threads_and_more(tmp_path: Path) -> None:
    program = built(LAUNCHES / "huge.cu", tmp_path / "huge", *OPTIONS)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.splitlines() == [
        "cudaSuccess 4294967294 4294967295",
        "cudaSuccess 4294967293",
        "cudaSuccess 2147484670 2147484671",
        "cudaSuccess 1 4",
        "cudaSuccess 2214591743",
        "cudaSuccess 2147484159 2147483904",
    ], done.stderr


@pytest.mark.parametrize("name", LIMITED)
def test_code_for_launches_of_any_size(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_LAUNCH_LIMIT", "1")
    monkeypatch.setenv("WARPLOOM_VERIFY", "1")
    program = built(PROGRAMS / f"{name}.cu", tmp_path / name, *OPTIONS)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == (PROGRAMS / f"{name}.out").read_text(), done.stderr
