# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merge thread loops that stand side by side.

    block %bdx, 1, 1 { (%tx) A; %s[%tx] = x }              block %bdx, 1, 1 { (%tx) A; B(x) }
    block %bdx, 1, 1 { (%tx) y = %s[%tx]; B(y) }    ==>

Two loops in sequence run A for all threads before B for any. One loop may run B for a thread before A for another one,
which is the same as long as no access of A meets an access of B of another thread, one of them a write (Moses et al.,
High-Performance GPU-to-CPU Transpilation, section IV-D; there it saves a fork and a join, here a loop and the memory
that carries values from the one to the other). What stands between the loops must not care: pure ops and buffers, which
go in front. A buffer slot that one place writes and later places of the same loop read is a value.
"""

from __future__ import annotations

from warploom.analysis.memory import Access, Memory, memory_of
from warploom.analysis.turns import takes_turns
from warploom.core.records import dataclass
from warploom.ir.core import (
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_function,
    remove_ops,
    replace_uses,
    uses_of,
    walk,
    walk_op,
)
from warploom.ir.ops import levels_in
from warploom.ir.properties import is_duplicable, is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT

NAME = "merge_parallel"

Key = tuple[object, ...]
# Of each op in a thread loop: the loop, the place in its body, and whether that place is the op and not around it.
Places = dict[Op, tuple[Op, int, bool]]


@dataclass(eq=False, slots=True)
class _Run:
    """Thread loops of one region with equal bounds and nothing but movable ops between them."""

    region: Region
    loops: list[Op]


# -- questions --------------------------------------------------------------------------------------------------------


def is_movable(op: Op) -> bool:
    """Whether `op`, between two thread loops, may as well stand before the first: no loop defines what it uses."""
    return is_speculatable(op) or op.name == "scratch"


def is_thread_loop(op: Op) -> bool:
    """Whether `op` is a loop over threads that do not talk to each other."""
    return op.name == "block" and not levels_in(op)


def can_merge(memory: Memory, before: list[Access], after: list[Access]) -> bool:
    """Whether threads may pass from the accesses `before` to those `after` without waiting for each other."""
    return not any(memory.conflict_across_threads(a, b) for a in before for b in after)


# -- finding ----------------------------------------------------------------------------------------------------------


def _runs_of(function: Function) -> list[_Run]:
    found: list[_Run] = []
    _runs(function, function.body, found)
    return found


def _runs(function: Function, region: Region, found: list[_Run]) -> None:
    current: list[Op] = []
    for op in region.ops:
        if is_thread_loop(op) and not takes_turns(function, op):
            if current and current[-1].operands != op.operands:
                _close(region, current, found)
                current = []
            current.append(op)
            continue
        if not is_movable(op):
            _close(region, current, found)
            current = []
        for inner in op.regions:
            _runs(function, inner, found)
    _close(region, current, found)


def _close(region: Region, loops: list[Op], found: list[_Run]) -> None:
    if len(loops) > 1:
        found.append(_Run(region, loops))


# -- merging ----------------------------------------------------------------------------------------------------------


def _compare_threads(run: _Run) -> None:
    """Let all loops of `run` name the ids, and what they compute from the same values in the same way, as the first one
    does, so that addresses of different loops can be compared. Their code is then good for analysis only."""
    values: dict[Key, Value] = {}
    mapping: dict[Value, Operand] = {}
    for loop in run.loops:
        mapping.update(zip(loop.region.params, run.loops[0].region.params, strict=True))
        for op in walk(loop.region):
            op.operands = [mapping.get(each, each) if isinstance(each, Value) else each for each in op.operands]
            if is_duplicable(op) and is_speculatable(op) and len(op.results) == 1:
                key = (op.name, *sorted(op.attrs.items()), *op.operands, op.result.type)
                mapping[op.result] = values.setdefault(key, op.result)
        loop.region.params = run.loops[0].region.params


def _groups(run: _Run, memory: Memory) -> list[list[int]]:
    """The loops of `run`, by number, that can be one."""
    accesses = [memory.accesses(loop) for loop in run.loops]
    groups = [[0]]
    for number in range(1, len(run.loops)):
        before = [access for each in groups[-1] for access in accesses[each]]
        if can_merge(memory, before, accesses[number]):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _merge(run: _Run, groups: list[list[int]], context: Context) -> None:
    for group in groups:
        first = run.loops[group[0]]
        for number in group[1:]:
            _append(run.region, first, run.loops[number])
        if len(group) > 1:
            context.remark(NAME, f"{len(group)} loops over threads became one", first.loc)


def _append(region: Region, first: Op, second: Op) -> None:
    """Move the body of `second` to the end of `first`, and what stands between them before `first`."""
    start, end = region.ops.index(first), region.ops.index(second)
    between = region.ops[start + 1 : end]
    region.ops[start : end + 1] = [*between, first]
    replace_uses(second.region, dict(zip(second.region.params, first.region.params, strict=True)))
    first.region.ops = [*first.region.body, *second.region.ops]


# -- slots that are values --------------------------------------------------------------------------------------------


def _key(operand: Operand, makers: dict[Value, Op], depth: int = 12) -> Key:
    """Equal for two values of one thread that are computed in the same way, as far down as `depth`."""
    op = makers.get(operand) if isinstance(operand, Value) else None
    if op is None or not is_duplicable(op) or len(op.results) != 1 or depth == 0:
        return ("value", operand)
    return (op.name, tuple(sorted(op.attrs.items())), *(_key(each, makers, depth - 1) for each in op.operands))


def _slot_uses(scratch: Value, uses: dict[Value, list[tuple[Op, int]]]) -> list[Op] | None:
    """The loads and stores of a buffer; None when it is used in another way."""
    found: list[Op] = []
    for op, number in uses.get(scratch, []):
        if op.name == "gep" and number == 0:
            inner = _slot_uses(op.result, uses)
            if inner is None:
                return None
            found += inner
        elif op.name == "load" or (op.name == "store" and number == 1):
            found.append(op)
        else:
            return None
    return found


def _forward_slots(function: Function) -> None:
    """Replace buffers that one loop fills in one place and then reads."""
    uses = uses_of(function.body)
    makers = {result: op for op in walk(function.body) for result in op.results}
    places: Places = {}
    for loop in walk(function.body):
        if is_thread_loop(loop):
            for number, top in enumerate(loop.region.ops):
                places.update((op, (loop, number, op is top)) for op in walk_op(top))
    for op in list(walk(function.body)):
        users = (_slot_uses(op.result, uses) if op.name == "scratch" else None) or []
        stores = [user for user in users if user.name == "store"]
        if len(stores) == 1 and stores[0] in places:
            loads = [user for user in users if user.name == "load"]
            _forward_slot(stores[0], loads, places, makers)


def _forward_slot(store: Op, loads: list[Op], places: Places, makers: dict[Value, Op]) -> None:
    loop, number, is_at_top = places[store]
    if not is_at_top:
        return
    slot = _key(store.operands[1], makers)
    for load in loads:
        loop_of_load, place, _ = places.get(load, (None, 0, False))
        if loop_of_load is not loop or place <= number or load.result.type != store.operands[0].type:
            return
        if _key(load.operands[0], makers) != slot:
            return
    replace_uses(loop.region, {load.result: store.operands[0] for load in loads})
    remove_ops(loop.region, {store, *loads})


def _remove_unused_buffers(function: Function) -> None:
    while True:
        uses = uses_of(function.body)
        gone = {
            op
            for op in walk(function.body)
            if op.name in ("scratch", "gep") and not any(result in uses for result in op.results)
        }
        if not gone:
            return
        remove_ops(function.body, gone)


def run(function: Function, context: Context) -> bool:
    """Merge neighbouring thread loops."""
    runs = _runs_of(function)
    if not runs:
        return False
    compared = clone_function(function)
    runs_compared = _runs_of(compared)
    for each in runs_compared:
        _compare_threads(each)
    memory = memory_of(compared)
    changed = False
    for each, twin in zip(runs, runs_compared, strict=True):
        groups = _groups(twin, memory)
        _merge(each, groups, context)
        changed |= len(groups) < len(each.loops)
    if changed:
        _forward_slots(function)
        _remove_unused_buffers(function)
    return changed


MERGE_PARALLEL = Pass(NAME, run, requires=(FLAT,))
