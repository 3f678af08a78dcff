# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cublasGemmEx cublasLtCreate cublasLtMatmul cublasLtMatrixLayoutCreate cublasLtMatrixLayoutSetAttribute
# functions: cublasLtMatmulDescCreate cublasLtMatmulDescSetAttribute
"""Products of small types, by cublasGemmEx and by cublasLtMatmul with what it does to results, against NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blas import Array, Blas, pointer

R_32F, R_64F, R_16F, R_8I, R_32I, R_16BF, R_E4M3, R_E5M2 = 0, 1, 2, 3, 10, 14, 28, 29
COMPUTE_16F, COMPUTE_32F, COMPUTE_32I, COMPUTE_TF32 = 64, 68, 72, 77
SHAPES = ((1, 1, 1), (4, 3, 5), (17, 33, 129), (300, 140, 600), (8, 8, 1100))
BIAS, RELU, GELU = 4, 2, 32


@pytest.fixture(scope="module")
def blas(cublas: ctypes.CDLL) -> Iterator[Blas]:
    made = Blas(cublas)
    yield made
    made.close()


def encode(values: Array, kind: int) -> Array:
    """Numbers in a small type, as its bits; exact for the numbers that the tests use, but for 16 bits, which round."""
    if kind == R_16BF:
        bits = np.asfortranarray(values.astype(np.float32)).view(np.uint32)
        return np.asfortranarray(((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16))
    if kind in (R_E4M3, R_E5M2):
        table = decode(np.arange(256, dtype=np.uint8), kind)
        order = [code for code in range(256) if np.isfinite(table[code])]
        nearest = np.abs(values[..., None] - table[order]).argmin(axis=-1)
        return np.asfortranarray(np.array(order, np.uint8)[nearest])
    types: dict[int, Any] = {R_32F: np.float32, R_64F: np.float64, R_16F: np.float16, R_8I: np.int8, R_32I: np.int32}
    return np.asfortranarray(values.astype(types[kind]))


def decode(stored: Array, kind: int) -> Array:
    """The numbers that bits stand for."""
    if kind == R_16BF:
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == R_E5M2:
        return (stored.astype(np.uint16) << 8).view(np.float16).astype(np.float64)
    if kind == R_E4M3:
        exponent, fraction = (stored >> 3) & 15, (stored & 7).astype(np.float64)
        value: Array = (1 + fraction / 8) * 2.0 ** (exponent.astype(np.int64) - 7)
        value[exponent == 0] = fraction[exponent == 0] / 8 * 2.0**-6
        value[(stored & 0x7F) == 0x7F] = np.nan
        value[stored >= 0x80] *= -1
        return value
    return stored.astype(np.float64)


def with_even_rows(stored: Array) -> Array:
    """The same with columns that begin at multiples of four numbers, as an H200 wants bytes to be added as integers."""
    rows = -(-stored.shape[0] // 4) * 4
    return np.asfortranarray(np.vstack((stored, np.zeros((rows - stored.shape[0], stored.shape[1]), stored.dtype))))


EPS = {R_32F: 2.0**-24, R_16F: 2.0**-11, R_16BF: 2.0**-8, R_E4M3: 2.0**-4, R_E5M2: 2.0**-3, R_8I: 0.0}


def values(rng: np.random.Generator, rows: int, columns: int, kind: int) -> tuple[Array, Array]:
    """A random matrix as it is stored, and its numbers."""
    plain = rng.integers(-128, 128, (rows, columns)) if kind == R_8I else rng.standard_normal((rows, columns))
    stored = encode(plain.astype(np.float64), kind)
    return stored, decode(stored, kind)


@pytest.mark.parametrize(
    ("kind", "out", "compute"),
    [
        (R_16F, R_16F, COMPUTE_16F), (R_16F, R_16F, COMPUTE_32F), (R_16F, R_32F, COMPUTE_32F),
        (R_16BF, R_16BF, COMPUTE_32F), (R_16BF, R_32F, COMPUTE_32F), (R_8I, R_32F, COMPUTE_32F),
        (R_8I, R_32I, COMPUTE_32I), (R_32F, R_32F, COMPUTE_TF32),
    ],
)  # fmt: skip
def test_gemm_ex(blas: Blas, kind: int, out: int, compute: int) -> None:
    rng = np.random.default_rng(kind * 100 + out)
    for m, n, k in SHAPES:
        for ta, tb in ((0, 0), (1, 0), (0, 1), (1, 1)):
            a, exact_a = values(rng, *((m, k) if ta == 0 else (k, m)), kind)
            b, exact_b = values(rng, *((k, n) if tb == 0 else (n, k)), kind)
            if compute == COMPUTE_32I:
                a, b = with_even_rows(a), with_even_rows(b)
            scale = np.int32 if compute == COMPUTE_32I else np.float16 if compute == COMPUTE_16F else np.float32
            alpha, beta = np.array([2], scale), np.array([int(rng.integers(0, 2))], scale)
            c, exact_c = values(rng, m, n, R_32F if out == R_32I else out)
            c = encode(exact_c * 100, out) if out == R_32I else c
            exact_c = decode(c, out)
            args = (ta, tb, m, n, k, alpha, a, kind, a.shape[0], b, kind, b.shape[0], beta, c, out, m, compute, -1)
            assert blas.call("cublasGemmEx", *args) == 0
            left, right = exact_a.T if ta else exact_a, exact_b.T if tb else exact_b
            exact = 2 * (left @ right) + float(beta[0]) * exact_c
            size = 2 * (np.abs(left) @ np.abs(right)) + np.abs(exact_c)
            # What factors are rounded to, and sums: TF32 has as many bits as halves, whose sums may be halves as well.
            single = EPS[R_16F] if compute in (COMPUTE_16F, COMPUTE_TF32) else EPS[R_32F]
            bound = 0.0 if out == R_32I else 2 * (k + 4) * single * size + 2 * EPS[out] * np.abs(exact) + 1e-7
            assert bool(np.all(np.abs(decode(c, out) - exact) <= bound)), (m, n, k, ta, tb)


class Light:
    """cublasLtMatmul on matrices in columns."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        assert library.cublasLtCreate(ctypes.byref(self.handle)) == 0

    def layout(self, kind: int, rows: int, columns: int, ld: int, **attributes: int) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        u, i = ctypes.c_uint64, ctypes.c_int64
        assert self.library.cublasLtMatrixLayoutCreate(ctypes.byref(made), kind, u(rows), u(columns), i(ld)) == 0
        numbers = {"order": (1, ctypes.c_int32), "count": (5, ctypes.c_int32), "stride": (6, ctypes.c_int64)}
        for name, value in attributes.items():
            which, size = numbers[name]
            stored = size(value)
            call = self.library.cublasLtMatrixLayoutSetAttribute
            assert call(made, which, ctypes.byref(stored), ctypes.c_size_t(ctypes.sizeof(stored))) == 0
        return made

    def description(self, compute: int, scale: int, **attributes: Any) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        assert self.library.cublasLtMatmulDescCreate(ctypes.byref(made), compute, scale) == 0
        int32, int64, address = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
        numbers: dict[str, tuple[int, Any]] = {
            "transa": (3, int32), "transb": (4, int32), "epilogue": (7, int32), "bias": (8, address),
            "aux": (11, address), "aux_ld": (12, int64), "a_scale": (17, address), "b_scale": (18, address),
            "d_scale": (20, address), "amax": (21, address), "bias_type": (26, int32),
            "a_scale_mode": (31, int32), "b_scale_mode": (32, int32), "pointer_mode": (2, int32),
        }  # fmt: skip
        for name, value in attributes.items():
            which, size = numbers[name]
            stored = size(value.ctypes.data if isinstance(value, np.ndarray) else value)
            call = self.library.cublasLtMatmulDescSetAttribute
            assert call(made, which, ctypes.byref(stored), ctypes.c_size_t(ctypes.sizeof(stored))) == 0
        return made

    def multiply(self, desc: Any, a: Any, la: Any, b: Any, lb: Any, c: Any, lc: Any, d: Any, ld: Any,
                 alpha: float = 1, beta: float = 0) -> int:  # fmt: skip
        one, two = np.array([alpha], np.float32), np.array([beta], np.float32)
        none = ctypes.c_void_p()
        status = self.library.cublasLtMatmul(
            self.handle, desc, pointer(one), pointer(a), la, pointer(b), lb, pointer(two), pointer(c), lc, pointer(d),
            ld, none, none, ctypes.c_size_t(0), none,
        )  # fmt: skip
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)


@pytest.fixture(scope="module")
def light(cublas: ctypes.CDLL) -> Light:
    return Light(cublas)


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_slope(x: Array) -> Array:
    step = 1e-5
    return (gelu(x + step) - gelu(x - step)) / (2 * step)


@pytest.mark.parametrize("kind", [R_32F, R_16BF, R_16F])
def test_epilogues(light: Light, kind: int) -> None:
    rng = np.random.default_rng(7)
    for m, n, k in ((8, 3, 4), (136, 70, 33), (520, 300, 64)):
        (a, x), (b, y) = values(rng, m, k, kind), values(rng, k, n, kind)
        bias, z = values(rng, m, 1, kind)
        layouts = light.layout(kind, m, k, m), light.layout(kind, k, n, k), light.layout(kind, m, n, m)
        product, tolerance = x @ y, 4 * EPS[kind] * (1 + np.abs(x) @ np.abs(y)) + 1e-4
        mask_ld = -(-m // 128) * 128
        old, old_exact = values(rng, m, n, kind)
        signs = rng.integers(0, 256, (n, mask_ld // 8)).astype(np.uint8)
        on = np.unpackbits(signs, axis=1, bitorder="little")[:, :m].T.astype(bool)
        cases: dict[int, Array] = {
            1: product, BIAS: product + z, RELU: np.maximum(product, 0), RELU | BIAS: np.maximum(product + z, 0),
            GELU: gelu(product), GELU | BIAS: gelu(product + z), 128 | GELU | BIAS: gelu(product + z),
            128 | RELU | BIAS: np.maximum(product + z, 0), 136: np.where(on, product, 0),
            152: np.where(on, product, 0), 192: product * gelu_slope(old_exact), 208: product * gelu_slope(old_exact),
            256: product, 512: product,
        }  # fmt: skip
        for epilogue, exact in cases.items():
            is_mask = bool(epilogue & (RELU | 8))
            aux = (signs.copy() if epilogue & 8 else np.zeros_like(signs)) if is_mask else old.copy(order="F")
            extra = {"aux": aux, "aux_ld": mask_ld if is_mask else m} if epilogue & 128 else {}
            is_sum = bool(epilogue & (16 | 256 | 512))
            own = encode(np.zeros((max(m, n), 1)), kind) if is_sum else bias
            if epilogue & (BIAS | 16 | 256 | 512):
                extra["bias"] = own
            d = encode(np.zeros((m, n)), kind)
            la, lb, lc = layouts
            right = b
            if epilogue == 512:  # sums of B's columns are of a B that is transposed
                extra["transb"], right, lb = 1, np.asfortranarray(b.T), light.layout(kind, n, k, n)
            desc = light.description(COMPUTE_32F, R_32F, epilogue=epilogue, **extra)
            assert light.multiply(desc, a, la, right, lb, d, lc, d, lc) == 0, (epilogue, m)
            made = decode(d, kind)
            assert bool(np.all(np.abs(made - exact) <= tolerance * (1 + np.abs(exact)))), (epilogue, m)
            if epilogue == (128 | GELU | BIAS):
                assert bool(np.all(np.abs(decode(aux, kind) - (product + z)) <= tolerance))
            if epilogue == (128 | RELU | BIAS):
                bits = np.unpackbits(aux, axis=1, bitorder="little")[:, :m].T.astype(bool)
                assert np.array_equal(bits, decode(encode(product + z, kind), kind) >= 0)
            if is_sum:
                sums = exact.sum(1) if epilogue & 16 else x.sum(1) if epilogue == 256 else y.sum(0)
                size = 4 * EPS[kind] * (1 + np.abs(sums)) + tolerance.max() * (n if epilogue & 16 else 1)
                assert bool(np.all(np.abs(decode(own[: sums.size, 0], kind) - sums) <= size)), epilogue


def test_bytes_with_exponents_are_scaled(light: Light) -> None:
    rng = np.random.default_rng(3)
    m, n, k = 48, 32, 64
    (a, x), (b, y) = values(rng, k, m, R_E4M3), values(rng, k, n, R_E5M2)
    scales = np.array([2.0], np.float32), np.array([0.5], np.float32), np.array([0.25], np.float32)
    amax = np.zeros(1, np.float32)
    exact = 3 * (x.T @ y)
    la, lb = light.layout(R_E4M3, k, m, k), light.layout(R_E5M2, k, n, k)
    for out in (R_32F, R_16BF, R_E4M3):
        of_c, more = out, {}
        if out == R_E4M3:
            of_c, more = R_16BF, {"d_scale": scales[2], "amax": amax}
        desc = light.description(COMPUTE_32F, R_32F, transa=1, a_scale=scales[0], b_scale=scales[1], **more)
        c, d = encode(np.zeros((m, n)), of_c), encode(np.zeros((m, n)), out)
        lc, ld = light.layout(of_c, m, n, m), light.layout(out, m, n, m)
        assert light.multiply(desc, a, la, b, lb, c, lc, d, ld, alpha=3) == 0, out
        expected = np.clip(exact * 0.25, -448, 448) if out == R_E4M3 else exact
        assert bool(
            np.all(np.abs(decode(d, out) - expected) <= EPS[out] * np.abs(expected) + 2e-2 * (out == R_E4M3) + 1e-4)
        )
    assert abs(amax[0] - np.max(np.abs(exact))) < 1e-3 * amax[0]
    desc = light.description(COMPUTE_32F, R_32F)
    la = light.layout(R_E4M3, m, k, m)
    assert light.multiply(desc, a, la, b, lb, c, lc, d, ld) == 15  # the first operand is not transposed


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize(("of_a", "of_b"), [(3, 3), (4, 4), (4, 5), (5, 4)])
def test_scales_of_rows_and_pieces(light: Light, of_a: int, of_b: int, by_rows: bool) -> None:
    """One scale for each row of A and column of B (3), each 128 terms of one (4), each block of 128 x 128 (5)."""
    rng = np.random.default_rng(of_a * 10 + of_b)
    m, n, k = 144, 160, 400
    (a, x), (b, y) = values(rng, k, m, R_E4M3), values(rng, k, n, R_E4M3)

    def scales(mode: int, lines: int) -> tuple[Array, Array]:
        """As they are stored, and for each term and line."""
        if mode == 3:
            each = rng.uniform(0.5, 2, lines).astype(np.float32)
            return each, np.tile(each, (k, 1))
        pieces = -(-k // 128)
        stored = rng.uniform(0.5, 2, (-(-lines // 128), 8) if mode == 5 else (pieces, lines)).astype(np.float32)
        stored = np.ascontiguousarray(stored[:, : -(-pieces // 4) * 4] if mode == 5 else stored)
        full = stored.T[:pieces] if mode == 5 else stored
        return stored, np.repeat(np.repeat(full, 128, 0)[:k], 128 if mode == 5 else 1, 1)[:, :lines]

    (of_left, left), (of_right, right) = scales(of_a, m), scales(of_b, n)
    exact, size = (x * left).T @ (y * right), np.abs(x * left).T @ np.abs(y * right)
    desc = light.description(
        COMPUTE_32F, R_32F, transa=1, a_scale=of_left, b_scale=of_right, a_scale_mode=of_a, b_scale_mode=of_b
    )
    d = np.zeros((m, n), np.float32, order="C" if by_rows else "F")
    ld = light.layout(R_32F, m, n, n if by_rows else m, order=int(by_rows))
    assert light.multiply(desc, a, light.layout(R_E4M3, k, m, k), b, light.layout(R_E4M3, k, n, k), d, ld, d, ld) == 0
    assert bool(np.all(np.abs(d - exact) <= 1e-5 * size))


def test_one_factor_for_each_row(light: Light) -> None:
    """Bytes from bytes with a vector of factors; the bias is of floats."""
    rng = np.random.default_rng(9)
    m, n, k = 64, 40, 32
    (a, x), (b, y) = (values(rng, k, each, R_8I) for each in (m, n))
    factors, bias = rng.uniform(1e-4, 2e-3, m).astype(np.float32), rng.uniform(-50, 50, m).astype(np.float32)
    d = np.zeros((m, n), np.int8, order="F")
    desc = light.description(COMPUTE_32I, R_32F, transa=1, pointer_mode=4, epilogue=BIAS, bias=bias)
    la, lb, ld = light.layout(R_8I, k, m, k), light.layout(R_8I, k, n, k), light.layout(R_8I, m, n, m)
    none, zero = ctypes.c_void_p(), np.zeros(1, np.float32)
    operands = (pointer(factors), pointer(a), la, pointer(b), lb, pointer(zero), pointer(d), ld, pointer(d), ld)
    assert light.library.cublasLtMatmul(light.handle, desc, *operands, none, none, ctypes.c_size_t(0), none) == 0
    assert light.library.cudaDeviceSynchronize() == 0
    exact = factors[:, None].astype(np.float64) * (x.T @ y) + bias[:, None]
    assert bool(np.all(np.abs(d - np.clip(exact, -128, 127)) <= 0.501))


def test_epilogues_of_doubles(light: Light) -> None:
    rng = np.random.default_rng(4)
    m, n, k = 136, 70, 33
    a, b, old = (np.asfortranarray(rng.standard_normal(each)) for each in ((m, k), (k, n), (m, n)))
    bias, d = rng.standard_normal(m), np.zeros((m, n), order="F")
    layouts = [light.layout(R_64F, *each, each[0]) for each in ((m, k), (k, n), (m, n))]
    linear = 2 * (a @ b) + 3 * old + bias[:, None]
    for epilogue, exact in ((BIAS, linear), (BIAS | RELU, np.maximum(linear, 0)), (BIAS | GELU, gelu(linear))):
        desc = light.description(70, R_64F, epilogue=epilogue, bias=bias)
        none, factors = ctypes.c_void_p(), np.array([2.0, 3.0])
        la, lb, lc = layouts
        operands = (pointer(factors), pointer(a), la, pointer(b), lb, pointer(factors[1:]), pointer(old), lc)
        rest = (pointer(d), lc, none, none, ctypes.c_size_t(0), none)
        assert light.library.cublasLtMatmul(light.handle, desc, *operands, *rest) == 0
        assert light.library.cudaDeviceSynchronize() == 0
        assert bool(np.all(np.abs(d - exact) <= 1e-12)), epilogue


def test_rows_and_batches(light: Light) -> None:
    rng = np.random.default_rng(5)
    m, n, k, count = 7, 5, 6, 3
    a, b = rng.standard_normal((count, m, k)).astype(np.float32), rng.standard_normal((count, k, n)).astype(np.float32)
    bias = rng.standard_normal(m).astype(np.float32)
    d = np.zeros((count, m, n), np.float32)
    la = light.layout(R_32F, m, k, k, order=1, count=count, stride=m * k)
    lb = light.layout(R_32F, k, n, n, order=1, count=count, stride=k * n)
    ld = light.layout(R_32F, m, n, n, order=1, count=count, stride=m * n)
    for epilogue, exact in ((1, a @ b), (BIAS, a @ b + bias[:, None])):
        desc = light.description(COMPUTE_32F, R_32F, epilogue=epilogue, **({"bias": bias} if epilogue == BIAS else {}))
        assert light.multiply(desc, a, la, b, lb, d, ld, d, ld) == 0, epilogue
        assert np.allclose(d, exact, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("transa", "transb"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("m", "n"), [(45, 29), (301, 525)])
def test_odd_numbers_of_bytes(blas: Blas, transa: int, transb: int, m: int, n: int) -> None:
    """Sizes that are no multiples of what an instruction takes; the extreme bytes."""
    rng = np.random.default_rng(5)
    k = 1027
    a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
    a[:3], b[:, :2] = -128, -128
    stored = [
        with_even_rows((each.T if turned else each).astype(np.int8)) for each, turned in ((a, transa), (b, transb))
    ]
    c = np.full((m, n), 7, np.int32, order="F")
    factors = np.array([3], np.int32), np.array([-2], np.int32)
    left, right = ((each, R_8I, each.shape[0]) for each in stored)
    arguments = (transa, transb, m, n, k, factors[0], *left, *right, factors[1], c, R_32I, m, COMPUTE_32I, -1)
    assert blas.call("cublasGemmEx", *arguments) == 0
    assert np.array_equal(c, 3 * (a @ b) - 14)


def test_bfloat16_below_the_normal_numbers(blas: Blas) -> None:
    """Tiny numbers count when large ones are beside them."""
    rng = np.random.default_rng(6)
    m = n = k = 64
    tiny, large = rng.standard_normal((m, k)) * 1e-39, rng.standard_normal((k, n)) * 1e38
    a, b, c = encode(tiny, R_16BF), encode(large, R_16BF), np.zeros((m, n), np.float32, order="F")
    factors = np.array([1], np.float32), np.array([0], np.float32)
    arguments = (0, 0, m, n, k, factors[0], a, R_16BF, m, b, R_16BF, k, factors[1], c, R_32F, m, COMPUTE_32F, -1)
    assert blas.call("cublasGemmEx", *arguments) == 0
    exact = decode(a, R_16BF) @ decode(b, R_16BF)
    assert abs(c - exact).max() < 1e-4 * abs(exact).max()


@pytest.mark.parametrize("exponents", [(-57, -56), (-100, -30), (-126, 100), (-130, 100), (14, -127)])
@pytest.mark.parametrize("n", [64, 600, 1600])
def test_products_of_bfloat16_below_the_normal_numbers(blas: Blas, exponents: tuple[int, int], n: int) -> None:
    """Each number of C is one product: of what is small, which others beside it do not hide."""
    a, b = (np.eye(n) * 2.0**each for each in exponents)
    a[5, 5], b[7, 7] = 0, 0
    c, factors = np.zeros((n, n), np.float32, order="F"), (np.array([1], np.float32), np.array([0], np.float32))
    left, right = encode(a, R_16BF), encode(b, R_16BF)
    arguments = (0, 0, n, n, n, factors[0], left, R_16BF, n, right, R_16BF, n, factors[1], c, R_32F, n, COMPUTE_32F, -1)
    assert blas.call("cublasGemmEx", *arguments) == 0
    assert np.array_equal(c, decode(left, R_16BF) @ decode(right, R_16BF))


def test_bfloat16_has_the_same_bits_however_it_is_cut(blas: Blas) -> None:
    """Rows and columns of a large product, beside those of its parts."""
    rng = np.random.default_rng(8)
    m, n, k = 600, 530, 1100
    a, b = (encode(rng.standard_normal(shape), R_16BF) for shape in ((m, k), (k, n)))
    factors = np.array([1], np.float32), np.array([0], np.float32)

    def product(left: Array, right: Array) -> Array:
        rows, columns = left.shape[0], right.shape[1]
        made = np.zeros((rows, columns), np.float32, order="F")
        operands = (left, R_16BF, rows, right, R_16BF, k, factors[1], made, R_32F, rows, COMPUTE_32F, -1)
        assert blas.call("cublasGemmEx", 0, 0, rows, columns, k, factors[0], *operands) == 0
        return made

    whole = product(a, b)
    exact, size = decode(a, R_16BF) @ decode(b, R_16BF), np.abs(decode(a, R_16BF)) @ np.abs(decode(b, R_16BF))
    assert bool(np.all(np.abs(whole - exact) <= (k + 4) * EPS[R_32F] * size))
    for rows, columns in (
        (slice(0, 64), slice(0, 64)),
        (slice(311, 600), slice(100, 101)),
        (slice(1, 47), slice(9, 530)),
    ):
        part = product(np.asfortranarray(a[rows]), np.asfortranarray(b[:, columns]))
        if lanes_of_bfloat16():
            assert np.array_equal(part, whole[rows, columns])


def lanes_of_bfloat16() -> bool:
    """Whether products of bfloat16 are the processor's, whose sums do not depend on their neighbours."""
    words = Path("/proc/cpuinfo").read_text().split()
    return "amx_bf16" in words or ("avx512_bf16" in words and "GenuineIntel" not in words)
