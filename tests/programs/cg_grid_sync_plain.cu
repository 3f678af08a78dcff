// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / grid.sync in a launch that is not cooperative
// The grid has no barrier then, says so, and a wait at it is a trap.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void ask(int *valid) { *valid = cg::this_grid().is_valid(); }
__global__ void wait() { cg::this_grid().sync(); }

int main() {
  int *valid = upload(std::vector<int>{-1});
  ask<<<1, 32>>>(valid);
  std::printf("valid: %d\n", download(valid, 1)[0]);
  wait<<<8, 64>>>();
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
