// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / device variables across files
// Separate compilation: extern __device__ and __constant__ variables, also used by the host, and the same static names.
// flags: -rdc=true
// sources: variables.cu
// build: objects
#include "../check.h"

extern __device__ int shared_counter;
extern __constant__ int shared_weights[4];
static __device__ int mine = 1;
void bump_elsewhere(int times);
int mine_elsewhere();

__global__ void bump(int *output) {
  atomicAdd(&shared_counter, shared_weights[threadIdx.x]);
  if (threadIdx.x == 0) output[0] = ++mine;
}

int main() {
  int *output = device_zeros<int>(1);
  bump<<<1, 4>>>(output);
  bump_elsewhere(3);
  bump<<<1, 4>>>(output);
  report("mine here", 3, download(output, 1)[0]);
  report("mine there", 503, mine_elsewhere());
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, shared_counter, sizeof(int)));
  report("counter", 7 + 2 * (1 + 2 + 3 + 4) + 3 * 1000, value);
  const int weights[4] = {10, 20, 30, 40};
  CHECK(cudaMemcpyToSymbol(shared_weights, weights, sizeof(weights)));
  value = 0;
  CHECK(cudaMemcpyToSymbol(shared_counter, &value, sizeof(int)));
  bump<<<1, 4>>>(output);
  finish();
  CHECK(cudaMemcpyFromSymbol(&value, shared_counter, sizeof(int)));
  report("counter", 100, value);
  return 0;
}
