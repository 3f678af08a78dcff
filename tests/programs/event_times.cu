// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / event times
// Event times are positive, add up, and bound work: only the comparisons are printed.
#include "check.h"

__global__ void work(float *data, int rounds) {
  float x = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i) x = x * 0.5f + 1.0f;
  data[threadIdx.x] = x;
}

int main() {
  cudaEvent_t start, middle, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&middle));
  CHECK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
  float *data = device_zeros<float>(64);
  CHECK(cudaEventRecord(start));
  work<<<1, 64>>>(data, 20000);
  CHECK(cudaEventRecord(middle, 0));
  work<<<1, 64>>>(data, 20000);
  CHECK(cudaEventRecord(stop, 0));
  CHECK(cudaEventSynchronize(stop));
  float first = -1, second = -1, both = -1;
  CHECK(cudaEventElapsedTime(&first, start, middle));
  CHECK(cudaEventElapsedTime(&second, middle, stop));
  CHECK(cudaEventElapsedTime(&both, start, stop));
  std::printf("first %s\n", first > 0 ? "positive" : "not positive");
  std::printf("second %s\n", second > 0 ? "positive" : "not positive");
  std::printf("sum %s\n", std::fabs(first + second - both) < 0.01f + 0.01f * both ? "right" : "wrong");
  std::printf("%s\n", cudaGetErrorName(cudaEventQuery(stop)));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(middle));
  CHECK(cudaEventDestroy(stop));
  return 0;
}
