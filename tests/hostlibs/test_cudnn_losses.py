# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuDNN: CTC loss, spatial transformers, and their gradients
# functions: cudnn{Create,Destroy}CTCLossDescriptor cudnnSetCTCLossDescriptor cudnn{Set,Get}CTCLossDescriptor_v8
# functions: cudnn{Set,Get}CTCLossDescriptor_v9 cudnn{Set,Get}CTCLossDescriptorEx cudnnGetCTCLossDescriptor
# functions: cudnnGetCTCLossWorkspaceSize cudnnGetCTCLossWorkspaceSize_v8 cudnnCTCLoss cudnnCTCLoss_v8
# functions: cudnn{Create,Destroy}SpatialTransformerDescriptor cudnnSetSpatialTransformerNdDescriptor
# functions: cudnnSpatialTfGridGenerator{Forward,Backward} cudnnSpatialTfSampler{Forward,Backward}
"""cuDNN's CTC loss against all alignments one by one, and spatial transformers against NumPy in double precision."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from dnn import BAD_PARAM, DOUBLE, FLOAT, HALF, NOT_SUPPORTED, Array, Dnn, epsilon, integers, scalar, to_double, to_type

PLAIN, SOFTMAX = 0, 1
ZERO, SKIP = 0, 1


@pytest.fixture(scope="module")
def dnn(libraries: Path) -> Dnn:
    return Dnn(ctypes.CDLL(str(libraries / "libcudnn.so")))


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def said(path: tuple[int, ...]) -> list[int]:
    """The labels of an alignment: repeated letters are one, blanks go."""
    return [letter for i, letter in enumerate(path) if letter != 0 and (i == 0 or path[i - 1] != letter)]


def cost(probabilities: Array, labels: list[int]) -> float:
    """Of one sequence, by all of its alignments."""
    time, letters = probabilities.shape
    paths = [path for path in product(range(letters), repeat=time) if said(path) == labels]
    total = sum(float(np.prod([probabilities[t, k] for t, k in enumerate(path)])) for path in paths)
    return -np.log(total) if total else np.inf


def slope(function: Callable[[Array], float], at: Array, step: float = 1e-5) -> Array:
    result = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        moved = [at.copy(), at.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        result[place] = (function(moved[0]) - function(moved[1])) / (2 * step)
    return result


class Loss:
    """Sequences of labels and of activations."""

    labels = ((1, 2), (2, 2), (), (3,), (1, 1, 1))
    times = (5, 4, 3, 5, 4)  # the last one has no room for its labels: they need blanks between

    def __init__(self) -> None:
        self.activations = np.random.default_rng(3).standard_normal((5, len(self.labels), 4)).astype(np.float32)

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        flat = [label for labels in self.labels for label in labels]
        counts = [len(labels) for labels in self.labels]
        return tuple(np.array(each, np.int32) for each in (flat, counts, self.times))  # pyright: ignore[reportReturnType]

    def exact(self) -> tuple[Array, Array]:
        """Costs and gradients with respect to the activations."""
        wide = self.activations.astype(np.float64)
        costs, gradients = np.zeros(len(self.labels)), np.zeros(wide.shape)
        for n, (labels, time) in enumerate(zip(self.labels, self.times, strict=True)):

            def function(x: Array, labels: tuple[int, ...] = labels) -> float:
                return cost(softmax(x), list(labels))

            costs[n] = function(wide[:time, n])
            if np.isfinite(costs[n]):
                gradients[:time, n] = slope(function, wide[:time, n])
        return costs, gradients


@pytest.fixture(scope="module")
def exact() -> tuple[Array, Array]:
    return Loss().exact()


@pytest.mark.parametrize("normalization", [PLAIN, SOFTMAX])
@pytest.mark.parametrize("newer", [False, True])
def test_costs_and_gradients(dnn: Dnn, exact: tuple[Array, Array], normalization: int, *, newer: bool) -> None:
    loss = Loss()
    values = loss.activations if normalization == SOFTMAX else softmax(loss.activations)
    descriptor, tensor = dnn.create("CTCLossDescriptor"), dnn.tensor(FLOAT, values.shape)
    costs, gradients = np.full(len(loss.labels), np.nan, np.float32), np.full(values.shape, np.nan, np.float32)
    size = ctypes.c_size_t(1)
    if newer:
        assert dnn.plain("cudnnSetCTCLossDescriptor_v9", descriptor, FLOAT, normalization, ZERO, 3) == 0
        assert dnn.call("cudnnGetCTCLossWorkspaceSize_v8", 0, descriptor, tensor, tensor, ctypes.byref(size)) == 0
        area = np.zeros(size.value, np.uint8)
        arguments = (0, descriptor, tensor, values, *loss.arrays, costs, tensor, gradients, size, area)
        assert dnn.call("cudnnCTCLoss_v8", *arguments) == 0
    else:
        assert dnn.plain("cudnnSetCTCLossDescriptorEx", descriptor, FLOAT, normalization, 0) == 0
        sizes = (tensor, tensor, *loss.arrays, 0, descriptor, ctypes.byref(size))
        assert dnn.call("cudnnGetCTCLossWorkspaceSize", *sizes) == 0
        area = np.zeros(size.value, np.uint8)
        arguments = (tensor, values, *loss.arrays, costs, tensor, gradients, 0, descriptor, area, size)
        assert dnn.call("cudnnCTCLoss", *arguments) == 0
    right = exact[0]
    assert costs[-1] == 0  # as on an H200
    assert np.isinf(right[-1])
    assert np.allclose(costs[:-1], right[:-1], rtol=4e-6)
    wanted = exact[1]
    if normalization == PLAIN:
        # With respect to the probabilities; where no alignment has the letter an H200 leaves its probability.
        shares = np.where(wanted == 0, 0, values - wanted)
        wanted = np.where(wanted == 0, 0, np.where(shares > 1e-6, -shares / values, values))
    assert np.allclose(gradients, wanted, rtol=2e-5, atol=2e-6)


def test_gradients_where_nothing_fits(dnn: Dnn) -> None:
    """Zeros or nothing, as the descriptor says; propagating NaN means nothing, as on an H200."""
    loss = Loss()
    tensor, size = dnn.tensor(FLOAT, loss.activations.shape), ctypes.c_size_t()
    for name, last, expected in (("_v9", ZERO, 0.0), ("_v9", SKIP, 7.0), ("_v8", 1, 7.0), ("_v8", 0, 0.0)):
        descriptor = dnn.create("CTCLossDescriptor")
        assert dnn.plain(f"cudnnSetCTCLossDescriptor{name}", descriptor, FLOAT, SOFTMAX, last, 3) == 0
        costs, gradients = np.zeros(len(loss.labels), np.float32), np.full(loss.activations.shape, 7, np.float32)
        sizes = (tensor, tensor, *loss.arrays, 0, descriptor, ctypes.byref(size))
        assert dnn.call("cudnnGetCTCLossWorkspaceSize", *sizes) == 0
        area = np.zeros(size.value, np.uint8)
        arguments = (tensor, loss.activations, *loss.arrays, costs, tensor, gradients, 0, descriptor, area, size)
        assert dnn.call("cudnnCTCLoss", *arguments) == 0
        assert np.array_equal(gradients[:4, -1], np.full((4, 4), expected, np.float32))


def test_costs_alone(dnn: Dnn, exact: tuple[Array, Array]) -> None:
    loss, descriptor = Loss(), dnn.create("CTCLossDescriptor")
    assert dnn.plain("cudnnSetCTCLossDescriptor", descriptor, FLOAT) == 0
    tensor, costs = dnn.tensor(FLOAT, loss.activations.shape), np.zeros(len(loss.labels), np.float32)
    size = ctypes.c_size_t()
    sizes = (tensor, None, *loss.arrays, 0, descriptor, ctypes.byref(size))
    assert dnn.call("cudnnGetCTCLossWorkspaceSize", *sizes) == 0
    area = np.zeros(size.value, np.uint8)
    arguments = (tensor, softmax(loss.activations), *loss.arrays, costs, None, None, 0, descriptor, area, size)
    assert dnn.call("cudnnCTCLoss", *arguments) == 0
    assert np.allclose(costs[:-1], exact[0][:-1], rtol=4e-6)


def test_wrong_losses(dnn: Dnn) -> None:
    loss, descriptor = Loss(), dnn.create("CTCLossDescriptor")
    assert dnn.plain("cudnnSetCTCLossDescriptor", descriptor, DOUBLE) == BAD_PARAM
    assert dnn.plain("cudnnSetCTCLossDescriptor_v9", descriptor, FLOAT, SOFTMAX, ZERO, -1) == BAD_PARAM
    assert dnn.plain("cudnnSetCTCLossDescriptor_v9", descriptor, FLOAT, SOFTMAX, SKIP, 9) == 0
    values = [ctypes.c_int(-1) for _ in range(4)]
    assert dnn.plain("cudnnGetCTCLossDescriptor_v9", descriptor, *map(ctypes.byref, values)) == 0
    assert [each.value for each in values] == [FLOAT, SOFTMAX, SKIP, 9]
    assert dnn.plain("cudnnGetCTCLossDescriptor_v8", descriptor, *map(ctypes.byref, values)) == 0
    assert [each.value for each in values] == [FLOAT, SOFTMAX, 0, 9]
    assert dnn.plain("cudnnGetCTCLossDescriptorEx", descriptor, *map(ctypes.byref, values[:3])) == 0
    assert dnn.plain("cudnnGetCTCLossDescriptor", descriptor, ctypes.byref(values[0])) == 0
    tensor, costs = dnn.tensor(FLOAT, loss.activations.shape), np.zeros(9, np.float32)
    flat, counts, times = loss.arrays
    for labels, lengths, steps in ((flat * 9, counts, times), (flat, -counts, times), (flat, counts, times + 9)):
        arguments = (tensor, loss.activations, labels, lengths, steps, costs, None, None, 0, descriptor, None)
        assert dnn.call("cudnnCTCLoss", *arguments, ctypes.c_size_t(0)) == BAD_PARAM
    half = dnn.tensor(HALF, loss.activations.shape)
    arguments = (half, loss.activations, *loss.arrays, costs, None, None, 0, descriptor, None, ctypes.c_size_t(0))
    assert dnn.call("cudnnCTCLoss", *arguments) == NOT_SUPPORTED
    assert dnn.plain("cudnnDestroyCTCLossDescriptor", descriptor) == 0


def grid_of(theta: Array, height: int, width: int) -> Array:
    """The places that a map takes the pixels to."""
    x, y = (np.linspace(-1, 1, n) if n > 1 else np.zeros(1) for n in (width, height))
    places = np.stack([*np.broadcast_arrays(x[None, :], y[:, None]), np.ones((height, width))], axis=-1)
    return np.einsum("nij,hwj->nhwi", theta, places)


def sampled(x: Array, grid: Array) -> Array:
    """Bilinear samples of images; zero outside."""
    height, width = x.shape[2:]
    wide = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    column, row = (np.clip((grid[..., i] + 1) * (n - 1) / 2, -1, n) for i, n in enumerate((width, height)))
    left, top = (np.clip(np.floor(each), -1, n - 1).astype(int) for each, n in ((column, width), (row, height)))
    numbers, result = np.arange(len(x))[:, None, None], 0
    for right, down in product((0, 1), repeat=2):
        weight = abs(1 - right - (column - left)) * abs(1 - down - (row - top))
        result = result + weight[:, None] * np.moveaxis(wide[numbers, :, top + down + 1, left + right + 1], -1, 1)
    return result


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE, HALF])
def test_spatial_transformers(dnn: Dnn, kind: int) -> None:
    rng = np.random.default_rng(5)
    shape, image = (3, 2, 4, 7), (3, 2, 5, 6)
    descriptor = dnn.create("SpatialTransformerDescriptor")
    assert dnn.plain("cudnnSetSpatialTransformerNdDescriptor", descriptor, 0, kind, 4, integers(shape)) == 0
    theta = to_type(kind, rng.standard_normal((3, 2, 3)) / 2)
    grid = to_type(kind, np.full((3, 4, 7, 2), np.nan))
    assert dnn.call("cudnnSpatialTfGridGeneratorForward", descriptor, theta, grid) == 0
    allowed = 8 * epsilon(kind)
    assert np.abs(to_double(kind, grid) - grid_of(to_double(kind, theta), 4, 7)).max() < allowed
    errors = to_type(kind, rng.standard_normal(grid.shape))
    back = to_type(kind, np.zeros(theta.shape))
    assert dnn.call("cudnnSpatialTfGridGeneratorBackward", descriptor, errors, back) == 0
    # A map is linear: its gradient is the product with what a change of each number does.
    units = np.eye(6).reshape(6, 1, 2, 3)
    exact = np.array([[(grid_of(unit, 4, 7) * e).sum() for unit in units] for e in to_double(kind, errors)])
    assert np.abs(to_double(kind, back).reshape(3, 6) - exact).max() < 30 * allowed

    x, dy = to_type(kind, rng.standard_normal(image)), to_type(kind, rng.standard_normal(shape))
    y = to_type(kind, np.full(shape, np.nan))
    tensors = [dnn.tensor(kind, each) for each in (image, shape)]
    one, zero = scalar(kind, 1), scalar(kind, 0)
    arguments = (descriptor, one, tensors[0], x, grid, zero, tensors[1], y)
    assert dnn.call("cudnnSpatialTfSamplerForward", *arguments) == 0
    places, picture = to_double(kind, grid), to_double(kind, x)
    assert np.abs(to_double(kind, y) - sampled(picture, places)).max() < 8 * allowed
    dx, dgrid = to_type(kind, np.ones(image)), to_type(kind, np.full(grid.shape, np.nan))
    arguments = (descriptor, one, tensors[0], x, one, tensors[0], dx, one, tensors[1], dy, grid, zero, dgrid)
    assert dnn.call("cudnnSpatialTfSamplerBackward", *arguments) == 0
    wide = to_double(kind, dy)
    right = slope(lambda values: float((sampled(values, places) * wide).sum()), picture, 1e-3)
    assert np.abs(to_double(kind, dx) - 1 - right).max() < 30 * allowed + 1e-9
    if kind != HALF:  # a half's places may lie on the edge of a pixel
        right = slope(lambda values: float((sampled(picture, values) * wide).sum()), places, 1e-7)
        assert np.abs(to_double(kind, dgrid) - right).max() < 30 * allowed + 1e-6


def test_wrong_transformers(dnn: Dnn) -> None:
    descriptor = dnn.create("SpatialTransformerDescriptor")
    name = "cudnnSetSpatialTransformerNdDescriptor"
    assert dnn.plain(name, descriptor, 1, FLOAT, 4, integers((1, 1, 1, 1))) == BAD_PARAM
    assert dnn.plain(name, descriptor, 0, FLOAT, 4, integers((1, 0, 1, 1))) == BAD_PARAM
    assert dnn.plain(name, descriptor, 0, FLOAT, 5, integers((1, 1, 1, 1, 1))) == NOT_SUPPORTED
    numbers = np.zeros(64, np.float32)
    assert dnn.call("cudnnSpatialTfGridGeneratorForward", descriptor, numbers, numbers) == BAD_PARAM
    assert dnn.plain(name, descriptor, 0, FLOAT, 4, integers((1, 2, 3, 3))) == 0
    assert dnn.call("cudnnSpatialTfGridGeneratorForward", descriptor, None, numbers) == BAD_PARAM
    x, one = dnn.tensor(FLOAT, (1, 3, 3, 3)), scalar(FLOAT, 1)
    arguments = (descriptor, one, x, numbers, numbers, one, x, numbers)
    assert dnn.call("cudnnSpatialTfSamplerForward", *arguments) == BAD_PARAM
    assert dnn.plain("cudnnDestroySpatialTransformerDescriptor", descriptor) == 0
