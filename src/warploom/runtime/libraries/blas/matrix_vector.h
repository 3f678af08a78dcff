// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = alpha op(A) x + beta y, also for other parts of the library.
#pragma once

#include "vector.h"

namespace warploom::blas {

// y = beta y, which is not read where beta is 0.
template <class T>
void scale_vector(int64_t n, T beta, Vector<T> y) {
  if (beta == T(1)) return;
  T *const at = y.from(0, n);
  for (int64_t i = 0; i < n; ++i) at[i * y.increment] = beta == T(0) ? T(0) : beta * at[i * y.increment];
}

// `trans`: 'N', 'T' or 'C'; A is m x n, neither of them 0.
template <class T>
void multiply_vector(char trans, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, Vector<const T> x, T beta,
                     Vector<T> y);

}  // namespace warploom::blas
