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
 - seen from outside a loop that threads leave in different iterations: if the loop defines it. Threads do so where they
   part at an edge out of the loop, or before one that not all of them come to.
Everything else they agree on: they start together, and part nowhere else.

Rosemann, Moll and Hack, An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs (2021).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from warploom.ir.core import Op, Operand, Value
from warploom.ir.properties import follows_operands
from warploom.passes.shape.control_flow_graph import Node, cycles


class Variance:
    """What threads may disagree on, of the graph as it is when this is made."""

    def __init__(self, nodes: Sequence[Node], ids: Iterable[Value]) -> None:
        self.varying: set[Operand] = set(ids)
        self.joins: set[Node] = set()  # where threads meet that parted
        self.defined: dict[frozenset[Node], set[Operand]] = {}  # in loops that threads leave in different iterations
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
        return any(node not in loop and value in defined for loop, defined in self.defined.items())

    def _visit(self, node: Node) -> None:
        if node in self.joins:
            self.varying.update(node.incoming)
        for op in node.ops:
            if tells_threads_apart(op) or any(self.differs(each, node) for each in op.operands):
                self.varying.update(op.results)
        for edge in node.edges:
            self.varying.update(variable for variable, value in edge.copies if self.differs(value, node))
        if len(node.edges) == 2 and node not in self._parted and self.differs(node.condition, node):
            self._parted.add(node)
            self._part_at(node)

    def _part_at(self, node: Node) -> None:
        labels, joins = reached_apart(node)
        self.joins |= joins
        for loop in self._loops:
            if node in loop and any(
                edge.target not in loop and (each is node or labels.get(each, each) is not each)
                for each in loop
                for edge in each.edges
            ):
                self.defined[loop] = {value for each in loop for op in each.ops for value in op.results}


def tells_threads_apart(op: Op) -> bool:
    """Whether threads may get different results for the same operands."""
    return op.name not in ("assign", "barrier_reduce") and not follows_operands(op)


def reached_apart(node: Node) -> tuple[dict[Node, Node], set[Node]]:
    """Where threads are that part at `node` until all of them meet again.

    For each node that some pass: the branch that they took, or the last node where both met; and the nodes where paths
    meet.
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
    return labels, joins


def _nest(nodes: Sequence[Node]) -> Iterator[frozenset[Node]]:
    """The loops of the graph, an outer one before those inside."""
    for component in cycles(nodes):
        inside = frozenset(component)
        yield inside
        entries = {node for node in component if any(edge.source not in inside for edge in node.entering)}
        yield from _nest([node for node in component if node not in entries])
