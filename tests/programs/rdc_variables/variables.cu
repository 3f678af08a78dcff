// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int shared_counter = 7;
__constant__ int shared_weights[4] = {1, 2, 3, 4};
static __device__ int mine = 500;

__global__ void bump_all() {
  atomicAdd(&shared_counter, 1000);
  ++mine;
}

void bump_elsewhere(int times) {
  for (int i = 0; i < times; ++i) bump_all<<<1, 1>>>();
}

int mine_elsewhere() {
  int value = -1;
  cudaMemcpyFromSymbol(&value, mine, sizeof(int));
  return value;
}
