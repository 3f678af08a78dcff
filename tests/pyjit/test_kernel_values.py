# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic, reportOptionalSubscript=false, reportIndexIssue=false, reportCallIssue=false, reportOperatorIssue=false
# ruff: noqa: B905
# What is tested here is Python without types.
"""Values in kernels in Python: tuples, enumerations, vectors, complex numbers, halves, dates; calls and loops."""

from __future__ import annotations

import cmath
import enum
import itertools
import math
import operator
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import warploom
import warploom.compat.numba_cuda as cuda

Point = namedtuple("Point", ("x", "y"))
Color = enum.Enum("Color", ("red", "green"))
Number = enum.IntEnum("Number", {"one": 1, "minus": -1})


@cuda.jit
def of_tuples(out, numbers, nested, point, arrays, empty):
    i = cuda.threadIdx.x
    out[0] = numbers[i + 1] + len(numbers)
    out[1] = nested[1][0] + len(nested[0]) + len(empty)
    out[2] = point.x * 10 + point.y
    out[3] = arrays[0][1] + arrays[1][0]
    (a, b), c = (nested[1], 4), point[-1]
    swapped = b, a
    out[4] = swapped[0] + swapped[1][1] + c
    total = 0
    for each in numbers[1:]:
        total += each
    out[5] = total
    out[6] = 3 in numbers
    out[7] = (a[0] - 4, 2) == (1, 2)
    made = Point(2, 3.5)
    out[8] = made.x + made.y


def test_tuples() -> None:
    out = np.zeros(9)
    arrays = (np.arange(3), np.array([0.5]))
    of_tuples[1, 1](out, (1, 2, 3), ((), (5, 6)), Point(1, 2.5), arrays, ())
    assert out.tolist() == [5, 5, 12.5, 1.5, 12.5, 5, 1, 1, 5.5]


@cuda.jit
def of_enumerations(out, color, number, x):
    out[0] = color == Color.green
    out[1] = color is Color.red
    out[2] = Color["red"] != color
    out[3] = number + Number.one
    out[4] = x > Number.minus
    out[5] = color == Number.one


def test_enumerations() -> None:
    out = np.zeros(6, np.int64)
    of_enumerations[1, 1](out, Color.green, Number.minus, 0)
    assert out.tolist() == [1, 0, 1, 0, 1, 0]


@cuda.jit
def of_vectors(out):
    v = cuda.float32x2(1, 2)
    w = cuda.float4(v, v.y, 7)
    for each in (v, cuda.float32x2(w.w, w.z)):
        out[0] += each.x
    for each in (w, w):
        out[1] += each.w
    out[2] = cuda.blockDim.x + cuda.threadIdx.z


def test_vectors() -> None:
    out = np.zeros(3)
    of_vectors[1, 1](out)
    assert out.tolist() == [8, 14, 1]
    assert cuda.int3 is cuda.int32x3


COMPLEX = [
    complex(*each) for each in itertools.product([-math.inf, -3.5, -1, -0.0, 0.0, 0.5, 1, math.inf, math.nan], repeat=2)
]


def _is_near(one: float, other: float) -> bool:
    if math.isnan(other):
        return math.isnan(one)
    signs = math.copysign(1, one) == math.copysign(1, other)
    return one == other if math.isinf(other) or other == 0 else signs and abs(one - other) <= 1e-15 * abs(other)


def test_functions_of_complex_numbers() -> None:
    """As `cmath` has them, what is not finite included, where it does not raise."""

    @cuda.jit
    def kernel(z, out):
        i = cuda.grid(1)
        if i < z.size:
            out[0, i], out[1, i], out[2, i] = cmath.exp(z[i]), cmath.sinh(z[i]), cmath.cosh(z[i])
            out[3, i], out[4, i], out[5, i] = cmath.tanh(z[i]), cmath.sin(z[i]), cmath.cos(z[i])
            out[6, i], out[7, i], out[8, i] = cmath.sqrt(z[i]), cmath.acos(z[i]), cmath.asin(z[i])
            out[9, i], out[10, i], out[11, i] = cmath.atan(z[i]), cmath.acosh(z[i]), cmath.asinh(z[i])
            out[12, i], out[13, i], out[14, i] = cmath.atanh(z[i]), cmath.log(z[i]), cmath.log10(z[i])
            out[15, i], out[16, i], out[17, i] = abs(z[i]), cmath.phase(z[i]), z[i].conjugate()
            out[18, i], out[19, i] = complex(*cmath.polar(z[i])), -z[i] * z[i] + z[i] / (2 + 1j)

    names = "exp sinh cosh tanh sin cos sqrt acos asin atan acosh asinh atanh log log10".split()
    functions = [getattr(cmath, name) for name in names]
    functions += [abs, cmath.phase, complex.conjugate, lambda z: complex(*cmath.polar(z))]
    z = np.array(COMPLEX)
    out = np.zeros((20, z.size), complex)
    kernel[3, 32](z, out)
    wrong: list[str] = []
    for number, function in enumerate(functions):
        for value, got in zip(COMPLEX, out[number], strict=True):
            try:
                wanted = complex(function(value))
            except (ValueError, OverflowError):
                continue
            parts = [(got.real, wanted.real), (got.imag, wanted.imag)]
            if not all(_is_near(*pair) for pair in parts):
                wrong.append(f"{getattr(function, '__name__', number)}({value}) is {wanted}, not {got}")
    assert not wrong, "\n".join(wrong)
    finite = [value for value in COMPLEX if cmath.isfinite(value)]
    places = [COMPLEX.index(value) for value in finite]
    np.testing.assert_allclose(out[19, places], [-value * value + value / (2 + 1j) for value in finite], rtol=1e-15)


def test_complex_arguments_and_powers() -> None:
    @cuda.jit
    def kernel(out, single, double, z):
        out[0] = single * 2 + double
        out[1] = z[0] ** 2
        out[2] = z[0] ** (1 + 0.5j)
        out[3] = z[0].real + z[0].imag * 1j
        out[4] = (z[0] == 1 + 2j) + (not z[0])
        z[0] += 1

    out, z = np.zeros(5, complex), np.array([1 + 2j], np.complex64)
    kernel[1, 1](out, np.complex64(1j), 2 + 0j, z)
    np.testing.assert_allclose(out, [2 + 2j, (1 + 2j) ** 2, (1 + 2j) ** (1 + 0.5j), 1 + 2j, 1], rtol=1e-6)
    assert z[0] == 2 + 2j


def test_halves() -> None:
    @cuda.jit
    def kernel(out, x, y):
        i = cuda.grid(1)
        out[0, i] = x[i] + y * x[i]
        out[1, i] = cuda.fp16.hfma(x[i], y, 1)
        out[2, i] = math.sqrt(abs(x[i]))
        out[3, i] = x[i] // y
        out[4, i] = x[i] > y
        out[5, i] = cuda.fp16.hrcp(x[i]) + np.float16(2.5)

    x, y = np.array([1.5, -7.0, 0.1, 300], np.float16), np.float16(2.25)
    out = np.zeros((6, 4), np.float16)
    kernel[1, 4](out, x, y)
    rows = [x + y * x, None, np.sqrt(abs(x)), x // y, x > y, np.float16(1) / x + np.float16(2.5)]
    for row, wanted in zip(out, rows, strict=True):
        if wanted is not None:
            assert row.tolist() == wanted.astype(np.float16).tolist()
    assert out[1].tolist() == (x.astype(float) * float(y) + 1).astype(np.float16).tolist()


def test_dates() -> None:
    @cuda.jit
    def kernel(starts, ends, spans, later, span, flags):
        i = cuda.grid(1)
        spans[i] = ends[i] - starts[i]
        later[i] = starts[i] + span
        flags[i] = starts[i] == later[i] or starts[i] < ends[i]

    starts = np.array(["2020-01-01", "NaT", "2020-03-01"], "M8[D]")
    ends = np.array(["2020-01-05", "2020-01-01", "2020-02-01"], "M8[D]")
    spans, later, flags = np.zeros(3, "m8[D]"), np.zeros(3, "M8[D]"), np.zeros(3, bool)
    kernel[1, 3](starts, ends, spans, later, np.timedelta64(2, "D"), flags)
    assert str(spans) == str(ends - starts)
    assert str(later) == str(starts + np.timedelta64(2, "D"))
    assert flags.tolist() == [True, False, False]


# -- functions --------------------------------------------------------------------------------------------------------


@cuda.jit("i8(i8)", device=True)
def fibonacci(n: Any) -> Any:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit(device=True)
def factorial(n: Any) -> Any:
    if n > 1:
        return n * factorial(n - 1)
    return 1


@cuda.jit(device=True)
def with_defaults(x, factor=3, offset=None):
    if offset is None:
        return x * factor
    return x * factor + offset


@cuda.jit
def calls(out, x=4):
    out[0] = fibonacci(10)
    out[1] = factorial(5)
    out[2] = with_defaults(x)
    out[3] = with_defaults(x, offset=1, factor=2)
    out[4] = operator.add(x, 1) + round(1.2345, 2) + math.frexp(8.0)[1] + math.ldexp(0.5, 3)


def test_calls_of_device_functions() -> None:
    out = np.zeros(5)
    calls[1, 1](out)
    np.testing.assert_allclose(out, [55, 120, 12, 9, 5 + 1.23 + 4 + 4])


def from_text(text: str, name: str) -> Any:
    """A function whose source is in no file."""
    made: dict[str, Any] = {"cuda": cuda, "math": math}
    exec(text, made)
    return made[name]


TEXT = """
def made(x, out, k):
    i = cuda.threadIdx.x
    total = 0
    for j in range(len(x)):
        total += x[j] * (j + 1)
    if i == 0:
        out[i] = total
    elif i < k and i != 2:
        out[i] = math.sqrt(-x[i] ** 2 + 25) if x[i] > 1 else -1.5
    else:
        out[i], out[k] = i, x[1:][0]
        return
    out[i] += 100
"""


def test_functions_without_a_source() -> None:
    made = from_text(TEXT, "made")
    x, out, wanted = np.array([1.0, 3.0, 2.0, 4.0]), np.zeros(5), np.zeros(5)
    cuda.jit(made)[1, 4](x, out, 4)
    wanted[:] = [1 + 6 + 6 + 16 + 100, 4 + 100, 2, 3 + 100, 3.0]
    assert out.tolist() == wanted.tolist()
    largest = cuda.reduce(lambda a, b: a if a > b else b)
    assert largest(np.array([3.0, 9.0, 4.0])) == 9
    assert cuda.reduce(lambda a, b: max(a, b))(np.array([3, 9, 4])) == 9


def test_signatures_convert() -> None:
    @cuda.jit(["void(float64[:], float32, float32)", (np.float64, np.float64, np.float64), "(f8[:], f8, f8)"])
    def add(out, x, y):
        out[0] = x + y

    out = np.zeros(1)
    add[1, 1](out, np.float32(1), np.float32(2**-25))
    assert out[0] == 1
    add[1, 1](out, 1, 2**-25)
    assert out[0] == 1 + 2**-25
    with pytest.raises(warploom.ArgumentError, match="No matching definition of add for"):
        add[1, 1](out, 1j, 1)

    @cuda.jit("void(int64[:], int8, uint8)")
    def narrow(out, a, b):
        out[0], out[1] = a, b

    whole = np.zeros(2, np.int64)
    narrow[1, 1](whole, 200, 257)
    assert whole.tolist() == [-56, 1]
    assert narrow.py_func.__name__ == "narrow"
    only = add.specialize if False else cuda.jit(add.py_func).specialize(out, 1.0, 1.0)
    only[1, 1](out, 1, 2)
    assert out[0] == 3


def test_loops_over_several_things() -> None:
    @cuda.jit
    def kernel(x, out):
        for i, value in enumerate(x, 10):
            out[0] += i * value
        for (i, a), b in zip(enumerate(x), out[4:]):
            out[1] += a * i + b
        for k, v in enumerate(range(10, 4, -2)):
            out[2] += k * v
        for value in x:
            if value > 100:
                break
        else:
            out[3] = 1
        i = 0
        while i < 3:
            i += 1
            if i == 2:
                break
        else:
            out[3] = 50

    x, out = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 0, 0, 7.0, 8.0])
    kernel[1, 1](x, out)
    assert out.tolist() == [10 + 22 + 36, 2 + 15, 8 + 12, 1, 7, 8]


def test_the_index_of_an_augmented_assignment_is_evaluated_once() -> None:
    @cuda.jit
    def kernel(counter, out):
        out[cuda.atomic.add(counter, 0, 1)] += 1

    counter, out = np.zeros(1, np.int32), np.zeros(64)
    kernel[1, 32](counter, out)
    assert out.tolist() == [1] * 32 + [0] * 32
    assert counter[0] == 32


def test_64_bits_with_and_without_a_sign_compare_exactly() -> None:
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i] = (a[i] < b[i]) + 2 * (b[i] == a[i]) + 4 * (a[i] >= b[i])

    a = np.array([-1, 2**62 + 1, 5], np.int64)
    b = np.array([2**64 - 1, 2**62, 5], np.uint64)
    out = np.zeros(3, np.int64)
    kernel[1, 3](a, b, out)
    assert out.tolist() == [1, 4, 6]


def test_arguments_that_are_only_read() -> None:
    @cuda.jit
    def kernel(x):
        x[0] = 3

    x, y = np.zeros(1), np.zeros(1)
    kernel[1, 1](cuda.In(x))
    kernel[1, 1](cuda.InOut(y))
    assert (x[0], y[0]) == (0, 3)


@pytest.mark.parametrize("dtype", [np.int16, np.float16, np.int32])
def test_the_copy_of_an_in_argument_lives_as_long_as_the_launch(dtype: type[Any]) -> None:
    @cuda.jit
    def copy(out, given):
        i = cuda.grid(1)
        out[i] = given[i]

    many = 1 << 20  # so large that the copy would be gone from memory
    x, out, rows = np.arange(many).astype(np.int16).astype(dtype), np.zeros(many, dtype), np.zeros((2, many), dtype)
    copy[many // 256, 256](cuda.Out(out), cuda.In(x))
    assert (out == x).all()
    stream = cuda.stream()
    copy[many // 256, 256, stream](cuda.Out(rows[1]), cuda.In(x))
    stream.synchronize()
    assert (rows[1] == x).all()
