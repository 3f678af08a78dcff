// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware's estimate of 1/sqrt(x), to 11 bits or more, for vectors of any length.
#pragma once

#include "vector.h"

#define WARPLOOM_HAS_RSQRT_ESTIMATE 1

namespace warploom_math {

template <int count>
using FloatPiece = float __attribute__((ext_vector_type(count)));

WARPLOOM_INLINE FloatPiece<4> rsqrt_piece(FloatPiece<4> x) { return __builtin_ia32_rsqrtps(x); }
WARPLOOM_INLINE FloatPiece<8> rsqrt_piece(FloatPiece<8> x) { return __builtin_ia32_rsqrtps256(x); }
#ifdef __AVX512F__
WARPLOOM_INLINE FloatPiece<16> rsqrt_piece(FloatPiece<16> x) {
  return __builtin_ia32_rsqrt14ps512_mask(x, x, (unsigned short)-1);
}
#endif

template <int count>
WARPLOOM_INLINE FloatPiece<count> rsqrt_pieces(FloatPiece<count> x) {
  if constexpr (requires { rsqrt_piece(x); }) {
    return rsqrt_piece(x);
  } else if constexpr (count == 2) {
    return rsqrt_piece(__builtin_shufflevector(x, x, 0, 1, 0, 1)).lo;
  } else {
    FloatPiece<count> result;
    result.lo = rsqrt_pieces<count / 2>(x.lo);
    result.hi = rsqrt_pieces<count / 2>(x.hi);
    return result;
  }
}
WARPLOOM_INLINE Float rsqrt_estimate(Float x) { return rsqrt_pieces<lanes>(x); }

}  // namespace warploom_math
