# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic, reportOptionalSubscript=false, reportIndexIssue=false, reportAttributeAccessIssue=false
# What is tested here is Python without types.
"""Arrays in kernels in Python: slices, records, text, constants, complex parts, NumPy's functions on whole arrays."""

from __future__ import annotations

import numpy as np
import pytest

import warploom
import warploom.compat.numba_cuda as cuda

TABLE = np.arange(12, dtype=np.int32).reshape(3, 4)
EMPTY = np.zeros(0)
ROWS = np.array([(1.5, 2), (3.5, 4)], [("x", "f8"), ("y", "i8")])
RECORD = np.dtype([("a", "f8"), ("b", "i4"), ("c", "c8"), ("d", "i2", (2, 3))], align=True)
PACKED = np.dtype([("flag", "u1"), ("value", "f8"), ("name", "U4"), ("code", "S3")])


@cuda.jit
def slices(x, out, grid, k):
    part = x[2:k]
    back = x[::-2]
    row = grid[1, ::3]
    column = grid[..., -1]
    out[0] = len(part) + part[-1] * 100
    out[1] = back[1] + len(back) * 100
    out[2] = row[1] + row.size * 100
    out[3] = column[2] + column.shape[0] * 100
    out[4] = len(x[5:2]) + len(x[-100:100]) * 100
    out[5] = grid[1:, 1:3][1, 0] + grid.T[3, 0] * 100
    part[:] = 7
    grid[0, 1:3] = 1, 2
    grid[2] = x[0:4]
    grid[:, 0] = back[0:3]
    out[6] = x[3:6].view(np.int64)[1]


def test_slices() -> None:
    x, out, grid = np.arange(9.0), np.zeros(7), np.arange(100, 112).reshape(3, 4)
    wanted_grid = grid.copy()
    slices[1, 1](x, out, grid, 6)
    assert out[:6].tolist() == [4 + 500, 6 + 500, 107 + 200, 111 + 300, 900, 109 + 10300]
    assert out[6] == np.array([7.0]).view(np.int64)[0]
    wanted_grid[0, 1:3] = 1, 2
    wanted_grid[2] = [0, 1, 7, 7]
    wanted_grid[:, 0] = [8, 6, 7]
    assert grid.tolist() == wanted_grid.tolist()
    assert x.tolist() == [0, 1, 7, 7, 7, 7, 6, 7, 8]


@cuda.jit
def copies(x, y, first):
    x[first:4] = y
    x[1:] = x[:-1]


@pytest.mark.parametrize(("extent", "first"), [(3, 0), (4, 0)])
def test_parts_that_do_not_fit_or_overlap_raise(extent: int, first: int) -> None:
    with pytest.raises(ValueError, match=r"copies.*line \d+.*could not broadcast input array"):
        copies[1, 1](np.arange(6.0), np.ones(extent), first)


@cuda.jit
def records(all_records, one, out):
    i = cuda.grid(1)
    record = all_records[i]
    record.a = record["b"] + 0.5
    all_records[i].c = 2j * record.c
    record["d"][1, 2] += i
    record.d[0, :] = i
    out[i] = one.a + all_records["b"][i] + record.d.shape[1] + len(one)
    cuda.syncthreads()
    if i == 2:
        all_records[0] = all_records[1]
        one.b = 5


def test_records() -> None:
    given = np.zeros(3, RECORD)
    given["b"], given["c"], given["d"] = [1, 2, 3], 1 + 1j, 9
    wanted, other, out = given.copy(), np.zeros(2, RECORD), np.zeros(3)
    other["a"] = 10, 20
    records[1, 3](given, other[1], out)
    wanted["a"] = [1.5, 2.5, 3.5]
    wanted["c"] = -2 + 2j
    for i in range(3):
        wanted["d"][i, 1, 2] += i
        wanted["d"][i, 0] = i
    wanted[0] = wanted[1]
    for name in RECORD.names or ():
        assert given[name].tolist() == wanted[name].tolist(), name
    assert out.tolist() == [20 + b + 3 + 4 for b in (1, 2, 3)]
    assert other["b"].tolist() == [0, 5]


@cuda.jit
def packed(x, names):
    i = cuda.grid(1)
    x[i].flag = i
    x[i].value = x[i].value * 2
    x[i].name = "abcdef"
    x[i]["code"] = b"x"
    names[i] = "é"


def test_members_at_odd_addresses_and_text() -> None:
    x, names = np.zeros(3, PACKED), np.full(3, "zzz", "U3")
    x["value"] = [1.5, 2.5, 3.5]
    packed[1, 3](x, names)
    assert x.tolist() == [(0, 3.0, "abcd", b"x"), (1, 5.0, "abcd", b"x"), (2, 7.0, "abcd", b"x")]
    assert names.tolist() == ["é"] * 3


@cuda.jit
def constants(out, record_sum):
    table = cuda.const.array_like(TABLE)
    i, j = cuda.grid(2)
    out[i, j] = table[i, j] + TABLE[i, j] + len(EMPTY) + len(cuda.const.array_like(EMPTY))
    rows = cuda.const.array_like(ROWS)
    if i == 0 and j < 2:
        record_sum[j] = rows[j]["x"] + rows[j].y


def test_constant_arrays() -> None:
    out, sums = np.zeros((3, 4), np.int64), np.zeros(2)
    constants[1, (3, 4)](out, sums)
    assert out.tolist() == (2 * TABLE).tolist()
    assert sums.tolist() == [3.5, 7.5]


@cuda.jit
def of_records(x, out):
    own = cuda.local.array(2, RECORD)
    shared = cuda.shared.array(4, RECORD)
    i = cuda.threadIdx.x
    own[1].a = i
    shared[i] = x[i]
    cuda.syncthreads()
    out[i] = shared[3 - i].a + own[1].a * 10


def test_own_arrays_of_records() -> None:
    x, out = np.zeros(4, RECORD), np.zeros(4)
    x["a"] = [1, 2, 3, 4]
    of_records[1, 4](x, out)
    assert out.tolist() == [4, 13, 22, 31]


@cuda.jit
def element_wise(x, y, total, angles, wave):
    np.add(x, y, total)
    np.sin(angles, wave)
    np.multiply(wave, 2, wave)
    cuda.atomic.add(y.real, 0, 5)


def test_functions_of_numpys_on_arrays() -> None:
    x, y = np.arange(12.0).reshape(3, 4), np.arange(4) * (1 + 1j)
    total, angles = np.zeros((3, 4), complex), np.linspace(0, 1, 7)[::2]
    wave = np.zeros(4, np.float32)
    wanted = x + y
    element_wise[1, 1](x, y, total, angles, wave)
    assert total.tolist() == wanted.tolist()
    np.testing.assert_allclose(wave, 2 * np.sin(angles), rtol=1e-6)
    assert y[0] == 5


def test_an_array_at_an_odd_address() -> None:
    @cuda.jit
    def double(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    memory = np.zeros(100, np.uint8)
    x = memory[3:-1].view(np.float64)
    x[:] = 1.5
    double[1, 32](x)
    assert x.tolist() == [3.0] * 12


def test_what_arrays_cannot_do() -> None:
    @cuda.jit
    def without_out(x):
        np.sin(x)

    @cuda.jit
    def text(x):
        x[0] = x[1]

    with pytest.raises(warploom.JitError, match="wants an array for its result"):
        without_out[1, 1](np.zeros(3))
    with pytest.raises(warploom.JitError, match="cannot be stored as text"):
        text[1, 1](np.zeros(3, "U4"))
