// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS (BLAS and LAPACK, PyPI's scipy-openblas32), loaded when the first handle is made. It computes on the calling
// thread only: what is to run side by side is cut by each_tile (stream_work.h).
#pragma once

#include <cstdint>

namespace warploom::libraries {

// Loads the library if that has not been tried; false when it is not installed, after a line on stderr that says so.
bool load_openblas();

// The address of a Fortran function of the loaded library: "dgemm_".
void *openblas_symbol(const char *name);

// Holds one of the places for callers: the library's table of work areas has no room for more at a time.
class OpenblasCall {
 public:
  OpenblasCall();
  ~OpenblasCall();
  OpenblasCall(const OpenblasCall &) = delete;
  OpenblasCall &operator=(const OpenblasCall &) = delete;
};

// A Fortran function of the library; arguments are as Fortran's: all by address, integers of 32 bits.
//     static const Fortran<void(const int *n, double *a)> function("dpotf2_");
//     function(&n, a);
template <class Signature>
class Fortran;
template <class Result, class... Arguments>
class Fortran<Result(Arguments...)> {
 public:
  explicit Fortran(const char *name) : function_(reinterpret_cast<Result (*)(Arguments...)>(openblas_symbol(name))) {}
  Result operator()(Arguments... arguments) const {
    const OpenblasCall place;
    return function_(arguments...);
  }

 private:
  Result (*function_)(Arguments...);
};

}  // namespace warploom::libraries
