# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Store-to-load and load-to-load forwarding across barriers, and elimination of dead stores.

    store %x, @weights[ty][tx]
    barrier                                    ==>   barrier
    %w = load @weights[ty][tx]
    %y = fmul %w, %n                                 %y = fmul %x, %n
    store %y, @weights[ty][tx]                       store %y, @weights[ty][tx]

Sound because a barrier does to memory what the other threads do between the barriers around it: the union of the
effects before and after it, without accesses that are injective in the thread id, since those touch what is the
thread's own. What none of that writes still holds what this thread last saw there. A store is dead when the same thread
overwrites all of it before any thread can read it, or when nothing in the kernel reads the shared variable. A load past
a barrier stays after all where the store stays, and so would only be replaced by a slot that holds the same.
(Moses et al., High-Performance GPU-to-CPU Transpilation, sections III-A and IV-B.)

Only plain accesses with affine addresses take part. Fences, atomics, volatile accesses and calls end what is known of
all memory that other threads see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from warploom.analysis.affine import Affine
from warploom.analysis.barrier_effects import BarrierGraph, barrier_graph, is_barrier
from warploom.analysis.memory import Access, Memory
from warploom.analysis.pointers import PRIVATE, SHARED, Object
from warploom.core.records import dataclass, field
from warploom.ir.core import Function, Op, Operand, Region, Value, replace_uses, walk, walk_op
from warploom.ir.ops import Level, collective_level
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_PHASE_WAITS, SCALAR, STRUCTURED

NAME = "forward_across_barriers"
MOST_KNOWN = 48  # places that are remembered of one object
MOST_PAIRS = 20_000  # of accesses that are compared across barriers in one kernel; after that barriers forget all

_Place = tuple[Affine, str]  # offset, type


@dataclass(frozen=True, slots=True)
class _Known:
    """What is at a place: `value`, since `access`."""

    access: Access
    value: Operand


class _Table:
    """Places of which something is known, by object."""

    def __init__(self, known: dict[Object, dict[_Place, _Known]] | None = None) -> None:
        self.known = known or {}

    def copy(self) -> _Table:
        return _Table({object_: dict(places) for object_, places in self.known.items()})

    def get(self, access: Access, type_: str) -> _Known | None:
        offset = access.place.offset
        return self.known.get(access.object, {}).get((offset, type_)) if offset is not None else None

    def put(self, access: Access, type_: str, value: Operand) -> None:
        if access.place.offset is None:
            return
        places = self.known.setdefault(access.object, {})
        if len(places) >= MOST_KNOWN:
            del places[next(iter(places))]
        places[access.place.offset, type_] = _Known(access, value)

    def forget(self, objects: Callable[[Object], bool], is_lost: Callable[[Access], bool]) -> None:
        """Forget each place in one of `objects` that `is_lost`."""
        for object_, places in self.known.items():
            if places and objects(object_):
                for place in [place for place, each in places.items() if is_lost(each.access)]:
                    del places[place]

    def leave(self, region: Region, ways: Iterable[tuple[Operand, Value]]) -> None:
        """Go from the end of `region` to where its values have other names, if any: `ways` has pairs of both."""
        hidden = {value for op in region.ops for value in op.results} | set(region.params)
        names = {operand: value for operand, value in ways if operand in hidden}
        for places in self.known.values():
            for place, each in list(places.items()):
                if each.value in names:
                    places[place] = _Known(each.access, names[each.value])
                elif each.value in hidden:
                    del places[place]

    def meet(self, others: Iterable[_Table]) -> None:
        """Forget what one of `others` does not know, or knows otherwise."""
        for object_, places in self.known.items():
            for other in others:
                theirs = other.known.get(object_, {})
                for place in [place for place, each in places.items() if theirs.get(place) is not each]:
                    del places[place]


@dataclass(slots=True)
class _Barriers:
    """What barriers do to places, as seen by one thread."""

    memory: Memory
    graph: BarrierGraph
    budget: int = MOST_PAIRS
    effects: dict[Op, list[Access]] = field(default_factory=dict[Op, list[Access]])

    def forget(self, table: _Table, barrier: Op, matters: Callable[[Access], bool]) -> None:
        """Forget what other threads may have touched, in a way that `matters`, since the barrier before `barrier`, or
        may touch until the next one."""
        if collective_level(barrier) is Level.GRID:
            table.forget(lambda o: o.kind != PRIVATE and not self.memory.is_constant(o), lambda _: True)
            return
        touched: dict[Object, list[Access]] = {}
        for access in self._effects(barrier):
            if matters(access):
                touched.setdefault(access.object, []).append(access)
        for object_, accesses in touched.items():
            table.forget(
                lambda known, o=object_, some=accesses: (
                    self.memory.may_overlap(known, o) or any(e.orders for e in some)
                ),
                lambda access, some=accesses: any(self._meets(access, each) for each in some),
            )

    def _effects(self, barrier: Op) -> list[Access]:
        if barrier not in self.effects:
            sides = (self.graph.before(barrier), self.graph.after(barrier))
            self.effects[barrier] = list(dict.fromkeys(a for side in sides for some in side.values() for a in some))
        return self.effects[barrier]

    def _meets(self, mine: Access, theirs: Access) -> bool:
        self.budget -= 1
        return self.budget < 0 or self.memory.conflict_across_threads(mine, theirs)


@dataclass(slots=True)
class _Forwarding:
    """One walk in program order: what each load finds that is known already."""

    memory: Memory
    barriers: _Barriers
    context: Context
    values: dict[Value, Operand] = field(default_factory=dict[Value, Operand])  # by the result of a load that goes
    gone: set[Op] = field(default_factory=set[Op])
    stores: dict[Op, Op] = field(default_factory=dict[Op, Op])  # to shared variables; by the load that would read them
    place: dict[Op, int] = field(default_factory=dict[Op, int])  # how many barriers come before an op
    passed: int = 0

    def region(self, region: Region, table: _Table) -> None:
        for op in region.ops:
            self.place[op] = self.passed
            if is_barrier(op):
                self.passed += 1
                self.barriers.forget(table, op, _changes)
            elif op.regions:
                self._control_flow(op, table)
            else:
                self._op(op, table)

    def _op(self, op: Op, table: _Table) -> None:
        accesses = self.memory.accesses(op)
        plain = _only_plain_access(op, accesses)
        if op.name == "load" and plain is not None:
            self._load(op, plain, table)
            return
        self._forget(table, accesses)
        if op.name == "store" and plain is not None:
            table.put(plain, op.operands[0].type, self._known_as(op.operands[0]))

    def _load(self, op: Op, access: Access, table: _Table) -> None:
        known = table.get(access, op.result.type)
        if known is None:
            table.put(access, op.result.type, op.result)
            return
        self.values[op.result] = known.value
        self.gone.add(op)
        if known.access.op.name == "store" and access.object.kind == SHARED:
            self.stores[op] = known.access.op
        source = known.access.op
        line = f" at line {source.loc.line}" if source.loc is not None else ""
        self.context.remark(NAME, f"load removed: what the {source.name}{line} left there is still known", op.loc)

    def _forget(self, table: _Table, accesses: list[Access]) -> None:
        for access in accesses:
            if access.writes or access.orders:
                table.forget(
                    lambda known, a=access: a.orders or self.memory.may_overlap(known, a.object),
                    lambda known, a=access: self.memory.conflict_in_thread(known, a),
                )

    def _control_flow(self, op: Op, table: _Table) -> None:
        if op.name == "if":
            ways = [table.copy(), table.copy()]
            for region, way in zip(op.regions, ways, strict=True):
                self.region(region, way)
            table.meet(ways)
            return
        # An iteration finds what the ones before it left.
        self._forget(table, self.memory.accesses(op))
        for each in walk_op(op):
            if is_barrier(each):
                self.barriers.forget(table, each, _changes)
        if op.name == "while":
            self._while(op, table)
        else:
            self.region(op.region, table.copy())

    def _while(self, op: Op, table: _Table) -> None:
        """Both ways out of the first region, to the second and to the end, know what it knows last, by the names that
        `condition` gives to it."""
        before, after = op.regions
        self.region(before, table)
        passed = [self._known_as(operand) for operand in before.terminator.operands[1:]]
        way = table.copy()
        way.leave(before, zip(passed, after.params, strict=True))
        self.region(after, way)
        table.leave(before, zip(passed, op.results, strict=True))

    def _known_as(self, operand: Operand) -> Operand:
        """What stands for `operand` when the loads that were found to be known are gone."""
        while isinstance(operand, Value) and operand in self.values:
            operand = self.values[operand]
        return operand


@dataclass(slots=True)
class _DeadStores:
    """One walk against program order: which stores to shared memory are overwritten unread. A table here knows places
    whose next access by this thread overwrites them, and that no other thread reads before that."""

    memory: Memory
    barriers: _Barriers
    context: Context
    gone: set[Op]

    def region(self, region: Region, table: _Table) -> None:
        for op in reversed(region.ops):
            if op in self.gone:
                continue
            if is_barrier(op):
                self.barriers.forget(table, op, lambda access: access.reads)
            elif op.name == "store":
                self._store(op, table)
            else:
                self._other(op, table)

    def _store(self, op: Op, table: _Table) -> None:
        access = _only_plain_access(op, self.memory.accesses(op))
        if access is None:
            self._other(op, table)
        elif access.object.kind == SHARED:
            if table.get(access, op.operands[0].type) is None:
                table.put(access, op.operands[0].type, op.operands[0])
                return
            self.gone.add(op)
            self.context.remark(NAME, f"store removed: {access.object.label} is overwritten before it is read", op.loc)

    def _other(self, op: Op, table: _Table) -> None:
        for access in self.memory.accesses(op):
            if access.op not in self.gone and (access.reads or access.orders):
                table.forget(
                    lambda known, a=access: a.orders or self.memory.may_overlap(known, a.object),
                    lambda known, a=access: self.memory.conflict_in_thread(known, a),
                )
        for each in walk_op(op):
            if is_barrier(each):
                self.barriers.forget(table, each, lambda access: access.reads)
        for region in op.regions:
            self.region(region, _Table())


def run(function: Function, context: Context) -> bool:
    """Forward values in `function`, remove dead stores to shared memory; true if anything changed."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if len(blocks) != 1:
        return False
    memory = context.memory_of(function)
    barriers = _Barriers(memory, barrier_graph(memory, blocks[0]))
    forwarding = _Forwarding(memory, barriers, context)
    forwarding.region(blocks[0].region, _Table())
    gone = forwarding.gone
    if function.shared:
        # The loads that went no longer count as reads.
        live = _Barriers(memory, _graph_without(barriers.graph, gone))
        _DeadStores(memory, live, context, gone).region(blocks[0].region, _Table())
        gone |= _stores_nobody_reads(blocks[0], memory, gone, context)
    for load in _loads_that_stay(forwarding):
        gone.remove(load)
        del forwarding.values[load.result]
    if gone:
        replace_uses(function.body, forwarding.values)
        _drop(blocks[0].region, gone)
    return bool(gone)


def _loads_that_stay(forwarding: _Forwarding) -> list[Op]:
    """The loads of shared variables past a barrier where the store stays and the value has no later use.

    The value would take a slot for each thread, which is stored to and loaded from as well.
    """
    place, values, stores, gone = forwarding.place, forwarding.values, forwarding.stores, forwarding.gone
    candidates = [op for op, store in stores.items() if store not in gone and place[store] < place[op]]
    if not candidates:
        return []
    made = {value: place[op] for op in place for value in op.results}
    late = set(candidates)
    needed: dict[Operand, int] = {}  # the last place where a value is used, by whom it is used in any case
    for op in place.keys() - late:
        used = [values[value] for value in op.results] if op in gone else op.operands
        for operand in used:
            needed[operand] = max(place[op], needed.get(operand, 0))
    return [op for op in candidates if values[op.result] in made and needed.get(values[op.result], 0) < place[op]]


def _only_plain_access(op: Op, accesses: list[Access]) -> Access | None:
    """The access of a load or store that is neither atomic nor volatile and goes to one object; else None."""
    special = op.attrs.get("volatile") or op.attrs.get("ordering")
    return accesses[0] if len(accesses) == 1 and not special else None


def _changes(access: Access) -> bool:
    return access.writes or access.orders


def _graph_without(graph: BarrierGraph, gone: set[Op]) -> BarrierGraph:
    for node in graph.nodes:
        node.accesses = [access for access in node.accesses if access.op not in gone]
    return graph


def _stores_nobody_reads(block: Op, memory: Memory, gone: set[Op], context: Context) -> set[Op]:
    """The plain stores to shared variables that are only ever stored to."""
    accesses = [access for access in memory.accesses(block) if access.op not in gone]
    read = {access.object for access in accesses if access.reads or access.op.name != "store" or access.orders}
    unread = {access.object for access in accesses if access.object.kind == SHARED} - read - memory.pointers.exposed
    for label in sorted(each.label for each in unread):
        context.remark(NAME, f"stores removed: nothing reads {label}")
    live = {access.op for access in accesses if access.object not in unread}
    return {access.op for access in accesses} - live


def _drop(region: Region, ops: set[Op]) -> None:
    region.ops = [op for op in region.ops if op not in ops]
    for op in region.ops:
        for inner in op.regions:
            _drop(inner, ops)


FORWARD_ACROSS_BARRIERS = Pass(NAME, run, requires=(STRUCTURED, SCALAR, NO_PHASE_WAITS))
