# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Han et al., COX: CUDA on x86 by Exposing Warp-Level Functions to CPUs, claim, on code from CUDA source."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from paper_kernels import Outcome, inside, interpreted, lowered, output

from warploom.ir.core import Const, Op
from warploom.ir.memory import Memory

PROGRAM = "cox"
BLOCK = 96
KERNELS = ("reduce_first_warp", "votes", "two_votes", "halves", "odd_lanes", "two_levels")


def test_results() -> None:
    # Every collective computes what it does on the reference engine, whose threads run in a random order here.
    expected = output(PROGRAM, "reference", "--seed", "5")
    assert expected.count(" ok\n") == 8
    assert output(PROGRAM, "loom") == expected


def only_warp(found: Outcome) -> Op:
    """The one loop over warps."""
    (warp,) = found.ops("warp")
    return warp


def control(ops: Sequence[Op]) -> list[str]:
    """The loops and conditions among `ops`."""
    return [op.name for op in ops if op.regions]


def test_a_warp_is_a_loop_of_32_lanes_inside_of_a_loop_over_warps() -> None:
    # Figure 1(c), hierarchical collapsing: the inter-warp loop encloses the intra-warp loops, 32 lanes each.
    found = lowered(PROGRAM, "reduce_first_warp")
    warp = only_warp(found)
    assert warp.operands == [Const("i32", BLOCK // 32)]
    assert {tuple(lane.operands) for lane in inside([warp], "lane")} == {(Const("i32", 32),)}
    assert len(inside([warp], "lane")) == len(found.ops("lane")) > 1
    assert found.ops("block") == []


def test_the_condition_on_the_first_warp_leaves_the_lanes() -> None:
    # Code 3: "the instructions ... evaluate the condition of the if-then construct only for the first thread in the
    # warp": the `if` stands between lane loops, on the number of the warp's first thread, and no lane asks again.
    found = lowered(PROGRAM, "reduce_first_warp")
    warp = only_warp(found)
    assert control(warp.region.body) == ["lane", "if", "lane"]
    (condition,) = [op for op in warp.region.body if op.name == "if"]
    (compared,) = [op for op in warp.region.body if op.results == [condition.operands[0]]]
    assert (compared.name, compared.attrs["pred"], compared.operands[1]) == ("icmp", "ult", Const("i32", 32))
    assert inside(found.ops("lane"), "if") == []


def test_the_condition_leaves_the_lanes_for_blocks_of_any_size() -> None:
    # With the size unknown there are two versions: warps that lie in one row of the block still ask once.
    found = lowered(PROGRAM, "reduce_first_warp", any_size=True)
    (rows,) = [op for op in only_warp(found).region.body if op.name == "if"]
    one_row, several = rows.regions
    assert control(one_row.body) == ["lane", "if", "lane"]
    assert inside([op for op in one_row.body if op.name == "lane"], "if") == []
    assert inside([op for op in several.body if op.name == "lane"], "if")


def test_a_loop_around_a_shuffle_leaves_the_lanes() -> None:
    # Code 3 again: `for (offset...)` encloses the lane loops. (It is unrolled unless that is switched off.)
    found = lowered(PROGRAM, "reduce_first_warp", "unroll")
    (condition,) = [op for op in only_warp(found).region.body if op.name == "if"]
    loops = [op for op in condition.regions[0].body if op.name in ("for", "while")]
    assert len(loops) == 1
    assert len(inside(loops, "lane")) >= 2
    assert inside(found.ops("lane"), "for") == inside(found.ops("lane"), "while") == []


def test_a_vote_is_decided_once_a_warp() -> None:
    # Code 4: each lane stores its flag, then all 32 flags are looked at at once, "implemented with the AVX
    # instructions": a load of 32 bytes between two lane loops.
    found = lowered(PROGRAM, "vote_all")
    warp = only_warp(found)
    assert control(warp.region.body) == ["lane", "lane"]
    assert [op.result.type for op in warp.region.body if op.name == "load"][:1] == ["<32 x i8>"]
    assert not any(op.result.type.startswith("<32") for op in inside(found.ops("lane"), "load"))


def test_two_votes_in_a_row_do_not_meet() -> None:
    # Code 5: barriers against read-after-write and write-after-read. Each vote has a row of its own here, so the one
    # lane loop that reads the first result may write for the second vote: three lane loops instead of four.
    found = lowered(PROGRAM, "two_votes")
    assert control(only_warp(found).region.body) == ["lane", "lane", "lane"]
    assert found.kept("warp").count(1) == 2


def test_what_crosses_only_barriers_of_the_warp_has_32_places() -> None:
    # Section 3.6: "local variables ... used in several warp-level PRs but only used in a single block-level PR ... are
    # replicated with an array of length 32", those "used among different block-level PRs" with one of the block's size.
    found = lowered(PROGRAM, "two_levels")
    assert found.kept("block") == [4]  # `own`, across two barriers of the block
    assert len(found.kept("warp")) > 0
    assert control(found.ops("grid")[0].region.body) == ["warp", "warp", "block"]


def test_lanes_of_one_warp_may_go_two_ways() -> None:
    # COX leaves out collectives of some lanes (section 2.2.3, "can be harmful"). Here both sides run, one after the
    # other: lanes ask which side they are on, and bytes say which lanes came to each of the four and one collectives.
    found = lowered(PROGRAM, "halves")
    warp = only_warp(found)
    assert set(control(warp.region.body)) == {"lane"}
    assert sum(bool(inside([lane], "if")) for lane in inside([warp], "lane")) >= 7
    assert found.kept("warp").count(1) == 5


@pytest.mark.parametrize("kernel", KERNELS)
def test_any_order_of_lanes(kernel: str) -> None:
    # The lanes of one loop are independent: a random order of warps and lanes computes the same as the order 0, 1, 2...
    function = lowered(PROGRAM, kernel).function

    def result(seed: int | None) -> list[int]:
        memory = Memory()
        data = memory.array("i32", [(7919 * i * i + 31 * i) % 101 for i in range(BLOCK)])
        out = memory.array("i32", [0] * BLOCK)
        interpreted(function, BLOCK, [data, out], memory, seed=seed)
        return memory.values("i32", out, BLOCK)

    expected = result(None)
    assert [result(seed) for seed in (1, 2)] == [expected, expected]
