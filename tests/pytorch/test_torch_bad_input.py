# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes on device cuda raise what PyTorch raises; the process goes on."""

from __future__ import annotations

import os
from typing import Any

import pytest


def test_a_cpu_tensor_beside_a_cuda_tensor(torch: Any) -> None:
    x, y = torch.ones(3, 3, device="cuda"), torch.ones(3, 3)
    for call in (lambda: x + y, lambda: x @ y, lambda: torch.cat([x, y]), lambda: torch.nn.functional.linear(x, y)):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            call()
    # PyTorch takes numbers of the CPU, and indices.
    assert (x + torch.tensor(1.0)).sum().item() == 18
    assert x[torch.tensor([0, 2])].shape == (2, 3)


def test_wrong_dtypes_and_shapes(torch: Any) -> None:
    x = torch.ones(3, 4, device="cuda")
    with pytest.raises(RuntimeError, match="same dtype"):
        torch.mm(x, x.double().t())
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.mm(x, x)
    with pytest.raises(RuntimeError, match="must match"):
        torch.add(x, torch.ones(5, device="cuda"))


def test_an_index_out_of_range(torch: Any) -> None:
    table = torch.nn.Embedding(4, 3).cuda()
    with pytest.raises((IndexError, RuntimeError), match="index out of range"):
        table(torch.tensor([4], device="cuda"))
    assert table(torch.tensor([3], device="cuda")).shape == (1, 3)
    far, x = torch.tensor([[77]], device="cuda"), torch.ones(3, 3, device="cuda")
    for call in (lambda: x.gather(0, far), lambda: x.scatter_(0, far, 1.0), lambda: x[far], lambda: x.take(far)):
        with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)"):
            call()
    with pytest.raises(IndexError, match="Target 77 is out of bounds"):
        torch.nn.functional.cross_entropy(x[:1], far[0])


def test_an_index_of_the_wrong_type_or_device(torch: Any) -> None:
    table = torch.nn.Embedding(4, 3).cuda()
    with pytest.raises(RuntimeError, match="to have one of the following scalar types: Long, Int"):
        table(torch.ones(2, device="cuda"))
    for index, weight in ((torch.tensor([1]), table.weight), (torch.tensor([1], device="cuda"), table.weight.cpu())):
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            torch.nn.functional.embedding(index, weight)


def test_a_generator_of_the_other_device(torch: Any) -> None:
    for device, other in (("cuda", "cpu"), ("cpu", "cuda")):
        with pytest.raises(RuntimeError, match=f"Expected a '{device}' device type for generator but found '{other}'"):
            torch.rand(3, device=device, generator=torch.Generator(other))
        with pytest.raises(RuntimeError, match="device type for generator"):
            torch.empty(3, device=device).normal_(generator=torch.Generator(other))
    draws = [torch.rand(3, device="cuda", generator=torch.Generator("cuda").manual_seed(1)) for _ in range(2)]
    assert torch.equal(*draws)


def test_out_of_memory(torch: Any) -> None:
    with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 65536\.00 GiB"):
        torch.empty(1 << 46, dtype=torch.uint8, device="cuda")
    torch.cuda.set_per_process_memory_fraction(1e-9)
    try:
        with pytest.raises(torch.OutOfMemoryError):
            torch.empty(300 << 20, dtype=torch.uint8, device="cuda")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert torch.ones(3, device="cuda").sum().item() == 3


def test_a_missing_operator_is_named(torch: Any) -> None:
    with pytest.raises(NotImplementedError, match="aten::_fused_dropout"):
        torch.ops.aten._fused_dropout(torch.ones(3, device="cuda"), 0.5)


def test_a_device_that_is_not_there(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(3, device="cuda:60")
    with pytest.raises(TypeError, match="can't convert cuda"):
        torch.ones(3, device="cuda").numpy()


def test_a_tensor_for_another_process_is_refused(torch: Any) -> None:
    x = torch.ones(3, device="cuda")
    for send in (lambda: torch.multiprocessing.reductions.reduce_tensor(x), x.untyped_storage()._share_cuda_):
        with pytest.raises(NotImplementedError, match="does not share CUDA tensors between processes"):
            send()
    assert (x + 1).sum().item() == 6


def test_a_forked_process_is_told(torch: Any) -> None:
    x = torch.ones(3, device="cuda")
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        told: list[str] = []
        for call in (lambda: torch.ones(2, device="cuda"), lambda: x + 1, torch.cuda.synchronize):
            try:
                call()
                told.append("no error")
            except RuntimeError as error:
                told.append(str(error)[:35])
        told.append(str((torch.ones(2) + 1).tolist()))
        os.write(sink, "\n".join(told).encode())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(source, 4096).decode().splitlines() == ["Cannot re-initialize CUDA in forked"] * 3 + ["[2.0, 2.0]"]
    assert (x + 1).sum().item() == 6
