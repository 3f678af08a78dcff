# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSPARSE: sparse vectors, triangular systems, samples of products, batches, descriptors
"""cuSPARSE's generic functions beside products: sparse vectors, triangular systems, batches, what descriptors hold."""

# functions: cusparseAxpby cusparseGather cusparseScatter cusparseRot cusparseSpVV cusparseSpVV_bufferSize
# functions: cusparseCreateSpVec cusparseDestroySpVec cusparseDestroyDnVec cusparseDestroyDnMat cusparseDestroySpMat
# functions: cusparseSpVecSetValues cusparseSpMatSetValues cusparseCsrGet cusparseCooGet cusparseDnMatGet
# functions: cusparseSpMatGetValues cusparseSpSV_{bufferSize,analysis,solve,createDescr,destroyDescr}
# functions: cusparseSpMM_bufferSize cusparseSDDMM cusparseSDDMM_{bufferSize,preprocess} cusparseCsrSetStridedBatch
# functions: cusparseDnMatSetStridedBatch
from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_int64, c_void_p

import numpy as np
import pytest
from blas import pointer
from sparse_matrices import (
    INTERNAL_ERROR,
    NOT_INITIALIZED,
    TYPES,
    Banded,
    Sparse,
    assert_near,
    lower_band,
    of_type,
    random_matrix,
    scalar,
    turned,
)
from test_cusparse import DIAG_TYPE, FILL_MODE, INVALID_VALUE, NOT_SUPPORTED, numbers


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


def test_operations_of_a_sparse_vector(sparse: Sparse) -> None:
    """A vector has no transpose, says an H200."""
    columns, values = np.arange(3, dtype=np.int32), np.ones(3, np.float32)
    vector = sparse.make("SpVec", 6, 3, columns, values, c_int(2), c_int(0), c_int(0))
    x, result = sparse.vector(np.ones(6, np.float32), "S"), np.zeros(1, np.float32)
    for operation, status in ((0, 0), (1, INVALID_VALUE), (2, INVALID_VALUE)):
        assert sparse.call("cusparseSpVV", operation, vector, x, result, 0, np.zeros(16, np.uint8)) == status


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
