# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The branches of a loop that decide whether an iteration comes to a node: its control dependences.

    head -> then, else    then, else -> join    join -> head         head decides about then and else, not about join

An edge *passes* a node when every way that begins with it comes to the node before the iteration ends, which is when it
comes to one of the loop's entries. A branch decides about what some of its edges pass and others do not ("The Program
Dependence Graph and Its Use in Optimization", 1987). What is passed from a node on is the largest solution of

    passed(node) = node, and what is passed along each of its edges
    along an edge: the entry alone where it leads to one, else passed(target)

Sets of nodes are bits of a number: a kernel of thousands of blocks has as many nodes, and each asks about all others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def deciding_branches(graph: Mapping[int, Sequence[int]], entries: Collection[int]) -> dict[int, int]:
    """For each node of the loop `graph` with several edges, the nodes that it decides about: bit n is node n."""
    along = _passed(graph, entries)
    found: dict[int, int] = {}
    for node, targets in graph.items():
        if len(targets) < 2:
            continue
        some, every = 0, -1
        for target in targets:
            some, every = some | along[target], every & along[target]
        if decided := some & ~every & ~(1 << node):
            found[node] = decided
    return found


def _passed(graph: Mapping[int, Sequence[int]], entries: Collection[int]) -> dict[int, int]:
    """What an edge to each node passes."""
    along = {node: 1 << node if node in entries else -1 for node in graph}
    work = [node for node in _postorder(graph, entries) if node not in entries]
    changed = True
    while changed:
        changed = False
        for node in work:
            passed = -1
            for target in graph[node]:
                passed &= along[target]
            passed |= 1 << node
            if passed != along[node]:
                along[node], changed = passed, True
    return along


def _postorder(graph: Mapping[int, Sequence[int]], entries: Collection[int]) -> list[int]:
    """The nodes that the entries reach, targets before sources but for edges back."""
    order: list[int] = []
    seen = set(entries)
    stack = [(entry, iter(graph[entry])) for entry in entries]
    while stack:
        node, rest = stack[-1]
        target = next((each for each in rest if each not in seen), None)
        if target is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(graph[target])))
    return order
