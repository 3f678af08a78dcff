# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of a warp as one vector of 32 lanes, warp collectives included.

    lane 32 { (%l)                                 %v: <32 x float> = load %p
      %v: float = load %p                          %w = shufflevector %v, poison [mask=(16, ..., 31, 16, ..., 31)]
      %w = shuffle -1, %v, 16, 32 [kind=down]  ==> %s = fadd %v, %w
      %s = fadd %v, %w
      %b = vote -1, %q [kind=ballot] }             %b = bitcast (icmp ne %q, 0) to i32

    shuffle   a permutation where the source lanes are constants, one element where all ask for one lane, memory else
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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from warploom.analysis.exact_linear import LAUNCH_LIMIT, Ranges
from warploom.analysis.lanes import Shape
from warploom.analysis.warp_lanes import WARP_SIZE, WarpShapes
from warploom.ir import types
from warploom.ir.core import (
    FALSE,
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    int_const,
    replace_uses,
    used_in,
    walk_op,
)
from warploom.ir.team import shuffle_source
from warploom.passes.base import Context
from warploom.passes.vector_prepare import split_counted_loops, spread_private
from warploom.passes.widen import Lanes, Unvectorisable
from warploom.passes.widen_control import ControlWidener

NAME = "vectorise"
_ALL = int_const("i32", -1)
_ZERO = int_const("i32", 0)
_MASK = types.vector("i1", WARP_SIZE)
_NUMBERS = types.vector("i32", WARP_SIZE)
# What changes nothing in a reduction.
_NEUTRAL = {"umin": -1, "and": -1, "smin": (1 << 31) - 1, "smax": 1 << 31}


@dataclass(frozen=True, slots=True)
class Warp:
    """What is known of a warp: its number, the values that are multiples of 32, and the most that others can be."""

    number: Value
    aligned: Sequence[Operand]
    most: Mapping[Value, int]


def widen_warp(loop: Op, warp: Warp, function: Function, context: Context) -> list[Op] | None:
    """The vector form of `loop`, the lanes of one warp; None, and a remark, where it has none."""
    if NAME in context.off:
        return None
    ranges = Ranges(function)
    mapping: dict[Value, Operand] = {}
    copy = clone_op(loop, mapping)
    for value, most in warp.most.items():
        ranges.known[value] = (0, most)
        inside = mapping.get(value)
        if isinstance(inside, Value):
            ranges.known[inside] = (0, most)
    try:
        ops = _write(copy, warp, ranges, context)
    except Unvectorisable as problem:
        context.remark(NAME, f"lanes of a warp exchange values in memory: {problem.reason}", problem.loc or loop.loc)
        return None
    context.remark(NAME, "each warp is a vector of 32 lanes", loop.loc)
    function.attrs.update(dict.fromkeys(sorted(ranges.assumed), LAUNCH_LIMIT))
    return ops


def _write(loop: Op, warp: Warp, ranges: Ranges, context: Context) -> list[Op]:
    count = loop.operands[0]
    full = count == int_const("i32", WARP_SIZE)
    lane = Value("i32", "lane")
    ranges.known.update(dict.fromkeys((lane, *loop.region.params), (0, WARP_SIZE - 1)))
    narrow_exchanges(loop)
    for op in walk_op(loop):
        ranges.definitions.update(dict.fromkeys(op.results, op))

    def solved() -> WarpShapes:
        shapes = WarpShapes(ranges, WARP_SIZE, full=full)
        shapes.shapes.update((each, Shape(align=WARP_SIZE)) for each in warp.aligned if isinstance(each, Value))
        shapes.solve(loop, lane)
        return shapes

    spread_private(loop, lane, WARP_SIZE)
    shapes = solved()
    if split_counted_loops(loop.region, shapes):
        shapes = solved()
    ops: list[Op] = []
    widener = WarpWidener(
        shapes, 1, Builder(ops, loop.loc), used_in(loop), context.calls, [warp.number, *loop.region.params]
    )
    widener.values[loop.region.params[0]] = widener.values[lane] = [Lanes(_ZERO, 1)]
    if not full:
        bound = widener.build.op("splat", [count], _NUMBERS)
        steps = widener.steps("i32", 1)
        widener.masks = [widener.build.op("icmp", [steps, bound], _MASK, "active", pred="slt")]
    widener.region(loop.region)
    return ops


# -- types ------------------------------------------------------------------------------------------------------------


def narrow_exchanges(loop: Op) -> None:
    """Let shuffles and matches work on what a value was before it became an i64: shuffle(zext x) = zext(shuffle x)."""
    makers = {value: op for op in walk_op(loop) for value in op.results}
    narrow: dict[Value, Operand] = {}  # the i64 that a shuffle gave -> what it gives now
    for op in list(walk_op(loop)):
        for region in op.regions:
            region.ops = [new for inner in region.ops for new in _narrowed(inner, makers, narrow)]
    again = {
        op.result: narrow[op.operands[0]]
        for op in walk_op(loop)
        if op.name == "trunc" and isinstance(op.operands[0], Value) and op.operands[0] in narrow
        if op.result.type == narrow[op.operands[0]].type
    }
    replace_uses(loop.region, again)


def _narrowed(op: Op, makers: dict[Value, Op], narrow: dict[Value, Operand]) -> list[Op]:
    if op.name not in ("shuffle", "match") or not isinstance(op.operands[1], Value):
        return [op]
    maker = makers.get(op.operands[1])
    if maker is None or maker.name not in ("zext", "sext") or types.bits(maker.operands[0].type) not in (8, 16, 32):
        return [op]
    op.operands[1] = value = maker.operands[0]
    if op.name == "match":
        return [op]
    (wide,) = op.results
    op.results = [Value(value.type, wide.name)]
    narrow[wide] = op.result
    return [op, Op(maker.name, [op.result], [wide], {}, [], op.loc)]


# -- collectives ------------------------------------------------------------------------------------------------------


class WarpWidener(ControlWidener):
    """Writes the code of one warp. A mask over lanes is an i32 where the program has it in its hands."""

    # -- parts

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
        elif isinstance(operand, Const) and isinstance(width, Const):
            self._permute(op, [shuffle_source(str(op.attrs["kind"]), lane, int(operand.value), int(width.value))
                               for lane in range(WARP_SIZE)])  # fmt: skip
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
            came = self._permuted_bits(mask, str(op.attrs["kind"]), sources)
            found = self.build.op("select", [came, found, vector], vector.type)
        self.put(op.result, found)

    def _permuted(self, vector: Operand, sources: list[int], hint: str = "") -> Operand:
        poison = Const(vector.type, "poison")
        return self.build.op("shufflevector", [vector, poison], vector.type, hint, mask=tuple(sources))

    def _permuted_bits(self, mask: Operand, kind: str, sources: list[int]) -> Operand:
        """Whether each lane's source is active; of a lane that reads itself nothing need be known."""
        distance = sources[0] if kind == "down" else WARP_SIZE - 1 - sources[-1]
        if kind not in ("up", "down") or not distance:
            return self.cached(("permuted", mask, tuple(sources)), lambda: self._permuted(mask, sources))
        name = "lshr" if kind == "down" else "shl"
        moved = self.build.op(name, [self.present(), int_const("i32", distance)], "i32")
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
        found = self.build.op("gather", [places, self.mask_of(0), nothing], vector.type, op.result.name, align=size)
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
