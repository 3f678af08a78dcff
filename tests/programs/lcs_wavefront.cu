// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / lcs wavefront
// Longest common subsequence along anti-diagonals, a barrier between diagonals, most threads idle at the ends.
#include "check.h"

const int kLength = 90;

__global__ void lcs(const char *a, const char *b, int *table) {
  const int stride = kLength + 1;
  for (int diagonal = 2; diagonal <= 2 * kLength; ++diagonal) {
    int row = threadIdx.x + 1, column = diagonal - row;
    if (column >= 1 && column <= kLength) {
      int best;
      if (a[row - 1] == b[column - 1])
        best = table[(row - 1) * stride + column - 1] + 1;
      else
        best = max(table[(row - 1) * stride + column], table[row * stride + column - 1]);
      table[row * stride + column] = best;
    }
    __syncthreads();
  }
}

int main() {
  const int stride = kLength + 1;
  std::vector<char> a(kLength), b(kLength);
  Lcg lcg{99};
  for (char &letter : a) letter = static_cast<char>('a' + lcg.below(4));
  for (char &letter : b) letter = static_cast<char>('a' + lcg.below(4));
  std::vector<int> want(stride * stride, 0);
  for (int i = 1; i <= kLength; ++i)
    for (int j = 1; j <= kLength; ++j)
      want[i * stride + j] = a[i - 1] == b[j - 1] ? want[(i - 1) * stride + j - 1] + 1
                                                  : std::max(want[(i - 1) * stride + j], want[i * stride + j - 1]);
  int *table = device_zeros<int>(stride * stride);
  lcs<<<1, kLength>>>(upload(a), upload(b), table);
  compare("table", want, download(table, stride * stride));
  report("length", want.back(), download(table + stride * stride - 1, 1)[0]);
  return 0;
}
