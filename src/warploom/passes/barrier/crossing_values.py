# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What crosses from one loop over threads to another where a plan (interchange.py) splits one: values, arrays, slots.

    block (t) { a = load p(t); b = a * 2 }      b crosses: it is kept, or a is, and b computed again
    block (t) { use b }

A minimum cut in bytes decides (minimum_cut.py). Only cheap ops without effects are computed again. A private array that
more than one loop can reach outlives its loop.
"""

from __future__ import annotations

from warploom.core.records import dataclass, field
from warploom.ir.core import (
    Op,
    Operand,
    Value,
    free_values,
)
from warploom.ir.types import may_hold_address, size_of
from warploom.passes.barrier.early_stores import is_cheap
from warploom.passes.barrier.features import MINIMUM_CUT
from warploom.passes.barrier.interchange import (
    Group,
    Node,
    Plan,
    Slot,
    groups_of,
)
from warploom.passes.barrier.minimum_cut import minimum_cut
from warploom.passes.base import Context

LONGEST_CHAIN = 32  # ops: what takes more is kept, however few bytes computing it again would save
_POINTER_OPS = frozenset(("gep", "bitcast", "select", "freeze"))


@dataclass(slots=True)
class Crossing:
    """What the loops over threads share."""

    home: dict[Value, Group] = field(default_factory=dict[Value, Group])
    maker: dict[Value, Op] = field(default_factory=dict[Value, Op])
    needed: dict[Value, None] = field(default_factory=dict[Value, None])
    arrays: dict[Value, None] = field(default_factory=dict[Value, None])  # allocas that outlive their loop
    kept: dict[Value, Slot] = field(default_factory=dict[Value, Slot])


def find_crossing(plan: Plan, context: Context) -> Crossing:
    """Which values cross, and which of them are kept."""
    crossing = Crossing()
    loops = dict(groups_of(plan.nodes))
    groups = list(loops)
    depth: dict[Operand, int] = {}  # ops that computing a value again takes at least
    for group in groups:
        for op in group.ops:
            steps = 1 + max((depth.get(each, 0) for each in op.operands), default=0)
            for value in op.results:
                crossing.home[value] = group
                crossing.maker[value] = op
                depth[value] = steps if is_cheap(op) and steps <= LONGEST_CHAIN else 0
    for group in groups:
        for value in _used_by(group):
            if crossing.home.get(value, group) is not group:
                crossing.needed[value] = None
    _PrivateArrays(crossing, loops).find()

    def inputs(value: Value) -> list[Value] | None:
        op = crossing.maker[value]
        if not depth[value] or MINIMUM_CUT in context.off:
            return None
        return [each for each in op.operands if isinstance(each, Value) and _must_be_kept(each, plan, crossing)]

    needed = [value for value in crossing.needed if crossing.maker[value].name != "alloca"]

    for value in minimum_cut(needed, inputs, lambda value: max(1, size_of(value.type))):
        crossing.kept[value] = Slot(value.type, value.name)
    return crossing


def _must_be_kept(value: Value, plan: Plan, crossing: Crossing) -> bool:
    return value in crossing.home and crossing.maker[value].name != "alloca" and value not in plan.slots


def _used_by(group: Group) -> list[Value]:
    operands: list[Operand | Slot] = [term.value for term in group.mask]
    for op in group.ops:
        operands += free_values(op) if op.regions else op.operands
    operands += [action.value for action in group.actions]
    return [each for each in operands if isinstance(each, Value)]


class _PrivateArrays:
    """Finds the allocas that need a buffer: those that more than one loop over threads reaches, or a later round."""

    def __init__(self, crossing: Crossing, loops: dict[Group, Node | None]) -> None:
        self.crossing = crossing
        self.loops = loops
        self.origin: dict[Value, Value] = {}  # pointer -> the alloca that it points into
        self.users: dict[Value, dict[Group, None]] = {}

    def find(self) -> None:
        """Fill `crossing.arrays`."""
        for group in self.loops:
            for op in group.ops:
                self._trace(op, group)
            for action in group.actions:
                if isinstance(action.value, Value) and action.value in self.origin:
                    self._escapes([self.origin[action.value]])
        for array, groups in self.users.items():
            home = self.crossing.home.get(array)
            if home is not None and (
                len(groups) > 1 or any(self.loops[each] is not self.loops[home] for each in groups)
            ):
                self.crossing.arrays[array] = None

    def _trace(self, op: Op, group: Group) -> None:
        if op.name == "alloca":
            self.origin[op.result] = op.result
        reached = [self.origin[each] for each in op.operands if isinstance(each, Value) and each in self.origin]
        if reached and op.name in _POINTER_OPS and len(set(reached)) == 1:
            self.origin[op.result] = reached[0]
        elif reached and self._lets_escape(op):
            self._escapes(reached)
        else:
            for each in reached:
                self.users.setdefault(each, {})[group] = None
        for region in op.regions:
            for inner in region.ops:
                self._trace(inner, group)

    def _escapes(self, arrays: list[Value]) -> None:
        """A pointer is kept somewhere: any loop may follow it."""
        self.crossing.arrays.update({each: None for each in arrays if each in self.crossing.home})

    def _lets_escape(self, op: Op) -> bool:
        if op.name == "store":
            value = op.operands[0]
            return isinstance(value, Value) and value in self.origin
        if op.name == "call" and op.attrs["effects"] in ("none", "read"):
            return any(may_hold_address(result.type) for result in op.results)
        return op.name not in ("load", "memcpy", "memmove", "memset", "atomicrmw", "cmpxchg", "icmp")


# -- writing ----------------------------------------------------------------------------------------------------------
