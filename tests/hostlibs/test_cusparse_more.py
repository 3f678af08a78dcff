# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSPARSE: sparse vectors, triangular systems, incomplete factors, sorts, batches
"""cuSPARSE's functions on vectors, triangles, samples of products, conversions and tridiagonal batches."""

# functions: cusparseAxpby cusparseGather cusparseScatter cusparseRot cusparseSpVV cusparseSpVV_bufferSize
# functions: cusparseCreateSpVec cusparseDestroySpVec cusparseDestroyDnVec cusparseDestroyDnMat cusparseDestroySpMat
# functions: cusparseSpVecSetValues cusparseSpMatSetValues
# functions: cusparseCsrGet cusparseCooGet cusparseDnMatGet cusparseSpMatGetValues
# functions: cusparseSpSV_{bufferSize,analysis,solve,createDescr,destroyDescr} cusparseSpMM_bufferSize
# functions: cusparseSDDMM cusparseSDDMM_{bufferSize,preprocess} cusparseCsrSetStridedBatch
# functions: cusparseDnMatSetStridedBatch cusparseSetStream cusparseSetPointerMode cusparseGetPointerMode
# functions: cusparse{S,D,C,Z}csric02{,_analysis,_bufferSize} cusparseXcsric02_zeroPivot
# functions: cusparse{Create,Destroy}Csric02Info cusparseDestroyCsrilu02Info cusparseDestroyMatDescr
# functions: cusparse{S,D,C,Z}csrilu02{,_analysis,_bufferSize,_numericBoost}
# functions: cusparse{S,D,C,Z}gtsv2_nopivot{,_bufferSizeExt} cusparse{S,D,C,Z}gtsv2StridedBatch{,_bufferSizeExt}
# functions: cusparse{S,D,C,Z}gtsvInterleavedBatch{,_bufferSizeExt} cusparse{S,D,C,Z}gtsv2_bufferSizeExt
# functions: cusparse{S,D,C,Z}nnz cusparseCreateIdentityPermutation cusparseXcoo2csr cusparseXcsr2coo
# functions: cusparseXcoosort{ByRow,ByColumn,_bufferSizeExt} cusparseX{csr,csc}sort{,_bufferSizeExt}
# functions: cusparseCsr2cscEx2{,_bufferSize} cusparseSetMat{Type,IndexBase,FillMode,DiagType}
# functions: cusparseGetMat{Type,IndexBase,FillMode,DiagType}
from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_double, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from blas import pointer
from sparse_matrices import TYPES, Array, Sparse, assert_near, random_matrix, scalar, turned
from test_cusparse import DIAG_TYPE, FILL_MODE, INVALID_VALUE, NOT_SUPPORTED, ZERO_PIVOT, numbers

NOT_INITIALIZED, INTERNAL_ERROR = 1, 7
ROWS, COLUMNS = 0, 1  # directions in which values are counted


@pytest.fixture(scope="module")
def sparse(libraries: Path) -> Iterator[Sparse]:
    made = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    yield made
    made.close()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(18)


def of_type(exact: Array, letter: str) -> Array:
    return np.array(exact if letter in "CZ" else np.real(exact), dtype=TYPES[letter][0])


def some(sparse: Sparse, kind: str) -> c_void_p:
    made = c_void_p()
    assert getattr(sparse.library, f"cusparseCreate{kind}")(byref(made)) == 0
    return made


def description(sparse: Sparse, base: int) -> c_void_p:
    made = some(sparse, "MatDescr")
    assert sparse.library.cusparseSetMatIndexBase(made, base) == 0
    return made


class Vector:
    """A sparse vector of four of nine numbers."""

    def __init__(self, sparse: Sparse, rng: np.random.Generator, letter: str, base: int) -> None:
        self.size, self.places, self.values = 9, rng.permutation(9)[:4], numbers(rng, letter, 4)
        self.indices = (self.places + base).astype(np.int32)
        types = (c_int(2), c_int(base), c_int(TYPES[letter][1]))
        self.made = sparse.make("SpVec", self.size, 4, self.indices, self.values, *types)


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("letter", TYPES)
def test_sparse_vectors(sparse: Sparse, rng: np.random.Generator, letter: str, base: int) -> None:
    x, y, kind = Vector(sparse, rng, letter, base), numbers(rng, letter, 9), TYPES[letter][1]
    dense, near = sparse.vector(y, letter), 10.0
    alpha, beta = scalar(1.5 - 0.5j, letter), scalar(-2, letter)
    exact = y * beta[0]
    exact[x.places] += alpha[0] * x.values
    assert sparse.call("cusparseAxpby", alpha, x.made, beta, dense) == 0
    assert_near(y, exact, 2, near, letter)

    result = scalar(0, letter)
    for operation in (0, 2) if letter in "CZ" else (0,):
        arguments = (operation, x.made, dense, result, kind)
        area = sparse.work("cusparseSpVV_bufferSize", *arguments)
        assert sparse.call("cusparseSpVV", *arguments, area) == 0
        left = x.values.conj() if operation == 2 else x.values
        assert_near(result, np.array([left @ y[x.places]]), 4, 40, letter)

    assert sparse.call("cusparseGather", dense, x.made) == 0
    assert np.array_equal(x.values, y[x.places])
    x.values *= 3
    exact = y.copy()
    exact[x.places] = x.values
    assert sparse.call("cusparseScatter", x.made, dense) == 0
    assert np.array_equal(y, exact)

    old = numbers(rng, letter, 4)
    x.values[:] = old
    cosine, sine = scalar(0.6, letter), scalar(0.8, letter)
    wanted = cosine[0] * old + sine[0] * y[x.places], cosine[0] * y[x.places] - sine[0] * old
    assert sparse.call("cusparseRot", cosine, sine, x.made, dense) == 0
    assert_near(x.values, wanted[0], 2, near, letter)
    assert_near(y[x.places], wanted[1], 2, near, letter)

    other = numbers(rng, letter, 4)
    assert sparse.library.cusparseSpVecSetValues(x.made, pointer(other)) == 0
    assert sparse.call("cusparseGather", dense, x.made) == 0
    assert np.array_equal(other, y[x.places])
    assert sparse.library.cusparseDestroySpVec(x.made) == sparse.library.cusparseDestroyDnVec(dense) == 0


def test_what_descriptors_hold(sparse: Sparse, rng: np.random.Generator) -> None:
    library, a = sparse.library, random_matrix(rng, 5, 7, "D", kind="Csr", base=1)
    matrix = a.describe(sparse)
    sizes, addresses = [c_int64(-1) for _ in range(3)], [c_void_p() for _ in range(3)]
    kinds = [c_int(-1) for _ in range(4)]
    got = [byref(each) for each in (*sizes, *addresses, *kinds)]
    assert library.cusparseCsrGet(matrix, *got) == 0
    assert [each.value for each in sizes] == [5, 7, a.values.size]
    assert [each.value for each in addresses] == [each.ctypes.data for each in (a.offsets, a.indices, a.values)]
    assert [each.value for each in kinds[2:]] == [1, 1]
    for i in range(len(got)):
        assert library.cusparseCsrGet(matrix, *got[:i], None, *got[i + 1 :]) == INVALID_VALUE
    coo = random_matrix(rng, 5, 7, "D", kind="Coo").describe(sparse)
    assert library.cusparseCooGet(coo, *got[:-1]) == 0
    for i in range(len(got) - 1):
        assert library.cusparseCooGet(coo, *got[:i], None, *got[i + 1 : -1]) == INVALID_VALUE
    b, other = np.zeros((3, 4)), np.ones(a.values.size)
    dense = sparse.dense(b, "D")
    got = [byref(each) for each in (*sizes, addresses[0], *kinds[:2])]
    assert library.cusparseDnMatGet(dense, *got) == 0
    assert ([each.value for each in sizes], addresses[0].value) == ([3, 4, 4], b.ctypes.data)
    for i in range(len(got)):
        assert library.cusparseDnMatGet(dense, *got[:i], None, *got[i + 1 :]) == INVALID_VALUE
    assert library.cusparseSpMatSetValues(matrix, pointer(other)) == 0
    assert library.cusparseSpMatGetValues(matrix, byref(addresses[0])) == 0
    assert addresses[0].value == other.ctypes.data
    assert library.cusparseDestroySpMat(matrix) == library.cusparseDestroyDnMat(dense) == 0


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("kind", ["Csr", "Coo"])
@pytest.mark.parametrize("letter", TYPES)
def test_triangular_systems(sparse: Sparse, rng: np.random.Generator, letter: str, kind: str, base: int) -> None:
    n = 12
    a = random_matrix(rng, n, n, letter, kind=kind, base=base)
    diagonal = np.arange(n)
    full = np.where(np.abs(a.exact) > 0, a.exact, 0) * 0.2 + 3 * np.eye(n)
    row, col = np.nonzero(full)
    values = of_type(full[row, col], letter)
    a.exact, a.values, a.indices = full, values, (col + base).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    a.offsets = ((row if kind == "Coo" else offsets) + base).astype(np.int32)
    for fill in (0, 1):
        for unit in (0, 1):
            for operation in (0, 1, 2) if letter in "CZ" else (0, 1):
                matrix, b, x = a.describe(sparse), numbers(rng, letter, n), np.zeros(n, TYPES[letter][0])
                for which, value in ((FILL_MODE, c_int(fill)), (DIAG_TYPE, c_int(unit))):
                    assert (
                        sparse.library.cusparseSpMatSetAttribute(matrix, which, byref(value), ctypes.c_size_t(4)) == 0
                    )
                plan = c_void_p()
                assert sparse.library.cusparseSpSV_createDescr(byref(plan)) == 0
                alpha = scalar(2, letter)
                vectors = (sparse.vector(b, letter), sparse.vector(x, letter))
                arguments = (operation, alpha, matrix, *vectors, TYPES[letter][1], 0, plan)
                area = sparse.work("cusparseSpSV_bufferSize", *arguments)
                assert sparse.call("cusparseSpSV_analysis", *arguments, area) == 0
                assert sparse.call("cusparseSpSV_solve", *arguments) == 0
                triangle = np.tril(full) if fill == 0 else np.triu(full)
                if unit:
                    triangle[diagonal, diagonal] = 1
                assert_near(turned(triangle, operation) @ x, 2 * b, 4 * n, 200, letter)
                assert sparse.library.cusparseSpSV_destroyDescr(plan) == 0


@pytest.mark.parametrize("letter", TYPES)
def test_samples_of_a_product(sparse: Sparse, rng: np.random.Generator, letter: str) -> None:
    kind = TYPES[letter][1]
    for op_a in (0, 1):
        for op_b in (0, 1):
            c = random_matrix(rng, 8, 9, letter, kind="Csr")
            a, b = (numbers(rng, letter, *shape) for shape in ((8, 5)[:: 1 - 2 * op_a], (5, 9)[:: 1 - 2 * op_b]))
            old, alpha, beta = c.values.copy(), scalar(1.5, letter), scalar(-1, letter)
            matrices = (sparse.dense(a, letter), sparse.dense(b, letter))
            arguments = (op_a, op_b, alpha, *matrices, beta, c.describe(sparse), kind, 0)
            area = sparse.work("cusparseSDDMM_bufferSize", *arguments)
            assert sparse.call("cusparseSDDMM_preprocess", *arguments, area) == 0
            assert sparse.call("cusparseSDDMM", *arguments, area) == 0
            product = turned(a, op_a) @ turned(b, op_b)
            starts = (c.offsets - c.base).astype(int)
            row = np.repeat(np.arange(8), np.diff(starts))
            assert_near(c.values, 1.5 * product[row, c.indices - c.base] - old, 5, 60, letter)


def test_batches_of_products(sparse: Sparse, rng: np.random.Generator) -> None:
    """Matrices with the same rows, whose columns and values lie apart, and dense ones that follow one another."""
    m, k, n, count = 6, 5, 4, 3
    a = random_matrix(rng, m, k, "D", kind="Csr", base=0)
    a.values = np.concatenate([a.values * (i + 1) for i in range(count)])
    nnz = a.values.size // count
    types = tuple(c_int(each) for each in (2, 2, 0, 1))
    offsets, indices = a.offsets.astype(np.int32), np.tile(a.indices.astype(np.int32), count)
    matrix = sparse.make("Csr", m, k, nnz, offsets, indices, a.values, *types)
    b, c = rng.standard_normal((count, k, n)), np.full((count, m, n), np.nan)
    left, right = sparse.dense(b[0], "D"), sparse.dense(c[0], "D")
    assert sparse.library.cusparseCsrSetStridedBatch(matrix, count, c_int64(0), c_int64(nnz)) == 0
    assert sparse.library.cusparseDnMatSetStridedBatch(left, count, c_int64(k * n)) == 0
    assert sparse.library.cusparseDnMatSetStridedBatch(right, count, c_int64(m * n)) == 0
    arguments = (0, 0, scalar(1, "D"), matrix, left, scalar(0, "D"), right, 1, 0)
    area = sparse.work("cusparseSpMM_bufferSize", *arguments)
    assert sparse.call("cusparseSpMM", *arguments, area) == 0
    for i in range(count):
        assert_near(c[i], (i + 1) * np.real(a.exact) @ b[i], k, 50, "D")


class Banded:
    """A positive matrix of five diagonals, in rows."""

    def __init__(self, letter: str, base: int, n: int = 8) -> None:
        off = 0.5j if letter in "CZ" else 0.5
        self.dense = np.diag(np.full(n, 4 + 0j)) + np.diag(np.full(n - 2, off), 2) + np.diag(np.full(n - 1, 1 + 0j), 1)
        self.dense = self.dense + np.tril(self.dense.conj().T, -1)
        row, col = np.nonzero(self.dense)
        self.n, self.row, self.col = n, row, col
        self.values = of_type(self.dense[row, col], letter)
        self.cols = (col + base).astype(np.int32)
        self.rows = (np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]) + base).astype(np.int32)

    def spread(self, values: Array) -> Array:
        made = np.zeros((self.n, self.n), complex)
        made[self.row, self.col] = values
        return made


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("letter", TYPES)
def test_incomplete_factors(sparse: Sparse, letter: str, base: int) -> None:
    """Where the pattern has values, the factors' product is the matrix."""
    a, desc, position, size = Banded(letter, base), description(sparse, base), c_int(-9), c_int(-1)
    for name in ("csric02", "csrilu02"):
        values, info = a.values.copy(), some(sparse, f"C{name[1:]}Info")
        matrix = (a.n, a.values.size, desc, values, a.rows, a.cols, info)
        assert sparse.call(f"cusparse{letter}{name}_bufferSize", *matrix, byref(size)) == 0
        area = np.zeros(size.value + 1, np.uint8)
        assert sparse.call(f"cusparse{letter}{name}_analysis", *matrix, 0, area) == 0
        assert sparse.call(f"cusparse{letter}{name}", *matrix, 0, area) == 0
        assert sparse.call(f"cusparseX{name}_zeroPivot", info, byref(position)) == 0
        assert position.value == -1
        made = a.spread(values)
        if name == "csric02":
            lower = np.tril(made)
            product = lower @ lower.conj().T
        else:
            product = (np.tril(made, -1) + np.eye(a.n)) @ np.triu(made)
        assert_near(product[a.row, a.col], a.dense[a.row, a.col], 3 * a.n, 20, letter)
        assert getattr(sparse.library, f"cusparseDestroyC{name[1:]}Info")(info) == 0
    assert sparse.library.cusparseDestroyMatDescr(desc) == 0


@pytest.mark.parametrize("letter", TYPES)
def test_pivots_of_incomplete_factors(sparse: Sparse, letter: str) -> None:
    """A pivot of 0 is told, with the matrix's base; a boost replaces it."""
    a, desc, position = Banded(letter, 1), description(sparse, 1), c_int(-9)
    a.values[0] = 0
    values, info, area = a.values.copy(), some(sparse, "Csrilu02Info"), np.zeros(4096, np.uint8)
    matrix = (a.n, a.values.size, desc, values, a.rows, a.cols, info)
    assert sparse.call(f"cusparse{letter}csrilu02_analysis", *matrix, 0, area) == 0
    assert sparse.call(f"cusparse{letter}csrilu02", *matrix, 0, area) == 0
    assert sparse.call("cusparseXcsrilu02_zeroPivot", info, byref(position)) == ZERO_PIVOT
    assert position.value == 1
    values[:] = a.values
    tolerance, boost = c_double(1e-3), scalar(7, letter)
    assert sparse.call(f"cusparse{letter}csrilu02_numericBoost", info, 1, byref(tolerance), boost) == 0
    assert sparse.call(f"cusparse{letter}csrilu02", *matrix, 0, area) == 0
    assert values[0] == 7


def tridiagonal(rng: np.random.Generator, letter: str, n: int, count: int) -> tuple[Array, Array, Array, Array, Any]:
    low, main, up, x = (numbers(rng, letter, count, n) for _ in range(4))
    main += np.array(6, main.dtype)
    low[:, 0], up[:, -1] = 0, 0
    dense = [np.diag(main[i]) + np.diag(low[i, 1:], -1) + np.diag(up[i, :-1], 1) for i in range(count)]
    return low, main, up, x, np.stack(dense).astype(complex)


@pytest.mark.parametrize("letter", TYPES)
def test_tridiagonal_batches(sparse: Sparse, rng: np.random.Generator, letter: str) -> None:
    n, count = 11, 4
    low, main, up, b, dense = tridiagonal(rng, letter, n, count)

    def check(x: Array) -> None:
        for i in range(count):
            assert_near(dense[i] @ x[i], b[i].astype(complex), 4 * n, 60, letter)

    x = b.copy()
    name, system = f"cusparse{letter}gtsv2StridedBatch", (n, low, main, up, x, count, n)
    assert sparse.call(name, *system, sparse.work(f"{name}_bufferSizeExt", *system)) == 0
    check(x)
    for i in range(count):
        for form in ("gtsv2", "gtsv2_nopivot"):
            x[i] = b[i]
            name, system = f"cusparse{letter}{form}", (n, 1, low[i].copy(), main[i].copy(), up[i].copy(), x[i], n)  # type: ignore[assignment]
            assert sparse.call(name, *system, sparse.work(f"{name}_bufferSizeExt", *system)) == 0
        check_one = dense[i] @ x[i]
        assert_near(check_one, b[i].astype(complex), 4 * n, 60, letter)
    for algorithm in (0, 1, 2):
        mixed = [np.ascontiguousarray(each.T) for each in (low, main, up, b)]
        name, system = f"cusparse{letter}gtsvInterleavedBatch", (algorithm, n, *mixed, count)  # type: ignore[assignment]
        assert sparse.call(name, *system, sparse.work(f"{name}_bufferSizeExt", *system)) == 0
        check(mixed[3].T)


@pytest.mark.parametrize("letter", TYPES)
def test_counting(sparse: Sparse, rng: np.random.Generator, letter: str) -> None:
    m, n, desc, total = 5, 7, description(sparse, 0), c_int(-1)
    dense = np.asfortranarray(numbers(rng, letter, m, n) * (rng.random((m, n)) < 0.4))
    for direction, axis in ((ROWS, 1), (COLUMNS, 0)):
        counts = np.full(m if direction == ROWS else n, -1, np.int32)
        arguments = (direction, m, n, desc, dense, m, counts, byref(total))
        assert sparse.call(f"cusparse{letter}nnz", *arguments) == 0
        assert (counts == np.count_nonzero(dense, axis=axis)).all()
        assert total.value == np.count_nonzero(dense)


@pytest.mark.parametrize("base", [0, 1])
def test_sorts_and_offsets(sparse: Sparse, rng: np.random.Generator, base: int) -> None:
    m, n, desc = 6, 7, description(sparse, base)
    places = rng.permutation(m * n)[:20]
    row, col = (places // n + base).astype(np.int32), (places % n + base).astype(np.int32)
    for way, keys in (("ByRow", (row, col)), ("ByColumn", (col, row))):
        r, c, p = row.copy(), col.copy(), np.full(20, -1, np.int32)
        assert sparse.call("cusparseCreateIdentityPermutation", 20, p) == 0
        assert (p == np.arange(20)).all()
        area = sparse.work("cusparseXcoosort_bufferSizeExt", m, n, 20, r, c)
        assert sparse.call(f"cusparseXcoosort{way}", m, n, 20, r, c, p, area) == 0
        order = np.lexsort(keys[::-1])
        assert (p == order).all()
        assert (r == row[order]).all()
        assert (c == col[order]).all()
        if way == "ByRow":
            offsets, back = np.full(m + 1, -1, np.int32), np.full(20, -1, np.int32)
            assert sparse.call("cusparseXcoo2csr", r, 20, m, offsets, base) == 0
            counts = np.bincount(row - base, minlength=m)
            assert (offsets == np.concatenate([[0], np.cumsum(counts)]) + base).all()
            assert sparse.call("cusparseXcsr2coo", offsets, 20, m, back, base) == 0
            assert (back == r).all()
    # Columns within each row, rows within each column.
    for name, lines, others, shape in (("csr", row, col, (m, n)), ("csc", col, row, (m, n))):
        order = np.argsort(lines, kind="stable")
        inner, p = others[order].copy(), np.arange(20, dtype=np.int32)
        count = m if name == "csr" else n
        offsets = (np.concatenate([[0], np.cumsum(np.bincount(lines - base, minlength=count))]) + base).astype(np.int32)
        area = sparse.work(f"cusparseX{name}sort_bufferSizeExt", *shape, 20, offsets, inner)
        before = inner.copy()
        assert sparse.call(f"cusparseX{name}sort", *shape, 20, desc, offsets, inner, p, area) == 0
        for line in range(count):
            part = slice(offsets[line] - base, offsets[line + 1] - base)
            assert (np.diff(inner[part]) > 0).all()
        assert (before[p] == inner).all()


@pytest.mark.parametrize("letter", TYPES)
def test_transpose(sparse: Sparse, rng: np.random.Generator, letter: str) -> None:
    m, n, kind = 6, 8, TYPES[letter][1]
    a = random_matrix(rng, m, n, letter, kind="Csr", base=1)
    rows, cols, nnz = a.offsets.astype(np.int32), a.indices.astype(np.int32), a.values.size
    for action in (0, 1):
        values, offsets, indices = np.zeros_like(a.values), np.zeros(n + 1, np.int32), np.zeros(nnz, np.int32)
        arguments = (m, n, nnz, a.values, rows, cols, values, offsets, indices, kind, action, 1, 1)
        area = sparse.work("cusparseCsr2cscEx2_bufferSize", *arguments)
        assert sparse.call("cusparseCsr2cscEx2", *arguments, area) == 0
        made = np.zeros((m, n), complex)
        for col in range(n):
            for i in range(offsets[col] - 1, offsets[col + 1] - 1):
                made[indices[i] - 1, col] += values[i]
        if action == 1:
            assert_near(made, a.exact, 2, 10, letter)
        else:
            assert not values.any()  # places alone


@pytest.mark.ours("a GPU's library reads what it is given")
def test_transpose_of_what_lies_outside(sparse: Sparse) -> None:
    values, out = np.ones(3), np.zeros(3)
    for rows, cols in (([0, 1, 99], [0, 1, 0]), ([0, 2, 1], [0, 1, 0]), ([0, 1, 3], [0, 99, 0])):
        r, c, offsets, indices = (
            np.array(rows, np.int32),
            np.array(cols, np.int32),
            np.zeros(3, np.int32),
            np.zeros(3, np.int32),
        )
        arguments = (2, 2, 3, values, r, c, out, offsets, indices, 1, 1, 0, 1, None)
        assert sparse.call("cusparseCsr2cscEx2", *arguments) == 0
    assert not out.any()


def test_settings_of_a_handle_and_a_description(sparse: Sparse) -> None:
    mode, desc, library = c_int(-1), some(sparse, "MatDescr"), sparse.library
    assert sparse.call("cusparseSetStream", None) == 0
    for wanted in (1, 0):
        assert sparse.call("cusparseSetPointerMode", wanted) == sparse.call("cusparseGetPointerMode", byref(mode)) == 0
        assert mode.value == wanted
    assert sparse.call("cusparseSetPointerMode", 5) == INVALID_VALUE
    for name, most in (("Type", 3), ("IndexBase", 1), ("FillMode", 1), ("DiagType", 1)):
        change, ask = (getattr(library, f"cusparse{verb}Mat{name}") for verb in ("Set", "Get"))
        assert ask(desc) == 0
        assert change(desc, most) == 0
        assert change(desc, most + 1) == INVALID_VALUE
        assert ask(desc) == most
    assert library.cusparseDestroyMatDescr(cast("Any", desc)) == 0


# Algorithms that an H200 takes for a format, of cusparseSpMV and cusparseSpMM.
ALGORITHMS = {"Csr": ({0, 2, 3}, {0, 4, 6, 12}), "Csc": ({0, 2, 3}, {0, 4, 6}), "Coo": ({0, 1, 4}, {0, 1, 2, 3, 5})}


@pytest.mark.parametrize("kind", ALGORITHMS)
def test_algorithms_of_a_format(sparse: Sparse, rng: np.random.Generator, kind: str) -> None:
    a, size = random_matrix(rng, 6, 6, "S", kind=kind).describe(sparse), ctypes.c_size_t()
    one, x = scalar(1, "S"), numbers(rng, "S", 6)
    vector, matrix = sparse.vector(x, "S"), sparse.dense(np.zeros((6, 6), np.float32), "S")
    for algorithm in range(-1, 15):
        for name, operands, known in (
            ("SpMV", (0, one, a, vector, one, vector), ALGORITHMS[kind][0]),
            ("SpMM", (0, 0, one, a, matrix, one, matrix), ALGORITHMS[kind][1]),
        ):
            status = sparse.call(f"cusparse{name}_bufferSize", *operands, 0, algorithm, byref(size))
            assert status == (0 if algorithm in known else INVALID_VALUE)


def test_blocks_are_multiplied_as_they_lie(sparse: Sparse) -> None:
    rows, cols, values = np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32), np.ones(8, np.float32)
    types = [c_int(each) for each in (2, 2, 0, 0, 1)]
    a, size = sparse.make("Bsr", 2, 2, 2, 2, 2, rows, cols, values, *types), ctypes.c_size_t()
    one, vector = scalar(1, "S"), sparse.vector(np.ones(4, np.float32), "S")
    matrix, plan = sparse.dense(np.zeros((4, 4), np.float32), "S"), c_void_p()
    for operation, expected in ((0, 0), (1, NOT_SUPPORTED)):
        start = (operation, one, a, vector, one, vector, 0)
        assert sparse.call("cusparseSpMV_bufferSize", *start, 0, byref(size)) == expected
        assert sparse.call("cusparseSpMV_bufferSize", *start, 2, byref(size)) == INVALID_VALUE
        product = (operation, 0, one, a, matrix, one, matrix, 0, 0, byref(size))
        assert sparse.call("cusparseSpMM_bufferSize", *product) == expected
    assert sparse.library.cusparseSpSV_createDescr(byref(plan)) == 0
    system = (0, one, a, vector, vector, 0, 0, plan, byref(size))
    assert sparse.call("cusparseSpSV_bufferSize", *system) == NOT_SUPPORTED


def test_steps_that_are_left_out(sparse: Sparse) -> None:
    a, plan, size = Banded("S", 0), c_void_p(), ctypes.c_size_t()
    types = [c_int(each) for each in (2, 2, 0, 0)]
    matrix = sparse.make("Csr", a.n, a.n, a.values.size, a.rows, a.cols, a.values, *types)
    x, b, one = np.zeros(a.n, np.float32), np.ones(a.n, np.float32), scalar(1, "S")
    vectors = sparse.vector(b, "S"), sparse.vector(x, "S")
    assert sparse.library.cusparseSpSV_createDescr(byref(plan)) == 0
    system = (0, one, matrix, *vectors, 0, 0, plan)
    assert sparse.call("cusparseSpSV_solve", *system) == NOT_INITIALIZED
    assert not x.any()
    area = np.zeros(1 << 16, np.uint8)
    assert sparse.call("cusparseSpSV_bufferSize", *system, byref(size)) == 0
    assert sparse.call("cusparseSpSV_analysis", *system, area) == 0
    assert sparse.call("cusparseSpSV_solve", *system) == 0
    product = (0, one, matrix, vectors[0], one, vectors[1], 0, 0)
    assert sparse.call("cusparseSpMV_preprocess", *product, None) == INTERNAL_ERROR
    assert sparse.call("cusparseSpMV_preprocess", *product, area) == 0


def lower_band(n: int) -> tuple[Array, Array, Array]:
    """Rows, columns, values of three diagonals: 2 on the main one, (row + column) % 3 below."""
    places = [(i, j) for i in range(n) for j in range(max(0, i - 2), i + 1)]
    rows = np.searchsorted([i for i, _ in places], np.arange(n + 1)).astype(np.int32)
    values = [2.0 if i == j else (i + j) % 3 for i, j in places]
    return rows, np.array([j for _, j in places], np.int32), np.array(values, np.float32)


def test_factors_as_an_h200_answers(sparse: Sparse) -> None:
    """Codes and values of CUDA 13.0's cuSPARSE: a pivot below zero goes on as the root of its magnitude."""
    n, area, at = 6, np.zeros(64, np.uint8), c_int(-5)
    for kind, work in ((0, area), (0, None), (1, area), (3, area)):
        desc = some(sparse, "MatDescr")
        assert sparse.library.cusparseSetMatType(desc, kind) == 0
        status = INVALID_VALUE if work is None else 8 if kind != 0 else 0
        for name in ("csrilu02", "csric02"):
            rows, columns, values = lower_band(n)
            info, at.value = some(sparse, name[0].upper() + name[1:] + "Info"), -5
            operands = (n, values.size, desc, values, rows, columns, info, 0, work)
            assert sparse.call(f"cusparseS{name}_analysis", *operands) == status
            pivot = sparse.library[f"cusparseX{name}_zeroPivot"]
            assert pivot(sparse.handle, info, byref(at)) == (0 if status == 0 else INVALID_VALUE)
            assert at.value == (-1 if status == 0 else -5)
            assert sparse.call(f"cusparseS{name}", *operands) == status
            if status == 0 and name == "csric02":
                assert pivot(sparse.handle, info, byref(at)) == ZERO_PIVOT
                assert at.value == 2
                weighted: Array = values * (np.arange(values.size) % 7 + 1).astype(np.float32)
                assert f"{weighted.astype(float).sum():.6g}" == "40.3375"
    rows, columns, values = lower_band(n)
    info = some(sparse, "Csrilu02Info")
    operands = (n, values.size, description(sparse, 0), values, rows, columns, info, 0, area)
    assert sparse.call("cusparseScsrilu02", *operands) == INTERNAL_ERROR  # without an analysis


def test_descriptors_as_an_h200_answers(sparse: Sparse) -> None:
    """What CUDA 13.0's cuSPARSE refuses when a matrix is described, and for which formats it takes what."""
    library, made = sparse.library, c_void_p()
    rows, columns, values = lower_band(6)
    floats = 0

    def csr(nnz: int, offsets: int = 2, indices: int = 2, base: int = 0, kind: int = floats) -> int:
        given = (pointer(rows), pointer(columns), pointer(values), offsets, indices, base, kind)
        return int(library.cusparseCreateCsr(byref(made), c_int64(2), c_int64(2), c_int64(nnz), *given))

    assert csr(1) == csr(4) == 0
    assert csr(5) == csr(-1) == csr(1, base=2) == INVALID_VALUE
    assert csr(1, 2, 3) == csr(1, 3, 2) == NOT_SUPPORTED
    assert [csr(1, kind=kind) for kind in (1, 2, 3, 6, 10, 14, 15)] == [0] * 7
    assert [csr(1, kind=kind) for kind in (8, 28, 99)] == [INVALID_VALUE] * 3
    sizes = [c_int64(each) for each in (6, 6)]
    for block, width in ((0, 2), (4, 4), (2, 3), (2, 8)):
        given = (c_int64(block), c_int64(width), pointer(columns), pointer(values), 2, 0, floats)
        assert library.cusparseCreateBlockedEll(byref(made), *sizes, *given) == INVALID_VALUE
    given = (c_int64(6), pointer(values), floats, 0)  # an order that has no name
    assert library.cusparseCreateDnMat(byref(made), *sizes, *given) == INVALID_VALUE

    six, nnz, pointers = c_int64(6), c_int64(values.size), (pointer(rows), pointer(columns), pointer(values))
    types = (2, 2, 0, floats)
    matrices: dict[str, c_void_p] = {}
    for name in ("Csr", "Csc", "Coo"):
        matrices[name] = c_void_p()
        end = types[1:] if name == "Coo" else types
        assert library[f"cusparseCreate{name}"](byref(matrices[name]), six, six, nnz, *pointers, *end) == 0
    for taker in matrices:
        for name, matrix in matrices.items():
            wanted = 0 if taker == name else INVALID_VALUE
            assert library[f"cusparse{taker}SetPointers"](matrix, *pointers) == wanted, (taker, name)
    strides = (c_int64(0), c_int64(0))
    assert library.cusparseCsrSetStridedBatch(matrices["Csr"], 2, *strides) == 0
    assert library.cusparseCsrSetStridedBatch(matrices["Csr"], 2, c_int64(-1), c_int64(0)) == INVALID_VALUE
    assert library.cusparseCsrSetStridedBatch(matrices["Coo"], 2, *strides) == INVALID_VALUE
    value = c_int()
    for attribute, status in ((-1, INVALID_VALUE), (0, 0), (1, 0), (2, INVALID_VALUE)):
        size = ctypes.c_size_t(4)
        assert library.cusparseSpMatGetAttribute(matrices["Csr"], attribute, byref(value), size) == status


def test_choices_as_an_h200_answers(sparse: Sparse) -> None:
    """Directions, bases, algorithms and operations that there are not; sizes for systems of few rows."""
    dense, per, total = np.ones((4, 5), np.float32, order="F"), np.zeros(5, np.int32), np.zeros(1, np.int32)
    desc = description(sparse, 0)
    for direction, status in ((0, 0), (1, 0), (2, INVALID_VALUE)):
        assert sparse.call("cusparseSnnz", direction, 4, 5, desc, dense, 4, per, total) == status
    rows, columns, values = lower_band(6)
    assert sparse.call("cusparseXcoo2csr", columns, values.size, 6, per, c_int(3)) == INVALID_VALUE
    assert sparse.call("cusparseXcsr2coo", rows, values.size, 6, per, c_int(3)) == INVALID_VALUE
    size = ctypes.c_size_t()
    other = (np.zeros(15, np.float32), np.zeros(7, np.int32), np.zeros(15, np.int32))
    for algorithm, status in ((1, 0), (2, INVALID_VALUE), (3, INVALID_VALUE)):
        given = (6, 6, values.size, values, rows, columns, *other, 0, 1, 0, algorithm)
        assert sparse.call("cusparseCsr2cscEx2_bufferSize", *given, byref(size)) == status
        assert sparse.call("cusparseCsr2cscEx2", *given, np.zeros(64, np.uint8)) == status
    lines = (dense, dense, dense, dense)
    for m in (0, 1, 2, 3):
        assert sparse.call("cusparseSgtsv2_bufferSizeExt", m, 1, *lines, 6, byref(size)) == 0
        status = 0 if m == 3 else INVALID_VALUE
        assert sparse.call("cusparseSgtsv2StridedBatch_bufferSizeExt", m, *lines, 2, 6, byref(size)) == status
    for algorithm, status in ((0, 0), (2, 0), (3, INVALID_VALUE)):
        given = (algorithm, 6, *lines, 2, byref(size))
        assert sparse.call("cusparseSgtsvInterleavedBatch_bufferSizeExt", *given) == status
    vector = sparse.make("SpVec", 6, 3, columns, values, c_int(2), c_int(0), c_int(0))
    x, result = sparse.vector(np.ones(6, np.float32), "S"), np.zeros(1, np.float32)
    for operation, status in ((0, 0), (1, INVALID_VALUE), (2, INVALID_VALUE)):
        assert sparse.call("cusparseSpVV", operation, vector, x, result, 0, np.zeros(16, np.uint8)) == status
