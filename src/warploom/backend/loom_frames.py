# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that one function leaves for another in memory of its own.

    %p = icmp slt %type, 5                    store %type
    %q = icmp slt %type, 2          ==>
    grid { if %p {...} if %q {...} }          load %type; %p = icmp slt %type, 5; %q = icmp slt %type, 2

Comparisons with constants, which a `switch` leaves one of for each of its cases, are computed again from what they
compare where that goes to memory anyway, or is compared more than once. Sound because the other function finds the same
number in memory for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from warploom.backend.loom_code import Code
from warploom.core.records import dataclass
from warploom.ir.core import Const, Function, Op, Value
from warploom.ir.types import align_of, size_of

_LEAST_ALIGN = 16  # bytes


@dataclass(frozen=True)
class Handed:
    """What a function hands on: `kept` in memory; `tests`, from that, the other one computes again."""

    kept: list[Value]
    tests: list[Op]


def comparisons_of(function: Function) -> dict[Value, Op]:
    """The comparisons of a number with a constant that are made once a launch, by their results."""
    return {
        op.results[0]: op
        for op in function.body.ops
        if op.name == "icmp"
        and op.results[0].type == "i1"
        and sum(isinstance(each, Const) for each in op.operands) == 1
    }


def handed_on(captured: Sequence[Value], function: Function) -> Handed:
    """How to hand on the values `captured` of `function`."""
    tests = comparisons_of(function)
    found = {value: _compared(tests[value]) for value in captured if value in tests}
    times = Counter(found.values())
    kept = [each for each in captured if each not in found]
    known = set(kept)
    again: list[Op] = []
    for value, compared in found.items():
        if compared in known or times[compared] > 1:
            again.append(tests[value])
            if compared not in known:
                known.add(compared)
                kept.append(compared)
        else:
            kept.append(value)
    return Handed(kept, again)


def _compared(test: Op) -> Value:
    (value,) = (each for each in test.operands if isinstance(each, Value))
    return value


def offsets_of(types: Sequence[str]) -> Iterator[int]:
    """Where values of these types lie in memory, in bytes."""
    end = 0
    for each in types:
        begin = -(-end // align_of(each)) * align_of(each)
        end = begin + size_of(each)
        yield begin


def store_frame(code: Code, members: Sequence[tuple[str, str]]) -> str:
    """Store values, each a type and a name, where another function finds them; the address."""
    types = [each for each, _ in members]
    offsets = [*offsets_of(types)]
    size = offsets[-1] + size_of(types[-1]) if types else 0
    frame = code.fresh("frame")
    align = max((_LEAST_ALIGN, *map(align_of, types)))
    code.entry.append(f"  {frame} = alloca [{size} x i8], align {align}")
    for offset, (member, value) in zip(offsets, members, strict=True):
        at = code.value("at", f"getelementptr inbounds i8, ptr {frame}, i64 {offset}")
        code.line(f"store {member} {value}, ptr {at}")
    return frame


def load_frame(code: Code, handed: Handed) -> None:
    """Load what `store_frame` has left at %frame, and compute what follows from it."""
    for offset, value in zip(offsets_of([each.type for each in handed.kept]), handed.kept, strict=True):
        at = code.value("at", f"getelementptr inbounds i8, ptr %frame, i64 {offset}")
        code.line(f"{code.define(value)} = load {value.type}, ptr {at}")
    for test in handed.tests:
        code.op(test)
