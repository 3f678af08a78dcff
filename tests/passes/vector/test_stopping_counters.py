# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An index that stops at a bound goes on in all threads where nobody can tell, and nowhere else."""

from __future__ import annotations

import random

import pytest
from vector_runs import IDS, results, threads

from warploom.ir.core import clone_function
from warploom.ir.verifier import verify
from warploom.passes.vector.stopping_counters import let_counters_go_on

LOOP = """
    %bound: i32 = and %n, 31:i32
    %end: i32, %sum: i32 = for 0:i32, 4:i32, 1:i32, %tx, 0:i32 [pred=slt] { (%k: i32, %i: i32, %s: i32)
      %lower: i32 = sub 40:i32, %k
      %goes: i1 = icmp %i, %bound [pred=slt]
      %next: i32, %t: i32 = if %goes {
        %more: i32 = add %i, 3:i32 [flags=(nsw)]
        %r: i32 = mul %i, %i
        %u: i32 = add %s, %r
        yield %more, %u
      } {
        yield %i, %s
      }
      yield %next, %t
    }
    store %sum, %mine [align=4]
"""
# What is not as the theorem asks for, and why.
OTHERS = [
    ("%i, %bound", "%i, %lower", "the bound differs from trip to trip"),
    ("%i, %bound", "%i, %s", "the bound is carried"),
    ("[pred=slt]\n      %next", "[pred=sle]\n      %next", "who is at the bound goes on"),
    ("%i, %bound", "%bound, %i", "who is above the bound goes on"),
    (" [flags=(nsw)]", "", "the index may wrap"),
    ("add %i, 3", "add %i, -3", "the index falls"),
    ("add %i, 3", "add %i, 600000000", "the last index may not fit"),
    ("add %i, 3", "add %k, 3", "the index does not go on from itself"),
    ("add %i, 3:i32", "add %i, %k", "the step differs from trip to trip"),
    ("yield %i, %s", "yield %k, %s", "who stops has another index"),
    ("yield %i, %s", "yield %i, %i", "who stops uses the index"),
    ("yield %next, %t", "yield %next, %next", "what comes next is used"),
    ("store %sum", "store %end", "what comes last is used"),
    ("for 0:i32, 4:i32", "for 0:i32, %bound", "nobody knows how many trips there are"),
    ("for 0:i32, 4:i32", "for 1:i32, 4:i32", "the counter begins elsewhere"),
    ("4:i32, 1:i32", "4:i32, 2:i32", "the counter takes other steps"),
]


@pytest.mark.parametrize("n", [0, 1, 7, 11, 31])
def test_who_stops_could_as_well_go_on(n: int) -> None:
    function = threads(IDS + LOOP)
    after = clone_function(function)
    assert let_counters_go_on(after.body)
    verify(after, "structured")
    for block in (1, 1, 1), (40, 1, 1):
        assert results(after, block, n, random.Random(n).randrange(1 << 30)) == results(function, block, n)


@pytest.mark.parametrize(("old", "new", "why"), OTHERS, ids=[each[-1] for each in OTHERS])
def test_an_index_that_somebody_may_ask_for_stops(old: str, new: str, why: str) -> None:
    assert LOOP.count(old) == 1
    assert not let_counters_go_on(threads(IDS + LOOP.replace(old, new)).body), why
