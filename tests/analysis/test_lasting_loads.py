# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loads give the same again behind a barrier."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, ops_of, values_of

from warploom.analysis.lasting_loads import lasting_loads
from warploom.analysis.memory import memory_of

BARRIER = "barrier [level=block]"
ROW = """%r: i32 = mul %ty, %n [flags=(nsw)] %i: i32 = add %r, %tx [flags=(nsw)] %w: i64 = sext %i
  %pp: ptr = gep %p, %w [offset=0, strides=(4), inbounds=true]
  %pq: ptr = gep %q, %w [offset=4, strides=(4), inbounds=true]
  %c: i64 = sext %tx %ps: ptr = gep @s:ptr, %c [offset=0, strides=(4), inbounds=true]
"""
LOAD = "%x: i32 = load %pp [align=4]"
COLUMN = "%f: ptr = gep %p, %c [offset=0, strides=(64)] %x: i32 = load %f [align=4]"
USE = "store %x, %ps [align=4]"
TO_Q = "store 1:i32, %pq [align=4]"
TO_P = "store 1:i32, %pp [align=4]"
LOOP = f"for 0:i32, %n, 1:i32 [pred=slt] {{{{ (%k: i32) {USE} {BARRIER} {{}} yield }}}}"

CASES = {
    "used behind a barrier": ([LOAD, BARRIER, USE], True),
    "not used there": ([LOAD, USE, BARRIER], False),
    "used in a loop with barriers": ([LOAD, BARRIER, LOOP.format("")], True),
    "stores come behind a further barrier": ([LOAD, BARRIER, USE, BARRIER, TO_Q], True),
    "a store right behind the use, which another thread makes first": ([LOAD, BARRIER, USE, TO_Q], False),
    "a store in the same loop": ([LOAD, BARRIER, LOOP.format(TO_Q), BARRIER], False),
    "a store beside the load": ([LOAD, TO_Q, BARRIER, USE], False),
    "a store before, behind a barrier": ([TO_Q, BARRIER, LOAD, BARRIER, USE], True),
    "by the same name, anywhere": ([LOAD, BARRIER, USE, BARRIER, TO_P], False),
    "a sum of it is used after the store": (
        [LOAD, "%y: i32 = add %x, 1:i32", BARRIER, TO_Q, BARRIER, USE.replace("%x", "%y")],
        False,
    ),
    "a fence": ([LOAD, BARRIER, "fence [ordering=seq_cst]", USE], False),
    "an atomic of shared memory": (
        [LOAD, BARRIER, "%a: i32 = atomicrmw @t:ptr, 1:i32 [operation=add, ordering=monotonic]", BARRIER, USE],
        False,
    ),
    "a call": ([LOAD, BARRIER, "call [callee=f, effects=any]", USE], False),
    "volatile": (["%x: i32 = load %pp [align=4, volatile=true]", BARRIER, USE], False),
    "columns": ([COLUMN, BARRIER, USE], False),
    "shared memory": (["%x: i32 = load %ps [align=4]", BARRIER, TO_Q.replace("1:i32", "%x")], False),
}


@pytest.mark.parametrize(("body", "lasts"), CASES.values(), ids=CASES)
def test_a_load_lasts_until_its_memory_may_be_written(body: list[str], lasts: bool) -> None:
    function = block_kernel("\n".join([ROW, *body]))
    (block,) = ops_of(function, "block")
    found = lasting_loads(block, lambda: memory_of(function))
    assert found == ({values_of(function)["x"]} if lasts else set())


def test_a_restricted_pointer_does_not_meet_another() -> None:
    function = block_kernel("\n".join([ROW, LOAD, BARRIER, USE, TO_Q]), attrs="noalias=(0, 1)")
    (block,) = ops_of(function, "block")
    assert lasting_loads(block, lambda: memory_of(function)) == {values_of(function)["x"]}


def test_memory_is_not_looked_at_where_nothing_crosses() -> None:
    function = block_kernel("\n".join([ROW, LOAD, USE, BARRIER]))
    (block,) = ops_of(function, "block")
    assert lasting_loads(block, pytest.fail) == set()
