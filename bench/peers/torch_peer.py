# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads as one writes them with PyTorch on the CPU: eager, or through torch.compile (PEER_COMPILES=1)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import torch
from peers.workloads import BINS, COLUMNS, EPSILON, RATE, SOFTENING, STEPS, TURNS, VOLATILITY, Array

Tensor = Any
torch.set_grad_enabled(False)
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def version() -> str:
    return torch.__version__


def prepare(array: Array) -> Tensor:
    return torch.from_numpy(array)


def to_numpy(tensor: Tensor) -> Array:
    return tensor.numpy()


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, dynamic=False) if os.environ.get("PEER_COMPILES") else function


@_compiled
def chain(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return torch.exp(-a * a) * torch.cos(b) + c / (1 + torch.abs(a))


@_compiled
def softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, 1)


@_compiled
def layer_norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, (COLUMNS,), gain, bias, EPSILON)


@_compiled
def nbody(positions: Tensor) -> Tensor:
    dx, dy, dz = (positions[None, :, i] - positions[:, None, i] for i in range(3))
    squared = dx * dx + dy * dy + dz * dz + SOFTENING
    weight = positions[:, 3] * squared**-1.5
    return torch.stack([(weight * d).sum(1) for d in (dx, dy, dz)], 1)


def _normal(x: Tensor) -> Tensor:
    return 0.5 * (1 + torch.erf(x * math.sqrt(0.5)))


@_compiled
def black_scholes(s: Tensor, k: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    deviation = VOLATILITY * torch.sqrt(t)
    d1 = (torch.log(s / k) + (RATE + VOLATILITY**2 / 2) * t) / deviation
    discounted = k * torch.exp(-RATE * t)
    call = s * _normal(d1) - discounted * _normal(d1 - deviation)
    return call, call - s + discounted


@_compiled
def _turn(re: Tensor, im: Tensor, counts: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    re, im = re * re - im * im + x, 2 * re * im + y
    # What has left stays outside: its square is above 4, infinite or not a number.
    return re, im, counts + ((re * re + im * im) <= 4)


def mandelbrot(x: Tensor, y: Tensor) -> Tensor:
    x, y = x[None, :], y[:, None]
    counts = torch.zeros((y.numel(), x.numel()), dtype=torch.int32)
    re, im = torch.zeros(counts.shape), torch.zeros(counts.shape)
    for _ in range(TURNS):
        re, im, counts = _turn(re, im, counts, x, y)
    return counts


@_compiled
def _step(old: Tensor) -> Tensor:
    new = old.clone()
    new[1:-1, 1:-1] = 0.2 * (old[1:-1, 1:-1] + old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    return new


def stencil(grid: Tensor) -> Tensor:
    for _ in range(STEPS):
        grid = _step(grid)
    return grid


def histogram(x: Tensor) -> Tensor:
    return torch.bincount(x, minlength=BINS)


@_compiled
def matrices(a: Tensor, b: Tensor) -> Tensor:
    return torch.bmm(a, b)


@_compiled
def prefix_sum(x: Tensor) -> Tensor:
    return torch.cumsum(x, 0)
