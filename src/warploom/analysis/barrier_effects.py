# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory effects of a barrier: what can run before it since the last barrier, and after it until the next.

    store @a; barrier B1; if c { load @a; barrier B2; store @b } ; load @b
                                                          before B2: load @a     after B2: store @b, load @b
The body of a kernel is a graph of barriers and of stretches without barriers, whose accesses are put together; a loop
leads back to its head. (Moses et al., High-Performance GPU-to-CPU Transpilation, section III-A.)
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.memory import Access, Memory
from warploom.analysis.pointers import Object
from warploom.core.records import dataclass, field
from warploom.ir.core import Op, Region
from warploom.ir.ops import LOOPS, Level, collective_level, levels_in


@dataclass(eq=False, slots=True)
class Node:
    """A barrier, or a stretch of code without."""

    barrier: Op | None = None
    accesses: list[Access] = field(default_factory=list[Access])
    successors: list[Node] = field(default_factory=lambda: list[Node]())
    predecessors: list[Node] = field(default_factory=lambda: list[Node]())


# Accesses by object, without those that say the same as another.
Effects = dict[Object, list[Access]]


@dataclass(slots=True)
class BarrierGraph:
    """The barriers of one `block` in the order of the program, and what runs between them."""

    memory: Memory
    barriers: dict[Op, Node] = field(default_factory=dict[Op, Node])
    nodes: list[Node] = field(default_factory=list[Node])
    removed: set[Op] = field(default_factory=set[Op])

    def node(self, barrier: Op | None = None) -> Node:
        """A new node."""
        self.nodes.append(Node(barrier))
        return self.nodes[-1]

    def remove(self, barrier: Op) -> None:
        """From now on take `barrier` as gone."""
        self.removed.add(barrier)

    def before(self, barrier: Op) -> Effects:
        """What a thread may have done since its barrier before `barrier`."""
        return self._reach(barrier, lambda node: node.predecessors)

    def after(self, barrier: Op) -> Effects:
        """What a thread may do from `barrier` to its next barrier."""
        return self._reach(barrier, lambda node: node.successors)

    def _reach(self, barrier: Op, following: Callable[[Node], list[Node]]) -> Effects:
        level = collective_level(barrier)
        assert level is not None
        todo = list(following(self.barriers[barrier]))
        seen = set(todo)
        found: dict[tuple[object, ...], Access] = {}
        while todo:
            node = todo.pop()
            if node.barrier is not None and self._separates(node.barrier, level):
                continue
            for access in node.accesses:
                found.setdefault(_meaning(access), access)
            new = [each for each in following(node) if each not in seen]
            seen.update(new)
            todo.extend(new)
        effects: Effects = {}
        for access in found.values():
            effects.setdefault(access.object, []).append(access)
        return effects

    def _separates(self, barrier: Op, level: Level) -> bool:
        """Whether `barrier` orders all that a barrier of `level` orders. A warp's barrier in divergent code may be for
        some lanes only."""
        if barrier in self.removed:
            return False
        if collective_level(barrier) is not Level.WARP:
            return True
        return level is Level.WARP and self.memory.uniformity.is_reached_uniformly(barrier, Level.WARP)


def barrier_graph(memory: Memory, block: Op) -> BarrierGraph:
    """The barriers in `block`, whose accesses `memory` knows."""
    graph = BarrierGraph(memory)
    _sequence(graph, block.region, graph.node())
    return graph


def is_barrier(op: Op) -> bool:
    """Whether `op` makes threads wait for each other and orders their memory: shuffles and votes do not."""
    return op.name in ("barrier", "barrier_reduce")


def has_barrier(op: Op) -> bool:
    """Whether there is a barrier in `op`."""
    return is_barrier(op) or (bool(levels_in(op)) and any(has_barrier(each) for r in op.regions for each in r.ops))


def _meaning(access: Access) -> tuple[object, ...]:
    return access.object, access.place, access.reads, access.writes, access.orders


def _link(a: Node, b: Node) -> Node:
    a.successors.append(b)
    b.predecessors.append(a)
    return b


def _sequence(graph: BarrierGraph, region: Region, node: Node) -> Node:
    """Append `region`, entered from `node`; the node at its end."""
    for op in region.ops:
        if is_barrier(op):
            barrier = _link(node, graph.node(op))
            graph.barriers[op] = barrier
            node = _link(barrier, graph.node())
        elif op.regions and has_barrier(op):
            node = _control_flow(graph, op, node)
        else:
            node.accesses.extend(graph.memory.accesses(op))
    return node


def _control_flow(graph: BarrierGraph, op: Op, node: Node) -> Node:
    if op.name == "if":
        end = graph.node()
        for region in op.regions:
            _link(_sequence(graph, region, _link(node, graph.node())), end)
        return end
    assert op.name in LOOPS, f"{op.name} inside of block"
    head = _link(node, graph.node())
    if op.name == "for":
        _link(_sequence(graph, op.region, _link(head, graph.node())), head)
        return _link(head, graph.node())
    exit_ = _sequence(graph, op.regions[0], head)
    _link(_sequence(graph, op.regions[1], _link(exit_, graph.node())), head)
    return _link(exit_, graph.node())
