// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Kernels / parameters without names, of empty classes too
#include <type_traits>

#include "check.h"

template <bool Doubles>
__global__ void tagged(int *to, std::bool_constant<Doubles>, int, float x, const double *) {
  to[threadIdx.x] = static_cast<int>(x) * (Doubles ? 2 : 1) + static_cast<int>(threadIdx.x);
}

int main() {
  int *const numbers = device_zeros<int>(8);
  tagged<<<1, 4>>>(numbers, std::bool_constant<true>(), 3, 7.5f, nullptr);
  tagged<<<1, 4>>>(numbers + 4, std::bool_constant<false>(), 3, 7.5f, nullptr);
  compare("unnamed", {14, 15, 16, 17, 7, 8, 9, 10}, download(numbers, 8));
  return 0;
}
