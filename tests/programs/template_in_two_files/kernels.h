// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "../check.h"

template <int Step>
__global__ __attribute__((visibility("hidden"))) void in_turn(int *output, int *turn) {
  bool waits = true;
  while (waits) {
    if (atomicAdd(turn, 0) != static_cast<int>(threadIdx.x)) continue;
    output[threadIdx.x] += Step;
    atomicAdd(turn, 1);
    waits = false;
  }
}

template <typename T>
__global__ void fill(T *output, T *turn) {
  output[threadIdx.x] = threadIdx.x;
  *turn = 0;
}

static std::vector<int> run_here(int *output) {
  fill<int><<<1, 32>>>(output, output + 32);
  in_turn<7><<<1, 32>>>(output, output + 32);
  return download(output, 32);
}

inline std::vector<int> wanted() {
  std::vector<int> values(32);
  for (int i = 0; i < 32; ++i) values[i] = i + 7;
  return values;
}

std::vector<int> run_there(int *output);
