# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that the loop which computes on one asks for: which lines, by whom, and when not."""

from __future__ import annotations

import pytest

from warploom.ir.core import Function, Op, int_const, walk
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.tune.prefetch import PREFETCH

N = 64  # elements of a row; the tiles are rows of it
ROW = "for 0:i32, 16:i32, 1:i32"
COLUMN = "for 0:i32, 1:i32, 1:i32"
HOST = "for 0:i32, 16:i32, 4:i32"
KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %b: ptr) {
  shared @tile [size=4096, align=4]
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    for 0:i32, %n, 16:i32 [pred=slt] { (%start: i32)
      ROW [pred=slt] { (%y: i32)
        COLUMN [pred=slt] { (%k: i32)
          %row: i32 = add %start, WHICH [flags=(nsw)]
          %m: i32 = mul %row, %n [flags=(nsw)]
          %w: i64 = sext %m
          %p: ptr = gep BASE, %w [offset=0, strides=(4)]
          %x: i32 = load %p [align=4]
          %q: ptr = gep @tile:ptr, WHICH [offset=0, strides=(4)]
          store %x, %q [align=4]
          yield
        }
        yield
      }
      HOST [pred=slt] { (%h: i32)
        for 0:i32, 200:i32, 1:i32 [pred=slt] { (%j: i32)
          %z: i32 = load @tile:ptr [align=4]
          yield
        }
        yield
      }
      yield
    }
    yield
  }
  yield
}
"""


def after(row: str = ROW, column: str = COLUMN, host: str = HOST, which: str = "%y", base: str = "%b") -> Function:
    names = {"ROW": row, "COLUMN": column, "HOST": host, "WHICH": which, "BASE": base}
    text = KERNEL
    for name, value in names.items():
        text = text.replace(name, value)
    function = parse_function(text)
    PREFETCH.run(function, Context())
    verify(function, "split")
    return function


def prefetches(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.attrs.get("callee") == "llvm.prefetch.p0"]


def asked_rows(function: Function, n: int = 32) -> list[int]:
    """The rows whose first element is asked for when a launch has two steps: those of the second."""
    for op in prefetches(function):
        op.name, op.operands = "store", [op.operands[1], op.operands[0]]
        op.attrs = {"align": 4}
    memory = Memory()
    matrix = memory.array("i32", [7] * (n * n), "b")
    run(function, (1, 1, 1), (1, 1, 1), [n, matrix], memory)
    left = bytes(memory.buffers[matrix >> 32])
    return [i // n for i in range(n * n) if left[4 * i : 4 * i + 4] == bytes(4)]


def test_each_trip_asks_for_a_part_of_the_next_tile() -> None:
    function = after()
    assert len(prefetches(function)) == 4, "16 rows, 4 trips"
    assert asked_rows(function) == list(range(16, 32))


@pytest.mark.parametrize(
    ("row", "column", "which"),
    [
        ("for 0:i32, 4:i32, 1:i32", "for %y, 16:i32, 4:i32", "%k"),
        ("for 0:i32, 32:i32, 8:i32", "for 0:i32, 4:i32, 1:i32", "%k"),
    ],
    ids=["rows that start where the outer loop is", "each row four times"],
)
def test_nests_of_loops(row: str, column: str, which: str) -> None:
    rows = asked_rows(after(row=row, column=column, which=which))
    assert rows == [16 + i for i in range(16 if "%y" in column else 4)]


def test_an_outer_loop_asks_where_trips_are_short() -> None:
    """Four lines by each trip of the outer loop, and none by the inner one's."""
    function = after(host="for 0:i32, 4:i32, 1:i32")
    assert asked_rows(function) == list(range(16, 32))


@pytest.mark.parametrize(("rows", "near"), [(16, 4), (32, 4), (64, 2), (256, 0)])
def test_lines_beside_the_present_tile(rows: int, near: int) -> None:
    """Of four lines that a trip asks for: 32 of the tile come into the first cache, the others into the second."""
    found = prefetches(after(row=f"for 0:i32, {rows}:i32, 1:i32", host=f"for 0:i32, {rows}:i32, 4:i32"))
    hints = [op.operands[2] for op in found]
    assert len(hints) == 4
    assert hints.count(int_const("i32", 3)) == near


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"row": "for 0:i32, 12:i32, 1:i32"}, "12 trips: their numbers are no bits"),
        ({"row": "for 0:i32, %n, 1:i32"}, "nobody knows how many"),
        ({"host": "for 0:i32, %n, 4:i32"}, "nobody knows by whom"),
        ({"host": "for 0:i32, 1:i32, 1:i32"}, "more lines at once than a processor has under way"),
        ({"host": "for 1:i32, 17:i32, 4:i32"}, "the counter's bits are not the trip's number"),
        ({"base": "@tile:ptr"}, "a block's own memory is near"),
    ],
)
def test_what_is_left_alone(change: dict[str, str], why: str) -> None:
    assert not prefetches(after(**change)), why
