# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cublas{S,D,C,Z}{axpy,scal,copy,swap,rot}{,_64} cublasI{s,d,c,z}{amax,amin}{,_64}
# functions: cublas{S,D,Sc,Dz}{nrm2,asum}{,_64} cublas{S,D}{dot,rotm}{,_64} cublas{C,Z}{dotu,dotc}{,_64}
# functions: cublas{Cs,Zd}scal{,_64} cublas{Csrot,Zdrot}{,_64} cublas{S,D,C,Z}rotg cublas{S,D}rotmg
# functions: cublas{S,D,C,Z}{getrf,getrs,getri,matinv,geqrf,gels}Batched
"""Random problems for the routines of cuBLAS on vectors, and for factorisations of batches."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from blas import Array, Blas, Problem, Vector, check, op

linalg: Any = np.linalg  # whose results' types are not told
Routine = Callable[[Blas, Problem], None]


def _name(problem: Problem, name: str) -> tuple[str, type]:
    if problem.rng.random() < 0.3:
        return f"cublas{name}_v2_64", ctypes.c_int64
    return f"cublas{name}_v2", ctypes.c_int


def _length(problem: Problem) -> int:
    """Now and then longer than a piece."""
    return problem.size() if problem.rng.random() < 0.9 else 32768 * 2 + problem.size()


def _exact(vector: Vector) -> Array:
    return vector.get().astype(np.complex128)


def axpy(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, problem.letter + "axpy")
    n = _length(problem)
    x, y, alpha = problem.vector(n), problem.vector(n), problem.scalar()
    before = _exact(y)
    assert blas.call(name, i(n), alpha, x.store, i(x.step), y.store, i(y.step)) == 0
    added = alpha[0] * _exact(x)
    check(problem, y.get(), before + added, np.abs(before) + np.abs(added), 2)


def scal(blas: Blas, problem: Problem) -> None:
    real = problem.is_complex and bool(problem.pick(0, 1))
    prefix = {"C": "Cs", "Z": "Zd"}[problem.letter] if real else problem.letter
    name, i = _name(problem, prefix + "scal")
    n = _length(problem)
    x, alpha = problem.vector(n, increments=(1, 2, 3)), problem.scalar(problem.real if real else None)
    before = _exact(x)
    assert blas.call(name, i(n), alpha, x.store, i(x.step)) == 0
    check(problem, x.get(), alpha[0] * before, np.abs(alpha[0] * before), 2)


def copy_and_swap(blas: Blas, problem: Problem) -> None:
    name, i = _name(problem, problem.letter + "copy")
    n = _length(problem)
    x, y, z = problem.vector(n), problem.vector(n), problem.vector(n)
    assert blas.call(name, i(n), x.store, i(x.step), y.store, i(y.step)) == 0
    assert np.array_equal(x.get(), y.get())
    before = z.get().copy()
    name, i = _name(problem, problem.letter + "swap")
    assert blas.call(name, i(n), y.store, i(y.step), z.store, i(z.step)) == 0
    assert np.array_equal(z.get(), x.get())
    assert np.array_equal(y.get(), before)


def dot(blas: Blas, problem: Problem) -> None:
    conjugated = problem.is_complex and bool(problem.pick(0, 1))
    kind = ("dotc" if conjugated else "dotu") if problem.is_complex else "dot"
    name, i = _name(problem, problem.letter + kind)
    n = _length(problem)
    x, y, result = problem.vector(n), problem.vector(n), problem.numbers(1)
    assert blas.call(name, i(n), x.store, i(x.step), y.store, i(y.step), result) == 0
    left = _exact(x).conj() if conjugated else _exact(x)
    check(problem, result, np.sum(left * _exact(y)), np.sum(np.abs(left * _exact(y))), n)


def norms(blas: Blas, problem: Problem) -> None:
    prefix = {"S": "S", "D": "D", "C": "Sc", "Z": "Dz"}[problem.letter]
    n = _length(problem)
    scale = problem.pick(0, 0, 1, -1) * (15 if problem.letter in "SC" else 200)
    x = problem.vector(n, increments=(1, 2, 3))
    x.set(x.get() * problem.kind(10.0**scale))
    result = np.zeros(1, problem.real)
    name, i = _name(problem, prefix + "nrm2")
    assert blas.call(name, i(n), x.store, i(x.step), result) == 0
    with np.errstate(over="ignore"):
        exact = np.linalg.norm(_exact(x) * 10.0**-scale) * 10.0**scale
    check(problem, result, exact, exact, n)
    name, i = _name(problem, prefix + "asum")
    assert blas.call(name, i(n), x.store, i(x.step), result) == 0
    total = np.sum(np.abs(_exact(x).real) + np.abs(_exact(x).imag))
    check(problem, result, total, total, n)


def extremes(blas: Blas, problem: Problem) -> None:
    n = _length(problem)
    x = problem.vector(n, increments=(1, 2, 3))
    values = (x.get() * problem.kind(3)).round()  # with equal ones
    if n and problem.pick(0, 1):
        values[problem.rng.integers(n)] = np.nan
    x.set(values)
    sizes = np.abs(values.real) + np.abs(values.imag)
    for kind in ("amax", "amin"):
        name, i = _name(problem, f"I{problem.letter.lower()}{kind}")
        result = np.full(1, -7, np.int64 if i is ctypes.c_int64 else np.int32)
        assert blas.call(name, i(n), x.store, i(x.step), result) == 0
        if n == 0 or np.all(np.isnan(sizes)):
            assert result[0] == (n > 0)
            continue
        extreme = np.nanmax(sizes) if kind == "amax" else np.nanmin(sizes)
        first_of_largest = 0 if kind == "amax" and extreme == 0 else int(np.argmax(sizes == extreme))
        assert result[0] == 1 + first_of_largest, (problem, kind)


def rot(blas: Blas, problem: Problem) -> None:
    real = problem.is_complex and bool(problem.pick(0, 1))
    prefix = {"C": "Cs", "Z": "Zd"}[problem.letter] if real else problem.letter
    name, i = _name(problem, prefix + "rot")
    n = _length(problem)
    x, y = problem.vector(n), problem.vector(n)
    c, s = problem.scalar(problem.real), problem.scalar(problem.real if real else None)
    u, v = _exact(x), _exact(y)
    assert blas.call(name, i(n), x.store, i(x.step), y.store, i(y.step), c, s) == 0
    size = np.abs(c[0] * u) + np.abs(s[0] * v) + np.abs(c[0] * v) + np.abs(s[0] * u)
    check(problem, x.get(), c[0] * u + s[0] * v, size, 2)
    check(problem, y.get(), c[0] * v - np.conj(s[0]) * u, size, 2)


def rotg(blas: Blas, problem: Problem) -> None:
    a, b, c, s = problem.numbers(1), problem.numbers(1), np.zeros(1, problem.real), problem.numbers(1)
    first, second = complex(a[0]), complex(b[0])
    assert blas.call(f"cublas{problem.letter}rotg_v2", a, b, c, s) == 0
    size = np.array(abs(first) + abs(second))
    check(problem, np.array(c[0] * first + s[0] * second), np.array(complex(a[0])), size, 8)
    check(problem, np.array(c[0] * second - np.conj(s[0]) * first), np.array(0j), size, 8)


def rotm(blas: Blas, problem: Problem) -> None:
    if problem.is_complex:
        return
    d1, d2, x1, y1, p = (np.abs(problem.numbers(1)) for _ in range(5))
    p = np.zeros(5, problem.kind)
    old = float(x1[0]), float(y1[0])
    assert blas.call(f"cublas{problem.letter}rotmg_v2", d1, d2, x1, y1, p) == 0
    x, y = Vector(np.array(old[:1], problem.kind), 1, 1), Vector(np.array(old[1:], problem.kind), 1, 1)
    name, i = _name(problem, problem.letter + "rotm")
    assert blas.call(name, i(1), x.store, i(1), y.store, i(1), p) == 0
    size = np.array([abs(old[0]) + abs(old[1])]) * (1 + np.max(np.abs(p)))
    check(problem, x.get(), x1.astype(np.complex128), size, 8)
    check(problem, y.get(), np.zeros(1, np.complex128), size, 8)


def _addresses(arrays: list[Array]) -> Array:
    return np.array([each.ctypes.data for each in arrays], np.uint64)


def lu(blas: Blas, problem: Problem) -> None:
    """getrf, getrs, getri and matinv, with and without exchanges of rows."""
    n, count, trans, columns = problem.size(1) % 34 + 1, problem.pick(1, 3), problem.pick(0, 1, 2), problem.pick(1, 4)
    pivoting = bool(problem.pick(0, 1))
    start = "cublas" + problem.letter
    originals = [
        problem.numbers(n, n) + (0 if pivoting else 2 * n) * np.eye(n, dtype=problem.kind) for _ in range(count)
    ]
    work = [np.asfortranarray(each.copy()) for each in originals]
    right = [problem.numbers(n, columns) for _ in range(count)]
    made = [each.copy(order="F") for each in right]
    inverses = [np.zeros((n, n), problem.kind, order="F") for _ in range(count)]
    pivots = np.zeros(n * count, np.int32) if pivoting else None
    info = np.full(count, -1, np.int32)
    a, b, c = _addresses(work), _addresses(made), _addresses(inverses)
    assert blas.call(start + "getrfBatched", n, a, n, pivots, info, count) == 0
    assert not info.any()
    assert blas.call(start + "getrsBatched", trans, n, columns, a, n, pivots, b, n, info[:1], count) == 0
    assert blas.call(start + "getriBatched", n, a, n, pivots, c, n, info, count) == 0
    for original, solution, rhs, inverse in zip(originals, made, right, inverses, strict=True):
        left = op(original, trans)
        condition = float(np.linalg.cond(left))
        size = np.abs(left) @ np.abs(solution.astype(np.complex128)) + np.abs(rhs)
        check(problem, left @ solution, rhs.astype(np.complex128), size * condition, 4 * n)
        check(
            problem,
            original.astype(np.complex128) @ inverse,
            np.eye(n) + 0j,
            np.full((n, n), condition**1.5 + 1),
            8 * n,
        )
    if n <= 32:
        source = _addresses([np.asfortranarray(each) for each in originals])
        kept = [np.asfortranarray(each) for each in originals]
        source = _addresses(kept)
        assert blas.call(start + "matinvBatched", n, source, n, c, n, info, count) == 0
        for original, inverse in zip(originals, inverses, strict=True):
            bound = np.full((n, n), float(np.linalg.cond(original)) ** 1.5 + 1)
            check(problem, original.astype(np.complex128) @ inverse, np.eye(n) + 0j, bound, 8 * n)


def qr(blas: Blas, problem: Problem) -> None:
    """geqrf and gels."""
    n = problem.size(1) % 20 + 1
    m, columns, count = n + problem.pick(0, 1, 7), problem.pick(1, 3), problem.pick(1, 3)
    start = "cublas" + problem.letter
    originals = [problem.numbers(m, n) for _ in range(count)]
    work = [each.copy(order="F") for each in originals]
    taus = [np.zeros(n, problem.kind) for _ in range(count)]
    info = np.full(1, -1, np.int32)
    assert blas.call(start + "geqrfBatched", m, n, _addresses(work), m, _addresses(taus), info, count) == 0
    assert info[0] == 0
    for original, factored in zip(originals, work, strict=True):
        r = np.triu(factored[:n].astype(np.complex128))
        exact = original.astype(np.complex128)
        size = np.full((n, n), float(np.linalg.norm(exact) ** 2))
        check(problem, r.conj().T @ r, exact.conj().T @ exact, size, 4 * m)
    work = [each.copy(order="F") for each in originals]
    right = [problem.numbers(m, columns) for _ in range(count)]
    made = [each.copy(order="F") for each in right]
    infos = np.full(count, -1, np.int32)
    status = blas.call(
        start + "gelsBatched", 0, m, n, columns, _addresses(work), m, _addresses(made), m, info, infos, count
    )
    assert status == 0
    assert not infos.any()
    for original, solution, rhs in zip(originals, made, right, strict=True):
        exact = original.astype(np.complex128)
        best: Array = linalg.pinv(exact) @ rhs.astype(np.complex128)
        size = np.full(best.shape, float(np.linalg.cond(exact)) ** 2 * (np.max(np.abs(best)) + np.max(np.abs(rhs))))
        check(problem, solution[:n], best, size, 4 * m)


VECTOR_ROUTINES: dict[str, Routine] = {
    each.__name__: each for each in (axpy, scal, copy_and_swap, dot, norms, extremes, rot, rotg, rotm, lu, qr)
}
