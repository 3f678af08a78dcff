# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strides that the launch says: 1 makes rows, 0 one element, and all others are right as well."""

from __future__ import annotations

import itertools
import re

import pytest
from vector_runs import IDS, results, threads, vectorised

from warploom.ir.core import Function, Op, clone_function, walk
from warploom.passes.base import Context
from warploom.passes.vector.stride_versions import NAME
from warploom.passes.vector.vectorise import VECTORISE

WIDTH = 8
KERNEL = (
    IDS
    + """
    %far: i32 = mul %tx, %n [flags=(nsw)]
    %more: i32 = add %far, %bx [flags=(nsw)]
    %q: ptr = gep %in, %more [offset=0, strides=(4)]
    %y: i32 = load %q [align=4]
    %z: i32 = add %x, %y
    store %z, %mine [align=4]"""
)
# Threads of one block store; what lies further apart than that is other threads'.
STORED = (
    IDS
    + """
    %apart: i64 = zext %n
    %thread: i64 = zext %tx
    %away: i64 = mul %thread, %apart
    %block: i32 = mul %bx, 100:i32
    %first: i64 = zext %block
    %there: i64 = add %first, %away
    %q: ptr = gep %p, %there [offset=160, strides=(4)]
    store %x, %q [align=4]"""
)


def loads(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name in ("load", "masked_load", "gather")]


def without(function: Function) -> Function:
    copy = clone_function(function)
    VECTORISE.run(copy, Context(width=WIDTH, jam=1, off=frozenset({NAME})))
    return copy


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6])
@pytest.mark.parametrize("size", [1, 13, 40])
def test_any_stride(n: int, size: int) -> None:
    function = threads(KERNEL)
    after = vectorised(function, WIDTH, 1)
    for seed in (None, 3):
        assert results(after, (size, 1, 1), n, seed=seed) == results(function, (size, 1, 1), n)


def test_there_is_a_load_for_each_usual_stride() -> None:
    function = threads(KERNEL)
    kinds = [op.name for op in loads(vectorised(function, WIDTH, 1))]
    before = [op.name for op in loads(without(function))]
    assert kinds.count("gather") == before.count("gather") > 0
    assert len(kinds) - len(before) >= 2 * before.count("gather")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_stores(n: int) -> None:
    function = threads(STORED)
    after = vectorised(function, WIDTH, 1)
    assert any(op.name == "scatter" for op in walk(after.body))
    assert any(op.name == "store" and op.operands[0].type == f"<{WIDTH} x i32>" for op in walk(after.body))
    for size in (13, 24):
        assert results(after, (size, 1, 1), n) == results(function, (size, 1, 1), n)


def test_two_unknown_numbers_stay_gathers() -> None:
    function = threads(KERNEL.replace("add %far, %bx", "mul %far, %n"))
    assert [op.name for op in loads(vectorised(function, WIDTH, 1))] == [op.name for op in loads(without(function))]


# As many ways to load as there are numbers of the launch, all with one stride; a thread takes one.
MANY = 20


def alternatives(k: int = 0) -> str:
    if k == MANY:
        return "yield %x"
    return f"""
    %c{k}: i1 = icmp %n, {k}:i32 [pred=sle]
    %y{k}: i32 = if %c{k} {{
      %q{k}: ptr = gep %in, %wide [offset={160 + 4 * k}, strides=(4)]
      %z{k}: i32 = load %q{k} [align=4]
      yield %z{k}
    }} {{
      {alternatives(k + 1)}
    }}
    {f"yield %y{k}" if k else "store %y0, %mine [align=4]"}"""


ALTERNATIVES = f"{IDS}\n    %far: i32 = mul %tx, %n\n    %wide: i64 = sext %far{alternatives()}"


def test_the_addresses_of_a_row_are_told_by_the_first_and_the_last() -> None:
    """For 16 bits, all strides, starts around both ends of the numbers, extended with and without a sign."""
    lanes, bits = 8, 16
    starts = [*range(-9, 10), *range((1 << 15) - 9, (1 << 15) + 10)]
    for stride, start, signed in itertools.product(range(1 << bits), starts[::6], (False, True)):
        first, last = (_extended(start + lane * stride, bits, signed) for lane in (0, lanes - 1))
        for element in (1, 4):
            if last - first == (lanes - 1) * element:
                row = [_extended(start + lane * stride, bits, signed) - first for lane in range(lanes)]
                assert row == [lane * element for lane in range(lanes)]


def _extended(number: int, bits: int, signed: bool) -> int:
    number %= 1 << bits
    return number - (1 << bits) if signed and number >> (bits - 1) else number


@pytest.mark.parametrize("n", [0xFFFFFFFF, 0, 1, 2])
@pytest.mark.parametrize("size", [13, 40])
def test_many_alternatives_ask_whether_neighbours_are_read(n: int, size: int) -> None:
    function = threads(ALTERNATIVES)
    after = vectorised(function, WIDTH, 1)
    assert [op.name for op in walk(after.body)].count("gather_near") >= MANY
    for seed in (None, 3):
        assert results(after, (size, 1, 1), n, seed=seed) == results(function, (size, 1, 1), n)


TWICE = ALTERNATIVES.replace("= sext %far", "= sext %far\n%again: i64 = zext %far\n%both: i64 = add %wide, %again")
LONG = re.sub(
    r"(%z(\d+)): i32 = load (%q\d+) \[align=4\]", r"%l\2: i64 = load \3 [align=8]\n\1: i32 = trunc %l\2", TWICE
)
FIXED = ALTERNATIVES.replace("= sext %far", "= sext %far\n%own: i64 = zext %tx\n%less: i64 = sub %wide, %own")


@pytest.mark.parametrize(
    "code",
    [LONG.replace("%in, %wide", "%in, %both"), FIXED.replace("%in, %wide", "%in, %less")],
    ids=["two numbers that may wrap", "a part that the number does not decide"],
)
def test_first_and_last_do_not_tell_of_all(code: str) -> None:
    assert "gather_near" not in [op.name for op in walk(vectorised(threads(code), WIDTH, 1).body)]
