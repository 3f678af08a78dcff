# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Let the lanes of a warp meet that wait for each other on both sides of a condition.

    if t < 16 {                               %a, %m = if t < 16 { ...; yield %x, %p } { ...; yield %y, %q }
      ...; %u = shuffle -1, %x, %p; ...       %u = shuffle -1, %a, %m
    } {                               ==>     if t < 16 { ... } { ... }
      ...; %v = shuffle -1, %y, %q; ...
    }

Since compute capability 7 lanes meet by mask: a collective waits until all lanes that its mask names have come to one of
the same kind under the same mask, wherever in the program, or have ended. A collective is closed when its mask names
only lanes that come to it together: run in any order, it meets nobody else. Two sides of a condition that differs
between lanes of a warp and hold open collectives are cut at each of them; the collectives in one place become one, which
all lanes reach. Where the sides do not hold the same sequence, lanes meet in ways that only the reference engine knows:
refused. So are lanes that pass by an open collective and surely come to its like behind, unless the block's threads
all wait in between.

Sound because what one side does before its collective, and the other before its own, comes before either in any order,
and both sides are independent in between; the lanes of both make one set of lanes that come together. Of a side without
open collectives what it writes is done first: lanes that end there have ended before the others go on.

Closed is what is proven: masks of groups of lanes that cannot part (analysis/warp_groups.py), or that ids alone decide
(analysis/sample_warps.py), and those that lanes themselves have asked for: an active mask, a vote on the condition.
Conditions count as the same for a warp as they are where its lanes lie in one row of the block, unless the block is
known to have shorter rows.

Ensures: no barrier of a warp has a mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from warploom.analysis.sample_warps import SampleWarp, sample_warps
from warploom.analysis.uniformity import WARP, Uniformity
from warploom.analysis.warp_groups import group_uniformity, lies_in_rows
from warploom.ir.core import (
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    int_const,
    replace_uses,
    used_in,
    walk,
    walk_op,
)
from warploom.ir.ops import WARP_SIZE, Level, collective_level, leaves_memory, levels_in
from warploom.passes.base import Context, Pass, Unsupported

NAME = "meet_collectives"
_ALL = int_const("i32", -1)
_SIZES = (16, 8, 4, 2, 1)
_SEEN_THROUGH = ("zext", "trunc", "sext", "freeze")

Control = tuple[tuple[Op, int], ...]  # the ops around an op, from outside, and which region of each


@dataclass(slots=True)
class _Lanes:
    """What is known of the lanes of the kernel's warps."""

    block: Op
    whole: Uniformity
    makers: dict[Value, Op]
    around: dict[Op, Control]
    function: Function
    groups: dict[int, Uniformity] = field(default_factory=dict[int, Uniformity])
    samples: list[SampleWarp] = field(default_factory=list[SampleWarp])
    open_ones: dict[Op, bool] = field(default_factory=dict[Op, bool])

    def parts(self, control: Op) -> bool:
        """Whether lanes of one warp may go different ways at an `if`, or leave a loop in different rounds."""
        return self.whole.rank(_decides(control)) < WARP if control.name == "if" else self._leave_apart(control)

    def _leave_apart(self, loop: Op) -> bool:
        if loop.name == "while":
            return self.whole.rank(_decides(loop)) < WARP
        return any(self.whole.rank(each) < WARP for each in loop.operands[:3])

    def parting(self, op: Op) -> list[tuple[Op, int]]:
        """The control flow around `op` at which lanes of its warp part."""
        return [each for each in self.around[op] if self.parts(each[0])]

    def is_open(self, op: Op) -> bool:
        """Whether the collective `op` may wait for lanes that do not come to it together."""
        if op not in self.open_ones:
            self.open_ones[op] = bool(self.parting(op)) and not self._is_closed(op)
        return self.open_ones[op]

    def _is_closed(self, op: Op) -> bool:
        if op.name == "activemask" or op.attrs.get("lock_step"):
            return True
        mask = mask_of(op)
        return self._asked_for(mask, op) or (mask != _ALL and (self._of_group(mask, op) or self._as_known(mask, op)))

    def _of_group(self, mask: Operand, op: Op) -> bool:
        """Whether the mask names lanes of an aligned group, and lanes of such a group do not part on the way to `op`."""
        self.take_samples()
        rows = [each.numbers(mask) for each in self.samples]
        if not rows:
            return False
        for size in _SIZES:
            group = (1 << size) - 1
            if all(
                row is not None and all(not each & ~(group << lane // size * size) for lane, each in enumerate(row))
                for row in rows
            ):
                if size not in self.groups:
                    self.groups[size] = group_uniformity(self.function, size)
                return self.groups[size].is_reached_uniformly(op, Level.WARP)
            if size == _SIZES[0]:
                return False
        return False

    def _as_known(self, mask: Operand, op: Op) -> bool:
        """Whether, for all samples, ids decide which lanes come to `op`, and its mask names no others."""
        self.take_samples()
        return bool(self.samples) and all(self._names_present(each, mask, op) for each in self.samples)

    def _names_present(self, sample: SampleWarp, mask: Operand, op: Op) -> bool:
        present = self.present(sample, op)
        if present is None or any(each.name != "if" for each, _ in self.parting(op)):
            return False
        row = sample.numbers(mask)
        if row is None:
            return not present
        return all(not row[lane] & ~present for lane in range(WARP_SIZE) if present >> lane & 1)

    def have_one_mask(self, op: Op, other: Op) -> bool:
        """Whether each lane names the same lanes at both collectives."""
        one, two = mask_of(op), mask_of(other)
        if one == two:
            return True
        self.take_samples()
        rows = [(each.numbers(one), each.numbers(two)) for each in self.samples]
        return bool(rows) and all(a is not None and a == b for a, b in rows)

    def present(self, sample: SampleWarp, op: Op, *, last: bool = False) -> int | None:
        """The lanes of a sample that come to `op`, where ids decide that; `last`: in the last round of its loops."""
        lanes = (1 << WARP_SIZE) - 1
        for control, side in self.parting(op):
            if control.name == "if":
                row = sample.numbers(_decides(control))
                chosen = None if row is None else [bool(each) == (side == 0) for each in row]
            else:
                rounds = sample.rounds(control)
                chosen = None if rounds is None else [each >= (max(rounds) if last else 1) for each in rounds]
            if chosen is None:
                return None
            lanes &= sum(1 << lane for lane, each in enumerate(chosen) if each)
        return lanes

    def take_samples(self) -> None:
        if not self.samples:
            sizes = self.block.operands
            self.samples = sample_warps(self.makers, self.block.region.params, sizes, lies_in_rows(self.function))

    def _asked_for(self, mask: Operand, op: Op) -> bool:
        """Whether the lanes have found out by a collective who comes: under its control, or that of its question."""
        negated = False
        while isinstance(mask, Value):
            maker = self.makers.get(mask)
            if maker is None:
                return False
            if maker.name == "xor" and maker.operands[1] == _ALL:
                negated, mask = not negated, maker.operands[0]
            elif maker.name == "and" and not negated:
                return any(self._asked_for(each, op) for each in maker.operands)
            elif maker.name == "select":
                return self._is_chosen(maker, negated, op)
            elif maker.name == "freeze":
                mask = maker.operands[0]
            else:
                return self._is_answer(maker, negated, op)
        return False

    def _is_chosen(self, maker: Op, negated: bool, op: Op) -> bool:
        """Of `p ? mask : ~mask` where `mask` are the lanes with p, each lane has those that agree with it."""
        condition, yes, no = maker.operands
        other = self.makers.get(no) if isinstance(no, Value) else None
        opposite = other is not None and other.name == "xor" and other.operands == [yes, _ALL]
        vote = self.makers.get(yes) if isinstance(yes, Value) else None
        if negated or not opposite or vote is None or vote.name != "vote":
            return False
        return self._same_question(vote, condition) and self._come_from(vote, op, self._bit(condition))

    def _is_answer(self, maker: Op, negated: bool, op: Op) -> bool:
        if maker.name == "activemask" or (maker.name == "match" and not negated):
            return not negated and self._come_from(maker, op, None)
        if maker.name != "vote" or maker.attrs["kind"] != "ballot":
            return False
        question = self._bit(maker.operands[1])
        return self._come_from(maker, op, question, side=1 if negated else 0, exact=negated)

    def _come_from(
        self, asked: Op, op: Op, question: Operand | None, side: int | None = None, exact: bool = False
    ) -> bool:
        """Whether all lanes that were at `asked` come to `op`, but those on the other side of `question`."""
        before, here = self.around[asked], self.around[op]
        if here[: len(before)] != before:
            return False
        found = False
        for control, region in here[len(before) :]:
            if not self.parts(control):
                continue
            agrees = control.name == "if" and question is not None and self._bit(control.operands[0]) == question
            if not agrees or (side is not None and region != side):
                return False
            found = True
        return found or not exact

    def _same_question(self, vote: Op, condition: Operand) -> bool:
        return self._bit(vote.operands[1]) == self._bit(condition)

    def _bit(self, operand: Operand) -> Operand:
        """The condition that `operand` is, or is made wider from."""
        while isinstance(operand, Value):
            maker = self.makers.get(operand)
            if maker is None:
                break
            is_test = maker.name == "icmp" and maker.attrs["pred"] == "ne" and _is_zero(maker.operands[1])
            if maker.name not in _SEEN_THROUGH and not is_test:
                break
            operand = maker.operands[0]
        return operand


def mask_of(op: Op) -> Operand:
    """The lanes that the collective `op` names."""
    return op.operands[0] if op.operands else _ALL


def _is_zero(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value == 0


def _decides(op: Op) -> Operand:
    return op.regions[0].terminator.operands[0] if op.name == "while" else op.operands[0]


def _is_warp_collective(op: Op) -> bool:
    return not op.regions and collective_level(op) is Level.WARP


def run(function: Function, context: Context) -> bool:
    """Join what meets in `function`; true if anything changed."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if len(blocks) != 1 or not levels_in(blocks[0]) & Level.WARP:
        return False
    if not any(each.regions and levels_in(each) & Level.WARP for each in walk(blocks[0].region)):
        return _forget_masks(blocks[0])
    changed = False
    while True:
        lanes = _look(function, blocks[0])
        found = _innermost(blocks[0].region, lanes)
        if found is None:
            break
        if NAME in context.off:
            raise Unsupported(f"lanes of a warp wait on both sides of a condition, and {NAME} is off", found[1].loc)
        _join(*found, lanes, context)
        changed = True
    _refuse_passing_by(blocks[0], lanes)
    return _forget_masks(blocks[0]) or changed


def _look(function: Function, block: Op) -> _Lanes:
    makers = {value: op for op in walk(function.body) for value in op.results}
    around: dict[Op, Control] = {}

    def note(region: Region, control: Control) -> None:
        for op in region.ops:
            around[op] = control
            for number, inner in enumerate(op.regions):
                note(inner, (*control, (op, number)))

    note(block.region, ())
    return _Lanes(block, group_uniformity(function, WARP_SIZE), makers, around, function)


def _forget_masks(block: Op) -> bool:
    """From here on a warp's barrier is one of all lanes, or of those that come to it together."""
    changed = False
    for op in walk_op(block):
        if op.name == "barrier" and op.operands:
            op.operands.clear()
            op.attrs["lock_step"] = changed = True
    return changed


# -- two sides that meet ----------------------------------------------------------------------------------------------


def _innermost(region: Region, lanes: _Lanes) -> tuple[Region, Op, bool] | None:
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


def _join(region: Region, op: Op, both: bool, lanes: _Lanes, context: Context) -> None:
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


def _joined(op: Op, lanes: _Lanes, context: Context) -> list[Op]:
    """The `if` cut at its open collectives, those of both sides in one."""
    sides = [_cut(region, lanes) for region in op.regions]
    firsts, seconds = ([piece[-1] for piece in side[:-1]] for side in sides)
    _check_alike(op, firsts, seconds, lanes)
    arrays = [each for region in op.regions for each in region.ops if each.name == "alloca"]
    written: list[Op] = list(arrays)
    for number, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
        pieces = [[each for each in side[number][:-1] if each not in arrays] for side in sides]
        written += _one_place(op, pieces, (first, second), [side[number + 1 :] for side in sides])
        context.remark(NAME, f"{first.name} of both sides of a condition became one", first.loc)
        context.remark(NAME, f"{second.name} of both sides of a condition became one", second.loc)
    last = [Region([], [each for each in side[-1] if each not in arrays]) for side in sides]
    written.append(Op("if", list(op.operands), op.results, {}, last, op.loc))
    return written


def _cut(region: Region, lanes: _Lanes) -> list[list[Op]]:
    """The ops of a region in pieces, each but the last ending with an open collective."""
    pieces: list[list[Op]] = [[]]
    for op in region.ops:
        pieces[-1].append(op)
        if _is_warp_collective(op) and lanes.is_open(op):
            pieces.append([])
        elif op.regions and any(lanes.is_open(each) for each in walk_op(op) if _is_warp_collective(each)):
            raise _refusal(op, "in a loop or under a condition of its own")
    return pieces


def _check_alike(op: Op, firsts: list[Op], seconds: list[Op], lanes: _Lanes) -> None:
    if len(firsts) != len(seconds):
        raise _refusal(op, f"{len(firsts)} times on one side, {len(seconds)} times on the other")
    for first, second in zip(firsts, seconds, strict=True):
        if (first.name, first.attrs.get("kind")) != (second.name, second.attrs.get("kind")):
            raise _refusal(first, f"in a {_kind(first)} and a {_kind(second)}")
        if not lanes.have_one_mask(first, second):
            raise _refusal(first, "under masks that may differ and are not known to be apart")


def _kind(op: Op) -> str:
    return " ".join(str(each) for each in (op.name, op.attrs.get("kind", "")) if each)


def _refusal(op: Op, how: str) -> Unsupported:
    return Unsupported(f"lanes of a warp wait for each other on both sides of a condition, {how}", op.loc)


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
    replace_uses(Region([], [each for piece in later[1] for each in piece]), dict(zip(second.results, first.results)))
    return [Op("if", list(op.operands), joined, {}, regions, op.loc), collective]


def _used_in_order(op: Op) -> Iterable[Value]:
    used = used_in(op)
    return dict.fromkeys(
        operand for each in walk_op(op) for operand in each.operands if isinstance(operand, Value) and operand in used
    )


# -- lanes that pass by -----------------------------------------------------------------------------------------------


def _refuse_passing_by(block: Op, lanes: _Lanes) -> None:
    """Unsupported where ids decide that lanes pass by an open collective and come to its like afterwards."""
    found = [op for op in walk_op(block) if _is_warp_collective(op)]
    waiting = [op for op in found if lanes.is_open(op)]
    for op in waiting:
        for other in found[found.index(op) + 1 :]:
            if _alike(op, other, lanes) and not _apart_in_time(op, other, block, lanes) and _surely_meet(op, other, lanes):
                where = f"line {other.loc.line}" if other.loc else "another place"
                raise Unsupported(f"lanes of a warp that pass by wait for those here at {where}", op.loc)


def _alike(op: Op, other: Op, lanes: _Lanes) -> bool:
    if other.attrs.get("lock_step"):
        return False
    return (op.name, op.attrs.get("kind")) == (other.name, other.attrs.get("kind")) and lanes.have_one_mask(op, other)


def _apart_in_time(op: Op, other: Op, block: Op, lanes: _Lanes) -> bool:
    """Whether the threads of the block all wait between the two, on the way that leads past `op`."""
    region, between = block.region, False
    for control, side in lanes.around[op]:
        if (control, side) not in lanes.around[other]:
            break
        region = control.regions[side]
    inside = False
    for each in region.ops:
        for inner in walk_op(each):
            if inner is other:
                return between
            between = between or (inside and collective_level(inner) in (Level.BLOCK, Level.GRID))
        inside = inside or any(inner is op for inner in walk_op(each))
    return between


def _surely_meet(op: Op, other: Op, lanes: _Lanes) -> bool:
    """Whether in some sample lanes do not come to `op`, with others that do, and come to `other`."""
    lanes.take_samples()
    for sample in lanes.samples:
        here, there = lanes.present(sample, op, last=True), lanes.present(sample, other)
        mask = sample.numbers(mask_of(op))
        if not here or not there or mask is None:
            continue
        if any(mask[lane] & there & ~here for lane in range(WARP_SIZE) if here >> lane & 1):
            return True
    return False


MEET_COLLECTIVES = Pass(NAME, run, needed=True)
