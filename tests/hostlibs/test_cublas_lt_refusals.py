# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cublasLt: which products of bytes there are, and what may be null
"""cublasLt's answers that were recorded on an H200: sizes of products of bytes, and addresses that are null."""

# functions: cublasLtMatmulPreferenceSetAttribute cublasLt{MatmulPreference,MatmulDesc,MatrixLayout}Destroy
# functions: cublasLtDestroy
from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_int64, c_size_t, c_uint64, c_void_p

import numpy as np
import pytest

R_32F, R_8I, R_32I, COMPUTE_32F, COMPUTE_32I = 0, 3, 10, 68, 72
TRANSA, TRANSB, MAX_WORKSPACE = 3, 4, 1
INVALID_VALUE, NOT_SUPPORTED = 7, 15


class Product:
    """Descriptors of D = op(A) op(B), each matrix `plus` numbers longer than it is."""

    def __init__(self, library: ctypes.CDLL, types: tuple[int, ...], shape: tuple[int, ...], plus: int = 0) -> None:
        self.library, self.handle, self.desc, self.preference = library, c_void_p(), c_void_p(), c_void_p()
        (of_a, of_d, compute, scale), (transa, transb, m, n, k) = types, shape
        assert library.cublasLtCreate(byref(self.handle)) == 0
        assert library.cublasLtMatmulDescCreate(byref(self.desc), compute, scale) == 0
        for which, value in ((TRANSA, transa), (TRANSB, transb)):
            assert library.cublasLtMatmulDescSetAttribute(self.desc, which, byref(c_int(value)), c_size_t(4)) == 0
        sizes = ((k, m) if transa else (m, k), (n, k) if transb else (k, n), (m, n))
        self.layouts = [c_void_p() for _ in sizes]
        for layout, kind, (rows, columns) in zip(self.layouts, (of_a, of_a, of_d), sizes, strict=True):
            extents = (c_uint64(rows), c_uint64(columns), c_int64(rows + plus))
            assert library.cublasLtMatrixLayoutCreate(byref(layout), kind, *extents) == 0
        assert library.cublasLtMatmulPreferenceCreate(byref(self.preference)) == 0
        most = byref(c_uint64(1 << 20))
        set_preference = library.cublasLtMatmulPreferenceSetAttribute
        assert set_preference(self.preference, MAX_WORKSPACE, most, c_size_t(8)) == 0

    def heuristic(self) -> int:
        results, found = np.zeros(256, np.uint8), c_int()
        a, b, d = self.layouts
        last = (self.preference, 1, c_void_p(results.ctypes.data), byref(found))
        return self.library.cublasLtMatmulAlgoGetHeuristic(self.handle, self.desc, a, b, d, d, *last)

    def multiply(self, *, left: object, right: object, old: object, result: object, area: int = 0) -> int:
        a, b, d = self.layouts
        one = np.ones(1, np.float32)
        factor = c_void_p(one.ctypes.data)
        operands = (factor, left, a, right, b, factor, old, d, result, d)
        status = self.library.cublasLtMatmul(self.handle, self.desc, *operands, None, None, c_size_t(area), None)
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)

    def close(self) -> None:
        assert self.library.cublasLtMatmulPreferenceDestroy(self.preference) == 0
        assert self.library.cublasLtMatmulDescDestroy(self.desc) == 0
        assert all(self.library.cublasLtMatrixLayoutDestroy(each) == 0 for each in self.layouts)
        assert self.library.cublasLtDestroy(self.handle) == 0


INTEGERS, BYTES = (R_8I, R_32I, COMPUTE_32I, R_32I), (R_8I, R_8I, COMPUTE_32I, R_32F)
FLOATS = (R_8I, R_32F, COMPUTE_32F, R_32F)


@pytest.mark.parametrize(
    ("types", "shape", "plus", "expected"),
    [
        (INTEGERS, (1, 0, 15, 33, 16), 0, 0),
        (INTEGERS, (1, 0, 16, 16, 15), 0, NOT_SUPPORTED),
        (INTEGERS, (1, 0, 64, 64, 64), 1, NOT_SUPPORTED),
        (INTEGERS, (1, 0, 64, 64, 64), 4, 0),
        (INTEGERS, (0, 0, 6, 8, 8), 0, NOT_SUPPORTED),
        (INTEGERS, (0, 1, 8, 6, 8), 0, NOT_SUPPORTED),
        (INTEGERS, (0, 0, 1, 2, 4), 0, 0),
        (INTEGERS, (0, 0, 1, 2, 6), 0, NOT_SUPPORTED),
        (BYTES, (1, 0, 16, 15, 16), 0, 0),
        (BYTES, (1, 0, 15, 16, 16), 0, NOT_SUPPORTED),
        (FLOATS, (0, 1, 15, 3, 1), 0, 0),
    ],
)
def test_products_of_bytes(
    cublas: ctypes.CDLL, types: tuple[int, ...], shape: tuple[int, ...], plus: int, expected: int
) -> None:
    product = Product(cublas, types, shape, plus)
    assert product.heuristic() == expected
    product.close()


def test_addresses_that_are_null(cublas: ctypes.CDLL) -> None:
    product, numbers = Product(cublas, (R_32F, R_32F, COMPUTE_32F, R_32F), (0, 0, 4, 4, 4)), np.ones(16, np.float32)
    there = c_void_p(numbers.ctypes.data)
    given: dict[str, object] = {"left": there, "right": there, "old": there, "result": there}
    for name in given:
        assert product.multiply(**{**given, name: None}) == INVALID_VALUE  # type: ignore[arg-type]
    assert product.multiply(left=there, right=there, old=there, result=there, area=64) == INVALID_VALUE  # no work area
    assert (numbers == 1).all()
    product.close()
