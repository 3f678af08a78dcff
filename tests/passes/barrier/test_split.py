# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splitting at barriers of a block, a warp and a grid keeps what a kernel computes, in every order of threads."""

from __future__ import annotations

import pytest
from differential import Dims, lowered, results
from fission_kernels import (
    EARLY_EXIT,
    ENDING_INSIDE,
    KERNELS,
    NEIGHBOUR,
    REDUCTION,
    TAKING_TURNS,
    WARP_UNDER_IF,
    kernel,
)

from warploom.core.remarks import Unsupported
from warploom.ir.core import Const, Function, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.barrier.split_grid import SPLIT_GRID
from warploom.passes.barrier.split_warps import SPLIT_WARPS
from warploom.passes.base import Context, Pass

PASSES: list[Pass] = [SPLIT_GRID, SPLIT_BARRIERS, SPLIT_WARPS]
SHAPES: list[tuple[Dims, Dims]] = [
    ((2, 1, 1), (64, 1, 1)),
    ((3, 1, 1), (37, 1, 1)),
    ((1, 1, 1), (8, 5, 2)),
    ((2, 1, 1), (32, 3, 1)),
    ((1, 1, 1), (1, 1, 1)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", KERNELS)
def test_same_results_in_every_order(name: str, shape: tuple[Dims, Dims]) -> None:
    grid, block = shape
    original = parse_function(KERNELS[name])
    split, _ = lowered(original, PASSES)
    verify(split, "split")
    n = grid[0] * block[0] * block[1] * block[2] * 2 // 3
    expected = results(original, grid, block, n)
    for seed in (None, 1, 2):
        assert results(original, grid, block, n, seed) == expected
        assert results(split, grid, block, n, seed) == expected


@pytest.mark.parametrize("off", ["minimum_cut", "early_stores"])
@pytest.mark.parametrize("name", KERNELS)
def test_features_can_be_switched_off(name: str, off: str) -> None:
    original = parse_function(KERNELS[name])
    split, _ = lowered(original, PASSES, frozenset((off,)))
    grid, block = (2, 1, 1), (40, 1, 1)
    assert results(split, grid, block, 60, 3) == results(original, grid, block, 60)


@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("reduction", "interchange_while"),
        ("swap_and_array", "interchange_for"),
        ("early_exit", "interchange_if"),
        ("neighbour", "split_barriers"),
        ("warp", "split_warps"),
        ("grid", "split_grid"),
    ],
)
def test_without_a_needed_step_the_kernel_is_refused(name: str, off: str) -> None:
    with pytest.raises(Unsupported, match=off):
        lowered(parse_function(KERNELS[name]), PASSES, frozenset((off,)))


def scratch_bytes(function: Function) -> int:
    """Bytes a thread that cross from one loop over threads to another."""
    return sum(int(str(op.attrs["size"])) for op in walk(function.body) if op.name == "scratch")


# The paper's figure 6: three values are used after the barrier, two are enough to compute them again.
CUT = kernel("""
      %x: i32 = load %here [align=4]
      store 1:i32, %mine [align=4]
      %y: i32 = load %mine [align=4]
      %a: i32 = mul %x, %x
      %b: i32 = mul %y, %y
      %c: i32 = sub %x, %y
      barrier [level=block]
      %d: i32 = add %a, %b
      %e: i32 = xor %d, %c
      store %e, %here [align=4]
""")


def test_the_minimum_cut_keeps_two_values_rather_than_three() -> None:
    split, context = lowered(parse_function(CUT), PASSES)
    assert scratch_bytes(split) == 8
    assert any("(2 values, 0 arrays)" in each.text for each in context.remarks)
    everything, _ = lowered(parse_function(CUT), PASSES, frozenset(("minimum_cut",)))
    assert scratch_bytes(everything) >= 12


def test_what_only_absent_threads_know_decides_nothing() -> None:
    split, _ = lowered(parse_function(KERNELS["nobody_decides"]), PASSES)
    loop = next(op for op in walk(split.body) if op.name == "for")
    around = next(op for op in walk(split.body) if op.name == "if" and loop in op.regions[0].ops)
    flag = next(op for op in walk(split.body) if around.operands[0] in op.results)
    assert flag.name == "icmp"  # of whether any thread is there
    assert flag.result.name == "any"


def test_a_mask_that_depends_on_ids_alone_is_computed_again() -> None:
    # The only value kept is the one that was loaded; the condition of the early exit costs no memory.
    split, _ = lowered(parse_function(EARLY_EXIT), PASSES)
    assert scratch_bytes(split) == 4


def test_a_uniform_while_moves_out_with_its_carried_value_in_a_slot() -> None:
    # The loop is outside of all loops over threads and carries the stride alone.
    split, _ = lowered(parse_function(REDUCTION), PASSES)
    grid = next(op for op in split.body.ops if op.name == "grid")
    loop = next(op for op in grid.region.ops if op.name == "while")
    assert [each.type for each in loop.results] == ["i32"]  # %end; %last lives in memory
    assert sum(op.name == "block" for op in walk(loop.regions[1])) == 3


def test_a_loop_that_threads_leave_one_by_one_counts_once_for_all() -> None:
    # %i is the same for those still there: the loop carries it; only %acc and what %i was at the end take memory.
    split, _ = lowered(parse_function(TAKING_TURNS), PASSES)
    grid = next(op for op in split.body.ops if op.name == "grid")
    loop = next(op for op in grid.region.ops if op.name == "while")
    assert [each.type for each in loop.results] == ["i32"]
    turn = next(op for op in loop.regions[1].ops if op.name == "if")
    assert all(any(op.name == "block" for op in walk(side)) for side in turn.regions)


def test_what_only_those_still_there_have_exists_once() -> None:
    # %w is poison to those that end, so the others' value stands for it, if there are others.
    split, _ = lowered(parse_function(ENDING_INSIDE), PASSES)
    (guarded,) = [op for op in walk(split.body) if op.name == "if" and [each.type for each in op.results] == ["i32"]]
    ((other,),) = [guarded.regions[1].ops]
    assert other.operands == [Const("i32", "poison")]
    # Nobody minds which side is taken then, but it must be one of them.
    (frozen,) = [op for op in walk(split.body) if op.name == "freeze"]
    assert [op.name for op in walk(split.body) if frozen.result in op.operands] == ["if"]


ARRAY = "%a: ptr = alloca [size=16, align=4]\nstore %lin, %a [align=4]\n"
BEHIND = "\nbarrier [level=block]\n%v: i32 = load {pointer} [align=4]\nstore %v, %here [align=4]\n"
BOTH = "%b: ptr = alloca [size=16, align=4]\n%c: i1 = icmp %lin, %n [pred=ult]\n"
CALL = "[callee=f, effects="
# What becomes of the address of %a, %pointer to be read behind a barrier, how many arrays outlive it, why.
ARRAYS = [
    (f"%x: i32 = call %a {CALL}read]", "%here", 0, "a number is no address"),
    (f"%x: float = call %a {CALL}none]", "%here", 0, "nor is a short one that is computed from one"),
    (f"%x: ptr = call %a, %n {CALL}read]", "%x", 1, "a call gives it back"),
    (f"%y: {{ ptr, i32 }} = call %a {CALL}none]\n%x: ptr = extractvalue %y [path=(0,)]", "%x", 1,
     "or beside something else"),
    (f"%y: i64 = call %a {CALL}none]\n%x: ptr = inttoptr %y", "%x", 1, "or as a number"),
    (f"%b: ptr = alloca [size=16, align=8]\n%r: i32 = call %b, %a {CALL}argmem]\n%x: ptr = load %b [align=8]", "%x", 2,
     "or writes it behind another argument"),
    (f"%r: i32 = call %a {CALL}any]", "%here", 1, "or anywhere"),
    (BOTH + "%x: ptr = select %c, %a, %b", "%x", 2, "either of two"),
    (BOTH + "%x: ptr = select %c, %a, %a", "%x", 1, "surely one"),
    (BOTH + "%x: ptr = if %c { yield %a } { yield %b }", "%x", 2, "what a branch yields"),
]  # fmt: skip


@pytest.mark.parametrize(("use", "pointer", "arrays", "why"), ARRAYS, ids=[each[-1] for each in ARRAYS])
def test_private_arrays_outlive_a_barrier_that_an_address_passes(use: str, pointer: str, arrays: int, why: str) -> None:
    split, _ = lowered(parse_function(kernel(ARRAY + use + BEHIND.format(pointer=pointer))), PASSES)
    assert sum(op.name == "scratch" and op.attrs["size"] == 16 for op in walk(split.body)) == arrays, why


def test_a_private_array_of_one_loop_over_threads_lasts_for_the_rounds_of_the_loop_around_it() -> None:
    body = """%a: ptr = alloca [size=16, align=4]
      for 0:i32, 4:i32, 1:i32 [pred=slt] { (%i: i32)
        barrier [level=block]
        %l: i32 = add %i, %lin
        %m: i32 = and %l, 1:i32
        %w: i64 = zext %m
        %next: ptr = gep %a, %w [offset=0, strides=(4), inbounds=true]
        %f: i32 = xor %m, 1:i32
        %g: i64 = zext %f
        %last: ptr = gep %a, %g [offset=0, strides=(4), inbounds=true]
        %c: i1 = icmp %i, 0:i32 [pred=ugt]
        if %c { %v: i32 = load %last [align=4]
          store %v, %here [align=4]
          yield } { yield }
        store %tid, %next [align=4]
        yield
      }"""
    original = parse_function(kernel(body))
    split, _ = lowered(original, PASSES)
    assert results(split, (2, 1, 1), (5, 1, 1), 10) == results(original, (2, 1, 1), (5, 1, 1), 10)


@pytest.mark.parametrize(
    ("asked", "first"),
    [("load %mine [align=4, ordering=acquire]", "block"), ("load %mine [align=4, volatile=true]", "block"),
     ("load %mine [align=4]", "load")],
)  # fmt: skip
def test_what_all_threads_load_comes_after_what_each_was_told(asked: str, first: str) -> None:
    body = f"""%f: i32 = {asked}
      %u: i32 = load %p [align=4]
      %go: i1 = icmp %u, %n [pred=slt]
      if %go {{ store %f, %mine [align=4]
        barrier [level=block]
        yield }} {{ yield }}"""
    split, _ = lowered(parse_function(kernel(body)), PASSES)
    grid = next(op for op in split.body.ops if op.name == "grid")
    assert next(op.name for op in grid.region.ops if op.name in ("block", "load")) == first


def test_a_loop_that_may_run_without_threads_promises_nothing_of_its_counter() -> None:
    body = """%c: i1 = icmp %lin, %n [pred=slt]
      if %c { for %bx, %n, 1:i32 [pred=slt, flags=(nsw, nuw)] { (%i: i32)
          store %i, %mine [align=4]
          barrier [level=block]
          yield }
        yield } { yield }"""
    split, _ = lowered(parse_function(kernel(body)), PASSES)
    (loop,) = [op for op in walk(split.body) if op.name == "for"]
    assert not loop.attrs.get("flags")


def test_a_barrier_makes_two_loops() -> None:
    split, _ = lowered(parse_function(NEIGHBOUR), PASSES)
    assert sum(op.name == "block" for op in walk(split.body)) == 2


def test_a_condition_on_whole_warps_leaves_the_lanes() -> None:
    # COX's example: no loop over lanes asks whether its thread id is below 32; the warp asks once.
    split, _ = lowered(parse_function(WARP_UNDER_IF), PASSES, frozenset(("vectorise",)))
    rows = [op for op in walk(split.body) if op.name == "if" and op.results == [] and op.regions[0].body]
    aligned = rows[0].regions[0]
    lanes = [op for op in walk(aligned) if op.name == "lane"]
    assert lanes
    assert not any(op.name == "if" for lane in lanes for op in walk(lane.region))


def test_barriers_on_both_sides_of_a_varying_condition_are_refused() -> None:
    text = kernel("""
      %odd: i32 = and %lin, 1:i32
      %c: i1 = icmp %odd, 0:i32 [pred=eq]
      if %c {
        barrier [level=block]
        yield
      } {
        barrier [level=block]
        yield
      }
""")
    with pytest.raises(Unsupported, match="both sides"):
        SPLIT_BARRIERS.run(parse_function(text), Context())
