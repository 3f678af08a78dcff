# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cublasLt: which types, orders, epilogues and scales there are
"""What an H200's cublasLt said to combinations of types and settings, recorded with CUDA 13.0."""

# functions: cublasLtMatmulAlgoGetHeuristic cublasLtMatmulDescSetAttribute cublasLtMatmulDescGetAttribute
from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_int64, c_size_t, c_uint64, c_void_p

import numpy as np
import pytest

NAMES = {"f32": 0, "f64": 1, "f16": 2, "bf": 14, "s8": 3, "u8": 8, "s32": 10, "c32": 4, "c64": 5, "e4": 28, "e5": 29}
ALL = ("f32", "f64", "f16", "bf", "s8", "u8", "s32", "c32", "c64", "e4", "e5")
OK, INVALID, EXECUTION_FAILED, UNSUPPORTED = 0, 7, 13, 15
DIGITS = {"0": OK, "7": INVALID, "f": UNSUPPORTED}
SIZE = 64


class Call:
    """A product of 64 x 64 x 64, A transposed, and what is set besides."""

    def __init__(self, library: ctypes.CDLL, compute: int, types: tuple[str, ...], scale: str, **settings: int) -> None:
        self.library, self.handle, self.desc, self.preference = library, c_void_p(), c_void_p(), c_void_p()
        self.memory = np.zeros((9, SIZE * SIZE * 16 + 256), np.uint8)
        assert library.cublasLtCreate(byref(self.handle)) == 0
        assert library.cublasLtMatmulDescCreate(byref(self.desc), compute, NAMES[scale]) == 0
        numbers = {"transa": (3, 4), "transb": (4, 4), "epilogue": (7, 4), "bias": (8, 8), "aux": (11, 8)}
        numbers |= {"aux_ld": (12, 8), "a_scale": (17, 8), "d_scale": (20, 8), "amax": (21, 8), "fast": (25, 1)}
        numbers |= {"bias_type": (26, 4), "b_scale": (18, 8), "a_mode": (31, 4), "b_mode": (32, 4), "pointers": (2, 4)}
        settings.setdefault("transa", 1)
        orders = [settings.pop(f"order_{which}", 0) for which in "abcd"]
        batch = settings.pop("batch", 1)
        for name, value in settings.items():
            which, size = numbers[name]
            is_address = name in ("bias", "aux", "a_scale", "b_scale", "d_scale", "amax")
            stored = c_int64(self.address(4) if is_address else value)
            assert library.cublasLtMatmulDescSetAttribute(self.desc, which, byref(stored), c_size_t(size)) == 0
        self.layouts = [c_void_p() for _ in types]
        for layout, kind, order in zip(self.layouts, types, orders, strict=True):
            extents = (c_uint64(SIZE), c_uint64(SIZE), c_int64(SIZE))
            assert library.cublasLtMatrixLayoutCreate(byref(layout), NAMES[kind], *extents) == 0
            for which, number in ((1, order), (5, batch)):
                assert library.cublasLtMatrixLayoutSetAttribute(layout, which, byref(c_int(number)), c_size_t(4)) == 0
        assert library.cublasLtMatmulPreferenceCreate(byref(self.preference)) == 0

    def address(self, i: int) -> int:
        return -(-self.memory[i].ctypes.data // 256) * 256

    def heuristic(self) -> int:
        results, found = np.zeros(256, np.uint8), c_int()
        last = (self.preference, 1, c_void_p(results.ctypes.data), byref(found))
        return int(self.library.cublasLtMatmulAlgoGetHeuristic(self.handle, self.desc, *self.layouts, *last))

    def multiply(self) -> int:
        a, b, c, d = (c_void_p(self.address(i)) for i in range(4))
        la, lb, lc, ld = self.layouts
        factors = c_void_p(self.address(5))
        operands = (factors, a, la, b, lb, factors, c, lc, d, ld)
        status = self.library.cublasLtMatmul(self.handle, self.desc, *operands, None, None, c_size_t(0), None)
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)

    def close(self) -> None:
        assert self.library.cublasLtMatmulPreferenceDestroy(self.preference) == 0
        assert self.library.cublasLtMatmulDescDestroy(self.desc) == 0
        assert all(self.library.cublasLtMatrixLayoutDestroy(each) == 0 for each in self.layouts)
        assert self.library.cublasLtDestroy(self.handle) == 0


def heuristic(library: ctypes.CDLL, *arguments: object, **settings: int) -> int:
    call = Call(library, *arguments, **settings)  # type: ignore[arg-type]
    status = call.heuristic()
    call.close()
    return status


# Compute types, types of the factors, and for A and B of a type the answers for C and D of each type in turn. A fast
# compute type takes floats with any D, and an H200 writes what is no number of that type: that is refused here.
TYPES = (
    ((64, 65), ("f16",), {"f16": "ff0ffffffff", "f32": "fffffffffff"}),
    ((64, 65), ("f32", "s8", "c32"), {"f16": "ff7ffffffff", "bf": "fffffffffff"}),
    (
        (68,),
        ("f32",),
        {"f32": "0ffffffffff", "f16": "0f0ffffffff", "bf": "0ff0fffffff", "s8": "0ffffffffff", "c32": "fffffff7fff",
         "e4": "0f00fffffff", "e5": "fffffffffff", "f64": "fffffffffff", "u8": "fffffffffff"},
    ),
    (
        (68, 69),
        ("f64", "f16", "s32"),
        {"f32": "7ffffffffff", "f16": "7f7ffffffff", "bf": "7ff7fffffff", "s8": "7fff7ffffff", "c32": "fffffff7fff",
         "e4": "7f77fffffff"},
    ),
    ((69,), ("f32",), {"f32": "0ffffffffff", "e4": "fffffffffff", "bf": "0ff0fffffff"}),
    ((68, 69), ("c32",), {"c32": "fffffff0fff", "f32": "7ffffffffff"}),
    ((70, 71), ("f64",), {"f64": "f0fffffffff", "c64": "ffffffff7ff", "f32": "fffffffffff"}),
    ((70, 71), ("c64",), {"f64": "f7fffffffff", "c64": "ffffffff0ff"}),
    ((72, 73), ("f32",), {"s8": "ffff0f7ffff", "u8": "fffffffffff"}),
    ((72, 73), ("s32",), {"s8": "ffff7f0ffff"}),
    (
        (74, 75, 77, 78),
        ("f32",),
        {"f16": "0f0ffffffff", "bf": "0ff0fffffff", "s8": "0ffffffffff", "e4": "0f00fffffff", "f64": "fffffffffff",
         "c32": "77777777777"},
    ),
    ((74, 75, 77, 78), ("f64", "f16", "s32", "c32", "e4"), {"f32": "77777777777"}),
    ((74, 75, 77, 78), ("f64", "f16", "s32"), {"c32": "77777777777"}),
)  # fmt: skip


@pytest.mark.parametrize(("computes", "scales", "answers"), TYPES)
def test_types(
    cublas: ctypes.CDLL, computes: tuple[int, ...], scales: tuple[str, ...], answers: dict[str, str]
) -> None:
    for compute in computes:
        for scale in scales:
            for of_a, line in answers.items():
                for of_d, digit in zip(ALL, line, strict=True):
                    found = heuristic(cublas, compute, (of_a, of_a, of_d, of_d), scale)
                    assert found == DIGITS[digit], (compute, scale, of_a, of_d)


# A's and B's types, C's and D's, and the answer.
MIXED = (
    ("e4 e5 f32 f32", OK), ("e5 e4 bf bf", OK), ("e5 e5 bf bf", UNSUPPORTED), ("e4 e4 bf e4", OK),
    ("e4 e4 f16 e4", OK), ("e4 e4 bf e5", UNSUPPORTED), ("e5 e4 bf e5", OK), ("e4 e4 f32 bf", UNSUPPORTED),
    ("e4 e4 e4 e4", UNSUPPORTED), ("f16 bf f32 f32", INVALID), ("f16 bf bf bf", UNSUPPORTED),
    ("bf e4 bf bf", INVALID), ("u8 s8 f32 f32", UNSUPPORTED), ("f16 f16 f32 f16", INVALID), ("bf bf bf f32", INVALID),
)  # fmt: skip


@pytest.mark.parametrize(("types", "expected"), MIXED)
def test_mixed_types(cublas: ctypes.CDLL, types: str, expected: int) -> None:
    assert heuristic(cublas, 68, tuple(types.split()), "f32") == expected


@pytest.mark.parametrize(
    ("types", "settings", "expected"),
    [
        ("f32 f32 f32 f32", {"a_scale": 1}, INVALID),
        ("bf bf bf bf", {"d_scale": 1}, INVALID),
        ("f16 f16 f16 f16", {"fast": 1}, INVALID),
        ("e4 e4 bf bf", {"a_scale": 1, "b_scale": 1}, OK),
        ("e4 e4 bf bf", {"amax": 1}, INVALID),
        ("e4 e4 bf e4", {"amax": 1, "d_scale": 1}, OK),
        ("e4 e4 bf bf", {"a_scale": 1, "b_scale": 1, "a_mode": 1, "b_mode": 1}, INVALID),
        ("e4 e4 bf bf", {"a_scale": 1, "b_scale": 1, "a_mode": 2, "b_mode": 2}, UNSUPPORTED),
        ("e4 e4 bf bf", {"a_scale": 1, "b_scale": 1, "a_mode": 3, "b_mode": 3}, OK),
        ("e4 e4 bf bf", {"a_scale": 1, "b_scale": 1, "a_mode": 4, "b_mode": 4}, OK),
        ("e4 e4 bf bf", {"a_scale": 1, "b_scale": 1, "a_mode": 5, "b_mode": 5}, UNSUPPORTED),
        ("e4 e4 bf e4", {"a_scale": 1, "b_scale": 1, "a_mode": 3, "b_mode": 3}, INVALID),
        ("f32 f32 f32 f32", {"pointers": 4}, UNSUPPORTED),
        ("f32 f32 f32 f32", {"pointers": 5}, INVALID),
        ("f32 f32 f32 f32", {"order_c": 1}, INVALID),
        ("f32 f32 f32 f32", {"order_c": 1, "order_d": 1}, OK),
        ("f32 f32 f32 f32", {"order_a": 2}, UNSUPPORTED),
        ("e4 e4 bf bf", {"transa": 0}, UNSUPPORTED),
        ("e4 e4 bf bf", {"transa": 0, "order_a": 1}, OK),
        ("e4 e4 bf bf", {"order_a": 1}, UNSUPPORTED),
        ("f32 f32 f32 f32", {"epilogue": 4, "bias": 1, "bias_type": 14}, INVALID),
        ("e4 e4 bf bf", {"epilogue": 4, "bias": 1, "bias_type": 0}, UNSUPPORTED),
        ("e4 e4 f32 f32", {"epilogue": 4, "bias": 1, "bias_type": 14}, OK),
        ("f32 f32 f32 f32", {"epilogue": 256, "bias": 1}, UNSUPPORTED),
        ("f32 f32 f32 f32", {"epilogue": 256, "bias": 1, "transa": 0}, OK),
        ("f32 f32 f32 f32", {"epilogue": 512, "bias": 1, "transb": 1, "transa": 0}, OK),
        ("e4 e4 bf bf", {"epilogue": 256, "bias": 1}, UNSUPPORTED),
        ("e4 e4 f32 f32", {"epilogue": 164, "bias": 1, "aux": 1, "aux_ld": 128}, UNSUPPORTED),
        ("e4 e4 bf bf", {"epilogue": 164, "bias": 1, "aux": 1, "aux_ld": 128}, OK),
    ],
)
def test_settings(cublas: ctypes.CDLL, types: str, settings: dict[str, int], expected: int) -> None:
    assert heuristic(cublas, 68, tuple(types.split()), "f32", **settings) == expected


# An epilogue, and the answers of the product itself: bias and aux given, no bias, no aux.
ADDRESSES = {
    1: "707", 2: "7f7", 4: "070", 6: "f70", 32: "7f7", 36: "f70", 130: "707", 134: "07f", 136: "707", 152: "077",
    160: "707", 164: "07f", 192: "707", 208: "077",
}  # fmt: skip


@pytest.mark.parametrize(("compute", "kind"), [(68, "f32"), (68, "bf"), (70, "f64"), (64, "f16")])
@pytest.mark.parametrize("epilogue", ADDRESSES)
def test_addresses_of_bias_and_aux(cublas: ctypes.CDLL, compute: int, kind: str, epilogue: int) -> None:
    scale = {68: "f32", 70: "f64", 64: "f16"}[compute]
    for digit, given in zip(ADDRESSES[epilogue], ({"bias", "aux"}, {"aux"}, {"bias"}), strict=True):
        more = {"aux_ld": 128} if epilogue & 128 else {}
        call = Call(cublas, compute, (kind,) * 4, scale, epilogue=epilogue, **dict.fromkeys(given, 1), **more)
        assert call.heuristic() == OK
        assert call.multiply() == DIGITS[digit], given
        call.close()


def test_attributes_are_read_by_their_size(cublas: ctypes.CDLL) -> None:
    call, number, written = Call(cublas, 68, ("f32",) * 4, "f32"), c_int64(), c_size_t()
    read = cublas.cublasLtMatmulDescGetAttribute
    for which, size in ((0, 4), (7, 4), (8, 8), (25, 1)):
        assert read(call.desc, which, byref(number), c_size_t(size), byref(written)) == OK
        assert read(call.desc, which, byref(number), c_size_t(16), byref(written)) == INVALID
        assert read(call.desc, which, None, c_size_t(0), byref(written)) == OK
        assert written.value == size
    call.close()


@pytest.mark.parametrize("batch", [0, -1])
def test_batches_of_none(cublas: ctypes.CDLL, batch: int) -> None:
    """One product is made of floats and bytes; for smaller floats the call fails."""
    for compute, types, scale, status in (
        (68, ("f32",) * 4, "f32", OK),
        (72, ("s8", "s8", "s32", "s32"), "s32", OK),
        (68, ("bf",) * 4, "f32", EXECUTION_FAILED),
        (68, ("e4", "e4", "bf", "bf"), "f32", EXECUTION_FAILED),
    ):
        call = Call(cublas, compute, types, scale, batch=batch)
        assert call.heuristic() == OK
        call.memory[3] = 255
        assert call.multiply() == status, types
        begin = call.address(3) - call.memory[3].ctypes.data
        assert (call.memory[3, begin : begin + SIZE * SIZE] == 255).all() == (status != OK)  # zeros by zeros
        call.close()


def test_operation_that_conjugates(cublas: ctypes.CDLL) -> None:
    call = Call(cublas, 68, ("f32",) * 4, "f32", transa=3)
    rng = np.random.default_rng(3)
    at = [call.address(i) - call.memory[i].ctypes.data for i in range(6)]
    a, b, d = (
        call.memory[i, at[i] : at[i] + SIZE * SIZE * 4].view(np.float32).reshape(SIZE, SIZE).T for i in (0, 1, 3)
    )
    a[:], b[:] = rng.integers(-4, 5, (2, SIZE, SIZE))
    call.memory[5, at[5] : at[5] + 4].view(np.float32)[:] = 1  # both factors: C is zero
    assert call.heuristic() == call.multiply() == OK
    assert np.array_equal(d, a @ b)
    call.close()
