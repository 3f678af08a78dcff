// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host mathematics libraries, as far as programs need them to link: each call says once that its library is not
// there, and fails with the library's own code for it.
#include <cublasLt.h>
#include <cublas.h>
#include <cublas_v2.h>
#include <cufftXt.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <atomic>
#include <string>

#include "../report.h"

namespace {

struct Library {
  const char *name;
  const char *code;
  std::atomic_flag told = ATOMIC_FLAG_INIT;
};
Library blas{"cuBLAS", "CUBLAS_STATUS_NOT_SUPPORTED"};
Library fourier{"cuFFT", "CUFFT_NOT_SUPPORTED"};
Library sparse{"cuSPARSE", "CUSPARSE_STATUS_NOT_SUPPORTED"};
Library solver{"cuSOLVER", "CUSOLVER_STATUS_NOT_SUPPORTED"};

template <class Status>
Status refuse(Library &library, const char *function, Status status) {
  if (!library.told.test_and_set()) {
    warploom::write_error(std::string(function) + ": " + library.name + " is not supported yet: its calls return " +
                          library.code);
  }
  return status;
}

}  // namespace

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC visibility push(default)
extern "C" {

#define WARPLOOM_CUBLAS(NAME, PARAMETERS) \
  cublasStatus_t NAME PARAMETERS { return refuse(blas, #NAME, CUBLAS_STATUS_NOT_SUPPORTED); }
#include "warploom/libraries/cublas.def"
#include "warploom/libraries/cublas_lt.def"
WARPLOOM_CUBLAS(cublasInit, (void))
WARPLOOM_CUBLAS(cublasShutdown, (void))
WARPLOOM_CUBLAS(cublasGetError, (void))
WARPLOOM_CUBLAS(cublasAlloc, (int n, int size, void **pointer))
WARPLOOM_CUBLAS(cublasFree, (void *pointer))
WARPLOOM_CUBLAS(cublasSetKernelStream, (cudaStream_t stream))
#undef WARPLOOM_CUBLAS

#define WARPLOOM_CUFFT(NAME, PARAMETERS) \
  cufftResult NAME PARAMETERS { return refuse(fourier, #NAME, CUFFT_NOT_SUPPORTED); }
#include "warploom/libraries/cufft.def"
#include "warploom/libraries/cufft_xt.def"
#undef WARPLOOM_CUFFT

#define WARPLOOM_CUSPARSE(NAME, PARAMETERS) \
  cusparseStatus_t NAME PARAMETERS { return refuse(sparse, #NAME, CUSPARSE_STATUS_NOT_SUPPORTED); }
#include "warploom/libraries/cusparse.def"
#undef WARPLOOM_CUSPARSE

#define WARPLOOM_CUSOLVER(NAME, PARAMETERS) \
  cusolverStatus_t NAME PARAMETERS { return refuse(solver, #NAME, CUSOLVER_STATUS_NOT_SUPPORTED); }
#include "warploom/libraries/cusolver.def"
#undef WARPLOOM_CUSOLVER

#define NAME_OF(CODE) \
  case CODE:          \
    return #CODE;
const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    NAME_OF(CUBLAS_STATUS_SUCCESS)
    NAME_OF(CUBLAS_STATUS_NOT_INITIALIZED)
    NAME_OF(CUBLAS_STATUS_ALLOC_FAILED)
    NAME_OF(CUBLAS_STATUS_INVALID_VALUE)
    NAME_OF(CUBLAS_STATUS_ARCH_MISMATCH)
    NAME_OF(CUBLAS_STATUS_MAPPING_ERROR)
    NAME_OF(CUBLAS_STATUS_EXECUTION_FAILED)
    NAME_OF(CUBLAS_STATUS_INTERNAL_ERROR)
    NAME_OF(CUBLAS_STATUS_NOT_SUPPORTED)
    NAME_OF(CUBLAS_STATUS_LICENSE_ERROR)
  }
  return "unknown status";
}
const char *cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
    NAME_OF(CUSPARSE_STATUS_SUCCESS)
    NAME_OF(CUSPARSE_STATUS_NOT_SUPPORTED)
    default:
      return "unknown status";
  }
}
const char *cusparseGetErrorString(cusparseStatus_t status) { return cusparseGetErrorName(status); }
#undef NAME_OF

}  // extern "C"
#pragma GCC visibility pop
