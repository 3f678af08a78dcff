# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What simplify.py does with loops: those that run never or once go, and so do carried values that never change.

    %r = for 0, 1, 1, %x { (%i, %a) A; yield %b }      ==>     A; %b for %r

Sound because a trip count that constants decide is that of every thread, and a value that each trip hands on as it got
it is the initial one. Loops that count bits: counted_bits.py.
"""

from __future__ import annotations

from warploom.ir.core import FALSE, TRUE, Op, Operand, Value
from warploom.passes.clean.counted_bits import Closed, closed_for, closed_while
from warploom.passes.clean.fold import compare, evaluate
from warploom.passes.clean.simplifier import Simplifier


def counted_loop(s: Simplifier, op: Op, done: list[Op]) -> None:
    """A `for`: gone where it runs never or once, else with fewer carried values."""
    start, bound, step, *inits = op.operands
    body, pred = op.region, str(op.attrs["pred"])
    runs = compare(pred, start, bound)
    if runs is False:
        for result, init in zip(op.results, inits, strict=True):
            s.replace(result, init)
        s.reshaped = True
        return
    following = evaluate(Op("add", [start, step], [Value(start.type)]))
    if runs and following is not None and compare(pred, following, bound) is False:
        for param, operand in zip(body.params, [start, *inits], strict=True):
            s.replace(param, operand)
        s.splice(body, op.results, done)
        return
    _fix_carried(s, op)
    handed_on = _handed_on(s, op)
    scope = s.begin()
    s.assume_comparisons(body.params[0], bound, [(pred, True)])
    s.region(body)
    s.end(scope)
    s.reshaped |= _handed_on(s, op) != handed_on
    _place(s, op, closed_for(op), done)


def _place(s: Simplifier, op: Op, closed: Closed | None, done: list[Op]) -> None:
    """A loop that stays, or what stands for it."""
    if closed is None:
        s.place(op, done)
        return
    ops, last = closed
    for each in ops:
        each.loc = op.loc
        s.op(each, done)
    for result, operand in zip(op.results, last, strict=True):
        s.replace(result, operand)
    s.reshaped = True


def _fix_carried(s: Simplifier, op: Op) -> None:
    """Drop the carried values of a `for` that never change, or that equal another one."""
    body = op.region
    kept: list[int] = []
    seen: dict[tuple[Operand, Operand], int] = {}
    for number, (init, following) in enumerate(zip(op.operands[3:], body.terminator.operands, strict=True)):
        param, result = body.params[1 + number], op.results[number]
        following = s.resolve(following)
        if following is param or following == init:
            s.replace(param, init)
            s.replace(result, init)
        elif (init, following) in seen:
            twin = seen[init, following]
            s.replace(param, body.params[1 + twin])
            s.replace(result, op.results[twin])
        else:
            seen[init, following] = number
            kept.append(number)
    if len(kept) == len(op.results):
        return
    s.reshaped = True
    body.params = [body.params[0], *(body.params[1 + number] for number in kept)]
    body.terminator.operands = [body.terminator.operands[number] for number in kept]
    op.operands = [*op.operands[:3], *(op.operands[3 + number] for number in kept)]
    op.results = [op.results[number] for number in kept]


def loop(s: Simplifier, op: Op, done: list[Op]) -> None:
    """A `while`, likewise."""
    before, after = op.regions
    if s.resolve(before.terminator.operands[0]) == FALSE:
        for param, init in zip(before.params, op.operands, strict=True):
            s.replace(param, init)
        before.terminator.operands = before.terminator.operands[1:]
        s.splice(before, op.results, done)
        return
    if _runs_once(s, op):
        _splice_once(s, op, done)
        return
    _fix_inits(s, op)
    handed_on = _handed_on(s, op)
    scope = s.begin()
    s.region(before)
    s.end(scope)
    _fix_passed(s, op)
    scope = s.begin()
    s.region(after)
    s.end(scope)
    s.reshaped |= _handed_on(s, op) != handed_on
    _place(s, op, closed_while(op), done)


def _handed_on(s: Simplifier, op: Op) -> list[Operand]:
    """What each trip hands on to the next: where the walk changes it, what is carried needs another look."""
    return [s.resolve(operand) for region in op.regions for operand in region.terminator.operands]


def _runs_once(s: Simplifier, op: Op) -> bool:
    """Whether the condition of a `while` is a carried value that begins as true and is false from then on."""
    before, after = op.regions
    condition = before.terminator.operands[0]
    if before.body or condition not in before.params:
        return False
    slot = before.params.index(condition)
    return op.operands[slot] == TRUE and s.resolve(after.terminator.operands[slot]) == FALSE


def _splice_once(s: Simplifier, op: Op, done: list[Op]) -> None:
    """Put the second region of a `while` that runs once in its place."""
    before, after = op.regions
    passed = before.terminator.operands[1:]
    last: dict[Operand, Operand] = dict(zip(before.params, after.terminator.operands, strict=True))
    for param, init in zip(before.params, op.operands, strict=True):
        s.replace(param, init)
    for param, operand in zip(after.params, passed, strict=True):
        s.replace(param, operand)
    after.terminator.operands = [last.get(each, each) for each in passed]
    s.splice(after, op.results, done)


def _fix_inits(s: Simplifier, op: Op) -> None:
    """Drop the carried values of a `while` that never change."""
    before, after = op.regions
    passed = before.terminator.operands[1:]
    arrives = dict(zip(after.params, passed, strict=True))
    kept: list[int] = []
    for number, (init, following) in enumerate(zip(op.operands, after.terminator.operands, strict=True)):
        param = before.params[number]
        following = s.resolve(following)
        back = arrives.get(following, following) if isinstance(following, Value) else following
        if back is param or s.resolve(back) == init:
            s.replace(param, init)
        else:
            kept.append(number)
    if len(kept) == len(op.operands):
        return
    s.reshaped = True
    op.operands = [op.operands[number] for number in kept]
    before.params = [before.params[number] for number in kept]
    after.terminator.operands = [after.terminator.operands[number] for number in kept]


def _fix_passed(s: Simplifier, op: Op) -> None:
    """Drop what a `while` passes on though it is known outside, or passes twice."""
    before, after = op.regions
    condition, *passed = before.terminator.operands
    kept: list[int] = []
    seen: dict[Operand, int] = {}
    for number, operand in enumerate(passed):
        param, result = after.params[number], op.results[number]
        if s.is_outside(operand):
            s.replace(param, operand)
            s.replace(result, operand)
        elif operand is condition:
            s.replace(param, TRUE)
            s.replace(result, FALSE)
        elif operand in seen:
            s.replace(param, after.params[seen[operand]])
            s.replace(result, op.results[seen[operand]])
        else:
            seen[operand] = number
            kept.append(number)
    if len(kept) == len(passed):
        return
    s.reshaped = True
    before.terminator.operands = [condition, *(passed[number] for number in kept)]
    after.params = [after.params[number] for number in kept]
    op.results = [op.results[number] for number in kept]
