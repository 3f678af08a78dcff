# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An index that goes on behind a test goes on everywhere: the same threads do the same."""

from __future__ import annotations

import pytest
from vector_runs import results, threads, vectorised

from warploom.ir.core import Function, walk

WIDTH = 8


def kernel(
    first: str = "%id: i32 = add %start, %tx [flags=(nsw)]",
    behind: str = "",
    test: str = "icmp %i, %n [pred=slt]",
    step: str = "5:i32",
    stays: str = "%i",
) -> Function:
    """Each thread adds its index to up to three places of its own."""
    return threads(f"""
    %start: i32 = mul %bx, %bdx
    %own: i32 = add %start, %tx [flags=(nsw)]
    {first}
    %last: i32 = for 0:i32, 3:i32, 1:i32, %id [pred=ult] {{ (%k: i32, %i: i32)
      %c: i1 = {test}
      %next: i32 = if %c {{
        %slot: i32 = mul %own, 3:i32
        %place: i32 = add %slot, %k
        %q: ptr = gep %p, %place [offset=0, strides=(4)]
        store %i, %q [align=4]
        %further: i32 = add %i, {step} [flags=(nsw)]
        yield %further
      }} {{ yield {stays} }}
      yield %next
    }}
    {behind}""")


def check(function: Function, n: int) -> Function:
    after = vectorised(function, WIDTH, 1)
    for block in (13, 1, 1), (24, 1, 1):
        for seed in (None, 5):
            assert results(after, block, n, seed=seed) == results(function, block, n)
    return after


@pytest.mark.parametrize("n", [0, 1, 9, 14, 17, 100, -(1 << 31), -(1 << 31) + 4, (1 << 31) - 1])
def test_bounds(n: int) -> None:
    check(kernel(), n)
    check(kernel("%id: i32 = sub %own, 12:i32"), n)


def test_the_index_is_no_vector_that_a_loop_carries() -> None:
    loops = [op for op in walk(check(kernel(), 9).body) if op.name == "for" and op.results]
    assert not [op for op in loops if op.results[0].type[0] == "<"]


def test_an_index_that_is_used_behind_the_loop_stays() -> None:
    behind = """%slot.1: i32 = mul %own, 3:i32
    %q.1: ptr = gep %p, %slot.1 [offset=0, strides=(4)]
    store %last, %q.1 [align=4]"""
    after = check(kernel(behind=behind), 9)
    assert [op for op in walk(after.body) if op.name == "for" and op.results and op.results[0].type[0] == "<"]


@pytest.mark.parametrize(
    "other",
    [
        {"test": "icmp %i, %n [pred=sgt]"},
        {"test": "icmp %i, %n [pred=ne]"},
        {"test": "icmp %n, %i [pred=slt]"},
        {"step": "-5:i32"},
        {"stays": "%n"},
    ],
)
def test_other_tests_and_steps_do_the_same(other: dict[str, str]) -> None:
    for n in (-3, 0, 7, 30):
        check(kernel(**other), n)
