# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values of a control-flow graph threads may disagree on.

    ^a: cond_br %tx == 3, ^b, ^c        %flag varies: which edge a thread takes decides
    ^b: br %one -> ^c                   what %flag is
    ^c(%flag): ...

A value varies between the threads of a block that are at its definition in the same iteration
 - if it is computed from a value that varies, or by an op that itself tells threads apart: private memory, an atomic,
   a call, a volatile load;
 - if it is the parameter of a block where paths meet that threads part on: from a branch whose condition varies two
   paths lead there that share no block before;
 - seen from outside a loop that threads leave in different iterations: if the loop defines it. Threads do so that part
   in the loop, if some come to an edge out of it and others to its next iteration before all meet again.
Everything else they agree on: they start together, and part nowhere else.

Rosemann, Moll and Hack, An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs (2021).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from warploom.core.records import dataclass
from warploom.ir.core import Op, Operand, Value
from warploom.ir.properties import follows_operands
from warploom.passes.shape.control_flow_graph import Node, cycles


@dataclass(frozen=True)
class Loop:
    """A cycle of the graph, and those of its nodes that edges enter from elsewhere."""

    nodes: frozenset[Node]
    entries: frozenset[Node]


class Variance:
    """What threads may disagree on, of the graph as it is when this is made."""

    def __init__(self, nodes: Sequence[Node], ids: Iterable[Value]) -> None:
        self.varying: set[Operand] = set(ids)
        self.joins: set[Node] = set()  # where threads meet that parted
        self.defined: dict[Loop, set[Operand]] = {}  # in loops that threads leave in different iterations
        self._parted: set[Node] = set()  # branches
        self._loops = list(_nest(nodes))
        grows = True
        while grows:
            before = len(self.varying), len(self.joins), len(self.defined)
            for node in nodes:
                self._visit(node)
            grows = before != (len(self.varying), len(self.joins), len(self.defined))

    def differs(self, value: Operand | None, node: Node) -> bool:
        """Whether threads at `node` may disagree on `value`."""
        if value in self.varying:
            return True
        return any(node not in loop.nodes and value in defined for loop, defined in self.defined.items())

    def _visit(self, node: Node) -> None:
        if node in self.joins:
            self.varying.update(node.incoming)
        for op in node.ops:
            if op.name == "assign":
                each = zip(op.results, op.operands, strict=True)
                self.varying.update(variable for variable, value in each if self.differs(value, node))
            elif tells_threads_apart(op) or any(self.differs(each, node) for each in op.operands):
                self.varying.update(op.results)
        for edge in node.edges:
            self.varying.update(variable for variable, value in edge.copies if self.differs(value, edge.target))
        if len(node.edges) == 2 and node not in self._parted and self.differs(node.condition, node):
            self._parted.add(node)
            self._part_at(node)

    def _part_at(self, node: Node) -> None:
        self.joins |= joins_behind(node)
        for loop in self._loops:
            if node in loop.nodes and loop not in self.defined and leave_apart(node, loop, self._loops):
                self.defined[loop] = {value for each in loop.nodes for op in each.ops for value in op.results}


def tells_threads_apart(op: Op) -> bool:
    """Whether threads may get different results for the same operands."""
    return op.name != "barrier_reduce" and not follows_operands(op)


def leave_apart(node: Node, loop: Loop, loops: Sequence[Loop]) -> bool:
    """Whether of threads that part at `node` some may leave the loop, others go on to its next iteration, before they
    meet: no node is on all paths that they take. They meet there only in one iteration of all loops around both."""
    path, leaves = _paths(node, loop, None)
    if path is None or not leaves:
        return False
    for each in path:
        around = min((other for other in loops if {node, each} <= other.nodes), key=lambda other: len(other.nodes))
        if _paths(node, around, each) == (None, False):
            return False
    return True


def _paths(node: Node, loop: Loop, without: Node | None) -> tuple[list[Node] | None, bool]:
    """The nodes between `node` and the loop's next iteration, and whether a path leads out of it; not by `without`."""
    before: dict[Node, Node | None] = {node: None}
    found: list[Node] | None = None
    leaves = False
    for here in (work := [node]):
        for target in (edge.target for edge in here.edges if edge.target is not without):
            if target not in loop.nodes:
                leaves = True
            elif target in loop.entries:
                found = found if found is not None else _between(here, before)
            elif target not in before:
                before[target] = here
                work.append(target)
    return found, leaves


def _between(last: Node, before: Mapping[Node, Node | None]) -> list[Node]:
    found: list[Node] = []
    while (previous := before[last]) is not None:
        found.append(last)
        last = previous
    return found


def joins_behind(node: Node) -> set[Node]:
    """Where paths meet of threads that part at `node`, until all of them do.

    Each node that some pass has a label: the branch that they took, or the last node where both met.
    """
    labels: dict[Node, Node] = {}
    joins: set[Node] = set()
    number = count()
    work: list[tuple[int, int, Node]] = []

    def arrive(target: Node, label: Node) -> None:
        known = labels.get(target)
        if known is label:
            return
        if known is not None:
            joins.add(target)
            label = target
            if known is target:
                return
        labels[target] = label
        heapq.heappush(work, (target.order, next(number), target))

    first, second = (edge.target for edge in node.edges)
    arrive(first, first)
    arrive(second, second)
    if first is second:
        joins.add(first)
    while work:
        _, _, here = heapq.heappop(work)
        if not work and here in joins:
            break  # all are here
        for edge in here.edges:
            if here is not node:
                arrive(edge.target, labels[here])
    return joins


def _nest(nodes: Sequence[Node]) -> Iterator[Loop]:
    """The loops of the graph, an outer one before those inside."""
    for component in cycles(nodes):
        inside = frozenset(component)
        entries = {node for node in component if any(edge.source not in inside for edge in node.entering)}
        yield Loop(inside, frozenset(entries))
        yield from _nest([node for node in component if node not in entries])
