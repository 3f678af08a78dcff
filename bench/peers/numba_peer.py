# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads as one writes them with numba's parallel loops."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import njit, prange
from peers.workloads import BINS, EPSILON, ORDER, RATE, SOFTENING, STEPS, TURNS, VOLATILITY, Array

FAILURES = (numba.core.errors.NumbaError, RuntimeError)
_fast: Any = njit(parallel=True, fastmath=True, cache=True)
_device: Any = njit(fastmath=True, inline="always")
_ROOT, _HALF, _ONE = np.float32(math.sqrt(0.5)), np.float32(0.5), np.float32(1)
_RATE, _VOLATILITY = np.float32(RATE), np.float32(VOLATILITY)
_DRIFT = np.float32(RATE + VOLATILITY**2 / 2)
_SOFTENING, _EPSILON, _FIFTH = np.float32(SOFTENING), np.float32(EPSILON), np.float32(0.2)


def version() -> str:
    return numba.__version__


def prepare(array: Array) -> Array:
    return array


def to_numpy(array: Array) -> Array:
    return array


@_fast
def chain(a: Array, b: Array, c: Array) -> Array:
    out = np.empty_like(a)
    for i in prange(a.size):
        out[i] = math.exp(-a[i] * a[i]) * math.cos(b[i]) + c[i] / (_ONE + abs(a[i]))
    return out


@_fast
def softmax(x: Array) -> Array:
    out = np.empty_like(x)
    for row in prange(x.shape[0]):
        most = x[row, 0]
        for i in range(x.shape[1]):
            most = max(most, x[row, i])
        total = np.float32(0)
        for i in range(x.shape[1]):
            raised = math.exp(x[row, i] - most)
            out[row, i] = raised
            total += raised
        factor = _ONE / total
        for i in range(x.shape[1]):
            out[row, i] *= factor
    return out


@_fast
def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    out = np.empty_like(x)
    count = np.float32(x.shape[1])
    for row in prange(x.shape[0]):
        total = np.float32(0)
        for i in range(x.shape[1]):
            total += x[row, i]
        mean = total / count
        squares = np.float32(0)
        for i in range(x.shape[1]):
            squares += (x[row, i] - mean) * (x[row, i] - mean)
        scale = _ONE / math.sqrt(squares / count + _EPSILON)
        for i in range(x.shape[1]):
            out[row, i] = (x[row, i] - mean) * scale * gain[i] + bias[i]
    return out


@_fast
def nbody(positions: Array) -> Array:
    count = positions.shape[0]
    out = np.empty((count, 3), np.float32)
    px, py, pz, mass = positions[:, 0].copy(), positions[:, 1].copy(), positions[:, 2].copy(), positions[:, 3].copy()
    for i in prange(count):
        ax = ay = az = np.float32(0)
        for j in range(count):
            dx, dy, dz = px[j] - px[i], py[j] - py[i], pz[j] - pz[i]
            squared = dx * dx + dy * dy + dz * dz + _SOFTENING
            weight = mass[j] / (squared * math.sqrt(squared))
            ax += weight * dx
            ay += weight * dy
            az += weight * dz
        out[i, 0], out[i, 1], out[i, 2] = ax, ay, az
    return out


@_device
def _normal(x: Any) -> Any:
    return _HALF * (_ONE + math.erf(x * _ROOT))


@_fast
def black_scholes(s: Array, k: Array, t: Array) -> tuple[Array, Array]:
    call, put = np.empty_like(s), np.empty_like(s)
    for i in prange(s.size):
        deviation = _VOLATILITY * math.sqrt(t[i])
        d1 = (math.log(s[i] / k[i]) + _DRIFT * t[i]) / deviation
        discounted = k[i] * math.exp(-_RATE * t[i])
        call[i] = s[i] * _normal(d1) - discounted * _normal(d1 - deviation)
        put[i] = call[i] - s[i] + discounted
    return call, put


@_fast
def mandelbrot(x: Array, y: Array) -> Array:
    out = np.empty((y.size, x.size), np.int32)
    for row in prange(y.size):
        for column in range(x.size):
            re = im = np.float32(0)
            count = 0
            for _ in range(TURNS):
                re, im = re * re - im * im + x[column], np.float32(2) * re * im + y[row]
                if re * re + im * im > np.float32(4):
                    break
                count += 1
            out[row, column] = count
    return out


@_fast
def _step(old: Array, new: Array) -> None:
    for row in prange(1, old.shape[0] - 1):
        for i in range(1, old.shape[1] - 1):
            new[row, i] = _FIFTH * (old[row, i] + old[row - 1, i] + old[row + 1, i] + old[row, i - 1] + old[row, i + 1])


def stencil(grid: Array) -> Array:
    old, new = grid.copy(), grid.copy()
    for _ in range(STEPS):
        _step(old, new)
        old, new = new, old
    return old


@_fast
def histogram(x: Array) -> Array:
    parts = numba.get_num_threads()
    counts = np.zeros((parts, BINS), np.int64)
    length = (x.size + parts - 1) // parts
    for part in prange(parts):
        for i in range(part * length, min((part + 1) * length, x.size)):
            counts[part, x[i]] += 1
    return counts.sum(axis=0)


@_fast
def matrices(a: Array, b: Array) -> Array:
    out = np.zeros_like(a)
    for number in prange(a.shape[0]):
        for i in range(ORDER):
            for k in range(ORDER):
                factor = a[number, i, k]
                for j in range(ORDER):
                    out[number, i, j] += factor * b[number, k, j]
    return out


@_fast
def prefix_sum(x: Array) -> Array:
    parts = numba.get_num_threads()
    out, before = np.empty_like(x), np.zeros(parts + 1, np.float32)
    length = (x.size + parts - 1) // parts
    for part in prange(parts):
        total = np.float32(0)
        for i in range(part * length, min((part + 1) * length, x.size)):
            total += x[i]
        before[part + 1] = total
    for part in range(parts):
        before[part + 1] += before[part]
    for part in prange(parts):
        total = before[part]
        for i in range(part * length, min((part + 1) * length, x.size)):
            total += x[i]
            out[i] = total
    return out
