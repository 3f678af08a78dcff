# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuSOLVER: batches of matrices, the interface of 64 bits, sparse factors that are kept
"""cuSOLVER's batches, its generic interface and kept sparse factors against NumPy; what is wrong is refused."""

# functions: cusolverDn{S,D,C,Z}potr{f,s}Batched cusolverDn{S,D,C,Z}potri{,_bufferSize} cusolverDn{S,D}syevj{,Batched}
# functions: cusolverDn{S,D}syevj{,Batched}_bufferSize cusolverDn{C,Z}heevj{,Batched}{,_bufferSize}
# functions: cusolverDn{S,D,C,Z}gesvdjBatched{,_bufferSize} cusolverDn{S,D,C,Z}gesvdaStridedBatched{,_bufferSize}
# functions: cusolverDn{S,D,C,Z}gebrd{,_bufferSize} cusolverDn{S,D}sygvd{,_bufferSize}
# functions: cusolverDn{C,Z}hegvd{,_bufferSize}
# functions: cusolverDn{Create,Destroy}SyevjInfo cusolverDn{Create,Destroy}GesvdjInfo cusolverDn{Create,Destroy}Params
# functions: cusolverDnXpotr{f,s} cusolverDnXpotrf_bufferSize cusolverDnXgeqrf{,_bufferSize}
# functions: cusolverDnXsyevd{,_bufferSize} cusolverDnXsyevBatched{,_bufferSize}
# functions: cusolverSp{S,D,C,Z}csrlsv{qr,chol}Host cusolverSp{Create,Destroy}Csr{qr,chol}Info{,Host}
# functions: cusolverSpXcsr{qr,chol}Analysis{,Host} cusolverSp{S,D,C,Z}csr{qr,chol}BufferInfo{,Host}
# functions: cusolverSp{S,D,C,Z}csr{qr,chol}{Factor,Solve,ZeroPivot}{,Host} cusolverSp{S,D}csrqrSetup{,Host}
# functions: cusolverSpXcsr{symrcm,symmdq,symamd,metisnd,perm,issym,perm_bufferSize}Host
from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blas import TYPES
from test_cusolver import CUDA_TYPES, INVALID_VALUE, LOWER, VECTORS, Array, Solver, near, numbers, real

COUNT = 3


@pytest.fixture(scope="module")
def solver(libraries: Path) -> Iterator[Solver]:
    made = Solver(libraries)
    yield made
    made.close()


def hermitian(rng: np.random.Generator, letter: str, n: int, shift: float = 0) -> Array:
    root = numbers(rng, letter, n, n)
    return np.array((root + root.conj().T) / 2 + shift * np.eye(n), dtype=TYPES[letter], order="F")


def addresses(arrays: list[Array]) -> Array:
    return np.array([each.ctypes.data for each in arrays], np.uint64)


def info_of(solver: Solver, kind: str) -> c_void_p:
    made = c_void_p()
    assert getattr(solver.library, f"cusolverDnCreate{kind}")(byref(made)) == 0
    return made


@pytest.mark.parametrize("fill", [0, 1])
@pytest.mark.parametrize("letter", TYPES)
def test_batches_of_cholesky(solver: Solver, letter: str, fill: int) -> None:
    rng, n = np.random.default_rng(5 + fill), 9
    given = [hermitian(rng, letter, n, 3 * n) for _ in range(COUNT)]
    given[1][4, 4] = -1  # not positive: its own info says where
    a, b = [each.copy(order="F") for each in given], [numbers(rng, letter, n, 1) for _ in range(COUNT)]
    x, infos = [each.copy(order="F") for each in b], np.full(COUNT, -9, np.int32)
    pa, px = addresses(a), addresses(x)
    assert solver.call(f"cusolverDn{letter}potrfBatched", fill, n, pa, n, infos, COUNT) == 0
    assert infos.tolist() == [0, 5, 0]
    assert solver.call(f"cusolverDn{letter}potrsBatched", fill, n, 1, pa, n, px, n, solver.info, COUNT) == 0
    for i in (0, 2):
        triangle = np.tril(a[i]) if fill == LOWER else np.triu(a[i]).conj().T
        near(triangle @ triangle.conj().T, given[i], letter)
        near(given[i].astype(complex) @ x[i], b[i], letter, 1000)
    assert solver.call(f"cusolverDn{letter}potrsBatched", fill, n, 2, pa, n, px, n, solver.info, COUNT) == INVALID_VALUE
    assert solver.info[0] == 3  # one right-hand side each
    for arguments in (
        (7, n, pa, n, infos, COUNT),
        (fill, n, pa, n, infos, 0),
        (fill, -1, pa, n, infos, COUNT),
        (fill, n, pa, n - 1, infos, COUNT),
    ):
        assert solver.call(f"cusolverDn{letter}potrfBatched", *arguments) == INVALID_VALUE


@pytest.mark.parametrize("letter", TYPES)
def test_inverse_by_cholesky(solver: Solver, letter: str) -> None:
    n = 8
    given = hermitian(np.random.default_rng(6), letter, n, 3 * n)
    a = given.copy(order="F")
    area, size = solver.work(f"{letter}potri", LOWER, n, a, n)
    assert solver.call(f"cusolverDn{letter}potrf", LOWER, n, a, n, area, size, solver.info) == 0
    assert solver.call(f"cusolverDn{letter}potri", LOWER, n, a, n, area, size, solver.info) == 0
    inverse = np.tril(a) + np.tril(a, -1).conj().T
    near(inverse.astype(complex) @ given, np.eye(n), letter, 1000)


@pytest.mark.parametrize("letter", TYPES)
def test_eigenvalues_by_jacobi(solver: Solver, letter: str) -> None:
    rng, n = np.random.default_rng(7), 6
    name = f"cusolverDn{letter}{'sy' if letter in 'SD' else 'he'}evj"
    given = np.stack([hermitian(rng, letter, n) for _ in range(COUNT)])
    settings, size = info_of(solver, "SyevjInfo"), c_int(-1)
    for batched in (False, True):
        a, w = given.transpose(0, 2, 1).copy(), np.zeros((COUNT, n), real(letter))  # each by columns
        infos, end = np.full(COUNT, -9, np.int32), ((COUNT,) if batched else ())
        kind = name + "Batched" * batched
        start = (VECTORS, LOWER, n, a, n, w)
        assert solver.call(f"{kind}_bufferSize", *start, byref(size), settings, *end) == 0
        area = np.zeros(max(1, size.value), np.complex128)
        assert solver.call(kind, *start, area, size, infos, settings, *end) == 0
        for i in range(COUNT if batched else 1):
            assert infos[i] == 0
            near(w[i], np.linalg.eigvalsh(given[i].astype(complex)), letter)
            vectors = a[i].T.astype(complex)
            near(given[i] @ vectors, vectors * w[i], letter, 1000)
    assert solver.call(name, 7, LOWER, n, a, n, w, area, size, infos, settings) == INVALID_VALUE
    assert solver.library.cusolverDnDestroySyevjInfo(settings) == 0


@pytest.mark.parametrize("letter", TYPES)
def test_generalised_eigenvalues(solver: Solver, letter: str) -> None:
    rng, n = np.random.default_rng(8), 7
    name = f"{letter}{'sy' if letter in 'SD' else 'he'}gvd"
    a, b = hermitian(rng, letter, n), hermitian(rng, letter, n, 3 * n)
    left, right, w = a.copy(order="F"), b.copy(order="F"), np.zeros(n, real(letter))
    area, size = solver.work(name, 1, VECTORS, LOWER, n, left, n, right, n, w)
    arguments = (1, VECTORS, LOWER, n, left, n, right, n, w, area, size, solver.info)
    assert solver.call(f"cusolverDn{name}", *arguments) == 0
    assert solver.info[0] == 0
    vectors = left.astype(complex)
    near(a @ vectors, (b.astype(complex) @ vectors) * w, letter, 3000)
    for at, wrong in ((0, 4), (1, 7), (2, 7), (3, -1), (5, n - 1), (7, n - 1)):
        changed = [*arguments[:at], wrong, *arguments[at + 1 :]]
        assert solver.call(f"cusolverDn{name}", *changed) == INVALID_VALUE
        assert solver.info[0] == -(at + 1)


@pytest.mark.parametrize("letter", TYPES)
def test_batches_of_singular_values(solver: Solver, letter: str) -> None:
    rng, m, n = np.random.default_rng(9), 7, 5
    given = np.ascontiguousarray(np.stack([numbers(rng, letter, n, m) for _ in range(COUNT)]))  # each by columns
    exact = [np.linalg.svd(each.T.astype(complex), compute_uv=False) for each in given]
    settings, size, infos = info_of(solver, "GesvdjInfo"), c_int(-1), np.full(COUNT, -9, np.int32)
    a, s = given.copy(), np.zeros((COUNT, n), real(letter))
    u, v = np.zeros((COUNT, m, m), TYPES[letter]), np.zeros((COUNT, n, n), TYPES[letter])
    name = f"cusolverDn{letter}gesvdjBatched"
    start = (VECTORS, m, n, a, m, s, u, m, v, n)
    assert solver.call(f"{name}_bufferSize", *start, byref(size), settings, COUNT) == 0
    area = np.zeros(max(1, size.value), np.complex128)
    assert solver.call(name, *start, area, size, infos, settings, COUNT) == 0
    for i in range(COUNT):
        assert infos[i] == 0
        near(s[i], exact[i], letter)
        left, right = u[i].T.astype(complex), v[i].T.astype(complex)
        near((left[:, :n] * s[i]) @ right.conj().T, given[i].T, letter, 300)
    for at, wrong in ((0, 7), (1, -1), (2, -1), (4, m - 1), (7, m - 1), (9, n - 1)):
        changed = [*start[:at], wrong, *start[at + 1 :]]
        assert solver.call(name, *changed, area, size, infos, settings, COUNT) == INVALID_VALUE

    rank, lost = 3, np.zeros(COUNT)
    name = f"cusolverDn{letter}gesvdaStridedBatched"
    s, u, v = s[:, :rank].copy(), np.zeros((COUNT, rank, m), TYPES[letter]), np.zeros((COUNT, rank, n), TYPES[letter])
    ends = [c_longlong(each) for each in (m * n, rank, m * rank, n * rank)]
    start = (VECTORS, rank, m, n, given, m, ends[0], s, ends[1], u, m, ends[2], v, n, ends[3])  # type: ignore[assignment]
    assert solver.call(f"{name}_bufferSize", *start, byref(size), COUNT) == 0
    area = np.zeros(max(1, size.value), np.complex128)
    assert solver.call(name, *start, area, size, infos, lost, COUNT) == 0
    for i in range(COUNT):
        near(s[i], exact[i][:rank], letter)
        near(lost[i : i + 1], np.linalg.norm(exact[i][rank:]).reshape(1), letter, 300)
        near(given[i].T.astype(complex) @ v[i].T, u[i].T.astype(complex) * s[i], letter, 300)
    assert solver.library.cusolverDnDestroyGesvdjInfo(settings) == 0


@pytest.mark.parametrize("letter", TYPES)
def test_two_diagonals(solver: Solver, letter: str) -> None:
    m, n = 9, 6
    given = numbers(np.random.default_rng(10), letter, m, n)
    a, d, e = given.copy(order="F"), np.zeros(n, real(letter)), np.zeros(n, real(letter))
    tau_q, tau_p = np.zeros(n, TYPES[letter]), np.zeros(n, TYPES[letter])
    area, size = solver.work(f"{letter}gebrd", m, n)
    assert solver.call(f"cusolverDn{letter}gebrd", m, n, a, m, d, e, tau_q, tau_p, area, size, solver.info) == 0
    band = np.diag(d.astype(float)) + np.diag(e[: n - 1].astype(float), 1)
    singular = np.linalg.svd(band, compute_uv=False)
    near(singular, np.linalg.svd(given.astype(complex), compute_uv=False), letter)


@pytest.mark.parametrize("letter", TYPES)
def test_sizes_of_64_bits(solver: Solver, letter: str) -> None:
    rng, n, kind = np.random.default_rng(11), 6, CUDA_TYPES[letter]
    params, device, host = info_of(solver, "Params"), c_size_t(), c_size_t()
    large, real_kind = c_longlong(n), {"S": 0, "D": 1, "C": 0, "Z": 1}[letter]
    given, b = hermitian(rng, letter, n, 3 * n), numbers(rng, letter, n, 2)

    def run(name: str, start: tuple[Any, ...], *end: object) -> None:
        assert solver.call(f"cusolverDn{name}_bufferSize", params, *start, byref(device), byref(host), *end) == 0
        areas = np.zeros(device.value + 16, np.uint8), np.zeros(host.value + 16, np.uint8)
        given = (areas[0], device, areas[1], host, solver.info, *end)
        solver.info[:] = -9
        assert solver.call(f"cusolverDn{name}", params, *start, *given) == 0
        assert solver.info[0] == 0

    a, x = given.copy(order="F"), b.copy(order="F")
    run("Xpotrf", (LOWER, large, kind, a, large, kind))
    near(np.tril(a) @ np.tril(a).conj().T, given, letter)
    solve = (LOWER, large, c_longlong(2), kind, a, large, kind, x, large, solver.info)
    assert solver.call("cusolverDnXpotrs", params, *solve) == 0
    near(given.astype(complex) @ x, b, letter, 1000)

    a, tau = given.copy(order="F"), np.zeros(n, TYPES[letter])
    run("Xgeqrf", (large, large, kind, a, large, kind, tau, kind))
    near(np.abs(np.diag(a)), np.abs(np.diag(np.linalg.qr(given.astype(complex))[1])), letter, 300)

    a, w = given.copy(order="F"), np.zeros((2, n), real(letter))
    run("Xsyevd", (VECTORS, LOWER, large, kind, a, large, real_kind, w, kind))
    near(w[0], np.linalg.eigvalsh(given.astype(complex)), letter)
    near(given @ a.astype(complex), a.astype(complex) * w[0], letter, 1000)

    both = np.stack([given.T, hermitian(rng, letter, n).T])
    exact = [np.linalg.eigvalsh(each.T.astype(complex)) for each in both]
    run("XsyevBatched", (VECTORS, LOWER, large, kind, both, large, real_kind, w, kind), c_longlong(2))
    for i in (0, 1):
        near(w[i], exact[i], letter)
    assert solver.library.cusolverDnDestroyParams(params) == 0


class Sparse:
    """A symmetric matrix of three diagonals, with the handle and the description that calls take."""

    def __init__(self, solver: Solver, letter: str, n: int, base: int = 0) -> None:
        dense = np.diag(np.full(n, 4.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
        self.letter, self.n, self.desc = letter, n, solver.description(base)
        self.dense = dense.astype(TYPES[letter])
        row, col = np.nonzero(dense)
        self.values, self.cols = self.dense[row, col].copy(), (col + base).astype(np.int32)
        self.rows = (np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]) + base).astype(np.int32)
        self.nnz = len(col)

    def number(self, value: float) -> object:
        return c_float(value) if self.letter in "SC" else c_double(value)


@pytest.mark.parametrize("host", ["", "Host"])
@pytest.mark.parametrize("way", ["qr", "chol"])
@pytest.mark.parametrize("letter", TYPES)
def test_factors_that_are_kept(solver: Solver, letter: str, way: str, host: str) -> None:
    made, n = Sparse(solver, letter, 6, 1), 6
    b = numbers(np.random.default_rng(12), letter, n, 1)
    pair, x, info = (n, n) if way == "qr" else (n,), np.zeros(n, TYPES[letter]), c_void_p()
    create = getattr(solver.library, f"cusolverSpCreateCsr{way}Info{host}")
    assert create(byref(info)) == 0
    name, matrix = f"cusolverSp{letter}csr{way}", (made.desc, made.values, made.rows, made.cols)
    assert (
        solver.call(f"cusolverSpXcsr{way}Analysis{host}", *pair, made.nnz, made.desc, made.rows, made.cols, info) == 0
    )
    inside, work = c_size_t(), c_size_t()
    sizes = (info, byref(inside), byref(work))
    assert solver.call(f"{name}BufferInfo{host}", *pair, made.nnz, *matrix, *sizes) == 0
    area, position, given = np.zeros(work.value + 16, np.uint8), c_int(-9), b.copy()
    if way == "chol":
        assert solver.call(f"{name}Factor{host}", n, made.nnz, *matrix, info, area) == 0
        assert solver.call(f"{name}Factor{host}", -1, made.nnz, *matrix, info, area) == INVALID_VALUE
    else:
        assert (
            solver.call(f"{name}Factor{host}", *pair, made.nnz, given, x, info, area) == INVALID_VALUE
        )  # no values yet
        if letter in "CZ":  # a complex number as an argument is not ctypes' business
            assert getattr(solver.library, f"cusolverSpDestroyCsr{way}Info{host}")(info) == 0
            return
        setup = (*pair, made.nnz, *matrix, made.number(0), info)
        assert solver.call(f"{name}Setup{host}", *setup) == 0
        assert solver.call(f"{name}Factor{host}", n, -1, made.nnz, given, x, info, area) == INVALID_VALUE
        assert solver.call(f"{name}Factor{host}", *pair, made.nnz, None, None, info, area) == 0
    assert solver.call(f"{name}ZeroPivot{host}", info, made.number(1e-6), byref(position)) == 0
    assert position.value == -1
    assert solver.call(f"{name}Solve{host}", *pair, given, x, info, area) == 0
    near(made.dense.astype(complex) @ x, b[:, 0], letter, 300)
    assert getattr(solver.library, f"cusolverSpDestroyCsr{way}Info{host}")(info) == 0


@pytest.mark.parametrize("way", ["qrHost", "cholHost"])
@pytest.mark.parametrize("letter", TYPES)
def test_sparse_systems_on_the_host(solver: Solver, letter: str, way: str) -> None:
    made, n, name = Sparse(solver, letter, 8), 8, f"cusolverSp{letter}csrlsv{way}"
    b, x, singular = numbers(np.random.default_rng(13), letter, n, 1), np.zeros(n, TYPES[letter]), c_int(-9)
    arguments = (made.desc, made.values, made.rows, made.cols, b, made.number(1e-6), 0, x, byref(singular))
    assert solver.call(name, n, made.nnz, *arguments) == 0
    assert singular.value == -1
    near(made.dense.astype(complex) @ x, b[:, 0], letter, 300)


@pytest.mark.ours("a GPU's library reads what it is given")
def test_patterns_that_are_none(solver: Solver) -> None:
    """Columns and rows that lie outside, and what is null, are refused, not read."""
    made, n, order = Sparse(solver, "D", 5), 5, np.zeros(5, np.int32)
    outside, back = made.cols.copy(), made.rows.copy()
    outside[3], back[2] = 99, 100
    x, singular, b = np.zeros(n), c_int(-9), np.ones(n)
    for rows, cols in ((made.rows, outside), (back, made.cols), (None, made.cols), (made.rows, None)):
        for name in ("symrcm", "symmdq", "symamd"):
            assert solver.call(f"cusolverSpXcsr{name}Host", n, made.nnz, made.desc, rows, cols, order) == INVALID_VALUE
        system = (made.desc, made.values, rows, cols, b, c_double(1e-9), 0, x, byref(singular))
        for way in ("luHost", "qrHost", "cholHost", "qr", "chol"):
            assert solver.call(f"cusolverSpDcsrlsv{way}", n, made.nnz, *system) == INVALID_VALUE
    map_ = np.arange(made.nnz, dtype=np.int32)
    for p in (np.zeros(n, np.int32), None):
        arguments = (n, n, made.nnz, made.desc, made.rows, made.cols, p, order, map_, None)
        assert solver.call("cusolverSpXcsrpermHost", *arguments) == INVALID_VALUE


@pytest.mark.parametrize("base", [0, 1])
def test_orders_of_rows(solver: Solver, base: int) -> None:
    made, n = Sparse(solver, "D", 7, base), 7
    matrix, order, is_symmetric = (made.nnz, made.desc, made.rows, made.cols), np.full(n, -1, np.int32), c_int(-9)
    ends = made.rows[1:].copy()
    pattern = (n, made.nnz, made.desc, made.rows, ends, made.cols)
    assert solver.call("cusolverSpXcsrissymHost", *pattern, byref(is_symmetric)) == 0
    assert is_symmetric.value == 1
    for name in ("symrcm", "symmdq", "symamd", "metisnd"):
        options = (None,) if name == "metisnd" else ()
        order[:] = -1
        assert solver.call(f"cusolverSpXcsr{name}Host", n, *matrix, *options, order) == 0
        assert sorted(order) == list(range(n))
    rows, cols, size = made.rows.copy(), made.cols.copy(), c_size_t()
    mapped, p = np.arange(made.nnz, dtype=np.int32), np.random.default_rng(14).permutation(n).astype(np.int32)
    start = (n, n, made.nnz, made.desc, rows, cols, p, p)
    assert solver.call("cusolverSpXcsrperm_bufferSizeHost", *start, byref(size)) == 0
    area = np.zeros(size.value + 16, np.uint8)
    assert solver.call("cusolverSpXcsrpermHost", *start, mapped, area) == 0
    permuted = np.zeros((n, n))
    for row in range(n):
        for i in range(rows[row] - base, rows[row + 1] - base):
            permuted[row, cols[i] - base] = made.values[mapped[i]]
    assert np.array_equal(permuted, made.dense[np.ix_(p, p)])
    made.cols[1] = made.cols[0]  # an entry moves onto another
    assert solver.call("cusolverSpXcsrissymHost", *pattern, byref(is_symmetric)) == 0
    assert is_symmetric.value == 0


@pytest.mark.ours("LAPACK does not end with infinities, or writes to stdout")
@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_singular_values_of_what_is_not_finite(
    solver: Solver, capfd: pytest.CaptureFixture[str], letter: str, value: float
) -> None:
    n, sorts = 4, info_of(solver, "GesvdjInfo")
    for job in (0, VECTORS):
        a, s = numbers(np.random.default_rng(15), letter, n, n), np.zeros(n, real(letter))
        a[2, 1] = value
        u, v = np.zeros((n, n), TYPES[letter]), np.zeros((n, n), TYPES[letter])
        arguments = (job, 0, n, n, a, n, s, u, n, v, n, None, 0, solver.info, sorts)
        assert solver.call(f"cusolverDn{letter}gesvdj", *arguments) == 0
        assert solver.info[0] == n + 1
        assert np.isnan(s).all()
    assert capfd.readouterr().out == ""


@pytest.mark.ours("memory of the heap would be overwritten")
def test_pivots_outside_of_the_matrix(libraries: Path) -> None:
    """In a process of its own: the device has an error afterwards."""
    program = f"""
import ctypes, numpy as np
library = ctypes.CDLL({str(libraries / "libcusolver.so")!r})
handle, P = ctypes.c_void_p(), lambda array: ctypes.c_void_p(array.ctypes.data)
library.cusolverDnCreate(ctypes.byref(handle))
a, b, pivots, info = np.eye(4), np.ones(4), np.array([1, 2, 99, 4], np.int32), np.zeros(1, np.int32)
print(library.cusolverDnDgetrs(handle, 0, 4, 1, P(a), 4, P(pivots), P(b), 4, P(info)), library.cudaDeviceSynchronize())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "700"]
    assert "a pivot lies outside of the matrix" in done.stderr
