// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on vectors. Long ones are cut into pieces of one length, whose sums are added in their order.
#include <cmath>
#include <limits>
#include <vector>

#include "check.h"
#include "instances.h"
#include "kernels.h"
#include "vector.h"

namespace warploom::blas {
namespace {

template <class T>
double time_of(int64_t n, int vectors) {
  return static_cast<double>(n) * sizeof(T) * vectors / kBytes;
}

template <class T>
cublasStatus_t axpy(const char *name, cublasHandle_t handle, int64_t n, const T *alpha, Vector<const T> x,
                    Vector<T> y) {
  const Check check = Check(handle, "AXPY").present(alpha);
  if (!check) return check.status();
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha);
  return run(handle, name, time_of<T>(n, 3), [=] {
    const T a = factor.get();
    if (a == T(0)) return;
    const auto add = [&](int64_t first, int64_t count) {
      const auto &kernels = vector_kernels<Real<T>>();
      (kIsComplex<T> ? kernels.axpy_complex : kernels.axpy)(count, numbers(&a), numbers(x.from(first, n)), x.increment,
                                                            numbers(y.from(first, n)), y.increment);
    };
    if (y.increment == 0) return add(0, n);
    each_piece(n, time_of<T>(n, 3), add);
  });
}

template <class T, class A>
cublasStatus_t scale(const char *name, cublasHandle_t handle, int64_t n, const A *alpha, Vector<T> x) {
  const Check check = Check(handle, "SCAL").present(alpha);
  if (!check) return check.status();
  if (n <= 0 || x.increment <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<A> factor(handle, alpha);
  return run(handle, name, time_of<T>(n, 2), [=] {
    const A a = factor.get();
    each_piece(n, time_of<T>(n, 2), [&](int64_t first, int64_t count) {
      const auto &kernels = vector_kernels<Real<T>>();
      Real<T> *const at = numbers(x.from(first, n));
      if constexpr (kIsComplex<A>) {
        kernels.scale_complex(count, numbers(&a), at, x.increment);
      } else if constexpr (kIsComplex<T>) {
        if (x.increment == 1) return kernels.scale(2 * count, &a, at, 1);
        kernels.scale(count, &a, at, 2 * x.increment);
        kernels.scale(count, &a, at + 1, 2 * x.increment);
      } else {
        kernels.scale(count, &a, at, x.increment);
      }
    });
  });
}

template <class T>
cublasStatus_t copy(const char *name, cublasHandle_t handle, int64_t n, Vector<const T> x, Vector<T> y) {
  const Check check(handle, "COPY");
  if (!check) return check.status();
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, time_of<T>(n, 2), [=] {
    const auto body = [&](int64_t first, int64_t count) {
      const T *const from = x.from(first, n);
      T *const to = y.from(first, n);
      for (int64_t i = 0; i < count; ++i) to[i * y.increment] = from[i * x.increment];
    };
    if (y.increment == 0) return body(0, n);
    each_piece(n, time_of<T>(n, 2), body);
  });
}

template <class T>
cublasStatus_t exchange(const char *name, cublasHandle_t handle, int64_t n, Vector<T> x, Vector<T> y) {
  const Check check(handle, "SWAP");
  if (!check) return check.status();
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, time_of<T>(n, 4), [=] {
    const auto body = [&](int64_t first, int64_t count) {
      T *const a = x.from(first, n), *const b = y.from(first, n);
      for (int64_t i = 0; i < count; ++i) std::swap(a[i * x.increment], b[i * y.increment]);
    };
    if (x.increment == 0 || y.increment == 0) return body(0, n);
    each_piece(n, time_of<T>(n, 4), body);
  });
}

template <class T>
T dot_of(int64_t n, Vector<const T> x, Vector<const T> y, bool conjugated) {
  const auto part = [&](int64_t first, int64_t count) {
    Real<T> sums[4] = {};
    const auto &kernels = vector_kernels<Real<T>>();
    (kIsComplex<T> ? kernels.dot_complex : kernels.dot)(count, numbers(x.from(first, n)), x.increment,
                                                        numbers(y.from(first, n)), y.increment, sums);
    if constexpr (kIsComplex<T>) {
      return conjugated ? T(sums[0] + sums[1], sums[2] - sums[3]) : T(sums[0] - sums[1], sums[2] + sums[3]);
    } else {
      return sums[0];
    }
  };
  return sum_of_pieces<T>(n, time_of<T>(n, 2), part);
}

template <class T>
cublasStatus_t dot(const char *name, cublasHandle_t handle, int64_t n, Vector<const T> x, Vector<const T> y, T *result,
                   bool conjugated) {
  const Check check(handle, "DOT");
  if (!check) return check.status();
  if (result == nullptr) return CUBLAS_STATUS_MAPPING_ERROR;
  return run_for_result(handle, name, time_of<T>(n, 2), [=] { *result = n <= 0 ? T(0) : dot_of(n, x, y, conjugated); });
}

template <class T>
Real<T> norm_of(int64_t n, Vector<const T> x) {
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  const auto squares = sum_of_pieces<double>(n, time_of<T>(n, 1), [&](int64_t first, int64_t count) {
    return vector_kernels<Real<T>>().sum_of_squares(count, kParts, numbers(x.from(first, n)), x.increment);
  });
  // The squares of doubles overflow, or are too small to be exact.
  if (sizeof(Real<T>) == 4 || std::isnan(squares) || (squares < 1e300 && squares > 1e-290)) {
    return static_cast<Real<T>>(std::sqrt(squares));
  }
  Real<T> largest = 0;
  for (int64_t i = 0; i < n * kParts; ++i) {
    largest = std::max(largest, std::abs(numbers(x.first)[i / kParts * x.increment * kParts + i % kParts]));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  double sum = 0;
  for (int64_t i = 0; i < n * kParts; ++i) {
    const double scaled = numbers(x.first)[i / kParts * x.increment * kParts + i % kParts] / largest;
    sum += scaled * scaled;
  }
  return static_cast<Real<T>>(largest * std::sqrt(sum));
}

template <class T>
cublasStatus_t norm(const char *name, cublasHandle_t handle, int64_t n, Vector<const T> x, Real<T> *result) {
  const Check check = Check(handle, "NRM2").present(result);
  if (!check) return check.status();
  return run_for_result(handle, name, time_of<T>(n, 1),
                        [=] { *result = n <= 0 || x.increment <= 0 ? Real<T>(0) : norm_of(n, x); });
}

template <class T>
cublasStatus_t magnitudes(const char *name, cublasHandle_t handle, int64_t n, Vector<const T> x, Real<T> *result) {
  const Check check = Check(handle, "ASUM").present(result);
  if (!check) return check.status();
  return run_for_result(handle, name, time_of<T>(n, 1), [=] {
    *result = 0;
    if (n <= 0 || x.increment <= 0) return;
    *result = sum_of_pieces<Real<T>>(n, time_of<T>(n, 1), [&](int64_t first, int64_t count) {
      constexpr int kParts = kIsComplex<T> ? 2 : 1;
      return vector_kernels<Real<T>>().sum_of_magnitudes(count, kParts, numbers(x.from(first, n)), x.increment);
    });
  });
}

template <class T>
Real<T> size_of(T value) {
  if constexpr (kIsComplex<T>) return std::abs(value.real()) + std::abs(value.imag());
  return std::abs(value);
}

// The place, from 1, of the first element of largest (or smallest) magnitude among those that are numbers. Among the
// largest the first element counts as 0 where it is no number, as on a device.
template <class T>
int64_t place_of_extreme(int64_t n, Vector<const T> x, bool largest) {
  struct Found {
    Real<T> size;
    int64_t place;
  };
  std::vector<Found> found(static_cast<std::size_t>(pieces(n)));
  each_piece(n, time_of<T>(n, 1), [&](int64_t first, int64_t count) {
    Found best = {0, -1};
    const T *const at = x.from(first, n);
    for (int64_t i = 0; i < count; ++i) {
      const Real<T> size = size_of(at[i * x.increment]);
      if (size == size && (best.place < 0 || (largest ? size > best.size : size < best.size))) best = {size, first + i};
    }
    found[static_cast<std::size_t>(first / kPiece)] = best;
  });
  Found best = {0, largest ? 0 : -1};
  for (const Found &other : found) {
    if (other.place < 0) continue;
    if (best.place < 0 || (largest ? other.size > best.size : other.size < best.size)) best = other;
  }
  return std::max<int64_t>(best.place, 0) + 1;
}

template <class T, class I>
cublasStatus_t extreme(const char *name, cublasHandle_t handle, int64_t n, Vector<const T> x, I *result, bool largest) {
  const Check check = Check(handle, "AMAX").present(result);
  if (!check) return check.status();
  return run_for_result(handle, name, time_of<T>(n, 2), [=] {
    *result = n <= 0 || x.increment <= 0 ? 0 : static_cast<I>(place_of_extreme(n, x, largest));
  });
}

// x = c x + s y, y = c y - conj(s) x
template <class T, class SineType>
cublasStatus_t rotate(const char *name, cublasHandle_t handle, int64_t n, Vector<T> x, Vector<T> y, const Real<T> *c,
                      const SineType *s) {
  const Check check = Check(handle, "ROT").present(c).present(s);
  if (!check) return check.status();
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<Real<T>> cosine(handle, c);
  const Scalar<SineType> sine(handle, s);
  return run(handle, name, time_of<T>(n, 4), [=] {
    const Real<T> cos = cosine.get();
    const SineType sin = sine.get();
    const auto body = [&](int64_t first, int64_t count) {
      T *const a = x.from(first, n), *const b = y.from(first, n);
      for (int64_t i = 0; i < count; ++i) {
        const T old_x = a[i * x.increment], old_y = b[i * y.increment];
        a[i * x.increment] = cos * old_x + sin * old_y;
        b[i * y.increment] = cos * old_y - conjugate(sin) * old_x;
      }
    };
    if (x.increment == 0 || y.increment == 0) return body(0, n);
    each_piece(n, time_of<T>(n, 4), body);
  });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define IN(x) vector(element(x), inc##x)
#define ALL_OF(P, T, I, S)                                                                                          \
  cublasStatus_t cublas##P##axpy##S(cublasHandle_t handle, I n, const T *alpha, const T *x, I incx, T *y, I incy) { \
    return axpy("cublas" #P "axpy", handle, n, element(alpha), IN(x), IN(y));                                       \
  }                                                                                                                 \
  cublasStatus_t cublas##P##scal##S(cublasHandle_t handle, I n, const T *alpha, T *x, I incx) {                     \
    return scale("cublas" #P "scal", handle, n, element(alpha), IN(x));                                             \
  }                                                                                                                 \
  cublasStatus_t cublas##P##copy##S(cublasHandle_t handle, I n, const T *x, I incx, T *y, I incy) {                 \
    return copy("cublas" #P "copy", handle, n, IN(x), IN(y));                                                       \
  }                                                                                                                 \
  cublasStatus_t cublas##P##swap##S(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy) {                       \
    return exchange("cublas" #P "swap", handle, n, IN(x), IN(y));                                                   \
  }
#define EXTREME_OF(L, T, I, S)                                                                    \
  cublasStatus_t cublasI##L##amax##S(cublasHandle_t handle, I n, const T *x, I incx, I *result) { \
    return extreme("cublasI" #L "amax", handle, n, IN(x), result, true);                          \
  }                                                                                               \
  cublasStatus_t cublasI##L##amin##S(cublasHandle_t handle, I n, const T *x, I incx, I *result) { \
    return extreme("cublasI" #L "amin", handle, n, IN(x), result, false);                         \
  }
#define NORMS_OF(P, T, R, I, S)                                                                  \
  cublasStatus_t cublas##P##nrm2##S(cublasHandle_t handle, I n, const T *x, I incx, R *result) { \
    return norm("cublas" #P "nrm2", handle, n, IN(x), result);                                   \
  }                                                                                              \
  cublasStatus_t cublas##P##asum##S(cublasHandle_t handle, I n, const T *x, I incx, R *result) { \
    return magnitudes("cublas" #P "asum", handle, n, IN(x), result);                             \
  }
#define DOT_OF(NAME, T, I, S, CONJUGATED)                                                                 \
  cublasStatus_t NAME##S(cublasHandle_t handle, I n, const T *x, I incx, const T *y, I incy, T *result) { \
    return dot(#NAME, handle, n, IN(x), IN(y), element(result), CONJUGATED);                              \
  }
#define ROTATION_OF(NAME, T, R, SINE, I, S)                                                                   \
  cublasStatus_t NAME##S(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const R *c, const SINE *s) { \
    return rotate(#NAME, handle, n, IN(x), IN(y), c, element(s));                                             \
  }
#define SCALE_OF(NAME, T, R, I, S)                                                   \
  cublasStatus_t NAME##S(cublasHandle_t handle, I n, const R *alpha, T *x, I incx) { \
    return scale(#NAME, handle, n, alpha, IN(x));                                    \
  }
#define SIZES_OF(I, X)                                                    \
  NORMS_OF(S, float, float, I, X)                                         \
  NORMS_OF(D, double, double, I, X)                                       \
  NORMS_OF(Sc, cuComplex, float, I, X)                                    \
  NORMS_OF(Dz, cuDoubleComplex, double, I, X)                             \
  DOT_OF(cublasSdot, float, I, X, false)                                  \
  DOT_OF(cublasDdot, double, I, X, false)                                 \
  DOT_OF(cublasCdotu, cuComplex, I, X, false)                             \
  DOT_OF(cublasCdotc, cuComplex, I, X, true)                              \
  DOT_OF(cublasZdotu, cuDoubleComplex, I, X, false)                       \
  DOT_OF(cublasZdotc, cuDoubleComplex, I, X, true)                        \
  ROTATION_OF(cublasSrot, float, float, float, I, X)                      \
  ROTATION_OF(cublasDrot, double, double, double, I, X)                   \
  ROTATION_OF(cublasCrot, cuComplex, float, cuComplex, I, X)              \
  ROTATION_OF(cublasCsrot, cuComplex, float, float, I, X)                 \
  ROTATION_OF(cublasZrot, cuDoubleComplex, double, cuDoubleComplex, I, X) \
  ROTATION_OF(cublasZdrot, cuDoubleComplex, double, double, I, X)         \
  SCALE_OF(cublasCsscal, cuComplex, float, I, X)                          \
  SCALE_OF(cublasZdscal, cuDoubleComplex, double, I, X)

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_TYPES(ALL_OF)
WARPLOOM_SIZES(EXTREME_OF, s, float)
WARPLOOM_SIZES(EXTREME_OF, d, double)
WARPLOOM_SIZES(EXTREME_OF, c, cuComplex)
WARPLOOM_SIZES(EXTREME_OF, z, cuDoubleComplex)
SIZES_OF(int, )
SIZES_OF(std::int64_t, _64)
}
#pragma GCC visibility pop
