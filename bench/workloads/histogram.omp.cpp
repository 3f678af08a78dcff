// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram.h"

static void histogram(const unsigned char *data, int n, int *bins) {
  for (int i = 0; i < Histogram::kBins; ++i) bins[i] = 0;
#pragma omp parallel
  {
    int counts[Histogram::kBins] = {};
#pragma omp for
    for (int i = 0; i < n; ++i) ++counts[data[i]];
#pragma omp critical
    for (int i = 0; i < Histogram::kBins; ++i) bins[i] += counts[i];
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Histogram problem(settings);
  bench::Array<int> bins(Histogram::kBins);
  return bench::measure(
      settings, problem.work(), [&] { histogram(problem.data.data(), problem.count, bins.data()); },
      [&] { return problem.check(bins.data()); });
}
