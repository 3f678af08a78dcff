// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / grid.sync
// A cooperative launch: grid.sync() separates the phases of a whole-grid prefix doubling.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void scan(int *a, int *b, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank(), *from = a, *to = b;
  for (int offset = 1; offset < n; offset *= 2) {
    if (i < n) to[i] = from[i] + (i >= offset ? from[i - offset] : 0);
    grid.sync();
    int *swap = from;
    from = to;
    to = swap;
  }
  if (i == 0) a[n] = grid.size() + (grid.is_valid() ? 0 : 1);
}

int main() {
  const int n = 500, threads = 64, blocks = 8;
  std::vector<int> input = random_ints(n, 100), want(n);
  for (int i = 0, sum = 0; i < n; ++i) want[i] = sum += input[i];
  input.push_back(0);
  int *a = upload(input), *b = device_zeros<int>(n), count = n;
  void *arguments[] = {&a, &b, &count};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(scan), dim3(blocks), dim3(threads), arguments, 0,
                                    nullptr));
  // Nine steps for 500 elements: the result lies in b.
  compare("scan", want, download(b, n));
  report("grid size", blocks * threads, download(a + n, 1)[0]);
  int supported = 0;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  report("supported", 1, supported);
  return 0;
}
