// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / reduce
// cg::reduce with plus, less, greater and bit operators over tiles of ints, floats and long longs; scans of a tile.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

template <int kSize, typename T>
__global__ void run(const T *input, T *output) {
  auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  T value = input[threadIdx.x], *mine = output + threadIdx.x * 5;
  mine[0] = cg::reduce(tile, value, cg::plus<T>());
  mine[1] = cg::reduce(tile, value, cg::less<T>());
  mine[2] = cg::reduce(tile, value, cg::greater<T>());
  mine[3] = cg::inclusive_scan(tile, value, cg::plus<T>());
  mine[4] = cg::exclusive_scan(tile, value);
}

template <int kSize>
__global__ void bits(const int *input, int *output) {
  auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  int value = input[threadIdx.x];
  output[threadIdx.x * 3] = cg::reduce(tile, value | 256, cg::bit_and<int>());
  output[threadIdx.x * 3 + 1] = cg::reduce(tile, value, cg::bit_or<int>());
  output[threadIdx.x * 3 + 2] = cg::reduce(tile, value, cg::bit_xor<int>());
}

template <int kSize, typename T>
void test(const char *name) {
  const int n = 64;
  std::vector<int> numbers = random_ints(n, 1000, kSize);
  std::vector<T> input(numbers.begin(), numbers.end()), want(5 * n);
  for (int i = 0; i < n; ++i) {
    int first = i / kSize * kSize;
    T least = input[first], most = input[first], sum = 0, before = 0;
    for (int k = first; k < first + kSize; ++k) {
      sum += input[k];
      least = std::min(least, input[k]);
      most = std::max(most, input[k]);
      if (k < i) before += input[k];
    }
    const T row[5] = {sum, least, most, before + input[i], before};
    std::copy(row, row + 5, want.begin() + 5 * i);
  }
  T *output = device_zeros<T>(5 * n);
  run<kSize, T><<<1, n>>>(upload(input), output);
  compare(name, want, download(output, 5 * n));
}

int main() {
  test<32, int>("int 32");
  test<8, float>("float 8");
  test<16, long long>("long long 16");
  test<4, double>("double 4");
  const int n = 32;
  std::vector<int> input = random_ints(n, 1 << 12), want;
  for (int i = 0; i < n; ++i) {
    int all = ~0, some = 0, odd = 0;
    for (int k = i / 16 * 16; k < i / 16 * 16 + 16; ++k) {
      all &= input[k] | 256;
      some |= input[k];
      odd ^= input[k];
    }
    want.insert(want.end(), {all, some, odd});
  }
  int *output = device_zeros<int>(3 * n);
  bits<16><<<1, n>>>(upload(input), output);
  compare("bits", want, download(output, 3 * n));
  return 0;
}
