# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which warp collectives may wait for lanes that do not come to them together."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel

from warploom.analysis.open_collectives import warp_lanes
from warploom.analysis.warp_groups import likely_warps
from warploom.ir.core import walk
from warploom.ir.ops import Level, collective_level
from warploom.passes.shape.specialise_launch import specialise

HALF = "%c: i1 = icmp %tx, 16:i32 [pred=ult]\n"
ROW = "%before: i32 = mul %bx, %bdx\n%i: i32 = add %before, %tx\n"
ASKED = "%v: i32 = load %at [align=4]\n%c: i1 = icmp %v, 0:i32 [pred=ne]\n%w: i32 = zext %c\n"
VOTE = ASKED + "%m: i32 = vote -1:i32, %w [kind=ballot]\n"
AT = "%x: i64 = zext %tx\n%at: ptr = gep %p, %x [offset=0, strides=(4)]\n"
BIT = (
    "%v: i32 = load %at [align=4]\n%b: i32 = and %v, 1:i32\n%c: i1 = icmp %b, 0:i32 [pred=ne]\n"
    "%m: i32 = vote -1:i32, %b [kind=ballot]\n"
)
OWN = "%not_c: i1 = xor %c, 1:i1\n"
FLIPPED = "%s: i32 = xor %m, %all\n"
LANE = "%l: i32 = and %tx, 31:i32\n"
SYNC = "barrier {} [level=warp]\n"


def under(mask: str, side: int = 0) -> str:
    """A warp barrier on one side of %c."""
    sync = SYNC.format(mask)
    return f"if %c {{ {sync} yield }} {{ yield }}" if side == 0 else f"if %c {{ yield }} {{ {sync} yield }}"


# One fact a line: the code, whether its last collective is open, why.
FACTS = [
    (SYNC.format("-1:i32"), False, "all come"),
    (HALF + under("-1:i32"), True, "it names lanes that go elsewhere"),
    (HALF + under("65535:i32"), False, "it names those that come"),
    (HALF + under("65535:i32", 1), True, "it names those that do not come"),
    (HALF + under("131071:i32"), True, "it names one more"),
    ("%c: i1 = icmp %tx, 64:i32 [pred=ult]\n" + under("-1:i32"), False, "whole warps part"),
    (ROW + "%w: i32 = lshr %i, 5:i32\n%c: i1 = icmp %w, %n [pred=slt]\n" + under("-1:i32"), False, "a warp for a row"),
    (ROW + "%c: i1 = icmp %i, %n [pred=slt]\n" + under("-1:i32"), True, "the last warp parts"),
    ("%c: i1 = icmp %ty, 3:i32 [pred=eq]\n" + under("-1:i32"), False, "a warp lies in one row"),
    (LANE + "%c: i1 = icmp %tx, 272:i32 [pred=ult]\n" + under("2147483647:i32"), True, "warp 8 parts"),
    (LANE + "%c: i1 = icmp %l, 16:i32 [pred=ult]\n" + under("65535:i32"), False, "all warps part alike"),
    ("%h: i32 = lshr %bdx, 1:i32\n%c: i1 = icmp %tx, %h [pred=ult]\n" + under("65535:i32"), True, "as the width says"),
    (
        "%s: i32 = shl %ty, 3:i32\n%e: i32 = add %s, %tx\n%c: i1 = icmp %e, 300:i32 [pred=ult]\n" + under("65535:i32"),
        True,
        "as the row says",
    ),
    (
        "%r: i32 = lshr %tx, 3:i32\n%c: i1 = icmp %r, %n [pred=slt]\n%l: i32 = and %tx, 24:i32\n"
        "%m: i32 = shl 255:i32, %l\n" + under("%m"),
        False,
        "groups of 8 stay together",
    ),
    (
        "%r: i32 = lshr %tx, 2:i32\n%c: i1 = icmp %r, %n [pred=slt]\n%l: i32 = and %tx, 24:i32\n"
        "%m: i32 = shl 255:i32, %l\n" + under("%m"),
        True,
        "groups of 8 part",
    ),
    (AT + VOTE + under("%m"), False, "those that have voted for it"),
    (AT + VOTE + under("%m", 1), True, "those that have voted for it, on the other side"),
    (AT + VOTE + "%o: i32 = xor %m, -1:i32\n" + under("%o", 1), False, "those that have not"),
    (AT + VOTE + "%o: i32 = xor %m, -1:i32\n%s: i32 = select %c, %m, %o\n" + under("%s", 1), False, "one's own answer"),
    (AT + VOTE + OWN + "%all: i32 = sext %not_c\n" + FLIPPED + under("%s", 1), False, "one's own answer, by bits"),
    (AT + VOTE + OWN + "%all: i32 = sext %c\n" + FLIPPED + under("%s", 1), True, "the answer of the others, by bits"),
    (AT + VOTE + "%all: i32 = add %w, -1:i32\n" + FLIPPED + under("%s"), False, "one's own answer, by a sum"),
    (AT + VOTE + "%all: i32 = add %w, -2:i32\n" + FLIPPED + under("%s"), True, "another sum"),
    (
        AT + BIT + "%low: i32 = or %v, -2:i32\n%all: i32 = add %low, 1:i32\n" + FLIPPED + under("%s", 1),
        False,
        "one's own answer, as LLVM negates a bit",
    ),
    (AT + VOTE + "%all: i32 = mul %w, -1:i32\n" + FLIPPED + under("%s"), True, "a product"),
    (AT + VOTE + "%some: i32 = and %m, %n\n" + under("%some"), False, "some of those that have voted for it"),
    (AT + VOTE + "%same: i32 = freeze %m\n" + under("%same"), False, "those that have voted for it, frozen"),
    (AT + VOTE + "%s: i32 = select %c, %m, %n\n" + under("%s", 1), True, "another number on the other side"),
    (AT + VOTE + "%o: i32 = xor %n, -1:i32\n%s: i32 = select %c, %n, %o\n" + under("%s"), True, "nobody's answer"),
    (AT + ASKED + under("%n"), True, "a mask that the host gives"),
    (
        AT + ASKED + "%m: i32 = activemask\n" + under("%m"),
        True,
        "those that were there before",
    ),
    (
        AT
        + VOTE
        + "%e: i1 = icmp %tx, %n [pred=slt]\nif %c { if %e { "
        + SYNC.format("%m")
        + " yield } { yield } yield }"
        " { yield }",
        True,
        "some of those that have voted for it come",
    ),
    (
        AT
        + VOTE
        + "%e: i1 = icmp %n, 5:i32 [pred=slt]\nif %c { if %e { "
        + SYNC.format("%m")
        + " yield } { yield } yield }"
        " { yield }",
        False,
        "all of those, or none",
    ),
    (
        "%end: i32 = while %tx { (%k: i32) %g: i1 = icmp %k, 5:i32 [pred=slt]\ncondition %g, %k } { (%l: i32)\n"
        "%next: i32 = add %l, 1:i32\n" + SYNC.format("-1:i32") + " yield %next }",
        True,
        "they leave one by one",
    ),
    (AT + ASKED + "if %c { %m: i32 = activemask\n" + SYNC.format("%m") + " yield } { yield }", False, "those here"),
    (AT + ASKED + "if %c { barrier [level=warp, lock_step=true] yield } { yield }", False, "it waits for nobody else"),
    ("for 0:i32, %tx, 1:i32 [pred=slt] { (%k: i32) " + SYNC.format("-1:i32") + " yield }", True, "rounds differ"),
    ("for 0:i32, %n, 1:i32 [pred=slt] { (%k: i32) " + SYNC.format("-1:i32") + " yield }", False, "all go as often"),
]


@pytest.mark.parametrize(("body", "is_open", "why"), FACTS, ids=[fact[-1] for fact in FACTS])
def test_open(body: str, is_open: bool, why: str) -> None:
    function = block_kernel(body)
    (block,) = (op for op in walk(function.body) if op.name == "block")
    *_, last = (op for op in walk(function.body) if not op.regions and collective_level(op) is Level.WARP)
    assert warp_lanes(function, block, likely_warps(function)).is_open(last) == is_open, why


def test_in_blocks_with_short_rows_a_warp_has_several() -> None:
    function = block_kernel("%c: i1 = icmp %ty, 3:i32 [pred=eq]\n" + under("-1:i32"), attrs="block=(16, 16, 1)")
    (block,) = (op for op in walk(function.body) if op.name == "block")
    *_, last = (op for op in walk(function.body) if op.name == "barrier")
    assert warp_lanes(function, block, likely_warps(function)).is_open(last)


def test_of_a_block_of_known_size_all_warps_are_tried() -> None:
    part = "%c: i1 = icmp %tx, 272:i32 [pred=ult]\n" + under("2147483647:i32")
    for width, expected in ((256, False), (288, True), (512, True)):
        function = specialise(block_kernel(part), (width, 1, 1))
        (block,) = (op for op in walk(function.body) if op.name == "block")
        *_, last = (op for op in walk(function.body) if op.name == "barrier")
        assert warp_lanes(function, block, likely_warps(function)).is_open(last) == expected
