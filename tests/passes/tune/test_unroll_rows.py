# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trips of loops whose rows share loads: when they go together, in which order, and that nothing changes by it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vector_runs import results, threads, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import Function, Op, clone_function, int_const, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.tune.unroll_rows import UNROLL_ROWS

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def loop(bounds: str, pred: str, body: str) -> Function:
    """A kernel with one loop over %k that carries two vectors."""
    function = parse_function(f"""
kernel @k({LAUNCH}, %n: i32, %p: ptr, %q: ptr) [vector_bits=512] {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %z: <16 x i32> = splat 0:i32
    %s0: <16 x i32>, %s1: <16 x i32> = for {bounds}, %z, %z [pred={pred}] {{ (%k: i32, %a0: <16 x i32>, %a1: <16 x i32>)
{body}
    }}
    store %s0, %p [align=4]
    store %s1, %q [align=4]
    yield
  }}
  yield
}}
""")
    verify(function, "structured")
    return function


SHARED = """
      %i: ptr = gep %p, %k [offset=0, strides=(64)]
      %b: <16 x i32> = load %i [align=4]
      %d0: <16 x i32> = add %a0, %b
      %d1: <16 x i32> = xor %a1, %b
      yield %d0, %d1"""


def unrolled(function: Function) -> tuple[Function, list[Op]]:
    """A copy after the pass, and its loops."""
    copy = clone_function(function)
    UNROLL_ROWS.run(copy, Context())
    verify(copy, "structured")
    return copy, [op for op in walk(copy.body) if op.name == "for"]


def names(op: Op) -> list[str]:
    return [each.name for each in op.region.ops]


def test_four_trips_go_together_and_the_rest_follows() -> None:
    """The second loop starts where whole groups of four end."""
    _, (main, rest) = unrolled(loop("0:i32, %n, 1:i32", "slt", SHARED))
    assert names(main).count("load") == 4
    assert names(rest).count("load") == 1
    assert rest.operands[0] is main.operands[1]
    assert rest.operands[3:] == main.results


@pytest.mark.parametrize(("lanes", "together"), [(16, 8), (32, 4)])
def test_each_row_follows_the_other(lanes: int, together: int) -> None:
    """All sums of the first rows come before the others': as many rows as eight registers hold."""
    rows = together + 1
    sums = "\n".join(f"%d{i}: <{lanes} x i32> = {'and' if i == together else 'add'} %a{i}, %b" for i in range(rows))
    carried = ", ".join(f"%a{i}: <{lanes} x i32>" for i in range(rows))
    made = ", ".join(f"%s{i}: <{lanes} x i32>" for i in range(rows))
    function = parse_function(f"""
kernel @k({LAUNCH}, %n: i32, %p: ptr) [vector_bits=512] {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %z: <{lanes} x i32> = splat 0:i32
    {made} = for 0:i32, %n, 1:i32{", %z" * rows} [pred=slt] {{ (%k: i32, {carried})
      %i: ptr = gep %p, %k [offset=0, strides=(64)]
      %b: <{lanes} x i32> = load %i [align=4]
      {sums}
      yield {", ".join(f"%d{i}" for i in range(rows))}
    }}
    store %s0, %p [align=4]
    store %s{together}, %p [align=4]
    yield
  }}
  yield
}}
""")
    _, (main, _) = unrolled(function)
    order = [name for name in names(main) if name in ("add", "and")]
    assert order[-4:] == ["and"] * 4
    assert "and" not in order[:-4]


def test_a_known_number_of_trips_leaves_no_rest() -> None:
    _, loops = unrolled(loop("0:i32, 16:i32, 1:i32", "slt", SHARED))
    assert len(loops) == 1
    _, loops = unrolled(loop("0:i32, 18:i32, 1:i32", "slt", SHARED))
    assert [op.operands[1] for op in loops] == [int_const("i32", 16), int_const("i32", 18)]


def test_copies_lie_at_constant_distances() -> None:
    """One index for all four: what the others load from is so many bytes further."""
    _, (main, _) = unrolled(loop("0:i32, %n, 1:i32", "slt", SHARED))
    places = [op for op in main.region.ops if op.name == "gep"]
    assert [(op.attrs["offset"], op.attrs["strides"]) for op in places] == [(0, (64,)), (64, ()), (128, ()), (192, ())]


def test_a_distance_that_the_loop_does_not_change_is_carried() -> None:
    """Rows of %n elements: no product in the loop."""
    row = "%m: i32 = mul %k, %n [flags=(nsw)]\n%i: ptr = gep %p, %m [offset=0, strides=(4)]"
    _, (main, rest) = unrolled(loop("0:i32, %n, 1:i32", "slt", SHARED.replace(SHARED.split("\n")[1].strip(), row)))
    assert "mul" not in names(main)
    assert [each.type for each in main.results] == ["<16 x i32>", "<16 x i32>", "i64"]
    assert len(rest.results) == 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("load %i [align=4]", "load %i [align=4, volatile=true]"), "somebody may watch a volatile load"),
        (("%d1: <16 x i32> = xor %a1, %b", "store %a1, %i [align=4]\n%d1: <16 x i32> = xor %a1, %b"), "a store"),
        (("%d1: <16 x i32> = xor %a1, %b", "%d1: <16 x i32> = xor %a1, %a1"), "rows share no load"),
    ],
)
def test_a_loop_that_stays(change: tuple[str, str], why: str) -> None:
    _, loops = unrolled(loop("0:i32, %n, 1:i32", "slt", SHARED.replace(*change)))
    assert len(loops) == 1, why


@pytest.mark.parametrize(("bits", "together"), [(512, 4), (256, 4), (128, 4), (64, 1)])
def test_registers_bound_the_copies(bits: int, together: int) -> None:
    """Two sums and what a trip shares take 12 of 16 registers of 16 bytes, and more than 16 of 8 bytes."""
    function = loop("0:i32, %n, 1:i32", "slt", SHARED)
    function.facts = replace(function.facts, processor=Processor(bits))
    _, loops = unrolled(function)
    assert names(loops[0]).count("load") == together


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("%i: ptr = gep %p, %k [offset=0, strides=(64)]", 0),
        ("%i: ptr = gep %p, %k [offset=0, strides=(4096)]", 4),
        ("%f: i32 = mul %k, %n\n%g: i32 = add %f, 3:i32\n%i: ptr = gep %p, %g [offset=0, strides=(4)]", 4),
        ("%f: i32 = shl %k, 4:i32\n%i: ptr = gep %p, %f [offset=0, strides=(64)]", 0),
        ("%e: ptr = gep %q, %k [offset=0, strides=(4)]\n%f: i32 = load %e [align=4]\n"
         "%i: ptr = gep %p, %f [offset=0, strides=(4)]", 0),
    ],
    ids=["a line a trip", "a page a trip", "a row of %n a trip", "16 lines a trip", "from anywhere"],
)  # fmt: skip
def test_what_lies_far_is_asked_for_ahead(address: str, lines: int) -> None:
    """Where processors do not look ahead by themselves, and the address takes no load: that might read past the end."""
    body = SHARED.replace("%i: ptr = gep %p, %k [offset=0, strides=(64)]", address)
    _, (main, rest) = unrolled(loop("0:i32, %n, 1:i32", "slt", body))
    asked = [op for op in main.region.ops if op.attrs.get("callee") == "llvm.prefetch.p0"]
    assert len(asked) == lines
    assert "call" not in names(rest)


MATRIX = """
        %end: i32 = and %n, 15:i32
        %start: i32 = {start}
        %v: i32 = for %start, %end, 1:i32, 7:i32 [pred={pred}] {{ (%i: i32, %a: i32)
            %f: i32 = mul %ty, 16:i32
            %g: i32 = add %f, %i
            %g1: i32 = and %g, 255:i32
            %q: ptr = gep %in, %g1 [offset=0, strides=(4)]
            %x: i32 = load %q [align=4]
            {row}
            %r: ptr = gep %in, %h, %tx [offset=0, strides=(16, 4)]
            %y: i32 = load %r [align=4]
            %w: i32 = mul %x, %y
            %t: i32 = add %a, %w
            yield %t }}
        %o: i32 = mul %ty, %bdx
        %l: i32 = add %o, %tx
        %mine: ptr = gep %p, %l [offset=0, strides=(4)]
        store %v, %mine [align=4]"""


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 8, 11, 15])
@pytest.mark.parametrize(
    ("start", "pred"), [("and 0:i32, %n", "slt"), ("and %n, 2:i32", "slt"), ("and %n, 3:i32", "ult")]
)
@pytest.mark.parametrize(
    "row", ["%h: i32 = and %i, 7:i32", "%e: i32 = and %n, 3:i32\n%h: i32 = mul %i, %e [flags=(nsw)]"]
)
def test_sums_stay_what_they_are(n: int, start: str, pred: str, row: str) -> None:
    """Bounds known and not, and no trip, a part of a group, several groups; rows as far apart as the launch says."""
    function = threads(MATRIX.format(start=start, pred=pred, row=row))
    vectors = vectorised(function, width=4, jam=4)
    copy, loops = unrolled(vectors)
    assert len(loops) > len([op for op in walk(vectors.body) if op.name == "for"])
    assert results(copy, (4, 4, 1), n) == results(function, (4, 4, 1), n)
