# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether lanes that bypass an open collective match with those that wait there from another place, or in another trip.

    if p { %a = vote -1, %x [kind=any] }          lanes without p come to the second vote, and meet those at the first:
    %b = vote -1, %y [kind=any]                   both votes are of all lanes, and those with p then vote alone

No pair meets unless kind and mask are alike, and lanes that did not come to the one come to the other; not where the
block's threads all wait in between. For barriers alone that has to be certain, from ids or from opposite conditions,
or both have to stand in loops that lanes leave in different rounds: only then can each lane come to as many barriers as
the others. Programs let lanes leave one loop around `__syncwarp()` early, meet others there, and do not care. What
exchanges values gives others, so there a doubt is enough.
"""

from __future__ import annotations

from bisect import bisect_left

from warploom.analysis.exclusive_conditions import exclude_each_other
from warploom.analysis.open_collectives import Question, WarpLanes, mask_of
from warploom.ir.core import Op, walk_op
from warploom.ir.ops import LOOPS, WARP_SIZE, Level, collective_level


class _Places:
    """The ops of a block in the order of the program, and where threads of the block wait in it."""

    def __init__(self, block: Op) -> None:
        self._first: dict[Op, int] = {}
        self._end: dict[Op, int] = {}
        self._waits: dict[Level, list[int]] = {Level.BLOCK: [], Level.GRID: []}
        self._number(block)

    def _number(self, op: Op) -> None:
        place = self._first[op] = len(self._first)
        level = collective_level(op)
        if level in self._waits:
            self._waits[level].append(place)
        for region in op.regions:
            for each in region.ops:
                self._number(each)
        self._end[op] = len(self._first)

    def waits_in(self, op: Op) -> bool:
        """Whether threads of a block wait in `op`."""
        return self._any(Level.BLOCK, self._first[op], self._end[op])

    def waits_between(self, op: Op, other: Op) -> bool:
        """Whether threads of a block or the grid wait behind `op`, in and below it, and before `other`."""
        return any(self._any(level, self._end[op], self._first[other]) for level in self._waits)

    def _any(self, level: Level, first: int, end: int) -> bool:
        places = self._waits[level]
        at = bisect_left(places, first)
        return at < len(places) and places[at] < end


def mismatched_pair(block: Op, lanes: WarpLanes) -> tuple[Op, Op] | None:
    """An open collective in `block`, and where lanes that pass by it may meet it from: itself for another round."""
    found = [op for op in walk_op(block) if not op.regions and collective_level(op) is Level.WARP]
    places = _Places(block)
    for number, op in enumerate(found):
        if not lanes.is_open(op):
            continue
        for later, other in enumerate(found):
            if _are_alike(op, other, lanes) and _may_meet(op, other, later > number, places, lanes):
                return op, other
    return None


def _are_alike(op: Op, other: Op, lanes: WarpLanes) -> bool:
    if other.attrs.get("lock_step"):
        return False
    same_kind = (op.name, op.attrs.get("kind")) == (other.name, other.attrs.get("kind"))
    return same_kind and lanes.may_have_one_mask(op, other)


def _may_meet(op: Op, other: Op, is_later: bool, places: _Places, lanes: WarpLanes) -> bool:
    behind = is_later and not _block_waits_between(op, other, places, lanes)
    known = _by_ids(op, other, lanes)
    if known is not None:
        return known and behind
    if behind and exclude_each_other(op, other, lanes):
        return True
    if op.name == "barrier":
        return behind and _in_loops_of_their_own(op, other, lanes)
    return (behind and not _ways(op, lanes) <= _ways(other, lanes)) or _in_another_round(op, other, places, lanes)


def _by_ids(op: Op, other: Op, lanes: WarpLanes) -> bool | None:
    """Whether in some sample lanes that do not come to `op` come to `other`; None where more than ids decides
    that, or trying does not prove it."""
    before, after, masks = lanes.present(op, last=True), lanes.present(other), lanes.rows(mask_of(op))
    if before is None or after is None or masks is None:
        return None
    for here, there, mask in zip(before, after, masks, strict=True):
        passing = there & ~here
        if passing and any(mask[lane] & passing for lane in range(WARP_SIZE) if here >> lane & 1):
            return True
    return False if lanes.is_tried([mask_of(op), *lanes.conditions(op), *lanes.conditions(other)]) else None


def _ways(op: Op, lanes: WarpLanes) -> set[Question | Op]:
    """The answers to conditions, and the loops, that lanes have in common which come to `op`."""
    return {lanes.way(control, side) if control.name == "if" else control for control, side in lanes.parting(op)}


def _in_loops_of_their_own(op: Op, other: Op, lanes: WarpLanes) -> bool:
    """Whether each of the two stands in a loop that lanes leave apart, and that the other one does not stand in."""
    one, two = ({control for control, _ in lanes.parting(each) if control.name in LOOPS} for each in (op, other))
    return not one <= two and not two <= one


def _in_another_round(op: Op, other: Op, places: _Places, lanes: WarpLanes) -> bool:
    """Whether lanes that pass by `op` in one round of a loop may come to `other` in a later one."""
    around = [control for control, _ in lanes.around[op]]
    common = [control for control, _ in lanes.around[other] if control in around and control.name in LOOPS]
    for loop in common:
        if places.waits_in(loop):
            continue
        inside = [each for each, _ in lanes.parting(op) if each is not loop and each in around[around.index(loop) :]]
        if any(each.name != "if" or lanes.is_made_in(each.operands[0], loop) for each in inside):
            return True
        if not _ways(op, lanes) <= _ways(other, lanes):
            return True
    return False


def _block_waits_between(op: Op, other: Op, places: _Places, lanes: WarpLanes) -> bool:
    """Whether the threads of the block all wait between the two, on the way that leads past `op`."""
    apart = (control for control, side in lanes.around[op] if (control, side) not in lanes.around[other])
    return places.waits_between(next(apart, op), other)
