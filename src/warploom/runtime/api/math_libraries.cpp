// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host mathematics libraries, as far as programs need them to link: each call says once that its library is not
// there, and fails with the library's own code for it.
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
