// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The four types of elements, and the functions of OpenBLAS for each.
#pragma once

#include <cuComplex.h>

#include <climits>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "../common/openblas.h"

namespace warploom::blas {

using std::int64_t;
using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

template <class T>
struct ElementOf;
template <>
struct ElementOf<float> {
  using Real = float;
  static constexpr char kPrefix = 's', kUpper = 'S';
  static constexpr bool kIsComplex = false;
};
template <>
struct ElementOf<double> {
  using Real = double;
  static constexpr char kPrefix = 'd', kUpper = 'D';
  static constexpr bool kIsComplex = false;
};
template <>
struct ElementOf<Complex> {
  using Real = float;
  static constexpr char kPrefix = 'c', kUpper = 'C';
  static constexpr bool kIsComplex = true;
};
template <>
struct ElementOf<DoubleComplex> {
  using Real = double;
  static constexpr char kPrefix = 'z', kUpper = 'Z';
  static constexpr bool kIsComplex = true;
};

template <class T>
using Real = typename ElementOf<T>::Real;
template <class T>
inline constexpr bool kIsComplex = ElementOf<T>::kIsComplex;

template <class T>
T conjugate(T value) {
  if constexpr (kIsComplex<T>) return std::conj(value);
  return value;
}

// As the API declares them.
inline float *element(float *p) { return p; }
inline double *element(double *p) { return p; }
inline const float *element(const float *p) { return p; }
inline const double *element(const double *p) { return p; }
inline Complex *element(cuComplex *p) { return reinterpret_cast<Complex *>(p); }
inline const Complex *element(const cuComplex *p) { return reinterpret_cast<const Complex *>(p); }
inline DoubleComplex *element(cuDoubleComplex *p) { return reinterpret_cast<DoubleComplex *>(p); }
inline const DoubleComplex *element(const cuDoubleComplex *p) { return reinterpret_cast<const DoubleComplex *>(p); }
// Of arrays of pointers.
template <class T>
auto elements(T *const *p) {
  return reinterpret_cast<decltype(element(static_cast<T *>(nullptr))) const *>(p);
}

// A function of OpenBLAS for elements of type T: fortran<float, void(...)>("gemm_") is sgemm_.
template <class T, class Signature>
libraries::Fortran<Signature> fortran(const char *name) {
  return libraries::Fortran<Signature>((ElementOf<T>::kPrefix + std::string(name)).c_str());
}

// Sizes as OpenBLAS takes them; calls with larger ones are refused before they are made.
inline bool fits(int64_t size) { return size <= INT_MAX && size >= INT_MIN; }
template <class... Sizes>
bool all_fit(Sizes... sizes) {
  return (fits(sizes) && ...);
}

// Bytes that each nanosecond moves, and operations that it does, on one core, about.
inline constexpr double kBytes = 10;
template <class T>
inline constexpr double kOperations = (sizeof(Real<T>) == 4 ? 80 : 40) / (kIsComplex<T> ? 4.0 : 1.0);

}  // namespace warploom::blas
