# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a parallel loop can run once, outside of it, instead of once a thread.

    block { n = load @len; m = n * 2; for i < m { a; barrier; b } }
            ^ outer        ^ outer    ^ its control is outer: the loop can enclose the threads

The skeleton of a parallel loop is its control flow that holds barriers of the loop's level. A value is outer when it
can be computed at its place in the skeleton without any thread: an op without effects on outer operands; a plain load
from an outer address, where control needs it; a value carried by a skeleton loop whose every incoming value is outer;
what an outer condition chooses between outer values. What is outer is uniform by construction.

Sound by lock step: running an op for all threads when all have done what comes before it and none what comes after is
a legal order, and the op then gives every thread the same result (Moses et al., IV-C). At least one thread must run
the op: the planner guards whatever threads may skip (interchange.py).

Where threads part, an outer value is that of the threads that are there. Threads may leave a loop in different rounds:
round k is run by those that have stayed, all of them have carried k - 1 times, each time what does not depend on the
thread, so they agree; who has left reads the carried value no more. What the loop yields, a thread has as of its own
last round: that is outer only if all leave in the same round. On the other side of a condition that differs, threads
may have no value at all (poison, as in threads about to end): what the one side gives may then stand for it. If no
thread is on that side, poison stands for it. What poison would make undefined, loads and loops bounded by it, is under
a guard, since no thread comes to it; a choice by it is a choice by any value (the condition is frozen).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warploom.core.records import dataclass, field
from warploom.ir.core import (
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    free_values,
    globals_in,
    is_undefined,
    walk,
    walk_op,
)
from warploom.ir.ops import Effect, Level, collective_level, effect, is_plain_load, levels_in
from warploom.ir.properties import is_convergent, is_pure

OUTER = "outer"  # attribute of an op that must run outside: lowering of collectives makes such ops


def loops_with(function: Function, level: Level) -> Iterator[tuple[Region, Op]]:
    """The loops over threads that hold a barrier or collective of `level`, each with the region that it is in."""
    for op in list(walk(function.body)):
        for region in op.regions:
            for inner in list(region.ops):
                if inner.name == "block" and levels_in(inner) & level:
                    yield region, inner


@dataclass(eq=False, slots=True)
class Skeleton:
    """The control flow that holds barriers of `level`, and the values that exist outside of the threads."""

    level: Level
    holding: set[Op] = field(default_factory=set[Op])
    outer: set[Value] = field(default_factory=set[Value])
    inside: set[Value] = field(default_factory=set[Value])  # everything defined in the parallel loop
    shared: frozenset[str] = frozenset()  # shared variables, where the loop runs over blocks: each has its own

    def is_outer(self, operand: Operand) -> bool:
        """Whether `operand` exists outside of the threads."""
        if isinstance(operand, Value):
            return operand in self.outer or operand not in self.inside
        return not self.shared or self.shared.isdisjoint(globals_in(operand))

    def runs_outside(self, op: Op) -> bool:
        """Whether `op`, which holds no barrier, runs outside."""
        return bool(op.attrs.get(OUTER)) or (bool(op.results) and all(each in self.outer for each in op.results))

    def has_outer_control(self, op: Op) -> bool:
        """Whether the skeleton op `op` decides the same for all threads."""
        return all(self.is_outer(operand) for operand in control_operands(op))


def control_operands(op: Op) -> list[Operand]:
    """What decides which way `op` goes."""
    if op.name == "for":
        return op.operands[:3]
    return [op.regions[0].terminator.operands[0]] if op.name == "while" else [op.operands[0]]


def one_sided(op: Op, skeleton: Skeleton) -> list[tuple[int, Value, Operand]]:
    """Results of an `if` that only one side gives a value, an outer one: the side, the result, the value."""
    found: list[tuple[int, Value, Operand]] = []
    for result, *yields in zip(op.results, *(each.terminator.operands for each in op.regions), strict=True):
        sides = [side for side, operand in enumerate(yields) if not is_undefined(operand)]
        if len(sides) == 1 and skeleton.is_outer(yields[sides[0]]):
            found.append((sides[0], result, yields[sides[0]]))
    return found


def find_skeleton(region: Region, level: Level, shared: frozenset[str] = frozenset()) -> Skeleton:
    """The skeleton of a parallel loop with body `region`. `shared`: the shared variables, if it runs over blocks."""
    skeleton = Skeleton(level, shared=shared)
    skeleton.inside.update(region.params)
    for op in region.ops:
        _mark_holding(op, skeleton)
    for op in walk(region):
        skeleton.inside.update(op.results)
        for inner in op.regions:
            skeleton.inside.update(inner.params)
    _OuterValues(skeleton, reads=None).find(region)
    needed = _reads_for_control(region, skeleton)
    _OuterValues(skeleton, reads=needed).find(region)
    return skeleton


def _mark_holding(op: Op, skeleton: Skeleton) -> bool:
    own = collective_level(op)
    holds = own is not None and bool(own & skeleton.level)
    for region in op.regions:
        for inner in region.ops:
            holds |= _mark_holding(inner, skeleton)
    if holds:
        skeleton.holding.add(op)
    return holds


class _OuterValues:
    """Finds the greatest set of outer values: starts with every carried value, drops those that are not."""

    def __init__(self, skeleton: Skeleton, reads: set[Op] | None) -> None:
        self.skeleton = skeleton
        self.reads = reads  # the ops that may read memory outside; None: all
        self.dropped: set[Value] = set()

    def find(self, region: Region) -> None:
        while True:
            before = len(self.dropped)
            self.skeleton.outer.clear()
            self._visit(region.body)
            if len(self.dropped) == before:
                return

    def _visit(self, ops: Iterable[Op]) -> None:
        for op in ops:
            if op in self.skeleton.holding:
                if op.regions:
                    self._visit_control(op)
            elif op.attrs.get(OUTER) or self._can_run_outside(op):
                self.skeleton.outer.update(op.results)

    def _visit_control(self, op: Op) -> None:
        if op.name == "for":
            self._visit_for(op)
        elif op.name == "while":
            self._visit_while(op)
        else:
            for region in op.regions:
                self._visit(region.body)
            if self._decides(op):
                self._join(op.results, [each.terminator.operands for each in op.regions], outer=True)
            else:
                self.skeleton.outer.update(result for _, result, _ in one_sided(op, self.skeleton))

    def _visit_for(self, op: Op) -> None:
        region, outer = op.region, self._decides(op)
        carried = region.params[1:]
        if outer:
            self.skeleton.outer.add(region.params[0])
        self._assume(carried, [op.operands[3:]], outer)
        self._visit(region.body)
        self._assume(carried, [region.terminator.operands], outer)
        self.skeleton.outer.update(
            result for result, value in zip(op.results, carried, strict=True) if value in self.skeleton.outer
        )

    def _visit_while(self, op: Op) -> None:
        """What the loop carries may be outer though threads leave in different rounds: only those inside read it."""
        before, after = op.regions
        self._assume(before.params, [op.operands], outer=True)
        self._visit(before.body)
        passed = before.terminator.operands[1:]
        self._join(after.params, [passed], outer=True)
        self._visit(after.body)
        self._assume(before.params, [after.terminator.operands], outer=True)
        self._join(op.results, [passed], self._decides(op))

    def _decides(self, op: Op) -> bool:
        return self.skeleton.has_outer_control(op)

    def _assume(self, values: list[Value], incoming: list[list[Operand]], outer: bool) -> None:
        """Carried values are outer until an incoming value is not."""
        for number, value in enumerate(values):
            if not outer or not all(self.skeleton.is_outer(operands[number]) for operands in incoming):
                self.dropped.add(value)
            if value in self.dropped:
                self.skeleton.outer.discard(value)
            else:
                self.skeleton.outer.add(value)

    def _join(self, values: list[Value], incoming: list[list[Operand]], outer: bool) -> None:
        for number, value in enumerate(values):
            if outer and all(self.skeleton.is_outer(operands[number]) for operands in incoming):
                self.skeleton.outer.add(value)

    def _can_run_outside(self, op: Op) -> bool:
        if not all(map(self.skeleton.is_outer, op.operands)):
            return False
        if not op.regions:
            return computes_only(op) or (is_plain_load(op) and (self.reads is None or op in self.reads))
        if op.name not in ("if", "for", "while") or not all(map(self.skeleton.is_outer, free_values(op))):
            return False
        if any(
            isinstance(used, Const) and not self.skeleton.is_outer(used)
            for each in walk_op(op)
            for used in each.operands
        ):
            return False
        inner = [each for each in walk_op(op) if effect(each) not in (Effect.CONTROL, Effect.TERMINATOR)]
        reads = any(not computes_only(each) for each in inner)
        if reads and self.reads is not None and op not in self.reads:
            return False
        return all(computes_only(each) or is_plain_load(each) for each in inner)


def computes_only(op: Op) -> bool:
    """Whether `op` is pure and not convergent: no effect, no access, no other threads involved."""
    return is_pure(op) and not is_convergent(op)


def _reads_for_control(region: Region, skeleton: Skeleton) -> set[Op]:
    """The ops that control of the skeleton, or a value that a skeleton loop carries, is computed from.

    Of a loop over blocks, control around barriers of a block counts too: whether its threads agree on what they keep
    from before a grid barrier can no longer be seen.
    """
    makers = {value: op for op in skeleton_ops(region.ops, skeleton) for value in op.results}
    pending: list[Operand] = []
    for op in skeleton_ops(region.ops, skeleton):
        if op in skeleton.holding and op.regions:
            pending += [*op.operands, *control_operands(op)]
            pending += [operand for inner in op.regions for operand in inner.terminator.operands]
        else:
            inner = [each for each in walk_op(op) if each.regions and levels_in(each) & Level.BLOCK]
            pending += [operand for each in inner for operand in control_operands(each)]
    found: set[Op] = set()
    while pending:
        value = pending.pop()
        maker = makers.get(value) if isinstance(value, Value) and value in skeleton.outer else None
        if maker is None or maker in found or maker in skeleton.holding:
            continue
        found.add(maker)
        pending += [*maker.operands, *(free_values(maker) if maker.regions else ())]
    return found


def skeleton_ops(ops: Iterable[Op], skeleton: Skeleton) -> Iterator[Op]:
    """The ops at the skeleton's places: `ops`, and those in the regions of ops that hold barriers."""
    for op in ops:
        yield op
        if op in skeleton.holding:
            for region in op.regions:
                yield from skeleton_ops(region.ops, skeleton)
