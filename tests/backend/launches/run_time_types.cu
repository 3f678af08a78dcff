// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of types and distances that only the launch knows: rows, reversed rows, gaps, one element for all, and
// elements that lie anywhere.
#include <cstdio>
#include <vector>

#include "../../programs/run_time_kinds.h"

constexpr int kSizes[] = {1, 2, 4, 8, 4, 8}, kKinds = 6;

struct Operand {
  char *at;
  int kind, apart;
};

template <typename Index>
__host__ __device__ void one(Operand to, Operand a, Operand b, Index i) {
  double sum = fetch<double>(a.kind, a.at + a.apart * i) + fetch<double>(b.kind, b.at + b.apart * i);
  put(to.kind, to.at + to.apart * i, sum);
}

template <typename Index>
__global__ void add(int n, Operand to, Operand a, Operand b) {
  Index i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 2; ++k, i += blockDim.x) {
    if (i < Index(n)) one<Index>(to, a, b, i);
  }
}

// Each thread has one element of another thread's number.
__global__ void add_anywhere(int n, Operand to, Operand a, Operand b, const int *numbers) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) one<int>(to, a, b, numbers[i]);
}

constexpr int kMost = 300, kBytes = 16 * kMost;

template <typename Index>
int differ(int n, Operand to, Operand a, Operand b) {
  std::vector<char> data(3 * kBytes);
  int part = 0;
  for (int kind : {to.kind, a.kind, b.kind}) {
    char *at = data.data() + kBytes * part++;
    for (int i = 0; i < kBytes / kSizes[kind]; ++i) put(kind, at + i * kSizes[kind], i % 97);
  }
  std::vector<char> wanted(data), host(data);
  char *memory;
  cudaMalloc(&memory, 3 * kBytes);
  cudaMemcpy(memory, data.data(), 3 * kBytes, cudaMemcpyHostToDevice);
  auto in = [](Operand each, char *base) {
    each.at = base + (each.at - (char *)nullptr);
    return each;
  };
  for (int i = 0; i < n; ++i) {
    one<Index>(in(to, wanted.data()), in(a, wanted.data()), in(b, wanted.data()), Index(i));
  }
  add<Index><<<(n + 127) / 128, 64>>>(n, in(to, memory), in(a, memory), in(b, memory));
  cudaMemcpy(host.data(), memory, 3 * kBytes, cudaMemcpyDeviceToHost);
  int differs = host != wanted;
  // The same numbers in another order.
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = (i * 7 + 3) % n;
  if (n % 7 != 0) {
    int *order;
    cudaMalloc(&order, n * sizeof(int));
    cudaMemcpy(order, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(memory, data.data(), 3 * kBytes, cudaMemcpyHostToDevice);
    add_anywhere<<<(n + 63) / 64, 64>>>(n, in(to, memory), in(a, memory), in(b, memory), order);
    cudaMemcpy(host.data(), memory, 3 * kBytes, cudaMemcpyDeviceToHost);
    cudaFree(order);
    differs |= host != wanted;
  }
  cudaFree(memory);
  return differs;
}

int main() {
  int wrong = 0, runs = 0;
  for (int to = 0; to < kKinds; ++to) {
    for (int a = 0; a < kKinds; ++a) {
      for (int step = -2; step <= 2; ++step) {
        int b = (a + to + 1) % kKinds, n = 1 + (to * 61 + a * 37 + step * 29 + 300) % kMost;
        auto place = [&](int part, int kind, int by) {
          int apart = by * kSizes[kind];
          return Operand{(char *)nullptr + part * kBytes + (apart < 0 ? -apart * (kMost - 1) : 0), kind, apart};
        };
        Operand out = place(0, to, step == 0 ? 1 : step), one = place(1, a, step), other = place(2, b, 1);
        wrong += differ<int>(n, out, one, other);
        ++runs;
        if (step >= 0) {
          wrong += differ<unsigned>(n, out, one, other);
          ++runs;
        }
      }
    }
  }
  std::printf("%d of %d differ\n", wrong, runs);
  return wrong != 0;
}
