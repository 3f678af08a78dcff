# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuBLAS's routines in our library and in another one with the same functions: which is right, and how fast each is.

    WARPLOOM_NUM_THREADS=1 OMP_NUM_THREADS=1 python bench/libraries/against_cublas.py .../libcublas.so OTHER.so

needs NumPy. OTHER.so has the CUDA runtime's functions, too. Times are of the processor, the least of runs in turns; an
answer is right within 8 k eps of NumPy's in double precision.
"""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
TYPES: dict[str, Any] = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}


class Library:
    """A library, its handle, and memory of its device."""

    def __init__(self, path: str) -> None:
        self.functions = ctypes.CDLL(path)
        self.handle = ctypes.c_void_p()
        assert self.functions.cublasCreate_v2(ctypes.byref(self.handle)) == 0

    def upload(self, values: Array) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        assert self.functions.cudaMalloc(ctypes.byref(made), ctypes.c_size_t(values.nbytes)) == 0
        source = ctypes.c_void_p(values.ctypes.data)
        assert self.functions.cudaMemcpy(made, source, ctypes.c_size_t(values.nbytes), 1) == 0
        return made

    def download(self, memory: ctypes.c_void_p, like: Array) -> Array:
        result = np.empty_like(like)
        target = ctypes.c_void_p(result.ctypes.data)
        assert self.functions.cudaMemcpy(target, memory, ctypes.c_size_t(result.nbytes), 2) == 0
        return result


@dataclass
class Problem:
    """A call: what stands before and behind alpha, the arrays that it reads, the one that it writes, the answer."""

    name: str
    arguments: Callable[[list[ctypes.c_void_p], Any], list[Any]]
    arrays: list[Array]
    exact: Array
    terms: int


def scalar(kind: Any, value: float) -> Array:
    return np.array([value], kind)


def random(rng: np.random.Generator, kind: Any, *shape: int) -> Array:
    made = rng.standard_normal(shape)
    if np.issubdtype(kind, np.complexfloating):
        made = made + 1j * rng.standard_normal(shape)
    return np.asfortranarray(made.astype(kind))


def wide(values: Array) -> Array:
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)


def problems() -> list[Problem]:
    rng, found = np.random.default_rng(1), list[Problem]()
    for letter, n in (*(("S", n) for n in (64, 256, 512, 1024)), ("D", 256), ("D", 512), ("C", 256), ("Z", 256)):
        kind = TYPES[letter]
        a, b, c = (random(rng, kind, n, n) for _ in range(3))

        def gemm(at: list[ctypes.c_void_p], keep: Any, n: int = n) -> list[Any]:
            return [0, 0, n, n, n, keep[0], at[0], n, at[1], n, keep[1], at[2], n]

        found.append(Problem(f"{letter}gemm_v2 {n}", gemm, [a, b, c], wide(a) @ wide(b), n))
    for letter, n in (("S", 1024), ("D", 1024)):
        a, x, y = (random(rng, TYPES[letter], *shape) for shape in ((n, n), (n,), (n,)))

        def gemv(at: list[ctypes.c_void_p], keep: Any, n: int = n) -> list[Any]:
            return [0, n, n, keep[0], at[0], n, at[1], 1, keep[1], at[2], 1]

        found.append(Problem(f"{letter}gemv_v2 {n}", gemv, [a, x, y], wide(a) @ wide(x), n))
    n, count = 64, 128
    a, b, c = (random(rng, np.float32, n, n, count) for _ in range(3))

    def batch(at: list[ctypes.c_void_p], keep: Any) -> list[Any]:
        step = ctypes.c_longlong(n * n)
        return [0, 0, n, n, n, keep[0], at[0], n, step, at[1], n, step, keep[1], at[2], n, step, count]

    exact = np.einsum("ikb,kjb->ijb", wide(a), wide(b))
    found.append(Problem(f"SgemmStridedBatched {n} x {count}", batch, [a, b, c], exact, n))
    a, c = (random(rng, np.float32, 512, 512) for _ in range(2))
    lower = np.tril(np.ones((512, 512)))

    def syrk(at: list[ctypes.c_void_p], keep: Any) -> list[Any]:
        return [0, 0, 512, 512, keep[0], at[0], 512, keep[1], at[1], 512]

    found.append(Problem("Ssyrk_v2 512", syrk, [a, c], np.where(lower, wide(a) @ wide(a).T, np.nan), 512))
    a, b = random(rng, np.float32, 256, 256) / 256 + np.eye(256, dtype=np.float32), random(rng, np.float32, 256, 256)

    def trsm(at: list[ctypes.c_void_p], keep: Any) -> list[Any]:
        return [0, 0, 0, 0, 256, 256, keep[0], at[0], 256, at[1], 256]

    solution = np.linalg.solve(np.tril(wide(a)), wide(b))
    found.append(Problem("Strsm_v2 256", trsm, [np.asfortranarray(a.astype(np.float32)), b], solution, 256))
    return found


def measure(library: Library, problem: Problem) -> tuple[str, Callable[[], float]]:
    """What is wrong with the answer (nothing: ""), and a function that calls once more and tells the seconds."""
    name = f"cublas{problem.name.split()[0]}"
    kind = problem.arrays[-1].dtype
    one, zero = scalar(kind, 1), scalar(kind, 0)
    keep = [ctypes.c_void_p(one.ctypes.data), ctypes.c_void_p(zero.ctypes.data), one, zero]
    memory = [library.upload(each) for each in problem.arrays]
    if not hasattr(library.functions, name):
        return "missing", lambda: math.nan

    def call() -> float:
        begin = time.process_time()
        status = getattr(library.functions, name)(library.handle, *problem.arguments(memory, keep))
        library.functions.cudaDeviceSynchronize()
        return math.inf if status != 0 else time.process_time() - begin

    if math.isinf(call()):
        return "fails", lambda: math.nan
    result = library.download(memory[-1], problem.arrays[-1])
    known = ~np.isnan(problem.exact)
    error = np.abs(np.where(known, result - np.where(known, problem.exact, 0), 0)).max()
    size = np.abs(problem.exact[known]).max()
    right = error <= 8 * problem.terms * np.finfo(kind).eps * size
    return "" if right else f"wrong by {error / size:.1g}", call


def main(paths: list[str]) -> int:
    ours, other = (Library(path) for path in paths)
    print("| routine | ours, us | other, us | other / ours |\n|---|---:|---:|---:|")
    for problem in problems():
        cells, times = [], []
        runs = [measure(library, problem) for library in (ours, other)]
        for _ in range(7):
            times.append([call() for _, call in runs])
        least = [min(each) for each in zip(*times, strict=True)]
        for (wrong, _), seconds in zip(runs, least, strict=True):
            cells.append(wrong or f"{seconds * 1e6:.0f}")
        print(f"| {problem.name} | {cells[0]} | {cells[1]} | {least[1] / least[0]:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
