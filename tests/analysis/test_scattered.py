# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the user is told of loads and stores that do not lie side by side, and of loops that became vectors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warploom.ir.parser import parse_function
from warploom.passes.base import Context
from warploom.passes.vector.vector_report import VectorLoop
from warploom.passes.vector.vectorise import VECTORISE

HEAD = "kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr, %in: ptr, %n: i32)"
TEXT = """{head} [vector_bits=512] @ "k.cu":1:0 {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %kept: ptr = scratch [size=4, align=4, level=block]
    block 64:i32, 1:i32, 1:i32 @ "k.cu":1:0 {{ (%tx: i32, %ty: i32, %tz: i32)
      {body}
      yield
    }}
    yield
  }}
  yield
}}
"""
LOAD = """%q: ptr = gep %in, {index} [offset=0, strides=(4)]
  %v: i32 = load %q [align=4] @ "k.cu":9:0
  %mine: ptr = gep %p, %tx [offset=0, strides=(4)]
  store %v, %mine [align=4] @ "k.cu":9:0"""


def vectors(body: str, width: int | None = 16) -> VectorLoop:
    function = parse_function(TEXT.format(head=HEAD, body=body))
    context = Context(width=width, vectors=[])
    assert VECTORISE.run(function, context)
    assert context.vectors is not None
    (found,) = context.vectors
    return found


CASES = {
    "in: the index is loaded at line 5": (
        """%a: ptr = gep %in, %tx [offset=0, strides=(4)]
        %i: i32 = load %a [align=4] @ "k.cu":5:0
        %j: i32 = add %i, 1:i32""",
        "%j",
    ),
    "in: neighbouring threads are 52 bytes apart, an element has 4": ("%j: i32 = mul %tx, 13:i32 [flags=(nsw)]", "%j"),
    "in: the index is multiplied by a number that is not known when the kernel is compiled at line 6": (
        '%j: i32 = mul %tx, %n [flags=(nsw)] @ "k.cu":6:0',
        "%j",
    ),
    "in: the index is the remainder by a number that is not known to be a multiple of the vector's width at line 6": (
        '%j: i32 = urem %tx, 7:i32 @ "k.cu":6:0',
        "%j",
    ),
    "in: the index depends on a condition that differs between threads at line 7": (
        """%c: i1 = icmp %tx, %n [pred=slt]
        %j: i32 = if %c @ "k.cu":7:0 { yield %tx } { yield 5:i32 }""",
        "%j",
    ),
}


@pytest.mark.parametrize("reason", CASES)
def test_the_reason_of_a_gather_names_array_cause_and_line(reason: str) -> None:
    ops, index = CASES[reason]
    found = vectors(f"{ops}\n{LOAD.format(index=index)}")
    (gather,) = (each for each in found.expensive if each.loc and each.loc.line == 9)
    assert (gather.kind, gather.reason) == ("gather", reason)


def test_accesses_masks_and_spills_are_counted() -> None:
    found = vectors("""%c: i1 = icmp %tx, %n [pred=slt]
      %place: ptr = gep %kept, %tx [offset=0, strides=(4)]
      %u: i32 = load %in [align=4] @ "k.cu":3:0
      %down: i32 = sub 63:i32, %tx [flags=(nsw)]
      %q: ptr = gep %in, %down [offset=0, strides=(4)]
      %v: i32 = load %q [align=4] @ "k.cu":4:0
      if %c { store %v, %place [align=4] @ "k.cu":5:0 yield } { yield }""")
    assert dict(found.accesses) == {"uniform": 1, "reversed": 1, "contiguous": 1}
    assert (found.width, found.jam, found.masks, found.tail, found.spilled) == (16, 1, 1, False, 4)
    assert (found.loc and found.loc.line, found.last_line) == (3, 5)
    assert 0 < found.cycles < found.scalar_cycles
    assert found.asked_by == "the command line"


def test_atomics_go_one_by_one_and_the_report_says_so() -> None:
    found = vectors("""%i: i32 = urem %tx, 7:i32
      %q: ptr = gep %p, %i [offset=0, strides=(4)]
      %old: i32 = atomicrmw %q, 1:i32 [operation=add, ordering=monotonic, align=4] @ "k.cu":3:0""")
    assert [(each.kind, each.loc and each.loc.line) for each in found.expensive] == [("one by one", 3)]


def test_what_the_kernels_pragma_asks_for_is_done() -> None:
    function = parse_function(TEXT.format(head=HEAD, body=LOAD.format(index="%tx")))
    function.facts = replace(function.facts, width=8)
    context = Context(vectors=[])
    VECTORISE.run(function, context)
    assert [(each.width, each.asked_by) for each in context.vectors or []] == [(8, "#pragma")]
    other = parse_function(TEXT.format(head=HEAD, body=LOAD.format(index="%tx")))
    other.facts = replace(other.facts, width=8)
    context = Context(width=32, vectors=[])
    VECTORISE.run(other, context)
    assert [each.width for each in context.vectors or []] == [32], "the command line goes first"


def test_a_loop_that_stays_scalar_names_the_access_to_blame() -> None:
    function = parse_function(
        TEXT.format(head=HEAD, body='%j: i32 = urem %tx, 7:i32 @ "k.cu":6:0\n' + LOAD.format(index="%j"))
    )
    body = function.body.ops[0].region.ops[1].region.ops
    body[-2].operands[1] = body[-5].result  # the store goes where the load comes from
    context = Context()
    VECTORISE.run(function, context)
    texts = [each.text for each in context.remarks]
    assert texts == [
        "threads run one after the other: vectors would be slower; in: the index is the remainder by a number that is "
        "not known to be a multiple of the vector's width at line 6 (line 9)"
    ]
