# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cublasXt: products of matrices of the host, on all devices
# functions: cublasXt{Create,Destroy,DeviceSelect,SetBlockDim,GetBlockDim,SetPinningMemMode,GetPinningMemMode}
# functions: cublasXt{GetNumBoards,MaxBoards,SetCpuRoutine,SetCpuRatio}
# functions: cublasXt{S,D,C,Z}{gemm,symm,syrk,syr2k,syrkx,trsm,trmm} cublasXt{C,Z}{hemm,herk,her2k,herkx}
"""cublasXt gives the bits that cuBLAS gives."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import Any

import numpy as np
import pytest
from blas import TYPES, pointer

N = 37
LEFT, LOWER, PLAIN, NON_UNIT = 0, 0, 0, 0
NOT_INITIALIZED, INVALID_VALUE = 1, 7
# What a routine takes before alpha, its matrices, and whether there is a beta before the last one.
ROUTINES: dict[str, tuple[tuple[int, ...], str, bool]] = {
    "gemm": ((PLAIN, PLAIN, N, N, N), "abc", True),
    "symm": ((LEFT, LOWER, N, N), "abc", True),
    "hemm": ((LEFT, LOWER, N, N), "abc", True),
    "syrk": ((LOWER, PLAIN, N, N), "ac", True),
    "herk": ((LOWER, PLAIN, N, N), "ac", True),
    "syr2k": ((LOWER, PLAIN, N, N), "abc", True),
    "her2k": ((LOWER, PLAIN, N, N), "abc", True),
    "syrkx": ((LOWER, PLAIN, N, N), "abc", True),
    "herkx": ((LOWER, PLAIN, N, N), "abc", True),
    "trsm": ((LEFT, LOWER, PLAIN, NON_UNIT, N, N), "ab", False),
    "trmm": ((LEFT, LOWER, PLAIN, NON_UNIT, N, N), "abc", False),
}
HERMITIAN = ("hemm", "herk", "her2k", "herkx")


@pytest.fixture
def handles(cublas: ctypes.CDLL) -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
    xt, plain = ctypes.c_void_p(), ctypes.c_void_p()
    assert cublas.cublasXtCreate(ctypes.byref(xt)) == 0
    assert cublas.cublasXtDeviceSelect(xt, 1, (ctypes.c_int * 1)(0)) == 0
    assert cublas.cublasCreate_v2(ctypes.byref(plain)) == 0
    return xt, plain


def arguments(letter: str, routine: str) -> tuple[list[Any], Any]:
    """What a call takes after its handle, and the matrix that it writes."""
    rng, kind = np.random.default_rng(2), TYPES[letter]
    flags, names, has_beta = ROUTINES[routine]
    matrices = {name: rng.standard_normal((N, N)).astype(kind) + N * np.eye(N, dtype=kind) for name in names}
    real = np.dtype(kind).type(0).real.dtype
    alpha = np.array([1.5], real if routine == "herk" else kind)
    beta = np.array([0.5], real if routine in ("herk", "her2k", "herkx") else kind)
    # Sizes are of 64 bits; what says how is an int.
    made: list[Any] = [ctypes.c_int64(each) if each == N else each for each in flags]
    made += [pointer(alpha), alpha]
    for name in names:
        if name == "c" and has_beta:
            made += [pointer(beta), beta]
        made += [pointer(matrices[name]), ctypes.c_int64(N)]
    return [each for each in made if not isinstance(each, np.ndarray)], (matrices[names[-1]], matrices, alpha, beta)


def function(cublas: ctypes.CDLL, letter: str, routine: str) -> Any:
    for name in (f"cublas{letter}{routine}_v2_64", f"cublas{letter}{routine}_64"):
        if hasattr(cublas, name):
            return getattr(cublas, name)
    raise AssertionError(routine)


@pytest.mark.parametrize(
    ("letter", "routine"),
    [
        pytest.param(*each, marks=[pytest.mark.ours("an H200 adds in another order")] if "r2k" in each[1] else [])
        for each in product(TYPES, ROUTINES)
    ],
)
def test_products(
    cublas: ctypes.CDLL, handles: tuple[ctypes.c_void_p, ctypes.c_void_p], letter: str, routine: str
) -> None:
    if letter in "SD" and routine in HERMITIAN:
        return
    given, kept = arguments(letter, routine)
    before = kept[0].copy()
    assert getattr(cublas, f"cublasXt{letter}{routine}")(handles[0], *given) == 0
    again, expected = arguments(letter, routine)
    assert function(cublas, letter, routine)(handles[1], *again) == 0
    assert cublas.cudaDeviceSynchronize() == 0
    assert np.array_equal(kept[0], expected[0])
    assert not np.array_equal(kept[0], before)


def test_settings(cublas: ctypes.CDLL, handles: tuple[ctypes.c_void_p, ctypes.c_void_p]) -> None:
    handle, value = handles[0], ctypes.c_int()
    assert cublas.cublasXtMaxBoards(ctypes.byref(value)) == 0
    assert value.value >= 1
    devices = (ctypes.c_int * 1)(0)
    assert cublas.cublasXtDeviceSelect(handle, 1, devices) == 0
    assert cublas.cublasXtGetNumBoards(1, devices, ctypes.byref(value)) == 0
    assert cublas.cublasXtDeviceSelect(handle, 1, (ctypes.c_int * 1)(99)) == INVALID_VALUE
    assert cublas.cublasXtSetBlockDim(handle, 64) == 0
    assert cublas.cublasXtGetBlockDim(handle, ctypes.byref(value)) == 0
    assert value.value == 64
    assert cublas.cublasXtSetBlockDim(handle, 0) == INVALID_VALUE
    assert cublas.cublasXtSetPinningMemMode(handle, 1) == 0
    assert cublas.cublasXtGetPinningMemMode(handle, ctypes.byref(value)) == 0
    assert value.value == 1
    assert cublas.cublasXtSetCpuRoutine(handle, 0, 0, None) == 0
    assert cublas.cublasXtSetCpuRatio(handle, 0, 0, ctypes.c_float(0.5)) == 0
    assert cublas.cublasXtSetCpuRatio(handle, 12, 0, ctypes.c_float(0.5)) == INVALID_VALUE
    assert cublas.cublasXtDestroy(handle) == 0
    assert cublas.cublasXtCreate(None) == INVALID_VALUE
    assert cublas.cublasXtSetBlockDim(None, 64) == INVALID_VALUE


def test_devices_come_first(cublas: ctypes.CDLL) -> None:
    """As on an H200."""
    handle = ctypes.c_void_p()
    assert cublas.cublasXtCreate(ctypes.byref(handle)) == 0
    given, _ = arguments("S", "gemm")
    assert cublas.cublasXtSgemm(handle, *given) == NOT_INITIALIZED
    assert cublas.cublasXtDestroy(handle) == 0
