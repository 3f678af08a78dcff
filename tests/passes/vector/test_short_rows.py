# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of threads that are shorter than the widest vectors get narrow ones, which need no gathers."""

from __future__ import annotations

import pytest
from vector_runs import results, threads

from warploom.analysis.short_rows import row_lengths, width_of
from warploom.core.remarks import Remark
from warploom.ir import types
from warploom.ir.core import Const, Function, Op, Value, clone_function, int_const, walk
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.vector.row_versions import NAME
from warploom.passes.vector.vectorise import VECTORISE

WIDEST = 32  # of numbers of 32 bits
IDS = """
    %start: i32 = mul %bx, %bdx
    %i: i32 = add %start, %tx [flags=(nsw)]"""
# Each thread adds up every %by-th element of a line of its row.
SUM = """
    %q: i32 = {kind}div %i, {by}
    %low: i32 = and %q, 3:i32
    %line: i32 = mul %low, 17:i32
    %r: i32 = {kind}rem %i, {by}
    %s: i32 = for %r, 40:i32, {by}, 0:i32 [pred=slt, flags=(nsw)] {{ (%j: i32, %t: i32)
      %at: i32 = add %line, %j [flags=(nsw, nuw)]
      %e: ptr = gep %in, %at [offset=0, strides=(4)]
      %x: i32 = load %e [align=4]
      %u: i32 = add %t, %x
      yield %u
    }}
    %mine: ptr = gep %p, %i [offset=0, strides=(4)]
    store %s, %mine [align=4]"""
TILE = """
    %row: i32 = lshr %tx, 3:i32
    %column: i32 = and %tx, 7:i32
    %line: i32 = mul %row, 20:i32
    %at: i32 = add %line, %column [flags=(nsw, nuw)]
    %e: ptr = gep %in, %at [offset=0, strides=(4)]
    %x: i32 = load %e [align=4]
    %mine: ptr = gep %p, %i [offset=0, strides=(4)]
    store %x, %mine [align=4]"""


def made(ops: str, off: frozenset[str] = frozenset()) -> tuple[Function, Function, list[Remark]]:
    """The kernel, its vector form, and what was said."""
    function = threads(IDS + ops)
    copy, context = clone_function(function), Context(off=off)
    VECTORISE.run(copy, context)
    verify(copy, "structured")
    return function, copy, context.remarks


def widths(function: Function) -> set[int]:
    """Of the vectors that are loaded from neighbouring addresses."""
    loaded = (op.result.type for op in walk(function.body) if op.name == "load")
    return {types.lanes_of(each) or 1 for each in loaded if types.is_vector(each)}


def thread_loop(function: Function) -> Op:
    return next(op for op in walk(function.body) if op.name == "block")


@pytest.mark.parametrize("block", [(64, 1, 1), (52, 1, 1), (7, 1, 1)])
@pytest.mark.parametrize("kind", ["s", "u"])
@pytest.mark.parametrize("by", [4, 8, 12, 6, 32, 5])
def test_sums_are_the_same(block: tuple[int, int, int], kind: str, by: int) -> None:
    function, vector, _ = made(SUM.format(kind=kind, by=f"{by}:i32"))
    for seed in (None, 1):
        assert results(vector, block, 5, seed) == results(function, block, 5)


@pytest.mark.parametrize("n", [1, 3, 4, 6, 8, 16, 28, 32, 36, 100])
@pytest.mark.parametrize("kind", ["s", "u"])
def test_sums_are_the_same_for_each_length_of_a_launch(kind: str, n: int) -> None:
    function, vector, _ = made(SUM.format(kind=kind, by="%n"))
    assert results(vector, (64, 1, 1), n) == results(function, (64, 1, 1), n)


@pytest.mark.parametrize(("by", "width"), [(4, 4), (8, 8), (12, 4), (16, 16)])
def test_vectors_lie_within_rows(by: int, width: int) -> None:
    _, vector, remarks = made(SUM.format(kind="s", by=f"{by}:i32"))
    assert width in widths(vector)
    assert [f"{width} threads go together" in each.text for each in remarks].count(True) == 1


@pytest.mark.parametrize("by", [2, 3, 6, 7, 32, 100])
def test_rows_that_hold_no_whole_number_of_vectors_or_all_of_the_widest_change_nothing(by: int) -> None:
    _, _, remarks = made(SUM.format(kind="s", by=f"{by}:i32"))
    assert not any("lie within one row" in each.text for each in remarks)


def test_a_length_of_the_launch_is_asked_in_front_of_the_threads() -> None:
    _, vector, remarks = made(SUM.format(kind="s", by="%n"))
    assert any("4 threads go together" in each.text for each in remarks)
    choice = next(op for op in walk(vector.body) if op.name == "if")
    narrow, wide = ({op.result.type for op in walk(side) if op.name == "splat"} for side in choice.regions)
    assert f"<{WIDEST} x i32>" not in narrow
    assert f"<{WIDEST} x i32>" in wide


def test_a_tile_of_a_block_of_one_dimension_is_loaded_by_rows() -> None:
    function, vector, _ = made(TILE)
    assert not any(op.name == "gather" for op in walk(vector.body))
    for block in ((64, 1, 1), (20, 1, 1)):
        assert results(vector, block, 5) == results(function, block, 5)


def test_off_switch() -> None:
    _, vector, _ = made(TILE, frozenset((NAME,)))
    assert any(op.name == "gather" for op in walk(vector.body))


def test_what_threads_are_divided_by() -> None:
    function = threads(f"""{IDS}
    %a: i32 = udiv %i, %n
    %b: i32 = and %tx, 15:i32
    %c: i32 = ashr %tx, 2:i32
    %d: i32 = urem %i, %b
    %e: i32 = udiv %n, 24:i32
    %f: i32 = and %tx, 12:i32""")
    lengths = row_lengths(thread_loop(function))
    assert [each.name if isinstance(each, Value) else each.value for each in lengths] == ["n", 16, 4]


@pytest.mark.parametrize(
    ("length", "expected"), [(16, 16), (12, 4), (48, 16), (64, None), (32, None), (6, None), (0, None), (-8, None)]
)
def test_widths(length: int, expected: int | None) -> None:
    assert width_of(int_const("i32", length), WIDEST, 4) == expected
    assert width_of(Const("i32", "undef"), WIDEST, 4) is None


def test_a_divisor_behind_a_condition_is_not_divided_by_in_front_of_it() -> None:
    """Where %n is 0 nobody divides by it."""
    function, vector, _ = made("""
    %q: i32 = udiv %i, 40:i32
    %mine: ptr = gep %p, %i [offset=0, strides=(4)]
    store %q, %mine [align=4]
    %c: i1 = icmp %n, 0:i32 [pred=ne]
    if %c {
      %r: i32 = urem %i, %n
      %e: ptr = gep %in, %r [offset=0, strides=(4)]
      %x: i32 = load %e [align=4]
      store %x, %mine [align=4]
      yield
    } { yield }""")
    for n in (0, 3, 36):
        assert results(vector, (64, 1, 1), n) == results(function, (64, 1, 1), n)
