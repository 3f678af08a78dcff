# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of LLVM text that are the same code are written once; so are kernels with shared variables of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

from warploom.backend.same_text import code_of
from warploom.cli import warpcc

NODES = ["distinct !{!0, !2}", "distinct !{!1, !2}", '!{!"llvm.loop.unroll.disable"}', "distinct !{!3}"]
LOOP = "  br label %{0}.head.2, !llvm.loop !{1}\n{0}.head.2:\n  %{0}.3 = add i32 %{2}, %x.0"


def of(text: str) -> str | None:
    return code_of(text.split("\n"), NODES)


def test_names_of_values_blocks_and_loops_do_not_count() -> None:
    assert of(LOOP.format("for", 0, "a.1")) == of(LOOP.format("while", 1, "b.1"))


def test_what_a_loop_is_told_counts() -> None:
    assert of(LOOP.format("for", 0, "a.1")) != of(LOOP.format("for", 3, "a.1"))


def test_which_value_is_used_counts() -> None:
    assert of(LOOP.format("for", 0, "a.1")) != of(LOOP.format("for", 0, "x.0"))
    assert of("%a.1 = sub i32 %x.0, %y.0") != of("%a.1 = sub i32 %x.0, %x.0")


def test_globals_and_metadata_count() -> None:
    assert of("%a.1 = load i32, ptr @s") != of("%a.1 = load i32, ptr @t")
    assert of("%a.1 = load i32, ptr %p, !range !1") != of("%a.1 = load i32, ptr %p, !range !2")


def test_what_stands_in_quotes_is_not_compared() -> None:
    assert of('call void asm "mov %rax, %rbx", ""()') is None


# tile<0> and tile<1> are the same but for the name of `s`. through<0> uses the variable of `push`, through<1> has its
# own beside it.
PROGRAM = """
#include <cstdio>
__device__ __noinline__ int *common() {
  __shared__ int cells[64];
  return cells;
}
template <int K> __global__ void tile(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
template <int K> __device__ int *mine() {
  __shared__ int own[64];
  return own;
}
template <> __device__ int *mine<0>() { return common(); }
template <int K> __global__ void through(int *out) {
  int *one = mine<K>(), *two = common();
  one[threadIdx.x] = 1;
  __syncthreads();
  two[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = 10 * one[63 - threadIdx.x] + two[63 - threadIdx.x];
}
int main() {
  int *out, sums[4] = {};
  cudaMallocManaged(&out, 64 * sizeof(int));
  void (*kernels[])(int *) = {tile<0>, tile<1>, through<0>, through<1>};
  for (int k = 0; k < 4; ++k) {
    kernels[k]<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) sums[k] += out[i] * (i % 5 + 1);
    cudaFuncAttributes about;
    cudaFuncGetAttributes(&about, kernels[k]);
    std::printf("%d:%zu ", sums[k], about.sharedSizeBytes);
  }
}
"""


def test_kernels_that_differ_in_the_names_of_shared_variables_are_one(tmp_path: Path) -> None:
    (tmp_path / "t.cu").write_text(PROGRAM)
    assert warpcc.main([str(tmp_path / "t.cu"), "-o", str(tmp_path / "t")]) == 0
    shown = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout
    weights = [i % 5 + 1 for i in range(64)]
    tile = sum(weight * (63 - i) * 3 for i, weight in enumerate(weights))
    sums = [tile, tile, 22 * sum(weights), 12 * sum(weights)]
    sizes = [256, 256, 256, 512]
    assert shown.split() == [f"{total}:{size}" for total, size in zip(sums, sizes, strict=True)]
    symbols = subprocess.run(["nm", tmp_path / "t"], capture_output=True, text=True, check=True).stdout
    assert len([line for line in symbols.splitlines() if "4tileI" in line and ".grid" in line]) == 1
