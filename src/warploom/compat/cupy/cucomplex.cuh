// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of cuComplex.h on the numbers of complex.cuh, each for both widths: what translate_cucomplex asks for.
#pragma once
#include "cupy/complex.cuh"

#define cuComplex complex<float>
#define cuFloatComplex complex<float>
#define cuDoubleComplex complex<double>
#define make_cuComplex(real, imag) complex<float>(real, imag)
#define make_cuFloatComplex(real, imag) complex<float>(real, imag)
#define make_cuDoubleComplex(real, imag) complex<double>(real, imag)
#define cuComplexFloatToDouble(z) complex<double>(z)
#define cuComplexDoubleToFloat(z) complex<float>(z)

namespace warploom_cupy {
template <class T>
__host__ __device__ complex<T> added(const complex<T> &a, const complex<T> &b) {
  return a + b;
}
template <class T>
__host__ __device__ complex<T> subtracted(const complex<T> &a, const complex<T> &b) {
  return a - b;
}
template <class T>
__host__ __device__ complex<T> multiplied(const complex<T> &a, const complex<T> &b) {
  return a * b;
}
template <class T>
__host__ __device__ complex<T> divided(const complex<T> &a, const complex<T> &b) {
  return a / b;
}
template <class T>
__host__ __device__ complex<T> multiplied_added(const complex<T> &a, const complex<T> &b, const complex<T> &c) {
  return a * b + c;
}
}  // namespace warploom_cupy

#define cuCadd warploom_cupy::added
#define cuCaddf warploom_cupy::added
#define cuCsub warploom_cupy::subtracted
#define cuCsubf warploom_cupy::subtracted
#define cuCmul warploom_cupy::multiplied
#define cuCmulf warploom_cupy::multiplied
#define cuCdiv warploom_cupy::divided
#define cuCdivf warploom_cupy::divided
#define cuCfma warploom_cupy::multiplied_added
#define cuCfmaf warploom_cupy::multiplied_added
#define cuCreal warploom_cupy::real
#define cuCrealf warploom_cupy::real
#define cuCimag warploom_cupy::imag
#define cuCimagf warploom_cupy::imag
#define cuConj warploom_cupy::conj
#define cuConjf warploom_cupy::conj
#define cuCabs warploom_cupy::abs
#define cuCabsf warploom_cupy::abs
