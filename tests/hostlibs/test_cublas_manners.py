# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cublas{Create,Destroy,GetVersion,SetPointerMode,GetPointerMode,SetMathMode,GetMathMode,GetAtomicsMode}
# functions: cublas{GetStatusName,GetStatusString,SetVector,GetVector,SetMatrix,GetMatrix,LoggerConfigure}
# functions: cublasLtMatmulAlgoGetHeuristic cublasLtMatmulPreferenceCreate
"""What cuBLAS 13.1 answers on an H200 to odd arguments, and that it is answered here."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from blas import Array, Blas, pointer

NAN, INF = float("nan"), float("inf")
NULL = ctypes.c_void_p()
SUCCESS, NOT_INITIALIZED, INVALID, MAPPING, UNSUPPORTED = 0, 1, 7, 11, 15


@pytest.fixture
def blas(cublas: ctypes.CDLL) -> Iterator[Blas]:
    made = Blas(cublas)
    yield made
    made.close()


def numbers(*values: float) -> Array:
    return np.array(values, np.float32)


def sgemm(
    blas: Blas,
    *,
    ops: tuple[int, int] = (0, 0),
    size: tuple[int, int, int] = (2, 2, 2),
    alpha: float = 1,
    beta: float = 0,
    c: float = NAN,
    a: float = 1,
    lds: tuple[int, int, int] = (2, 2, 2),
) -> tuple[int, list[float]]:
    """The status and C of a product of 2 x 2 matrices whose elements are `a`, 1 and `c`."""
    one, two, three = numbers(*[a] * 4), numbers(1, 1, 1, 1), numbers(*[c] * 4)
    status = blas.call(
        "cublasSgemm_v2", *ops, *size, numbers(alpha), one, lds[0], two, lds[1], numbers(beta), three, lds[2]
    )
    return status, three.tolist()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 2.0), ({"alpha": 0, "a": NAN}, 0.0), ({"alpha": 0, "beta": 1, "c": 7, "a": NAN}, 7.0),
        ({"size": (2, 2, 0), "beta": 2, "c": 7}, 14.0), ({"size": (2, 2, 0)}, 0.0), ({"ops": (2, 2)}, 2.0),
        ({"size": (0, 2, 2), "c": 5}, 5.0),
    ],
)  # fmt: skip
def test_products_read_what_counts(blas: Blas, changes: dict[str, Any], expected: float) -> None:
    assert sgemm(blas, **changes) == (SUCCESS, [expected] * 4)


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ({"size": (0, 2, 2), "lds": (0, 2, 2)}, 8), ({"size": (-1, 2, 2)}, 3), ({"lds": (1, 2, 2)}, 8),
        ({"lds": (2, 1, 2)}, 10), ({"lds": (2, 2, 1)}, 13), ({"ops": (7, 0)}, 1), ({"ops": (3, 0)}, 1),
    ],
)  # fmt: skip
def test_wrong_parameters_are_numbered(
    blas: Blas, capfd: pytest.CaptureFixture[str], changes: dict[str, Any], number: int
) -> None:
    assert sgemm(blas, c=5, **changes) == (INVALID, [5.0] * 4)
    assert f" ** On entry to SGEMM  parameter number {number} had an illegal value\n" in capfd.readouterr().out


def test_handles(blas: Blas, cublas: ctypes.CDLL) -> None:
    one = numbers(1)
    arguments = 0, 0, 1, 1, 1, pointer(one), pointer(one), 1, pointer(one), 1, pointer(one), pointer(one), 1
    assert cublas.cublasSgemm_v2(NULL, *arguments) == NOT_INITIALIZED
    assert cublas.cublasDestroy_v2(NULL) == NOT_INITIALIZED
    assert cublas.cublasCreate_v2(NULL) == INVALID
    assert blas.call("cublasSgemm_v2", 0, 0, 1, 1, 1, NULL, one, 1, one, 1, one, one, 1) == INVALID


@pytest.mark.ours("a handle that is gone is read there: an H200 answers EXECUTION_FAILED")
def test_handles_that_are_gone(cublas: ctypes.CDLL) -> None:
    one, gone = numbers(1), Blas(cublas)
    gone.close()
    arguments = 0, 0, 1, 1, 1, pointer(one), pointer(one), 1, pointer(one), 1, pointer(one), pointer(one), 1
    assert cublas.cublasSgemm_v2(gone.handle, *arguments) == NOT_INITIALIZED
    assert cublas.cublasDestroy_v2(gone.handle) == NOT_INITIALIZED


def test_settings(blas: Blas) -> None:
    value = np.full(1, -1, np.int32)
    for kind in ("PointerMode_v2", "MathMode", "AtomicsMode"):
        assert blas.call(f"cublasGet{kind}", value) == SUCCESS
        assert value[0] == 0
    assert blas.call("cublasSetPointerMode_v2", 7) == INVALID
    assert blas.call("cublasSetMathMode", 99) == INVALID
    assert blas.call("cublasGetVersion_v2", value) == SUCCESS
    assert value[0] == 130100


def test_names_of_codes(cublas: ctypes.CDLL) -> None:
    cublas.cublasGetStatusString.restype = cublas.cublasGetStatusName.restype = ctypes.c_char_p
    texts = {
        15: b"the requested functionality is not supported",
        14: b"an internal operation failed",
        7: b"an unsupported value or parameter was passed to the function",
        99: b"unrecognized status",
    }
    assert {code: cublas.cublasGetStatusString(code) for code in texts} == texts
    names = {0: b"SUCCESS", 1: b"NOT_INITIALIZED", 3: b"ALLOC_FAILED", 7: b"INVALID_VALUE", 8: b"ARCH_MISMATCH",
             11: b"MAPPING_ERROR", 13: b"EXECUTION_FAILED", 14: b"INTERNAL_ERROR", 15: b"NOT_SUPPORTED",
             16: b"LICENSE_ERROR"}  # fmt: skip
    assert all(cublas.cublasGetStatusName(code) == b"CUBLAS_STATUS_" + name for code, name in names.items())
    assert cublas.cublasGetStatusName(99) == b"unrecognized status"


@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ([1, -3, 3], 2, 1), ([NAN, 1, 5], 3, 2), ([1, NAN, 5], 3, 1), ([NAN, NAN, NAN], 1, 1), ([NAN, 0, 0], 1, 2),
        ([1, -INF, INF], 2, 1), ([2, 1, 1], 1, 2),
    ],
)  # fmt: skip
def test_places(blas: Blas, values: list[float], largest: int, smallest: int) -> None:
    result = np.full(1, -1, np.int32)
    for name, expected in (("cublasIsamax_v2", largest), ("cublasIsamin_v2", smallest)):
        assert blas.call(name, len(values), numbers(*values), 1, result) == SUCCESS
        assert result[0] == expected, name
        for n, increment in ((0, 1), (3, 0), (3, -1)):
            assert blas.call(name, n, numbers(*values), increment, result) == SUCCESS
            assert result[0] == 0


def test_sums_of_vectors(blas: Blas) -> None:
    def result(name: str, *arguments: object) -> float:
        made = np.full(1, 9, np.float32)
        assert blas.call(f"cublasS{name}_v2", *arguments, made) == SUCCESS
        return float(made[0])

    big = numbers(1e30, 1e30)
    assert result("dot", 0, big, 1, big, 1) == 0
    assert result("dot", 3, numbers(1, 2, 3), -1, numbers(1, 10, 100), 1) == 123
    assert abs(result("nrm2", 2, big, 1) / 1.4142135e30 - 1) < 1e-6
    for name in ("nrm2", "asum"):
        assert result(name, 2, big, -1) == 0
        assert result(name, 2, big, 0) == 0
        assert result(name, -1, big, 1) == 0
    assert np.isnan(result("nrm2", 2, numbers(NAN, 1), 1))
    assert result("nrm2", 2, numbers(INF, 1), 1) == INF
    assert blas.call("cublasSdot_v2", 2, big, 1, big, 1, NULL) == MAPPING


def test_vectors_in_place(blas: Blas) -> None:
    x = numbers(NAN, 1)
    assert blas.call("cublasSscal_v2", 2, numbers(0), x, 1) == SUCCESS
    assert np.isnan(x[0])
    assert x[1] == 0
    x = numbers(1, 2)
    assert blas.call("cublasSscal_v2", 2, numbers(5), x, -1) == SUCCESS
    assert x.tolist() == [1, 2]
    y = numbers(1, 1)
    assert blas.call("cublasSaxpy_v2", 2, numbers(0), numbers(NAN, NAN), 1, y, 1) == SUCCESS
    assert y.tolist() == [1, 1]
    y = numbers(10, 20)
    assert blas.call("cublasSaxpy_v2", 2, numbers(1), numbers(1, 2), -1, y, 1) == SUCCESS
    assert y.tolist() == [12, 21]


def test_matrix_and_vector(blas: Blas) -> None:
    def gemv(m: int, n: int, alpha: float, a: float, beta: float, y: float) -> list[float]:
        out = numbers(y, y)
        operands = numbers(alpha), numbers(*[a] * 4), 2, numbers(1, 1), 1, numbers(beta), out, 1
        assert blas.call("cublasSgemv_v2", 0, m, n, *operands) == SUCCESS
        return out.tolist()

    assert gemv(2, 2, 1, 1, 0, NAN) == [2, 2]
    assert gemv(2, 2, 0, NAN, 1, 5) == [5, 5]
    assert gemv(0, 2, 1, 1, 0, 3) == [3, 3]
    assert gemv(2, 0, 1, 1, 0, 3) == [3, 3]


def test_triangles_and_sums(blas: Blas) -> None:
    upper, b = numbers(1, NAN, 1, 1), numbers(2, 1)
    assert blas.call("cublasStrsm_v2", 0, 1, 0, 0, 2, 1, numbers(1), upper, 2, b, 2) == SUCCESS
    assert b.tolist() == [1, 1]
    assert blas.call("cublasStrsm_v2", 0, 1, 0, 0, 2, 1, numbers(0), upper, 2, b, 2) == SUCCESS
    assert b.tolist() == [0, 0]
    a, nothing = numbers(1, 2, 3, 4), numbers(NAN, NAN, NAN, NAN)
    for first, second, one, two in ((1.0, 0.0, a, nothing), (0.0, 1.0, nothing, a)):
        c = numbers(0, 0, 0, 0)
        operands = numbers(first), one, 2, numbers(second), two, 2, c, 2
        assert blas.call("cublasSgeam", 0, 0, 2, 2, *operands) == SUCCESS
        assert c.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("matrix", "pivoting", "made", "pivots", "place"),
    [
        ([1, 3, 2, 4], True, [3, 1 / 3, 4, 2 / 3], [2, 2], 0), ([1, 3, 2, 4], False, [1, 3, 2, -2], [0, 0], 0),
        ([0, 0, 0, 0], True, [0, 0, 0, 0], [1, 2], 1),
    ],
)  # fmt: skip
def test_factorisations(
    blas: Blas, matrix: list[float], pivoting: bool, made: list[float], pivots: list[int], place: int
) -> None:
    a, info, exchanges = numbers(*matrix), np.full(1, -1, np.int32), np.zeros(2, np.int32)
    addresses = np.array([a.ctypes.data], np.uint64)
    assert blas.call("cublasSgetrfBatched", 2, addresses, 2, exchanges if pivoting else NULL, info, 1) == SUCCESS
    assert np.allclose(a, made, rtol=1e-6)
    assert exchanges.tolist() == pivots
    assert info[0] == place


@pytest.mark.parametrize(
    ("a", "b", "c", "compute", "expected"),
    [
        (0, 0, 0, 68, SUCCESS), (0, 0, 0, 77, SUCCESS), (2, 2, 0, 68, SUCCESS), (2, 2, 2, 68, SUCCESS),
        (14, 14, 14, 68, SUCCESS), (14, 14, 0, 68, SUCCESS), (14, 14, 14, 64, UNSUPPORTED), (3, 3, 10, 72, SUCCESS),
        (3, 3, 0, 68, SUCCESS), (1, 1, 1, 70, SUCCESS), (0, 0, 0, 70, UNSUPPORTED), (2, 14, 0, 68, UNSUPPORTED),
        (0, 0, 2, 68, UNSUPPORTED), (4, 4, 4, 68, SUCCESS), (28, 28, 0, 68, INVALID),
    ],
)  # fmt: skip
def test_types_of_products(blas: Blas, a: int, b: int, c: int, compute: int, expected: int) -> None:
    space = np.zeros((3, 256), np.float64)
    factors = np.zeros(2, np.float64), np.zeros(2, np.float64)
    operands = factors[0], space[0], a, 4, space[1], b, 4, factors[1], space[2], c, 4
    assert blas.call("cublasGemmEx", 0, 0, 4, 4, 4, *operands, compute, -1) == expected


@pytest.mark.parametrize("compute", [64, 68])
@pytest.mark.parametrize("k", [2048, 4096, 8192])
def test_sums_of_halves_are_exact(blas: Blas, compute: int, k: int) -> None:
    ones, c = np.ones(k, np.float16), np.zeros(1, np.float16)
    kind = np.float16 if compute == 64 else np.float32
    factors = np.array([1], kind), np.array([0], kind)
    operands = factors[0], ones, 2, 1, ones, 2, k, factors[1], c, 2, 1
    assert blas.call("cublasGemmEx", 0, 0, 1, 1, k, *operands, compute, -1) == SUCCESS
    assert c[0] == k


def test_numbers_of_the_device(blas: Blas) -> None:
    assert blas.call("cublasSetPointerMode_v2", 1) == SUCCESS
    result = np.zeros(1, np.float32)
    assert blas.call("cublasSnrm2_v2", 2, numbers(3, 4), 1, result) == SUCCESS
    assert result[0] == 5


def test_copies(cublas: ctypes.CDLL) -> None:
    x, y, device = numbers(1, 2, 3, 4), numbers(0, 0, 0, 0), ctypes.c_void_p()
    assert cublas.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(64)) == 0
    assert cublas.cublasSetVector(-1, 4, pointer(x), 1, device, 1) == MAPPING
    assert cublas.cublasSetVector(2, 4, pointer(x), 0, device, 1) == INVALID
    assert cublas.cublasSetVector(2, 4, pointer(x), 2, device, 1) == SUCCESS
    assert cublas.cublasGetVector(2, 4, device, 1, pointer(y), 2) == SUCCESS
    assert y.tolist() == [1, 0, 3, 0]
    assert cublas.cublasSetMatrix(2, 2, 4, pointer(x), 2, device, 3) == SUCCESS
    assert cublas.cublasGetMatrix(1, 2, 4, device, 3, pointer(y), 1) == SUCCESS
    assert y.tolist() == [1, 3, 3, 0]
    assert cublas.cudaFree(device) == 0


def _heuristic(
    cublas: ctypes.CDLL, kinds: tuple[int, int, int], compute: int, transa: int, epilogue: int
) -> tuple[int, int]:
    """The status and how many algorithms there are, for 64 x 64 matrices."""
    handle, desc, preference = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert cublas.cublasLtCreate(ctypes.byref(handle)) == SUCCESS
    scale = 10 if compute == 72 else 2 if compute == 64 else 0
    assert cublas.cublasLtMatmulDescCreate(ctypes.byref(desc), compute, scale) == SUCCESS
    ld = ctypes.c_int64(64)
    settings = ((3, ctypes.c_int32(transa)), (7, ctypes.c_int32(epilogue)), (12, ld))
    for which, value in settings:
        size = ctypes.c_size_t(ctypes.sizeof(value))
        assert cublas.cublasLtMatmulDescSetAttribute(desc, which, ctypes.byref(value), size) == SUCCESS
    assert cublas.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)) == SUCCESS
    layouts: list[ctypes.c_void_p] = []
    for kind in (*kinds, kinds[2]):
        layouts.append(ctypes.c_void_p())
        sizes = ctypes.c_uint64(64), ctypes.c_uint64(64)
        assert cublas.cublasLtMatrixLayoutCreate(ctypes.byref(layouts[-1]), kind, *sizes, ld) == SUCCESS
    results, found = np.zeros(96 * 4, np.uint8), np.full(1, -1, np.int32)
    status = cublas.cublasLtMatmulAlgoGetHeuristic(
        handle, desc, *layouts, preference, 4, pointer(results), pointer(found)
    )
    return status, int(found[0])


@pytest.mark.parametrize(
    ("kinds", "compute", "transa", "epilogue", "expected"),
    [
        ((0, 0, 0), 68, 0, 1, SUCCESS), ((14, 14, 14), 68, 1, 1, SUCCESS), ((14, 14, 14), 68, 0, 1, SUCCESS),
        ((14, 14, 14), 68, 0, 164, SUCCESS), ((28, 28, 14), 68, 1, 1, SUCCESS), ((28, 28, 14), 68, 0, 1, UNSUPPORTED),
        ((3, 3, 10), 72, 1, 1, SUCCESS), ((0, 0, 0), 64, 0, 1, UNSUPPORTED), ((0, 0, 0), 68, 0, 9999, INVALID),
    ],
)  # fmt: skip
def test_heuristics(
    cublas: ctypes.CDLL, kinds: tuple[int, int, int], compute: int, transa: int, epilogue: int, expected: int
) -> None:
    """On the H200 there are up to four algorithms, here one."""
    status, count = _heuristic(cublas, kinds, compute, transa, epilogue)
    assert status == expected
    assert (count >= 1) == (expected == SUCCESS)


@pytest.mark.ours("NVIDIA's libraries write a log")
def test_missing_things_are_said_once(blas: Blas, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert blas.library.cublasLoggerConfigure(1, 0, 0, None) == UNSUPPORTED
    assert capfd.readouterr().err.count("cublasLoggerConfigure is not supported") <= 1
