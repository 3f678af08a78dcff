# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which range tests whole blocks answer at once, and that every block still computes the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from differential import Dims, lowered, results

from warploom.ir.core import FALSE, TRUE, Function, Op, walk, walk_op
from warploom.ir.ops import PARTIAL, levels_in
from warploom.ir.parser import parse_function
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context
from warploom.passes.guards.version_blocks import VERSION_BLOCKS

# Thread i adds one to p[i] where TEST holds, then a barrier, then two.
KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    %m: i32 = mul %bx, %bdx
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %i: i32 = add %m, %tx
      %w: i64 = zext %i
      %a: ptr = gep %p, %w [offset=0, strides=(4)]
      TEST
      if %c {
        %x: i32 = load %a [align=4]
        %y: i32 = add %x, 1:i32
        store %y, %a [align=4]
        yield
      } {
        yield
      }
      BARRIER
      if %c {
        %x2: i32 = load %a [align=4]
        %y2: i32 = add %x2, 2:i32
        store %y2, %a [align=4]
        yield
      } {
        yield
      }
      yield
    }
    yield
  }
  yield
}
"""
BELOW = "%c: i1 = icmp %i, %n [pred=slt]"
WRAPPING = """%k: i32 = add %i, 5:i32
      %j: i32 = add %k, %n
      %c: i1 = icmp %j, 40:i32 [pred=ult]"""
BACKWARDS = """%j: i32 = sub %n, %i
      %c: i1 = icmp 0:i32, %j [pred=sle]"""
BOTH = """%c1: i1 = icmp %i, %n [pred=slt]
      %c2: i1 = icmp %i, 3:i32 [pred=sgt]
      %c: i1 = and %c1, %c2"""
BELOW_0 = """%k: i32 = sub %i, 5:i32
      %c: i1 = icmp %k, %n [pred=ult]"""
AT_EDGE = "%c: i1 = icmp %i, 3:i32 [pred=slt]"
LAUNCHES: list[tuple[Dims, Dims]] = [
    ((4, 1, 1), (16, 1, 1)),
    ((3, 1, 1), (7, 1, 1)),
    ((1, 1, 1), (33, 1, 1)),
    ((4, 1, 1), (2, 1, 1)),  # the first thread of a block is the last one at the edge
]


def kernel(test: str, barrier: str = "barrier [level=block]") -> Function:
    return parse_function(KERNEL.replace("TEST", test).replace("BARRIER", barrier))


def versions(function: Function) -> list[Op]:
    """The loops over threads after the pass."""
    VERSION_BLOCKS.run(function, Context())
    return [op for op in walk(function.body) if op.name == "block"]


def comparisons(block: Op) -> list[Op]:
    return [
        op for op in walk_op(block) if op.name == "icmp" and any(op.result in each.operands for each in walk_op(block))
    ]


@pytest.mark.parametrize("test", [BELOW, WRAPPING, BACKWARDS, BOTH])
def test_whole_blocks_do_not_ask(test: str) -> None:
    whole, other = versions(kernel(test))
    assert not comparisons(whole)
    assert comparisons(other)
    assert levels_in(whole), "the barrier stays"
    assert [op.attrs.get(PARTIAL, False) for op in (whole, other)] == [False, True]


def test_a_sum_that_is_known_not_to_wrap_then_says_so() -> None:
    whole, other = versions(kernel(WRAPPING))
    marked = [[op.attrs.get("flags") for op in walk_op(block) if op.name == "add"] for block in (whole, other)]
    assert ("nuw",) in marked[0]
    assert ("nuw",) not in marked[1]


def test_most_blocks_are_not_at_the_edge_of_the_data() -> None:
    for test, answer in ((AT_EDGE, FALSE), (AT_EDGE.replace("3:i32", "100:i32"), TRUE), (BELOW, TRUE)):
        whole, other = versions(kernel(test))
        conditions = [[op.operands[0] for op in walk_op(block) if op.name == "if"] for block in (whole, other)]
        assert set(conditions[0]) == {answer}
        assert answer not in conditions[1]


@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("test", [BELOW, WRAPPING, BACKWARDS, BOTH, BELOW_0, AT_EDGE])
def test_every_block_computes_the_same(test: str, launch: tuple[Dims, Dims]) -> None:
    original = kernel(test)
    versioned, _ = lowered(original, [VERSION_BLOCKS, SPLIT_BARRIERS])
    assert len([op for op in walk(versioned.body) if op.name == "if"]) > 4
    for n in (-20, -3, 0, 1, 15, 16, 17, 33, 48, 100, 2**31 - 1):
        assert results(versioned, *launch, n % 2**32, 1) == results(original, *launch, n % 2**32)


@pytest.mark.parametrize(
    "test",
    [
        "%c: i1 = icmp %tx, %n [pred=slt]",  # all blocks alike
        "%c: i1 = icmp %i, %n [pred=eq]",  # few blocks
        "%q: i32 = mul %tx, %tx\n %r: i32 = add %q, %i\n %c: i1 = icmp %r, %n [pred=slt]",  # not linear
        "%c: i1 = icmp %m, %n [pred=slt]",  # the same for all threads as it is
        "%l: i64 = sext %n\n %h: i64 = mul %l, 4611686018427387904:i64\n %g: i64 = add %w, %h\n"
        " %c: i1 = icmp %g, %l [pred=slt]",  # claims that 64 bits do not hold
        "%l: i128 = sext %n\n %g: i128 = sext %i\n %c: i1 = icmp %g, %l [pred=slt]",  # as long as they may be
    ],
)
def test_what_says_nothing_of_most_blocks_stays(test: str) -> None:
    assert len(versions(kernel(test))) == 1


LAST = """%far: i32 = sub %n, %m [flags=(nsw)]
      %last: i32 = call %far, 15:i32 [callee=llvm.smin.i32, effects=none, speculatable=true]
      %c2: i1 = icmp %tx, %last [pred=sgt]"""


def test_what_is_clamped_to_the_data_is_no_test_beside_one_that_is_not() -> None:
    both = f"{LAST}\n%c1: i1 = icmp %i, %n [pred=slt]\n%c: i1 = and %c1, %c2"
    whole, _ = versions(kernel(both))
    assert [str(op.attrs["pred"]) for op in comparisons(whole)] == ["sgt"]


def test_alone_it_is_one() -> None:
    assert len(versions(kernel(LAST.replace("%c2", "%c").replace("sgt", "sle")))) == 2


def test_a_guard_around_all_is_left_to_become_the_bound() -> None:
    text = KERNEL.replace("TEST", BELOW)
    alone = text[: text.index("      BARRIER")] + text[text.index("      yield\n    }\n    yield\n  }") :]
    assert len(versions(parse_function(alone))) == 1


def test_without_a_barrier_two_uses_of_a_test_are_reason_enough() -> None:
    assert len(versions(kernel(BELOW, barrier=""))) == 2


@pytest.mark.parametrize(("ops", "block", "written"), [(50, False, 2), (150, False, 1), (150, True, 2), (400, True, 1)])
def test_a_large_kernel_is_not_written_twice(ops: int, block: bool, written: int) -> None:
    many = "\n".join(f"%v{number}: i32 = load %a [align=4, volatile=true]" for number in range(ops))
    function = kernel(BELOW + "\n" + many)
    if block:
        function.facts = replace(function.facts, block=(16, 1, 1))
    assert len(versions(function)) == written
