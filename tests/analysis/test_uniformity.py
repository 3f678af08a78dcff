# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values all threads of a warp, block or grid agree on."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, ops_of, values_of

from warploom.analysis.uniformity import BLOCK, GRID, VARYING, WARP, uniformity
from warploom.ir.ops import Level

# One fact a line: what is computed, the name looked at, the widest group that agrees on it, why.
FACTS = [
    ("%a: i32 = add %tx, 1:i32", "a", VARYING, "thread ids differ"),
    ("%a: i32 = mul %bx, %bdx", "a", BLOCK, "block ids differ between blocks only"),
    ("%a: i32 = add %n, %gdx", "a", GRID, "parameters are the launch's"),
    ("%a: float = load %p [align=4]", "a", GRID, "a plain load is as uniform as its address"),
    ("%a: float = load @s:ptr [align=4]", "a", BLOCK, "each block has its own shared memory"),
    ("%a: i32 = load %p [align=4, volatile=true]", "a", VARYING, "a volatile load may race"),
    ("%a: i32 = atomicrmw %p, 1:i32 [operation=add]", "a", VARYING, "each thread gets another old value"),
    ("%a: ptr = alloca [size=4, align=4]", "a", VARYING, "private memory"),
    ("%a: i32 = barrier_reduce %tx [kind=count]", "a", BLOCK, "the block's count"),
    ("%a: i32 = vote -1:i32, %tx [kind=any]", "a", WARP, "all lanes vote together"),
    ("%a: i32 = vote %tx, %tx [kind=any]", "a", VARYING, "lanes may name different groups"),
    ("%a: i64 = shuffle -1:i32, 7:i64, %tx, 32:i32 [kind=idx]", "a", VARYING, "lanes read different lanes"),
    ("%a: i64 = shuffle -1:i32, 7:i64, 0:i32, 32:i32 [kind=idx]", "a", WARP, "lane 0 is broadcast"),
    ("%a: i64 = shuffle -1:i32, 7:i64, 5:i32, 32:i32 [kind=idx]", "a", WARP, "lane 5 is broadcast, or 0 without it"),
    ("%a: i64 = shuffle -1:i32, 7:i64, %bx, 32:i32 [kind=idx]", "a", WARP, "all lanes read the same one"),
    ("%a: i32 = shuffle -1:i32, %tx, 0:i32, 32:i32 [kind=xor]", "a", VARYING, "each lane gets its own"),
    ("%a: i32 = shuffle -1:i32, %tx, 0:i32, 8:i32 [kind=idx]", "a", VARYING, "each eight lanes have a first one"),
    ("%a: i32 = match -1:i32, 7:i64 [kind=any]", "a", VARYING, "each lane gets its own group"),
    ("%a: i32 = call %n [callee=f, effects=none]", "a", GRID, "a function of uniform arguments"),
    ("%a: i32 = call %n [callee=f, effects=read]", "a", VARYING, "it may read what differs"),
]


@pytest.mark.parametrize(("body", "name", "rank", "why"), FACTS, ids=[fact[-1] for fact in FACTS])
def test_rank(body: str, name: str, rank: int, why: str) -> None:
    function = block_kernel(body)
    assert uniformity(function).rank(values_of(function)[name]) == rank, why


def test_levels_are_ordered() -> None:
    function = block_kernel("%a: i32 = mul %bx, 2:i32")
    value, answer = values_of(function)["a"], uniformity(function)
    assert answer.is_uniform(value, Level.WARP)
    assert answer.is_uniform(value, Level.BLOCK)
    assert not answer.is_uniform(value, Level.GRID)


def test_outside_of_the_threads_everything_is_uniform_in_the_block() -> None:
    # One thread of control computes it, whatever it is.
    function = block_kernel("", outside="%a: i32 = atomicrmw %p, 1:i32 [operation=add]")
    assert uniformity(function).rank(values_of(function)["a"]) == BLOCK


def test_what_a_divergent_if_yields_varies() -> None:
    function = block_kernel("""
      %c: i1 = icmp %tx, 3:i32 [pred=slt]
      %a: i32, %b: i32 = if %c { yield 1:i32, %n } { yield 2:i32, %n }""")
    found, answer = values_of(function), uniformity(function)
    assert answer.rank(found["a"]) == VARYING
    assert answer.rank(found["b"]) == GRID, "both ways yield the same"


def test_temporal_divergence() -> None:
    # The counter is the same for the threads that are still in the loop; they leave it with different counts.
    function = block_kernel("""
      %a: i32 = for 0:i32, %tx, 1:i32, 0:i32 [pred=slt] { (%i: i32, %carried: i32)
        %next: i32 = add %carried, %i
        yield %next
      }""")
    found, answer = values_of(function), uniformity(function)
    assert answer.rank(found["carried"]) == GRID
    assert answer.rank(found["i"]) == GRID
    assert answer.rank(found["a"]) == VARYING


def test_a_carried_value_sinks_with_what_comes_back() -> None:
    function = block_kernel("""
      %a: i32 = while 0:i32 { (%u: i32)
        %c: i1 = icmp %u, %n [pred=slt]
        condition %c, %u
      } { (%v: i32)
        %w: i32 = add %v, %tx
        yield %w
      }""")
    found, answer = values_of(function), uniformity(function)
    assert [answer.rank(found[name]) for name in ("u", "c", "v", "a")] == [VARYING] * 4


def test_a_vote_under_divergent_control_varies() -> None:
    # Not all lanes take part, and only those that do agree.
    function = block_kernel("""
      %c: i1 = icmp %tx, 3:i32 [pred=slt]
      if %c { %a: i32 = vote -1:i32, %tx [kind=any]
        yield } { yield }""")
    answer = uniformity(function)
    assert answer.rank(values_of(function)["a"]) == VARYING
    assert not answer.is_reached_uniformly(ops_of(function, "vote")[0], Level.WARP)
    assert answer.is_reached_uniformly(ops_of(function, "if")[0], Level.GRID)


def test_lanes_of_one_warp_share_what_the_warp_loop_computes() -> None:
    function = block_kernel(
        "",
        outside="""warp 4:i32 { (%w: i32)
      %a: i32 = mul %w, 32:i32
      lane 32:i32 { (%l: i32)
        %b: i32 = add %a, %l
        yield
      }
      yield
    }""",
    )
    found, answer = values_of(function), uniformity(function)
    assert answer.rank(found["a"]) == WARP
    assert answer.rank(found["b"]) == VARYING
