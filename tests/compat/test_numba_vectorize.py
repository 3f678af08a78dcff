# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba's vectorize and guvectorize for target="cuda", against NumPy."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

from warploom.compat import numba_cuda
from warploom.compat.numba import guvectorize, vectorize

cuda: Any = numba_cuda


@vectorize(["float32(float32, float32)", "float64(float64, float64)", "int64(int64, int64)"], target="cuda")
def length(x: Any, y: Any) -> Any:
    return sqrt(x * x + y * y)


@guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
def product(a: Any, b: Any, c: Any) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@guvectorize(["void(float32[:], float32, float32[:], float32[:])"], "(n),()->(n),()", target="cuda")
def scaled(x: Any, factor: Any, out: Any, total: Any) -> None:
    total[0] = 0
    for i in range(x.shape[0]):
        out[i] = x[i] * factor
        total[0] += out[i]


def test_ufunc() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = np.array([3, 4, 5, 6], np.float32)
    found = length(x, y)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.hypot(x, y), rtol=1e-6)
    view = x.astype(np.float64)[::2, ::-1]
    np.testing.assert_allclose(length(view, 2.5), np.hypot(view, 2.5), rtol=1e-12)
    assert length(np.int64(3), np.int64(4)) == 5
    assert length(x[:0], y).shape == (0, 4)
    out = np.zeros((3, 4), np.float32)
    assert length(x, y, out=out) is out
    assert (out == found).all()
    on_device = length(cuda.to_device(x), cuda.to_device(y))
    assert (on_device.copy_to_host() == found).all()


def test_reduction_of_a_ufunc() -> None:
    @vectorize(["int32(int32, int32)"], target="cuda")
    def add(x: Any, y: Any) -> Any:
        return x + y

    assert add.reduce(np.arange(5000, dtype=np.int32)) == sum(range(5000))


def test_generalised_ufunc() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((5, 1, 3, 4)), rng.random((2, 4, 2))
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-12)
    out = np.zeros((3, 2))
    product(a[0, 0], b[0], out)
    np.testing.assert_allclose(out, a[0, 0] @ b[0], rtol=1e-12)
    x = rng.random((7, 3)).astype(np.float32)
    each, total = scaled(x, np.arange(7, dtype=np.float32))
    np.testing.assert_allclose(each, x * np.arange(7)[:, None], rtol=1e-6)
    np.testing.assert_allclose(total, each.sum(axis=1), rtol=1e-5)


def test_mistakes() -> None:
    with pytest.raises(TypeError, match="no signature takes complex128"):
        length(1j, 2.0)
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        length(1.0)
    with pytest.raises(TypeError, match="compiled by numba itself"):
        vectorize(["float32(float32)"], target="parallel")
    with pytest.raises(TypeError, match="wants signatures"):
        vectorize(target="cuda")
    with pytest.raises(ValueError, match="extent n is 4 and 3"):
        product(np.zeros((3, 4)), np.zeros((3, 2)))
    with pytest.raises(TypeError, match="say no result"):
        vectorize(["(float32, float32)"], target="cuda")(sqrt)
