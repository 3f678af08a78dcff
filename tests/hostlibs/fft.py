# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuFFT called from Python, and random transforms judged by NumPy's in double precision.

The bound is on norms: the error of a transform of n values is at most 3 log2(n) + 6 units in the last place of the
result's norm, and 8 more for lengths with large prime factors, which become convolutions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from blas import pointer
from numpy.typing import NDArray

Array = NDArray[Any]
TYPES = {"R2C": 0x2A, "C2R": 0x2C, "C2C": 0x29, "D2Z": 0x6A, "Z2D": 0x6C, "Z2Z": 0x69}
FORWARD, INVERSE = -1, 1
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 24, 25, 31, 32, 49, 64, 77, 96, 100, 121, 127, 128)
LONG = (169, 243, 256, 257, 289, 384, 512, 625, 720, 1000, 1009, 1024, 1155, 2048, 3125, 4096, 5003, 6561, 10007, 16384)


class Fft:
    """The library."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library

    def plan_many(
        self, kind: str, lengths: Sequence[int], batch: int, layout: Sequence[object] = (None, 1, 0, None, 1, 0)
    ) -> int:
        """A plan; `layout`: embed, stride and distance of the input, then of the output."""
        plan = ctypes.c_int(0)
        status = self.library.cufftPlanMany(
            ctypes.byref(plan), len(lengths), integers(lengths), integers(layout[0]), layout[1], layout[2],
            integers(layout[3]), layout[4], layout[5], TYPES[kind], batch,
        )  # fmt: skip
        assert status == 0
        return plan.value

    def run(self, plan: int, kind: str, data: Array, result: Array, direction: int = FORWARD) -> int:
        """Transform and wait; the status."""
        execute = getattr(self.library, f"cufftExec{kind}")
        last = (direction,) if kind in ("C2C", "Z2Z") else ()
        status = int(execute(plan, pointer(data), pointer(result), *last))
        assert self.library.cudaDeviceSynchronize() == 0
        return status

    def destroy(self, plan: int) -> None:
        assert self.library.cufftDestroy(plan) == 0


def integers(values: object) -> object:
    """An array for C; None is the null pointer."""
    if values is None:
        return None
    numbers = [int(each) for each in cast("Sequence[int]", values)]
    return (ctypes.c_int * len(numbers))(*numbers)


@dataclass
class Case:
    """A random transform."""

    kind: str
    lengths: list[int]
    batch: int
    direction: int
    in_place: bool
    strided: bool

    @property
    def is_double(self) -> bool:
        return self.kind in ("D2Z", "Z2D", "Z2Z")

    @property
    def real(self) -> type[np.generic]:
        return np.float64 if self.is_double else np.float32

    @property
    def complex(self) -> type[np.generic]:
        return np.complex128 if self.is_double else np.complex64

    @property
    def half(self) -> list[int]:
        return [*self.lengths[:-1], self.lengths[-1] // 2 + 1]

    @property
    def bound(self) -> float:
        return bound(self.lengths, self.real)


def bound(lengths: Sequence[int], real: type[np.generic]) -> float:
    """Of the error over the norm of the result."""
    count = float(np.prod(lengths))
    has_large = any(_largest_factor(length) > 13 for length in lengths)
    return (3 * np.log2(max(2.0, count)) + 6 + (8 if has_large else 0)) * float(np.finfo(real).eps)  # type: ignore[arg-type]


def _largest_factor(number: int) -> int:
    largest, factor = 1, 2
    while number > 1:
        if number % factor == 0:
            largest, number = factor, number // factor
        else:
            factor += 1
    return largest


def random_case(rng: np.random.Generator) -> Case:
    rank = int(rng.integers(1, 4))
    lengths = [int(rng.choice(LENGTHS)) for _ in range(rank)]
    if rank == 1 and rng.random() < 0.4:
        lengths = [int(rng.choice(LONG))]
    while np.prod(lengths) > 60000:
        lengths[int(np.argmax(lengths))] //= 3
    most = max(1, min(40, 60000 // int(np.prod(lengths))))
    return Case(
        kind=str(rng.choice(list(TYPES))), lengths=lengths, batch=int(rng.integers(1, most + 1)),
        direction=int(rng.choice([FORWARD, INVERSE])), in_place=bool(rng.random() < 0.3),
        strided=bool(rng.random() < 0.3),
    )  # fmt: skip


def _noise(rng: np.random.Generator, shape: Sequence[int]) -> Array:
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def check(fft: Fft, case: Case, rng: np.random.Generator) -> None:
    """Run one transform and compare it."""
    axes = tuple(range(1, len(case.lengths) + 1))
    real_side = rng.standard_normal([case.batch, *case.lengths])
    if case.kind in ("C2C", "Z2Z"):
        given = _noise(rng, [case.batch, *case.lengths]).astype(case.complex)
        exact = np.fft.fftn(given.astype(complex), axes=axes)
        if case.direction == INVERSE:
            exact = np.fft.ifftn(given.astype(complex), axes=axes, norm="forward")
        shape_out, kind_out = [case.batch, *case.lengths], case.complex
    elif case.kind in ("R2C", "D2Z"):
        given = real_side.astype(case.real)
        exact = np.fft.rfftn(given.astype(float), axes=axes)
        shape_out, kind_out = [case.batch, *case.half], case.complex
    else:
        given = np.fft.rfftn(real_side, axes=axes).astype(case.complex)
        exact = real_side * np.prod(case.lengths)
        shape_out, kind_out = [case.batch, *case.lengths], case.real
    result = _transform(fft, case, given, shape_out, kind_out)
    size = float(np.linalg.norm(exact)) or 1.0
    error = float(np.linalg.norm(result.astype(complex) - exact)) / size
    assert error <= case.bound, (case, error / case.bound)


def _transform(fft: Fft, case: Case, given: Array, shape_out: list[int], kind_out: type[np.generic]) -> Array:
    if case.in_place:
        return _in_place(fft, case, given)
    if case.strided:
        return _strided(fft, case, given, shape_out, kind_out)
    plan = fft.plan_many(case.kind, case.lengths, case.batch)
    result = np.full(shape_out, np.nan, dtype=kind_out)
    assert fft.run(plan, case.kind, given, result, case.direction) == 0
    fft.destroy(plan)
    return result


def _in_place(fft: Fft, case: Case, given: Array) -> Array:
    """Rows of real data have room for the complex ones."""
    plan = fft.plan_many(case.kind, case.lengths, case.batch)
    if case.kind in ("C2C", "Z2Z"):
        data = given.copy()
        assert fft.run(plan, case.kind, data, data, case.direction) == 0
        fft.destroy(plan)
        return data
    data = np.zeros([case.batch, *case.half], dtype=case.complex)
    as_real = data.view(case.real)
    length = case.lengths[-1]
    if case.kind in ("R2C", "D2Z"):
        as_real[..., :length] = given
    else:
        data[...] = given
    assert fft.run(plan, case.kind, data, data, case.direction) == 0
    fft.destroy(plan)
    return data if case.kind in ("R2C", "D2Z") else as_real[..., :length]


def _strided(fft: Fft, case: Case, given: Array, shape_out: list[int], kind_out: type[np.generic]) -> Array:
    """Values 2 and 3 apart, rows with gaps; what lies between keeps its bits."""
    in_embed = [length + 1 for length in given.shape[1:]]
    out_embed = [length + 2 for length in shape_out[1:]]
    in_distance, out_distance = 2 * int(np.prod(in_embed)) + 1, 3 * int(np.prod(out_embed)) + 2
    source = np.full(case.batch * in_distance, 7, dtype=given.dtype)
    target = np.full(case.batch * out_distance, 5, dtype=kind_out)
    _view(source, case.batch, in_embed, 2, in_distance, given.shape)[...] = given
    layout = (in_embed, 2, in_distance, out_embed, 3, out_distance)
    plan = fft.plan_many(case.kind, case.lengths, case.batch, layout)
    assert fft.run(plan, case.kind, source, target, case.direction) == 0
    fft.destroy(plan)
    view = _view(target, case.batch, out_embed, 3, out_distance, tuple(shape_out))
    result = view.copy()
    view[...] = 5
    assert np.array_equal(target, np.full_like(target, 5))
    return result


def _view(array: Array, batch: int, embed: list[int], stride: int, distance: int, shape: Sequence[int]) -> Array:
    steps = [stride]
    for length in embed[:0:-1]:
        steps.insert(0, steps[0] * length)
    size = array.dtype.itemsize
    strides = [distance * size, *(step * size for step in steps)]
    return np.lib.stride_tricks.as_strided(array, shape=(batch, *shape[1:]), strides=strides)
