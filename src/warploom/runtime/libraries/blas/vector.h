// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors as BLAS addresses them, and work on them by pieces of one length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "element.h"
#include "handle.h"

namespace warploom::blas {

template <class T>
struct Vector {
  T *first;  // the argument: with a negative increment the last element
  int64_t increment;

  // Element `i` of `n`.
  T *from(int64_t i, int64_t n) const { return first + (increment >= 0 ? i : i - (n - 1)) * increment; }
  operator Vector<const T>() const { return {first, increment}; }
};
template <class T>
Vector<T> vector(T *first, int64_t increment) {
  return {first, increment};
}

// The real numbers that elements are made of.
template <class T>
Real<T> *numbers(T *elements) {
  return reinterpret_cast<Real<T> *>(elements);
}
template <class T>
const Real<T> *numbers(const T *elements) {
  return reinterpret_cast<const Real<T> *>(elements);
}

inline constexpr int64_t kPiece = 32768;
inline int64_t pieces(int64_t n) { return (n + kPiece - 1) / kPiece; }

// Calls body(first, count) for each piece.
template <class Body>
void each_piece(int64_t n, double nanoseconds, const Body &body) {
  each_tile(static_cast<std::uint64_t>(pieces(n)), nanoseconds, [&](std::uint64_t i) {
    const int64_t first = static_cast<int64_t>(i) * kPiece;
    body(first, std::min(kPiece, n - first));
  });
}

// The sum of part(first, count) over the pieces.
template <class Sum, class Part>
Sum sum_of_pieces(int64_t n, double nanoseconds, const Part &part) {
  if (pieces(n) == 1) return part(0, n);
  std::vector<Sum> parts(static_cast<std::size_t>(pieces(n)));
  each_piece(n, nanoseconds, [&](int64_t first, int64_t count) {
    parts[static_cast<std::size_t>(first / kPiece)] = part(first, count);
  });
  Sum sum = 0;
  for (const Sum &other : parts) sum += other;
  return sum;
}

}  // namespace warploom::blas
