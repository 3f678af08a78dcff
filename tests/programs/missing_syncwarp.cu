// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / lanes store before one of them counts, without __syncwarp
// order: default
// Lane 0 counts what its warp has stored since the last shuffle, and nothing says that the other lanes have stored yet:
// a race, which lock step decides on a GPU. In the default order whoever waits for the count finds everything.
#include "check.h"

__global__ void exchange(const int *in, int *out, unsigned *stored, int *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  out[i] = __shfl_xor_sync(~0u, in[i], 1);
  if (threadIdx.x % 32 == 0) atomicAdd(stored, 32);
  if (i != 0) return;
  while (atomicAdd(stored, 0) != count) continue;
  const volatile int *seen = out;
  for (unsigned k = 0; k < count; ++k) *sum += seen[k];
}

int main() {
  for (const int blocks : {1, 2, 20}) {
    for (const int threads : {32, 256, 1024}) {
      const std::vector<int> data = random_ints(blocks * threads, 1000);
      int sum = 0;
      for (const int value : data) sum += value;
      int *result = device_zeros<int>(1);
      exchange<<<blocks, threads>>>(upload(data), device_zeros<int>(blocks * threads), device_zeros<unsigned>(1),
                                    result);
      compare("sum", std::vector<int>(1, sum), download(result, 1));
    }
  }
  return 0;
}
