# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loop-invariant code motion out of sequential loops.

    for %lb, %ub, 1 { (%i)               %a = mul %x, %y
      %a = mul %x, %y               ==>  for %lb, %ub, 1 { (%i)
      ... %a ...                           ... %a ...

Sound for pure ops: they may run where they did not before, also when the loop has no iteration. Inner loops first, so
that an op leaves as many loops as it can. Parallel loops keep their ops: hoist_parallel decides there.
"""

from __future__ import annotations

from warploom.ir.core import Op, Region, Value
from warploom.ir.ops import LOOPS
from warploom.ir.properties import is_speculatable


def hoist_loop_invariants(body: Region) -> bool:
    """Hoist pure ops out of `for` and `while`; true if any moved."""
    depth: dict[Value, int] = {}
    return _visit(body, 0, depth)


def _visit(region: Region, level: int, depth: dict[Value, int]) -> bool:
    """Visit `region`, which is inside `level` regions; `depth` learns how deep each value is defined."""
    changed = False
    ops: list[Op] = []
    for op in region.ops:
        if op.regions:
            for inner in op.regions:
                for value in inner.params:
                    depth[value] = level + 1
                changed |= _visit(inner, level + 1, depth)
            if op.name in LOOPS:
                for inner in op.regions:
                    hoisted = _take_invariants(inner, level, depth)
                    changed |= bool(hoisted)
                    ops += hoisted
        for value in op.results:
            depth[value] = level
        ops.append(op)
    region.ops = ops
    return changed


def _take_invariants(region: Region, level: int, depth: dict[Value, int]) -> list[Op]:
    """Remove from `region` the pure ops whose operands are all defined at `level` or further out."""
    hoisted: list[Op] = []
    kept: list[Op] = []
    for op in region.ops:
        if op.results and is_invariant(op, level, depth):
            for value in op.results:
                depth[value] = level
            hoisted.append(op)
        else:
            kept.append(op)
    region.ops = kept
    return hoisted


def is_invariant(op: Op, level: int, depth: dict[Value, int]) -> bool:
    """Whether `op` is pure and uses only values from outside of the loop, which is at `level`."""
    for each in op.operands:
        if isinstance(each, Value) and depth.get(each, 0) > level:
            return False
    return is_speculatable(op)
