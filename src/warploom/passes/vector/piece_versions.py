# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version for vectors within one row asks, too, whether pieces that threads take lie one behind the other.

    if %same {                                  %near = if %same { yield %n == 4 } else { yield false }
      %o = mul %column, %n                      if %near {
      %x = load %a[%o];  %y = load %a[%o + 4]     %o = mul %column, 4;  %x = load %a[%o];  %y = load %a[%o + 4]
    } { B }                               ==>   } { B }

with columns that are two apart: pieces of 8 bytes are neighbours where %n is 4, which only the launch says. Then a
vector of threads loads them as one (widen_strided.py), and else would gather with either version.

Sound because B is right for all vectors of threads, and the other version runs where %n is what stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.analysis.lanes import Shapes
from warploom.analysis.pieces import Piece, pieces_in
from warploom.analysis.strides import is_scattered
from warploom.ir.core import (
    FALSE,
    Builder,
    Const,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    int_const,
    replace_uses,
    walk,
    walk_op,
)
from warploom.ir.ops import is_plain_load, leaves_memory
from warploom.ir.properties import is_arithmetic
from warploom.passes.vector.row_versions import RowChoice
from warploom.passes.vector.stride_versions import distance


def ask_for_pieces(choices: Iterable[RowChoice], shapes: Shapes) -> bool:
    """Let choices between versions ask for the strides of pieces; true where any does. Versions for threads that take
    several numbers go where something gathers all the same."""
    changed = False
    for each in choices:
        wanted = _wanted(each.op.regions[0], shapes)
        steps = [_steps_to(value, each.op.regions[0]) for value in wanted or ()]
        known = [ops for ops in steps if ops is not None]
        if wanted and len(known) == len(wanted):
            asked = _ask(each.op, each.place, wanted, {op: None for ops in known for op in ops})
            shapes.ranges.definitions.update({value: op for op in walk_op(asked) for value in op.results})
            changed = True
        elif each.step > 1 and (wanted is None or wanted):
            each.op.operands[0] = FALSE
    return changed


def _wanted(version: Region, shapes: Shapes) -> dict[Value, Const] | None:
    """The numbers of the launch with which all pieces are neighbours; None where there are none, or other accesses
    gather."""
    found: dict[Value, Const] = {}
    in_pieces: set[Op] = set()
    for piece in pieces_in(version, shapes.ranges.definitions):
        if not any(is_scattered(op, shapes) for op in piece.members):
            continue
        number = _number(piece, shapes)
        if number is None or found.setdefault(*number) != number[1]:
            return None
        in_pieces.update(piece.members)
    accesses = (op for op in walk(version) if op.name in ("load", "store"))
    return None if any(op not in in_pieces and is_scattered(op, shapes) for op in accesses) else found


def _number(piece: Piece, shapes: Shapes) -> tuple[Value, Const] | None:
    """The number that the distance of pieces depends on, and what it is where they are neighbours."""
    apart = distance(piece.address, shapes)
    if apart is None or apart.number is None or not apart.times:
        return None
    number, rest = divmod(piece.size - apart.fixed, apart.times)
    return (apart.number, int_const(apart.number.type, number)) if number > 0 and not rest else None


def _steps_to(value: Value, version: Region) -> list[Op] | None:
    """The ops of `version` that compute `value`, in order; None where they may not run in front of it."""
    needed, steps = {value}, list[Op]()
    written = False
    for op in version.ops:
        written |= not leaves_memory(op)
        if value in op.results and (written or not _may_run_before(op)):
            return None
    for op in reversed(version.ops):
        if not needed.isdisjoint(op.results):
            if not _may_run_before(op):
                return None
            steps.append(op)
            needed.update(each for each in op.operands if isinstance(each, Value))
    inside = {each for op in version.ops for each in defined_in(op).difference(op.results)}
    return steps[::-1] if value not in inside else None


def _may_run_before(op: Op) -> bool:
    return is_arithmetic(op) or is_plain_load(op)


def _ask(choice: Op, region: Region, wanted: dict[Value, Const], steps: Iterable[Op]) -> Op:
    mapping: dict[Value, Operand] = {}
    asked = Region([], [clone_op(op, mapping) for op in steps])
    build = Builder(asked.ops, choice.loc)
    total: Operand | None = None
    for value, known in wanted.items():
        holds = build.op("icmp", [mapping.get(value, value), known], "i1", pred="eq")
        total = holds if total is None else build.op("and", [total, holds], "i1")
    assert total is not None
    build.terminate("yield", [total])
    others = Region([], [Op("yield", [FALSE])])
    near = Value("i1", "near")
    first = Op("if", choice.operands[:1], [near], {}, [asked, others], choice.loc)
    region.ops.insert(region.ops.index(choice), first)
    choice.operands[0] = near
    replace_uses(choice.regions[0], wanted)
    return first
