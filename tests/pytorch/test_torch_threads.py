# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels among operators of the CPU backend run on OpenMP's threads, which those leave awake."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import warploom

SIZE = 300_001
ADD_ONE = r"""
extern "C" __global__ void add_one(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;
}"""
# Blocks that wait for the one before.
CHAIN = r"""
extern "C" __global__ void chain(volatile int *sums) {
  if (threadIdx.x != 0) return;
  while (blockIdx.x != 0 && sums[blockIdx.x - 1] == 0) {}
  __threadfence();
  sums[blockIdx.x] = blockIdx.x == 0 ? 1 : sums[blockIdx.x - 1] + 1;
}"""
FAULT = r"""
extern "C" __global__ void fault(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == n - 1) __trap();
  x[i] = 1;
}"""
FAILING = f"""
import torch, warploom, warploom.torch
torch.set_num_threads(2)
x = torch.zeros(1 << 20, device="cuda")
fault = warploom.RawKernel({FAULT!r}, "fault")
for _ in range(5): x.exp_()
try:
    fault((1 << 12,), (256,), (x, 1 << 20))
    torch.cuda.synchronize()
except Exception as error: print("raised", type(error).__name__)
cpu = torch.ones(1 << 20)
for _ in range(5): cpu.mul_(2)
print(cpu.sum().item() == 32 << 20)
"""


def test_results_in_turn(torch: Any) -> None:
    torch.set_num_threads(2)
    try:
        add_one, chain = warploom.RawKernel(ADD_ONE, "add_one"), warploom.RawKernel(CHAIN, "chain")
        x, y = torch.zeros(SIZE, device="cuda"), torch.zeros(SIZE, device="cuda")
        for _ in range(100):
            add_one(((SIZE + 255) // 256,), (256,), (x, y, SIZE))
            torch.mul(y, 0.5, out=x)
        assert x.sub(1).abs().max().item() < 1e-6
        for _ in range(20):
            sums = torch.zeros(500, dtype=torch.int32, device="cuda")
            x.add_(1)
            chain((500,), (64,), (sums,))
            assert sums[-1].item() == 500
    finally:
        torch.set_num_threads(1)


@pytest.mark.usefixtures("torch")
def test_a_kernel_that_fails_leaves_operators_their_threads() -> None:
    ran = subprocess.run([sys.executable, "-c", FAILING], capture_output=True, text=True, check=False)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0, ran.stderr
    assert lines[0].startswith("raised"), ran.stdout + ran.stderr
    assert lines[1] == "True"
