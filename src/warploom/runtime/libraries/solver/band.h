// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems of sparse matrices: rows and columns are ordered so that values lie near the diagonal (reverse Cuthill and
// McKee), and LAPACK factors the band, LU with exchanges of rows or Cholesky's. Memory: rows times the width of the
// band.
#pragma once

#include "lapack.h"

namespace warploom::solver {

struct Pattern {
  int n, base;
  const int *rows, *cols;

  int begin(int row) const { return rows[row] - base; }
  int end(int row) const { return rows[row + 1] - base; }
  int col(int at) const { return cols[at] - base; }
  // Whether rows lie within `nnz` values, and columns in a matrix of `width` columns.
  bool is_sound(int nnz, int width) const;
  bool is_sound(int nnz) const { return is_sound(nnz, n); }
};

// order[i]: the row that comes at place i.
std::vector<int> order_by_nearness(const Pattern &pattern);

template <class T>
class BandFactor {
 public:
  // Orders by nearness, or not at all, and finds the width of the band; false: there is no memory for it.
  bool analyse(const Pattern &pattern, bool orders = true);
  // Of the matrix less `shift` times the identity; Cholesky's looks at the lower triangle only.
  void factor(const Pattern &pattern, const T *values, bool cholesky, Real<T> shift);
  // x = the inverse of the matrix times b; they may be the same.
  void solve(const T *b, T *x) const;
  // The row at which the factor is singular within a tolerance; -1: none.
  int singular_row(double tolerance) const;

 private:
  std::int64_t row_size() const { return cholesky_ ? below_ + 1 : 2 * below_ + above_ + 1; }

  int n_ = 0, below_ = 0, above_ = 0;
  bool cholesky_ = false;
  int broken_ = -1;  // the row at which Cholesky's factor ended
  std::vector<int> order_, place_, pivots_;
  std::vector<T> band_;
};

}  // namespace warploom::solver
