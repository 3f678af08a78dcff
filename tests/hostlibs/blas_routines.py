# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cublas{S,D,C,Z}{gemm,gemv,gbmv,symv,trmv,trsv,tbmv,tbsv,tpmv,tpsv}{,_64}
# functions: cublas{S,D,C,Z}{syr,syr2,symm,syrk,syr2k,syrkx,trmm,trsm,geam,dgmm}{,_64}
# functions: cublas{S,D}{ger,sbmv,spmv,spr,spr2}{,_64}
# functions: cublas{C,Z}{geru,gerc,hemv,hbmv,hpmv,her,her2,hpr,hpr2,hemm,herk,her2k,herkx}{,_64}
"""One random problem for each routine of cuBLAS: `ROUTINES[name](blas, problem)` asserts that it is solved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from blas import Array, Blas, Problem, check, op, symmetric, triangle

Routine = Callable[[Blas, Problem], None]
N, T, C = 0, 1, 2
LOWER, UPPER = 0, 1
LEFT, RIGHT = 0, 1


def _name(problem: Problem, name: str, version: str = "_v2") -> tuple[str, type]:
    """A function's name and how it takes sizes."""
    import ctypes

    if problem.rng.random() < 0.3:
        return f"cublas{problem.letter}{name}{version}_64", ctypes.c_int64
    return f"cublas{problem.letter}{name}{version}", ctypes.c_int


def _operation(problem: Problem, hermitian: bool | None = None) -> int:
    if hermitian is None:
        return problem.pick(N, T, C)
    return problem.pick(N, C) if hermitian else problem.pick(N, T)


def _blend(alpha: Array, product: Array, beta: Array, old: Array) -> Array:
    """alpha product + beta old, where old may hold what are no numbers if beta is 0."""
    kept = beta[0] * old.astype(np.complex128) if beta[0] != 0 else 0
    return alpha[0] * product + kept


def _sizes(alpha: Array, left: Array, right: Array, beta: Array, old: Array) -> Array:
    kept = abs(beta[0]) * np.abs(old.astype(np.complex128)) if beta[0] != 0 else 0
    return abs(alpha[0]) * (np.abs(left) @ np.abs(right)) + kept


def gemm(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, "gemm")
    m, n, k = problem.size(), problem.size(), problem.size()
    ta, tb = _operation(problem), _operation(problem)
    a, lda = problem.matrix(*((m, k) if ta == N else (k, m)))
    b, ldb = problem.matrix(*((k, n) if tb == N else (n, k)))
    c, ldc = problem.matrix(m, n)
    alpha, beta = problem.scalar(), problem.scalar()
    left = op(a[: m if ta == N else k, : k if ta == N else m], ta)
    right = op(b[: k if tb == N else n, : n if tb == N else k], tb)
    if beta[0] == 0:
        c[:, :] = np.nan
    old = c.copy(order="F")
    if alpha[0] == 0:
        a[:, :] = np.nan
    assert blas.call(name, ta, tb, i(m), i(n), i(k), alpha, a, i(lda), b, i(ldb), beta, c, i(ldc)) == 0
    exact = _blend(alpha, left @ right, beta, old[:m, :n])
    check(problem, c[:m, :n], exact, _sizes(alpha, left, right, beta, old[:m, :n]), k)
    assert np.array_equal(c[m:], old[m:], equal_nan=True)


def gemv(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, "gemv")
    m, n, trans = problem.size(1), problem.size(1), _operation(problem)
    a, lda = problem.matrix(m, n)
    x, y = problem.vector(n if trans == N else m), problem.vector(m if trans == N else n)
    alpha, beta = problem.scalar(), problem.scalar()
    left, right = op(a[:m, :n], trans), x.get().astype(np.complex128)
    if beta[0] == 0:
        y.set(np.full(y.n, np.nan, problem.kind))
    old = y.get().copy()
    if alpha[0] == 0:
        a[:, :] = np.nan
    assert blas.call(name, trans, i(m), i(n), alpha, a, i(lda), x.store, i(x.step), beta, y.store, i(y.step)) == 0
    check(problem, y.get(), _blend(alpha, left @ right, beta, old), _sizes(alpha, left, right, beta, old), x.n)


def ger(blas: Blas, problem: Problem) -> None:
    conjugated = problem.is_complex and bool(problem.pick(0, 1))
    name, i = _name(problem, ("gerc" if conjugated else "geru") if problem.is_complex else "ger")
    m, n = problem.size(), problem.size()
    a, lda = problem.matrix(m, n)
    x, y, alpha = problem.vector(m), problem.vector(n), problem.scalar()
    old = a.copy(order="F")
    assert blas.call(name, i(m), i(n), alpha, x.store, i(x.step), y.store, i(y.step), a, i(lda)) == 0
    other = y.get().conj() if conjugated else y.get()
    outer = np.outer(x.get().astype(np.complex128), other.astype(np.complex128))
    exact = alpha[0] * outer + old[:m, :n]
    check(problem, a[:m, :n], exact, np.abs(alpha[0] * outer) + np.abs(old[:m, :n]), 2)


def symv(blas: Blas, problem: Problem) -> None:
    hermitian = problem.is_complex and bool(problem.pick(0, 1))
    name, i = _name(problem, "hemv" if hermitian else "symv")
    n, uplo = problem.size(), problem.pick(LOWER, UPPER)
    a, lda = problem.matrix(n, n)
    x, y = problem.vector(n), problem.vector(n)
    alpha, beta = problem.scalar(), problem.scalar()
    old = y.get().copy()
    whole = symmetric(a[:n, :n], uplo == UPPER, hermitian)
    assert blas.call(name, uplo, i(n), alpha, a, i(lda), x.store, i(x.step), beta, y.store, i(y.step)) == 0
    right = x.get().astype(np.complex128)
    check(problem, y.get(), _blend(alpha, whole @ right, beta, old), _sizes(alpha, whole, right, beta, old), n)


def _band(matrix: Array, below: int, above: int) -> tuple[Array, int]:
    """A matrix's diagonals as BLAS stores them."""
    rows, columns = matrix.shape
    stored = np.full((below + above + 1, max(1, columns)), np.nan, matrix.dtype, order="F")
    for j in range(columns):
        for r in range(max(0, j - above), min(rows, j + below + 1)):
            stored[above + r - j, j] = matrix[r, j]
    return stored, below + above + 1


def _only_band(matrix: Array, below: int, above: int) -> Array:
    return np.triu(np.tril(matrix, above), -below)


def gbmv(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, "gbmv")
    m, n, trans = problem.size(1), problem.size(1), _operation(problem)
    kl, ku = problem.pick(0, 1, 3), problem.pick(0, 2, 5)
    whole = _only_band(problem.numbers(m, n), kl, ku)
    a, lda = _band(whole, kl, ku)
    x, y = problem.vector(n if trans == N else m), problem.vector(m if trans == N else n)
    alpha, beta = problem.scalar(), problem.scalar()
    old, left, right = y.get().copy(), op(whole, trans), x.get().astype(np.complex128)
    sizes = i(m), i(n), i(kl), i(ku)
    assert blas.call(name, trans, *sizes, alpha, a, i(lda), x.store, i(x.step), beta, y.store, i(y.step)) == 0
    check(problem, y.get(), _blend(alpha, left @ right, beta, old), _sizes(alpha, left, right, beta, old), x.n)


def _packed(matrix: Array, upper: bool) -> Array:
    n = matrix.shape[0]
    columns = [matrix[: j + 1, j] if upper else matrix[j:, j] for j in range(n)]
    return np.concatenate(columns) if n else np.zeros(1, matrix.dtype)


def sbmv(blas: Blas, problem: Problem) -> None:
    kinds = ("hbmv", "hpmv") if problem.is_complex else ("sbmv", "spmv")
    n, upper, k = problem.size(1), bool(problem.pick(0, 1)), problem.pick(0, 1, 4)
    banded = bool(problem.pick(0, 1))
    half = problem.of_kind(triangle(problem.numbers(n, n), upper))
    if banded:
        half = _only_band(half, 0 if upper else k, k if upper else 0)
    whole = symmetric(half, upper, problem.is_complex)
    x, y, alpha, beta = problem.vector(n), problem.vector(n), problem.scalar(), problem.scalar()
    old, right = y.get().copy(), x.get().astype(np.complex128)
    name, i = _name(problem, kinds[0] if banded else kinds[1])
    ends = x.store, i(x.step), beta, y.store, i(y.step)
    if banded:
        stored, lda = _band(half, 0 if upper else k, k if upper else 0)
        assert blas.call(name, int(upper), i(n), i(k), alpha, stored, i(lda), *ends) == 0
    else:
        assert blas.call(name, int(upper), i(n), alpha, _packed(half, upper), *ends) == 0
    check(problem, y.get(), _blend(alpha, whole @ right, beta, old), _sizes(alpha, whole, right, beta, old), n)


def _well_conditioned(problem: Problem, n: int) -> tuple[Array, int]:
    """A triangle whose inverse has small numbers, in both halves."""
    a, lda = problem.matrix(n, n)
    a[:n, :n] *= problem.kind(0.5 / max(1, n))
    a[range(n), range(n)] = problem.numbers(n) * problem.kind(0.1) + problem.kind(2)
    return a, lda


def trmv(blas: Blas, problem: Problem) -> None:
    solves = bool(problem.pick(0, 1))
    form = problem.pick(0, 1, 2)
    n, upper, trans, unit = problem.size(1), bool(problem.pick(0, 1)), _operation(problem), bool(problem.pick(0, 1))
    name, i = _name(problem, ("tr", "tb", "tp")[form] + ("sv" if solves else "mv"))
    a, lda = _well_conditioned(problem, n)
    half, k = triangle(a[:n, :n], upper), problem.pick(0, 1, 4)
    if form == 1:
        half = _only_band(half, 0 if upper else k, k if upper else 0)
    stored = problem.of_kind(half)
    x = problem.vector(n)
    old = x.get().astype(np.complex128)
    flags = int(upper), trans, int(unit), i(n)
    if form == 0:
        status = blas.call(name, *flags, a, i(lda), x.store, i(x.step))
    elif form == 1:
        diagonals, ld = _band(stored, 0 if upper else k, k if upper else 0)
        status = blas.call(name, *flags, i(k), diagonals, i(ld), x.store, i(x.step))
    else:
        status = blas.call(name, *flags, _packed(stored, upper), x.store, i(x.step))
    assert status == 0
    left = op(triangle(stored, upper, unit), trans)
    made = x.get().astype(np.complex128)
    if solves:
        residual, sizes = left @ made, np.abs(left) @ np.abs(made)
        check(problem, residual, old, 2 * sizes, n)
    else:
        check(problem, made, left @ old, np.abs(left) @ np.abs(old), n)


def rank(blas: Blas, problem: Problem) -> None:
    """syr, her, spr, hpr and those of rank two."""
    hermitian = problem.is_complex and bool(problem.pick(0, 1))
    packed = bool(problem.pick(0, 1)) and (hermitian or not problem.is_complex)
    two = bool(problem.pick(0, 1))
    start = ("hp" if hermitian else "sp") if packed else ("he" if hermitian else "sy")
    name, i = _name(problem, start + "r" + ("2" if two else ""))
    n, upper = problem.size(), bool(problem.pick(0, 1))
    a, lda = problem.matrix(n, n)
    x, y = problem.vector(n), problem.vector(n)
    alpha = problem.scalar(None if two or not hermitian else problem.real)
    before = symmetric(a[:n, :n], upper, hermitian)
    store = _packed(a[:n, :n], upper) if packed else a
    ends = (store,) if packed else (store, i(lda))
    others = (y.store, i(y.step)) if two else ()
    assert blas.call(name, int(upper), i(n), alpha, x.store, i(x.step), *others, *ends) == 0
    u, v = x.get().astype(np.complex128), (y if two else x).get().astype(np.complex128)
    added = alpha[0] * np.outer(u, v.conj() if hermitian else v)
    if two:
        added = added + (added.conj().T if hermitian else added.T)
    if hermitian and alpha[0] == 0:
        before = triangle(a[:n, :n], upper)
    exact = triangle(before + added, upper)
    made = _packed(exact, upper) if packed else exact
    taken = store[: made.size] if packed else triangle(a[:n, :n], upper)
    size = (np.abs(np.outer(u, v)) + np.abs(np.outer(v, u))) * abs(alpha[0]) + np.abs(before)
    check(problem, taken, made, _packed(size, upper) if packed else size, 4)


def symm(blas: Blas, problem: Problem) -> None:
    hermitian = problem.is_complex and bool(problem.pick(0, 1))
    name, i = _name(problem, "hemm" if hermitian else "symm")
    side, upper, m, n = problem.pick(LEFT, RIGHT), bool(problem.pick(0, 1)), problem.size(), problem.size()
    order = m if side == LEFT else n
    a, lda = problem.matrix(order, order)
    b, ldb = problem.matrix(m, n)
    c, ldc = problem.matrix(m, n)
    alpha, beta = problem.scalar(), problem.scalar()
    whole, other = symmetric(a[:order, :order], upper, hermitian), b[:m, :n].astype(np.complex128)
    left, right = (whole, other) if side == LEFT else (other, whole)
    if beta[0] == 0:
        c[:, :] = np.nan
    old = c[:m, :n].copy()
    assert blas.call(name, side, int(upper), i(m), i(n), alpha, a, i(lda), b, i(ldb), beta, c, i(ldc)) == 0
    exact = _blend(alpha, left @ right, beta, old)
    check(problem, c[:m, :n], exact, _sizes(alpha, left, right, beta, old), order)


def syrk(blas: Blas, problem: Problem) -> None:
    """syrk, herk, syr2k, her2k, syrkx, herkx."""
    hermitian = problem.is_complex and bool(problem.pick(0, 1))
    form = problem.pick(0, 1, 2)
    kind = ("herk", "her2k", "herkx") if hermitian else ("syrk", "syr2k", "syrkx")
    name, i = _name(problem, kind[form], "" if form == 2 else "_v2")
    n, k, upper, trans = problem.size(), problem.size(), bool(problem.pick(0, 1)), _operation(problem, hermitian)
    shape = (n, k) if trans == N else (k, n)
    a, lda = problem.matrix(*shape)
    b, ldb = problem.matrix(*shape)
    c, ldc = problem.matrix(n, n)
    alpha = problem.scalar(problem.real if hermitian and form == 0 else None)
    beta = problem.scalar(problem.real if hermitian else None)
    if beta[0] == 0:
        c[:, :] = np.nan
    old = c.copy(order="F")
    second = (b, i(ldb)) if form else ()
    flags = int(upper), trans, i(n), i(k)
    assert blas.call(name, *flags, alpha, a, i(lda), *second, beta, c, i(ldc)) == 0
    u = a[: shape[0], : shape[1]].astype(np.complex128)
    v = (b if form else a)[: shape[0], : shape[1]].astype(np.complex128)
    if trans != N:
        u, v = (u.conj().T, v.conj().T) if hermitian else (u.T, v.T)
    product = alpha[0] * (u @ (v.conj().T if hermitian else v.T))
    if form == 1:
        product = product + (product.conj().T if hermitian else product.T)
    kept = beta[0] * triangle(old[:n, :n], upper) if beta[0] != 0 else np.zeros((n, n))
    if hermitian:
        kept[range(n), range(n)] = kept[range(n), range(n)].real
        product[range(n), range(n)] = product[range(n), range(n)].real
    exact = triangle(product + kept, upper)
    sums = np.abs(u) @ np.abs(v).T
    size = abs(alpha[0]) * (sums + sums.T) + np.abs(kept)
    check(problem, triangle(c[:n, :n], upper), exact, size, k)
    outside = np.tril(np.ones((n, n)), -1) > 0 if upper else np.triu(np.ones((n, n)), 1) > 0
    assert np.array_equal(c[:n, :n][outside], old[:n, :n][outside], equal_nan=True)


def trmm(blas: Blas, problem: Problem) -> None:
    """trmm and trsm."""
    solves = bool(problem.pick(0, 1))
    name, i = _name(problem, "trsm" if solves else "trmm")
    side, upper, trans, unit = (
        problem.pick(LEFT, RIGHT),
        bool(problem.pick(0, 1)),
        _operation(problem),
        problem.pick(0, 1),
    )
    m, n = problem.size(), problem.size()
    order = m if side == LEFT else n
    a, lda = _well_conditioned(problem, order)
    half = op(triangle(a[:order, :order], upper, bool(unit)), trans)
    a[:order, :order][triangle(np.ones((order, order)), upper) == 0] = np.nan  # the other half is not read
    b, ldb = problem.matrix(m, n)
    c, ldc = problem.matrix(m, n)
    alpha = problem.scalar()
    old = b[:m, :n].astype(np.complex128)
    flags = side, int(upper), trans, unit, i(m), i(n)
    if solves:
        assert blas.call(name, *flags, alpha, a, i(lda), b, i(ldb)) == 0
        made = b[:m, :n].astype(np.complex128)
        residual = half @ made if side == LEFT else made @ half
        size = np.abs(half) @ np.abs(made) if side == LEFT else np.abs(made) @ np.abs(half)
        check(problem, residual, alpha[0] * old, 2 * size, order)
        return
    assert blas.call(name, *flags, alpha, a, i(lda), b, i(ldb), c, i(ldc)) == 0
    exact = alpha[0] * (half @ old if side == LEFT else old @ half)
    size = abs(alpha[0]) * (np.abs(half) @ np.abs(old) if side == LEFT else np.abs(old) @ np.abs(half))
    check(problem, c[:m, :n], exact, size, order)


def geam(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, "geam", "")
    m, n, ta, tb = problem.size(), problem.size(), _operation(problem), _operation(problem)
    a, lda = problem.matrix(*((m, n) if ta == N else (n, m)))
    b, ldb = problem.matrix(*((m, n) if tb == N else (n, m)))
    c, ldc = problem.matrix(m, n)
    alpha, beta = problem.scalar(), problem.scalar()
    left = op(a[: m if ta == N else n, : n if ta == N else m], ta)
    right = op(b[: m if tb == N else n, : n if tb == N else m], tb)
    if alpha[0] == 0:
        a[:, :] = np.nan
    if beta[0] == 0:
        b[:, :] = np.nan
    assert blas.call(name, ta, tb, i(m), i(n), alpha, a, i(lda), beta, b, i(ldb), c, i(ldc)) == 0
    exact = alpha[0] * left + beta[0] * right
    check(problem, c[:m, :n], exact, np.abs(alpha[0] * left) + np.abs(beta[0] * right), 2)


def dgmm(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, "dgmm", "")
    side, m, n = problem.pick(LEFT, RIGHT), problem.size(), problem.size()
    a, lda = problem.matrix(m, n)
    c, ldc = problem.matrix(m, n)
    x = problem.vector(m if side == LEFT else n)
    assert blas.call(name, side, i(m), i(n), a, i(lda), x.store, i(x.step), c, i(ldc)) == 0
    factors = x.get().astype(np.complex128)
    exact = a[:m, :n] * (factors[:, None] if side == LEFT else factors[None, :])
    check(problem, c[:m, :n], exact, np.abs(exact), 1)


MATRIX_ROUTINES: dict[str, Routine] = {
    each.__name__: each for each in (gemm, gemv, ger, symv, gbmv, sbmv, trmv, rank, symm, syrk, trmm, geam, dgmm)
}
