# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An index that goes on only where it was within bounds goes on in all threads.

    for %k = 0, 4, 1, %first { (%i)                          for %k = 0, 4, 1 {
      if %i < %n { A; yield %i + 128 } { yield %i }   ==>      if %first < ssub.sat(%n, 128 * %k) {
    }                                                            A with %first + 128 * %k in place of %i } }

That is how code writes `if (i < n) { ...; i += step; }` for the elements of a thread. Threads that stop have another
index than those that go on; all that uses it is behind the test, where all have gone on.

Sound because `n` is the same in all trips: a thread that has stopped has an index of `n` at least and never goes on,
and `first + step * k < n` exactly where `first < n - step * k`, over the integers; where that is less than any number,
nobody passes either way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from warploom.analysis.integers import signed_value, type_range
from warploom.analysis.steps import known_trips
from warploom.ir.core import Builder, Const, Op, Region, Value, flags_of, int_const, replace_uses, uses_of

_ZERO, _ONE = int_const("i32", 0), int_const("i32", 1)


def let_counters_go_on(region: Region) -> bool:
    """Rewrite the loops in `region`; true where any was."""
    uses = cache(partial(uses_of, region))  # in most regions no loop asks
    return _visit(region, uses)


def _visit(region: Region, uses: Callable[[], dict[Value, list[tuple[Op, int]]]]) -> bool:
    changed = False
    for op in region.ops:
        for inner in op.regions:
            changed |= _visit(inner, uses)
        if op.name == "for" and op.operands[0] == _ZERO and op.operands[2] == _ONE:
            for number, counter in enumerate(op.region.params[1:]):
                found = _guarded_step(op, number, counter, uses)
                if found is not None:
                    _rewrite(op, number, counter, *found)
                    changed = True
    return changed


def _guarded_step(
    loop: Op, number: int, counter: Value, uses: Callable[[], dict[Value, list[tuple[Op, int]]]]
) -> tuple[Op, Op, int] | None:
    """The `if` in which `counter` goes on, its test, and by how much."""
    trips = known_trips(loop)
    following = loop.region.terminator.operands[number]
    made = {value: op for op in loop.region.body for value in op.results}
    guard = made.get(following) if isinstance(following, Value) else None
    if guard is None or guard.name != "if" or not isinstance(following, Value):
        return None
    test = made.get(guard.operands[0]) if isinstance(guard.operands[0], Value) else None
    if test is None or test.name != "icmp" or test.attrs["pred"] != "slt" or test.operands[0] is not counter:
        return None
    if test.operands[1] in made or test.operands[1] in loop.region.params:
        return None  # who has stopped could go on when the bound grows
    at = guard.results.index(following)
    (goes_on, stays), inside = (each.terminator.operands[at] for each in guard.regions), guard.regions[0]
    step = next((op for op in inside.body if goes_on in op.results), None)
    if step is None or step.name != "add" or "nsw" not in flags_of(step) or step.operands[0] is not counter:
        return None
    by = signed_value(step.operands[1]) if isinstance(step.operands[1], Const) else None
    if stays is not counter or counter.type != "i32" or not trips or by is None:
        return None
    behind = uses_of(inside)[counter]
    known = uses()
    is_behind = len(known[counter]) == len(behind) + 2  # the test, and what a thread has that stops
    is_used = known.get(loop.results[number]) or len(known[following]) > 1
    fits = by > 0 and by * trips <= type_range("i32")[1]
    return (guard, test, by) if is_behind and fits and not is_used else None


def _rewrite(loop: Op, number: int, counter: Value, guard: Op, test: Op, by: int) -> None:
    """Let `counter` be what it starts with, and compute from it what it was."""
    ops: list[Op] = []
    build = Builder(ops, test.loc)
    far = build.op("mul", [loop.region.params[0], int_const("i32", by)], "i32")
    attrs = {"callee": "llvm.ssub.sat.i32", "effects": "none", "speculatable": True}
    test.operands[1] = build.op("call", [test.operands[1], far], "i32", **attrs)
    at = loop.region.ops.index(test)
    loop.region.ops[at:at] = ops
    there = Op("add", [counter, far], [Value("i32", counter.name)], {}, [], test.loc)
    replace_uses(guard.regions[0], {counter: there.result})
    guard.regions[0].ops.insert(0, there)
    loop.region.terminator.operands[number] = counter
