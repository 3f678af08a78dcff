# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unroll short loops around barriers.

    while (%s = 64) {                     if %tx < 64 { A(64) }
      condition %s > 0, %s                barrier
    } { (%s)                              if %tx < 32 { A(32) }
      if %tx < %s { A(%s) }        ==>    barrier
      barrier                             ...
      yield %s >> 1                       if %tx < 1 { A(1) }
    }                                     barrier

A loop whose trip count is known runs the same ops as that many copies of its body, whatever the body does; all threads
agree on the count as it depends on no thread. The control values are followed through the copies by constant folding,
so any kind of counter will do, and an `if` on a constant leaves only its side taken. Without the loop, splitting needs
no interchange, guards have constant bounds, and barriers between two copies can be compared with each other (Moses et
al., High-Performance GPU-to-CPU Transpilation, section IV: 2.6 times on backprop). Loops without barriers are left to
LLVM.
"""

from __future__ import annotations

from warploom.ir.core import Const, Function, Op, Operand, Region, Value, clone_op, int_const, replace_uses, walk_op
from warploom.ir.evaluate import evaluate
from warploom.ir.ops import LOOPS, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.clean.fold import fold
from warploom.passes.contracts import SCALAR, STRUCTURED

NAME = "unroll"
MAX_TRIPS = 16
MAX_OPS = 2000  # that all copies in a function may have
# Ops that the copies of a loop around other such loops may have. Knowing the counts of the inner loop is what pays, and
# attention kernels of 8 tiles were twice as long for the outer ones (docs/performance.md, "Compile time").
MAX_NESTED = 256

Mapping = dict[Value, Operand]


class _NotConstant(Exception):
    """The loop has no known or no small trip count."""


class _TooLong(Exception):
    """The copies exceed the budget."""


def needs_unrolling(op: Op) -> bool:
    """Whether `op` is a sequential loop with barriers or collectives in it."""
    return op.name in LOOPS and bool(levels_in(op))


class _Copies:
    """The copies of one loop, under construction."""

    def __init__(self, budget: int) -> None:
        self.ops: list[Op] = []
        self.mapping: Mapping = {}
        self.definitions: dict[Value, Op] = {}  # by the copies
        self.budget = budget
        self.trips = 0

    def mapped(self, operands: list[Operand]) -> list[Operand]:
        return [self.mapping.get(each, each) if isinstance(each, Value) else each for each in operands]

    def loop(self, op: Op) -> None:
        """Every trip of `op`; maps its results."""
        results = self._for(op) if op.name == "for" else self._while(op)
        self.mapping.update(zip(op.results, results, strict=True))

    def _for(self, op: Op) -> list[Operand]:
        lower, upper, step, *carried = self.mapped(op.operands)
        counter: Operand = lower
        trips = 0
        while self._holds("icmp", [counter, upper], op):
            trips += 1
            if trips > MAX_TRIPS:
                raise _NotConstant
            self.mapping.update(zip(op.region.params, [counter, *carried], strict=True))
            carried = self._region(op.region)
            next_ = evaluate(Op("add", [counter, step], [Value(counter.type)]))
            assert next_ is not None, "constants add up"
            counter = next_
        self.trips = trips
        return carried

    def _while(self, op: Op) -> list[Operand]:
        before, after = op.regions
        carried = self.mapped(op.operands)
        trips = 0
        while True:
            self.mapping.update(zip(before.params, carried, strict=True))
            condition, *passed = self._region(before)
            if not isinstance(condition, Const) or not isinstance(condition.value, int):
                raise _NotConstant
            if not condition.value:
                self.trips = trips
                return passed
            trips += 1
            if trips > MAX_TRIPS:
                raise _NotConstant
            self.mapping.update(zip(after.params, passed, strict=True))
            carried = self._region(after)

    def _holds(self, name: str, operands: list[Operand], op: Op) -> bool:
        value = evaluate(Op(name, operands, [Value("i1")], {"pred": op.attrs["pred"]}))
        if value is None:
            raise _NotConstant
        return value == int_const("i1", 1)

    def _region(self, region: Region) -> list[Operand]:
        """One copy of the ops of `region`; what its terminator hands on."""
        for op in region.body:
            self._op(op)
        return self.mapped(region.terminator.operands)

    def _op(self, op: Op) -> None:
        if op.name == "if":
            (condition,) = self.mapped(op.operands)
            if isinstance(condition, Const) and isinstance(condition.value, int):
                results = self._region(op.regions[0 if condition.value else 1])
                self.mapping.update(zip(op.results, results, strict=True))
                return
        copy = clone_op(op, self.mapping)
        folded = fold(copy, self.definitions) if len(copy.results) == 1 and not copy.regions else None
        if folded is not None:
            self.mapping[op.result] = folded
            return
        self.budget -= sum(1 for _ in walk_op(op))
        if self.budget < 0:
            raise _TooLong
        self.definitions.update(dict.fromkeys(copy.results, copy))
        self.ops.append(copy)


def unroll_loop(op: Op, budget: int, context: Context) -> _Copies | None:
    """The copies that stand for `op`; None when it stays."""
    is_nested = any(needs_unrolling(each) for each in walk_op(op) if each is not op)
    most = min(budget, MAX_NESTED) if is_nested else budget
    copies = _Copies(most)
    try:
        copies.loop(op)
    except _NotConstant:
        return None
    except _TooLong:
        limit = MAX_NESTED if is_nested and most == MAX_NESTED else MAX_OPS
        context.remark(NAME, f"a loop around a barrier is kept: its copies would exceed {limit} operations", op.loc)
        return None
    copies.budget += budget - most
    context.remark(NAME, f"a loop around a barrier was unrolled into {copies.trips} copies of its body", op.loc)
    return copies


class _Visitor:
    """Unrolls outer loops before inner ones: inner bounds often depend on outer counters."""

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.budget = MAX_OPS

    def region(self, region: Region) -> bool:
        changed = False
        waiting, done = region.ops[::-1], list[Op]()
        while waiting:
            op = waiting.pop()
            copies = unroll_loop(op, self.budget, self.context) if needs_unrolling(op) else None
            if copies is not None:
                changed = True
                self.budget = copies.budget
                waiting += copies.ops[::-1]
                users = Region([], [*done, *waiting])
                replace_uses(users, {result: copies.mapping[result] for result in op.results})
                continue
            done.append(op)
            for inner in op.regions:
                changed |= self.region(inner)
        region.ops = done
        return changed


def run(function: Function, context: Context) -> bool:
    """Unroll every short loop with a known trip count that holds a barrier or a collective."""
    return _Visitor(function, context).region(function.body)


UNROLL = Pass(NAME, run, requires=(STRUCTURED, SCALAR))
