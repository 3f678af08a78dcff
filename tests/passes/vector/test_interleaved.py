# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fields that come from neighbours in memory and go to neighbours are computed in the order of memory."""

from __future__ import annotations

import re

import pytest
from vector_runs import results, threads, vectorised

from warploom.ir.printer import print_function
from warploom.passes.shape.specialise_launch import specialise

IDS = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %to: ptr = gep %p, %id [offset=0, strides=(8)]
    %to1: ptr = gep %p, %id [offset=4, strides=(8)]
    %q: ptr = gep %in, %id [offset=0, strides=(8)]
    %q1: ptr = gep %in, %id [offset=4, strides=(8)]
    %r: ptr = gep %in, %tx [offset=0, strides=(8)]
    %r1: ptr = gep %in, %tx [offset=4, strides=(8)]
    %odd: i1 = icmp %n, 3:i32 [pred=eq]
    %x: i32 = load %q [align=4]
    %y: i32 = load %q1 [align=4]
"""
STORES = "store %a, %to [align=4] store %b, %to1 [align=4]"
WOVEN = r"mask=\(0, 8, 1, 9, "

# what the threads do to %x and %y, whether a vector of 8 does that in the order of memory, and a pattern in its text
FACTS = {
    "a copy": ("%a: i32 = add %x, 0:i32 %b: i32 = add %y, 0:i32", True, r"mask=\(8, 9, 10, [^\n]*\n[^\n]*= add"),
    "the same number for all": ("%a: i32 = mul %x, %n %b: i32 = mul %y, %n", True, r"mask=\(8, 9, [^\n]*\n[^\n]*= mul"),
    "one constant": ("%a: i32 = xor %x, 5:i32 %b: i32 = xor %y, 5:i32", True, r"mask=\(8, 9, 10, [^\n]*\n[^\n]*= xor"),
    "two constants": ("%a: i32 = xor %x, 5:i32 %b: i32 = xor %y, 6:i32", False, WOVEN),
    "two pieces": (
        """%v: i32 = load %r [align=4] %w: i32 = load %r1 [align=4]
        %a: i32 = sub %x, %v %b: i32 = sub %y, %w""",
        True,
        r"mask=\(8, 9, 10, [\s\S]*mask=\(8, 9, 10, [^\n]*\n[^\n]*= sub",
    ),
    "fields change places": ("%a: i32 = add %y, %n %b: i32 = add %x, %n", False, WOVEN),
    "two ways to compute": ("%a: i32 = add %x, %n %b: i32 = sub %y, %n", False, WOVEN),
    "operands change places": ("%a: i32 = sub %x, %n %b: i32 = sub %n, %y", False, WOVEN),
    "flags differ": ("%a: i32 = and %x, 9:i32 %b: i32 = or %y, 9:i32", False, WOVEN),
    "a thread's number once a piece costs what it gains": (
        "%a: i32 = add %x, %id %b: i32 = add %y, %id",
        False,
        WOVEN,
    ),
    "a thread's number with two pieces": (
        """%v: i32 = load %r [align=4] %w: i32 = load %r1 [align=4]
        %c: i32 = sub %x, %v %d: i32 = sub %y, %w
        %a: i32 = add %c, %id %b: i32 = add %d, %id""",
        True,
        r"mask=\(0, 0, 1, 1, 2, 2, [\s\S]*mask=\(4, 4, 5, 5, ",
    ),
    "comparisons and choices": (
        """%c: i1 = icmp %x, 7:i32 [pred=slt] %d: i1 = icmp %y, 7:i32 [pred=slt]
        %a: i32 = select %c, %x, %n %b: i32 = select %d, %y, %n""",
        True,
        r"mask=\(8, 9, 10, [\s\S]*= icmp[\s\S]*= select",
    ),
    "predicates differ": (
        """%c: i1 = icmp %x, 7:i32 [pred=slt] %d: i1 = icmp %y, 7:i32 [pred=sgt]
        %a: i32 = select %c, %x, %n %b: i32 = select %d, %y, %n""",
        False,
        WOVEN,
    ),
    "a choice of each thread": (
        """%u: i32 = and %id, 3:i32 %c: i1 = icmp %u, 1:i32 [pred=eq]
        %e: i32 = mul %x, %x %f: i32 = mul %y, %y
        %a: i32 = select %c, %e, %x %b: i32 = select %c, %f, %y""",
        True,
        r"= splat [\s\S]*= icmp [^\n]*pred=ne[\s\S]*= select",
    ),
    "a choice for all threads": (
        """%e: i32 = mul %x, %x %f: i32 = mul %y, %y
        %a: i32 = select %odd, %e, %x %b: i32 = select %odd, %f, %y""",
        True,
        r"mask=\(8, 9, 10, [\s\S]*= select %odd",
    ),
    "numbers of other widths": (
        """%c: i16 = trunc %x %d: i16 = trunc %y
        %a: i32 = sext %c %b: i32 = sext %d""",
        True,
        r"mask=\(8, 9, 10, [\s\S]*= trunc[\s\S]*= sext",
    ),
    "LLVM's intrinsics": (
        """%a: i32 = call %x, %n [callee=llvm.smin.i32, effects=none, speculatable=true]
        %b: i32 = call %y, %n [callee=llvm.smin.i32, effects=none, speculatable=true]""",
        True,
        r"mask=\(8, 9, 10, [^\n]*\n[^\n]*callee=llvm.smin.v8i32",
    ),
    "a branch for all threads": (
        """%a: i32, %b: i32 = if %odd {
          %c: i32 = mul %x, 3:i32 %d: i32 = mul %y, 3:i32 yield %c, %d
        } { yield %x, %y }""",
        True,
        r"(<8 x i32>, \S+: ){3}<8 x i32> = if %odd",
    ),
    "a branch of which one side is alike": (
        """%a: i32, %b: i32 = if %odd {
          %c: i32 = mul %x, 3:i32 %d: i32 = mul %y, 3:i32 yield %c, %d
        } { yield %y, %x }""",
        True,
        r"= if %odd[\s\S]*} {\s*(?:[^\n]*\n)*?[^\n]*mask=\(0, 8, 1, 9, ",
    ),
    "a branch in a branch": (
        """%a: i32, %b: i32 = if %odd {
          %c: i32, %d: i32 = if %odd { yield %x, %y } { yield %y, %x } yield %c, %d
        } { yield %x, %y }""",
        True,
        r"= if %odd[^\n]*\n[^\n]*(<8 x i32>, \S+: ){3}<8 x i32> = if %odd",
    ),
    "divisions stay": ("%a: i32 = udiv %x, 3:i32 %b: i32 = udiv %y, 3:i32", False, WOVEN),
}


@pytest.mark.parametrize(("ops", "is_whole", "has"), FACTS.values(), ids=FACTS)
def test_form(ops: str, is_whole: bool, has: str) -> None:
    function = specialise(threads(f"{IDS}{ops}\n{STORES}"), (64, 1, 1))
    text = print_function(vectorised(function, 8, 1))
    body = text[text.index("%at") :]
    assert re.search(has, body), body
    assert bool(re.search(r"= shufflevector[^\n]*mask=\(0, 8, 1, 9, [^\n]*\n +store ", body)) != is_whole, body


@pytest.mark.parametrize("ops", [ops for ops, _, _ in FACTS.values()], ids=FACTS)
@pytest.mark.parametrize("n", [3, 4])
def test_results(ops: str, n: int) -> None:
    function = threads(f"{IDS}{ops}\n{STORES}")
    after = vectorised(function, 8, 1)
    for block in (8, 1, 1), (29, 1, 1), (64, 1, 1):
        assert results(after, block, n) == results(function, block, n)


@pytest.mark.parametrize("n", [3, 4])
def test_a_field_that_a_loop_carries_is_not_computed(n: int) -> None:
    function = threads(f"""{IDS}
    %end: i32 = for 0:i32, 3:i32, 1:i32, %y [pred=slt] {{ (%k: i32, %b: i32)
      %a: i32 = add %x, %n
      {STORES}
      %further: i32 = mul %b, 3:i32
      yield %further
    }}""")
    after = vectorised(function, 8, 1)
    for block in (8, 1, 1), (29, 1, 1):
        assert results(after, block, n) == results(function, block, n)
