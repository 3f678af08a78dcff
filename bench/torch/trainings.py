# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trainings on device cuda beside the CPU with oneDNN and without: trainings.py WAY [THREADS [ROUNDS]]; ways:

    losses   small sizes, 100 steps of Adam from each of three starts: how far the losses are from the CPU's, at most,
             beside how far those of the CPU without oneDNN are
    time     time of a step, the median of alternating rounds, in brackets the least; ResNet-50 as it is. On one thread
             processor time; on more the clock's, as threads of OpenMP spin where they wait for one another
    parts    the same of a step's three parts: forward, backward, Adam; the least of the rounds
    compiled time of a step of models that torch.compile has compiled (inductor), on the CPU and on device cuda, and as
             they are on device cuda

In a Python with PyTorch where `warploom torch enable` has run (docs/torch.md), as `make torch-train` makes it.
"""

from __future__ import annotations

import os
import sys

os.environ |= dict.fromkeys(("WARPLOOM_NUM_THREADS", "OMP_NUM_THREADS"), sys.argv[2] if len(sys.argv) > 2 else "1")

import statistics
import time
from collections.abc import Callable
from itertools import pairwise

import torch
from models import MODELS, Training

import warploom.torch

WHAT = sys.argv[1] if len(sys.argv) > 1 else "losses"
THREADS = int(os.environ["OMP_NUM_THREADS"])
STEPS = 100
SEEDS = range(3)
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
WAYS = {"CPU, oneDNN": ("cpu", True), "CPU without": ("cpu", False), "cuda": ("cuda", True)}


Mark = Callable[[], None]


def step_of(
    build: Callable[[bool], Training],
    small: bool,
    device: str,
    seed: int = 0,
    mark: Mark = lambda: None,
    is_compiled: bool = False,
) -> Callable[[], float]:
    """One step of a training, whose start `seed` decides; it returns the loss, and calls `mark` after each part."""
    torch.manual_seed(seed)
    training = build(small)
    model = training.model.to(device)
    run = torch.compile(model) if is_compiled else model
    inputs, targets = training.inputs.to(device), training.targets.to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)

    def step() -> float:
        optimizer.zero_grad()
        loss = training.loss(run(inputs), targets)
        mark()
        loss.backward()
        mark()
        optimizer.step()
        mark()
        return loss.item()

    return step


def losses(name: str) -> str:
    """A line of the table."""
    found: dict[str, list[float]] = {}
    for way, (device, one_dnn) in WAYS.items():
        torch.backends.mkldnn.enabled = one_dnn
        found[way] = []
        for seed in SEEDS:
            step = step_of(MODELS[name], True, device, seed)
            found[way] += [step() for _ in range(STEPS)]
    of_cpu, without, of_cuda = found.values()
    spread, apart = (
        max(abs(one - two) / abs(two) for one, two in zip(each, of_cpu, strict=True)) for each in (without, of_cuda)
    )
    return f"| {name} | {of_cpu[0]:.3f} to {of_cpu[STEPS - 1]:.3f} | {spread:.1e} | {apart:.1e} |"


def clock() -> float:
    """Seconds."""
    return time.process_time() if THREADS == 1 else time.perf_counter()


def parts(name: str) -> str:
    """A line of the table."""
    times: list[float] = []
    ways = {way: where for way, where in WAYS.items() if where[1]}
    steps = {
        way: step_of(MODELS[name], False, device, mark=lambda: times.append(clock()))
        for way, (device, _) in ways.items()
    }
    least = {way: [float("inf")] * 3 for way in ways}
    for number in range(ROUNDS + 1):
        for way in ways:
            times[:] = [clock()]
            steps[way]()
            if number:  # the first one makes buffers
                taken = (after - before for before, after in pairwise(times))
                least[way] = [min(pair) for pair in zip(least[way], taken, strict=True)]
    of_cpu, of_cuda = least.values()
    shown = " | ".join(", ".join(f"{1e3 * each:.1f}" for each in way) for way in (of_cpu, of_cuda))
    return f"| {name} | {shown} | {sum(of_cuda) / sum(of_cpu):.2f} |"


def seconds(name: str) -> str:
    """A line of the table."""
    steps = {way: step_of(MODELS[name], False, device) for way, (device, _) in WAYS.items()}
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(ROUNDS + 1):
        for way, (_, one_dnn) in WAYS.items():
            torch.backends.mkldnn.enabled = one_dnn
            began = clock()
            steps[way]()
            if number:  # the first one makes buffers
                taken[way].append(clock() - began)
    of_cpu, without, of_cuda = (statistics.median(each) for each in taken.values())
    times = " | ".join(f"{statistics.median(each):.3f} ({min(each):.3f})" for each in taken.values())
    return f"| {name} | {times} | {of_cuda / of_cpu:.2f} | {of_cuda / without:.2f} |"


def compiled(name: str) -> str:
    """A line of the table."""
    ways = (("cpu", True), ("cuda", True), ("cuda", False))
    steps = [step_of(MODELS[name], False, device, is_compiled=is_compiled) for device, is_compiled in ways]
    taken: list[list[float]] = [[] for _ in ways]
    losses: list[list[float]] = [[] for _ in ways]
    for number in range(ROUNDS + 2):
        for step, times, found in zip(steps, taken, losses, strict=True):
            began = clock()
            found.append(step())
            if number > 1:  # the first ones compile, and make buffers
                times.append(clock() - began)
    apart = max(abs(one / two - 1) for one, two in zip(losses[1], losses[0], strict=True))
    of_cpu, of_cuda, plain = (statistics.median(each) for each in taken)
    shown = " | ".join(f"{statistics.median(each):.3f} ({min(each):.3f})" for each in taken)
    return f"| {name} | {shown} | {of_cuda / of_cpu:.2f} | {of_cuda / plain:.2f} | {apart:.1e} |"


def main() -> None:
    """Print a table, and what ran on device cuda."""
    torch.set_num_threads(THREADS)
    warploom.torch.reset_coverage()
    if WHAT == "losses":
        print("| training | loss | CPU without oneDNN | cuda |\n|---|---|---|---|")
    elif WHAT == "compiled":
        print(
            "| training | CPU, compiled, s | cuda, compiled, s | cuda, s | over the CPU's | over cuda as it is "
            "| losses apart |\n" + "|---" * 7 + "|"
        )
    elif WHAT == "parts":
        print("| training | CPU, oneDNN, ms | cuda, ms | over oneDNN |\n" + "|---" * 4 + "|")
    else:
        print(
            "| training | CPU, oneDNN, s | CPU without, s | cuda, s | over oneDNN | over without |\n" + "|---" * 6 + "|"
        )
    for name in MODELS:
        print({"losses": losses, "parts": parts, "compiled": compiled}.get(WHAT, seconds)(name), flush=True)
    seen = warploom.torch.coverage()
    launches, calls = sum(seen.launches.values()), sum(seen.on_cpu_backend.values())
    print(f"launches of ATen's CUDA kernels: {launches}; calls of the CPU backend: {calls}")


if __name__ == "__main__":
    main()
