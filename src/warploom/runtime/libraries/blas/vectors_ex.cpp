// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on vectors whose types are told by values. Those of one type are the plain functions; vectors of small
// numbers are widened to float, a piece at a time.
#include <cmath>
#include <vector>

#include "../common/refused.h"
#include "gemm_ex.h"
#include "instances.h"
#include "vector.h"

namespace warploom::blas {
namespace {

constexpr cublasStatus_t kRefused = CUBLAS_STATUS_NOT_SUPPORTED;
using Numbers = std::vector<float>;

// A vector of halves or of bfloat16.
struct SmallVector {
  void *first;
  cudaDataType type;
  int64_t increment;

  char *at(int64_t i, int64_t n) const {
    const auto bytes = static_cast<int64_t>(bytes_of(type));
    return static_cast<char *>(first) + bytes * increment * (increment >= 0 ? i : i - (n - 1));
  }
  Numbers read(int64_t begin, int64_t count, int64_t n) const {
    Numbers values(static_cast<std::size_t>(count));
    widen(type, count, at(begin, n), increment, values.data());
    return values;
  }
  void write(int64_t begin, const Numbers &values, int64_t n) const {
    for (std::size_t i = 0; i < values.size(); ++i) narrow(type, 1, &values[i], at(begin + static_cast<int64_t>(i), n));
  }
};

bool is_small_float(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF; }
bool is_float_or_smaller(cudaDataType type) { return is_small_float(type) || type == CUDA_R_32F; }

double time_of(int64_t n) { return static_cast<double>(n) * 2; }

void store(cudaDataType type, float value, void *result) { narrow(type, 1, &value, result); }

cublasStatus_t small_dot(const char *name, cublasHandle_t handle, int64_t n, SmallVector x, SmallVector y, void *result,
                         cudaDataType type) {
  return run_for_result(handle, name, time_of(n), [=] {
    float sum = 0;
    if (n > 0) {
      sum = sum_of_pieces<float>(n, time_of(n), [&](int64_t first, int64_t count) {
        const Numbers left = x.read(first, count, n), right = y.read(first, count, n);
        float part = 0;
        float_kernels().dot(count, left.data(), 1, right.data(), 1, &part);
        return part;
      });
    }
    store(type, sum, result);
  });
}

template <class Part, class End>
cublasStatus_t small_sum(const char *name, cublasHandle_t handle, int64_t n, SmallVector x, void *result,
                         cudaDataType type, const Part &part, const End &end) {
  return run_for_result(handle, name, time_of(n), [=] {
    double sum = 0;
    if (n > 0 && x.increment > 0) {
      sum = sum_of_pieces<double>(n, time_of(n),
                                  [&](int64_t first, int64_t count) { return part(x.read(first, count, n)); });
    }
    store(type, end(sum), result);
  });
}

// The plain function of one type: `CALL(P, T)` for the letter P.
#define PLAIN(TYPE, CALL)              \
  switch (TYPE) {                      \
    case CUDA_R_32F:                   \
      return CALL(S, float);           \
    case CUDA_R_64F:                   \
      return CALL(D, double);          \
    case CUDA_C_32F:                   \
      return CALL(C, cuComplex);       \
    case CUDA_C_64F:                   \
      return CALL(Z, cuDoubleComplex); \
    default:                           \
      return kRefused;                 \
  }
#define AT(T, x) static_cast<T *>(x), inc##x
#define CONST_AT(T, x) static_cast<const T *>(x), inc##x

cublasStatus_t dot_ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xt, int64_t incx, const void *y,
                      cudaDataType yt, int64_t incy, void *result, cudaDataType rt, cudaDataType et, bool conjugated) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (xt != yt) return kRefused;
  if (is_small_float(xt)) {
    if (et != CUDA_R_32F || (rt != xt && rt != CUDA_R_32F)) return kRefused;
    return small_dot("cublasDotEx", handle, n, {const_cast<void *>(x), xt, incx}, {const_cast<void *>(y), yt, incy},
                     result, rt);
  }
  if (rt != xt || et != xt) return kRefused;
  switch (xt) {
    case CUDA_R_32F:
      return cublasSdot_64(handle, n, CONST_AT(float, x), CONST_AT(float, y), static_cast<float *>(result));
    case CUDA_R_64F:
      return cublasDdot_64(handle, n, CONST_AT(double, x), CONST_AT(double, y), static_cast<double *>(result));
    case CUDA_C_32F:
      return (conjugated ? cublasCdotc_64 : cublasCdotu_64)(handle, n, CONST_AT(cuComplex, x), CONST_AT(cuComplex, y),
                                                            static_cast<cuComplex *>(result));
    case CUDA_C_64F:
      return (conjugated ? cublasZdotc_64 : cublasZdotu_64)(handle, n, CONST_AT(cuDoubleComplex, x),
                                                            CONST_AT(cuDoubleComplex, y),
                                                            static_cast<cuDoubleComplex *>(result));
    default:
      return kRefused;
  }
}

cudaDataType real_type(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

cublasStatus_t norm_ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xt, int64_t incx, void *result,
                       cudaDataType rt, cudaDataType et) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (rt != real_type(xt)) return kRefused;
  if (is_small_float(xt)) {
    if (et != CUDA_R_32F) return kRefused;
    return small_sum(
        "cublasNrm2Ex", handle, n, {const_cast<void *>(x), xt, incx}, result, rt,
        [](const Numbers &values) {
          return float_kernels().sum_of_squares(static_cast<int64_t>(values.size()), 1, values.data(), 1);
        },
        [](double sum) { return static_cast<float>(std::sqrt(sum)); });
  }
  if (et != rt) return kRefused;
  switch (xt) {
    case CUDA_R_32F:
      return cublasSnrm2_64(handle, n, CONST_AT(float, x), static_cast<float *>(result));
    case CUDA_R_64F:
      return cublasDnrm2_64(handle, n, CONST_AT(double, x), static_cast<double *>(result));
    case CUDA_C_32F:
      return cublasScnrm2_64(handle, n, CONST_AT(cuComplex, x), static_cast<float *>(result));
    case CUDA_C_64F:
      return cublasDznrm2_64(handle, n, CONST_AT(cuDoubleComplex, x), static_cast<double *>(result));
    default:
      return kRefused;
  }
}

cublasStatus_t magnitudes_ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xt, int64_t incx,
                             void *result, cudaDataType rt, cudaDataType et) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (rt != real_type(xt)) return kRefused;
  if (is_small_float(xt)) {
    if (et != CUDA_R_32F) return kRefused;
    return small_sum(
        "cublasAsumEx", handle, n, {const_cast<void *>(x), xt, incx}, result, rt,
        [](const Numbers &values) {
          return double{float_kernels().sum_of_magnitudes(static_cast<int64_t>(values.size()), 1, values.data(), 1)};
        },
        [](double sum) { return static_cast<float>(sum); });
  }
  switch (xt) {
    case CUDA_R_32F:
      return cublasSasum_64(handle, n, CONST_AT(float, x), static_cast<float *>(result));
    case CUDA_R_64F:
      return cublasDasum_64(handle, n, CONST_AT(double, x), static_cast<double *>(result));
    case CUDA_C_32F:
      return cublasScasum_64(handle, n, CONST_AT(cuComplex, x), static_cast<float *>(result));
    case CUDA_C_64F:
      return cublasDzasum_64(handle, n, CONST_AT(cuDoubleComplex, x), static_cast<double *>(result));
    default:
      return kRefused;
  }
}

cublasStatus_t axpy_ex(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType at, const void *x,
                       cudaDataType xt, int64_t incx, void *y, cudaDataType yt, int64_t incy, cudaDataType et) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (xt != yt) return kRefused;
  if (is_small_float(xt)) {
    if (et != CUDA_R_32F || !is_float_or_smaller(at)) return kRefused;
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    const Factor factor(handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE, at, alpha);
    const SmallVector from = {const_cast<void *>(x), xt, incx}, to = {y, yt, incy};
    return run(handle, "cublasAxpyEx", time_of(n), [=] {
      const auto a = static_cast<float>(factor.get().real());
      each_piece(n, time_of(n), [&](int64_t first, int64_t count) {
        const Numbers added = from.read(first, count, n);
        Numbers values = to.read(first, count, n);
        float_kernels().axpy(count, &a, added.data(), 1, values.data(), 1);
        to.write(first, values, n);
      });
    });
  }
  if (at != xt || et != xt) return kRefused;
#define CALL(P, T) cublas##P##axpy_64(handle, n, static_cast<const T *>(alpha), CONST_AT(T, x), AT(T, y))
  PLAIN(xt, CALL)
#undef CALL
}

cublasStatus_t scale_ex(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType at, void *x, cudaDataType xt,
                        int64_t incx, cudaDataType et) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (is_small_float(xt)) {
    if (et != CUDA_R_32F || !is_float_or_smaller(at)) return kRefused;
    if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
    const Factor factor(handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE, at, alpha);
    const SmallVector vector = {x, xt, incx};
    return run(handle, "cublasScalEx", time_of(n), [=] {
      const auto a = static_cast<float>(factor.get().real());
      each_piece(n, time_of(n), [&](int64_t first, int64_t count) {
        Numbers values = vector.read(first, count, n);
        float_kernels().scale(count, &a, values.data(), 1);
        vector.write(first, values, n);
      });
    });
  }
  if (at != xt || et != xt) return kRefused;
#define CALL(P, T) cublas##P##scal_64(handle, n, static_cast<const T *>(alpha), AT(T, x))
  PLAIN(xt, CALL)
#undef CALL
}

// Halves are copied as numbers of 16 bits, which nothing is computed with.
template <class T>
void move_elements(int64_t n, SmallVector x, SmallVector y, bool exchange) {
  for (int64_t i = 0; i < n; ++i) {
    T &from = *reinterpret_cast<T *>(x.at(i, n)), &to = *reinterpret_cast<T *>(y.at(i, n));
    const T old = to;
    to = from;
    if (exchange) from = old;
  }
}

cublasStatus_t move_ex(cublasHandle_t handle, int64_t n, void *x, cudaDataType xt, int64_t incx, void *y,
                       cudaDataType yt, int64_t incy, bool exchange) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (xt != yt) return kRefused;
  const SmallVector from = {x, xt, incx}, to = {y, yt, incy};
  const char *const name = exchange ? "cublasSwapEx" : "cublasCopyEx";
  switch (bytes_of(xt)) {
    case 2:
      return run(handle, name, time_of(n), [=] { move_elements<std::uint16_t>(n, from, to, exchange); });
    case 4:
      return run(handle, name, time_of(n), [=] { move_elements<std::uint32_t>(n, from, to, exchange); });
    case 8:
      return run(handle, name, time_of(n), [=] { move_elements<std::uint64_t>(n, from, to, exchange); });
    case 16:
      return run(handle, name, time_of(n), [=] { move_elements<DoubleComplex>(n, from, to, exchange); });
    default:
      return kRefused;
  }
}

template <class I>
cublasStatus_t extreme_ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xt, int64_t incx, I *result,
                          bool largest) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (!is_float_or_smaller(xt) && xt != CUDA_R_64F) {
    return WARPLOOM_REFUSE("cublasIamaxEx", "vectors of this type are not searched", kRefused);
  }
  return run_for_result(handle, "cublasIamaxEx", time_of(n), [=] {
    int64_t place = 0;
    double best = 0;
    const SmallVector vector = {const_cast<void *>(x), xt, incx};
    for (int64_t i = 0; i < n && incx > 0; ++i) {
      const char *const at = vector.at(i, n);
      const double size = std::abs(xt == CUDA_R_64F ? *reinterpret_cast<const double *>(at) : vector.read(i, 1, n)[0]);
      if (size == size && (place == 0 || (largest ? size > best : size < best))) {
        best = size;
        place = i + 1;
      }
    }
    *result = static_cast<I>(n > 0 && incx > 0 ? std::max<int64_t>(place, 1) : 0);
  });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define IN(I, x) const void *x, cudaDataType x##t, I inc##x
#define OUT(I, x) void *x, cudaDataType x##t, I inc##x
#define EX_OF(P, T, I, S)                                                                                             \
  cublasStatus_t cublasDotEx##S(cublasHandle_t handle, I n, IN(I, x), IN(I, y), void *result, cudaDataType rt,        \
                                cudaDataType et) {                                                                    \
    return dot_ex(handle, n, x, xt, incx, y, yt, incy, result, rt, et, false);                                        \
  }                                                                                                                   \
  cublasStatus_t cublasDotcEx##S(cublasHandle_t handle, I n, IN(I, x), IN(I, y), void *result, cudaDataType rt,       \
                                 cudaDataType et) {                                                                   \
    return dot_ex(handle, n, x, xt, incx, y, yt, incy, result, rt, et, true);                                         \
  }                                                                                                                   \
  cublasStatus_t cublasNrm2Ex##S(cublasHandle_t handle, I n, IN(I, x), void *result, cudaDataType rt,                 \
                                 cudaDataType et) {                                                                   \
    return norm_ex(handle, n, x, xt, incx, result, rt, et);                                                           \
  }                                                                                                                   \
  cublasStatus_t cublasAsumEx##S(cublasHandle_t handle, I n, IN(I, x), void *result, cudaDataType rt,                 \
                                 cudaDataType et) {                                                                   \
    return magnitudes_ex(handle, n, x, xt, incx, result, rt, et);                                                     \
  }                                                                                                                   \
  cublasStatus_t cublasAxpyEx##S(cublasHandle_t handle, I n, const void *alpha, cudaDataType at, IN(I, x), OUT(I, y), \
                                 cudaDataType et) {                                                                   \
    return axpy_ex(handle, n, alpha, at, x, xt, incx, y, yt, incy, et);                                               \
  }                                                                                                                   \
  cublasStatus_t cublasScalEx##S(cublasHandle_t handle, I n, const void *alpha, cudaDataType at, OUT(I, x),           \
                                 cudaDataType et) {                                                                   \
    return scale_ex(handle, n, alpha, at, x, xt, incx, et);                                                           \
  }                                                                                                                   \
  cublasStatus_t cublasCopyEx##S(cublasHandle_t handle, I n, IN(I, x), OUT(I, y)) {                                   \
    return move_ex(handle, n, const_cast<void *>(x), xt, incx, y, yt, incy, false);                                   \
  }                                                                                                                   \
  cublasStatus_t cublasSwapEx##S(cublasHandle_t handle, I n, OUT(I, x), OUT(I, y)) {                                  \
    return move_ex(handle, n, x, xt, incx, y, yt, incy, true);                                                        \
  }                                                                                                                   \
  cublasStatus_t cublasIamaxEx##S(cublasHandle_t handle, I n, IN(I, x), I *result) {                                  \
    return extreme_ex(handle, n, x, xt, incx, result, true);                                                          \
  }                                                                                                                   \
  cublasStatus_t cublasIaminEx##S(cublasHandle_t handle, I n, IN(I, x), I *result) {                                  \
    return extreme_ex(handle, n, x, xt, incx, result, false);                                                         \
  }

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_SIZES(EX_OF, S, float)
}
#pragma GCC visibility pop
