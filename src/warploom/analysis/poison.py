# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values may be poison where no thread runs the code that they are computed for.

    %n = if %any { ... yield %m } { yield poison }        may be: no thread was there
    %k = add %a, %b [flags=(nsw)]                         may be: nothing says that it does not overflow
    %c = icmp slt %k, 8                                   may be, as %k may

Code around barriers leaves its threads (interchange.py) and may then run though none of them takes part. A branch on
poison is undefined, and a loop up to it may go on for very long. What the function is given, and what it reads, is no
poison.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.ir.core import Const, Function, Op, Operand, Region, Value, flags_of, is_undefined, walk
from warploom.ir.ops import LOOPS, Effect, effect
from warploom.ir.properties import is_pure, may_make_poison


class Poison:
    """Which values of a function may be poison."""

    def __init__(self, makers: Mapping[Value, Op], carried: set[Value]) -> None:
        """`makers`: the op that each value is a result of; `carried`: what loops pass on."""
        self._makers, self._carried = makers, carried
        self._known: dict[Value, bool] = {}

    def may_be(self, operand: Operand) -> bool:
        """Whether `operand` may be poison though no thread has made it so."""
        if isinstance(operand, Const):
            return is_undefined(operand)
        if operand not in self._known:
            self._known[operand] = True  # of what leads back to itself
            self._known[operand] = self._find(operand)
        return self._known[operand]

    def _find(self, value: Value) -> bool:
        op = self._makers.get(value)
        if op is None:
            return value in self._carried
        if op.name == "if":
            given = [region.terminator.operands[op.results.index(value)] for region in op.regions]
            return any(map(self.may_be, [op.operands[0], *given]))
        if op.name == "for" and value is op.region.params[0]:
            return bool(flags_of(op)) or any(map(self.may_be, (op.operands[0], op.operands[2])))
        if op.regions:
            return True
        if op.name == "freeze" or effect(op) is Effect.READ:
            return False
        return is_pure(op) and (may_make_poison(op) or any(map(self.may_be, op.operands)))


def poison_in(function: Function, region: Region) -> Poison:
    """Of `function`, and of `region`, which may be a copy of a part of it."""
    makers: dict[Value, Op] = {}
    carried: set[Value] = set()
    for root in (function.body, region):
        for op in walk(root):
            makers.update(dict.fromkeys(op.results, op))
            if op.name in LOOPS:
                carried.update(value for inner in op.regions for value in inner.params)
            if op.name == "for":
                makers[op.region.params[0]] = op
    return Poison(makers, carried)
