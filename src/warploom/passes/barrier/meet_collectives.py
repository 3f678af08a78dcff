# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Let the lanes of a warp meet that wait for each other on both sides of a condition.

    if t < 16 {                               %a, %m = if t < 16 { ...; yield %x, %p } { ...; yield %y, %q }
      ...; %u = shuffle -1, %x, %p; ...       %u = shuffle -1, %a, %m
    } {                               ==>     if t < 16 { ... } { ... }
      ...; %v = shuffle -1, %y, %q; ...
    }

Since compute capability 7 lanes meet by mask: a collective waits until all lanes that its mask names have come to one
of the same kind under the same mask, wherever in the program, or have ended. A collective is closed when its mask names
only lanes that come to it together: run in any order, it meets no other (analysis/open_collectives.py). Two sides of
a condition that differs between lanes of a warp and hold open collectives are cut at each of them; the collectives in
one place become one, which all lanes reach. Where the sides do not hold the same sequence, lanes meet in ways that only
the reference engine knows: refused. So are lanes that may pass by an open collective and meet it from elsewhere
(analysis/mismatched_collectives.py).

A block of unknown width is taken for one whose width is a multiple of 32: conditions such as x < 32 part no warp then.
Then the question is put for all other blocks: where lanes meet in one that do not in those, `Ensures` holds for
launches with such blocks only, as the attribute `warps` says, and the reference engine runs the others.

Sound because what one side does before its collective, and the other before its own, comes before either in any order,
and both sides are independent in between; the lanes of both make one set of lanes that come together. Of a side without
open collectives what it writes is done first: lanes that end there have ended before the others go on.

Ensures: no barrier of a warp has a mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warploom.analysis.warp_groups import Warps, assume_warps, known_warps, likely_warps
from warploom.core.deferred import deferred
from warploom.core.remarks import WAITING, Unsupported
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import (
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    replace_uses,
    used_in,
    walk,
    walk_op,
)
from warploom.ir.ops import WARP_SIZE, Level, collective_level, leaves_memory, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_MASKED_BARRIERS, NO_PHASE_WAITS, ONE_LOOP_A_GRID, SCALAR

if TYPE_CHECKING:
    from warploom.analysis import mismatched_collectives, open_collectives
else:
    mismatched_collectives = deferred("warploom.analysis.mismatched_collectives")
    open_collectives = deferred("warploom.analysis.open_collectives")

NAME = "meet_collectives"


def _is_warp_collective(op: Op) -> bool:
    return not op.regions and collective_level(op) is Level.WARP


def run(function: Function, context: Context) -> bool:
    """Join what meets in `function`; true if anything changed."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if len(blocks) != 1 or not levels_in(blocks[0]) & Level.WARP:
        return False
    if not any(each.regions and levels_in(each) & Level.WARP for each in walk(blocks[0].region)):
        return _forget_masks(blocks[0])
    warps = likely_warps(function)
    lanes = open_collectives.warp_lanes(function, blocks[0], warps)
    changed = False
    while (place := _innermost(blocks[0].region, lanes)) is not None:
        _join(*place, lanes, context)
        lanes = open_collectives.warp_lanes(function, blocks[0], warps)
        changed = True
    if changed and function.facts.waits:
        raise Unsupported(
            f"warp collectives on both sides of a condition belong together, and {WAITING}", blocks[0].loc
        )
    met = mismatched_collectives.mismatched_pair(blocks[0], lanes)
    if met is not None:
        reason = f"lanes that do not come here may answer this warp collective by one {_where(*met)}"
        raise Unsupported(reason, met[0].loc)
    _note_assumption(function, blocks[0], context)
    return _forget_masks(blocks[0]) or changed


def _where(op: Op, other: Op) -> str:
    if op is other:
        return "in another round"
    return f"at line {other.loc.line}" if other.loc else "at another place"


def _note_assumption(function: Function, block: Op, context: Context) -> None:
    """Say of which blocks the code is right, if not of all that there may be."""
    known = needed = known_warps(function)
    place: Op | None = None
    while needed < likely_warps(function) and (met := _meeting(function, block, needed)) is not None:
        place, needed = met, Warps(needed + 1)
    if needed > known:
        assume_warps(function, needed)
        several = " and that have several rows" if needed is Warps.ROWS else ""
        blocks = f"blocks whose width is no multiple of {WARP_SIZE}{several}"
        where = place and place.loc
        context.remark(NAME, f"the reference engine runs {blocks}: not all lanes of a warp may come here then", where)


def _meeting(function: Function, block: Op, warps: Warps) -> Op | None:
    """Where lanes wait for lanes that do not come to them together, in blocks of a kind."""
    lanes = open_collectives.warp_lanes(function, block, warps)
    parting = _innermost(block.region, lanes)
    if parting is not None:
        return parting[1]
    met = mismatched_collectives.mismatched_pair(block, lanes)
    return met[0] if met is not None else None


def _forget_masks(block: Op) -> bool:
    """From here on a warp's barrier is one of all lanes, or of those that come to it together."""
    changed = False
    for op in walk_op(block):
        if op.name == "barrier" and op.operands:
            op.operands.clear()
            op.attrs["lock_step"] = changed = True
    return changed


# -- two sides that meet ----------------------------------------------------------------------------------------------


def _innermost(region: Region, lanes: open_collectives.WarpLanes) -> tuple[Region, Op, bool] | None:
    """The first `if` to be cut, inner ones first: its region, itself, and whether both of its sides wait."""
    for op in region.ops:
        if not levels_in(op) & Level.WARP or not op.regions:
            continue
        for inner in op.regions:
            found = _innermost(inner, lanes)
            if found is not None:
                return found
        if op.name != "if" or not lanes.parts(op):
            continue
        waiting = [any(map(lanes.is_open, _collectives(each))) for each in op.regions]
        if all(waiting):
            return region, op, True
        if waiting == [True, False] and not all(map(leaves_memory, op.regions[1].body)):
            return region, op, False
    return None


def _collectives(region: Region) -> Iterator[Op]:
    return filter(_is_warp_collective, walk(region))


def _join(region: Region, op: Op, both: bool, lanes: open_collectives.WarpLanes, context: Context) -> None:
    new = _joined(op, lanes, context) if both else _other_side_first(op)
    at = region.ops.index(op)
    region.ops[at : at + 1] = new


def _other_side_first(op: Op) -> list[Op]:
    """if c { A } { B }   ==>   if c {} { B }; if c { A } {}"""
    condition, (then, other) = op.operands[0], op.regions
    between = [Value(each.type, each.name) for each in op.results]
    nothing = Region()
    Builder(nothing.ops, op.loc).terminate("yield", [Const(each.type, "poison") for each in op.results])
    rest = Region()
    Builder(rest.ops, op.loc).terminate("yield", list(between))
    first = Op("if", [condition], between, {}, [nothing, other], op.loc)
    return [first, Op("if", [condition], op.results, {}, [then, rest], op.loc)]


def _joined(op: Op, lanes: open_collectives.WarpLanes, context: Context) -> list[Op]:
    """The `if` cut at its open collectives, those of both sides in one."""
    sides = [_cut(region, lanes) for region in op.regions]
    firsts, seconds = ([piece[-1] for piece in side[:-1]] for side in sides)
    _check_alike(op, firsts, seconds, lanes)
    arrays = [each for region in op.regions for each in region.ops if each.name == "alloca"]
    written: list[Op] = list(arrays)
    for number, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
        pieces = [[each for each in side[number][:-1] if each not in arrays] for side in sides]
        written += _one_place(op, pieces, (first, second), [side[number + 1 :] for side in sides])
        context.remark(NAME, f"{first.name} merged with the one on the other side of the condition", first.loc)
        context.remark(NAME, f"{second.name} merged with the one on the other side of the condition", second.loc)
    last = [Region([], [each for each in side[-1] if each not in arrays]) for side in sides]
    written.append(Op("if", list(op.operands), op.results, {}, last, op.loc))
    return written


def _cut(region: Region, lanes: open_collectives.WarpLanes) -> list[list[Op]]:
    """The ops of a region in pieces, each but the last ending with an open collective."""
    pieces: list[list[Op]] = [[]]
    for op in region.ops:
        pieces[-1].append(op)
        if _is_warp_collective(op) and lanes.is_open(op):
            pieces.append([])
        elif op.regions and any(lanes.is_open(each) for each in walk_op(op) if _is_warp_collective(each)):
            raise _refusal(op, "one is in a loop or under another condition")
    return pieces


def _check_alike(op: Op, firsts: list[Op], seconds: list[Op], lanes: open_collectives.WarpLanes) -> None:
    if len(firsts) != len(seconds):
        raise _refusal(op, f"they are {len(firsts)} on one side and {len(seconds)} on the other")
    for first, second in zip(firsts, seconds, strict=True):
        if (first.name, first.attrs.get("kind")) != (second.name, second.attrs.get("kind")):
            raise _refusal(first, f"one is {_kind(first)} and the other {_kind(second)}")
        if not lanes.have_one_mask(first, second):
            raise _refusal(first, "their masks are neither known to be the same nor known to share no lane")


def _kind(op: Op) -> str:
    return " ".join(str(each) for each in (op.name, op.attrs.get("kind", "")) if each)


def _refusal(op: Op, how: str) -> Unsupported:
    return Unsupported(f"warp collectives on both sides of a condition belong together, but {how}", op.loc)


def _one_place(op: Op, pieces: list[list[Op]], meeting: tuple[Op, Op], later: list[list[list[Op]]]) -> list[Op]:
    """One piece of both sides, and the collective at its end."""
    first, second = meeting
    operands: list[Operand] = []
    joined: list[Value] = []
    yields: tuple[list[Operand], list[Operand]] = ([], [])

    def leave(value: Value, ours: Operand, theirs: Operand) -> None:
        joined.append(value)
        yields[0].append(ours)
        yields[1].append(theirs)

    for ours, theirs in zip(first.operands, second.operands, strict=True):
        if ours == theirs:
            operands.append(ours)
            continue
        value = Value(ours.type, "met")
        leave(value, ours, theirs)
        operands.append(value)
    for side, ops in enumerate(pieces):
        made = {value for each in ops for value in each.results}
        following = [each for piece in later[side] for each in piece]
        used = dict.fromkeys(value for each in following for value in _used_in_order(each) if value in made)
        crossing: dict[Value, Operand] = {}
        for value in used:
            copy = Value(value.type, value.name)
            crossing[value] = copy
            nothing = Const(value.type, "poison")
            leave(copy, *((value, nothing) if side == 0 else (nothing, value)))
        replace_uses(Region([], following), crossing)
    regions = [Region([], ops) for ops in pieces]
    for region, values in zip(regions, yields, strict=True):
        Builder(region.ops, op.loc).terminate("yield", values)
    collective = Op(first.name, operands, first.results, dict(first.attrs), [], first.loc)
    theirs = [each for piece in later[1] for each in piece]
    replace_uses(Region([], theirs), dict(zip(second.results, first.results, strict=True)))
    return [Op("if", list(op.operands), joined, {}, regions, op.loc), collective]


def _used_in_order(op: Op) -> Iterable[Value]:
    used = used_in(op)
    return dict.fromkeys(
        operand for each in walk_op(op) for operand in each.operands if isinstance(operand, Value) and operand in used
    )


MEET_COLLECTIVES = Pass(
    NAME, run, needed=True, requires=(ONE_LOOP_A_GRID, SCALAR, NO_PHASE_WAITS), ensures=(NO_MASKED_BARRIERS,)
)
