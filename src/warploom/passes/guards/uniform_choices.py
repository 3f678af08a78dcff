# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices that are the same for all threads are made once, around the loop over threads.

    block %bdx, 1, 1 { (%tx)                     if %whole {
      A                                            block %bdx, 1, 1 { (%tx) A; B; D }
      if %whole { B } { C }             ==>      } {
      D                                            block %bdx, 1, 1 { (%tx) A; C; D }
    }                                            }

and so are those within conditions that threads part at, as what a thread does behind `if (i < n)`.

What a block does with whole pieces of the data and what it does at their end are two loops then: LLVM takes what is
the same in all trips out of a loop, both sides' if they stand in one, and keeps in memory what registers do not hold.
Each is looked at by itself by the passes that follow, the guards of the one side included.

Sound because the condition is computed in front of the loop, so that all threads decide alike, and because each thread
runs the same ops in the same order as before. A block has a thread, and each thread comes to a choice that stands in
the loop itself, so that none is made that nobody made before; one within other conditions may be such a one, and is
frozen: where no thread comes to it, either side will do.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.ir.core import (
    Builder,
    Function,
    Op,
    Region,
    Value,
    clone_op,
    defined_in,
    walk_op,
)
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.guards.thread_loops import replace_thread_loops, take_side

NAME = "uniform_choices"
MOST_COPIED = 60  # ops around a choice, which both loops have; more around a large one
LEAST = 16  # ops of a choice: LLVM copes with smaller ones


def uniform_choice(block: Op) -> Op | None:
    """The first choice in the loop that all threads make alike, where it is worth a loop for each side."""
    inside = defined_in(block)
    size = _size(block)
    for op in _choices(block.region):
        if isinstance(op.operands[0], Value) and op.operands[0] not in inside:
            own = _size(op)
            if own >= LEAST and size - own <= max(MOST_COPIED, own // 4):
                return op
    return None


def _choices(region: Region) -> Iterator[Op]:
    """The choices that a thread comes to at most once, those around others first."""
    for op in region.body:
        if op.name == "if":
            yield op
            for inner in op.regions:
                yield from _choices(inner)


def _size(op: Op) -> int:
    return sum(1 for _ in walk_op(op))


def taken_out(block: Op, choice: Op) -> list[Op]:
    """The choice, with a loop for each side."""
    at = list(walk_op(block)).index(choice)
    loops = [_loop_of_side(clone_op(block, {}), at, number) for number in (0, 1)]
    ops: list[Op] = []
    condition = choice.operands[0]
    if choice not in block.region.ops:
        condition = Builder(ops, choice.loc).op("freeze", [condition], "i1")
    sides = [Region([], [each, Op("yield")]) for each in loops]
    return [*ops, Op("if", [condition], [], {}, sides, choice.loc)]


def _loop_of_side(block: Op, at: int, number: int) -> Op:
    """The loop as it is where its choice, op number `at` in program order, takes side `number`."""
    choice = list(walk_op(block))[at]
    inside = next(each for op in walk_op(block) for each in op.regions if choice in each.ops)
    take_side(inside, choice, number, block.region)
    return block


def _rewritten(block: Op, context: Context) -> list[Op] | None:
    """The loop with its choices taken out; None where it has none."""
    choice = uniform_choice(block)
    if choice is None:
        return None
    *before, chosen = taken_out(block, choice)
    context.remark(NAME, "a choice that all threads make alike is made around their loop", choice.loc)
    for side in chosen.regions:
        loop, end = side.ops
        side.ops = [*(_rewritten(loop, context) or [loop]), end]
    return [*before, chosen]


def run(function: Function, context: Context) -> bool:
    """Take choices out of the loops over threads of `function`."""
    return replace_thread_loops(function, lambda block: _rewritten(block, context))


UNIFORM_CHOICES = Pass(NAME, run, requires=(FLAT,), idempotent=True)
