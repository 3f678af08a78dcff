// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / printf in kernels
// Device printf: every conversion, widths, more arguments than registers hold, strings, %% and its return value.
#include "check.h"

__global__ void print(const char *text, int *results) {
  results[0] = printf("d %d %i %5d|%-5d|%05d|%+d\n", -3, 7, 42, 42, 42, 42);
  results[1] = printf("u %u x %x %X %#x o %o\n", 4000000000u, 0xbeefu, 0xbeefu, 255u, 8u);
  results[2] = printf("lld %lld llu %llu llx %llx ld %ld\n", -1234567890123ll, 18446744073709551615ull,
                      0x123456789abcdefull, -5l);
  printf("f %f %.3f %10.2f| e %.3e %E g %g %g\n", 1.5, 3.14159265, -2.345, 12345.678, 0.00012, 0.5, 1e20);
  printf("float %.2f char %c%c string %s %.3s|%8s|%-8s|\n", 2.25f, 'o', 'k', "text", "abcdef", "right", "left");
  printf("global %s percent %% short %hd\n", text, (short)-7);
  printf("many %d %d %d %d %d %d %d %d %d %d %f %lld %s\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11.5, 12ll, "13");
  results[3] = printf("no arguments\n");
}

__global__ void print_in_order() {
  for (int turn = 0; turn < blockDim.x; ++turn) {
    if (threadIdx.x == turn) printf("thread %d of %d\n", threadIdx.x, blockDim.x);
    __syncthreads();
  }
}

int main() {
  char *text = upload(std::vector<char>{'h', 'i', 0});
  int *results = device_zeros<int>(4);
  std::fflush(stdout);
  print<<<1, 1>>>(text, results);
  CHECK(cudaDeviceSynchronize());
  print_in_order<<<1, 5>>>();
  CHECK(cudaDeviceSynchronize());
  for (int result : download(results, 4)) std::printf("returned %d\n", result);
  return 0;
}
