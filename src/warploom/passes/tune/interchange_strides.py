# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interchange a grid-stride loop with the loop over threads: all threads make one trip, then all the next.

    block 256 { (%tx)                                  %limit = %n + %s does not wrap ? %n - 255 : %first
      for %i = %first + %tx, %n, %s {                  %b = for %b = %first, %limit, %s {
        A(%i)                                 ==>        A(%b + %tx)
      }                                                  barrier
    }                                                  }
                                                       if %b < %n { for %i = %b + %tx, %n, %s { A(%i) } }

A GPU runs the threads of a block side by side, so that a trip reads one piece of memory after the other. One thread
after the other, each vector of them touches two lines in each of many pages: no prefetcher follows, and steps of a
power of two fall into one set of the first cache. With a barrier in it (split_barriers.py) the loop moves out of the
threads.

Theorem: a barrier that all threads of the block reach only leaves out orders in which they could run, if none waits for
another. All reach this one: the new loop is the same for all threads. It has trips that all threads have, since
%b < %n - 255 makes %b + %tx < %n, and its counter grows (%s > 0 is asked as well) and does not wrap, as
%b + %s < %n + %s. Thread t's counter is %b + %tx throughout, and behind the new loop the old one goes on from there:
with the trips that only some threads have, or with all of them where the new loop has none. Where %b is not less than
%n, no %b + t is.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil

from warploom.analysis.exact_linear import Exact, Linear, Ranges
from warploom.analysis.integers import signed_value
from warploom.analysis.steps import NONE as NO_STEP
from warploom.analysis.steps import Steps
from warploom.core.launch import MAX_BLOCK
from warploom.ir import types
from warploom.ir.core import (
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    int_const,
    walk,
    walk_op,
)
from warploom.ir.ops import FEW_TRIPS, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import GRIDS_SPLIT, SCALAR
from warploom.passes.tune.cache_lines import is_out_of_reach

NAME = "interchange_strides"
# What a loop carries goes through memory in each trip. That pays from so many trips on where it accesses as many bytes
# in one, in proportion; where it carries more than twice of these only if they come from memory, not from a cache.
FEWEST_TRIPS = 16
LARGE = 1 << 24  # bytes that all trips access
_ACCESSES = frozenset("load store atomicrmw cmpxchg".split())


def _exact(ranges: Ranges, block: Op) -> Exact:
    return Exact(ranges, frozenset(block.region.params), defined_in(block))


class _Loop:
    """A loop in a loop over threads, and what is asked of it."""

    def __init__(self, op: Op, block: Op, ranges: Ranges) -> None:
        self.op, self.block, self.ranges = op, block, ranges
        self.exact = _exact(ranges, block)
        self.signed = op.attrs.get("pred") == "slt"
        self.first = self._first()

    def _first(self) -> Linear | None:
        """Where thread 0 begins, if thread t begins t further."""
        lower, upper, step = self.op.operands[:3]
        if self.op.attrs["pred"] not in ("slt", "ult") or types.bits(lower.type) not in (32, 64):
            return None
        if not (self.exact.is_uniform(upper) and self.exact.is_uniform(step)):
            return None
        form = self.exact.lift(lower, self.signed)
        return self.exact.without_threads(form) if form and form.threads == {self.block.region.params[0]: 1} else None

    @property
    def strides_over_grid(self) -> bool:
        """Whether a step depends on how many blocks there are, or is known and longer than a block."""
        step = self.op.operands[2]
        if isinstance(step, Const):
            return (signed_value(step) or 0) > MAX_BLOCK[0]
        work, seen = [step], set[Operand]()
        while work:
            value = work.pop()
            op = self.ranges.definitions.get(value) if isinstance(value, Value) else None
            if op is not None and not op.regions and value not in seen:
                work += op.operands
            seen.add(value)
        return not seen.isdisjoint(self.ranges.function.params[:3])

    @property
    def may_be_interchanged(self) -> bool:
        """Whether threads do not wait in it, and no private array lasts from trip to trip."""
        inside = defined_in(self.op)
        arrays = any(op.name == "alloca" and op.result not in inside for op in walk(self.block.region))
        calls = any(op.name in ("call_indirect", "asm") or op.attrs.get("effects") == "any" for op in walk_op(self.op))
        return not calls and not arrays and not levels_in(self.op)

    @cached_property
    def bytes_far(self) -> int:
        """How many bytes a trip accesses in steps that no prefetcher follows."""
        steps, found = Steps(self.op, self.ranges.definitions), 0
        for each in walk(self.op.region):
            if each.name in _ACCESSES:
                step = steps.of(each.operands[each.name == "store"])
                if step is not None and step != NO_STEP and is_out_of_reach(step):
                    found += types.size_of(each.operands[0].type if each.name == "store" else each.result.type)
        return found

    @property
    def bytes_carried(self) -> int:
        """How many bytes a thread takes from trip to trip."""
        return sum(types.size_of(each.type) for each in self.op.results)


def is_worth_interchanging(loop: _Loop) -> bool:
    """Whether `loop` is one of the whole grid whose trips lie far apart."""
    return loop.first is not None and loop.strides_over_grid and loop.may_be_interchanged and loop.bytes_far > 0


def _limit(loop: _Loop, first: Operand, build: Builder) -> Operand:
    """Where the trips end that all threads of the block have; `first` where a counter might wrap, and where what the
    loop carries would go through memory for a few trips."""
    upper, step = loop.op.operands[1:3]
    order, extend = ("s", "sext") if loop.signed else ("u", "zext")
    type_ = upper.type
    size = loop.block.operands[0] if type_ == "i32" else build.op("zext", [loop.block.operands[0]], type_)
    tests = [build.op("icmp", [upper, size], "i1", pred=order + "ge")]
    if type_ == "i64":
        most = 1 << 62
        tests.append(build.op("icmp", [upper, int_const(type_, most)], "i1", pred=order + "le"))
    else:
        wide, *others = [build.op(extend, [each], "i64") for each in (upper, step, size)]
        most = (1 << (32 - loop.signed)) - 1
        end: Operand = wide
        for each in others:
            end = build.op("add", [end, each], "i64", flags=("nsw",))
        tests.append(build.op("icmp", [end, int_const("i64", most)], "i1", pred="sle"))
    low, high = loop.ranges.of(step, loop.signed)
    if low < 1 or high > most:
        # One less: 0 and what is below are large as unsigned numbers.
        less = build.op("add", [step, int_const(type_, -1)], type_)
        tests.append(build.op("icmp", [less, int_const(type_, most)], "i1", pred="ult"))
    holds = tests[0]
    for each in tests[1:]:
        holds = build.op("and", [holds, each], "i1")
    limit = build.op("sub", [upper, build.op("add", [size, int_const(type_, -1)], type_)], type_)
    if loop.op.results:
        # A limit below `first` makes a large number, and no trip either way.
        distance = build.op("sub", [limit, first], type_)
        part = build.op("lshr", [distance, int_const(type_, _fewest_trips(loop).bit_length() - 1)], type_)
        tests = [build.op("icmp", [part, step], "i1", pred="uge")]
        if loop.bytes_carried > 2 * loop.bytes_far:
            tests.append(build.op("icmp", [distance, int_const(type_, LARGE // loop.bytes_far)], "i1", pred="uge"))
        for each in tests:
            holds = build.op("and", [holds, each], "i1")
    return build.op("select", [holds, limit, first], type_)


def _fewest_trips(loop: _Loop) -> int:
    """From how many trips on it pays that values are carried through memory; a power of two."""
    return 1 << max(0, ceil(FEWEST_TRIPS * loop.bytes_carried / loop.bytes_far) - 1).bit_length()


def _sum(form: Linear, type_: str, build: Builder) -> Operand:
    """A sum that fits a type, in that type."""
    total: Operand = int_const(type_, form.constant)
    for term, factor in form.shared.items():
        value: Operand = term.value
        if value.type != type_:
            wider = types.bits(value.type) > types.bits(type_)
            value = build.op("trunc" if wider else "sext" if term.signed else "zext", [value], type_)
        total = build.op("add", [total, build.op("mul", [value, int_const(type_, factor)], type_)], type_)
    return total


def _interchanged(loop: _Loop) -> list[Op]:
    """The loop of the block, and what it leaves of the old one."""
    ops: list[Op] = []
    op, build = loop.op, Builder(ops, loop.op.loc)
    upper, step = op.operands[1:3]
    type_ = upper.type
    assert loop.first is not None, "where the loop begins is known"
    first = _sum(loop.first, type_, build)
    limit = _limit(loop, first, build)
    thread: Operand = loop.block.region.params[0]
    if type_ == "i64":
        thread = build.op("zext", [thread], type_)
    body = clone_op(op, {}).region
    counter, *carried = body.params
    start, end = Value(type_, counter.name), Value(type_, counter.name)
    flags = ("nsw",) if loop.signed else ("nuw",)
    own = Op("add", [start, thread], [counter], {"flags": flags}, loc=op.loc)
    following = Op("add", [start, step], [Value(type_)], loc=op.loc)
    *inner, last = body.ops
    barrier = Op("barrier", attrs={"level": "block"}, loc=op.loc)
    passed = Op("yield", [following.result, *last.operands], loc=op.loc)
    again = Value(type_, counter.name)
    body = Region([start, again, *carried], [own, *inner, barrier, following, passed])
    results = [Value(each.type, each.name) for each in carried]
    attrs = {name: value for name, value in op.attrs.items() if name != "flags"}
    build.add(Op("for", [first, limit, step, first, *op.operands[3:]], [end, *results], attrs, [body], op.loc))
    more = build.op("icmp", [end, upper], "i1", pred=op.attrs["pred"])
    rest: list[Op] = []
    own_start = Builder(rest, op.loc).op("add", [end, thread], type_, flags=flags)
    left = clone_op(op, {})
    if not results:
        left.attrs[FEW_TRIPS] = True
    left.operands = [own_start, upper, step, *results]
    sides = [Region([], [*rest, left, Op("yield", list(left.results))]), Region([], [Op("yield", list(results))])]
    build.add(Op("if", [more], op.results, {}, sides, op.loc))
    return ops


def _visit(region: Region, block: Op, ranges: Ranges, context: Context) -> bool:
    """Interchange the loops of `region`, to which all threads come or none."""
    changed = False
    ops: list[Op] = []
    for op in region.ops:
        made = [op]
        if op.name == "for":
            loop = _Loop(op, block, ranges)
            if is_worth_interchanging(loop):
                made = _interchanged(loop)
                changed = True
                context.remark(
                    NAME, "all threads of a block make one trip of the grid-stride loop, then all the next", op.loc
                )
        elif op.name == "if" and _exact(ranges, block).is_uniform(op.operands[0]):
            for inner in op.regions:
                changed |= _visit(inner, block, ranges, context)
        ops += made
    region.ops = ops
    return changed


def run(function: Function, context: Context) -> bool:
    """Interchange the grid-stride loops of `function`."""
    blocks = [op for op in walk(function.body) if op.name == "block"]
    if function.facts.waits or not any(op.name == "for" for each in blocks for op in walk(each.region)):
        return False
    ranges = Ranges(function)
    changed = [_visit(each.region, each, ranges, context) for each in blocks]
    if any(changed):
        ranges.note_limits()
    return any(changed)


INTERCHANGE_STRIDES = Pass(NAME, run, requires=(SCALAR, GRIDS_SPLIT))
