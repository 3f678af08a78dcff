# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch that is refused says which limit it broke, what was asked, what is allowed, and where."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from warploom.cli import warpcc

PROGRAM = """
#include <cstdio>
__global__ void k(int *p) { extern __shared__ int s[]; if (p) *p = s[0]; }
__global__ void __launch_bounds__(64) bounded() {}
__global__ void __cluster_dims__(2) pairs() {}
int main() {
  for (int i = 0; i < 3; ++i)
    k<<<1, 2048>>>(nullptr);
  k<<<dim3(1, 70000), 32>>>(nullptr);
  k<<<0, 32>>>(nullptr);
  k<<<1, 32, 50000>>>(nullptr);
  bounded<<<1, 65>>>();
  pairs<<<3, 32>>>();
  k<<<1, dim3(64, 32)>>>(nullptr);
  std::printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
  k<<<1, 32, 50000>>>(nullptr);
  std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
"""
SAID = [
    ("k(int*)", 8, "InvalidValue", "block 2048 x 1 x 1: block.x is 2,048, 1,024 at most"),
    ("k(int*)", 9, "InvalidValue", "grid 1 x 70000 x 1: grid.y is 70,000, 65,535 at most"),
    ("k(int*)", 10, "InvalidValue", "grid 0 x 1 x 1: grid.x is 0, 1 at least"),
    (
        "k(int*)",
        11,
        "InvalidValue",
        "50,000 bytes of dynamic shared memory, 49,152 at most; "
        "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows up to 166,912",
    ),
    ("bounded()", 12, "InvalidValue", "block 65 x 1 x 1 = 65 threads, 64 at most by the kernel's __launch_bounds__"),
    ("pairs()", 13, "InvalidClusterSize", "clusters of 2 x 1 x 1 blocks do not divide the grid 3 x 1 x 1"),
    ("k(int*)", 14, "InvalidValue", "block 64 x 32 x 1 = 2,048 threads, 1,024 at most"),
]


def test_each_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, program = tmp_path / "launches.cu", tmp_path / "launches"
    source.write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    assert warpcc.main(["-g", "-lineinfo", source.name, "-o", program.name]) == 0
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "cudaErrorInvalidValue\ncudaSuccess\n"
    assert done.stderr.splitlines() == [
        f"warploom: launch of kernel {kernel} at launches.cu:{line} refused (cudaError{error}): {reason}"
        for kernel, line, error, reason in SAID
    ]
