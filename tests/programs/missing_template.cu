// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / calls of dependent member templates without the keyword `template`
// What nvcc compiles in device code, and C++ would want `template` for: static members, objects, pointers.
#include "check.h"

template <typename T>
struct Numbers {
  T base;
  template <int N>
  __host__ __device__ static T times(T x) {
    return x * N;
  }
  template <int N, int M>
  __host__ __device__ T between(T x) const {
    return base + N * x + M;
  }
};

template <typename T, int K>
__device__ int all(T x) {
  const Numbers<T> numbers{static_cast<T>(100)};
  const Numbers<T> *pointer = &numbers;
  int sum = static_cast<int>(Numbers<T>::times<K>(x));
  sum += static_cast<int>(numbers.between<K, K + 1>(x));
  return sum + static_cast<int>(pointer->between<3, K>(x));
}

__global__ void run(int *result) {
  result[0] = all<int, 3>(7);
  result[1] = all<float, 5>(2.5f);
}

int main() {
  int *result = device_zeros<int>(2);
  run<<<1, 1>>>(result);
  const std::vector<int> got = download(result, 2);
  report("whole numbers", 21 + 125 + 124, got[0]);
  report("fractions", 12 + 118 + 112, got[1]);
  return 0;
}
