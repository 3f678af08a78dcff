// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / GPU results of shifts and conversions
// Shifts by the width and more, and conversions out of range or of NaN, give what the GPU gives.
#include "check.h"

__global__ void shifts(const unsigned *amounts, unsigned *left, unsigned *right, int *arithmetic,
                       unsigned long long *wide) {
  unsigned i = threadIdx.x, n = amounts[i];
  left[i] = 0x80000001u << n;
  right[i] = 0x80000001u >> n;
  arithmetic[i] = -5 >> n;
  wide[i] = 0x8000000000000001ull << n;
}

template <typename T>
__global__ void conversions(const T *values, int *to_int, unsigned *to_unsigned, long long *to_long,
                            unsigned long long *to_unsigned_long, short *to_short) {
  unsigned i = threadIdx.x;
  to_int[i] = static_cast<int>(values[i]);
  to_unsigned[i] = static_cast<unsigned>(values[i]);
  to_long[i] = static_cast<long long>(values[i]);
  to_unsigned_long[i] = static_cast<unsigned long long>(values[i]);
  to_short[i] = static_cast<short>(static_cast<int>(values[i]));
}

template <typename T>
void test_conversions(const char *name) {
  const T inf = INFINITY;
  std::vector<T> values = {T(1.5), T(-1.5), T(3e9), T(-3e9), T(5e9), T(1e30), T(-1e30), T(NAN), inf, -inf, T(1.5e19)};
  int count = static_cast<int>(values.size());
  T *device_values = upload(values);
  int *to_int = device_zeros<int>(count);
  unsigned *to_unsigned = device_zeros<unsigned>(count);
  long long *to_long = device_zeros<long long>(count);
  unsigned long long *to_unsigned_long = device_zeros<unsigned long long>(count);
  short *to_short = device_zeros<short>(count);
  conversions<<<1, count>>>(device_values, to_int, to_unsigned, to_long, to_unsigned_long, to_short);
  auto s = download(to_int, count);
  auto u = download(to_unsigned, count);
  auto g = download(to_long, count);
  auto h = download(to_unsigned_long, count);
  auto t = download(to_short, count);
  for (int i = 0; i < count; ++i) std::printf("%s %d: %d %u %lld %llu %d\n", name, i, s[i], u[i], g[i], h[i], t[i]);
}

int main() {
  std::vector<unsigned> amounts = {0, 1, 31, 32, 33, 63, 64, 65, 255, 4000000000u};
  int count = static_cast<int>(amounts.size());
  unsigned *device_amounts = upload(amounts), *left = device_zeros<unsigned>(count),
           *right = device_zeros<unsigned>(count);
  int *arithmetic = device_zeros<int>(count);
  unsigned long long *wide = device_zeros<unsigned long long>(count);
  shifts<<<1, count>>>(device_amounts, left, right, arithmetic, wide);
  auto l = download(left, count), r = download(right, count);
  auto a = download(arithmetic, count);
  auto w = download(wide, count);
  for (int i = 0; i < count; ++i) std::printf("by %u: %08x %08x %d %016llx\n", amounts[i], l[i], r[i], a[i], w[i]);

  test_conversions<float>("float");
  test_conversions<double>("double");
}
