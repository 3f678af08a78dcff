# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of the thread's number that the launch says: 1 and 0 get loops of their own, and all numbers are right."""

from __future__ import annotations

import pytest
from vector_runs import IDS, results, threads

from warploom.ir.core import Function, Op, clone_function, walk
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.guards.launch_factors import LARGEST, LAUNCH_FACTORS, WARP_FACTORS

LOOP = (
    IDS
    + """
    %first: i32 = mul %tx, %n [flags=(nsw)]
    MORE
    %end: i32, %sum: i32 = while %first, %x { (%i: i32, %s: i32)
      %in_range: i1 = icmp %i, 40:i32 [pred=slt]
      condition %in_range, %i, %s
    } { (%j: i32, %t: i32)
      %at: i32 = and %j, 255:i32
      %q: ptr = gep %in, %at [offset=0, strides=(4)]
      %y: i32 = load %q [align=4]
      %u: i32 = add %t, %y
      %next: i32 = add %j, 7:i32
      yield %next, %u
    }
    store %sum, %mine [align=4]"""
)


def versions(function: Function) -> Function:
    copy = clone_function(function)
    LAUNCH_FACTORS.run(copy, Context())
    verify(copy, "structured")
    return copy


def loops(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name == "block"]


@pytest.mark.parametrize("n", [0, 1, 2, 9, -1, -3])
@pytest.mark.parametrize("size", [1, 13, 40])
def test_any_factor(n: int, size: int) -> None:
    function = threads(LOOP.replace("MORE", ""))
    after = versions(function)
    assert len(loops(after)) == 3  # n is 1, 0, another
    for seed in (None, 3):
        assert results(after, (size, 1, 1), n, seed=seed) == results(function, (size, 1, 1), n)


@pytest.mark.parametrize("n", [0, 1, 2, -1])
def test_of_two_factors_one_is_1_and_the_other_0(n: int) -> None:
    function = threads(LOOP.replace("MORE", "%far: i32 = mul %tx, %bdy").replace("%t, %y", "%t, %far"))
    after = versions(function)
    assert len(loops(after)) == 3
    for block in (5, 1, 1), (5, 2, 1):
        assert results(after, block, n) == results(function, block, n)


def test_what_decides_no_loop_stays() -> None:
    function = threads(LOOP.replace("MORE", "").replace("while %first", "while %id"))
    assert len(loops(versions(function))) == 1


def test_a_factor_of_the_thread_itself_stays() -> None:
    function = threads(LOOP.replace("MORE", "").replace("mul %tx, %n", "mul %tx, %ty"))
    assert len(loops(versions(function))) == 1


def test_what_is_large_stays() -> None:
    more = "\n".join(f"%y{number}: i32 = mul %x, {number}:i32" for number in range(LARGEST))
    assert len(loops(versions(threads(LOOP.replace("MORE", more))))) == 1


SHUFFLED = LOOP.replace(
    "    store %sum",
    """    %wide: i64 = zext %sum
    %taken: i64 = shuffle -1:i32, %wide, 3:i32, 32:i32 [kind=down]
    %other: i32 = trunc %taken
    %both: i32 = add %sum, %other
    store %both""",
).replace("store %both, %both", "store %both")


def versions_of_warps(function: Function) -> Function:
    copy = clone_function(function)
    WARP_FACTORS.run(copy, Context())
    verify(copy, "structured")
    return copy


@pytest.mark.parametrize("n", [0, 1, 3, -1])
@pytest.mark.parametrize("block", [(32, 1, 1), (32, 2, 1), (16, 4, 1), (40, 1, 1)])
def test_loops_with_collectives_of_warps(block: tuple[int, int, int], n: int) -> None:
    function = threads(SHUFFLED.replace("MORE", ""))
    after = versions_of_warps(function)
    assert len(loops(after)) == 3
    assert results(after, block, n) == results(function, block, n)


def test_each_pass_leaves_the_loops_of_the_other() -> None:
    flat, shuffled = (threads(code.replace("MORE", "")) for code in (LOOP, SHUFFLED))
    assert len(loops(versions(shuffled))) == len(loops(versions_of_warps(flat))) == 1


def test_barriers_of_blocks_stay() -> None:
    function = threads(SHUFFLED.replace("MORE", "barrier [level=block]"))
    assert len(loops(versions_of_warps(function))) == 1
