// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with symmetric, Hermitian and triangular matrices. Where one side of the product is such a matrix, the other
// one is cut into panels; updates of a triangle are cut into tiles, those on the diagonal by OpenBLAS's own function.
#include <vector>

#include "gemm.h"
#include "instances.h"

namespace warploom::blas {
namespace {

using In = const int *;
using Flag = const char *;

constexpr int64_t kPanel = 256, kTile = 256;

template <class T>
double time_of(double m, double n, double k) {
  return 2 * m * n * k / kOperations<T> + 100;
}

// Panels of the `length` columns (or rows) that do not depend on each other.
template <class Body>
void each_panel(int64_t length, double time, const Body &body) {
  each_tile(static_cast<std::uint64_t>((length + kPanel - 1) / kPanel), time, [&](std::uint64_t i) {
    const int64_t first = static_cast<int64_t>(i) * kPanel;
    body(first, static_cast<int>(std::min(kPanel, length - first)));
  });
}

// C = alpha A B + beta C or alpha B A + beta C: `kind` is "symm_" or "hemm_".
template <class T>
cublasStatus_t symm(const char *name, const char *kind, cublasHandle_t handle, cublasSideMode_t side,
                    cublasFillMode_t uplo, int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda, const T *b,
                    int64_t ldb, const T *beta, T *c, int64_t ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  Check check(handle, WARPLOOM_BLAS_NAME(T, "SYMM"));
  check.side(1, side).fill(2, uplo).size(3, m).size(4, n).leading(7, lda, left ? m : n).leading(9, ldb, m);
  check.leading(12, ldc, m).present(alpha).present(beta).fit(m, n, lda, ldb, ldc);
  if (!check) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha), keep(handle, beta);
  const double time = time_of<T>(double(m), double(n), double(left ? m : n));
  return run(handle, name, time, [=] {
    const T f = factor.get(), old = keep.get();
    if (f == T(0)) return scale_matrix(m, n, old, c, ldc);
    const auto call =
        fortran<T, void(Flag, Flag, In, In, const T *, const T *, In, const T *, In, const T *, T *, In)>(kind);
    const char at = letter(side), half = letter(uplo);
    const int ma = int(m), na = int(n), la = int(lda), lb = int(ldb), lc = int(ldc);
    each_panel(left ? n : m, time, [&](int64_t first, int count) {
      const int64_t b_at = left ? first * ldb : first, c_at = left ? first * ldc : first;
      call(&at, &half, left ? &ma : &count, left ? &count : &na, &f, a, &la, b + b_at, &lb, &old, c + c_at, &lc);
    });
  });
}

struct Triangular {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  cublasDiagType_t diag;

  bool left() const { return side == CUBLAS_SIDE_LEFT; }
  Check check(cublasHandle_t handle, const char *function, int64_t m, int64_t n, int64_t lda, int64_t ldb) const {
    Check result(handle, function);
    result.side(1, side).fill(2, uplo).operation(3, trans).diagonal(4, diag).size(5, m).size(6, n);
    return result.leading(9, lda, left() ? m : n).leading(11, ldb, m).fit(m, n, lda, ldb);
  }
  template <class T>
  double time(int64_t m, int64_t n) const {
    return time_of<T>(double(m), double(n), double(left() ? m : n)) / 2;
  }
};

// B = alpha op(A) B, or with op(A)^-1, or from the right: `kind` is "trmm_" or "trsm_".
template <class T>
void in_place(const char *kind, Triangular t, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, T *b,
              int64_t ldb) {
  if (alpha == T(0)) return scale_matrix(m, n, alpha, b, ldb);
  const auto call = fortran<T, void(Flag, Flag, Flag, Flag, In, In, const T *, const T *, In, T *, In)>(kind);
  const char at = letter(t.side), half = letter(t.uplo), turned = letter(t.trans), unit = letter(t.diag);
  const int rows = int(m), columns = int(n), la = int(lda), lb = int(ldb);
  const bool left = t.left();
  each_panel(left ? n : m, t.time<T>(m, n), [&](int64_t first, int count) {
    call(&at, &half, &turned, &unit, left ? &rows : &count, left ? &count : &columns, &alpha, a, &la,
         b + (left ? first * ldb : first), &lb);
  });
}

template <class T>
cublasStatus_t trsm(const char *name, cublasHandle_t handle, Triangular t, int64_t m, int64_t n, const T *alpha,
                    const T *a, int64_t lda, T *b, int64_t ldb) {
  Check check = t.check(handle, WARPLOOM_BLAS_NAME(T, "TRSM"), m, n, lda, ldb);
  if (!check.present(alpha)) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha);
  return run(handle, name, t.time<T>(m, n), [=] { in_place("trsm_", t, m, n, factor.get(), a, lda, b, ldb); });
}

template <class T>
cublasStatus_t trsm_batch(const char *name, cublasHandle_t handle, Triangular t, int64_t m, int64_t n, const T *alpha,
                          const T *const *a, int64_t lda, T *const *b, int64_t ldb, int64_t count) {
  Check check = t.check(handle, WARPLOOM_BLAS_NAME(T, "TRSM"), m, n, lda, ldb);
  check.that(count >= 0, 12).present(alpha);
  if (!check) return check.status();
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha);
  const double time = t.time<T>(m, n) * double(count);
  return run(handle, name, time, [=] {
    const T f = factor.get();
    if (t.time<T>(m, n) > 1e6) {
      for (int64_t i = 0; i < count; ++i) in_place("trsm_", t, m, n, f, a[i], lda, b[i], ldb);
    } else {
      each_tile(static_cast<std::uint64_t>(count), time,
                [&](std::uint64_t i) { in_place("trsm_", t, m, n, f, a[i], lda, b[i], ldb); });
    }
  });
}

template <class T>
cublasStatus_t trmm(const char *name, cublasHandle_t handle, Triangular t, int64_t m, int64_t n, const T *alpha,
                    const T *a, int64_t lda, const T *b, int64_t ldb, T *c, int64_t ldc) {
  Check check = t.check(handle, WARPLOOM_BLAS_NAME(T, "TRMM"), m, n, lda, ldb);
  if (!check.leading(13, ldc, m).present(alpha).fit(ldc)) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha);
  return run(handle, name, t.time<T>(m, n), [=] {
    const T f = factor.get();
    if (b != c && f != T(0)) {
      for (int64_t j = 0; j < n; ++j) std::copy_n(b + j * ldb, m, c + j * ldc);
    }
    in_place("trmm_", t, m, n, f, a, lda, c, ldc);
  });
}

// One triangle of C = alpha op(A) op(B)' + beta C, or with its transposed product added.
template <class T>
struct Update {
  bool upper, turned, hermitian;  // turned: op(A) is A' (or its conjugate)
  int64_t n, k;
  T alpha;
  const T *a;
  int64_t lda;
  const T *b;
  int64_t ldb;
  T beta;
  T *c;
  int64_t ldc;
  bool both;  // + alpha' op(B) op(A)'

  Product<T> product(int64_t row, int64_t column, int64_t rows, int64_t columns, T *into, int64_t ld) const {
    const char other = hermitian ? 'C' : 'T';
    return {turned ? other : 'N',
            turned ? 'N' : other,
            rows,
            columns,
            k,
            alpha,
            a + (turned ? row * lda : row),
            lda,
            b + (turned ? column * ldb : column),
            ldb,
            beta,
            into,
            ld};
  }
  void tile(int64_t row, int64_t column, int64_t rows, int64_t columns, T *into, int64_t ld) const {
    multiply_tile(product(row, column, rows, columns, into, ld));
    if (!both || k == 0 || alpha == T(0)) return;
    Update second = *this;
    std::swap(second.a, second.b);
    std::swap(second.lda, second.ldb);
    second.alpha = hermitian ? conjugate(alpha) : alpha;
    second.beta = T(1);
    multiply_tile(second.product(row, column, rows, columns, into, ld));
  }
  // A tile on the diagonal is made whole, beside C; its triangle is copied.
  void diagonal(int64_t first, int64_t count) const {
    std::vector<T> whole(static_cast<std::size_t>(count * count));
    const auto lowest = [&](int64_t j) { return upper ? int64_t{0} : j; };
    const auto end = [&](int64_t j) { return upper ? j + 1 : count; };
    T *const corner = c + first + first * ldc;
    if (beta != T(0)) {
      for (int64_t j = 0; j < count; ++j)
        for (int64_t i = lowest(j); i < end(j); ++i) whole[size_t(i + j * count)] = corner[i + j * ldc];
    }
    tile(first, first, count, count, whole.data(), count);
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t i = lowest(j); i < end(j); ++i) corner[i + j * ldc] = whole[size_t(i + j * count)];
      if (hermitian) corner[j + j * ldc] = std::real(corner[j + j * ldc]);
    }
  }
  double time() const { return time_of<T>(double(n), double(n), double(k)) / (both ? 1 : 2); }
  void run() const {
    const int64_t blocks = (n + kTile - 1) / kTile;
    each_tile(static_cast<std::uint64_t>(blocks * blocks), time(), [&](std::uint64_t i) {
      const int64_t row = int64_t(i) % blocks * kTile, column = int64_t(i) / blocks * kTile;
      const int64_t rows = std::min(kTile, n - row), columns = std::min(kTile, n - column);
      if (row == column) return diagonal(row, rows);
      if ((row < column) == upper) tile(row, column, rows, columns, c + row + column * ldc, ldc);
    });
  }
};

struct UpdateShape {
  const char *name, *function;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  int64_t n, k, lda, ldb, ldc;
  bool hermitian, has_b, both;
};

// A is the type of alpha, B of beta.
template <class T, class A, class B>
cublasStatus_t update(cublasHandle_t handle, UpdateShape s, const A *alpha, const T *a, const T *b, const B *beta,
                      T *c) {
  const int64_t rows = s.trans == CUBLAS_OP_N ? s.n : s.k;
  Check check(handle, s.function);
  check.fill(1, s.uplo).operation(2, s.trans);
  if (s.hermitian) check.that(s.trans != CUBLAS_OP_T, 2);
  if (kIsComplex<T> && !s.hermitian) check.that(s.trans != CUBLAS_OP_C, 2);
  check.size(3, s.n).size(4, s.k).leading(7, s.lda, rows);
  if (s.has_b) check.leading(9, s.ldb, rows);
  check.leading(s.has_b ? 12 : 10, s.ldc, s.n).present(alpha).present(beta).fit(s.n, s.k, s.lda, s.ldb, s.ldc);
  if (!check) return check.status();
  if (s.n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<A> factor(handle, alpha);
  const Scalar<B> keep(handle, beta);
  const auto made = [=](A f, B old) {
    return Update<T>{s.uplo == CUBLAS_FILL_MODE_UPPER,
                     s.trans != CUBLAS_OP_N,
                     s.hermitian,
                     s.n,
                     s.k,
                     T(f),
                     a,
                     s.lda,
                     b,
                     s.ldb,
                     T(old),
                     c,
                     s.ldc,
                     s.both};
  };
  return run(handle, s.name, made({}, {}).time(), [=] { made(factor.get(), keep.get()).run(); });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define SIDE cublasSideMode_t side, cublasFillMode_t uplo
#define TRIANGLE SIDE, cublasOperation_t trans, cublasDiagType_t diag
#define OF_TRIANGLE \
  Triangular { side, uplo, trans, diag }
#define SYMM_OF(NAME, KIND, T, I, S)                                                                                  \
  cublasStatus_t NAME##S(cublasHandle_t handle, SIDE, I m, I n, const T *alpha, const T *a, I lda, const T *b, I ldb, \
                         const T *beta, T *c, I ldc) {                                                                \
    return symm(#NAME, KIND, handle, side, uplo, m, n, element(alpha), element(a), lda, element(b), ldb,              \
                element(beta), element(c), ldc);                                                                      \
  }
#define TRIANGULAR_OF(P, T, I, S)                                                                                 \
  cublasStatus_t cublas##P##trsm##S(cublasHandle_t handle, TRIANGLE, I m, I n, const T *alpha, const T *a, I lda, \
                                    T *b, I ldb) {                                                                \
    return trsm("cublas" #P "trsm", handle, OF_TRIANGLE, m, n, element(alpha), element(a), lda, element(b), ldb); \
  }                                                                                                               \
  cublasStatus_t cublas##P##trsmBatched##S(cublasHandle_t handle, TRIANGLE, I m, I n, const T *alpha,             \
                                           const T *const a[], I lda, T *const b[], I ldb, I count) {             \
    return trsm_batch("cublas" #P "trsmBatched", handle, OF_TRIANGLE, m, n, element(alpha), elements(a), lda,     \
                      elements(b), ldb, count);                                                                   \
  }                                                                                                               \
  cublasStatus_t cublas##P##trmm##S(cublasHandle_t handle, TRIANGLE, I m, I n, const T *alpha, const T *a, I lda, \
                                    const T *b, I ldb, T *c, I ldc) {                                             \
    return trmm("cublas" #P "trmm", handle, OF_TRIANGLE, m, n, element(alpha), element(a), lda, element(b), ldb,  \
                element(c), ldc);                                                                                 \
  }
#define SHAPE(NAME, FUNCTION, LDB, HERMITIAN, HAS_B, BOTH) \
  UpdateShape { NAME, FUNCTION, uplo, trans, n, k, lda, LDB, ldc, HERMITIAN, HAS_B, BOTH }
#define START cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans
#define ONE_OF(NAME, FUNCTION, T, A, HERMITIAN, I, S)                                                       \
  cublasStatus_t NAME##S(START, I n, I k, const A *alpha, const T *a, I lda, const A *beta, T *c, I ldc) {  \
    return update(handle, SHAPE(#NAME, FUNCTION, lda, HERMITIAN, false, false), element(alpha), element(a), \
                  element(a), element(beta), element(c));                                                   \
  }
#define TWO_OF(NAME, FUNCTION, T, B, HERMITIAN, BOTH, I, S)                                                           \
  cublasStatus_t NAME##S(START, I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb, const B *beta, T *c,  \
                         I ldc) {                                                                                     \
    return update(handle, SHAPE(#NAME, FUNCTION, ldb, HERMITIAN, true, BOTH), element(alpha), element(a), element(b), \
                  element(beta), element(c));                                                                         \
  }
#define SYMMETRIC_OF(P, T, I, S)                                \
  SYMM_OF(cublas##P##symm, "symm_", T, I, S)                    \
  ONE_OF(cublas##P##syrk, #P "SYRK", T, T, false, I, S)         \
  TWO_OF(cublas##P##syr2k, #P "SYR2K", T, T, false, true, I, S) \
  TWO_OF(cublas##P##syrkx, #P "SYRKX", T, T, false, false, I, S)
#define HERMITIAN_OF(P, T, R, I, S)                            \
  SYMM_OF(cublas##P##hemm, "hemm_", T, I, S)                   \
  ONE_OF(cublas##P##herk, #P "HERK", T, R, true, I, S)         \
  TWO_OF(cublas##P##her2k, #P "HER2K", T, R, true, true, I, S) \
  TWO_OF(cublas##P##herkx, #P "HERKX", T, R, true, false, I, S)

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_TYPES(TRIANGULAR_OF)
WARPLOOM_TYPES(SYMMETRIC_OF)
HERMITIAN_OF(C, cuComplex, float, int, )
HERMITIAN_OF(C, cuComplex, float, std::int64_t, _64)
HERMITIAN_OF(Z, cuDoubleComplex, double, int, )
HERMITIAN_OF(Z, cuDoubleComplex, double, std::int64_t, _64)
}
#pragma GCC visibility pop
