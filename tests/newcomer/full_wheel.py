# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A new user installs the wheel into a clean virtual environment and runs a first program: how long that takes, beside
numba from PyPI and its first @njit, and `make docs` from nothing.

Processor seconds decide, which other work on the machine changes little; the clock's are printed beside them.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST_RUN = 3.0  # processor seconds
NJIT = """
import numpy as np
from numba import njit

@njit
def add(a, b):
    c = np.empty_like(a)
    for i in range(a.size):
        c[i] = a[i] + b[i]
    return c

a = np.arange(1 << 20, dtype=np.float32)
print((add(a, a) != 2 * a).sum(), "wrong")
"""


@dataclass(frozen=True)
class Spent:
    """By the clock and on processors, in seconds; and what was printed."""

    clock: float
    processor: float
    out: str

    def __str__(self) -> str:
        return f"{self.clock:.2f} s ({self.processor:.2f} s of processors)"


def _timed(*command: str | Path, cwd: Path = ROOT, **variables: str) -> Spent:
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, **variables)
    done = subprocess.run(command, cwd=cwd, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.monotonic() - start, processor, done.stdout)


def test_wheel_then_first_program(tmp_path: Path) -> None:
    built = _timed(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("warploom-*-manylinux_*.whl")
    _timed(sys.executable, "-m", "venv", tmp_path / "venv")
    installed = _timed(tmp_path / "venv" / "bin" / "pip", "install", "--quiet", wheel)
    command = (tmp_path / "venv" / "bin" / "warploom", "run", ROOT / "examples" / "vecadd.cu")
    first = _timed(*command, WARPLOOM_CACHE_DIR=str(tmp_path / "cache"))
    second = _timed(*command, WARPLOOM_CACHE_DIR=str(tmp_path / "cache"))
    print(f"wheel {built}, install {installed}, first run {first}, second {second}")
    assert "0 wrong" in first.out
    assert first.processor < FIRST_RUN


def test_numba_then_first_njit(tmp_path: Path) -> None:
    """For comparison: nothing of ours."""
    _timed(sys.executable, "-m", "venv", tmp_path / "venv")
    pip = subprocess.run([tmp_path / "venv" / "bin" / "pip", "download", "--no-deps", "-q", "-d", tmp_path, "numba"],
                         capture_output=True, check=False)  # fmt: skip
    if pip.returncode != 0:
        pytest.skip("no numba to be had")
    installed = _timed(tmp_path / "venv" / "bin" / "pip", "install", "--quiet", "numba")
    first = _timed(tmp_path / "venv" / "bin" / "python", "-c", NJIT)
    second = _timed(tmp_path / "venv" / "bin" / "python", "-c", NJIT)
    print(f"numba: install {installed}, first run {first}, second {second}")
    assert "0 wrong" in first.out


def test_make_docs_from_a_fresh_copy(tmp_path: Path) -> None:
    """Searchable pages, every link of which leads somewhere (`mkdocs build --strict`)."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("no checkout of git")
    for name in filter(None, listed.stdout.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    _timed("make", "docs", cwd=tmp_path)
    page = (tmp_path / "build" / "site" / "guide" / "index.html").read_text()
    assert "Choose the width of vectors" in page
    assert (tmp_path / "build" / "site" / "search" / "search_index.json").exists()
