# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose number of trips each thread reads from memory.

    block 256, 1, 1 { (%tx, %ty, %tz)
      %first = load %starts[%tx]                 a number for each thread, which only memory knows
      %end = load %starts[%tx + 1]
      for %first, %end, 1 { ... }                told: memory tells its trips

Rows of sparse matrices and neighbours in graphs are such loops: short, and each of another length. Where threads run
one after the other, a processor foresees the end of none of them. LLVM makes of each a loop over groups of trips and
one over those that are left, which are two ends to be surprised by; and a trip that loads what the one before told it
to gains nothing from counting less often. Nothing but the choice of code rests on the answer: it may be wrong either
way.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.ir.core import Op, Operand, Region, Value, walk, walk_op


def told_trips(root: Op) -> frozenset[Region]:
    """The bodies of the loops of `root` that count to or from what threads, one by one, read at places of their own."""
    found: set[Region] = set()
    for op in walk_op(root):
        if op.name in ("block", "lane"):
            sources = _sources(op)
            loops = (each for each in walk(op.region) if each.name == "for")
            found.update(each.region for each in loops if _is_told(each.operands[:2], sources, op))
    return frozenset(found)


class _Sources(dict[Value, list[Operand]]):
    """What each value is computed from; `loads` are the values that come from memory."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: set[Value] = set()

    def add(self, values: Iterable[Value], operands: Iterable[Operand]) -> None:
        """Note that `values` are computed from `operands`, among others."""
        for value in values:
            self.setdefault(value, []).extend(operands)

    def reached(self, operands: Iterable[Operand]) -> set[Value]:
        """All that `operands` are computed from, themselves included."""
        found: set[Value] = set()
        work = [each for each in operands if isinstance(each, Value)]
        while work:
            value = work.pop()
            if value not in found:
                found.add(value)
                work += [each for each in self.get(value, ()) if isinstance(each, Value)]
        return found


def _sources(thread_loop: Op) -> _Sources:
    sources = _Sources()
    for op in walk(thread_loop.region):
        passed = [each for region in op.regions if region.ops for each in region.terminator.operands]
        sources.add(op.results, [*op.operands, *passed])
        sources.add((each for region in op.regions for each in region.params), [*op.operands, *passed])
        if op.name == "load":
            sources.loads.update(op.results)
    return sources


def _is_told(bounds: Iterable[Operand], sources: _Sources, thread_loop: Op) -> bool:
    loads = sources.reached(bounds) & sources.loads
    threads = set(thread_loop.region.params)
    return any(not threads.isdisjoint(sources.reached(sources[load])) for load in loads)
