# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a condition that leads lanes to one op of a block keeps them away from another.

    if c { first } { second }

    %goto = if c { yield 1 } { first; yield %d }      where lanes come from `first`, %goto is %d; and where first
    if %goto { second }                               stands under %d = 0, they do not come to `second`

What is known of lanes that come to an op: the conditions of each `if` around it, the parts of `and` and `or`, what is
equal to a constant, and what an `if` yields on the side that they are on. Values are those of one round of the loops
that hold both ops.
"""

from __future__ import annotations

from warploom.analysis.open_collectives import Question, WarpLanes
from warploom.ir import types
from warploom.ir.core import FALSE, TRUE, Const, Op, Operand, Value


def exclude_each_other(op: Op, other: Op, lanes: WarpLanes) -> bool:
    """Whether lanes of a warp part so that those which come to `op` do not come to `other` in that round."""
    return _Known(op, lanes).keeps_away(other) or _Known(other, lanes).keeps_away(op)


class _Known:
    """What holds for the lanes that come to `op`."""

    def __init__(self, op: Op, lanes: WarpLanes) -> None:
        self.lanes = lanes
        self.sides = dict(lanes.around[op])
        self.facts: set[Question] = set()
        self.found: dict[Value, int | None] = {}
        for control, side in lanes.around[op]:
            if control.name == "if":
                self._note(control.operands[0], side == 0)

    def keeps_away(self, other: Op) -> bool:
        """Whether an `if` around `other` at which lanes of a warp part leads none of these lanes to it."""
        ways = [(each.operands[0], side) for each, side in self.lanes.parting(other) if each.name == "if"]
        return any(self._number(condition) == side for condition, side in ways)

    def _note(self, condition: Operand, holds: bool) -> None:
        operand, bits, flipped = self.lanes.question(condition)
        self.facts.add((operand, bits, flipped == holds))
        if isinstance(operand, Value) and flipped == holds and bits == (1 << types.bits(operand.type)) - 1:
            self.found[operand] = 0
        maker = self.lanes.makers.get(operand) if isinstance(operand, Value) else None
        if maker is not None and operand.type == "i1":
            for part in _parts(maker, holds != flipped):
                self._note(part, holds != flipped)
            compared, number = maker.operands[:2] if _tells(maker, holds != flipped) else (None, None)
            if isinstance(compared, Value) and isinstance(number, Const) and isinstance(number.value, int):
                self.found[compared] = number.value

    def _number(self, operand: Operand) -> int | None:
        """The integer that `operand` is for all these lanes, if that is known."""
        if isinstance(operand, Const):
            return operand.value if isinstance(operand.value, int) else None
        if operand not in self.found:
            self.found[operand] = self._answer(operand) if operand.type == "i1" else self._computed(operand)
        return self.found[operand]

    def _answer(self, condition: Value) -> int | None:
        asked, bits, flipped = self.lanes.question(condition)
        for answer in (True, False):
            if (asked, bits, flipped == answer) in self.facts:
                return int(answer)
        number = self._computed(condition) if asked == condition else self._number(asked)
        if number is None or asked == condition:
            return number
        return int(bool(number & bits) != flipped)

    def _computed(self, value: Value) -> int | None:
        maker = self.lanes.makers.get(value)
        if maker is None:
            return None
        if maker.name == "if":
            side = self.sides.get(maker)
            return None if side is None else self._number(_yielded(maker, side, value))
        numbers = [self._number(each) for each in maker.operands]
        if maker.name == "select":
            return _chosen(*numbers)
        return _combined(maker, numbers) if value.type == "i1" and len(numbers) == 2 else None


def _chosen(condition: int | None, yes: int | None, no: int | None) -> int | None:
    if condition is None:
        return yes if yes == no else None
    return yes if condition else no


def _combined(maker: Op, numbers: list[int | None]) -> int | None:
    if maker.name in ("and", "or"):
        deciding = int(maker.name == "or")
        return deciding if deciding in numbers else None if None in numbers else 1 - deciding
    if None in numbers:
        return None
    differ = int(numbers[0] != numbers[1])
    if maker.name == "icmp" and maker.attrs["pred"] == "eq":
        return 1 - differ
    return differ if maker.name == "xor" or (maker.name == "icmp" and maker.attrs["pred"] == "ne") else None


def _yielded(control: Op, side: int, value: Value) -> Operand:
    return control.regions[side].terminator.operands[control.results.index(value)]


def _tells(maker: Op, holds: bool) -> bool:
    """Whether two operands are equal where the result of `maker` holds, or does not."""
    return maker.name == "icmp" and maker.attrs["pred"] == ("eq" if holds else "ne")


def _parts(maker: Op, holds: bool) -> list[Operand]:
    """What has to hold, or must not hold, with the result of `maker`."""
    if maker.name == ("and" if holds else "or"):
        return maker.operands
    if maker.name != "select":
        return []
    condition, yes, no = maker.operands
    if holds:
        return [condition, yes] if no == FALSE else []
    return [condition, no] if yes == TRUE else []
