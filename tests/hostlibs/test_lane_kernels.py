# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuBLAS: bfloat16 and bytes by tiles (AMX) and by vectors (AVX512_BF16, AVX512_VNNI)
"""Our kernels of products of bfloat16 and bytes, against NumPy.

The processor's tiles and vectors where it has them, and everywhere tiles in plain C++, whose bits the processor's tiles
have to give.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warploom.runtime_objects import SOURCES
from warploom.toolchain import find_toolchain

pytestmark = pytest.mark.ours("kernels of our own")
Array = Any
FEATURES = {"avx512f", "avx512bw", "avx512dq", "avx512vl"}
PLAIN_TILES, TILES, VECTORS = range(3)
SHAPES = ((32, 1, 16), (33, 15, 17), (48, 16, 32), (64, 32, 64), (65, 33, 65), (96, 47, 130), (130, 90, 259))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    toolchain = find_toolchain()
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    if not set(flags.split()) >= FEATURES:
        pytest.skip("this processor lacks x86-64-v4")
    made = tmp_path_factory.mktemp("lanes") / "lanes.so"
    options = ["-march=x86-64-v4", "-DWARPLOOM_LEVEL=v4", "-std=c++20", "-O2", "-ffp-contract=off"]
    source, folder = Path(__file__).with_name("lane_kernels.cpp"), SOURCES / "libraries" / "blas"
    command = [toolchain.clang, *options, "-fPIC", "-shared", "-I", folder, source, "-o", made, *toolchain.link_flags]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(made))


def product(
    kernels: ctypes.CDLL,
    way: int,
    turned: tuple[int, int],
    a: Array,
    b: Array,
    c: Array,
    add: bool,
    packed: bool = False,
) -> bool:
    """C = op(A) op(B), or added to C, operands packed for each tile or before; false where the processor cannot."""
    (m, n), k = c.shape, a.shape[1 - turned[0]] if turned[0] == 0 else a.shape[0]
    call = kernels.product_of_bytes if a.dtype == np.int8 else kernels.product_of_bfloats
    shape = [ctypes.c_int64(each) for each in (m, n, k)]
    operands = [(ctypes.c_void_p(each.ctypes.data), ctypes.c_int64(each.shape[0])) for each in (a, b)]
    flags = [ctypes.c_bool(each) for each in (packed, *turned)]
    (left, lda), (right, ldb) = operands
    last = (ctypes.c_bool(add), ctypes.c_void_p(c.ctypes.data), ctypes.c_int64(m))
    made = call(way, *flags, *shape, left, lda, right, ldb, *last)
    assert made in (0, 1), "written behind an area"
    return bool(made)


def bits_of(value: float) -> int:
    """Of a number that bfloat16 has."""
    return int(np.float32(value).view(np.uint32)) >> 16


def bfloats(rng: np.random.Generator, *shape: int) -> tuple[Array, Array]:
    """Random numbers as they are stored, and in double."""
    stored = np.asfortranarray((rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
    return stored, (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


@pytest.mark.parametrize("turned", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("shape", SHAPES)
def test_bytes(kernels: ctypes.CDLL, shape: tuple[int, int, int], turned: tuple[int, int]) -> None:
    m, n, k = shape
    rng = np.random.default_rng(m + n + k)
    a, b = rng.integers(-128, 128, (m, k)), rng.integers(-128, 128, (k, n))
    a[:2], b[:, :1] = -128, -128
    stored = [
        np.asfortranarray((each.T if t else each).astype(np.int8)) for each, t in zip((a, b), turned, strict=True)
    ]
    old = rng.integers(-1000, 1000, (m, n))
    for way in (PLAIN_TILES, TILES, VECTORS):
        for add in (False, True):
            for packed in (False, True):
                c = np.asfortranarray((old if add else np.full((m, n), 77)).astype(np.int32))
                if product(kernels, way, turned, stored[0], stored[1], c, add, packed):
                    assert np.array_equal(c, a @ b + (old if add else 0)), (way, add, packed)


@pytest.mark.parametrize("turned", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("shape", SHAPES)
def test_bfloats(kernels: ctypes.CDLL, shape: tuple[int, int, int], turned: tuple[int, int]) -> None:
    m, n, k = shape
    rng = np.random.default_rng(m + n + k)
    (a, x), (b, y) = bfloats(rng, m, k), bfloats(rng, k, n)
    stored = [np.asfortranarray(each.T if t else each) for each, t in zip((a, b), turned, strict=True)]
    old = rng.standard_normal((m, n)).astype(np.float32)
    for add in (False, True):
        exact, size = x @ y + (old if add else 0), np.abs(x) @ np.abs(y) + np.abs(old)
        made: dict[int, Array] = {}
        for way in (PLAIN_TILES, TILES, VECTORS):
            c = np.asfortranarray(old.copy() if add else np.full_like(old, np.nan))
            if product(kernels, way, turned, stored[0], stored[1], c, add):
                made[way] = c
                assert bool(np.all(np.abs(c - exact) <= (k + 2) * 2.0**-24 * size)), (way, add)
                again = np.asfortranarray(old.copy() if add else np.full_like(old, np.nan))
                assert product(kernels, way, turned, stored[0], stored[1], again, add, packed=True)
                assert np.array_equal(again, c), (way, add)
        assert TILES not in made or np.array_equal(made[TILES], made[PLAIN_TILES])


def test_bits_do_not_depend_on_the_tile(kernels: ctypes.CDLL) -> None:
    """A part of C, with its rows and columns elsewhere in the tiles, has the bits that it has in the whole."""
    rng = np.random.default_rng(1)
    (a, _), (b, _) = bfloats(rng, 100, 200), bfloats(rng, 200, 70)
    whole, part = np.zeros((100, 70), np.float32, order="F"), np.zeros((61, 52), np.float32, order="F")
    assert product(kernels, PLAIN_TILES, (0, 0), a, b, whole, False)
    rows, columns = np.asfortranarray(a[39:]), np.asfortranarray(b[:, 18:])
    assert product(kernels, PLAIN_TILES, (0, 0), rows, columns, part, False)
    assert np.array_equal(part, whole[39:, 18:])


def test_what_is_not_a_number_stays_in_its_row_and_column(kernels: ctypes.CDLL) -> None:
    rng = np.random.default_rng(2)
    (a, x), (b, y) = bfloats(rng, 45, 70), bfloats(rng, 70, 37)
    a[3, 69], b[5, 36] = 0x7F80, 0x7FC0  # infinity, NaN
    for way in (PLAIN_TILES, TILES, VECTORS):
        c = np.zeros((45, 37), np.float32, order="F")
        if product(kernels, way, (0, 0), a, b, c, False):
            assert np.isnan(c[:, 36]).all()
            assert np.isinf(c[3, :36]).all()
            rest = np.delete(c, 3, 0)[:, :36]
            assert np.abs(rest - (np.delete(x, 3, 0) @ y)[:, :36]).max() < 1e-4


@pytest.mark.parametrize("length", [1, 31, 32, 70])
def test_smallest_exponent(kernels: ctypes.CDLL, length: int) -> None:
    """Of all but zeros; 0 for what is below the normal numbers."""
    for value, exponent in ((1.5, 127), (-(2.0**-56), 71), (2.0**-126, 1), (2.0**-127, 0), (-(2.0**-133), 0)):
        for place in (0, length - 1, 2 * length, 3 * length - 1):
            numbers = np.full(3 * length, bits_of(2.0**100), np.uint16)
            numbers[::2] = bits_of(-0.0)
            numbers[place] = bits_of(value)
            pointer = ctypes.c_void_p(numbers.ctypes.data)
            assert kernels.smallest_exponent_of(ctypes.c_int64(3), ctypes.c_int64(length), pointer) == exponent
