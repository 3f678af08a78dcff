# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a digest of results of cuDNN: dnn_bits.py LIBRARY."""

from __future__ import annotations

import ctypes
import hashlib
import sys

import numpy as np
from dnn import FLOAT, HALF, NCHW, NHWC, Array, Case, Dnn, scalar
from rnn import GRU, LSTM, RELU, Shape
from test_cudnn_rnn import BATCH_UNPACKED, PACKED, TRAINING, Network

CASES = (
    Case(FLOAT, NCHW, (2, 40, 30, 31), (300, 40, 3, 3), (1, 1), (1, 1), (1, 1)),
    Case(FLOAT, NHWC, (3, 24, 50, 41), (36, 12, 3, 2), (1, 0), (2, 1), (1, 2), groups=2),
    Case(HALF, NCHW, (5, 7, 60, 61), (9, 7, 1, 1), (0, 0), (1, 1), (1, 1)),
)
NETWORKS = (
    Shape(LSTM, 70, 130, 2, tuple(range(24, 4, -1)), layout=PACKED, bidirectional=True),
    Shape(LSTM, 40, 96, 2, (9,) * 33, layout=BATCH_UNPACKED, projection=50, kind=HALF),
    Shape(GRU, 300, 200, 1, (7, 12, 3, 9)),
    Shape(RELU, 64, 64, 3, (11, 5) * 8, skip=True),
)


def results(dnn: Dnn, case: Case, rng: np.random.Generator) -> list[Array]:
    """A convolution and its gradients, and batch normalization of its result."""
    x, w, y = (case.stored(rng.standard_normal(shape)) for shape in (case.x, case.w, case.y))
    tensors = [dnn.tensor(case.kind, shape, case.layout) for shape in (case.x, case.y)]
    weights, shape = dnn.filter(case.kind, case.w, case.layout), dnn.convolution(case)
    one, middle = scalar(case.kind, 1), (shape, 1, None, ctypes.c_size_t(0), scalar(case.kind, 0))
    out, dx, dw, normal = (np.zeros_like(each) for each in (y, x, w, y))
    calls = (
        ("cudnnConvolutionForward", tensors[0], x, weights, w, *middle, tensors[1], out),
        ("cudnnConvolutionBackwardData", weights, w, tensors[1], y, *middle, tensors[0], dx),
        ("cudnnConvolutionBackwardFilter", tensors[0], x, tensors[1], y, *middle, weights, dw),
    )
    for name, *arguments in calls:
        assert dnn.call(name, one, *arguments) == 0
    channels = case.y[1]
    parameters = dnn.tensor(FLOAT, (1, channels, 1, 1))
    scale, saved, inverse = (np.ones(channels, np.float32) for _ in range(3))
    data = (one, scalar(case.kind, 0), tensors[1], y, tensors[1], normal, parameters, scale, scale)
    running = (0.5, None, None, 1e-5, saved, inverse)
    assert dnn.call("cudnnBatchNormalizationForwardTraining", 1, *data, *running) == 0
    return [out, dx, dw, normal, saved, inverse]


def network_results(dnn: Dnn, shape: Shape) -> list[Array]:
    """What a recurrent network gives in training, with dropout between its layers, and its gradients."""
    network = Network(dnn, shape, dropout=0.25)
    x, dy = network.stored(network.random(shape.input)), network.stored(network.random(shape.out * shape.directions))
    (hx, dhy), (cx, dcy) = ([network.state(width) for _ in range(2)] for width in (shape.out, shape.hidden))
    y, dx, gradient = np.zeros_like(dy), np.zeros_like(x), np.zeros_like(network.weights)
    hy, dhx, cy, dcx = (np.zeros_like(each) for each in (hx, hx, cx, cx))
    assert network.forward(TRAINING, x, y, (hx, hy, cx, cy)) == 0
    assert network.backward_data(y, dy, dx, (hx, dhy, dhx, cx, dcy, dcx)) == 0
    assert network.backward_weights(x, hx, y, gradient) == 0
    return [y, hy, cy, dx, dhx, dcx, gradient]


def main(library: str) -> None:
    dnn, rng, digest = Dnn(ctypes.CDLL(library)), np.random.default_rng(1), hashlib.sha256()
    for case in CASES:
        for result in results(dnn, case, rng):
            digest.update(result.tobytes())
    for shape in NETWORKS:
        for result in network_results(dnn, shape):
            digest.update(result.tobytes())
    print(digest.hexdigest())


if __name__ == "__main__":
    main(sys.argv[1])
