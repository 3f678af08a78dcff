// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers for kernels of CuPy's kind: `complex<float>`, `complex<double>`.
#pragma once
#include <math.h>

namespace warploom_cupy {

template <class T>
struct complex {
  typedef T value_type;

  complex() = default;
  __host__ __device__ complex(T real, T imag = T()) : real_(real), imag_(imag) {}
  template <class U>
  __host__ __device__ complex(const complex<U> &other) : real_(T(other.real())), imag_(T(other.imag())) {}
  template <class U>
  __host__ __device__ complex &operator=(const complex<U> &other) {
    real_ = T(other.real()), imag_ = T(other.imag());
    return *this;
  }
  __host__ __device__ complex &operator=(T real) {
    real_ = real, imag_ = T();
    return *this;
  }
  __host__ __device__ T real() const { return real_; }
  __host__ __device__ T imag() const { return imag_; }
  __host__ __device__ void real(T value) { real_ = value; }
  __host__ __device__ void imag(T value) { imag_ = value; }

  __host__ __device__ complex &operator+=(const complex &other) { return *this = *this + other; }
  __host__ __device__ complex &operator-=(const complex &other) { return *this = *this - other; }
  __host__ __device__ complex &operator*=(const complex &other) { return *this = *this * other; }
  __host__ __device__ complex &operator/=(const complex &other) { return *this = *this / other; }

  // Friends: what converts to a complex number is an operand.
  __host__ __device__ friend complex operator+(const complex &a, const complex &b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  __host__ __device__ friend complex operator-(const complex &a, const complex &b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  __host__ __device__ friend complex operator*(const complex &a, const complex &b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  // Divided by the larger part first: the square of the divisor's size need not be a number that T holds. Step by step,
  // as NumPy does it.
  __host__ __device__ friend complex operator/(const complex &a, const complex &b) {
#pragma clang fp contract(off)
    if (fabs(b.real_) >= fabs(b.imag_)) {
      if (b.real_ == 0 && b.imag_ == 0) return {a.real_ / fabs(b.real_), a.imag_ / fabs(b.real_)};
      const T ratio = b.imag_ / b.real_, scale = T(1) / (b.real_ + b.imag_ * ratio);
      return {(a.real_ + a.imag_ * ratio) * scale, (a.imag_ - a.real_ * ratio) * scale};
    }
    const T ratio = b.real_ / b.imag_, scale = T(1) / (b.imag_ + b.real_ * ratio);
    return {(a.real_ * ratio + a.imag_) * scale, (a.imag_ * ratio - a.real_) * scale};
  }
  __host__ __device__ friend bool operator==(const complex &a, const complex &b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  __host__ __device__ friend bool operator!=(const complex &a, const complex &b) { return !(a == b); }
  // As NumPy orders them: by the real part, then by the imaginary one.
  __host__ __device__ friend bool operator<(const complex &a, const complex &b) {
    return a.real_ < b.real_ || (a.real_ == b.real_ && a.imag_ < b.imag_);
  }
  __host__ __device__ friend bool operator>(const complex &a, const complex &b) { return b < a; }
  __host__ __device__ friend bool operator<=(const complex &a, const complex &b) { return a < b || a == b; }
  __host__ __device__ friend bool operator>=(const complex &a, const complex &b) { return b <= a; }
  __host__ __device__ friend complex operator-(const complex &a) { return {-a.real_, -a.imag_}; }
  __host__ __device__ friend complex operator+(const complex &a) { return a; }

 private:
  T real_, imag_;
};

template <class T>
__host__ __device__ T real(const complex<T> &z) {
  return z.real();
}
template <class T>
__host__ __device__ T imag(const complex<T> &z) {
  return z.imag();
}
template <class T>
__host__ __device__ T abs(const complex<T> &z) {
  return hypot(z.real(), z.imag());
}
template <class T>
__host__ __device__ T arg(const complex<T> &z) {
  return atan2(z.imag(), z.real());
}
template <class T>
__host__ __device__ T norm(const complex<T> &z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
__host__ __device__ complex<T> conj(const complex<T> &z) {
  return {z.real(), -z.imag()};
}
template <class T>
__host__ __device__ complex<T> polar(T size, T angle) {
  return {size * cos(angle), size * sin(angle)};
}
template <class T>
__host__ __device__ bool isnan(const complex<T> &z) {
  return ::isnan(z.real()) || ::isnan(z.imag());
}
template <class T>
__host__ __device__ bool isinf(const complex<T> &z) {
  return ::isinf(z.real()) || ::isinf(z.imag());
}
template <class T>
__host__ __device__ bool isfinite(const complex<T> &z) {
  return ::isfinite(z.real()) && ::isfinite(z.imag());
}
template <class T>
__host__ __device__ complex<T> exp(const complex<T> &z) {
  const T size = ::exp(z.real());
  if (z.imag() == 0) return {size, z.imag()};
  return {size * ::cos(z.imag()), size * ::sin(z.imag())};
}
template <class T>
__host__ __device__ complex<T> log(const complex<T> &z) {
  return {::log(abs(z)), arg(z)};
}
template <class T>
__host__ __device__ complex<T> log10(const complex<T> &z) {
  return log(z) / complex<T>(T(2.302585092994045684));
}
template <class T>
__host__ __device__ complex<T> sqrt(const complex<T> &z) {
  if (z.real() == 0 && z.imag() == 0) return {T(0), z.imag()};
  const T half = ::sqrt((abs(z) + ::fabs(z.real())) / 2);
  if (z.real() >= 0) return {half, z.imag() / (2 * half)};
  return {::fabs(z.imag()) / (2 * half), ::copysign(half, z.imag())};
}
template <class T>
__host__ __device__ complex<T> sinh(const complex<T> &z) {
  return {::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag())};
}
template <class T>
__host__ __device__ complex<T> cosh(const complex<T> &z) {
  return {::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag())};
}
template <class T>
__host__ __device__ complex<T> tanh(const complex<T> &z) {
  return sinh(z) / cosh(z);
}
template <class T>
__host__ __device__ complex<T> sin(const complex<T> &z) {
  return {::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag())};
}
template <class T>
__host__ __device__ complex<T> cos(const complex<T> &z) {
  return {::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag())};
}
template <class T>
__host__ __device__ complex<T> tan(const complex<T> &z) {
  return sin(z) / cos(z);
}
template <class T>
__host__ __device__ complex<T> pow(const complex<T> &base, const complex<T> &exponent) {
  if (exponent == complex<T>(T(0))) return {T(1), T(0)};
  if (base == complex<T>(T(0))) return {T(0), T(0)};
  return exp(exponent * log(base));
}
template <class T>
__host__ __device__ complex<T> pow(const complex<T> &base, T exponent) {
  return pow(base, complex<T>(exponent));
}

}  // namespace warploom_cupy

using warploom_cupy::complex;
