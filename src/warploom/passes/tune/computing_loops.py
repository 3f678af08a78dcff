# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops without side effects: the slices of a body that results need, and groups of trips."""

from __future__ import annotations

from warploom.analysis.integers import signed_value
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, int_const
from warploom.ir.properties import is_removable, is_speculatable

Cones = list[list[Op]]


def only_computes(op: Op) -> bool:
    """Whether the body of a loop only loads and computes: it has no side effects."""
    return all(
        not each.regions and (is_speculatable(each) or (each.name == "load" and is_removable(each)))
        for each in op.region.body
    )


def counts_up(op: Op) -> bool:
    """Whether a loop goes up by one."""
    counter = op.region.params[0].type
    return op.operands[2] == int_const(counter, 1) and counter in ("i32", "i64") and op.attrs["pred"] in ("slt", "ult")


def cones(region: Region, results: list[Operand], together: int = 1) -> Cones:
    """For each `together` of `results`, in the order of the code, the ops that they need and no earlier one has."""
    made = {value: op for op in region.body for value in op.results}
    taken: set[Op] = set()
    found: Cones = []
    for first in range(0, len(results), together):
        needed: set[Op] = set()
        work = results[first : first + together]
        while work:
            each = work.pop()
            op = made.get(each) if isinstance(each, Value) else None
            if op is not None and op not in taken and op not in needed:
                needed.add(op)
                work += op.operands
        taken |= needed
        found.append([op for op in region.body if op in needed])
    return found


def whole_groups(build: Builder, op: Op, copies: int) -> Operand:
    """Where the last of the whole groups of trips of a loop ends."""
    lower, upper, *_ = op.operands
    type_ = op.region.params[0].type
    zero = int_const(type_, 0)
    if isinstance(lower, Const) and isinstance(upper, Const):
        first, last = signed_value(lower), signed_value(upper)
        if first is not None and last is not None and 0 <= first <= last:
            return int_const(type_, first + (last - first) // copies * copies)
    trips = upper if lower == zero else build.op("sub", [upper, lower], type_)
    whole = build.op("and", [trips, int_const(type_, -copies)], type_)
    some = build.op("icmp", [lower, upper], "i1", pred=op.attrs["pred"])
    whole = build.op("select", [some, whole, zero], type_)
    return whole if lower == zero else build.op("add", [lower, whole], type_)
