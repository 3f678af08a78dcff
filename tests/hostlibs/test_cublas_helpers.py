# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuBLAS: copies of vectors and matrices, half, the first API, settings of a handle
"""cuBLAS's copies, its products of halves, mixed products with 64-bit sizes, the first API, what a handle is told."""

# functions: cublas{Set,Get}{Vector,Matrix}{,Async}{,_64} cublasHgemm{,_64} cublasHgemmBatched{,_64}
# functions: cublasSgemmEx{,_64} cublasCgemmEx{,_64} cublasGemmEx_64 cublasGemmBatchedEx_64 cublasSetWorkspace
# functions: cublas{Set,Get}SmCountTarget cublasSetAtomicsMode cublasGetStream cublasGetProperty
# functions: cublasInit cublasShutdown cublasGetError cublasAlloc cublasFree cublasSetKernelStream
from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_char, c_float, c_int, c_int64, c_void_p
from typing import Any

import numpy as np
import pytest
from blas import Blas, pointer

R_32F, R_16F, C_32F, COMPUTE_16F, COMPUTE_32F = 0, 2, 4, 64, 68
INVALID_VALUE, MAPPING_ERROR = 7, 11
M, N, K = 9, 7, 5


@pytest.fixture
def blas(cublas: ctypes.CDLL) -> Iterator[Blas]:
    made = Blas(cublas)
    yield made
    made.close()


def matrix(kind: Any, *shape: int) -> Any:
    """Small whole numbers, whose products are exact."""
    rng = np.random.default_rng(sum(shape))
    real = rng.integers(-3, 4, shape)
    made = real + 1j * rng.integers(-3, 4, shape) if kind == np.complex64 else real
    return np.asfortranarray(made.astype(kind))


def managed(cublas: ctypes.CDLL, values: Any) -> Any:
    """The values in memory of host and device, by columns; it stays allocated."""
    data = c_void_p()
    assert cublas.cudaMallocManaged(byref(data), ctypes.c_size_t(values.nbytes), 1) == 0
    made = np.frombuffer((ctypes.c_ubyte * values.nbytes).from_address(data.value or 0), values.dtype)
    made = made.reshape(values.shape, order="F")
    made[...] = values
    return made


@pytest.mark.parametrize("suffix", ["", "_64"])
def test_copies(cublas: ctypes.CDLL, suffix: str) -> None:
    size = c_int64 if suffix else c_int
    x, y = managed(cublas, np.arange(20.0)), managed(cublas, np.full(30, -1.0))
    a, b = managed(cublas, np.arange(30.0).reshape(6, 5)), managed(cublas, np.full((8, 5), -1.0))
    for way in ("Set", "Get"):
        for asynchronous in ("", "Async"):
            stream = (None,) if asynchronous else ()
            copy = getattr(cublas, f"cublas{way}Vector{asynchronous}{suffix}")
            y[:], b[:] = -1, -1
            assert copy(size(10), size(8), pointer(x), size(2), pointer(y), size(3), *stream) == 0
            assert cublas.cudaDeviceSynchronize() == 0
            assert (y[::3] == x[::2]).all()
            assert (y[1::3] == -1).all()
            assert copy(size(10), size(8), pointer(x), size(0), pointer(y), size(3), *stream) == INVALID_VALUE
            copy = getattr(cublas, f"cublas{way}Matrix{asynchronous}{suffix}")
            assert copy(size(4), size(5), size(8), pointer(a), size(6), pointer(b), size(8), *stream) == 0
            assert cublas.cudaDeviceSynchronize() == 0
            assert (b[:4] == a[:4]).all()
            assert (b[4:] == -1).all()
            assert copy(size(4), size(5), size(8), pointer(a), size(3), pointer(b), size(8), *stream) == INVALID_VALUE
    nowhere = np.zeros(8)
    host = getattr(cublas, f"cublasSetVector{suffix}")
    assert host(size(4), size(8), pointer(x), size(1), pointer(nowhere), size(1)) == MAPPING_ERROR  # the host's


@pytest.mark.parametrize("suffix", ["", "_64"])
def test_products_of_halves(blas: Blas, suffix: str) -> None:
    size = c_int64 if suffix else c_int
    m, n, k = map(size, (M, N, K))
    a, b, c = matrix(np.float16, M, K), matrix(np.float16, K, N), matrix(np.float16, M, N)
    alpha, beta = np.array([2], np.float16), np.array([-1], np.float16)
    exact = 2 * a.astype(float) @ b.astype(float) - c
    result = c.copy(order="F")
    assert blas.call(f"cublasHgemm{suffix}", 0, 0, m, n, k, alpha, a, m, b, k, beta, result, m) == 0
    assert (result == exact).all()
    others = [c.copy(order="F") for _ in range(3)]
    pa, pb, pc = (np.array([each.ctypes.data for each in s], np.uint64) for s in ([a] * 3, [b] * 3, others))
    arguments = (0, 0, m, n, k, alpha, pa, m, pb, k, beta, pc, m, size(3))
    assert blas.call(f"cublasHgemmBatched{suffix}", *arguments) == 0
    assert all((each == exact).all() for each in others)
    # The factors' type follows from that of the sums.
    for compute, kind in ((COMPUTE_16F, np.float16), (COMPUTE_32F, np.float32)):
        factors = np.array([2], kind), np.array([-1], kind)
        result = c.copy(order="F")
        start, last = (0, 0, m, n, k, factors[0]), (factors[1], result, R_16F, m, compute, -1)
        assert blas.call(f"cublasGemmEx{suffix}", *start, a, R_16F, m, b, R_16F, k, *last) == 0
        assert (result == exact).all()
    others = [c.copy(order="F") for _ in range(3)]
    pc = np.array([each.ctypes.data for each in others], np.uint64)
    end = (factors[1], pc, R_16F, m, size(3), COMPUTE_32F, -1)
    assert blas.call(f"cublasGemmBatchedEx{suffix}", *start, pa, R_16F, m, pb, R_16F, k, *end) == 0
    assert all((each == exact).all() for each in others)


@pytest.mark.parametrize("suffix", ["", "_64"])
def test_products_with_types(blas: Blas, suffix: str) -> None:
    size = c_int64 if suffix else c_int
    m, n, k = map(size, (M, N, K))
    for name, kind, of in (("S", np.float32, R_32F), ("C", np.complex64, C_32F), ("S", np.float16, R_16F)):
        a, b, c = matrix(kind, M, K), matrix(kind, K, N), matrix(kind, M, N)
        factor = np.complex64 if name == "C" else np.float32
        alpha, beta = np.array([2], factor), np.array([1], factor)
        exact = 2 * a.astype(complex) @ b.astype(complex) + c
        last = (beta, c, of, m)
        assert blas.call(f"cublas{name}gemmEx{suffix}", 0, 0, m, n, k, alpha, a, of, m, b, of, k, *last) == 0
        assert (c == exact).all()


def test_settings_of_a_handle(blas: Blas) -> None:
    number, stream, area = c_int(-1), c_void_p(1), np.zeros(1024, np.uint8)
    assert blas.call("cublasSetWorkspace_v2", area, ctypes.c_size_t(1024)) == 0
    assert blas.call("cublasSetSmCountTarget", 3) == blas.call("cublasGetSmCountTarget", byref(number)) == 0
    assert number.value == 3
    assert blas.call("cublasSetAtomicsMode", 1) == blas.call("cublasGetAtomicsMode", byref(number)) == 0
    assert number.value == 1
    assert blas.call("cublasGetStream_v2", byref(stream)) == 0
    assert stream.value is None
    assert blas.library.cublasGetProperty(0, byref(number)) == 0
    assert number.value >= 13
    assert blas.library.cublasGetProperty(9, byref(number)) == INVALID_VALUE


def test_first_api(cublas: ctypes.CDLL) -> None:
    data, ones = c_void_p(), np.ones(16, np.float32)
    assert cublas.cublasInit() == 0
    assert cublas.cublasAlloc(16, 4, byref(data)) == 0
    assert cublas.cublasSetVector(16, 4, pointer(ones), 1, data, 1) == 0
    assert cublas.cublasSetKernelStream(None) == 0
    cublas.cublasSscal.argtypes = (c_int, c_float, c_void_p, c_int)
    cublas.cublasSscal.restype = None
    cublas.cublasSscal(16, 3, data, 1)
    assert cublas.cublasGetError() == 0
    assert cublas.cublasGetVector(16, 4, data, 1, pointer(ones), 1) == 0
    assert (ones == 3).all()
    cublas.cublasSgemv.argtypes = (
        c_char,
        c_int,
        c_int,
        c_float,
        c_void_p,
        c_int,
        c_void_p,
        c_int,
        c_float,
        c_void_p,
        c_int,
    )
    cublas.cublasSgemv.restype = None
    cublas.cublasSgemv(b"N", 4, 4, 1, data, 2, data, 1, 0, data, 1)  # rows lie farther apart than they are long
    assert cublas.cublasGetError() == INVALID_VALUE
    assert cublas.cublasGetError() == 0  # it was told
    assert cublas.cublasFree(data) == cublas.cublasShutdown() == 0
