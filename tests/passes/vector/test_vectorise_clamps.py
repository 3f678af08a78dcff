# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of rows of shared memory: without masks where all of a row may be read, from two places under a clamp."""

from __future__ import annotations

import pytest
from random_threads import PARAMS
from vector_runs import results, vectorised

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify

ID = """
      %rows: i32 = mul %ty, 16:i32
      %lin: i32 = add %rows, %tx [flags=(nsw)]
      %volume: i32 = mul %bx, 128:i32
      %id: i32 = add %volume, %lin [flags=(nsw)]
      %here: ptr = gep %p, %id [offset=0, strides=(4)]
      %row: ptr = gep @s:ptr, %ty [offset=0, strides=(64)]
"""
STORE = "store %x, %here [align=4]"
MAX = "callee=llvm.smax.i32, effects=none, speculatable=true"
MIN = "callee=llvm.smin.i32, effects=none, speculatable=true"


def tile(read: str, condition: str = "%tx, %n [pred=sge]") -> Function:
    """A block of 16 x 8 threads fills a tile of shared memory; those that pass `condition` then `read` from it."""
    function = parse_function(f"""{PARAMS.removesuffix("{")} [block=(16, 8, 1)] {{
  shared @s [size=512, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block 16:i32, 8:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
      {ID}
      %mine: ptr = gep %row, %tx [offset=0, strides=(4)]
      %v: i32 = load %here [align=4]
      store %v, %mine [align=4]
      yield
    }}
    block 16:i32, 8:i32, 1:i32 {{ (%tx: i32, %ty: i32, %tz: i32)
      {ID}
      %c: i1 = icmp {condition}
      if %c {{
        {read}
        {STORE}
        yield
      }} {{
        yield
      }}
      yield
    }}
    yield
  }}
  yield
}}
""")
    verify(function, "structured")
    return function


def reads(function: Function, name: str) -> list[Op]:
    return [op for op in walk(function.body) if op.name == name]


NEAR = "%a: ptr = gep %row, %tx [offset=OFFSET, strides=(4)]\n%x: i32 = load %a [align=4]"
# Past the ends of the variable by a row's part that only threads read which do not pass.
EDGES = [("-4", "%tx, %n [pred=sgt]"), ("4", "%tx, 15:i32 [pred=ne]"), ("64", "%ty, 7:i32 [pred=ne]")]


@pytest.mark.parametrize(("offset", "condition"), EDGES)
def test_a_row_of_shared_memory_is_read_whole(offset: str, condition: str) -> None:
    function = tile(NEAR.replace("OFFSET", offset), condition)
    found = vectorised(function, 16, 1)
    assert [op.attrs.get("padded") for op in reads(found, "load")].count(True) == 1 or offset == "64"
    assert not reads(found, "masked_load")
    if offset != "-4":
        assert results(found, (16, 8, 1), 0, seed=3) == results(function, (16, 8, 1), 0)


@pytest.mark.parametrize("n", [1, 3, 15, 16])
@pytest.mark.parametrize("width", [4, 8, 16])
def test_threads_that_do_not_pass_read_around_the_tile(n: int, width: int) -> None:
    function = tile(NEAR.replace("OFFSET", "-4"))
    assert results(vectorised(function, width, 1), (16, 8, 1), n, seed=n) == results(function, (16, 8, 1), n)


def test_a_row_far_from_the_variable_keeps_its_mask() -> None:
    function = tile(NEAR.replace("OFFSET", "400"), "%ty, %n [pred=slt]")
    assert not any(op.attrs.get("padded") for op in reads(vectorised(function, 16, 1), "load"))


WEST = f"%l: i32 = add %tx, -1:i32\n%w: i32 = call %l, %n [{MAX}]"
EAST = f"%l: i32 = add %tx, 1:i32\n%u: i32 = call %n, %l [{MIN}]\n%w: i32 = call %u, 15:i32 [{MIN}]"
CLAMPED = "%i: i64 = sext %w\n%a: ptr = gep %row, %i [offset=0, strides=(4)]\n%x: i32 = load %a [align=4]"
BOTH = f"%l: i32 = add %tx, 1:i32\n%u: i32 = call %l, %n [{MAX}]\n%w: i32 = call %u, 15:i32 [{MIN}]"


@pytest.mark.parametrize("clamp", [WEST, EAST])
def test_a_clamp_is_no_gather(clamp: str) -> None:
    found = vectorised(tile(f"{clamp}\n{CLAMPED}", "%tx, 2:i32 [pred=ne]"), 16, 1)
    assert not reads(found, "gather")
    assert [op for op in reads(found, "load") if op.result.type == "i32"]


def test_two_different_bounds_are_a_gather() -> None:
    assert reads(vectorised(tile(f"{BOTH}\n{CLAMPED}", "%tx, 2:i32 [pred=ne]"), 16, 1), "gather")


@pytest.mark.parametrize("condition", ["%tx, 2:i32 [pred=ne]", "%tx, %ty [pred=sgt]", "%tx, %n [pred=sge]"])
@pytest.mark.parametrize("clamp", [WEST, EAST, BOTH])
@pytest.mark.parametrize("width", [4, 16])
def test_clamped_threads_read_the_bound(clamp: str, condition: str, width: int) -> None:
    function = tile(f"{clamp}\n{CLAMPED}", condition)
    found = vectorised(function, width, 1)
    for n in (0, 1, 7, 14, 15):
        assert results(found, (16, 8, 1), n, seed=n) == results(function, (16, 8, 1), n)
