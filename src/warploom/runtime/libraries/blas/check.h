// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of arguments, in the order and with the numbers of the reference BLAS: the first that fails is reported.
#pragma once

#include <algorithm>
#include <cstdint>

#include "element.h"
#include "handle.h"

namespace warploom::blas {

//     Check check(handle, "DGEMM");
//     check.operation<T>(1, transa).size(3, m).leading(8, lda, m);
//     if (!check) return check.status();
class Check {
 public:
  Check(cublasHandle_t handle, const char *function) : function_(function) {
    if (!is_alive(handle)) status_ = CUBLAS_STATUS_NOT_INITIALIZED;
  }
  explicit operator bool() const { return status_ == CUBLAS_STATUS_SUCCESS; }
  cublasStatus_t status() const { return status_; }

  Check &that(bool is_right, int number) {
    if (status_ == CUBLAS_STATUS_SUCCESS && !is_right) status_ = wrong_parameter(function_, number);
    return *this;
  }
  // A pointer that the call itself needs.
  Check &present(const void *pointer) {
    if (status_ == CUBLAS_STATUS_SUCCESS && pointer == nullptr) status_ = CUBLAS_STATUS_INVALID_VALUE;
    return *this;
  }
  Check &operation(int number, cublasOperation_t value) {
    return that(value >= CUBLAS_OP_N && value <= CUBLAS_OP_C, number);
  }
  Check &fill(int number, cublasFillMode_t value) {
    return that(value == CUBLAS_FILL_MODE_LOWER || value == CUBLAS_FILL_MODE_UPPER, number);
  }
  Check &side(int number, cublasSideMode_t value) {
    return that(value == CUBLAS_SIDE_LEFT || value == CUBLAS_SIDE_RIGHT, number);
  }
  Check &diagonal(int number, cublasDiagType_t value) {
    return that(value == CUBLAS_DIAG_NON_UNIT || value == CUBLAS_DIAG_UNIT, number);
  }
  Check &size(int number, int64_t value) { return that(value >= 0, number); }
  Check &leading(int number, int64_t value, int64_t rows) { return that(value >= std::max<int64_t>(1, rows), number); }
  Check &increment(int number, int64_t value) { return that(value != 0, number); }
  // Sizes that OpenBLAS can be given.
  template <class... Sizes>
  Check &fit(Sizes... sizes) {
    if (status_ == CUBLAS_STATUS_SUCCESS && !all_fit(sizes...)) status_ = too_large(function_);
    return *this;
  }

 private:
  static cublasStatus_t too_large(const char *function);

  const char *function_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

inline char letter(cublasOperation_t operation) { return "NTC"[operation]; }
inline char letter(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L'; }
inline char letter(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
inline char letter(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }

// "SGEMM" for float, as messages name functions.
#define WARPLOOM_BLAS_NAME(T, NAME)        \
  (std::is_same_v<T, float>     ? "S" NAME \
   : std::is_same_v<T, double>  ? "D" NAME \
   : std::is_same_v<T, Complex> ? "C" NAME \
                                : "Z" NAME)

}  // namespace warploom::blas
