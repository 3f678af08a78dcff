# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remove barriers that order nothing.

    if tx == 0 { store %x, @node[ty] }               if tx == 0 { store %x, @node[ty] }
    barrier                                    ==>   store %y, @weights[ty][tx]
    store %y, @weights[ty][tx]                       barrier
    barrier                                          ...
    ...

Sound because a barrier orders accesses of different threads and nothing else. Two accesses that are ordered by this
barrier only lie between the barriers before it and the barriers after it, on some path. If no access of one thread in
front conflicts with an access of another thread behind, then all orders that remain are those that other barriers keep.
Accesses whose address is injective in the thread id are never in conflict with another thread's. So the last barrier of
a kernel goes, and one of two in a row, and all when the block is one thread. One barrier is looked at at a time: the
next one sees the graph without those that went. (Moses et al., High-Performance GPU-to-CPU Transpilation, IV-A.)

A barrier that only some threads of the block reach stays while another one stands on the way that the others take.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.barrier_effects import BarrierGraph, Effects, barrier_graph, is_barrier
from warploom.analysis.memory import Access, Memory
from warploom.analysis.pointers import SHARED
from warploom.analysis.uniformity import Uniformity
from warploom.core.records import dataclass
from warploom.ir.core import Function, Op, Region, remove_ops, walk, walk_op
from warploom.ir.ops import LOOPS, Level, collective_level
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_PHASE_WAITS, SCALAR, STRUCTURED

NAME = "eliminate_barriers"
MOST_PAIRS = 20_000  # of accesses that are compared in one kernel; after that barriers stay


@dataclass(slots=True)
class _Search:
    """Looks for conflicts across barriers, within a budget."""

    memory: Memory
    budget: int = MOST_PAIRS

    def conflict(self, before: Effects, after: Effects) -> tuple[Access, Access] | None:
        """A pair that the barrier between must keep in order; None: there is none."""
        message = None
        for a, b in self._pairs(before, after):
            self.budget -= 1
            if self.budget < 0 or self.memory.conflict_across_threads(a, b):
                if self.budget < 0 or not (a.orders or b.orders):
                    return a, b
                message = message or (a, b)  # a pair that meets in memory says more to the user
        return message

    def _pairs(self, before: Effects, after: Effects) -> Iterator[tuple[Access, Access]]:
        # Shared memory first: what barriers are for makes the better remark.
        for a_object, firsts in sorted(before.items(), key=lambda item: item[0].kind != SHARED):
            for b_object, seconds in after.items():
                orders = any(each.orders for each in (*firsts, *seconds))
                writes = any(each.writes for each in (*firsts, *seconds))
                if orders or (writes and self.memory.may_overlap(a_object, b_object)):
                    yield from ((a, b) for a in firsts for b in seconds)


def run(function: Function, context: Context) -> bool:
    """Remove what orders nothing in `function`; true if anything went."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if len(blocks) != 1 or not any(is_barrier(op) for op in walk_op(blocks[0])):
        return False
    memory = context.memory_of(function)
    graph = barrier_graph(memory, blocks[0])
    search = _Search(memory)
    single = memory.definitions.block == (1, 1, 1)
    candidates = list(_candidates(blocks[0].region, memory.uniformity))
    for op in graph.barriers:
        if op not in candidates and op.name == "barrier" and collective_level(op) is not Level.GRID:
            context.remark(NAME, f"{_kind(op)} kept: only some of the threads may reach it", op.loc)
    for op in candidates:
        found = None if single else search.conflict(graph.before(op), graph.after(op))
        if found is None:
            graph.remove(op)
            context.remark(NAME, f"{_kind(op)} removed: {_why_removed(graph, op, single)}", op.loc)
        else:
            context.remark(NAME, f"{_kind(op)} kept: {_why_kept(*found)}", op.loc)
    if graph.removed:
        remove_ops(blocks[0].region, graph.removed)
    return bool(graph.removed)


def _candidates(region: Region, uniform: Uniformity) -> Iterator[Op]:
    """The barriers that may go if they order nothing, in program order."""
    for op in region.ops:
        if op.name == "barrier" and collective_level(op) is not Level.GRID:
            yield op
        elif op.name == "if":
            divergent = [level for level in (Level.WARP, Level.BLOCK) if not uniform.is_uniform(op.operands[0], level)]
            both = all(any(is_barrier(each) for each in walk(inner)) for inner in op.regions)
            for inner in op.regions:
                for each in _candidates(inner, uniform):
                    if not both or collective_level(each) not in divergent:
                        yield each
        elif op.name in LOOPS:
            for inner in op.regions:
                yield from (
                    each
                    for each in _candidates(inner, uniform)
                    if uniform.is_reached_uniformly(inner.ops[0], _level(each))
                )


def _level(op: Op) -> Level:
    level = collective_level(op)
    assert level is not None
    return level


# -- remarks ----------------------------------------------------------------------------------------------------------


def _kind(op: Op) -> str:
    return "warp barrier" if collective_level(op) is Level.WARP else "barrier"


def _why_removed(graph: BarrierGraph, op: Op, single: bool) -> str:
    if single:
        return "the block is one thread"
    if not graph.after(op):
        return "nothing after it touches memory before the next barrier or the end"
    if not graph.before(op):
        return "nothing before it touches memory since the start or the last barrier"
    return "no thread touches what another one touches on its other side"


def _why_kept(a: Access, b: Access) -> str:
    if a.orders or b.orders:
        return f"{_describe(a)} and {_describe(b)}: another block may rely on their order"
    return f"{_describe(a)} may meet another thread's {_describe(b)}"


def _describe(access: Access) -> str:
    word = "to" if access.op.name == "store" else "from" if access.op.name == "load" else "on"
    line = f" at line {access.op.loc.line}" if access.op.loc is not None else ""
    return f"{access.op.name} {word} {access.object.label}{line}"


ELIMINATE_BARRIERS = Pass(NAME, run, requires=(STRUCTURED, SCALAR, NO_PHASE_WAITS))
