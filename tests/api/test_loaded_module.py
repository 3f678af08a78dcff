# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoadedModule, and the compat modules that stand on it: kernels that warpcc compiled to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warploom
from warploom.api.loaded import LoadedModule
from warploom.cli import warpcc
from warploom.compat import cupy
from warploom.compat.pycuda import driver

cp: Any = cupy

SOURCE = """
struct Pair { int a, b; };
__constant__ float table[4];
extern "C" __global__ void blend(const float *x, const float *y, float *out, double share, int n, Pair p) {
  const int i = threadIdx.x;
  if (i < n) out[i] = x[i] * share + y[i] + p.a - p.b;
}
"""


@pytest.fixture(scope="module", params=["cubin", "ptx"])
def module(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loaded")
    (folder / "blend.cu").write_text(SOURCE)
    made = folder / f"blend.{request.param}"
    assert warpcc.main([f"-{request.param}", str(folder / "blend.cu"), "-o", str(made)]) == 0
    return made


X, Y = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
PAIR = np.array((5, 3), [("a", "i4"), ("b", "i4")])[()]


def test_arrays_numbers_and_structs(module: Path) -> None:
    out, kernels = np.zeros_like(X), LoadedModule(module)
    blend = kernels.get_function("blend")
    assert [each.size for each in blend.signature.parameters] == [8, 8, 8, 8, 4, 8]
    blend(1, 8, (X, Y, out, 0.5, 8, PAIR))
    assert (out == X * 0.5 + 3).all()
    assert kernels.get_global("table").nbytes == 16


def test_mistakes(module: Path) -> None:
    kernels = LoadedModule(module)
    blend, out = kernels.get_function("blend"), np.zeros_like(X)
    for given, words in (
        ((X, Y, out, np.float32(0.5), 8, PAIR), r"argument 4 \(8 bytes\): np.float32\(0.5\) \(float32\) has 4 bytes"),
        ((X, Y, out, 0.5, 1 << 40, PAIR), "does not fit 4 bytes"),
        ((X, Y, out, 0.5, X, PAIR), "has 8 bytes"),
        ((X, Y, out, 0.5, 8), "takes 6 arguments"),
    ):
        with pytest.raises(warploom.ArgumentError, match=words):
            blend(1, 8, given)
    with pytest.raises(AttributeError, match="no kernel 'other'"):
        kernels.get_function("other")
    with pytest.raises(AttributeError, match="no variable 'other'"):
        kernels.get_global("other")
    (module.parent / "none.cubin").write_text("text")
    with pytest.raises(warploom.CudaError):
        LoadedModule(module.parent / "none.cubin")
    with pytest.raises(warploom.ArgumentError, match="explain"):
        warploom.explain(blend)


def test_of_cupy(module: Path) -> None:
    kernel = cp.RawModule(path=str(module)).get_function("blend")
    x, y, out = cp.asarray(X), cp.asarray(np.ones(16, np.float32)), cp.zeros(8, np.float32)
    kernel((1,), (8,), (x, y[::2], out, 0.5, np.int32(8), PAIR))
    assert (cp.asnumpy(out) == X * 0.5 + 3).all()


def test_of_pycuda(module: Path) -> None:
    out = np.zeros_like(X)
    for kernels in (driver.module_from_file(str(module)), driver.module_from_buffer(module.read_bytes())):
        blend = kernels.get_function("blend")
        given = driver.In(X), driver.In(Y), driver.Out(out), np.float64(0.25), np.int32(8), PAIR
        blend(*given, block=(8, 1, 1))
        assert (out == X * 0.25 + 3).all()
