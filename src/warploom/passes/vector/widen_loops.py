# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of a vector of threads.

    for, while                    the loop itself where all threads leave it together, or it ends with the first one
                                  that leaves (`together`: vector_prepare.py); else
                                  a loop as long as any thread is in it, whose mask is carried along

A `while` that ends with the first thread that leaves runs only where all threads of the vector are active, and so
without masks; where they are not, the loop behind it does all.

In a loop that threads leave one by one only those values keep what they had when their thread left that something uses
behind the loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.integers import type_range
from warploom.analysis.lane_shapes import Shape, Y, varying
from warploom.analysis.lanes import TOGETHER
from warploom.analysis.vector_cost import runs_better_alone
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import FALSE, Const, Op, Operand, Region, Value, int_const
from warploom.passes.vector.interleaved import add_loop
from warploom.passes.vector.loop_conditions import joined, parted
from warploom.passes.vector.passed_values import bind, flattened, parts_of, shapes_of, side
from warploom.passes.vector.widen import Lanes, Widener
from warploom.passes.vector.widen_alone import each_thread


@dataclass(frozen=True, slots=True)
class _Leaving:
    """Results of a loop that threads leave one by one, by number.

    `kept`: carried value -> the result that is its last value. `gathered`: (result, row), collected as threads leave.
    """

    kept: dict[int, int]
    gathered: list[tuple[int, int]]


def counted_loop(w: Widener, op: Op) -> None:
    """A `for`."""
    if w.shapes.is_divergent(op):
        if op in w.seen_loops or runs_better_alone(op, w.shapes):
            each_thread(w, op)
        else:
            _divergent_for(w, op)
        return
    if op.attrs.get(TOGETHER):
        _together(w, op)
        return
    lower, upper, step, *init = op.operands
    counter, *carried = op.region.params
    shapes = shapes_of(w, carried)
    start = flattened(w, init, shapes)
    region = Region()
    (head,) = bind(w, [counter], [Shape()])
    region.params = [head, *bind(w, carried, shapes)]
    w.inside(region, lambda: side(w, op.region, shapes))
    bounds = [w.scalar(each, 0) for each in (lower, upper, step)]
    results = bind(w, op.results, shapes)
    add_loop(w, Op("for", [*bounds, *start], results, dict(op.attrs), [region], op.loc))


def _together(w: Widener, op: Op) -> None:
    """Iterations that all threads of a vector run: as long as the last one may."""
    lower, upper, step, *init = op.operands
    counter, *carried = op.region.params
    shape, shapes = w.shapes.of(counter), shapes_of(w, carried)
    signed, narrow = op.attrs["pred"] == "slt", counter.type != "i64"
    reach = int_const("i64", (w.width - 1) * (shape.stride or 0))
    first, last, by = (_as_i64(w, each, signed) for each in (lower, upper, step))
    if narrow and not signed:
        last = _call(w, "llvm.umin.i64", last, int_const("i64", type_range("i32")[1]))
    last = (
        w.build.op("sub", [last, reach], "i64")
        if narrow
        else _call(w, "llvm.ssub.sat.i64" if signed else "llvm.usub.sat.i64", last, reach)
    )
    claims = w.get(lower, 0).claims
    if narrow and signed and w.shapes.ranges.of(step, signed=True)[0] <= 0:
        # Going down the counter may wrap, and with it some threads leave.
        claims = (*claims, w.build.op("icmp", [by, int_const("i64", 0)], "i1", pred="sgt"))
    guard = w.holding(claims, 0, w.shapes.of(lower).dims)
    if guard is not None:
        last = w.build.op("select", [guard, last, first], "i64")
    start = flattened(w, init, shapes)
    head = Value("i64", counter.name)
    region = Region([head, *bind(w, carried, shapes)])

    def write() -> None:
        base = w.build.op("trunc", [head], counter.type) if narrow else head
        w.values[counter] = [Lanes(base, shape.stride or 0, head)]
        side(w, op.region, shapes)

    w.inside(region, write)
    predicate = "slt" if narrow or signed else "ult"
    results = bind(w, op.results, shapes_of(w, op.results))
    add_loop(w, Op("for", [first, last, by, *start], results, {"pred": predicate}, [region], op.loc))


def _call(w: Widener, callee: str, *operands: Operand) -> Operand:
    return w.build.op("call", list(operands), operands[0].type, callee=callee, effects="none", speculatable=True)


def _as_i64(w: Widener, operand: Operand, signed: bool) -> Operand:
    base = w.scalar(operand, 0)
    if signed:
        return w.wide(operand, 0)
    if isinstance(base, Const):
        return Const("i64", base.value)
    return base if base.type == "i64" else w.build.op("zext", [base], "i64")


def _divergent_for(w: Widener, op: Op) -> None:
    """As a `while`: the condition and the next counter are ops."""
    lower, upper, step, *init = op.operands
    counter, *carried = op.region.params
    condition, following = Value("i1"), Value(counter.type)
    w.shapes.shapes[condition] = varying(w.shapes.trips[op])
    w.shapes.shapes[following] = w.shapes.of(counter)
    test = Op("icmp", [counter, upper], [condition], {"pred": op.attrs["pred"]}, [], op.loc)
    before = Region([counter, *carried], [test, Op("condition", [condition, counter, *carried], loc=op.loc)])
    add = Op("add", [counter, step], [following], {}, [], op.loc)
    after = Region([counter, *carried], [*op.region.body, add])
    after.ops.append(Op("yield", [following, *op.region.terminator.operands], loc=op.loc))
    last = Value(counter.type)
    _divergent_loop(w, Op("while", [lower, *init], [last, *op.results], {"bounded": True}, [before, after], op.loc))


def loop(w: Widener, op: Op) -> None:
    """A `while`."""
    if w.shapes.is_divergent(op):
        if op in w.seen_loops or runs_better_alone(op, w.shapes):
            each_thread(w, op)
        else:
            _divergent_loop(w, op)
        return
    before, after = op.regions
    shapes = shapes_of(w, before.params)
    condition, *passed = before.terminator.operands
    passing = shapes_of(w, passed)
    start = flattened(w, op.operands, shapes)
    first, second = Region(bind(w, before.params, shapes)), Region()

    def test() -> None:
        w.region(before)
        goes_on = _all_go_on(w, condition) if op.attrs.get(TOGETHER) else w.scalar(condition, 0)
        w.build.terminate("condition", [goes_on, *flattened(w, passed, passing)])

    w.inside(first, test)
    second.params = bind(w, after.params, passing)
    outer = w.masks
    if op.attrs.get(TOGETHER):
        w.masks = [None] * w.rows
    w.inside(second, lambda: side(w, after, shapes))
    w.masks = outer
    attrs = {key: value for key, value in op.attrs.items() if key != TOGETHER}
    add_loop(w, Op("while", start, bind(w, op.results, passing), attrs, [first, second], op.loc))


def _all_go_on(w: Widener, condition: Operand) -> Operand:
    """Whether all threads are active, and `condition` holds for each."""
    answers: list[Operand] = []
    for mask, goes_on in dict.fromkeys((w.masks[row], w.vector(condition, row)) for row in range(w.rows)):
        answer = w.build.op("reduce", [goes_on], "i1", kind="and")
        if mask is not None:
            is_whole = w.build.op("reduce", [mask], "i1", kind="and")
            answer = w.build.op("select", [is_whole, answer, FALSE], "i1")
        answers.append(answer)
    together, *others = answers
    for each in others:
        together = w.build.op("and", [together, each], "i1")
    return together


def _divergent_loop(w: Widener, op: Op) -> None:
    """A loop of all rows while any thread is in it.

    It carries: the masks, what threads left with, the loop's own values.
    """
    before, after = op.regions
    shapes = shapes_of(w, before.params)
    condition, *passed = before.terminator.operands
    parting, common = parted(condition, w.shapes.ranges.definitions, lambda each: _is_one(w, each))
    passing = shapes_of(w, passed)
    leaving = _leaving(w, op, shapes)
    outer = w.masks
    one_mask = len(w.rows_of(w.shapes.of(condition).dims)) == 1 and len(set(map(id, outer))) == 1
    bits = types.vector("i1", w.width)
    masks = [Value(bits, "active") for _ in range(1 if one_mask else w.rows)]
    left = [Value(w.vector_of(passed[number].type)) for number, _ in leaving.gathered]
    start = [*(w.mask_of(row, Y) for row in range(len(masks))), *(Const(each.type, "poison") for each in left)]
    start += flattened(w, op.operands, shapes)
    first, second = Region([*masks, *left, *bind(w, before.params, shapes)]), Region()

    def test() -> None:
        w.masks = [*(masks * w.rows)[: w.rows]]
        w.region(before)
        kept = [
            _kept(w, row, w.shapes.of(op.results[number]), passed[number], old)
            for (number, row), old in zip(leaving.gathered, left, strict=True)
        ]
        narrowed = [w.narrowed(row, w.vector(parting, row)) for row in range(len(masks))]
        some = w.any_of(narrowed)
        assert some is not None
        some = joined(w.build, some, common, lambda each: w.scalar(each, 0))
        w.build.terminate("condition", [some, *narrowed, *kept, *flattened(w, passed, passing)])

    w.inside(first, test)
    inner = [Value(each.type) for each in (*masks, *left)]
    second.params = [*inner, *bind(w, after.params, passing)]

    def turn() -> None:
        w.masks = [*(inner[: len(masks)] * w.rows)[: w.rows]]
        w.region(after)
        following = _following(w, after, shapes, leaving.kept)
        w.build.terminate("yield", [*inner, *following])

    w.inside(second, turn)
    w.masks = outer
    results = [Value(each.type) for each in inner]
    for position, (number, _) in enumerate(leaving.gathered):
        w.values.setdefault(op.results[number], []).append(Lanes(vector=results[len(masks) + position]))
    others = [*bind(w, after.params, passing)]
    for number in leaving.kept.values():
        w.values[op.results[number]] = w.values[after.params[number]]
    add_loop(w, Op("while", start, [*results, *others], dict(op.attrs), [first, second], op.loc))


def _is_one(w: Widener, operand: Operand) -> bool:
    """Whether a value is the same in all threads of all rows at hand."""
    shape = w.shapes.of(operand)
    return shape.is_uniform and len(w.rows_of(shape.dims)) == 1


def _leaving(w: Widener, op: Op, shapes: Sequence[Shape]) -> _Leaving:
    """How each result that something uses is kept for threads that have left."""
    before = op.regions[0]
    kept: dict[int, int] = {}
    gathered: list[tuple[int, int]] = []
    for number, (result, value) in enumerate(zip(op.results, before.terminator.operands[1:], strict=True)):
        if result not in w.used:
            continue
        at = before.params.index(value) if isinstance(value, Value) and value in before.params else None
        if at is not None and shapes[at].is_vector and at not in kept and shapes[at].dims == w.shapes.of(result).dims:
            kept[at] = number
        else:
            gathered += [(number, row) for row in w.rows_of(w.shapes.of(result).dims)]
    return _Leaving(kept, gathered)


def _kept(w: Widener, row: int, shape: Shape, new: Operand, old: Operand) -> Operand:
    """The vector `old`, but `new` for the threads in the loop."""
    return w.build.op("select", [w.mask_of(row, shape.dims), w.vector(new, row), old], old.type)


def _following(w: Widener, after: Region, shapes: Sequence[Shape], kept: dict[int, int]) -> list[Operand]:
    """The next values of what the loop carries; threads that have left keep theirs where `kept` says so."""
    flat: list[Operand] = []
    for at, (operand, shape) in enumerate(zip(after.terminator.operands, shapes, strict=True)):
        for row in w.rows_of(shape.dims):
            parts = parts_of(w, operand, shape, row)
            if at in kept:
                parts = [_kept(w, row, shape, operand, w.vector(after.params[kept[at]], row))]
            flat += parts
    return flat
