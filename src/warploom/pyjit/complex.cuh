// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers of kernels in Python, with the functions of `cmath`. Branch cuts and what is not finite are as in C's
// annex G; the inverse functions are those of Kahan, "Branch cuts for complex elementary functions".
#pragma once
#include "arrays.cuh"
#pragma float_control(push)
#pragma clang fp contract(off)

namespace warploom_jit {

template <class T>
struct Complex {
  T real, imag;
  Complex() = default;
  __device__ Complex(T real, T imag = T(0)) : real(real), imag(imag) {}
  template <class U>
  __device__ explicit Complex(const Complex<U> &other) : real(T(other.real)), imag(T(other.imag)) {}

  __device__ friend Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imag + b.imag}; }
  __device__ friend Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imag - b.imag}; }
  __device__ friend Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
  // By the larger part of the divisor first: the square of its size need not be a number that T holds.
  __device__ friend Complex operator/(Complex a, Complex b) {
    if (fabs(b.real) >= fabs(b.imag)) {
      const T ratio = b.imag / b.real, size = b.real + b.imag * ratio;
      if (b.real == 0) return {a.real / fabs(b.real), a.imag / fabs(b.real)};
      return {(a.real + a.imag * ratio) / size, (a.imag - a.real * ratio) / size};
    }
    const T ratio = b.real / b.imag, size = b.real * ratio + b.imag;
    return {(a.real * ratio + a.imag) / size, (a.imag * ratio - a.real) / size};
  }
  __device__ friend Complex operator-(Complex a) { return {-a.real, -a.imag}; }
  __device__ friend bool operator==(Complex a, Complex b) { return a.real == b.real && a.imag == b.imag; }
  __device__ friend bool operator!=(Complex a, Complex b) { return !(a == b); }
  // As NumPy orders them: by the real part, then by the imaginary one.
  __device__ friend bool operator<(Complex a, Complex b) {
    return a.real < b.real || (a.real == b.real && a.imag < b.imag);
  }
  __device__ friend bool operator>(Complex a, Complex b) { return b < a; }
  __device__ friend bool operator<=(Complex a, Complex b) { return a < b || a == b; }
  __device__ friend bool operator>=(Complex a, Complex b) { return b < a || a == b; }
};

using Z = Complex<double>;
constexpr double kHuge = 1e300, kPi = 3.14159265358979323846, kLn2 = 0.69314718055994530942;

__device__ inline Z turned(Z z) { return {-z.imag, z.real}; }       // times i
__device__ inline Z turned_back(Z z) { return {z.imag, -z.real}; }  // divided by i
__device__ inline Z conjugate(Z z) { return {z.real, -z.imag}; }
__device__ inline double z_abs(Z z) { return hypot(z.real, z.imag); }
__device__ inline double z_phase(Z z) { return atan2(z.imag, z.real); }
__device__ inline bool z_isnan(Z z) { return isnan(z.real) || isnan(z.imag); }
__device__ inline bool z_isinf(Z z) { return isinf(z.real) || isinf(z.imag); }
__device__ inline bool z_isfinite(Z z) { return isfinite(z.real) && isfinite(z.imag); }

// Of a size and an angle; a size of infinity is none times zero.
__device__ inline Z z_rect(double size, double angle) {
  if (size == 0 && !isfinite(angle)) return {0.0, 0.0};
  if (angle == 0) return {size, isinf(size) ? angle * copysign(1.0, size) : size * angle};
  if (isinf(size) && isfinite(angle)) {
    return {copysign(1.0, size) * copysign(HUGE_VAL, cos(angle)), copysign(1.0, size) * copysign(HUGE_VAL, sin(angle))};
  }
  if (isinf(size)) return {HUGE_VAL, angle - angle};
  return {size * cos(angle), size * sin(angle)};
}
__device__ inline Z z_exp(Z z) {
  if (isinf(z.real) && z.real < 0 && !isfinite(z.imag)) return {0.0, 0.0};
  if (isinf(z.real) && !isfinite(z.imag)) return {z.real, z.imag - z.imag};
  if (z.imag == 0) return {exp(z.real), z.imag};
  const double part = z.real > 709 ? z.real - 700 : z.real, scale = z.real > 709 ? exp(700.0) : 1.0;
  if (isinf(z.real)) {
    const double size = z.real > 0 ? HUGE_VAL : 0.0;
    return {copysign(size, cos(z.imag)), copysign(size, sin(z.imag))};
  }
  return {exp(part) * cos(z.imag) * scale, exp(part) * sin(z.imag) * scale};
}
__device__ inline Z z_sinh(Z z) {
  if (isinf(z.real) && isfinite(z.imag) && z.imag != 0)
    return {copysign(HUGE_VAL, cos(z.imag)) * copysign(1.0, z.real), copysign(HUGE_VAL, sin(z.imag))};
  if (z.imag == 0) return {sinh(z.real), z.imag};
  if (!isfinite(z.imag) && isinf(z.real)) return {HUGE_VAL, z.imag - z.imag};
  if (!isfinite(z.imag) && z.real == 0) return {z.real, z.imag - z.imag};
  if (fabs(z.real) > 709) {
    const double size = exp(fabs(z.real) - 700) / 2, scale = exp(700.0);
    return {copysign(size, z.real) * cos(z.imag) * scale, size * sin(z.imag) * scale};
  }
  return {sinh(z.real) * cos(z.imag), cosh(z.real) * sin(z.imag)};
}
__device__ inline Z z_cosh(Z z) {
  if (isinf(z.real) && isfinite(z.imag) && z.imag != 0)
    return {copysign(HUGE_VAL, cos(z.imag)), copysign(HUGE_VAL, sin(z.imag)) * copysign(1.0, z.real)};
  if (z.imag == 0) return {cosh(z.real), isnan(z.real) ? z.imag : z.imag * copysign(1.0, z.real)};
  if (!isfinite(z.imag) && z.real == 0) return {z.imag - z.imag, z.real};
  if (!isfinite(z.imag) && isinf(z.real)) return {HUGE_VAL, z.imag - z.imag};
  if (fabs(z.real) > 709) {
    const double size = exp(fabs(z.real) - 700) / 2, scale = exp(700.0);
    return {size * cos(z.imag) * scale, copysign(size, z.real) * sin(z.imag) * scale};
  }
  return {cosh(z.real) * cos(z.imag), sinh(z.real) * sin(z.imag)};
}
__device__ inline Z z_tanh(Z z) {
  if (isnan(z.real) && z.imag == 0) return z;
  if (isinf(z.real) || fabs(z.real) > 354) {
    const double rest = isfinite(z.imag) ? 4 * sin(z.imag) * cos(z.imag) * exp(-2 * fabs(z.real)) : 0.0;
    return {copysign(1.0, z.real), isfinite(z.imag) ? rest : copysign(0.0, z.imag)};
  }
  const double x = tanh(z.real), y = tan(z.imag), narrow = 1 / cosh(z.real), both = x * y, size = 1 + both * both;
  return {x * (1 + y * y) / size, y / size * narrow * narrow};
}
__device__ inline Z z_sin(Z z) { return turned_back(z_sinh(turned(z))); }
__device__ inline Z z_cos(Z z) { return z_cosh(turned(z)); }
__device__ inline Z z_tan(Z z) { return turned_back(z_tanh(turned(z))); }

__device__ inline Z z_sqrt(Z z) {
  if (isinf(z.imag)) return {HUGE_VAL, z.imag};
  if (isinf(z.real)) {
    if (z.real > 0) return {z.real, isnan(z.imag) ? z.imag : copysign(0.0, z.imag)};
    return {isnan(z.imag) ? z.imag : 0.0, copysign(HUGE_VAL, z.imag)};
  }
  if (z.real == 0 && z.imag == 0) return {0.0, z.imag};
  const double x = fabs(z.real), y = fabs(z.imag);
  const double unit = x > kHuge || y > kHuge ? 0x1p-4 : x < 1e-290 && y < 1e-290 ? 0x1p200 : 1.0;
  const double back = unit == 1 ? 1.0 : unit < 1 ? 4.0 : 0x1p-100;
  const double size = sqrt((x * unit + hypot(x * unit, y * unit)) / 2) * back, other = y / (2 * size);
  return z.real >= 0 ? Z(size, copysign(other, z.imag)) : Z(other, copysign(size, z.imag));
}
__device__ inline Z z_log(Z z) {
  const double x = fabs(z.real), y = fabs(z.imag), large = x > y ? x : y, small = x > y ? y : x;
  double size;
  if (isfinite(large) && large > kHuge) {
    size = log(hypot(x / 2, y / 2)) + kLn2;
  } else if (large < 1e-290 && large > 0) {
    size = log(hypot(x * 0x1p200, y * 0x1p200)) - 200 * kLn2;
  } else {
    const double whole = hypot(x, y);
    const bool is_near_one = whole > 0.71 && whole < 1.73;
    size = is_near_one ? log1p((large - 1) * (large + 1) + small * small) / 2 : log(whole);
  }
  return {size, atan2(z.imag, z.real)};
}
__device__ inline Z z_log10(Z z) {
  const Z natural = z_log(z);
  return {natural.real / 2.30258509299404568402, natural.imag / 2.30258509299404568402};
}
__device__ inline Z z_log2(Z z) {
  const Z natural = z_log(z);
  return {natural.real / kLn2, natural.imag / kLn2};
}
// The logarithm of a number's size where that is huge.
__device__ inline double log_of_huge(Z z) { return log(hypot(z.real / 2, z.imag / 2)) + 2 * kLn2; }

__device__ inline Z z_acos(Z z) {
  if (fabs(z.real) > kHuge || fabs(z.imag) > kHuge)
    return {atan2(fabs(z.imag), z.real), copysign(log_of_huge(z), isnan(z.imag) ? 1.0 : -z.imag)};
  if (z.real == 0 && isnan(z.imag)) return {kPi / 2, z.imag};
  const Z low = z_sqrt({1 - z.real, -z.imag}), high = z_sqrt({1 + z.real, z.imag});
  return {2 * atan2(low.real, high.real), asinh(high.real * low.imag - high.imag * low.real)};
}
__device__ inline Z z_acosh(Z z) {
  if (fabs(z.real) > kHuge || fabs(z.imag) > kHuge) return {log_of_huge(z), atan2(z.imag, z.real)};
  const Z low = z_sqrt({z.real - 1, z.imag}), high = z_sqrt({z.real + 1, z.imag});
  return {asinh(low.real * high.real + low.imag * high.imag), 2 * atan2(low.imag, high.real)};
}
__device__ inline Z z_asinh(Z z) {
  if (fabs(z.real) > kHuge || fabs(z.imag) > kHuge) {
    const double angle = isnan(z.real) ? z.real : atan2(z.imag, fabs(z.real));
    return {copysign(log_of_huge(z), isnan(z.real) ? 1.0 : z.real), angle};
  }
  if (isnan(z.real) && z.imag == 0) return z;
  const Z low = z_sqrt({1 + z.imag, -z.real}), high = z_sqrt({1 - z.imag, z.real});
  return {asinh(low.real * high.imag - high.real * low.imag),
          atan2(z.imag, low.real * high.real - low.imag * high.imag)};
}
__device__ inline Z z_asin(Z z) { return turned_back(z_asinh(turned(z))); }
__device__ inline Z z_atanh(Z z) {
  if (signbit(z.real) && !isnan(z.real)) return -z_atanh(-z);
  if (isinf(z.real) || isinf(z.imag)) return {0.0, isnan(z.imag) ? z.imag : copysign(kPi / 2, z.imag)};
  const double x = z.real, y = fabs(z.imag);
  if (x == 0 && isnan(y)) return z;
  if (x > 1e150 || y > 1e150) {
    const double half = hypot(x / 2, y / 2);
    return {x / 4 / half / half, copysign(kPi / 2, z.imag)};
  }
  if (x == 1 && y < 1e-150) {
    if (y == 0) return {HUGE_VAL, z.imag};
    return {-log(sqrt(y) / sqrt(hypot(y, 2.0))), copysign(atan2(2.0, -y) / 2, z.imag)};
  }
  return {log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4, -atan2(-2 * z.imag, (1 - x) * (1 + x) - y * y) / 2};
}
__device__ inline Z z_atan(Z z) { return turned_back(z_atanh(turned(z))); }

__device__ inline Z z_pow(Z base, Z exponent) {
  if (exponent.real == 0 && exponent.imag == 0) return {1.0, 0.0};
  if (base.real == 0 && base.imag == 0) return {0.0, 0.0};
  if (exponent.imag == 0 && (exponent.real == 1 || exponent.real == 2)) return exponent.real == 1 ? base : base * base;
  const double angle = z_phase(base), size = z_abs(base);
  const double grown = pow(size, exponent.real) * (exponent.imag == 0 ? 1.0 : exp(-angle * exponent.imag));
  return z_rect(grown, angle * exponent.real + (exponent.imag == 0 ? 0.0 : exponent.imag * log(size)));
}

}  // namespace warploom_jit
#pragma float_control(pop)
