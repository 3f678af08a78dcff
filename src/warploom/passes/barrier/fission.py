# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the code of a plan (interchange.py): loops over threads in sequence, and what crosses from one to another.

    block (t) { a = load p(t); b = a * 2 }           s = scratch
    ; then, after a barrier:                  ==>    block (t) { a = load p(t); b = a * 2; s[t] = b }
    block (t) { use b; use t + 1 }                   block (t) { use s[t]; use t + 1 }

A value of one loop that another uses is kept in a buffer with one place for each thread, or computed again from what is
kept: a minimum cut in bytes decides (minimum_cut.py). Only cheap ops without effects are computed again. A private
array that more than one loop can reach becomes a piece of such a buffer, as many bytes as its alignment asks for.

Sound because a thread finds in the buffer what it put there, at its own linear id; ops computed again have no effects,
give the same results each time (`is_duplicable`: not what freezes a value, nor what LLVM may round in several ways) and
have operands that are still there.
"""

from __future__ import annotations

from warploom.core.type_names import Protocol
from warploom.ir.core import (
    TRUE,
    Builder,
    Const,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    free_values,
    int_const,
)
from warploom.ir.ops import private_size
from warploom.ir.types import align_of, size_of
from warploom.passes.barrier.crossing_values import find_crossing
from warploom.passes.barrier.early_stores import store_early
from warploom.passes.barrier.interchange import (
    Choice,
    Count,
    Flag,
    Group,
    Guard,
    Node,
    Outside,
    Plan,
    Repeat,
    Slot,
    Store,
    Term,
)
from warploom.passes.barrier.skeleton import OUTER
from warploom.passes.base import Context

_FLAG_TYPE = "i8"


class Nest(Protocol):
    """The parallel loop that is being split: how to make one like it."""

    level: str  # of scratch
    ids: list[Value]  # what the loop defines: thread ids

    def wrap(self, ids: list[Value], ops: list[Op]) -> Op:
        """A loop over all threads with body `ops`."""
        ...

    def linear_id(self, build: Builder, ids: list[Value]) -> Operand:
        """The i64 number of the thread among those of the level."""
        ...


class _Threads:
    """One loop over threads while it is written."""

    def __init__(self, writer: Writer, group: Group) -> None:
        self.writer = writer
        self.group = group
        self.ids = [Value(each.type, each.name) for each in writer.nest.ids]
        self.values: dict[Value, Operand] = dict(zip(writer.nest.ids, self.ids, strict=True))
        self.ops: list[Op] = []
        self.current = self.ops
        self._linear: Operand | None = None

    def value(self, operand: Operand) -> Operand:
        """What stands for `operand` here: a value of this loop, an outer one, one that was kept, or one made again."""
        if not isinstance(operand, Value):
            return operand
        if operand in self.values:
            return self.values[operand]
        found = self._fetch(operand)
        self.values[operand] = found
        return found

    def _fetch(self, value: Value) -> Operand:
        writer, crossing = self.writer, self.writer.crossing
        slot = writer.plan.slots.get(value) or crossing.kept.get(value)
        if slot is not None:
            return self.load(slot)
        if value in crossing.arrays:
            return self.place(writer.array(value), private_size(crossing.maker[value]))
        if value not in crossing.home:
            return writer.outer.get(value, value)
        op = crossing.maker[value]
        self.copy(op)
        return self.values[value]

    def copy(self, op: Op) -> None:
        """Run `op` here."""
        for used in free_values(op) if op.regions else op.operands:
            self.value(used)
        self.current.append(clone_op(op, self.values))

    def place(self, buffer: Value, size: int) -> Value:
        """This thread's place in a buffer."""
        build = Builder(self.current)
        if self._linear is None:  # masks only ever nest deeper: what is computed here stays in sight
            self._linear = self.writer.nest.linear_id(build, self.ids)
        return build.op("gep", [buffer, self._linear], "ptr", offset=0, strides=(size,), inbounds=True)

    def load(self, slot: Slot) -> Operand:
        """What this thread keeps in `slot`; a bool lies there as a byte."""
        where = self.place(self.writer.buffer(slot), max(1, size_of(slot.type)))
        build = Builder(self.current)
        if slot.type != "i1":
            return build.op("load", [where], slot.type, slot.name, align=align_of(slot.type))
        byte = build.op("load", [where], "i8", align=1)
        return build.op("trunc", [byte], "i1", slot.name)

    def store(self, slot: Slot, value: Operand) -> None:
        """Keep `value` in `slot`."""
        where = self.place(self.writer.buffer(slot), max(1, size_of(slot.type)))
        build = Builder(self.current)
        if slot.type == "i1":
            value = build.op("zext", [value], "i8")
        build.effect("store", [value, where], align=align_of(slot.type))

    def enter(self, term: Term) -> None:
        """What follows is only for the threads for which `term` holds."""
        condition = self.load(term.value) if isinstance(term.value, Slot) else self.value(term.value)
        build = Builder(self.current)
        if term.negated:
            condition = build.op("xor", [condition, TRUE], "i1")
        then, other = Region(), Region()
        Builder(other.ops).terminate()
        build.add(Op("if", [condition], [], {}, [then, other]))
        self.current = then.ops

    def close(self, depth: list[list[Op]]) -> None:
        """End every `if` that masks opened."""
        for ops in depth:
            Builder(ops).terminate()


class Writer:
    """Writes the code of a plan."""

    def __init__(self, plan: Plan, nest: Nest, context: Context) -> None:
        store_early(plan, context)
        self.plan = plan
        self.nest = nest
        self.crossing = find_crossing(plan, context)
        self.storage: list[Op] = []  # buffers and flags, before everything else
        self.outer: dict[Value, Operand] = {}
        self.loops = 0
        self._buffers: dict[Slot | Value, Value] = {}
        self._flags: dict[Flag, Value] = {}

    def write(self) -> list[Op]:
        """The ops that replace the parallel loop."""
        ops = self.sequence(self.plan.nodes)
        return [*self.storage, *ops]

    def bytes_per_thread(self) -> int:
        """Memory that a thread's crossing values take."""
        return sum(int(op.attrs["size"]) for op in self.storage if op.name == "scratch")  # pyright: ignore[reportArgumentType]

    def buffer(self, slot: Slot) -> Value:
        """The buffer of a slot."""
        return self._buffer(slot, max(1, size_of(slot.type)), align_of(slot.type), slot.name)

    def array(self, value: Value) -> Value:
        """The buffer of a private array."""
        alloca = self.crossing.maker[value]
        return self._buffer(value, private_size(alloca), int(str(alloca.attrs.get("align", 1))), value.name)

    def _buffer(self, key: Slot | Value, size: int, align: int, name: str) -> Value:
        if key not in self._buffers:
            build = Builder(self.storage)
            self._buffers[key] = build.op("scratch", [], "ptr", name, size=size, align=align, level=self.nest.level)
        return self._buffers[key]

    def flag(self, flag: Flag) -> Value:
        """The variable of a flag."""
        if flag not in self._flags:
            self._flags[flag] = Builder(self.storage).op("alloca", [], "ptr", "any", size=1, align=1)
        return self._flags[flag]

    def map(self, operand: Operand) -> Operand:
        """An outer operand as it is called now."""
        return self.outer.get(operand, operand) if isinstance(operand, Value) else operand

    def sequence(self, nodes: list[Node]) -> list[Op]:
        """The ops of `nodes`."""
        ops: list[Op] = []
        for node in nodes:
            if isinstance(node, Group):
                self.group(node, ops)
            elif isinstance(node, Outside):
                copy = clone_op(node.op, self.outer)
                copy.attrs.pop(OUTER, None)
                ops.append(copy)
            elif isinstance(node, Guard):
                self.guard(node, ops)
            elif isinstance(node, Choice):
                self.choice(node, ops)
            elif isinstance(node, Count):
                self.count(node, ops)
            else:
                self.repeat(node, ops)
        return ops

    def group(self, group: Group, ops: list[Op]) -> None:
        """One loop over threads."""
        threads = _Threads(self, group)
        opened: list[list[Op]] = [threads.ops]
        for term in group.mask:
            threads.enter(term)
            opened.append(threads.current)
        for op in group.ops:
            if op.name == "alloca" and op.result in self.crossing.arrays:
                continue
            threads.copy(op)
            for value in op.results:
                if value in self.crossing.kept:
                    threads.store(self.crossing.kept[value], threads.values[value])
        values = [threads.value(action.value) for action in group.actions]
        for action, value in zip(group.actions, values, strict=True):
            if isinstance(action, Store):
                threads.store(action.slot, value)
            else:
                self._lower(action.flag, ops)
                _raise(threads.current, value, action.negated, self.flag(action.flag))
        threads.close(opened)
        self.loops += 1
        ops.append(self.nest.wrap(threads.ids, threads.ops))

    def _lower(self, flag: Flag, ops: list[Op]) -> None:
        Builder(ops).effect("store", [int_const(_FLAG_TYPE, 0), self.flag(flag)], align=1)

    def raised(self, flag: Flag, build: Builder) -> Value:
        """Whether any thread raised `flag`."""
        byte = build.op("load", [self.flag(flag)], _FLAG_TYPE, align=1)
        return build.op("icmp", [byte, int_const(_FLAG_TYPE, 0)], "i1", "any", pred="ne")

    def guard(self, node: Guard, ops: list[Op]) -> None:
        """Only if some thread takes part."""
        build = Builder(ops)
        condition = self.raised(node.flag, build)
        then, other = Region([], self.sequence(node.body)), Region()
        values = [value for value, _ in node.results]
        Builder(then.ops).terminate("yield", [self.map(each) for _, each in node.results])
        Builder(other.ops).terminate("yield", [Const(each.type, "poison") for each in values])
        build.add(Op("if", [condition], self._rename(values), {}, [then, other]))

    def _rename(self, values: list[Value]) -> list[Value]:
        """New values for the outer ones among `values`."""
        renamed: list[Value] = []
        for value in values:
            if value in self.plan.skeleton.outer:
                copy = Value(value.type, value.name)
                self.outer[value] = copy
                renamed.append(copy)
        return renamed

    def _pick(self, operands: list[Operand], values: list[Value]) -> list[Operand]:
        """Of `operands`, those that stand for outer `values`."""
        pairs = zip(operands, values, strict=True)
        return [self.map(operand) for operand, value in pairs if value in self.plan.skeleton.outer]

    def choice(self, node: Choice, ops: list[Op]) -> None:
        """An outer `if`."""
        op = node.op
        regions: list[Region] = []
        for nodes, old in zip((node.then, node.other), op.regions, strict=True):
            region = Region([], self.sequence(nodes))
            Builder(region.ops).terminate("yield", self._pick(old.terminator.operands, op.results))
            regions.append(region)
        condition = self.map(op.operands[0])
        if node.frozen:
            condition = Builder(ops, op.loc).op("freeze", [condition], "i1")
        ops.append(Op("if", [condition], self._rename(op.results), dict(op.attrs), regions, op.loc))

    def count(self, node: Count, ops: list[Op]) -> None:
        """An outer `for`. It may run where no thread does: nothing is promised of how it counts then."""
        op, old = node.op, node.op.region
        carried = old.params[1:]
        operands = [*map(self.map, op.operands[:3]), *self._pick(op.operands[3:], carried)]
        region = Region(self._rename(old.params))
        region.ops = self.sequence(node.body)
        Builder(region.ops).terminate("yield", self._pick(old.terminator.operands, carried))
        attrs = {name: value for name, value in op.attrs.items() if name != "flags"}
        ops.append(Op("for", operands, self._rename(op.results), attrs, [region], op.loc))

    def repeat(self, node: Repeat, ops: list[Op]) -> None:
        """An outer `while`."""
        op = node.op
        first, second = op.regions
        operands = self._pick(op.operands, first.params)
        before = Region(self._rename(first.params))
        before.ops = self.sequence(node.before)
        build = Builder(before.ops, op.loc)
        condition, *passed = first.terminator.operands
        go_on = self.map(condition) if node.flag is None else self.raised(node.flag, build)
        build.terminate("condition", [go_on, *self._pick(passed, second.params)])
        after = Region(self._rename(second.params))
        after.ops = self.sequence(node.after)
        Builder(after.ops).terminate("yield", self._pick(second.terminator.operands, first.params))
        results: list[Value] = []
        for result, value in zip(op.results, second.params, strict=True):
            if value in self.plan.skeleton.outer:
                # Threads may disagree on the result, and still agree on this as long as they stay.
                results += self._rename([result]) or [Value(result.type, result.name)]
        ops.append(Op("while", operands, results, dict(op.attrs), [before, after], op.loc))


def _raise(ops: list[Op], value: Operand, negated: bool, flag: Value) -> None:
    build = Builder(ops)
    if negated:
        value = build.op("xor", [value, TRUE], "i1")
    then, other = Region(), Region()
    Builder(then.ops).effect("store", [Const(_FLAG_TYPE, 1), flag], align=1)
    for region in (then, other):
        Builder(region.ops).terminate()
    build.add(Op("if", [value], [], {}, [then, other]))


def block_linear_id(build: Builder, ids: list[Value], dims: list[Operand]) -> Operand:
    """The i64 number of a thread in its block; a dimension that is 1 costs nothing."""
    number: Operand = ids[0]
    stride: Operand = dims[0]
    for id_, dim in zip(ids[1:], dims[1:], strict=True):
        if dim == Const("i32", 1):
            continue
        offset = build.op("mul", [id_, stride], "i32", flags=("nuw", "nsw"))
        number = build.op("add", [number, offset], "i32", flags=("nuw", "nsw"))
        if id_ is not ids[-1]:
            stride = build.op("mul", [stride, dim], "i32", flags=("nuw", "nsw"))
    return build.op("zext", [number], "i64", "linear")


def remark_cut(writer: Writer, name: str, what: str, context: Context) -> None:
    """Say what a split keeps in memory."""
    kept = len(writer.crossing.kept) + len(writer.plan.slots)
    again = sum(1 for value in writer.crossing.needed if value not in writer.crossing.kept)
    context.remark(
        name,
        f"split: {writer.loops} loops over {what}; {writer.bytes_per_thread()} bytes a thread are kept across barriers "
        f"({kept} values, {len(writer.crossing.arrays)} arrays), {again} values are recomputed",
    )
