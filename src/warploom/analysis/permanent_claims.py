# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slots that threads claim for good: no thread of the kernel releases one while it runs.

    ^probe(%slot): %r = cmpxchg (keys + 4 %slot), EMPTY, %key       fails where another key is: for good, as nobody
                   ... br probe(%slot + 1 & mask)                   in the kernel writes EMPTY there again

A thread that finds all slots claimed cannot be waiting for another thread of the kernel: whatever the others do, these
slots stay as they are. (A table that is full when a kernel starts, and that another kernel empties meanwhile, is not
thought of.) Two kernel arguments are taken for different memory here, as are differing members of one array of structs.

Other threads of the block are between the two barriers around the loop when a variable is in shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.cycle import WRITES, Cycle, place_of, root_of
from warploom.analysis.path_states import Edge, States
from warploom.analysis.progress import failed_edges, implied
from warploom.analysis.variables import direct
from warploom.ir.core import Block, Const, Op, Operand, Value
from warploom.ir.dominance import successors
from warploom.ir.types import size_of

_SETTING = frozenset(("xchg", "or", "and", "max", "min", "umax", "umin"))
# Functions that write nothing a kernel can look at.
_HARMLESS = ("llvm.", "__warploom_nanosleep", "__warploom_clock64", "__warploom_vprintf", "__warploom_spin_point",
             "__warploom_globaltimer", "__warploom_assert_fail", "__warploom_trap")  # fmt: skip


def claimed_edges(cycle: Cycle) -> set[Edge]:
    """Where a slot was found claimed that stays so."""
    found: set[Edge] = set()
    for op in cycle.ops:
        if not _claims_slots(cycle, op) or _may_be_released(cycle, op):
            continue
        if op.name == "cmpxchg":
            found |= failed_edges(cycle, op) | _seen_claimed(cycle, op)
        else:
            found |= {edge for number in cycle.states_of(cycle.homes[op]) for edge in cycle.outgoing[number]}
    return found


def _claims_slots(cycle: Cycle, op: Op) -> bool:
    """Whether `op` claims slots: a compare-exchange that expects a constant, or a flag set to one; at addresses that
    the thread's own steps choose."""
    if op.name not in ("cmpxchg", "atomicrmw") or not isinstance(op.operands[1], Const):
        return False
    if op.name == "atomicrmw" and op.attrs["operation"] not in _SETTING:
        return False
    place = direct(cycle, op.operands[:1])
    return bool(place.params) and not place.looks and root_of(cycle.states, op.operands[0]) is not None


def _seen_claimed(cycle: Cycle, exchange: Op) -> set[Edge]:
    """The edges on which a load of the slot is known to have found it claimed."""
    found: set[Edge] = set()
    place = place_of(cycle.states, exchange.operands[0])
    for edge in cycle.edges:
        for op, is_true in implied(cycle, edge):
            if op.attrs["pred"] not in ("eq", "ne") or (op.attrs["pred"] == "ne") != is_true:
                continue
            for one, other in (op.operands, op.operands[::-1]):
                made = cycle.makers.get(one) if isinstance(one, Value) else None
                if made is None or made.name != "load" or other != exchange.operands[1]:
                    continue
                if place_of(cycle.states, made.operands[0]) == place:
                    found.add(edge)
    return found


def _may_be_released(cycle: Cycle, claim: Op) -> bool:
    """Whether some thread of the kernel may undo, while another one goes round the loop, what `claim` does."""
    root = root_of(cycle.states, claim.operands[0])
    assert root is not None
    name = str(root[1]).strip('@"') if root[0] == "variable" else ""
    is_shared = name in cycle.states.function.shared
    ops = _meanwhile(cycle) if is_shared else (op for block in cycle.states.function.blocks for op in block.ops)
    return any(op is not claim and _may_undo(cycle.states, op, claim) for op in ops)


def _may_undo(states: States, op: Op, claim: Op) -> bool:
    if op.name in ("call", "call_indirect", "asm"):
        harmless = op.name == "call" and str(op.attrs["callee"]).startswith(_HARMLESS)
        return not harmless and op.attrs.get("effects") in ("any", "argmem")
    if op.name not in WRITES:
        return False
    place = op.operands[WRITES[op.name]]
    root = root_of(states, place)
    if root is None:
        return _undoes(op, claim)
    if root != root_of(states, claim.operands[0]) or _is_other_member(states, place, op, claim):
        return False
    return _undoes(op, claim)


def _undoes(op: Op, claim: Op) -> bool:
    """Whether `op`, at a slot of `claim`, may write what that expects, or what is not known."""
    if op.name == claim.name == "cmpxchg":
        new = op.operands[2]
        return op.operands[1] != claim.operands[1] or new == claim.operands[1]
    if op.name == claim.name:
        return op.attrs["operation"] != claim.attrs["operation"] or op.operands[1] != claim.operands[1]
    if op.name == "store" and claim.name == "cmpxchg" and isinstance(op.operands[0], Const):
        return op.operands[0] == claim.operands[1] or op.operands[0].type != claim.operands[1].type
    return True


def _is_other_member(states: States, place: Operand, op: Op, claim: Op) -> bool:
    """Whether both places are members of structs of one array, and not the same one."""
    base, start, indices = place_of(states, place)
    other, taken, others = place_of(states, claim.operands[0])
    strides = {abs(stride) for _, stride in (*indices, *others)}
    if base != other or len(strides) != 1 or op.name not in ("store", "atomicrmw", "cmpxchg"):
        return False
    (stride,) = strides
    written = op.operands[0] if op.name == "store" else op.operands[1]
    start, taken = start % stride, taken % stride
    width, wanted = size_of(written.type), size_of(claim.operands[1].type)
    return start + width <= taken or (taken + wanted <= start and start + width <= stride)


def _meanwhile(cycle: Cycle) -> Iterator[Op]:
    """The ops that another thread of the block may run while one is in the loop: no barrier lies between."""
    blocks = cycle.states.function.blocks
    by_name = {block.name: block for block in blocks}
    after = {block.name: list(successors(block)) for block in blocks}
    before: dict[str, list[str]] = {block.name: [] for block in blocks}
    for block in blocks:
        for target in after[block.name]:
            before[target].append(block.name)
    inside = [block.name for block in cycle.blocks]
    for neighbours, is_forward in ((after, True), (before, False)):
        seen, work = set[str](inside), [name for each in inside for name in neighbours[each]]
        while work:
            name = work.pop()
            if name in seen:
                continue
            seen.add(name)
            reached = list(_until_barrier(by_name[name], is_forward))
            yield from reached
            work += neighbours[name] if len(reached) == len(by_name[name].ops) else []
    yield from cycle.ops


def _until_barrier(block: Block, is_forward: bool) -> Iterator[Op]:
    for op in block.ops if is_forward else reversed(block.ops):
        if op.name == "barrier_reduce" or (op.name == "barrier" and op.attrs["level"] in ("block", "grid")):
            return
        yield op
