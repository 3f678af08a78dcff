# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread's own vectors and small copies, in the vector form of its loop: they do the same as before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vector_runs import results, threads, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import walk
from warploom.ir.printer import print_function

IDS = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %low: i32 = and %tx, 3:i32
    %c: i1 = icmp %low, 1:i32 [pred=sgt]
    %mine: ptr = gep %p, %id [offset=0, strides=(16)]
    %q: ptr = gep %small, %id [offset=0, strides=(2)]
    %r: ptr = gep %in, %id [offset=0, strides=(8)]
"""

CASES = {
    "loads, arithmetic and stores": """
        %v: <2 x i32> = load %r [align=8]
        %w: <2 x i32> = mul %v, `<i32 3, i32 5>`:<2 x i32>
        %u: <2 x i32> = add %w, `splat (i32 7)`:<2 x i32>
        store %u, %mine [align=8]""",
    "elements are moved": """
        %v: <2 x i32> = load %r [align=8]
        %x: i32 = extractelement %v, 1:i64
        %w: <2 x i32> = insertelement %v, %id, 1:i64
        %u: <4 x i32> = shufflevector %v, %w [mask=(3, 0, 1, 2)]
        %t: <4 x i32> = splat %x
        %s: <4 x i32> = xor %u, %t
        store %s, %mine [align=16]""",
    "numbers of elements that differ": """
        %v: <4 x i32> = load %mine [align=16]
        %x: i32 = extractelement %v, %low
        %w: <4 x i32> = insertelement %v, %x, %low
        %u: <4 x i32> = insertelement %w, %id, 2:i32
        store %u, %mine [align=16]""",
    "control flow passes vectors on": """
        %v: <2 x i32> = load %r [align=8]
        %w: <2 x i32> = if %c { yield %v } { yield zeroinitializer:<2 x i32> }
        %u: <2 x i32>, %k: i32 = for 0:i32, %low, 1:i32, %w, %id [pred=slt] { (%i: i32, %a: <2 x i32>, %b: i32)
          %d: <2 x i32> = add %a, %v
          %e: i32 = extractelement %d, 0:i64
          yield %d, %e }
        %z: <2 x i32>, %n1: i32 = while %u, %low { (%f: <2 x i32>, %g: i32)
          %more: i1 = icmp %g, 0:i32 [pred=sgt]
          condition %more, %f, %g } { (%h: <2 x i32>, %j: i32)
          %o: <2 x i32> = sub %h, %v
          %less: i32 = sub %j, 1:i32
          yield %o, %less }
        %both: <4 x i32> = shufflevector %z, %u [mask=(0, 1, 2, 3)]
        %all: <4 x i32> = insertelement %both, %k, 3:i64
        store %all, %mine [align=16]""",
    "comparisons, choices and functions": """
        %v: <2 x i32> = load %r [align=8]
        %t: <2 x i32> = splat %id
        %b: <2 x i1> = icmp %v, %t [pred=slt]
        %s: <2 x i32> = select %b, %v, %t
        %a: <2 x i32> = select %c, %s, %v
        %m0: <2 x i32> = call %a, %t [callee=llvm.umax.v2i32, effects=none, speculatable=true]
        %w: <2 x i64> = sext %m0
        store %w, %mine [align=16]""",
    "a vector that is the same for all": """
        %v: <4 x i32> = load %in [align=16]
        %w: <4 x i32> = insertelement %v, %id, 0:i64
        store %w, %mine [align=16]""",
    "a vector from outside, and one without elements that are known": """
        %v: <2 x i32> = insertelement poison:<2 x i32>, %id, 1:i64
        %w: <2 x i32> = insertelement %v, %n, 0:i64
        store %w, %mine [align=8]""",
    "structs are copied": """
        memcpy %mine, %r, 16:i64 [align_to=16, align_from=8]
        %m1: ptr = gep %mine [offset=8, strides=()]
        memmove %m1, %mine, 8:i64 [align_to=8, align_from=8]""",
    "bytes are copied": """
        %to: ptr = gep %mine [offset=1, strides=()]
        memcpy %to, %q, 3:i64
        if %c { memcpy %mine, %q, 7:i64 [align_to=4]
          yield } { yield }""",
    "a copy that overlaps": """
        %to: ptr = gep %mine [offset=4, strides=()]
        memmove %to, %mine, 12:i64 [align_to=4, align_from=4]""",
    "a struct of its own": """
        %a: ptr = alloca [size=16, align=16]
        memcpy %a, %r, 16:i64 [align_to=16, align_from=8]
        %a1: ptr = gep %a, %low [offset=0, strides=(4)]
        store %id, %a1 [align=4]
        memcpy %mine, %a, 16:i64 [align_to=16, align_from=16]""",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nothing_changes(case: str) -> None:
    function = threads(IDS + case)
    block = (33, 1, 1)
    expected = results(function, block, 5)
    for bits, width in ((512, 16), (128, 4)):
        function.facts = replace(function.facts, processor=Processor(bits))
        vector = vectorised(function, width, 1, alone=False)
        ops = list(walk(vector.body))
        assert not any(op.name in ("block", "memcpy", "memmove") for op in ops), print_function(vector)
        assert results(vector, block, 5) == expected, width


def test_private_structs_lie_interleaved() -> None:
    text = print_function(vectorised(threads(IDS + CASES["a struct of its own"]), 8, 1))
    assert "alloca [size=128, align=64]" in text
    assert "gather" not in text


def test_a_large_copy_stays_one() -> None:
    text = print_function(vectorised(threads(IDS + "memcpy %mine, %r, 65:i64 [align_to=16]"), 8, 1))
    assert "memcpy" in text


def test_what_needs_the_whole_vector_gets_it() -> None:
    case = "%v: <2 x i32> = load %in [align=8] %w: <2 x i32> = insertelement %v, %n, 0:i64 %x: i64 = bitcast %w"
    function = threads(f"{IDS}{case} %y: i64 = zext %id %z: i64 = xor %x, %y store %z, %mine [align=8]")
    assert results(vectorised(function, 8, 1), (13, 1, 1), 5) == results(function, (13, 1, 1), 5)
