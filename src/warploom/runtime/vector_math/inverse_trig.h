// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// asin, acos, atan, atan2.
#pragma once

#include "coefficients.h"
#include "trig.h"
#include "vector.h"

namespace warploom_math {

// For |x| <= 1/2: s = |x|. Beyond: asin(x) = pi/2 - 2 asin(s), s = sqrt((1 - |x|) / 2). tail: asin(s) - s.
template <class V>
struct ArcSine {
  IntOf<V> small;
  V s, square, tail;
};
template <class V>
WARPLOOM_INLINE ArcSine<V> arc_sine(V x) {
  using T = Scalar<V>;
  V a = absolute(x);
  ArcSine<V> arc;
  arc.small = a < V(T(0.5));
  arc.square = select(arc.small, a * a, mad(a, V(T(-0.5)), V(T(0.5))));
  arc.s = select(arc.small, a, square_root(arc.square));
  arc.tail = arc.s * arc.square * WARPLOOM_POLYNOMIAL(arc.square, asin);
  return arc;
}

template <class V>
WARPLOOM_INLINE V asin(V x) {
  using T = Scalar<V>;
  auto arc = arc_sine(x);
  V sum = arc.s + arc.tail;
  V large = V(half_pi_1<V>) - mad(sum, V(T(2)), V(-half_pi_2<V>));
  return copysign(select(arc.small, sum, large), x);
}

template <class V>
WARPLOOM_INLINE V acos(V x) {
  using T = Scalar<V>;
  auto arc = arc_sine(x);
  auto negative = x < V(T(0));
  V tail = arc.tail;
  if constexpr (!is_float<V>) {  // what the square root rounded off
    V lost = fma(-arc.s, arc.s, arc.square) * T(0.5) / arc.s;
    tail = tail + select(arc.small | (arc.s == V(T(0))), V(T(0)), lost);
  }
  V twice = T(2) * (arc.s + tail);
  V past = V(T(2) * half_pi_1<V>) - (twice - T(2) * half_pi_2<V>);
  V large = select(negative, past, twice);
  V middle = V(half_pi_1<V>) - (x + (copysign(tail, x) - half_pi_2<V>));
  return select(arc.small, middle, large);
}

// atan(a / b) for a, b >= 0. Up to a/b = 1/2 and from 2 on: atan of the quotient, which is pi/2 - atan(b / a);
// between: pi/4 + atan((a - b) / (a + b)).
template <class V>
WARPLOOM_INLINE V atan_of_quotient(V a, V b) {
  using T = Scalar<V>;
  auto steep = a > b;
  V smaller = select(steep, b, a), larger = select(steep, a, b);
  auto middle = smaller > T(0.5) * larger;
  V quotient = select(middle, a - b, smaller) / select(middle, a + b, larger);
  V z = quotient * quotient;
  V tail = quotient * z * WARPLOOM_POLYNOMIAL(z, atan);
  V arc = quotient + tail;
  V beyond = V(half_pi_1<V>) - (quotient + (tail - half_pi_2<V>));
  V between = V(T(0.5) * half_pi_1<V>) + (quotient + (tail + T(0.5) * half_pi_2<V>));
  return select(middle, between, select(steep, beyond, arc));
}
template <class V>
WARPLOOM_INLINE V atan(V x) {
  using T = Scalar<V>;
  V a = absolute(x);
  constexpr T last = is_float<V> ? 0x1p60 : 0x1p120;
  return copysign(atan_of_quotient(select(a > V(last), V(last), a), V(T(1))), x);
}

template <class V>
WARPLOOM_INLINE V atan2(V y, V x) {
  using T = Scalar<V>;
  constexpr T large = is_float<V> ? 0x1p126 : 0x1p1022;
  V a = absolute(y), b = absolute(x);
  auto huge = (a > V(large)) | (b > V(large));  // else a + b may overflow
  V p = select(huge, a * T(0.25), a), q = select(huge, b * T(0.25), b);
  auto alike = (a == b) & ((a == V(T(0))) | (a == V(Format<V>::infinity)));
  p = select(alike, select(a == V(T(0)), V(T(0)), V(T(1))), p);
  q = select(alike, V(T(1)), q);
  V arc = atan_of_quotient(p, q);
  arc = select(bits(x) < 0, V(T(2) * half_pi_1<V>) - (arc - T(2) * half_pi_2<V>), arc);
  return copysign(arc, y);
}

}  // namespace warploom_math
