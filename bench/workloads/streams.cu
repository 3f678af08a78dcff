// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What streams side by side gain: kernels of one block in several streams, against as many in one stream as each has.
//
//     PROGRAM [--quick]     lines of JSON: what a kernel takes; streams; how much more is done in a time than by one
//     stream; how long a launch takes, all of which return before their kernels begin
#include "launch_cost.h"

const int kThreads = 64, kMost = 16;

__global__ void compute(float *y, int trips) {
  float value = y[threadIdx.x];
  for (int trip = 0; trip < trips; ++trip) value = value * 0.5f + 1;
  y[threadIdx.x] = value;
}

int main(int argc, char **argv) {
  const bool is_quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
  float *y = nullptr;
  if (cudaMalloc(&y, kMost * kThreads * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(y, 0, kMost * kThreads * sizeof(float));
  cudaStream_t streams[kMost];
  for (cudaStream_t &stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const auto launch = [&](int stream, int trips) {
    compute<<<1, kThreads, 0, streams[stream]>>>(y + stream * kThreads, trips);
  };
  const int kMany = 1 << 20;
  const double many_us = median_of(is_quick ? 1 : 5, [&] {
    launch(0, kMany);
    cudaDeviceSynchronize();
  });
  for (const double kernel_us : {5., 7., 15., 65., 300., 10'000.}) {
    const int trips = static_cast<int>(kernel_us / many_us * kMany) + 1;
    const int launches = is_quick || kernel_us > 1000 ? 4 : static_cast<int>(20'000 / kernel_us);
    double returns_us = 0;
    const auto run = [&](int count) {
      return median_of(is_quick ? 1 : 9, [&] {
        const double start = microseconds();
        for (int i = 0; i < launches * count; ++i) launch(i % count, trips);
        returns_us = (microseconds() - start) / (launches * count);
        cudaDeviceSynchronize();
      });
    };
    const double one_us = run(1);
    for (const int count : {2, 8, 16}) {
      const double all_us = run(count);
      printf("{\"kernel_us\": %.0f, \"streams\": %d, \"gain\": %.3f, \"launch_us\": %.3f}\n", kernel_us, count,
             count * one_us / all_us, returns_us);
      fflush(stdout);
    }
  }
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
