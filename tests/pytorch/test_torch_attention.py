# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled dot product attention is one operator where it is one on the CPU, and gives its bits."""

from __future__ import annotations

from typing import Any

import pytest

import warploom.torch

FORWARD = "aten::_scaled_dot_product_flash_attention_for_cpu"


def attention(torch: Any, device: str, mask: str, kind: str, function: Any = None, **given: Any) -> list[Any]:
    """The result and three gradients, on the CPU, of 17 places with 3 heads of 8."""
    torch.manual_seed(2)
    call = function or torch.nn.functional.scaled_dot_product_attention
    dtype = getattr(torch, kind)
    query, key, value = (torch.randn(2, 3, 17, 8).to(device, dtype).requires_grad_() for _ in range(3))
    masks = {"of bools": torch.rand(17, 17) > 0.3, "added": torch.randn(2, 1, 17, 17).to(dtype)}
    if mask in masks:
        given["attn_mask"] = masks[mask].to(device)
    result = call(query, key, value, is_causal=mask == "causal", **given)
    result.float().square().sum().backward()
    return [each.detach().cpu() for each in (result, query.grad, key.grad, value.grad)]


@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("mask", ["none", "causal", "of bools", "added"])
def test_the_bits_are_the_cpus(torch: Any, mask: str, kind: str) -> None:
    warploom.torch.reset_coverage()
    on_cuda = attention(torch, "cuda", mask, kind)
    calls = warploom.torch.coverage().on_cpu_backend
    assert calls[FORWARD] == calls[FORWARD + "_backward"] == 1
    assert all(map(torch.equal, on_cuda, attention(torch, "cpu", mask, kind)))


def test_what_the_one_operator_does_not_do(torch: Any) -> None:
    """Product by product, as PyTorch's context managers and other shapes ask."""
    attend = torch.nn.functional.scaled_dot_product_attention
    warploom.torch.reset_coverage()
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        found = attention(torch, "cuda", "causal", "float32")
    for one, other in zip(found, attention(torch, "cpu", "causal", "float32"), strict=True):
        torch.testing.assert_close(one, other)
    rows = torch.randn(5, 4, device="cuda")
    torch.testing.assert_close(attend(rows, rows, rows).cpu(), attend(*[rows.cpu()] * 3))
    few = torch.randn(2, 1, 5, 4, device="cuda")  # heads of keys that several of queries share
    many = torch.randn(2, 4, 5, 4, device="cuda")
    shared = attend(many, few, few, enable_gqa=True).cpu()
    torch.testing.assert_close(shared, attend(many.cpu(), few.cpu(), few.cpu(), enable_gqa=True))
    dropped = attend(torch.ones_like(many), many, torch.ones_like(many), dropout_p=0.5)
    assert dropped.unique().numel() > 1
    assert FORWARD not in warploom.torch.coverage().on_cpu_backend


def test_a_mask_that_wants_gradients(torch: Any) -> None:
    found: list[Any] = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(4)
        rows = torch.randn(1, 2, 5, 4).to(device)
        mask = torch.zeros(5, 5, device=device, requires_grad=True)
        torch.nn.functional.scaled_dot_product_attention(rows, rows, rows, attn_mask=mask).sum().backward()
        found.append(mask.grad.cpu())
    torch.testing.assert_close(*found)


def test_wrong_arguments_are_told_as_on_the_cpu(torch: Any) -> None:
    told: list[str] = []
    for device in ("cpu", "cuda"):
        with pytest.raises(RuntimeError) as error:
            torch.nn.functional.scaled_dot_product_attention(
                torch.ones(2, 3, 4, device=device), *[torch.ones(2, 3, 5, device=device)] * 2
            )
        told.append(str(error.value).splitlines()[0])
    assert told[0] == told[1]


def test_compiled_and_mixed_precision(torch: Any) -> None:
    compiled = torch.compile(torch.nn.functional.scaled_dot_product_attention, backend="aot_eager")
    on_cpu = attention(torch, "cpu", "causal", "float32")
    assert all(map(torch.equal, attention(torch, "cuda", "causal", "float32", compiled), on_cpu))
    with torch.autocast("cuda", torch.bfloat16):
        found = attention(torch, "cuda", "causal", "float32")
    assert found[0].dtype == torch.bfloat16
    torch.testing.assert_close(found[0].float(), on_cpu[0], rtol=0.05, atol=0.05)
