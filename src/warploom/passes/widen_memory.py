# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory accesses and calls of a vector of threads.

    address                  load                                    store
    the same in all threads  one scalar load                         the last active thread's value
    stride = element         load <W x T>                            store
    stride = -element        the same, lanes reversed
    anything else            gather                                  scatter
                             (masked forms where not all threads are active)

What has no vector form runs once for each active thread, in order (`each_thread`): atomics, calls, copies. Atomics on
memory of the block need not be atomic at all: one processor runs all threads of a block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from warploom.analysis.clamped_addresses import Clamp, clamp_of
from warploom.analysis.lanes import SPREAD, TOGETHER, X
from warploom.analysis.shared_bounds import can_read_around
from warploom.analysis.sinkable_loads import ADDRESSING
from warploom.ir import types
from warploom.ir.core import FALSE, Builder, Const, Op, Operand, Region, Value, clone_op, defined_in, int_const, walk_op
from warploom.ir.intrinsics import SET_THREAD, SET_THREAD_INDEX
from warploom.ir.ops import WARP_SIZE, private_size
from warploom.ir.properties import is_convergent, is_pure, may_ask_for_thread
from warploom.passes.widen import Lanes, Unvectorisable, Widener

# How the values of an atomic operation come together, where there is a value that changes nothing.
REDUCTIONS = {
    **{name: name for name in ("add", "and", "or", "xor", "umin", "umax")},
    "min": "smin",
    "max": "smax",
    "fadd": "fadd",
    "fmin": "fmin",
    "fmax": "fmax",
}


class MemoryWidener(Widener):
    """Writes loads, stores, calls and what runs thread by thread."""

    # -- loads and stores

    def _op_load(self, op: Op) -> None:
        if op.attrs.get("volatile") or op.attrs.get("ordering"):
            raise Unvectorisable("a volatile or atomic load waits for other threads", op)
        if self.shapes.of(op.operands[0]).is_uniform:
            self.define(op.result, lambda row: Lanes(self.copy(op, row)))
            return
        self._check_element(op, op.result.type)
        self.define(op.result, lambda row: Lanes(vector=self._load(op, row)))

    def _load(self, op: Op, row: int) -> Operand:
        (pointer,) = op.operands
        stride, dims = self.shapes.of(pointer).stride, self.dims_of(op)
        if stride is None or abs(stride) != types.size_of(op.result.type):
            return self._gather(op, row)
        guard = self.holding(self.get(pointer, row).claims, row, dims)
        if guard is None:
            size = (self.width - 1) * abs(stride) + types.size_of(op.result.type)
            padded = stride > 0 and can_read_around(pointer, size, self.shapes.ranges)
            return self._row(op, row, stride, padded)
        (found,) = self._either(guard, lambda: [self._row(op, row, stride)], lambda: [self._off_row(op, row, stride)])
        return found

    def _off_row(self, op: Op, row: int, stride: int) -> Operand:
        """Elements of which some do not lie in the row: all at one place where a clamp is the reason."""
        clamp, (pointer,) = clamp_of(op.operands[0], self.shapes), op.operands
        others = [each for each in self.get(pointer, row).claims if each.type != "i1"]
        if clamp is None or stride < 0 or len(others) != 1 or len(self.get(pointer, row).claims) != 1:
            return self._gather(op, row)
        type_ = types.vector(op.result.type, self.width)
        threads = self._within(self.mask(row, self.dims_of(op)), self.inverse(others[0]))
        start, align = self.scalar(pointer, row), self._align(op)
        near = self.build.op("masked_load", [start, threads, Const(type_, "poison")], type_, align=align)
        one = self.build.op("load", [self._bound(clamp, row)], op.result.type, align=align)
        same = self.build.op("splat", [one], type_)
        return self.build.op("select", [others[0], same, near], type_, op.result.name)

    def _bound(self, clamp: Clamp, row: int) -> Value:
        """The address at the bound."""
        index, *others = (self.scalar(each, row) for each in clamp.bounds)
        for each in others:
            callee = f"llvm.{clamp.kind}.{each.type}"
            attrs = {"callee": callee, "effects": "none", "speculatable": True}
            index = self.build.op("call", [index, each], each.type, **attrs)
        for cast in reversed(clamp.casts):
            index = self.build.op(cast, [index], "i64")
        operands = [
            index if number == clamp.number else self.scalar(each, row)
            for number, each in enumerate(clamp.address.operands)
        ]
        attrs = {key: value for key, value in clamp.address.attrs.items() if key != "inbounds"}
        return self.build.op("gep", operands, "ptr", **attrs)

    def _either(
        self, guard: Operand, then: Callable[[], list[Operand]], otherwise: Callable[[], list[Operand]]
    ) -> list[Value]:
        """One of two ways to some vectors, by a condition that is the same for all threads."""
        regions = [Region(), Region()]
        for region, write in zip(regions, (then, otherwise), strict=True):
            self.inside(region, lambda write=write: self._yields(write))
        results = [Value(each.type) for each in regions[0].terminator.operands]
        self.build.add(Op("if", [guard], results, {}, regions, self.build.loc))
        return results

    def _row(self, op: Op, row: int, stride: int, padded: bool = False) -> Operand:
        """Elements that lie side by side; `padded`: inactive threads may read theirs as well."""
        type_ = types.vector(op.result.type, self.width)
        mask, align, start = self.mask(row, self.dims_of(op)), self._align(op), self.scalar(op.operands[0], row)
        if stride < 0:
            start = self._before(start, -stride)
        if mask is None:
            found = self.build.op("load", [start], type_, op.result.name, align=align)
        elif padded:
            found = self.build.op("load", [start], type_, op.result.name, align=align, padded=True)
        else:
            facing, nothing = mask if stride > 0 else self._reversed(mask), Const(type_, "poison")
            found = self.build.op("masked_load", [start, facing, nothing], type_, op.result.name, align=align)
        return found if stride > 0 else self._reversed(found)

    def _gather(self, op: Op, row: int) -> Operand:
        """Elements that lie anywhere."""
        self._note_scattered()
        type_ = types.vector(op.result.type, self.width)
        places, mask = self.places(self.vector(op.operands[0], row), self.mask(row, self.dims_of(op)))
        operands = [places, mask, Const(type_, "poison")]
        return self.build.op("gather", operands, type_, op.result.name, align=self._align(op))

    def places(self, addresses: Operand, mask: Operand | None) -> tuple[Operand, Operand]:
        """What a gather or scatter takes: where masks become branches, the others read and write a place of no use."""
        every = Const(types.vector("i1", self.width), "splat (i1 true)")
        if mask is None or not self.shapes.ranges.function.facts.processor.branches_in_gathers:
            return addresses, mask or every
        no_use = self.cached(("no use",), lambda: self.build.op("alloca", [], "ptr", "no_use", size=16, align=16))
        return self.build.op("select", [mask, addresses, self.spread(no_use, 0)], addresses.type), every

    def _op_store(self, op: Op) -> None:
        if op.attrs.get("volatile") or op.attrs.get("ordering"):
            raise Unvectorisable("a volatile or atomic store is seen by other threads", op)
        for row in self.rows_of(self.dims_of(op)):
            self._store(op, row)

    def _store(self, op: Op, row: int) -> None:
        value, pointer = op.operands
        stride, size = self.shapes.of(pointer).stride, types.size_of(value.type)
        if stride == 0:
            self.if_row_runs(row, self.dims_of(op), lambda: self._store_last(op, row))
            return
        self._check_element(op, value.type)
        if stride is None or abs(stride) != size:
            self._scatter(op, row)
            return
        guard = self.holding(self.get(pointer, row).claims, row, self.dims_of(op))
        if guard is None:
            self._store_row(op, row, stride)
        else:
            self._either(guard, lambda: self._store_row(op, row, stride), lambda: self._scatter(op, row))

    def _store_last(self, op: Op, row: int) -> list[Operand]:
        value, pointer = op.operands
        last = self._last(value, self.mask(row, self.dims_of(op)), row)
        self.build.effect("store", [last, self.scalar(pointer, row)], **op.attrs)
        return []

    def _note_scattered(self) -> None:
        if self.at is not None:
            self.seen.scattered[self.at] = None

    def _scatter(self, op: Op, row: int) -> list[Operand]:
        self._note_scattered()
        value, pointer = op.operands
        places, mask = self.places(self.vector(pointer, row), self.mask(row, self.dims_of(op)))
        self.build.effect("scatter", [self.vector(value, row), places, mask], align=self._align(op))
        return []

    def _store_row(self, op: Op, row: int, stride: int) -> list[Operand]:
        value, pointer = op.operands
        mask, vector = self.mask(row, self.dims_of(op)), self.vector(value, row)
        start = self.scalar(pointer, row)
        if stride < 0:
            start, vector = self._before(start, -stride), self._reversed(vector)
            mask = None if mask is None else self._reversed(mask)
        if mask is None:
            self.build.effect("store", [vector, start], align=self._align(op))
        else:
            self.build.effect("masked_store", [vector, start, mask], align=self._align(op))
        return []

    def _check_element(self, op: Op, type_: str) -> None:
        """A vector of it lies in memory as one after the other, and each lane can be read and written by itself."""
        self.check_scalar(op)
        if types.is_int(type_) and types.bits(type_) not in (8, 16, 32, 64):
            raise Unvectorisable(f"`{op.name}` of {type_} differs between threads", op)

    def _align(self, op: Op) -> int:
        """What is known of each thread's address: that of another one may be less aligned, so no more than its size."""
        element = op.results[0].type if op.results else op.operands[0].type
        return min(int(str(op.attrs.get("align") or types.align_of(element))), types.align_of(element))

    def _before(self, start: Operand, size: int) -> Value:
        """Where the last thread's element lies when addresses go down."""
        return self.build.op("gep", [start], "ptr", offset=-(self.width - 1) * size, strides=())

    def _reversed(self, vector: Operand) -> Operand:
        mask = tuple(range(self.width - 1, -1, -1))
        poison = Const(vector.type, "poison")
        return self.cached(
            ("reversed", vector), lambda: self.build.op("shufflevector", [vector, poison], vector.type, mask=mask)
        )

    def _last(self, value: Operand, mask: Operand | None, row: int) -> Operand:
        """The value of the last thread of `mask`."""
        if self.shapes.of(value).is_uniform:
            return self.scalar(value, row)
        vector = self.vector(value, row)
        last: Operand = int_const("i32", self.width - 1)
        if mask is not None:
            bits = self._bits(mask)
            zeros = self.build.op(
                "call",
                [bits, FALSE],
                bits.type,
                callee=f"llvm.ctlz.{bits.type}",
                effects="none",
                speculatable=True,
            )
            last = self.build.op("sub", [int_const(bits.type, self.width - 1), zeros], bits.type)
        return self.build.op("extractelement", [vector, last], value.type)

    def _bits(self, mask: Operand) -> Value:
        return self.build.op("bitcast", [mask], f"i{self.width}")

    def _op_alloca(self, op: Op) -> None:
        size = private_size(op)
        if op.attrs.get(SPREAD):
            attrs = {key: value for key, value in op.attrs.items() if key != SPREAD}
            self.define(op.result, lambda _: Lanes(self.build.op("alloca", [], "ptr", op.result.name, **attrs)))
            return
        attrs = {**op.attrs, "size": size * self.width}
        self.define(op.result, lambda _: Lanes(self.build.op("alloca", [], "ptr", op.result.name, **attrs), size))

    # -- calls

    def _op_call(self, op: Op) -> None:
        computes = is_pure(op) and not is_convergent(op) and op.results
        if computes and not any(self.shapes.of(each).dims & X for each in op.operands):
            self.define(op.result, lambda row: Lanes(self.copy(op, row)))
            return
        form = self.calls.form(op, self.width) if computes else None
        if form is None:
            self.each_thread(op)
            return
        self.check_scalar(op)

        def make(row: int) -> Lanes:
            operands = [
                each if number in form.scalars else self.vector(each, row) for number, each in enumerate(op.operands)
            ]
            attrs = {**op.attrs, "callee": form.callee}
            attrs.pop("abi", None)
            type_ = types.vector(op.result.type, self.width)
            vector = self.build.op("call", operands, type_, op.result.name, **attrs)
            return self.clamped(op, vector, row) if self.shapes.of(op.result).guarded else Lanes(vector=vector)

        self.define(op.result, make)

    # -- one thread after the other

    def each_thread(self, op: Op) -> None:
        """Run the op `op`, and what is inside of it, for each active thread."""
        self.seen.alone[op] = _why_alone(op)
        for value in op.results:
            if types.is_vector(value.type) or types.is_aggregate(value.type):
                raise Unvectorisable(f"`{op.name}` gives each thread a {value.type}", op)
        rows = [self._each_of(op, row) for row in range(self.rows)]
        for number, value in enumerate(op.results):
            self.values[value] = [Lanes(vector=row[number]) for row in rows]

    _op_cmpxchg = _op_memcpy = _op_memmove = _op_memset = each_thread

    def _op_fence(self, op: Op) -> None:
        """One fence: a single processor has done what all threads of the vector did before it."""
        self.build.effect("fence", [], **op.attrs)

    def _op_atomicrmw(self, op: Op) -> None:
        kind = REDUCTIONS.get(str(op.attrs["operation"]))
        together = self.shapes.of(op.operands[0]).is_uniform and op.result not in self.used
        if kind is None or not together:
            self.each_thread(op)
            return
        # All threads of a vector meet at one address: what they add up to goes there at once.
        dims = self.shapes.of(op.operands[0]).dims
        for row in range(self.rows):
            self.if_row_runs(row, dims, lambda row=row: self._reduce_into(op, kind, row))

    def _reduce_into(self, op: Op, kind: str, row: int) -> list[Operand]:
        pointer, value = op.operands
        flags = ("reassoc",) if types.is_float(value.type) else ()
        vector, mask = self.vector(value, row), self.masks[row]
        if mask is not None:
            neutral = self.spread(_neutral(kind, value.type), 0)
            vector = self.build.op("select", [mask, vector, neutral], vector.type)
        total = self.build.op("reduce", [vector], value.type, kind=kind, flags=flags)
        self.build.op("atomicrmw", [self.scalar(pointer, row), total], value.type, **op.attrs)
        return []

    def _each_of(self, op: Op, row: int) -> list[Operand]:
        """One thread after the other leaves its results in a row of memory."""
        places = [self.slots(value.type) for value in op.results]
        ops = self.with_addresses([op])
        spilled = self.spilled(ops, row)

        def body(lane: Value) -> None:
            *_, copy = self.alone(ops, lane, row, spilled)
            for value, place in zip(copy.results, places, strict=True):
                self._put(value, place, lane)

        self.over_lanes(self.masks[row], body)
        return [self._take(value.type, place) for value, place in zip(op.results, places, strict=True)]

    def with_addresses(self, ops: Sequence[Op]) -> list[Op]:
        """`ops`, after what computes their addresses from vectors: an index is less to keep than an address."""
        before: dict[Op, None] = {}
        made = {value for op in ops for value in defined_in(op)}
        work = [value for op in ops for value in _used_in_order(op) if value not in made]
        while work:
            value = work.pop()
            op = self.shapes.ranges.definitions.get(value)
            if op is not None and self._can_wait(op) and value in self.values and self.get(value, 0).vector:
                before.pop(op, None)  # before its users: once more
                before[op] = None
                work += _used_in_order(op)
        return [*reversed(before), *ops]

    def _can_wait(self, op: Op) -> bool:
        """Whether each thread may run `op` when it is its turn."""
        return op.name in ADDRESSING or op in self.sinkable

    def slots(self, type_: str) -> Value:
        """Memory for one value a thread. A bool takes a byte."""
        size = types.size_of(type_) * self.width
        return self.build.op("alloca", [], "ptr", "slots", size=size, align=64)

    def _put(self, value: Operand, place: Value, lane: Value) -> None:
        if value.type == "i1":
            value = self.build.op("zext", [value], "i8")
        self.build.effect("store", [value, self._slot(place, lane, value.type)], align=types.align_of(value.type))

    def _slot(self, place: Value, lane: Value, type_: str) -> Value:
        index = self._as_type(lane, "i64")
        return self.build.op("gep", [place, index], "ptr", offset=0, strides=(types.size_of(type_),))

    def _take(self, type_: str, place: Value) -> Operand:
        """What all threads left."""
        stored = "i8" if type_ == "i1" else type_
        row = self.build.op("load", [place], types.vector(stored, self.width), align=types.align_of(stored))
        return self.build.op("trunc", [row], types.vector("i1", self.width)) if type_ == "i1" else row

    def spilled(self, ops: Sequence[Op], row: int) -> dict[Value, Value]:
        """Rows of memory with the vectors that `ops` use."""
        made = {value for op in ops for value in defined_in(op)}
        used = dict.fromkeys(value for op in ops for value in _used_in_order(op) if value not in made)
        rows: dict[Value, Value] = {}
        for value in (*used, *self.thread):
            lanes = self.get(value, row)
            if lanes.vector is None and (lanes.stride == 0 or value.type in ("ptr", "i32", "i64")):
                continue
            vector = self.vector(value, row)
            if value.type == "i1":
                vector = self.build.op("zext", [vector], types.vector("i8", self.width))
            rows[value] = self.slots(value.type)
            self.build.effect("store", [vector, rows[value]], align=types.align_of(types.element_of(vector.type)))
        return rows

    def alone(self, ops: Sequence[Op], lane: Value, row: int, spilled: dict[Value, Value]) -> list[Op]:
        """Write `ops` as the one thread `lane` of a row runs them."""
        made = {value for op in ops for value in defined_in(op)}
        used = dict.fromkeys(value for op in ops for value in _used_in_order(op) if value not in made)
        mapping: dict[Value, Operand] = {value: self._one_of(value, lane, row, spilled) for value in used}
        if any(may_ask_for_thread(each) for op in ops for each in walk_op(op)):
            self._set_thread([self._one_of(value, lane, row, spilled) for value in self.thread])
        copies = [self.build.add(clone_op(op, mapping)) for op in ops]
        for copy in copies:
            for each in walk_op(copy):
                each.attrs.pop(TOGETHER, None)
                each.attrs.pop(SPREAD, None)
        return copies

    def _one_of(self, value: Value, lane: Value, row: int, spilled: dict[Value, Value]) -> Operand:
        """What one thread has."""
        if value in spilled:
            stored = "i8" if value.type == "i1" else value.type
            place = self._slot(spilled[value], lane, stored)
            found = self.build.op("load", [place], stored, value.name, align=types.align_of(stored))
            return self.build.op("trunc", [found], "i1") if value.type == "i1" else found
        base, stride = self.scalar(value, row), self.get(value, row).stride
        if stride == 0:
            return base
        number = self._as_type(lane, "i64" if value.type == "ptr" else value.type)
        if value.type == "ptr":
            return self.build.op("gep", [base, number], "ptr", offset=0, strides=(stride,))
        steps = self.build.op("mul", [number, int_const(value.type, stride)], value.type)
        return self.build.op("add", [base, steps], value.type)

    def _as_type(self, lane: Value, type_: str) -> Operand:
        if lane.type == type_:
            return lane
        wider = types.bits(type_) > types.bits(lane.type)
        return self.build.op("zext" if wider else "trunc", [lane], type_)

    def _set_thread(self, numbers: Sequence[Operand]) -> None:
        """Tell the runtime which thread the next call belongs to."""
        callee = SET_THREAD
        if len(numbers) == 2:
            first = self.build.op("mul", [numbers[0], int_const("i32", WARP_SIZE)], "i32")
            numbers, callee = [self.build.op("add", [first, numbers[1]], "i32")], SET_THREAD_INDEX
        self.build.effect("call", list(numbers), callee=callee, effects="any")

    def over_lanes(self, mask: Operand | None, body: Callable[[Value], None]) -> None:
        """A loop over the threads of `mask` in order; `body` writes one turn."""
        if mask is None:
            lane, region = Value("i32", "lane"), Region()
            region.params = [lane]
            self.inside(region, lambda: self._turn(lambda: body(lane), []))
            bounds: list[Operand] = [int_const("i32", 0), int_const("i32", self.width), int_const("i32", 1)]
            self.build.add(Op("for", bounds, [], {"pred": "slt"}, [region], self.build.loc))
            return
        bits = self._bits(mask)
        left, here = Value(bits.type, "left"), Value(bits.type)
        before, after = Region([left]), Region([here])
        build = Builder(before.ops, self.build.loc)
        more = build.op("icmp", [left, int_const(bits.type, 0)], "i1", pred="ne")
        build.terminate("condition", [more, left])

        def turn() -> None:
            count = {"callee": f"llvm.cttz.{bits.type}", "effects": "none", "speculatable": True}
            lane = self.build.op("call", [here, FALSE], bits.type, "lane", **count)
            body(lane)
            lower = self.build.op("add", [here, int_const(bits.type, -1)], bits.type)
            self.build.terminate("yield", [self.build.op("and", [here, lower], bits.type)])

        self.inside(after, turn)
        self.build.add(Op("while", [bits], [Value(bits.type)], {"bounded": True}, [before, after], self.build.loc))

    def _yields(self, write: Callable[[], list[Operand]]) -> None:
        self.build.terminate("yield", write())

    def _turn(self, write: Callable[[], None], passed: list[Operand]) -> None:
        write()
        self.build.terminate("yield", passed)


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


def _neutral(kind: str, type_: str) -> Const:
    """What a reduction starts with."""
    if types.is_float(type_):
        if kind == "fadd":
            return Const(type_, types.float_bits(type_, -0.0))
        return Const(type_, types.float_bits(type_, math.nan))
    top = 1 << (types.bits(type_) - 1)
    numbers = {"and": -1, "umin": -1, "smin": top - 1, "smax": top}
    return int_const(type_, numbers.get(kind, 0))
