// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / memset
// Memsets of bytes at odd offsets and sizes, asynchronous ones, of symbols, of nothing; values are cut to a byte.
#include "check.h"

__device__ unsigned char marks[32];

int main() {
  unsigned char *data = device_zeros<unsigned char>(64);
  std::vector<unsigned char> want(64, 0);
  auto set = [&](int offset, int value, int count) {
    for (int i = 0; i < count; ++i) want[offset + i] = static_cast<unsigned char>(value);
  };
  CHECK(cudaMemset(data + 3, 0xab, 13));
  set(3, 0xab, 13);
  CHECK(cudaMemset(data + 20, 0x1ff, 5));
  set(20, 0xff, 5);
  CHECK(cudaMemset(data + 30, -2, 1));
  set(30, 0xfe, 1);
  CHECK(cudaMemset(data + 40, 7, 0));
  CHECK(cudaMemsetAsync(data + 50, 9, 14));
  set(50, 9, 14);
  compare("bytes", want, download(data, 64));
  void *address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, marks));
  CHECK(cudaMemset(address, 0x42, 31));
  std::vector<unsigned char> got(32), want_marks(32, 0x42);
  want_marks[31] = 0;
  CHECK(cudaMemcpyFromSymbol(got.data(), marks, 32));
  compare("symbol", want_marks, got);
  CHECK(cudaMemset2D(data, 16, 0x11, 7, 3));
  for (int row = 0; row < 3; ++row) set(16 * row, 0x11, 7);
  compare("2-D", want, download(data, 64));
  return 0;
}
