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

from warploom.analysis.exact_linear import Exact, Linear, Ranges
from warploom.analysis.integers import fits, type_range
from warploom.core.records import replace
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
    defined_in,
    replace_uses,
    walk,
)  # fmt: skip
from warploom.ir.ops import levels_in
from warploom.ir.properties import may_ask_for_thread
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.guards.thread_guards import (
    INVERTED,
    SWAPPED,
    Guard,
    Part,
    Preheader,
    depends_on_block,
    guarding_if,
    parts_of,
)

NAME = "hoist_ranges"


# -- questions -------------------------------------------------------------------------------------------------------


def has_independent_threads(op: Op) -> bool:
    """Whether `op` is a thread loop whose iterations may be dropped one by one."""
    return op.name == "block" and not levels_in(op)


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


def has_short_rows(block: Op, function: Function) -> bool:
    """Whether `block` has many rows, each of one or two vectors."""
    size, *others = block.operands
    lanes = function.facts.processor.lanes(4)
    is_short = isinstance(size, Const) and int(size.value) <= 2 * lanes
    return is_short and any(each != Const("i32", 1) for each in others)


def cuts_inside(guard: Guard, ranges: Ranges) -> bool:
    """Whether `guard` takes away the first threads of each row, how many being known only at run time, and in all
    blocks alike: not where the data begins."""
    moving = guard.rest.sum.terms or guard.bound.sum.terms
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


# -- rewriting --------------------------------------------------------------------------------------------------------


def _narrow(block: Op, guard: Guard, before: Preheader) -> None:
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


def _shift(block: Op, guard: Guard, start: Operand, before: Preheader) -> None:
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
        # Elsewhere what the guard is computed from may be poison: no thread computes it.
        certain = part is parts[0] and all(ranges.of(each, False)[0] >= 1 for each in block.operands)
        _narrow(block, found, Preheader(exact, before, guard, certain))
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


HOIST_RANGES = Pass(NAME, run, requires=(FLAT,))
