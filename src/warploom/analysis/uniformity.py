# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uniformity: which values are the same in all threads of a warp, of a block, of the grid.

A value is uniform when all threads of the group that execute its definition in the same iteration of all loops around
it get the same value. Being uniform is ordered (the whole grid implies the block implies the warp), so one number a
value is enough: its rank, the widest group in which it is uniform. An op has the lowest rank among its operands, and
the ops that tell threads apart have a rank of their own.

Control flow adds two rules. What an `if` yields is only uniform when its condition is. What a loop yields is only
uniform when all threads leave it in the same iteration (temporal divergence); inside of the loop a carried value stays
uniform, because threads that have left no longer execute anything there. Ranks of carried values depend on each other:
they start at the top and only sink until nothing changes.

A plain load is as uniform as its address: a thread that wrote the location between two threads' loads would be a data
race. Volatile and atomic loads may race, so they vary.
"""

from __future__ import annotations

from warploom.ir.core import Const, Function, Op, Operand, Region, Value
from warploom.ir.ops import WARP_SIZE, Effect, Level, effect
from warploom.ir.properties import follows_operands

VARYING, WARP, BLOCK, GRID = range(4)
_RANK = {Level.WARP: WARP, Level.BLOCK: BLOCK, Level.GRID: GRID}

# Of a parallel loop: the rank of its ids, and the least rank of anything computed once an iteration.
_PARALLEL = {"grid": BLOCK, "block": VARYING, "warp": WARP, "lane": VARYING}
_FULL_WIDTH = Const("i32", WARP_SIZE)


class Uniformity:
    """The answer of `uniformity` for one function."""

    def __init__(self, ranks: dict[Value, int], control: dict[Op, int], shared: frozenset[str]) -> None:
        self._ranks = ranks
        self._control = control
        self._shared = shared

    def is_uniform(self, value: Operand, level: Level) -> bool:
        """Whether all threads of a warp, block or grid that execute the definition of `value` together agree on it."""
        return self.rank(value) >= _RANK[level]

    def is_reached_uniformly(self, op: Op, level: Level) -> bool:
        """Whether either all threads of one warp, block or grid execute `op`, or none does (in a given iteration)."""
        return self._control[op] >= _RANK[level]

    def rank(self, value: Operand) -> int:
        """The widest group in which `value` is uniform: VARYING < WARP < BLOCK < GRID."""
        if isinstance(value, Const):
            return const_rank(value, self._shared)
        return self._ranks.get(value, GRID)


def uniformity(function: Function) -> Uniformity:
    """Uniformity of every value of a structured `function`."""
    solver = Solver(function)
    solver.solve()
    return Uniformity(solver.ranks, solver.control, solver.shared)


def const_rank(const: Const, shared: frozenset[str]) -> int:
    """A constant is the same everywhere, but each block has its own copy of a shared variable."""
    text = const.value
    is_shared = isinstance(text, str) and text.startswith("@") and text[1:] in shared
    return BLOCK if is_shared else GRID


class Solver:
    """Finds the ranks of one function: starts at the top, sinks until nothing changes."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.shared = frozenset(function.shared)
        self.ranks: dict[Value, int] = {}  # no entry: GRID
        self.control: dict[Op, int] = {}
        self.changed = True

    def solve(self) -> None:
        while self.changed:
            self.changed = False
            self._region(self.function.body, GRID, GRID)

    def rank(self, operand: Operand) -> int:
        return const_rank(operand, self.shared) if isinstance(operand, Const) else self.ranks.get(operand, GRID)

    def _least(self, operands: list[Operand]) -> int:
        lowest = GRID
        for operand in operands:
            lowest = min(lowest, self.rank(operand))
        return lowest

    def _sink(self, value: Value, rank: int) -> None:
        if rank < self.ranks.get(value, GRID):
            self.ranks[value] = rank

    def _sink_used(self, value: Value, rank: int) -> None:
        """As `_sink`, for what was used before this was known: all is to be looked at again."""
        if rank < self.ranks.get(value, GRID):
            self.ranks[value] = rank
            self.changed = True

    def _region(self, region: Region, control: int, floor: int) -> None:
        """Evaluate a region that the groups of rank `control` enter together; a value computed outside of the loop
        over the threads of a group is uniform in that group whatever it is: `floor`."""
        for op in region.ops:
            self.control[op] = control
            if op.regions:
                self._control_flow(op, control, floor)
            elif op.results:
                rank = max(floor, self._op(op, control))
                for result in op.results:
                    self._sink(result, rank)

    def _control_flow(self, op: Op, control: int, floor: int) -> None:
        if op.name in _PARALLEL:
            inner = _PARALLEL[op.name]
            for param in op.region.params:
                self._sink(param, inner)
            self._region(op.region, GRID if op.name in ("grid", "block") else control, min(floor, inner))
        elif op.name == "if":
            self._if(op, control, floor)
        elif op.name == "for":
            self._for(op, control, floor)
        else:
            self._while(op, control, floor)

    def _if(self, op: Op, control: int, floor: int) -> None:
        condition = max(floor, self.rank(op.operands[0]))
        for region in op.regions:
            self._region(region, min(control, condition), floor)
        then, otherwise = (region.terminator.operands for region in op.regions)
        for result, x, y in zip(op.results, then, otherwise, strict=True):
            same = condition if x != y else GRID
            self._sink(result, max(floor, min(same, self.rank(x), self.rank(y))))

    def _for(self, op: Op, control: int, floor: int) -> None:
        lower, upper, step, *init = op.operands
        trip = max(floor, self._least([lower, upper, step]))
        counter, *carried = op.region.params
        self._sink(counter, max(floor, self._least([lower, step])))
        for param, first in zip(carried, init, strict=True):
            self._sink(param, max(floor, self.rank(first)))
        self._region(op.region, min(control, trip), floor)
        for param, result, first, following in zip(
            carried, op.results, init, op.region.terminator.operands, strict=True
        ):
            self._sink_used(param, max(floor, min(self.rank(first), self.rank(following))))
            self._sink(result, max(floor, min(self.rank(param), trip)))

    def _while(self, op: Op, control: int, floor: int) -> None:
        before, after = op.regions
        condition, *passed = before.terminator.operands
        for param, first in zip(before.params, op.operands, strict=True):
            self._sink(param, max(floor, self.rank(first)))
        trip = max(floor, self.rank(condition))  # as far as it is known: the loop computes it
        self._region(before, min(control, trip), floor)
        for param, value in zip(after.params, passed, strict=True):
            self._sink(param, max(floor, self.rank(value)))
        self._region(after, min(control, trip), floor)
        if max(floor, self.rank(condition)) < trip:
            self.changed = True
        for param, first, following in zip(before.params, op.operands, after.terminator.operands, strict=True):
            self._sink_used(param, max(floor, min(self.rank(first), self.rank(following))))
        for result, value in zip(op.results, passed, strict=True):
            self._sink(result, max(floor, min(self.rank(value), trip)))

    def _op(self, op: Op, control: int) -> int:
        if follows_operands(op):
            return self._least(op.operands)
        return self._collective(op, control) if effect(op) is Effect.COLLECTIVE else VARYING

    def _collective(self, op: Op, control: int) -> int:
        if op.name == "barrier_reduce":
            return BLOCK
        # All lanes of the warp must take part, under one mask, for all of them to get one answer.
        together = control >= WARP and (op.name == "activemask" or self.rank(op.operands[0]) >= WARP)
        if not together:
            return VARYING
        if op.name == "shuffle":
            return WARP if self._reads_one_lane(op) else VARYING
        if op.name == "match":
            return WARP if op.attrs.get("kind") == "all" else VARYING
        return WARP

    def _reads_one_lane(self, shuffle: Op) -> bool:
        """Whether every lane gets what one lane has, or 0 where it does not come."""
        _, _, lane, width = shuffle.operands
        return shuffle.attrs.get("kind") == "idx" and width == _FULL_WIDTH and self.rank(lane) >= WARP
