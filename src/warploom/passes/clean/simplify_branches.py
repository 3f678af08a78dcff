# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What simplify.py does with an `if`.

    if %c { A }           if %c { A; B }               %r = if %c               %r = select %c, %x, %y
    if %c { B }    ==>                                   { yield %x }    ==>
                                                         { yield %y }

Sound because both sides are run by whom they were, in the order in which they were.
"""

from __future__ import annotations

from warploom.ir.core import FALSE, TRUE, Const, Op, Operand, Value
from warploom.ir.ops import levels_in
from warploom.passes.clean.choices import is_select, lift_results
from warploom.passes.clean.fold import INVERSE, is_poison, negated
from warploom.passes.clean.simplifier import Simplifier


def branch(s: Simplifier, op: Op, done: list[Op]) -> None:
    """An `if`: straightened, joined with its neighbour, or gone."""
    condition = op.operands[0]
    if isinstance(condition, Const) and isinstance(condition.value, int):
        s.splice(op.regions[0 if condition.value else 1], op.results, done)
        return
    joined = _neighbour(op, done)
    if joined is None:
        _orient(s, op, done)
        joined = _neighbour(op, done)
    if joined is None:
        for region, holds in zip(op.regions, (True, False), strict=True):
            scope = s.begin()
            s.assume(op.operands[0], holds)
            s.region(region)
            s.end(scope)
    else:
        done.pop()
        _join(s, joined, op)
        op = joined
    _unnest(s, op, done)
    for lifted in lift_results(op, s.is_outside):
        s.place(lifted, done)
    chosen = _outside_results(s, op)
    is_small = is_select(op)
    if is_small:
        for region in op.regions:
            for inner in region.body:
                s.place(inner, done)
        chosen += list(zip(op.results, *(region.terminator.operands for region in op.regions), strict=True))
    for result, first, second in chosen:
        choice = Op("select", [op.operands[0], first, second], [Value(result.type, result.name)], loc=op.loc)
        s.op(choice, done)
        s.replace(result, choice.result)
    if not is_small and (op.results or any(region.body for region in op.regions)):
        s.place(op, done)


def _orient(s: Simplifier, op: Op, done: list[Op]) -> None:
    """No negated condition; nothing in the second region only."""
    then, other = op.regions
    is_one_sided = not op.results and len(then.ops) == 1 and len(other.ops) > 1
    would_be = not op.results and len(other.ops) == 1
    opposite = negated(op.operands[0], s.definitions)
    if opposite is not None and not would_be:
        op.operands = [opposite]
    elif is_one_sided:
        compared = s.definitions.get(op.operands[0]) if isinstance(op.operands[0], Value) else None
        if compared is not None and compared.name == "icmp":
            pred = INVERSE[str(compared.attrs["pred"])]
            opposite_op = Op("icmp", list(compared.operands), [Value("i1")], {"pred": pred}, loc=compared.loc)
        else:
            opposite_op = Op("xor", [op.operands[0], TRUE], [Value("i1")], loc=op.loc)
        s.op(opposite_op, done)
        op.operands = [s.resolve(opposite_op.result)]
    else:
        return
    op.regions.reverse()
    s.reshaped = True


def _differs(s: Simplifier, condition: Operand, depth: int = 8) -> bool:
    """Whether `condition` is seen to be computed from a thread's number."""
    if condition in s.threads:
        return True
    op = s.definitions.get(condition) if isinstance(condition, Value) else None
    return op is not None and not op.regions and depth > 0 and any(_differs(s, e, depth - 1) for e in op.operands)


def _unnest(s: Simplifier, op: Op, done: list[Op]) -> None:
    """Make one `if` of `op` and one that is all it does, under both conditions.

    Not where all threads may agree on the outer one: it is a branch around them all.
    """
    then, other = op.regions
    if not _holds_one(op) or not _differs(s, op.operands[0]):
        return
    while _holds_one(op):
        inner = then.ops[0]
        alone = not inner.results and len(inner.regions[1].ops) == 1 and s.is_outside(inner.operands[0])
        if not alone or levels_in(op):
            return
        both = Op("select", [op.operands[0], inner.operands[0], FALSE], [Value("i1")], loc=inner.loc)
        s.op(both, done)
        op.operands = [s.resolve(both.result)]
        then = inner.regions[0]
        op.regions = [then, other]
        s.reshaped = True


def _holds_one(op: Op) -> bool:
    """Whether all that `op` does is another `if` where its condition holds."""
    then, other = op.regions
    return not op.results and len(then.ops) == 2 and len(other.ops) == 1 and then.ops[0].name == "if"


def _neighbour(op: Op, done: list[Op]) -> Op | None:
    """The `if` just before `op`, if it has the same condition and no thread waits in either."""
    if not done or done[-1].name != "if" or done[-1].operands[0] is not op.operands[0]:
        return None
    return None if levels_in(op) or levels_in(done[-1]) else done[-1]


def _join(s: Simplifier, first: Op, second: Op) -> None:
    """Append what `second` does to `first`."""
    for number, (into, region) in enumerate(zip(first.regions, second.regions, strict=True)):
        scope = s.begin()
        s.assume(second.operands[0], number == 0)
        ends = into.ops.pop()
        for result, operand in zip(first.results, ends.operands, strict=True):
            s.assumed.append((result, s.replaced.get(result)))
            s.replaced[result] = operand
        s.region(region)
        into.ops += region.ops
        into.terminator.operands = [*ends.operands, *into.terminator.operands]
        s.end(scope)
    first.results = [*first.results, *second.results]
    s.reshaped = True


def _outside_results(s: Simplifier, op: Op) -> list[tuple[Value, Operand, Operand]]:
    """Remove the results of an `if` that need no region; returns those that are a choice of two operands."""
    chosen: list[tuple[Value, Operand, Operand]] = []
    kept: list[tuple[Value, Operand, Operand]] = []
    seen: dict[tuple[Operand, Operand], Value] = {}
    ends = [region.terminator for region in op.regions]
    for result, first, second in zip(op.results, ends[0].operands, ends[1].operands, strict=True):
        if first == second or (is_poison(second) and s.is_outside(first)):
            s.replace(result, first)
        elif is_poison(first) and s.is_outside(second):
            s.replace(result, second)
        elif (first, second) in seen:
            s.replace(result, seen[first, second])
        else:
            seen[first, second] = result
            is_choice = s.is_outside(first) and s.is_outside(second)
            (chosen if is_choice else kept).append((result, first, second))
    if len(kept) < len(op.results):
        s.reshaped = True
        op.results = [result for result, _, _ in kept]
        ends[0].operands = [first for _, first, _ in kept]
        ends[1].operands = [second for _, _, second in kept]
    return chosen
