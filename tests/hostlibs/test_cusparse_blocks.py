# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSPARSE: products and triangular systems of block matrices, sums of matrices
"""cuSPARSE's older functions for matrices in blocks, sums of two matrices, and those that say they are not there."""

# functions: cusparse{S,D,C,Z}bsr{mv,mm} cusparse{Create,Destroy}Bsr{sv2,sm2}Info
# functions: cusparse{S,D,C,Z}bsrsv2_{bufferSize,analysis,solve} cusparse{S,D,C,Z}bsrsm2_{bufferSize,analysis,solve}
# functions: cusparseXbsrsv2_zeroPivot cusparseXbsrsm2_zeroPivot cusparseXcsrgeam2Nnz
# functions: cusparse{S,D,C,Z}csrgeam2 cusparse{S,D,C,Z}csrgeam2_bufferSizeExt
from __future__ import annotations

from ctypes import byref, c_int, c_size_t, c_void_p

import numpy as np
import pytest
from sparse_matrices import TYPES, Array, Exact, Sparse, assert_near, scalar, turned

BY_ROWS, BY_COLUMNS = 0, 1
ZERO_PIVOT, NOT_SUPPORTED, INVALID_VALUE = 9, 10, 3
LOWER, UPPER = 0, 1


def description(sparse: Sparse, base: int = 0, fill: int = LOWER, unit: int = 0) -> c_void_p:
    desc = c_void_p()
    library = sparse.library
    assert library.cusparseCreateMatDescr(byref(desc)) == 0
    assert library.cusparseSetMatIndexBase(desc, base) == 0
    assert library.cusparseSetMatFillMode(desc, fill) == 0
    assert library.cusparseSetMatDiagType(desc, unit) == 0
    return desc


def noise(rng: np.random.Generator, letter: str, *shape: int) -> Array:
    real = rng.standard_normal(shape)
    return (real + 1j * rng.standard_normal(shape) if letter in "CZ" else real).astype(TYPES[letter][0])


class Blocks:
    """A random matrix of `rows` x `columns` blocks, two in three of them there, with what it is as a dense one."""

    def __init__(self, rng: np.random.Generator, letter: str, rows: int, columns: int, *, full: bool = False) -> None:
        self.size = size = int(rng.integers(1, 5))
        self.direction, self.base = int(rng.integers(0, 2)), int(rng.integers(0, 2))
        there = (rng.random((rows, columns)) < 0.67) | full
        row, column = np.nonzero(there)
        blocks = noise(rng, letter, row.size, size, size)
        self.exact = np.zeros((rows * size, columns * size), complex)
        for i, j, block in zip(row, column, blocks, strict=True):
            self.exact[i * size : (i + 1) * size, j * size : (j + 1) * size] = block
        stored = blocks if self.direction == BY_ROWS else blocks.transpose(0, 2, 1)
        self.values = np.ascontiguousarray(stored)
        self.offsets = (np.concatenate([[0], np.cumsum(there.sum(1))]) + self.base).astype(np.int32)
        self.indices = (column + self.base).astype(np.int32)
        self.count, self.rows, self.columns = row.size, rows, columns

    @property
    def arrays(self) -> tuple[Array, Array, Array, int]:
        return self.values, self.offsets, self.indices, self.size


@pytest.mark.parametrize("letter", TYPES)
def test_products(sparse: Sparse, letter: str) -> None:
    for seed in range(20):
        rng = np.random.default_rng((seed, 8))
        a = Blocks(rng, letter, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
        desc, alpha, beta = description(sparse, a.base), scalar(2, letter), scalar(-1, letter)
        n, left = int(rng.integers(1, 5)), a.exact
        x, y = noise(rng, letter, left.shape[1]), noise(rng, letter, left.shape[0])
        exact = 2 * left @ x - y
        size = 2 * float((abs(left) @ abs(x)).max(initial=0)) + 4
        vectors = (a.rows, a.columns, a.count, alpha, desc, *a.arrays, x, beta, y)
        for op in (1, 2):  # as on an H200
            assert sparse.call(f"cusparse{letter}bsrmv", a.direction, op, *vectors) == INVALID_VALUE
        assert sparse.call(f"cusparse{letter}bsrmv", a.direction, 0, *vectors) == 0
        assert_near(y, exact, left.shape[1], size, letter)
        op_b = int(rng.integers(0, 2))
        b, c = noise(rng, letter, n, left.shape[1]), noise(rng, letter, n, left.shape[0])  # their columns lie in rows
        if op_b:
            b = np.ascontiguousarray(b.T)
        exact = 2 * left @ (b if op_b else b.T) - c.T
        matrices = (a.rows, n, a.columns, a.count, alpha, desc, *a.arrays, b, b.shape[1], beta, c, c.shape[1])
        for ops in ((1, op_b), (2, op_b), (0, 2)):
            assert sparse.call(f"cusparse{letter}bsrmm", a.direction, *ops, *matrices) == INVALID_VALUE
        assert sparse.call(f"cusparse{letter}bsrmm", a.direction, 0, op_b, *matrices) == 0
        assert_near(c.T, exact, left.shape[1], 16 * size, letter)


def triangle(exact: Exact, fill: int, unit: int) -> Exact:
    part = np.tril(exact) if fill == LOWER else np.triu(exact)
    if unit:
        np.fill_diagonal(part, 1)
    return part


@pytest.mark.parametrize("letter", TYPES)
def test_triangles(sparse: Sparse, letter: str) -> None:
    """What lies on the other side of the diagonal is not read, inside its blocks neither."""
    for seed in range(20):
        rng = np.random.default_rng((seed, 9))
        n, columns = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        a = Blocks(rng, letter, n, n, full=True)
        m = n * a.size
        np.fill_diagonal(a.exact, 4 + m)
        for i in range(n):
            block = a.values[i * n + i]
            np.fill_diagonal(block, 4 + m)
        fill, unit, op = (int(each) for each in rng.integers(0, 2, 3))
        if unit:  # keeps the solution small
            a.values /= 4 + m
            a.exact /= 4 + m
        desc, alpha = description(sparse, a.base, fill, unit), scalar(3, letter)
        left = turned(triangle(a.exact, fill, unit), op)
        info, size, position = c_void_p(), c_int(), c_int(7)
        assert sparse.library.cusparseCreateBsrsv2Info(byref(info)) == 0
        matrix = (a.direction, op, n, a.count)
        name = f"cusparse{letter}bsrsv2"
        assert sparse.call(f"{name}_bufferSize", *matrix, desc, *a.arrays, info, byref(size)) == 0
        area = np.zeros(size.value, np.uint8)
        assert sparse.call(f"{name}_analysis", *matrix, desc, *a.arrays, info, 0, area) == 0
        x, y = noise(rng, letter, m), noise(rng, letter, m)
        assert sparse.call(f"{name}_solve", *matrix, alpha, desc, *a.arrays, info, x, y, 0, area) == 0
        assert_near(left @ y.astype(complex), 3 * x.astype(complex), 4 * m, 60, letter)
        assert sparse.call("cusparseXbsrsv2_zeroPivot", info, byref(position)) == 0
        assert position.value == -1
        assert sparse.library.cusparseDestroyBsrsv2Info(info) == 0

        more, name, op_x = c_void_p(), f"cusparse{letter}bsrsm2", int(rng.integers(0, 2))
        assert sparse.library.cusparseCreateBsrsm2Info(byref(more)) == 0
        shape = (m, columns) if op_x else (columns, m)
        right, result = noise(rng, letter, *shape), noise(rng, letter, *shape)
        counts = (a.direction, op, op_x, n, columns, a.count)
        assert sparse.call(f"{name}_bufferSize", *counts, desc, *a.arrays, more, byref(size)) == 0
        area = np.zeros(size.value, np.uint8)
        assert sparse.call(f"{name}_analysis", *counts, desc, *a.arrays, more, 0, area) == 0
        tail = (more, right, shape[1], result, shape[1], 0, area)
        assert sparse.call(f"{name}_solve", *counts, alpha, desc, *a.arrays, *tail) == 0
        exact, found = (right, result) if op_x else (right.T, result.T)
        assert_near(left @ found.astype(complex), 3 * exact.astype(complex), 4 * m, 60, letter)
        assert sparse.library.cusparseDestroyBsrsm2Info(more) == 0


def test_pivots_of_zero(sparse: Sparse) -> None:
    """Blocks are counted from the matrix's base on."""
    values = np.array([[[2.0, 0], [1, 2]], [[1, 1], [1, 1]], [[2, 0], [0, 0]]])
    offsets, indices = np.array([1, 2, 4], np.int32), np.array([1, 1, 2], np.int32)
    desc, info, position = description(sparse, base=1), c_void_p(), c_int()
    assert sparse.library.cusparseCreateBsrsm2Info(byref(info)) == 0
    alpha, x, y = scalar(1, "D"), np.ones(4), np.zeros(4)
    counts, matrix, size = (BY_ROWS, 0, 0, 2, 1, 3), (desc, values, offsets, indices, 2), c_int()
    assert sparse.call("cusparseDbsrsm2_bufferSize", *counts, *matrix, info, byref(size)) == 0
    area = np.zeros(size.value, np.uint8)
    assert sparse.call("cusparseDbsrsm2_analysis", *counts, *matrix, info, 0, area) == 0
    tail = (info, x, 4, y, 4, 0, area)
    system = (alpha, *matrix, *tail)
    assert sparse.call("cusparseDbsrsm2_solve", *counts, *system) == 0
    assert sparse.call("cusparseXbsrsm2_zeroPivot", info, byref(position)) == ZERO_PIVOT
    assert position.value == 2
    assert sparse.call("cusparseDbsrsm2_solve", BY_ROWS, 0, 0, -1, 1, 3, *system) == INVALID_VALUE


@pytest.mark.parametrize("letter", TYPES)
def test_sums(sparse: Sparse, letter: str) -> None:
    for seed in range(20):
        rng = np.random.default_rng((seed, 10))
        m, n = int(rng.integers(0, 9)), int(rng.integers(1, 9))
        parts: list[tuple[c_void_p, int, Array, Array, Array]] = []
        exact: list[Exact] = []
        for base in rng.integers(0, 2, 2):
            there = rng.random((m, n)) < 0.4
            values = noise(rng, letter, int(there.sum()))
            dense = np.zeros((m, n), complex)
            dense[there] = values
            exact.append(dense)
            offsets = (np.concatenate([[0], np.cumsum(there.sum(1))]) + base).astype(np.int32)
            columns = (np.nonzero(there)[1] + base).astype(np.int32)
            parts.append((description(sparse, int(base)), values.size, values, offsets, columns))
        (desc_a, nnz_a, *a), (desc_b, nnz_b, *b) = parts
        desc_c, total, rows, size = description(sparse, 1), c_int(), np.zeros(m + 1, np.int32), c_size_t()
        alpha, beta = scalar(2, letter), scalar(-3, letter)
        given = (m, n, alpha, desc_a, nnz_a, *a, beta, desc_b, nnz_b, *b, desc_c)
        assert sparse.call(f"cusparse{letter}csrgeam2_bufferSizeExt", *given, None, rows, None, byref(size)) == 0
        area = np.zeros(size.value, np.uint8)
        pattern = (m, n, desc_a, nnz_a, *a[1:], desc_b, nnz_b, *b[1:], desc_c, rows, byref(total), area)
        assert sparse.call("cusparseXcsrgeam2Nnz", *pattern) == 0
        places = (exact[0] != 0) | (exact[1] != 0)
        assert total.value == places.sum()
        assert rows.tolist() == (np.concatenate([[0], np.cumsum(places.sum(1))]) + 1).tolist()
        values, columns = noise(rng, letter, total.value), np.zeros(total.value, np.int32)
        assert sparse.call(f"cusparse{letter}csrgeam2", *given, values, rows, columns, area) == 0
        assert np.array_equal(columns, np.nonzero(places)[1] + 1)
        assert_near(values, (2 * exact[0] - 3 * exact[1])[places], 2, 12, letter)


@pytest.mark.ours("NVIDIA's library has no such symbol")
def test_what_is_not_there_says_so_once(sparse: Sparse, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert sparse.call("cusparseScsrmv", *[None] * 12) == NOT_SUPPORTED
    assert capfd.readouterr().err.count("cusparseScsrmv is not supported") == 1
