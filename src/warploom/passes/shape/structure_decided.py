# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows an `if` with a barrier, where the side that a thread has taken decides it.

    %k: i32 = if %c { barrier; A; yield 0 } { yield 5 }        if %c { barrier; A; B }
    %is: i1 = icmp %k, 5 [pred=eq]                      ==>         { C }
    if %is { C } { B }

clang leaves nested scopes this way, by a number that says where to go on. A thread that does not come to the barrier
does C before the others go on behind it: a barrier waits for all that have not ended. Sound because either side is
followed by the same code as before; no code is copied but what computes the condition.
"""

from __future__ import annotations

from warploom.ir.core import Const, Op, Operand, Region, Value, clone_op
from warploom.ir.ops import levels_in
from warploom.ir.properties import is_duplicable

_DECIDES = {"eq": True, "ne": False}


def follow_decisions(ops: list[Op]) -> None:
    """Move what is decided into the sides that decide it, in `ops` and below."""
    for op in ops:
        for region in op.regions:
            follow_decisions(region.ops)
    for op in list(ops):
        if op.name == "if" and op in ops and levels_in(op):
            while _follow(ops, op):
                pass


def _follow(ops: list[Op], first: Op) -> bool:
    at = ops.index(first) + 1
    behind = next((number for number in range(at, len(ops)) if not is_duplicable(ops[number])), len(ops))
    second = ops[behind] if behind < len(ops) else None
    if second is None or second.name != "if":
        return False
    between = ops[at:behind]
    sides: list[Region] = []
    for region in first.regions:
        given: dict[Value, Operand] = dict(zip(first.results, region.terminator.operands, strict=True))
        taken = _decided(second.operands[0], between, given)
        if taken is None:
            return False
        sides.append(second.regions[0 if taken else 1])
    pairs = list(zip(first.regions, sides, strict=True))
    if sides[0] is sides[1] or any(_waits(side) and not _waits(region) for region, side in pairs):
        return False
    for region, side in pairs:
        _append(region, first.results, between, side)
    first.results += second.results
    ops.remove(second)
    return True


def _decided(condition: Operand, between: list[Op], given: dict[Value, Operand]) -> bool | None:
    """What `condition` is where the first `if` results in `given`; None where that is not known."""
    known = given.get(condition) if isinstance(condition, Value) else None
    if isinstance(known, Const):
        return bool(known.value) if isinstance(known.value, int) else None
    test = next((op for op in between if condition in op.results), None)
    if test is None or test.name != "icmp" or test.attrs["pred"] not in _DECIDES:
        return None
    left, right = (given.get(each, each) if isinstance(each, Value) else each for each in test.operands)
    if not (isinstance(left, Const) and isinstance(right, Const)):
        return None
    if not (isinstance(left.value, int) and isinstance(right.value, int)):
        return None
    return (left.value == right.value) is _DECIDES[str(test.attrs["pred"])]


def _waits(region: Region) -> bool:
    return any(levels_in(op) for op in region.ops)


def _append(region: Region, results: list[Value], between: list[Op], side: Region) -> None:
    """Let `side` follow what is in `region`."""
    mapping: dict[Value, Operand] = dict(zip(results, region.terminator.operands, strict=True))
    made = [clone_op(op, mapping) for op in (*between, *side.ops)]
    made[-1].operands = [*region.terminator.operands, *made[-1].operands]
    region.ops[-1:] = made
