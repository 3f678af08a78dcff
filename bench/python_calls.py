# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel costs from Python: to compile, to load from the cache, to call.

    python bench/python_calls.py [--rounds N] [--numba PYTHON]

Times are the smallest of several rounds, by the clock; beside those of compilations the time of processors that this
process and its children spent. `--numba`: an interpreter with numba, whose dispatch of a compiled function with four
arrays is measured as well (this one, where it has numba).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable

SOURCE = """extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] + %d;
}"""
FOUR = """extern "C" __global__ void four(const float *a, const float *b, const float *c, float *d) {
  d[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x] + c[threadIdx.x];
}"""
COLD = """
import time
started = time.perf_counter()
from warploom.compiler.service import Request, compile_module
compile_module(Request({source!r}))
print(time.perf_counter() - started)
"""
LOADED = """
import time
import numpy, warploom
from warploom.api.module import RawKernel
from warploom.api.runtime import runtime
runtime()
started = time.perf_counter()
RawKernel({source!r}, "axpy").compile()
print(time.perf_counter() - started)
"""
NUMBA = """
import time
import numpy, numba
@numba.njit
def four(a, b, c, d):
    for i in range(a.size):
        d[i] = a[i] * b[i] + c[i]
arrays = [numpy.ones(32, numpy.float32) for _ in range(4)]
four(*arrays)
best = 1.0
for _ in range(200):
    started = time.perf_counter()
    for _ in range(1000):
        four(*arrays)
    best = min(best, (time.perf_counter() - started) / 1000)
print(best)
"""


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    kinds = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in kinds)


def smallest(rounds: int, action: Callable[[int], float | None]) -> tuple[float, float]:
    """The smallest time of `action`, by the clock or as it says itself, and the smallest of processors, in seconds."""
    walls: list[float] = []
    processors: list[float] = []
    for number in range(rounds):
        wall, processor = time.perf_counter(), processor_seconds()
        said = action(number)
        walls.append(said if said is not None else time.perf_counter() - wall)
        processors.append(processor_seconds() - processor)
    return min(walls), min(processors)


def child(python: str, code: str) -> float:
    """What a program that prints seconds says."""
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def call_time(rounds: int) -> tuple[float, float]:
    """A call of a ready kernel of one warp with four arrays."""
    import numpy as np

    import warploom

    kernel = warploom.RawKernel(FOUR, "four")
    arrays = tuple(np.ones(32, np.float32) for _ in range(4))

    def thousand(_number: int) -> None:
        for _ in range(1000):
            kernel(1, 32, arrays)

    thousand(0)
    wall, processor = smallest(20 * rounds, thousand)
    return wall / 1000, processor / 1000


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--numba", default=sys.executable)
    given = parser.parse_args()
    from warploom.compiler.service import Request, compile_module

    fresh = time.time_ns()
    compile_module(Request(SOURCE % (fresh % 10**9)))  # headers are precompiled when they are wanted again
    compile_module(Request(SOURCE % 1))

    def cold(number: int) -> float:
        return child(sys.executable, COLD.format(source=SOURCE % ((fresh + number + 1) % 10**9)))

    def second(number: int) -> None:
        compile_module(Request(SOURCE % ((fresh - number - 1) % 10**9)))

    def loaded(_number: int) -> float:
        return child(sys.executable, LOADED.format(source=SOURCE % 1))

    rows = [
        ("first kernel of a process, loading the compiler included", *smallest(given.rounds, cold), 1e3, "ms"),
        ("another kernel", *smallest(given.rounds, second), 1e3, "ms"),
        ("a kernel from the cache, in another process", smallest(given.rounds, loaded)[0], None, 1e3, "ms"),
        ("a call with four arrays", *call_time(given.rounds), 1e6, "us"),
    ]
    try:
        rows.append(("numba's dispatch of a function with four arrays", child(given.numba, NUMBA), None, 1e6, "us"))
    except subprocess.CalledProcessError:
        print(f"{given.numba} has no numba")
    for name, wall, processor, scale, unit in rows:
        spent = f"; of processors {scale * processor:.2f}" if processor is not None else ""
        print(f"{name}: {scale * wall:.2f} {unit}{spent}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
