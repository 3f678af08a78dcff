# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dominator tree against the definition of dominance."""

from __future__ import annotations

import pytest

from warploom.ir.core import Block, Function, Op
from warploom.ir.dominance import dominance


def naive_dominates(function: Function, above: str, below: str) -> bool:
    """By definition: without `above`, no path leads from the entry to `below`."""
    by_name = {block.name: block for block in function.blocks}
    seen, work = {above}, [function.blocks[0].name]
    while work:
        name = work.pop()
        if name not in seen:
            seen.add(name)
            targets = by_name[name].ops[-1].attrs.get("targets", ())
            assert isinstance(targets, tuple)
            work.extend(map(str, targets))
    return above == below or below not in seen


def graph(edges: str) -> Function:
    """A function without code: `ab bc` has edges from a to b and from b to c; the first letter is the entry."""
    names = sorted(set(edges) - {" "}, key=edges.index)
    function = Function("g", [])
    for name in names:
        targets = tuple(edge[1] for edge in edges.split() if edge[0] == name)
        end = Op("switch", attrs={"targets": targets}) if targets else Op("ret")
        function.blocks.append(Block(name, [], [end]))
    return function


@pytest.mark.parametrize(
    "edges",
    [
        "ab ac bd cd",  # a diamond
        "ab bc cb cd",  # a loop
        "ab ac bc cb bd cd",  # a loop with two entries
        "ab ac bd ce de ed df ef ab fa",
        "ar rb rc rd be ca cb cg de ef fi gh gj hi hk hf ik ji ki kr el li",
    ],
)
def test_dominance_is_what_its_definition_says(edges: str) -> None:
    function = graph(edges)
    tree = dominance(function)
    names = [block.name for block in function.blocks]
    assert all(tree.reaches(name) for name in names)
    for above in names:
        for below in names:
            assert tree.dominates(above, below) == naive_dominates(function, above, below), (above, below)


def test_what_the_entry_does_not_reach() -> None:
    tree = dominance(graph("ab cb"))
    assert not tree.reaches("c")
    assert not tree.dominates("c", "b")
