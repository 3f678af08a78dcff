# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a vector of threads, and what runs once for each active thread, in order: what has no vector form.

    %v = call %x [callee=f]   ==>   store <W x T> %x, %rows
                                    for each active lane %l { store (call (load %rows[%l]) [callee=f]), %slots[%l] }
                                    %v = load <W x T> %slots

Sound because one order of the threads is as good as another; those that are not active do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from warploom.analysis.lane_shapes import X
from warploom.analysis.lanes import SPREAD, TOGETHER
from warploom.analysis.sinkable_loads import ADDRESSING
from warploom.ir import types
from warploom.ir.core import (
    Attribute,
    Builder,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    int_const,
    walk_op,
)
from warploom.ir.ops import OF_LANES, SET_THREAD, SET_THREAD_INDEX, WARP_SIZE
from warploom.ir.properties import is_convergent, is_pure, may_ask_for_thread
from warploom.passes.vector.widen import Lanes, Unvectorisable, Widener
from warploom.passes.vector.widen_arithmetic import check_scalar, clamped, scalar_copy


def call(w: Widener, op: Op) -> None:
    """A call: of a function for whole vectors where there is one, else of each active thread."""
    computes = is_pure(op) and not is_convergent(op) and op.results
    if computes and not any(w.shapes.of(each).dims & X for each in op.operands):
        w.define(op.result, lambda row: Lanes(scalar_copy(w, op, row)))
        return
    form = w.calls.form(op, w.width) if computes else None
    if form is None:
        each_thread(w, op)
        return
    check_scalar(op)

    def make(row: int) -> Lanes:
        operands = [each if number in form.scalars else w.vector(each, row) for number, each in enumerate(op.operands)]
        attrs = {**op.attrs, "callee": form.callee}
        attrs.pop("abi", None)
        type_ = types.vector(op.result.type, w.width)
        vector = w.build.op("call", operands, type_, op.result.name, **attrs)
        return clamped(w, op, vector, row) if w.shapes.of(op.result).guarded else Lanes(vector=vector)

    w.define(op.result, make)


def each_thread(w: Widener, op: Op) -> None:
    """Run the op `op`, and what is inside of it, for each active thread."""
    w.seen.alone[op] = _why_alone(op)
    for value in op.results:
        if types.is_vector(value.type) or types.is_aggregate(value.type):
            raise Unvectorisable(f"`{op.name}` gives each thread a {value.type}", op)
    rows = [_each_of(w, op, row) for row in range(w.rows)]
    for number, value in enumerate(op.results):
        w.values[value] = [Lanes(vector=row[number]) for row in rows]


def _each_of(w: Widener, op: Op, row: int) -> list[Operand]:
    """One thread after the other leaves its results in a row of memory."""
    places = [slots(w, value.type) for value in op.results]
    ops = with_addresses(w, [op])
    spilled = spill(w, ops, row)

    def body(lane: Value) -> None:
        *_, copy = alone(w, ops, lane, row, spilled)
        for value, place in zip(copy.results, places, strict=True):
            _put(w, value, place, lane)

    over_lanes(w, w.masks[row], body)
    return [_take(w, value.type, place) for value, place in zip(op.results, places, strict=True)]


def with_addresses(w: Widener, ops: Sequence[Op]) -> list[Op]:
    """`ops`, after what computes their addresses from vectors: an index is less to keep than an address."""
    before: dict[Op, None] = {}
    made = {value for op in ops for value in defined_in(op)}
    work = [value for op in ops for value in _used_in_order(op) if value not in made]
    while work:
        value = work.pop()
        op = w.shapes.ranges.definitions.get(value)
        if op is not None and _can_wait(w, op) and value in w.values and w.get(value, 0).vector:
            before.pop(op, None)  # before its users: once more
            before[op] = None
            work += _used_in_order(op)
    return [*reversed(before), *ops]


def _can_wait(w: Widener, op: Op) -> bool:
    """Whether each thread may run `op` when it is its turn."""
    return op.name in ADDRESSING or op in w.sinkable


def slots(w: Widener, type_: str) -> Value:
    """Memory for one value a thread. A bool takes a byte."""
    size = types.size_of(type_) * w.width
    return w.build.op("alloca", [], "ptr", "slots", size=size, align=64)


def _put(w: Widener, value: Operand, place: Value, lane: Value) -> None:
    if value.type == "i1":
        value = w.build.op("zext", [value], "i8")
    w.build.effect("store", [value, _slot(w, place, lane, value.type)], align=types.align_of(value.type))


def _slot(w: Widener, place: Value, lane: Value, type_: str) -> Value:
    index = _as_type(w, lane, "i64")
    return w.build.op("gep", [place, index], "ptr", offset=0, strides=(types.size_of(type_),))


def _take(w: Widener, type_: str, place: Value) -> Operand:
    """What all threads left."""
    stored = "i8" if type_ == "i1" else type_
    row = w.build.op("load", [place], types.vector(stored, w.width), align=types.align_of(stored))
    return w.build.op("trunc", [row], types.vector("i1", w.width)) if type_ == "i1" else row


def spill(w: Widener, ops: Sequence[Op], row: int) -> dict[Value, Value]:
    """Rows of memory with the vectors that `ops` use."""
    made = {value for op in ops for value in defined_in(op)}
    used = dict.fromkeys(value for op in ops for value in _used_in_order(op) if value not in made)
    rows: dict[Value, Value] = {}
    for value in (*used, *w.thread):
        lanes = w.get(value, row)
        if lanes.vector is None and (lanes.stride == 0 or value.type in ("ptr", "i32", "i64")):
            continue
        vector = w.vector(value, row)
        if value.type == "i1":
            vector = w.build.op("zext", [vector], types.vector("i8", w.width))
        rows[value] = slots(w, value.type)
        w.build.effect("store", [vector, rows[value]], align=types.align_of(types.element_of(vector.type)))
    return rows


def alone(w: Widener, ops: Sequence[Op], lane: Value, row: int, spilled: dict[Value, Value]) -> list[Op]:
    """Write `ops` as the one thread `lane` of a row runs them."""
    made = {value for op in ops for value in defined_in(op)}
    used = dict.fromkeys(value for op in ops for value in _used_in_order(op) if value not in made)
    mapping: dict[Value, Operand] = {value: _one_of(w, value, lane, row, spilled) for value in used}
    if any(may_ask_for_thread(each) for op in ops for each in walk_op(op)):
        _set_thread(w, [_one_of(w, value, lane, row, spilled) for value in w.thread])
    copies = [w.build.add(clone_op(op, mapping)) for op in ops]
    for copy in copies:
        for each in walk_op(copy):
            each.attrs.pop(TOGETHER, None)
            each.attrs.pop(SPREAD, None)
    return copies


def _one_of(w: Widener, value: Value, lane: Value, row: int, spilled: dict[Value, Value]) -> Operand:
    """What one thread has."""
    if value in spilled:
        stored = "i8" if value.type == "i1" else value.type
        place = _slot(w, spilled[value], lane, stored)
        found = w.build.op("load", [place], stored, value.name, align=types.align_of(stored))
        return w.build.op("trunc", [found], "i1") if value.type == "i1" else found
    base, stride = w.scalar(value, row), w.get(value, row).stride
    if stride == 0:
        return base
    number = _as_type(w, lane, "i64" if value.type == "ptr" else value.type)
    if value.type == "ptr":
        return w.build.op("gep", [base, number], "ptr", offset=0, strides=(stride,))
    steps = w.build.op("mul", [number, int_const(value.type, stride)], value.type)
    return w.build.op("add", [base, steps], value.type)


def _as_type(w: Widener, lane: Value, type_: str) -> Operand:
    if lane.type == type_:
        return lane
    wider = types.bits(type_) > types.bits(lane.type)
    return w.build.op("zext" if wider else "trunc", [lane], type_)


def _set_thread(w: Widener, numbers: Sequence[Operand]) -> None:
    """Tell the runtime which thread the next call belongs to."""
    callee = SET_THREAD
    if len(numbers) == 2:
        first = w.build.op("mul", [numbers[0], int_const("i32", WARP_SIZE)], "i32")
        numbers, callee = [w.build.op("add", [first, numbers[1]], "i32")], SET_THREAD_INDEX
    w.build.effect("call", list(numbers), callee=callee, effects="any")


def over_lanes(w: Widener, mask: Operand | None, body: Callable[[Value], None]) -> None:
    """A loop over the threads of `mask` in order; `body` writes one turn."""
    if mask is None:
        lane, region = Value("i32", "lane"), Region()
        region.params = [lane]
        w.inside(region, lambda: _turn(w, lambda: body(lane), []))
        bounds: list[Operand] = [int_const("i32", 0), int_const("i32", w.width), int_const("i32", 1)]
        w.build.add(Op("for", bounds, [], {"pred": "slt", OF_LANES: True}, [region], w.build.loc))
        return
    bits = w.bits(mask)
    left, here = Value(bits.type, "left"), Value(bits.type)
    before, after = Region([left]), Region([here])
    build = Builder(before.ops, w.build.loc)
    more = build.op("icmp", [left, int_const(bits.type, 0)], "i1", pred="ne")
    build.terminate("condition", [more, left])

    def turn() -> None:
        body(w.lowest(here))
        w.build.terminate("yield", [w.but_lowest(here)])

    w.inside(after, turn)
    attrs: dict[str, Attribute] = {"bounded": True, OF_LANES: True}
    w.build.add(Op("while", [bits], [Value(bits.type)], attrs, [before, after], w.build.loc))


def _turn(w: Widener, write: Callable[[], None], passed: list[Operand]) -> None:
    write()
    w.build.terminate("yield", passed)


def _used_in_order(op: Op) -> Iterator[Value]:
    """The values that `op` and the ops inside of it use, in program order."""
    return (operand for each in walk_op(op) for operand in each.operands if isinstance(operand, Value))


def _why_alone(op: Op) -> str:
    """Why `op` is run by one thread after the other."""
    if op.name == "call":
        return f"the call of {op.attrs.get('callee')} has no vector form"
    if op.name in ("for", "while"):
        return "a loop whose length differs between threads, with more gathers and scatters than arithmetic"
    return f"{op.name} at addresses that differ, or whose old value is used"
