# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that take pieces of a row: vectors of them load the row, whatever distance the launch says."""

from __future__ import annotations

import random
import re

import pytest
from vector_runs import results, threads, vectorised

from warploom.ir.core import Function, walk
from warploom.ir.printer import print_function

WIDTH = 8
IDS = """
    %start: i32 = mul %bx, %bdx
    %high: i32 = mul %ty, 40:i32
    %id: i32 = add %start, %tx [flags=(nsw)]
    %own: i32 = add %id, %high [flags=(nsw)]
    %mine: ptr = gep %p, %own [offset=0, strides=(4)]
    %s: i32 = and %n, 12:i32
    %i: i32 = shl %id, 1:i32"""
QUOTIENT = "%q: i32 = udiv %i, %n %r: i32 = urem %i, %n"
PIECE = """
    %column: i32 = mul %r, %s
    %wide: i64 = zext %column
    %a: ptr = gep %in, %wide [offset=0, strides=(1)]
    %a1: ptr = gep %in, %wide [offset=4, strides=(1)]
    %x: i32 = load %a [align=4]
    %y: i32 = load %a1 [align=4]"""
STORE = """
    %sum: i32 = add %x, %y
    %total: i32 = add %sum, %q
    store %total, %mine [align=4]"""
LOOP = """
    %left: i32, %offset: i32, %trips: i32 = while %i, 0:i32, 0:i32 { (%l: i32, %o: i32, %k: i32)
      %more: i1 = icmp %k, 2:i32 [pred=ult]
      condition %more, %l, %o, %k
    } { (%l.1: i32, %o.1: i32, %k.1: i32)
      %first: i1 = icmp %k.1, 0:i32 [pred=eq]
      %size: i32 = select %first, 16:i32, 3:i32
      %q: i32 = udiv %l.1, %size
      %r: i32 = urem %l.1, %size
      %stride: i32 = select %first, %s, 24:i32
      %far: i32 = mul %r, %stride
      %next: i32 = add %o.1, %far [flags=(nsw)]
      %k.2: i32 = add %k.1, 1:i32
      yield %q, %next, %k.2
    }"""
IN_A_LOOP = LOOP + PIECE.replace("%column: i32 = mul %r, %s", "%column: i32 = add %offset, 0:i32")
OTHER = """
    %w: i32 = and %x, 63:i32
    %b: ptr = gep %in, %w [offset=0, strides=(4)]
    %z: i32 = load %b [align=4]
    %more: i32 = add %total, %z
    store %more, %mine [align=4]"""

# what the threads do, and whether a vector that finds all in one row and side by side loads it
FACTS = {
    "a piece": (QUOTIENT + PIECE + STORE, True),
    "an address on top of another": (
        QUOTIENT + PIECE.replace("gep %in, %wide [offset=4, strides=(1)]", "gep %a [offset=4, strides=()]") + STORE,
        True,
    ),
    "a vector": (
        QUOTIENT
        + PIECE.split("%x: i32 = load")[0]
        + """%v: <2 x i32> = load %a [align=4]
        %x: i32 = extractelement %v, 0:i32 %y: i32 = extractelement %v, 1:i32"""
        + STORE,
        True,
    ),
    "numbers that lie apart": (QUOTIENT + PIECE.replace("offset=4", "offset=8") + STORE, False),
    "rows of threads": (
        f"%h: i32 = mul %ty, 6:i32 %i2: i32 = add %i, %h {QUOTIENT.replace('%i,', '%i2,')} {PIECE} {STORE}",
        True,
    ),
    "in a loop that takes an index apart": (IN_A_LOOP + STORE.replace("%q", "%left"), True),
    "one number of each piece": (QUOTIENT + PIECE.replace("load %a1", "load %in") + STORE, False),
    "another access that gathers": (QUOTIENT + PIECE + STORE + OTHER, False),
    "a number that is read behind a store": (
        f"""{QUOTIENT} store 4:i32, %in [align=4] %s2: i32 = load %in [align=4] %s3: i32 = and %s2, 4:i32
        {PIECE.replace("%r, %s", "%r, %s3")} {STORE}""",
        False,
    ),
    "a number that is read in front": (
        f"""%s2: i32 = load %in [align=4] %s3: i32 = and %s2, 12:i32
        {QUOTIENT} {PIECE.replace("%r, %s", "%r, %s3")} {STORE}""",
        True,
    ),
    "a number that is computed behind the quotient": (
        f"""{QUOTIENT} %s2: i32 = and %n, 4:i32 %s3: i32 = add %s2, 0:i32
        {PIECE.replace("%r, %s", "%r, %s3")} {STORE}""",
        True,
    ),
    "a number that a loop counts": (
        f"""{QUOTIENT} %x: i32, %y: i32 = for 0:i32, 9:i32, 4:i32, 0:i32, 0:i32 [pred=slt] {{
        (%k: i32, %f: i32, %g: i32)
        {PIECE.replace("%r, %s", "%r, %k").replace("%x:", "%x1:").replace("%y:", "%y1:")}
        %x2: i32 = add %f, %x1 %y2: i32 = add %g, %y1
        yield %x2, %y2 }} {STORE}""",
        False,
    ),
    "rows that end within a vector": (QUOTIENT.replace("%n", "14:i32") + PIECE + STORE, False),
}


def has_rows(function: Function) -> bool:
    """Whether a vector loads the pieces of all its threads as one."""
    return any(op.name == "load" and op.result.type == f"<{2 * WIDTH} x i32>" for op in walk(function.body))


@pytest.mark.parametrize(("ops", "loads_rows"), FACTS.values(), ids=FACTS)
def test_form(ops: str, loads_rows: bool) -> None:
    function = threads(IDS + ops)
    after = vectorised(function, WIDTH, 1)
    assert has_rows(after) == loads_rows, print_function(after)
    asked = re.search(r"%near: i1 = if ", print_function(after))
    assert bool(asked) == loads_rows


@pytest.mark.parametrize("ops", [ops for ops, _ in FACTS.values()], ids=FACTS)
@pytest.mark.parametrize("n", [4, 7, 9, 15, 20, 31, 70, 100])
def test_results(ops: str, n: int) -> None:
    """Distances of 4, 8 and 12 bytes; rows longer and shorter than a vector, even and odd."""
    function = threads(IDS + ops)
    after = vectorised(function, WIDTH, 1)
    for block in (8, 1, 1), (13, 2, 1), (20, 1, 1):
        assert results(after, block, n) == results(function, block, n)


@pytest.mark.parametrize("start", [-2, -30, 0x7FFFFFF0, -(1 << 31)])
def test_indices_that_wrap(start: int) -> None:
    index = IDS.replace("%i: i32 = shl %id, 1:i32", f"%h: i32 = shl %id, 1:i32 %i: i32 = add %h, {start}:i32")
    function = threads(index + QUOTIENT + PIECE + STORE)
    after = vectorised(function, WIDTH, 1)
    for n in (4, 7, 20, 100):
        expected = results(function, (20, 1, 1), n)
        assert results(after, (20, 1, 1), n) == expected
        assert results(after, (20, 1, 1), n, seed=random.Random(n).randrange(1 << 30)) == expected
