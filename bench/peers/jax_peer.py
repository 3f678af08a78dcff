# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads as one writes them with JAX on the CPU."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from peers.workloads import BINS, EPSILON, PIXELS, RATE, SOFTENING, STEPS, TURNS, VOLATILITY, Array

Values = Any


def version() -> str:
    return jax.__version__


def prepare(array: Array) -> Values:
    return jnp.asarray(array)


def to_numpy(values: Values) -> Array:
    return np.asarray(values)


def finish(result: Any) -> None:
    jax.block_until_ready(result)


@jax.jit
def chain(a: Values, b: Values, c: Values) -> Values:
    return jnp.exp(-a * a) * jnp.cos(b) + c / (1 + jnp.abs(a))


@jax.jit
def softmax(x: Values) -> Values:
    return jax.nn.softmax(x, axis=1)


@jax.jit
def layer_norm(x: Values, gain: Values, bias: Values) -> Values:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(axis=1, keepdims=True) + EPSILON) * gain + bias


@jax.jit
def nbody(positions: Values) -> Values:
    dx, dy, dz = (positions[None, :, i] - positions[:, None, i] for i in range(3))
    squared = dx * dx + dy * dy + dz * dz + SOFTENING
    weight = positions[:, 3] / (squared * jnp.sqrt(squared))
    return jnp.stack([(weight * d).sum(1) for d in (dx, dy, dz)], 1)


@jax.jit
def black_scholes(s: Values, k: Values, t: Values) -> tuple[Values, Values]:
    normal = jax.scipy.stats.norm.cdf
    deviation = VOLATILITY * jnp.sqrt(t)
    d1 = (jnp.log(s / k) + (RATE + VOLATILITY**2 / 2) * t) / deviation
    discounted = k * jnp.exp(-RATE * t)
    call = s * normal(d1) - discounted * normal(d1 - deviation)
    return call, call - s + discounted


@jax.jit
def mandelbrot(x: Values, y: Values) -> Values:
    x, y = x[None, :], y[:, None]

    def turn(_number: int, state: tuple[Values, ...]) -> tuple[Values, ...]:
        re, im, counts = state
        re, im = re * re - im * im + x, 2 * re * im + y
        # What has left stays outside: its square is above 4, infinite or not a number.
        return re, im, counts + ((re * re + im * im) <= 4)

    shape = (PIXELS, PIXELS)
    first = jnp.zeros(shape, jnp.float32), jnp.zeros(shape, jnp.float32), jnp.zeros(shape, jnp.int32)
    return jax.lax.fori_loop(0, TURNS, turn, first)[2]


@jax.jit
def stencil(grid: Values) -> Values:
    def step(_number: int, old: Values) -> Values:
        inner = 0.2 * (old[1:-1, 1:-1] + old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        return old.at[1:-1, 1:-1].set(inner)

    return jax.lax.fori_loop(0, STEPS, step, grid)


@jax.jit
def histogram(x: Values) -> Values:
    return jnp.bincount(x, length=BINS)


@jax.jit
def matrices(a: Values, b: Values) -> Values:
    return jnp.matmul(a, b)


@jax.jit
def prefix_sum(x: Values) -> Values:
    return jnp.cumsum(x)
