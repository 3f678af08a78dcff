// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / shuffles of every type
// Shuffles of 32- and 64-bit integers, signed and unsigned, of float and double: every bit arrives.
#include "check.h"

template <typename T>
__global__ void rotate(const T *input, T *output) {
  T value = input[threadIdx.x];
  output[threadIdx.x] = __shfl_sync(0xffffffffu, value, (threadIdx.x + 7) % 32);
  output[32 + threadIdx.x] = __shfl_xor_sync(0xffffffffu, value, 21);
  output[64 + threadIdx.x] = __shfl_up_sync(0xffffffffu, value, 2);
  output[96 + threadIdx.x] = __shfl_down_sync(0xffffffffu, value, 30);
}

template <typename T>
void test(const char *name) {
  std::vector<T> input(32), want(128);
  for (int lane = 0; lane < 32; ++lane) {
    unsigned long long bits = 0x0123456789abcdefull * (lane + 1);
    if (std::is_floating_point<T>::value)
      input[lane] = static_cast<T>(static_cast<long long>(bits)) / 3;
    else
      input[lane] = static_cast<T>(bits);
  }
  for (int lane = 0; lane < 32; ++lane) {
    want[lane] = input[(lane + 7) % 32];
    want[32 + lane] = input[lane ^ 21];
    want[64 + lane] = input[lane < 2 ? lane : lane - 2];
    want[96 + lane] = input[lane + 30 > 31 ? lane : lane + 30];
  }
  T *output = device_zeros<T>(128);
  rotate<<<1, 32>>>(upload(input), output);
  compare(name, want, download(output, 128));
}

int main() {
  test<int>("int");
  test<unsigned>("unsigned");
  test<long>("long");
  test<unsigned long>("unsigned long");
  test<long long>("long long");
  test<unsigned long long>("unsigned long long");
  test<float>("float");
  test<double>("double");
  return 0;
}
