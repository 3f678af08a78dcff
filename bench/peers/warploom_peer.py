# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads in CUDA C++ on NumPy arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from peers.workloads import BINS, BODIES, COLUMNS, ELEMENTS, MATRICES, ORDER, PIXELS, ROWS, SIDE, STEPS, TURNS, Array

import warploom

BLOCK = 256
_kernels = warploom.RawModule(path=Path(__file__).with_name("kernels.cu"), options=("-std=c++17", "-use_fast_math"))
_get = _kernels.get_function


def version() -> str:
    return warploom.__version__


def prepare(array: Array) -> Array:
    return array


def to_numpy(array: Array) -> Array:
    return array


def chain(a: Array, b: Array, c: Array) -> Array:
    out = np.empty_like(a)
    _get("chain")(ELEMENTS // BLOCK, BLOCK, (a, b, c, out, ELEMENTS))
    return out


def softmax(x: Array) -> Array:
    out = np.empty_like(x)
    _get("softmax")(ROWS // 8, (32, 8), (x, out, ROWS, COLUMNS))
    return out


def layer_norm(x: Array, gain: Array, bias: Array) -> Array:
    out = np.empty_like(x)
    _get("layer_norm")(ROWS // 8, (32, 8), (x, gain, bias, out, ROWS, COLUMNS))
    return out


def nbody(positions: Array) -> Array:
    out = np.empty((BODIES, 3), np.float32)
    _get("nbody")(BODIES // BLOCK, BLOCK, (positions, out, BODIES))
    return out


def black_scholes(s: Array, k: Array, t: Array) -> tuple[Array, Array]:
    call, put = np.empty_like(s), np.empty_like(s)
    _get("black_scholes")((s.size + BLOCK - 1) // BLOCK, BLOCK, (s, k, t, call, put, s.size))
    return call, put


def mandelbrot(x: Array, y: Array) -> Array:
    out = np.empty((PIXELS, PIXELS), np.int32)
    _get("mandelbrot")((PIXELS // 16, PIXELS // 16), (16, 16), (x, y, out, PIXELS, TURNS))
    return out


def stencil(grid: Array) -> Array:
    old, new = grid.copy(), grid.copy()
    step = _get("stencil")
    for _ in range(STEPS):
        step((SIDE // 64, SIDE // 4), (64, 4), (old, new, SIDE))
        old, new = new, old
    return old


def histogram(x: Array) -> Array:
    counts = np.zeros(BINS, np.uint32)
    _get("histogram")(64, BLOCK, (x, counts, x.size))
    return counts


def matrices(a: Array, b: Array) -> Array:
    out = np.empty_like(a)
    _get("matrices")(MATRICES, (ORDER, ORDER), (a, b, out))
    return out


def prefix_sum(x: Array) -> Array:
    blocks = (x.size + 4 * BLOCK - 1) // (4 * BLOCK)
    out, sums = np.empty_like(x), np.empty(blocks, np.float32)
    _get("block_sums")(blocks, BLOCK, (x, sums, x.size))
    _get("scan_sums")(1, 1024, (sums, blocks))
    _get("add_sums")(blocks, BLOCK, (x, sums, out, x.size))
    return out
