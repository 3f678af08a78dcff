# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuDNN: convolutions, their gradients, bias and activation
# functions: cudnnConvolutionForward cudnnConvolutionBackward{Data,Filter,Bias} cudnnConvolutionBiasActivationForward
# functions: cudnnGetConvolution{Forward,BackwardData,BackwardFilter}{Algorithm_v7,AlgorithmMaxCount,WorkspaceSize}
# functions: cudnnFindConvolution{Forward,BackwardData,BackwardFilter}Algorithm
# functions: cudnnGetConvolutionNdForwardOutputDim cudnnSetConvolutionGroupCount cudnnCreate
# functions: cudnnCreate{Tensor,Filter,Convolution}Descriptor cudnnSet{Filter,Convolution}NdDescriptor
# functions: cudnnSetTensorNdDescriptorEx
"""Convolutions against NumPy's sums in double precision. Many random ones:

python tests/hostlibs/test_cudnn_convolution.py 1000
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest
from dnn import (
    DOUBLE,
    FLOAT,
    NCHW,
    NHWC,
    NOT_SUPPORTED,
    Array,
    Case,
    Dnn,
    backward_data,
    backward_filter,
    epsilon,
    forward,
    random_case,
    scalar,
    to_double,
)  # fmt: skip


@pytest.fixture(scope="module")
def dnn(libraries: Path) -> Dnn:
    return Dnn(ctypes.CDLL(str(libraries / "libcudnn.so")))


class Run:
    """A case's operands, and its three functions on them."""

    def __init__(self, dnn: Dnn, case: Case, rng: np.random.Generator) -> None:
        self.dnn, self.case = dnn, case
        self.x: Array = case.stored(rng.standard_normal(case.x))
        self.w: Array = case.stored(rng.standard_normal(case.w))
        self.y: Array = case.stored(rng.standard_normal(case.y))
        self.alpha, self.beta = (float(rng.choice([1, 1, -0.5])), float(rng.choice([0, 0, 1, 0.25])))
        self.old: Array = rng.standard_normal(max(each.size for each in (self.x, self.w, self.y)))
        self.tensors = [dnn.tensor(case.kind, shape, case.layout) for shape in (case.x, case.y)]
        self.filter, self.convolution = dnn.filter(case.kind, case.w, case.layout), dnn.convolution(case)

    def result(self, like: Array) -> Array:
        """Memory for a result; what is not to be read is not a number."""
        if self.beta == 0:
            return np.full(like.shape, 0x7FC0 if like.dtype == np.uint16 else np.nan, like.dtype)
        flat = self.old[: like.size].reshape(like.shape)
        return self.case.stored(np.moveaxis(flat, -1, 1) if self.case.layout == NHWC else flat)

    def compare(self, before: Array, after: Array, exact: Array, terms: Array, shape: tuple[int, ...]) -> None:
        """`terms`: sums of the products' magnitudes."""
        case = self.case
        expected = self.alpha * exact
        bound = abs(self.alpha) * terms
        if self.beta != 0:
            old = case.loaded(before, shape)
            expected = expected + self.beta * old
            bound = bound + abs(self.beta * old)
        allowed = 2 * epsilon(case.kind) * abs(expected) + 40 * min(epsilon(case.kind), 2.0**-23) * bound + 1e-7
        error = abs(case.loaded(after, shape) - expected)
        assert (error <= allowed).all(), (case, self.alpha, self.beta, float(np.max(error / allowed)))

    def forward(self) -> Array:
        case, y = self.case, self.result(self.y)
        before = y.copy()
        factors = scalar(case.kind, self.alpha), scalar(case.kind, self.beta)
        operands = self.tensors[0], self.filter, self.convolution, self.tensors[1]
        algorithm, area = self.dnn.algorithm("Forward", *operands)
        status = self.dnn.call(
            "cudnnConvolutionForward", factors[0], self.tensors[0], self.x, self.filter, self.w, self.convolution,
            algorithm, area, ctypes.c_size_t(area.size), factors[1], self.tensors[1], y,
        )  # fmt: skip
        assert status == 0
        x, w = case.loaded(self.x, case.x), case.loaded(self.w, case.w)
        self.compare(before, y, forward(case, x, w), forward(case, abs(x), abs(w)), case.y)
        return y

    def data(self) -> Array:
        case, dx = self.case, self.result(self.x)
        before = dx.copy()
        factors = scalar(case.kind, self.alpha), scalar(case.kind, self.beta)
        operands = self.filter, self.tensors[1], self.convolution, self.tensors[0]
        algorithm, area = self.dnn.algorithm("BackwardData", *operands)
        status = self.dnn.call(
            "cudnnConvolutionBackwardData", factors[0], self.filter, self.w, self.tensors[1], self.y, self.convolution,
            algorithm, area, ctypes.c_size_t(area.size), factors[1], self.tensors[0], dx,
        )  # fmt: skip
        assert status == 0
        y, w = case.loaded(self.y, case.y), case.loaded(self.w, case.w)
        self.compare(before, dx, backward_data(case, w, y), backward_data(case, abs(w), abs(y)), case.x)
        return dx

    def weights(self) -> Array:
        case, dw = self.case, self.result(self.w)
        before = dw.copy()
        factors = scalar(case.kind, self.alpha), scalar(case.kind, self.beta)
        operands = self.tensors[0], self.tensors[1], self.convolution, self.filter
        algorithm, area = self.dnn.algorithm("BackwardFilter", *operands)
        status = self.dnn.call(
            "cudnnConvolutionBackwardFilter", factors[0], self.tensors[0], self.x, self.tensors[1], self.y,
            self.convolution, algorithm, area, ctypes.c_size_t(area.size), factors[1], self.filter, dw,
        )  # fmt: skip
        assert status == 0
        x, y = case.loaded(self.x, case.x), case.loaded(self.y, case.y)
        self.compare(before, dw, backward_filter(case, x, y), backward_filter(case, abs(x), abs(y)), case.w)
        return dw


@pytest.mark.parametrize("seed", range(6))
def test_random_convolutions(dnn: Dnn, seed: int) -> None:
    rng = np.random.default_rng((seed, 7))
    for _ in range(8):
        run = Run(dnn, random_case(rng), rng)
        run.forward()
        run.data()
        run.weights()


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_bias_and_activation(dnn: Dnn, kind: int, layout: int) -> None:
    """y = curve(alpha1 conv(x) + alpha2 z + bias), and the bias's gradient."""
    rng = np.random.default_rng(3)
    case = Case(kind, layout, (2, 6, 9, 8), (10, 3, 3, 2), (1, 0), (1, 2), (1, 1), groups=2)
    run = Run(dnn, case, rng)
    z, bias = case.stored(rng.standard_normal(case.y)), rng.standard_normal(10).astype(run.x.dtype)
    described = dnn.tensor(kind, (1, 10, 1, 1))
    exact = 0.5 * forward(case, case.loaded(run.x, case.x), case.loaded(run.w, case.w)) + 2 * case.loaded(z, case.y)
    exact += bias.astype(float).reshape(1, 10, 1, 1)
    for mode, bent in {1: np.maximum(exact, 0), 5: exact, 0: None, 2: None}.items():
        activation = dnn.create("ActivationDescriptor")
        assert dnn.plain("cudnnSetActivationDescriptor", activation, mode, 0, 0.0) == 0
        y = np.full_like(run.y, np.nan)
        size = ctypes.c_size_t()
        asked = (run.tensors[0], run.filter, run.convolution, run.tensors[1], 1, ctypes.byref(size))
        assert dnn.call("cudnnGetConvolutionForwardWorkspaceSize", *asked) == 0
        area = np.zeros(size.value, np.uint8)
        status = dnn.call(
            "cudnnConvolutionBiasActivationForward", scalar(kind, 0.5), run.tensors[0], run.x, run.filter, run.w,
            run.convolution, 1, area, size, scalar(kind, 2), run.tensors[1], z, described, bias,
            activation, run.tensors[1], y,
        )  # fmt: skip
        assert status == (NOT_SUPPORTED if bent is None else 0), mode
        if bent is None:  # neither are a sigmoid and the hyperbolic tangent on an H200
            continue
        assert abs(case.loaded(y, case.y) - bent).max() < 200 * epsilon(kind)
    db = np.full_like(bias, np.nan)
    arguments = (scalar(kind, 1), run.tensors[1], run.y, scalar(kind, 0), described, db)
    assert dnn.call("cudnnConvolutionBackwardBias", *arguments) == 0
    assert abs(to_double(kind, db) - case.loaded(run.y, case.y).sum(axis=(0, 2, 3))).max() < 200 * epsilon(kind)


def test_large_gradient_of_a_filter(dnn: Dnn) -> None:
    """Enough pixels for the sum to be cut."""
    case = Case(FLOAT, NCHW, (3, 5, 61, 67), (7, 5, 3, 3), (1, 1), (1, 1), (1, 1))
    Run(dnn, case, np.random.default_rng(4)).weights()


def test_which_algorithm(dnn: Dnn) -> None:
    case = Case(FLOAT, NCHW, (2, 4, 9, 9), (6, 4, 3, 3), (1, 1), (1, 1), (1, 1))
    run = Run(dnn, case, np.random.default_rng(5))
    x, y = run.tensors
    orders = {
        "Forward": (x, run.filter, run.convolution, y),
        "BackwardData": (run.filter, y, run.convolution, x),
        "BackwardFilter": (x, y, run.convolution, run.filter),
    }
    for name, operands in orders.items():
        for function in (f"cudnnGetConvolution{name}Algorithm_v7", f"cudnnFindConvolution{name}Algorithm"):
            results, found = (ctypes.c_char * (8 * 64))(), ctypes.c_int(0)
            assert dnn.call(function, *operands, 8, ctypes.byref(found), results) == 0
            algorithm, status = np.frombuffer(bytes(results), np.int32)[:2]
            assert found.value >= 1
            assert int(status) == 0
            size = ctypes.c_size_t(1)
            asked = (*operands, int(algorithm), ctypes.byref(size))
            assert dnn.call(f"cudnnGetConvolution{name}WorkspaceSize", *asked) == 0
        count = ctypes.c_int(0)
        assert dnn.call(f"cudnnGetConvolution{name}AlgorithmMaxCount", ctypes.byref(count)) == 0
        assert count.value >= 1
    dims = (ctypes.c_int * 4)()
    assert dnn.plain("cudnnGetConvolutionNdForwardOutputDim", run.convolution, x, run.filter, 4, dims) == 0
    assert tuple(dims) == case.y


def main(count: int, library: str) -> int:
    """`count` random convolutions."""
    made = Dnn(ctypes.CDLL(library))
    for seed in range(count):
        rng = np.random.default_rng((seed, 8))
        run = Run(made, random_case(rng), rng)
        run.forward()
        run.data()
        run.weights()
    print(f"{count} convolutions")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
