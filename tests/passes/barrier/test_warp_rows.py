# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives under conditions of all ids do what they do in the interpreter, in the blocks that they are meant for."""

from __future__ import annotations

import itertools

import pytest
from differential import Dims, lowered, results
from fission_kernels import kernel

from warploom.analysis.warp_groups import Warps, assumed_warps
from warploom.core.remarks import Unsupported
from warploom.ir.interpreter import Fault
from warploom.ir.parser import parse_function
from warploom.passes.barrier.meet_collectives import MEET_COLLECTIVES
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.barrier.split_warps import SPLIT_WARPS

HEAD = """
      %v: i32 = load %here [align=4]
      %odd: i32 = and %v, 1:i32
      %two: i32 = and %v, 2:i32
"""
TAIL = "\n      store %r, %here [align=4]"
# Conditions %c, of parts of a row, of rows, of the linear id, and of the number of a thread in x in all blocks.
CONDITIONS = {
    "x < 32": "%c: i1 = icmp %tx, 32:i32 [pred=ult]",
    "x & 8": "%b: i32 = and %tx, 8:i32\n%c: i1 = icmp %b, 0:i32 [pred=eq]",
    "x & 32": "%b: i32 = and %tx, 32:i32\n%c: i1 = icmp %b, 0:i32 [pred=eq]",
    "y & 1": "%b: i32 = and %ty, 1:i32\n%c: i1 = icmp %b, 0:i32 [pred=eq]",
    "linear < 32": "%c: i1 = icmp %lin, 32:i32 [pred=ult]",
    "linear & 16": "%b: i32 = and %lin, 16:i32\n%c: i1 = icmp %b, 0:i32 [pred=eq]",
    "x in all blocks": "%g: i32 = mul %bx, %bdx\n%i: i32 = add %g, %tx\n%w: i32 = lshr %i, 5:i32\n"
    "%b: i32 = and %w, 1:i32\n%c: i1 = icmp %b, 0:i32 [pred=eq]",
}
FULL, HALF = "-1:i32", "%half"
MASK = "%above: i32 = and %lin, 16:i32\n%half: i32 = shl 65535:i32, %above\n"
BODIES = {
    "both sides": """%r: i32 = if %c {
        %a: i32 = vote MASK, %odd [kind=ballot]
        yield %a
      } {
        %b2: i32 = vote MASK, %two [kind=ballot]
        %other: i32 = xor %b2, 7:i32
        yield %other
      }""",
    "passing by": """%s: i32 = if %c {
        %a: i32 = vote MASK, %odd [kind=ballot]
        yield %a
      } {
        yield 5:i32
      }
      %o: i32 = vote MASK, %two [kind=ballot]
      %r: i32 = add %o, %s""",
    "rounds": """%m: i32 = zext %c
      %end: i32 = add %m, 2:i32
      %r: i32 = for 0:i32, %end, 1:i32, 0:i32 [pred=slt] { (%k: i32, %sum: i32)
        %z: i32 = add %v, %k
        %bit: i32 = and %z, 1:i32
        %a: i32 = vote MASK, %bit [kind=ballot]
        %t: i32 = mul %sum, 3:i32
        %u: i32 = add %t, %a
        yield %u
      }""",
}
BLOCKS: tuple[Dims, ...] = ((64, 1, 1), (32, 2, 1), (48, 2, 1), (8, 8, 1), (48, 1, 1))


def is_for(block: Dims, warps: Warps) -> bool:
    """Whether code for such warps is for the block."""
    if warps is Warps.ANY or block[0] % 32 == 0:
        return True
    return warps is Warps.ROWS and block[1:] == (1, 1)


@pytest.mark.parametrize("mask", [FULL, HALF], ids=["warps", "halves"])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_lanes_meet_as_in_the_interpreter(condition: str, body: str, mask: str) -> None:
    text = kernel(HEAD + CONDITIONS[condition] + "\n" + MASK + BODIES[body].replace("MASK", mask) + TAIL)
    original = parse_function(text)
    try:
        split, _ = lowered(original, [MEET_COLLECTIVES, SPLIT_BARRIERS, SPLIT_WARPS])
    except Unsupported:
        assert body != "both sides", "the sides are alike"
        return
    compared = 0
    for block, seed in itertools.product(BLOCKS, (None, 1)):
        if not is_for(block, assumed_warps(split)):
            continue
        threads = 2 * block[0] * block[1] * block[2]
        try:
            expected = results(original, (2, 1, 1), block, threads, seed)
        except Fault:
            continue  # CUDA leaves it open
        assert results(split, (2, 1, 1), block, threads, seed) == expected, block
        compared += 1
    assert compared >= 4
