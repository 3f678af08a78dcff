# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuFFT: every way to make a plan, sizes of work areas, several devices
"""cuFFT: plans of one to three dimensions by each function that makes them, against NumPy; arrays over two devices."""

# functions: cufftPlan{2,3}d cufftMakePlan{1,2,3}d cufftMakePlanMany cufftMakePlanMany64 cufftEstimate{1,2,3}d
# functions: cufftEstimateMany cufftGetSize{1,2,3}d cufftGetSizeMany cufftGetSize cufftSetStream cufftSetAutoAllocation
# functions: cufftSetWorkArea cufftGetVersion cufftGetProperty cufftXtSetGPUs cufftXtMalloc cufftXtFree cufftXtMemcpy
# functions: cufftXtExecDescriptor{C2C,Z2Z}
from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_int, c_longlong, c_size_t, c_void_p
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from fft import FORWARD, TYPES, Array, Fft, integers

INVALID_PLAN, INVALID_TYPE, INVALID_VALUE, INTERNAL_ERROR, INVALID_SIZE = 1, 3, 4, 5, 8
SHAPES = ((16,), (7, 12), (3, 5, 8))


@pytest.fixture(scope="module")
def fft(libraries: Path) -> Fft:
    return Fft(ctypes.CDLL(str(libraries / "libcufft.so")))


def numbers(shape: tuple[int, ...]) -> Array:
    rng = np.random.default_rng(sum(shape))
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


def check(fft: Fft, plan: int, shape: tuple[int, ...], batch: int = 1) -> None:
    """The plan transforms `batch` arrays of that shape as NumPy does; it is destroyed."""
    data = numbers((batch, *shape))
    result, axes = np.zeros_like(data), tuple(range(1, len(shape) + 1))
    assert fft.run(plan, "C2C", data, result, FORWARD) == 0
    exact = np.fft.fftn(data.astype(complex), axes=axes)
    assert np.linalg.norm(result - exact) <= 1e-5 * np.linalg.norm(exact)
    fft.destroy(plan)


def created(fft: Fft) -> int:
    plan = c_int()
    assert fft.library.cufftCreate(byref(plan)) == 0
    return plan.value


@pytest.mark.parametrize("shape", SHAPES)
def test_ways_to_make_a_plan(fft: Fft, shape: tuple[int, ...]) -> None:
    library, rank, kind = fft.library, len(shape), TYPES["C2C"]
    last = (1,) if rank == 1 else ()  # the batch
    plan, size = c_int(), c_size_t(1 << 60)
    assert getattr(library, f"cufftPlan{rank}d")(byref(plan), *shape, kind, *last) == 0
    check(fft, plan.value, shape)

    for name, subject in (("Estimate", ()), ("GetSize", (created(fft),))):
        size.value = 1 << 60
        assert getattr(library, f"cufft{name}{rank}d")(*subject, *shape, kind, *last, byref(size)) == 0
        assert size.value < 1 << 30
    made = created(fft)
    assert getattr(library, f"cufftMakePlan{rank}d")(made, *shape, kind, *last, byref(size)) == 0
    assert getattr(library, f"cufftMakePlan{rank}d")(made, *shape, kind, *last, byref(size)) == INVALID_PLAN
    assert library.cufftGetSize(made, byref(size)) == 0
    check(fft, made, shape)

    wide = (c_longlong * rank)(*shape)
    layout, long_layout = (None, 1, 0, None, 1, 0), (None, c_longlong(1), c_longlong(0)) * 2
    made = created(fft)
    assert library.cufftMakePlanMany(made, rank, integers(shape), *layout, kind, 3, byref(size)) == 0
    check(fft, made, shape, 3)
    made = created(fft)
    assert library.cufftMakePlanMany64(made, rank, wide, *long_layout, kind, c_longlong(3), byref(size)) == 0
    check(fft, made, shape, 3)
    assert library.cufftEstimateMany(rank, integers(shape), *layout, kind, 3, byref(size)) == 0
    assert library.cufftGetSizeMany(created(fft), rank, integers(shape), *layout, kind, 3, byref(size)) == 0


def test_sizes_that_are_none(fft: Fft) -> None:
    library, kind, plan, size = fft.library, TYPES["C2C"], c_int(), c_size_t()
    assert library.cufftPlan2d(byref(plan), 0, 4, kind) == INVALID_SIZE
    assert library.cufftPlan3d(byref(plan), 4, -1, 4, kind) == INVALID_SIZE
    made = created(fft)
    assert library.cufftMakePlan2d(made, 4, 0, kind, byref(size)) == INVALID_SIZE
    assert library.cufftMakePlanMany(made, 4, integers((2, 2, 2, 2)), None, 1, 0, None, 1, 0, kind, 1, byref(size)) != 0
    assert library.cufftMakePlan1d(made, 8, kind, 1, byref(size)) == 0  # what failed left it as it was
    check(fft, made, (8,))


def test_settings_of_a_plan(fft: Fft) -> None:
    library, size, number = fft.library, c_size_t(), c_int()
    made = created(fft)
    assert library.cufftSetAutoAllocation(made, 0) == 0
    assert library.cufftMakePlan1d(made, 10007, TYPES["C2C"], 1, byref(size)) == 0
    area = np.zeros(size.value + 16, np.uint8)
    assert library.cufftSetWorkArea(made, c_void_p(area.ctypes.data)) == 0
    assert library.cufftSetStream(made, None) == 0
    check(fft, made, (10007,))
    for name in ("SetStream", "SetWorkArea"):
        assert getattr(library, f"cufft{name}")(made, None) == INVALID_PLAN  # destroyed
    assert library.cufftGetVersion(byref(number)) == 0
    version = number.value
    assert library.cufftGetVersion(None) == 0
    assert library.cufftGetProperty(0, byref(number)) == 0
    assert number.value == version // 1000
    assert library.cufftGetProperty(9, byref(number)) == INVALID_TYPE


def test_plans_as_an_h200_answers(fft: Fft) -> None:
    """Codes that CUDA 13.0's cuFFT gave."""
    library, kind, plan, size = fft.library, TYPES["C2C"], c_int(), c_size_t()
    made = created(fft)
    assert library.cufftGetSize(made, byref(size)) == INVALID_PLAN  # not planned yet
    assert library.cufftMakePlan1d(made, 16, kind, 1, None) == INVALID_VALUE
    assert library.cufftMakePlan1d(made, 16, kind, 1, byref(size)) == 0
    assert library.cufftMakePlan1d(made, 16, kind, 1, None) == INVALID_VALUE
    check(fft, made, (16,))

    n, small = integers((4, 4)), integers((2, 2))
    many = library.cufftPlanMany
    assert many(byref(plan), 2, n, small, 1, 4, small, 1, 4, kind, 1) == INTERNAL_ERROR
    assert many(byref(plan), 2, n, n, 1, 16, None, 1, 16, kind, 1) == INVALID_VALUE
    assert many(byref(plan), 2, n, n, 1, 0, n, 1, 0, kind, 2) == INVALID_VALUE
    assert many(byref(plan), 2, n, n, -1, 16, n, 1, 16, kind, 1) == INVALID_VALUE
    half = integers((4, 3))  # complex numbers of lines of four real ones
    assert many(byref(plan), 2, n, n, 1, 16, half, 1, 12, TYPES["R2C"], 1) == 0
    assert many(byref(plan), 2, n, half, 1, 12, n, 1, 16, TYPES["R2C"], 1) == INTERNAL_ERROR
    assert library.cufftPlan1d(None, 16, kind, 1) == library.cufftCreate(None) == INVALID_VALUE
    assert library.cufftDestroy(999) == library.cufftSetStream(999, None) == INVALID_PLAN


PROGRAM = """
import ctypes, sys
from ctypes import byref, c_int, c_size_t, c_void_p
import numpy as np
library = ctypes.CDLL(sys.argv[1])
for kind, name, exact_type in ((0x29, "C2C", np.complex64), (0x69, "Z2Z", np.complex128)):
    plan, descriptor, sizes = c_int(), c_void_p(), (c_size_t * 2)()
    assert library.cufftCreate(byref(plan)) == 0
    assert library.cufftXtSetGPUs(plan, 2, (c_int * 2)(0, 7)) != 0  # there are two
    assert library.cufftXtSetGPUs(plan, 2, (c_int * 2)(0, 1)) == 0
    assert library.cufftMakePlan2d(plan, 8, 6, kind, sizes) == 0
    assert library.cufftXtMalloc(plan, byref(descriptor), 2) == 0
    rng = np.random.default_rng(1)
    given = (rng.standard_normal((8, 6)) + 1j * rng.standard_normal((8, 6))).astype(exact_type)
    back = np.zeros_like(given)
    p = lambda array: c_void_p(array.ctypes.data)
    assert library.cufftXtMemcpy(plan, descriptor, p(given), 0) == 0
    assert getattr(library, "cufftXtExecDescriptor" + name)(plan, descriptor, descriptor, -1) == 0
    assert library.cufftXtMemcpy(plan, p(back), descriptor, 1) == 0
    exact = np.fft.fft2(given.astype(complex))
    assert np.linalg.norm(back - exact) < 1e-5 * np.linalg.norm(exact)
    assert library.cufftXtFree(descriptor) == library.cufftDestroy(plan) == 0
print("right")
"""


@pytest.mark.ours("two devices of this package")
def test_two_devices(libraries: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(libraries / "libcufft.so")]
    environment = dict(os.environ, WARPLOOM_DEVICE_COUNT="2")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "right\n", done.stderr


def test_descriptors_that_are_none(fft: Fft) -> None:
    """What cufftXtMalloc has not made is refused, unread: a pointer to garbage, one to nowhere, a freed descriptor."""
    library, size, made = fft.library, (c_size_t * 2)(), c_void_p()
    plan = created(fft)
    assert library.cufftMakePlan2d(plan, 8, 6, TYPES["C2C"], size) == 0
    assert library.cufftXtMalloc(plan, byref(made), 0) == 0
    garbage = np.full(4096, 0xA5, np.uint8)
    values = np.zeros((8, 6), np.complex64)
    host = c_void_p(values.ctypes.data)
    address = cast("int", made.value)
    # After a version of four bytes: the pointer inside of a descriptor is the first thing that it holds.
    inside = ctypes.c_void_p.from_address(address + 8)
    kept = inside.value
    for bad in (c_void_p(garbage.ctypes.data), c_void_p(8), None):
        assert library.cufftXtExecDescriptorC2C(plan, bad, made, FORWARD) == INVALID_VALUE
        assert library.cufftXtExecDescriptorC2C(plan, made, bad, FORWARD) == INVALID_VALUE
        assert library.cufftXtExecDescriptor(plan, bad, bad, FORWARD) == INVALID_VALUE
        assert library.cufftXtMemcpy(plan, bad, host, 0) == INVALID_VALUE
        assert library.cufftXtMemcpy(plan, host, bad, 1) == INVALID_VALUE
        assert library.cufftXtMemcpy(plan, bad, made, 2) == INVALID_VALUE
        assert library.cufftXtFree(bad) == INVALID_VALUE
    inside.value = garbage.ctypes.data  # overwritten
    assert library.cufftXtExecDescriptorC2C(plan, made, made, FORWARD) == INVALID_VALUE
    inside.value = kept
    assert library.cufftXtExecDescriptorC2C(plan, made, made, FORWARD) == 0
    assert library.cudaDeviceSynchronize() == 0
    assert library.cufftXtFree(made) == 0
    assert library.cufftXtFree(made) == INVALID_VALUE
    fft.destroy(plan)
