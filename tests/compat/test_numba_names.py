# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warploom.compat.numba_cuda: what device functions are given, reductions, ranges without a step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from warploom.api.runtime import KernelFault
from warploom.compat import numba_cuda
from warploom.pyjit.values import JitError

cuda: Any = numba_cuda


@cuda.jit(device=True)
def applied(function: Any, kind: Any, x: Any, size: Any) -> Any:
    own = cuda.local.array(size, kind)
    own[size - 1] = function(x, 2)
    return own[size - 1] + size


@cuda.jit(device=True)
def scaled(x: Any, k: Any) -> Any:
    return x * k


@cuda.jit(device=True)
def raised(x: Any, k: Any) -> Any:
    return x**k


@cuda.jit
def use(a: Any, b: Any, step: Any) -> None:
    i = cuda.grid(1)
    a[i] = applied(scaled, np.float32, a[i], 4)
    b[i] = applied(raised, np.float64, b[i], 8)
    for _ in range(0, 3, step):
        b[i] += 1


@cuda.jit
def endless(a: Any) -> None:
    for i in range(0, 3, 0):
        a[i] = 1


@cuda.reduce
def total(a: Any, b: Any) -> Any:
    return a + b


def test_functions_types_and_extents_for_device_functions() -> None:
    a, b = np.arange(4, dtype=np.float32), np.arange(4.0)
    use[1, 4](a, b, 2)
    assert a.tolist() == [4, 6, 8, 10]
    assert b.tolist() == [10, 11, 14, 19]


def test_a_step_of_zero_does_not_run_for_ever() -> None:
    with pytest.raises(JitError, match="arg 3 must not be zero"):
        endless[1, 1](np.zeros(3))
    with pytest.raises(KernelFault):
        use[1, 4](np.zeros(4, np.float32), np.zeros(4), 0)


def test_reductions() -> None:
    assert total(np.arange(5000.0)) == 12497500
    assert total(np.arange(10), init=5) == 50
    result = np.zeros(1, np.int64)
    assert total(np.arange(10), size=4, res=result) is None
    assert result[0] == 6
