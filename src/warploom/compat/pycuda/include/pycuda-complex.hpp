// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyCUDA's complex numbers, `pycuda::complex<float>`: those of kernels of CuPy's kind.
#pragma once

extern "C++" {  // a SourceModule is extern "C"
#include "../../cupy/complex.cuh"

namespace warploom_cupy {
template <class T>
__host__ __device__ complex<T> pow(complex<T> base, int exponent) {
  complex<T> power(T(1));
  for (unsigned left = exponent < 0 ? 0U - exponent : exponent; left != 0; left /= 2) {
    if (left % 2 == 1) power *= base;
    base *= base;
  }
  return exponent < 0 ? complex<T>(T(1)) / power : power;
}
}  // namespace warploom_cupy

namespace pycuda {
using namespace warploom_cupy;
}
}
