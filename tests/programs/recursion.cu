// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / recursion
// Device recursion: Fibonacci, Ackermann, mutual recursion, and a quicksort per thread.
#include "check.h"

__host__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__host__ __device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ int is_odd(unsigned n);
__host__ __device__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__host__ __device__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

__host__ __device__ void quicksort(int *keys, int begin, int end) {
  if (end - begin < 2) return;
  int pivot = keys[(begin + end) / 2], left = begin, right = end - 1;
  while (left <= right) {
    while (keys[left] < pivot) ++left;
    while (keys[right] > pivot) --right;
    if (left > right) break;
    int key = keys[left];
    keys[left++] = keys[right];
    keys[right--] = key;
  }
  quicksort(keys, begin, right + 1);
  quicksort(keys, left, end);
}

__global__ void recurse(int *output) {
  int i = threadIdx.x;
  output[3 * i] = fibonacci(i % 14);
  output[3 * i + 1] = ackermann(i % 3, i % 5);
  output[3 * i + 2] = is_even(i) - is_odd(i);
}

__global__ void sort_parts(int *keys, int part) { quicksort(keys + threadIdx.x * part, 0, part); }

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
  const int threads = 40, part = 50;
  std::vector<int> want(3 * threads), keys = random_ints(threads * part, 1000);
  for (int i = 0; i < threads; ++i) {
    want[3 * i] = fibonacci(i % 14);
    want[3 * i + 1] = ackermann(i % 3, i % 5);
    want[3 * i + 2] = i % 2 == 0 ? 1 : -1;
  }
  int *output = device_zeros<int>(3 * threads), *device_keys = upload(keys);
  recurse<<<1, threads>>>(output);
  compare("recursive functions", want, download(output, want.size()));
  sort_parts<<<1, threads>>>(device_keys, part);
  for (int i = 0; i < threads; ++i) std::sort(keys.begin() + i * part, keys.begin() + (i + 1) * part);
  compare("quicksort", keys, download(device_keys, keys.size()));
  return 0;
}
