# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors whose threads have one quotient load rows; all threads get what they got before, whoever ends a row."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from vector_runs import results, threads, vectorised

from warploom.ir.core import Function, Op, Value, clone_function, walk
from warploom.passes.base import Context
from warploom.passes.vector.row_versions import NAME
from warploom.passes.vector.vectorise import VECTORISE

WIDTH = 8
# Of %i: a column of %in, and a row of %small; what both make goes to the thread's own place.
ACCESSES = """
    %near: i32 = and %r, 255:i32
    %a: ptr = gep %in, %near [offset=0, strides=(4)]
    %x: i32 = load %a [align=4]
    %line: i32 = and %q, 255:i32
    %b: ptr = gep %in, %line [offset=0, strides=(4)]
    %y: i32 = load %b [align=4]
    %sum: i32 = add %x, %y
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    store %sum, %mine [align=4]"""
PLAIN = ACCESSES.replace("%near: i32 = and %r, 255:i32", "").replace("gep %in, %near", "gep %in, %r")
IDS = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]"""
# The numbers of fast division: by 10, a shift of 4.
MAGIC = """
    %wide: i64 = zext %i
    %long: i64 = mul %wide, 2576980378:i64 [flags=(nuw)]
    %high: i64 = lshr %long, 32:i64
    %t: i32 = trunc %high [flags=(nuw)]
    %total: i32 = add %i, %t
    %amount: i32 = load %in [align=4]
    %four: i32 = and %amount, 0:i32
    %shift: i32 = or %four, 4:i32
    %q: i32 = lshr %total, %shift
    %whole: i32 = mul %q, 10:i32
    %r: i32 = sub %i, %whole
    %wide.r: i64 = zext %r"""


def divided(kind: str, divisor: str, accesses: str = ACCESSES, index: str = "%i: i32 = add %id, 0:i32") -> Function:
    return threads(f"{IDS}\n{index}\n%q: i32 = {kind}div %i, {divisor}\n%r: i32 = {kind}rem %i, {divisor}\n{accesses}")


def without(function: Function) -> Function:
    copy = clone_function(function)
    VECTORISE.run(copy, Context(width=WIDTH, jam=1, off=frozenset({NAME})))
    return copy


def rows(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name == "load" and op.result.type == f"<{WIDTH} x i32>"]


def gathers(function: Function) -> int:
    return sum(op.name == "gather" for op in walk(function.body))


def check(function: Function, n: int) -> None:
    """The same in every order of threads."""
    after = vectorised(function, WIDTH, 1)
    for block in (1, 1, 1), (13, 1, 1), (40, 1, 1):
        expected = results(function, block, n)
        assert results(after, block, n) == expected
        assert results(after, block, n, seed=random.Random(n).randrange(1 << 30)) == expected


@pytest.mark.parametrize("kind", ["u", "s"])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 31, 100, 0x7FFFFFFF])
def test_any_row_length(kind: str, n: int) -> None:
    check(divided(kind, "%n"), n)


@pytest.mark.parametrize("n", [-1, -5, -(1 << 31)])
def test_signed_divisors_below_zero(n: int) -> None:
    check(divided("s", "%n"), n)


@pytest.mark.parametrize("kind", ["u", "s"])
@pytest.mark.parametrize("start", [-3, -20, 0x7FFFFFF8, -(1 << 31)])
def test_indices_around_zero_and_the_ends_of_their_type(kind: str, start: int) -> None:
    check(divided(kind, "%n", index=f"%i: i32 = add %id, {start}:i32"), 9)


def test_rows_are_loaded_as_rows() -> None:
    function = divided("s", "%n", PLAIN)
    assert rows(vectorised(function, WIDTH, 1))
    assert not rows(without(function))
    assert gathers(vectorised(function, WIDTH, 1)) == gathers(without(function)) > 0


def test_quotients_by_a_multiplication() -> None:
    function = threads(f"{IDS}\n%i: i32 = add %id, 0:i32\n{MAGIC}\n{PLAIN.replace('%in, %r', '%in, %wide.r')}")
    assert rows(vectorised(function, WIDTH, 1))
    check(function, 3)
    check(threads(f"{IDS}\n%i: i32 = add %id, {-20}:i32\n{MAGIC}\n{ACCESSES}"), 3)


def test_a_sum_that_wraps_within_a_vector_does_not_rise() -> None:
    """The highest bit of 2^30 times the index: the same for the first thread of a vector and the last, not for all."""
    twice = "\n".join(f"%d{k + 1}: i32 = add %d{k}, %d{k}" for k in range(30))
    quotient = """%amount: i32 = load %in [align=4]
    %none: i32 = and %amount, 0:i32
    %shift: i32 = or %none, 31:i32
    %q: i32 = lshr %d30, %shift
    %r: i32 = add %i, 0:i32"""
    for start in (0, 1, 2, 3):
        check(
            threads(
                f"{IDS}\n%i: i32 = add %id, {start}:i32\n%d0: i32 = add %i, 0:i32\n{twice}\n{quotient}\n{ACCESSES}"
            ),
            3,
        )


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_loop_that_takes_an_index_apart(n: int) -> None:
    """Sizes 10, 3 and 2, as many as %n says; strides by trip 1, 7 and 5."""
    function = threads(f"""{IDS}
    %left: i32, %at: i32, %offset: i32, %trip: i32 = while %id, %id, 0:i32, 0:i32 {{
      (%l: i32, %w: i32, %o: i32, %k: i32)
      %c: i1 = icmp %k, %n [pred=ult]
      condition %c, %l, %w, %o, %k
    }} {{ (%l.1: i32, %w.1: i32, %o.1: i32, %k.1: i32)
      %first: i1 = icmp %k.1, 0:i32 [pred=eq]
      %size: i32 = select %first, 10:i32, 3:i32
      %q: i32 = udiv %l.1, %size
      %r: i32 = urem %l.1, %size
      %stride: i32 = select %first, 1:i32, 7:i32
      %far: i32 = mul %r, %stride
      %next: i32 = add %o.1, %far [flags=(nsw)]
      %k.2: i32 = add %k.1, 1:i32
      yield %q, %w.1, %next, %k.2
    }}
    %wide: i64 = zext %offset
    %a: ptr = gep %in, %wide [offset=0, strides=(4)]
    %x: i32 = load %a [align=4]
    %both: i32 = add %x, %left
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    store %both, %mine [align=4]""")
    assert rows(vectorised(function, WIDTH, 1))
    check(function, n)


def test_rows_shorter_than_a_vector_get_no_version() -> None:
    function = divided("u", "7:i32", PLAIN)
    assert gathers(vectorised(function, WIDTH, 1)) == gathers(without(function))
    assert not [op for op in walk(vectorised(function, WIDTH, 1).body) if op.name == "if"][1:]
    check(function, 1)


def test_what_is_written_in_between_is_read_behind_it() -> None:
    """The divisor is loaded behind a store to where it lies."""
    check(
        threads(f"""{IDS}
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    %q0: i32 = udiv %id, %n
    %one: i32 = or %q0, 9:i32
    store %one, %mine [align=4]
    %w: i32 = load %mine [align=4]
    %q: i32 = udiv %id, %w
    %r: i32 = urem %id, %n
    %a: ptr = gep %in, %r [offset=0, strides=(4)]
    %x: i32 = load %a [align=4]
    %y: i32 = add %x, %q
    store %y, %mine [align=4]"""),
        11,
    )


@pytest.mark.parametrize("n", [1, 7, 100])
def test_a_divisor_that_differs_among_threads_and_is_no_arithmetic(n: int) -> None:
    """What a call or a load behind a store gives is not alike in all threads because nothing is known of it."""
    code = (
        ACCESSES
        + """
    %half: i32 = ashr %i, 1:i32
    %d: i32 = call %half, 1:i32 [callee=llvm.umax.i32, effects=none, speculatable=true]
    %rest: i32 = srem %i, %d
    %odd: i32 = or %rest, 1:i32
    store %odd, %mine [align=4]
    %loaded: i32 = load %mine [align=4]
    %again: i32 = urem %i, %loaded
    %more: i32 = add %again, %rest
    store %more, %mine [align=4]"""
    )
    check(divided("u", "%n", code), n)


def _doubled(value: str, name: str, times: int, type_: str) -> str:
    """%`name` = `value` * 2^times, by additions, which functions that rise may be made of."""
    steps = [value, *(f"%{name}{at}" for at in range(1, times)), f"%{name}"]
    return "\n".join(f"{b}: {type_} = add {a}, {a}" for a, b in pairwise(steps)) + "\n"


HIGHEST = """%amount: i32 = load %in [align=4]
    %none: i32 = and %amount, 0:i32
    %shift: i32 = or %none, 31:i32
    %q: i32 = lshr %top, %shift
    %r: i32 = add %i, 0:i32"""
TOP = "%high: i64 = lshr %long, 32:i64\n%top: i32 = trunc %high\n"
WIDE = "%wide: i64 = zext %i\n"
# What makes 2^30 times the index in 32 bits, or the upper half of 2^62 times the index in 64.
WRAPPING = {
    "a product by a longer number": WIDE + f"%long: i64 = mul %wide, {1 << 62}:i64\n" + TOP,
    "a product of a longer number": WIDE
    + _doubled("%wide", "far", 31, "i64")
    + "%first: i32 = load %in [align=4]\n%is: i1 = icmp %first, %first [pred=eq]\n"
    + f"%one: i64 = select %is, %far, %wide\n%long: i64 = mul %one, {1 << 31}:i64\n"
    + TOP,
    "the lower half": WIDE + f"%long: i64 = mul %wide, {1 << 30}:i64\n%top: i32 = trunc %long\n",
    "bits of both halves": WIDE
    + f"%long: i64 = mul %wide, {1 << 31}:i64\n%high: i64 = lshr %long, 1:i64\n%top: i32 = trunc %high\n",
}


@pytest.mark.parametrize("wrapping", WRAPPING)
def test_the_highest_bit_of_what_wraps_within_a_vector(wrapping: str) -> None:
    """It is the same for the first thread of a vector and the last, and not for all."""
    check(threads(f"{IDS}\n%i: i32 = add %id, 1:i32\n{WRAPPING[wrapping]}{HIGHEST}\n{ACCESSES}"), 3)


def test_a_quotient_by_a_number_that_rises_may_fall() -> None:
    """(i * i + 7) / (i + 1) is 7 for 0 and for 7, and less between."""
    quotients = """%wide: i64 = zext %i
    %more: i64 = add %wide, 1:i64
    %square: i64 = mul %wide, %wide
    %least: i64 = add %square, 7:i64
    %fall: i64 = udiv %least, %more
    %fallen: i32 = trunc %fall"""
    accesses = ACCESSES.replace("and %q, 255:i32", "add %q, %fallen")
    check(divided("u", "100:i32", f"{quotients}\n{accesses}"), 3)


@pytest.mark.parametrize("of", ["div", "rem"])
def test_a_bit_of_an_index_is_no_function_that_rises(of: str) -> None:
    bit = f"%bit: i32 = and %i, 4:i32\n%part: i32 = u{of} %bit, 3:i32"
    accesses = ACCESSES.replace("and %q, 255:i32", "add %q, %part")
    check(divided("u", "100:i32", f"{bit}\n{accesses}", "%i: i32 = add %id, 1:i32"), 3)


def test_a_divisor_that_is_written_behind_the_first_quotient() -> None:
    """All threads write the same; before, %in begins with a large number."""
    quotient = "store 5:i32, %in [align=4]\n%d: i32 = load %in [align=4]\n%part: i32 = udiv %i, %d"
    accesses = ACCESSES.replace("and %q, 255:i32", "add %q, %part")
    check(divided("u", "100:i32", f"{quotient}\n{accesses}"), 5)


def test_a_remainder_that_may_not_be_asked_for_is_not_asked_for_in_front() -> None:
    inner = """%safe: i1 = icmp %n, 0:i32 [pred=ne]
    %e: i32 = if %safe { %rest: i32 = urem %i, %n
      yield %rest } { yield %i }"""
    check(divided("u", "100:i32", f"{inner}\n{ACCESSES.replace('and %q, 255:i32', 'add %q, %e')}"), 0)


def test_what_the_ends_of_a_vector_are_computed_by_promises_nothing() -> None:
    """Threads at its ends may have nothing to do, and then overflow."""
    index = "%j: i32 = add %id, 0:i32\n%k: i32 = udiv %j, %n\n%i: i32 = add %j, 5:i32 [flags=(nsw, nuw)]"
    after = vectorised(divided("u", "%n", index=index), WIDTH, 1)
    makers = {value: op for op in walk(after.body) for value in op.results}
    compared = [each for op in walk(after.body) if op.name == "icmp" for each in op.operands]
    ends = [makers[each] for each in compared if isinstance(each, Value) and each in makers]
    assert any(op.name == "udiv" for op in ends)
    starts = [each.operands[0] for each in ends]
    deeper = [makers[each] for each in starts if isinstance(each, Value) and each in makers]
    assert not any(op.attrs.get("flags") for op in (*ends, *deeper))
