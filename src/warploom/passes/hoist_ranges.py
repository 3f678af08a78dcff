# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turn the guard of a thread loop into the loop's bound.

    block %bdx, 1, 1 { (%tx, ...)                     %left = clamp(%n - %bx * %bdx, 0, %bdx)   (i64)
      %i = add (mul %bx, %bdx), %tx                   block %left, 1, 1 { (%tx, ...)
      if %i < %n {                              ==>     %i = ...
        A                                               A
        yield                                           yield
      } { yield }                                     }
      yield
    }

    if tx < s { A }   ->  bound min(bdx, s)           if tx == k { A }  ->  one thread, tx = k
    if tx >= s { A }  ->  bound bdx - s, tx + s

Sound for a thread loop without barriers and collectives, in any stage: its threads are independent, and a thread whose
guard fails only runs ops that may be removed. The guard must be a comparison of `tx + rest` (or ty, tz) with a bound,
both exact over the integers (analysis/exact_linear.py) and, but for tx, the same for all threads; then the threads that
pass are a range. What is called and may ask which thread it is takes the loop's index for the thread's number: around
such a call only guards that begin with the first thread are hoisted. A conjunction gives up those of its parts that are
such comparisons: dropping a thread early is as good as dropping it late. The loop over threads is left without a branch
or a mask. (Moses et al., High-Performance
GPU-to-CPU Transpilation, section IV.)
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from warploom.analysis.exact_linear import MAX_DEPTH, Exact, Linear, Ranges
from warploom.analysis.integers import fits, type_range
from warploom.core.remarks import Remark
from warploom.ir import types
from warploom.ir.core import (
    FALSE,
    TRUE,
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
    replace_uses,
    walk,
)  # fmt: skip
from warploom.ir.ops import levels_in
from warploom.ir.properties import is_removable, may_ask_for_thread
from warploom.passes.base import Context, Pass

NAME = "hoist_ranges"
SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
INVERTED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True, slots=True)
class Guard:
    """thread id + rest `relation` bound, with `rest` and `bound` the same for all threads."""

    dimension: int
    relation: str  # lt le gt ge eq
    rest: Linear
    bound: Linear
    unsigned64: bool  # over [0, 2^64) instead of [-2^63, 2^63)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a conjunction: `value`, or its negation."""

    value: Operand
    positive: bool


# -- questions --------------------------------------------------------------------------------------------------------


def has_independent_threads(op: Op) -> bool:
    """Whether `op` is a thread loop whose iterations may be dropped one by one."""
    return op.name == "block" and not levels_in(op)


def guarding_if(block: Op) -> Op | None:
    """The `if` around all that the body of `block` does."""
    body = block.region.body
    if not body or body[-1].name != "if" or body[-1].results:
        return None
    guard = body[-1]
    filled = [region for region in guard.regions if region.body]
    return guard if len(filled) == 1 and all(is_removable(each) for each in body[:-1]) else None


def parts_of(condition: Operand, positive: bool, definitions: dict[Value, Op]) -> list[Part]:
    """`condition` (or its negation) as a conjunction, in order of evaluation."""
    op = definitions.get(condition) if isinstance(condition, Value) else None
    if op is not None:
        if op.name == "xor" and TRUE in op.operands:
            return parts_of(op.operands[op.operands.index(TRUE) ^ 1], not positive, definitions)
        joined = _joined(op, positive)
        if joined is not None:
            return [part for each in joined for part in parts_of(each, positive, definitions)]
    return [Part(condition, positive)]


def _joined(op: Op, positive: bool) -> tuple[Operand, Operand] | None:
    """The two sides when `op` is an `and` (an `or`, for a negation), also in its short-circuit form."""
    if op.name == ("and" if positive else "or"):
        return op.operands[0], op.operands[1]
    if op.name == "select" and op.results[0].type == "i1":
        condition, yes, no = op.operands
        if positive and no == FALSE:
            return condition, yes
        if not positive and yes == TRUE:
            return condition, no
    return None


def guard_of(part: Part, block: Op, exact: Exact) -> Guard | None:
    """`part` as a range of threads."""
    op = exact.ranges.definitions.get(part.value) if isinstance(part.value, Value) else None
    if op is None or op.name != "icmp" or not types.is_int(op.operands[0].type):
        return None
    predicate = str(op.attrs["pred"])
    relation = predicate[-2:]
    for signed in (True, False) if relation == predicate else (predicate[0] == "s",):
        left, right = (exact.lift(each, signed) for each in op.operands)
        if left is None or right is None:
            continue
        found = _range_of_threads(block, left, right, relation if part.positive else INVERTED[relation])
        if found is None:
            continue
        dimension, relation_, left, right = found
        rest, bound = exact.without_threads(left), exact.without_threads(right)
        unsigned64 = not signed and types.bits(op.operands[0].type) == 64
        if all(fits((side.low, side.high), type_range("i64", not unsigned64)) for side in (rest, bound)):
            return Guard(dimension, relation_, rest, bound, unsigned64)
    return None


def _range_of_threads(block: Op, left: Linear, right: Linear, relation: str) -> tuple[int, str, Linear, Linear] | None:
    """The comparison with a thread id on the left only."""
    if right.threads:
        left, right, relation = right, left, SWAPPED[relation]
    if relation == "ne" or right.threads or list(left.threads.values()) != [1]:
        return None
    return block.region.params.index(next(iter(left.threads))), relation, left, right


def depends_on_block(form: Linear, blocks: Collection[Value], definitions: dict[Value, Op]) -> bool:
    """Whether `form` differs between the blocks of a grid."""
    work, seen = [each.value for each in form.terms], set[Value]()
    while work:
        value = work.pop()
        if value in blocks:
            return True
        op = definitions.get(value)
        if op is not None and value not in seen and not op.regions:
            seen.add(value)
            work += [each for each in op.operands if isinstance(each, Value)]
    return False


def has_short_rows(block: Op, function: Function) -> bool:
    """Whether `block` has many rows, each of one or two vectors."""
    size, *others = block.operands
    lanes = function.facts.processor.lanes(4)
    is_short = isinstance(size, Const) and int(size.value) <= 2 * lanes
    return is_short and any(each != Const("i32", 1) for each in others)


def cuts_inside(guard: Guard, ranges: Ranges) -> bool:
    """Whether `guard` takes away the first threads of each row, how many being known only at run time, and in all
    blocks alike: not where the data begins."""
    moving = guard.rest.terms or guard.bound.terms
    if guard.dimension != 0 or guard.relation not in ("gt", "ge") or not moving:
        return False
    return not any(depends_on_block(side, ranges.index_of, ranges.definitions) for side in (guard.rest, guard.bound))


def are_better_as_masks(guards: list[Guard | None], block: Op, ranges: Ranges) -> bool:
    """Whether what `guards` say of threads in x had better stay a mask.

    A bound would save no vector, and vectors that begin anywhere in a row straddle cache lines; in whole rows what the
    mask needs is computed once for all rows.
    """
    inside = any(each is not None and cuts_inside(each, ranges) for each in guards)
    return inside and has_short_rows(block, ranges.function)


def is_well_defined(value: Operand, ranges: Ranges, depth: int = 0) -> bool:
    """Whether `value` is surely not poison: launch, ids and parameters, and what cannot wrap into poison from them."""
    if isinstance(value, Const):
        return isinstance(value.value, int)
    op = ranges.definitions.get(value)
    if op is None:
        return value in ranges.known or value in ranges.function.params
    total = op.name in ("add", "sub", "mul", "and", "or", "xor", "sext", "zext", "trunc", "icmp", "select", "freeze")
    if not total or op.attrs.get("flags") or depth > MAX_DEPTH:
        return False
    return op.name == "freeze" or all(is_well_defined(each, ranges, depth + 1) for each in op.operands)


# -- rewriting --------------------------------------------------------------------------------------------------------


class Before:
    """Writes ops in front of a thread loop."""

    def __init__(self, exact: Exact, ops: list[Op], guard: Op, certain: bool) -> None:
        self.exact = exact
        self.builder = Builder(ops, guard.loc)
        self.certain = certain  # some thread evaluates the guard
        self.copies: dict[Value, Operand] = {}

    def outside(self, value: Value) -> Operand:
        """`value` as known outside of the loop: copied with what it is computed from."""
        if value not in self.exact.inside:
            return value
        if value not in self.copies:
            op = self.exact.ranges.definitions[value]
            for operand in op.operands:
                if isinstance(operand, Value):
                    self.copies[operand] = self.outside(operand)
            copy = self.builder.add(clone_op(op, self.copies))
            self.exact.ranges.definitions[copy.result] = copy
        return self.copies[value]

    def op(self, name: str, operands: list[Operand], type_: str, **attrs: str) -> Value:
        """Append an op and make it known."""
        value = self.builder.op(name, operands, type_, **attrs)
        self.exact.ranges.definitions[value] = self.builder.ops[-1]
        return value

    def sum(self, side: Linear) -> Operand:
        """`side` in i64."""
        total: Operand | None = None
        for term in side.terms:
            value: Operand = self.outside(term.value)
            if not self.certain and not is_well_defined(value, self.exact.ranges):
                value = self.op("freeze", [value], value.type)
            if value.type != "i64":
                value = self.op("sext" if term.signed else "zext", [value], "i64")
            if term.factor != 1:
                value = self.op("mul", [value, int_const("i64", term.factor)], "i64")
            total = value if total is None else self.op("add", [total, value], "i64")
        if total is None:
            return int_const("i64", side.constant)
        return self.op("add", [total, int_const("i64", side.constant)], "i64") if side.constant else total

    def least(self, one: Operand, other: Operand) -> Operand:
        """The smaller of two unsigned numbers."""
        for small, large in ((one, other), (other, one)):
            if isinstance(small, Const) and int(small.value) <= self.exact.ranges.of(large, False)[0]:
                return small
        less = self.op("icmp", [one, other], "i1", pred="ult")
        return self.op("select", [less, one, other], one.type)

    def threads_below(self, guard: Guard, old: Operand, inclusive: bool) -> Operand:
        """How many of the first `old` thread ids t have t + rest < bound (or <=); i32."""
        if not guard.rest.terms and not guard.bound.terms:
            number = guard.bound.constant - guard.rest.constant + inclusive
            return self.least(old, int_const("i32", min(max(number, 0), 1 << 20)))
        bound, rest, old64 = self.sum(guard.bound), self.sum(guard.rest), self.widen(old)
        order = ("u" if guard.unsigned64 else "s") + ("ge" if inclusive else "gt")
        some = self.op("icmp", [bound, rest], "i1", pred=order)
        # bound - rest may exceed 2^63; as bound >= rest it is exact as an unsigned number.
        count = self.least(self.op("sub", [bound, rest], "i64"), old64)
        if inclusive:
            count = self.least(self.op("add", [count, int_const("i64", 1)], "i64"), old64)
        count = self.op("select", [some, count, int_const("i64", 0)], "i64")
        return self.op("trunc", [count], "i32")

    def widen(self, size: Operand) -> Operand:
        """i32 to i64."""
        return int_const("i64", int(size.value)) if isinstance(size, Const) else self.op("zext", [size], "i64")

    def minus(self, one: Operand, other: Operand) -> Operand:
        """one - other, i32."""
        if isinstance(one, Const) and isinstance(other, Const):
            return int_const("i32", int(one.value) - int(other.value))
        return one if other == Const("i32", 0) else self.op("sub", [one, other], "i32")


def _narrow(block: Op, guard: Guard, before: Before) -> None:
    """Let `block` run only the threads of `guard`."""
    old = block.operands[guard.dimension]
    if guard.relation in ("lt", "le"):
        block.operands[guard.dimension] = before.threads_below(guard, old, guard.relation == "le")
        return
    start = before.threads_below(guard, old, guard.relation == "gt")
    if guard.relation == "eq":
        end = before.threads_below(guard, old, inclusive=True)
        block.operands[guard.dimension] = before.minus(end, start)
    else:
        block.operands[guard.dimension] = before.minus(old, start)
    _shift(block, guard, start, before)


def _shift(block: Op, guard: Guard, start: Operand, before: Before) -> None:
    """Number the threads of `block` from `start` on (only `start`, for an equality)."""
    if start == Const("i32", 0) and guard.relation != "eq":
        return
    ranges = before.exact.ranges
    if isinstance(start, Value):
        ranges.known[start] = (0, 1024)
    old = block.region.params[guard.dimension]
    new = Value("i32", old.name)
    ranges.known[new] = ranges.known[old]
    block.region.params[guard.dimension] = new
    if guard.relation == "eq":
        replace_uses(block.region, {old: start})
        return
    shifted = Op("add", [new, start], [old], {"flags": ("nuw", "nsw"), "range": ranges.known[new]})
    block.region.ops.insert(0, shifted)
    ranges.definitions[old] = shifted
    del ranges.known[old]


def _conjunction(parts: list[Part], builder: Builder, ranges: Ranges) -> Operand:
    total: Operand | None = None
    for part in parts:
        value = part.value if part.positive else builder.op("xor", [part.value, TRUE], "i1")
        total = value if total is None else builder.op("select", [total, value, FALSE], "i1")
    assert total is not None
    for op in builder.ops:
        ranges.definitions.update(dict.fromkeys(op.results, op))
    return total


def hoist_guard(block: Op, before: list[Op], ranges: Ranges, context: Context) -> bool:
    """Move what can be moved of the guard of `block` into its bounds, computed in `before`; true when anything was."""
    guard = guarding_if(block)
    if guard is None:
        return False
    filled = next(region for region in guard.regions if region.body)
    parts = parts_of(guard.operands[0], filled is guard.regions[0], ranges.definitions)
    kept: list[Part] = []
    exact = Exact(ranges, frozenset(block.region.params), defined_in(block))
    asks = any(may_ask_for_thread(op) for op in walk(filled))
    masks = are_better_as_masks([guard_of(part, block, exact) for part in parts], block, ranges)
    for part in parts:
        exact = Exact(ranges, frozenset(block.region.params), defined_in(block))
        found = guard_of(part, block, exact)
        shifts = found is not None and found.relation not in ("lt", "le")
        if found is None or (asks and shifts) or (masks and found.dimension == 0 and found.relation != "eq"):
            kept.append(part)
            continue
        # Elsewhere what the guard is computed from may be poison, as nobody looks at it.
        certain = part is parts[0] and all(ranges.of(each, False)[0] >= 1 for each in block.operands)
        _narrow(block, found, Before(exact, before, guard, certain))
        remark = Remark(NAME, "the guard became the bound of the loop over threads", guard.loc)
        if remark not in context.remarks:  # copies of unrolled loops share a place
            context.remarks.append(remark)
    if len(kept) == len(parts):
        return False
    body = block.region.ops
    if not kept:
        body[-2:-1] = filled.body
        return True
    condition: list[Op] = []
    guard.operands[0] = _conjunction(kept, Builder(condition, guard.loc), ranges)
    if filled is not guard.regions[0]:
        guard.regions.reverse()
    body[-2:-2] = condition
    return True


def _visit(region: Region, ranges: Ranges, context: Context) -> bool:
    changed = False
    ops: list[Op] = []
    for op in region.ops:
        for inner in op.regions:
            changed |= _visit(inner, ranges, context)
        if has_independent_threads(op):
            while hoist_guard(op, ops, ranges, context):
                changed = True
        ops.append(op)
    region.ops = ops
    return changed


def run(function: Function, context: Context) -> bool:
    """Hoist the guards of all independent thread loops."""
    ranges = Ranges(function)
    changed = _visit(function.body, ranges, context)
    if changed:
        function.facts = replace(function.facts, narrowed=True)
        ranges.note_limits()
    return changed


HOIST_RANGES = Pass(NAME, run)
