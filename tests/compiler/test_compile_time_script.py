# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The script that measures where compile time goes runs, and finds every stage that a kernel goes through."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "compile_time.py"
KERNEL = "__global__ void twice(int n, float *x) { int i = threadIdx.x; if (i < n) x[i] *= 2; }\n"
STAGES = ("clang device pass", "import", "pass canonicalise", "emission", "LLVM passes", "LLVM code generation")


def test_each_stage_of_a_compilation_is_told_with_its_time(tmp_path: Path) -> None:
    (tmp_path / "twice.cu").write_text(KERNEL)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--stages", "twice.cu", "--rounds", "1"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    told = {label: float(time) for time, label in re.findall(r"^ *(\d+\.\d+) s  (.+)$", done.stdout, re.MULTILINE)}
    assert told.keys() >= set(STAGES), done.stdout
    assert told["clang device pass"] > 0, done.stdout
