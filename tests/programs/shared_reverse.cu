// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / static and dynamic shared memory
// Reversing through static and through dynamic shared memory; the dynamic size decides how much may be used.
#include "check.h"

__global__ void static_reverse(int *data, int n) {
  __shared__ int cells[64];
  int thread = threadIdx.x;
  cells[thread] = data[thread];
  __syncthreads();
  data[thread] = cells[n - thread - 1];
}

template <typename T>
__global__ void dynamic_reverse(T *data, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  T *cells = reinterpret_cast<T *>(memory);
  for (int i = threadIdx.x; i < n; i += blockDim.x) cells[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = cells[n - i - 1];
}

template <typename T>
void test(const char *name, int n, int threads) {
  std::vector<T> data(n);
  for (int i = 0; i < n; ++i) data[i] = static_cast<T>(i * 3 + 1);
  T *device = upload(data);
  dynamic_reverse<T><<<1, threads, n * sizeof(T)>>>(device, n);
  std::reverse(data.begin(), data.end());
  compare(name, data, download(device, n));
}

int main() {
  std::vector<int> data = random_ints(64, 1000);
  int *device = upload(data);
  static_reverse<<<1, 64>>>(device, 64);
  std::reverse(data.begin(), data.end());
  compare("static", data, download(device, 64));
  test<int>("int", 64, 64);
  test<double>("double", 500, 33);
  test<char>("char", 101, 101);
  test<long long>("48 KiB", 6144, 96);
  return 0;
}
