# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The polynomials that the vector math library needs: target, interval, weight and number of terms of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

Real = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Polynomial:
    """p(z) with `terms` coefficients near target(z) on [low, high]; the error is weight(z) * (p(z) - target(z))."""

    name: str
    kind: str  # f32 or f64
    comment: str
    target: Real
    weight: Real
    low: float
    high: float
    terms: int
    fixed: tuple[float, ...] = ()  # the lowest coefficients, where they are chosen


POLYNOMIALS: list[Polynomial] = []


def add(
    name: str, comment: str, target: Real, weight: Real, low: float, high: float, *, f32: int = 0, f64: int = 0,
    fixed: tuple[float, ...] = (),
) -> None:  # fmt: skip
    """One polynomial for each type that has a number of terms."""
    for kind, terms in (("f32", f32), ("f64", f64)):
        if terms:
            POLYNOMIALS.append(Polynomial(name, kind, comment, target, weight, low, high, terms, fixed))


def odd(function: Real) -> tuple[Real, Real]:
    """For f(x) = x + x^3 p(x^2) with the relative error of f: target and weight in z = x^2."""

    def target(z: mpf) -> mpf:
        x = mp.sqrt(z)
        return (function(x) - x) / (x * z)

    def weight(z: mpf) -> mpf:
        x = mp.sqrt(z)
        return x * z / function(x)

    return target, weight


HALF_LN2 = 0.34658
add("exp", "(exp(r) - 1 - r) / r^2, relative to exp(r)", lambda r: (mp.exp(r) - 1 - r) / r**2,
    lambda r: r**2 / mp.exp(r), -HALF_LN2, HALF_LN2, f32=5, f64=10, fixed=(0.5,))  # fmt: skip
add("expm1", "(exp(r) - 1 - r) / r^2, relative to exp(r) - 1", lambda r: (mp.exp(r) - 1 - r) / r**2,
    lambda r: r**2 / mp.expm1(r), -HALF_LN2, HALF_LN2, f32=5, f64=11, fixed=(0.5,))  # fmt: skip
add("exp2", "(2^r - 1) / r, relative to 2^r", lambda r: (2**r - 1) / r, lambda r: r / 2**r, -0.5, 0.5, f32=6, f64=11)
add("exp2_fast", "2^r, relative", lambda r: 2**r, lambda r: 1 / 2**r, -0.5, 0.5, f32=6, fixed=(1.0,))
add("exp2_fraction", "2^r, relative", lambda r: 2**r, lambda r: 1 / 2**r, 0.0, 1.0, f32=6, fixed=(1.0,))
add("exp10", "(10^r - 1) / r, relative to 10^r", lambda r: (10**r - 1) / r, lambda r: r / mpf(10) ** r,
    -0.15052, 0.15052, f32=6, f64=11)  # fmt: skip
LOG = (-0.25, 0.5)
add("log", "(log(1 + f) - f) / f^2, relative to log(1 + f)", lambda f: (mp.log1p(f) - f) / f**2,
    lambda f: f**2 / mp.log1p(f), *LOG, f32=9, f64=22, fixed=(-0.5,))  # fmt: skip
add("log2", "(log2(1 + f) - f/ln2) / f^2, relative to log2(1 + f)", lambda f: (mp.log1p(f) - f) / f**2 / mp.ln2,
    lambda f: f**2 / mp.log1p(f) * mp.ln2, -0.2929, 0.4143, f32=9, f64=22)  # fmt: skip
add("log10", "(log10(1 + f) - f/ln10) / f^2, relative to log10(1 + f)",
    lambda f: (mp.log1p(f) - f) / f**2 / mp.ln10, lambda f: f**2 / mp.log1p(f) * mp.ln10,
    *LOG, f32=9, f64=22)  # fmt: skip
add("log2_fast", "log2(1 + f) / f, relative", lambda f: mp.log1p(f) / f / mp.ln2, lambda f: f / mp.log1p(f) * mp.ln2,
    *LOG, f32=9)  # fmt: skip
# s = f / (2 + f); the first two terms of the series are kept in two words.
add("log_atanh", "(log((1+s)/(1-s)) / (2s) - 1 - s^2/3) / s^4, z = s^2",
    lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3) / z**2, lambda z: z**2, 0.0, 0.0295, f64=8)  # fmt: skip
add("log_atanh", "(log((1+s)/(1-s)) / (2s) - 1) / s^2, z = s^2",
    lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, lambda z: z, 0.0, 0.0295, f32=4)  # fmt: skip
QUARTER_PI = 0.6169  # (pi/4)^2 and a little
add("sin", "(sin(r) - r) / r^3, z = r^2", *odd(mp.sin), 0.0, QUARTER_PI, f32=4, f64=7)
add("cos", "(cos(r) - 1 + z/2) / z^2, z = r^2", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
    lambda z: z**2 / mp.cos(mp.sqrt(z)), 0.0, QUARTER_PI, f32=3, f64=7)  # fmt: skip
add("sin_fast", "sin(r)/r on [0, pi/2], z = r^2, relative to 1", lambda z: mp.sin(mp.sqrt(z)) / mp.sqrt(z),
    lambda z: mp.sqrt(z), 0.0, 2.4675, f32=5, fixed=(1.0,))  # fmt: skip
add("tan", "(tan(r) - r) / r^3, z = r^2", *odd(mp.tan), 0.0, QUARTER_PI, f32=7, f64=15)
add("sinpi", "(sin(pi r)/r - pi) / z, z = r^2, relative",
    lambda z: (mp.sin(mp.pi * mp.sqrt(z)) / mp.sqrt(z) - mp.pi) / z,
    lambda z: z * mp.sqrt(z) / mp.sin(mp.pi * mp.sqrt(z)), 0.0, 0.0625, f32=3, f64=7)  # fmt: skip
add("cospi", "(cos(pi r) - 1) / z, z = r^2, relative", lambda z: (mp.cos(mp.pi * mp.sqrt(z)) - 1) / z,
    lambda z: z / mp.cos(mp.pi * mp.sqrt(z)), 0.0, 0.0625, f32=4, f64=8)  # fmt: skip
add("asin", "(asin(s) - s) / s^3, z = s^2", *odd(mp.asin), 0.0, 0.2500001, f32=5, f64=13)
add("atan", "(atan(s) - s) / s^3, z = s^2", *odd(mp.atan), 0.0, 0.2501, f32=6, f64=14)
add("sinh", "(sinh(x) - x) / x^3, z = x^2", *odd(mp.sinh), 0.0, 1.0, f32=3, f64=7)
add("tanh", "(tanh(x) - x) / x^3, z = x^2", *odd(mp.tanh), 0.0, 0.3601, f32=5, f64=13)
add("asinh", "(asinh(x) - x) / x^3, z = x^2", *odd(mp.asinh), 0.0, 0.2501, f32=6, f64=13)


def erfcx(a: mpf) -> mpf:
    """exp(a^2) erfc(a)."""
    return mp.exp(a * a) * mp.erfc(a)


def from_ratio(t: mpf, k: int) -> mpf:
    """a for t = (a - k) / (a + k)."""
    return k * (1 + t) / (1 - t)


def scaled_erfcx(k: int) -> Real:
    """(1 + a) erfcx(a), which stays between 1/sqrt(pi) and 1.05, for t = (a - k)/(a + k)."""
    return lambda t: (1 + from_ratio(t, k)) * erfcx(from_ratio(t, k))


add("erf", "erf(x)/x - 1, z = x^2, relative to erf(x)/x", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
    lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), 0.0, 1.0, f32=7, f64=15)  # fmt: skip
add("log_erfc", "log(erfc(x + 2.5)) on [1, 4], relative to erf", lambda u: mp.log(mp.erfc(u + mpf(2.5))),
    lambda u: mp.erfc(u + mpf(2.5)), -1.5, 1.5, f32=7)  # fmt: skip
add("erfcx", "(1 + a) exp(a^2) erfc(a) on [0.5, 11], t = (a - 3)/(a + 3), relative", scaled_erfcx(3),
    lambda t: 1 / scaled_erfcx(3)(t), -0.71429, 0.57143, f32=10)  # fmt: skip
add("erfcx", "(1 + a) exp(a^2) erfc(a) on [0.5, 28], t = (a - 4)/(a + 4), relative", scaled_erfcx(4),
    lambda t: 1 / scaled_erfcx(4)(t), -0.77778, 0.75001, f64=23)  # fmt: skip


def inverse_erfc(w: mpf) -> tuple[mpf, mpf]:
    """c and y with erfc(y) = c, c (2 - c) = exp(-w)."""
    e = mp.exp(-w)
    c = e / (1 + mp.sqrt(1 - e))
    if c > mpf("0.001"):
        return c, mp.erfinv(1 - c)
    y = mp.sqrt(-mp.log(c))
    for _ in range(60):
        value = mp.erfc(y)
        step = mp.log(value / c) * value * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -50:
            break
    return c, y


def erfinv_of(w: mpf) -> mpf:
    """erfinv(x) / x for -log(1 - x^2) = w."""
    c, y = inverse_erfc(w)
    return y / (1 - c)


def relative_to_erfinv(w: mpf) -> mpf:
    """The weight for erfinv_of."""
    return 1 / erfinv_of(w)


def of_root(function: Real, centre: float) -> Real:
    """`function` of the square of its argument + centre."""
    return lambda r: function((r + centre) ** 2)


add("erfinv_near", "erfinv(x)/x for w - 3, w = -log(1 - x^2) in [0, 6], relative", lambda u: erfinv_of(u + 3),
    lambda u: relative_to_erfinv(u + 3), -2.9999999, 3.0, f32=11, f64=25)  # fmt: skip
add("erfinv_far", "erfinv(x)/x for sqrt(w) - 3.25 in [2.44, 4.1], relative", of_root(erfinv_of, 3.25),
    of_root(relative_to_erfinv, 3.25), -0.81, 0.85, f32=9, f64=21)  # fmt: skip
add("erfinv_farther", "erfinv(x)/x for sqrt(w) - 5.1 in [3.9, 6.3], relative", of_root(erfinv_of, 5.1),
    of_root(relative_to_erfinv, 5.1), -1.2, 1.2, f64=20)  # fmt: skip


def erfcinv_less_root(centre: float) -> tuple[Real, Real]:
    """erfcinv(c) - sqrt(w), c (2 - c) = exp(-w), for sqrt(w) = u + centre, and the weight for it."""

    def target(u: mpf) -> mpf:
        return inverse_erfc((u + centre) ** 2)[1] - (u + centre)

    return target, lambda u: 1 / (target(u) + u + centre)


add("erfcinv_tail", "erfcinv - sqrt(w) for sqrt(w) - 7.1 in [3.9, 10.3], relative to erfcinv",
    *erfcinv_less_root(7.1), -3.2, 3.2, f32=12)  # fmt: skip
add("erfcinv_tail", "erfcinv - sqrt(w) for sqrt(w) - 9.3 in [6, 12.6], relative to erfcinv",
    *erfcinv_less_root(9.3), -3.3, 3.3, f64=20)  # fmt: skip
add("erfcinv_last", "erfcinv - sqrt(w) for sqrt(w) - 20 in [12.5, 27.5], relative to erfcinv",
    *erfcinv_less_root(20), -7.5, 7.5, f64=20)  # fmt: skip


def stirling_rest(z: mpf) -> mpf:
    """x (log Gamma(x) - (x - 1/2) log x + x - log(2 pi)/2), z = 1/x^2."""
    x = 1 / mp.sqrt(z)
    return x * (mp.loggamma(x) - (x - mpf(0.5)) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


add("stirling", "x (log Gamma(x) - Stirling's formula) for x >= 2.5, z = 1/x^2, times z^(1/2)", stirling_rest,
    lambda z: mp.sqrt(z), 0.0, 0.1601, f64=13)  # fmt: skip
add("lgamma_one", "log Gamma(1 + u) / u, relative", lambda u: mp.loggamma(1 + u) / u,
    lambda u: u / mp.loggamma(1 + u), -0.5, 0.5, f64=31)  # fmt: skip
add("lgamma_two", "log Gamma(2 + u) / u, relative", lambda u: mp.loggamma(2 + u) / u,
    lambda u: u / mp.loggamma(2 + u), -0.5, 0.5, f64=20)  # fmt: skip
