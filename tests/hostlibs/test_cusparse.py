# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSPARSE: the generic functions for CSR, CSC and COO
"""cuSPARSE: random matrices in each format, and the answers that were recorded on an H200. Many random ones:

python tests/hostlibs/test_cusparse.py 10000
"""

# functions: cusparseCreate cusparseCreateCoo cusparseCreateCsc cusparseCreateCsr cusparseCreateCsrilu02Info
# functions: cusparseCreateDnMat cusparseCreateDnVec cusparseCreateMatDescr cusparseCsrSetPointers cusparseDcsrilu02
# functions: cusparseDcsrilu02_analysis cusparseDenseToSparse_analysis cusparseDenseToSparse_convert cusparseDestroy
# functions: cusparseGetErrorName cusparseGetErrorString cusparse{S,D,C,Z}gtsv2 cusparseSpGEMM_compute
# functions: cusparseSpGEMM_copy cusparseSpGEMM_createDescr cusparseSpGEMM_workEstimation cusparseSpMM cusparseSpMV
# functions: cusparseSpMV_bufferSize cusparseSpMatGetSize cusparseSpMatSetAttribute cusparseSpSM_analysis
# functions: cusparseSpSM_createDescr cusparseSpSM_solve cusparseSparseToDense cusparseXcsrilu02_zeroPivot
from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest
from sparse_matrices import TYPES, Array, Sparse, assert_near, random_matrix, scalar, turned

INVALID_VALUE, ZERO_PIVOT, NOT_SUPPORTED = 3, 9, 10
FILL_MODE, DIAG_TYPE = 0, 1


def numbers(rng: np.random.Generator, letter: str, *shape: int) -> Array:
    made = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if letter in "CZ" else 0)
    return made.astype(TYPES[letter][0])


def some_letter(rng: np.random.Generator) -> str:
    return str(rng.choice(list(TYPES)))


def some_order(rng: np.random.Generator, array: Array) -> Array:
    return np.asfortranarray(array) if rng.random() < 0.5 else array


def some_operation(rng: np.random.Generator, letter: str) -> int:
    """The conjugate transpose (2) is for complex numbers."""
    return int(rng.integers(0, 3 if letter in "CZ" else 2))


def multiply_vector(sparse: Sparse, rng: np.random.Generator) -> None:
    letter = some_letter(rng)
    operation = some_operation(rng, letter)
    a = random_matrix(rng, int(rng.integers(1, 40)), int(rng.integers(1, 40)), letter)
    exact = turned(a.exact, operation)
    x, y = numbers(rng, letter, exact.shape[1]), numbers(rng, letter, exact.shape[0])
    alpha, beta = scalar(1.5 - 0.5j, letter), scalar(complex(rng.choice([0, 1, -2])), letter)
    wanted = alpha[0] * (exact @ x) + (beta[0] * y if beta[0] != 0 else 0)
    if beta[0] == 0:
        y[:] = np.nan
    matrix, before, after = a.describe(sparse), sparse.vector(x, letter), sparse.vector(y, letter)
    arguments = (operation, alpha, matrix, before, beta, after, TYPES[letter][1], 0)
    area = sparse.work("cusparseSpMV_bufferSize", *arguments)
    assert sparse.call("cusparseSpMV", *arguments, area) == 0
    assert_near(y, wanted, a.values.size, 40 * float(np.max(np.abs(a.exact), initial=1)), letter)


def multiply_matrix(sparse: Sparse, rng: np.random.Generator) -> None:
    letter = some_letter(rng)
    op_a, op_b = some_operation(rng, letter), some_operation(rng, letter)
    a = random_matrix(rng, int(rng.integers(1, 30)), int(rng.integers(1, 30)), letter)
    left = turned(a.exact, op_a)
    columns = int(rng.integers(1, 40))
    shape = (left.shape[1], columns) if op_b == 0 else (columns, left.shape[1])
    b, c = (some_order(rng, numbers(rng, letter, *each)) for each in (shape, (left.shape[0], columns)))
    alpha, beta = scalar(2, letter), scalar(-1, letter)
    wanted = 2 * left @ turned(b, op_b) - c
    arguments = (op_a, op_b, alpha, a.describe(sparse), sparse.dense(b, letter), beta, sparse.dense(c, letter))
    arguments = (*arguments, TYPES[letter][1], 0)
    area = sparse.work("cusparseSpMM_bufferSize", *arguments)
    assert sparse.call("cusparseSpMM", *arguments, area) == 0
    assert_near(c, wanted, a.values.size, 80 * float(np.max(np.abs(a.exact), initial=1)), letter)


def multiply_sparse(sparse: Sparse, rng: np.random.Generator) -> None:
    letter = some_letter(rng)
    m, k, n = (int(each) for each in rng.integers(1, 25, 3))
    a = random_matrix(rng, m, k, letter, kind="Csr")
    b = random_matrix(rng, k, n, letter, kind="Csr")
    offsets = np.zeros(m + 1, np.int32)
    types = tuple(ctypes.c_int(each) for each in (2, 2, 0, TYPES[letter][1]))
    c = sparse.make("Csr", m, n, 0, offsets, None, None, *types)
    desc = ctypes.c_void_p()
    assert sparse.library.cusparseSpGEMM_createDescr(ctypes.byref(desc)) == 0
    alpha, beta = scalar(1, letter), scalar(0, letter)
    arguments = (0, 0, alpha, a.describe(sparse), b.describe(sparse), beta, c, TYPES[letter][1], 0, desc)
    areas: list[Array] = []  # kept: a later step reads what an earlier one has left in its area
    for step in ("workEstimation", "compute"):
        name, size = f"cusparseSpGEMM_{step}", ctypes.c_size_t()
        assert sparse.call(name, *arguments, ctypes.byref(size), None) == 0
        areas.append(np.zeros(size.value, np.uint8))
        assert sparse.call(name, *arguments, ctypes.byref(size), areas[-1]) == 0
    rows, columns, count = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64()
    sparse.library.cusparseSpMatGetSize(c, ctypes.byref(rows), ctypes.byref(columns), ctypes.byref(count))
    indices, values = np.zeros(count.value, np.int32), np.zeros(count.value, TYPES[letter][0])
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (offsets, indices, values)]
    assert sparse.library.cusparseCsrSetPointers(c, *pointers) == 0
    assert sparse.call("cusparseSpGEMM_copy", *arguments) == 0
    result = np.zeros((m, n), complex)
    np.add.at(result, (np.repeat(np.arange(m), np.diff(offsets)), indices), values)
    wanted = a.exact @ b.exact
    scale = float(np.max(np.abs(a.exact), initial=0)) * float(np.max(np.abs(b.exact), initial=0)) + 1
    assert_near(result, wanted, a.values.size + b.values.size, k * scale, letter)


def solve_triangle(sparse: Sparse, rng: np.random.Generator) -> None:
    letter = some_letter(rng)
    operation = some_operation(rng, letter)
    n, columns = int(rng.integers(1, 20)), int(rng.integers(1, 6))
    upper, unit = int(rng.integers(0, 2)), int(rng.integers(0, 2))
    full = numbers(rng, letter, n, n) * 0.3 + 2 * np.eye(n)
    offsets = np.arange(0, n * n + 1, n).astype(np.int32)
    indices = np.tile(np.arange(n), n).astype(np.int32)
    values = full.astype(TYPES[letter][0]).ravel()
    types = tuple(ctypes.c_int(each) for each in (2, 2, 0, TYPES[letter][1]))
    a = sparse.make("Csr", n, n, n * n, offsets, indices, values, *types)
    for which, value in ((FILL_MODE, upper), (DIAG_TYPE, unit)):
        number = ctypes.c_int(value)
        size = ctypes.c_size_t(4)
        assert sparse.library.cusparseSpMatSetAttribute(a, which, ctypes.byref(number), size) == 0
    triangle = (np.triu if upper else np.tril)(values.reshape(n, n).astype(complex))
    if unit:
        np.fill_diagonal(triangle, 1)
    b = np.array(numbers(rng, letter, n, columns), order="F")
    x = np.zeros_like(b, order="F")
    desc = ctypes.c_void_p()
    assert sparse.library.cusparseSpSM_createDescr(ctypes.byref(desc)) == 0
    arguments = (operation, 0, scalar(2, letter), a, sparse.dense(b, letter), sparse.dense(x, letter))
    solving = (*arguments, TYPES[letter][1], 0, desc)
    area = sparse.work("cusparseSpSM_bufferSize", *solving)
    assert sparse.call("cusparseSpSM_analysis", *solving, area) == 0
    assert sparse.call("cusparseSpSM_solve", *solving) == 0
    assert_near(turned(triangle, operation) @ x, 2 * b, n, 20 * float(np.max(np.abs(x))), letter)


def change_format(sparse: Sparse, rng: np.random.Generator) -> None:
    letter = some_letter(rng)
    a = random_matrix(rng, int(rng.integers(1, 20)), int(rng.integers(1, 20)), letter, kind="Csr", base=0)
    places = np.unique(np.stack(np.nonzero(a.exact), axis=1), axis=0)
    values_of: Array = a.exact if letter in "CZ" else np.real(a.exact)
    dense = np.array(values_of, dtype=TYPES[letter][0], order="F")
    m, n = dense.shape
    offsets, empty = np.zeros(m + 1, np.int32), np.zeros(0, np.int32)
    types = tuple(ctypes.c_int(each) for each in (2, 2, 0, TYPES[letter][1]))
    made = sparse.make("Csr", m, n, 0, offsets, empty, empty, *types)
    described = sparse.dense(dense, letter)
    area = sparse.work("cusparseDenseToSparse_bufferSize", described, made, 0)
    assert sparse.call("cusparseDenseToSparse_analysis", described, made, 0, area) == 0
    indices, values = np.zeros(len(places), np.int32), np.zeros(len(places), TYPES[letter][0])
    assert offsets[-1] == np.count_nonzero(dense)
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (offsets, indices, values)]
    assert sparse.library.cusparseCsrSetPointers(made, *pointers) == 0
    assert sparse.call("cusparseDenseToSparse_convert", described, made, 0, area) == 0
    back = np.full_like(dense, np.nan)
    to_dense = (made, sparse.dense(back, letter), 0)
    area = sparse.work("cusparseSparseToDense_bufferSize", *to_dense)
    assert sparse.call("cusparseSparseToDense", *to_dense, area) == 0
    assert np.array_equal(back, dense)


CASES = (multiply_vector, multiply_matrix, multiply_sparse, solve_triangle, change_format)


@pytest.mark.parametrize("case", CASES)
def test_random_problems(sparse: Sparse, case: object) -> None:
    assert callable(case)
    for seed in range(30):
        case(sparse, np.random.default_rng((seed, 3)))


def spmv(sparse: Sparse, values: list[float], columns: list[int], **options: object) -> list[float]:
    """Two rows of two columns; x is [1, 1] unless given, y [5, 6]."""
    base = int(str(options.get("base", 0)))
    offsets = np.array([base, 2 + base, len(values) + base], np.int32)
    indices, numbers_of = np.array([each + base for each in columns], np.int32), np.array(values, np.float32)
    types = tuple(ctypes.c_int(each) for each in (2, 2, base, 0))
    a = sparse.make("Csr", 2, 2, len(values), offsets, indices, numbers_of, *types)
    x, y = np.ones(2, np.float32), np.array([5, 6], np.float32)
    if options.get("nan"):
        y[:] = np.nan
    alpha, beta = (np.array([options.get(name, default)], np.float32) for name, default in (("alpha", 1), ("beta", 0)))
    arguments = (options.get("operation", 0), alpha, a, sparse.vector(x, "S"), beta, sparse.vector(y, "S"), 0, 0)
    area = sparse.work("cusparseSpMV_bufferSize", *arguments)
    assert area.size == 11
    assert sparse.call("cusparseSpMV", *arguments, area) == 0
    return y.tolist()


def test_answers_of_an_h200(sparse: Sparse) -> None:
    """[[1, 2], [0, 3]] times [1, 1]."""
    assert spmv(sparse, [1, 2, 3], [0, 1, 1], nan=True) == [3, 3]
    assert spmv(sparse, [2, 1, 3], [1, 0, 1]) == [3, 3]
    assert spmv(sparse, [1, 2, 2, 1], [0, 1, 1, 1]) == [3, 3]
    assert spmv(sparse, [1, 2, 3], [0, 1, 1], operation=1) == [1, 5]
    assert spmv(sparse, [1, 2, 3], [0, 1, 1], base=1) == [3, 3]
    assert spmv(sparse, [np.nan] * 3, [0, 1, 1], alpha=0, beta=1) == [5, 6]


def test_products_are_refused(sparse: Sparse, capfd: pytest.CaptureFixture[str]) -> None:
    """As an H200 does: a work area that is missing, conjugated real numbers, triangles that lie in columns."""
    offsets, indices, values = np.arange(3, dtype=np.int32), np.arange(2, dtype=np.int32), np.ones(2)
    rows = np.arange(2, dtype=np.int32)
    made = {name: sparse.make(name, 2, 2, 2, offsets, indices, values, *map(ctypes.c_int, (2, 2, 0, 1)))
            for name in ("Csr", "Csc")}  # fmt: skip
    made["Coo"] = sparse.make("Coo", 2, 2, 2, rows, indices, values, *map(ctypes.c_int, (2, 0, 1)))
    x, y, one, zero = np.ones(2), np.zeros(2), scalar(1, "D"), scalar(0, "D")
    for name, operation, expected in (("Csr", 0, 3), ("Csr", 1, 3), ("Csc", 0, 3), ("Coo", 0, 3), ("Coo", 1, 0)):
        vectors = (sparse.vector(x, "D"), zero, sparse.vector(y, "D"))
        assert sparse.call("cusparseSpMV", operation, one, made[name], *vectors, 1, 0, None) == expected, name
        told = "cusparseSpMV() parameter number 10 (externalBuffer) had an illegal value: NULL pointer"
        assert (told in capfd.readouterr().err) == (expected == 3)
    vectors = (sparse.vector(x, "D"), zero, sparse.vector(y, "D"))
    assert sparse.call("cusparseSpMV", 2, one, made["Csr"], *vectors, 1, 0, np.zeros(11, np.uint8)) == INVALID_VALUE
    assert "cusparseSpMV(): the conjugate transpose (opA)" in capfd.readouterr().err
    b, c = (sparse.dense(np.ones((2, 2), order="F"), "D") for _ in range(2))
    for op_a, op_b in ((2, 0), (0, 2)):
        assert sparse.call("cusparseSpMM", op_a, op_b, one, made["Csr"], b, zero, c, 1, 0, None) == INVALID_VALUE
    desc, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert sparse.library.cusparseSpSM_createDescr(ctypes.byref(desc)) == 0
    for name, op_a, op_b, expected in (("Csr", 2, 0, 3), ("Csc", 2, 0, 3), ("Csr", 0, 2, 10), ("Csc", 0, 0, 10)):
        rest = (one, made[name], b, c, 1, 0, desc, ctypes.byref(size))
        assert sparse.call("cusparseSpSM_bufferSize", op_a, op_b, *rest) == expected
    plan, pair = ctypes.c_void_p(), (sparse.vector(x, "D"), sparse.vector(y, "D"))
    assert sparse.library.cusparseSpSV_createDescr(ctypes.byref(plan)) == 0
    for name, operation, expected in (("Csr", 2, 3), ("Csc", 2, 3), ("Csc", 0, 10), ("Csr", 1, 0), ("Coo", 0, 0)):
        rest = (one, made[name], *pair, 1, 0, plan, ctypes.byref(size))
        assert sparse.call("cusparseSpSV_bufferSize", operation, *rest) == expected
    for op_a, op_b in ((2, 0), (0, 2)):
        rest = (one, b, c, zero, made["Csr"], 1, 0, ctypes.byref(size))
        assert sparse.call("cusparseSDDMM_bufferSize", op_a, op_b, *rest) == INVALID_VALUE


def test_wrong_parameters(sparse: Sparse, capfd: pytest.CaptureFixture[str]) -> None:
    made = ctypes.c_void_p()
    create = sparse.library.cusparseCreateCsr
    last = (None, None, None, 2, 2, 0, 0)
    sizes = [ctypes.c_int64(each) for each in (-1, 2, 0)]
    assert create(ctypes.byref(made), *sizes, *last) == INVALID_VALUE
    expected = "On entry to cusparseCreateCsr() parameter number 2 (rows) had an illegal value: -1"
    assert expected in capfd.readouterr().err
    assert create(None, *sizes, *last) == INVALID_VALUE
    assert "parameter number 1 (spMatDescr) had an illegal value: NULL pointer" in capfd.readouterr().err


def test_names_of_codes(sparse: Sparse) -> None:
    name, text = sparse.library.cusparseGetErrorName, sparse.library.cusparseGetErrorString
    name.restype = text.restype = ctypes.c_char_p
    assert [text(code) for code in (0, 3, 10, 11)] == [
        b"success", b"invalid value", b"operation not supported", b"insufficient resources",
    ]  # fmt: skip
    assert (name(9), name(7)) == (b"CUSPARSE_STATUS_ZERO_PIVOT", b"CUSPARSE_STATUS_INTERNAL_ERROR")


def test_indices_outside_are_left_out(sparse: Sparse) -> None:
    assert spmv(sparse, [1, 2, 3], [0, 9, 1]) == [1, 3]
    assert spmv(sparse, [1, 2, 3], [0, 9, 1], operation=1) == [1, 3]


def test_incomplete_lu(sparse: Sparse) -> None:
    """A tridiagonal matrix fills no further places: the factors are exact."""
    n = 6
    offsets = np.array([0, *(min(3 * i + 2, 3 * n - 2) for i in range(n))], np.int32)
    indices = np.array([j for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n], np.int32)
    values = np.array([4.0 if j == i else -1.0 for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n])
    exact = np.diag(np.full(n, 4.0)) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
    desc, info, position = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(5)
    assert sparse.library.cusparseCreateMatDescr(ctypes.byref(desc)) == 0
    assert sparse.library.cusparseCreateCsrilu02Info(ctypes.byref(info)) == 0
    matrix, size = (n, values.size, desc, values, offsets, indices, info), ctypes.c_int()
    assert sparse.call("cusparseDcsrilu02_bufferSize", *matrix, ctypes.byref(size)) == 0
    arguments = (*matrix, 0, np.zeros(size.value, np.uint8))
    assert sparse.call("cusparseDcsrilu02_analysis", *arguments) == 0
    assert sparse.call("cusparseDcsrilu02", *arguments) == 0
    assert sparse.call("cusparseXcsrilu02_zeroPivot", info, ctypes.byref(position)) == 0
    assert position.value == -1
    factors = np.zeros((n, n))
    factors[np.repeat(np.arange(n), np.diff(offsets)), indices] = values
    assert np.allclose((np.tril(factors, -1) + np.eye(n)) @ np.triu(factors), exact)
    values[0] = 0
    assert sparse.call("cusparseDcsrilu02", *arguments) == 0
    assert sparse.call("cusparseXcsrilu02_zeroPivot", info, ctypes.byref(position)) == ZERO_PIVOT
    assert position.value == 0


@pytest.mark.parametrize("letter", TYPES)
def test_tridiagonal(sparse: Sparse, letter: str) -> None:
    rng = np.random.default_rng(4)
    n, columns = 17, 3
    low, middle, high = (numbers(rng, letter, n) for _ in range(3))
    low[0] = high[-1] = 0
    middle[3] = 0
    exact = np.diag(middle) + np.diag(low[1:], -1) + np.diag(high[:-1], 1)
    b = np.array(numbers(rng, letter, n, columns), order="F")
    x = b.copy(order="F")
    system = (n, columns, low, middle, high, x, n)
    area = sparse.work(f"cusparse{letter}gtsv2_bufferSizeExt", *system)
    assert sparse.call(f"cusparse{letter}gtsv2", *system, area) == 0
    assert_near(exact.astype(complex) @ x, b.astype(complex), 8 * n, 10 * float(np.max(np.abs(x))), letter)


def main(count: int) -> int:
    """`count` random problems of each sort."""
    from warploom.runtime_library import complete_toolkit
    from warploom.toolchain import find_toolchain

    made = Sparse(ctypes.CDLL(str(complete_toolkit(find_toolchain()) / "lib64" / "libcusparse.so")))
    for case in CASES:
        for seed in range(count):
            case(made, np.random.default_rng((seed, 3)))
        print(f"{case.__name__}: {count} problems", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
