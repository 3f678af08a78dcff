# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of a small CUDA file against the same code as plain C++ with the same clang, in alternation.

    python bench/compile_time.py [ROUNDS]

Prints the seconds of both (minimum, median, maximum) and the ratio of the medians. The first two compilations, which
build the precompiled headers, are not counted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from warploom.toolchain import find_toolchain

HEAD = "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <vector>\n"
CUDA = (
    HEAD
    + """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx, *dy;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, dx, dy);
  cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%f\\n", y[0]);
}
"""
)
PLAIN = (
    HEAD
    + """
void saxpy(int i, int n, float a, const float *x, float *y) {
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *dx = (float *)std::malloc(n * sizeof(float)), *dy = (float *)std::malloc(n * sizeof(float));
  std::memcpy(dx, x.data(), n * sizeof(float));
  std::memcpy(dy, y.data(), n * sizeof(float));
  for (int i = 0; i < n; ++i) saxpy(i, n, 2.0f, dx, dy);
  std::memcpy(y.data(), dy, n * sizeof(float));
  std::printf("%f\\n", y[0]);
}
"""
)
NOT_COUNTED = 2


def seconds(command: list[str], folder: Path) -> float:
    """Wall time of one command."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    toolchain = find_toolchain()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.cu").write_text(CUDA)
        (folder / "small.cpp").write_text(PLAIN)
        commands = {
            "warpcc": [sys.executable, "-m", "warploom.cli.warpcc", "-O2", "-c", "small.cu", "-o", "cu.o"],
            "clang++": [str(toolchain.clang), *toolchain.cxx_flags, "-O2", "-c", "small.cpp", "-o", "cpp.o"],
        }
        times: dict[str, list[float]] = {label: [] for label in commands}
        for number in range(rounds + NOT_COUNTED):
            for label, command in commands.items():
                taken = seconds(command, folder)
                if number >= NOT_COUNTED:
                    times[label].append(taken)
    for label, values in times.items():
        print(f"{label:8} {min(values):.3f} {statistics.median(values):.3f} {max(values):.3f} s")
    print(f"ratio    {statistics.median(times['warpcc']) / statistics.median(times['clang++']):.2f}")


if __name__ == "__main__":
    main()
