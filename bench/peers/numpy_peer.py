# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads as one writes them with NumPy. There is no erf in NumPy: a polynomial takes its place, as usual."""

from __future__ import annotations

import numpy as np
from peers.workloads import BINS, EPSILON, RATE, SOFTENING, STEPS, TURNS, VOLATILITY, Array


def version() -> str:
    return np.__version__


def prepare(array: Array) -> Array:
    return array


def to_numpy(array: Array) -> Array:
    return array


def chain(a: Array, b: Array, c: Array) -> Array:
    return np.exp(-a * a) * np.cos(b) + c / (1 + np.abs(a))


def softmax(x: Array) -> Array:
    raised = np.exp(x - x.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(EPSILON)) * gain + bias


def nbody(positions: Array) -> Array:
    dx, dy, dz = (positions[None, :, i] - positions[:, None, i] for i in range(3))
    squared = dx * dx + dy * dy + dz * dz + np.float32(SOFTENING)
    weight = positions[:, 3] / (squared * np.sqrt(squared))
    return np.stack([(weight * d).sum(axis=1) for d in (dx, dy, dz)], axis=1)


def _normal(x: Array) -> Array:
    k = 1 / (1 + np.float32(0.2316419) * np.abs(x))
    terms = (0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    total = np.zeros_like(x)
    for term in reversed(terms):
        total = k * (np.float32(term) + total)
    tail = np.float32(0.39894228) * np.exp(-x * x / 2) * total
    return np.where(x > 0, 1 - tail, tail)


def black_scholes(s: Array, k: Array, t: Array) -> tuple[Array, Array]:
    deviation = np.float32(VOLATILITY) * np.sqrt(t)
    d1 = (np.log(s / k) + np.float32(RATE + VOLATILITY**2 / 2) * t) / deviation
    discounted = k * np.exp(np.float32(-RATE) * t)
    call = s * _normal(d1) - discounted * _normal(d1 - deviation)
    return call, call - s + discounted


def mandelbrot(x: Array, y: Array) -> Array:
    c = (x[None, :] + 1j * y[:, None]).astype(np.complex64).ravel()
    counts, places, z = np.zeros(c.size, np.int32), np.arange(c.size), np.zeros_like(c)
    for _ in range(TURNS):
        z = z * z + c
        alive = z.real * z.real + z.imag * z.imag <= 4
        z, c, places = z[alive], c[alive], places[alive]
        counts[places] += 1
    return counts.reshape(y.size, x.size)


def stencil(grid: Array) -> Array:
    old, new = grid, grid.copy()
    for _ in range(STEPS):
        new[1:-1, 1:-1] = np.float32(0.2) * (
            old[1:-1, 1:-1] + old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
        )
        old, new = new, old if old is not grid else grid.copy()
    return old


def histogram(x: Array) -> Array:
    return np.bincount(x, minlength=BINS)


def matrices(a: Array, b: Array) -> Array:
    return np.matmul(a, b)


def prefix_sum(x: Array) -> Array:
    return np.cumsum(x)
