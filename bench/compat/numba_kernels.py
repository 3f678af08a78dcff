# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compute, written for numba.cuda: numba_programs.py runs them in numba's simulator and here.

Each makes NumPy arrays and gives the array that its kernel computes; the extents are such that the simulator, which
starts a Python thread for every CUDA thread, takes seconds.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

cuda: Any
random: Any
if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1":
    from numba import cuda
    from numba.cuda import random
else:
    import warploom.compat.numba_cuda as cuda
    from warploom.compat.numba_cuda import random

TILE = 16
PADDED = TILE + 1
BLOCK = 128


@cuda.jit
def _nothing(x):
    x[0] = 1


def nothing() -> np.ndarray:
    """One thread stores one number: what loads the library before anything is measured."""
    x = np.zeros(1)
    _nothing[1, 1](x)
    return x


@cuda.jit
def _axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def axpy() -> np.ndarray:
    """a x + y of 16,384 numbers."""
    x = np.arange(16384, dtype=np.float32)
    y = np.ones_like(x)
    _axpy[128, BLOCK](np.float32(2), x, y)
    return y


@cuda.jit
def _multiply(a, b, c):
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    b_tile = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    total = np.float32(0)
    for part in range(a.shape[1] // TILE):
        a_tile[ty, tx] = a[row, part * TILE + tx]
        b_tile[ty, tx] = b[part * TILE + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[ty, k] * b_tile[k, tx]
        cuda.syncthreads()
    c[row, column] = total


def matrix_product() -> np.ndarray:
    """Of 64 x 64 numbers, by tiles in shared memory."""
    generator = np.random.default_rng(1)
    a, b = generator.random((64, 64), np.float32), generator.random((64, 64), np.float32)
    c = np.zeros_like(a)
    _multiply[(4, 4), (TILE, TILE)](a, b, c)
    return c


@cuda.jit
def _transpose(given, turned):
    tile = cuda.shared.array((TILE, PADDED), np.float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    column, row = cuda.grid(2)
    tile[ty, tx] = given[row, column]
    cuda.syncthreads()
    turned[cuda.blockIdx.x * TILE + ty, cuda.blockIdx.y * TILE + tx] = tile[tx, ty]


def transpose() -> np.ndarray:
    """Of 96 x 96 numbers, by tiles in shared memory."""
    given = np.random.default_rng(8).random((96, 96), np.float32)
    turned = np.zeros_like(given)
    _transpose[(6, 6), (TILE, TILE)](given, turned)
    return turned


@cuda.jit
def _heat(old, new):
    column, row = cuda.grid(2)
    if 0 < row < old.shape[0] - 1 and 0 < column < old.shape[1] - 1:
        around = old[row - 1, column] + old[row + 1, column] + old[row, column - 1] + old[row, column + 1]
        new[row, column] = old[row, column] + 0.1 * (around - 4 * old[row, column])


def heat() -> np.ndarray:
    """Four steps of a five-point stencil on 64 x 64 numbers."""
    old = np.random.default_rng(6).random((64, 64))
    new = old.copy()
    for _ in range(4):
        _heat[(4, 4), (TILE, TILE)](old, new)
        old, new = new, old
    return old


@cuda.jit
def _mandelbrot(image, limit):
    column, row = cuda.grid(2)
    if row < image.shape[0] and column < image.shape[1]:
        re = -2 + 3 * column / image.shape[1]
        im = -1 + 2 * row / image.shape[0]
        x = 0.0
        y = 0.0
        count = 0
        while count < limit and x * x + y * y < 4:
            x, y = x * x - y * y + re, 2 * x * y + im
            count += 1
        image[row, column] = count


def mandelbrot() -> np.ndarray:
    """64 x 96 points, up to 200 steps."""
    image = np.zeros((64, 96), np.int32)
    _mandelbrot[(6, 4), (TILE, TILE)](image, 200)
    return image


@cuda.jit
def _forces(places, forces):
    i = cuda.grid(1)
    if i < places.shape[0]:
        x, y, z = places[i, 0], places[i, 1], places[i, 2]
        fx = 0.0
        fy = 0.0
        fz = 0.0
        for j in range(places.shape[0]):
            dx = places[j, 0] - x
            dy = places[j, 1] - y
            dz = places[j, 2] - z
            square = dx * dx + dy * dy + dz * dz + 0.01
            factor = places[j, 3] / (square * math.sqrt(square))
            fx += factor * dx
            fy += factor * dy
            fz += factor * dz
        forces[i, 0] = fx
        forces[i, 1] = fy
        forces[i, 2] = fz


def bodies() -> np.ndarray:
    """The forces among 768 bodies."""
    places = np.random.default_rng(2).random((768, 4))
    forces = np.zeros((768, 3))
    _forces[6, BLOCK](places, forces)
    return forces


@cuda.jit(device=True)
def _normal(x):
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


@cuda.jit
def _black_scholes(prices, strikes, years, rate, volatility, calls):
    i = cuda.grid(1)
    if i < prices.size:
        spread = volatility * math.sqrt(years[i])
        d1 = (math.log(prices[i] / strikes[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread
        later = strikes[i] * math.exp(-rate * years[i])
        calls[i] = prices[i] * _normal(d1) - later * _normal(d1 - spread)


def black_scholes() -> np.ndarray:
    """8,192 options."""
    generator = np.random.default_rng(3)
    prices, strikes, years = (generator.uniform(low, high, 8192) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    calls = np.zeros(8192)
    _black_scholes[64, BLOCK](prices, strikes, years, 0.02, 0.3, calls)
    return calls


@cuda.jit
def _sums(values, sums):
    part = cuda.shared.array(BLOCK, np.float64)
    t = cuda.threadIdx.x
    part[t] = values[cuda.grid(1)]
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


def block_sums() -> np.ndarray:
    """8,192 numbers, by halving in shared memory."""
    values = np.random.default_rng(4).random(8192)
    sums = np.zeros(64)
    _sums[64, BLOCK](values, sums)
    return sums


@cuda.jit
def _scan(values, sums):
    part = cuda.shared.array(BLOCK, np.int64)
    t = cuda.threadIdx.x
    part[t] = values[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        other = part[t - step] if t >= step else 0
        cuda.syncthreads()
        part[t] += other
        cuda.syncthreads()
        step *= 2
    sums[cuda.grid(1)] = part[t]


def prefix_sums() -> np.ndarray:
    """Of each 128 of 8,192 numbers."""
    values = np.arange(8192) % 7
    sums = np.zeros_like(values)
    _scan[64, BLOCK](values, sums)
    return sums


@cuda.jit
def _sort(values):
    part = cuda.shared.array(BLOCK, np.int32)
    t = cuda.threadIdx.x
    place = cuda.grid(1)
    part[t] = values[place]
    cuda.syncthreads()
    size = 2
    while size <= BLOCK:
        step = size // 2
        while step > 0:
            other = t ^ step
            if other > t:
                low, high = part[t], part[other]
                if (low > high) == ((t & size) == 0):
                    part[t], part[other] = high, low
            cuda.syncthreads()
            step //= 2
        size *= 2
    values[place] = part[t]


def block_sort() -> np.ndarray:
    """Each 128 of 4,096 numbers, by Batcher's bitonic network."""
    values = np.random.default_rng(9).integers(0, 1000, 4096).astype(np.int32)
    _sort[32, BLOCK](values)
    return values


@cuda.jit
def _histogram(values, counts):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, values[i] % counts.size, 1)


def histogram() -> np.ndarray:
    """65,536 numbers in 64 classes, by atomics."""
    counts = np.zeros(64, np.int64)
    _histogram[16, BLOCK](np.random.default_rng(5).integers(0, 1 << 30, 65536), counts)
    return counts


@cuda.jit
def _pi(states, hits, tries):
    i = cuda.grid(1)
    inside = 0
    for _ in range(tries):
        x = random.xoroshiro128p_uniform_float32(states, i)
        y = random.xoroshiro128p_uniform_float32(states, i)
        if x * x + y * y <= 1:
            inside += 1
    hits[i] = inside


def darts() -> np.ndarray:
    """100 pairs of random numbers in each of 256 threads."""
    states = random.create_xoroshiro128p_states(256, seed=7)
    hits = np.zeros(256, np.int32)
    _pi[2, BLOCK](states, hits, 100)
    return hits


PROGRAMS = (
    axpy,
    matrix_product,
    transpose,
    heat,
    mandelbrot,
    bodies,
    black_scholes,
    block_sums,
    prefix_sums,
    block_sort,
    histogram,
    darts,
)
