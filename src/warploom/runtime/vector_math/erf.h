// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erf, erfc, normcdf, erfinv, erfcinv.
//
// The complementary error function is exp(-a^2) times a function that varies little, a polynomial in
// t = (a - k)/(a + k) (M. Shepherd and J. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x",
// Mathematics of Computation 36, 1981). The inverses are polynomials in w = -log(1 - x^2) or its root (M. Giles,
// "Approximating the erfinv function", GPU Computing Gems, 2011).
#pragma once

#include "coefficients.h"
#include "exp.h"
#include "log.h"
#include "vector.h"

namespace warploom_math {

// erf(x) for |x| <= 1.
template <class V>
WARPLOOM_INLINE V erf_near(V x) {
  return mad(x, WARPLOOM_POLYNOMIAL(x * x, erf), x);
}

// erfc(a) = value * 2^k where square + square_low is a^2, for a >= 1/2.
template <class V>
WARPLOOM_INLINE Scaled<V> erfc_parts(V a, V square, V square_low) {
  using T = Scalar<V>;
  constexpr T centre = is_float<V> ? 3 : 4;
  V t = (a - centre) / (a + centre);
  auto parts = exp_parts(-square, -square_low);
  return {parts.value * WARPLOOM_POLYNOMIAL(t, erfcx) / (a + T(1)), parts.number, V(T(0)), parts.k};
}

template <class V>
constexpr Scalar<V> erfc_last = is_float<V> ? 11.0 : 28.0;  // erfc is 0 from there on

template <class V>
WARPLOOM_INLINE V erf(V x) {
  using T = Scalar<V>;
  V a = absolute(x);
  V near = erf_near(x);
  V far;
  if constexpr (is_float<V>) {
    V limited = select(a > V(4.0f), V(4.0f), a);
    auto parts = exp_parts(polynomial(limited - 2.5f, log_erfc_f32));
    far = 1.0f - parts.value * power_of_two<V>(parts.k);
  } else {
    V limited = select(a > V(T(6)), V(T(6)), a);
    V square = limited * limited;
    auto parts = erfc_parts(limited, square, fma(limited, limited, -square));
    far = T(1) - parts.value * power_of_two<V>(parts.k);
  }
  return select(a < V(T(1)), near, copysign(far, x));
}

template <class V>
WARPLOOM_INLINE V erfc(V x) {
  using T = Scalar<V>;
  V a = absolute(x);
  V limited = select(a > V(erfc_last<V>), V(erfc_last<V>), a);
  V square = limited * limited;
  auto parts = erfc_parts(limited, square, fma(limited, limited, -square));
  V tail = scale(parts.value, parts.number, parts.k);
  V far = select(x < V(T(0)), T(2) - tail, tail);
  return select(a < V(T(0.5)), T(1) - erf_near(x), far);
}

// erfc(-x / sqrt(2)) / 2, with x^2 / 2 instead of the square of a rounded quotient.
template <class V>
WARPLOOM_INLINE V normcdf(V x) {
  using T = Scalar<V>;
  constexpr T root_half = 0.70710678118654752440;
  constexpr T last = is_float<V> ? 15.5 : 39.5;
  V a = absolute(x);
  V limited = select(a > V(last), V(last), a);
  V square = limited * limited;
  V square_low = fma(limited, limited, -square);
  auto parts = erfc_parts(limited * root_half, square * T(0.5), square_low * T(0.5));
  V tail = scale(parts.value, parts.number - Scalar<V>(1), parts.k - 1);
  V far = select(x > V(T(0)), T(1) - tail, tail);
  V near = mad(erf_near(x * root_half), V(T(0.5)), V(T(0.5)));
  return select(a < V(T(0.7071)), near, far);
}

// erfinv(x) / x by w = -log(1 - x^2).
template <class V>
WARPLOOM_INLINE V erfinv_factor(V w) {
  using T = Scalar<V>;
  V value = WARPLOOM_POLYNOMIAL(w - T(3), erfinv_near);
  auto far = w > V(T(6));
  if (any(far)) {
    V root = square_root(w);
    value = select(far, WARPLOOM_POLYNOMIAL(root - T(3.25), erfinv_far), value);
    if constexpr (!is_float<V>) {
      auto farther = w > V(T(16));
      if (any(farther)) value = select(farther, polynomial_two(root - T(5.1), erfinv_farther_f64), value);
    }
  }
  return value;
}

template <class V>
WARPLOOM_INLINE V erfinv(V x) {
  using T = Scalar<V>;
  V a = absolute(x);
  auto parts = split_binary(fma(-x, x, V(T(1))));
  V w = -log_of_parts(parts.mantissa - T(1), parts.exponent);
  V value = x * erfinv_factor(w);
  value = select(a == V(T(1)), copysign(V(Format<V>::infinity), x), value);
  return select(a <= V(T(1)), value, V(Format<V>::nan));
}

// erfinv(1 - x), where 1 - x^2 is x (2 - x).
template <class V>
WARPLOOM_INLINE V erfcinv(V x) {
  using T = Scalar<V>;
  V one_minus = T(1) - x;
  V w = -log(x * (T(2) - x));
  V factor = erfinv_factor(w);
  V lost = (T(1) - one_minus) - x;
  V value = fma(one_minus, factor, lost * factor);
  auto tail = w > V(is_float<V> ? T(16) : T(37));
  if (any(tail)) {
    V root = square_root(w);
    V far = WARPLOOM_POLYNOMIAL(root - (is_float<V> ? T(7.1) : T(9.3)), erfcinv_tail);
    if constexpr (!is_float<V>) {
      auto last = root > V(T(12.55));
      if (any(last)) far = select(last, polynomial_two(root - T(20), erfcinv_last_f64), far);
    }
    value = select(tail, root + far, value);
  }
  value = select(x == V(T(0)), V(Format<V>::infinity), value);
  value = select(x == V(T(2)), V(-Format<V>::infinity), value);
  return select((x >= V(T(0))) & (x <= V(T(2))), value, V(Format<V>::nan));
}

}  // namespace warploom_math
