# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop over threads all of whose barriers are optional is written without them, too.

    block { (%tx)                                  %none = %c ^ 1 & ...      (each frozen)
      A                                            if %none {
      if %c { put; barrier; take }         ==>       block { A; B }
      B                                            } {
    }                                                block { A; if %c { put; barrier; take }; B }
                                                   }

A kernel for any shape of data is told by its launch which threads work together: those of a warp, of a column, of the
block. Splitting at barriers that a launch does without would keep what each thread has in memory in between, and take
what warps do there, one after the other, apart.

Sound because the conditions are computed in front of the loop, so that all threads decide alike; where none of them
leads to a barrier, each thread runs the same ops in the same order. They are frozen, as one within others may be one
that no thread comes to.
"""

from __future__ import annotations

from warploom.analysis.turns import takes_turns
from warploom.core.records import dataclass
from warploom.ir.core import TRUE, Builder, Function, Op, Operand, Region, Value, clone_op, defined_in, walk_op
from warploom.ir.ops import Level, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import GRIDS_SPLIT, NO_PHASE_WAITS, ONE_LOOP_A_GRID
from warploom.passes.guards.thread_loops import replace_loops, take_side

NAME = "barrier_choices"
MOST = 4  # choices
LARGEST = 600  # ops of the loop without barriers that is worth writing besides


@dataclass(frozen=True, slots=True)
class Choice:
    """An `if` of which one side has a barrier, and the number of the other."""

    op: Op
    quiet: int


def has_barrier(region: Region) -> bool:
    """Whether threads of a block wait for each other in `region`."""
    return any(levels_in(op) & Level.BLOCK for op in region.ops)


def choices_around_barriers(region: Region, inside: set[Value]) -> list[Choice] | None:
    """The innermost choices that all barriers of `region` stand in; None where one stands in no choice that is known
    in front of the loop that defines the values `inside`."""
    found: list[Choice] = []
    for op in region.ops:
        if not levels_in(op) & Level.BLOCK:
            continue
        if op.name != "if" or op.operands[0] in inside:
            return None
        within = [choices_around_barriers(side, inside) for side in op.regions]
        if all(each is not None for each in within):
            found += [choice for each in within if each for choice in each]
            continue
        quiet = [number for number, side in enumerate(op.regions) if not has_barrier(side)]
        if not quiet:
            return None
        found.append(Choice(op, quiet[0]))
    return found


def without_barriers(block: Op, choices: list[Choice]) -> Op:
    """A copy of the loop that takes the quiet side of each choice."""
    copy = clone_op(block, {})
    copies = dict(zip(walk_op(block), walk_op(copy), strict=True))
    for choice in choices:
        op = copies[choice.op]
        around = next(each for other in walk_op(copy) for each in other.regions if op in each.ops)
        take_side(around, op, choice.quiet, copy.region)
    return copy


def versions(block: Op, context: Context) -> list[Op] | None:
    """The loop without barriers where no choice leads to one, and as it is; None where it stays alone."""
    choices = choices_around_barriers(block.region, defined_in(block))
    if not choices or len(choices) > MOST:
        return None
    copy = without_barriers(block, choices)
    if sum(1 for _ in walk_op(copy)) > LARGEST:
        return None
    ops: list[Op] = []
    build = Builder(ops, block.loc)
    none: Operand = TRUE
    for choice in choices:
        quiet = build.op("freeze", [choice.op.operands[0]], "i1")
        if choice.quiet:
            quiet = build.op("xor", [quiet, TRUE], "i1")
        none = quiet if none == TRUE else build.op("and", [none, quiet], "i1")
    context.remark(NAME, "where the launch does without its barriers, the loop over threads has none", block.loc)
    sides = [Region([], [each, Op("yield")]) for each in (copy, block)]
    return [*ops, Op("if", [none], [], {}, sides, block.loc)]


def run(function: Function, context: Context) -> bool:
    """Write versions of the loops over threads of `function` whose barriers are optional."""

    def made(block: Op) -> list[Op] | None:
        return None if takes_turns(function, block) else versions(block, context)

    return replace_loops(function, lambda op: op.name == "block" and bool(levels_in(op) & Level.BLOCK), made)


BARRIER_CHOICES = Pass(NAME, run, requires=(GRIDS_SPLIT, NO_PHASE_WAITS), breaks=(ONE_LOOP_A_GRID,))
