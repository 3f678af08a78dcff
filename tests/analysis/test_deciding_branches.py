# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which branches of a loop decide whether an iteration comes to a node."""

from __future__ import annotations

import random

from warploom.analysis.deciding_branches import deciding_branches

Graph = dict[int, list[int]]


def _bits(mask: int) -> set[int]:
    return {number for number in range(mask.bit_length()) if mask >> number & 1}


def _can_end_without(graph: Graph, entries: set[int], start: int, node: int) -> bool:
    """Whether a way that comes to `start` leads to an entry, and not to `node`: by trying."""
    if start == node or start in entries:
        return start != node
    seen, work = {start}, [start]
    while work:
        for target in graph[work.pop()]:
            if target == node or target in seen:
                continue
            if target in entries:
                return True
            seen.add(target)
            work.append(target)
    return False


def test_a_branch_decides_about_its_sides_and_not_about_what_follows() -> None:
    diamond = {0: [1, 2], 1: [3], 2: [3], 3: [0]}
    assert {node: _bits(mask) for node, mask in deciding_branches(diamond, {0}).items()} == {0: {1, 2}}


def test_it_is_what_ways_through_random_loops_show() -> None:
    choose = random.Random(7)
    for _ in range(200):
        size = choose.randint(2, 9)
        graph = {node: [choose.randrange(size) for _ in range(choose.randint(1, 3))] for node in range(size)}
        for node in range(size):
            graph[node].append((node + 1) % size)  # one strong component
        entries = set(choose.sample(range(size), choose.randint(1, 2)))
        found = {node: _bits(mask) for node, mask in deciding_branches(graph, entries).items()}
        expected: dict[int, set[int]] = {}
        for node, targets in graph.items():
            for other in set(graph) - {node}:
                free = [_can_end_without(graph, entries, target, other) for target in targets]
                if any(free) and not all(free):
                    expected.setdefault(node, set()).add(other)
        assert found == expected


def test_a_large_loop_costs_little() -> None:
    """Ten thousand nodes in a row of diamonds: what asks every node about every other takes minutes."""
    graph: Graph = {}
    for start in range(0, 9999, 3):
        graph |= {start: [start + 1, start + 2], start + 1: [start + 3], start + 2: [start + 3]}
    graph[9999] = [0]
    found = deciding_branches(graph, {0})
    assert len(found) == 3333
    assert _bits(found[300]) == {301, 302}
