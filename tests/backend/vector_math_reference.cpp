// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vector math library is measured against: the C library one precision up (double for float, the 64-bit
// mantissa of long double for double), and the distance to the correctly rounded result.
#include <math.h>
#include <stdint.h>
#include <string.h>

namespace {

template <class R>
R pi() {
  return R(3.141592653589793238462643383279502884L);
}
template <class R>
R half_turns(R x, int *quarter) {
  R turn = x - 2 * rintl(x * R(0.5));
  R n = rintl(2 * turn);
  *quarter = int(n);
  return (turn - n / 2) * pi<R>();
}

long double ref_exp10(long double x) { return exp10l(x); }
double ref_exp10(double x) { return exp10(x); }

template <class R>
R ref_sinpi(R x) {
  if (!isfinite(x)) return R(NAN);
  if (x == rintl(x)) return copysign(R(0), x);
  int q;
  R r = half_turns(x, &q);
  R v = q & 1 ? cosl(r) : sinl(r);
  return q & 2 ? -v : v;
}
template <class R>
R ref_cospi(R x) {
  if (!isfinite(x)) return R(NAN);
  int q;
  R r = half_turns(x, &q);
  if (q & 1 && r == 0) return 0;
  R v = q & 1 ? sinl(r) : cosl(r);
  return (q + 1) & 2 ? -v : v;
}
// y with erfc(y) = c, 0 < c <= 1, by Newton's method on log erfc.
long double inverse_erfc(long double c) {
  if (c == 0) return INFINITY;
  long double y = c > 0.5L ? (1 - c) * 0.886L : sqrtl(-logl(c)) * 0.9L;
  for (int i = 0; i < 60; ++i) {
    long double value = erfcl(y);
    long double slope = -1.128379167095512573896158903121545172L * expl(-y * y);
    long double step = c > 0.1L ? (value - c) / slope : logl(value / c) * value / slope;
    y -= step;
    if (fabsl(step) <= 1e-19L * fabsl(y)) break;
  }
  return y;
}
long double inverse_erf(long double x) {  // 0 <= x < 1/2
  long double y = x * 0.886226925452758013649083741670572591L;
  for (int i = 0; i < 60 && x != 0; ++i) {
    long double step = (erfl(y) - x) * 0.886226925452758013649083741670572591L * expl(y * y);
    y -= step;
    if (fabsl(step) <= 1e-19L * fabsl(y)) break;
  }
  return y;
}
template <class R>
R ref_erfinv(R x) {
  if (!(fabsl(x) <= 1)) return R(NAN);
  R a = fabsl(x);
  return copysign(R(a < R(0.5) ? inverse_erf(a) : inverse_erfc(1 - (long double)a)), x);
}
template <class R>
R ref_erfcinv(R x) {
  if (!(x >= 0 && x <= 2)) return R(NAN);
  if (x == 2) return -R(INFINITY);
  if (x > R(0.5)) return x == 1 ? R(0) : ref_erfinv(R(1 - x));
  return R(inverse_erfc(x));
}
template <class R>
R ref_normcdf(R x) {
  long double t = (long double)x * 0.707106781186547524400844362104849039L;
  if (fabsl(t) > 120) return x > 0 ? 1 : 0;
  // erfc magnifies a relative error of its argument by 2 t^2: what the product lost is put back.
  long double lost = __builtin_fmal((long double)x, 0.707106781186547524400844362104849039L, -t);
  long double tail = 0.5L * erfcl(-t);
  return R(tail + lost * 0.564189583547756286948079451560772586L * expl(-t * t));
}
template <class R>
R ref_rsqrt(R x) {
  return 1 / sqrtl(x);
}
template <class R>
R ref_rcbrt(R x) {
  return 1 / cbrtl(x);
}

using F1 = double (*)(double);
using L1 = long double (*)(long double);
using F2 = double (*)(double, double);
using L2 = long double (*)(long double, long double);

struct Entry {
  const char *name;
  F1 one;
  L1 one_long;
  F2 two;
  L2 two_long;
};
#define ONE(n) {#n, n, n##l, nullptr, nullptr}
#define OWN(n) {#n, ref_##n, ref_##n, nullptr, nullptr}
#define TWO(n) {#n, nullptr, nullptr, n, n##l}
const Entry table[] = {
    ONE(exp),    ONE(exp2),    OWN(exp10),   ONE(expm1), ONE(log),       ONE(log2),  ONE(log10),  ONE(log1p),
    ONE(sin),    ONE(cos),     ONE(tan),     OWN(sinpi), OWN(cospi),     ONE(asin),  ONE(acos),   ONE(atan),
    ONE(sinh),   ONE(cosh),    ONE(tanh),    ONE(asinh), ONE(acosh),     ONE(atanh), ONE(erf),    ONE(erfc),
    OWN(erfinv), OWN(erfcinv), OWN(normcdf), ONE(cbrt),  OWN(rsqrt),     OWN(rcbrt), ONE(lgamma), ONE(tgamma),
    TWO(pow),    TWO(atan2),   TWO(hypot),   TWO(fmod),  TWO(remainder),
};

const Entry *find(const char *name) {
  for (const Entry &entry : table)
    if (!strcmp(entry.name, name)) return &entry;
  return nullptr;
}

// The C library's own functions over an array, a call an element, for comparison of speed.
using S1 = float (*)(float);
using S2 = float (*)(float, float);
struct ScalarEntry {
  const char *name;
  S1 one;
  S2 two;
};
#define SCALAR_ONE(n) {#n, n##f, nullptr}
#define SCALAR_TWO(n) {#n, nullptr, n##f}
float rsqrtf_plain(float x) { return 1 / sqrtf(x); }
float rcbrtf_plain(float x) { return 1 / cbrtf(x); }
const ScalarEntry scalar_table[] = {
    SCALAR_ONE(exp),
    SCALAR_ONE(exp2),
    SCALAR_ONE(exp10),
    SCALAR_ONE(expm1),
    SCALAR_ONE(log),
    SCALAR_ONE(log2),
    SCALAR_ONE(log10),
    SCALAR_ONE(log1p),
    SCALAR_ONE(sin),
    SCALAR_ONE(cos),
    SCALAR_ONE(tan),
    SCALAR_ONE(asin),
    SCALAR_ONE(acos),
    SCALAR_ONE(atan),
    SCALAR_ONE(sinh),
    SCALAR_ONE(cosh),
    SCALAR_ONE(tanh),
    SCALAR_ONE(asinh),
    SCALAR_ONE(acosh),
    SCALAR_ONE(atanh),
    SCALAR_ONE(erf),
    SCALAR_ONE(erfc),
    SCALAR_ONE(cbrt),
    SCALAR_ONE(lgamma),
    SCALAR_ONE(tgamma),
    {"rsqrt", rsqrtf_plain, nullptr},
    {"rcbrt", rcbrtf_plain, nullptr},
    SCALAR_TWO(pow),
    SCALAR_TWO(atan2),
    SCALAR_TWO(hypot),
    SCALAR_TWO(fmod),
    SCALAR_TWO(remainder),
};

// Numbers in order as integers; both zeros are 0.
int64_t ordered(float x) {
  int32_t raw = __builtin_bit_cast(int32_t, x);
  return raw < 0 ? -int64_t(raw & 0x7fffffff) : raw;
}
int64_t ordered(double x) {
  int64_t raw = __builtin_bit_cast(int64_t, x);
  return raw < 0 ? -(raw & 0x7fffffffffffffff) : raw;
}

constexpr int64_t wrong = int64_t(1) << 62;  // NaN against a number, +0 against -0

template <class T>
int64_t distance(T got, T expected) {
  if (isnan(got) || isnan(expected)) return isnan(got) && isnan(expected) ? 0 : wrong;
  if (got == 0 && expected == 0) return signbit(got) == signbit(expected) ? 0 : wrong;
  int64_t difference = ordered(got) - ordered(expected);
  return difference < 0 ? -difference : difference;
}

template <class T, class R>
double error(T got, R exact, int digits, int smallest) {
  if (!isfinite(got) || !isfinite(exact) || exact == 0) return 0;
  int exponent = ilogbl(exact);
  if (exponent < smallest) exponent = smallest;
  return double(fabsl((long double)(got)-exact) / ldexpl(1, exponent - digits));
}

}  // namespace

struct Worst {
  int64_t distance;  // from the correctly rounded result, in numbers between
  double distance_x, distance_y;
  double ulps;  // from the exact result
  double ulps_x, ulps_y;
};

template <class T, class R, class One, class Two>
static void compare(One one, Two two, long count, const T *x, const T *y, const T *got, Worst *worst, int digits,
                    int smallest) {
  for (long i = 0; i < count; ++i) {
    R exact = one ? one(R(x[i])) : two(R(x[i]), R(y[i]));
    int64_t d = distance(got[i], T(exact));
    if (d > worst->distance) {
      worst->distance = d;
      worst->distance_x = x[i];
      worst->distance_y = y ? y[i] : 0;
    }
    if (d == 0 && worst->ulps >= 0.5) continue;  // then the error is no larger
    double e = error(got[i], exact, digits, smallest);
    if (e > worst->ulps) {
      worst->ulps = e;
      worst->ulps_x = x[i];
      worst->ulps_y = y ? y[i] : 0;
    }
  }
}

extern "C" int compare_f32(const char *name, long count, const float *x, const float *y, const float *got,
                           Worst *worst) {
  const Entry *entry = find(name);
  if (!entry) return 1;
  compare<float, double>(entry->one, entry->two, count, x, y, got, worst, 23, -126);
  return 0;
}
extern "C" int compare_f64(const char *name, long count, const double *x, const double *y, const double *got,
                           Worst *worst) {
  const Entry *entry = find(name);
  if (!entry) return 1;
  compare<double, long double>(entry->one_long, entry->two_long, count, x, y, got, worst, 52, -1022);
  return 0;
}
// The reference itself, in double.
extern "C" int reference(const char *name, long count, const double *x, const double *y, double *result) {
  const Entry *entry = find(name);
  if (!entry) return 1;
  for (long i = 0; i < count; ++i) result[i] = entry->one ? entry->one(x[i]) : entry->two(x[i], y[i]);
  return 0;
}
extern "C" int scalar_f32(const char *name, long count, const float *x, const float *y, float *result) {
  for (const ScalarEntry &entry : scalar_table) {
    if (strcmp(entry.name, name)) continue;
    for (long i = 0; i < count; ++i) result[i] = entry.one ? entry.one(x[i]) : entry.two(x[i], y[i]);
    return 0;
  }
  return 1;
}
extern "C" int scalar_f64(const char *name, long count, const double *x, const double *y, double *result) {
  return reference(name, count, x, y, result);
}
// Runs one of the loops over vectors many times, so that the caller's own cost does not show.
extern "C" void repeat(void (*loop)(void *, const void *, const void *, long), long times, void *result, const void *x,
                       const void *y, long vectors) {
  for (long i = 0; i < times; ++i) loop(result, x, y, vectors);
}
