# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cublas{GemmEx,GemmBatchedEx,GemmStridedBatchedEx,MigrateComputeType}
"""Products whose type of computation is a cudaDataType, as before CUDA 11: C++ has overloads for them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from warploom.cli.warpcc import main as warpcc

PROGRAM = r"""
#include <cstdio>
#include <cublas_v2.h>
int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  float *a, *b, *c, **several, one = 1, zero = 0;
  cudaMallocManaged(&a, 16), cudaMallocManaged(&b, 16), cudaMallocManaged(&c, 16);
  cudaMallocManaged(&several, 3 * sizeof *several);
  for (int i = 0; i < 4; ++i) a[i] = i, b[i] = i == 0 || i == 3;
  several[0] = a, several[1] = b, several[2] = c;
  const cudaDataType f = CUDA_R_32F;
  const void *const *in = reinterpret_cast<const void *const *>(several);
  void *const *out = reinterpret_cast<void *const *>(several + 2);
  for (int way = 0; way < 4; ++way) {
    for (int i = 0; i < 4; ++i) c[i] = -1;
    const cudaDataType type = way == 3 ? CUDA_R_8I : f;
    const cublasOperation_t n = CUBLAS_OP_N;
    const cublasGemmAlgo_t any = CUBLAS_GEMM_DEFAULT;
    cublasStatus_t status;
    if (way == 1)
      status = cublasGemmBatchedEx(handle, n, n, 2, 2, 2, &one, in, f, 2, in + 1, f, 2, &zero, out, f, 2, 1, f, any);
    else if (way == 2)
      status = cublasGemmStridedBatchedEx(handle, n, n, 2, 2, 2, &one, a, f, 2, 4, b, f, 2, 4, &zero, c, f, 2, 4, 1, f,
                                          any);
    else
      status = cublasGemmEx(handle, n, n, 2, 2, 2, &one, a, f, 2, b, f, 2, &zero, c, f, 2, type, any);
    cudaDeviceSynchronize();
    std::printf("%d: %g %g %g %g\n", int(status), c[0], c[1], c[2], c[3]);
  }
}
"""


@pytest.mark.ours("the overloads are tried as a program has them, compiled here")
def test_a_data_type_says_how_to_compute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text(PROGRAM)
    assert warpcc(["a.cu", "-lcublas", "-o", "a"]) == 0
    done = subprocess.run(["./a"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["0: 0 1 2 3"] * 3 + ["15: -1 -1 -1 -1"]
