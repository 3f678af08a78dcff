// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / 64-bit integer division
// Quotients and remainders of 64 bits: close to multiples, to powers of two and to both ends of the range, and by zero.
#include <string>

#include "check.h"

template <class T>
__global__ void divide(const T *a, const T *b, T *quotient, T *rest, T *by_constants) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  quotient[i] = a[i] / b[i];
  rest[i] = a[i] % b[i];
  by_constants[i] = a[i] / T(1000003) + a[i] % T(10) + a[i] / T(-7) + a[i] / T(-8) + a[i] % T(1) + a[i] / T(1ull << 63);
}

struct Numbers {
  uint64_t state = 88172645463325252ull;
  uint64_t next() { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; }
  uint64_t any() {
    uint64_t size = next() % 64, number = next() >> size;
    switch (next() % 4) {
      case 0:
        return 0 - number;
      case 1:
        return (1ull << size) + next() % 5 - 2;
      default:
        return number;
    }
  }
};

template <class T>
void quotient_of(T a, T b, T &quotient, T &rest) {
  if (b == 0) {
    quotient = rest = uint64_t(a) >> 32 ? T(-1) : T(0xffffffffu);
  } else if (T(-1) < 0 && b == T(-1)) {
    quotient = T(0 - uint64_t(a)), rest = 0;
  } else {
    quotient = a / b, rest = a % b;
  }
}

template <class T>
void test(const char *name) {
  const int count = 1 << 14;
  Numbers numbers;
  std::vector<T> a(count), b(count), quotients(count), rests(count), constants(count);
  for (int i = 0; i < count; ++i) {
    b[i] = T(numbers.any());
    a[i] = numbers.next() % 3 ? T(numbers.any()) : T(uint64_t(b[i]) * numbers.any() + numbers.next() % 3 - 1);
    quotient_of(a[i], b[i], quotients[i], rests[i]);
    T sum = 0, rest = 0, part = 0;
    for (T divisor : {T(1000003), T(-7), T(-8), T(1ull << 63)}) {
      quotient_of(a[i], divisor, part, rest);
      sum = T(uint64_t(sum) + uint64_t(part));
    }
    quotient_of(a[i], T(10), part, rest);
    constants[i] = T(uint64_t(sum) + uint64_t(rest));
  }
  T *device_a = upload(a), *device_b = upload(b);
  T *device_quotients = device_zeros<T>(count), *device_rests = device_zeros<T>(count);
  T *device_constants = device_zeros<T>(count);
  divide<<<count / 128, 128>>>(device_a, device_b, device_quotients, device_rests, device_constants);
  compare((std::string(name) + " quotients").c_str(), quotients, download(device_quotients, count));
  compare((std::string(name) + " remainders").c_str(), rests, download(device_rests, count));
  compare((std::string(name) + " by constants").c_str(), constants, download(device_constants, count));
}

int main() {
  test<uint64_t>("unsigned");
  test<int64_t>("signed");
}
