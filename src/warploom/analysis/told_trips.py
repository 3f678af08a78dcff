# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose number of trips each thread reads from memory.

    block 256, 1, 1 { (%tx, %ty, %tz)
      %first = load %starts[%tx]                 a number for each thread, which only memory knows
      %end = load %starts[%tx + 1]
      for %first, %end, 1 { ... }                told: memory tells its trips

Rows of sparse matrices and neighbours in graphs are such loops: short, and each of another length. Where threads run
one after the other, a processor foresees the end of none of them. LLVM makes of each a loop over groups of trips and
one over those that are left, which are two ends to be surprised by; and a trip that loads what the one before told it
to gains nothing from counting less often. Sums of floating-point numbers, whose order is given, are written out with
an end after each trip (loom_code.py): on 16 processors of a Xeon that takes .6 to .75 of the time. Nothing but the
choice of code rests on the answers: they may be wrong either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warploom.ir.core import Op, Region, Value, walk, walk_op

LONGEST_SUM = 16  # ops
NOT_PLAIN = frozenset({"call_indirect", "alloca", "scratch", "store"})


def told_trips(root: Op) -> frozenset[Region]:
    """The bodies of the loops of `root` that count to or from what threads, one by one, read at places of their own."""
    found: set[Region] = set()
    for op in walk_op(root):
        if op.name in ("block", "lane"):
            loops = [each for each in walk(op.region) if each.name == "for"]
            told = _told(op) if loops else set[Value]()
            found.update(each.region for each in loops if not told.isdisjoint(each.operands[:2]))
    return frozenset(found)


def _told(thread_loop: Op) -> set[Value]:
    """What is computed from what each thread of a loop reads at a place of its own."""
    users: dict[Value, list[Value]] = {}
    loads: list[Op] = []
    for op in walk(thread_loop.region):
        made = [*op.results, *(each for region in op.regions for each in region.params)]
        passed = [each for region in op.regions for each in region.terminator.operands]
        for operand in (*op.operands, *passed):
            if isinstance(operand, Value):
                users.setdefault(operand, []).extend(made)
        if op.name == "load":
            loads.append(op)
    own = _computed_from(thread_loop.region.params, users)
    return _computed_from((load.result for load in loads if load.operands[0] in own), users)


def _computed_from(values: Iterable[Value], users: Mapping[Value, Iterable[Value]]) -> set[Value]:
    """`values`, and all that is computed from them."""
    found: set[Value] = set()
    work = list(values)
    while work:
        value = work.pop()
        if value not in found:
            found.add(value)
            work += users.get(value, ())
    return found


def is_short_sum(body: Region) -> bool:
    """Whether a loop's body carries floating-point numbers on by a few plain ops, so that nothing makes it a vector."""
    carried = [each.type for each in body.params[1:]]
    if len(body.body) > LONGEST_SUM or not all(map(_is_plain, body.body)):
        return False
    return bool(carried) and all(each in ("float", "double", "half") for each in carried)


def _is_plain(op: Op) -> bool:
    if op.name == "call":
        return str(op.attrs["callee"]).startswith("llvm.fm")  # a multiply-add
    return not op.regions and op.name not in NOT_PLAIN
