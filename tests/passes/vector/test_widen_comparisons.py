# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of numbers of threads: of lanes' numbers where vectors are long, and right at both ends of a range."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from vector_runs import results, threads, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import Function
from warploom.ir.printer import print_function

WIDTH = 32
PREDICATES = "slt sle sgt sge ult ule ugt uge eq ne".split()
LARGEST = (1 << 31) - 1


def for_short_registers(function: Function) -> Function:
    """The kernel for AVX2, of which 32 numbers of i32 take four registers."""
    function.facts = replace(function.facts, processor=Processor(256))
    return function


def compared(pred: str, bound: str, *, swapped: bool = False, type_: str = "i32", before: str = "") -> Function:
    """Each thread compares its number and 4 with `bound`, which `before` may compute, and stores the answer."""
    left, right = (bound, "%at") if swapped else ("%at", bound)
    number = "%tx" if type_ == "i32" else "%wide"
    return for_short_registers(
        threads(f"""
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %mine: ptr = gep %p, %id [offset=0, strides=(4)]
    %wide: i64 = zext %tx
    %at: {type_} = add {number}, 4:{type_} [flags=(nsw, nuw)]
    {before}
    %c: i1 = icmp {left}, {right} [pred={pred}]
    %r: i32 = zext %c
    store %r, %mine [align=4]""")
    )


@pytest.mark.parametrize("pred", PREDICATES)
@pytest.mark.parametrize("swapped", [False, True])
def test_every_predicate(pred: str, *, swapped: bool) -> None:
    function = compared(pred, "%n", swapped=swapped)
    after = vectorised(function, WIDTH, 1)
    assert re.search(rf"%c\S*: <{WIDTH} x i1> = icmp `<i16 0, i16 1, ", print_function(after))
    for n in (-LARGEST - 1, -1, 0, 3, 4, 5, 20, 35, 36, 37, 67, 68, 99, 100, LARGEST):
        assert results(after, (64, 1, 1), n, seed=3) == results(function, (64, 1, 1), n), n


@pytest.mark.parametrize("pred", PREDICATES)
@pytest.mark.parametrize("bound", ["%m", "%far", "%low", "%top"])
def test_numbers_of_64_bits(pred: str, bound: str) -> None:
    """On both sides of what threads can be, and so far away that i64 holds no difference."""
    before = """%near: i64 = add %m, -8589934592:i64
    %far: i64 = or %near, 4611686018427387904:i64
    %low: i64 = xor %near, 9223372036854775807:i64
    %top: i64 = xor %near, -9223372036854775808:i64"""
    for number in ("%near", bound):
        function = compared(pred, number, type_="i64", before=before)
        after = vectorised(function, WIDTH, 1)
        assert re.search(rf"%c\S*: <{WIDTH} x i1> = icmp `<i16 0, i16 1, ", print_function(after))
        for n in (-3, 0, 4, 13):
            assert results(after, (40, 1, 1), n, seed=3) == results(function, (40, 1, 1), n), (number, n)


def test_few_threads_are_compared_as_they_are() -> None:
    """Two registers of numbers cost no more than what would stand before the comparison."""
    assert "i16" not in print_function(vectorised(compared("slt", "%n"), 16, 1))


def test_a_number_that_may_wrap_is_compared_as_it_is() -> None:
    before = "%x: i32 = load %in [align=4] %any: i32 = add %tx, %x %b: i1 = icmp %any, %n [pred=slt]"
    before += " %s: i32 = zext %b %acc.at: ptr = gep %acc, %tx [offset=0, strides=(4)] store %s, %acc.at [align=4]"
    function = compared("slt", "%n", before=before)
    after = vectorised(function, WIDTH, 1)
    assert re.search(rf"%b\S*: <{WIDTH} x i1> = icmp %", print_function(after))
    for n in (-LARGEST - 1, -9, 0, 30, LARGEST):
        assert results(after, (8, 1, 1), n, seed=3) == results(function, (8, 1, 1), n), n
