// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine itself costs: a launch, a thread that does nothing, a barrier, a shuffle. `warploom run
// bench/engine_costs.cu` prints the best of five rounds of each.
#include <algorithm>
#include <chrono>
#include <cstdio>

__global__ void empty() {}

__global__ void barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

__global__ void shuffles(int *out, int count) {
  int value = threadIdx.x;
  for (int i = 0; i < count; ++i) value += __shfl_xor_sync(~0u, value, 1 + i % 31);
  if (value == -1) *out = value;
}

template <class Body>
void report(const char *what, double units, Body body) {
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    auto start = std::chrono::steady_clock::now();
    body();
    cudaDeviceSynchronize();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%-44s %9.1f ns\n", what, best / units);
}

int main() {
  int *out;
  cudaMalloc(&out, sizeof *out);
  const int kLaunches = 10000, kRepeats = 200;
  report("launch of one thread", kLaunches, [&] {
    for (int i = 0; i < kLaunches; ++i) empty<<<1, 1>>>();
  });
  report("empty thread, 4096 blocks of 256", 4096 * 256.0, [&] { empty<<<4096, 256>>>(); });
  report("barrier, a thread, 64 blocks of 256", 64 * 256.0 * kRepeats, [&] { barriers<<<64, 256>>>(kRepeats); });
  report("shuffle, a lane, 64 blocks of 256", 64 * 256.0 * kRepeats, [&] { shuffles<<<64, 256>>>(out, kRepeats); });
}
