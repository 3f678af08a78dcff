// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifts by the width and more, and conversions out of range or of NaN, give what the GPU gives.
#include "check.h"

__global__ void shifts(const unsigned *amounts, unsigned *left, unsigned *right, int *arithmetic, unsigned long long *wide) {
  unsigned i = threadIdx.x, n = amounts[i];
  left[i] = 0x80000001u << n;
  right[i] = 0x80000001u >> n;
  arithmetic[i] = -5 >> n;
  wide[i] = 0x8000000000000001ull << n;
}

__global__ void conversions(const float *values, int *to_int, unsigned *to_unsigned, long long *to_long) {
  unsigned i = threadIdx.x;
  to_int[i] = static_cast<int>(values[i]);
  to_unsigned[i] = static_cast<unsigned>(values[i]);
  to_long[i] = static_cast<long long>(values[i]);
}

int main() {
  std::vector<unsigned> amounts = {0, 1, 31, 32, 33, 63, 64, 65, 255, 4000000000u};
  int count = static_cast<int>(amounts.size());
  unsigned *device_amounts = upload(amounts), *left = device_zeros<unsigned>(count), *right = device_zeros<unsigned>(count);
  int *arithmetic = device_zeros<int>(count);
  unsigned long long *wide = device_zeros<unsigned long long>(count);
  shifts<<<1, count>>>(device_amounts, left, right, arithmetic, wide);
  auto l = download(left, count), r = download(right, count);
  auto a = download(arithmetic, count);
  auto w = download(wide, count);
  for (int i = 0; i < count; ++i) std::printf("by %u: %08x %08x %d %016llx\n", amounts[i], l[i], r[i], a[i], w[i]);

  std::vector<float> values = {1.5f, -1.5f, 3e9f, -3e9f, 5e9f, 1e30f, -1e30f, NAN, INFINITY, -INFINITY};
  count = static_cast<int>(values.size());
  float *device_values = upload(values);
  int *to_int = device_zeros<int>(count);
  unsigned *to_unsigned = device_zeros<unsigned>(count);
  long long *to_long = device_zeros<long long>(count);
  conversions<<<1, count>>>(device_values, to_int, to_unsigned, to_long);
  auto s = download(to_int, count);
  auto u = download(to_unsigned, count);
  auto g = download(to_long, count);
  for (int i = 0; i < count; ++i) std::printf("%d: %d %u %lld\n", i, s[i], u[i], g[i]);
}
