// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tgamma and lgamma, in double for float too.
//
//   x >= 5/2          log Gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + rest(1/x)    (Stirling), in two numbers
//   near 0, 1 and 2   polynomials for log Gamma(1 + u)/u and log Gamma(2 + u)/u
//   negative x        Gamma(x) Gamma(1 - x) = pi / sin(pi x)
#pragma once

#include "coefficients.h"
#include "exp.h"
#include "log.h"
#include "pow.h"
#include "trig.h"
#include "vector.h"

namespace warploom_math {

// log Gamma(x) in two numbers, and its derivative nearly, for x >= 5/2.
struct Stirling {
  Two<Double> value;
  Double slope;
};
WARPLOOM_INLINE Stirling stirling(Double x) {
  constexpr double half_log_two_pi = 0x1.d67f1c864beb5p-1, half_log_two_pi_low = -0x1.65b5a1b7ff5dfp-55;
  Double inverse = 1.0 / x, z = inverse * inverse;
  auto log = log_two(x, Double(0.0));
  Double factor = x - 0.5;
  auto product = two_product(factor, log.high);
  Double low = mad(factor, log.low, product.low);
  // The product is less than x where x < e or so.
  Double sum = product.high - x;
  Double taken = product.high - sum;
  Double lost = (product.high - (sum + taken)) + (taken - x);
  auto all = fast_two_sum(sum, Double(half_log_two_pi));
  auto swapped = fast_two_sum(Double(half_log_two_pi), sum);
  Double rest = mad(inverse, polynomial_two(z, stirling_f64), Double(half_log_two_pi_low));
  Double small = select(absolute(sum) < Double(half_log_two_pi), swapped.low, all.low);
  return {fast_two_sum(all.high, small + (lost + low + rest)), log.high - 0.5 * inverse};
}

WARPLOOM_INLINE Double tgamma(Double x) {
  constexpr double pi = pi_high<Double>;
  auto reflected = x < Double(0.5);
  // a = 1 - x or x in two numbers; from 1/2 to 5/2 Gamma(a) = Gamma(a + 2) / (a (a + 1)).
  Double limited = select(x < Double(-190.0), Double(-190.0), select(x > Double(180.0), Double(180.0), x));
  Double difference = 1.0 - limited;
  Double a = select(reflected, difference, limited);
  Double a_low = select(reflected, (1.0 - difference) - limited, Double(0.0));
  auto few = a < Double(2.5);
  Double shifted = select(few, a + 2.0, a);
  Double shifted_low = a_low + select(few, (2.0 - shifted) + a, Double(0.0));
  auto log = stirling(shifted);
  auto parts = exp_parts(log.value.high, mad(log.slope, shifted_low, log.value.low));
  Double divisor = select(few, mad(a, a, a) + a_low * (2.0 * a + 1.0), Double(1.0));
  // Gamma(a) = value * 2^k / divisor
  Double sine = sinpi(limited);
  Double numerator = select(reflected, pi * divisor, parts.value);
  Double denominator = select(reflected, sine * parts.value, divisor);
  Double value = scale(numerator / denominator, select(reflected, -parts.number, parts.number),
                       select(reflected, -parts.k, parts.k));
  auto tiny = absolute(x) < Double(0x1p-60);  // 1/x, without the loss in 1 - x
  value = select(tiny, 1.0 / x, value);
  auto whole = (truncate(x) == x) & (x < Double(0.0));
  value = select(whole, Double(Format<Double>::nan), value);
  value = select(x > Double(172.0), Double(Format<Double>::infinity), value);
  auto far = (x < Double(-189.0)) & ~whole;
  value = select(far, copysign(Double(0.0), sinpi(x)), value);
  return select(x == x, value, x);
}

WARPLOOM_INLINE Double lgamma(Double x) {
  auto negative = x <= Double(-0.5);
  Double a = select(negative, 1.0 - x, x);
  // Around 0, 1 and 2.
  auto zero = absolute(x) < Double(0.5);
  auto one = a < Double(1.5);
  Double u = select(zero, x, select(one, a - 1.0, a - 2.0));
  Double near = u * select(zero | one, polynomial_two(u, lgamma_one_f64), polynomial_two(u, lgamma_two_f64));
  auto large = a >= Double(2.5);
  Double value = near;
  if (any(large)) {
    Double limited = select(a > Double(0x1p1000), Double(0x1p1000), select(large, a, Double(3.0)));
    auto far = stirling(limited);
    // What 1 - x lost matters for the zeros of log Gamma on the left.
    Double a_low = select(negative, (1.0 - a) - x, Double(0.0));
    Double sum = far.value.high + mad(far.slope, a_low, far.value.low);
    sum = select(a > Double(0x1p1000), a * (log(a) - 1.0), sum);
    value = select(large, sum, value);
  }
  auto other = zero | negative;
  if (any(other)) {
    constexpr double pi = pi_high<Double>;
    Double sine = absolute(sinpi(x));
    Double argument = select(negative, pi / sine, 1.0 / absolute(x));
    // 1/|x| may overflow
    Double logarithm = select(negative, log(argument), -log(absolute(x)));
    value = select(negative, logarithm - value, select(zero, value + logarithm, value));
  }
  value = select(value == Double(0.0), Double(0.0), value);  // not -0
  auto pole = (x <= Double(0.0)) & (truncate(x) == x);
  value = select(pole | (absolute(x) == Double(Format<Double>::infinity)), Double(Format<Double>::infinity), value);
  return select(x == x, value, x);
}

WARPLOOM_INLINE Float tgamma(Float x) {
  return __builtin_convertvector(tgamma(__builtin_convertvector(x, Double)), Float);
}
WARPLOOM_INLINE Float lgamma(Float x) {
  return __builtin_convertvector(lgamma(__builtin_convertvector(x, Double)), Float);
}

}  // namespace warploom_math
