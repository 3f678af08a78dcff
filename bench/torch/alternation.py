# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels and operators of PyTorch's CPU backend in turn: alternation.py [THREADS [ROUNDS]]

The CPU backend's operators run on OpenMP's threads, kernels among them as well; with WARPLOOM_TORCH_OPENMP=0 on the
runtime's, on the same processors.
A line for each size: microseconds of a kernel and of an operator, the median and the least of the rounds, each in a row
of its own kind, and in turn; and how much longer the pair takes in turn.

In a Python with PyTorch where `warploom torch enable` has run (docs/torch.md).
"""

from __future__ import annotations

import os
import sys

os.environ |= dict.fromkeys(("WARPLOOM_NUM_THREADS", "OMP_NUM_THREADS"), sys.argv[1] if len(sys.argv) > 1 else "2")

import statistics
import time
from collections.abc import Callable

import torch

import warploom

THREADS = int(os.environ["OMP_NUM_THREADS"])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 300
SIZES = (1 << 15, 1 << 17, 1 << 19, 1 << 21)  # floats
KERNEL = r"""
extern "C" __global__ void twice(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i]) / (1.0f + x[i]) + x[i];
}
"""


def timed(call: Callable[[], object]) -> float:
    """Microseconds."""
    began = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - began)


def shown(times: list[float]) -> str:
    """The median, in brackets the least."""
    return f"{statistics.median(times):.1f} ({min(times):.1f})"


def line(size: int) -> str:
    """A line of the table."""
    kernel = warploom.RawKernel(KERNEL, "twice")
    x, y = torch.rand(size, device="cuda"), torch.rand(size, device="cuda")
    into = torch.rand(size, device="cuda")

    def launch() -> None:
        kernel(((size + 255) // 256,), (256,), (x, y, size))
        torch.cuda.synchronize()

    def operate() -> None:
        torch.exp(y, out=into)

    alone = [[timed(call) for _ in range(ROUNDS + 50)][50:] for call in (launch, operate)]
    in_turn: list[list[float]] = [[], []]
    for _ in range(ROUNDS + 50):
        for call, times in zip((launch, operate), in_turn, strict=True):
            times.append(timed(call))
    in_turn = [times[50:] for times in in_turn]
    longer = sum(map(statistics.median, in_turn)) / sum(map(statistics.median, alone))
    return f"| {size} | " + " | ".join(map(shown, (*alone, *in_turn))) + f" | {longer:.2f} |"


def main() -> None:
    """Print the table."""
    torch.set_num_threads(THREADS)
    print("| floats | kernel, alone | operator, alone | kernel, in turn | operator, in turn | longer |")
    print("|---" * 6 + "|")
    for size in SIZES:
        print(line(size), flush=True)


if __name__ == "__main__":
    main()
