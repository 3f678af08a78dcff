# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On one thread products of float and double go to cuBLAS, whatever the strides; all others to the CPU backend, and on
Intel's processors all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import warploom.torch


@pytest.fixture(autouse=True)
def counted(torch: Any) -> Iterator[None]:
    """Each test counts its own calls of the CPU backend."""
    warploom.torch.reset_coverage()
    yield
    torch.cuda.synchronize()


def on_cpu_backend(*names: str) -> int:
    """How often one of the operators ran there."""
    calls = warploom.torch.coverage().on_cpu_backend
    return sum(count for name, count in calls.items() if name.removeprefix("aten::").split(".")[0] in names)


def are_cublas(*names: str) -> bool:
    """Whether none of the operators ran on the CPU backend, or the processor is one where all do."""
    return on_cpu_backend(*names) == 0 or "GenuineIntel" in Path("/proc/cpuinfo").read_text()


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "by rows": lambda matrix: matrix.contiguous(),
    "by columns": lambda matrix: matrix.mT.contiguous().mT,
    "part of rows": lambda matrix: matrix.repeat_interleave(2, -1).contiguous()[..., : matrix.shape[-1]],
    "every second": lambda matrix: matrix.repeat_interleave(2, -1)[..., ::2],
    "one of many": lambda matrix: matrix[..., :1].expand(matrix.shape),
}


@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("right", LAYOUTS)
def test_strides(torch: Any, left: str, right: str) -> None:
    for shape in (), (3,):
        one = LAYOUTS[left](torch.randn(*shape, 40, 50, device="cuda", dtype=torch.float64))
        two = LAYOUTS[right](torch.randn(*shape, 50, 30, device="cuda", dtype=torch.float64))
        torch.testing.assert_close((one @ two).cpu(), one.cpu() @ two.cpu())
    assert are_cublas("mm", "bmm")


@pytest.mark.parametrize("type_", ["float32", "float64"])
def test_what_is_added(torch: Any, type_: str) -> None:
    kind = {"device": "cuda", "dtype": getattr(torch, type_)}
    one, two = torch.randn(40, 50, **kind), torch.randn(50, 30, **kind)
    for added in (torch.randn(30, **kind), torch.randn(40, 1, **kind), torch.randn(40, 30, **kind)):
        for beta, alpha in ((1, 1), (0.5, -2), (0, 3)):
            arguments = {"beta": beta, "alpha": alpha}
            got = torch.addmm(added, one, two, **arguments)
            torch.testing.assert_close(got.cpu(), torch.addmm(added.cpu(), one.cpu(), two.cpu(), **arguments))
    out = torch.full((40, 30), float("nan"), **kind)
    want = torch.addmm(torch.ones(30).to(kind["dtype"]), one.cpu(), two.cpu())
    assert torch.addmm(torch.ones(30, **kind), one, two, out=out) is out
    torch.testing.assert_close(out.cpu(), want)
    torch.testing.assert_close(torch.ones(40, 30, **kind).addmm_(one, two).cpu(), want)
    batch = torch.ones(3, 40, 30, **kind).baddbmm_(one.expand(3, 40, 50), two.expand(3, 50, 30))
    torch.testing.assert_close(batch.cpu(), want.expand(3, 40, 30))
    assert are_cublas("addmm", "addmm_", "baddbmm_")


def test_zero_times_what_is_no_number_is_zero(torch: Any) -> None:
    added = torch.full((40, 30), float("nan"), device="cuda")
    got = torch.addmm(added, torch.ones(40, 50, device="cuda"), torch.ones(50, 30, device="cuda"), beta=0)
    assert got.unique().tolist() == [50]


@pytest.mark.parametrize("shape", [(2, 2, 2), (40, 0, 30), (0, 40, 30)])
def test_hardly_any_work_is_the_cpu_backends(torch: Any, shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    assert torch.ones(rows, inner, device="cuda").mm(torch.ones(inner, columns, device="cuda")).shape == (rows, columns)
    assert on_cpu_backend("mm") == 1


def test_other_types_are_the_cpu_backends(torch: Any) -> None:
    for type_ in torch.int64, torch.bfloat16, torch.complex64:
        one = torch.ones(40, 40, device="cuda", dtype=type_)
        assert one.mm(one)[0, 0].item() == 40
    assert on_cpu_backend("mm") == 3


def test_on_several_threads_they_are_the_cpu_backends(torch: Any) -> None:
    """Its threads spin after each operator; those of cuBLAS would wait for their processors."""
    one = torch.ones(40, 40, device="cuda")
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert one.mm(one)[0, 0].item() == 40
    finally:
        torch.set_num_threads(threads)
    assert on_cpu_backend("mm") == 1


def test_wrong_shapes_and_devices_are_pytorchs_errors(torch: Any) -> None:
    one = torch.ones(40, 50, device="cuda")
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        one.mm(one)
    with pytest.raises(RuntimeError, match="same device"):
        one.mm(torch.ones(50, 40))
    with pytest.raises(RuntimeError, match=r"expand|broadcast|size"):
        torch.addmm(torch.ones(7, device="cuda"), one, one.t())


def test_gradients(torch: Any) -> None:
    one = torch.randn(40, 50, device="cuda", requires_grad=True)
    two = torch.randn(50, 30, device="cuda", requires_grad=True)
    one.mm(two).square().sum().backward()
    want = 2 * one.detach().cpu().mm(two.detach().cpu())
    torch.testing.assert_close(one.grad.cpu(), want.mm(two.detach().cpu().t()), rtol=1e-4, atol=1e-3)
    assert are_cublas("mm")
