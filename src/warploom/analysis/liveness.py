# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Liveness across barriers: which values a thread still needs when it comes out of a barrier.

    %a = load %p; %b = fmul %a, %a; barrier; store %b, %q          across the barrier: %b, %q if it is the thread's own

One walk against program order. A loop keeps alive, all the way through, what it uses from outside and what is needed
after it, so that no fixed point is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from warploom.ir.core import Op, Operand, Region, Value, defined_in, used_in, walk_op
from warploom.ir.ops import LOOPS, collective_level
from warploom.ir.types import size_of


def live_across(block: Op) -> dict[Op, list[Value]]:
    """For each barrier or collective in the parallel loop `block`: the values from inside of `block`, in the order in
    which they are defined, that are there when a thread reaches it and that the thread uses after it."""
    inside = defined_in(block)
    order = {value: number for number, value in enumerate(_in_order(block))}
    found: dict[Op, list[Value]] = {}

    def note(op: Op, live: set[Value]) -> None:
        found[op] = sorted(live - set(op.results), key=lambda value: order[value])

    _region(block.region, set(), inside, note)
    return found


def bytes_of(values: Iterable[Value]) -> int:
    """Memory that one copy of each of `values` takes."""
    return sum(size_of(value.type) for value in values)


def _in_order(block: Op) -> Iterable[Value]:
    for op in walk_op(block):
        for region in op.regions:
            yield from region.params
        if op is not block:
            yield from op.results


def _region(region: Region, live: set[Value], inside: set[Value], note: Callable[[Op, set[Value]], None]) -> set[Value]:
    """What is live at the start of `region` when `live` is at its end; `live` is used up."""
    for op in reversed(region.ops):
        if collective_level(op) is not None:
            note(op, live)
        if op.regions:
            live = _control_flow(op, live, inside, note)
        live.difference_update(op.results)
        live.update(_own(op.operands, inside))
    live.difference_update(region.params)
    return live


def _control_flow(op: Op, live: set[Value], inside: set[Value], note: Callable[[Op, set[Value]], None]) -> set[Value]:
    after = live - set(op.results)
    if op.name in LOOPS:
        # What an iteration needs from outside, all iterations need. Initial values only the first one does.
        after |= _needed_inside(op) & inside
    starts = set(after)
    following = set(after)
    for region in reversed(op.regions):
        # The second region of `while` comes after the first, and the first after the second.
        at_end = following | after if op.name == "while" else set(after)
        following = _region(region, at_end, inside, note)
        starts |= following
    return starts


def _needed_inside(loop: Op) -> set[Value]:
    used = {each for region in loop.regions for op in region.ops for each in used_in(op)}
    control = loop.operands[1:3] if loop.name == "for" else []
    return (used | {each for each in control if isinstance(each, Value)}) - defined_in(loop)


def _own(operands: Iterable[Operand], inside: set[Value]) -> set[Value]:
    return {each for each in operands if isinstance(each, Value) and each in inside}
