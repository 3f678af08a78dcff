// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plane rotations: found, and those of the modified kind applied.
#include "check.h"
#include "instances.h"
#include "vector.h"

namespace warploom::blas {
namespace {

template <class T>
cublasStatus_t rotg(const char *name, cublasHandle_t handle, T *a, T *b, Real<T> *c, T *s) {
  const Check check = Check(handle, "ROTG").present(a).present(b).present(c).present(s);
  if (!check) return check.status();
  return run_for_result(handle, name, 100, [=] {
    static const auto call = fortran<T, void(T *, T *, Real<T> *, T *)>("rotg_");
    call(a, b, c, s);
  });
}

template <class T>
cublasStatus_t rotmg(const char *name, cublasHandle_t handle, T *d1, T *d2, T *x1, const T *y1, T *param) {
  const Check check = Check(handle, "ROTMG").present(d1).present(d2).present(x1).present(y1).present(param);
  if (!check) return check.status();
  return run_for_result(handle, name, 100, [=] {
    static const auto call = fortran<T, void(T *, T *, T *, const T *, T *)>("rotmg_");
    call(d1, d2, x1, y1, param);
  });
}

// The five numbers that say which modified rotation.
template <class T>
struct Modified {
  T numbers[5];
};

template <class T>
cublasStatus_t rotm(const char *name, cublasHandle_t handle, int64_t n, Vector<T> x, Vector<T> y, const T *param) {
  const Check check = Check(handle, "ROTM").present(param);
  if (!check) return check.status();
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<Modified<T>> rotation(handle, reinterpret_cast<const Modified<T> *>(param));
  return run(handle, name, static_cast<double>(n), [=] {
    const Modified<T> p = rotation.get();
    const T flag = p.numbers[0];
    if (flag == T(-2)) return;
    const T h11 = flag == T(0) ? T(1) : p.numbers[1], h21 = flag == T(1) ? T(-1) : p.numbers[2];
    const T h12 = flag == T(1) ? T(1) : p.numbers[3], h22 = flag == T(0) ? T(1) : p.numbers[4];
    for (int64_t i = 0; i < n; ++i) {
      T &a = *x.from(i, n), &b = *y.from(i, n);
      const T old_a = a, old_b = b;
      a = h11 * old_a + h12 * old_b;
      b = h21 * old_a + h22 * old_b;
    }
  });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define ROTG_OF(P, T, R)                                                            \
  cublasStatus_t cublas##P##rotg(cublasHandle_t handle, T *a, T *b, R *c, T *s) {   \
    return rotg("cublas" #P "rotg", handle, element(a), element(b), c, element(s)); \
  }
#define ROTMG_OF(P, T)                                                                                 \
  cublasStatus_t cublas##P##rotmg(cublasHandle_t handle, T *d1, T *d2, T *x1, const T *y1, T *param) { \
    return rotmg("cublas" #P "rotmg", handle, d1, d2, x1, y1, param);                                  \
  }
#define ROTM_OF(P, T, I, S)                                                                                   \
  cublasStatus_t cublas##P##rotm##S(cublasHandle_t handle, I n, T *x, I incx, T *y, I incy, const T *param) { \
    return rotm("cublas" #P "rotm", handle, n, vector(x, incx), vector(y, incy), param);                      \
  }

#pragma GCC visibility push(default)
extern "C" {
ROTG_OF(S, float, float)
ROTG_OF(D, double, double)
ROTG_OF(C, cuComplex, float)
ROTG_OF(Z, cuDoubleComplex, double)
ROTMG_OF(S, float)
ROTMG_OF(D, double)
WARPLOOM_REAL_TYPES(ROTM_OF)
}
#pragma GCC visibility pop
