# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loads may wait until it is each thread's turn at an atomic operation."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel

from warploom.analysis.sinkable_loads import sinkable_loads
from warploom.ir.core import walk

COUNT = """
      %from: ptr = gep {data}, %tx [offset=0, strides=(4)]
      %other: ptr = gep @t:ptr, %tx [offset=0, strides=(4)]
      %x: i32 = load %from [align=4{attrs}]
      {between}
      %wide: i64 = zext %x
      %place: ptr = gep @s:ptr, {index} [offset=0, strides=(4)]
      %old: i32 = atomicrmw %place, {added} [operation=add, ordering=monotonic, align=4]
      {after}"""


def found(**parts: str) -> list[str]:
    """The loads that may wait, by name, of a thread that loads a number and adds to an element of @s."""
    usual = {"data": "%p", "attrs": "", "between": "", "index": "%wide", "added": "1:i32", "after": ""}
    function = block_kernel(COUNT.format(**{**usual, **parts}))
    definitions = {value: op for op in walk(function.body) for value in op.results}
    (block,) = (op for op in walk(function.body) if op.name == "block")
    return [op.result.name for op in sinkable_loads(block.region, definitions)]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"added": "%x"},
        {"data": "@t:ptr"},
        {"between": "%y: i32 = load %other [align=4]", "after": "store %y, %other [align=4]"},
        {"between": "%c: i1 = icmp %n, 3:i32 [pred=eq]", "after": "store 1:i32, %from [align=4]"},
    ],
)
def test_what_only_the_operation_needs(parts: dict[str, str]) -> None:
    """As its address, as what it adds, or both; what others load, compute, or store behind it does not matter."""
    assert found(**parts) == ["x"]


@pytest.mark.parametrize(
    "parts",
    [
        {"after": "store %x, %other [align=4]"},
        {"between": "store 3:i32, %other [align=4]"},
        {"attrs": ", ordering=monotonic"},
        {"attrs": ", volatile=true"},
        {"data": "@s:ptr"},
        {"between": "%y: i32 = and %x, 7:i32", "added": "%y"},
        {"index": "%tx"},
    ],
)
def test_what_must_be_loaded_before(parts: dict[str, str]) -> None:
    """Others use it, something may be written first, others see it, its elements are what is added to, it takes
    arithmetic, or the operation does not need it."""
    assert found(**parts) == []
