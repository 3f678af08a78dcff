# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms of a list's tensors side by side have the bits of the CPU's, and step aside for what they do not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import warploom.torch

SIZES = [*range(1, 40), 1000, 16385, 40001, 3 * 100003]


@pytest.fixture(autouse=True)
def two_threads(torch: Any) -> Iterator[None]:
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("order", [2, 1, 0, 3.5, float("inf"), float("-inf")])
def test_the_bits_are_those_of_the_cpu(torch: Any, kind: str, order: float) -> None:
    on_cpu = [torch.randn(size, dtype=getattr(torch, kind)) * size for size in SIZES]
    on_cpu += [torch.randn(50, 60, 7, dtype=getattr(torch, kind)), torch.randn((), dtype=getattr(torch, kind))]
    norms = torch._foreach_norm([each.cuda() for each in on_cpu], order)
    assert all(each.is_cuda and each.shape == () for each in norms)
    assert torch.equal(torch.stack(norms).cpu(), torch.stack(torch._foreach_norm(on_cpu, order)))
    norms[0].mul_(2)
    assert torch.equal(norms[1].cpu(), torch.linalg.vector_norm(on_cpu[1], order))


def test_other_tensors_are_the_cpu_backends(torch: Any) -> None:
    dense = torch.randn(30, 40)
    for change in ("t", "half", "double"):
        norms = {
            device: torch._foreach_norm([getattr(dense.to(device), change)(), dense.to(device)])
            for device in ("cpu", "cuda")
        }
        assert all(torch.equal(one.cpu(), other) for one, other in zip(norms["cuda"], norms["cpu"], strict=True))
    with_gaps = dense.cuda()[:, ::2]
    for tensors in ([with_gaps, with_gaps], [with_gaps[:0], with_gaps], [with_gaps]):
        torch.testing.assert_close(torch._foreach_norm(tensors)[-1].cpu(), torch.linalg.vector_norm(dense[:, ::2]))
    wide = torch._foreach_norm([dense.cuda(), dense.cuda()], 2, dtype=torch.float64)
    assert torch.equal(wide[1].cpu(), torch._foreach_norm([dense, dense], 2, dtype=torch.float64)[1])


def test_gradients_pass_and_clip(torch: Any) -> None:
    def clipped(device: str) -> tuple[Any, ...]:
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.Linear(40, 2)).to(device)
        norms = torch._foreach_norm(list(model.parameters()))
        (model(torch.ones(5, 30, device=device)).sum() + sum(norms)).backward()
        total = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        return tuple(each.detach().cpu() for each in (total, *(one.grad for one in model.parameters())))

    warploom.torch.reset_coverage()
    on_cuda = clipped("cuda")
    assert warploom.torch.coverage().on_cpu_backend["aten::_foreach_norm.Scalar"] == 2
    assert all(torch.equal(one, other) for one, other in zip(on_cuda, clipped("cpu"), strict=True))


def test_a_graph_replays_them(torch: Any) -> None:
    tensors = [torch.ones(3, device="cuda"), torch.ones(4, device="cuda")]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        norms = torch._foreach_norm(tensors)
    tensors[1].fill_(3)
    graph.replay()
    assert norms[1].item() == 6
