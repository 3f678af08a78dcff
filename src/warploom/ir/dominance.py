# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which blocks of a function in CFG form every path to a block passes.

Iterates immediate dominators over reverse postorder until nothing changes ("A Simple, Fast Dominance
Algorithm"); the tree is then numbered, so that a question costs two comparisons.
"""

from __future__ import annotations

from warploom.core.records import dataclass
from warploom.ir.core import Block, Function


def successors(block: Block) -> tuple[str, ...]:
    """The names of the blocks that `block` branches to, with repetitions."""
    targets = block.ops[-1].attrs.get("targets", ()) if block.ops else ()
    return tuple(map(str, targets)) if isinstance(targets, tuple) else ()


def reverse_postorder(function: Function) -> list[Block]:
    """The blocks that the entry reaches, each before its successors but for back edges."""
    by_name = {block.name: block for block in function.blocks}
    entry = function.blocks[0]
    seen, order = {entry.name}, list[Block]()
    stack = [(entry, iter(successors(entry)))]
    while stack:
        block, rest = stack[-1]
        follow = next((name for name in rest if name not in seen), None)
        if follow is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(follow)
            stack.append((by_name[follow], iter(successors(by_name[follow]))))
    return order[::-1]


@dataclass(frozen=True, slots=True)
class Dominance:
    """The dominator tree, numbered; blocks that the entry does not reach are not in it."""

    first: dict[str, int]  # when a walk of the tree enters a block
    last: dict[str, int]  # and the last number given out below it

    def reaches(self, block: str) -> bool:
        """Whether any path leads to `block`."""
        return block in self.first

    def dominates(self, above: str, below: str) -> bool:
        """Whether every path to `below`, which is reached, passes `above`."""
        return above in self.first and self.first[above] <= self.first[below] <= self.last[above]


def dominance(function: Function) -> Dominance:
    """The dominator tree of `function`, whose branches name blocks that exist."""
    order = [block.name for block in reverse_postorder(function)]
    parents = _immediate_dominators(function, order)
    children: dict[str, list[str]] = {name: [] for name in order}
    for name in order[1:]:
        children[parents[name]].append(name)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    stack = [(order[0], False)]
    while stack:
        name, is_done = stack.pop()
        if is_done:
            last[name] = len(first) - 1
            continue
        first[name] = len(first)
        stack.append((name, True))
        stack.extend((child, False) for child in children[name])
    return Dominance(first, last)


def _immediate_dominators(function: Function, order: list[str]) -> dict[str, str]:
    """For each block of `order`, a reverse postorder, the closest block that dominates it; the entry for itself."""
    number = {name: index for index, name in enumerate(order)}
    predecessors: dict[str, list[str]] = {name: [] for name in order}
    for block in function.blocks:
        for target in successors(block) if block.name in number else ():
            predecessors[target].append(block.name)
    parents = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for name in order[1:]:
            known = [each for each in predecessors[name] if each in parents]
            best = known[0]
            for other in known[1:]:
                while best != other:
                    if number[best] > number[other]:
                        best = parents[best]
                    else:
                        other = parents[other]
            if parents.get(name) != best:
                parents[name] = best
                changed = True
    return parents
