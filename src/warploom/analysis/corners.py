# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons in loops that hold in all trips, for all lanes, if they hold at the ends.

    for 0, 128, 32 { (%at)                               %least = 4 * %m + %r
      for 0, 2, 1 { (%turn)                              %most = %least + 4 * (96 + 128)
        %i = add %m, %at;  %k = mul %turn, 128     ==>   %least <= %most && %most <= -125
        %j = mul (add %i, %k), 4
        icmp (add %j, %r) <= -125 [ule]

A side of a comparison is what the loops do not change and multiples of their counters and of the numbers of lanes: it
lies between two sums. An upper bound may also be what is left of a number less such a multiple (`ssub.sat`). A counter
whose trips are not known is below its bound, of which it is asked as well that it is no larger than a block may be. A
number that begins at a constant counts the threads of a block: of those some are meant to be left out, in each block.

Sound because the sums from the least to the most are consecutive modulo 2^n: where the least is not above the most, no
sum has wrapped, and each is between the two; and a difference that saturates falls as what is taken off grows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from warploom.analysis.integers import signed_value
from warploom.analysis.steps import known_trips
from warploom.analysis.sums import Sum, factors_of
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import Builder, Const, Op, Operand, Value, int_const, walk_op

MOST_THREADS = 1024  # of a loop whose trips are not known
_BELOW = {"slt": "sle", "sle": "sle", "ult": "ule", "ule": "ule"}
_SWAPPED = {"sgt": "slt", "sge": "sle", "ugt": "ult", "uge": "ule"}
_SATURATING = {"s": "llvm.ssub.sat.", "u": "llvm.usub.sat."}


@dataclass(frozen=True, slots=True)
class Span:
    """What a number may be, modulo 2^width: those from `least` to `most`, sums of what the loops do not change.

    They are `length` apart at most, if none of `bounds`, of loops whose trips are not known, is above MOST_THREADS.
    """

    least: Sum[Value]
    most: Sum[Value]
    length: int = 0
    bounds: tuple[Value, ...] = ()

    def plus(self, other: Span) -> Span:
        """Two numbers' sum."""
        least, most = self.least.plus(other.least), self.most.plus(other.most)
        return Span(least, most, self.length + other.length, (*self.bounds, *other.bounds))

    def times(self, factor: int) -> Span:
        """A multiple."""
        least, most = self.least.times(factor), self.most.times(factor)
        if factor < 0:
            least, most = most, least
        return Span(least, most, self.length * abs(factor), self.bounds)

    @property
    def is_one(self) -> bool:
        """Whether it is the same in all trips for all lanes."""
        return self.least == self.most


@dataclass(frozen=True, slots=True)
class Below:
    """`number` is below `bound`, or the same, as `pred` says, at its ends; `less`: what may be taken off the bound."""

    type: str
    pred: str
    number: Span
    bound: Span
    less: tuple[str, int] | None = None


class Corners:
    """Of the loops in `loop`, itself among them, whose values `made` makes.

    `is_steady` tells of a value in it whether it can be computed in front.
    """

    def __init__(self, loop: Op, inside: set[Value], made: dict[Value, Op], is_steady: Callable[[Value], bool]) -> None:
        self._inside, self._made, self._is_steady = inside, made, is_steady
        loops = [op for op in walk_op(loop) if op.name == "for"]
        self._spans = {op.region.params[0]: _counter(op, self._is_in_front) for op in loops}

    def _is_in_front(self, value: Value) -> bool:
        return value not in self._inside or self._is_steady(value)

    def test(self, comparison: Op) -> Below | None:
        """What makes the comparison hold in all trips for all lanes; None where that cannot be asked."""
        pred, (left, right) = str(comparison.attrs["pred"]), comparison.operands
        if pred in _SWAPPED:
            pred, left, right = _SWAPPED[pred], right, left
        element = types.element_of(left.type)
        number = self.span(left) if pred in _BELOW and types.is_int(element) else None
        if number is None or not number.least.terms:
            return None
        callee, bound, most = self._taken_off(right, pred) or ("", self.span(right), 0)
        if bound is None or max(number.length, bound.length) >> types.bits(element):
            return None
        return Below(element, pred, number, bound, (callee, most) if callee else None)

    def _taken_off(self, bound: Operand, pred: str) -> tuple[str, Span, int] | None:
        """Of a difference that saturates: how, what it is taken from, and the most that is taken."""
        op = self._made.get(bound) if isinstance(bound, Value) else None
        if op is not None and op.name == "splat":
            return self._taken_off(op.operands[0], pred)
        callee = str(op.attrs["callee"]) if op is not None and op.name == "call" else ""
        if op is None or not callee.startswith(_SATURATING[pred[0]]):
            return None
        whole, part = map(self.span, op.operands)
        if whole is None or part is None or part.least.terms or part.most.terms:
            return None
        fits = 0 <= part.least.constant <= part.most.constant < 1 << (types.bits(op.result.type) - 1)
        return (callee, whole, part.most.constant) if fits else None

    def span(self, operand: Operand) -> Span | None:
        """What an integer, or each element of a vector of them, may be."""
        if isinstance(operand, Const):
            return _constant(operand)
        if operand not in self._spans:
            self._spans[operand] = self._span(operand)
        return self._spans[operand]

    def _span(self, value: Value) -> Span | None:
        if value not in self._inside:
            return _itself(value)
        op = self._made.get(value)
        if op is None or op.regions:
            return None
        if op.name == "splat":
            return self.span(op.operands[0])
        factors = factors_of(op, _number) if len(op.operands) == 2 else None
        if factors is not None:
            total = _number_span(factors[2], factors[2])
            for operand, factor in zip(op.operands, factors, strict=False):
                part = self.span(operand) if factor else _number_span(0, 0)
                if part is None:
                    break
                total = total.plus(part.times(factor))
            else:
                return total
        return _itself(value) if self._is_steady(value) else None


def _itself(value: Value) -> Span | None:
    """A number that stands for itself."""
    alone = Sum(0, {value: 1})
    return Span(alone, alone) if types.is_int(value.type) else None


def _number_span(least: int, most: int) -> Span:
    return Span(Sum(least), Sum(most), most - least)


def _counter(loop: Op, is_steady: Callable[[Value], bool]) -> Span | None:
    """The numbers that a loop counts."""
    trips, bound = known_trips(loop), loop.operands[1]
    start, step = (signed_value(each) if isinstance(each, Const) else None for each in loop.operands[0:3:2])
    if trips != 0 and start is not None and step is not None:
        return _number_span(start, start + (trips - 1) * step)
    counts_up = start == 0 and step is not None and step > 0 and loop.attrs["pred"] == "slt"
    if not counts_up or not isinstance(bound, Value) or not is_steady(bound):
        return None
    return Span(Sum(0), Sum(-1, {bound: 1}), MOST_THREADS - 1, (bound,))


def _constant(constant: Const) -> Span | None:
    if (number := signed_value(constant)) is not None:
        return _number_span(number, number)
    text = str(constant.value)
    if not types.is_vector(constant.type) or not types.is_int(types.element_of(constant.type)) or text[0] != "<":
        return None
    numbers = [int(word) for _, word in map(str.split, types.members_of_text(text[1:-1])) if word.lstrip("-").isdigit()]
    return _number_span(min(numbers), max(numbers)) if len(numbers) == types.lanes_of(constant.type) else None


def _number(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


def ends_hold(test: Below, in_front: Callable[[Value], Operand], build: Builder) -> Sequence[Operand]:
    """Conditions that `build` makes, all of which hold only where the comparison holds in all trips for all lanes."""
    type_, width = test.type, types.bits(test.type)

    def total(sum_: Sum[Value]) -> Operand:
        found: Operand = int_const(type_, sum_.constant)
        for value, factor in sum_.terms.items():
            part = in_front(value)
            if factor % (1 << width) != 1:
                part = build.op("mul", [part, int_const(type_, factor)], type_)
            found = part if found == int_const(type_, 0) else build.op("add", [part, found], type_)
        return found

    def ends(span: Span) -> tuple[Operand, Operand]:
        least = total(span.least)
        if span.is_one:
            return least, least
        most = total(span.most)
        found.append(build.op("icmp", [least, most], "i1", pred=_BELOW[test.pred]))
        return least, most

    found: list[Operand] = []
    for bound in dict.fromkeys((*test.number.bounds, *test.bound.bounds)):
        number = in_front(bound)
        found.append(build.op("icmp", [number, int_const(number.type, MOST_THREADS)], "i1", pred="sle"))
    _, highest = ends(test.number)
    lowest, _ = ends(test.bound)
    if test.less is not None:
        callee, taken = test.less
        attrs = {"callee": callee, "effects": "none", "speculatable": True}
        lowest = build.op("call", [lowest, int_const(type_, taken)], type_, **attrs)
    return [*found, build.op("icmp", [highest, lowest], "i1", pred=test.pred)]
