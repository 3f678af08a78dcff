# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put a value into its slot where it is made, instead of keeping it elsewhere until the slot's turn comes.

    threads { v = ...; }                    threads { v = ...; slot = v }
    threads { ... }                  ==>    threads { ... }
    threads { slot = v }

A step of the plan of interchange.py, before the cut: a loop over threads that does nothing but fill slots goes, and the
value needs no buffer of its own. Sound when nothing in between reads or writes the slot, nor computes again, as the cut
may decide, what was computed from it; nor asks it which threads take part in what else the later loop does.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.core.patterns import regex
from warploom.ir.core import Op, Operand, Value, free_values
from warploom.ir.ops import CASTS
from warploom.ir.properties import is_duplicable, is_speculatable
from warploom.passes.barrier.features import EARLY_STORES
from warploom.passes.barrier.interchange import Group, Node, Plan, Raise, Slot, Store, Term, groups_of, parts
from warploom.passes.base import Context

CHEAP = CASTS | frozenset(
    "add sub mul shl lshr ashr and or xor fadd fsub fmul fneg icmp fcmp select gep extractelement insertelement "
    "shufflevector extractvalue insertvalue udiv sdiv urem srem".split()
)
# Of LLVM's intrinsics, those that are an instruction or two.
_CHEAP_CALLS = regex(r"llvm\.(smin|smax|umin|umax|abs|fabs|(min|max)(imum)?num|fma|fmuladd|copysign|fshl|fshr)\.\w+")


def is_cheap(op: Op) -> bool:
    """Whether the cut may compute `op` again."""
    cheap = op.name in CHEAP or (op.name == "call" and _CHEAP_CALLS.fullmatch(str(op.attrs["callee"])))
    return bool(cheap) and is_speculatable(op) and is_duplicable(op)


class _Slots:
    """The slots that values are read from, or may be computed again from."""

    def __init__(self, plan: Plan) -> None:
        self.behind: dict[Value, frozenset[Slot]] = {value: frozenset((slot,)) for value, slot in plan.slots.items()}
        for op in [op for group, _ in groups_of(plan.nodes) for op in group.ops]:
            if is_cheap(op):
                found = [self.of(operand) for operand in op.operands]
                self.behind.update(dict.fromkeys(op.results, frozenset[Slot]().union(*found)))

    def of(self, operand: Operand | Slot) -> frozenset[Slot]:
        """The slots behind `operand`."""
        if isinstance(operand, Slot):
            return frozenset((operand,))
        return self.behind.get(operand, frozenset()) if isinstance(operand, Value) else frozenset()


def store_early(plan: Plan, context: Context) -> None:
    """Move every store of the plan that can be earlier."""
    if EARLY_STORES not in context.off:
        _visit(plan.nodes, _Slots(plan))


def _visit(nodes: list[Node], slots: _Slots) -> None:
    for node in nodes:
        for inner in parts(node):
            _visit(inner, slots)
    homes: dict[Value, int] = {}
    for number, node in enumerate(nodes):
        if isinstance(node, Group):
            if not node.ops:
                _move(nodes, number, homes, slots)
            homes.update({value: number for op in node.ops for value in op.results})
    nodes[:] = [each for each in nodes if not isinstance(each, Group) or each.ops or each.actions]


def _move(nodes: list[Node], number: int, homes: dict[Value, int], slots: _Slots) -> None:
    group = nodes[number]
    assert isinstance(group, Group)
    for action in list(group.actions):
        if not isinstance(action, Store) or not isinstance(action.value, Value) or action.value not in homes:
            continue
        home = nodes[homes[action.value]]
        assert isinstance(home, Group)
        between = nodes[homes[action.value] + 1 : number]
        if home.mask == group.mask and not _touches([*between, _rest(group, action)], action.slot, slots):
            group.actions.remove(action)
            home.actions.append(action)


def _rest(group: Group, action: Store) -> Group:
    """What is left of a group without ops when `action` goes. A thread that the value takes out of the mask would not
    have raised a flag for that value either; anything else it would have done."""
    others = [each for each in group.actions if each is not action]
    quiet = all(isinstance(each, Raise) and each.value == action.value and not each.negated for each in others)
    asked = [term for term in group.mask if not (quiet and term == Term(action.slot))]
    return Group(tuple(asked) if others else (), [], others)


def _touches(nodes: Iterable[Node], slot: Slot, slots: _Slots) -> bool:
    """Whether anything in `nodes` reads or writes `slot`, or may do so to compute a value again."""
    for node in nodes:
        if isinstance(node, Group):
            used: list[Operand | Slot] = [term.value for term in node.mask]
            used += [value for op in node.ops for value in (free_values(op) if op.regions else op.operands)]
            used += [action.value for action in node.actions]
            if any(slot in slots.of(each) for each in used):
                return True
            if any(isinstance(action, Store) and action.slot is slot for action in node.actions):
                return True
        elif any(_touches(inner, slot, slots) for inner in parts(node)):
            return True
    return False
