# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sink what follows a loop around barriers into the loop's last trip, which computes what it needs.

    while {                                            while {
      %more = %i < %n                                    %more = %i < %n
      if %more {                                         if %more {
        if %c { store %x, @next[tx] }                      %again = icmp ne %i, %last
        barrier                                            if %c { if %again { store %x, @next[tx] }
        %again = icmp ne %i, %last            ==>                  else { store %x, %to[tx] } }
        if %again { ... barrier }                          barrier
        yield %again } { yield false }                     if %again { ... barrier }
      condition ..., %c                                    yield %again } { yield false }
    }                                                    condition ..., %c, not %more
    if %c { store load @next[tx], %to[tx] }            }
                                                       if not %more { if %c { store load @next[tx], %to[tx] } }

A stencil that takes several steps in shared memory ends like this. The value goes from a register to its place, instead
of through shared memory and another loop over threads, where it is loaded from a store that was only just made, often
one under a mask: processors forward such a store to no load.

Sound because whether this is the last trip is the same for all threads of the block and, being pure, known before the
barrier; in the last trip no thread touches memory between that barrier and what follows the loop; so this may only not
go in front of the barrier if one thread's part of it meets what another one does since the barrier before, which is
asked as when a barrier is removed (eliminate_barriers.py). It goes to the end of the code that stores what it loads,
which runs under the same conditions; what this thread stored last it would load: a store of another thread there
would be a race. The block ends with it: a store that only it would have read is dead in the last trip. (Moses et al.,
High-Performance GPU-to-CPU Transpilation, IV-A and IV-B, for one trip of a loop.)

Another way out of the loop, before the barrier, leads to the code where it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from warploom.analysis.barrier_effects import BarrierGraph, barrier_graph, has_barrier, is_barrier
from warploom.analysis.memory import Access, Memory
from warploom.analysis.pointers import SHARED, Object
from warploom.ir.core import (
    FALSE,
    TRUE,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    walk,
    walk_op,
)
from warploom.ir.ops import Level, collective_level, levels_in
from warploom.ir.properties import is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_PHASE_WAITS, SCALAR, STRUCTURED

NAME = "last_trips"
LONGEST = 40  # ops that follow the loop: there will be two of them


@dataclass(slots=True)
class _Trip:
    """A loop's trip: the code in front of its barrier, and how the loop is left behind that."""

    loop: Op
    entry: Op | None  # the `if` around all of it, without which the loop is left at once
    region: Region  # that holds the barrier
    barrier: Op
    again: Value

    def at_last(self, value: Operand) -> Operand:
        """What `value`, seen where the loop is left, is in a trip that comes to the barrier."""
        while isinstance(value, Value) and self.entry is not None:
            makers = {result: op for op in self.loop.regions[0].ops for result in op.results}
            op = makers.get(value)
            if op is self.entry:
                value = self.entry.regions[0].terminator.operands[self.entry.results.index(value)]
            elif op is not None and op.name == "select" and op.operands[0] is self.entry.operands[0]:
                value = op.operands[1]
            else:
                break
        return value


def trip_of(loop: Op, memory: Memory) -> _Trip | None:
    """How `loop` ends, if it is left behind a block barrier without touching memory, by all threads together."""
    before = loop.regions[0]
    again = before.terminator.operands[0]
    makers = {result: op for op in before.ops for result in op.results}
    entry = makers.get(again) if isinstance(again, Value) else None
    if entry is not None and entry.name == "if":
        number = entry.results.index(again) if isinstance(again, Value) else 0
        again, otherwise = (region.terminator.operands[number] for region in entry.regions)
        behind = before.body[before.ops.index(entry) + 1 :]
        if otherwise != FALSE or _touches(memory, [*entry.regions[1].ops, *behind]):
            return None
        region = entry.regions[0]
    else:
        entry, region = None, before
    barriers = [op for op in region.ops if is_barrier(op) and op.name == "barrier"]
    if not isinstance(again, Value) or not barriers or collective_level(barriers[-1]) is not Level.BLOCK:
        return None
    if not memory.uniformity.is_uniform(again, Level.BLOCK):
        return None
    trip = _Trip(loop, entry, region, barriers[-1], again)
    behind = region.body[region.ops.index(trip.barrier) + 1 :]
    quiet = [inner for op in behind for inner in ([*op.regions[1].ops] if _is_again(op, trip) else [op])]
    return None if _touches(memory, quiet) else trip


def _is_again(op: Op, trip: _Trip) -> bool:
    return op.name == "if" and op.operands[0] is trip.again


def _touches(memory: Memory, ops: Iterable[Op]) -> bool:
    return any(memory.accesses(op) or bool(levels_in(op)) for op in ops)


# -- where the code goes ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Target:
    """The end of the code in front of a barrier that touches memory last."""

    region: Region
    start: Op  # right in the trip's region: what holds `region`, or the barrier
    path: set[Operand] = field(default_factory=set[Operand])  # what must hold for `region` to run
    visible: set[Value] = field(default_factory=set[Value])  # at its end, of what the loop computes


def target_of(trip: _Trip, memory: Memory) -> _Target:
    """Where in `trip` the last accesses before its barrier are."""
    before = trip.loop.regions[0]
    visible = set(before.params)
    if trip.entry is not None:
        visible |= _results(before.ops[: before.ops.index(trip.entry)])
    target = _Target(trip.region, trip.barrier, set(), visible)
    ops = trip.region.ops[: trip.region.ops.index(trip.barrier)]
    while True:
        last = next((op for op in reversed(ops) if _touches(memory, [op])), None)
        if last is None or last.name != "if" or levels_in(last) or _touches(memory, last.regions[1].ops):
            target.visible |= _results(ops)
            return target
        if target.region is trip.region:
            target.start = last
        target.visible |= _results(ops[: ops.index(last)])
        target.path |= conjuncts(last.operands[0], memory)
        target.region = last.regions[0]
        ops = target.region.body


def conjuncts(condition: Operand, memory: Memory) -> set[Operand]:
    """The conditions that all hold exactly when `condition` does."""
    found = memory.definitions.of.get(condition) if isinstance(condition, Value) else None
    op = found.op if found is not None and found.region is None else None
    if op is None or found is None:
        return {condition} - {TRUE}
    parts: list[Operand] = []
    if op.name == "and":
        parts = op.operands
    elif op.name == "select" and op.operands[2] == FALSE:
        parts = op.operands[:2]
    elif op.name == "if" and op.regions[1].terminator.operands[found.index] == FALSE:
        parts = [op.operands[0], op.regions[0].terminator.operands[found.index]]
    return {each for part in parts for each in conjuncts(part, memory)} if parts else {condition}


def _results(ops: Iterable[Op]) -> set[Value]:
    return {value for op in ops for value in op.results}


def chain_behind(trip: _Trip, target: _Target) -> list[Op] | None:
    """The ops behind `target.start` that compute whether there is another trip; None where they cannot come before."""
    at = trip.region.ops.index(target.start)
    late = trip.region.body[at:]
    wanted: set[Operand] = {trip.again}
    found: list[Op] = []
    for op in reversed(late):
        if not wanted.isdisjoint(op.results):
            if op.regions or not is_speculatable(op):
                return None
            found.append(op)
            wanted.update(op.operands)
    return found[::-1]


# -- what goes there --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Rest:
    """What follows a loop: ops that compute, and `body`, which has effects and runs where all of `path` holds."""

    ops: list[Op]
    body: list[Op]
    path: set[Operand]


def rest_of(trip: _Trip, ops: list[Op], memory: Memory) -> _Rest | None:
    """`ops`, all that follows `trip`'s loop; None where they are too many, or too mixed."""
    acting = [op for op in ops if not is_speculatable(op) or op.regions]
    if not acting or sum(1 for op in ops for _ in walk_op(op)) > LONGEST or any(levels_in(op) for op in ops):
        return None
    (first, *others), path = acting, set[Operand]()
    if first.name == "if" and not others and not first.results and len(first.regions[1].ops) == 1:
        acting = first.regions[0].body
        for each in conjuncts(first.operands[0], memory):
            path |= conjuncts(trip.at_last(_in_loop(trip, each)), memory)
    pure = [op for op in ops if is_speculatable(op) and not op.regions]
    return _Rest(pure, acting, path) if all(not op.regions for op in acting) else None


def _in_loop(trip: _Trip, value: Operand) -> Operand:
    """What the loop's result `value` is called inside."""
    results = trip.loop.results
    passed = trip.loop.regions[0].terminator.operands[1:]
    return passed[results.index(value)] if isinstance(value, Value) and value in results else value


def _names(trip: _Trip, target: _Target, rest: _Rest) -> dict[Value, Operand] | None:
    """What `rest` takes from the loop, by its names at `target`; None where something is not known there."""
    inside = defined_in(trip.loop)
    used = {operand for op in (*rest.ops, *rest.body) for operand in op.operands}
    names: dict[Value, Operand] = {}
    for value in trip.loop.results:
        name = trip.at_last(_in_loop(trip, value))
        if isinstance(name, Value) and name in inside and name not in target.visible:
            if value in used:
                return None
            continue
        names[value] = name
    return names


# -- loads and stores -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Found:
    """The stores at a target that the code there would load from: by the load; and those that only it would read."""

    sources: dict[Op, Op]
    dead: set[Op]


def forwarded(target: _Target, rest: _Rest, memory: Memory, before: list[Access]) -> _Found:
    """Which loads of shared variables in `rest` find what a store at the end of `target` left there."""
    sources: dict[Op, Op] = {}
    for load in rest.body:
        access = _plain(load, memory)
        if load.name != "load" or access is None or access.object.kind != SHARED:
            continue
        for op in reversed(target.region.body):
            accesses = memory.accesses(op)
            stored = _plain(op, memory)
            if op.name == "store" and stored is not None and _is_same(access, load, stored, op):
                sources[load] = op
            if any(each.writes and memory.conflict_in_thread(each, access) for each in accesses):
                break
    reads = [each for op in rest.body if op not in sources for each in memory.accesses(op)] + before
    read = {each.object for each in reads if each.reads}
    dead = {store for store in sources.values() if _is_dead(store, target, memory, read)}
    return _Found(sources, dead)


def _is_dead(store: Op, target: _Target, memory: Memory, read: set[Object]) -> bool:
    """Whether no load of the last trip reads what `store` wrote, and it can stand at the end of `target` as well."""
    (access,) = memory.accesses(store)
    if access.object in memory.pointers.exposed or any(memory.may_overlap(access.object, each) for each in read):
        return False
    behind = target.region.body[target.region.ops.index(store) + 1 :]
    return not any(memory.conflict_in_thread(access, each) for op in behind for each in memory.accesses(op))


def _is_same(a: Access, load: Op, b: Access, store: Op) -> bool:
    same = a.object == b.object and a.place.offset is not None and a.place.offset == b.place.offset
    return same and load.result.type == store.operands[0].type


def _plain(op: Op, memory: Memory) -> Access | None:
    accesses = memory.accesses(op)
    special = op.attrs.get("volatile") or op.attrs.get("ordering")
    return accesses[0] if len(accesses) == 1 and not special else None


# -- the rewrite ------------------------------------------------------------------------------------------------------


def _may_come_before(rest: _Rest, memory: Memory, before: list[Access]) -> bool:
    """Whether no thread's part of `rest` meets what another one does between its barriers before `rest`."""
    accesses = [each for op in rest.body for each in memory.accesses(op)]
    return not any(each.orders or memory.conflict_across_threads(a, each) for a in before for each in accesses)


def _effects(graph: BarrierGraph, barrier: Op) -> list[Access]:
    return [access for some in graph.before(barrier).values() for access in some]


def move(region: Region, loop: Op, memory: Memory, graph: BarrierGraph) -> bool:
    """Do in the last trip of `loop`, right in the block's `region`, what follows it; false where that cannot be."""
    trip = trip_of(loop, memory)
    rest = rest_of(trip, region.body[region.ops.index(loop) + 1 :], memory) if trip is not None else None
    if trip is None or rest is None:
        return False
    target = target_of(trip, memory)
    names, chain, before = _names(trip, target, rest), chain_behind(trip, target), _effects(graph, trip.barrier)
    if names is None or chain is None or target.path != rest.path or not _may_come_before(rest, memory, before):
        return False
    found = forwarded(target, rest, memory, before)
    if not found.sources:
        return False
    _write(target, trip, rest, names, found)
    trip.region.ops = [op for op in trip.region.ops if op not in chain]
    at = trip.region.ops.index(target.start)
    trip.region.ops[at:at] = chain
    _keep_other_way(region, trip)
    return True


def _write(target: _Target, trip: _Trip, rest: _Rest, names: dict[Value, Operand], found: _Found) -> None:
    """Put `rest` at the end of `target`, for the last trip."""
    ops: list[Op] = []
    for op in (*rest.ops, *rest.body):
        if op in found.sources:
            names[op.result] = found.sources[op].operands[0]
        else:
            ops.append(clone_op(op, names))
    body = [op for op in target.region.body if op not in found.dead]
    stores = [op for op in target.region.body if op in found.dead]
    ways = [Region([], [*some, Op("yield", loc=trip.loop.loc)]) for some in (stores, ops)]
    choice = Op("if", [trip.again], [], {}, ways, rest.body[-1].loc)
    end = [target.region.terminator]
    if target.start is trip.barrier:  # the target is the trip's region itself
        at = body.index(trip.barrier)
        body, end = body[:at], [*body[at:], *end]
    target.region.ops = [*body, choice, *end]


def _keep_other_way(region: Region, trip: _Trip) -> None:
    """Leave what follows the loop for when it is left without coming to the barrier."""
    at = region.ops.index(trip.loop) + 1
    rest, end = region.ops[at:-1], region.terminator
    del region.ops[at:]
    if trip.entry is not None:
        left = Value("i1", "left")
        before, after = trip.loop.regions
        before.ops.insert(-1, Op("xor", [trip.entry.operands[0], TRUE], [left], loc=trip.entry.loc))
        before.terminator.operands.append(left)
        after.params.append(Value("i1", "left"))
        trip.loop.results.append(Value("i1", "left"))
        ways = [Region([], [*rest, Op("yield", loc=end.loc)]), Region([], [Op("yield", loc=end.loc)])]
        region.ops.append(Op("if", [trip.loop.results[-1]], [], {}, ways, trip.loop.loc))
    region.ops.append(end)


def run(function: Function, context: Context) -> bool:
    """Do it for the last loop of `function` that holds barriers."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if len(blocks) != 1 or not blocks[0].region.body:
        return False
    region = blocks[0].region
    holding = [op for op in region.body if has_barrier(op)]
    if not holding or holding[-1].name != "while" or region.ops.index(holding[-1]) == len(region.ops) - 2:
        return False
    memory = context.memory_of(function)
    if not move(region, holding[-1], memory, barrier_graph(memory, blocks[0])):
        return False
    context.remark(NAME, "what follows the loop was merged into its last iteration", holding[-1].loc)
    return True


LAST_TRIPS = Pass(NAME, run, requires=(STRUCTURED, SCALAR, NO_PHASE_WAITS))
