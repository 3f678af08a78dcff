// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots of unity and prime factors.
#include <cmath>
#include <utility>

#include "engine.h"

namespace warploom::fft {

// The angle is brought into the first eighth of the circle with whole numbers, where its rounding matters least.
void root_of_unity(std::int64_t k, std::int64_t n, double &cosine, double &sine) {
  const std::int64_t eighth = 8 * k / n, within = 8 * k - eighth * n;  // of n parts of this eighth
  const bool mirrored = (eighth & 1) != 0;
  const double angle =
      0.78539816339744830962 * static_cast<double>(mirrored ? n - within : within) / static_cast<double>(n);
  double c = std::cos(angle), s = std::sin(angle);
  if (mirrored) std::swap(c, s);
  switch (eighth >> 1) {  // the quarter
    case 1:
      c = -std::exchange(s, c);
      break;
    case 2:
      c = -c, s = -s;
      break;
    case 3:
      s = -std::exchange(c, s);
      break;
    default:
      break;
  }
  cosine = c;
  sine = -s;
}

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> factors;
  for (std::int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    while (n % p == 0) factors.push_back(p), n /= p;
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

}  // namespace warploom::fft
