# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cheapest set of values to keep, such that everything needed later can be computed from it.

    a = load        needed after the barrier: f          keep {a, b}: 8 bytes, c d e f computed again
    b = load        c = a + b; d = a - b           ==>   rather than {c, d, e}: 12 bytes
                    e = a * b; f = g(c, d, e)

A vertex cut: every path from a value that cannot be computed again to a needed one must pass a kept value. The kept set
of least weight is a minimum cut (max-flow min-cut theorem) after each value is split into an incoming and an outgoing
half joined by an edge as wide as the value has bytes. Of several minimum cuts the one nearest to the needed values is
taken: it computes the least again. Flow by shortest augmenting paths in level graphs (Dinic).

Moses et al., High-Performance GPU-to-CPU Transpilation and Optimization via High-Level Parallel Constructs, III-B1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable

from warploom.core.type_names import TypeVar

Node = TypeVar("Node", bound=Hashable)
_INFINITE = 1 << 60


class _Network:
    """Edges as arrays: edge e and its reverse e ^ 1."""

    def __init__(self) -> None:
        self.target: list[int] = []
        self.capacity: list[int] = []
        self.edges: list[list[int]] = []

    def node(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def edge(self, start: int, end: int, capacity: int) -> None:
        for target, room, source in ((end, capacity, start), (start, 0, end)):
            self.edges[source].append(len(self.target))
            self.target.append(target)
            self.capacity.append(room)

    def saturate(self, source: int, sink: int) -> None:
        """Push as much flow as fits."""
        while True:
            level = self._levels(source)
            if sink not in level:
                return
            following = [0] * len(self.edges)
            while self._augment(source, sink, level, following):
                pass

    def _levels(self, source: int) -> dict[int, int]:
        level = {source: 0}
        queue = deque([source])
        while queue:
            node = queue.popleft()
            for edge in self.edges[node]:
                target = self.target[edge]
                if self.capacity[edge] > 0 and target not in level:
                    level[target] = level[node] + 1
                    queue.append(target)
        return level

    def _augment(self, source: int, sink: int, level: dict[int, int], following: list[int]) -> bool:
        path: list[int] = []
        node = source
        while node != sink:
            edges = self.edges[node]
            while following[node] < len(edges):
                edge = edges[following[node]]
                if self.capacity[edge] > 0 and level.get(self.target[edge]) == level[node] + 1:
                    break
                following[node] += 1
            else:
                if not path:
                    return False
                edge = path.pop()
                node = self.target[edge ^ 1]
                following[node] += 1
                continue
            path.append(edge)
            node = self.target[edge]
        room = min(self.capacity[edge] for edge in path)
        for edge in path:
            self.capacity[edge] -= room
            self.capacity[edge ^ 1] += room
        return True

    def reaching(self, sink: int) -> set[int]:
        """The nodes from which `sink` can still be reached."""
        found = {sink}
        queue = deque([sink])
        while queue:
            node = queue.popleft()
            for edge in self.edges[node]:
                source = self.target[edge]  # edge ^ 1 leads from there to here
                if self.capacity[edge ^ 1] > 0 and source not in found:
                    found.add(source)
                    queue.append(source)
        return found


def minimum_cut(
    needed: Iterable[Node],
    inputs: Callable[[Node], Iterable[Node] | None],
    weight: Callable[[Node], int],
) -> list[Node]:
    """The values to keep, in a fixed order.

    `inputs(v)`: what `v` can be computed again from, without values that are available anyway; None when it cannot be.
    `weight(v)`: bytes that keeping `v` takes, at least 1.
    """
    network = _Network()
    source, sink = network.node(), network.node()
    halves: dict[Node, tuple[int, int]] = {}
    pending: list[Node] = []

    def incoming(value: Node) -> int:
        if value not in halves:
            halves[value] = (network.node(), network.node())
            network.edge(*halves[value], weight(value))
            pending.append(value)
        return halves[value][0]

    for value in needed:
        incoming(value)
        network.edge(halves[value][1], sink, _INFINITE)
    while pending:
        value = pending.pop()
        origins = inputs(value)
        if origins is None:
            network.edge(source, halves[value][0], _INFINITE)
            continue
        for origin in origins:
            incoming(origin)
            network.edge(halves[origin][1], halves[value][0], _INFINITE)
    network.saturate(source, sink)
    near = network.reaching(sink)
    return [value for value, (start, end) in halves.items() if end in near and start not in near]
