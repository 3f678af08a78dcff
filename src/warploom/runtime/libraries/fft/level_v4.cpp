// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms for x86-64 with AVX-512.
#ifdef __x86_64__
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "levels.h"
#include "workspace.h"

#define WARPLOOM_FFT_LEVEL v4
#define WARPLOOM_FFT_BYTES 64
#pragma clang attribute push(                                                                                      \
    __attribute__((target("avx,avx2,fma,bmi,bmi2,f16c,lzcnt,movbe,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"))), \
    apply_to = function)
#include "array.h"

namespace warploom::fft::v4 {

std::unique_ptr<Transform> plan_float(const Shape &shape) { return std::make_unique<ArrayTransform<float>>(shape); }
std::unique_ptr<Transform> plan_double(const Shape &shape) { return std::make_unique<ArrayTransform<double>>(shape); }
bool takes_two_passes(std::int64_t n, bool is_double) {
  return is_double ? has_two_passes<double>(n) : has_two_passes<float>(n);
}

}  // namespace warploom::fft::v4
#pragma clang attribute pop
#endif
