// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>

#include "parts.h"

int main(int count, char **words) {
  const int size = count > 2 ? std::atoi(words[2]) : 8;
  float *values;
  cudaMallocManaged(&values, size * sizeof(float));
  fill(values, size);
  std::printf("%d values, the last %g, helped %d\n", size, values[size - 1], helped(size));
  return cudaFree(values);
}
