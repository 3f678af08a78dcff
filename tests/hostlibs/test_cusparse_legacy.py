# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSPARSE: incomplete factors, tridiagonal systems, counts, sorts, conversions
"""cuSPARSE's functions for plain arrays: incomplete factors, tridiagonal systems, counts, sorts, conversions."""

# functions: cusparseSetStream cusparseSetPointerMode cusparseGetPointerMode
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
from ctypes import byref, c_double, c_int
from typing import Any, cast

import numpy as np
import pytest
from sparse_matrices import (
    COLUMNS,
    INTERNAL_ERROR,
    ROWS,
    TYPES,
    Array,
    Banded,
    Sparse,
    assert_near,
    description,
    lower_band,
    random_matrix,
    scalar,
    some,
)
from test_cusparse import INVALID_VALUE, ZERO_PIVOT, numbers


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
