# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop over vectors of threads whose launch lets all of them take rows is written without the other sides.

    for 0, 128, 32 [of_threads] {               %all = %same & (%stride == 4)
      if %same { A } { gather }                 if %all {
      if %stride == 4 { B } { scatter }   ==>     for 0, 128, 32 [of_threads] { A; B }
    }                                           } {
                                                  for 0, 128, 32 [of_threads] { ... as it was ... }
                                                }

Whether threads lie in a row, and how far apart what they access lies, is the same for all threads of a block; the
passes that ask (row_versions, stride_versions, piece_versions) ask where an access stands. All that is asked so is
asked once in front of the loop, where the first side of each choice has a way without gathering, scattering or looping
and the second has not.

Sound because each condition is computed in front of the loop from what does not change in it, and frozen, as no thread
may come to it; where all hold, each thread runs the same ops in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.ir.core import (
    TRUE,
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    walk,
    walk_op,
)
from warploom.ir.ops import OF_THREADS
from warploom.ir.properties import is_duplicable, is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.clean.dead_code import remove_dead_code
from warploom.passes.guards.thread_loops import replace_loops, take_side

NAME = "unswitch"
MOST_CHOICES = 8  # of a loop; with more of them, all are seldom right
LARGEST = 300  # ops of a loop that is worth writing twice
_DEEPEST = 3  # ops that a condition is computed from
_SLOW = frozenset(("gather", "scatter", "while"))


def is_version(choice: Op) -> bool:
    """Whether the second side of `choice` gathers, scatters or loops, and the first has a way around that."""
    first, second = choice.regions
    return any(op.name in _SLOW for op in walk(second)) and not _is_slow(first)


def _is_slow(region: Region) -> bool:
    """Whether all ways through `region` gather, scatter or loop."""
    return any(op.name in _SLOW or (op.name == "if" and all(map(_is_slow, op.regions))) for op in region.ops)


def is_steady(operand: Operand, inside: set[Value], made: dict[Value, Op], depth: int = 0) -> bool:
    """Whether `operand` can be computed in front of the loop that defines the values `inside`."""
    if isinstance(operand, Const) or operand not in inside:
        return True
    op = made.get(operand)
    if op is None or op.regions or depth >= _DEEPEST or not (is_speculatable(op) and is_duplicable(op)):
        return False
    return all(is_steady(each, inside, made, depth + 1) for each in op.operands)


def steady_choices(loop: Op, inside: set[Value], made: dict[Value, Op]) -> list[Op]:
    """The choices to make in front of `loop`, which defines the values `inside`."""

    def visit(region: Region) -> Iterator[Op]:
        for op in region.body:
            chosen = op.name == "if" and is_version(op) and is_steady(op.operands[0], inside, made)
            if chosen:
                yield op
            for inner in op.regions[:1] if chosen else op.regions:
                yield from visit(inner)

    return list(visit(loop.region))


def _in_front(operand: Operand, inside: set[Value], made: dict[Value, Op], build: Builder) -> Operand:
    """`operand`, computed in front of the loop."""
    if isinstance(operand, Const) or operand not in inside:
        return operand
    op = made[operand]
    mapping = {each: _in_front(each, inside, made, build) for each in op.operands if isinstance(each, Value)}
    return build.add(clone_op(op, mapping)).result


def unswitched(loop: Op) -> list[Op] | None:
    """What takes the place of `loop`; None where it stays."""
    originals = list(walk_op(loop))
    if len(originals) > LARGEST or loop.results:
        return None
    inside = defined_in(loop)
    made = {value: op for op in originals for value in op.results}
    choices = steady_choices(loop, inside, made)
    if not 0 < len(choices) <= MOST_CHOICES:
        return None
    ops: list[Op] = []
    build = Builder(ops, loop.loc)
    asked: dict[Operand, Operand] = {}
    for choice in choices:
        condition = choice.operands[0]
        if condition not in asked:
            asked[condition] = build.op("freeze", [_in_front(condition, inside, made, build)], "i1")
    together, *others = asked.values()
    for other in others:
        together = build.op("and", [together, other], "i1")
    quick = clone_op(loop, {})
    copies = dict(zip(originals, walk_op(quick), strict=True))
    for choice in choices:
        copies[choice].operands[0] = TRUE
    _take_first_sides(quick.region, quick.region)
    sides = [Region([], [each, Op("yield")]) for each in (quick, loop)]
    remove_dead_code(sides[0])
    return [*ops, Op("if", [together], [], {}, sides, loop.loc)]


def _take_first_sides(region: Region, whole: Region) -> None:
    """Put the first side of each choice that is certain in its place in `region`; `whole` is around all uses."""
    at = 0
    while at < len(region.ops):
        op = region.ops[at]
        if op.name == "if" and op.operands[0] == TRUE:
            take_side(region, op, 0, whole)
        else:
            for inner in op.regions:
                _take_first_sides(inner, whole)
            at += 1


def run(function: Function, context: Context) -> bool:
    """Write loops over threads of `function` once more for launches in which all choices are quick."""
    changed = replace_loops(function, lambda op: op.name == "for" and bool(op.attrs.get(OF_THREADS)), unswitched)
    if changed:
        context.remark(NAME, "where all vectors of a block take rows, their loop is written without the other sides")
    return changed


UNSWITCH = Pass(NAME, run)
