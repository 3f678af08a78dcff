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
from collections.abc import Callable

from warploom.analysis.lanes import SPREAD, X
from warploom.ir import types
from warploom.ir.core import FALSE, Builder, Const, Op, Operand, Region, Value, int_const
from warploom.ir.intrinsics import SET_THREAD, SET_THREAD_INDEX
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


WARP_SIZE = 32


class MemoryWidener(Widener):
    """Writes loads, stores, calls and what runs thread by thread."""

    # -- loads and stores

    def _op_load(self, op: Op) -> None:
        if op.attrs.get("volatile") or op.attrs.get("ordering"):
            raise Unvectorisable("a volatile or atomic load waits for other threads", op)
        if self.shapes.of(op.operands[0]).is_uniform:
            self.define(op.result, lambda row: Lanes(self._copy(op, row)))
            return
        self.check_scalar(op)
        self.define(op.result, lambda row: Lanes(vector=self._load(op, row)))

    def _load(self, op: Op, row: int) -> Operand:
        (pointer,) = op.operands
        stride = self.shapes.of(pointer).stride
        if stride is None or abs(stride) != types.size_of(op.result.type):
            return self._gather(op, row)
        guard = self.holding(self.get(pointer, row).claims, row)
        if guard is None:
            return self._row(op, row, stride)
        (found,) = self._either(guard, lambda: [self._row(op, row, stride)], lambda: [self._gather(op, row)])
        return found

    def _either(
        self, guard: Operand, then: Callable[[], list[Operand]], otherwise: Callable[[], list[Operand]]
    ) -> list[Value]:
        """One of two ways to some vectors, by a condition that is the same for all threads."""
        regions = [Region(), Region()]
        for region, write in zip(regions, (then, otherwise), strict=True):
            self.inside(region, lambda write=write: self._turn(write))
        results = [Value(each.type) for each in regions[0].terminator.operands]
        self.build.add(Op("if", [guard], results, {}, regions, self.build.loc))
        return results

    def _row(self, op: Op, row: int, stride: int) -> Operand:
        """Elements that lie side by side."""
        type_ = types.vector(op.result.type, self.width)
        mask, align, start = self.masks[row], self._align(op), self.scalar(op.operands[0], row)
        if stride < 0:
            start = self._before(start, -stride)
        if mask is None:
            found = self.build.op("load", [start], type_, op.result.name, align=align)
        else:
            facing, nothing = mask if stride > 0 else self._reversed(mask), Const(type_, "poison")
            found = self.build.op("masked_load", [start, facing, nothing], type_, op.result.name, align=align)
        return found if stride > 0 else self._reversed(found)

    def _gather(self, op: Op, row: int) -> Operand:
        """Elements that lie anywhere."""
        type_ = types.vector(op.result.type, self.width)
        places, nothing = self.vector(op.operands[0], row), Const(type_, "poison")
        return self.build.op(
            "gather", [places, self.mask_of(row), nothing], type_, op.result.name, align=self._align(op)
        )

    def _op_store(self, op: Op) -> None:
        if op.attrs.get("volatile") or op.attrs.get("ordering"):
            raise Unvectorisable("a volatile or atomic store is seen by other threads", op)
        dims = self.shapes.of(op.operands[0]).dims | self.shapes.of(op.operands[1]).dims
        for row in self.rows_of(dims):
            self._store(op, row)

    def _store(self, op: Op, row: int) -> None:
        value, pointer = op.operands
        stride, size = self.shapes.of(pointer).stride, types.size_of(value.type)
        if stride == 0:
            last = self._last(value, row)
            self.build.effect("store", [last, self.scalar(pointer, row)], **op.attrs)
            return
        self.check_scalar(op)
        if stride is None or abs(stride) != size:
            self._scatter(op, row)
            return
        guard = self.holding(self.get(pointer, row).claims, row)
        if guard is None:
            self._store_row(op, row, stride)
        else:
            self._either(guard, lambda: self._store_row(op, row, stride), lambda: self._scatter(op, row))

    def _scatter(self, op: Op, row: int) -> list[Operand]:
        value, pointer = op.operands
        operands = [self.vector(value, row), self.vector(pointer, row), self.mask_of(row)]
        self.build.effect("scatter", operands, align=self._align(op))
        return []

    def _store_row(self, op: Op, row: int, stride: int) -> list[Operand]:
        value, pointer = op.operands
        mask, vector, start = self.masks[row], self.vector(value, row), self.scalar(pointer, row)
        if stride < 0:
            start, vector = self._before(start, -stride), self._reversed(vector)
            mask = None if mask is None else self._reversed(mask)
        if mask is None:
            self.build.effect("store", [vector, start], align=self._align(op))
        else:
            self.build.effect("masked_store", [vector, start, mask], align=self._align(op))
        return []

    def _align(self, op: Op) -> int:
        element = op.results[0].type if op.results else op.operands[0].type
        return int(str(op.attrs.get("align") or types.align_of(element)))

    def _before(self, start: Operand, size: int) -> Value:
        """Where the last thread's element lies when addresses go down."""
        return self.build.op("gep", [start], "ptr", offset=-(self.width - 1) * size, strides=())

    def _reversed(self, vector: Operand) -> Operand:
        mask = tuple(range(self.width - 1, -1, -1))
        poison = Const(vector.type, "poison")
        return self.cached(
            ("reversed", vector), lambda: self.build.op("shufflevector", [vector, poison], vector.type, mask=mask)
        )

    def _last(self, value: Operand, row: int) -> Operand:
        """The value of the last active thread."""
        if self.shapes.of(value).is_uniform:
            return self.scalar(value, row)
        vector, mask = self.vector(value, row), self.masks[row]
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
        size = int(str(op.attrs["size"]))
        if op.attrs.get(SPREAD):
            attrs = {key: value for key, value in op.attrs.items() if key != SPREAD}
            self.define(op.result, lambda row: Lanes(self.build.op("alloca", [], "ptr", op.result.name, **attrs)))
            return
        attrs = {**op.attrs, "size": size * self.width}
        self.define(op.result, lambda row: Lanes(self.build.op("alloca", [], "ptr", op.result.name, **attrs), size))

    # -- calls

    def _op_call(self, op: Op) -> None:
        computes = op.attrs.get("effects") == "none" and not op.attrs.get("convergent") and op.results
        if computes and not any(self.shapes.of(each).dims & X for each in op.operands):
            self.define(op.result, lambda row: Lanes(self._copy(op, row)))
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
        """Run the op `op` for each active thread."""
        for value in op.results:
            if types.is_vector(value.type) or types.is_aggregate(value.type):
                raise Unvectorisable(f"`{op.name}` gives each thread a {value.type}", op)
        dims = 0
        for value in (*op.operands, *op.results):
            dims |= self.shapes.of(value).dims
        rows = [self._each_of(op, row) for row in range(self.rows)]
        for number, value in enumerate(op.results):
            self.values[value] = [Lanes(vector=row[number]) for row in rows]

    _op_cmpxchg = _op_memcpy = _op_memmove = _op_memset = each_thread

    def _op_atomicrmw(self, op: Op) -> None:
        kind = REDUCTIONS.get(str(op.attrs["operation"]))
        together = self.shapes.of(op.operands[0]).is_uniform and op.result not in self.used
        if kind is None or not together:
            self.each_thread(op)
            return
        # All threads of a vector meet at one address: what they add up to goes there at once.
        pointer, value = op.operands
        neutral = _neutral(kind, value.type)
        flags = ("reassoc",) if types.is_float(value.type) else ()
        dims = self.shapes.of(pointer).dims | self.shapes.of(value).dims
        for row in range(self.rows) if any(self.masks) or self.rows > 1 else self.rows_of(dims):
            vector, mask = self.vector(value, row), self.masks[row]
            if mask is not None:
                vector = self.build.op("select", [mask, vector, self.spread(neutral, 0)], vector.type)
            total = self.build.op("reduce", [vector], value.type, kind=kind, flags=flags)
            self.build.op("atomicrmw", [self.scalar(pointer, row), total], value.type, **op.attrs)

    def _each_of(self, op: Op, row: int) -> list[Value]:
        operands = [self._picker(each, row) for each in op.operands]
        thread = [self._picker(each, row) for each in self.thread] if may_ask_for_thread(op) else []
        types_ = [types.vector(each.type, self.width) for each in op.results]
        start: list[Operand] = [Const(each, "poison") for each in types_]

        def body(lane: Value, carried: list[Operand]) -> list[Operand]:
            results = [Value(each.type, each.name) for each in op.results]
            attrs = dict(op.attrs)
            if thread:
                self._set_thread([pick(lane) for pick in thread])
            self.build.add(Op(op.name, [pick(lane) for pick in operands], results, attrs, [], op.loc))
            return [
                self.build.op("insertelement", [vector, value, lane], vector.type)
                for vector, value in zip(carried, results, strict=True)
            ]

        return self.over_lanes(self.masks[row], start, body)

    def _set_thread(self, numbers: list[Operand]) -> None:
        """Tell the runtime which thread the next call belongs to."""
        callee = SET_THREAD
        if len(numbers) == 2:
            first = self.build.op("mul", [numbers[0], int_const("i32", WARP_SIZE)], "i32")
            numbers, callee = [self.build.op("add", [first, numbers[1]], "i32")], SET_THREAD_INDEX
        self.build.effect("call", numbers, callee=callee, effects="any")

    def _picker(self, operand: Operand, row: int) -> Callable[[Value], Operand]:
        """Gives the operand of one thread."""
        lanes = self.get(operand, row)
        if lanes.vector is None and lanes.stride == 0:
            assert lanes.base is not None
            base = lanes.base
            return lambda lane: base
        vector = self.vector(operand, row)
        return lambda lane: self.build.op("extractelement", [vector, lane], operand.type)

    def over_lanes(
        self,
        mask: Operand | None,
        start: list[Operand],
        body: Callable[[Value, list[Operand]], list[Operand]],
    ) -> list[Value]:
        """A loop over the threads of `mask` in order; `body` writes one turn and says what it carries on."""
        params = [Value(each.type) for each in start]
        results = [Value(each.type) for each in start]
        if mask is None:
            lane, region = Value("i32", "lane"), Region()
            region.params = [lane, *params]
            self.inside(region, lambda: self._turn(lambda: body(lane, list(params))))
            bounds: list[Operand] = [int_const("i32", 0), int_const("i32", self.width), int_const("i32", 1)]
            self.build.add(Op("for", [*bounds, *start], results, {"pred": "slt"}, [region], self.build.loc))
            return results
        bits = self._bits(mask)
        left, here = Value(bits.type, "left"), Value(bits.type)
        before, after = Region([left, *params]), Region([here, *(Value(each.type) for each in start)])
        build = Builder(before.ops, self.build.loc)
        more = build.op("icmp", [left, int_const(bits.type, 0)], "i1", pred="ne")
        build.terminate("condition", [more, left, *params])

        def turn() -> list[Operand]:
            count = {"callee": f"llvm.cttz.{bits.type}", "effects": "none", "speculatable": True}
            lane = self.build.op("call", [here, FALSE], bits.type, "lane", **count)
            lower = self.build.op("add", [here, int_const(bits.type, -1)], bits.type)
            rest = self.build.op("and", [here, lower], bits.type)
            return [rest, *body(lane, list(after.params[1:]))]

        self.inside(after, lambda: self._turn(turn))
        final = [Value(bits.type), *results]
        self.build.add(Op("while", [bits, *start], final, {}, [before, after], self.build.loc))
        return results

    def _turn(self, write: Callable[[], list[Operand]]) -> None:
        self.build.terminate("yield", write())


def may_ask_for_thread(op: Op) -> bool:
    """Whether what `op` calls may want to know which thread calls it."""
    return op.name == "call" and op.attrs.get("effects") != "none" and not str(op.attrs["callee"]).startswith("llvm.")


def _neutral(kind: str, type_: str) -> Const:
    """What a reduction starts with."""
    if types.is_float(type_):
        if kind == "fadd":
            return Const(type_, types.float_bits(type_, -0.0))
        return Const(type_, types.float_bits(type_, math.nan))
    top = 1 << (types.bits(type_) - 1)
    numbers = {"and": -1, "umin": -1, "smin": top - 1, "smax": top}
    return int_const(type_, numbers.get(kind, 0))
