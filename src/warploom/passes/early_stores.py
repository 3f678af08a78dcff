# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put a value into its slot where it is made, instead of keeping it elsewhere until the slot's turn comes.

    threads { v = ...; }                    threads { v = ...; slot = v }
    threads { ... }                  ==>    threads { ... }
    threads { slot = v }

A step of the plan of interchange.py, before the cut: a loop over threads that does nothing but fill slots goes, and the
value needs no buffer of its own. Sound when nothing in between reads or writes the slot.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.ir.core import Value, free_values
from warploom.passes.base import Context
from warploom.passes.interchange import Choice, Count, Group, Guard, Node, Plan, Repeat, Slot, Store

EARLY_STORES = "early_stores"


def store_early(plan: Plan, context: Context) -> None:
    """Move every store of the plan that can be earlier."""
    if EARLY_STORES not in context.off:
        _visit(plan.nodes, plan)


def _visit(nodes: list[Node], plan: Plan) -> None:
    for node in nodes:
        for inner in _parts(node):
            _visit(inner, plan)
    homes: dict[Value, int] = {}
    for number, node in enumerate(nodes):
        if isinstance(node, Group):
            if not node.ops:
                _move(nodes, number, homes, plan)
            homes.update({value: number for op in node.ops for value in op.results})
    nodes[:] = [each for each in nodes if not isinstance(each, Group) or each.ops or each.actions]


def _parts(node: Node) -> list[list[Node]]:
    if isinstance(node, (Guard, Count)):
        return [node.body]
    if isinstance(node, Choice):
        return [node.then, node.other]
    return [node.before, node.after] if isinstance(node, Repeat) else []


def _move(nodes: list[Node], number: int, homes: dict[Value, int], plan: Plan) -> None:
    group = nodes[number]
    assert isinstance(group, Group)
    for action in list(group.actions):
        if not isinstance(action, Store) or not isinstance(action.value, Value) or action.value not in homes:
            continue
        home = nodes[homes[action.value]]
        assert isinstance(home, Group)
        between = nodes[homes[action.value] + 1 : number]
        others = [each for each in group.actions if each is not action]
        if home.mask == group.mask and not _touches([*between, Group((), [], others)], action.slot, plan):
            group.actions.remove(action)
            home.actions.append(action)


def _touches(nodes: Iterable[Node], slot: Slot, plan: Plan) -> bool:
    """Whether anything in `nodes` reads or writes `slot`."""
    for node in nodes:
        if isinstance(node, Group):
            used = [value for op in node.ops for value in (free_values(op) if op.regions else op.operands)]
            used += [action.value for action in node.actions]
            held = [plan.slots.get(each) for each in used if isinstance(each, Value)]
            held += [action.slot for action in node.actions if isinstance(action, Store)]
            for term in node.mask:
                held.append(term.value if isinstance(term.value, Slot) else None)
                held.append(plan.slots.get(term.value) if isinstance(term.value, Value) else None)
            if slot in held:
                return True
        elif any(_touches(inner, slot, plan) for inner in _parts(node)):
            return True
    return False
