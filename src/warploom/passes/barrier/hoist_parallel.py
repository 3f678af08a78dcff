# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parallel loop-invariant code motion: what is uniform runs once a block, or once a launch.

    grid { block {                                  %sum = for i < n { ... load %in[i] ... }
      %sum = for i < n { ... load %in[i] ... }      grid { block {
      %i = bx * bdx + tx                     ==>      %i = bx * bdx + tx
      store (%in[%i] / %sum), %out[%i]                store (%in[%i] / %sum), %out[%i]
    } }                                             } }

Sound by lock step: the iterations of a parallel loop may be interleaved in any way that barriers allow, so also with
each op run by all iterations before any iteration runs the next op. Then an op whose operands are the same in all
iterations can run once, ahead of them, if no op before it in the body may write what it reads. What comes after it does
not matter, although each thread does the op again in the program as written. There is at least one iteration.
(Moses et al., High-Performance GPU-to-CPU Transpilation, section IV-C.)

Only what all threads run may move: ops at the top of the body, with everything in them; ops without effects, which may
run anywhere, from below too. Before that, each sequential loop hands out its invariant ops in the same way; there, what
comes after the op in the body does come before it in the next iteration, and so does what other threads do between the
barriers of the loop.

Run again on the parts that splitting at barriers leaves, it makes what all threads load behind a barrier, as
`total = sums[0]`, one load ahead of the part. Programs that store there later in the same part, and forget the barrier
in between, get what the lock step of a GPU gives them.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.analysis.barrier_effects import BarrierGraph, barrier_graph, is_barrier
from warploom.analysis.injective import Place
from warploom.analysis.memory import Access, Memory
from warploom.analysis.pointers import PRIVATE, SHARED, Object
from warploom.core.records import dataclass, field
from warploom.ir.core import Const, Function, Op, Region, Value, free_values, walk, walk_op
from warploom.ir.ops import LOOPS, Effect, effect
from warploom.ir.properties import is_arithmetic, is_convergent, is_removable, is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import GRIDS_SPLIT, NO_PHASE_WAITS, ONE_LOOP_A_GRID, SCALAR, STRUCTURED

NAME = "hoist_parallel"
MOST_WRITES = 64  # to one object that are told apart
_FLOW = frozenset(("for", "while", "if", "yield", "condition"))


@dataclass(slots=True)
class _Writes:
    """What has been written, by object. `orders`: something may wait for other threads. `ends`: or end the thread."""

    memory: Memory
    by_object: dict[Object, list[Access]] = field(default_factory=dict[Object, list[Access]])
    orders: bool = False
    ends: bool = False

    def add(self, accesses: Iterable[Access]) -> None:
        for access in accesses:
            self.orders |= access.orders
            self.ends |= access.orders and effect(access.op) is Effect.CALL
            if not access.writes:
                continue
            known = self.by_object.setdefault(access.object, [])
            known.append(access)
            if len(known) > MOST_WRITES:
                whole = Place(None, None, access.place.threads)
                known[:] = [Access(access.op, access.object, whole, reads=False, writes=True)]

    def may_change(self, read: Access) -> bool:
        """Whether any of it, by any thread of the block, may be to where `read` reads, or keep it from reading."""
        if self.memory.is_constant(read.object):
            return self.ends
        return self.orders or any(
            self.memory.may_overlap(object_, read.object)
            and any(self.memory.conflict_anywhere(read, each) for each in accesses)
            for object_, accesses in self.by_object.items()
        )

    def may_change_object(self, read: Access) -> bool:
        """Whether any of it may be to the object that `read` reads from, or keep it from reading."""
        if self.memory.is_constant(read.object):
            return self.ends
        return self.orders or any(self.memory.may_overlap(object_, read.object) for object_ in self.by_object)


def run(function: Function, context: Context) -> bool:
    """Hoist in `function`; true if anything moved."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if not blocks:
        return False
    memory = context.memory_of(function)
    from_loops = _hoist_out_of_loops(blocks[0], memory) if len(blocks) == 1 else []
    reached: dict[Op, str] = {}  # out of what each op came, outermost
    for name in ("block", "grid") if len(blocks) == 1 else ("block",):
        _hoist_in(function.body, name, memory, reached)
    _remark(from_loops, reached, context)
    return bool(from_loops or reached)


def _hoist_out_of_loops(block: Op, memory: Memory) -> list[Op]:
    loops = _LoopHoisting(memory, barrier_graph(memory, block))
    loops.region(block.region)
    return loops.hoisted


# -- out of parallel loops --------------------------------------------------------------------------------------------


def _hoist_in(region: Region, name: str, memory: Memory, reached: dict[Op, str]) -> None:
    """Hoist out of each `name` in `region`."""
    ops: list[Op] = []
    for op in region.ops:
        if op.name == name:
            hoisted = _hoist_out_of(op, memory)
            ops.extend(hoisted)
            reached.update(dict.fromkeys(hoisted, name))
        elif op.name in ("grid", "for", "while", "if"):
            for inner in op.regions:
                _hoist_in(inner, name, memory, reached)
        ops.append(op)
    region.ops = ops


def _hoist_out_of(loop: Op, memory: Memory) -> list[Op]:
    """Take what can run ahead of the parallel `loop` out of it."""
    writes = _Writes(memory)
    inside = set(loop.region.params)
    hoisted: list[Op] = []
    kept: list[Op] = []
    for op in loop.region.ops:
        if _is_invariant(op, inside) and _runs_ahead(op, writes, memory, loop.name):
            hoisted.append(op)
            continue
        for each in op.regions:
            inside.update(each.params)
            hoisted.extend(_take_pure(each, inside, memory, loop.name))
        inside.update(op.results)
        writes.add(memory.accesses(op))
        kept.append(op)
    loop.region.ops = kept
    return hoisted


def _take_pure(region: Region, inside: set[Value], memory: Memory, name: str) -> list[Op]:
    """Take ops without effects on operands from outside out of `region`, which is not hoisted itself."""
    hoisted: list[Op] = []
    kept: list[Op] = []
    for op in region.ops:
        if is_speculatable(op) and _is_invariant(op, inside) and not _is_block_local(op, memory, name):
            hoisted.append(op)
            continue
        for each in op.regions:
            inside.update(each.params)
            hoisted.extend(_take_pure(each, inside, memory, name))
        inside.update(op.results)
        kept.append(op)
    region.ops = kept
    return hoisted


def _is_invariant(op: Op, inside: set[Value]) -> bool:
    """Whether `op` uses nothing from `inside`, by itself or in its regions."""
    if not op.regions:
        return not [each for each in op.operands if isinstance(each, Value) and each in inside]
    return inside.isdisjoint(free_values(op))


def _runs_ahead(op: Op, writes: _Writes, memory: Memory, name: str) -> bool:
    """Whether the invariant `op` can run before everything that wrote `writes`, once for all."""
    if op.name == "yield" or any(_is_block_local(each, memory, name) for each in walk_op(op)):
        return False
    if is_speculatable(op):
        return True
    if writes.ends or not all(_only_reads(each) for each in walk_op(op)):
        return False
    reads = memory.accesses(op)
    if name == "grid":
        return not any(map(writes.may_change_object, reads))
    return not any(writes.may_change(each) for each in reads)


def _is_block_local(op: Op, memory: Memory, name: str) -> bool:
    """Whether `op` names a shared variable, of which each block has its own, and is to leave the grid."""
    return name == "grid" and any(
        object_.kind == SHARED
        for each in op.operands
        if isinstance(each, Const)
        for object_ in memory.pointers.named_in(each)
    )


def _only_reads(op: Op) -> bool:
    kind = effect(op)
    if kind is Effect.READ:
        return not op.attrs.get("volatile") and not op.attrs.get("ordering")
    if kind is Effect.CALL:
        return is_removable(op) and not is_convergent(op)
    return op.name in _FLOW or is_arithmetic(op)


# -- out of sequential loops ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _LoopHoisting:
    """Moves invariant ops out of the sequential loops inside of `block`, innermost loops first."""

    memory: Memory
    graph: BarrierGraph
    hoisted: list[Op] = field(default_factory=list[Op])

    def region(self, region: Region) -> None:
        ops: list[Op] = []
        for op in region.ops:
            for inner in op.regions:
                self.region(inner)
            if op.name in LOOPS:
                ops.extend(self._loop(op))
            ops.append(op)
        region.ops = ops

    def _loop(self, loop: Op) -> list[Op]:
        writes = _Writes(self.memory)
        writes.add(self.memory.accesses(loop))
        for op in walk_op(loop):
            if is_barrier(op):
                sides = (self.graph.before(op), self.graph.after(op))
                writes.add(access for side in sides for some in side.values() for access in some)
        inside: set[Value] = set()
        for region in loop.regions:
            inside.update(region.params)
        hoisted: list[Op] = []
        for number, region in enumerate(loop.regions):
            sure = self._runs(loop, number)
            kept: list[Op] = []
            for op in region.ops:
                if not op.regions and _is_invariant(op, inside) and self._moves(op, writes, sure):
                    hoisted.append(op)
                else:
                    inside.update(op.results)
                    kept.append(op)
            region.ops = kept
        self.hoisted.extend(hoisted)
        return hoisted

    def _runs(self, loop: Op, number: int) -> bool:
        """Whether region `number` of `loop` runs at least once whenever the loop is reached."""
        if loop.name == "while":
            return number == 0
        forms = self.memory.forms
        lower, upper = forms.interval(loop.operands[0]), forms.interval(loop.operands[1])
        pred = str(loop.attrs["pred"])
        if pred[0] == "u" and (lower[0] < 0 or upper[0] < 0):
            return False
        distances = {"lt": upper[0] - lower[1] - 1, "le": upper[0] - lower[1]}
        distances |= {"gt": lower[0] - upper[1] - 1, "ge": lower[0] - upper[1]}
        return distances.get(pred[1:], -1) >= 0

    def _moves(self, op: Op, writes: _Writes, sure: bool) -> bool:
        if is_speculatable(op):
            return True
        if op.name != "load" or not _only_reads(op):
            return False
        reads = self.memory.accesses(op)
        safe = sure or all(self._is_inside_object(each) for each in reads)
        return safe and not any(writes.may_change(each) for each in reads)

    def _is_inside_object(self, access: Access) -> bool:
        """Whether `access` stays in a variable of known size, so that it may run where it did not before."""
        size = None
        key = access.object.key
        if access.object.kind == SHARED and isinstance(key, str) and key:
            size = self.memory.function.shared[key].size
        elif self.memory.is_constant(access.object):
            size = self.memory.constants[key]
        elif access.object.kind == PRIVATE and isinstance(key, Value):
            size = self.memory.definitions.of[key].op.attrs.get("size")
        if not isinstance(size, int) or access.place.offset is None or access.place.size is None:
            return False
        low, high = self.memory.forms.interval_of(access.place.offset)
        return low >= 0 and high + access.place.size <= size


# -- remarks ----------------------------------------------------------------------------------------------------------

_ONCE = {"block": "once a block", "grid": "once a launch"}


def _remark(from_loops: list[Op], reached: dict[Op, str], context: Context) -> None:
    for op, name in reached.items():
        if not is_speculatable(op):
            context.remark(NAME, f"{op.name} hoisted: it runs {_ONCE[name]}", op.loc)
    for op in from_loops:
        if op.name == "load" and op not in reached:
            context.remark(NAME, "load hoisted out of the loop around it", op.loc)
    for name, once in _ONCE.items():
        count = sum(1 for op, outermost in reached.items() if outermost == name and is_speculatable(op))
        if count:
            context.remark(NAME, f"operations without side effects hoisted: {count}; they run {once}")


HOIST_PARALLEL = Pass(NAME, run, requires=(STRUCTURED, SCALAR, NO_PHASE_WAITS, GRIDS_SPLIT), breaks=(ONE_LOOP_A_GRID,))
