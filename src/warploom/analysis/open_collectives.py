# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which warp collectives may wait for lanes that do not come to them together: such a collective is open.

    if t < 16 { syncwarp 65535 }          closed: the lanes that it names are those that come
    if t < 16 { syncwarp -1 }             open: lanes 16 ... 31 are named, and go another way
    %m = vote -1, %p [kind=ballot]
    if %p { %y = shuffle %m, ... }        closed: the mask is the lanes with %p

Closed is what is proven: where lanes of a warp do not part; masks of groups of lanes that cannot part (warp_groups.py),
or that ids alone decide, by trying warps (sample_warps.py); and those that lanes themselves have asked for, an active
mask or a vote on the condition. Trying proves where all warps are tried that there can be: of a block of known shape,
and where all is computed from x alone, in blocks in which it counts the lanes of a warp, or from the linear id alone
(both are below 1,024, and take all values in the longest row); and where a thread's lane decides all (lane_bits.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.analysis.affine import Forms, affine_forms
from warploom.analysis.definitions import definitions
from warploom.analysis.lane_bits import LaneBits
from warploom.analysis.sample_warps import Numbers, SampleWarp, sample_warps
from warploom.analysis.uniformity import WARP, Uniformity
from warploom.analysis.warp_groups import Warps, group_uniformity, linear_id
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import TRUE, Const, Function, Op, Operand, Region, Value, int_const, walk, walk_op
from warploom.ir.ops import WARP_SIZE, Level

_ALL = int_const("i32", -1)
_SIZES = (1, 2, 4, 8, 16)

Question = tuple[Operand, int, bool]  # that some bits of something are not 0, or (true) that they are
Control = tuple[tuple[Op, int], ...]  # the ops around an op, from outside, and which region of each


@dataclass(slots=True)
class WarpLanes:
    """What is known of the lanes of the kernel's warps."""

    block: Op
    whole: Uniformity
    makers: dict[Value, Op]
    around: dict[Op, Control]
    function: Function
    warps: Warps
    groups: dict[int, Uniformity] = field(default_factory=dict[int, Uniformity])
    samples: list[SampleWarp] = field(default_factory=list[SampleWarp])
    open_ones: dict[Op, bool] = field(default_factory=dict[Op, bool])
    comers: dict[tuple[Op, bool], list[int] | None] = field(default_factory=dict[tuple[Op, bool], "list[int] | None"])
    tried: dict[Operand, list[Numbers] | None] = field(default_factory=dict[Operand, "list[Numbers] | None"])
    sources: Sources | None = None
    lane_bits: LaneBits | None = None

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
        """Whether the mask names lanes of an aligned group, and such lanes do not part on the way to `op`."""
        rows = self.rows(mask)
        if not rows or not self.is_tried([mask]):
            return False
        for size in _SIZES:
            group = (1 << size) - 1
            if all(not each & ~(group << lane // size * size) for row in rows for lane, each in enumerate(row)):
                if size not in self.groups:
                    self.groups[size] = group_uniformity(self.function, size, self.warps)
                return self.groups[size].is_reached_uniformly(op, Level.WARP)
        return False

    def _as_known(self, mask: Operand, op: Op) -> bool:
        """Whether, for all samples, ids decide which lanes come to `op`, and its mask names no others."""
        comers = None if any(each.name != "if" for each, _ in self.parting(op)) else self.present(op)
        if comers is None:
            return False
        decided = all(self._names_present(*each, mask) for each in zip(self.samples, comers, strict=True))
        return decided and self.is_tried([mask, *self.conditions(op)])

    def _names_present(self, sample: SampleWarp, present: int, mask: Operand) -> bool:
        row = sample.numbers(mask)
        if row is None:
            return not present
        return all(not row[lane] & ~present for lane in range(WARP_SIZE) if present >> lane & 1)

    def have_one_mask(self, op: Op, other: Op) -> bool:
        """Whether each lane names the same lanes at both collectives."""
        one, two = mask_of(op), mask_of(other)
        rows = self.rows(one)
        return one == two or (bool(rows) and rows == self.rows(two) and self.is_tried([one, two]))

    def may_have_one_mask(self, op: Op, other: Op) -> bool:
        """Whether a lane at one collective may name the same lanes as one at the other, as far as ids decide that: of
        two masks of which more decides one it is not assumed."""
        one, two = mask_of(op), mask_of(other)
        rows, others = self.rows(one), self.rows(two)
        if one == two or rows is None or others is None:
            return one == two
        return not self.is_tried([one, two]) or any(
            not set(row).isdisjoint(other) for row, other in zip(rows, others, strict=True)
        )

    def rows(self, operand: Operand) -> list[Numbers] | None:
        """The lanes' values of an operand in each sample; None where more than ids and sizes decides one."""
        if operand not in self.tried:
            self.take_samples()
            found: list[Numbers] | None = []
            for each in self.samples:
                row = each.numbers(operand)
                if row is None:
                    found = None
                    break
                found.append(row)
            self.tried[operand] = found
        return self.tried[operand]

    def is_tried(self, operands: Iterable[Operand]) -> bool:
        """Whether what the samples tell of operands together holds for all warps."""
        if self.sources is None or self.lane_bits is None:
            self.sources = Sources(self)
            self.lane_bits = LaneBits(self.makers, self.sources.counts_lanes)
        wanted = list(operands)
        return self.sources.are_one(wanted) or all(map(self.lane_bits.decides, wanted))

    def conditions(self, op: Op) -> list[Operand]:
        """What decides which lanes come to `op`."""
        found: list[Operand] = []
        for control, _ in self.parting(op):
            found += control.operands[:3] if control.name == "for" else [_decides(control)]
        return found

    def present(self, op: Op, *, last: bool = False) -> list[int] | None:
        """The lanes that come to `op`, of each sample, if ids decide that; `last`: in the last round of its loops."""
        if (op, last) not in self.comers:
            self.take_samples()
            rows = [self._present(each, op, last) for each in self.samples]
            self.comers[op, last] = None if None in rows else [each for each in rows if each is not None]
        return self.comers[op, last]

    def _present(self, sample: SampleWarp, op: Op, last: bool) -> int | None:
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
            self.samples = sample_warps(self.makers, self.block.region.params, self.block.operands)

    def _asked_for(self, mask: Operand, op: Op) -> bool:
        """Whether the lanes have found out by a collective who comes: under its control, or that of its question."""
        negated = False
        while isinstance(mask, Value):
            maker = self.makers.get(mask)
            if maker is None:
                return False
            if maker.name == "xor" and maker.operands[1] == _ALL:
                negated, mask = not negated, maker.operands[0]
            elif maker.name == "xor" and self._all_ones(maker.operands[1]) is not None:
                return not negated and self._is_flipped(maker.operands[0], maker.operands[1], op)
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
        return self.question(vote.operands[1]) == self.question(condition) and self._comes_as_one(vote, op)

    def _is_flipped(self, mask: Operand, opposite: Operand, op: Op) -> bool:
        """The same, written `mask ^ (p ? 0 : -1)`."""
        vote, wanted = self.makers.get(mask) if isinstance(mask, Value) else None, self._all_ones(opposite)
        if vote is None or vote.name != "vote" or wanted is None:
            return False
        return self.question(vote.operands[1]) == _answered(wanted, True) and self._comes_as_one(vote, op)

    def _all_ones(self, operand: Operand) -> Question | None:
        """For what `operand` is -1, where it is 0 or -1."""
        maker = self.makers.get(operand) if isinstance(operand, Value) else None
        if maker is None:
            return None
        if maker.name == "sext" and maker.operands[0].type == "i1":
            return self.question(maker.operands[0])
        inner = self.makers.get(maker.operands[0]) if isinstance(maker.operands[0], Value) else None
        if maker.name != "add" or inner is None:
            return None
        number = maker.operands[1]
        if inner.name == "or" and number == int_const("i32", 1) and inner.operands[1] == int_const("i32", -2):
            return inner.operands[0], 1, True
        question = self.question(maker.operands[0])
        is_bit = question[1] == 1 or inner.operands[0].type == "i1"
        return _answered(question, True) if number == _ALL and inner.name in ("zext", "and") and is_bit else None

    def _comes_as_one(self, vote: Op, op: Op) -> bool:
        """Whether `op` is reached by all that have voted, or by those of one answer."""
        asked = self.question(vote.operands[1])
        return any(self._come_from(vote, op, _answered(asked, flipped)) for flipped in (False, True))

    def _is_answer(self, maker: Op, negated: bool, op: Op) -> bool:
        if maker.name == "activemask" or (maker.name == "match" and not negated):
            return not negated and self._come_from(maker, op, None)
        if maker.name != "vote" or maker.attrs["kind"] != "ballot":
            return False
        return self._come_from(maker, op, _answered(self.question(maker.operands[1]), negated), exact=negated)

    def _come_from(self, asked: Op, op: Op, question: Question | None, exact: bool = False) -> bool:
        """Whether all lanes that were at `asked` come to `op`, but those with another answer to `question`; `exact`:
        surely without those."""
        before, here = self.around[asked], self.around[op]
        if here[: len(before)] != before:
            return False
        found = False
        for control, region in here[len(before) :]:
            if not self.parts(control):
                continue
            if control.name != "if" or question is None:
                return False
            if _answered(self.question(control.operands[0]), bool(region)) != question:
                return False
            found = True
        return found or not exact

    def question(self, operand: Operand) -> Question:
        """What `operand` is not 0 for."""
        bits, flipped = -1, False
        while isinstance(operand, Value):
            maker = self.makers.get(operand)
            if maker is None or not types.is_int(operand.type):
                break
            is_condition = types.bits(operand.type) == 1 and bits & 1
            other = maker.operands[1] if len(maker.operands) == 2 else None
            if maker.name == "icmp" and maker.attrs["pred"] in ("eq", "ne") and is_condition and _is_zero(other):
                bits, flipped = -1, flipped ^ (maker.attrs["pred"] == "eq")
            elif maker.name == "xor" and is_condition and other == TRUE:
                flipped = not flipped
            elif maker.name == "and" and isinstance(other, Const) and isinstance(other.value, int):
                bits &= other.value
            elif maker.name in ("zext", "trunc"):
                narrow = min(types.bits(operand.type), types.bits(maker.operands[0].type))
                bits &= (1 << narrow) - 1
            elif maker.name != "freeze":
                break
            operand = maker.operands[0]
        known = types.bits(operand.type) if types.is_int(operand.type) else 0
        return operand, bits & ((1 << known) - 1), flipped

    def is_made_in(self, operand: Operand, loop: Op) -> bool:
        """Whether `operand` is computed anew in each round of `loop`."""
        if not isinstance(operand, Value):
            return False
        maker = self.makers.get(operand)
        if maker is None:
            return any(operand in region.params for each in walk_op(loop) for region in each.regions)
        return any(control is loop for control, _ in self.around.get(maker, ()))

    def way(self, control: Op, side: int) -> Question:
        """What holds for the lanes that go to `side` of an `if`."""
        return _answered(self.question(control.operands[0]), bool(side))


class Sources:
    """Which of a thread's numbers values are computed from."""

    def __init__(self, lanes: WarpLanes) -> None:
        self.lanes = lanes
        self.forms: Forms = affine_forms(lanes.function, definitions(lanes.function))
        self.x = lanes.block.region.params[0] if lanes.warps > Warps.ANY else None
        self.is_known = all(isinstance(each, Const) for each in lanes.block.operands)
        self.linear = linear_id(lanes.block)
        self.found: dict[Value, frozenset[str]] = {}

    def counts_lanes(self, value: Value) -> bool:
        """Whether a value is one that counts the lanes of a warp, from a multiple of 32 on."""
        return value is self.x or self._is_linear(value)

    def _is_linear(self, value: Value) -> bool:
        affine = self.forms.of(value).affine if value.type == "i32" else None
        if affine is None or affine.constant:
            return False
        return {frozenset(product): number for product, number in affine.terms.items()} == self.linear

    def are_one(self, operands: Iterable[Operand]) -> bool:
        """Whether operands are computed from one number that takes all its values in the samples."""
        if self.is_known:
            return True
        found = frozenset[str]().union(*map(self.of, operands))
        return len(found) <= 1 and "other" not in found

    def of(self, operand: Operand) -> frozenset[str]:
        """`x`, `linear`, or `other`, as often as each is needed."""
        if not isinstance(operand, Value):
            return frozenset()
        if operand not in self.found:
            self.found[operand] = self._of(operand)
        return self.found[operand]

    def _of(self, value: Value) -> frozenset[str]:
        if value is self.x:
            return frozenset({"x"})
        if self._is_linear(value):
            return frozenset({"linear"})
        op = self.lanes.makers.get(value)
        if op is None or op.regions:
            return frozenset({"other"})
        return frozenset[str]().union(*map(self.of, op.operands))


def warp_lanes(function: Function, block: Op, warps: Warps) -> WarpLanes:
    """The lanes of the warps of the only `block` of `function`, before anything else is asked."""
    makers = {value: op for op in walk(function.body) for value in op.results}
    around: dict[Op, Control] = {}

    def note(region: Region, control: Control) -> None:
        for op in region.ops:
            around[op] = control
            for number, inner in enumerate(op.regions):
                note(inner, (*control, (op, number)))

    note(block.region, ())
    whole = group_uniformity(function, WARP_SIZE, warps)
    return WarpLanes(block, whole, makers, around, function, warps)


def mask_of(op: Op) -> Operand:
    """The lanes that the collective `op` names."""
    return op.operands[0] if op.operands else _ALL


def _answered(question: Question, opposite: bool) -> Question:
    operand, bits, flipped = question
    return operand, bits, flipped != opposite


def _is_zero(operand: Operand | None) -> bool:
    return isinstance(operand, Const) and operand.value == 0


def _decides(op: Op) -> Operand:
    return op.regions[0].terminator.operands[0] if op.name == "while" else op.operands[0]
