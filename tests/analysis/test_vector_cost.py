# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loops threads had better go through one by one."""

from __future__ import annotations

import pytest
from test_lanes import solved, threads

from warploom.analysis.vector_cost import Target, choose_width, goes_alone, runs_better_alone
from warploom.ir.core import int_const, walk

GATHER = "%q: ptr = gep %p, %k [offset=0, strides=(4)] %l: i32 = load %q [align=4]"
ROW = "%q: ptr = gep %p, %tx, %i [offset=0, strides=(4, 4096)] %l: i32 = load %q [align=4]"
WAIT = f"{GATHER} %v: i32 = vote -1:i32, %l [kind=any]"
LOOPS = {"elements here and there": (GATHER, True), "neighbours": (ROW, False), "collectives": (WAIT, False)}


@pytest.mark.parametrize(("body", "alone"), LOOPS.values(), ids=LOOPS)
def test_loops(body: str, alone: bool) -> None:
    shapes, _, loop = solved(
        threads(f"""%c: i1 = icmp %tx, 3:i32 [pred=sgt]
        if %c {{
          %a: i32 = for 0:i32, %tx, 1:i32, %tx [pred=slt] {{ (%i: i32, %k: i32) {body} yield %l }}
          yield }} {{ yield }}""")
    )
    inner = next(op for op in walk(loop.region) if op.name == "for")
    branch = next(op for op in walk(loop.region) if op.name == "if")
    assert runs_better_alone(inner, shapes) == alone
    assert goes_alone(branch.regions[0], shapes) == alone


def test_a_side_with_a_collective_beside_the_loop_stays_together() -> None:
    shapes, _, loop = solved(
        threads(f"""%c: i1 = icmp %tx, 3:i32 [pred=sgt]
        if %c {{
          %a: i32 = for 0:i32, %tx, 1:i32, %tx [pred=slt] {{ (%i: i32, %k: i32) {GATHER} yield %l }}
          %b: i32 = vote -1:i32, %a [kind=any]
          yield }} {{ yield }}""")
    )
    branch = next(op for op in walk(loop.region) if op.name == "if")
    assert not goes_alone(branch.regions[0], shapes)


ROWS = "%r: i32 = mul %ty, 16:i32 %i: i32 = add %r, %tx [flags=(nsw)] %q: ptr = gep %p, %i [offset=0, strides=(4)]"
PARTED = f"{ROWS} %c: i1 = icmp %tx, %n [pred=sgt] if %c {{ store %n, %q [align=4] yield }} {{ yield }}"
WHOLE = f"{ROWS} store %n, %q [align=4]"


@pytest.mark.parametrize(
    ("body", "rows", "bits", "width"),
    [(PARTED, 16, 256, 8), (WHOLE, 16, 256, 16), (PARTED, 1, 256, 16), (PARTED, 16, 512, 16)],
)
def test_a_row_of_two_vectors_is_one_vector_wide_where_masks_are_no_registers(
    body: str, rows: int, bits: int, width: int
) -> None:
    loop = next(op for op in walk(threads(body).body) if op.name == "block")
    loop.operands[:2] = [int_const("i32", 16), int_const("i32", rows)]
    assert choose_width(loop, Target(vector_bits=bits), 16) == width
