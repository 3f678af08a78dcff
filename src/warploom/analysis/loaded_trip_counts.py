# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose trip count each thread loads from memory.

    block 256, 1, 1 { (%tx, %ty, %tz)
      %first = load %starts[%tx]                 bounds of each thread, known at run time only
      %end = load %starts[%tx + 1]
      for %first, %end, 1 { ... }                its trip count is loaded

Rows of sparse matrices and neighbours in graphs are such loops: short, and each of another length. Where threads run
one after the other, a processor predicts the exit of none of them. LLVM unrolls each and adds a remainder loop, which
are two exits to mispredict; and a trip whose address the one before has loaded gains nothing from fewer tests. Sums of
floating-point numbers, whose order is given, are unrolled with an exit after each trip (loom_code.py): on 16 processors
of a Xeon that takes .6 to .75 of the time. Nothing but the choice of code rests on the answers: they may be wrong
either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warploom.ir.core import Op, Region, Value, walk, walk_op

LONGEST_SUM = 16  # ops
NOT_PLAIN = frozenset({"call_indirect", "alloca", "scratch", "store"})


def loops_of_loaded_trip_count(root: Op) -> frozenset[Region]:
    """The bodies of the loops of `root` whose bounds are computed from what each thread loads at its own address."""
    found: set[Region] = set()
    for op in walk_op(root):
        if op.name in ("block", "lane"):
            loops = [each for each in walk(op.region) if each.name == "for"]
            loaded = _loaded(op) if loops else set[Value]()
            found.update(each.region for each in loops if not loaded.isdisjoint(each.operands[:2]))
    return frozenset(found)


def _loaded(thread_loop: Op) -> set[Value]:
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
