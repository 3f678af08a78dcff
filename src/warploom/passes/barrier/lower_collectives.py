# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write warp collectives as memory that the lanes of a warp share, and warp barriers.

    y = shuffle m, x, s, w [idx]       ==>   value[l] = x; here[l] = 1; barrier [warp]
                                             y = here[source] ? value[source] : 0
    b = vote m, p [ballot]             ==>   here[l] = 1 | (p << 1); barrier [warp]
                                             outside: all = bits of here; b = all & m

Each collective has a row of its own, so nothing is overwritten before all lanes have read it: the next round of a loop
begins behind a barrier. Lanes that are not there (they have ended, or went another way) leave `here` 0, which is
cleared outside of the lanes before the collective; where control is the same for all lanes, all are there, and `here`
is the number of lanes. What depends on no lane is computed outside, once a warp.

Sound because a collective is: every lane brings a value, all wait, every lane takes a function of all values.
Han et al., COX: Exposing CUDA Warp-Level Functions to CPUs, section 3; PTX ISA, shfl.sync, vote.sync, match.sync,
redux.sync.
"""

from __future__ import annotations

from warploom.core.records import dataclass
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, int_const
from warploom.ir.ops import WARP_SIZE, Level, collective_level
from warploom.passes.barrier.skeleton import OUTER, Skeleton, find_skeleton

_ALL = int_const("i32", -1)
_ZERO = int_const("i32", 0)
_BYTES = "<32 x i8>"
_BITS = "<32 x i1>"


def lower_collectives(region: Region, lane: Value, count: Operand, storage: list[Op]) -> None:
    """Rewrite every collective in the loop over `count` lanes with body `region`; rows go to `storage`, before it."""
    _Lowering(lane, count, storage, find_skeleton(region, Level.WARP)).region(region, together=True)


@dataclass(slots=True)
class _Present:
    """The lanes that came to a collective: their bytes, or (None) all lanes of the warp."""

    row: Value | None


class _Lowering:
    def __init__(self, lane: Value, count: Operand, storage: list[Op], skeleton: Skeleton) -> None:
        self.lane = lane
        self.count = count
        self.storage = storage
        self.skeleton = skeleton
        self.together = True  # all lanes of the warp are here

    def region(self, region: Region, *, together: bool) -> None:
        ops: list[Op] = []
        for op in region.ops:
            inside = together and (
                op not in self.skeleton.holding or not op.regions or self.skeleton.has_outer_control(op)
            )
            for inner in op.regions:
                self.region(inner, together=inside)
            if collective_level(op) is Level.WARP and op.name != "barrier":
                self.together = together
                self.collective(op, Builder(ops, op.loc))
            else:
                ops.append(op)
        region.ops = ops

    def collective(self, op: Op, build: Builder) -> None:
        if op.name == "shuffle":
            self.shuffle(op, build)
        elif op.name == "vote":
            self.vote(op, build)
        elif op.name == "match":
            self.match(op, build)
        elif op.name == "warp_reduce":
            self.reduce(op, build)
        else:
            present = self.arrive(build)
            self.wait(build)
            build.add(Op("or", [self.voters(build, present), _ZERO], op.results, {}, [], op.loc))

    # -- parts --------------------------------------------------------------------------------------------------------

    def row(self, size: int, name: str) -> Value:
        """Memory for `size` bytes a lane."""
        return Builder(self.storage).op("scratch", [], "ptr", name, size=size, align=64, level="warp")

    def place(self, build: Builder, row: Value, lane: Operand, size: int) -> Value:
        """The address of a lane's bytes."""
        wide = build.op("zext", [lane], "i64")
        return build.op("gep", [row, wide], "ptr", offset=0, strides=(size,), inbounds=True)

    def arrive(self, build: Builder) -> _Present:
        """Say that this lane is here, where that is not known."""
        return _Present(None) if self.together else _Present(self.leave(build, int_const("i8", 1)))

    def leave(self, build: Builder, byte: Operand) -> Value:
        """Leave `byte` in a row that is cleared before any lane comes."""
        row = self.row(1, "here")
        clear: list[Operand] = [row, int_const("i8", 0), int_const("i64", WARP_SIZE)]
        build.effect("memset", clear, volatile=False, align_to=64, **{OUTER: True})
        build.effect("store", [byte, self.place(build, row, self.lane, 1)], align=1)
        return row

    def came(self, build: Builder, present: _Present, lane: Value) -> Value:
        """Whether `lane` came."""
        if present.row is None:
            return build.op("icmp", [lane, self.count], "i1", "came", pred="ult")
        byte = build.op("load", [self.place(build, present.row, lane, 1)], "i8", align=1)
        return build.op("icmp", [byte, int_const("i8", 0)], "i1", "came", pred="ne")

    def voters(self, build: Builder, present: _Present) -> Value:
        """The lanes that came, a bit each. Computed outside."""
        if present.row is not None:
            return self.bits(build, present.row, 1)
        absent = build.op("sub", [int_const("i32", WARP_SIZE), self.count], "i32")
        return build.op("lshr", [_ALL, absent], "i32", "lanes")

    def bring(self, build: Builder, value: Operand, type_: str) -> Value:
        """Leave `value` in a row."""
        row, size = self.row(int(type_[1:]) // 8, "row"), int(type_[1:]) // 8
        build.effect("store", [value, self.place(build, row, self.lane, size)], align=size)
        return row

    @staticmethod
    def load_outside(build: Builder, row: Value, type_: str) -> Value:
        """A whole row, once a warp."""
        value = Value(type_)
        build.add(Op("load", [row], [value], {"align": 32, OUTER: True}, [], build.loc))
        return value

    def wait(self, build: Builder) -> None:
        build.effect("barrier", [], level="warp")

    def bits(self, build: Builder, here: Value, bit: int) -> Value:
        """One bit a lane: whether its byte has `bit`. Computed outside."""
        bytes_ = self.load_outside(build, here, _BYTES)
        splat = Const(_BYTES, f"<{', '.join([f'i8 {bit}'] * WARP_SIZE)}>")
        masked = build.op("and", [bytes_, splat], _BYTES)
        test = build.op("icmp", [masked, Const(_BYTES, "zeroinitializer")], _BITS, pred="ne")
        return build.op("bitcast", [test], "i32", "lanes")

    # -- collectives --------------------------------------------------------------------------------------------------

    def shuffle(self, op: Op, build: Builder) -> None:
        _mask, value, operand, width = op.operands
        row = self.bring(build, value, "i64")
        present = self.arrive(build)
        self.wait(build)
        source = shuffle_source(build, str(op.attrs["kind"]), self.lane, operand, width)
        came = self.came(build, present, source)
        other = build.op("load", [self.place(build, row, source, 8)], "i64", align=8)
        build.add(Op("select", [came, other, int_const("i64", 0)], op.results, {}, [], op.loc))

    def vote(self, op: Op, build: Builder) -> None:
        mask, predicate = op.operands
        holds = build.op("icmp", [predicate, _ZERO], "i1", pred="ne")
        byte = build.op("select", [holds, int_const("i8", 3), int_const("i8", 1)], "i8")
        row = self.leave(build, byte)
        self.wait(build)
        votes = build.op("and", [self.bits(build, row, 2), mask], "i32")
        kind = op.attrs["kind"]
        if kind == "ballot":
            build.add(Op("or", [votes, _ZERO], op.results, {}, [], op.loc))
            return
        voters: Operand = _ZERO
        if kind == "all":
            voters = build.op("and", [self.bits(build, row, 1), mask], "i32")
        test = build.op("icmp", [votes, voters], "i1", pred="eq" if kind == "all" else "ne")
        build.add(Op("zext", [test], op.results, {}, [], op.loc))

    def match(self, op: Op, build: Builder) -> None:
        mask, value = op.operands
        row = self.bring(build, value, "i64")
        present = self.arrive(build)
        self.wait(build)
        type_ = f"<{WARP_SIZE} x i64>"
        all_values = build.op("load", [row], type_, align=64)
        first = build.op("insertelement", [Const(type_, "poison"), value, int_const("i32", 0)], type_)
        splat = build.op("shufflevector", [first, Const(type_, "poison")], type_, mask=(0,) * WARP_SIZE)
        same = build.op("bitcast", [build.op("icmp", [all_values, splat], _BITS, pred="eq")], "i32")
        voters = build.op("and", [self.voters(build, present), mask], "i32")
        lanes = build.op("and", [same, voters], "i32")
        if op.attrs["kind"] == "any":
            build.add(Op("or", [lanes, _ZERO], op.results, {}, [], op.loc))
            return
        everybody = build.op("icmp", [lanes, voters], "i1", pred="eq")
        build.add(Op("select", [everybody, voters, _ZERO], op.results, {}, [], op.loc))

    def reduce(self, op: Op, build: Builder) -> None:
        mask, value = op.operands
        kind = str(op.attrs["kind"])
        row = self.bring(build, value, "i32")
        present = self.arrive(build)
        self.wait(build)
        type_ = f"<{WARP_SIZE} x i32>"
        values = self.load_outside(build, row, type_)
        voters = build.op("and", [self.voters(build, present), mask], "i32")
        takes_part = build.op("bitcast", [voters], _BITS)
        neutral = Const(type_, f"<{', '.join([f'i32 {_neutral(kind)}'] * WARP_SIZE)}>")
        chosen = build.op("select", [takes_part, values, neutral], type_)
        attrs = {"callee": f"llvm.vector.reduce.{kind}.v{WARP_SIZE}i32", "effects": "none", "speculatable": True}
        build.add(Op("call", [chosen], op.results, dict(attrs), [], op.loc))


def _neutral(kind: str) -> int:
    """What changes nothing in a reduction, as LLVM writes an i32."""
    return {"umin": -1, "and": -1, "smin": 2**31 - 1, "smax": -(2**31)}.get(kind, 0)


def shuffle_source(build: Builder, kind: str, lane: Value, operand: Operand, width: Operand) -> Value:
    """The lane that `lane` reads: PTX ISA, shfl.sync. Only the low five bits of `operand` count."""
    distance = build.op("and", [operand, int_const("i32", 31)], "i32")
    negative = build.op("sub", [int_const("i32", WARP_SIZE), width], "i32")
    segment = build.op("and", [negative, int_const("i32", 31)], "i32")
    first = build.op("and", [lane, segment], "i32")
    inside = build.op("xor", [segment, int_const("i32", 31)], "i32")
    last = build.op("or", [first, inside], "i32")
    if kind == "idx":
        return build.op("or", [first, build.op("and", [distance, inside], "i32")], "i32", "source")
    if kind == "up":
        source = build.op("sub", [lane, distance], "i32")
        fits = build.op("icmp", [source, first], "i1", pred="sge")
    else:
        source = build.op("add" if kind == "down" else "xor", [lane, distance], "i32")
        fits = build.op("icmp", [source, last], "i1", pred="ule")
    return build.op("select", [fits, source, lane], "i32", "source")
