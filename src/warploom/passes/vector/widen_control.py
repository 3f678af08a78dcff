# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches of a vector of threads.

    if %c { A } { B }             one branch where %c is the same in all threads; else
                                  if any(m & c) { A under m & c }; if any(m & ~c) { B under m & ~c }; select

A side without effects and of few ops runs without asking, but where mostly no thread runs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.lane_shapes import Shape, Y
from warploom.analysis.lanes import Shapes
from warploom.analysis.strides import picks_one, picks_rest
from warploom.analysis.vector_cost import goes_alone, stores_alone
from warploom.ir import types
from warploom.ir.core import Builder, Const, Op, Operand, Region, Value, is_undefined, walk
from warploom.ir.ops import Effect, effect
from warploom.ir.properties import is_speculatable
from warploom.passes.vector.passed_values import bind, flattened, shapes_of, side
from warploom.passes.vector.vector_report import GOES_ALONG
from warploom.passes.vector.widen import Lanes, Widener
from warploom.passes.vector.widen_alone import alone, over_lanes, spill, with_addresses

# Ops of a side that costs less than a branch which is hard to foretell; vector accesses in it.
_SHORT, _FEW_ACCESSES = 20, 4
_LONG = 100  # ops of a side that nearly always runs
_LOOPS = "a branch that few threads take, around a loop with more gathers and scatters than arithmetic"
_STORES = "a branch around stores for which the processor has no masks"


def branch(w: Widener, op: Op) -> None:
    """An `if`."""
    if w.shapes.is_divergent(op):
        _divergent_if(w, op)
        return
    shapes = shapes_of(w, op.results)
    regions = [Region(), Region()]
    for source, region in zip(op.regions, regions, strict=True):
        w.inside(region, lambda source=source: side(w, source, shapes))
    condition = w.scalar(op.operands[0], 0)
    if w.runs_idle:  # a branch that no thread might have taken
        condition = w.build.op("freeze", [condition], "i1")
    w.build.add(Op("if", [condition], bind(w, op.results, shapes), {}, regions, op.loc))


def _divergent_if(w: Widener, op: Op) -> None:
    condition, outer = op.operands[0], w.masks
    rows = [w.vector(condition, row) for row in w.rows_of(w.shapes.of(condition).dims)]
    conditions = (rows * w.rows)[: w.rows]
    for number, region in enumerate(op.regions):
        facing = w.inverse if number else _itself
        why = "" if op.results or not region.body else _why_alone(w, region)
        if why:
            w.seen.alone.update(dict.fromkeys(region.body, GOES_ALONG))
            w.seen.alone[region.body[0]] = why
            for row, each in enumerate(conditions):
                _each_alone(w, region, w.narrowed(row, facing(each)), row)
        elif region.body:
            w.masks = [w.narrowed(row, facing(each)) for row, each in enumerate(conditions)]
            if not number and (picks_one(condition, w.shapes) or not w.often_one.isdisjoint(outer)):
                w.often_one.update(w.masks)
            in_all_rows = w.short_rows and not w.shapes.of(condition).dims & Y
            most = _LONG if in_all_rows else _SHORT  # of rows that are one or two vectors hardly ever none runs it
            if not number and picks_rest(condition, w.shapes) and any(each.name == "load" for each in walk(region)):
                most = 0  # a load that nobody wants may wait for memory
            _under_mask(w, region, most)
            w.masks = outer
    sides = (region.terminator.operands for region in op.regions)
    for result, then, otherwise in zip(op.results, *sides, strict=True):
        _blend(w, result, conditions, then, otherwise)


def _why_alone(w: Widener, region: Region) -> str:
    """Why the active threads of a side had better run it one after the other; empty where they had not."""
    if goes_alone(region, w.shapes):
        return _LOOPS
    return _STORES if stores_alone(region, w.shapes) else ""


def _each_alone(w: Widener, region: Region, mask: Operand, row: int) -> None:
    """Run a side for one thread of `mask` after the other."""

    ops = with_addresses(w, region.body)
    spilled = spill(w, ops, row)

    def turn(lane: Value) -> None:
        alone(w, ops, lane, row, spilled)

    over_lanes(w, mask, turn)


def _under_mask(w: Widener, region: Region, most: int) -> None:
    """Write a side of a divergent `if`, behind a branch where it has more than `most` ops; its values are then known
    outside of it."""
    if not needs_branch(region, w.shapes, most):
        outer, w.runs_idle = w.runs_idle, True
        w.region(region)
        w.runs_idle = outer
        return
    some = w.any_of(w.masks)
    assert some is not None
    made = {result for op in region.ops for result in op.results}
    passed = [each for each in dict.fromkeys(region.terminator.operands) if isinstance(each, Value) and each in made]
    shapes: list[Shape] = []
    taken, skipped = Region(), Region()

    def write() -> None:
        outer, w.runs_idle = w.runs_idle, False
        w.region(region)
        w.runs_idle = outer
        shapes.extend(shapes_of(w, passed))
        w.build.terminate("yield", flattened(w, passed, shapes))

    w.inside(taken, write)
    nothing: list[Operand] = [Const(each.type, "poison") for each in taken.terminator.operands]
    Builder(skipped.ops, w.build.loc).terminate("yield", nothing)
    w.build.add(Op("if", [some], bind(w, passed, shapes), {}, [taken, skipped], w.build.loc))


def _blend(w: Widener, result: Value, conditions: Sequence[Operand], then: Operand, otherwise: Operand) -> None:
    shape = w.shapes.of(result)
    for one, other in ((then, otherwise), (otherwise, then)):
        if one == other or is_undefined(other):
            w.values[result] = [w.get(one, row) for row in w.rows_of(shape.dims)]
            return

    def make(row: int) -> Lanes:
        pair = [w.vector(each, row) for each in (then, otherwise)]
        return Lanes(vector=w.build.op("select", [conditions[row], *pair], pair[0].type, result.name))

    w.define(result, make)


def _itself(condition: Operand) -> Operand:
    return condition


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
