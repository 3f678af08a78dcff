# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores of some threads to a row of shared memory: all of the row is written where a masked store is dear."""

from __future__ import annotations

from dataclasses import replace

import pytest
from random_threads import PARAMS
from vector_runs import results, vectorised

from warploom.backend.loom_threads import may_be_shared
from warploom.core.processor import Processor
from warploom.ir.core import Function, Op, walk
from warploom.ir.ops import PARTIAL, PRIVATE
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify

STORE = "%a: ptr = gep %row, %tx [offset=0, strides=(4)]\nstore %lin, %a [align=4]"
BEHIND = STORE.replace("offset=0", "offset=4")
REVERSED = "%l: i32 = sub 15:i32, %tx\n%a: ptr = gep %row, %l [offset=0, strides=(4)]\nstore %lin, %a [align=4]"
LOOP = f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%i: i32)\n{STORE}\nyield\n}}"


def tile(write: str, bits: int = 256, columns: int = 16, **facts: bool) -> Function:
    """A block of 16 x 8 threads fills a tile of shared memory, writes to some of it, and tells all of it."""
    ids = """
      %rows: i32 = mul %ty, 16:i32
      %lin: i32 = add %rows, %tx
      %volume: i32 = mul %bx, 128:i32
      %id: i32 = add %volume, %lin
      %here: ptr = gep %p, %id [offset=0, strides=(4)]
      %row: ptr = gep @s:ptr, %ty [offset=0, strides=(64)]
      %mine: ptr = gep %row, %tx [offset=0, strides=(4)]
"""
    phases = [
        "%v: i32 = load %here [align=4]\nstore %v, %mine [align=4]",
        f"%c: i1 = icmp %tx, %n [pred=sge]\nif %c {{\n{write}\nyield\n}} {{\nyield\n}}",
        "%v: i32 = load %mine [align=4]\nstore %v, %here [align=4]",
    ]
    blocks = "".join(
        f"block {columns}:i32, 8:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)\n{ids}\n{phase}\nyield\n}}\n"
        for phase in phases
    )
    function = parse_function(f"""{PARAMS.removesuffix("{")} [block=({columns}, 8, 1)] {{
  shared @s [size=512, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    {blocks}
    yield
  }}
  yield
}}
""")
    function.facts = replace(function.facts, processor=Processor(bits), **facts)
    verify(function, "structured")
    return function


def named(function: Function, name: str) -> list[Op]:
    return [op for op in walk(function.body) if op.name == name]


def test_a_row_is_written_whole() -> None:
    found = vectorised(tile(STORE), 8, 1)
    assert not named(found, "masked_store")
    written = [op for op in named(found, "store") if op.attrs.get(PRIVATE)]
    assert written
    # Only one OS thread may do that: parts of the loop are never others'.
    loops = [op for op in named(found, "for") if any(each in written for each in walk(op.region))]
    assert loops
    assert not any(may_be_shared(op) for op in loops)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 15, 16])
@pytest.mark.parametrize("width", [4, 8, 16])
def test_elements_of_inactive_threads_stay(n: int, width: int) -> None:
    function = tile(STORE)
    assert results(vectorised(function, width, 1), (16, 8, 1), n, seed=n) == results(function, (16, 8, 1), n)


@pytest.mark.parametrize(
    ("write", "bits", "width", "cluster"),
    [
        (STORE, 512, 16, False),  # masked stores cost no more
        (BEHIND, 256, 8, False),  # the last row goes beyond the variable
        (REVERSED, 256, 8, False),
        (LOOP, 256, 8, False),  # others may run parts of long loops
        (STORE, 256, 8, True),  # as may blocks of the same cluster
    ],
)
def test_a_row_keeps_its_mask(write: str, bits: int, width: int, cluster: bool) -> None:
    found = vectorised(tile(write, bits, reaches_cluster=cluster), width, 1)
    # Where masked stores are dear, one without a mask is tried first.
    assert {op.attrs.get("often_all", False) for op in named(found, "masked_store")} == {bits < 512}
    assert not any(op.attrs.get(PRIVATE) for op in named(found, "store"))


def test_of_blocks_that_are_seldom_no_store_is_tried_without_its_mask() -> None:
    function = tile(REVERSED)
    for block in named(function, "block"):
        block.attrs[PARTIAL] = True
    found = vectorised(function, 8, 1)
    assert [op.attrs.get("often_all") for op in named(found, "masked_store")] == [None]
    assert results(found, (16, 8, 1), 9, seed=9) == results(function, (16, 8, 1), 9)


def test_the_last_vector_of_a_row_keeps_its_mask() -> None:
    """Some of its lanes are no threads."""
    function = tile(STORE, columns=12)
    found = vectorised(function, 8, 1)
    assert named(found, "masked_store")
    assert [op.attrs.get(PRIVATE) for op in named(found, "store")].count(True) == 1
    for n in (0, 3, 9):
        assert results(found, (12, 8, 1), n, seed=n) == results(function, (12, 8, 1), n)
