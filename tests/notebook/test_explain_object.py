# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""explain(): an object with what the command tells, as text, for programs, and for a notebook."""

from __future__ import annotations

import json

import numpy as np
import pytest

import warploom
from warploom import cuda

SOURCE = """
template <class T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }
__global__ void turn(float *x, int w, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[(i * 7) % w];  // <
}
"""


@cuda.jit
def add(x, y):  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
    i = cuda.grid(1)
    if i < x.size:  # pyright: ignore[reportUnknownMemberType]
        x[i] += y[i]


def test_of_a_kernel_in_every_form() -> None:
    module = warploom.RawModule(SOURCE, name_expressions=["fill<float>"])
    found = warploom.explain(module)
    assert [each["kernel"] for each in found.data] == ["turn(float*, int, int)", "void fill<float>(float*, float)"]
    assert json.loads(found.to_json()) == found.data
    one = warploom.explain(module.get_function("turn"), block=(64, 2))
    assert [each.block for each in one.kernels] == [(64, 2, 1)]
    assert str(one).startswith("turn(float*, int, int)\n  runs: ")
    assert "costs most: kernel.cu:5, " in str(one)
    assert "engine: loom" in one.details
    page = one._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<h2><code>turn(float*, int, int)</code></h2>" in page
    assert "<details>" in page
    kernel = warploom.RawKernel(SOURCE, "turn")
    assert str(warploom.explain(kernel)) == str(warploom.explain(module.get_function("turn")))


def test_of_functions_and_of_text() -> None:
    x = np.zeros(4, np.float32)
    found = warploom.explain(add, x, x, block=128)
    assert "32 threads at a time" in str(found) or "16 threads at a time" in str(found)
    assert "test_explain_object.py" in found.details
    slow = 'extern "C" __global__ void spin(volatile int *x) { while (*x == 0) {} asm("bar.sync 0, 32;"); }'
    assert "reference engine" in str(warploom.explain(slow))


def test_mistakes() -> None:
    with pytest.raises(warploom.CompileError, match="undeclared"):
        warploom.explain("__global__ void k() { nothing; }")
    with pytest.raises(warploom.ArgumentError, match="not 3"):
        warploom.explain(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(warploom.ArgumentError, match="types of a function"):
        warploom.explain(SOURCE, 1)
    with pytest.raises(warploom.ArgumentError, match="block"):
        warploom.explain(SOURCE, block=0)
