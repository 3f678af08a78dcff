# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/api.md is what the package's docstrings say, and every public name has one."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import warploom

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "api_reference.py"


def test_the_reference_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_name_is_described_and_typed() -> None:
    for name in warploom.__all__:
        made = getattr(warploom, name)
        assert inspect.getdoc(made), name
        assert name in dir(warploom)
    assert (Path(warploom.__file__).parent / "py.typed").exists()


# What the examples take for given.
GIVEN = """
import numpy as np, warploom
import warploom.compat.numba_cuda as cuda

source = '''
#ifndef N
#define N 1
#endif
extern "C" __global__ void add(const float *a, const float *b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
extern "C" __global__ void scale(float *x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by * N; }
extern "C" __global__ void shift(float *x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
'''
a, b, out = np.ones(1000, np.float32), np.full(1000, 2, np.float32), np.zeros(1000, np.float32)
blocks, threads, x = 4, 256, np.ones(1024, np.float32)
shift = warploom.RawKernel(source, "shift")
kernel, grid, block, args = shift, (4,), (256,), (x, 1.0)
"""
THEN = """
assert (out == 3).all()
assert (x == ((2 * 16) ** 2 + 1) * 2 + 1).all(), x
"""


def test_the_examples_run(tmp_path: Path) -> None:
    """All blocks of code that are no signatures, one after the other."""
    blocks = re.findall(r"```python\n(.*?)\n```", (SCRIPT.parent.parent / "docs" / "api.md").read_text(), re.DOTALL)
    examples = [block for block in blocks if block.partition("(")[0] not in warploom.__all__]
    assert 0 < len(examples) < len(blocks)
    program = tmp_path / "examples.py"  # a file: kernels in Python are read from it
    program.write_text("\n".join([GIVEN, *examples, THEN]))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "shift" in done.stdout, "the profile"
