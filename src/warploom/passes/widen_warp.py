# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of a warp as one vector of 32 lanes, warp collectives included.

    lane 32 { (%l)                                 %v: <32 x float> = load %p
      %v: float = load %p                          %w = shufflevector %v, poison [mask=(16, ..., 31, 16, ..., 31)]
      %w = shuffle -1, %v, 16, 32 [kind=down]  ==> %s = fadd %v, %w
      %s = fadd %v, %w
      %b = vote -1, %q [kind=ballot] }             %b = bitcast (icmp ne %q, 0) to i32

    shuffle   a permutation where the lane's number decides the source; one element where all ask for one lane; else
              through memory
    vote      the condition's bits as a number, and scalar ops
    match     one comparison for each different value
    reduce    a reduction for each different mask
    barrier   nothing

Theorem: threads between barriers of a block may run in lock step, and lanes that wait for each other in a collective
have done all before it and nothing behind it in any order of threads: so one op of the vector is a legal order for the
collective, and its operands and masks are those of the lanes that wait. The lanes that come to a collective are the
active ones: CUDA leaves it undefined when a lane that the collective's mask names is elsewhere, unless it has ended.
A lane whose source does not come keeps its own value, as in lower_collectives.py, which writes the same through memory
where a warp has no vector form.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.known_lanes import KnownLanes
from warploom.ir import types
from warploom.ir.core import (
    FALSE,
    Builder,
    Const,
    Op,
    Operand,
    Region,
    Value,
    globals_in,
    int_const,
)
from warploom.ir.ops import WARP_SIZE
from warploom.ir.team import shuffle_source
from warploom.passes.widen import Lanes, Unvectorisable
from warploom.passes.widen_control import ControlWidener

_ALL = int_const("i32", -1)
_ZERO = int_const("i32", 0)
_MASK = types.vector("i1", WARP_SIZE)
_NUMBERS = types.vector("i32", WARP_SIZE)
# What changes nothing in a reduction.
_NEUTRAL = {"umin": -1, "and": -1, "smin": (1 << 31) - 1, "smax": 1 << 31}


class WarpWidener(ControlWidener):
    """Writes the code of one warp. A mask over lanes is an i32 where the program has it in its hands."""

    known: KnownLanes

    # -- memory

    def _op_load(self, op: Op) -> None:
        ControlWidener._op_load(self, self._plain(op, op.operands[0]))

    def _op_store(self, op: Op) -> None:
        ControlWidener._op_store(self, self._plain(op, op.operands[1]))

    def _plain(self, op: Op, pointer: Operand) -> Op:
        """A volatile access to shared memory, as it is in lock step: no loop waits for it (analysis/spin_waits.py)."""
        if not op.attrs.get("volatile") or not self._is_shared(pointer):
            return op
        attrs = {key: value for key, value in op.attrs.items() if key != "volatile"}
        return Op(op.name, op.operands, op.results, attrs, [], op.loc)

    def _is_shared(self, pointer: Operand) -> bool:
        while isinstance(pointer, Value):
            maker = self.shapes.ranges.definitions.get(pointer)
            if maker is None or maker.name != "gep":
                return False
            pointer = maker.operands[0]
        names = globals_in(pointer)
        return bool(names) and all(each in self.shapes.ranges.function.shared for each in names)

    # -- parts

    def activate(self, count: Operand) -> None:
        """Let the first `count` lanes alone be active."""
        bound = self.build.op("splat", [count], _NUMBERS)
        self.masks = [self.build.op("icmp", [self.steps("i32", 1), bound], _MASK, "active", pred="slt")]

    def present(self) -> Operand:
        """The active lanes, a bit each."""
        mask = self.masks[0]
        return _ALL if mask is None else self.cached(("bits", mask), lambda: self._bits(mask))

    def bits_of(self, condition: Operand) -> Operand:
        """The active lanes for which the vector `condition` holds, a bit each."""
        return self._bits(self.narrowed(0, condition))

    def apply(self, name: str, left: Operand, right: Operand, type_: str = "i32", **attrs: str) -> Operand:
        """An op on two numbers; on each lane's where one of them is a vector."""
        if types.is_vector(left.type) or types.is_vector(right.type):
            left, right = (each if types.is_vector(each.type) else self.spread(each, 0) for each in (left, right))
            type_ = types.vector(type_, WARP_SIZE)
        return self.build.op(name, [left, right], type_, **attrs)

    def own(self, operand: Operand) -> Operand:
        """A value as a scalar where all lanes have the same, else a vector."""
        return self.scalar(operand, 0) if self.shapes.of(operand).is_uniform else self.vector(operand, 0)

    def put(self, value: Value, made: Operand) -> None:
        """Define `value` as what was made, scalar or vector."""
        if types.is_vector(made.type):
            self.values[value] = [Lanes(vector=made)]
        elif self.shapes.of(value).is_uniform:
            self.values[value] = [Lanes(made)]
        else:
            self.values[value] = [Lanes(vector=self.spread(made, 0))]

    def named(self, mask: Operand) -> Operand:
        """The active lanes that a collective's `mask` names."""
        return self.present() if mask == _ALL else self.apply("and", self.present(), self.own(mask))

    # -- ops

    def _op_barrier(self, op: Op) -> None:
        if op.attrs["level"] != "warp":
            raise Unvectorisable(f"a barrier of the {op.attrs['level']} is left", op)

    def _op_activemask(self, op: Op) -> None:
        self.put(op.result, self.present())

    def _op_vote(self, op: Op) -> None:
        mask, predicate = op.operands
        test = self.apply("icmp", self.own(predicate), _ZERO, "i1", pred="ne")
        if types.is_vector(test.type):
            votes = self.bits_of(test)
        else:
            votes = self.build.op("select", [test, self.present(), _ZERO], "i32")
        if mask != _ALL:
            votes = self.apply("and", votes, self.own(mask))
        kind = op.attrs["kind"]
        if kind == "ballot":
            self.put(op.result, votes)
            return
        wanted = self.named(mask) if kind == "all" else _ZERO
        holds = self.apply("icmp", votes, wanted, "i1", pred="eq" if kind == "all" else "ne")
        type_ = _NUMBERS if types.is_vector(holds.type) else "i32"
        self.put(op.result, self.build.op("zext", [holds], type_))

    def _op_match(self, op: Op) -> None:
        mask, value = op.operands
        voters = self.named(mask)
        if op.attrs["kind"] == "all" and not types.is_vector(voters.type):
            lane = self._lowest(voters)
            first = self.build.op("extractelement", [self.vector(value, 0), lane], value.type)
            same = self.bits_of(self.apply("icmp", self.vector(value, 0), first, "i1", pred="eq"))
            lanes = self.build.op("and", [same, voters], "i32")
            everybody = self.build.op("icmp", [lanes, voters], "i1", pred="eq")
            self.put(op.result, self.build.op("select", [everybody, voters, _ZERO], "i32"))
            return
        lanes = self.apply("and", self._equals(value), voters)
        if op.attrs["kind"] == "all":
            everybody = self.apply("icmp", lanes, voters, "i1", pred="eq")
            nobody = self.spread(_ZERO, 0)
            lanes = self.build.op("select", [everybody, lanes, nobody], _NUMBERS)
        self.put(op.result, lanes)

    def _equals(self, value: Operand) -> Operand:
        """For each lane the active lanes that have the same `value`."""
        if self.shapes.of(value).is_uniform:
            return self.present()
        return self._for_each_different(self.vector(value, 0), lambda _, same: same)

    def _op_warp_reduce(self, op: Op) -> None:
        mask, value = op.operands
        kind = str(op.attrs["kind"])
        vector = self.vector(value, 0)
        neutral = self.spread(int_const("i32", _NEUTRAL.get(kind, 0)), 0)

        def total(lanes: Operand) -> Operand:
            takes_part = self.build.op("bitcast", [lanes], _MASK)
            chosen = self.build.op("select", [takes_part, vector, neutral], _NUMBERS)
            return self.build.op("reduce", [chosen], "i32", kind=kind)

        if self.shapes.of(mask).is_uniform:
            self.put(op.result, total(self.named(mask)))
            return
        present = self.present()
        self.put(
            op.result,
            self._for_each_different(
                self.vector(mask, 0), lambda own, _: total(self.build.op("and", [present, own], "i32"))
            ),
        )

    def _for_each_different(self, vector: Operand, make: Callable[[Operand, Operand], Operand]) -> Operand:
        """For each lane what `make` computes (an i32) from its element and the active lanes that have the same."""
        present = self.present()
        element = types.element_of(vector.type)
        left, found = Value("i32", "left"), Value(_NUMBERS)
        here, old = Value("i32"), Value(_NUMBERS)
        before, after = Region([left, found]), Region([here, old])
        build = Builder(before.ops, self.build.loc)
        more = build.op("icmp", [left, _ZERO], "i1", pred="ne")
        build.terminate("condition", [more, left, found])

        def turn() -> None:
            one = self.build.op("extractelement", [vector, self._lowest(here)], element)
            all_ = self.build.op("splat", [one], vector.type)
            same = self.build.op("icmp", [vector, all_], _MASK, pred="eq")
            lanes = self.bits_of(same)
            made = self.build.op("splat", [make(one, lanes)], _NUMBERS)
            new = self.build.op("select", [same, made, old], _NUMBERS)
            others = self.build.op("xor", [lanes, _ALL], "i32")
            self.build.terminate("yield", [self.build.op("and", [here, others], "i32"), new])

        self.inside(after, turn)
        start: list[Operand] = [present, Const(_NUMBERS, "zeroinitializer")]
        results = [Value("i32"), Value(_NUMBERS)]
        self.build.add(Op("while", start, results, {}, [before, after], self.build.loc))
        return results[1]

    def _lowest(self, lanes: Operand) -> Operand:
        """The number of the lowest lane; 0 where there is none."""
        count = {"callee": "llvm.cttz.i32", "effects": "none", "speculatable": True}
        found = self.build.op("call", [lanes, FALSE], "i32", "lowest", **count)
        return self.build.op("and", [found, int_const("i32", WARP_SIZE - 1)], "i32")

    # -- shuffles

    def _op_shuffle(self, op: Op) -> None:
        _, value, operand, width = op.operands
        if self.shapes.of(value).is_uniform:
            self.values[op.result] = [self.get(value, 0)]
            return
        if types.is_aggregate(value.type) or types.is_vector(value.type):
            raise Unvectorisable(f"a shuffle of {value.type}", op)
        whole = width == int_const("i32", WARP_SIZE)
        if op.attrs["kind"] == "idx" and whole and self.shapes.of(operand).is_uniform:
            self._broadcast(op)
        else:
            asked = self.known.low_bits(operand)
            if asked is not None and isinstance(width, Const):
                size, kind = int(width.value), str(op.attrs["kind"])
                self._permute(op, [shuffle_source(kind, lane, each, size) for lane, each in enumerate(asked)])
            else:
                self._look_up(op)

    def _broadcast(self, op: Op) -> None:
        """All read one lane."""
        _, value, operand, _ = op.operands
        vector = self.vector(value, 0)
        source = self.scalar(operand, 0)
        lane = (
            int_const("i32", int(source.value) % WARP_SIZE)
            if isinstance(source, Const)
            else self.build.op("and", [source, int_const("i32", WARP_SIZE - 1)], "i32")
        )
        one = self.build.op("extractelement", [vector, lane], value.type, op.result.name)
        if self.masks[0] is None or self.shapes.of(op.result).is_uniform:
            self.put(op.result, one)
            return
        bit = self.build.op("lshr", [self.present(), lane], "i32")
        came = self.build.op("trunc", [bit], "i1", "came")
        self.put(op.result, self.build.op("select", [came, self.spread(one, 0), vector], vector.type))

    def _permute(self, op: Op, sources: list[int]) -> None:
        """Each lane reads a lane that is known now."""
        vector = self.vector(op.operands[1], 0)
        found = self._permuted(vector, sources, op.result.name)
        mask = self.masks[0]
        if mask is not None:
            came = self._permuted_bits(mask, sources)
            found = self.build.op("select", [came, found, vector], vector.type)
        self.put(op.result, found)

    def _permuted(self, vector: Operand, sources: list[int], hint: str = "") -> Operand:
        poison = Const(vector.type, "poison")
        return self.build.op("shufflevector", [vector, poison], vector.type, hint, mask=tuple(sources))

    def _permuted_bits(self, mask: Operand, sources: list[int]) -> Operand:
        """Whether each lane's source is active; of a lane that reads itself nothing need be known."""
        steps = {source - lane for lane, source in enumerate(sources)} - {0}
        if len(steps) != 1:
            return self.cached(("permuted", mask, tuple(sources)), lambda: self._permuted(mask, sources))
        (step,) = steps
        moved = self.build.op("lshr" if step > 0 else "shl", [self.present(), int_const("i32", abs(step))], "i32")
        return self.build.op("bitcast", [moved], _MASK)

    def _look_up(self, op: Op) -> None:
        """Each lane reads a lane that is known when it runs: from memory."""
        _, value, operand, width = op.operands
        vector = self.vector(value, 0)
        size = types.size_of(value.type)
        row = self.build.op("alloca", [], "ptr", "row", size=size * WARP_SIZE, align=64)
        self.build.effect("store", [vector, row], align=64)
        source = self._source(str(op.attrs["kind"]), self.own(operand), self.own(width))
        places = self.build.op("gep", [row, source], types.vector("ptr", WARP_SIZE), offset=0, strides=(size,))
        nothing = Const(vector.type, "poison")
        mask = self.mask_of(0, self.dims_of(op))
        found = self.build.op("gather", [places, mask, nothing], vector.type, op.result.name, align=size)
        if self.masks[0] is not None:
            bit = self.apply("lshr", self.present(), source)
            came = self.build.op("trunc", [bit], _MASK, "came")
            found = self.build.op("select", [came, found, vector], vector.type)
        self.put(op.result, found)

    def _source(self, kind: str, operand: Operand, width: Operand) -> Operand:
        """The lane that each lane reads, always one of 0 ... 31: PTX ISA, shfl.sync."""
        lanes = self.steps("i32", 1)
        limit = int_const("i32", WARP_SIZE - 1)
        distance = self.apply("and", operand, limit)
        segment = self.apply("and", self.apply("sub", int_const("i32", WARP_SIZE), width), limit)
        first = self.apply("and", lanes, segment)
        inside = self.apply("xor", segment, limit)
        if kind == "idx":
            return self.apply("or", first, self.apply("and", distance, inside))
        if kind == "up":
            source = self.apply("sub", lanes, distance)
            fits = self.apply("icmp", source, first, "i1", pred="sge")
        else:
            source = self.apply("add" if kind == "down" else "xor", lanes, distance)
            fits = self.apply("icmp", source, self.apply("or", first, inside), "i1", pred="ule")
        return self.build.op("select", [fits, source, lanes], _NUMBERS, "source")
