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
    *LOG, f32=8)  # fmt: skip
# s = f / (2 + f); the first two terms of the series are kept in two words.
add("log_atanh", "(log((1+s)/(1-s)) / (2s) - 1 - s^2/3) / s^4, z = s^2",
    lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3) / z**2, lambda z: z**2, 0.0, 0.0401, f64=9)  # fmt: skip
add("log_atanh", "(log((1+s)/(1-s)) / (2s) - 1) / s^2, z = s^2",
    lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, lambda z: z, 0.0, 0.0401, f32=4)  # fmt: skip
QUARTER_PI = 0.6169  # (pi/4)^2 and a little
add("sin", "(sin(r) - r) / r^3, z = r^2", *odd(mp.sin), 0.0, QUARTER_PI, f32=4, f64=7)
add("cos", "(cos(r) - 1 + z/2) / z^2, z = r^2", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
    lambda z: z**2 / mp.cos(mp.sqrt(z)), 0.0, QUARTER_PI, f32=3, f64=7)  # fmt: skip
add("sin_fast", "sin(r)/r on [0, pi/2], z = r^2, relative to 1", lambda z: mp.sin(mp.sqrt(z)) / mp.sqrt(z),
    lambda z: mp.sqrt(z), 0.0, 2.4675, f32=5, fixed=(1.0,))  # fmt: skip
add("tan", "(tan(r) - r) / r^3, z = r^2", *odd(mp.tan), 0.0, QUARTER_PI, f32=7, f64=15)
add("sinpi", "(sin(pi r)/r - pi) / z, z = r^2, relative", lambda z: (mp.sin(mp.pi * mp.sqrt(z)) / mp.sqrt(z) - mp.pi) / z,
    lambda z: z * mp.sqrt(z) / mp.sin(mp.pi * mp.sqrt(z)), 0.0, 0.0625, f32=3, f64=7)  # fmt: skip
add("cospi", "(cos(pi r) - 1) / z, z = r^2, relative", lambda z: (mp.cos(mp.pi * mp.sqrt(z)) - 1) / z,
    lambda z: z / mp.cos(mp.pi * mp.sqrt(z)), 0.0, 0.0625, f32=4, f64=8)  # fmt: skip
add("asin", "(asin(s) - s) / s^3, z = s^2", *odd(mp.asin), 0.0, 0.2500001, f32=5, f64=13)
add("atan", "(atan(s) - s) / s^3, z = s^2", *odd(mp.atan), 0.0, 0.2501, f32=6, f64=14)
add("sinh", "(sinh(x) - x) / x^3, z = x^2", *odd(mp.sinh), 0.0, 1.0, f32=3, f64=7)
add("tanh", "(tanh(x) - x) / x^3, z = x^2", *odd(mp.tanh), 0.0, 0.3601, f32=5, f64=13)
add("asinh", "(asinh(x) - x) / x^3, z = x^2", *odd(mp.asinh), 0.0, 0.2501, f32=6, f64=13)
