# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of threads that go together (jam), where some threads of some rows are not active."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vector_runs import results, threads, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import clone_function, walk
from warploom.ir.printer import print_function
from warploom.passes.base import Context
from warploom.passes.vector import vectorise

# Each: what a thread does with %c, which differs in x and y.
BODIES = {
    "a load that is the same in all rows, of what any row has active": """
        %v: i32 = if %c { %q: ptr = gep %in, %tx [offset=0, strides=(4)]
          %w: i32 = load %q [align=4]
          yield %w } { yield 5:i32 }
        store %v, %mine [align=4]""",
    "a gather that is the same in all rows": """
        %r: i32 = mul %tx, %tx
        %s: i32 = and %r, 255:i32
        %v: i32 = if %c { %q: ptr = gep %in, %s [offset=0, strides=(4)]
          %w: i32 = load %q [align=4]
          yield %w } { yield 5:i32 }
        store %v, %mine [align=4]""",
    "a store that is the same in all rows": """
        if %c { %q: ptr = gep %p, %tx [offset=0, strides=(4)]
          store %tx, %q [align=4]
          yield } { yield }""",
    "a store to one address": """
        if %c { store 77:i32, %p [align=4] yield } { yield }""",
    "a store to one address a row": """
        if %c { %q: ptr = gep %p, %ty [offset=0, strides=(4)]
          store %ty, %q [align=4]
          yield } { yield }""",
    "a load from one address a row, which no other row may read": """
        %most: i1 = icmp %ty, 2:i32 [pred=slt]
        %far: i32 = select %most, %ty, 1000000:i32
        %d: i1 = select %c, %most, 0:i1
        %v: i32 = if %d { %q: ptr = gep %in, %far [offset=0, strides=(4)]
          %w: i32 = load %q [align=4]
          yield %w } { yield 5:i32 }
        store %v, %mine [align=4]""",
    "a division that is the same for a row": """
        %d: i1 = icmp %ty, 0:i32 [pred=ne]
        %e: i1 = select %d, %c, 0:i1
        %v: i32 = if %e { %w: i32 = udiv %n, %ty
          yield %w } { yield 5:i32 }
        store %v, %mine [align=4]""",
    "a division by what differs in x only": """
        %v: i32 = if %c { %x1: i32 = add %tx, 1:i32
          %w: i32 = udiv 1000:i32, %x1
          yield %w } { yield 5:i32 }
        store %v, %mine [align=4]""",
    "an atomic on one address a row": """
        %q: ptr = gep %acc, %ty [offset=0, strides=(4)]
        if %c { %old: i32 = atomicrmw %q, %tx [operation=add, ordering=monotonic]
          yield } { yield }""",
    "an atomic on an address that only one row has": """
        %d: i1 = icmp %ty, 2:i32 [pred=eq]
        %e: i1 = select %d, %c, 0:i1
        if %e { %back: i32 = sub %ty, 2:i32
          %z: i32 = mul %back, 1000000:i32
          %q: ptr = gep %acc, %z [offset=0, strides=(4)]
          %old: i32 = atomicrmw %q, %tx [operation=max, ordering=monotonic]
          yield } { yield }""",
    "a loop whose value is the same in all rows": """
        %v: i32 = if %c { %w: i32, %u: i32 = for 0:i32, %tx, 3:i32, %tx, 1:i32 [pred=slt] { (%i: i32, %a: i32, %b: i32)
            %q: ptr = gep %in, %i [offset=0, strides=(4)]
            %x: i32 = load %q [align=4]
            %y: i32 = add %a, %x
            yield %y, %a }
          %t: i32 = xor %w, %u
          yield %t } { yield 5:i32 }
        store %v, %mine [align=4]""",
    "a loop that rows leave one after the other": """
        %u: i32 = select %c, %ty, 1:i32
        %v: i32 = for 0:i32, %u, 1:i32, 7:i32 [pred=slt] { (%i: i32, %a: i32)
            %f: i32 = mul %ty, 60:i32
            %g: i32 = add %f, %i
            %q: ptr = gep %in, %g [offset=0, strides=(4)]
            %x: i32 = load %q [align=4]
            %y: i32 = add %a, %x
            yield %y }
        store %v, %mine [align=4]""",
    "a loop whose end is in part the same for all": """
        %most: i32 = and %n, 7:i32
        %v: i32, %w: i32 = while 0:i32, %h2 { (%i: i32, %a: i32)
            %b: i1 = icmp %i, %most [pred=slt]
            %d: i1 = icmp %a, %tx [pred=slt]
            %e: i1 = select %b, %d, 0:i1
            condition %e, %i, %a
          } { (%j: i32, %z: i32)
            %y: i32 = add %z, %j
            %k: i32 = add %j, 1:i32
            yield %k, %y }
        %t: i32 = mul %v, 1000:i32
        %s: i32 = add %t, %w
        store %s, %mine [align=4]""",
    "a loop whose end is in part the same for all, which is asked only while it is known": """
        %v: i32 = while 0:i32 { (%i: i32)
            %d: i1 = icmp %i, %tx [pred=slt]
            %e: i1 = select %d, %c, 0:i1
            %f: i1 = icmp %i, 4:i32 [pred=slt]
            %last: i32 = select %f, 3:i32, poison:i32
            %g: i1 = icmp %i, %last [pred=ne]
            %h: i1 = select %e, %g, 0:i1
            condition %h, %i
          } { (%j: i32)
            %k: i32 = add %j, 1:i32
            yield %k }
        store %v, %mine [align=4]""",
    "a loop whose end is in part the same for a row": """
        %v: i32 = while 0:i32 { (%i: i32)
            %b: i1 = icmp %i, %ty [pred=sle]
            %d: i1 = icmp %i, %tx [pred=slt]
            %e: i1 = select %b, %d, 0:i1
            condition %e, %i
          } { (%j: i32)
            %k: i32 = add %j, 1:i32
            yield %k }
        store %v, %mine [align=4]""",
    "a call for each thread": """
        %v: i32 = if %c { %old: i32 = atomicrmw %mine, %tx [operation=xchg, ordering=monotonic]
          yield %old } { yield 5:i32 }
        %q: ptr = gep %mine [offset=4000, strides=()]
        store %v, %mine [align=4]""",
}
IDS = """
    %tile: i32 = mul %bdx, %bdy
    %row: i32 = mul %ty, %bdx
    %start: i32 = mul %bx, %tile
    %r0: i32 = add %row, %tx
    %id: i32 = add %start, %r0
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    %h0: i32 = mul %id, 1640531527:i32
    %h1: i32 = lshr %h0, %n
    %h2: i32 = and %h1, 1:i32
    %c: i1 = icmp %h2, 0:i32 [pred=ne]"""


@pytest.mark.parametrize("jam", [2, 4])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_rows_with_different_masks(body: str, jam: int) -> None:
    function = threads(f"{IDS}\n{body}")
    vector = vectorised(function, 8, jam, alone=False)
    for shift in (13, 28):
        for block in ((8, 4, 1), (5, 3, 1)):
            expected = results(function, block, shift)
            for seed in (None, 1):
                assert results(vector, block, shift, seed) == expected, (block, seed)


def test_rows_that_wait_for_themselves_go_together_unasked() -> None:
    """The loop is a chain of products; its rows and threads leave it one by one, or all at the common limit."""
    function = threads(f"""{IDS}
        %x0: i32 = or %id, 1:i32
        %k: i32, %x: i32 = while 0:i32, %x0 {{ (%i: i32, %a: i32)
            %b: i1 = icmp %i, 9:i32 [pred=slt]
            %low: i32 = and %a, 1020:i32
            %d: i1 = icmp %low, %tx [pred=ugt]
            %e: i1 = select %b, %d, 0:i1
            condition %e, %i, %a
          }} {{ (%j: i32, %z: i32)
            %z2: i32 = mul %z, %z
            %z3: i32 = add %z2, %ty
            %l: i32 = add %j, 1:i32
            yield %l, %z3 }}
        %t: i32 = mul %k, 1000:i32
        %s: i32 = xor %t, %x
        store %s, %mine [align=4]""")
    vector, context = clone_function(function), Context()
    vector.facts = replace(vector.facts, block=(16, 8, 1))
    context.vectors = []
    assert vectorise.VECTORISE.run(vector, context)
    assert [each.jam for each in context.vectors] == [4]
    for seed in (None, 1):
        assert results(vector, (16, 8, 1), 13, seed) == results(function, (16, 8, 1), 13)


STORES = {
    "bytes": """
        if %c { %q: ptr = gep %p, %id [offset=0, strides=(1)]
          %b: i8 = trunc %id
          store %b, %q [align=1]
          yield } { yield }""",
    "bytes, and a word from one of the threads": """
        if %c { %q: ptr = gep %p, %id [offset=0, strides=(1)]
          store 7:i8, %q [align=1]
          %r: ptr = gep %p [offset=2000, strides=()]
          store %n, %r [align=4]
          yield } { yield }""",
    "words with gaps, of what was loaded before": """
        %s: i32 = load %mine [align=4]
        if %c { %id3: i32 = mul %id, 3:i32
          %q: ptr = gep %p, %id3 [offset=1000, strides=(4)]
          %b: i32 = add %s, %tx
          store %b, %q [align=4]
          yield } { store %s, %mine [align=4] yield }""",
}


@pytest.mark.parametrize("body", STORES.values(), ids=STORES)
@pytest.mark.parametrize("bits", [128, 256])
def test_stores_without_masks(body: str, bits: int) -> None:
    function = threads(f"{IDS}\n{body}")
    function.facts = replace(function.facts, processor=Processor(bits))
    vector = vectorised(function, 8, 2)
    assert "cttz" in print_function(vector)
    for shift in (13, 28):
        assert results(vector, (8, 4, 1), shift) == results(function, (8, 4, 1), shift)


@pytest.mark.parametrize("jam", [4, 2, 1])
def test_a_large_kernel_gets_fewer_rows_than_asked_for(monkeypatch: pytest.MonkeyPatch, jam: int) -> None:
    function, context = threads(f"{IDS}\n{BODIES['a gather that is the same in all rows']}"), Context(width=8, jam=4)
    context.vectors = []
    monkeypatch.setattr(vectorise, "LARGEST_ROWS", jam * sum(1 for _ in walk(function.body)))
    assert vectorise.VECTORISE.run(clone_function(function), context)
    assert [each.jam for each in context.vectors] == [jam]
    assert any("rows of threads go together" in each.text for each in context.remarks) == (jam < 4)


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("jam", [1, 2, 4])
@pytest.mark.parametrize("n", [0, 7, 40, 77])
def test_loops_that_start_at_the_number_of_a_thread_in_its_block(n: int, jam: int, rows: int) -> None:
    function = threads(
        IDS
        + """
        %before: i32 = mul %ty, %bdx [flags=(nsw)]
        %first: i32 = add %tx, %before [flags=(nsw)]
        %all: i32 = mul %bdx, %bdy [flags=(nsw)]
        %sum: i32 = for %first, %n, %all, %ty [pred=slt] { (%i: i32, %s: i32)
          %q: ptr = gep %in, %i [offset=0, strides=(4)]
          %y: i32 = load %q [align=4]
          %t: i32 = add %s, %y
          yield %t
        }
        store %sum, %mine [align=4]"""
    )
    after = vectorised(function, 8, jam)
    assert any(op.name == "load" and op.results[0].type == "<8 x i32>" for op in walk(after.body))
    for columns in (5, 8, 19):
        assert results(after, (columns, rows, 1), n) == results(function, (columns, rows, 1), n)
