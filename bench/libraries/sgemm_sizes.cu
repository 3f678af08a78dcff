// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GFLOP/s of products of square matrices: the median and the best by the clock of calls that are waited for, in .4 s
// (or SECONDS in the environment) for each. On the command line: 512 for cublasSgemm, d512 for cublasDgemm, n512 and
// nd512 for a naive kernel of floats and doubles, one thread for each number of C.
//
//     warpcc -O3 bench/libraries/sgemm_sizes.cu -lcublas -o sgemm_sizes && WARPLOOM_NUM_THREADS=1 ./sgemm_sizes 512
//     d512
#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
__global__ void naive(int n, const T *a, const T *b, T *c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] = sum;
}

static cublasStatus_t gemm(cublasHandle_t handle, int n, const float *a, const float *b, float *c) {
  const float one = 1, zero = 0;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}
static cublasStatus_t gemm(cublasHandle_t handle, int n, const double *a, const double *b, double *c) {
  const double one = 1, zero = 0;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}

template <class T>
static bool measure(cublasHandle_t handle, const char *word, int n, bool by_kernel) {
  const size_t numbers = size_t(n) * n;
  const char *const given = std::getenv("SECONDS");
  T *a;
  if (n <= 0 || cudaMallocManaged(&a, 3 * numbers * sizeof(T)) != cudaSuccess) return false;
  for (size_t i = 0; i < 2 * numbers; ++i) a[i] = T(i % 13) - 6;
  T *const b = a + numbers, *const c = b + numbers;
  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  std::vector<double> times;
  for (const double end = seconds() + (given != nullptr ? std::atof(given) : .4);
       times.size() < 2 || seconds() < end;) {
    const double start = seconds();
    if (by_kernel) naive<<<grid, block>>>(n, a, b, c);
    if (!by_kernel && gemm(handle, n, a, b, c) != CUBLAS_STATUS_SUCCESS) return false;
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    times.push_back(seconds() - start);
  }
  std::sort(times.begin(), times.end());
  const double operations = 2e-9 * n * numbers;
  std::printf("%s: %.0f best %.0f\n", word, operations / times[times.size() / 2], operations / times[0]);
  std::fflush(stdout);
  return cudaFree(a) == cudaSuccess;
}

int main(int count, char **words) {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  for (int i = 1; i < count; ++i) {
    const char *rest = words[i];
    const bool by_kernel = *rest == 'n';
    rest += by_kernel;
    const bool doubles = *rest == 'd';
    rest += doubles;
    const int n = std::atoi(rest);
    if (!(doubles ? measure<double>(handle, words[i], n, by_kernel) : measure<float>(handle, words[i], n, by_kernel)))
      return 1;
  }
  return cublasDestroy(handle) != CUBLAS_STATUS_SUCCESS;
}
