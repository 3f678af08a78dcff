# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's own CUDA kernels against its CPU kernels: python bench/torch/aten_kernels.py [ROUNDS [THREADS [apart]]]

In a Python with PyTorch where `warploom torch build-aten` has run (docs/torch.md). 1,024 x 1,024 floats; the
clock's time, the least of alternating rounds. An operator that was not launched as CUDA code is named as such.

The process keeps to as many processors as it has threads: kernels run on a thread of the runtime's, operators of the
CPU backend on the one that calls them, and each would have a processor's caches of its own. Not the processor's time:
what a thread has used since it last slept is not yet in that. `apart`: each side's rounds begin when the other's
threads sleep. On many processors OpenMP's and the runtime's threads else wait, busy, on the same ones.
"""

from __future__ import annotations

import os
import sys

os.environ |= dict.fromkeys(("WARPLOOM_NUM_THREADS", "OMP_NUM_THREADS"), sys.argv[2] if len(sys.argv) > 2 else "1")

import time
from collections.abc import Callable
from typing import Any

import torch

import warploom.torch

THREADS = int(os.environ["OMP_NUM_THREADS"])
CALLS = 20  # of an operator in a round
SIDE = 1024
SPELL = 0.03  # seconds in which threads that have nothing to do go to sleep


def operators() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The operators and their arguments, on the CPU."""
    function = torch.nn.functional
    x, y = torch.randn(SIDE, SIDE), torch.randn(SIDE, SIDE)
    row, images = torch.randn(SIDE), torch.randn(16, 64, 32, 32)
    weights, targets = torch.randn(64), torch.randint(SIDE, (SIDE,))
    aten, window = torch.ops.aten, ([3, 3], [2, 2], [1, 1], [1, 1], False)
    pooled, places = aten.max_pool2d_with_indices(images, *window)
    normal = aten.native_batch_norm(images, weights, weights, None, None, True, 0.1, 1e-5)[1:]
    likely = x.log_softmax(1)
    one, count = torch.ones(()), torch.tensor(float(SIDE))
    return {
        "fill_": (lambda out: out.fill_(2.0), (torch.empty_like(x),)),
        "add": (torch.add, (x, y)),
        "mul": (torch.mul, (x, y)),
        "add, broadcast": (torch.add, (x, row)),
        "sum": (torch.sum, (x,)),
        "sum over rows": (lambda a: a.sum(1), (x,)),
        "sum over columns": (lambda a: a.sum(0), (x,)),
        "softmax": (lambda a: a.softmax(1), (x,)),
        "log_softmax": (lambda a: a.log_softmax(1), (x,)),
        "layer_norm": (lambda a, w: function.layer_norm(a, (SIDE,), w, w), (x, row)),
        "batch norm": (lambda a, w: function.batch_norm(a, None, None, w, w, training=True), (images, weights)),
        # What else a step of ResNet-50 asks of ATen.
        "batch norm, gradient": (
            lambda g, a, w, mean, scale: aten.native_batch_norm_backward(
                g, a, w, None, None, mean, scale, True, 1e-5, [True] * 3
            )[0],
            (torch.randn_like(images), images, weights, *normal),
        ),
        "relu": (torch.relu, (images,)),
        "relu, gradient": (lambda g, a: aten.threshold_backward(g, a, 0), (torch.randn_like(images), images)),
        "max pool": (lambda a: aten.max_pool2d_with_indices(a, *window)[0], (images,)),
        "max pool, gradient": (
            lambda g, a, i: aten.max_pool2d_with_indices_backward(g, a, *window, i),
            (torch.randn_like(pooled), images, places),
        ),
        "mean of images": (lambda a: a.mean((2, 3)), (images,)),
        "log_softmax, gradient": (
            lambda g, a: aten._log_softmax_backward_data(g, a, 1, torch.float32),
            (torch.randn_like(x), likely),
        ),
        "nll_loss": (function.nll_loss, (likely, targets)),
        "nll_loss, gradient": (
            lambda g, a, t, n: aten.nll_loss_backward(g, a, t, None, 1, -100, n),
            (one, likely, targets, count),
        ),
    }


def seconds(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """For one call."""
    began = time.perf_counter()
    for _ in range(CALLS):
        function(*arguments)
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / CALLS


def in_its_own_spell(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """The same, of calls that come long after the other side's, whose threads sleep by now."""
    time.sleep(SPELL)
    for _ in range(2):
        seconds(function, arguments)
    return seconds(function, arguments)


def main(rounds: int, *, are_apart: bool) -> None:
    """Print the table."""
    timed = in_its_own_spell if are_apart else seconds
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    print("| operator | CPU backend, us | CUDA kernel, us | ratio |\n|---|---|---|---|")
    for name, (function, on_cpu) in operators().items():
        on_cuda = tuple(each.cuda() for each in on_cpu)
        warploom.torch.reset_coverage()
        got, want = function(*on_cuda), function(*on_cpu)
        torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-3)
        launched = bool(warploom.torch.coverage().launches)
        least = [float("inf")] * 2
        for _ in range(rounds):
            for side, arguments in enumerate((on_cpu, on_cuda)):
                least[side] = min(least[side], timed(function, arguments))
        cpu, cuda = (1e6 * each for each in least)
        said = f"{cuda:,.0f} | {cuda / cpu:.2f}" if launched else "none: on the CPU backend |"
        print(f"| {name} | {cpu:,.0f} | {said} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7, are_apart="apart" in sys.argv)
