// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "band.h"

#include <cmath>
#include <new>
#include <numeric>

namespace warploom::solver {

namespace {

// Neighbours of each row in the matrix and its transpose.
std::vector<std::vector<int>> neighbours(const Pattern &p) {
  std::vector<std::vector<int>> found(static_cast<std::size_t>(p.n));
  for (int row = 0; row < p.n; ++row) {
    for (int i = p.begin(row); i < p.end(row); ++i) {
      const int col = p.col(i);
      if (col == row || col < 0 || col >= p.n) continue;
      found[row].push_back(col);
      found[col].push_back(row);
    }
  }
  for (auto &row : found) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return found;
}

// Appends the rows that can be reached from `start`, nearest first.
void append_reached(const std::vector<std::vector<int>> &graph, int start, std::vector<char> &seen,
                    std::vector<int> &order) {
  const auto fewer = [&](int a, int b) { return std::pair(graph[a].size(), a) < std::pair(graph[b].size(), b); };
  std::size_t next = order.size();
  order.push_back(start);
  seen[start] = 1;
  for (; next < order.size(); ++next) {
    const std::size_t first = order.size();
    for (const int other : graph[order[next]]) {
      if (seen[other]) continue;
      seen[other] = 1;
      order.push_back(other);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), fewer);
  }
}

constexpr std::int64_t kMostBytes = std::int64_t{8} << 30;

template <class T>
double size_of(const T &value) {
  if constexpr (kIsComplex<T>) {
    return std::hypot(static_cast<double>(value.x), static_cast<double>(value.y));
  } else {
    return std::abs(static_cast<double>(value));
  }
}
template <class T>
void subtract(T &value, Real<T> shift) {
  if constexpr (kIsComplex<T>) {
    value.x -= shift;
  } else {
    value -= shift;
  }
}

}  // namespace

bool Pattern::is_sound(int nnz, int width) const {
  if (rows == nullptr || (cols == nullptr && nnz > 0)) return false;
  for (int row = 0; row < n; ++row) {
    if (begin(row) < 0 || begin(row) > end(row) || end(row) > nnz) return false;
    for (int i = begin(row); i < end(row); ++i) {
      if (col(i) < 0 || col(i) >= width) return false;
    }
  }
  return true;
}

std::vector<int> order_by_nearness(const Pattern &p) {
  const auto graph = neighbours(p);
  std::vector<int> by_degree(static_cast<std::size_t>(p.n)), order;
  std::iota(by_degree.begin(), by_degree.end(), 0);
  std::stable_sort(by_degree.begin(), by_degree.end(), [&](int a, int b) { return graph[a].size() < graph[b].size(); });
  std::vector<char> seen(static_cast<std::size_t>(p.n), 0);
  for (const int start : by_degree) {
    if (seen[start]) continue;
    // What is farthest from a row of few neighbours is a better start.
    std::vector<char> tried = seen;
    std::vector<int> reached;
    append_reached(graph, start, tried, reached);
    append_reached(graph, reached.back(), seen, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

template <class T>
bool BandFactor<T>::analyse(const Pattern &p, bool orders) {
  n_ = p.n;
  order_.resize(static_cast<std::size_t>(n_));
  std::iota(order_.begin(), order_.end(), 0);
  if (orders) order_ = order_by_nearness(p);
  place_.assign(static_cast<std::size_t>(n_), 0);
  for (int i = 0; i < n_; ++i) place_[order_[i]] = i;
  below_ = above_ = 0;
  for (int row = 0; row < n_; ++row) {
    for (int i = p.begin(row); i < p.end(row); ++i) {
      const int distance = place_[row] - place_[p.col(i)];
      below_ = std::max(below_, distance), above_ = std::max(above_, -distance);
    }
  }
  below_ = above_ = std::max(below_, above_);
  return (std::int64_t{3} * below_ + 1) * n_ * static_cast<std::int64_t>(sizeof(T)) <= kMostBytes;
}

template <class T>
void BandFactor<T>::factor(const Pattern &p, const T *values, bool cholesky, Real<T> shift) {
  cholesky_ = cholesky;
  broken_ = -1;
  const std::int64_t height = row_size();
  const std::int64_t diagonal = cholesky ? 0 : below_ + above_;
  band_.assign(static_cast<std::size_t>(height * n_), T{});
  const auto at = [&](int row, int col) -> T & {
    return band_[static_cast<std::size_t>(diagonal + row - col + height * col)];
  };
  for (int row = 0; row < n_; ++row) {
    for (int i = p.begin(row); i < p.end(row); ++i) {
      if (cholesky && p.col(i) > row) continue;
      int to_row = place_[row], to_col = place_[p.col(i)];
      T value = values[i];
      if (cholesky && to_row < to_col) {
        std::swap(to_row, to_col);
        if constexpr (kIsComplex<T>) value.y = -value.y;
      }
      at(to_row, to_col) = value;
    }
  }
  for (int i = 0; i < n_ && shift != 0; ++i) subtract(at(i, i), shift);
  const int ld = static_cast<int>(height);
  int info = 0;
  if (cholesky) {
    lapack<"pbtrf_", T>("L", &n_, &below_, band_.data(), &ld, &info);
    if (info > 0) broken_ = info - 1;
  } else {
    pivots_.resize(static_cast<std::size_t>(n_));
    lapack<"gbtrf_", T>(&n_, &n_, &below_, &above_, band_.data(), &ld, pivots_.data(), &info);
  }
}

template <class T>
void BandFactor<T>::solve(const T *b, T *x) const {
  std::vector<T> right(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) right[i] = b[order_[i]];
  const int ld = static_cast<int>(row_size()), one = 1, size = std::max(1, n_);
  int info = 0;
  if (cholesky_) {
    lapack<"pbtrs_", T>("L", &n_, &below_, &one, band_.data(), &ld, right.data(), &size, &info);
  } else {
    lapack<"gbtrs_", T>("N", &n_, &below_, &above_, &one, band_.data(), &ld, pivots_.data(), right.data(), &size,
                        &info);
  }
  for (int i = 0; i < n_; ++i) x[order_[i]] = right[i];
}

template <class T>
int BandFactor<T>::singular_row(double tolerance) const {
  if (broken_ >= 0) return order_[broken_];
  const std::int64_t diagonal = cholesky_ ? 0 : below_ + above_;
  for (int i = 0; i < n_; ++i) {
    if (!(size_of(band_[static_cast<std::size_t>(diagonal + row_size() * i)]) > tolerance)) return order_[i];
  }
  return -1;
}

template class BandFactor<float>;
template class BandFactor<double>;
template class BandFactor<cuComplex>;
template class BandFactor<cuDoubleComplex>;

}  // namespace warploom::solver
