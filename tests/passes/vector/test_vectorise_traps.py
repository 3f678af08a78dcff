# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread loops with a trap each for the vectoriser: their vectors must do the same."""

from __future__ import annotations

import pytest
from vector_runs import IDS, results, threads, vectorised

TRAPS = {
    "a loop from a 32-bit number that wraps in some threads": """
        %late: i32 = add %id, 2147483620:i32
        %from: i64 = sext %late
        %s: i32 = for %from, 2147483700:i64, 1073741824:i64, 1:i32 [pred=slt] { (%i: i64, %a: i32)
          %b: i32 = trunc %i
          %d: i32 = mul %a, 3:i32
          %e: i32 = add %d, %b
          yield %e }
        store %s, %mine [align=4]""",
    "a loop from a 32-bit number that wraps in some threads, up to a bound": """
        %late: i32 = add %id, 2147483620:i32
        %from: i64 = sext %late
        %s: i32 = for %from, 2147483640:i64, 1073741824:i64, 1:i32 [pred=sle] { (%i: i64, %a: i32)
          %b: i32 = trunc %i
          %d: i32 = mul %a, 3:i32
          %e: i32 = add %d, %b
          yield %e }
        store %s, %mine [align=4]""",
    "a number whose steps are larger than half of all numbers": """
        %h: i32 = mul %id, -1640531527:i32
        %w: i64 = zext %h
        %j: i64 = lshr %w, 27:i64
        %k: i64 = and %j, 31:i64
        %q: ptr = gep %in, %k [offset=0, strides=(4)]
        %y: i32 = load %q [align=4]
        store %y, %mine [align=4]""",
    "a gather at addresses whose index may wrap": """
        %h: i32 = mul %id, 536870912:i32
        %w: i64 = sext %h
        %j: i64 = ashr %w, 28:i64
        %k: i64 = and %j, 255:i64
        %q: ptr = gep %in, %k [offset=0, strides=(4)]
        %y: i32 = load %q [align=4]
        store %y, %mine [align=4]""",
    "a row of a table whose index may wrap": """
        %h: i32 = add %id, -3:i32
        %fine: i1 = icmp %h, 256:i32 [pred=ult]
        %y: i32 = if %fine {
          %w: i64 = zext %h
          %q: ptr = gep %in, %w [offset=0, strides=(4)]
          %z: i32 = load %q [align=4]
          yield %z } { yield 9:i32 }
        store %y, %mine [align=4]""",
    "poison on one side of a select": """
        %r: i32 = select %c, %n, poison:i32
        %s: i32 = select %c, %tx, poison:i32
        if %c { %t: i32 = add %r, %s
          store %t, %mine [align=4]
          yield } { yield }""",
    "a vector of floats that differs after an if": """
        %v: <4 x float> = if %c { yield undef:<4 x float> } { yield poison:<4 x float> }
        %f: <4 x float> = load %in [align=16]
        %g: <4 x float> = if %c { yield %f } { yield zeroinitializer:<4 x float> }
        %h: float = extractelement %g, 1:i32
        %y: i32 = bitcast %h
        store %y, %mine [align=4]""",
    "a vector of floats that a divergent loop carries": """
        %f: <4 x float> = load %in [align=16]
        %g: <4 x float> = for 0:i32, %some, 1:i32, %f [pred=slt] { (%i: i32, %a: <4 x float>)
          yield zeroinitializer:<4 x float> }
        %h: float = extractelement %g, 1:i32
        %y: i32 = bitcast %h
        store %y, %mine [align=4]""",
    "a step that goes down": """
        %by2: i32 = add -1073741824:i32, %n5
        %s: i32 = for %tx, 40:i32, %by2, 1:i32 [pred=slt] { (%i: i32, %a: i32)
          %d: i32 = mul %a, 3:i32
          %e: i32 = add %d, %i
          yield %e }
        store %s, %mine [align=4]""",
    "a step that is not known and large": """
        %by2: i32 = add 1073741824:i32, %n5
        %s: i32 = for %tx, 2000000000:i32, %by2, 1:i32 [pred=ult] { (%i: i32, %a: i32)
          %d: i32 = mul %a, 3:i32
          %e: i32 = add %d, %i
          yield %e }
        store %s, %mine [align=4]""",
    "a loop of unsigned numbers close to 2^32": """
        %up: i32 = add %id, -100:i32
        %s: i32 = for %up, -12:i32, 8:i32, 1:i32 [pred=ult] { (%i: i32, %a: i32)
          %d: i32 = mul %a, 3:i32
          %e: i32 = add %d, %i
          yield %e }
        store %s, %mine [align=4]""",
    "a loop of 64-bit numbers close to 2^63": """
        %wide: i64 = sext %id
        %up: i64 = add %wide, 9223372036854775700:i64
        %s: i64 = for %up, 9223372036854775790:i64, 8:i64, 1:i64 [pred=slt] { (%i: i64, %a: i64)
          %d: i64 = mul %a, 3:i64
          %e: i64 = add %d, %i
          yield %e }
        %t: i32 = trunc %s
        store %t, %mine [align=4]""",
    "numbers of 128 bits in memory": """
        %k: i32 = and %id, 31:i32
        %q: ptr = gep %in, %k [offset=0, strides=(16)]
        %y: i32 = if %c { %z: i128 = load %q [align=4]
          %l: i128 = lshr %z, 77:i128
          %t: i32 = trunc %l
          yield %t } { yield 1:i32 }
        store %y, %mine [align=4]""",
    "numbers of 128 bits from thread numbers": """
        %w: i128 = sext %id
        %v: i128 = mul %w, %w
        %u: i128 = sub %v, 7:i128
        %t: i128 = lshr %u, 3:i128
        %y: i32 = trunc %t
        store %y, %mine [align=4]""",
    "bytes, halves and doubles": """
        %q: ptr = gep %in, %id [offset=0, strides=(1)]
        %b: i8 = load %q [align=1]
        %r: ptr = gep %in, %id [offset=0, strides=(2)]
        %h: i16 = load %r [align=2]
        %b2: i8 = add %b, 200:i8
        %b3: i8 = udiv %b2, 7:i8
        %h2: i16 = srem %h, 100:i16
        %bw: i32 = zext %b3
        %hw: i32 = sext %h2
        %f: double = sitofp %hw
        %g: double = fmul %f, 0.3:double
        %gh: half = fptrunc %g
        %gi: i16 = bitcast %gh
        %gw: i32 = zext %gi
        %o: i32 = xor %bw, %gw
        store %o, %mine [align=4]""",
    "pointers in private memory": """
        %a: ptr = alloca [size=16, align=8]
        %a1: ptr = gep %a [offset=8, strides=()]
        %q: ptr = gep %in, %some [offset=0, strides=(4)]
        store %q, %a [align=8]
        store %in, %a1 [align=8]
        %k: i32 = and %some, 1:i32
        %at: ptr = gep %a, %k [offset=0, strides=(8)]
        %r: ptr = load %at [align=8]
        %y: i32 = load %r [align=4]
        store %y, %mine [align=4]""",
    "private arrays that are copied": """
        %a: ptr = alloca [size=20, align=16]
        %b: ptr = alloca [size=20, align=16]
        memset %a, 3:i8, 20:i64
        %a1: ptr = gep %a, %low [offset=4, strides=(4)]
        store %x, %a1 [align=4]
        memcpy %b, %a, 20:i64 [align_to=16, align_from=16]
        %b1: ptr = gep %b, %some [offset=0, strides=(2)]
        %y: i32 = load %b1 [align=2]
        store %y, %mine [align=4]""",
    "a private array whose start is used": """
        %a: ptr = alloca [size=32, align=16]
        store %x, %a [align=16]
        %a1: ptr = gep %a, %some [offset=0, strides=(4)]
        store %tx, %a1 [align=4]
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
    "a private array in a loop that threads leave one by one": """
        %a: ptr = alloca [size=32, align=16]
        %s: i32 = for 0:i32, %some, 1:i32, 0:i32 [pred=slt] { (%i: i32, %t: i32)
          %k: ptr = gep %a, %i [offset=0, strides=(4)]
          store %t, %k [align=4]
          %l: ptr = gep %a, %low [offset=0, strides=(4)]
          %w: i32 = select %c, %i, %t
          store %w, %l [align=4]
          %m0: i32 = load %k [align=4]
          %u: i32 = add %m0, 1:i32
          yield %u }
        store %s, %mine [align=4]""",
    "two exits and a flag": """
        %s: i32, %f: i1, %last: i32 = while 0:i32, 0:i1, %x { (%i: i32, %flag: i1, %v: i32)
          %more: i1 = icmp %i, %some [pred=slt]
          %not: i1 = xor %flag, 1:i1
          %go: i1 = select %more, %not, 0:i1
          condition %go, %i, %flag, %v } { (%i2: i32, %flag2: i1, %v2: i32)
          %h: i32 = mul %v2, 1103515245:i32
          %h2: i32 = add %h, 12345:i32
          %h3: i32 = lshr %h2, 16:i32
          %h4: i32 = and %h3, 7:i32
          %stop: i1 = icmp %h4, 2:i32 [pred=ult]
          %n2: i32 = add %i2, 1:i32
          yield %n2, %stop, %h2 }
        %o: i32 = select %f, %last, %s
        store %o, %mine [align=4]""",
    "a value of the iteration in which a thread left": """
        %s: i32, %t: i32 = while 0:i32, 7:i32 { (%i: i32, %v: i32)
          %k: i32 = mul %i, 3:i32
          %go: i1 = icmp %i, %some [pred=slt]
          condition %go, %i, %k } { (%i2: i32, %k2: i32)
          %n2: i32 = add %i2, 1:i32
          yield %n2, %k2 }
        %o: i32 = add %s, %t
        store %o, %mine [align=4]""",
    "a divergent loop in a divergent if in a loop": """
        %r: i32 = for 0:i32, 3:i32, 1:i32, %x [pred=slt] { (%j: i32, %old: i32)
          %bit: i32 = lshr %old, %j
          %b1: i32 = and %bit, 1:i32
          %odd: i1 = icmp %b1, 0:i32 [pred=ne]
          %z: i32 = if %odd {
            %e: i32 = add %low, %j
            %s: i32 = for %j, %e, 1:i32, %old [pred=slt] { (%i: i32, %a: i32)
              %m5: i32 = mul %a, 5:i32
              %m2: i32 = add %m5, %i
              yield %m2 }
            yield %s } { yield %old }
          yield %z }
        store %r, %mine [align=4]""",
    "a carried number with a stride in the first iteration only": """
        %r: i32, %q: i32 = for 0:i32, 3:i32, 1:i32, %tx, %tx [pred=slt] { (%j: i32, %a: i32, %b: i32)
          %a2: i32 = add %a, %tx
          %b2: i32 = add %b, 5:i32
          yield %a2, %b2 }
        %o: i32 = xor %r, %q
        store %o, %mine [align=4]""",
    "a pointer that goes down with negative steps": """
        %d: i32 = sub 200:i32, %tx [flags=(nsw)]
        %q: ptr = gep %in, %d [offset=0, strides=(4)]
        %l: ptr, %r: i32 = for 0:i32, 3:i32, 1:i32, %q, 0:i32 [pred=slt] { (%j: i32, %a: ptr, %b: i32)
          %y: i32 = load %a [align=4]
          %a2: ptr = gep %a [offset=-8, strides=()]
          %b2: i32 = add %b, %y
          yield %a2, %b2 }
        store %r, %mine [align=4]""",
    "a branch on what only active threads have": """
        %v: i1 = if %c { %w: i32 = load %in [align=4]
          %odd: i1 = icmp %w, %n [pred=ult]
          yield %odd } { yield poison:i1 }
        %y: i32 = if %c {
          %z: i32 = if %v { yield 5:i32 } { yield %tx }
          yield %z } { yield 3:i32 }
        store %y, %mine [align=4]""",
    "division by zero, and of the least number by -1, in threads that do not divide": """
        %least: i32 = shl %low, 31:i32
        %down: i32 = sub 0:i32, %low
        %ok: i1 = icmp %low, 2:i32 [pred=eq]
        %y: i32 = if %ok { %a: i32 = sdiv %least, %down
          %b: i32 = srem %x, %low
          %d: i32 = add %a, %b
          yield %d } { yield 3:i32 }
        store %y, %mine [align=4]""",
    "atomics of floats, and of bytes that are swapped": """
        %f: float = uitofp %low
        %o1: float = atomicrmw %acc, %f [operation=fmax, ordering=monotonic]
        %a1: ptr = gep %acc [offset=4, strides=()]
        %o2: i32 = atomicrmw %a1, %x [operation=umin, ordering=monotonic]
        %o3: i32 = atomicrmw %mine, %tx [operation=xchg, ordering=monotonic]
        %a2: ptr = gep %acc [offset=8, strides=()]
        if %c { %o4: i32 = atomicrmw %a2, %x [operation=add, ordering=monotonic]
          yield } { yield }""",
}


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_nothing_changes(trap: str) -> None:
    function = threads(f"{IDS}\n%n5: i32 = and %n, 7:i32\n{trap}")
    for width, alone in ((4, False), (16, False), (16, True)):
        vector = vectorised(function, width, 1, alone)
        for threads_in_x, n in ((33, 5), (13, 0)):
            block = (threads_in_x, 1, 1)
            expected = results(function, block, n)
            for seed in (None, 1):
                assert results(vector, block, n, seed) == expected, (width, alone, block, seed)
