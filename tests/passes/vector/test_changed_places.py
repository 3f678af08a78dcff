# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads in y go together where they access memory side by side and threads in x do not."""

from __future__ import annotations

import pytest
from vector_runs import results, threads

from warploom.core.remarks import Remark
from warploom.ir.core import Function, clone_function, walk
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.vector.vectorise import CHANGED_PLACES, VECTORISE

# Blocks of up to 16 rows: thread (x, y) has element 16 x + y.
COLUMNS = """
    %far: i32 = mul %tx, 16:i32 [flags=(nsw, nuw)]
    %near: i32 = add %far, %ty [flags=(nsw, nuw)]
    %size: i32 = mul %bdx, 16:i32
    %first: i32 = mul %bx, %size
    %at: i32 = add %first, %near [flags=(nsw)]
    %mine: ptr = gep %p, %at [offset=0, strides=(4)]
    %x: i32 = load %mine [align=4]
    %odd: i32 = and %ty, 1:i32
    %c: i1 = icmp %odd, 0:i32 [pred=eq]
    %y: i32 = if %c { %z: i32 = mul %x, 5:i32
      yield %z } { yield %tx }
    store %y, %mine [align=4]"""
ROWS = COLUMNS.replace("mul %tx, 16", "mul %ty, 16").replace("%far, %ty", "%far, %tx")


def made(ops: str, off: frozenset[str] = frozenset()) -> tuple[Function, Function, list[Remark]]:
    """The kernel, its vector form, and what was said."""
    function = threads(ops)
    copy, context = clone_function(function), Context(off=off)
    VECTORISE.run(copy, context)
    verify(copy, "structured")
    return function, copy, context.remarks


def gathers(function: Function) -> int:
    return sum(op.name in ("gather", "scatter") for op in walk(function.body))


@pytest.mark.parametrize("block", [(3, 16, 1), (16, 16, 1), (5, 9, 1), (9, 8, 1), (4, 3, 1), (1, 16, 2)])
def test_columns_are_the_same(block: tuple[int, int, int]) -> None:
    function, vector, _ = made(COLUMNS)
    for seed in (None, 1):
        assert results(vector, block, 5, seed) == results(function, block, 5)


def test_columns_load_rows_of_memory_where_blocks_are_high_enough() -> None:
    _, vector, remarks = made(COLUMNS)
    choice = next(op for op in walk(vector.body) if op.name == "if")
    across, along = ([op.name for op in walk(side)] for side in choice.regions)
    assert "gather" not in across
    assert "gather" in along
    assert any("threads in y" in each.text for each in remarks)


def test_rows_stay() -> None:
    _, vector, remarks = made(ROWS)
    assert not gathers(vector)
    assert not any("threads in y" in each.text for each in remarks)


def test_off_switch() -> None:
    _, vector, remarks = made(COLUMNS, frozenset((CHANGED_PLACES,)))
    assert gathers(vector)
    assert not any("threads in y" in each.text for each in remarks)
