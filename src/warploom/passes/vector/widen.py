# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The body of a thread loop for a vector of threads: one op becomes one op on vectors, or stays a scalar one.

    %i: i32 = add %row, %tx        ==>   %i = add %row, %x0            a base; thread l has %i + l
    %p: ptr = gep %a, %i                 %p = gep %a, sext %i
    %v: float = load %p                  %v: <16 x float> = load %p    contiguous
    %w: float = fmul %v, %u              %w = fmul %v, splat %u

A value is kept as what its shape (analysis/lanes.py) allows: one scalar; a scalar base and a constant stride; a vector.
Several rows of threads (neighbours in y) may go through the code together: what does not differ in y is computed once
for all of them. Which threads are active is a vector of bits a row, or nothing where all are.

Sound because threads between barriers may run in lock step, and because a thread that is not active neither touches
memory nor decides anything: its lanes may hold poison, so masks are combined by `select`, never by `and`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from warploom.analysis.integers import signed_value
from warploom.analysis.lane_shapes import Y
from warploom.analysis.lanes import Shapes
from warploom.core.records import dataclass
from warploom.core.remarks import Loc
from warploom.ir import types
from warploom.ir.core import FALSE, TRUE, Builder, Const, Op, Operand, Region, Value, int_const
from warploom.ir.properties import is_arithmetic
from warploom.passes.vector.vector_calls import VectorCalls
from warploom.passes.vector.vector_report import Seen


@dataclass(slots=True)
class Lanes:
    """One value for a vector of threads.

    `vector`: one lane a thread. Otherwise `base` is the first thread's, and each next one has `stride` more; `wide` is
    the base as i64, over the integers. With `claims` there are both forms, and the stride holds where all claims do: a
    scalar one when it is true, a vector of bits for the threads in which it is false.
    """

    base: Operand | None = None
    stride: int = 0
    wide: Operand | None = None
    vector: Operand | None = None
    claims: tuple[Operand, ...] = ()


class Unvectorisable(Exception):
    """A thread loop that has to stay scalar; says why."""

    def __init__(self, reason: str, op: Op | None) -> None:
        super().__init__(reason)
        self.reason, self.loc = reason, op.loc if op is not None else None


Rule = Callable[["Widener", Op], None]


@dataclass(frozen=True, slots=True)
class Rules:
    """How ops are written: `of_op` by name, and every other op that computes by `arithmetic` (widen_rules.py)."""

    of_op: Mapping[str, Rule]
    arithmetic: Rule


class Level(Builder):
    """Appends ops to a region, and knows what has been written there; `outer` writes the region around it."""

    def __init__(self, ops: list[Op], loc: Loc | None, outer: Level | None = None) -> None:
        super().__init__(ops, loc)
        self.outer = outer
        self.made: dict[Value, Op] = {}
        self.cache: dict[tuple[object, ...], Operand] = {}

    def add(self, op: Op) -> Op:
        """Append `op`."""
        for value in op.results:
            self.made[value] = op
        self.ops.append(op)
        return op

    def outwards(self) -> Iterator[Level]:
        """This region and those around it, from the inside."""
        level: Level | None = self
        while level is not None:
            yield level
            level = level.outer


class Widener:
    """Writes the code of `rows` vectors of `shapes.width` threads: what it has of each value, and which are active."""

    def __init__(
        self,
        rules: Rules,
        shapes: Shapes,
        rows: int,
        build: Level,
        used: set[Value],
        calls: VectorCalls,
        thread: Sequence[Value],
    ) -> None:
        """`rules`: how ops are written. `used`: every value that something uses. `thread`: the thread's number in x, y,
        z; or its warp and lane."""
        self.rules, self.shapes, self.rows, self.used, self.calls = rules, shapes, rows, used, calls
        self.build: Level = build
        self.thread = thread
        self.width = shapes.width
        self.values: dict[Value, list[Lanes]] = {}
        self.masks: list[Operand | None] = [None] * rows
        self.often_one: set[Operand | None] = set()  # masks that may be there to choose one thread
        self.at: Op | None = None  # what is being written
        self.seen = Seen()
        self.sinkable: set[Op] = set()  # loads that may sink into a loop over active threads
        self.seen_once: set[Op] = set()  # what each thread does by itself: analysis/seen_accesses.py
        self.seen_loops: set[Op] = set()
        self.short_rows = False  # of no more than two vectors, and several of them
        self.is_rare = False  # whether most threads run another form
        # Whether all lanes are threads, and no other OS thread runs parts of the loop: backend/loom_threads.py.
        self.is_whole_and_alone = False
        self.runs_idle = False  # whether what is written runs even where no thread is active

    # -- values

    def rows_of(self, dims: int) -> range:
        """The rows that a value which differs along `dims` has one of each."""
        return range(self.rows if dims & Y else 1)

    def get(self, operand: Operand, row: int) -> Lanes:
        """A value in one row."""
        found = self.values.get(operand) if isinstance(operand, Value) else None
        if found is None:
            return Lanes(operand)
        return found[row if len(found) > 1 else 0]

    def scalar(self, operand: Operand, row: int) -> Operand:
        """A value that is the same in all lanes, or the base of one with a stride."""
        base = self.get(operand, row).base
        assert base is not None, "a vector where a scalar is needed"
        return base

    def cached(self, key: tuple[object, ...], make: Callable[[], Operand]) -> Operand:
        """What `make` writes, once where it can be seen from here."""
        for level in self.build.outwards():
            if key in level.cache:
                return level.cache[key]
        self.build.cache[key] = made = make()
        return made

    def cached_early(
        self, key: tuple[object, ...], operands: Sequence[Operand], make: Callable[[], Operand]
    ) -> Operand:
        """The same, written where the last of `operands` was, which all regions in there share; of constants alone, at
        the beginning. What a region has as a parameter may be known in that region alone."""
        inner = self.build
        levels = list(inner.outwards())
        depths = [next((n for n, level in enumerate(levels) if each in level.made), 0) for each in operands]
        self.build = levels[min(depths, default=-1)]
        found = self.cached(key, make)
        self.build = inner
        return found

    def vector(self, operand: Operand, row: int) -> Operand:
        """A value as one lane a thread."""
        lanes = self.get(operand, row)
        if lanes.vector is not None:
            return lanes.vector
        assert lanes.base is not None
        return self.spread(lanes.base, lanes.stride)

    def spread(self, base: Operand, stride: int) -> Operand:
        """The vector (base, base + stride, base + 2 * stride, ...)."""
        return self.cached(("spread", base, stride), lambda: self._spread(base, stride))

    def vector_of(self, type_: str) -> str:
        """The type of one `type_` a thread."""
        if types.is_vector(type_) or types.is_aggregate(type_):
            raise Unvectorisable(f"a {type_} differs between threads", self.at)
        return types.vector(type_, self.width)

    def _spread(self, base: Operand, stride: int) -> Operand:
        type_ = self.vector_of(base.type)
        if stride == 0:
            return self.build.op("splat", [base], type_)
        if base.type == "ptr":
            steps = self.steps("i64", stride)
            return self.build.op("gep", [base, steps], type_, offset=0, strides=(1,))
        return self.build.op("add", [self.spread(base, 0), self.steps(base.type, stride)], type_)

    def steps(self, type_: str, stride: int) -> Const:
        """The constant (0, stride, 2 * stride, ...)."""
        mask = (1 << types.bits(type_)) - 1
        numbers = ", ".join(f"{type_} {lane * stride & mask}" for lane in range(self.width))
        return Const(types.vector(type_, self.width), f"<{numbers}>")

    def wide(self, operand: Operand, row: int) -> Operand:
        """The base of an exact integer as i64."""
        lanes = self.get(operand, row)
        if lanes.wide is not None:
            return lanes.wide
        base = lanes.base
        assert base is not None
        if base.type == "i64":
            return base
        number = signed_value(base) if isinstance(base, Const) else None
        if number is not None:
            return int_const("i64", number)
        return self.cached(("wide", base), lambda: self.build.op("sext", [base], "i64"))

    def define(self, value: Value, make: Callable[[int], Lanes]) -> None:
        """Let `value` be what `make` writes for each row that it differs in."""
        self.values[value] = [make(row) for row in self.rows_of(self.shapes.of(value).dims)]

    def dims_of(self, op: Op) -> int:
        """Along which axes anything that `op` takes or gives differs."""
        dims = 0
        for value in (*op.operands, *op.results):
            dims |= self.shapes.of(value).dims
        return dims

    # -- masks

    @property
    def every(self) -> Const:
        """The mask of all threads."""
        return Const(types.vector("i1", self.width), "splat (i1 true)")

    def narrowed(self, row: int, condition: Operand) -> Operand:
        """The active threads of a row for which the vector `condition` holds."""
        return self.within(self.masks[row if self.rows > 1 else 0], condition)

    def within(self, mask: Operand | None, condition: Operand) -> Operand:
        if mask is None:
            return condition
        none = Const(condition.type, "zeroinitializer")
        return self.cached(
            ("and", mask, condition), lambda: self.build.op("select", [mask, condition, none], condition.type)
        )

    def inverse(self, condition: Operand) -> Operand:
        """The threads for which the vector `condition` does not hold."""
        return self.cached(("not", condition), lambda: self.build.op("xor", [condition, self.every], condition.type))

    def any_of(self, masks: Sequence[Operand | None]) -> Operand | None:
        """Whether any thread is in any mask; None: surely."""
        total: Operand | None = None
        for mask in dict.fromkeys(masks):
            if mask is None:
                return None
            total = mask if total is None else self.build.op("or", [total, mask], mask.type)
        assert total is not None
        return self.build.op("reduce", [total], "i1", kind="or")

    def mask(self, row: int, dims: int) -> Operand | None:
        """The active threads of a row; for what is the same in all rows (`dims`), those that any row has."""
        masks = dict.fromkeys(self.masks)
        if dims & Y or len(masks) == 1:
            return self.masks[row]
        if None in masks:
            return None
        return self.cached(("union", *masks), lambda: self._union([each for each in masks if each is not None]))

    def _union(self, masks: Sequence[Operand]) -> Operand:
        total, *others = masks
        for each in others:
            total = self.build.op("or", [total, each], each.type)
        return total

    def mask_of(self, row: int, dims: int = Y) -> Operand:
        """The same as a vector."""
        return self.mask(row, dims) or self.every

    def bits(self, mask: Operand) -> Value:
        return self.build.op("bitcast", [mask], f"i{self.width}")

    def lowest(self, bits: Operand) -> Value:
        """The number of the lowest bit that is set; that of all where none is."""
        count = {"callee": f"llvm.cttz.{bits.type}", "effects": "none", "speculatable": True}
        return self.build.op("call", [bits, FALSE], bits.type, "lane", **count)

    def but_lowest(self, bits: Operand) -> Value:
        """The bits without the lowest one that is set."""
        lower = self.build.op("add", [bits, int_const(bits.type, -1)], bits.type)
        return self.build.op("and", [bits, lower], bits.type)

    def holding(self, claims: Sequence[Operand], row: int, dims: int) -> Operand | None:
        """Whether all claims hold for the active threads (`mask`) of a row; None where there are no claims."""
        wrong = [each for each in claims if each.type != "i1"]
        holds = [each for each in claims if each.type == "i1"]
        if wrong:
            total = wrong[0]
            for each in wrong[1:]:
                total = self.build.op("or", [total, each], total.type)
            found = self.build.op("reduce", [self.within(self.mask(row, dims), total)], "i1", kind="or")
            holds.append(self.build.op("xor", [found, TRUE], "i1"))
        total = holds[0] if holds else None
        for each in holds[1:]:
            assert total is not None
            total = self.build.op("and", [total, each], "i1")
        return total

    # -- regions

    def region(self, region: Region) -> None:
        """Write the ops of a region, but for its terminator."""
        for op in region.body:
            self.op(op)

    def inside(self, region: Region, write: Callable[[], None]) -> None:
        """Let `write` fill `region`; what it caches is forgotten behind it."""
        outer = self.build
        self.build = Level(region.ops, outer.loc, outer)
        write()
        self.build = outer

    def op(self, op: Op) -> None:
        """Write one op, by its rule."""
        self.build.loc, self.at = op.loc, op
        rule = self.rules.of_op.get(op.name)
        if rule is not None:
            rule(self, op)
        elif is_arithmetic(op):
            self.rules.arithmetic(self, op)
        else:
            raise Unvectorisable(f"`{op.name}` has no vector form", op)

    def either(
        self, guard: Operand, then: Callable[[], list[Operand]], otherwise: Callable[[], list[Operand]]
    ) -> list[Value]:
        """One of two ways to some vectors, by a condition that is the same for all threads."""
        regions = [Region(), Region()]
        for region, write in zip(regions, (then, otherwise), strict=True):
            self.inside(region, lambda write=write: self._yields(write))
        results = [Value(each.type) for each in regions[0].terminator.operands]
        self.build.add(Op("if", [guard], results, {}, regions, self.build.loc))
        return results

    def _yields(self, write: Callable[[], list[Operand]]) -> None:
        self.build.terminate("yield", write())

    def if_row_runs(self, row: int, dims: int, write: Callable[[], list[Operand]]) -> list[Operand]:
        """What `write` gives; where the row may have no active thread while others have, only if it has one."""
        if not dims & Y or len(dict.fromkeys(self.masks)) == 1 or self.masks[row] is None:
            return write()
        taken, skipped = Region(), Region()
        some = self.any_of([self.masks[row]])
        assert some is not None

        def body() -> None:
            self.build.terminate("yield", write())

        self.inside(taken, body)
        results = [Value(each.type, "row") for each in taken.terminator.operands]
        Builder(skipped.ops, self.build.loc).terminate("yield", [Const(each.type, "poison") for each in results])
        self.build.add(Op("if", [some], results, {}, [taken, skipped], self.build.loc))
        return list(results)
