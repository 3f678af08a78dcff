# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a digest of what routines of cuBLAS make of random operands: `bits.py LIBRARY`."""

from __future__ import annotations

import ctypes
import hashlib
import sys
from collections.abc import Iterator

import numpy as np
from blas import Blas, Problem


def digest(blas: Blas) -> str:
    """Of results that are cut into several tiles or pieces."""
    taken = hashlib.sha256()
    for letter in "SDCZ":
        problem = Problem(1, letter)
        start = "cublas" + letter
        m, n, k = 610, 333, 257
        one = np.array([1.25], problem.kind)
        a, b, c = problem.numbers(m, k), problem.numbers(k, n), problem.numbers(m, n)
        assert blas.call(start + "gemm_v2", 0, 0, m, n, k, one, a, m, b, k, one, c, m) == 0
        taken.update(c.tobytes())
        x, y = problem.numbers(100_000), problem.numbers(100_000)
        result = np.zeros(1, problem.kind)
        assert blas.call(start + ("dotc_v2" if problem.is_complex else "dot_v2"), x.size, x, 1, y, 1, result) == 0
        taken.update(result.tobytes())
        assert blas.call(start + "gemv_v2", 1, m, k, one, a, m, x, 1, one, y, 1) == 0
        taken.update(y.tobytes())
        d = problem.numbers(m, m)
        assert blas.call(start + "syrk_v2", 0, 0, m, k, one, a, m, one, d, m) == 0
        taken.update(d.tobytes())
        e = np.asfortranarray(d + 50 * np.eye(m, dtype=problem.kind))
        assert blas.call(start + "trsm_v2", 0, 0, 0, 0, m, n, one, e, m, c, m) == 0
        taken.update(c.tobytes())
    for letter in "SD":
        for result in own_kernels(blas, letter):
            taken.update(result)
    half = Problem(2, "S")
    a16, b16 = half.numbers(400, 900).astype(np.float16), half.numbers(900, 300).astype(np.float16)
    a16, b16, c16 = np.asfortranarray(a16), np.asfortranarray(b16), np.zeros((400, 300), np.float16, order="F")
    factor, zero = np.ones(1, np.float32), np.zeros(1, np.float32)
    operands = factor, a16, 2, 400, b16, 2, 900, zero, c16, 2, 400
    assert blas.call("cublasGemmEx", 0, 0, 400, 300, 900, *operands, 68, -1) == 0
    taken.update(c16.tobytes())
    for result in lanes(blas):
        taken.update(result)
    return taken.hexdigest()


def lanes(blas: Blas) -> Iterator[bytes]:
    """Products of bfloat16 and of bytes, whose tiles follow from the number of threads; one is widened."""
    m, n, k = 612, 570, 1040
    rng = np.random.default_rng(3)
    zero, one = (np.array([each], np.float32) for each in (0, 1))
    for scale in (1, 1e-25):
        a, b = (
            np.asfortranarray(
                (rng.standard_normal(shape).astype(np.float32) * np.float32(scale)).view(np.uint16)[:, 1::2]
            )
            for shape in ((m, k), (k, n))
        )
        c = np.zeros((m, n), np.float32, order="F")
        assert blas.call("cublasGemmEx", 0, 0, m, n, k, one, a, 14, m, b, 14, k, zero, c, 0, m, 68, -1) == 0
        yield c.tobytes()
    a, b = (np.asfortranarray(rng.integers(-128, 128, shape).astype(np.int8)) for shape in ((m, k), (k, n)))
    c, factors = np.zeros((m, n), np.int32, order="F"), [np.array([each], np.int32) for each in (2, 0)]
    assert blas.call("cublasGemmEx", 0, 0, m, n, k, factors[0], a, 3, m, b, 3, k, factors[1], c, 10, m, 72, -1) == 0
    assert np.array_equal(c, 2 * (a.astype(np.int64) @ b))
    yield c.tobytes()


def own_kernels(blas: Blas, letter: str) -> Iterator[bytes]:
    """Products of one piece and of several, whose operands are read in place by any number of threads, packed by one,
    and packed by all; tiles follow from the number of threads."""
    problem = Problem(3, letter)
    half, a_turned, b_turned = np.array([0.5], problem.kind), (0, 1, 0, 1), (0, 1, 1, 0)
    shapes = (
        (130, 140, 150),
        (800, 900, 700),
        (200, 2100, 600),
        (1024, 300, 1024),
        (1700, 1600, 1600),
        (500, 400, 10_000),
    )
    for i, (m, n, k) in enumerate(shapes):
        ta, tb = a_turned[i % 4], b_turned[i % 4]
        a, b = problem.numbers(*((k, m) if ta else (m, k))), problem.numbers(*((n, k) if tb else (k, n)))
        c = problem.numbers(m, n)
        operands = half, a, a.shape[0], b, b.shape[0], half, c, m
        assert blas.call(f"cublas{letter}gemm_v2", ta, tb, m, n, k, *operands) == 0
        yield c.tobytes()


if __name__ == "__main__":
    print(digest(Blas(ctypes.CDLL(sys.argv[1]))))
