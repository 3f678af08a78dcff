// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / integer division by zero
// Division by 0 and of the lowest number by -1, alone, as quotient and remainder together, and behind a test.
#include <cstdint>
#include <type_traits>

#include "check.h"

template <typename T>
__global__ void both(const T *a, const T *b, T *q, T *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}

template <typename T>
__global__ void quotient(const T *a, const T *b, T *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = a[i] / b[i];
}

template <typename T>
__global__ void remainder(const T *a, const T *b, T *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = a[i] % b[i];
}

template <typename T>
__global__ void guarded(const T *a, const T *b, T *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = b[i] ? a[i] / b[i] : T(77);
}

// A divisor that all threads share, and what was stored before it is known to be no zero.
template <typename T>
__global__ void uniform(const T *a, T b, T *q, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  q[i] = a[i] / b;
  if (b == 0) q[i] += 5;
}

template <typename T>
void show(const char *type, const char *what, const std::vector<T> &values) {
  std::printf("%s %s:", type, what);
  for (T each : values) std::printf(" %lld", static_cast<long long>(each));
  std::printf("\n");
}

template <typename T>
void test(const char *type) {
  const T ones = T(~T(0)), least = std::is_signed<T>::value ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
  const T most = std::is_signed<T>::value ? T(~least) : ones;
  std::vector<T> a, b;
  for (T x : {T(0), T(1), T(-1), T(7), T(-7), T(100), least, most, T(most / 3)}) {
    for (T y : {T(0), T(-1), T(1), T(3), least}) a.push_back(x), b.push_back(y);
  }
  const int n = static_cast<int>(a.size());
  T *da = upload(a), *db = upload(b), *q = device_zeros<T>(n), *r = device_zeros<T>(n);
  both<T><<<1, 64>>>(da, db, q, r, n);
  show(type, "a/b", download(q, n));
  show(type, "a%b", download(r, n));
  quotient<T><<<1, 64>>>(da, db, q, n);
  show(type, "quotient only", download(q, n));
  remainder<T><<<2, 32>>>(da, db, q, n);
  show(type, "remainder only", download(q, n));
  guarded<T><<<1, 64>>>(da, db, q, n);
  show(type, "guarded", download(q, n));
  uniform<T><<<1, 64>>>(da, T(0), q, n);
  show(type, "uniform", download(q, n));
}

int main() {
  test<int8_t>("s8");
  test<uint8_t>("u8");
  test<int16_t>("s16");
  test<uint16_t>("u16");
  test<int32_t>("s32");
  test<uint32_t>("u32");
  test<long long>("s64");
  test<unsigned long long>("u64");
}
