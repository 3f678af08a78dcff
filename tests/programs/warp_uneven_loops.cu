// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / lanes in one loop of barriers meet those in another one
// Lanes leave the first of two loops in different rounds and wait in the second for those that are in the first, so
// that all lanes of a warp take as many steps; what is handed over is what the others wrote in their step, wherever.
#include <vector>

#include "check.h"

constexpr int kThreads = 64, kSteps = 5;

// Both loops exchange through arrays of their own, and read the other loop's.
__global__ void both(const int *rounds, int *out) {
  __shared__ int first[kThreads], second[kThreads];
  const int t = threadIdx.x, mine = rounds[t];
  first[t] = t;
  second[t] = 0;
  __syncwarp();
  int sum = 0;
  for (int i = 0; i < mine; ++i) {
    first[t] += i + 1;
    __syncwarp();
    sum += second[t ^ 1];
    __syncwarp();
  }
  for (int i = mine; i < kSteps; ++i) {
    second[t] += 10 * i + 1;
    __syncwarp();
    sum += 3 * first[t ^ 1];
    __syncwarp();
  }
  out[t] = sum;
}

// Only the second loop exchanges: in the first one lanes let others go on.
__global__ void one(const int *rounds, int *out) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x, mine = rounds[t];
  cells[t] = t;
  __syncwarp();
  int sum = 0;
  for (int i = 0; i < mine; ++i) {
    sum += i;
    __syncwarp();
    __syncwarp();
  }
  for (int i = mine; i < kSteps; ++i) {
    cells[t] += 10 * i + 1;
    __syncwarp();
    sum += 3 * cells[t ^ 3];
    __syncwarp();
  }
  out[t] = sum;
}

int main() {
  std::vector<int> rounds(kThreads), sums(kThreads), expected(kThreads), alone(kThreads);
  for (int t = 0; t < kThreads; ++t) rounds[t] = (t * 7 + t / 3) % (kSteps + 1);
  std::vector<int> first(kThreads), second(kThreads), cells(kThreads);
  for (int t = 0; t < kThreads; ++t) first[t] = cells[t] = t;
  for (int step = 0; step < kSteps; ++step) {
    for (int t = 0; t < kThreads; ++t) {
      if (step < rounds[t]) {
        first[t] += step + 1;
      } else {
        second[t] += 10 * step + 1;
        cells[t] += 10 * step + 1;
      }
    }
    for (int t = 0; t < kThreads; ++t) {
      const bool is_first = step < rounds[t];
      expected[t] += is_first ? second[t ^ 1] : 3 * first[t ^ 1];
      alone[t] += is_first ? step : 3 * cells[t ^ 3];
    }
  }
  const int bytes = kThreads * static_cast<int>(sizeof(int));
  int *given, *out;
  CHECK(cudaMalloc(&given, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemcpy(given, rounds.data(), bytes, cudaMemcpyHostToDevice));
  both<<<1, kThreads>>>(given, out);
  CHECK(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  std::printf("both loops exchange: %s\n", sums == expected ? "as step by step" : "WRONG");
  one<<<1, kThreads>>>(given, out);
  CHECK(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  std::printf("one loop exchanges: %s\n", sums == alone ? "as step by step" : "WRONG");
}
