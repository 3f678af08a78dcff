# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a loop's trips wait for each other, and how much work they are."""

from __future__ import annotations

import pytest
from test_lanes import solved, threads

from warploom.analysis.lane_shapes import X
from warploom.analysis.recurrences import Recurrence, recurrence_of
from warploom.ir.core import walk

# What a trip does with %a, %b (of each thread) and the counter %i; what it passes on; chain, work, carried registers.
LOOPS = [
    ("%c: float = fmul %a, %b", "%c, %b", Recurrence(4, 0.5, 2), "one product"),
    ("%c: float = fmul %a, %a %d: float = fadd %b, %b", "%d, %c", Recurrence(4, 1, 2), "8 cycles in two trips"),
    ("%c: float = fmul %a, %a %d: float = fadd %c, %b", "%d, %b", Recurrence(8, 1, 2), "8 cycles in one"),
    ("%c: float = fmul %f, %f", "%c, %b", Recurrence(0, 0, 2), "nothing passes on, all threads have the same"),
    ("%c: float = load %p [align=4]", "%c, %b", None, "a load"),
    ("%c: float = if %n1 { yield %a } { yield %b }", "%c, %b", None, "a choice that is no op"),
    ("%c: float = call %a [callee=sinf, effects=none, speculatable=true]", "%c, %b", None, "a function of the library"),
    ("%t: i32 = add %tx, %i %q: i32 = udiv %t, 3:i32 %c: float = sitofp %q", "%c, %b", None, "a division of integers"),
]


@pytest.mark.parametrize(("body", "passed", "expected", "why"), LOOPS, ids=[each[-1] for each in LOOPS])
def test_trips(body: str, passed: str, expected: Recurrence | None, why: str) -> None:
    del why
    shapes, _, loop = solved(
        threads(f"""%n1: i1 = icmp %n, 0:i32 [pred=eq]
        %s: float = sitofp %tx
        %v: float, %w: float = for 0:i32, %n, 1:i32, %s, %s [pred=slt] {{ (%i: i32, %a: float, %b: float)
          {body} yield {passed} }}""")
    )
    inner = next(op for op in walk(loop.region) if op.name == "for")
    assert recurrence_of(inner, lambda each: bool(shapes.of(each).dims & X), 16, 512) == expected
