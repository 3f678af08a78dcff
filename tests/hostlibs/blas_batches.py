# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cublas{S,D,C,Z}{gemmBatched,gemmStridedBatched,gemvBatched,gemvStridedBatched,trsmBatched}{,_64}
# functions: cublas{C,Z}gemm3m{,_64} cublas{S,D,C,Z}{tpttr,trttp}
# functions: cublas{DotEx,DotcEx,Nrm2Ex,AsumEx,AxpyEx,ScalEx,CopyEx,SwapEx,IamaxEx,IaminEx}{,_64}
# functions: cublasGemmStridedBatchedEx{,_64} cublasHgemmStridedBatched{,_64}
"""Random problems for cuBLAS's batches, and for vectors of small numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from blas import Array, Blas, Problem, check, op, triangle

Routine = Callable[[Blas, Problem], None]
SMALL = (0, 1, 2, 3, 7, 16, 33, 65)


def _form(problem: Problem, name: str) -> tuple[str, type]:
    return (name + "_64", ctypes.c_int64) if problem.pick(0, 1) else (name, ctypes.c_int)


def _addresses(batch: Array) -> Array:
    return np.array([each.ctypes.data for each in batch], np.uint64)


def _batch(problem: Problem, count: int, rows: int, columns: int) -> Array:
    """Matrices in columns, one behind the other: the last two axes are turned."""
    return np.ascontiguousarray(problem.numbers(max(1, columns), max(1, rows), count).transpose(2, 0, 1))


def gemm_batches(blas: Blas, problem: Problem) -> None:
    m, n, k = (problem.pick(*SMALL) for _ in range(3))
    ta, tb, count = problem.pick(0, 1, 2), problem.pick(0, 1, 2), problem.pick(0, 1, 5)
    a = _batch(problem, count, *((m, k) if ta == 0 else (k, m)))
    b = _batch(problem, count, *((k, n) if tb == 0 else (n, k)))
    c = _batch(problem, count, m, n)
    alpha, beta, old = problem.scalar(), problem.scalar(), c.copy()
    strided = bool(problem.pick(0, 1))
    name, i = _form(problem, f"cublas{problem.letter}gemm{'Strided' if strided else ''}Batched")
    if problem.is_complex and count == 1:
        name, i = _form(problem, f"cublas{problem.letter}gemm3m")
    flags = ta, tb, i(m), i(n), i(k), alpha
    lds = i(a.shape[2]), i(b.shape[2]), i(c.shape[2])
    if "3m" in name:
        status = blas.call(name, *flags, a, lds[0], b, lds[1], beta, c, lds[2])
    elif strided:
        steps = [ctypes.c_longlong(each.shape[1] * each.shape[2]) for each in (a, b, c)]
        ends = a, lds[0], steps[0], b, lds[1], steps[1], beta, c, lds[2], steps[2], i(count)
        status = blas.call(name, *flags, *ends)
    else:
        ends = _addresses(a), lds[0], _addresses(b), lds[1], beta, _addresses(c), lds[2], i(count)
        status = blas.call(name, *flags, *ends)
    assert status == 0
    for left, right, made, before in zip(a, b, c, old, strict=True):
        x = op(left.T[: (m if ta == 0 else k), : (k if ta == 0 else m)], ta)
        y = op(right.T[: (k if tb == 0 else n), : (n if tb == 0 else k)], tb)
        kept = beta[0] * before.T[:m, :n].astype(np.complex128)
        size = abs(alpha[0]) * (np.abs(x) @ np.abs(y)) + np.abs(kept)
        check(problem, made.T[:m, :n], alpha[0] * (x @ y) + kept, size, k)


def gemv_batches(blas: Blas, problem: Problem) -> None:
    m, n, trans, count = problem.pick(1, 7, 65), problem.pick(1, 9, 64), problem.pick(0, 1, 2), problem.pick(1, 4)
    a = _batch(problem, count, m, n)
    inner, outer = (n, m) if trans == 0 else (m, n)
    x, y = _batch(problem, count, inner, 1), _batch(problem, count, outer, 1)
    alpha, beta, old = problem.scalar(), problem.scalar(), y.copy()
    if problem.pick(0, 1):
        name, i = _form(problem, f"cublas{problem.letter}gemvStridedBatched")
        steps = [ctypes.c_longlong(size) for size in (m * n, inner, outer)]
        ends = a, i(m), steps[0], x, i(1), steps[1], beta, y, i(1), steps[2], i(count)
    else:
        name, i = _form(problem, f"cublas{problem.letter}gemvBatched")
        ends = _addresses(a), i(m), _addresses(x), i(1), beta, _addresses(y), i(1), i(count)
    assert blas.call(name, trans, i(m), i(n), alpha, *ends) == 0
    for matrix, vector, made, before in zip(a, x, y, old, strict=True):
        left, right = op(matrix.T, trans), vector[0].astype(np.complex128)
        kept = beta[0] * before[0].astype(np.complex128)
        size = abs(alpha[0]) * (np.abs(left) @ np.abs(right)) + np.abs(kept)
        check(problem, made[0], alpha[0] * (left @ right) + kept, size, inner)


def trsm_batches(blas: Blas, problem: Problem) -> None:
    m, n, count, upper, trans = problem.pick(1, 7, 33), problem.pick(1, 5), 3, problem.pick(0, 1), problem.pick(0, 1, 2)
    a, b = _batch(problem, count, m, m), _batch(problem, count, m, n)
    a[:, range(m), range(m)] += problem.kind(m)
    old, alpha = b.copy(), problem.scalar()
    name, i = _form(problem, f"cublas{problem.letter}trsmBatched")
    ends = _addresses(a), i(m), _addresses(b), i(m), i(count)
    assert blas.call(name, 0, upper, trans, 0, i(m), i(n), alpha, *ends) == 0
    for matrix, made, before in zip(a, b, old, strict=True):
        left, solution = op(triangle(matrix.T, bool(upper)), trans), made.T.astype(np.complex128)
        exact = alpha[0] * before.T.astype(np.complex128)
        check(problem, left @ solution, exact, 2 * (np.abs(left) @ np.abs(solution)) + np.abs(exact), m)


def packing(blas: Blas, problem: Problem) -> None:
    n, upper = problem.size(1), bool(problem.pick(0, 1))
    a, lda = problem.matrix(n, n)
    packed, back = problem.numbers(n * (n + 1) // 2), np.zeros((n, n), problem.kind, order="F")
    assert blas.call(f"cublas{problem.letter}trttp", int(upper), n, a, lda, packed) == 0
    assert blas.call(f"cublas{problem.letter}tpttr", int(upper), n, packed, back, n) == 0
    assert np.array_equal(triangle(a[:n, :n], upper), back.astype(np.complex128))


# The type's number for cuBLAS's functions that take one, and whether its numbers are small.
KINDS = {"S": (0, np.float32), "D": (1, np.float64), "C": (4, np.complex64), "Z": (5, np.complex128)}


def typed_vectors(blas: Blas, problem: Problem) -> None:
    small = problem.letter == "S" and bool(problem.pick(0, 1))
    number, kind = (2, np.float16) if small else KINDS[problem.letter]
    run = 0 if small else number
    real, real_run = {4: (0, 0), 5: (1, 1)}.get(number, (number, run))
    n = problem.pick(0, 1, 5, 100, 40_000)
    x, y = problem.numbers(n).astype(kind) / kind(4), problem.numbers(n).astype(kind)
    eps, least = float(np.finfo(kind).eps), float(np.finfo(kind).smallest_subnormal)
    exact_x, exact_y = x.astype(np.complex128), y.astype(np.complex128)
    result, norm = np.zeros(1, kind), np.zeros(1, kind().real.dtype)

    def near(made: Array, exact: Array, size: Array) -> None:
        bound = 4 * eps * np.abs(exact) + 4 * (n + 4) * problem.eps * size + max(least, 1e-30)
        assert bool(np.all(np.abs(made.astype(np.complex128) - exact) <= bound)), problem

    for name, left in (("cublasDotEx", exact_x), ("cublasDotcEx", exact_x.conj())):
        name, i = _form(problem, name)
        assert blas.call(name, i(n), x, number, i(1), y, number, i(1), result, number, run) == 0
        near(result, np.sum(left * exact_y), np.sum(np.abs(left * exact_y)))
    name, i = _form(problem, "cublasNrm2Ex")
    assert blas.call(name, i(n), x, number, i(1), norm, real, real_run) == 0
    near(norm, np.sqrt(np.sum(np.abs(exact_x) ** 2)), np.sqrt(np.sum(np.abs(exact_x) ** 2)))
    if n < 1000 or not small:  # the largest half is 65,504
        name, i = _form(problem, "cublasAsumEx")
        assert blas.call(name, i(n), x, number, i(1), norm, real, real_run) == 0
        total = np.sum(np.abs(exact_x.real) + np.abs(exact_x.imag))
        near(norm, total, total)
    alpha = np.array([1.5], np.float32 if small else kind)
    name, i = _form(problem, "cublasAxpyEx")
    assert blas.call(name, i(n), alpha, run, x, number, i(1), y, number, i(1), run) == 0
    near(y, exact_y + 1.5 * exact_x, np.abs(exact_y) + 1.5 * np.abs(exact_x))
    name, i = _form(problem, "cublasScalEx")
    assert blas.call(name, i(n), alpha, run, x, number, i(1), run) == 0
    near(x, 1.5 * exact_x, np.abs(exact_x))
    _move(blas, problem, number, x)


def _move(blas: Blas, problem: Problem, number: int, x: Array) -> None:
    n, other, third = x.size, np.zeros_like(x), np.ones_like(x)
    name, i = _form(problem, "cublasCopyEx")
    assert blas.call(name, i(n), x, number, i(1), other, number, i(1)) == 0
    assert np.array_equal(x, other)
    name, i = _form(problem, "cublasSwapEx")
    assert blas.call(name, i(n), other, number, i(1), third, number, i(1)) == 0
    assert np.array_equal(third, x)
    if n == 0 or problem.is_complex:
        return
    for kind, place in (("cublasIamaxEx", np.argmax(np.abs(x))), ("cublasIaminEx", np.argmin(np.abs(x)))):
        name, i = _form(problem, kind)
        found = np.zeros(1, np.int64 if i is ctypes.c_int64 else np.int32)
        assert blas.call(name, i(n), x, number, i(1), found) == 0
        assert found[0] == place + 1


def half_batches(blas: Blas, problem: Problem) -> None:
    if problem.letter != "S":
        return
    m, n, k, count = problem.pick(1, 8, 33), problem.pick(1, 8, 40), problem.pick(1, 64, 600), problem.pick(1, 3)
    a, b = (_batch(problem, count, *shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((count, n, m), np.float16)
    steps = [ctypes.c_longlong(size) for size in (m * k, k * n, m * n)]
    if problem.pick(0, 1):
        name, i = _form(problem, "cublasHgemmStridedBatched")
        one, zero = np.array([1], np.float16), np.array([0], np.float16)
        ends = one, a, i(m), steps[0], b, i(k), steps[1], zero, c, i(m), steps[2], i(count)
    else:
        name, i = _form(problem, "cublasGemmStridedBatchedEx")
        one, zero = np.array([1], np.float32), np.array([0], np.float32)
        ends = one, a, 2, i(m), steps[0], b, 2, i(k), steps[1], zero, c, 2, i(m), steps[2], i(count), 68, -1
    assert blas.call(name, 0, 0, i(m), i(n), i(k), *ends) == 0
    for left, right, made in zip(a, b, c, strict=True):
        x, y = left.T.astype(np.float64), right.T.astype(np.float64)
        bound = 2.0**-10 * np.abs(x @ y) + 4 * (k + 4) * problem.eps * (np.abs(x) @ np.abs(y)) + 1e-7
        assert bool(np.all(np.abs(made.T - x @ y) <= bound)), problem


BATCH_ROUTINES: dict[str, Routine] = {
    each.__name__: each for each in (gemm_batches, gemv_batches, trsm_batches, packing, typed_vectors, half_batches)
}
