# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our cuFFT and cuSPARSE beside MKL on one thread: ratios of its time to ours.

    WARPLOOM_NUM_THREADS=1 MKL_NUM_THREADS=1 python bench/libraries/against_mkl.py LIB64 libmkl_rt.so [fft|spmv]

needs NumPy. Times are of the processor, the least of runs in turns.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Array = Any
ROUNDS = 40
DFTI_SINGLE, DFTI_DOUBLE, DFTI_COMPLEX = 35, 36, 32
DFTI_PLACEMENT, DFTI_NOT_INPLACE, DFTI_NUMBER_OF_TRANSFORMS = 11, 44, 7
DFTI_INPUT_DISTANCE, DFTI_OUTPUT_DISTANCE = 14, 15
C2C, Z2Z = 0x29, 0x69


def address(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def ratio(ours: Callable[[], object], other: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Seconds of each for one call."""
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        for i, call in enumerate((ours, other)):
            begin = time.process_time()
            for _ in range(repeats):
                call()
            best[i] = min(best[i], (time.process_time() - begin) / repeats)
    return best[0], best[1]


def fft(folder: Path, mkl: ctypes.CDLL) -> None:
    """Complex to complex, forward, out of place."""
    library, rng = ctypes.CDLL(str(folder / "libcufft.so")), np.random.default_rng(1)
    print("| transform | ours, us | MKL, us | MKL / ours |\n|---|---:|---:|---:|")
    ratios: list[float] = []
    for double, n, batch in [
        (double, n, max(1, 2**18 // n)) for double in (False, True) for n in (64, 256, 1000, 4096, 10007, 65536, 262144)
    ]:
        kind = np.complex128 if double else np.complex64
        x = (rng.standard_normal((batch, n)) + 1j * rng.standard_normal((batch, n))).astype(kind)
        y, z = np.zeros_like(x), np.zeros_like(x)
        plan = ctypes.c_int()
        assert library.cufftPlan1d(ctypes.byref(plan), n, Z2Z if double else C2C, batch) == 0
        run = library.cufftExecZ2Z if double else library.cufftExecC2C
        handle = ctypes.c_void_p()
        precision = DFTI_DOUBLE if double else DFTI_SINGLE
        size = ctypes.c_long(n)
        assert mkl.DftiCreateDescriptor(ctypes.byref(handle), precision, DFTI_COMPLEX, ctypes.c_long(1), size) == 0
        mkl.DftiSetValue(handle, DFTI_PLACEMENT, DFTI_NOT_INPLACE)
        mkl.DftiSetValue(handle, DFTI_NUMBER_OF_TRANSFORMS, ctypes.c_long(batch))
        mkl.DftiSetValue(handle, DFTI_INPUT_DISTANCE, size)
        mkl.DftiSetValue(handle, DFTI_OUTPUT_DISTANCE, size)
        assert mkl.DftiCommitDescriptor(handle) == 0

        def ours(run: Any = run, plan: Any = plan, x: Array = x, y: Array = y) -> None:
            run(plan, address(x), address(y), -1)
            library.cudaDeviceSynchronize()

        def other(handle: Any = handle, x: Array = x, z: Array = z) -> None:
            mkl.DftiComputeForward(handle, address(x), address(z))

        ours()
        other()
        assert np.abs(y - z).max() < 1e-4 * np.abs(z).max()
        seconds = ratio(ours, other, 3)
        ratios.append(seconds[1] / seconds[0])
        name = f"{n} x {batch} {'double' if double else 'float'}"
        print(f"| {name} | {seconds[0] * 1e6:.0f} | {seconds[1] * 1e6:.0f} | {ratios[-1]:.2f} |", flush=True)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}")


def spmv(folder: Path, mkl: ctypes.CDLL) -> None:
    """y = A x in double, CSR, by rows of about as many values."""
    library, rng = ctypes.CDLL(str(folder / "libcusparse.so")), np.random.default_rng(2)
    handle, area = ctypes.c_void_p(), np.zeros(64, np.uint8)
    assert library.cusparseCreate(ctypes.byref(handle)) == 0
    print("| values a row | rows | ours, us | MKL, us | MKL / ours |\n|---|---:|---:|---:|---:|")
    shapes = ((3, 200000), (5, 200000), (8, 100000), (16, 50000), (32, 30000), (100, 10000))
    for each, rows, inspected in [(*shape, inspected) for inspected in (False, True) for shape in shapes]:
        lengths: Array = rng.integers(max(1, each - 2), each + 3, rows)
        starts: Array = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        near: Array = (np.repeat(np.arange(rows), lengths) + rng.integers(-200, 200, starts[-1])) % rows  # a band
        columns: Array = near.astype(np.int32)
        values: Array = rng.standard_normal(starts[-1])
        x: Array = rng.standard_normal(rows)
        y, z = np.zeros(rows), np.zeros(rows)
        one, zero = np.ones(1), np.zeros(1)
        matrix, vectors = ctypes.c_void_p(), [ctypes.c_void_p() for _ in range(2)]
        sizes = [ctypes.c_int64(each) for each in (rows, rows, len(values))]
        assert library.cusparseCreateCsr(
            ctypes.byref(matrix), *sizes, address(starts), address(columns), address(values), 2, 2, 0, 1
        ) == 0  # fmt: skip
        for made, data in zip(vectors, (x, y), strict=True):
            assert library.cusparseCreateDnVec(ctypes.byref(made), ctypes.c_int64(rows), address(data), 1) == 0
        other_matrix = ctypes.c_void_p()
        ends = (ctypes.c_void_p(starts.ctypes.data), ctypes.c_void_p(starts.ctypes.data + 4))
        assert mkl.mkl_sparse_d_create_csr(
            ctypes.byref(other_matrix), 0, rows, rows, *ends, address(columns), address(values)
        ) == 0  # fmt: skip

        class Description(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diagonal", ctypes.c_int)]

        description = Description(20, 0, 50)
        if inspected:  # MKL may keep the matrix in another form; ours does not check its columns again
            mkl.mkl_sparse_set_mv_hint(other_matrix, 10, description, 1000)
            mkl.mkl_sparse_optimize(other_matrix)
            arguments = (address(one), matrix, vectors[0], address(zero), vectors[1], 1, 0, address(area))
            assert library.cusparseSpMV_preprocess(handle, 0, *arguments) == 0

        def ours(matrix: Any = matrix, vectors: Any = vectors, one: Array = one, zero: Array = zero) -> None:
            library.cusparseSpMV(
                handle, 0, address(one), matrix, vectors[0], address(zero), vectors[1], 1, 0, address(area)
            )  # fmt: skip
            library.cudaDeviceSynchronize()

        def other(matrix: Any = other_matrix, description: Any = description, x: Array = x, z: Array = z) -> None:
            mkl.mkl_sparse_d_mv(10, ctypes.c_double(1), matrix, description, address(x), ctypes.c_double(0), address(z))

        ours()
        other()
        assert np.allclose(y, z)
        seconds = ratio(ours, other, 10)
        name = f"{each}{', inspected' if inspected else ''}"
        times = " | ".join(f"{each * 1e6:.0f}" for each in seconds)
        print(f"| {name} | {rows} | {times} | {seconds[1] / seconds[0]:.2f} |", flush=True)


def main(arguments: list[str]) -> int:
    folder, mkl = Path(arguments[0]), ctypes.CDLL(arguments[1])
    for name, run in (("fft", fft), ("spmv", spmv)):
        if len(arguments) < 3 or arguments[2] == name:
            run(folder, mkl)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
