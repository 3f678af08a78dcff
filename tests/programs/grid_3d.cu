// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / 3-D grids and blocks
// Thread and block indices of 3-D grids and of 3-D blocks whose size is no multiple of 32.
#include "check.h"

__global__ void number_threads(int *order, int *packed) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int global = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  atomicAdd(&order[global], 1);
  packed[global] =
      threadIdx.x + threadIdx.y * 10 + threadIdx.z * 100 + blockIdx.x * 1000 + blockIdx.y * 10000 + blockIdx.z * 100000;
}

void test(dim3 grid, dim3 block) {
  std::vector<int> want;
  for (unsigned bz = 0; bz < grid.z; ++bz)
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (unsigned tz = 0; tz < block.z; ++tz)
          for (unsigned ty = 0; ty < block.y; ++ty)
            for (unsigned tx = 0; tx < block.x; ++tx)
              want.push_back(tx + ty * 10 + tz * 100 + bx * 1000 + by * 10000 + bz * 100000);
  int *order = device_zeros<int>(want.size()), *packed = device_zeros<int>(want.size());
  number_threads<<<grid, block>>>(order, packed);
  compare("visited once", std::vector<int>(want.size(), 1), download(order, want.size()));
  compare("indices", want, download(packed, want.size()));
  CHECK(cudaFree(order));
  CHECK(cudaFree(packed));
}

int main() {
  test(dim3(2, 3, 4), dim3(3, 5, 7));
  test(dim3(1, 1, 5), dim3(9, 1, 2));
  test(dim3(4, 2), dim3(1, 7, 3));
  test(dim3(2), dim3(8, 8, 2));
  test(3, 33);
  return 0;
}
