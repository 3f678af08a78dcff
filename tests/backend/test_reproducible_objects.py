# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same source is the same object each time: caches and distributions compare files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

KERNEL = """
__global__ void add_{0}({1} *to, const {1} *a, const {1} *b, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += a[i] * b[i];
}}
"""
TYPES = ("float", "double", "int", "short", "unsigned", "long long")


def test_an_object_does_not_depend_on_the_order_of_sets(tmp_path: Path) -> None:
    """Python's sets of names have another order in each process."""
    source, output = tmp_path / "sums.cu", tmp_path / "sums.o"
    source.write_text("".join(KERNEL.format(number, name) for number, name in enumerate(TYPES)))
    found: set[bytes] = set()
    for seed in range(4):
        command = [sys.executable, "-m", "warploom.cli.warpcc", "-c", str(source), "-o", str(output)]
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": str(seed)}, check=True)
        found.add(output.read_bytes())
    assert len(found) == 1
