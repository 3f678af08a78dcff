# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels for rows of values (sparse/kernels/rows.cpp): rows of any length, against NumPy."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import numpy as np
import pytest
from sparse_matrices import INT32, INT64, TYPES, Array, Sparse, assert_near, scalar

COLUMNS = 3000
# How many values are in each row. A piece has 2,048; rows of 40 and more are long.
LENGTHS = {
    "empty": [0] * 20,
    "short": [*range(30), 0, 0, *range(20, 0, -1)] * 12,
    "long": [*range(40, 70)] * 3,
    "long with some shorter than a vector": [*[90] * 20, 3, 0, 7, 8, 9, *[90] * 20],
    "around a piece": [1, 2047, 2048, 2049, 5, 4096, 6000, 0, 3],
    "as many rows as a piece takes": [1] * 600,
    "about alike": [14 + 5 * i % 8 for i in range(300)],
    "all of sixteen": [16] * 41,
    "of any length": [97 * i % 61 for i in range(300)],
    "a long one among short ones": [*[15] * 20, 3000, *[15] * 20, 0],
}


def multiply(lengths: list[int], letter: str, base: int, index_type: int, libraries: Path, *, wrong: bool) -> None:
    """One product; where `wrong`, some columns are outside and count as zeros."""
    rng = np.random.default_rng((len(lengths), base, index_type))
    sparse = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    kind = TYPES[letter][0]
    rows = len(lengths)
    starts: Array = np.concatenate([[0], np.cumsum(lengths)])
    columns: Array = rng.integers(0, COLUMNS, int(starts[-1]))
    values: Array = rng.standard_normal(columns.size).astype(kind)
    x, y = rng.standard_normal(COLUMNS).astype(kind), np.zeros(rows, kind)
    inside = np.ones(columns.size, bool)
    if wrong:
        inside[::97] = False
    row_of: Array = np.repeat(np.arange(rows), lengths)
    wanted: Array = np.zeros(rows)
    np.add.at(wanted, row_of[inside], values[inside].astype(float) * x[columns[inside]].astype(float))
    columns[~inside] = COLUMNS + rng.integers(0, 2**30, np.count_nonzero(~inside))
    index = np.int64 if index_type == INT64 else np.int32
    offsets, indices = (starts + base).astype(index), (columns + base).astype(index)
    types = tuple(ctypes.c_int(each) for each in (index_type, index_type, base, TYPES[letter][1]))
    matrix = sparse.make("Csr", rows, COLUMNS, values.size, offsets, indices, values, *types)
    vectors = (sparse.vector(x, letter), scalar(0, letter), sparse.vector(y, letter))
    assert (
        sparse.call("cusparseSpMV", 0, scalar(1, letter), matrix, *vectors, TYPES[letter][1], 0, np.zeros(11, np.uint8))
        == 0
    )
    assert_near(y, wanted, max(lengths), 10, letter)
    sparse.close()


@pytest.mark.parametrize("letter", ["S", "D"])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_rows_of_lengths(libraries: Path, lengths: list[int], letter: str) -> None:
    for base, index_type in ((0, INT32), (1, INT64)):
        multiply(lengths, letter, base, index_type, libraries, wrong=False)
        multiply(lengths, letter, base, index_type, libraries, wrong=True)


def same_bits(first: Array, second: Array) -> bool:
    return first.tobytes() == second.tobytes()


@pytest.mark.parametrize("letter", ["S", "D"])
def test_a_row_is_the_same_last_and_among_others(libraries: Path, letter: str) -> None:
    """Behind the last row nothing can be read; rows before it are summed in the same order."""
    sparse = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    rng = np.random.default_rng(5)
    kind = TYPES[letter][0]
    each: Array = rng.integers(0, COLUMNS, 19)
    numbers: Array = rng.standard_normal(each.size).astype(kind)
    x = rng.standard_normal(COLUMNS).astype(kind)
    types = tuple(ctypes.c_int(word) for word in (INT32, INT32, 0, TYPES[letter][1]))
    results: list[Array] = []
    for rows in (1, 7, 8, 30):
        offsets = np.arange(rows + 1, dtype=np.int32) * each.size
        indices, values = np.tile(each.astype(np.int32), rows), np.tile(numbers, rows)
        y = np.zeros(rows, kind)
        matrix = sparse.make("Csr", rows, COLUMNS, values.size, offsets, indices, values, *types)
        vectors = (sparse.vector(x, letter), scalar(0, letter), sparse.vector(y, letter))
        arguments = (0, scalar(1, letter), matrix, *vectors, TYPES[letter][1], 0, np.zeros(11, np.uint8))
        assert sparse.call("cusparseSpMV", *arguments) == 0
        results.append(y)
    assert all(same_bits(row, results[0][0]) for result in results for row in result)
    sparse.close()


@pytest.mark.parametrize("lengths", [[16] * 8, [15] * 8, [*[60] * 7, 16], [200, *[0] * 7], [*[0] * 7, 200], [9] * 8])
def test_nothing_is_read_behind_the_last_row(libraries: Path, lengths: list[int]) -> None:
    """The columns and the values end where memory does."""
    sparse = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    libc = ctypes.CDLL(None, use_errno=True)
    page, rows = 4096, len(lengths)

    def at_the_end(data: Array) -> Array:
        area = mmap.mmap(-1, 3 * page)
        place = ctypes.addressof(ctypes.c_char.from_buffer(area))
        assert libc.mprotect(ctypes.c_void_p(place + 2 * page), page, 0) == 0
        made: Array = np.frombuffer(area, data.dtype, data.size, 2 * page - data.nbytes)
        made[:] = data
        return made

    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns: Array = (np.arange(sum(lengths)) % 200).astype(np.int32)
    indices = at_the_end(columns)
    values, x, y = at_the_end(np.ones(indices.size)), np.ones(200), np.zeros(rows)
    types = tuple(ctypes.c_int(word) for word in (INT32, INT32, 0, TYPES["D"][1]))
    matrix = sparse.make("Csr", rows, 200, values.size, offsets, indices, values, *types)
    vectors = (sparse.vector(x, "D"), scalar(0, "D"), sparse.vector(y, "D"))
    arguments = (0, scalar(1, "D"), matrix, *vectors, TYPES["D"][1], 0, np.zeros(11, np.uint8))
    assert sparse.call("cusparseSpMV", *arguments) == 0
    assert y.tolist() == lengths
    sparse.close()


@pytest.mark.parametrize("length", [6, 50])
def test_other_rows_numbers_do_not_come_in(libraries: Path, length: int) -> None:
    """A NaN that one row names stays in its result."""
    sparse = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    rows = 40
    offsets = np.arange(rows + 1, dtype=np.int32) * length
    indices = np.arange(rows * length, dtype=np.int32) % 7
    indices[length * 9 + 2] = 7
    width = max(8, length)  # a matrix has no more values than places
    values, x, y = np.ones(rows * length), np.ones(width), np.zeros(rows)
    x[7] = np.nan
    types = tuple(ctypes.c_int(each) for each in (INT32, INT32, 0, TYPES["D"][1]))
    matrix = sparse.make("Csr", rows, width, values.size, offsets, indices, values, *types)
    vectors = (sparse.vector(x, "D"), scalar(0, "D"), sparse.vector(y, "D"))
    assert (
        sparse.call("cusparseSpMV", 0, scalar(1, "D"), matrix, *vectors, TYPES["D"][1], 0, np.zeros(11, np.uint8)) == 0
    )
    assert np.isnan(y[9])
    assert np.array_equal(np.delete(y, 9), np.full(rows - 1, float(length)))
    sparse.close()


@pytest.mark.parametrize("letter", ["S", "D"])
def test_values_change_after_an_analysis(libraries: Path, letter: str) -> None:
    """cusparseSpMV_preprocess knows the structure, no value; another structure is checked again."""
    sparse = Sparse(ctypes.CDLL(str(libraries / "libcusparse.so")))
    kind, rng = TYPES[letter][0], np.random.default_rng(5)
    lengths: Array = rng.integers(0, 12, 300)
    offsets: Array = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    columns: Array = rng.integers(0, COLUMNS, int(offsets[-1]))
    indices: Array = columns.astype(np.int32)
    values: Array = rng.standard_normal(indices.size).astype(kind)
    x, y = rng.standard_normal(COLUMNS).astype(kind), np.zeros(lengths.size, kind)
    types = tuple(ctypes.c_int(each) for each in (INT32, INT32, 0, TYPES[letter][1]))
    matrix = sparse.make("Csr", lengths.size, COLUMNS, values.size, offsets, indices, values, *types)
    work = np.zeros(11, np.uint8)
    rest = (sparse.vector(x, letter), scalar(0, letter), sparse.vector(y, letter), TYPES[letter][1], 0, work)
    assert sparse.call("cusparseSpMV_preprocess", 0, scalar(1, letter), matrix, *rest) == 0

    def check(places: Array) -> None:
        assert sparse.call("cusparseSpMV", 0, scalar(1, letter), matrix, *rest) == 0
        wanted: Array = np.zeros(lengths.size)
        inside = places < COLUMNS
        row_of: Array = np.repeat(np.arange(lengths.size), lengths)[inside]
        np.add.at(wanted, row_of, values[inside].astype(float) * x[places[inside]])
        assert_near(y, wanted, 12, 10, letter)

    check(indices)
    values[:] = rng.standard_normal(values.size).astype(kind)
    check(indices)
    others = indices.copy()
    others[::5] = COLUMNS + 2**28
    pointers = (ctypes.c_void_p(each.ctypes.data) for each in (offsets, others, values))
    assert sparse.library.cusparseCsrSetPointers(matrix, *pointers) == 0
    check(others)
    sparse.close()
