# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By how much values grow in each step of a `for`.

    for %k = 0, %n, 1 {
      %m = mul %k, %n [flags=(nsw)]     grows by %n, over the signed integers
      %w = sext %m                      grows by %n: a wrapped %m would be poison
      %p = gep %b, %w [strides=(4)]     grows by 4 * %n bytes
    }

Sums and products of integers and addresses are linear modulo 2^width. Past an extension they are where nothing wraps:
LLVM's flags say so, and a counter never wraps. Without a flag the step is a guess that is nearly always right, good
enough to ask for memory ahead of time; `exact` tells the two apart.
"""

from __future__ import annotations

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import fits, range_of_op, signed_value, type_range
from warploom.analysis.sums import factors_of
from warploom.core.records import dataclass, replace
from warploom.ir import types
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, defined_in, flags_of, int_const, walk
from warploom.ir.ops import Effect, effect

_SAME_STEP = frozenset("sext zext trunc freeze".split())


@dataclass(frozen=True, slots=True)
class Step:
    """By how much a value grows in each step of a loop: `number` times `factors`, which the loop does not change.

    `exact`: always, modulo 2^64 for what is that wide; over the signed integers for what is narrower.
    """

    number: int
    factors: tuple[Value, ...] = ()
    exact: bool = True

    def plus(self, other: Step | None) -> Step | None:
        """The step of a sum."""
        if other is None or (self.number and other.number and self.factors != other.factors):
            return None
        factors = self.factors if self.number else other.factors
        return Step(self.number + other.number, factors, self.exact and other.exact)

    def times(self, other: Operand) -> Step:
        """The step of a product with what the loop does not change."""
        if isinstance(other, Const):
            number = signed_value(other)
            if number is None:
                return Step(0, (), False)
            return replace(self, number=self.number * number) if number else NONE
        return replace(self, factors=(*self.factors, other)) if self.number else self

    def guessed(self, unless: bool) -> Step:
        """The same, exact only where `unless` is true."""
        return self if unless or not self.number else replace(self, exact=False)


NONE = Step(0)


def is_wide(value: Value) -> bool:
    """Whether a value has the width of an address: its sums may wrap, as those of addresses do."""
    return value.type in ("i64", "ptr")


class Steps:
    """The steps of values in one loop."""

    def __init__(self, loop: Op, definitions: dict[Value, Op], ranges: Ranges | None = None) -> None:
        self.loop, self.ranges = loop, ranges
        self.counter, self.step = loop.region.params[0], loop.operands[2]
        self.inside, self.definitions = defined_in(loop), definitions
        self.found: dict[Value, Step | None] = {}
        self.counters = {op.region.params[0]: op for op in walk(loop.region) if op.name == "for"}  # of loops inside

    def of(self, value: Operand) -> Step | None:
        """How `value` grows; None where that is not known."""
        if isinstance(value, Const) or value not in self.inside:
            return NONE
        if value not in self.found:
            self.found[value] = self._of(value)
        return self.found[value]

    def _of(self, value: Value) -> Step | None:
        if value == self.counter:
            return Step(1).times(self.step).guessed(self._never_wraps(("slt", "ult") if is_wide(value) else ("slt",)))
        if inner := self.counters.get(value):
            return self.of(inner.operands[0]) if self.of(inner.operands[2]) == NONE else None  # trip by trip
        op = self.definitions.get(value)
        if op is None or op.regions or effect(op) is not Effect.PURE:
            return None
        if op.name in _SAME_STEP:
            return self._extended(op)
        if op.name == "gep":
            return self._address(op)
        steps = [self.of(each) for each in op.operands]
        if all(each == NONE for each in steps):
            return NONE
        found = self._of_arithmetic(op, steps)
        return found and found.guessed(is_wide(op.result) or "nsw" in flags_of(op) or self._fits(op))

    def _fits(self, op: Op) -> bool:
        """Whether the result is known to be what it is over the signed integers."""
        if self.ranges is None or op.name not in ("add", "sub", "mul", "shl") or not types.is_int(op.result.type):
            return False
        left, right = (self.ranges.of(each, signed=True) for each in op.operands)
        if op.name == "shl" and not 0 <= right[0] == right[1] < 64:
            return False
        return fits(range_of_op(op.name, left, right), type_range(op.result.type, signed=True))

    def _never_wraps(self, preds: tuple[str, ...]) -> bool:
        """Whether the counter goes up by one to a bound, compared in one of the ways `preds`; or in a known range."""
        if self.ranges is not None and self.counter in self.ranges.known:
            return True
        return self.step == int_const(self.counter.type, 1) and self.loop.attrs["pred"] in preds

    def _extended(self, op: Op) -> Step | None:
        (value,) = op.operands
        step = self.of(value)
        if step is None or op.name == "sext":
            return step
        if op.name == "zext" and value == self.counter and self._never_wraps(("ult",)):
            return replace(step, exact=True)
        return step.guessed(op.name == "zext" and "nneg" in flags_of(op))

    def _of_arithmetic(self, op: Op, steps: list[Step | None]) -> Step | None:
        factors = factors_of(op, _number)
        if factors is not None:
            scaled = [
                s and s.times(int_const("i64", by)) if by else NONE for s, by in zip(steps, factors, strict=False)
            ]
            return scaled[0] and scaled[0].plus(scaled[1])
        if op.name == "mul" and steps[0] is not None and self._is_from_outside(op.operands[1]):
            return steps[0].times(op.operands[1])
        if op.name == "mul" and steps[1] is not None and self._is_from_outside(op.operands[0]):
            return steps[1].times(op.operands[0])
        return None

    def _is_from_outside(self, value: Operand) -> bool:
        return isinstance(value, Const) or value not in self.inside

    def _address(self, op: Op) -> Step | None:
        total = self.of(op.operands[0])
        strides = op.attrs["strides"]
        assert isinstance(strides, tuple), "gep: strides is no tuple"
        for index, stride in zip(op.operands[1:], strides, strict=True):
            step = self.of(index)
            if total is None or step is None:
                return None
            assert isinstance(stride, int), "gep: a stride is no number"
            total = total.plus(step.times(int_const("i64", stride)))
        return total


def _number(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


def trips_of(loop: Op, ranges: Ranges) -> tuple[int, int | None]:
    """The least and the most trips of a `for` with a constant bound and step; (0, None) where they are not known."""
    upper, step = (signed_value(each) if isinstance(each, Const) else None for each in loop.operands[1:3])
    low, high = ranges.of(loop.operands[0], signed=True)
    pred = loop.attrs["pred"]
    if upper is None or step is None or pred not in ("slt", "ult") or min(step - 1, low, upper) < 0:
        return 0, None
    flag, last = ("nsw" if pred == "slt" else "nuw"), type_range(loop.operands[0].type, pred == "slt")[1]
    if upper - 1 + step > last and flag not in flags_of(loop):
        return 0, None  # the counter may wrap, and go on
    return max(0, -((high - upper) // step)), max(0, -((low - upper) // step))


def known_trips(loop: Op) -> int:
    """How often a `for` runs that counts up from a constant to another one; 0 where that is not known."""
    lower, upper, step = (signed_value(each) if isinstance(each, Const) else None for each in loop.operands[:3])
    pred = str(loop.attrs["pred"])
    if lower is None or upper is None or step is None or step <= 0 or (pred[0] != "s" and min(lower, upper) < 0):
        return 0
    if pred == "ne":
        return 0 if upper < lower or (upper - lower) % step else (upper - lower) // step
    if pred[1:] not in ("lt", "le"):
        return 0
    trips = max(0, -((lower - upper - (pred[1:] == "le")) // step))
    last = type_range(loop.operands[0].type, pred[0] == "s")[1]
    return trips if lower + trips * step <= last else 0  # else the counter wraps, and goes on


def know_counters(region: Region, ranges: Ranges) -> None:
    """Note the ranges of the counters of all loops whose trips are known."""
    for op in walk(region):
        if op.name == "for" and trips_of(op, ranges)[1]:
            low, upper = (ranges.of(each, signed=True)[0] for each in op.operands[:2])
            ranges.known[op.region.params[0]] = low, upper - 1


def in_bytes(step: Step, steps: int, build: Builder) -> Operand:
    """The i64 that so many steps are."""
    total: Operand = int_const("i64", step.number * steps)
    for factor in step.factors:
        wide = factor if factor.type == "i64" else build.op("sext", [factor], "i64")
        total = build.op("mul", [wide, total], "i64")
    return total
