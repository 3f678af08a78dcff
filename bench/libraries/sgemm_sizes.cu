// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GFLOP/s of cublasSgemm for square matrices that lie in the cache or near it: the median by the clock of calls that
// are waited for, in .4 s for each size. Sizes follow on the command line.
//
//     warpcc -O3 bench/libraries/sgemm_sizes.cu -lcublas -o sgemm_sizes && WARPLOOM_NUM_THREADS=1 ./sgemm_sizes 512
//     1024
#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int count, char **words) {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  for (int word = 1; word < count; ++word) {
    const int n = std::atoi(words[word]);
    const size_t numbers = size_t(n) * n;
    float *memory;
    if (cudaMallocManaged(&memory, 3 * numbers * sizeof(float)) != cudaSuccess) return 1;
    for (size_t i = 0; i < 2 * numbers; ++i) memory[i] = float(i % 13) - 6;
    const float *a = memory, *b = memory + numbers, one = 1, zero = 0;
    std::vector<double> times;
    for (const double end = seconds() + .4; seconds() < end;) {
      const double start = seconds();
      const cublasStatus_t status =
          cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, memory + 2 * numbers, n);
      if (status != CUBLAS_STATUS_SUCCESS || cudaDeviceSynchronize() != cudaSuccess) return 1;
      times.push_back(seconds() - start);
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    std::printf("%d: %.0f\n", n, 2e-9 * n * numbers / times[times.size() / 2]);
    cudaFree(memory);
  }
  return cublasDestroy(handle) != CUBLAS_STATUS_SUCCESS;
}
