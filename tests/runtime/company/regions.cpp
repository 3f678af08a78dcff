// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel loop of another library, for `company regions`: OpenMP's with -fopenmp, else oneTBB's.
#ifndef _OPENMP
#include <oneapi/tbb/parallel_for.h>
#endif

// Halves each number and adds 1, `trips` times.
extern "C" void add_on_all(float *values, int count, int trips) {
  const auto add = [=](int i) {
    float value = values[i];
    for (int trip = 0; trip < trips; ++trip) value = value * 0.5f + 1;
    values[i] = value;
  };
#ifdef _OPENMP
#pragma omp parallel for
  for (int i = 0; i < count; ++i) add(i);
#else
  tbb::parallel_for(0, count, add);
#endif
}
