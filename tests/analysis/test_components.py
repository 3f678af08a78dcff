# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strong components: what reaches each other, targets before what leads to them."""

from __future__ import annotations

from warploom.analysis.components import is_cycle, strong_components


def test_nodes_that_reach_each_other_are_one_component() -> None:
    graph = {"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []}
    assert [sorted(each) for each in strong_components(graph)] == [["d"], ["a", "b", "c"]]


def test_a_component_comes_after_what_it_reaches() -> None:
    graph = {"top": ["left", "right"], "left": ["end"], "right": ["end", "left"], "end": []}
    assert strong_components(graph) == [["end"], ["left"], ["right"], ["top"]]


def test_edges_out_of_the_graph_do_not_count() -> None:
    assert strong_components({1: [2, 3], 2: [1]}) == [[1, 2]]


def test_a_single_node_is_a_cycle_when_it_leads_to_itself() -> None:
    assert is_cycle({"a": ["a"]}, ["a"])
    assert not is_cycle({"a": ["b"], "b": []}, ["a"])


def test_a_long_chain_needs_no_recursion() -> None:
    graph = {number: [number + 1] for number in range(5000)}
    assert len(strong_components(graph)) == 5000
