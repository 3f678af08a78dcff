# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers that the launch may do without: a version of the loop has none, and all numbers are right."""

from __future__ import annotations

import pytest
from random_threads import PARAMS
from vector_runs import IDS, results

from warploom.ir.core import Function, Op, clone_function, walk
from warploom.ir.ops import Level, levels_in
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context
from warploom.passes.guards.barrier_choices import BARRIER_CHOICES, LARGEST, MOST

# Threads exchange a byte with the fourth of theirs that is across.
EXCHANGE = """
      %put: ptr = gep %small, %tx [offset=0, strides=(1)]
      %byte: i8 = trunc %some
      store %byte, %put [align=1]
      barrier [level=block]
      %across: i32 = xor %tx, 3:i32
      %take: ptr = gep %small, %across [offset=0, strides=(1)]
      %got: i8 = load %take [align=1]
      %taken: i32 = zext %got
      barrier [level=block]"""
OPTIONAL = f"%sum: i32 = if %large {{ {EXCHANGE} yield %taken }} {{ yield %some }}"
ON_THE_OTHER_SIDE = f"%sum: i32 = if %large {{ yield %some }} {{ {EXCHANGE} yield %taken }}"
NESTED = f"""
    %sum: i32 = if %large {{
      %inner: i32 = if %even {{ {EXCHANGE} yield %taken }} {{ yield %x }}
      %two: i32 = add %inner, %some
      yield %two }} {{ yield %some }}"""
CERTAIN = f"{EXCHANGE} %sum: i32 = add %taken, %n"
ON_BOTH_SIDES = f"%sum: i32 = if %large {{ {EXCHANGE} yield %taken }} {{ barrier [level=block] yield %some }}"
OF_THE_BLOCK = f"""
    %first: i1 = icmp %start, 0:i32 [pred=eq]
    %sum: i32 = if %first {{ {EXCHANGE} yield %taken }} {{ yield %some }}"""


def kernel(ops: str) -> Function:
    """Threads that do so and store %sum; the conditions stand in front of the grid, where hoist_parallel puts them."""
    function = parse_function(
        f"""{PARAMS} {{
        %large: i1 = icmp %n, 3:i32 [pred=sgt]
        %bit: i32 = and %n, 1:i32
        %even: i1 = icmp %bit, 0:i32 [pred=eq]
        grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
          block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
            {IDS} {ops}
            store %sum, %mine [align=4]
            yield }}
          yield }}
        yield }}"""
    )
    verify(function, "structured")
    return function


def versions(function: Function) -> Function:
    copy = clone_function(function)
    BARRIER_CHOICES.run(copy, Context())
    verify(copy, "structured")
    return copy


def loops(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name == "block"]


@pytest.mark.parametrize("ops", [OPTIONAL, ON_THE_OTHER_SIDE, NESTED])
@pytest.mark.parametrize("n", [-2, 1, 3, 4, 5, 12])
@pytest.mark.parametrize("size", [4, 40, 64])
def test_any_numbers(ops: str, n: int, size: int) -> None:
    function = kernel(ops)
    after = versions(function)
    SPLIT_BARRIERS.run(after, Context())
    for seed in (None, 3):
        assert results(after, (size, 1, 1), n, seed=seed) == results(function, (size, 1, 1), n)


@pytest.mark.parametrize("ops", [OPTIONAL, ON_THE_OTHER_SIDE, NESTED])
def test_one_version_has_no_barriers(ops: str) -> None:
    quiet, loud = loops(versions(kernel(ops)))
    assert not levels_in(quiet) & Level.BLOCK
    assert levels_in(loud) & Level.BLOCK


@pytest.mark.parametrize("ops", [CERTAIN, ON_BOTH_SIDES, OF_THE_BLOCK])
def test_barriers_that_are_certain_or_asked_for_within_the_loop_stay(ops: str) -> None:
    assert len(loops(versions(kernel(ops)))) == 1


def test_what_is_large_stays() -> None:
    more = "\n".join(f"%y{number}: i32 = mul %x, {number}:i32" for number in range(LARGEST))
    assert len(loops(versions(kernel(more + OPTIONAL)))) == 1


def test_many_choices_stay() -> None:
    choices = "".join(
        f"if %large {{ barrier [level=block] %z{number}: i32 = add %n, 1:i32 yield }} {{ yield }}\n"
        for number in range(MOST)
    )
    assert len(loops(versions(kernel(choices + "%sum: i32 = add %n, 1:i32")))) == 2
    assert len(loops(versions(kernel(choices + OPTIONAL)))) == 1
