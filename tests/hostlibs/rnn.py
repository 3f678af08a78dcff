# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent networks by NumPy in double precision, and their gradients by the chain rule, one sequence at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any
RELU, TANH, LSTM, GRU = 0, 1, 2, 3
GATES = {RELU: 1, TANH: 1, LSTM: 4, GRU: 3}
NO_BIAS, INPUT_BIAS, BOTH_BIASES, RECURRENT_BIAS = 0, 1, 2, 3


@dataclass
class Cell:
    """The weights of a layer in one direction; `p` projects."""

    w: Array | None
    r: Array
    p: Array | None
    bw: Array
    br: Array


@dataclass
class Shape:
    """A network and its sequences."""

    mode: int
    input: int
    hidden: int
    layers: int
    lengths: tuple[int, ...]
    kind: int = 0
    layout: int = 0
    bias: int = BOTH_BIASES
    bidirectional: bool = False
    projection: int = 0
    skip: bool = False
    clip: float | None = None

    @property
    def gates(self) -> int:
        return GATES[self.mode]

    @property
    def out(self) -> int:
        return self.projection or self.hidden

    @property
    def directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def time(self) -> int:
        return max(self.lengths)

    @property
    def batch(self) -> int:
        return len(self.lengths)

    def input_of(self, layer: int) -> int:
        return self.input if layer == 0 else self.out * self.directions


@dataclass
class Step:
    """What a step has seen, for its gradients."""

    x: Array
    h: Array
    c: Array
    gates: list[Array]
    inner: Array
    c_new: Array
    plain: Array


@dataclass
class Tape:
    steps: list[Step] = field(default_factory=list[Step])


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def clipped(shape: Shape, c: Array) -> Array:
    """An LSTM's state as it is read: what is kept, and left at the end, is not clipped, as on an H200."""
    return c if shape.clip is None else np.clip(c, -shape.clip, shape.clip)


def passes(shape: Shape, c: Array) -> Array:
    """1 where a gradient goes through `clipped`, else 0."""
    return np.ones_like(c) if shape.clip is None else (abs(c) < shape.clip).astype(c.dtype)


def step(shape: Shape, cell: Cell, x: Array, h: Array, c: Array) -> tuple[Array, Array, Step]:
    """h', c' and what led to them."""
    a = (np.tile(x, shape.gates) if cell.w is None else cell.w @ x) + cell.bw
    b = cell.r @ h + cell.br
    n, inner, c_new = shape.hidden, b[-shape.hidden :], c
    if shape.mode == LSTM:
        i, f, g, o = (part for part in np.split(a + b, 4))
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c_new = f * clipped(shape, c) + i * g
        gates, plain = [i, f, g, o], o * np.tanh(clipped(shape, c_new))
    elif shape.mode == GRU:
        reset, update = sigmoid(a[:n] + b[:n]), sigmoid(a[n : 2 * n] + b[n : 2 * n])
        fresh = np.tanh(a[2 * n :] + reset * inner)
        gates, plain = [reset, update, fresh], (1 - update) * fresh + update * h
    else:
        plain = np.maximum(a + b, 0) if shape.mode == RELU else np.tanh(a + b)
        gates = [plain]
    made = plain if cell.p is None else cell.p @ plain
    return made, c_new, Step(x, h, c, gates, inner, c_new, plain)


def step_back(shape: Shape, cell: Cell, was: Step, dh: Array, dc: Array, gradient: Cell) -> tuple[Array, Array, Array]:
    """The gradients of x, h and c; those of the weights are added to `gradient`."""
    if cell.p is not None:
        gradient.p += np.outer(dh, was.plain)
        dh = cell.p.T @ dh
    straight, dc_old = np.zeros_like(was.h), dc
    if shape.mode == LSTM:
        i, f, g, o = was.gates
        curve = np.tanh(clipped(shape, was.c_new))
        dc = dc + dh * o * (1 - curve**2) * passes(shape, was.c_new)
        da = np.concatenate([
            dc * g * i * (1 - i), dc * clipped(shape, was.c) * f * (1 - f), dc * i * (1 - g**2),
            dh * curve * o * (1 - o),
        ])  # fmt: skip
        db, dc_old = da, dc * f * passes(shape, was.c)
    elif shape.mode == GRU:
        reset, update, fresh = was.gates
        inner = dh * (1 - update) * (1 - fresh**2)
        dr, dz = inner * was.inner * reset * (1 - reset), dh * (was.h - fresh) * update * (1 - update)
        da, db, straight = np.concatenate([dr, dz, inner]), np.concatenate([dr, dz, inner * reset]), dh * update
    else:
        da = db = dh * ((was.plain > 0) if shape.mode == RELU else 1 - was.plain**2)
    gradient.r += np.outer(db, was.h)
    gradient.bw += da
    gradient.br += db
    if cell.w is None:
        return da.reshape(shape.gates, -1).sum(axis=0), cell.r.T @ db + straight, dc_old
    gradient.w += np.outer(da, was.x)
    return cell.w.T @ da, cell.r.T @ db + straight, dc_old


@dataclass
class Result:
    y: list[Array]
    hy: Array
    cy: Array
    tapes: dict[tuple[int, int], Tape]


def forward(shape: Shape, cells: list[Cell], xs: list[Array], hx: Array, cx: Array) -> Result:
    """Sequences one by one; `xs[b]` has a row for each time."""
    hy, cy = hx.copy(), cx.copy()
    tapes: dict[tuple[int, int], Tape] = {}
    ys: list[Array] = []
    for b, x in enumerate(xs):
        for layer in range(shape.layers):
            parts: list[Array] = []
            for direction in range(shape.directions):
                chain = layer * shape.directions + direction
                h, c, tape = hx[chain, b], cx[chain, b], Tape()
                made: list[Array] = []
                for row in x[::-1] if direction else x:
                    h, c, was = step(shape, cells[chain], row, h, c)
                    tape.steps.append(was)
                    made.append(h)
                tapes[chain, b] = tape
                hy[chain, b], cy[chain, b] = h, c
                rows = np.array(made).reshape(len(x), shape.out)
                parts.append(rows[::-1] if direction else rows)
            x = np.concatenate(parts, axis=1)
        ys.append(x)
    return Result(ys, hy, cy, tapes)


@dataclass
class Gradients:
    xs: list[Array]
    hx: Array
    cx: Array
    cells: list[Cell]


def backward(shape: Shape, cells: list[Cell], result: Result, dys: list[Array], dhy: Array, dcy: Array) -> Gradients:
    dhx, dcx = dhy.copy(), dcy.copy()
    gradients = [
        Cell(*(None if each is None else np.zeros_like(each) for each in (c.w, c.r, c.p, c.bw, c.br))) for c in cells
    ]
    dxs: list[Array] = []
    for b, dy in enumerate(dys):
        for layer in reversed(range(shape.layers)):
            below = np.zeros((len(dy), shape.input_of(layer)))
            for direction in range(shape.directions):
                chain = layer * shape.directions + direction
                dh, dc = dhy[chain, b], dcy[chain, b]
                part = dy[:, direction * shape.out : (direction + 1) * shape.out]
                order = list(range(len(dy)))[:: -1 if direction else 1]
                for t, was in zip(reversed(order), reversed(result.tapes[chain, b].steps), strict=True):
                    dx, dh, dc = step_back(shape, cells[chain], was, dh + part[t], dc, gradients[chain])
                    below[t] += dx
                dhx[chain, b], dcx[chain, b] = dh, dc
            dy = below
        dxs.append(dy)
    return Gradients(dxs, dhx, dcx, gradients)
