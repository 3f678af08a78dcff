# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten workloads: their inputs, what each computes (by NumPy in double precision), and how near a result must be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

ELEMENTS = 1 << 22
ROWS, COLUMNS = 4096, 1024
BODIES, SOFTENING = 4096, 0.01
OPTIONS, RATE, VOLATILITY = 1 << 20, 0.02, 0.3
PIXELS, TURNS = 1024, 256
SIDE, STEPS = 2048, 10
BINS = 256
MATRICES, ORDER = 20_000, 16
EPSILON = 1e-5


@dataclass(frozen=True)
class Workload:
    """`inputs` gives what a peer's function of the same name takes; `exact` computes the result of those."""

    name: str
    inputs: Callable[[], tuple[Array, ...]]
    exact: Callable[..., tuple[Array, ...]]
    tolerance: float = 1e-4  # of the largest number of the result
    wrong: float = 0.0  # share of elements that may differ: borders of a set are decided by the last bit


def _random(*shapes: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> Callable[[], tuple[Array, ...]]:
    def make() -> tuple[Array, ...]:
        source = np.random.default_rng(1)
        return tuple((low + (high - low) * source.random(shape)).astype(np.float32) for shape in shapes)

    return make


def _chain(a: Array, b: Array, c: Array) -> tuple[Array, ...]:
    a, b, c = (each.astype(np.float64) for each in (a, b, c))
    return (np.exp(-a * a) * np.cos(b) + c / (1 + np.abs(a)),)


def _softmax(x: Array) -> tuple[Array, ...]:
    x = x.astype(np.float64)
    raised = np.exp(x - x.max(axis=1, keepdims=True))
    return (raised / raised.sum(axis=1, keepdims=True),)


def _layer_norm(x: Array, gain: Array, bias: Array) -> tuple[Array, ...]:
    x = x.astype(np.float64)
    centred = x - x.mean(axis=1, keepdims=True)
    return (centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON) * gain + bias,)


def _nbody(positions: Array) -> tuple[Array, ...]:
    p = positions.astype(np.float64)
    result = np.empty((BODIES, 3))
    for first in range(0, BODIES, 256):
        d = p[None, :, :3] - p[first : first + 256, None, :3]
        weight = p[:, 3] * ((d * d).sum(axis=2) + SOFTENING) ** -1.5
        result[first : first + 256] = (weight[:, :, None] * d).sum(axis=1)
    return (result,)


def _normal(x: Array) -> Array:
    erf = np.frompyfunc(math.erf, 1, 1)
    return 0.5 * (1 + erf(x * math.sqrt(0.5)).astype(np.float64))


def _black_scholes(spot: Array, strike: Array, years: Array) -> tuple[Array, ...]:
    s, k, t = (each.astype(np.float64) for each in (spot, strike, years))
    d1 = (np.log(s / k) + (RATE + VOLATILITY**2 / 2) * t) / (VOLATILITY * np.sqrt(t))
    d2 = d1 - VOLATILITY * np.sqrt(t)
    discounted = k * np.exp(-RATE * t)
    call = s * _normal(d1) - discounted * _normal(d2)
    return call, call - s + discounted


def _options() -> tuple[Array, ...]:
    source = np.random.default_rng(1)
    limits = ((5, 30), (1, 100), (0.25, 10))
    return tuple(source.uniform(low, high, OPTIONS).astype(np.float32) for low, high in limits)


def _plane() -> tuple[Array, ...]:
    x = np.linspace(-2, 0.5, PIXELS).astype(np.float32)
    y = np.linspace(-1.25, 1.25, PIXELS).astype(np.float32)
    return x, y


def _mandelbrot(x: Array, y: Array) -> tuple[Array, ...]:
    c = x[None, :].astype(np.float64) + 1j * y[:, None].astype(np.float64)
    z, counts = np.zeros_like(c), np.zeros(c.shape, np.int32)
    alive = np.ones(c.shape, bool)
    for _ in range(TURNS):
        z[alive] = z[alive] ** 2 + c[alive]
        alive[alive] = (z[alive].real ** 2 + z[alive].imag ** 2) <= 4
        counts += alive
    return (counts,)


def _stencil(grid: Array) -> tuple[Array, ...]:
    old = grid.astype(np.float64)
    for _ in range(STEPS):
        new = old.copy()
        new[1:-1, 1:-1] = 0.2 * (old[1:-1, 1:-1] + old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        old = new
    return (old,)


def _bytes() -> tuple[Array, ...]:
    return (np.random.default_rng(1).integers(0, BINS, ELEMENTS, np.int32),)


WORKLOADS = (
    Workload("chain", _random((ELEMENTS,), (ELEMENTS,), (ELEMENTS,), low=-2, high=2), _chain),
    Workload("softmax", _random((ROWS, COLUMNS), low=-4, high=4), _softmax),
    Workload("layer_norm", _random((ROWS, COLUMNS), (COLUMNS,), (COLUMNS,)), _layer_norm),
    Workload("nbody", _random((BODIES, 4)), _nbody, tolerance=1e-3),
    Workload("black_scholes", _options, _black_scholes),
    Workload("mandelbrot", _plane, _mandelbrot, tolerance=0, wrong=0.02),
    Workload("stencil", _random((SIDE, SIDE)), _stencil),
    Workload("histogram", _bytes, lambda x: (np.bincount(x, minlength=BINS),), tolerance=0),
    Workload(
        "matrices",
        _random((MATRICES, ORDER, ORDER), (MATRICES, ORDER, ORDER)),
        lambda a, b: (np.matmul(a.astype(np.float64), b.astype(np.float64)),),
    ),
    Workload("prefix_sum", _random((ELEMENTS,)), lambda x: (np.cumsum(x.astype(np.float64)),), tolerance=1e-3),
)


def is_right(workload: Workload, given: tuple[Array, ...], exact: tuple[Array, ...]) -> bool:
    """Whether a peer's results are near enough to the exact ones."""
    for made, right in zip(given, exact, strict=True):
        if made.shape != right.shape:
            return False
        far = np.abs(made.astype(np.float64) - right) > workload.tolerance * np.abs(right).max()
        if not np.isfinite(made).all() or far.mean() > workload.wrong:
            return False
    return True
