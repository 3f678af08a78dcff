// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons: ordered ones are false for NaN, those that end in u are true.
#pragma once

#include "arithmetic.h"

namespace warploom {
namespace ptx {

enum comparison { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum combination { alone, with_and, with_or, with_xor };

template <comparison How, class T>
WARPLOOM_PTX bool compare_values(T a, T b) {
  const bool unordered = a != a || b != b;
  if (How == eq) return a == b;
  if (How == ne) return !unordered && a != b;
  if (How == lt) return a < b;
  if (How == le) return a <= b;
  if (How == gt) return a > b;
  if (How == ge) return a >= b;
  if (How == equ) return unordered || a == b;
  if (How == neu) return unordered || a != b;
  if (How == ltu) return unordered || a < b;
  if (How == leu) return unordered || a <= b;
  if (How == gtu) return unordered || a > b;
  if (How == geu) return unordered || a >= b;
  return (How == num) != unordered;
}
template <comparison How, bool Flush, class T>
WARPLOOM_PTX bool compare(T a, T b) {
  if constexpr (is_small<T>) {
    return compare_values<How>(warploom::small_float::value_of(flush<Flush>(a)),
                               warploom::small_float::value_of(flush<Flush>(b)));
  } else {
    return compare_values<How>(flush<Flush>(a), flush<Flush>(b));
  }
}
template <combination How>
WARPLOOM_PTX bool combine(bool a, bool b) {
  return How == with_and ? (a && b) : How == with_or ? (a || b) : How == with_xor ? a != b : a;
}
// What `set` writes: all ones for integers, 1.0 for floating point.
template <class D>
WARPLOOM_PTX D truth(bool value) {
  if constexpr (same<D, float>) return value ? 1.0f : 0.0f;
  if constexpr (is_small<D>) return warploom::small_float::round_to<D>(value ? 1.0f : 0.0f);
  if constexpr (is_integer<D>) return value ? static_cast<D>(~D(0)) : D(0);
}

}  // namespace ptx
}  // namespace warploom
