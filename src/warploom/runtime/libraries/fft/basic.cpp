// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms for any processor: x86-64 with SSE2, AArch64 with NEON.
#define WARPLOOM_FFT_LEVEL basic
#define WARPLOOM_FFT_BYTES 16
#include "array.h"
#include "levels.h"

namespace warploom::fft::basic {

std::unique_ptr<Transform> plan_float(const Shape &shape) { return std::make_unique<ArrayTransform<float>>(shape); }
std::unique_ptr<Transform> plan_double(const Shape &shape) { return std::make_unique<ArrayTransform<double>>(shape); }

}  // namespace warploom::fft::basic
