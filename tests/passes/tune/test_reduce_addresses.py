# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses as a base and a distance: where, and that what is loaded and stored stays the same."""

from __future__ import annotations

import pytest

from warploom.ir.core import Function, Op, clone_function, walk
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.tune.reduce_addresses import REDUCE_ADDRESSES

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr, %q: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    OUTER [pred=slt] { (%y: i32)
      INNER [pred=slt] { (%k: i32)
        INDEX
        %w: i64 = sext %m
        %a: ptr = gep %p, %w [offset=0, strides=(4)]
        BODY
        yield
      }
      yield
    }
    yield
  }
  yield
}
"""
ONCE = "for 0:i32, 1:i32, 1:i32"
ROWS = "for 0:i32, 8:i32, 1:i32"
INDEX = "%m: i32 = mul %k, %n [flags=(nsw)]"
BODY = """%x: i32 = load %a [align=4]
        %b: ptr = gep %q, %k [offset=0, strides=(4)]
        %old: i32 = load %b [align=4]
        %new: i32 = add %x, %old
        store %new, %b [align=4]"""


def kernel(inner: str = ROWS, outer: str = ONCE, index: str = INDEX, body: str = BODY) -> Function:
    text = KERNEL.replace("OUTER", outer).replace("INNER", inner).replace("INDEX", index).replace("BODY", body)
    function = parse_function(text)
    verify(function, "split")
    return function


def reduced(function: Function) -> tuple[Function, list[Op]]:
    """A copy after the pass, and its loops."""
    copy = clone_function(function)
    REDUCE_ADDRESSES.run(copy, Context())
    verify(copy, "split")
    return copy, [op for op in walk(copy.body) if op.name == "for"]


def left_by(function: Function, n: int) -> bytes:
    memory = Memory()
    source = memory.array("i32", [i * i % 251 for i in range(4096)], "p")
    sums = memory.array("i32", list(range(64)), "q")
    run(function, (1, 2, 1), (1, 1, 1), [n, source, sums], memory)
    return bytes(memory.buffers[sums >> 32])


def test_a_product_becomes_a_sum() -> None:
    function = kernel()
    copy, (loop,) = reduced(function)
    assert [each.type for each in loop.results] == ["i64"], "the distance; the loop around it made one trip and is gone"
    (address,) = (op for op in loop.region.body if op.name == "gep" and op.attrs["strides"] == (1,))
    assert address.operands[1] is loop.region.params[1]
    assert left_by(copy, 9) == left_by(function, 9)


@pytest.mark.parametrize("n", [0, 1, 7, 100])
@pytest.mark.parametrize(
    ("inner", "outer", "index"),
    [
        ("for %y, 16:i32, 4:i32", "for 0:i32, 4:i32, 1:i32", INDEX),
        ("for 0:i32, 4:i32, 1:i32", "for 0:i32, 8:i32, 2:i32",
         "%i: i32 = add %y, %k\n%m: i32 = mul %i, %n [flags=(nsw)]"),
        ("for 0:i32, 8:i32, 3:i32", ONCE,
         "%f: i32 = shl %by, 4:i32\n%i: i32 = add %f, %k\n%m: i32 = mul %i, %n [flags=(nsw)]"),
        ("for 2:i32, 9:i32, 2:i32", "for 0:i32, 0:i32, 1:i32", INDEX),
    ],
    ids=["from the outer counter on", "a sum of counters", "rows of a block", "no trip outside"],
)  # fmt: skip
def test_memory_stays_what_it_is(n: int, inner: str, outer: str, index: str) -> None:
    function = kernel(inner, outer, index)
    assert left_by(reduced(function)[0], n) == left_by(function, n)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"index": "%m: i32 = mul %k, %n"}, "a product that may wrap"),
        ({"inner": "for 0:i32, 65:i32, 1:i32"}, "LLVM reduces long loops by itself"),
        ({"inner": "for 0:i32, %n, 1:i32"}, "there may be no trip"),
        ({"index": "%m: i32 = mul %k, 8:i32 [flags=(nsw)]"}, "constants cost nothing"),
        (
            {"body": "%c: i1 = icmp %k, %n [pred=slt]\nif %c {\n%x: i32 = load %a [align=4]\nyield\n} {\nyield\n}"},
            "the first trip's address may be one that nobody loads from",
        ),
    ],
)
def test_what_stays(change: dict[str, str], why: str) -> None:
    _, loops = reduced(kernel(**change))
    assert not any(op.results for op in loops), why


def test_a_counter_that_wraps_goes_on() -> None:
    steps = "for %y, 1879048192:i32, 2147483647:i32"  # 4, 4 + 2^31 - 1 < 0, 3, ...
    body = BODY.replace("gep %q, %k", "gep %q, %m")
    function = kernel(steps, "for 4:i32, 8:i32, 1:i32", "%m: i32 = and %k, 63:i32", body)
    assert left_by(reduced(function)[0], 1) == left_by(function, 1)
