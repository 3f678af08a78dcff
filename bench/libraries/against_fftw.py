# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our cuFFT beside FFTW on one thread: ratios of FFTW's time to ours.

    WARPLOOM_NUM_THREADS=1 python bench/libraries/against_fftw.py LIB64 libfftw3.so.3 libfftw3f.so.3

needs NumPy; FFTW is Debian's packages `libfftw3-double3` and `libfftw3-single3`. FFTW's plans are measured ones
(FFTW_MEASURE). Times are of the processor, the least of runs in turns.
"""

from __future__ import annotations

import ctypes
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from against_mkl import C2C, Z2Z, Array, address, ratio

FORWARD, FFTW_MEASURE = -1, 0
IN_ALL = 16384  # values, where a table's shapes are small
TABLES = {
    "large": [(n, max(1, 2**18 // n)) for n in (64, 256, 1000, 4096, 10007, 65536, 262144)],
    "8 to 4,096 values": [(2**k, IN_ALL >> k) for k in range(3, 13)],
    "2 to 16 values": [(n, IN_ALL // n) for n in range(2, 17)],
    "other even lengths": [(n, IN_ALL // n) for n in (12, 20, 24, 48, 60, 96, 120, 240, 480, 960, 1920)],
}


def aligned(shape: tuple[int, int], kind: type) -> Array:
    """Zeros that begin where a line of the cache does, as memory of cudaMalloc and of fftw_malloc does."""
    size, unit = int(np.prod(shape)) * np.dtype(kind).itemsize, 256
    area = np.zeros(size + unit, np.uint8)
    begin = -area.ctypes.data % unit
    return area[begin : begin + size].view(kind).reshape(shape)


def plan_of(fftw: ctypes.CDLL, prefix: str, shape: tuple[int, int], x: Array, y: Array) -> tuple[Any, ctypes.c_void_p]:
    """FFTW's `execute` and a plan from x to y; planning overwrites both."""
    (n, batch), make = shape, getattr(fftw, f"{prefix}_plan_many_dft")
    make.restype = ctypes.c_void_p
    length = ctypes.c_int(n)
    plan = make(
        1, ctypes.byref(length), batch, address(x), None, 1, n, address(y), None, 1, n, FORWARD, FFTW_MEASURE
    )  # fmt: skip
    assert plan
    return getattr(fftw, f"{prefix}_execute"), ctypes.c_void_p(plan)


def compare(folder: Path, double_fftw: ctypes.CDLL, single_fftw: ctypes.CDLL) -> None:
    """Complex to complex, forward, out of place."""
    library, rng = ctypes.CDLL(str(folder / "libcufft.so")), np.random.default_rng(1)
    for table, shapes in TABLES.items():
        print(f"\n{table}\n\n| transform | ours, us | FFTW, us | FFTW / ours |\n|---|---:|---:|---:|")
        ratios: list[float] = []
        for double, shape in [(double, shape) for double in (False, True) for shape in shapes]:
            n, batch = shape
            x, y, z = (aligned((batch, n), np.complex128 if double else np.complex64) for _ in range(3))
            fftw, prefix = (double_fftw, "fftw") if double else (single_fftw, "fftwf")
            execute, other_plan = plan_of(fftw, prefix, shape, x, z)
            x[...] = rng.standard_normal((batch, n)) + 1j * rng.standard_normal((batch, n))
            plan = ctypes.c_int()
            assert library.cufftPlan1d(ctypes.byref(plan), n, Z2Z if double else C2C, batch) == 0
            run = library.cufftExecZ2Z if double else library.cufftExecC2C
            arguments, wait = (plan, address(x), address(y), FORWARD), library.cudaDeviceSynchronize

            def ours(run: Any = run, arguments: tuple[Any, ...] = arguments, wait: Any = wait) -> None:
                run(*arguments)
                wait()

            other = partial(execute, other_plan)
            ours()
            other()
            assert np.abs(y - z).max() < 1e-4 * np.abs(z).max()
            seconds = ratio(ours, other, max(3, 2**18 // (n * batch)))
            ratios.append(seconds[1] / seconds[0])
            name = f"{n} x {batch} {'double' if double else 'float'}"
            print(f"| {name} | {seconds[0] * 1e6:.1f} | {seconds[1] * 1e6:.1f} | {ratios[-1]:.2f} |", flush=True)
        print(f"\ngeometric mean {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    compare(Path(sys.argv[1]), ctypes.CDLL(sys.argv[2]), ctypes.CDLL(sys.argv[3]))
