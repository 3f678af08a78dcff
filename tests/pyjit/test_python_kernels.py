# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic, reportOptionalSubscript=false, reportIndexIssue=false
# What is tested here is Python without types.
"""Kernels written in Python: what they compute is what Python computes, where numba says so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warploom
import warploom.compat.numba_cuda as cuda
from warploom.pyjit.types import SCALARS, arithmetic

TILE = 8
SCALE = np.float32(0.5)
SHAPE = (4, 3)
WHOLE = [-(2**40), -17, -8, -3, -1, 0, 1, 2, 3, 7, 64, 1000]
REAL = [-1e10, -7.5, -2.0, -0.5, 0.0, 0.25, 1.0, 3.0, 8.5, 1e10]


def whole_numbers(a, b):
    return (
        (a + b, a - b, a * (b % 7), a // b),
        (a % b, a & b, a | b, a ^ b),
        (~a, -a, +b, abs(a)),
        (min(a, b, 3), max(a, b), a << abs(b) % 20, a >> abs(b) % 20),
    )


def whole_choices(a, b):
    return (
        (a < b, a <= b < 100, a == b, a != b),
        (not a, bool(b), a and b, a or b),
        (a if a > b else b, int(a > 0), round(a / 3), int(float(b) / 2.0)),
        ((a % 5) ** (abs(b) % 6), (-2) ** (abs(b) % 6), (a % 1000) ** 2, 7),
    )


def real_numbers(x, y):
    return (
        (x + y, x - y, x * y, x / y),
        (x // y, x % y, abs(x), -x),
        (min(x, y), max(x, y), x**2, abs(x) ** 0.5),
        (x > y, math.floor(x), math.ceil(x), math.trunc(x)),
    )


def real_functions(x, y):
    return (
        (math.sqrt(abs(x)), math.exp(x / 1e10), math.sin(x), math.cos(y)),
        (math.atan2(x, y), math.hypot(x, y), math.copysign(x, y), math.fmod(x, 3.5)),
        (math.log(abs(x) + 1), math.erf(x), math.tanh(y), math.pow(abs(x), 0.25)),
        (math.isnan(x), math.isinf(y), math.degrees(x), math.pi),
    )


def applied(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that writes the 16 values of `function` for each pair of arguments."""
    inner = cuda.jit(device=True)(function)

    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        if i < a.shape[0]:
            rows = inner(a[i], b[i])
            for k in range(16):
                out[i, k] = 0
            w, x, y, z = rows[0]
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z
            w, x, y, z = rows[1]
            out[i, 4], out[i, 5], out[i, 6], out[i, 7] = w, x, y, z
            w, x, y, z = rows[2]
            out[i, 8], out[i, 9], out[i, 10], out[i, 11] = w, x, y, z
            out[i, 12], out[i, 13], out[i, 14], out[i, 15] = rows[3]

    return kernel


@pytest.mark.parametrize(
    ("function", "values"),
    [(whole_numbers, WHOLE), (whole_choices, WHOLE), (real_numbers, REAL), (real_functions, REAL)],
)
def test_operators_are_pythons(function: Callable[..., Any], values: list[Any]) -> None:
    pairs = [(a, b) for a, b in itertools.product(values, values) if b != 0]
    one, other = (np.array(column) for column in zip(*pairs, strict=True))
    out = np.full((len(pairs), 16), -99.0)
    applied(function)[(len(pairs) + 31) // 32, 32](one, other, out)
    for pair, row in zip(pairs, out, strict=True):
        expected = [float(value) for group in function(*pair) for value in group]
        np.testing.assert_allclose(row, expected, rtol=1e-14, atol=0, err_msg=str(pair))


def test_types_are_numbas() -> None:
    table = {
        ("int32", "int32"): "int64",
        ("int8", "uint8"): "int64",
        ("uint32", "uint32"): "uint64",
        ("uint32", "int32"): "int64",
        ("uint64", "int64"): "float64",
        ("bool", "bool"): "int64",
        ("float32", "float32"): "float32",
        ("float32", "int64"): "float64",
        ("float32", "int16"): "float32",
        ("float32", "float64"): "float64",
    }
    for (one, other), result in table.items():
        assert arithmetic(SCALARS[one], SCALARS[other]).name == result, (one, other)
        assert arithmetic(SCALARS[other], SCALARS[one]).name == result, (one, other)


@cuda.jit
def loops(out, n):
    total = 0  # becomes a float64 below
    for i in range(10, -11, -3):
        total += i * 0.5
    out[0] = total
    count, k = 0, n
    while True:
        k -= 1
        if k % 2:
            continue
        if k < -4:
            break
        count += 1
    out[1] = count
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    out[2] = a
    for step in range(1, 4):
        for j in range(0, n, step):
            out[3] += j
    half = n / 2
    out[4] = half
    i = 77
    for i in range(5, n - 5):  # noqa: B007 - the name keeps what it was
        pass
    out[5] = i
    for i in range(3):
        i += 10
    out[6] = i
    n = n / 4  # another variable from here on
    out[7] = n


def test_loops() -> None:
    out = np.zeros(8)
    loops[1, 1](out, 9)
    total = sum(i * 0.5 for i in range(10, -11, -3))
    assert out.tolist() == [total, 7, 34, 36 + 20 + 9, 4.5, 77, 12, 2.25]


@cuda.jit
def indexed(x, grid, out, flags):
    i = cuda.threadIdx.x
    out[i] = x[-1 - i] + grid[i, -1] + grid[-1][i] + len(x) + x.size + grid.shape[1] + grid.ndim
    flags[i] = not flags[i]


@pytest.mark.parametrize("layout", ["C", "F", "strided", "readonly"])
def test_arrays_of_every_layout(layout: str) -> None:
    x, grid = np.arange(5.0), np.arange(25.0).reshape(5, 5) * 10
    expected = x[::-1] + grid[:, -1] + grid[-1] + 5 + 5 + 5 + 2
    if layout == "F":
        grid = np.asfortranarray(grid)
    elif layout == "strided":
        wide = np.zeros((10, 15))
        wide[::2, ::-3] = grid
        grid, x = wide[::2, ::-3], np.repeat(x, 2)[::2]
    elif layout == "readonly":
        grid.setflags(write=False)
    out, flags = np.zeros(10)[::2], np.array([True, False] * 3)[:5]
    indexed[1, 5](x, grid, out, flags)
    assert out.tolist() == expected.tolist()
    assert flags.tolist() == [False, True, False, True, False]


@cuda.jit
def matmul(a, b, c):
    a_tile = cuda.shared.array(shape=(TILE, TILE), dtype=np.float32)
    b_tile = cuda.shared.array((TILE, TILE), cuda.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = cuda.float32(0)
    for part in range(a.shape[1] // TILE):
        a_tile[ty, tx] = a[y, tx + part * TILE]
        b_tile[ty, tx] = b[ty + part * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += a_tile[ty, j] * b_tile[j, tx]
        cuda.syncthreads()
    c[y, x] = total * SCALE


def test_shared_memory_and_barriers() -> None:
    random = np.random.default_rng(3)
    a, b = (random.random((32, 32)).astype(np.float32) for _ in range(2))
    c = np.zeros_like(a)
    matmul[(4, 4), (TILE, TILE)](a, b, c)
    np.testing.assert_allclose(c, a @ b / 2, rtol=1e-5)


@cuda.jit
def own_memory(x, out):
    kept = cuda.local.array(SHAPE, np.int64)
    turned = cuda.shared.array(0, np.int32)
    i = cuda.threadIdx.x
    for row in range(4):
        for column in range(3):
            kept[row, column] = row * 3 + column + i
    row = kept[2]
    turned[i] = x[i]
    cuda.syncthreads()
    place = 1
    below = kept[place]
    place = 0  # the row stays the one that it was
    out[i] = turned[-1 - i] + kept[3, -1] + row[1] + kept.shape[0] + below[place] - 3 - i + turned.size - 64


def test_local_and_dynamic_shared_memory() -> None:
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int64)
    own_memory[1, 64, 0, 64 * 4](x, out)
    assert out.tolist() == [63 - i + 11 + i + 7 + i + 4 for i in range(64)]


@cuda.jit
def atomics(adds, tops, last, bits, old):
    i = cuda.grid(1)
    for k in range(adds.shape[0]):
        cuda.atomic.add(adds, k, 1)
    cuda.atomic.sub(adds, (0,), 1)
    cuda.atomic.max(tops, 0, i)
    cuda.atomic.min(tops, 1, -i)
    cuda.atomic.or_(bits, 0, 1 << i % 20)
    cuda.atomic.and_(bits, 1, ~(1 << i % 20))
    cuda.atomic.xor(bits, 2, i)
    if cuda.atomic.cas(last, 0, -1, i) == -1:
        old[0] = cuda.atomic.exch(last, 1, 5)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_atomics(dtype: str) -> None:
    adds, tops = np.zeros(3, dtype), np.zeros(2, dtype if dtype[0] != "u" else "int64")
    bits, last, old = np.array([0, -1, 0]), np.array([-1, 9]), np.zeros(1, np.int64)
    atomics[4, 64](adds, tops, last, bits, old)
    assert adds.tolist() == [0, 256, 256]
    assert tops.tolist() == [255, -255]
    assert bits.tolist() == [(1 << 20) - 1, -1 << 20, 0]
    assert 0 <= last[0] < 256
    assert (last[1], old[0]) == (5, 9)


@cuda.jit
def of_warps(x, out):
    i = cuda.grid(1)
    value = x[i]
    for offset in range(5):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 16 >> offset)
    votes = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, x[i] > 10))
    if cuda.laneid == 0:
        out[i // cuda.warpsize] = value * 100 + votes


def test_warps() -> None:
    x, out = np.arange(64, dtype=np.float64), np.zeros(2)
    of_warps[1, 64](x, out)
    assert out.tolist() == [sum(range(32)) * 100 + 21, sum(range(32, 64)) * 100 + 32]


def test_closures_streams_and_configurations() -> None:
    factor, offsets = 3, (10, 20)

    @warploom.jit(fastmath=True)
    def scale(x, k):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = x[i] * factor + offsets[1] + k

    x = cuda.to_device(np.arange(100))
    stream = cuda.stream()
    scale[1, 128, stream](x, np.int16(1))
    stream.synchronize()
    scale.forall(100)(x, True)
    assert x.copy_to_host().tolist() == [(i * 3 + 21) * 3 + 21 for i in range(100)]


def test_what_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    @cuda.jit
    def speak(x):
        print("value", cuda.threadIdx.x, "is 100%", x[0])

    speak[1, 1](np.array([1.5]))
    cuda.synchronize()
    assert capfd.readouterr().out == "value 0 is 100% 1.500000\n"


@cuda.jit
def shapes_of_expressions(out: Any) -> None:
    padded = cuda.shared.array((TILE, TILE + 1), np.int32)
    halves = cuda.local.array((-(-TILE // 2), 1 << 2, TILE**2 % 7 + 1), np.int64)
    rest = cuda.local.array((5 * TILE - 3 * TILE & 63) ^ 1 | 2, np.float32)
    i = cuda.threadIdx.x
    for k in range(TILE + 1):
        padded[i, k] = 100 * i + k
    cuda.syncthreads()
    halves[0, 0, 0] = padded[(i + 1) % TILE, TILE]
    out[i, 0] = halves[0, 0, 0]
    for axis in range(3):
        out[i, 1 + axis] = halves.shape[axis]
    out[i, 4] = rest.shape[0]
    out[i, 5] = (1 << 62) * 4 + 7  # wraps around, as int64 do


def test_shapes_of_expressions_of_constants() -> None:
    out = np.zeros((TILE, 6), np.int64)
    shapes_of_expressions[1, TILE](out)
    wanted = [-(-TILE // 2), 4, TILE**2 % 7 + 1, (5 * TILE - 3 * TILE & 63) ^ 1 | 2, 7]
    assert out.tolist() == [[100 * ((i + 1) % TILE) + TILE, *wanted] for i in range(TILE)]


def test_calls_that_repeat_look_at_their_arguments_anew() -> None:
    """The second call with arguments of certain looks goes a quicker way than the first; others do not."""

    @cuda.jit
    def add(out, array, number):
        out[0] = array[array.size - 1] + number

    @cuda.jit("void(float32[:], float32[:], int8)")
    def cut(out, array, number):
        out[0] = array[0] + number

    whole, out = np.arange(8, dtype=np.float32), np.zeros(1, np.float64)
    frozen = whole.copy()
    frozen.flags.writeable = False
    for _ in range(3):
        for array in (whole, whole[::2], frozen, whole.astype(np.float16)):
            for number in (2, np.float32(1.5), np.float16(0.5)):
                add[1, 1](out, array, number)
                assert out[0] == array[-1] + number
    single = np.zeros(1, np.float32)
    for number in (3, 130, -129, np.int64(7), 300) * 2:
        cut[1, 1](single, whole, number)
        assert single[0] == np.int64(number).astype(np.int8), "of a number that is too large the lower bits"
    with cuda.stream().auto_synchronize() as stream:
        for _ in range(3):
            add[1, 1, stream](out, np.full(4, 7.0), 1)
    assert out[0] == 8
    for _ in range(2):
        with pytest.raises(warploom.ArgumentError):
            add[1, 1](out, whole)
        with pytest.raises(warploom.ArgumentError):
            add[1, 1](out, whole, "a")
