// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / lock step in plain memory, without __syncwarp
// Tails of reductions as people write them, and other code whose lanes hand each other values with nothing in between
// that waits. It has races, and works on GPUs because the lanes of a warp go in lock step.
#include "check.h"

__device__ __noinline__ double combine(double a, double b) { return fmax(a, 0.0) + fmax(b, 0.0); }

template <int count>
__device__ void tail(double *cells, int thread) {
  if (thread < count) cells[thread] = combine(cells[thread], cells[thread + count]);
  if constexpr (count > 1) tail<count / 2>(cells, thread);
}

__global__ void one_by_one(const double *input, double *output) {
  __shared__ double cells[1024];
  const int thread = threadIdx.x;
  cells[thread] = input[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (int count = blockDim.x / 2; count > 32; count >>= 1) {
    if (thread < count) cells[thread] += cells[thread + count];
    __syncthreads();
  }
  tail<32>(cells, thread);
  if (thread == 0) output[blockIdx.x] = cells[0];
}

__global__ void through_global(int *data, int *output) {
  const int thread = threadIdx.x;
  int *cells = data + blockIdx.x * blockDim.x;
  __syncthreads();
  for (int count = blockDim.x / 2; count > 32; count >>= 1) {
    if (thread < count) cells[thread] += cells[thread + count];
    __syncthreads();
  }
  if (thread < 32) cells[thread] += cells[thread + 32];
  if (thread < 16) cells[thread] += cells[thread + 16];
  if (thread < 8) cells[thread] += cells[thread + 8];
  if (thread < 4) cells[thread] += cells[thread + 4];
  if (thread < 2) cells[thread] += cells[thread + 2];
  if (thread < 1) output[blockIdx.x] = cells[0] + cells[1];
}

// A block that is one warp.
__global__ void one_warp(const int *input, int *sum, int *shifted, int *mixed, int *reversed) {
  __shared__ int cells[64], row[33], all[32];
  const int lane = threadIdx.x;
  cells[lane] = input[lane];
  cells[lane + 32] = input[lane + 32];
  for (int count = blockDim.x; count > 0; count >>= 1) {
    if (lane < count) cells[lane] += cells[lane + count];
  }
  if (lane == 0) *sum = cells[0];
  row[lane + 1] = input[lane];
  if (lane == 0) row[0] = -1;
  row[lane + 1] = row[lane];
  shifted[lane] = row[lane + 1];
  all[lane] = input[lane];
  for (int distance = 16; distance > 0; distance >>= 1) {
    const int both = all[lane] + all[lane ^ distance];
    all[lane] = both;
  }
  mixed[lane] = all[lane];
  row[lane] = input[lane];
  reversed[lane] = row[31 - lane];
}

int main() {
  for (const int threads : {64, 256, 1024}) {
    const std::vector<int> input = random_ints(3 * threads, 1000);
    const std::vector<double> values(input.begin(), input.end());
    std::vector<int> sums(3);
    for (int i = 0; i < 3 * threads; ++i) sums[i / threads] += input[i];
    int *output = device_zeros<int>(3);
    double *wide = device_zeros<double>(3);
    one_by_one<<<3, threads>>>(upload(values), wide);
    through_global<<<3, threads>>>(upload(input), output);
    compare("one by one", std::vector<double>(sums.begin(), sums.end()), download(wide, 3));
    compare("through global", sums, download(output, 3));
  }
  const std::vector<int> input = random_ints(64, 1000);
  std::vector<int> sum(1), shifted(32), mixed(32), reversed(32);
  for (int i = 0; i < 64; ++i) sum[0] += input[i];
  for (int i = 0; i < 32; ++i) {
    shifted[i] = i == 0 ? -1 : input[i - 1];
    reversed[i] = input[31 - i];
    for (int j = 0; j < 32; ++j) mixed[i] += input[j];
  }
  int *got[4];
  for (int *&each : got) each = device_zeros<int>(32);
  one_warp<<<1, 32>>>(upload(input), got[0], got[1], got[2], got[3]);
  compare("one warp", sum, download(got[0], 1));
  compare("shifted", shifted, download(got[1], 32));
  compare("mixed", mixed, download(got[2], 32));
  compare("reversed", reversed, download(got[3], 32));
  return 0;
}
