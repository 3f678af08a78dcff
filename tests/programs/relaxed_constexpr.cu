// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / relaxed constexpr, C++20 in device code
// With --expt-relaxed-constexpr kernels call the standard library's constexpr functions; C++20 in device code.
// flags: -std=c++20 --expt-relaxed-constexpr
#include <array>
#include <limits>

#include "check.h"

constexpr int triangle(int n) { return n * (n + 1) / 2; }

template <typename T>
concept Number = requires(T a) { a + a; };

template <Number T>
__device__ T twice(T value) {
  return value + value;
}

struct Point {
  int x, y;
  bool operator==(const Point &) const = default;
};

__global__ void run(int *output) {
  int i = threadIdx.x;
  constexpr std::array<int, 4> table{triangle(2), triangle(3), triangle(10), -1};
  output[0 * 32 + i] = std::max(std::min(i, 20), 5) + table[i % 4];
  output[1 * 32 + i] = std::numeric_limits<int>::max() - i;
  auto [first, second] = Point{.x = i, .y = twice(i)};
  output[2 * 32 + i] = first * 100 + second;
  output[3 * 32 + i] = Point{i, 4} == Point{4, i};
}

int main() {
  std::vector<int> want(128);
  const int table[4] = {3, 6, 55, -1};
  for (int i = 0; i < 32; ++i) {
    want[i] = std::max(std::min(i, 20), 5) + table[i % 4];
    want[32 + i] = 2147483647 - i;
    want[64 + i] = i * 102;
    want[96 + i] = i == 4;
  }
  int *output = device_zeros<int>(128);
  run<<<1, 32>>>(output);
  compare("modern", want, download(output, 128));
  return 0;
}
