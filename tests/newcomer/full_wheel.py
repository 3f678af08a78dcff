# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A new user installs the wheel into a clean virtual environment and runs a first program: how long that takes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIRST_RUN = 3.0  # seconds, on an idle machine with two cores


def _timed(*command: str | Path, **variables: str) -> tuple[float, str]:
    start = time.monotonic()
    done = subprocess.run(command, env=dict(os.environ, **variables), text=True, capture_output=True, check=True)
    return time.monotonic() - start, done.stdout


def test_wheel_then_first_program(tmp_path: Path) -> None:
    built, _ = _timed(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("warploom-*-manylinux_*.whl")
    _timed(sys.executable, "-m", "venv", tmp_path / "venv")
    installed, _ = _timed(tmp_path / "venv" / "bin" / "pip", "install", "--quiet", wheel)
    command = (tmp_path / "venv" / "bin" / "warploom", "run", ROOT / "examples" / "vecadd.cu")
    first, out = _timed(*command, WARPLOOM_CACHE_DIR=str(tmp_path / "cache"))
    second, _ = _timed(*command, WARPLOOM_CACHE_DIR=str(tmp_path / "cache"))
    print(f"wheel {built:.1f} s, install {installed:.1f} s, first run {first:.2f} s, second {second:.2f} s")
    assert "0 wrong" in out
    assert first < FIRST_RUN
