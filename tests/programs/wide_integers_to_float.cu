// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / 64-bit integers to float, rounded once
//
// Numbers beside the middles between two floats, where a conversion by way of double goes wrong; the host rounds by
// integer arithmetic.
#include <cstdio>
#include <cstring>

__global__ void convert(const unsigned long long *numbers, float *plain, float *with_sign, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  plain[i] = static_cast<float>(numbers[i]);
  with_sign[i] = static_cast<float>(static_cast<long long>(numbers[i]));
}

static float rounded(unsigned long long number) {
  if (number < 1 << 24) return static_cast<float>(static_cast<int>(number));
  int shift = 0;
  while (number >> shift >= 1 << 24) ++shift;
  unsigned long long kept = number >> shift;
  const unsigned long long rest = number - (kept << shift), half = 1ULL << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  float result = static_cast<float>(static_cast<int>(kept));
  for (; shift > 0; --shift) result *= 2;
  return result;
}

int main() {
  constexpr int kOffsets = 7, n = 64 * 8 * kOffsets;
  unsigned long long *numbers;
  float *plain, *with_sign;
  cudaMallocManaged(&numbers, n * sizeof *numbers);
  cudaMallocManaged(&plain, n * sizeof *plain);
  cudaMallocManaged(&with_sign, n * sizeof *with_sign);
  for (int i = 0; i < n; ++i) {
    const int high = i % 64, pattern = i / 64 % 8, offset = i / 512 - kOffsets / 2;
    unsigned long long number = 1ULL << high;
    if (high > 24) number |= (pattern & 3ULL) << (high - 24) | (pattern >> 2 & 1ULL) << (high - 23);
    numbers[i] = number + offset;
  }
  convert<<<(n + 127) / 128, 128>>>(numbers, plain, with_sign, n);
  cudaDeviceSynchronize();
  int wrong = 0, wrong_with_sign = 0;
  for (int i = 0; i < n; ++i) {
    const bool negative = numbers[i] >> 63;
    const float magnitude = rounded(negative ? 0 - numbers[i] : numbers[i]);
    wrong += plain[i] != rounded(numbers[i]);
    wrong_with_sign += with_sign[i] != (negative ? -magnitude : magnitude);
  }
  std::printf("%d numbers: %d wrong, %d wrong with a sign\n", n, wrong, wrong_with_sign);
  return 0;
}
