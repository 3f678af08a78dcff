# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""warploom.compat.cupy.fuse: one kernel with the numbers of the plain function, or the plain function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from warploom.compat import cupy

cp: Any = cupy


def test_a_chain_is_one_kernel_and_gives_numpys_numbers() -> None:
    def chain(x: Any, y: Any, n: Any, a: float) -> Any:
        t = x * a * 0.5 + y / 3 - n // 2
        z = cp.where(t > 2, cp.maximum(t, y), -t) + n % 5 + (n << 1)
        x += 1
        return z, x, t < y

    fused = cp.fuse(chain)
    values = np.linspace(-3, 9, 24, dtype=np.float32).reshape(4, 6)
    whole = np.arange(-12, 12, dtype=np.int32).reshape(4, 6)
    given = (cp.asarray(values), cp.asarray(values[:1] * 2.0), cp.asarray(whole), 1.7)
    other = (cp.asarray(values), cp.asarray(values[:1] * 2.0), cp.asarray(whole), 1.7)
    found = fused(*given)
    assert fused.reason is None
    for one, plain in zip(found, chain(*other), strict=True):
        assert one.dtype == plain.dtype
        np.testing.assert_array_equal(one.get(), plain.get())
    assert found[1] is given[0]
    np.testing.assert_array_equal(given[0].get(), values + 1)
    fused(*given[:3], 2.5)  # another number is no other kernel
    assert fused.reason is None


PLAIN: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x.sum() + 1, "'sum' of an array"),
    (lambda x: x[1:] + 1, "a part of an array"),
    (lambda x: x + 1 if (x > 0).all() else x, "'all' of an array"),
    (lambda x: cp.sort(x), "the function sort"),
    (lambda x: (x + 1).astype(cp.int32), "a float becomes a whole number"),
    (lambda x: [float(each) for each in x], "a loop over an array"),
    (lambda x: (x * 1j).real, "a complex"),
]


@pytest.mark.parametrize(("function", "reason"), PLAIN)
def test_what_is_not_of_single_elements_runs_plainly(function: Any, reason: str) -> None:
    fused = cp.fuse()(function)
    x = cp.linspace(0, 1, 7)
    found, plain = fused(x), function(x)
    assert fused.reason == reason
    assert found == plain if isinstance(found, list) else (found == plain).all()


def test_shared_memory_and_the_functions_own_errors() -> None:
    @cp.fuse(kernel_name="shift")
    def shift(x: Any, y: Any) -> Any:
        y += x

    x = cp.arange(5.0)
    shift(x[:-1], x[1:])
    plain = np.arange(5.0)
    plain[1:] += plain[:-1]
    assert (x.get() == plain).all()
    assert shift.reason == "arguments that share memory"
    with pytest.raises(ValueError, match="broadcast"):
        shift(cp.ones(3), cp.ones(2))
    assert shift(np.ones(2), np.ones(2)) is None
