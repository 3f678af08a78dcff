# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSOLVER: dense factors, eigenvalues and singular values, sparse systems
"""cuSOLVER: random matrices, judged by what factors and solutions give back, and answers recorded on an H200. Many:

python tests/hostlibs/test_cusolver.py 10000
"""

# functions: cusolverDn{C,Z}heevd cusolverDn{C,Z}ungqr cusolverDn{C,Z}unmqr cusolverDnCreate cusolverDnDestroy
# functions: cusolverDn{S,D,C,Z}geqrf cusolverDn{S,D,C,Z}gesvd cusolverDn{S,D,C,Z}gesvdj cusolverDn{S,D,C,Z}getrf
# functions: cusolverDn{S,D,C,Z}getrs cusolverDn{S,D,C,Z}potrf cusolverDn{S,D,C,Z}potrf_bufferSize
# functions: cusolverDn{S,D,C,Z}potrs cusolverDn{S,D,C,Z}sytrf cusolverDn{S,D}orgqr cusolverDn{S,D}ormqr
# functions: cusolverDn{S,D}syevd cusolverDnSgetrf_bufferSize cusolverDnXgeev cusolverDnXsytrs
# functions: cusolverDnXsytrs_bufferSize cusolverRfCreate cusolverRfDestroy cusolverRfRefactor cusolverRfResetValues
# functions: cusolverRfSetupHost cusolverRfSolve cusolverSpCreate cusolverSpCreateCsrluInfoHost
# functions: cusolverSpDcsrluExtractHost cusolverSpDcsrluFactorHost cusolverSpDcsrluSolveHost
# functions: cusolverSpDcsrluZeroPivotHost cusolverSpDestroy cusolverSpDestroyCsrluInfoHost
# functions: cusolverSp{S,D,C,Z}csrlsvchol cusolverSp{S,D,C,Z}csrlsvluHost cusolverSp{S,D,C,Z}csrlsvqr
# functions: cusolverSpXcsrluNnzHost
from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from ctypes import c_longlong as c_long
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from blas import TYPES, pointer
from numpy.typing import NDArray

Array = NDArray[Any]
INVALID_VALUE = 3
LOWER, UPPER = 0, 1
VECTORS = 1
CUDA_TYPES = {"S": 0, "D": 1, "C": 4, "Z": 5}


class Solver:
    """A handle for dense matrices and one for sparse ones."""

    def __init__(self, folder: Path) -> None:
        self.library = library = ctypes.CDLL(str(folder / "libcusolver.so"))
        self.matrices = ctypes.CDLL(str(folder / "libcusparse.so"))
        self.dense, self.sparse = ctypes.c_void_p(), ctypes.c_void_p()
        assert library.cusolverDnCreate(ctypes.byref(self.dense)) == 0
        assert library.cusolverSpCreate(ctypes.byref(self.sparse)) == 0
        self.jacobi, self.params = ctypes.c_void_p(), ctypes.c_void_p()
        assert library.cusolverDnCreateGesvdjInfo(ctypes.byref(self.jacobi)) == 0
        assert library.cusolverDnCreateParams(ctypes.byref(self.params)) == 0
        self.info = np.zeros(16, np.int32)

    def close(self) -> None:
        assert self.library.cusolverDnDestroy(self.dense) == 0
        assert self.library.cusolverSpDestroy(self.sparse) == 0

    def call(self, name: str, *arguments: object) -> int:
        """Call a function with the handle it wants and wait; the status."""
        handle = self.sparse if name.startswith("cusolverSp") else self.dense
        passed = [pointer(cast("Array", each)) if isinstance(each, np.ndarray) else each for each in arguments]
        status = getattr(self.library, name)(handle, *passed)
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)

    def work(self, name: str, *arguments: object) -> tuple[Array, int]:
        """The work area of a function, and its size in numbers."""
        size = ctypes.c_int(-1)
        end = (self.jacobi,) if name.endswith("gesvdj") else ()
        assert self.call(f"cusolverDn{name}_bufferSize", *arguments, ctypes.byref(size), *end) == 0
        return np.zeros(size.value, np.complex128), size.value

    def description(self, base: int) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        assert self.matrices.cusparseCreateMatDescr(ctypes.byref(made)) == 0
        assert self.matrices.cusparseSetMatIndexBase(made, base) == 0
        return made


@pytest.fixture(scope="module")
def solver(libraries: Path) -> Iterator[Solver]:
    made = Solver(libraries)
    yield made
    made.close()


def numbers(rng: np.random.Generator, letter: str, *shape: int) -> Array:
    made = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if letter in "CZ" else 0)
    return np.array(made, dtype=TYPES[letter], order="F")


def real(letter: str) -> type[np.generic]:
    return np.float32 if letter in "SC" else np.float64


def near(left: Array, right: Array, letter: str, factor: float = 100) -> None:
    """Equal within a multiple of the type's precision, as norms go."""
    exact = right.astype(complex)
    size = max(float(np.linalg.norm(exact)), 1e-30)
    eps = float(np.finfo(TYPES[letter]).eps)  # type: ignore[arg-type]
    error = float(np.linalg.norm(left.astype(complex) - exact)) / size
    assert error <= factor * eps, error / eps


def cholesky(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    n, columns, fill = int(rng.integers(1, 40)), int(rng.integers(1, 5)), int(rng.integers(0, 2))
    root = numbers(rng, letter, n, n)
    a = np.array(root @ root.conj().T + n * np.eye(n), dtype=TYPES[letter], order="F")
    factor, b = a.copy(order="F"), numbers(rng, letter, n, columns)
    size = ctypes.c_int()
    name = f"cusolverDn{letter}potrf"
    assert solver.call(f"{name}_bufferSize", fill, n, factor, n, ctypes.byref(size)) == 0
    assert solver.call(name, fill, n, factor, n, np.zeros(size.value, np.complex128), size, solver.info) == 0
    triangle = np.tril(factor) if fill == LOWER else np.triu(factor).conj().T
    near(triangle @ triangle.conj().T, a, letter)
    x = b.copy(order="F")
    assert solver.call(f"cusolverDn{letter}potrs", fill, n, columns, factor, n, x, n, solver.info) == 0
    near(a.astype(complex) @ x, b, letter, 1000)


def gauss(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    n, columns, operation = int(rng.integers(1, 40)), int(rng.integers(1, 5)), int(rng.integers(0, 3))
    a, b = numbers(rng, letter, n, n), numbers(rng, letter, n, columns)
    a += np.array(2 * n * np.eye(n), dtype=TYPES[letter])
    factor, pivots = a.copy(order="F"), np.zeros(n, np.int32)
    area, _ = solver.work(f"{letter}getrf", n, n, factor, n)
    assert solver.call(f"cusolverDn{letter}getrf", n, n, factor, n, area, pivots, solver.info) == 0
    assert solver.info[0] == 0
    x = b.copy(order="F")
    assert solver.call(f"cusolverDn{letter}getrs", operation, n, columns, factor, n, pivots, x, n, solver.info) == 0
    turned = a if operation == 0 else a.T if operation == 1 else a.conj().T
    near(turned.astype(complex) @ x, b, letter, 1000)


def orthogonal(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    n = int(rng.integers(1, 20))
    m = n + int(rng.integers(0, 20))
    a = numbers(rng, letter, m, n)
    q, tau = a.copy(order="F"), np.zeros(n, TYPES[letter])
    area = solver.work(f"{letter}geqrf", m, n, q, m)
    assert solver.call(f"cusolverDn{letter}geqrf", m, n, q, m, tau, *area, solver.info) == 0
    r = np.triu(q[:n])
    product = np.array(np.vstack([r, np.zeros((m - n, n))]), dtype=TYPES[letter], order="F")
    multiply = "unmqr" if letter in "CZ" else "ormqr"
    arguments = (0, 0, m, n, n, q, m, tau, product, m)
    area = solver.work(letter + multiply, *arguments)
    assert solver.call(f"cusolverDn{letter}{multiply}", *arguments, *area, solver.info) == 0
    near(product, a, letter)
    form = "ungqr" if letter in "CZ" else "orgqr"
    area = solver.work(letter + form, m, n, n, q, m, tau)
    assert solver.call(f"cusolverDn{letter}{form}", m, n, n, q, m, tau, *area, solver.info) == 0
    near(q.astype(complex) @ r, a, letter)


def eigenvalues(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    n, fill = int(rng.integers(1, 30)), int(rng.integers(0, 2))
    a = numbers(rng, letter, n, n)
    a = np.array(a + a.conj().T, order="F")
    vectors, values = a.copy(order="F"), np.zeros(n, real(letter))
    name = "heevd" if letter in "CZ" else "syevd"
    arguments = (VECTORS, fill, n, vectors, n, values)
    area = solver.work(letter + name, *arguments)
    assert solver.call(f"cusolverDn{letter}{name}", *arguments, *area, solver.info) == 0
    assert np.all(np.diff(values) >= 0)
    near(vectors.astype(complex) @ np.diag(values) @ vectors.conj().T, a, letter)


def singular_values(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    m, n = (int(each) for each in rng.integers(1, 25, 2))
    k = min(m, n)
    a = numbers(rng, letter, m, n)
    u, v, vt = numbers(rng, letter, m, m), numbers(rng, letter, n, n), numbers(rng, letter, n, n)
    s = np.zeros(k, real(letter))
    jobs = (ctypes.c_byte(ord("A")), ctypes.c_byte(ord("A")))
    area = solver.work(f"{letter}gesvd", m, n)
    arguments = (m, n, a.copy(order="F"), m, s, u, m, vt, n, *area, None, solver.info)
    status = solver.call(f"cusolverDn{letter}gesvd", *jobs, *arguments)
    assert (status, solver.info[0]) == (0 if m >= n else INVALID_VALUE, 0)
    if m >= n:
        near(u[:, :k].astype(complex) @ np.diag(s) @ vt[:k], a, letter)
    arguments = (VECTORS, 1, m, n, a.copy(order="F"), m, s, u, m, v, n)
    area = solver.work(f"{letter}gesvdj", *arguments)
    assert solver.call(f"cusolverDn{letter}gesvdj", *arguments, *area, solver.info, solver.jacobi) == 0
    near(u[:, :k].astype(complex) @ np.diag(s) @ v[:, :k].conj().T, a, letter)


def general_eigenvalues(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    """A V = V diag(w); of real numbers a pair of complex vectors lies in two columns."""
    n = int(rng.integers(1, 25))
    a = numbers(rng, letter, n, n)
    kind, pairs = CUDA_TYPES[letter], bool(rng.integers(0, 2))
    kind_w = {0: 4, 1: 5}.get(kind, kind) if pairs else kind
    work, vectors = a.copy(order="F"), numbers(rng, letter, n, n)
    wide = np.complex64 if letter in "SC" else np.complex128
    w = np.zeros(n, wide) if letter in "CZ" or pairs else np.zeros(2 * n, real(letter))
    sides = (c_long(n), kind, work, c_long(n), kind_w, w, kind, None, c_long(1), kind, vectors, c_long(n), kind)
    sizes = (ctypes.c_size_t(), ctypes.c_size_t())
    jobs = (solver.params, 0, VECTORS)
    status = solver.call("cusolverDnXgeev_bufferSize", *jobs, *sides, *(ctypes.byref(each) for each in sizes))
    assert status == 0, (letter, pairs)
    areas = [part for size in sizes for part in (np.zeros(size.value, np.uint8), size)]
    assert solver.call("cusolverDnXgeev", *jobs, *sides, *areas, solver.info) == 0
    assert solver.info[0] == 0
    values: NDArray[np.complex128] = w.astype(np.complex128)[:n]
    if w.size > n:
        values = values + 1j * w.astype(np.complex128)[n:]
    full = vectors.astype(np.complex128)
    for i in np.flatnonzero(values.imag > 0) if letter in "SD" else ():
        full[:, i], full[:, i + 1] = vectors[:, i] + 1j * vectors[:, i + 1], vectors[:, i] - 1j * vectors[:, i + 1]
    near(a.astype(complex) @ full, full @ np.diag(values), letter)


def symmetric_system(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    n, count, fill = int(rng.integers(1, 25)), int(rng.integers(1, 5)), int(rng.integers(0, 2))
    a = numbers(rng, letter, n, n)
    a = np.array(a + a.T, order="F")
    factors, pivots, b = a.copy(order="F"), np.zeros(n, np.int32), numbers(rng, letter, n, count)
    area = solver.work(f"{letter}sytrf", n, factors, n)
    assert solver.call(f"cusolverDn{letter}sytrf", fill, n, factors, n, pivots, *area, solver.info) == 0
    x, wide, kind = b.copy(order="F"), pivots.astype(np.int64), CUDA_TYPES[letter]
    sizes = (ctypes.c_size_t(), ctypes.c_size_t())
    sides = (fill, c_long(n), c_long(count), kind, factors, c_long(n), wide, kind, x, c_long(n))
    assert solver.call("cusolverDnXsytrs_bufferSize", *sides, *(ctypes.byref(each) for each in sizes)) == 0
    areas = [part for size in sizes for part in (np.zeros(size.value, np.uint8), size)]
    assert solver.call("cusolverDnXsytrs", *sides, *areas, solver.info) == 0
    scale = np.linalg.norm(a) * max(np.linalg.norm(x), 1)
    near(np.append(a.astype(complex) @ x, scale), np.append(b, scale), letter)


def sparse_system(solver: Solver, rng: np.random.Generator, letter: str) -> None:
    """Rows with a large diagonal, in places without order."""
    n = int(rng.integers(1, 40))
    there = (rng.random((n, n)) < 0.2) | np.eye(n, dtype=bool)
    there |= there.T
    full = numbers(rng, letter, n, n)
    full = np.where(there, full + full.conj().T + (4 * n + 20) * np.eye(n), 0).astype(TYPES[letter])
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32) + 1
    indices, values = np.nonzero(there)[1].astype(np.int32) + 1, full[there]
    b, x, singular = numbers(rng, letter, n), np.zeros(n, TYPES[letter]), ctypes.c_int(7)
    desc = solver.description(1)
    tolerance = ctypes.c_float(0) if letter in "SC" else ctypes.c_double(0)
    for name in ("qr", "chol", "luHost"):
        x[:] = 0
        arguments = (n, values.size, desc, values, offsets, indices, b, tolerance, 1, x)
        assert solver.call(f"cusolverSp{letter}csrlsv{name}", *arguments, ctypes.byref(singular)) == 0
        assert singular.value == -1
        near(full.astype(complex) @ x, b, letter, 1000)


CASES = (
    cholesky, gauss, orthogonal, eigenvalues, singular_values, general_eigenvalues, symmetric_system, sparse_system,
)  # fmt: skip


@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("case", CASES)
def test_random_problems(solver: Solver, case: object, letter: str) -> None:
    assert callable(case)
    for seed in range(10):
        case(solver, np.random.default_rng((seed, ord(letter))), letter)


@pytest.mark.parametrize(
    ("changes", "info"),
    [({0: b"X"}, -1), ({0: b"O", 1: b"O"}, -2), ({2: -1}, -3), ({5: 2}, -6), ({8: 2}, -9), ({10: 2}, -11)],
)
def test_wrong_parameters_of_gesvd(solver: Solver, changes: dict[int, Any], info: int) -> None:
    a, s, u, vt = np.eye(3), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    arguments: list[Any] = [b"A", b"A", 3, 3, a, 3, s, u, 3, vt, 3, *solver.work("Dgesvd", 3, 3), None, solver.info]
    for place, value in changes.items():
        arguments[place] = value
    jobs = [ctypes.c_byte(each[0]) for each in arguments[:2]]
    assert solver.call("cusolverDnDgesvd", *jobs, *arguments[2:]) == INVALID_VALUE
    assert solver.info[0] == info


def test_answers_of_an_h200(solver: Solver) -> None:
    size = ctypes.c_int()
    a = np.array([4, 2, np.nan, 5], np.float64)
    info = solver.info
    assert solver.call("cusolverDnDpotrf_bufferSize", LOWER, 2, a, 2, ctypes.byref(size)) == 0
    assert size.value == 40
    area = np.zeros(size.value)
    assert solver.call("cusolverDnDpotrf", LOWER, 2, a, 2, area, size, info) == 0
    assert (int(info[0]), a[[0, 1, 3]].tolist(), bool(np.isnan(a[2]))) == (0, [2, 1, 2], True)
    a = np.array([1, 2, 2, 1], np.float64)
    assert solver.call("cusolverDnDpotrf", LOWER, 2, a, 2, area, size, info) == 0
    assert int(info[0]) == 2
    assert solver.call("cusolverDnDpotrf", LOWER, 0, a, 0, area, size, info) == INVALID_VALUE
    assert int(info[0]) == -4
    assert solver.call("cusolverDnDpotrf_bufferSize", LOWER, 0, a, 1, ctypes.byref(size)) == 0
    assert size.value == 32
    assert solver.call("cusolverDnDgesvd_bufferSize", 2, 3, ctypes.byref(size)) == 0  # wider than high: only the work


def test_lu_of_an_h200(solver: Solver) -> None:
    size, pivots, info = ctypes.c_int(), np.zeros(2, np.int32), solver.info
    a = np.array([1, 3, 2, 4], np.float32)
    assert solver.call("cusolverDnSgetrf_bufferSize", 2, 2, a, 2, ctypes.byref(size)) == 0
    assert size.value == 192
    area = np.zeros(size.value, np.float32)
    assert solver.call("cusolverDnSgetrf", 2, 2, a, 2, area, pivots, info) == 0
    assert (int(info[0]), pivots.tolist()) == (0, [2, 2])
    assert np.allclose(a, [3, 1 / 3, 4, 2 / 3])
    a = np.array([1, 3, 2, 4], np.float32)
    assert solver.call("cusolverDnSgetrf", 2, 2, a, 2, area, None, info) == 0
    assert (int(info[0]), a.tolist()) == (0, [1, 3, 2, -2])
    a = np.zeros(4, np.float32)
    assert solver.call("cusolverDnSgetrf", 2, 2, a, 2, area, pivots, info) == 0
    assert (int(info[0]), pivots.tolist(), a.tolist()) == (1, [1, 2], [0, 0, 0, 0])


def test_singular_sparse_system(solver: Solver) -> None:
    offsets, indices = np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32)
    b, x, singular = np.ones(2), np.zeros(2), ctypes.c_int(-1)
    values, desc = np.array([1.0, 0.0]), solver.description(0)
    for name in ("qr", "chol"):
        arguments = (2, 2, desc, values, offsets, indices, b, ctypes.c_double(1e-12), 0, x)
        assert solver.call(f"cusolverSpDcsrlsv{name}", *arguments, ctypes.byref(singular)) == 0
        assert singular.value == (2 if name == "chol" else 1), "a Cholesky factor counts from 1 on an H200"


def test_factors_of_a_sparse_matrix(solver: Solver) -> None:
    """P A Q = L U as the host gets them; and the matrix factored again with other values."""
    rng = np.random.default_rng(5)
    n = 30
    there = (rng.random((n, n)) < 0.15) | np.eye(n, dtype=bool)
    full = np.where(there, rng.standard_normal((n, n)), 0)
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    indices, values = np.nonzero(there)[1].astype(np.int32), full[there]
    library, desc, info = solver.library, solver.description(0), ctypes.c_void_p()
    assert library.cusolverSpCreateCsrluInfoHost(ctypes.byref(info)) == 0
    matrix, sizes = (n, values.size, desc, values, offsets, indices), (ctypes.c_size_t(), ctypes.c_size_t())
    assert solver.call("cusolverSpXcsrluAnalysisHost", n, values.size, desc, offsets, indices, info) == 0
    by = [ctypes.byref(each) for each in sizes]
    assert solver.call("cusolverSpDcsrluBufferInfoHost", *matrix, info, *by) == 0
    area = np.zeros(sizes[1].value, np.uint8)
    assert solver.call("cusolverSpDcsrluFactorHost", *matrix, info, ctypes.c_double(1.0), area) == 0
    b, x, position = rng.standard_normal(n), np.zeros(n), ctypes.c_int(3)
    assert solver.call("cusolverSpDcsrluZeroPivotHost", info, ctypes.c_double(1e-14), ctypes.byref(position)) == 0
    assert position.value == -1
    assert solver.call("cusolverSpDcsrluSolveHost", n, b, x, info, area) == 0
    assert np.allclose(full @ x, b)
    counts = (ctypes.c_int(), ctypes.c_int())
    assert solver.call("cusolverSpXcsrluNnzHost", *(ctypes.byref(each) for each in counts), info) == 0
    p, q = np.zeros(n, np.int32), np.zeros(n, np.int32)
    parts = [(np.zeros(each.value), np.zeros(n + 1, np.int32), np.zeros(each.value, np.int32)) for each in counts]
    arguments = (p, q, desc, *parts[0], desc, *parts[1], info, area)
    assert solver.call("cusolverSpDcsrluExtractHost", *arguments) == 0
    lower, upper = (np.zeros((n, n)), np.zeros((n, n)))
    for matrix, (numbers_of, rows, columns) in zip((lower, upper), parts, strict=True):
        matrix[np.repeat(np.arange(n), np.diff(rows)), columns] = numbers_of
    assert np.allclose((lower + np.eye(n)) @ upper, full[p][:, q])
    assert library.cusolverSpDestroyCsrluInfoHost(info) == 0
    again = ctypes.c_void_p()
    assert library.cusolverRfCreate(ctypes.byref(again)) == 0
    nothing = [None] * 3
    setup = (n, values.size, *(pointer(each) for each in (offsets, indices, values)), 0, *nothing, 0, *nothing)
    assert library.cusolverRfSetupHost(*setup, None, None, again) == 0
    values *= 2
    assert library.cusolverRfResetValues(*setup[:5], None, None, again) == 0
    assert library.cusolverRfRefactor(again) == 0
    x[:] = b
    assert library.cusolverRfSolve(again, None, None, 1, None, n, pointer(x), n) == 0
    assert np.allclose(2 * full @ x, b)
    assert library.cusolverRfDestroy(again) == 0


def main(count: int) -> int:
    """`count` random problems of each sort."""
    from warploom.runtime_library import complete_toolkit
    from warploom.toolchain import find_toolchain

    made = Solver(complete_toolkit(find_toolchain()) / "lib64")
    for case in CASES:
        for letter in TYPES:
            for seed in range(count // len(TYPES)):
                case(made, np.random.default_rng((seed, ord(letter))), letter)
        print(f"{case.__name__}: {count} problems", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))


def _with(value: float, at: int) -> Array:
    """A positive matrix with what is not finite at a place and its counterpart."""
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    made = np.where(distance == 0, 5, 1 / (1 + distance)).astype(float, order="F")
    made[at % 4, at // 4] = made[at // 4, at % 4] = value
    return made


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("at", [0, 6, 15])
def test_infos_of_what_is_not_finite(solver: Solver, value: float, at: int) -> None:
    """As an H200 gave them (CUDA 13.0)."""
    w, work, info = np.zeros(4), np.zeros(4096), solver.info
    jacobi = ctypes.c_void_p()
    assert solver.library.cusolverDnCreateSyevjInfo(ctypes.byref(jacobi)) == 0
    for mode in (0, 1):
        ends = (_with(value, at), 4, w, work, work.size, info)
        assert solver.call("cusolverDnDsyevj", mode, 0, 4, *ends, jacobi) == 0
        assert info[0] == 5
    if np.isnan(value):
        for mode in (0, 1):
            assert solver.call("cusolverDnDsyevd", mode, 0, 4, *ends[1:0], _with(value, at), *ends[1:]) == 0
            assert info[0] == 1
    pivot = {0: 1, 6: 3, 15: 4}[at] if np.isnan(value) else {0: 0, 6: 3, 15: 0}[at]
    a = _with(value, at)
    assert solver.call("cusolverDnDpotrf", 0, 4, a, 4, work, work.size, info) == 0
    assert info[0] == pivot


def test_sizes_and_codes_as_an_h200_answers(solver: Solver) -> None:
    """Of CUDA 13.0's cuSOLVER."""
    a, work, info = np.ones((4, 4), order="F"), np.zeros(4096), solver.info
    small = [np.zeros(4) for _ in range(4)]
    assert solver.call("cusolverDnDgebrd", 3, 4, a, 3, *small, work, work.size, info) == 9
    assert info[0] == 0
    real_64, complex_64, device, host = 1, 5, ctypes.c_size_t(), ctypes.c_size_t()
    sizes = ctypes.byref(device), ctypes.byref(host)
    n, four = ctypes.c_int64(4), ctypes.c_int64(4)
    sides = (small[0], four, real_64, small[1], four, real_64)
    for left, status in ((0, 0), (1, 7)):
        given = (solver.params, left, 1, n, real_64, a, four, complex_64, small[2], real_64, *sides, *sizes)
        assert solver.call("cusolverDnXgeev_bufferSize", *given) == status
        assert status != 0 or host.value > 0
    given = (0, n, real_64, a, four, real_64, *sizes)
    assert solver.call("cusolverDnXpotrf_bufferSize", None, *given) == 0
    given = (0, n, real_64, a, ctypes.c_int64(3), real_64, work, ctypes.c_size_t(work.size), None, ctypes.c_size_t(0))
    assert solver.call("cusolverDnXpotrf", solver.params, *given, info) == 3
    assert info[0] == -4


SINGULAR = {
    "equal rows": [[4, 1, 0, 0], [1, 4, 1, 0], [1, 4, 1, 0], [0, 0, 1, 4]],
    "a zero row": [[4, 1, 0, 0], [1, 4, 1, 0], [0, 0, 0, 0], [0, 0, 1, 4]],
}


@pytest.mark.parametrize("reorder", [0, 1])
@pytest.mark.parametrize("full", SINGULAR.values(), ids=SINGULAR)
def test_where_a_sparse_matrix_is_singular(solver: Solver, full: list[list[int]], reorder: int) -> None:
    """As an H200 counts; on the device Cholesky's rows are counted from 1."""
    dense = np.array(full, float)
    rows = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(np.int32)
    columns, values = np.nonzero(dense)[1].astype(np.int32), dense[dense != 0]
    b, x, place = np.arange(1.0, 5), np.zeros(4), np.zeros(1, np.int32)
    start, end = (4, values.size, solver.description(0), values, rows, columns, b, ctypes.c_double(1e-12)), (x, place)
    wanted = {"luHost": 3, "qrHost": 3, "cholHost": 2, "qr": 3, "chol": 3}
    for way, at in wanted.items():
        assert solver.call(f"cusolverSpDcsrlsv{way}", *start, reorder, *end) == 0
        assert place[0] == at, way
    assert solver.call("cusolverSpDcsrlsvqrHost", *start, 9, *end) == 3
    assert place[0] == 0
