# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few programs print the same with vectors of any width, any number of rows at once, on any level of processor.

All programs under one setting: `WARPLOOM_WIDTH=4 WARPLOOM_JAM=2 pytest tests/programs/test_programs.py`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import corpus

from warploom.cpu import cpu_flags

SOURCE_ROOT = corpus.HERE.parents[1] / "src"
WARPCC = [sys.executable, "-m", "warploom.cli.warpcc"]
# Blocks of one row and of many; private arrays, and loops that threads leave one by one; products of bytes.
NAMES = ("local_arrays", "matmul", "dot_products")
SETTINGS = ((4, 2, "x86-64-v2"), (8, 4, "x86-64-v3"), (64, 1, "x86-64-v3"), (32, 2, "x86-64-v4"))


@pytest.mark.parametrize(("width", "jam", "cpu"), SETTINGS)
@pytest.mark.parametrize("name", NAMES)
def test_program(name: str, width: int, jam: int, cpu: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if cpu == "x86-64-v4" and "avx512bw" not in cpu_flags():
        pytest.skip("this machine has no AVX-512")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE_ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("WARPLOOM_WIDTH", str(width))
    monkeypatch.setenv("WARPLOOM_JAM", str(jam))
    monkeypatch.setenv("WARPLOOM_VERIFY", "1")
    (program,) = (each for each in corpus.discover() if each.name == name)
    executable = corpus.build(program, [*WARPCC, f"--cpu={cpu}"], tmp_path)
    done = corpus.run(program, executable)
    assert done.stdout == program.expected_path.read_text(), done.stderr
    assert corpus.judge(program, done.returncode, done.stdout, done.stderr) == [], done.stderr
