# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / cuDNN: recurrent networks (ReLU, tanh, LSTM, GRU) and their gradients
# functions: cudnn{Create,Destroy}RNNDescriptor cudnn{Set,Get}RNNDescriptor_v8 cudnn{Create,Destroy}RNNDataDescriptor
# functions: cudnn{Set,Get}RNNDataDescriptor cudnnGetRNNWeightSpaceSize cudnnGetRNNWeightParams
# functions: cudnnGetRNNTempSpaceSizes cudnnRNNForward cudnnRNNBackwardData_v8 cudnnRNNBackwardWeights_v8
# functions: cudnnRNN{Set,Get}Clip_v9 cudnnRNN{Set,Get}Clip_v8 cudnnBuildRNNDynamic
"""cuDNN's recurrent networks against NumPy in double precision."""

from __future__ import annotations

import ctypes
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rnn
from dnn import (
    BAD_PARAM,
    BFLOAT16,
    DOUBLE,
    FLOAT,
    FMA_MATH,
    HALF,
    NOT_SUPPORTED,
    TYPES,
    Array,
    Dnn,
    epsilon,
    integers,
    to_double,
    to_type,
)  # fmt: skip
from rnn import BOTH_BIASES, GRU, INPUT_BIAS, LSTM, NO_BIAS, RECURRENT_BIAS, RELU, TANH, Cell, Shape

SEQ_UNPACKED, PACKED, BATCH_UNPACKED = 0, 1, 2
INFERENCE, TRAINING = 0, 1
ADD = 0
PADDING = 7.0


@pytest.fixture(scope="module")
def dnn(libraries: Path) -> Dnn:
    return Dnn(ctypes.CDLL(str(libraries / "libcudnn.so")))


class Network:
    """A network of the library with random weights, and memory for what its functions want."""

    def __init__(self, dnn: Dnn, shape: Shape, dropout: float = 0) -> None:
        self.dnn, self.shape = dnn, shape
        self.rng = np.random.default_rng(7)
        size = ctypes.c_size_t()
        assert dnn.call("cudnnDropoutGetStatesSize", ctypes.byref(size)) == 0
        self.states = np.zeros(size.value, np.uint8)
        drops = self.drops = dnn.create("DropoutDescriptor")
        rate, seed = ctypes.c_float(dropout), ctypes.c_ulonglong(3)
        assert dnn.plain("cudnnSetDropoutDescriptor", drops, dnn.handle, rate, self.states, size, seed) == 0
        self.descriptor = dnn.create("RNNDescriptor")
        precision, math = (DOUBLE if shape.kind == DOUBLE else FLOAT), (FMA_MATH if shape.kind == FLOAT else 0)
        assert dnn.plain(
            "cudnnSetRNNDescriptor_v8", self.descriptor, 0, shape.mode, shape.bias, int(shape.bidirectional),
            int(shape.skip), shape.kind, precision, math, shape.input, shape.hidden, shape.out, shape.layers,
            drops, 1,
        ) == 0  # fmt: skip
        if shape.clip is not None:
            assert dnn.plain("cudnnRNNSetClip_v9", self.descriptor, 1, -shape.clip, shape.clip) == 0
        self.x_data, self.y_data = self.data(shape.input), self.data(shape.out * shape.directions)
        chains = shape.layers * shape.directions
        self.h, self.c = (dnn.tensor(shape.kind, (chains, shape.batch, n)) for n in (shape.out, shape.hidden))
        size = ctypes.c_size_t()
        assert dnn.call("cudnnGetRNNWeightSpaceSize", self.descriptor, ctypes.byref(size)) == 0
        self.weights = to_type(shape.kind, self.rng.standard_normal(size.value // self.item) / shape.hidden**0.5)
        sizes = ctypes.c_size_t(), ctypes.c_size_t()
        self.work, self.reserve = np.zeros(0, np.uint8), np.zeros(0, np.uint8)
        for mode in (INFERENCE, TRAINING):
            by = [ctypes.byref(each) for each in sizes]
            assert dnn.call("cudnnGetRNNTempSpaceSizes", self.descriptor, mode, self.x_data, *by) == 0
            self.work = np.zeros(max(len(self.work), sizes[0].value), np.uint8)
            self.reserve = np.zeros(max(len(self.reserve), sizes[1].value), np.uint8)

    @property
    def item(self) -> int:
        return np.dtype(TYPES[self.shape.kind]).itemsize

    def data(self, size: int) -> ctypes.c_void_p:
        shape, made = self.shape, self.dnn.create("RNNDataDescriptor")
        lengths, padding = integers(shape.lengths), to_type(shape.kind, np.array([PADDING]))
        assert self.dnn.plain(
            "cudnnSetRNNDataDescriptor", made, shape.kind, shape.layout, shape.time, shape.batch, size, lengths, padding
        ) == 0  # fmt: skip
        return made

    def cells(self, weights: Array) -> list[Cell]:
        """The parts that the library says its weights have."""
        return [self.cell(weights, chain) for chain in range(self.shape.layers * self.shape.directions)]

    def cell(self, weights: Array, chain: int) -> Cell:
        shape, gates = self.shape, self.shape.gates
        wide = gates * shape.hidden
        parts = [self.parts(weights, chain, number) for number in range(2 * gates)]
        projection = self.parts(weights, chain, 2 * gates)[0] if shape.mode == LSTM else None
        w, r = (joined([matrix for matrix, _ in half]) for half in (parts[:gates], parts[gates:]))
        bw, br = (joined([bias for _, bias in half]) for half in (parts[:gates], parts[gates:]))
        none = np.zeros((wide, 1))
        bw, br = (each[:, 0] for each in (none if bw is None else bw, none if br is None else br))
        return Cell(w, r, projection, bw, br)

    def parts(self, weights: Array, chain: int, number: int) -> list[Array | None]:
        """A gate's matrix and bias, as doubles."""
        tensors = [self.dnn.create("TensorDescriptor") for _ in range(2)]
        places = [ctypes.c_void_p() for _ in range(2)]
        assert self.dnn.call(
            "cudnnGetRNNWeightParams", self.descriptor, chain, ctypes.c_size_t(weights.nbytes), weights, number,
            tensors[0], ctypes.byref(places[0]), tensors[1], ctypes.byref(places[1]),
        ) == 0  # fmt: skip
        found: list[Array | None] = []
        for tensor, place in zip(tensors, places, strict=True):
            rank, kind, dims, strides = ctypes.c_int(), ctypes.c_int(), integers([0] * 3), integers([0] * 3)
            by = (ctypes.byref(kind), ctypes.byref(rank), dims, strides)
            assert self.dnn.plain("cudnnGetTensorNdDescriptor", tensor, 3, *by) == 0
            assert (place.value is None) == (rank.value == 0)
            if place.value is None:
                found.append(None)
                continue
            assert rank.value == 3
            assert dims[0] == 1
            start = (place.value - weights.ctypes.data) // self.item
            part = weights[start : start + dims[1] * dims[2]].reshape(dims[1], dims[2])
            found.append(to_double(self.shape.kind, part))
        return found

    def places(self) -> list[tuple[int, int]]:
        """Of the vectors in memory: sequence and time."""
        shape = self.shape
        if shape.layout == BATCH_UNPACKED:
            return [(b, t) for b in range(shape.batch) for t in range(shape.time)]
        all_of = [(b, t) for t in range(shape.time) for b in range(shape.batch)]
        return [(b, t) for b, t in all_of if shape.layout == SEQ_UNPACKED or t < shape.lengths[b]]

    def stored(self, sequences: list[Array]) -> Array:
        """Sequences as they lie in memory; NaN behind their ends."""
        width = sequences[0].shape[1]
        rows = [sequences[b][t] if t < self.shape.lengths[b] else np.full(width, np.nan) for b, t in self.places()]
        return to_type(self.shape.kind, np.array(rows))

    def loaded(self, memory: Array) -> list[Array]:
        rows = to_double(self.shape.kind, memory)
        found: list[Array] = [np.zeros((length, rows.shape[1])) for length in self.shape.lengths]
        for (b, t), row in zip(self.places(), rows, strict=True):
            if t < self.shape.lengths[b]:
                found[b][t] = row
        return found

    def random(self, width: int) -> list[Array]:
        kind = self.shape.kind
        made = [self.rng.standard_normal((length, width)) for length in self.shape.lengths]
        return [to_double(kind, to_type(kind, each)) for each in made]

    def state(self, width: int) -> Array:
        chains = self.shape.layers * self.shape.directions
        return to_type(self.shape.kind, self.rng.standard_normal((chains, self.shape.batch, width)))

    def empty(self, array: Array) -> Array:
        return to_type(self.shape.kind, np.full(array.shape, np.nan))

    def forward(self, mode: int, x: Array, y: Array, states: tuple[Any, ...]) -> int:
        hx, hy, cx, cy = states
        sizes = [ctypes.c_size_t(each.nbytes) for each in (self.weights, self.work, self.reserve)]
        return self.dnn.call(
            "cudnnRNNForward", self.descriptor, mode, None, self.x_data, x, self.y_data, y, self.h, hx, hy, self.c,
            cx, cy, sizes[0], self.weights, sizes[1], self.work, sizes[2], self.reserve,
        )  # fmt: skip

    def backward_data(self, y: Array, dy: Array, dx: Array, states: tuple[Any, ...]) -> int:
        hx, dhy, dhx, cx, dcy, dcx = states
        sizes = [ctypes.c_size_t(each.nbytes) for each in (self.weights, self.work, self.reserve)]
        return self.dnn.call(
            "cudnnRNNBackwardData_v8", self.descriptor, None, self.y_data, y, dy, self.x_data, dx, self.h, hx, dhy,
            dhx, self.c, cx, dcy, dcx, sizes[0], self.weights, sizes[1], self.work, sizes[2], self.reserve,
        )  # fmt: skip

    def backward_weights(self, x: Array, hx: Any, y: Array, gradient: Array) -> int:
        sizes = [ctypes.c_size_t(each.nbytes) for each in (self.weights, self.work, self.reserve)]
        return self.dnn.call(
            "cudnnRNNBackwardWeights_v8", self.descriptor, ADD, None, self.x_data, x, self.h, hx, self.y_data, y,
            sizes[0], gradient, sizes[1], self.work, sizes[2], self.reserve,
        )  # fmt: skip


def joined(parts: list[Array | None]) -> Array | None:
    """Matrices of gates below one another; None if they are not there."""
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if given else None


def close(shape: Shape, found: Array, exact: Array) -> None:
    """Sums are of float or double; numbers of 16 bits are rounded once."""
    allowed = epsilon(shape.kind) if shape.kind in (HALF, BFLOAT16) else 60 * epsilon(shape.kind)
    error = np.abs(found - exact).max(initial=0) / max(1.0, np.abs(exact).max(initial=0))
    assert error <= allowed, error / allowed


SHAPES = [
    Shape(RELU, 5, 7, 1, (4, 4)),
    Shape(TANH, 3, 17, 2, (5, 3, 2), layout=PACKED),
    Shape(TANH, 9, 6, 3, (2, 6, 1, 4), layout=BATCH_UNPACKED, bidirectional=True, bias=INPUT_BIAS),
    Shape(RELU, 8, 8, 2, (3, 5), skip=True, bias=RECURRENT_BIAS, kind=DOUBLE),
    Shape(LSTM, 4, 9, 1, (6,), bias=NO_BIAS),
    Shape(LSTM, 11, 33, 2, (7, 7, 4, 1), layout=PACKED, bidirectional=True),
    Shape(LSTM, 6, 12, 2, (3, 5, 2), layout=SEQ_UNPACKED, projection=5, bidirectional=True),
    Shape(LSTM, 10, 10, 2, (4, 3), layout=BATCH_UNPACKED, skip=True, kind=DOUBLE),
    Shape(LSTM, 5, 8, 2, (5, 5), clip=0.4, kind=DOUBLE),
    Shape(GRU, 6, 13, 1, (5, 5, 5)),
    Shape(GRU, 7, 10, 3, (1, 4, 6), layout=BATCH_UNPACKED, bidirectional=True, bias=RECURRENT_BIAS, kind=DOUBLE),
    Shape(GRU, 12, 12, 2, (6, 2), layout=PACKED, skip=True, bias=INPUT_BIAS),
    Shape(LSTM, 8, 16, 2, (4, 2), layout=PACKED, kind=HALF),
    Shape(GRU, 8, 16, 2, (4, 2), bidirectional=True, kind=BFLOAT16),
    Shape(LSTM, 64, 96, 1, tuple(range(20, 4, -1)), layout=PACKED),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_networks(dnn: Dnn, shape: Shape) -> None:
    network = Network(dnn, shape)
    cells = network.cells(network.weights)
    kind, xs = shape.kind, network.random(shape.input)
    hx, cx = network.state(shape.out), network.state(shape.hidden)
    exact = rnn.forward(shape, cells, xs, to_double(kind, hx), to_double(kind, cx))
    x = network.stored(xs)
    for mode in (INFERENCE, TRAINING):
        y, hy, cy = network.empty(network.stored(exact.y)), network.empty(hx), network.empty(cx)
        assert network.forward(mode, x, y, (hx, hy, cx, cy)) == 0
        for found, right in zip(network.loaded(y), exact.y, strict=True):
            close(shape, found, right)
        ends = [row for (b, t), row in zip(network.places(), to_double(kind, y), strict=True) if t >= shape.lengths[b]]
        assert all((row == PADDING).all() for row in ends)
        close(shape, to_double(kind, hy), exact.hy)
        if shape.mode == LSTM:
            close(shape, to_double(kind, cy), exact.cy)
    dys, dhy, dcy = network.random(shape.out * shape.directions), network.state(shape.out), network.state(shape.hidden)
    right = rnn.backward(shape, cells, exact, dys, to_double(kind, dhy), to_double(kind, dcy))
    dx, dhx, dcx = network.empty(x), network.empty(hx), network.empty(cx)
    assert network.backward_data(y, network.stored(dys), dx, (hx, dhy, dhx, cx, dcy, dcx)) == 0
    for found, one in zip(network.loaded(dx), right.xs, strict=True):
        close(shape, found, one)
    close(shape, to_double(kind, dhx), right.hx)
    if shape.mode == LSTM:
        close(shape, to_double(kind, dcx), right.cx)
    gradient = to_type(kind, np.ones(len(network.weights)))
    assert network.backward_weights(x, hx, y, gradient) == 0
    for found, one in zip(network.cells(gradient), right.cells, strict=True):
        for part in ("w", "r", "p"):
            if getattr(one, part) is not None:
                close(shape, getattr(found, part), getattr(one, part) + 1)
        for part, given in (("bw", (INPUT_BIAS, BOTH_BIASES)), ("br", (RECURRENT_BIAS, BOTH_BIASES))):
            if shape.bias in given:
                close(shape, getattr(found, part), getattr(one, part) + 1)


def test_states_may_be_null(dnn: Dnn) -> None:
    shape = Shape(LSTM, 4, 6, 2, (3, 3))
    network = Network(dnn, shape)
    xs = network.random(shape.input)
    zeros = np.zeros((shape.layers, shape.batch, shape.hidden))
    exact = rnn.forward(shape, network.cells(network.weights), xs, zeros, zeros)
    y = network.empty(network.stored(exact.y))
    assert network.forward(TRAINING, network.stored(xs), y, (None, None, None, None)) == 0
    for found, right in zip(network.loaded(y), exact.y, strict=True):
        close(shape, found, right)
    dx = network.empty(network.stored(xs))
    assert network.backward_data(y, y, dx, (None,) * 6) == 0
    assert np.isfinite(dx).all()


def test_dropout_lies_between_layers(dnn: Dnn) -> None:
    """One layer has none; of two the second one's inputs are dropped or scaled, alike in both gradients."""
    shape = Shape(RELU, 5, 40, 2, (30, 30), bias=NO_BIAS, kind=DOUBLE)
    network = Network(dnn, shape, dropout=0.25)
    # Each number of the second layer is its input: the matrix is the unit matrix, the recurrent one zero.
    cells = [network.parts(network.weights, 1, number)[0] for number in (0, 1)]
    assert cells[0] is not None
    network.weights[-2 * 40 * 40 : -40 * 40] = np.eye(40).reshape(-1)
    network.weights[-40 * 40 :] = 0
    xs = network.random(shape.input)
    zeros = np.zeros((2, 2, 40))
    first = rnn.forward(dataclasses.replace(shape, layers=1), network.cells(network.weights)[:1], xs, zeros, zeros)
    x = network.stored(xs)
    y = network.empty(network.stored(first.y))
    assert network.forward(TRAINING, x, y, (None,) * 4) == 0
    below, above = np.concatenate(first.y), np.concatenate(network.loaded(y))
    kept = above[below > 0] != 0
    assert 0.7 < kept.mean() < 0.8
    assert np.allclose(above[below > 0][kept], below[below > 0][kept] / 0.75)
    again = network.empty(y)
    assert network.forward(INFERENCE, x, again, (None,) * 4) == 0
    assert np.allclose(np.concatenate(network.loaded(again)), below)
    assert network.forward(TRAINING, x, again, (None,) * 4) == 0
    assert not np.array_equal(again, y)
    dx, gradient = network.empty(x), np.zeros_like(network.weights)
    assert network.backward_data(again, np.ones_like(y), dx, (None,) * 6) == 0
    assert network.backward_weights(x, None, again, gradient) == 0
    # With gradients of one: those of the second layer's matrix are the sums of its inputs where its output is not zero.
    inputs = network.loaded(again)
    exact = sum(np.outer(row > 0, row) for sequence in inputs for row in sequence)
    found = network.parts(gradient, 1, 0)[0]
    assert found is not None
    assert np.allclose(found, exact)


@pytest.mark.parametrize(
    "shape",
    [
        Shape(LSTM, 4, 6, 3, (4, 2), layout=PACKED, bidirectional=True, kind=DOUBLE),
        Shape(GRU, 5, 7, 2, (2, 3, 1), layout=BATCH_UNPACKED, kind=DOUBLE),
        Shape(TANH, 3, 8, 3, (3, 3), kind=DOUBLE),
        Shape(LSTM, 4, 8, 2, (3, 2), projection=5, kind=DOUBLE),
    ],
    ids=str,
)
def test_gradients_with_dropout(dnn: Dnn, shape: Shape) -> None:
    """Both gradients are the slopes of a training pass that drops the same numbers: its states are put back."""
    network = Network(dnn, shape, dropout=0.4)
    before = network.states.copy()
    x, hx, cx = network.stored(network.random(shape.input)), network.state(shape.out), network.state(shape.hidden)
    y = network.empty(network.stored(network.random(shape.out * shape.directions)))
    dys = network.random(shape.out * shape.directions)

    def loss() -> float:
        network.states[:] = before
        assert network.forward(TRAINING, x, y, (hx, None, cx, None)) == 0
        return sum(float((one * by).sum()) for one, by in zip(network.loaded(y), dys, strict=True))

    def slopes(array: Array, places: Array) -> Array:
        flat, found = array.reshape(-1), np.zeros(len(places))
        for i, place in enumerate(places):
            at = flat[place]
            flat[place] = at + 1e-5
            above = loss()
            flat[place] = at - 1e-5
            found[i] = (above - loss()) / 2e-5
            flat[place] = at
        return found

    loss()
    dx, dhx, dcx, gradient = network.empty(x), network.empty(hx), network.empty(cx), np.zeros_like(network.weights)
    assert network.backward_data(y, network.stored(dys), dx, (hx, None, dhx, cx, None, dcx)) == 0
    assert network.backward_weights(x, hx, y, gradient) == 0
    for array, right in ((x, dx), (hx, dhx), (cx, dcx), (network.weights, gradient)):
        if array is cx and shape.mode != LSTM:
            continue
        there = np.flatnonzero(np.isfinite(array.reshape(-1)))
        places = network.rng.choice(there, min(60, len(there)), replace=False)
        assert np.allclose(slopes(array, places), right.reshape(-1)[places], rtol=1e-6, atol=1e-8)


def test_wrong_networks(dnn: Dnn) -> None:
    drops = Network(dnn, Shape(RELU, 5, 7, 1, (4, 4))).drops

    def set_network(**wrong: int) -> int:
        values = {
            "algorithm": 0, "cell": LSTM, "bias": 2, "direction": 0, "input_mode": 0, "type": FLOAT,
            "precision": FLOAT, "math": 0, "input": 4, "hidden": 5, "projection": 5, "layers": 1,
        }  # fmt: skip
        values.update(wrong)
        return dnn.plain("cudnnSetRNNDescriptor_v8", dnn.create("RNNDescriptor"), *values.values(), drops, 0)

    assert set_network() == 0
    for wrong in (
        {"cell": 4}, {"bias": 9}, {"direction": 2}, {"hidden": 0}, {"layers": -1}, {"projection": 0}, {"math": 4},
    ):  # fmt: skip
        assert set_network(**wrong) == BAD_PARAM, wrong
    for wrong in (
        {"projection": 6}, {"cell": GRU, "projection": 3}, {"precision": DOUBLE}, {"type": DOUBLE}, {"precision": HALF},
        {"type": BFLOAT16, "precision": BFLOAT16},
    ):  # fmt: skip
        assert set_network(**wrong) == NOT_SUPPORTED, wrong
    assert set_network(type=HALF, precision=HALF) == 0
    data = dnn.create("RNNDataDescriptor")
    wrong_lengths = ((PACKED, (2, 3)), (PACKED, (3, 0)), (SEQ_UNPACKED, (4, 1)), (SEQ_UNPACKED, (-1, 1)), (7, (1, 1)))
    for layout, lengths in wrong_lengths:
        assert (
            dnn.plain("cudnnSetRNNDataDescriptor", data, FLOAT, layout, 3, 2, 5, integers(lengths), None) == BAD_PARAM
        )


def test_what_descriptors_tell(dnn: Dnn) -> None:
    network = Network(dnn, Shape(LSTM, 4, 6, 2, (3, 1), projection=5, clip=2.0))
    values = [ctypes.c_int() for _ in range(12)]
    dropout, flags = ctypes.c_void_p(), ctypes.c_uint()
    by = [ctypes.byref(each) for each in (*values, dropout, flags)]
    assert dnn.plain("cudnnGetRNNDescriptor_v8", network.descriptor, *by) == 0
    assert [each.value for each in values] == [0, LSTM, 2, 0, 0, FLOAT, FLOAT, FMA_MATH, 4, 6, 5, 2]
    mode, nan, low, high = ctypes.c_int(), ctypes.c_int(), ctypes.c_double(), ctypes.c_double()
    by = [ctypes.byref(each) for each in (mode, nan, low, high)]
    assert dnn.plain("cudnnRNNGetClip_v8", network.descriptor, *by) == 0
    assert (mode.value, low.value, high.value) == (1, -2, 2)
    assert dnn.plain("cudnnRNNSetClip_v8", network.descriptor, 0, 0, 1.0, 3.0) == 0
    assert dnn.plain("cudnnRNNGetClip_v9", network.descriptor, by[0], by[2], by[3]) == 0
    assert (mode.value, low.value, high.value) == (0, 1, 3)
    assert dnn.plain("cudnnBuildRNNDynamic", dnn.handle, network.descriptor, 3) == 0
    values = [ctypes.c_int() for _ in range(5)]
    lengths, padding = integers([0, 0]), np.zeros(1, np.float32)
    by = [ctypes.byref(each) for each in values]
    assert dnn.plain("cudnnGetRNNDataDescriptor", network.x_data, *by, 2, lengths, padding) == 0
    assert [each.value for each in values] == [FLOAT, 0, 3, 2, 4]
    assert list(lengths) == [3, 1]
    assert padding[0] == PADDING
    assert dnn.plain("cudnnDestroyRNNDataDescriptor", network.x_data) == 0
    assert dnn.plain("cudnnDestroyRNNDescriptor", network.descriptor) == 0


def test_memory_must_be_enough(dnn: Dnn) -> None:
    network = Network(dnn, Shape(LSTM, 4, 6, 1, (3, 3)))
    x = network.stored(network.random(4))
    y = network.empty(network.stored(network.random(6)))
    network.reserve = network.reserve[:-1]
    assert network.forward(TRAINING, x, y, (None,) * 4) == BAD_PARAM
    network.work = network.work[:0]
    assert network.forward(INFERENCE, x, y, (None,) * 4) == BAD_PARAM
