// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are kept in `kWays` parts, which make vectors of every width, and are added in a fixed order.
#include "../kernels.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

using Size = std::int64_t;
constexpr int kWays = 64;

template <class R>
R magnitude(R x) {
  return x < 0 ? -x : x == 0 ? 0 : x;
}

// Adds term(i) for i below n.
template <class Sum, class Term>
inline Sum sum_of(Size n, const Term &term) {
  Sum parts[kWays] = {};
  Size i = 0;
  for (; i + kWays <= n; i += kWays) {
    for (int way = 0; way < kWays; ++way) parts[way] += term(i + way);
  }
  for (int way = 0; i + way < n; ++way) parts[way] += term(i + way);
  for (int half = kWays / 2; half > 0; half /= 2) {
    for (int way = 0; way < half; ++way) parts[way] += parts[way + half];
  }
  return parts[0];
}

template <class R>
void axpy(Size n, const R *alpha, const R *x, Size incx, R *y, Size incy) {
  const R a = *alpha;
  if (incx == 1 && incy == 1) {
    for (Size i = 0; i < n; ++i) y[i] += a * x[i];
  } else {
    for (Size i = 0; i < n; ++i) y[i * incy] += a * x[i * incx];
  }
}

template <class R>
void axpy_complex(Size n, const R *alpha, const R *x, Size incx, R *y, Size incy) {
  const R re = alpha[0], im = alpha[1];
  for (Size i = 0; i < n; ++i) {
    const R xr = x[2 * i * incx], xi = x[2 * i * incx + 1];
    y[2 * i * incy] += re * xr - im * xi;
    y[2 * i * incy + 1] += re * xi + im * xr;
  }
}

template <class R>
void scale(Size n, const R *alpha, R *x, Size incx) {
  const R a = *alpha;
  if (incx == 1) {
    for (Size i = 0; i < n; ++i) x[i] *= a;
  } else {
    for (Size i = 0; i < n; ++i) x[i * incx] *= a;
  }
}

template <class R>
void scale_complex(Size n, const R *alpha, R *x, Size incx) {
  const R re = alpha[0], im = alpha[1];
  for (Size i = 0; i < n; ++i) {
    const R xr = x[2 * i * incx], xi = x[2 * i * incx + 1];
    x[2 * i * incx] = re * xr - im * xi;
    x[2 * i * incx + 1] = re * xi + im * xr;
  }
}

template <class R>
void dot(Size n, const R *x, Size incx, const R *y, Size incy, R *result) {
  if (incx == 1 && incy == 1) {
    *result = sum_of<R>(n, [=](Size i) { return x[i] * y[i]; });
  } else {
    *result = sum_of<R>(n, [=](Size i) { return x[i * incx] * y[i * incy]; });
  }
}

template <class R>
void dot_complex(Size n, const R *x, Size incx, const R *y, Size incy, R *result) {
  const Size dx = 2 * incx, dy = 2 * incy;
  result[0] = sum_of<R>(n, [=](Size i) { return x[i * dx] * y[i * dy]; });
  result[1] = sum_of<R>(n, [=](Size i) { return x[i * dx + 1] * y[i * dy + 1]; });
  result[2] = sum_of<R>(n, [=](Size i) { return x[i * dx] * y[i * dy + 1]; });
  result[3] = sum_of<R>(n, [=](Size i) { return x[i * dx + 1] * y[i * dy]; });
}

// Adds term(number) over all numbers of the elements.
template <class Sum, class R, class Term>
Sum sum_over(Size n, int parts, const R *x, Size incx, const Term &term) {
  if (incx == 1) return sum_of<Sum>(n * parts, [=](Size i) { return term(x[i]); });
  Sum sum = sum_of<Sum>(n, [=](Size i) { return term(x[i * incx * parts]); });
  if (parts == 2) sum += sum_of<Sum>(n, [=](Size i) { return term(x[i * incx * 2 + 1]); });
  return sum;
}

template <class R>
R sum_of_magnitudes(Size n, int parts, const R *x, Size incx) {
  return sum_over<R>(n, parts, x, incx, [](R value) { return magnitude(value); });
}

template <class R>
double sum_of_squares(Size n, int parts, const R *x, Size incx) {
  return sum_over<double>(n, parts, x, incx, [](R value) { return double(value) * double(value); });
}

template <class R>
constexpr VectorKernels<R> kTable = {axpy<R>,        axpy_complex<R>,      scale<R>,         scale_complex<R>, dot<R>,
                                     dot_complex<R>, sum_of_magnitudes<R>, sum_of_squares<R>};

}  // namespace

extern const VectorKernels<float> kFloat;
const VectorKernels<float> kFloat = kTable<float>;
extern const VectorKernels<double> kDouble;
const VectorKernels<double> kDouble = kTable<double>;

}  // namespace warploom::blas::WARPLOOM_LEVEL
