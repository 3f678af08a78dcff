# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All rows of some columns come before the next columns where rows share what they load from a tile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vector_runs import results, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import Const, Function, clone_function, walk
from warploom.ir.parser import parse_function
from warploom.passes.base import Context
from warploom.passes.tune.carry_rows import CARRY_ROWS

PARAMS = (
    "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, "
    "%n: i32, %m: i64, %p: ptr, %in: ptr, %small: ptr, %acc: ptr"
)
UP, DOWN = "%row: i32 = add %ty, -1:i32 [flags=(nsw)]", "%row: i32 = add %ty, 1:i32 [flags=(nsw)]"


def stencil(columns: int = 16, other: str = UP, tile: str = "@s:ptr", height: int = 64) -> Function:
    """8 rows of threads add what is in their own row of a tile and in another row."""
    return parse_function(f"""
kernel @k({PARAMS}) {{
  shared @s [size=4096, align=64]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block {columns}:i32, 10:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
      %a: ptr = gep @s:ptr, %ty [offset=0, strides=({height})]
      %b: ptr = gep %a, %tx [offset=0, strides=(4)]
      %c: ptr = gep %in, %ty [offset=0, strides=({height})]
      %d: ptr = gep %c, %tx [offset=0, strides=(4)]
      %v: i32 = load %d [align=4]
      store %v, %b [align=4]
      yield
    }}
    block {columns}:i32, 8:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
      {other}
      %first: ptr = gep {tile} [offset={height}, strides=()]
      %e: ptr = gep %first, %ty [offset=0, strides=({height})]
      %f: ptr = gep %e, %tx [offset=0, strides=(4)]
      %here: i32 = load %f [align=4]
      %g: ptr = gep %first, %row [offset=0, strides=({height})]
      %h: ptr = gep %g, %tx [offset=0, strides=(4)]
      %there: i32 = load %h [align=4]
      %times: i32 = mul %there, 3:i32
      %sum: i32 = add %here, %times
      %i: ptr = gep %p, %ty [offset=0, strides=({height})]
      %j: ptr = gep %i, %tx [offset=0, strides=(4)]
      store %sum, %j [align=4]
      yield
    }}
    yield
  }}
  yield
}}
""")


def steps(function: Function) -> list[int]:
    """The steps of the loops, from the outermost in."""
    loops = [op for op in walk(function.body) if op.name == "for"]
    return [int(step.value) for op in loops if isinstance(step := op.operands[2], Const)]


def both(function: Function, width: int) -> Function:
    """The kernel as vectors, which must compute the same."""
    after = vectorised(function, width, 1)
    assert results(after, (16, 10, 1), 3) == results(function, (16, 10, 1), 3)
    return after


@pytest.mark.parametrize("other", [UP, DOWN])
def test_rows_that_share_loads_come_first(other: str) -> None:
    after = both(stencil(other=other), 8)
    assert steps(after)[-2:] == [8, 1]
    assert steps(after)[:2] == [1, 8]  # what only copies goes row by row


@pytest.mark.parametrize(
    "function",
    [
        stencil(other="%row: i32 = add %ty, 0:i32 [flags=(nsw)]"),
        stencil(other="%row: i32 = mul %ty, 2:i32 [flags=(nsw)]"),
        stencil(other="%row: i32 = xor %ty, 1:i32"),
        stencil(tile="%in"),
    ],
    ids=["the same row", "every second row", "no sum", "a parameter's memory"],
)
def test_others_go_row_by_row(function: Function) -> None:
    assert steps(both(function, 8))[-2:] == [1, 8]


@pytest.mark.parametrize(("width", "columns"), [(4, 24), (8, 20), (16, 16)])
def test_rows_are_a_few_whole_vectors(width: int, columns: int) -> None:
    assert steps(vectorised(stencil(columns), width, 1))[-2:] != [width, 1]


def test_the_next_row_finds_what_this_one_loaded() -> None:
    after = vectorised(stencil(), 8, 1)
    after.facts = replace(after.facts, processor=Processor(256))
    carried = clone_function(after)
    assert CARRY_ROWS.run(carried, Context())
    assert results(carried, (16, 10, 1), 3) == results(after, (16, 10, 1), 3)
