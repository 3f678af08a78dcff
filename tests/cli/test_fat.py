# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Separate compilation / --fat: device code for several CPUs in one object
"""--fat: device code for several levels of x86-64 in one object, of which the CPU at hand takes the best."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from warploom.cli.warpcc import main
from warploom.cpu import FAT_CPUS, default_cpu, level_of
from warploom.engines import ENGINES

# What the device pass was compiled for; a device variable and shared memory are each version's own.
SOURCE = """
#include <cstdio>
__device__ int added = 1;
__global__ void level(int *out) {
  __shared__ int values[64];
#if defined(__AVX512F__)
  values[threadIdx.x] = 4;
#elif defined(__AVX2__)
  values[threadIdx.x] = 3;
#else
  values[threadIdx.x] = 2;
#endif
  __syncthreads();
  if (threadIdx.x == 0) *out = values[63] * 10 + added;
}
int main() {
  int *out, five = 5;
  cudaMallocManaged(&out, sizeof *out);
  cudaMemcpyToSymbol(added, &five, sizeof five);
  level<<<1, 64>>>(out);
  std::printf("%d %s\\n", cudaDeviceSynchronize() == cudaSuccess ? *out : -1, cudaGetErrorName(cudaGetLastError()));
}
"""


def run(program: Path, most: str) -> subprocess.CompletedProcess[str]:
    """The program on a CPU of at most that level."""
    environment = {**os.environ, "WARPLOOM_MAX_CPU": most}
    return subprocess.run([program], capture_output=True, text=True, timeout=60, check=False, env=environment)


@pytest.mark.skipif(level_of(default_cpu()) not in FAT_CPUS, reason="the levels are those of x86-64")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_best_version_that_the_cpu_can_run_is_taken(engine: str, tmp_path: Path) -> None:
    source, program = tmp_path / "level.cu", tmp_path / "level"
    source.write_text(SOURCE)
    assert main(["--fat", f"--engine={engine}", str(source), "-o", str(program)]) == 0
    present = FAT_CPUS[: FAT_CPUS.index(level_of(default_cpu())) + 1]
    for most, cpu in enumerate(present, 2):
        assert run(program, cpu).stdout == f"{most}5 cudaSuccess\n"
    assert run(program, "").stdout == f"{len(present) + 1}5 cudaSuccess\n"
    refused = run(program, "x86-64")
    assert refused.stdout.startswith("-1 ")
    assert "compiled for a CPU with sse3" in refused.stderr


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="needs qemu-x86_64")
@pytest.mark.parametrize("flag", ["-march=x86-64-v3", "--fat"])
def test_a_lesser_cpu_runs_what_is_for_it_and_is_told_which_flags_help(flag: str, tmp_path: Path) -> None:
    """And is not stopped by an instruction that it does not know: other code than kernels is for any x86-64."""
    source, program = tmp_path / "level.cu", tmp_path / "level"
    source.write_text(SOURCE)
    assert main([flag, str(source), "-o", str(program)]) == 0
    lesser = ["qemu-x86_64", "-cpu", "Nehalem", program]
    done = subprocess.run(lesser, capture_output=True, text=True, timeout=60, check=False)
    if flag == "--fat":
        assert done.stdout == "25 cudaSuccess\n"
        return
    assert done.stdout.startswith("-1 ")
    assert "compiled for a CPU with avx avx2" in done.stderr
    assert "or with -march=NAME for lesser ones, or with --fat" in done.stderr


@pytest.mark.parametrize("flags", [["--cpu", "x86-64-v3"], ["-rdc=true"], ["-fatbin"]])
def test_what_does_not_go_with_it_is_refused(
    flags: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "level.cu"
    source.write_text(SOURCE)
    assert main(["--fat", *flags, str(source), "-o", str(tmp_path / "level")]) != 0
    assert "--fat and" in capfd.readouterr().err
