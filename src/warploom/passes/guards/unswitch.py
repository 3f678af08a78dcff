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
and the second has not. Where all hold it is asked, of comparisons of numbers that count with the loops, whether all
threads are within bounds, and no vector's offsets wrap (analysis/corners.py): then nothing is masked, either.

Sound because each condition is computed in front of the loop from what does not change in it, and frozen, as no thread
may come to it; where all hold, each thread runs the same ops in the same order, and those that are masked with all.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.corners import Corners, ends_hold
from warploom.ir import types
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
    replace_uses,
    walk,
    walk_op,
)
from warploom.ir.ops import OF_THREADS
from warploom.ir.properties import is_duplicable, is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.clean.dead_code import remove_dead_code
from warploom.passes.clean.facts import consequences
from warploom.passes.clean.fold import Definitions
from warploom.passes.guards.thread_loops import replace_loops, take_side

NAME = "unswitch"
MOST_CHOICES = 8  # of a loop, and comparisons that are asked at its ends; with more of them, all are seldom right
LARGEST = 300  # ops of a loop that is worth writing twice
_DEEPEST = 3  # ops that a condition is computed from
_ALL = "splat (i1 true)"
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


def _known_where(condition: Operand, definitions: Definitions) -> dict[Value, Operand]:
    """The integers that are constants where `condition` holds."""
    holding = (definitions.get(value) for value, holds in consequences(condition, True, definitions) if holds)
    equal = [op.operands for op in holding if op is not None and op.name == "icmp" and op.attrs["pred"] == "eq"]
    return {left: right for left, right in equal if isinstance(left, Value) and isinstance(right, Const)}


def unswitched(loop: Op, definitions: Definitions) -> list[Op] | None:
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
    quick = clone_op(loop, {})
    copies = dict(zip(originals, walk_op(quick), strict=True))
    for choice in choices:
        copies[choice].operands[0] = TRUE
        replace_uses(quick.region, _known_where(choice.operands[0], definitions))
    _take_first_sides(quick.region, quick.region)
    chosen = _version(list(asked.values()), build, _within_bounds(quick), loop)
    remove_dead_code(chosen.regions[0])
    return [*ops, chosen]


def _version(conditions: list[Operand], build: Builder, quick: list[Op], loop: Op) -> Op:
    """`quick` where all conditions hold, else `loop`."""
    together, *others = conditions
    for other in others:
        together = build.op("and", [together, other], "i1")
    sides = [Region([], [*each, Op("yield")]) for each in (quick, [loop])]
    return Op("if", [together], [], {}, sides, loop.loc)


def _within_bounds(loop: Op) -> list[Op]:
    """`loop`, and once more for blocks in which comparisons of lanes hold, which is asked at its ends, and those that
    decide about a gathering, scattering or looping side."""
    originals, inside = list(walk_op(loop)), defined_in(loop)
    made = {value: op for op in originals for value in op.results}
    decide = {op.operands[0] for op in originals if op.name == "if" and is_version(op)}
    corners = Corners(loop, inside, made, lambda value: is_steady(value, inside, made))
    counted = [op for op in originals if op.name == "icmp" and (types.is_vector(op.result.type) or op.result in decide)]
    tests = {op: test for op in counted if (test := corners.test(op)) is not None}
    if len(tests) > MOST_CHOICES or not any(types.is_vector(op.result.type) for op in tests):
        return [loop]
    ops: list[Op] = []
    build = Builder(ops, loop.loc)
    conditions: list[Operand] = []
    for test in tests.values():
        holding = ends_hold(test, lambda value: _in_front(value, inside, made, build), build)
        conditions += [build.op("freeze", [each], "i1") for each in holding]
    within = clone_op(loop, {})
    copies = dict(zip(originals, walk_op(within), strict=True))
    _know(within, [copies[op].result for op in tests])
    _take_first_sides(within.region, within.region)
    chosen = _version(conditions, build, [within], loop)
    return [*ops, chosen]


def _know(loop: Op, conditions: list[Value]) -> None:
    """Let `conditions` hold for all lanes in `loop`."""
    everywhere = {each: Const(each.type, _ALL) if types.is_vector(each.type) else TRUE for each in conditions}
    replace_uses(loop.region, everywhere)
    for region in [inner for op in walk_op(loop) for inner in op.regions]:
        region.ops = [_without_mask(op, loop) for op in region.ops]


def _without_mask(op: Op, loop: Op) -> Op:
    """The same where lanes that are all at work need no mask."""
    if not any(isinstance(each, Const) and each.value == _ALL for each in op.operands):
        return op
    attrs = {name: value for name, value in op.attrs.items() if name in ("align", "constant")}
    if op.name == "masked_load":
        return Op("load", op.operands[:1], op.results, attrs, [], op.loc)
    if op.name == "masked_store":
        return Op("store", op.operands[:2], [], attrs, [], op.loc)
    if op.name == "reduce" and op.attrs["kind"] in ("and", "or"):
        replace_uses(loop.region, {op.result: TRUE})
    return op


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
    definitions = {value: op for op in walk(function.body) for value in op.results}
    changed = replace_loops(
        function,
        lambda op: op.name == "for" and bool(op.attrs.get(OF_THREADS)),
        lambda loop: unswitched(loop, definitions),
    )
    if changed:
        context.remark(NAME, "where all vectors of a block take rows, their loop is written without the other sides")
    return changed


UNSWITCH = Pass(NAME, run)
