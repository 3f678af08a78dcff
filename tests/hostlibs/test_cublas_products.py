# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuBLAS: products of middle size, with every operation, in tiles and pieces
"""Products of middle size, which kernels of our own do: each path through them, against NumPy in double precision."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from blas import Array, Blas, Problem, check, op

N, T = 0, 1
# Several tiles; rests of rows below and above a vector; sums of two pieces; lines that share their place in a cache;
# more terms, and more rows, than are packed at a time.
SHAPES = (
    (1300, 1200, 0),
    (128, 128, 128),
    (113, 131, 127),
    (97, 200, 100),
    (70, 15, 2000),
    (300, 301, 40),
    (260, 333, 385),
    (256, 256, 500),
    (520, 260, 800),
    (500, 400, 10_000),
    (16_500, 120, 100),
)


def _operand(problem: Problem, rows: int, columns: int, leading: int) -> Array:
    made = np.full((leading, columns), np.nan, problem.kind, order="F")
    made[:rows] = problem.numbers(rows, columns)
    return made


def _leading(rows: int, apart: int) -> int:
    """The leading dimension: the next multiple of `apart`."""
    return max(1, (rows + apart - 1) // apart * apart)


@pytest.mark.parametrize("letter", "SD")
@pytest.mark.parametrize("shape", SHAPES)
def test_product(cublas: ctypes.CDLL, letter: str, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    blas = Blas(cublas)
    for seed, (ta, tb) in enumerate(((N, N), (N, T), (T, N), (T, T))):
        problem = Problem(seed, letter)
        lda, ldb, ldc = (_leading(rows, 256 if seed % 2 else 1) for rows in ((m, k)[ta], (k, n)[tb], m + 3))
        a = _operand(problem, *((m, k) if ta == N else (k, m)), lda)
        b = _operand(problem, *((k, n) if tb == N else (n, k)), ldb)
        c = _operand(problem, m, n, ldc)
        alpha, beta = np.array([1.5], problem.kind), np.array([(0, 1, -0.5, 0)[seed]], problem.kind)
        if beta[0] == 0:
            c[:m] = np.nan
        old = np.nan_to_num(c[:m].astype(float)) * beta[0]
        assert blas.call("cublas" + letter + "gemm_v2", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) == 0
        left, right = op(a[: (m, k)[ta]], ta), op(b[: (k, n)[tb]], tb)
        sizes = 1.5 * np.abs(left) @ np.abs(right) + np.abs(old)
        check(problem, c[:m], 1.5 * left @ right + old, sizes, k)
        assert np.isnan(c[m:]).all()
    blas.close()
