# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vector math library: its speed against the C library, and its largest errors over all floats.

    python bench/vector_math.py [--cpu x86-64-v4] [--lanes 16] [--only exp,log]      ns an element
    python bench/vector_math.py --exhaustive [--stride 61] [--jobs 32]     every float (or one of 61), for functions of
                                                                           one float argument

One line a function. `ulps`: the largest distance from the exact result; `off`: from the correctly rounded one, in
floats, which is what NVIDIA documents. The reference is the C library's double function, for erfinv and its like a
long double iteration.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "backend"))

from vector_math_harness import DTYPES, Harness, Worst, build

from warploom.backend import vector_math
from warploom.ir import vector_functions
from warploom.toolchain import find_toolchain

CHUNK = 1 << 20
ELEMENTS = 2048  # in the first-level cache
REPEAT = 100
# Typical arguments, where they are not in [0.1, 10].
RANGES = {
    "sin": (-10, 10), "cos": (-10, 10), "tan": (-10, 10), "sinpi": (-4, 4), "cospi": (-4, 4), "asin": (-1, 1),
    "acos": (-1, 1), "atanh": (-1, 1), "erfinv": (-1, 1), "erfcinv": (0, 2), "exp": (-10, 10), "exp2": (-10, 10),
    "exp10": (-10, 10), "expm1": (-3, 3), "tanh": (-3, 3), "sinh": (-5, 5), "cosh": (-5, 5), "erf": (-3, 3),
    "erfc": (-3, 3), "normcdf": (-4, 4), "acosh": (1, 10), "asinh": (-10, 10), "atan": (-5, 5),
}  # fmt: skip


def exhaustive(harness: Harness, name: str, stride: int, jobs: int) -> Worst:
    """The largest errors over all 2^32 floats, or each that follows `stride` after another."""

    def part(start: int) -> Worst:
        stop = min(start + CHUNK * stride, 1 << 32)
        with np.errstate(all="ignore"):  # of this thread
            x = np.arange(start, stop, stride, dtype=np.uint64).astype(np.uint32).view(np.float32)
            if name == "lgamma":  # documented outside of the interval where log Gamma has its zeros
                x = np.where((x > -10.001) & (x < -2.264), np.float32(1.5), x)
            return harness.worst(name, "f32", x)

    with ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(part, range(0, 1 << 32, CHUNK * stride)))
    worst = max(parts, key=lambda each: each.ulps)
    furthest = max(parts, key=lambda each: each.distance)
    worst.distance, worst.distance_x = furthest.distance, furthest.distance_x
    return worst


def best_time(run: Callable[[], object]) -> float:
    """Seconds of the fastest of many runs."""
    best = float("inf")
    stop = time.perf_counter() + 0.05
    while time.perf_counter() < stop:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def speed(harness: Harness, name: str, kind: str) -> tuple[float, float | None]:
    """Nanoseconds an element: the vector function and the C library's."""
    low, high = RANGES.get(name.removeprefix("fast_"), (0.1, 10))
    rng = np.random.default_rng(1)
    x, y = (rng.uniform(low, high, ELEMENTS).astype(DTYPES[kind]) for _ in range(2))
    result = np.empty_like(x)
    pointers = [each.ctypes.data for each in (result, x, y)]
    loop = ctypes.cast(harness.raw(name, kind), ctypes.c_void_p)
    arguments = [loop, ctypes.c_long(REPEAT), *map(ctypes.c_void_p, pointers), ctypes.c_long(ELEMENTS // harness.lanes)]
    vector = best_time(lambda: harness.compiled["repeat"](*arguments)) / REPEAT
    scalar: Any = harness.compiled[f"scalar_{kind}"]
    words = [name.removeprefix("fast_").encode(), ctypes.c_long(ELEMENTS)]
    words += [ctypes.c_void_p(pointer) for pointer in (pointers[1], pointers[2], pointers[0])]
    if scalar(*words) != 0:
        return vector / ELEMENTS * 1e9, None
    return vector / ELEMENTS * 1e9, best_time(lambda: scalar(*words)) / ELEMENTS * 1e9


def print_speed(harness: Harness, names: list[tuple[str, str]]) -> None:
    """A table of the speed of each function."""
    print(f"{'function':14s} type  vector ns  libm ns  ratio")
    for name, kind in names:
        vector, scalar = speed(harness, name, kind)
        rest = f"{scalar:8.2f} {scalar / vector:6.1f}" if scalar else "       -      -"
        print(f"{name:14s} {kind} {vector:10.3f} {rest}", flush=True)


def print_errors(harness: Harness, names: list[str], stride: int, jobs: int) -> None:
    """The largest errors of each function over all floats."""
    for name in names:
        start = time.time()
        worst = exhaustive(harness, name, stride, jobs)
        off = f"off {worst.distance} at {worst.distance_x!r}"
        print(f"{name:9s} ulps {worst.ulps:.3f} at {worst.ulps_x!r}, {off}, {time.time() - start:.0f} s", flush=True)


def main() -> None:
    """See the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--stride", type=int, default=1, help="try one float of so many")
    parser.add_argument("--jobs", type=int, default=1, help="threads for --exhaustive")
    parser.add_argument("--only", default="")
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--lanes", type=int, default=16)
    options = parser.parse_args()
    only: list[str] = [name for name in options.only.split(",") if name]
    kinds = ["f32"] if options.exhaustive else list(vector_math.TYPES)
    names: list[tuple[str, str]] = [
        (name, kind) for kind in kinds for name in vector_functions.functions(kind) if not only or name in only
    ]
    if options.exhaustive:
        names = [pair for pair in names if pair[0] not in vector_functions.TWO_ARGUMENTS and "fast" not in pair[0]]
    with tempfile.TemporaryDirectory() as folder:
        harness = build(find_toolchain(), [f"-march={options.cpu}"], options.lanes, names, Path(folder), optimise=True)
        if options.exhaustive:
            print_errors(harness, [name for name, _ in names], options.stride, options.jobs)
        else:
            print_speed(harness, names)


if __name__ == "__main__":
    main()
