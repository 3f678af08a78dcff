# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that count the bits of a number become that number of bits.

    %n, %x = while %n0, %x0 { (%n, %x)                    %b = call %x0 [callee=llvm.ctpop.i64]
      condition %x != 0, %n, %x                   ==>     %n = %n0 + 3 * trunc %b
    } { (%n, %x) yield %n + 3, %x & (%x - 1) }            %x = 0

x & (x - 1) is x without its lowest bit, so that the loop has as many trips as x0 has bits. One that adds the lowest bit
and shifts x to the right, until nothing is left or as often as a `for` says, adds each bit of x0 once, or each of those
that the `for` comes to. (LLVM's loop-idiom pass knows the first form, where the processor has an instruction.)

Sound because nothing else happens in the loop: its ops are arithmetic, and each value that it carries is x or such a
sum, modulo the same power of two. It ends for every x0, and without bits it has no trip.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.steps import known_trips
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, Value, int_const

_ARITHMETIC = frozenset("add and lshr zext trunc".split())
Closed = tuple[list[Op], list[Operand]]  # ops, and what the loop's results are


def closed_while(op: Op) -> Closed | None:
    """What stands for a `while` that counts bits; None: it is none."""
    before, after = op.regions
    condition, *passed = before.terminator.operands
    if len(before.body) != 1 or not _may_count(after):
        return None
    (test,) = before.body
    if test.name != "icmp" or test.attrs["pred"] != "ne" or condition is not test.results[0] or condition in passed:
        return None
    x, nothing = test.operands
    if not isinstance(x, Value) or x not in before.params or not types.is_int(x.type) or nothing != _int(x, 0):
        return None
    source = dict(zip(after.params, passed, strict=True))
    trip = _Trip(after, source, dict(zip(before.params, op.operands, strict=True)))
    if not trip.shrinks(after.terminator.operands[before.params.index(x)], x):
        return None
    last = trip.last_values(before.params, after.terminator.operands)
    return None if last is None else (trip.ops, [last.get(each, each) for each in passed])


def closed_for(op: Op) -> Closed | None:
    """What stands for a `for` that counts bits; None: it is none."""
    body, (start, _, step, *inits) = op.region, op.operands
    trips = known_trips(op)
    if not trips or not _may_count(body):
        return None
    counter = body.params[0] if start == _int(start, 0) and step == _int(step, 1) else None
    carried = body.params[1:]
    trip = _Trip(body, {}, dict(zip(carried, inits, strict=True)), trips, counter)
    last = trip.last_values(carried, body.terminator.operands)
    return None if last is None else (trip.ops, [last[each] for each in carried])


def _may_count(body: Region) -> bool:
    return len(body.ops) > 1 and all(op.name in _ARITHMETIC for op in body.body)


def _int(like: Operand, value: int) -> Const:
    return int_const(like.type, value)


class _Trip:
    """One trip: what follows on each value that is carried; and the ops that stand for all trips."""

    def __init__(
        self,
        body: Region,
        source: dict[Value, Operand],
        inits: dict[Value, Operand],
        trips: int | None = None,
        counter: Value | None = None,
    ) -> None:
        """`source`: what a region's parameter is, if not itself. `trips`: None, until nothing is left; `counter`: one
        that is the number of the trip."""
        self.definitions = {op.result: op for op in body.body}
        self.source, self.inits, self.trips, self.counter = source, inits, trips, counter
        self.ops: list[Op] = []

    def last_values(self, carried: Sequence[Value], following: Sequence[Operand]) -> dict[Operand, Operand] | None:
        """What is carried out of the last trip; None where a value is neither shrinking nor a sum of bits."""
        if not all(types.is_int(each.type) for each in carried):
            return None
        pairs = list(zip(carried, following, strict=True))
        shrinking = {value: self._clears_lowest(after, value) for value, after in pairs if self.shrinks(after, value)}
        if self.trips is None and len(shrinking) != 1:
            return None  # the loop ends with one of them
        last: dict[Operand, Operand] = {value: self._rest(self.inits[value]) for value in shrinking}
        for value, after in pairs:
            if value in shrinking:
                continue
            found = self._counted(after, value, shrinking)
            if found is None:
                return None
            counted, factor = found
            last[value] = self._sum(value, counted, factor)
        return last

    def shrinks(self, following: Operand, x: Value) -> bool:
        """Whether each trip leaves less of x."""
        return self._halves(following, x) or (self.trips is None and self._clears_lowest(following, x))

    def _counted(self, following: Operand, n: Value, shrinking: dict[Value, bool]) -> tuple[Operand, int] | None:
        """The number whose bits are counted by n, and what is added for each."""
        total = self._op(following, "add")
        amount = None if total is None else self._other(total, n)
        if amount is None:
            return None
        clearing = [x for x, clears in shrinking.items() if clears]
        if isinstance(amount, Const) and isinstance(amount.value, int) and clearing:
            return self.inits[clearing[0]], amount.value
        x = self._with_lowest_bit(amount)
        if isinstance(x, Value) and shrinking.get(x) is False:
            return self.inits[x], 1
        shift = None if x is None else self._op(x, "lshr")
        if shift is None or self.counter is None or shift.operands[1] is not self.counter or self.trips is None:
            return None
        number = shift.operands[0]
        inside = number in self.inits or number in self.definitions or number is self.counter
        return None if inside or self.trips > types.bits(number.type) else (number, 1)

    def _of(self, operand: Operand) -> Operand:
        return self.source.get(operand, operand) if isinstance(operand, Value) else operand

    def _op(self, operand: Operand, name: str) -> Op | None:
        found = self.definitions.get(operand) if isinstance(operand, Value) else None
        return found if found is not None and found.name == name else None

    def _other(self, op: Op, one: Value) -> Operand | None:
        """The operand beside `one`."""
        first, second = map(self._of, op.operands)
        return second if first is one else first if second is one else None

    def _clears_lowest(self, following: Operand, x: Value) -> bool:
        """Whether it is x & (x - 1)."""
        both = self._op(following, "and")
        rest = None if both is None else self._other(both, x)
        less = None if rest is None else self._op(rest, "add")
        return less is not None and self._other(less, x) == _int(x, -1)

    def _halves(self, following: Operand, x: Value) -> bool:
        """Whether it is x >> 1."""
        shift = self._op(following, "lshr")
        return shift is not None and self._of(shift.operands[0]) is x and shift.operands[1] == _int(x, 1)

    def _with_lowest_bit(self, operand: Operand) -> Operand | None:
        """The number whose lowest bit `operand` is."""
        wide = self._op(operand, "zext") or self._op(operand, "trunc")
        masked = self._op(operand if wide is None else wide.operands[0], "and")
        if masked is None or masked.operands[1] != _int(masked.result, 1) or operand.type == "i1":
            return None
        narrow = self._op(masked.operands[0], "trunc")
        return self._of(masked.operands[0] if narrow is None else narrow.operands[0])

    def _add(self, name: str, type_: str, *operands: Operand, **attrs: str | bool) -> Value:
        op = Op(name, list(operands), [Value(type_)], dict(attrs))
        self.ops.append(op)
        return op.result

    def _rest(self, init: Operand) -> Operand:
        """What is left of a number that shrinks."""
        if self.trips is None or self.trips >= types.bits(init.type):
            return _int(init, 0)
        return self._add("lshr", init.type, init, _int(init, self.trips))

    def _sum(self, n: Value, counted: Operand, factor: int) -> Operand:
        width, wanted = types.bits(counted.type), types.bits(n.type)
        if self.trips is not None and self.trips < width:
            counted = self._add("and", counted.type, counted, _int(counted, (1 << self.trips) - 1))
        callee = f"llvm.ctpop.{counted.type}"
        bits = self._add("call", counted.type, counted, callee=callee, effects="none", speculatable=True)
        if width != wanted:
            bits = self._add("zext" if width < wanted else "trunc", n.type, bits)
        if factor != 1:
            bits = self._add("mul", n.type, bits, _int(n, factor))
        return self._add("add", n.type, self.inits[n], bits)
