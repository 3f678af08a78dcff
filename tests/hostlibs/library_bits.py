# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a digest of results of cuFFT, cuSPARSE and cuSOLVER: library_bits.py FOLDER."""

from __future__ import annotations

import ctypes
import hashlib
import sys
from pathlib import Path

import numpy as np
from blas import pointer
from fft import Fft
from sparse_matrices import Array, Sparse, random_matrix, scalar
from test_cusolver import Solver, numbers


def transforms(folder: Path) -> list[Array]:
    fft = Fft(ctypes.CDLL(str(folder / "libcufft.so")))
    rng = np.random.default_rng(1)
    results: list[Array] = []
    for lengths, batch in (([1 << 17], 1), ([1000], 40), ([48], 501), ([96, 100], 3), ([20, 30, 40], 2), ([10007], 2)):
        data = (rng.standard_normal([batch, *lengths]) + 1j).astype(np.complex64)
        result = np.zeros_like(data)
        plan = fft.plan_many("C2C", lengths, batch)
        assert fft.run(plan, "C2C", data, result) == 0
        results.append(result)
        plan = fft.plan_many("D2Z", lengths, batch)
        half = np.zeros([batch, *lengths[:-1], lengths[-1] // 2 + 1], np.complex128)
        assert fft.run(plan, "D2Z", np.real(data).astype(np.float64), half) == 0
        results.append(half)
    return results


def products(folder: Path) -> list[Array]:
    sparse = Sparse(ctypes.CDLL(str(folder / "libcusparse.so")))
    rng = np.random.default_rng(2)
    results: list[Array] = []
    for operation in (0, 1):
        a = random_matrix(rng, 700, 650, "S", kind="Csr")
        rows, columns = (700, 650) if operation == 0 else (650, 700)
        x, y = rng.standard_normal(columns).astype(np.float32), np.zeros(rows, np.float32)
        b, c = rng.standard_normal((columns, 20)).astype(np.float32), np.zeros((rows, 20), np.float32)
        matrix, one, zero = a.describe(sparse), scalar(1, "S"), scalar(0, "S")
        vectors = (sparse.vector(x, "S"), zero, sparse.vector(y, "S"))
        assert sparse.call("cusparseSpMV", operation, one, matrix, *vectors, 0, 0, np.zeros(11, np.uint8)) == 0
        dense = (sparse.dense(b, "S"), zero, sparse.dense(c, "S"))
        assert sparse.call("cusparseSpMM", operation, 0, one, matrix, *dense, 0, 0, None) == 0
        results += [y, c]
    return results


def sums(folder: Path) -> list[Array]:
    """Of two sparse matrices: the rows' places and columns, and the values."""
    sparse = Sparse(ctypes.CDLL(str(folder / "libcusparse.so")))
    rng = np.random.default_rng(4)
    m, n = 3000, 400
    descriptions: list[ctypes.c_void_p] = []
    parts: list[tuple[Array, Array, Array]] = []
    for density in (0.02, 0.05):
        there = rng.random((m, n)) < density
        offsets = np.concatenate([[0], np.cumsum(there.sum(1))]).astype(np.int32)
        values = rng.standard_normal(int(there.sum())).astype(np.float32)
        parts.append((values, offsets, np.nonzero(there)[1].astype(np.int32)))
    for _ in range(3):
        descriptions.append(ctypes.c_void_p())
        assert sparse.library.cusparseCreateMatDescr(ctypes.byref(descriptions[-1])) == 0
    (a, b), (desc_a, desc_b, desc_c) = parts, descriptions
    rows, total, area = np.zeros(m + 1, np.int32), ctypes.c_int(), np.zeros(16, np.uint8)
    pattern = (m, n, desc_a, len(a[0]), *a[1:], desc_b, len(b[0]), *b[1:], desc_c, rows, ctypes.byref(total), area)
    assert sparse.call("cusparseXcsrgeam2Nnz", *pattern) == 0
    values, columns = np.zeros(total.value, np.float32), np.zeros(total.value, np.int32)
    given = (m, n, scalar(2, "S"), desc_a, len(a[0]), *a, scalar(-3, "S"), desc_b, len(b[0]), *b, desc_c)
    assert sparse.call("cusparseScsrgeam2", *given, values, rows, columns, area) == 0
    return [rows, columns, values]


def factors(folder: Path) -> list[Array]:
    solver = Solver(folder)
    rng = np.random.default_rng(3)
    n, count = 24, 30
    matrices = [numbers(rng, "D", n, n) for _ in range(count)]
    spd = [np.asfortranarray(a @ a.T + n * np.eye(n)) for a in matrices]
    addresses = (ctypes.c_void_p * count)(*(each.ctypes.data for each in spd))
    infos = np.zeros(count, np.int32)
    assert solver.call("cusolverDnDpotrfBatched", 0, n, addresses, n, infos, count) == 0
    a, pivots = numbers(rng, "D", 300, 300), np.zeros(300, np.int32)
    assert solver.call("cusolverDnDgetrf", 300, 300, a, 300, None, pivots, solver.info) == 0
    return [*spd, a, pivots]


def main(folder: Path) -> None:
    digest = hashlib.sha256()
    for result in (*transforms(folder), *products(folder), *sums(folder), *factors(folder)):
        assert pointer(result).value
        digest.update(np.ascontiguousarray(result).tobytes())
    print(digest.hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
