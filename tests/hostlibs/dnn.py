# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuDNN called from Python, and convolutions by NumPy in double precision."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from blas import pointer

Array = Any  # a NumPy array of one of the types
FLOAT, DOUBLE, HALF, BFLOAT16 = 0, 1, 2, 9
NCHW, NHWC = 0, 1
BAD_PARAM, NOT_SUPPORTED = 2000, 3000
FMA_MATH = 3
TYPES: dict[int, Any] = {FLOAT: np.float32, DOUBLE: np.float64, HALF: np.float16, BFLOAT16: np.uint16}


def to_type(kind: int, values: Array) -> Array:
    """Numbers as the library takes them; bfloat16 by its bits."""
    if kind != BFLOAT16:
        return np.ascontiguousarray(values, dtype=TYPES[kind])
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_double(kind: int, values: Array) -> Array:
    """What numbers of the library are."""
    if kind != BFLOAT16:
        return values.astype(np.float64)
    return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def epsilon(kind: int) -> float:
    return {FLOAT: 2.0**-23, DOUBLE: 2.0**-52, HALF: 2.0**-10, BFLOAT16: 2.0**-7}[kind]


def integers(values: Sequence[int]) -> Any:
    return (ctypes.c_int * len(values))(*values)


class Dnn:
    """A handle, and descriptors that live as long."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.handle = self.create("")

    def create(self, kind: str) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        assert getattr(self.library, f"cudnnCreate{kind}")(ctypes.byref(made)) == 0
        return made

    def call(self, name: str, *arguments: object) -> int:
        """Call a function with the handle, wait for the device; the status."""
        status = self.plain(name, self.handle, *arguments)
        assert self.library.cudaDeviceSynchronize() == 0
        return status

    def plain(self, name: str, *arguments: object) -> int:
        """Call a function; the status. Floats are of double precision."""
        passed = [
            pointer(each)
            if isinstance(each, np.ndarray)
            else ctypes.c_double(each)
            if isinstance(each, float)
            else each
            for each in arguments
        ]
        return int(getattr(self.library, name)(*passed))

    def tensor(self, kind: int, shape: Sequence[int], layout: int = NCHW) -> ctypes.c_void_p:
        made = self.create("TensorDescriptor")
        assert self.plain("cudnnSetTensorNdDescriptorEx", made, layout, kind, len(shape), integers(shape)) == 0
        return made

    def filter(self, kind: int, shape: Sequence[int], layout: int = NCHW) -> ctypes.c_void_p:
        made = self.create("FilterDescriptor")
        assert self.plain("cudnnSetFilterNdDescriptor", made, kind, layout, len(shape), integers(shape)) == 0
        return made

    def algorithm(self, name: str, *operands: ctypes.c_void_p) -> tuple[int, Array]:
        """The first algorithm that the library proposes for a convolution, and its work area."""
        results, found, size = np.zeros((8, 48), np.uint8), ctypes.c_int(), ctypes.c_size_t()
        asked = (*operands, len(results), ctypes.byref(found), results)
        status = self.call(f"cudnnGetConvolution{name}Algorithm_v7", *asked)
        numbers = results[:, :8].copy().view(np.int32)[: found.value]
        for algorithm in (int(number) for number, its_status in numbers if its_status == 0):
            area = (*operands, algorithm, ctypes.byref(size))
            if self.call(f"cudnnGetConvolution{name}WorkspaceSize", *area) == 0:
                return algorithm, np.zeros(size.value, np.uint8)
        raise AssertionError(f"no algorithm for {name}: {status}, {numbers.tolist()}")

    def convolution(self, case: Case) -> ctypes.c_void_p:
        made = self.create("ConvolutionDescriptor")
        arrays = [integers(each) for each in (case.pad, case.stride, case.dilation)]
        compute = DOUBLE if case.kind == DOUBLE else FLOAT
        mode = 0 if case.flipped else 1
        assert self.plain("cudnnSetConvolutionNdDescriptor", made, len(case.pad), *arrays, mode, compute) == 0
        assert self.plain("cudnnSetConvolutionGroupCount", made, case.groups) == 0
        if case.kind == FLOAT:  # not rounded to TF32
            assert self.plain("cudnnSetConvolutionMathType", made, FMA_MATH) == 0
        return made


def scalar(kind: int, value: float) -> Array:
    """A factor: of double for tensors of doubles, else of float."""
    return np.array([value], np.float64 if kind == DOUBLE else np.float32)


@dataclass
class Case:
    """A convolution."""

    kind: int
    layout: int
    x: tuple[int, ...]
    w: tuple[int, ...]
    pad: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int = 1
    flipped: bool = False

    @property
    def y(self) -> tuple[int, ...]:
        space = [
            (x + 2 * pad - (w - 1) * dilation - 1) // stride + 1
            for x, w, pad, stride, dilation in zip(
                self.x[2:], self.w[2:], self.pad, self.stride, self.dilation, strict=True
            )
        ]
        return (self.x[0], self.w[0], *space)

    def stored(self, values: Array) -> Array:
        """An array as it lies in memory."""
        return to_type(self.kind, np.moveaxis(values, 1, -1) if self.layout == NHWC else values)

    def loaded(self, values: Array, shape: Sequence[int]) -> Array:
        """Batch, channels, space, from memory."""
        if self.layout == NCHW:
            return to_double(self.kind, values.reshape(shape))
        return np.moveaxis(to_double(self.kind, values.reshape(shape[0], *shape[2:], shape[1])), -1, 1)

    def taps(self) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Elements of the filter, and which part of the padded input each is multiplied with."""
        found: list[tuple[tuple[int, ...], tuple[slice, ...]]] = []
        for at in product(*(range(size) for size in self.w[2:])):
            place = tuple(size - 1 - t for size, t in zip(self.w[2:], at, strict=True)) if self.flipped else at
            parts = [
                slice(t * dilation, t * dilation + (out - 1) * stride + 1, stride)
                for t, dilation, out, stride in zip(place, self.dilation, self.y[2:], self.stride, strict=True)
            ]
            found.append((at, tuple(parts)))
        return found


def padded(case: Case, x: Array) -> Array:
    return np.pad(x, [(0, 0), (0, 0), *((pad, pad) for pad in case.pad)])


def forward(case: Case, x: Array, w: Array) -> Array:
    """The convolution of x (batch, channels, ...) with w."""
    wide, y = padded(case, x), np.zeros(case.y)
    inner, outer = case.w[1], case.w[0] // case.groups
    for at, parts in case.taps():
        for group in range(case.groups):
            piece = wide[(slice(None), slice(group * inner, (group + 1) * inner), *parts)]
            part = w[(slice(group * outer, (group + 1) * outer), slice(None), *at)]
            y[:, group * outer : (group + 1) * outer] += np.einsum("nc...,kc->nk...", piece, part)
    return y


def backward_data(case: Case, w: Array, dy: Array) -> Array:
    wide = padded(case, np.zeros(case.x))
    inner, outer = case.w[1], case.w[0] // case.groups
    for at, parts in case.taps():
        for group in range(case.groups):
            part = w[(slice(group * outer, (group + 1) * outer), slice(None), *at)]
            errors = dy[:, group * outer : (group + 1) * outer]
            place = (slice(None), slice(group * inner, (group + 1) * inner), *parts)
            wide[place] += np.einsum("nk...,kc->nc...", errors, part)
    inside = tuple(slice(pad, pad + size) for pad, size in zip(case.pad, case.x[2:], strict=True))
    return wide[(slice(None), slice(None), *inside)]


def backward_filter(case: Case, x: Array, dy: Array) -> Array:
    wide, dw = padded(case, x), np.zeros(case.w)
    inner, outer = case.w[1], case.w[0] // case.groups
    for at, parts in case.taps():
        for group in range(case.groups):
            piece = wide[(slice(None), slice(group * inner, (group + 1) * inner), *parts)]
            errors = dy[:, group * outer : (group + 1) * outer]
            rows = np.moveaxis(errors, 1, 0).reshape(outer, -1)
            columns = np.moveaxis(piece, 1, 0).reshape(inner, -1)
            dw[(slice(group * outer, (group + 1) * outer), slice(None), *at)] = rows @ columns.T
    return dw


def random_case(rng: np.random.Generator) -> Case:
    """Odd sizes, steps, dilations, groups."""
    rank = int(rng.choice([1, 2, 2, 2, 3]))
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    inner, outer = int(rng.integers(1, 20)), int(rng.integers(1, 20))
    window = tuple(int(rng.choice([1, 2, 3, 3, 5])) for _ in range(rank))
    dilation = tuple(int(rng.choice([1, 1, 1, 2])) for _ in range(rank))
    pad = tuple(int(rng.integers(0, 3)) for _ in range(rank))
    size = tuple(
        max(int(rng.integers(1, 24 if rank < 3 else 8)), (w - 1) * d + 1 - 2 * p)
        for w, d, p in zip(window, dilation, pad, strict=True)
    )
    return Case(
        kind=int(rng.choice([FLOAT, FLOAT, DOUBLE, HALF, BFLOAT16])), layout=int(rng.choice([NCHW, NHWC])),
        x=(int(rng.integers(1, 4)), inner * groups, *size), w=(outer * groups, inner, *window), pad=pad,
        stride=tuple(int(rng.choice([1, 1, 2, 3])) for _ in range(rank)), dilation=dilation, groups=groups,
        flipped=bool(rng.random() < 0.2),
    )  # fmt: skip
