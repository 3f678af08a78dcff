# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers' steps of all tensors in one call give the bits of PyTorch's loop on the CPU, and step aside for what they
do not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import warploom.torch

SHAPES = [*((size,) for size in range(1, 68)), (1000,), (16384,), (16385,), (40001,), (3, 5, 7), (0,), ()]
STEPS = 4
CHOICES: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {}),
    ("Adam", {"weight_decay": 0.01, "amsgrad": True, "maximize": True}),
    ("Adam", {"betas": (0.4, 0.7), "lr": 0.3, "eps": 1e-3}),
    ("Adam", {"lr": 1}),
    ("AdamW", {}),
    ("AdamW", {"weight_decay": 0.1, "amsgrad": True}),
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
]
Make = Callable[[Any], Any]


def step(
    torch: Any, device: str, name: str, given: dict[str, Any], kind: Any, shapes: Sequence[tuple[int, ...]], make: Make
) -> list[Any]:
    """Parameters and states after some steps, on the CPU; `make` puts a tensor on the device's memory."""
    torch.manual_seed(3)
    parameters = [torch.nn.Parameter(make(torch.randn(shape, dtype=kind).to(device))) for shape in shapes]
    optimizer = getattr(torch.optim, name)(parameters, **given)
    for number in range(STEPS):
        for each in parameters:
            gradient = torch.randn(each.shape, dtype=kind) * 10.0 ** (1 - number)
            each.grad = make(gradient.to(device))
        optimizer.step()
    states = [each for one in parameters for each in optimizer.state[one].values() if each is not None]
    return [torch.as_tensor(each).detach().cpu() for each in (*parameters, *states)]


def check(
    torch: Any, name: str, given: dict[str, Any], kind: str, make: Make = lambda tensor: tensor,
    shapes: Sequence[tuple[int, ...]] = SHAPES, threads: int = 1,
) -> int:  # fmt: skip
    """The same bits as on the CPU; how many steps were one call."""
    torch.set_num_threads(threads)
    try:
        dtype = getattr(torch, kind)
        warploom.torch.reset_coverage()
        on_cuda = step(torch, "cuda", name, given, dtype, shapes, make)
        calls = warploom.torch.coverage().on_cpu_backend
        on_cpu = step(torch, "cpu", name, given, dtype, shapes, make)
    finally:
        torch.set_num_threads(1)
    assert all(torch.equal(one, other) for one, other in zip(on_cuda, on_cpu, strict=True))
    return sum(count for call, count in calls.items() if call.startswith("warploom::"))


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(("name", "given"), CHOICES)
def test_the_bits_are_those_of_the_loop(torch: Any, name: str, given: dict[str, Any], kind: str) -> None:
    makes_momenta = given.get("momentum", 0) != 0  # in the first step, which is the loop's
    assert check(torch, name, given, kind) == STEPS - makes_momenta


def test_on_two_threads(torch: Any) -> None:
    assert check(torch, "Adam", {"weight_decay": 0.01}, "float32", shapes=[*SHAPES, (3, 100003)], threads=2) == STEPS


def test_memory_that_begins_anywhere(torch: Any) -> None:
    def odd(tensor: Any) -> Any:
        memory = torch.zeros(tensor.numel() + 5, dtype=tensor.dtype, device=tensor.device)
        return memory[3 : 3 + tensor.numel()].view(tensor.shape).copy_(tensor)

    assert check(torch, "AdamW", {}, "float32", odd) == STEPS


def test_channels_last(torch: Any) -> None:
    def last(tensor: Any) -> Any:
        return tensor.contiguous(memory_format=torch.channels_last)

    assert check(torch, "Adam", {"amsgrad": True}, "float32", last, [(4, 3, 5, 5), (8, 4, 3, 3)]) == STEPS


@pytest.mark.parametrize("name", ["Adam", "SGD"])
def test_the_loop_does_what_is_not_known(torch: Any, name: str) -> None:
    """Halves, rows with gaps between, a rate in a tensor."""

    def with_gaps(tensor: Any) -> Any:
        return tensor.new_zeros(*tensor.shape, 2)[..., 0].copy_(tensor)

    assert check(torch, name, {"lr": 0.1}, "bfloat16") == 0
    assert check(torch, name, {"lr": 0.1}, "float32", with_gaps, [(5,), (4, 3)]) == 0
    assert check(torch, name, {"lr": torch.tensor(0.1)}, "float32", shapes=[(5,)]) == 0


def test_parameters_over_the_same_memory(torch: Any) -> None:
    """The loop goes twice over what two parameters share."""
    found: list[list[float]] = []
    for device in ("cpu", "cuda"):
        memory = torch.arange(6.0, device=device)
        parameters = [torch.nn.Parameter(memory[:4]), torch.nn.Parameter(memory[2:])]
        for each in parameters:
            each.grad = torch.ones_like(each)
        torch.optim.SGD(parameters, 0.5).step()
        found.append(memory.tolist())
    assert found == [[-0.5, 0.5, 1.0, 2.0, 3.5, 4.5]] * 2


def test_a_step_counts_as_a_write(torch: Any) -> None:
    """Gradients that want the weight as it was are refused, as on the CPU."""
    for device in ("cpu", "cuda"):
        weight = torch.nn.Parameter(torch.ones(3, device=device))
        weight.grad = torch.ones(3, device=device)
        loss = (weight * weight).sum()
        torch.optim.Adam([weight]).step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_a_learning_rate_schedule_and_states_of_files(torch: Any) -> None:
    found: list[Any] = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(5)
        weight = torch.nn.Parameter(torch.randn(50).to(device))
        optimizer = torch.optim.AdamW([weight], 0.1)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
        for number in range(6):
            weight.grad = weight.detach() * 2
            optimizer.step()
            schedule.step()
            if number == 3:
                kept = optimizer.state_dict()
                optimizer = torch.optim.AdamW([weight], 0.1)
                optimizer.load_state_dict(kept)
                schedule.optimizer = optimizer
        found.append(weight.detach().cpu())
    assert torch.equal(*found)
