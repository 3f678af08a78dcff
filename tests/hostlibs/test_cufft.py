# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuFFT: plans of any length, stride and batch, real and complex
"""cuFFT: random transforms, and the answers that were recorded on an H200. Many random ones:

python tests/hostlibs/test_cufft.py 10000
"""

# functions: cufftCreate cufftDestroy cufftExecC2C cufftExecC2R cufftExecD2Z cufftExecR2C cufftExecZ2D cufftExecZ2Z
# functions: cufftPlan1d cufftPlanMany cufftXtExec cufftXtMakePlanMany
from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest
from blas import pointer
from fft import FORWARD, INVERSE, TYPES, Case, Fft, check, integers, random_case

INVALID_PLAN, INVALID_TYPE, INVALID_VALUE, INVALID_SIZE = 1, 3, 4, 8
R_16F, C_16F, C_32F = 2, 6, 4


@pytest.fixture(scope="module")
def fft(libraries: Path) -> Fft:
    return Fft(ctypes.CDLL(str(libraries / "libcufft.so")))


@pytest.mark.parametrize("seed", range(8))
def test_random_transforms(fft: Fft, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(25):
        check(fft, random_case(rng), rng)


@pytest.mark.parametrize("kind", TYPES)
def test_long_transforms(fft: Fft, kind: str) -> None:
    rng = np.random.default_rng(1)
    for length in (1 << 16, 100003, 30030, 1 << 18):
        check(fft, Case(kind, [length], 1, INVERSE, in_place=False, strided=False), rng)


@pytest.mark.parametrize("kind", ["C2C", "Z2Z"])
@pytest.mark.parametrize("length", [*range(1, 17), 32, 60, 64, 128])
def test_rows_side_by_side(fft: Fft, kind: str, length: int) -> None:
    """Few rows, which lie near, and over a million bytes of them, which do not; the last ones fill no vector."""
    rng = np.random.default_rng(length)
    for batch in (1, 37, 100_003 // length):
        for direction in (FORWARD, INVERSE):
            check(fft, Case(kind, [length], batch, direction, in_place=batch == 37, strided=False), rng)


def plan_1d(fft: Fft, length: int, kind: int, batch: int = 1) -> tuple[int, int]:
    plan = ctypes.c_int(0)
    return fft.library.cufftPlan1d(ctypes.byref(plan), length, kind, batch), plan.value


def test_plans_that_cannot_be_made(fft: Fft) -> None:
    c2c = TYPES["C2C"]
    assert plan_1d(fft, 0, c2c) == (INVALID_SIZE, 0)
    assert plan_1d(fft, -1, c2c) == (INVALID_SIZE, 0)
    assert plan_1d(fft, 8, c2c, 0) == (INVALID_SIZE, 0)
    assert plan_1d(fft, 8, 5) == (INVALID_TYPE, 0)
    plan = ctypes.c_int(0)
    n = integers([4])
    many = fft.library.cufftPlanMany
    assert many(ctypes.byref(plan), 1, n, n, 0, 4, n, 1, 4, c2c, 1) == INVALID_VALUE


def test_handles_that_are_not_there(fft: Fft) -> None:
    data = np.zeros(4, np.complex64)
    assert fft.library.cufftExecC2C(99999, pointer(data), pointer(data), FORWARD) == INVALID_PLAN
    assert fft.library.cufftDestroy(99999) == INVALID_PLAN
    status, plan = plan_1d(fft, 1, TYPES["C2C"])
    assert (status, plan > 0) == (0, True)
    fft.destroy(plan)
    assert fft.library.cufftDestroy(plan) == INVALID_PLAN
    status, plan = plan_1d(fft, 1, TYPES["R2C"])
    assert status == 0
    number, result = np.array([5], np.float32), np.zeros(1, np.complex64)
    assert fft.run(plan, "R2C", number, result) == 0
    assert result.tolist() == [5]


def test_directions_and_no_scaling(fft: Fft) -> None:
    status, plan = plan_1d(fft, 4, TYPES["C2C"])
    assert status == 0
    data = np.array([1, 2, 3, 4], np.complex64)
    result = np.zeros(4, np.complex64)
    assert fft.run(plan, "C2C", data, result) == 0
    assert result.tolist() == [10, -2 + 2j, -2, -2 - 2j]
    assert fft.run(plan, "C2C", data, result, INVERSE) == 0
    assert result.tolist() == [10, -2 - 2j, -2, -2 + 2j]
    assert data.tolist() == [1, 2, 3, 4]
    result[:] = 0
    for direction in (0, 5):
        assert fft.run(plan, "C2C", data, result, direction) == INVALID_VALUE
    assert result.tolist() == [0, 0, 0, 0]
    fft.destroy(plan)


def test_the_plan_says_what_is_done(fft: Fft) -> None:
    """A function for complex data with a plan for real data does what the plan says."""
    _, plan = plan_1d(fft, 4, TYPES["R2C"])
    data = np.array([1, 2, 3, 4], np.complex64)
    result = np.zeros(4, np.complex64)
    assert fft.run(plan, "C2C", data, result) == 0
    assert result.tolist() == [3, -1, 3, 0]
    fft.destroy(plan)


def test_what_must_be_real_is_taken_for_real(fft: Fft) -> None:
    _, plan = plan_1d(fft, 4, TYPES["C2R"])
    data = np.array([1 + 5j, 2, 3 + 7j], np.complex64)
    result = np.zeros(4, np.float32)
    assert fft.run(plan, "C2R", data, result) == 0
    assert result.tolist() == [8, -2, 0, -2]
    fft.destroy(plan)


def test_strides_without_embed_are_ignored(fft: Fft) -> None:
    data = np.arange(8).astype(np.complex64)
    for embed, expected in (
        (None, [6, -2, -2, -2, 22, -2, -2, -2, -1, -1]),
        ([4], [12, 16, -4, -4, -4, -4, -4, -4, -1, -1]),
    ):
        plan = fft.plan_many("C2C", [4], 2, (embed, 2, 1, embed, 2, 1))
        result = np.full(10, -1, np.complex64)
        assert fft.run(plan, "C2C", data, result) == 0
        assert result.real.tolist() == expected
        fft.destroy(plan)


def test_half_precision(fft: Fft) -> None:
    plan, size = ctypes.c_int(0), ctypes.c_size_t(1)
    assert fft.library.cufftCreate(ctypes.byref(plan)) == 0
    n = (ctypes.c_longlong * 1)(64)
    one, none = ctypes.c_longlong(1), ctypes.c_longlong(0)
    make = fft.library.cufftXtMakePlanMany
    arguments = (1, n, None, one, none, C_16F, None, one, none, C_16F, ctypes.c_longlong(3), ctypes.byref(size))
    assert make(plan, *arguments, C_32F) == INVALID_TYPE
    assert make(plan, *arguments, C_16F) == 0
    rng = np.random.default_rng(2)
    data = rng.standard_normal((3, 64, 2)).astype(np.float16)
    result = np.zeros_like(data)
    assert fft.library.cufftXtExec(plan, pointer(data), pointer(result), FORWARD) == 0
    assert fft.library.cudaDeviceSynchronize() == 0
    exact = np.fft.fft(data[..., 0].astype(float) + 1j * data[..., 1].astype(float))
    error = np.abs(result[..., 0].astype(float) + 1j * result[..., 1].astype(float) - exact)
    assert np.max(error) < 2e-3 * np.max(np.abs(exact))
    fft.destroy(plan.value)


def main(count: int) -> int:
    """`count` random transforms."""
    from warploom.runtime_library import complete_toolkit
    from warploom.toolchain import find_toolchain

    made = Fft(ctypes.CDLL(str(complete_toolkit(find_toolchain()) / "lib64" / "libcufft.so")))
    for seed in range(count):
        rng = np.random.default_rng((seed, 1))
        check(made, random_case(rng), rng)
    print(f"{count} transforms")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
