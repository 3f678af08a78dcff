# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic, reportOptionalSubscript=false, reportIndexIssue=false
# What is tested here is Python without types.
"""Exceptions that kernels in Python raise: by `raise` and `assert`, and by mistakes with `debug=True`."""

from __future__ import annotations

import numpy as np
import pytest

import warploom.compat.numba_cuda as cuda
from warploom.api.runtime import KernelFault


class OwnError(Exception):
    pass


@cuda.jit(device=True)
def checked(x):
    if x == 3:
        raise OwnError("three")
    return x


@cuda.jit
def raises(x, out):
    i = cuda.grid(1)
    assert x[i] != 9, "nine"
    if x[i] == 5:
        raise ValueError
    out[i] = checked(x[i])


def test_what_is_raised() -> None:
    out = np.zeros(4)
    raises[2, 2](np.arange(7, 11) % 8, out)
    assert out.tolist() == [7, 0, 1, 2]
    with pytest.raises(
        OwnError, match=r"In function 'checked', file .*, line 22: tid=\[1, 0, 0\] ctaid=\[1, 0, 0\]: three"
    ):
        raises[2, 2](np.arange(4), out)
    with pytest.raises(ValueError, match=r"In function 'raises'.*line 31: tid=\[0, 0, 0\] ctaid=\[0, 0, 0\]$"):
        raises[1, 1](np.array([5]), out)
    with pytest.raises(AssertionError, match="nine"):
        raises[1, 1](np.array([9]), out)
    raises[2, 2](np.zeros(4), out)  # and the next launch works
    assert out.tolist() == [0, 0, 0, 0]


def wrong(x, kind):
    i = cuda.threadIdx.x + 4
    if kind == 0:
        x[0] = x[1] / x[0]
    if kind == 1:
        x[i] = 1
    if kind == 2:
        x[0] = (1, 2)[i]
    if kind == 3:
        x[0] = i // (i - 4)


@pytest.mark.parametrize(
    ("kind", "error"), list(enumerate([ZeroDivisionError, IndexError, IndexError, ZeroDivisionError]))
)
def test_debug_tells_of_mistakes(kind: int, error: type[Exception]) -> None:
    x = np.zeros(8)[:4]
    with pytest.raises(error, match=f"line {wrong.__code__.co_firstlineno + 3 + 2 * kind}"):
        cuda.jit(debug=True)(wrong)[1, 1](x, kind)
    assert x.tolist() == [0, 0, 0, 0]


def test_a_fault_that_is_no_exception_stays_a_fault() -> None:
    @cuda.jit
    def kernel(x, step):
        if step == 5:
            raise ValueError
        for i in range(0, 4, step):
            x[i] = 1

    with pytest.raises(KernelFault):
        kernel[1, 1](np.zeros(4), 0)
