# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much a thread may do."""

from __future__ import annotations

from block_kernel import block_kernel

from warploom.analysis.thread_work import LOOP_WEIGHT, thread_work

ADD = "%a: i32 = add %tx, 1:i32"
LOOP = "for 0:i32, %n, 1:i32 [pred=slt] {{ (%i{0}: i32) {1} yield }}"


def added(body: str) -> int:
    """The ops that `body` adds to an empty kernel."""
    return thread_work(block_kernel(body)) - thread_work(block_kernel(""))


def test_straight_code_counts_once() -> None:
    assert added(ADD) == 1


def test_loops_count_eight_times_at_each_level() -> None:
    body_and_yield = 2
    once = 1 + LOOP_WEIGHT * body_and_yield
    assert added(LOOP.format(0, ADD)) == once
    assert added(LOOP.format(0, LOOP.format(1, ADD))) == 1 + LOOP_WEIGHT * (1 + once)


def test_both_sides_of_a_condition_count() -> None:
    test, branch, yields = 1, 1, 2
    condition = "%c: i1 = icmp %tx, 3:i32 [pred=sgt] "
    branches = f"{condition} if %c {{ {ADD} yield }} {{ %b: i32 = add %tx, 2:i32 yield }}"
    assert added(branches) == test + branch + 2 + yields
