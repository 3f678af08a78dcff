# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuSPARSE called from Python, and random sparse matrices in its formats."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from blas import pointer
from numpy.typing import NDArray

Array = NDArray[Any]
Exact = Array
TYPES: dict[str, tuple[type[np.generic], int]] = {
    "S": (np.float32, 0), "D": (np.float64, 1), "C": (np.complex64, 4), "Z": (np.complex128, 5),
}  # fmt: skip
INT32, INT64 = 2, 3
NOT_INITIALIZED, INTERNAL_ERROR = 1, 7
ROWS, COLUMNS = 0, 1  # directions in which values are counted
COLUMNS_FIRST, ROWS_FIRST = 1, 2
FORMATS = ("Csr", "Csc", "Coo")


class Sparse:
    """A handle."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        assert library.cusparseCreate(ctypes.byref(self.handle)) == 0

    def close(self) -> None:
        assert self.library.cusparseDestroy(self.handle) == 0

    def call(self, name: str, *arguments: object) -> int:
        """Call a function with the handle and wait; the status."""
        passed = [pointer(cast("Array", each)) if isinstance(each, np.ndarray) else each for each in arguments]
        status = getattr(self.library, name)(self.handle, *passed)
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)

    def work(self, name: str, *arguments: object) -> Array:
        """The work area that the library wants."""
        size = ctypes.c_size_t()
        assert self.call(name, *arguments, ctypes.byref(size)) == 0
        return np.zeros(size.value, np.uint8)

    def make(self, name: str, *arguments: object) -> ctypes.c_void_p:
        """A descriptor. Numbers are 64 bits wide unless they are said to be otherwise."""
        made = ctypes.c_void_p()
        passed = [_argument(each) for each in arguments]
        assert getattr(self.library, f"cusparseCreate{name}")(ctypes.byref(made), *passed) == 0
        return made

    def vector(self, values: Array, letter: str) -> ctypes.c_void_p:
        return self.make("DnVec", values.size, values, ctypes.c_int(TYPES[letter][1]))

    def dense(self, values: Array, letter: str) -> ctypes.c_void_p:
        """Of a two-dimensional array, in its order of values."""
        by_rows = values.flags.c_contiguous and not values.flags.f_contiguous
        leading = max(values.shape[1] if by_rows else values.shape[0], 1)
        order = ROWS_FIRST if by_rows else COLUMNS_FIRST
        return self.make("DnMat", *values.shape, leading, values, ctypes.c_int(TYPES[letter][1]), ctypes.c_int(order))


def _argument(value: object) -> object:
    if isinstance(value, np.ndarray):
        return pointer(cast("Array", value))
    return ctypes.c_int64(value) if isinstance(value, int) else value


@dataclass
class Matrix:
    """A random sparse matrix, with what it is as a dense one."""

    exact: Exact
    offsets: Array
    indices: Array
    values: Array
    format: str
    base: int
    letter: str

    def describe(self, sparse: Sparse) -> ctypes.c_void_p:
        index = ctypes.c_int(INT64 if self.indices.dtype == np.int64 else INT32)
        types = (index,) if self.format == "Coo" else (index, index)
        last = (ctypes.c_int(self.base), ctypes.c_int(TYPES[self.letter][1]))
        return sparse.make(
            self.format, *self.exact.shape, self.values.size, self.offsets, self.indices, self.values, *types, *last
        )


def random_matrix(
    rng: np.random.Generator, rows: int, columns: int, letter: str, *, kind: str | None = None, base: int | None = None
) -> Matrix:
    """Values in places without order, some places twice."""
    count = int(rng.integers(0, max(1, rows * columns) + 1)) if rows * columns else 0
    row, column = rng.integers(0, max(rows, 1), count), rng.integers(0, max(columns, 1), count)
    values = rng.standard_normal(count) + (1j * rng.standard_normal(count) if letter in "CZ" else 0)
    chosen = kind or str(rng.choice(FORMATS))
    lines = column if chosen == "Csc" else row
    order = np.argsort(lines, kind="stable")
    row, column, values = row[order], column[order], values[order].astype(TYPES[letter][0])
    exact = np.zeros((rows, columns), complex)
    np.add.at(exact, (row, column), values)
    start = int(rng.integers(0, 2)) if base is None else base
    integer = np.int64 if rng.random() < 0.3 else np.int32
    line_count = columns if chosen == "Csc" else rows
    offsets = np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=line_count)[:line_count])])
    first = row if chosen == "Coo" else offsets
    indices = row if chosen == "Csc" else column
    return Matrix(
        exact, (first + start).astype(integer), (indices + start).astype(integer), values, chosen, start, letter
    )


def turned(exact: Exact, operation: int) -> Exact:
    """As cusparseOperation_t says."""
    return exact if operation == 0 else exact.T if operation == 1 else exact.conj().T


def scalar(value: complex, letter: str) -> Array:
    number = value if letter in "CZ" else value.real
    return np.array([number], dtype=TYPES[letter][0])


def assert_near(result: Array, exact: Exact, terms: int, size: float, letter: str) -> None:
    """Within the bound of a sum of that many terms, whose magnitudes add up to `size`."""
    eps = float(np.finfo(TYPES[letter][0]).eps)  # type: ignore[arg-type]
    error = float(np.max(np.abs(result - exact), initial=0))
    assert error <= 8 * (terms + 2) * eps * max(size, 1e-30), (error, size)


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


def lower_band(n: int) -> tuple[Array, Array, Array]:
    """Rows, columns, values of three diagonals: 2 on the main one, (row + column) % 3 below."""
    places = [(i, j) for i in range(n) for j in range(max(0, i - 2), i + 1)]
    rows = np.searchsorted([i for i, _ in places], np.arange(n + 1)).astype(np.int32)
    values = [2.0 if i == j else (i + j) % 3 for i, j in places]
    return rows, np.array([j for _, j in places], np.int32), np.array(values, np.float32)
