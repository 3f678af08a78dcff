# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuDNN: activations, pooling, softmax, normalization, dropout, reductions
# functions: cudnn{Create,Set}ActivationDescriptor cudnnActivation{Forward,Backward} cudnnCreatePoolingDescriptor
# functions: cudnnSetPoolingNdDescriptor cudnnPooling{Forward,Backward} cudnnSoftmax{Forward,Backward}
# functions: cudnnGetPoolingNdForwardOutputDim cudnnGetReductionIndicesSize
# functions: cudnnBatchNormalization{ForwardTraining,ForwardTrainingEx,ForwardInference,Backward,BackwardEx}
# functions: cudnnNormalization{ForwardTraining,ForwardInference,Backward} cudnnDeriveNormTensorDescriptor
# functions: cudnnDeriveBNTensorDescriptor cudnn{Create,Set}LRNDescriptor cudnnLRNCrossChannel{Forward,Backward}
# functions: cudnn{Create,Set}DropoutDescriptor cudnnDropout{Forward,Backward,GetStatesSize,GetReserveSpaceSize}
# functions: cudnn{Create,Set}OpTensorDescriptor cudnnOpTensor cudnnAddTensor cudnnScaleTensor cudnnSetTensor
# functions: cudnnTransformTensor cudnn{Create,Set}ReduceTensorDescriptor cudnnReduceTensor
"""cuDNN's operations on tensors against NumPy in double precision."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dnn import (
    BAD_PARAM,
    BFLOAT16,
    DOUBLE,
    FLOAT,
    HALF,
    NCHW,
    NHWC,
    Array,
    Dnn,
    epsilon,
    integers,
    scalar,
    to_double,
    to_type,
)

SHAPES = ((2, 3, 5, 7), (1, 17, 4, 4), (3, 8, 1, 1), (2, 5, 6, 600))
KINDS = (FLOAT, DOUBLE, HALF, BFLOAT16)
RELU, TANH, CLIPPED, ELU, IDENTITY, SWISH = 1, 2, 3, 4, 5, 6
SPATIAL = 1


@pytest.fixture(scope="module")
def dnn(libraries: Path) -> Dnn:
    return Dnn(ctypes.CDLL(str(libraries / "libcudnn.so")))


class Tensor:
    """Numbers in the library's memory: `exact` is what they are in double precision, batch and channels first."""

    def __init__(self, dnn: Dnn, kind: int, layout: int, values: Array) -> None:
        self.kind, self.layout, self.shape = kind, layout, values.shape
        self.memory = to_type(kind, np.moveaxis(values, 1, -1) if layout == NHWC else values)
        self.descriptor = dnn.tensor(kind, values.shape, layout)

    @property
    def exact(self) -> Array:
        values = to_double(self.kind, self.memory)
        return np.moveaxis(values, -1, 1) if self.layout == NHWC else values

    @property
    def both(self) -> tuple[Any, Array]:
        return self.descriptor, self.memory


class Maker:
    """Random tensors of one type and layout."""

    def __init__(self, dnn: Dnn, kind: int, layout: int, seed: int = 1) -> None:
        self.dnn, self.kind, self.layout = dnn, kind, layout
        self.rng = np.random.default_rng((seed, kind, layout))
        self.one, self.zero = scalar(kind, 1), scalar(kind, 0)

    def random(self, *shape: int) -> Tensor:
        return Tensor(self.dnn, self.kind, self.layout, self.rng.standard_normal(shape))

    def nothing(self, *shape: int) -> Tensor:
        return Tensor(self.dnn, self.kind, self.layout, np.full(shape, np.nan))

    def parameters(self, *shape: int) -> Tensor:
        return Tensor(self.dnn, DOUBLE if self.kind == DOUBLE else FLOAT, NCHW, self.rng.standard_normal(shape))


def close(result: Tensor, exact: Array, size: float = 1, factor: float = 8) -> None:
    """Within some units in the last place of the type; intermediate ones are float's, of numbers of `size`."""
    allowed = (
        2 * epsilon(result.kind) * abs(exact)
        + factor * min(epsilon(result.kind), 2.0**-23) * size
        + 1e-6 * (result.kind != DOUBLE)
    )
    error = abs(result.exact - exact)
    assert (error <= allowed).all(), float(np.max(error / allowed))


makers = pytest.mark.parametrize(("kind", "layout"), list(product(KINDS, (NCHW, NHWC))))


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


CURVES: dict[int, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    0: (sigmoid, lambda x: sigmoid(x) * (1 - sigmoid(x))),
    RELU: (lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(float)),
    TANH: (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    CLIPPED: (lambda x: np.clip(x, 0, 0.75), lambda x: ((x > 0) & (x <= 0.75)).astype(float)),
    ELU: (
        lambda x: np.maximum(x, 0) + 0.75 * np.expm1(np.minimum(x, 0)),
        lambda x: (x > 0) + (x <= 0) * 0.75 * np.exp(x),
    ),
    SWISH: (lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
}


@makers
def test_activations(dnn: Dnn, kind: int, layout: int) -> None:
    make = Maker(dnn, kind, layout)
    for mode, shape in product(CURVES, SHAPES):
        curve, slope = CURVES[mode]
        descriptor = dnn.create("ActivationDescriptor")
        assert dnn.plain("cudnnSetActivationDescriptor", descriptor, mode, 0, 0.75) == 0
        x, y, dy, dx = make.random(*shape), make.nothing(*shape), make.random(*shape), make.random(*shape)
        assert dnn.call("cudnnActivationForward", descriptor, make.one, *x.both, make.zero, *y.both) == 0, mode
        close(y, curve(x.exact), 4)
        before = dx.exact
        arguments = (make.one, *y.both, *dy.both, *x.both, make.one, *dx.both)
        assert dnn.call("cudnnActivationBackward", descriptor, *arguments) == 0
        exact = dy.exact * slope(x.exact)
        close(dx, exact + before, 4 + 100 * (epsilon(kind) > 1e-6) * epsilon(kind) * 2**23)


@makers
def test_pooling(dnn: Dnn, kind: int, layout: int) -> None:
    make = Maker(dnn, kind, layout)
    for mode, (window, pad, step) in product((0, 1, 2), (((3, 2), (1, 1), (2, 1)), ((2, 2), (0, 0), (2, 2)))):
        descriptor = dnn.create("PoolingDescriptor")
        arrays = [integers(each) for each in (window, pad, step)]
        assert dnn.plain("cudnnSetPoolingNdDescriptor", descriptor, mode, 0, 2, *arrays) == 0
        x = make.random(2, 5, 7, 9)
        out = tuple((s + 2 * p - w) // t + 1 for s, p, w, t in zip((7, 9), pad, window, step, strict=True))
        dims = (ctypes.c_int * 4)()
        assert dnn.plain("cudnnGetPoolingNdForwardOutputDim", descriptor, x.descriptor, 4, dims) == 0
        assert tuple(dims) == (2, 5, *out)
        y, dy, dx = make.nothing(2, 5, *out), make.random(2, 5, *out), make.nothing(2, 5, 7, 9)
        assert dnn.call("cudnnPoolingForward", descriptor, make.one, *x.both, make.zero, *y.both) == 0
        arguments = (make.one, *y.both, *dy.both, *x.both, make.zero, *dx.both)
        assert dnn.call("cudnnPoolingBackward", descriptor, *arguments) == 0
        exact, back = pool(mode, x.exact, dy.exact, window, pad, step)
        close(y, exact)
        close(dx, back, 8)


def test_identity_is_no_activation(dnn: Dnn) -> None:
    make, descriptor = Maker(dnn, FLOAT, NCHW), dnn.create("ActivationDescriptor")
    assert dnn.plain("cudnnSetActivationDescriptor", descriptor, IDENTITY, 0, 0.0) == 0
    x, y = make.random(1, 2, 3, 4), make.nothing(1, 2, 3, 4)
    forward = (make.one, *x.both, make.zero, *y.both)
    assert dnn.call("cudnnActivationForward", descriptor, *forward) == BAD_PARAM
    backward = (make.one, *x.both, *x.both, *x.both, make.zero, *y.both)
    assert dnn.call("cudnnActivationBackward", descriptor, *backward) == BAD_PARAM


def pool(
    mode: int, x: Array, dy: Array, window: tuple[int, int], pad: tuple[int, int], step: tuple[int, int]
) -> tuple[Array, Array]:
    """The result and the gradient, one output at a time."""
    y, dx = np.zeros(dy.shape), np.zeros(x.shape)
    for n, c, h, w in np.ndindex(*dy.shape):
        top, left = h * step[0] - pad[0], w * step[1] - pad[1]
        rows = slice(max(0, top), min(x.shape[2], top + window[0]))
        columns = slice(max(0, left), min(x.shape[3], left + window[1]))
        part = x[n, c, rows, columns]
        if mode == 0:
            y[n, c, h, w] = part.max()
            at = np.unravel_index(int(np.argmax(part)), part.shape)
            dx[n, c, rows.start + at[0], columns.start + at[1]] += dy[n, c, h, w]
        else:
            count = window[0] * window[1] if mode == 1 else part.size
            y[n, c, h, w] = part.sum() / count
            dx[n, c, rows, columns] += dy[n, c, h, w] / count
    return y, dx


@makers
def test_softmax(dnn: Dnn, kind: int, layout: int) -> None:
    make = Maker(dnn, kind, layout)
    for algorithm, mode, shape in product((0, 1, 2), (0, 1), SHAPES):
        axes = (1, 2, 3) if mode == 0 else (1,)
        x, y, dy, dx = make.random(*shape), make.nothing(*shape), make.random(*shape), make.nothing(*shape)
        assert dnn.call("cudnnSoftmaxForward", algorithm, mode, make.one, *x.both, make.zero, *y.both) == 0
        power = np.exp(x.exact)
        soft = power / power.sum(axis=axes, keepdims=True)
        close(y, np.log(soft) if algorithm == 2 else soft, 8)
        arguments = (make.one, *y.both, *dy.both, make.zero, *dx.both)
        assert dnn.call("cudnnSoftmaxBackward", algorithm, mode, *arguments) == 0
        out, errors = y.exact, dy.exact
        total = (errors if algorithm == 2 else errors * out).sum(axis=axes, keepdims=True)
        close(dx, errors - np.exp(out) * total if algorithm == 2 else out * (errors - total), 400)


@makers
@pytest.mark.parametrize("extra", [0, 1, 2])
def test_batch_normalization(dnn: Dnn, kind: int, layout: int, extra: int) -> None:
    """`extra`: alone, with ReLU, with an addend and ReLU."""
    make = Maker(dnn, kind, layout)
    relu = dnn.create("ActivationDescriptor")
    assert dnn.plain("cudnnSetActivationDescriptor", relu, RELU, 0, 0.0) == 0
    for mode, shape in product((0, SPATIAL), SHAPES):
        axes = (0,) if mode == 0 else (0, 2, 3)
        few = tuple(1 if i in axes else size for i, size in enumerate(shape))
        x, z, y, dy = make.random(*shape), make.random(*shape), make.nothing(*shape), make.random(*shape)
        dx, dz = make.nothing(*shape), make.nothing(*shape)
        scale, bias, mean, variance = (make.parameters(*few) for _ in range(4))
        saved, inverse, dscale, dbias = (make.parameters(*few) for _ in range(4))
        old_mean, old_variance = mean.exact, variance.exact
        derived = dnn.create("TensorDescriptor")
        assert dnn.plain("cudnnDeriveBNTensorDescriptor", derived, x.descriptor, mode) == 0
        running = (0.25, mean.memory, variance.memory, 1e-3, saved.memory, inverse.memory)
        head, parameters = (make.one, make.zero, *x.both), (derived, scale.memory, bias.memory)
        none = ctypes.c_size_t(0)
        tail = (relu, None, none, None, none)
        if extra == 0:
            arguments = (mode, *head, *y.both, *parameters, *running)
            assert dnn.call("cudnnBatchNormalizationForwardTraining", *arguments) == 0
        else:
            arguments = (mode, extra, *head, *z.both, *y.both, *parameters, *running, *tail)
            assert dnn.call("cudnnBatchNormalizationForwardTrainingEx", *arguments) == 0
        middle, spread = x.exact.mean(axis=axes, keepdims=True), x.exact.var(axis=axes, keepdims=True)
        normal = (x.exact - middle) / np.sqrt(spread + 1e-3)
        exact = normal * scale.exact + bias.exact + (z.exact if extra == 2 else 0)
        close(y, exact if extra == 0 else np.maximum(exact, 0), 400)
        close(saved, middle, 8)
        close(inverse, 1 / np.sqrt(spread + 1e-3), 400)
        count = x.exact.size // spread.size
        close(mean, 0.75 * old_mean + 0.25 * middle, 8)
        if count == 1:
            assert np.isnan(variance.exact).all()
        else:
            close(variance, 0.75 * old_variance + 0.25 * spread * count / (count - 1), 8)
        data = (make.one, make.zero, make.one, make.zero, *x.both)
        gradients = (dscale.memory, dbias.memory, 1e-3, saved.memory, inverse.memory)
        if extra == 0:
            arguments = (mode, *data, *dy.both, *dx.both, derived, scale.memory, *gradients)
            assert dnn.call("cudnnBatchNormalizationBackward", *arguments) == 0
        else:
            arguments = (mode, extra, *data, *y.both, *dy.both, *dz.both, *dx.both, *parameters, *gradients, *tail)
            assert dnn.call("cudnnBatchNormalizationBackwardEx", *arguments) == 0
        errors = dy.exact if extra == 0 else dy.exact * (y.exact > 0)
        first, second = errors.sum(axis=axes, keepdims=True), (errors * normal).sum(axis=axes, keepdims=True)
        close(dbias, first, 40 * count)
        close(dscale, second, 4000 * count)
        close(dx, scale.exact * inverse.exact * (errors - (first + normal * second) / count), 4e4)
        if extra == 2:
            close(dz, errors)
        positive = abs(scale.memory)
        given = (derived, scale.memory, bias.memory, saved.memory, positive)
        assert dnn.call("cudnnBatchNormalizationForwardInference", mode, *head, *y.both, *given, 1e-3) == 0
        close(y, (x.exact - middle) / np.sqrt(abs(scale.exact) + 1e-3) * scale.exact + bias.exact, 4000)


@makers
def test_normalization_under_its_other_name(dnn: Dnn, kind: int, layout: int) -> None:
    """The same results as by the functions for batches."""
    make = Maker(dnn, kind, layout)
    relu = dnn.create("ActivationDescriptor")
    assert dnn.plain("cudnnSetActivationDescriptor", relu, RELU, 0, 0.0) == 0
    shape, few, none = (3, 5, 4, 6), (1, 5, 1, 1), ctypes.c_size_t(0)
    x, z, dy = (make.random(*shape) for _ in range(3))
    scale, bias, mean, variance = (make.parameters(*few) for _ in range(4))
    derived, statistics = dnn.create("TensorDescriptor"), dnn.create("TensorDescriptor")
    assert dnn.plain("cudnnDeriveNormTensorDescriptor", derived, statistics, x.descriptor, 1, 1) == 0
    results: list[list[Array]] = []
    for renamed in (False, True):
        y, dx, dz = (make.nothing(*shape) for _ in range(3))
        running, spread, saved, inverse, dscale, dbias = (make.parameters(*few) for _ in range(6))
        running.memory[...], spread.memory[...] = mean.memory, variance.memory
        factors = (make.one, make.zero)
        averages = (running.memory, spread.memory, 1e-3, saved.memory, inverse.memory)
        parameters, tail = (derived, scale.memory, bias.memory), (None, none, None, none)
        gradients = (dscale.memory, dbias.memory, 1e-3)
        flow = (*factors, *factors, *x.both, *y.both, *dy.both, *dz.both, *dx.both, *parameters, *gradients)
        if renamed:
            arguments = (1, 2, 0, *factors, *x.both, *parameters, 0.5, statistics, *averages, relu, *z.both, *y.both)
            assert dnn.call("cudnnNormalizationForwardTraining", *arguments, *tail, 1) == 0
            arguments = (1, 2, 0, *flow, statistics, saved.memory, inverse.memory, relu)
            assert dnn.call("cudnnNormalizationBackward", *arguments, *tail, 1) == 0
        else:
            arguments = (1, 2, *factors, *x.both, *z.both, *y.both, *parameters, 0.5, *averages, relu)
            assert dnn.call("cudnnBatchNormalizationForwardTrainingEx", *arguments, *tail) == 0
            arguments = (1, 2, *flow, saved.memory, inverse.memory, relu)
            assert dnn.call("cudnnBatchNormalizationBackwardEx", *arguments, *tail) == 0
        results.append([each.memory for each in (y, dx, dz, running, spread, saved, inverse, dscale, dbias)])
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))
    y, given = make.nothing(*shape), abs(scale.memory)
    arguments = (
        1,
        2,
        0,
        make.one,
        make.zero,
        *x.both,
        derived,
        scale.memory,
        bias.memory,
        statistics,
        mean.memory,
        given,
    )
    assert dnn.call("cudnnNormalizationForwardInference", *arguments, *z.both, relu, *y.both, 1e-3, 1) == 0
    normal = (x.exact - mean.exact) / np.sqrt(abs(scale.exact) + 1e-3)
    close(y, np.maximum(normal * scale.exact + bias.exact + z.exact, 0), 4000)


@makers
def test_neighbouring_channels(dnn: Dnn, kind: int, layout: int) -> None:
    make = Maker(dnn, kind, layout)
    n, alpha, beta, k = 4, 0.5, 0.75, 1.5
    descriptor = dnn.create("LRNDescriptor")
    assert dnn.plain("cudnnSetLRNDescriptor", descriptor, n, alpha, beta, k) == 0
    shape = (2, 9, 3, 4)
    x, y, dy, dx = make.random(*shape), make.nothing(*shape), make.random(*shape), make.nothing(*shape)
    assert dnn.call("cudnnLRNCrossChannelForward", descriptor, 0, make.one, *x.both, make.zero, *y.both) == 0
    windows = [slice(max(0, c - (n - 1) // 2), c - (n - 1) // 2 + n) for c in range(9)]
    scale = np.stack([k + alpha / n * (x.exact[:, w] ** 2).sum(axis=1) for w in windows], axis=1)
    close(y, x.exact * scale**-beta)
    arguments = (make.one, *y.both, *dy.both, *x.both, make.zero, *dx.both)
    assert dnn.call("cudnnLRNCrossChannelBackward", descriptor, 0, *arguments) == 0
    exact, terms = dy.exact * scale**-beta, dy.exact * x.exact * scale ** (-beta - 1)
    for c, window in enumerate(windows):
        exact[:, window] -= 2 * alpha * beta / n * x.exact[:, window] * terms[:, c : c + 1]
    close(dx, exact, 8)


@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
def test_dropout(dnn: Dnn, rate: float) -> None:
    make = Maker(dnn, FLOAT, NCHW)
    size = ctypes.c_size_t(0)
    assert dnn.call("cudnnDropoutGetStatesSize", ctypes.byref(size)) == 0
    states = np.zeros(size.value, np.uint8)
    descriptor = dnn.create("DropoutDescriptor")
    arguments = (ctypes.c_float(rate), states, size, ctypes.c_ulonglong(7))
    assert dnn.plain("cudnnSetDropoutDescriptor", descriptor, dnn.handle, *arguments) == 0
    shape = (4, 8, 16, 20)
    x, y, dx = make.random(*shape), make.nothing(*shape), make.nothing(*shape)
    assert dnn.plain("cudnnDropoutGetReserveSpaceSize", x.descriptor, ctypes.byref(size)) == 0
    reserve = np.zeros(size.value, np.uint8)
    assert dnn.call("cudnnDropoutForward", descriptor, *x.both, *y.both, reserve, size) == 0
    kept = y.exact != 0
    assert abs(kept.mean() - (1 - rate)) < 0.02
    close(y, np.where(kept, x.exact / max(1 - rate, 0.1), 0))
    assert dnn.call("cudnnDropoutBackward", descriptor, *x.both, *dx.both, reserve, size) == 0
    assert np.array_equal(dx.memory, y.memory)
    assert dnn.call("cudnnDropoutForward", descriptor, *x.both, *dx.both, reserve, size) == 0
    assert np.array_equal(dx.memory, y.memory) == (rate in (0.0, 1.0)), "each call has numbers of its own"


@makers
def test_operations_on_elements(dnn: Dnn, kind: int, layout: int) -> None:
    make = Maker(dnn, kind, layout)
    operations: list[Callable[[Array, Array], Array]] = [
        np.add, np.multiply, np.minimum, np.maximum, lambda a, _: np.sqrt(a), lambda a, _: 1 - a,
    ]  # fmt: skip
    for (number, function), shape in product(enumerate(operations), SHAPES):
        descriptor = dnn.create("OpTensorDescriptor")
        compute = DOUBLE if kind == DOUBLE else FLOAT
        assert dnn.plain("cudnnSetOpTensorDescriptor", descriptor, number, compute, 0) == 0
        a, b, c = make.random(*shape), make.random(1, shape[1], 1, 1), make.random(*shape)
        if number == 4:
            a = Tensor(dnn, kind, layout, abs(a.exact))
        before, two = c.exact, scalar(kind, 2)
        arguments = (descriptor, two, *a.both, make.one, *b.both, make.one, *c.both)
        assert dnn.call("cudnnOpTensor", *arguments) == 0
        close(c, function(2 * a.exact, b.exact) + before, 4)
        before = c.exact
        assert dnn.call("cudnnAddTensor", two, *b.both, make.one, *c.both) == 0
        close(c, 2 * b.exact + before, 4)
        before = c.exact
        assert dnn.call("cudnnScaleTensor", *c.both, two) == 0
        close(c, 2 * before, 4)
        other = Tensor(dnn, FLOAT, NHWC, np.zeros(shape))
        if kind != DOUBLE:
            assert dnn.call("cudnnTransformTensor", make.one, *c.both, make.zero, *other.both) == 0
            assert np.array_equal(other.exact, c.exact)
        assert dnn.call("cudnnSetTensor", *c.both, scalar(kind, 1.5)) == 0
        assert np.array_equal(c.exact, np.full(shape, 1.5))


def reduced(number: int, a: Array, axes: tuple[int, ...]) -> Array:
    """The operation of this number, over some axes."""
    values: list[Array] = [
        np.sum(a, axes, keepdims=True), np.prod(a, axes, keepdims=True), np.min(a, axes, keepdims=True),
        np.max(a, axes, keepdims=True), np.max(abs(a), axes, keepdims=True), np.mean(a, axes, keepdims=True),
        np.sum(abs(a), axes, keepdims=True), np.sqrt(np.sum(a * a, axes, keepdims=True)),
        np.prod(a, axes, keepdims=True),
    ]  # fmt: skip
    return values[number]


@makers
def test_reductions(dnn: Dnn, kind: int, layout: int) -> None:
    make = Maker(dnn, kind, layout)
    for number, axes in product(range(9), ((0, 2, 3), (1,), (0, 1, 2, 3))):
        a = make.random(2, 3, 4, 5)
        c = make.nothing(*(1 if i in axes else size for i, size in enumerate(a.shape)))
        descriptor = dnn.create("ReduceTensorDescriptor")
        wanted = int(number in (2, 3, 4))
        compute = DOUBLE if kind == DOUBLE else FLOAT
        assert dnn.plain("cudnnSetReduceTensorDescriptor", descriptor, number, compute, 0, wanted, 0) == 0
        size = ctypes.c_size_t(0)
        sizes = (descriptor, a.descriptor, c.descriptor, ctypes.byref(size))
        assert dnn.call("cudnnGetReductionIndicesSize", *sizes) == 0
        assert size.value == wanted * c.memory.size * 4
        places = np.full(max(1, c.memory.size), 99, np.uint32)
        room = ctypes.c_size_t(0)
        assert dnn.call("cudnnGetReductionWorkspaceSize", *sizes[:3], ctypes.byref(room)) == 0
        area = np.zeros(room.value, np.uint8)
        arguments = (descriptor, places, size, area, room, make.one, *a.both, make.zero, *c.both)
        assert dnn.call("cudnnReduceTensor", *arguments) == 0, (number, axes)
        close(c, reduced(number, a.exact, axes), 40)
        if wanted:
            outer = [i for i in range(4) if i not in axes]
            values = np.transpose(a.exact, [*outer, *axes]).reshape(c.memory.size, -1)
            picked: Array = np.argmin(values if number == 2 else -values if number == 3 else -abs(values), axis=1)
            assert np.array_equal(places, picked)
