// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tridiagonal systems, by elimination: with exchanges of neighbouring rows where the lower one has the larger value, or
// without. Systems of a batch are solved side by side.
#include <cmath>

#include "lines.h"

using namespace warploom::sparse;

namespace {

template <class T>
double size_of(T value) {
  return std::abs(static_cast<double>(value));
}
template <class T>
double size_of(Complex<T> value) {
  return std::abs(static_cast<double>(value.r)) + std::abs(static_cast<double>(value.i));
}

// Values of one system, `step` apart: below the diagonal (the first is not read), on it, above (the last is not read).
template <class T>
struct System {
  const T *below, *on, *above;
  std::int64_t step;
};
template <class T>
struct Right {
  T *values;
  std::int64_t step, count, apart;  // of right-hand sides
};

template <class T>
void solve(int m, const System<T> &s, const Right<T> &x, bool pivots) {
  std::vector<T> low(m), d(m), u(m), w(m, T(0));
  for (int i = 0; i < m; ++i) low[i] = s.below[i * s.step], d[i] = s.on[i * s.step], u[i] = s.above[i * s.step];
  if (m > 0) u[m - 1] = T(0);
  for (int i = 0; i + 1 < m; ++i) {
    const bool exchange = pivots && size_of(low[i + 1]) > size_of(d[i]);
    if (exchange) {
      std::swap(d[i], low[i + 1]);
      std::swap(u[i], d[i + 1]);
      std::swap(w[i], u[i + 1]);
    }
    const T factor = low[i + 1] / d[i];
    d[i + 1] = d[i + 1] - factor * u[i];
    u[i + 1] = u[i + 1] - factor * w[i];
    for (std::int64_t j = 0; j < x.count; ++j) {
      T *const upper = x.values + j * x.apart + i * x.step, *const lower = upper + x.step;
      if (exchange) std::swap(*upper, *lower);
      *lower = *lower - factor * *upper;
    }
  }
  for (std::int64_t j = 0; j < x.count; ++j) {
    T *const at = x.values + j * x.apart;
    for (int i = m - 1; i >= 0; --i) {
      T sum = at[i * x.step];
      if (i + 1 < m) sum = sum - u[i] * at[(i + 1) * x.step];
      if (i + 2 < m) sum = sum - w[i] * at[(i + 2) * x.step];
      at[i * x.step] = sum / d[i];
    }
  }
}

constexpr int kLeast = 3;  // rows of a system

cusparseStatus_t check(cusparseHandle_t handle, int m, int count, int least = kLeast) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return m < least || count < 0 ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_SUCCESS;
}

template <class T>
cusparseStatus_t solve_columns(cusparseHandle_t handle, const char *name, int m, int n, const void *dl, const void *d,
                               const void *du, void *b, int ldb, bool pivots) {
  if (const cusparseStatus_t wrong = check(handle, m, n); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (ldb < m) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, name, std::int64_t{m} * (n + 4) * 4, [=] {
    const System<T> system{static_cast<const T *>(dl), static_cast<const T *>(d), static_cast<const T *>(du), 1};
    solve<T>(m, system, {static_cast<T *>(b), 1, n, ldb}, pivots);
  });
}
// `step` between the values of a system, `apart` between systems.
template <class T>
cusparseStatus_t solve_batch(cusparseHandle_t handle, const char *name, int m, const void *dl, const void *d,
                             const void *du, void *x, int count, std::int64_t step, std::int64_t apart, bool pivots) {
  if (const cusparseStatus_t wrong = check(handle, m, count); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  const std::int64_t values = std::int64_t{m} * count * 8;
  return run(handle, name, values, [=] {
    const auto systems = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t at = i * apart;
        const System<T> system{static_cast<const T *>(dl) + at, static_cast<const T *>(d) + at,
                               static_cast<const T *>(du) + at, step};
        solve<T>(m, system, {static_cast<T *>(x) + at, step, 1, 0}, pivots);
      }
    };
    each_lines(count, values, systems, 8);
  });
}
template <class S>
cusparseStatus_t buffer(cusparseHandle_t handle, int m, int count, S *size, int least = kLeast) {
  if (const cusparseStatus_t wrong = check(handle, m, count, least); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 16;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#define TRIDIAGONAL(LETTER, G, T)                                                                                      \
  cusparseStatus_t cusparse##LETTER##gtsv2_bufferSizeExt(cusparseHandle_t h, int m, int n, const G *, const G *,       \
                                                         const G *, const G *, int, size_t *size) {                    \
    return buffer(h, m, n, size, 0);                                                                                   \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsv2(cusparseHandle_t h, int m, int n, const G *dl, const G *d, const G *du,     \
                                           G *b, int ldb, void *) {                                                    \
    return solve_columns<T>(h, "cusparse" #LETTER "gtsv2", m, n, dl, d, du, b, ldb, true);                             \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsv2_nopivot_bufferSizeExt(cusparseHandle_t h, int m, int n, const G *,          \
                                                                 const G *, const G *, const G *, int, size_t *size) { \
    return buffer(h, m, n, size, 0);                                                                                   \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsv2_nopivot(cusparseHandle_t h, int m, int n, const G *dl, const G *d,          \
                                                   const G *du, G *b, int ldb, void *) {                               \
    return solve_columns<T>(h, "cusparse" #LETTER "gtsv2_nopivot", m, n, dl, d, du, b, ldb, false);                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsv2StridedBatch_bufferSizeExt(                                                  \
      cusparseHandle_t h, int m, const G *, const G *, const G *, const G *, int count, int, size_t *size) {           \
    return buffer(h, m, count, size);                                                                                  \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsv2StridedBatch(cusparseHandle_t h, int m, const G *dl, const G *d,             \
                                                       const G *du, G *x, int count, int stride, void *) {             \
    return solve_batch<T>(h, "cusparse" #LETTER "gtsv2StridedBatch", m, dl, d, du, x, count, 1, stride, false);        \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsvInterleavedBatch_bufferSizeExt(                                               \
      cusparseHandle_t h, int algorithm, int m, const G *, const G *, const G *, const G *, int count, size_t *size) { \
    if (h != nullptr && (algorithm < 0 || algorithm > 2)) return CUSPARSE_STATUS_INVALID_VALUE;                        \
    return buffer(h, m, count, size);                                                                                  \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##gtsvInterleavedBatch(cusparseHandle_t h, int algorithm, int m, G *dl, G *d,       \
                                                          G *du, G *x, int count, void *) {                            \
    return solve_batch<T>(h, "cusparse" #LETTER "gtsvInterleavedBatch", m, dl, d, du, x, count, count, 1,              \
                          algorithm != 0);                                                                             \
  }
TRIDIAGONAL(S, float, float)
TRIDIAGONAL(D, double, double)
TRIDIAGONAL(C, cuComplex, Complex<float>)
TRIDIAGONAL(Z, cuDoubleComplex, Complex<double>)
#undef TRIDIAGONAL

}  // extern "C"
#pragma GCC visibility pop
