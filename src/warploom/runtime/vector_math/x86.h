// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of AVX-512 that no expression on vectors leads to, for vectors of any length: the estimate of 1/sqrt(x)
// to 14 bits, the product with 2^floor(k), and x - floor(x). Included by vector.h.
#pragma once

namespace warploom_math {

template <class T, int count>
using Piece = T __attribute__((ext_vector_type(count)));

constexpr int current_rounding = 4;
WARPLOOM_INLINE Piece<float, 4> rsqrt_piece(Piece<float, 4> x) {
  return __builtin_ia32_rsqrt14ps128_mask(x, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<float, 8> rsqrt_piece(Piece<float, 8> x) {
  return __builtin_ia32_rsqrt14ps256_mask(x, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<float, 16> rsqrt_piece(Piece<float, 16> x) {
  return __builtin_ia32_rsqrt14ps512_mask(x, x, (unsigned short)-1);
}
WARPLOOM_INLINE Piece<float, 4> scale_piece(Piece<float, 4> x, Piece<float, 4> k) {
  return __builtin_ia32_scalefps128_mask(x, k, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<float, 8> scale_piece(Piece<float, 8> x, Piece<float, 8> k) {
  return __builtin_ia32_scalefps256_mask(x, k, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<float, 16> scale_piece(Piece<float, 16> x, Piece<float, 16> k) {
  return __builtin_ia32_scalefps512_mask(x, k, x, (unsigned short)-1, current_rounding);
}
WARPLOOM_INLINE Piece<double, 2> scale_piece(Piece<double, 2> x, Piece<double, 2> k) {
  return __builtin_ia32_scalefpd128_mask(x, k, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<double, 4> scale_piece(Piece<double, 4> x, Piece<double, 4> k) {
  return __builtin_ia32_scalefpd256_mask(x, k, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<double, 8> scale_piece(Piece<double, 8> x, Piece<double, 8> k) {
  return __builtin_ia32_scalefpd512_mask(x, k, x, (unsigned char)-1, current_rounding);
}

template <class T, int count>
WARPLOOM_INLINE Piece<T, count> scale_pieces(Piece<T, count> x, Piece<T, count> k) {
  if constexpr (requires { scale_piece(x, k); }) {
    return scale_piece(x, k);
  } else if constexpr (count == 2) {
    return scale_piece(__builtin_shufflevector(x, x, 0, 1, 0, 1), __builtin_shufflevector(k, k, 0, 1, 0, 1)).lo;
  } else {
    Piece<T, count> result;
    result.lo = scale_pieces<T, count / 2>(x.lo, k.lo);
    result.hi = scale_pieces<T, count / 2>(x.hi, k.hi);
    return result;
  }
}
WARPLOOM_INLINE Float scale_by_hardware(Float x, Float k) { return scale_pieces<float, lanes>(x, k); }
WARPLOOM_INLINE Double scale_by_hardware(Double x, Double k) { return scale_pieces<double, lanes>(x, k); }

template <int count>
WARPLOOM_INLINE Piece<float, count> rsqrt_pieces(Piece<float, count> x) {
  if constexpr (requires { rsqrt_piece(x); }) {
    return rsqrt_piece(x);
  } else if constexpr (count == 2) {
    return rsqrt_piece(__builtin_shufflevector(x, x, 0, 1, 0, 1)).lo;
  } else {
    Piece<float, count> result;
    result.lo = rsqrt_pieces<count / 2>(x.lo);
    result.hi = rsqrt_pieces<count / 2>(x.hi);
    return result;
  }
}
WARPLOOM_INLINE Float rsqrt_estimate(Float x) { return rsqrt_pieces<lanes>(x); }

#ifdef __AVX512DQ__
#define WARPLOOM_X86_512_DQ 1
constexpr int rest_of_floor = 1;  // of the instruction: no bits behind the point are kept, rounding is downwards
WARPLOOM_INLINE Piece<float, 4> fraction_piece(Piece<float, 4> x) {
  return __builtin_ia32_reduceps128_mask(x, rest_of_floor, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<float, 8> fraction_piece(Piece<float, 8> x) {
  return __builtin_ia32_reduceps256_mask(x, rest_of_floor, x, (unsigned char)-1);
}
WARPLOOM_INLINE Piece<float, 16> fraction_piece(Piece<float, 16> x) {
  return __builtin_ia32_reduceps512_mask(x, rest_of_floor, x, (unsigned short)-1, current_rounding);
}
template <int count>
WARPLOOM_INLINE Piece<float, count> fraction_pieces(Piece<float, count> x) {
  if constexpr (requires { fraction_piece(x); }) {
    return fraction_piece(x);
  } else if constexpr (count == 2) {
    return fraction_piece(__builtin_shufflevector(x, x, 0, 1, 0, 1)).lo;
  } else {
    Piece<float, count> result;
    result.lo = fraction_pieces<count / 2>(x.lo);
    result.hi = fraction_pieces<count / 2>(x.hi);
    return result;
  }
}
// x - floor(x); 0 of infinities.
WARPLOOM_INLINE Float fraction(Float x) { return fraction_pieces<lanes>(x); }
#endif

}  // namespace warploom_math
