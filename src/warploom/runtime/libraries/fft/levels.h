// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same code for each kind of processor.
#pragma once

#include "engine.h"

namespace warploom::fft {

#define WARPLOOM_FFT_PLANS(LEVEL)                             \
  namespace LEVEL {                                           \
  std::unique_ptr<Transform> plan_float(const Shape &shape);  \
  std::unique_ptr<Transform> plan_double(const Shape &shape); \
  }
WARPLOOM_FFT_PLANS(basic)
#ifdef __x86_64__
WARPLOOM_FFT_PLANS(v3)
WARPLOOM_FFT_PLANS(v4)
// Whether rows of n values are transformed by two passes, each row alone.
namespace v3 {
bool takes_two_passes(std::int64_t n, bool is_double);
}
namespace v4 {
bool takes_two_passes(std::int64_t n, bool is_double);
}
#endif
#undef WARPLOOM_FFT_PLANS

}  // namespace warploom::fft
