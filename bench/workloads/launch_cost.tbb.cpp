// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <cstdlib>

#include "launch_cost.h"

int main(int argc, char **argv) {
  const char *const threads = getenv("OMP_NUM_THREADS");
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  threads ? static_cast<size_t>(atoi(threads)) : 1);
  std::vector<float> y(kLargest);
  float *const data = y.data();
  return table(
      argc, argv,
      [&](int n) {
        tbb::parallel_for(tbb::blocked_range<int>(0, n), [=](const tbb::blocked_range<int> &range) {
          for (int i = range.begin(); i < range.end(); ++i) data[i] = data[i] * 0.5f + 1;
        });
      },
      [] {});
}
