# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread loops become loops over vectors of threads.

    block 256, %n, 1 { (%tx, %ty, %tz) B }     ==>     for %y = 0, %n, 1 {
                                                         for %x = 0, 256, 16 { B for threads %x ... %x + 15 of row %y }
                                                       }

A size that is not known to be a multiple of the vector's width gets a last vector under a mask; a body so large that a
second copy costs more than masks do has one for all its vectors. Where that lets rows share what they load, several
rows of a block go through the body together (jam). Sound because threads between barriers may run in any order and in
lock step; what the body becomes is the business of widen.py.

Where threads in x access memory far apart and threads in y side by side, as where x counts rows of a matrix, x and y
change places if the block has rows enough:

    block %nx, %ny, %nz { (%tx, %ty, %tz) B }  ==>     if %ny >= 8 { block %ny, %nx, %nz { (%ty, %tx, %tz) B } as above
                                                       } { block %nx, %ny, %nz { (%tx, %ty, %tz) B } as above }

Where the program divides numbers of threads by the length of rows that are shorter than the widest vectors, vectors are
as wide as such rows, or as a part of them: then no access by row and column needs a gather. Where the launch says that
length, there are two forms:

    block 256, 1, 1 { %r = div %tx, %n;        if %n is 4, 8, ... { vectors of 4 threads } { the widest vectors }
                      %c = rem %tx, %n }  ==>

A loop that has no vector form, or none that pays (analysis/vector_cost.py), stays as it is, with a remark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.lanes import Shapes
from warploom.analysis.scattered import Reasons
from warploom.analysis.seen_accesses import seen_loops, seen_once
from warploom.analysis.short_rows import are_short, row_lengths, width_of, works_in_loops
from warploom.analysis.sinkable_loads import sinkable_loads
from warploom.analysis.strided_groups import strided_groups
from warploom.analysis.strides import is_scattered
from warploom.analysis.turns import takes_turns
from warploom.analysis.vector_cost import FEWEST, Target, choose_rows, choose_width, cycles_in_rows, predicted_cycles
from warploom.ir import types
from warploom.ir.core import (
    Attribute,
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    int_const,
    used_in,
    walk,
    walk_op,
)
from warploom.ir.ops import LOOPS, OF_THREADS, PARTIAL, WARP_SIZE, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT, SCALAR
from warploom.passes.vector import row_versions, stride_versions
from warploom.passes.vector.piece_versions import ask_for_pieces
from warploom.passes.vector.row_versions import version_rows
from warploom.passes.vector.scalarise import differs_as_a_whole, has_vectors, scalarise
from warploom.passes.vector.stopping_counters import let_counters_go_on
from warploom.passes.vector.stride_versions import version_strides
from warploom.passes.vector.vector_prepare import split_counted_loops, spread_private
from warploom.passes.vector.vector_report import Form, Seen, report
from warploom.passes.vector.widen import Lanes, Level, Unvectorisable, Widener
from warploom.passes.vector.widen_rules import THREADS

NAME = "vectorise"
LARGEST_ROWS = 4000  # ops of a kernel, times the rows that the user asks for: more is minutes of LLVM's time
ONE_BY_ONE = "one_by_one"  # of a thread loop: vectors do not pay
CHANGED_PLACES = "changed_places"  # the name of the part that lets x and y change places
FEWEST_ROWS = 4  # of a block whose threads in y go together, where a vector may be half full for little
USUAL_ROWS = 8  # that a block is taken to have where nothing tells how many
MOST_COST = 0.6  # of that over threads in x, for which it is worth a second form
COST_IN_ROWS = 0.8  # of vectors that lie within rows over the widest ones, for which they take their place
LARGEST_TWICE = 1000  # ops of a body that is written twice: without a mask, and for the last vector with one


class _Vectoriser:
    def __init__(self, function: Function, context: Context) -> None:
        self.function, self.context = function, context
        self.ranges = Ranges(function)
        facts = function.facts
        by_pragma = facts.width is not None or facts.jam is not None
        self.asked_by = "the command line" if context.width or context.jam else "#pragma" if by_pragma else ""
        width, jam = context.width or facts.width, context.jam or facts.jam
        self.target = Target(facts.processor, width, self._rows(function, jam) if jam else None)
        self.changed = False
        self.warp: Value | None = None  # the warp that the region at hand belongs to

    def _rows(self, function: Function, asked: int) -> int:
        """How many of the rows that the user asks for may go together."""
        size, jam = sum(1 for _ in walk(function.body)), asked
        while jam > 1 and jam * size > LARGEST_ROWS:
            jam //= 2
        if jam < asked:
            text = f"no more than {jam} rows of threads go together, not {asked}: the kernel has {size} operations"
            self.context.remark(NAME, text, function.loc)
        return jam

    def region(self, region: Region) -> None:
        """Vectorise the thread loops of a region."""
        ops: list[Op] = []
        for op in region.ops:
            if op.name in ("block", "lane") and not levels_in(op) and not takes_turns(self.function, op):
                ops += self.loop(op)
                continue
            if op.name == "warp":
                self.warp = op.region.params[0]
            for inner in op.regions:
                self.region(inner)
            ops.append(op)
        region.ops = ops

    def loop(self, op: Op) -> list[Op]:
        """The vector form of the thread loop `op`, or the loop itself."""
        if self.target.width == 1:
            return [op]
        loop = self._loop(op)
        loop = self._in_rows(op, loop) or loop
        across = self._across(op, None if isinstance(loop, Unvectorisable) else loop)
        if across is None:
            found = self._in_rows_of_launch(op, loop)
            if found is None:
                return self._written(op, loop)
            length, narrow = found
            return self._either(op, narrow, loop, lambda build: are_short(build, length, self._widest(op), FEWEST))
        rows = op.operands[1]
        if isinstance(rows, Const):
            return self._written(op, across)
        fewest = int_const("i32", self._fewest_rows())
        return self._either(op, across, loop, lambda build: build.op("icmp", [rows, fewest], "i1", pred="sge"))

    def _either(
        self, op: Op, first: _Loop, other: _Loop | Unvectorisable, is_first: Callable[[Builder], Operand]
    ) -> list[Op]:
        """Two forms of the thread loop `op`, and the choice between them."""
        made: list[Op] = []
        build = Builder(made, op.loc)
        condition = is_first(build)
        ways = [self._written(op, each) for each in (first, other)]
        if ways[0] == [op]:  # which must not stand on both sides
            return ways[1]
        build.add(Op("if", [condition], [], {}, [Region([], [*each, Op("yield")]) for each in ways], op.loc))
        self.changed = True
        return made

    # -- short rows

    def _in_rows(self, op: Op, loop: _Loop | Unvectorisable) -> _Loop | None:
        """The form with vectors that lie within rows of threads, where the program says how long these are and that
        costs less than `loop`."""
        widest = self._widest(op)
        widths = {width_of(each, widest, FEWEST) for each in row_lengths(op)} if widest else set[int | None]()
        forms = (self._narrow(op, each, loop, COST_IN_ROWS) for each in sorted(filter(None, widths), reverse=True))
        return next(filter(None, forms), None)

    def _in_rows_of_launch(self, op: Op, loop: _Loop | Unvectorisable) -> tuple[Value, _Loop] | None:
        """Likewise for rows whose length the launch says, and that length."""
        lengths = [each for each in row_lengths(op) if isinstance(each, Value)] if self._widest(op) else []
        if len(lengths) != 1 or not works_in_loops(op):
            return None
        form = self._narrow(op, FEWEST, loop, MOST_COST)
        return (lengths[0], form) if form is not None else None

    def _widest(self, op: Op) -> int:
        """Threads of a vector of `op` where rows are long; 0 where they do not matter."""
        if op.name != "block" or self.asked_by or row_versions.NAME in self.context.off:
            return 0
        return choose_width(op, self.target, size_of(op, 0, self.function))

    def _narrow(self, op: Op, width: int, wide: _Loop | Unvectorisable, most: float) -> _Loop | None:
        """The form with vectors of `width` threads that lie within rows, if it costs no more than `most` of `wide`."""
        form = self._loop(op, width=width)
        if isinstance(form, Unvectorisable):
            return None
        cost = form.cycles[1] if isinstance(wide, Unvectorisable) else min(wide.cycles)
        if form.cycles_in_rows > most * cost:
            return None
        self.context.remark(NAME, f"{width} threads go together: as many as lie within one row", op.loc)
        return form

    def _one_by_one(self, op: Op, problem: Unvectorisable) -> list[Op]:
        self.context.remark(NAME, f"threads run one after the other: {problem.reason}", problem.loc or op.loc)
        return [op]

    def _loop(self, op: Op, *, changed: bool = False, width: int | None = None) -> _Loop | Unvectorisable:
        """The thread loop as vectors, or why not."""
        try:
            return _Loop(op, self.ranges, self.context, self.target, self.warp, changed=changed, width=width)
        except Unvectorisable as problem:
            return problem

    def _written(self, op: Op, loop: _Loop | Unvectorisable) -> list[Op]:
        """`loop`, or the thread loop `op` where that turns out to have no vector form."""
        if isinstance(loop, Unvectorisable):
            return self._one_by_one(op, loop)
        try:
            made = loop.write()
        except Unvectorisable as problem:
            return self._one_by_one(op, problem)
        self.changed = True
        if self.context.vectors is not None:
            form = Form(loop.width, loop.jam, self.asked_by, loop.tail)
            self.context.vectors.append(report(loop.op, loop.shapes, loop.seen, form))
        return made

    def _fewest_rows(self) -> int:
        """Of a block whose threads in y go together."""
        return FEWEST_ROWS if self.target.processor.vector_bits >= 512 else USUAL_ROWS

    def _across(self, op: Op, along: _Loop | None) -> _Loop | None:
        """The form with vectors of threads in y, where the block may have rows enough and that costs far less."""
        if op.name != "block" or self.asked_by or CHANGED_PLACES in self.context.off:
            return None
        rows = size_of(op, 1, self.function)
        if (rows is not None and rows < self._fewest_rows()) or op.region.params[1] not in used_in(op):
            return None
        if along is not None and not any(is_scattered(each, along.shapes) for each in _accesses(along.op)):
            return None
        across = self._loop(op, changed=True)
        if isinstance(across, Unvectorisable):
            return None
        cost, alone = across.cost()
        if cost > MOST_COST * (alone if along is None else along.cost()[0]):
            return None
        self.context.remark(NAME, "threads in y, which access memory side by side, go together, not those in x", op.loc)
        return across


class _Loop:
    """One thread loop."""

    def __init__(
        self,
        op: Op,
        ranges: Ranges,
        context: Context,
        target: Target,
        warp: Value | None,
        *,
        changed: bool = False,
        width: int | None = None,
    ) -> None:
        """`changed`: x and y change places. `width`: of vectors that lie within rows."""
        self.op = clone_op(op, {})
        for each in walk_op(self.op):
            ranges.definitions.update(dict.fromkeys(each.results, each))
        for old, new in zip(op.region.params, self.op.region.params, strict=True):
            ranges.known[new] = ranges.known.get(old, (0, 31))
        self.ranges, self.context = ranges, context
        params = self.op.region.params
        self.thread = [*params] if warp is None or op.name == "block" else [warp, *params]
        self.lane = Value("i32", "lane")
        columns, row_count = (size_of(op, axis, ranges.function) for axis in ((1, 0) if changed else (0, 1)))
        if changed:
            columns = columns or USUAL_ROWS  # blocks seldom have many
            params[:2], self.op.operands[:2] = params[1::-1], self.op.operands[1::-1]
        let_counters_go_on(self.op.region)
        self.width = width or choose_width(self.op, target, columns)
        ranges.known[self.lane] = (0, self.width - 1)
        self._take_vectors_apart()
        spread_private(self.op, self.lane, self.width, ranges)
        self.shapes = self._shapes()
        if split_counted_loops(self.op.region, self.shapes):
            self.shapes = self._shapes()
        self.cycles = self.cost()
        if width is None and target.width is None and self.cycles[0] > self.cycles[1]:
            op.attrs[ONE_BY_ONE] = True
            raise Unvectorisable(_scattered_most(self.op, self.shapes), op)
        self.front: list[Op] = []
        choices = self._version()
        shared = frozenset(ranges.function.shared)
        self.cycles_in_rows = cycles_in_rows(self.op.region, self.shapes, shared, choices) if width is not None else 0.0
        rows = op.name == "block" and self.op.operands[1] != int_const("i32", 1)
        self.short_rows = rows and columns is not None and columns <= 2 * self.width
        self.used = used_in(self.op)
        self.sinkable = sinkable_loads(self.op.region, ranges.definitions)
        self.seen_once = seen_once(ranges.function, self.op.region)
        self.seen_loops = seen_loops(ranges.function, self.op.region)
        self.seen, self.tail = Seen(), False
        self.is_large = sum(1 for _ in walk(self.op.region)) > LARGEST_TWICE
        self.is_alone = not any(each.name in LOOPS for each in walk(self.op.region))
        self.jam = choose_rows(self.op, self.shapes, target, row_count)

    def cost(self) -> tuple[float, float]:
        """Cycles of the loop as vectors and thread by thread, before it is rewritten."""
        return predicted_cycles(self.op, self.shapes, frozenset(self.ranges.function.shared))

    def _version(self) -> list[Op]:
        """Write versions of what vectors do well most of the time, only where they pay without; the choices of those
        that lie within rows."""
        off = self.context.off
        off_rows = row_versions.NAME in off
        rows = version_rows(self.op, self.shapes, self.lane, self.front) if not off_rows else []
        if rows:
            self.shapes = self._shapes()
            split = [split_counted_loops(each.op.regions[0], self.shapes) for each in rows]
            if any(split):
                self.shapes = self._shapes()
        if ask_for_pieces(rows, self.shapes):
            self.shapes = self._shapes()
        if stride_versions.NAME not in off and version_strides(self.op.region, self.shapes):
            self.shapes = self._shapes()
        return [each.op for each in rows]

    def _take_vectors_apart(self) -> None:
        """Where threads have different ones."""
        if not has_vectors(self.op):
            return
        shapes = self._shapes()
        if any(differs_as_a_whole(each, shapes) for each in walk_op(self.op)):
            scalarise(self.op, self.ranges.definitions)
            for each in walk_op(self.op):
                self.ranges.definitions.update(dict.fromkeys(each.results, each))

    def _shapes(self) -> Shapes:
        shapes = Shapes(self.ranges, self.width)
        shapes.solve(self.op, self.lane)
        shapes.groups = strided_groups(self.op.region, shapes)
        return shapes

    def write(self) -> list[Op]:
        """The loops over vectors."""
        ops = [*self.front]
        build = Builder(ops, self.op.loc)
        sizes = list(self.op.operands)
        _, *others = self.op.region.params
        if others:
            y, z = others
            self._each(build, sizes[2], lambda at, inner: self._rows(inner, sizes, {z: at}, y))
        else:
            self._columns(build, sizes[0], 1, {})
        return ops

    def _each(self, build: Builder, count: Operand, body: Callable[[Operand, Builder], None]) -> None:
        """A loop over `count` indices; none around one."""
        if count == int_const("i32", 1):
            body(int_const("i32", 0), build)
            return
        self._range(build, int_const("i32", 0), count, 1, body)

    def _range(
        self, build: Builder, start: Operand, end: Operand, step: int, body: Callable[[Operand, Builder], None]
    ) -> None:
        """for (i = start; i < end; i += step)"""
        index, region = Value("i32", "at"), Region()
        region.params = [index]
        inner = Builder(region.ops, self.op.loc)
        body(index, inner)
        inner.terminate()
        attrs: dict[str, Attribute] = {"pred": "slt"}
        if self.op.name == "block":
            attrs[OF_THREADS] = True
        build.add(Op("for", [start, end, int_const("i32", step)], [], attrs, [region], self.op.loc))

    def _rows(self, build: Builder, sizes: list[Operand], known: dict[Value, Operand], y: Value) -> None:
        whole, some_left = self._multiple(build, sizes[1], self.jam)

        def rows(number: int) -> Callable[[Operand, Builder], None]:
            return lambda at, inner: self._columns(inner, sizes[0], number, {**known, y: at})

        if self.jam == 1:
            self._each(build, sizes[1], rows(1))
            return
        if whole != int_const("i32", 0):
            self._range(build, int_const("i32", 0), whole, self.jam, rows(self.jam))
        if some_left:
            self._range(build, whole, sizes[1], 1, rows(1))

    def _multiple(self, build: Builder, count: Operand, step: int) -> tuple[Operand, bool]:
        """The largest multiple of `step` up to `count`, and whether any may be left."""
        if isinstance(count, Const):
            number = int(count.value)
            return int_const("i32", number - number % step), number % step != 0
        return build.op("and", [count, int_const("i32", -step)], "i32"), True

    def _columns(self, build: Builder, count: Operand, rows: int, known: dict[Value, Operand]) -> None:
        """All vectors of some rows."""
        whole, some_left = self._multiple(build, count, self.width)
        if some_left and self.is_large and whole != int_const("i32", 0):
            self._range(
                build,
                int_const("i32", 0),
                count,
                self.width,
                lambda at, inner: self._vector(inner, at, rows, known, inner.op("sub", [count, at], "i32")),
            )
            return
        if whole == int_const("i32", self.width):
            self._vector(build, int_const("i32", 0), rows, known, None)
        elif whole != int_const("i32", 0):
            self._range(
                build,
                int_const("i32", 0),
                whole,
                self.width,
                lambda at, inner: self._vector(inner, at, rows, known, None),
            )
        if not some_left:
            return
        rest = build.op("sub", [count, whole], "i32")
        some = build.op("icmp", [rest, int_const("i32", 0)], "i1", pred="sgt")
        then, otherwise = Region(), Region()
        inner = Builder(then.ops, self.op.loc)
        self._vector(inner, whole, rows, known, rest, is_rare=whole != int_const("i32", 0))
        inner.terminate()
        Builder(otherwise.ops, self.op.loc).terminate()
        build.add(Op("if", [some], [], {}, [then, otherwise], self.op.loc))

    def _vector(
        self,
        build: Builder,
        at: Operand,
        rows: int,
        known: dict[Value, Operand],
        active: Operand | None,
        is_rare: bool = False,
    ) -> None:
        """One vector of threads in each of `rows` rows; only the first `active` threads of each.
        `is_rare`: most vectors have another form."""
        widener = Widener(
            THREADS, self.shapes, rows, Level(build.ops, build.loc), self.used, self.context.calls, self.thread
        )
        widener.is_rare = is_rare or PARTIAL in self.op.attrs
        widener.is_whole_and_alone = self.is_alone and active is None
        widener.seen = self.seen
        widener.short_rows, widener.sinkable = self.short_rows, self.sinkable
        widener.seen_once, widener.seen_loops = self.seen_once, self.seen_loops
        x, *others = self.op.region.params
        widener.values[x] = [Lanes(at, 1)]
        widener.values[self.lane] = [Lanes(int_const("i32", 0), 1)]
        for value in others:
            widener.values[value] = [Lanes(known[value])]
        if rows > 1:
            first = known[others[0]]
            widener.values[others[0]] = [
                Lanes(build.op("add", [first, int_const("i32", row)], "i32") if row else first) for row in range(rows)
            ]
        if active is not None:
            self.tail = True
            self._mask(widener, build, active)
        widener.region(self.op.region)

    def _mask(self, widener: Widener, build: Builder, active: Operand) -> None:
        bound = build.op("splat", [active], types.vector("i32", self.width))
        steps = widener.steps("i32", 1)
        mask = build.op("icmp", [steps, bound], types.vector("i1", self.width), "active", pred="slt")
        widener.masks = [mask] * len(widener.masks)


def _accesses(loop: Op) -> Iterator[Op]:
    return (op for op in walk_op(loop) if op.name in ("load", "store"))


def _scattered_most(loop: Op, shapes: Shapes) -> str:
    """Why vectors do not pay: the first access that makes it so."""
    reasons = Reasons(loop, shapes)
    for op in (each for each in _accesses(loop) if is_scattered(each, shapes)):
        at = f" (line {op.loc.line})" if op.loc else ""
        return f"vectors would be slower; {reasons.why(op)}{at}"
    return "vectors would be slower"


def size_of(loop: Op, axis: int, function: Function) -> int | None:
    """The most threads that a thread loop has along an axis (0: x, 1: y); None where that is not known."""
    if loop.name == "lane":
        return WARP_SIZE if axis == 0 else 1
    count, block = loop.operands[axis], function.facts.block
    if isinstance(count, Const) and isinstance(count.value, int):
        return count.value
    return (block[axis] or None) if block is not None else None


def run(function: Function, context: Context) -> bool:
    """Vectorise the thread loops of `function`."""
    vectoriser = _Vectoriser(function, context)
    vectoriser.region(function.body)
    if vectoriser.changed:
        vectoriser.ranges.note_limits()
    return vectoriser.changed


VECTORISE = Pass(
    NAME, run, requires=(FLAT,), breaks=(SCALAR,), features=(row_versions.NAME, stride_versions.NAME, CHANGED_PLACES)
)
