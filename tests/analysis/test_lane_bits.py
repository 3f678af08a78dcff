# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many low bits of a value the lane decides: checked against the numbers of many warps."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel

from warploom.analysis.lane_bits import ALL, LaneBits
from warploom.analysis.sample_warps import SampleWarp
from warploom.ir.core import Value, walk
from warploom.ir.ops import WARP_SIZE

# One value a line: its op, the bits that are known.
FACTS = {
    "add %tx, 7:i32": 5,
    "mul %tx, 3:i32": 5,
    "xor %tx, 5:i32": 5,
    "and %tx, 31:i32": ALL,
    "and %tx, 63:i32": 5,
    "and 31:i32, %tx": 5,
    "and %tx, 24:i32": ALL,
    "shl %tx, 2:i32": 7,
    "shl %tx, 27:i32": ALL,
    "shl %tx, %tx": 0,
    "lshr %tx, 2:i32": 3,
    "lshr %tx, 6:i32": 0,
    "ashr %tx, 2:i32": 0,
    "udiv %tx, 2:i32": 0,
    "add %tx, %ty": 0,
    "freeze %tx": 5,
}
OF_OTHERS = """
%low: i32 = lshr %tx, 2:i32
%three: i32 = and %low, 7:i32
%four: i32 = and %low, 15:i32
%lane: i32 = and %tx, 31:i32
%half: i1 = icmp %lane, 16:i32 [pred=ult]
%some: i32 = select %half, %lane, 3:i32
%mask: i32 = shl 1:i32, %lane
%byte: i3 = trunc %low
%wide: i64 = zext %low
%deep: i32 = sdiv %lane, 3:i32
"""
OTHERS = {"three": ALL, "four": 3, "half": ALL, "some": ALL, "mask": ALL, "byte": ALL, "wide": 3, "deep": ALL}


@pytest.mark.parametrize("text", FACTS)
def test_of_one_op(text: str) -> None:
    assert bits_of(f"%v: i32 = {text}\n")["v"] == FACTS[text]


def test_of_several() -> None:
    found = bits_of(OF_OTHERS)
    assert {name: found[name] for name in OTHERS} == OTHERS


def bits_of(body: str) -> dict[str, int]:
    """What is found of each value of a kernel; all of it is so in each warp of a row."""
    function = block_kernel(body)
    (block,) = (op for op in walk(function.body) if op.name == "block")
    makers = {value: op for op in walk(function.body) for value in op.results}
    x = block.region.params[0]
    bits = LaneBits(makers, lambda value: value is x)
    found = {value.name: bits.of(value) for op in block.region.ops for value in op.results}
    assert bits.decides(block.operands[1]) == (not isinstance(block.operands[1], Value))
    warps = [SampleWarp(makers, {x: range(first, first + WARP_SIZE)}) for first in range(0, 1024, WARP_SIZE)]
    for op in block.region.ops:
        for value in op.results:
            rows = [each.numbers(value) for each in warps]
            known = {tuple(each % (1 << bits.of(value)) for each in row) for row in rows if row is not None}
            assert len(known) <= 1, f"{value.name} has more than one row"
    return found
