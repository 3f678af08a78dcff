# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow of a vector of threads.

    if %c { A } { B }             one branch where %c is the same in all threads; else
                                  if any(m & c) { A under m & c }; if any(m & ~c) { B under m & ~c }; select
    for, while                    the loop itself where all threads leave it together; else
                                  a loop as long as any thread is in it, whose mask is carried along

A side without effects and of few ops runs without asking. In a loop that threads leave one by one only those values
keep what they had when their thread left that something uses behind the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warploom.analysis.lanes import TOGETHER, Shape, Shapes, Y, varying
from warploom.analysis.vector_cost import goes_alone, runs_better_alone, stores_alone
from warploom.ir import types
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, int_const, is_undefined, walk
from warploom.ir.ops import Effect, effect
from warploom.ir.properties import is_speculatable
from warploom.passes.loop_conditions import joined, parted
from warploom.passes.vector_report import GOES_ALONG
from warploom.passes.widen import Lanes
from warploom.passes.widen_strided import StridedWidener

# Ops of a side that costs less than a branch which is hard to foretell; vector accesses in it.
_SHORT, _FEW_ACCESSES = 20, 4
_LONG = 100  # ops of a side that nearly always runs


LARGEST = (1 << 31) - 1
_LOOPS = "a branch that few threads take, around a loop with more gathers and scatters than arithmetic"
_STORES = "a branch around stores for which the processor has no masks"


@dataclass(frozen=True, slots=True)
class _Leaving:
    """Results of a loop that threads leave one by one, by number.

    `kept`: carried value -> the result that is its last value. `gathered`: (result, row), collected as threads leave.
    """

    kept: dict[int, int]
    gathered: list[tuple[int, int]]


class ControlWidener(StridedWidener):
    """Writes `if`, `for` and `while`."""

    unasked = False  # whether what is written runs even where no thread is active

    # -- values as lists of operands

    def _types(self, value: Value, shape: Shape) -> list[str]:
        """The types of what `_parts` gives for one row."""
        if shape.is_vector:
            return [self.vector_of(value.type)]
        return [value.type, "i64"] if _has_wide(value.type, shape) else [value.type]

    def _parts(self, operand: Operand, shape: Shape, row: int) -> list[Operand]:
        """A value in the form that `shape` says; its own shape may say more."""
        if shape.is_vector:
            return [self.vector(operand, row)]
        if is_undefined(operand):
            return [Const(each, "poison") for each in self._types(Value(operand.type), shape)]
        base = self.scalar(operand, row)
        return [base, self.wide(operand, row)] if _has_wide(operand.type, shape) else [base]

    def _flat(self, operands: Sequence[Operand], shapes: Sequence[Shape]) -> list[Operand]:
        return [
            part
            for operand, shape in zip(operands, shapes, strict=True)
            for row in self.rows_of(shape.dims)
            for part in self._parts(operand, shape, row)
        ]

    def _bind(self, values: Sequence[Value], shapes: Sequence[Shape]) -> list[Value]:
        """New values for those that a loop or `if` passes on."""
        made: list[Value] = []
        for value, shape in zip(values, shapes, strict=True):
            rows: list[Lanes] = []
            for _ in self.rows_of(shape.dims):
                parts = [Value(each, value.name) for each in self._types(value, shape)]
                made += parts
                if shape.is_vector:
                    rows.append(Lanes(vector=parts[0]))
                else:
                    rows.append(Lanes(parts[0], shape.stride or 0, parts[1] if len(parts) > 1 else None))
            self.values[value] = rows
        return made

    def _shapes_of(self, values: Sequence[Operand]) -> list[Shape]:
        return [self.shapes.of(each).kept for each in values]

    # -- if

    def _op_if(self, op: Op) -> None:
        if self.shapes.is_divergent(op):
            self._divergent_if(op)
            return
        shapes = self._shapes_of(op.results)
        regions = [Region(), Region()]
        for source, region in zip(op.regions, regions, strict=True):
            self.inside(region, lambda source=source: self._side(source, shapes))
        condition = self.scalar(op.operands[0], 0)
        if self.unasked:  # a branch that no thread might have taken
            condition = self.build.op("freeze", [condition], "i1")
        self.build.add(Op("if", [condition], self._bind(op.results, shapes), {}, regions, op.loc))

    def _side(self, source: Region, shapes: Sequence[Shape]) -> None:
        self.region(source)
        self.build.terminate("yield", self._flat(source.terminator.operands, shapes))

    def _divergent_if(self, op: Op) -> None:
        condition, outer = op.operands[0], self.masks
        rows = [self.vector(condition, row) for row in self.rows_of(self.shapes.of(condition).dims)]
        conditions = (rows * self.rows)[: self.rows]
        for number, region in enumerate(op.regions):
            facing = self.inverse if number else _itself
            why = "" if op.results or not region.body else self._why_alone(region)
            if why:
                self.seen.alone.update(dict.fromkeys(region.body, GOES_ALONG))
                self.seen.alone[region.body[0]] = why
                for row, each in enumerate(conditions):
                    self._each_alone(region, self.narrowed(row, facing(each)), row)
            elif region.body:
                self.masks = [self.narrowed(row, facing(each)) for row, each in enumerate(conditions)]
                self._under_mask(region, self.short_rows and not self.shapes.of(condition).dims & Y)
                self.masks = outer
        sides = (region.terminator.operands for region in op.regions)
        for result, then, otherwise in zip(op.results, *sides, strict=True):
            self._blend(result, conditions, then, otherwise)

    def _why_alone(self, region: Region) -> str:
        """Why the active threads of a side had better run it one after the other; empty where they had not."""
        if goes_alone(region, self.shapes):
            return _LOOPS
        return _STORES if stores_alone(region, self.shapes) else ""

    def _each_alone(self, region: Region, mask: Operand, row: int) -> None:
        """Run a side for one thread of `mask` after the other."""

        ops = self.with_addresses(region.body)
        spilled = self.spilled(ops, row)

        def turn(lane: Value) -> None:
            self.alone(ops, lane, row, spilled)

        self.over_lanes(mask, turn)

    def _under_mask(self, region: Region, in_all_rows: bool) -> None:
        """Write a side of a divergent `if`; its values are then known outside of it.

        `in_all_rows`: of all rows the same part runs it; of rows that are one or two vectors hardly ever none.
        """
        if not needs_branch(region, self.shapes, _LONG if in_all_rows else _SHORT):
            outer, self.unasked = self.unasked, True
            self.region(region)
            self.unasked = outer
            return
        some = self.any_of(self.masks)
        assert some is not None
        made = {result for op in region.ops for result in op.results}
        passed = [
            each for each in dict.fromkeys(region.terminator.operands) if isinstance(each, Value) and each in made
        ]
        shapes: list[Shape] = []
        taken, skipped = Region(), Region()

        def write() -> None:
            outer, self.unasked = self.unasked, False
            self.region(region)
            self.unasked = outer
            shapes.extend(self._shapes_of(passed))
            self.build.terminate("yield", self._flat(passed, shapes))

        self.inside(taken, write)
        nothing: list[Operand] = [Const(each.type, "poison") for each in taken.terminator.operands]
        Builder(skipped.ops, self.build.loc).terminate("yield", nothing)
        self.build.add(Op("if", [some], self._bind(passed, shapes), {}, [taken, skipped], self.build.loc))

    def _blend(self, result: Value, conditions: Sequence[Operand], then: Operand, otherwise: Operand) -> None:
        shape = self.shapes.of(result)
        for one, other in ((then, otherwise), (otherwise, then)):
            if one == other or is_undefined(other):
                self.values[result] = [self.get(one, row) for row in self.rows_of(shape.dims)]
                return

        def make(row: int) -> Lanes:
            pair = [self.vector(each, row) for each in (then, otherwise)]
            return Lanes(vector=self.build.op("select", [conditions[row], *pair], pair[0].type, result.name))

        self.define(result, make)

    # -- for

    def _op_for(self, op: Op) -> None:
        if self.shapes.is_divergent(op):
            if runs_better_alone(op, self.shapes):
                self.each_thread(op)
            else:
                self._divergent_for(op)
            return
        if op.attrs.get(TOGETHER):
            self._together(op)
            return
        lower, upper, step, *init = op.operands
        counter, *carried = op.region.params
        shapes = self._shapes_of(carried)
        start = self._flat(init, shapes)
        region = Region()
        (head,) = self._bind([counter], [Shape()])
        region.params = [head, *self._bind(carried, shapes)]
        self.inside(region, lambda: self._side(op.region, shapes))
        bounds = [self.scalar(each, 0) for each in (lower, upper, step)]
        results = self._bind(op.results, shapes)
        self.build.add(Op("for", [*bounds, *start], results, dict(op.attrs), [region], op.loc))

    def _together(self, op: Op) -> None:
        """Iterations that all threads of a vector run: as long as the last one may."""
        lower, upper, step, *init = op.operands
        counter, *carried = op.region.params
        shape, shapes = self.shapes.of(counter), self._shapes_of(carried)
        signed, narrow = op.attrs["pred"] == "slt", counter.type != "i64"
        reach = int_const("i64", (self.width - 1) * (shape.stride or 0))
        first, last, by = (self._as_i64(each, signed) for each in (lower, upper, step))
        if narrow and not signed:
            last = self._call("llvm.umin.i64", last, int_const("i64", LARGEST))
        last = (
            self.build.op("sub", [last, reach], "i64")
            if narrow
            else self._call("llvm.ssub.sat.i64" if signed else "llvm.usub.sat.i64", last, reach)
        )
        claims = self.get(lower, 0).claims
        if narrow and signed and self.shapes.ranges.of(step, signed=True)[0] <= 0:
            # Going down the counter may wrap, and with it some threads leave.
            claims = (*claims, self.build.op("icmp", [by, int_const("i64", 0)], "i1", pred="sgt"))
        guard = self.holding(claims, 0, self.shapes.of(lower).dims)
        if guard is not None:
            last = self.build.op("select", [guard, last, first], "i64")
        start = self._flat(init, shapes)
        head = Value("i64", counter.name)
        region = Region([head, *self._bind(carried, shapes)])

        def write() -> None:
            base = self.build.op("trunc", [head], counter.type) if narrow else head
            self.values[counter] = [Lanes(base, shape.stride or 0, head)]
            self._side(op.region, shapes)

        self.inside(region, write)
        predicate = "slt" if narrow or signed else "ult"
        results = self._bind(op.results, self._shapes_of(op.results))
        self.build.add(Op("for", [first, last, by, *start], results, {"pred": predicate}, [region], op.loc))

    def _call(self, callee: str, *operands: Operand) -> Operand:
        return self.build.op("call", list(operands), operands[0].type, callee=callee, effects="none", speculatable=True)

    def _as_i64(self, operand: Operand, signed: bool) -> Operand:
        base = self.scalar(operand, 0)
        if signed:
            return self.wide(operand, 0)
        if isinstance(base, Const):
            return Const("i64", base.value)
        return base if base.type == "i64" else self.build.op("zext", [base], "i64")

    # -- loops that threads leave one by one

    def _divergent_for(self, op: Op) -> None:
        """As a `while`: the condition and the next counter are ops."""
        lower, upper, step, *init = op.operands
        counter, *carried = op.region.params
        condition, following = Value("i1"), Value(counter.type)
        self.shapes.shapes[condition] = varying(self.shapes.trips[op])
        self.shapes.shapes[following] = self.shapes.of(counter)
        test = Op("icmp", [counter, upper], [condition], {"pred": op.attrs["pred"]}, [], op.loc)
        before = Region([counter, *carried], [test, Op("condition", [condition, counter, *carried], loc=op.loc)])
        add = Op("add", [counter, step], [following], {}, [], op.loc)
        after = Region([counter, *carried], [*op.region.body, add])
        after.ops.append(Op("yield", [following, *op.region.terminator.operands], loc=op.loc))
        last = Value(counter.type)
        self._divergent_loop(
            Op("while", [lower, *init], [last, *op.results], {"bounded": True}, [before, after], op.loc)
        )

    def _op_while(self, op: Op) -> None:
        if self.shapes.is_divergent(op):
            if runs_better_alone(op, self.shapes):
                self.each_thread(op)
            else:
                self._divergent_loop(op)
            return
        before, after = op.regions
        shapes = self._shapes_of(before.params)
        condition, *passed = before.terminator.operands
        passing = self._shapes_of(passed)
        start = self._flat(op.operands, shapes)
        first, second = Region(self._bind(before.params, shapes)), Region()

        def test() -> None:
            self.region(before)
            self.build.terminate("condition", [self.scalar(condition, 0), *self._flat(passed, passing)])

        self.inside(first, test)
        second.params = self._bind(after.params, passing)
        self.inside(second, lambda: self._side(after, shapes))
        self.build.add(Op("while", start, self._bind(op.results, passing), dict(op.attrs), [first, second], op.loc))

    def _divergent_loop(self, op: Op) -> None:
        """A loop of all rows while any thread is in it.

        It carries: the masks, what threads left with, the loop's own values.
        """
        before, after = op.regions
        shapes = self._shapes_of(before.params)
        condition, *passed = before.terminator.operands
        parting, common = parted(condition, self.shapes.ranges.definitions, self._is_one)
        passing = self._shapes_of(passed)
        leaving = self._leaving(op, shapes)
        outer = self.masks
        one_mask = len(self.rows_of(self.shapes.of(condition).dims)) == 1 and len(set(map(id, outer))) == 1
        bits = types.vector("i1", self.width)
        masks = [Value(bits, "active") for _ in range(1 if one_mask else self.rows)]
        left = [Value(self.vector_of(passed[number].type)) for number, _ in leaving.gathered]
        start = [*(self.mask_of(row, Y) for row in range(len(masks))), *(Const(each.type, "poison") for each in left)]
        start += self._flat(op.operands, shapes)
        first, second = Region([*masks, *left, *self._bind(before.params, shapes)]), Region()

        def test() -> None:
            self.masks = [*(masks * self.rows)[: self.rows]]
            self.region(before)
            kept = [
                self._kept(row, self.shapes.of(op.results[number]), passed[number], old)
                for (number, row), old in zip(leaving.gathered, left, strict=True)
            ]
            narrowed = [self.narrowed(row, self.vector(parting, row)) for row in range(len(masks))]
            some = self.any_of(narrowed)
            assert some is not None
            some = joined(self.build, some, common, lambda each: self.scalar(each, 0))
            self.build.terminate("condition", [some, *narrowed, *kept, *self._flat(passed, passing)])

        self.inside(first, test)
        inner = [Value(each.type) for each in (*masks, *left)]
        second.params = [*inner, *self._bind(after.params, passing)]

        def turn() -> None:
            self.masks = [*(inner[: len(masks)] * self.rows)[: self.rows]]
            self.region(after)
            following = self._following(after, shapes, leaving.kept)
            self.build.terminate("yield", [*inner, *following])

        self.inside(second, turn)
        self.masks = outer
        results = [Value(each.type) for each in inner]
        for position, (number, _) in enumerate(leaving.gathered):
            self.values.setdefault(op.results[number], []).append(Lanes(vector=results[len(masks) + position]))
        others = [*self._bind(after.params, passing)]
        for number in leaving.kept.values():
            self.values[op.results[number]] = self.values[after.params[number]]
        self.build.add(Op("while", start, [*results, *others], dict(op.attrs), [first, second], op.loc))

    def _is_one(self, operand: Operand) -> bool:
        """Whether a value is the same in all threads of all rows at hand."""
        shape = self.shapes.of(operand)
        return shape.is_uniform and len(self.rows_of(shape.dims)) == 1

    def _leaving(self, op: Op, shapes: Sequence[Shape]) -> _Leaving:
        """How each result that something uses is kept for threads that have left."""
        before = op.regions[0]
        kept: dict[int, int] = {}
        gathered: list[tuple[int, int]] = []
        for number, (result, value) in enumerate(zip(op.results, before.terminator.operands[1:], strict=True)):
            if result not in self.used:
                continue
            at = before.params.index(value) if isinstance(value, Value) and value in before.params else None
            if (
                at is not None
                and shapes[at].is_vector
                and at not in kept
                and shapes[at].dims == self.shapes.of(result).dims
            ):
                kept[at] = number
            else:
                gathered += [(number, row) for row in self.rows_of(self.shapes.of(result).dims)]
        return _Leaving(kept, gathered)

    def _kept(self, row: int, shape: Shape, new: Operand, old: Operand) -> Operand:
        """The vector `old`, but `new` for the threads in the loop."""
        return self.build.op("select", [self.mask_of(row, shape.dims), self.vector(new, row), old], old.type)

    def _following(self, after: Region, shapes: Sequence[Shape], kept: dict[int, int]) -> list[Operand]:
        """The next values of what the loop carries; threads that have left keep theirs where `kept` says so."""
        flat: list[Operand] = []
        for at, (operand, shape) in enumerate(zip(after.terminator.operands, shapes, strict=True)):
            for row in self.rows_of(shape.dims):
                parts = self._parts(operand, shape, row)
                if at in kept:
                    parts = [self._kept(row, shape, operand, self.vector(after.params[kept[at]], row))]
                flat += parts
        return flat


def _itself(condition: Operand) -> Operand:
    return condition


def _has_wide(type_: str, shape: Shape) -> bool:
    """Whether a value has a second base that does not wrap."""
    return shape.exact and not shape.is_uniform and types.is_int(type_) and type_ != "i64"


def needs_branch(region: Region, shapes: Shapes, most: int) -> bool:
    """Whether a side of a divergent `if` must not, or as one of more than `most` ops had better not, run where no
    thread is active."""
    accesses = count = 0
    for op in walk(region):
        count += 1
        if op.name in ("for", "while"):
            return True
        if op.name == "if" and shapes.of(op.operands[0]).is_uniform and op.operands[0] in shapes.shapes:
            return True  # which asks for a value that only active threads may have
        if op.name in ("load", "store") and not is_speculatable(op):
            accesses += 1
            address = shapes.of(op.operands[-1])
            value = op.results[0] if op.results else op.operands[0]
            if address.stride is None or abs(address.stride) != types.size_of(value.type):
                return True
        elif not is_speculatable(op) and not op.regions and effect(op) is not Effect.TERMINATOR:
            return True
    return count > most or (most == _SHORT and accesses > _FEW_ACCESSES)
