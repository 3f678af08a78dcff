# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuBLAS called from Python, and random problems with their solutions by NumPy in double precision.

A problem is made of a seed. Its result must be within `c k eps` of the exact one, where k is the number of terms of a
sum and the magnitudes of the terms are added up (a normwise bound); what must not be touched keeps its bits.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any  # a NumPy array of one of the types: NumPy's own types do not tell which operations it has
TYPES: dict[str, Any] = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
SIZES = (0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 61, 64, 67, 97, 127, 128, 130)
ALPHAS = (0.0, 1.0, -1.0, 1.5, -0.25)


def pointer(array: Array) -> ctypes.c_void_p:
    """The address of an array's first element."""
    return ctypes.c_void_p(array.ctypes.data)


class Blas:
    """A handle."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        assert library.cublasCreate_v2(ctypes.byref(self.handle)) == 0

    def close(self) -> None:
        """Destroy the handle."""
        assert self.library.cublasDestroy_v2(self.handle) == 0

    def call(self, name: str, *arguments: object) -> int:
        """Call a function with the handle, wait for the device; the status."""
        passed = [pointer(each) if isinstance(each, np.ndarray) else each for each in arguments]
        status = getattr(self.library, name)(self.handle, *passed)
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)


@dataclass
class Problem:
    """Random operands of one type."""

    seed: int
    letter: str
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng((self.seed, ord(self.letter)))

    @property
    def kind(self) -> Any:
        return TYPES[self.letter]

    @property
    def is_complex(self) -> bool:
        return self.letter in "CZ"

    @property
    def real(self) -> Any:
        return np.float32 if self.letter in "SC" else np.float64

    @property
    def eps(self) -> float:
        return float(np.finfo(self.kind).eps)

    def size(self, least: int = 0) -> int:
        return max(least, int(self.rng.choice(SIZES)))

    def pick(self, *values: int) -> int:
        return int(self.rng.choice(values))

    def numbers(self, *shape: int) -> Array:
        made = self.rng.standard_normal(shape)
        if self.is_complex:
            made = made + 1j * self.rng.standard_normal(shape)
        return np.asfortranarray(made.astype(self.kind))

    def of_kind(self, exact: Array) -> Array:
        """What fits the type exactly, in it."""
        return (exact if self.is_complex else exact.real).astype(self.kind)

    def matrix(self, rows: int, columns: int) -> tuple[Array, int]:
        """A matrix within a higher one, whose other rows are not numbers; the leading dimension."""
        leading = max(1, rows) + self.pick(0, 0, 1, 5)
        made = np.full((leading, max(1, columns)), np.nan, self.kind, order="F")
        made[:rows, :columns] = self.numbers(rows, columns)
        return made, leading

    def vector(self, n: int, *, increments: tuple[int, ...] = (1, 1, 2, 3, -1, -2)) -> Vector:
        step = self.pick(*increments)
        store = np.full(max(1, 1 + (n - 1) * abs(step)), np.nan, self.kind)
        made = Vector(store, n, step)
        made.set(self.numbers(n))
        return made

    def scalar(self, kind: Any = None) -> Array:
        value: complex = float(self.rng.choice(ALPHAS))
        kind = kind or self.kind
        if np.issubdtype(kind, np.complexfloating) and value not in (0.0, 1.0):
            value = complex(value, float(self.rng.choice(ALPHAS)))
        return np.array([value], kind)


@dataclass
class Vector:
    """A vector as BLAS addresses it."""

    store: Array
    n: int
    step: int

    def _elements(self) -> slice:
        return slice(None, None, abs(self.step))

    def get(self) -> Array:
        taken = self.store[self._elements()][: self.n]
        return taken[::-1] if self.step < 0 else taken

    def set(self, values: Array) -> None:
        self.store[self._elements()][: self.n] = values[::-1] if self.step < 0 else values


def op(matrix: Array, operation: int) -> Array:
    """N, T or C of a matrix, exactly."""
    exact = matrix.astype(np.complex128)
    return (exact, exact.T, exact.conj().T)[operation]


def triangle(matrix: Array, upper: bool, unit: bool = False) -> Array:
    """One triangle of a matrix, with ones on the diagonal if `unit`."""
    exact = matrix.astype(np.complex128)
    taken = (
        np.triu(np.where(np.triu(np.ones(exact.shape)) > 0, exact, 0))
        if upper
        else np.tril(np.where(np.tril(np.ones(exact.shape)) > 0, exact, 0))
    )
    if unit:
        np.fill_diagonal(taken, 1)
    return taken


def symmetric(matrix: Array, upper: bool, hermitian: bool) -> Array:
    """The matrix that a triangle stands for."""
    half = triangle(matrix, upper)
    other = half.conj().T if hermitian else half.T
    whole = half + other
    diagonal: Array = np.diag(half)
    np.fill_diagonal(whole, diagonal.real if hermitian else diagonal)
    return whole


def check(problem: Problem, made: Array, exact: Array, size: Array, terms: int) -> None:
    """`made` is `exact` up to the rounding of sums of `terms` products whose magnitudes add up to `size`."""
    bound = 4 * (terms + 4) * problem.eps * size + 1e-30
    error = np.abs(made.astype(np.complex128) - exact)
    assert bool(np.all(error <= bound)), (problem, float(np.max(error / bound)))
