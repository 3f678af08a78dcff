# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads across two loaded vectors: which come from these, and that they give the same."""

from __future__ import annotations

import pytest
from differential import lowered, results

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.passes.tune.join_vectors import JOIN_VECTORS

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
LOADS = """
    %a: <16 x i32> = load %here [align=4]
    %b: <16 x i32> = load %south [align=4]
    %x: <16 x i32> = load %across [align=4]"""


def tile(offset: int, body: str = LOADS, root: str = "@s:ptr", bits: int = 512) -> Function:
    """A kernel that fills a tile of 4 x 16 numbers and loads row 1, row 2 and what is `offset` bytes into row 1."""
    return parse_function(f"""
kernel @k({LAUNCH}, %n: i32, %p: ptr) [vector_bits={bits}] {{
  shared @s [size=256, align=64]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    for 0:i32, 4:i32, 1:i32 [pred=slt] {{ (%y: i32)
      %from: ptr = gep %p, %y [offset=0, strides=(64)]
      %row: <16 x i32> = load %from [align=4]
      %to: ptr = gep @s:ptr, %y [offset=0, strides=(64)]
      store %row, %to [align=4]
      yield
    }}
    %next: i32 = add %n, 1:i32 [flags=(nsw)]
    %wide: i64 = sext %next
    %here: ptr = gep {root}, %n [offset=0, strides=(64)]
    %south: ptr = gep {root}, %wide [offset=0, strides=(64)]
    %across: ptr = gep %here [offset={offset}, strides=()]
{body}
    %c: <16 x i32> = add %a, %b
    %d: <16 x i32> = mul %c, %x
    store %d, %p [align=4]
    yield
  }}
  yield
}}
""")


def joined(function: Function) -> list[Op]:
    """The shuffles that the pass makes; it must not change what the kernel computes."""
    after, _ = lowered(function, [JOIN_VECTORS])
    want = results(function, (1, 1, 1), (64, 1, 1), 1)
    assert results(after, (1, 1, 1), (64, 1, 1), 1) == want
    return [op for op in walk(after.body) if op.name == "shufflevector"]


@pytest.mark.parametrize("elements", [1, 7, 15])
def test_a_load_across_two_rows_is_a_shuffle(elements: int) -> None:
    """It begins in one vector and ends in the next."""
    (op,) = joined(tile(4 * elements))
    assert op.attrs["mask"] == tuple(range(elements, elements + 16))


def test_sources_may_come_later() -> None:
    """They move up with what computes their addresses."""
    *rest, last = LOADS.splitlines()
    assert len(joined(tile(4, "\n".join([last, *rest])))) == 1


@pytest.mark.parametrize("store", ["store 7:i32, %across [align=4]", "store 7:i32, %p [align=4]"])
def test_nothing_may_be_written_in_between(store: str) -> None:
    """The load would see it, for all that is known here."""
    *rest, last = LOADS.splitlines()
    assert not joined(tile(4, "\n".join([*rest, f"    {store}", last])))


@pytest.mark.parametrize("offset", [2, 68, -4])
def test_both_vectors_must_be_there(offset: int) -> None:
    """Half an element, a row further down, the row above: nothing loaded these."""
    assert not joined(tile(offset))


def test_volatile_loads_stay() -> None:
    """Each of them is seen."""
    assert not joined(tile(4, LOADS.replace("%across [", "%across [volatile=true, ")))


def test_only_memory_of_the_block() -> None:
    """What the grid shares was hardly stored just now."""
    assert not joined(tile(4, root="%p"))


def test_only_vectors_that_fill_a_register() -> None:
    """With registers of half the size a shuffle has several steps."""
    assert not joined(tile(4, bits=256))
