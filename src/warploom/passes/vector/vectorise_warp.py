# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a warp has a vector form: the loop over its lanes, with its collectives, becomes code for 32 lanes at once.

    warp %n { (%w)                                 warp %n { (%w)
      lane 32 { (%l) ... %y = shuffle %x ... }  ==>  ... %y = shufflevector %x ...
    }                                              }

What each op becomes, and why that is sound: widen_warp.py. For split_warps.py, which makes such loops and cuts those in
pieces that have no vector form. Vectors of a warp have 32 lanes, whatever width the user asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.known_lanes import KnownLanes
from warploom.analysis.lane_shapes import Shape
from warploom.analysis.strided_groups import strided_groups
from warploom.analysis.turns import takes_turns
from warploom.analysis.warp_lanes import WarpShapes
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import (
    Function,
    Op,
    Operand,
    Value,
    clone_op,
    int_const,
    replace_uses,
    used_in,
    uses_of,
    walk_op,
)
from warploom.ir.ops import WARP_SIZE
from warploom.passes.base import Context
from warploom.passes.vector.scalarise import differs_as_a_whole, has_vectors, scalarise
from warploom.passes.vector.vector_prepare import split_counted_loops, spread_private
from warploom.passes.vector.vector_report import Form, report
from warploom.passes.vector.widen import Lanes, Level, Unvectorisable, Widener
from warploom.passes.vector.widen_rules import of_warp
from warploom.passes.vector.widen_warp import activate

NAME = "vectorise"
_EXCHANGED, _WHOLE = (8, 16, 32), 64  # bits of a value that lanes exchange
_Users = Mapping[Value, Sequence[tuple[Op, int]]]


@dataclass(frozen=True, slots=True)
class Warp:
    """What is known of a warp: its number, the values that are multiples of 32, the most that others can be, and
    whether most warps have another form."""

    number: Value
    aligned: Collection[Operand]
    most: Mapping[Value, int]
    is_rare: bool = False


def vectorise_warp(loop: Op, warp: Warp, function: Function, context: Context) -> list[Op] | None:
    """The vector form of `loop`, the lanes of one warp; None, and a remark, where it has none."""
    if NAME in context.off or takes_turns(function, loop):
        return None
    ranges = Ranges(function)
    mapping: dict[Value, Operand] = {}
    copy = clone_op(loop, mapping)
    for value, most in warp.most.items():
        ranges.known[value] = (0, most)
        inside = mapping.get(value)
        if isinstance(inside, Value):
            ranges.known[inside] = (0, most)
    try:
        ops = _write(copy, warp, ranges, context)
    except Unvectorisable as problem:
        context.remark(NAME, f"lanes of a warp exchange values in memory: {problem.reason}", problem.loc or loop.loc)
        return None
    ranges.note_limits()
    return ops


def _write(loop: Op, warp: Warp, ranges: Ranges, context: Context) -> list[Op]:
    count = loop.operands[0]
    full = count == int_const("i32", WARP_SIZE)
    lane = Value("i32", "lane")
    ranges.known.update(dict.fromkeys((lane, *loop.region.params), (0, WARP_SIZE - 1)))
    narrow_exchanges(loop)
    for op in walk_op(loop):
        ranges.definitions.update(dict.fromkeys(op.results, op))

    def solved() -> WarpShapes:
        shapes = WarpShapes(ranges, WARP_SIZE, full=full)
        shapes.shapes.update((each, Shape(align=WARP_SIZE)) for each in warp.aligned if isinstance(each, Value))
        shapes.solve(loop, lane)
        return shapes

    if has_vectors(loop):
        shapes = solved()
        if any(differs_as_a_whole(each, shapes) for each in walk_op(loop)):
            scalarise(loop, ranges.definitions)
            for op in walk_op(loop):
                ranges.definitions.update(dict.fromkeys(op.results, op))
    spread_private(loop, lane, WARP_SIZE, ranges)
    shapes = solved()
    if split_counted_loops(loop.region, shapes):
        shapes = solved()
    shapes.groups = strided_groups(loop.region, shapes)
    ops: list[Op] = []
    known = KnownLanes(ranges.definitions, {lane, *loop.region.params}, warp.aligned)
    widener = Widener(
        of_warp(known),
        shapes,
        1,
        Level(ops, loop.loc),
        used_in(loop),
        context.calls,
        [warp.number, *loop.region.params],
    )
    widener.is_rare = warp.is_rare
    for each in (lane, *loop.region.params):
        widener.values[each] = [Lanes(int_const("i32", 0), 1)]
    if not full:
        activate(widener, count)
    widener.region(loop.region)
    if context.vectors is not None:
        context.vectors.append(report(loop, shapes, widener.seen, Form(WARP_SIZE, 1, "", tail=not full)))
    return ops


def narrow_exchanges(loop: Op) -> None:
    """Let shuffles and matches work on what a value was before it became an i64: shuffle(zext x) = zext(shuffle x).

    And shuffles on what is looked at of the result: trunc(shuffle x) = shuffle(trunc x).
    """
    makers = {value: op for op in walk_op(loop) for value in op.results}
    users = uses_of(loop.region)
    narrow: dict[Value, Operand] = {}  # the i64 that a shuffle gave -> what it gives now
    for op in list(walk_op(loop)):
        for region in op.regions:
            region.ops = [new for inner in region.ops for new in _narrowed(inner, makers, users, narrow)]
    again = {
        op.result: narrow[op.operands[0]]
        for op in walk_op(loop)
        if op.name == "trunc" and isinstance(op.operands[0], Value) and op.operands[0] in narrow
        if op.result.type == narrow[op.operands[0]].type
    }
    replace_uses(loop.region, again)


def _narrowed(op: Op, makers: Mapping[Value, Op], users: _Users, narrow: dict[Value, Operand]) -> list[Op]:
    if op.name not in ("shuffle", "match") or not isinstance(op.operands[1], Value):
        return [op]
    maker = makers.get(op.operands[1])
    if maker is None or maker.name not in ("zext", "sext") or types.bits(maker.operands[0].type) not in _EXCHANGED:
        return _cut(op, users, narrow) if op.name == "shuffle" else [op]
    op.operands[1] = value = maker.operands[0]
    if op.name == "match":
        return [op]
    (wide,) = op.results
    op.results = [Value(value.type, wide.name)]
    narrow[wide] = op.result
    return [op, Op(maker.name, [op.result], [wide], {}, [], op.loc)]


def _cut(op: Op, users: _Users, narrow: dict[Value, Operand]) -> list[Op]:
    """The shuffle of only those bits that are looked at."""
    (wide,) = op.results
    used = [user for user, _ in users.get(wide, ())]
    bits = max((types.bits(each.result.type) if each.name == "trunc" else _WHOLE for each in used), default=_WHOLE)
    if bits not in _EXCHANGED:
        return [op]
    cut, op.results = Value(f"i{bits}", "cut"), [Value(f"i{bits}", wide.name)]
    before = Op("trunc", [op.operands[1]], [cut], {}, [], op.loc)
    op.operands[1] = cut
    narrow[wide] = op.result
    return [before, op, Op("zext", [op.result], [wide], {}, [], op.loc)]
