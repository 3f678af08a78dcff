# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strong components of a directed graph: what lies on common cycles, in an order in which targets come first."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from warploom.core.type_names import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strong_components(graph: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """The components, each after all that it reaches; edges to what is no key of `graph` do not count.

    The depth-first search of "Depth-first search and linear graph algorithms" (1972), with a stack of its own.
    """
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_: list[Node] = []
    is_open: set[Node] = set()
    found: list[list[Node]] = []

    def enter(node: Node) -> tuple[Node, Iterator[Node]]:
        number[node] = low[node] = len(number)
        open_.append(node)
        is_open.add(node)
        return node, iter(graph[node])

    for root in graph:
        stack = [] if root in number else [enter(root)]
        while stack:
            node, targets = stack[-1]
            target = next((each for each in targets if each in graph), None)
            if target is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == number[node]:
                    found.append(_close(node, open_, is_open))
            elif target not in number:
                stack.append(enter(target))
            elif target in is_open:
                low[node] = min(low[node], number[target])
    return found


def _close(node: Node, open_: list[Node], is_open: set[Node]) -> list[Node]:
    """Take the component that `node` was the first of off the stack."""
    start = open_.index(node)
    component = open_[start:]
    del open_[start:]
    is_open.difference_update(component)
    return component


def is_cycle(graph: Mapping[Node, Sequence[Node]], component: Sequence[Node]) -> bool:
    """Whether a strong component holds a cycle: a single node may not."""
    return len(component) > 1 or component[0] in graph[component[0]]
