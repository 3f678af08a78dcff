# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loops threads had better go through one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_lanes import solved, threads

from warploom.analysis.lanes import Shapes
from warploom.analysis.vector_cost import (
    LARGEST_WIDE,
    Target,
    choose_rows,
    choose_width,
    goes_alone,
    predicted_cycles,
    runs_better_alone,
    stores_alone,
)
from warploom.core.processor import Processor
from warploom.ir.core import Op, int_const, walk

GATHER = "%q: ptr = gep %p, %k [offset=0, strides=(4)] %l: i32 = load %q [align=4]"
ROW = "%q: ptr = gep %p, %tx, %i [offset=0, strides=(4, 4096)] %l: i32 = load %q [align=4]"
WAIT = f"{GATHER} %v: i32 = vote -1:i32, %l [kind=any]"


def pays(loop: Op, shapes: Shapes, shared: frozenset[str]) -> bool:
    """Whether vectors cost no more than threads one by one."""
    vector, alone = predicted_cycles(loop, shapes, shared)
    return vector <= alone


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


# Four bytes each, that a table's indices or a stride of the launch say the places of.
INDICES = {
    "a table": ("%t: i32 = xor %tx, %n %k: i32 = and %t, 255:i32", False),
    "a stride": ("%k: i32 = mul %tx, %n [flags=(nsw)]", True),
}


@pytest.mark.parametrize(("index", "expected"), INDICES.values(), ids=INDICES)
def test_bytes_pay_where_a_stride_of_the_launch_may_make_them_a_row(index: str, expected: bool) -> None:
    loads = " ".join(
        f"%q{k}: ptr = gep %p, %k [offset={k}, strides=(1)] %b{k}: i8 = load %q{k} [align=1] "
        f"%v{k + 1}: i8 = add %v{k}, %b{k}"
        for k in range(4)
    )
    shapes, _, loop = solved(threads(f"{index} %v0: i8 = trunc %n {loads} store %v4, %p [align=1]"))
    assert pays(loop, shapes, frozenset()) is expected


# An element that nobody knows the place of, and three other operations.
HASHED = """%t: i32 = xor %i, %tx %j: i32 = mul %t, %t %k: i32 = and %j, 1023:i32
    %q: ptr = gep {}, %k [offset=0, strides=({})] %l: {} = load %q [align={}] %s: {} = add %a, %l yield %s"""
STRING = (
    f"%r: i8 = for 0:i32, %tx, 1:i32, 0:i8 [pred=slt] {{ (%i: i32, %a: i8) {HASHED.format('%p', 1, 'i8', 1, 'i8')} }}"
)


@pytest.mark.parametrize("is_guarded", [False, True])
def test_threads_that_leave_a_loop_one_by_one_are_together_in_it(*, is_guarded: bool) -> None:
    """Scalar code has a branch that is foretold wrongly for each `if`, and one for the whole of such a loop."""
    ops = f"{STRING} store %r, %p [align=1]"
    if is_guarded:
        ops = f"%b: i32 = and %tx, 1:i32 %c: i1 = icmp %b, 0:i32 [pred=eq] if %c {{ {ops} yield }} {{ yield }}"
    shapes, _, loop = solved(threads(ops))
    assert pays(loop, shapes, frozenset()) is is_guarded


@pytest.mark.parametrize(("trips", "expected"), [("%n", True), ("4:i32", False)])
def test_what_a_long_loop_reads_was_not_just_written(trips: str, expected: bool) -> None:
    body = HASHED.format("@tile:ptr", 4, "i32", 4, "i32")
    shapes, _, loop = solved(
        threads(f"%r: i32 = for 0:i32, {trips}, 1:i32, 0:i32 [pred=slt] {{ (%i: i32, %a: i32) {body} }} store %r, %p")
    )
    assert pays(loop, shapes, frozenset(("tile",))) is expected


def sums_of(number: int) -> str:
    """A chain of sums, from %v0 on."""
    return " ".join(f"%v{k + 1}: i32 = add %v{k}, %n" for k in range(number))


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
    assert choose_width(loop, Target(Processor(bits)), 16) == width


@pytest.mark.parametrize(("sums", "width"), [(100, 32), (LARGEST_WIDE, 16)])
def test_a_long_body_is_one_register_wide(sums: int, width: int) -> None:
    body = (
        f"%q: ptr = gep %p, %tx [offset=0, strides=(4)] %v0: i32 = load %q [align=4] {sums_of(sums)} store %v{sums}, %q"
    )
    loop = next(op for op in walk(threads(body).body) if op.name == "block")
    assert choose_width(loop, Target(Processor(512)), None) == width


@pytest.mark.parametrize(
    ("trips", "hands_on", "width"), [(4, False, 32), (16, False, 16), (17, False, 32), (16, True, 32)]
)
def test_trips_that_need_not_wait_make_a_body_long(trips: int, hands_on: bool, width: int) -> None:
    given = (", %n", ", %h: i32", "%v40", "%r: i32 = ") if hands_on else ("", "", "", "")
    body = f"""{given[3]}for 0:i32, {trips}:i32, 1:i32{given[0]} [pred=slt] {{ (%i: i32{given[1]})
      %q: ptr = gep %p, %tx, %i [offset=0, strides=(4, 512)] %v0: i32 = load %q [align=4] {sums_of(40)}
      store %v40, %q yield {given[2]} }}"""
    loop = next(op for op in walk(threads(body).body) if op.name == "block")
    assert choose_width(loop, Target(Processor(512)), None) == width


FLOAT = "%q: ptr = gep %p, %tx [offset=0, strides=(4)] %x: float = load %q [align=4] %h: float = fadd %x, %x"
HALF_DOUBLE = f"""{FLOAT} %w: double = fpext %h %v: double = fmul %w, %w %z: double = fadd %v, %w
    %r: float = fptrunc %z store %r, %q [align=4]"""
WIDE_ONLY = HALF_DOUBLE.replace("%h: float = fadd %x, %x", "").replace("fpext %h", "fpext %x")
MANY_FLOATS = HALF_DOUBLE.replace("%w: double", "%h2: float = fmul %h, %h %h3: float = fmul %h2, %h %w: double")
AS_MANY = HALF_DOUBLE.replace("%z: double = fadd %v, %w", "").replace("fptrunc %z", "fptrunc %v")
APART = f"""{FLOAT} %w: double = fpext %h %v: double = fmul %w, %w
    %c: i1 = icmp %tx, 3:i32 [pred=slt] if %c {{ %r: float = fptrunc %v store %r, %q [align=4] yield }} {{ yield }}"""


@pytest.mark.parametrize(
    ("body", "bits", "columns", "width"),
    [
        (HALF_DOUBLE, 512, 16, 8),
        (HALF_DOUBLE, 512, 32, 16),  # two vectors are written out, four are a loop
        (HALF_DOUBLE, 512, None, 16),
        (HALF_DOUBLE, 256, 16, 8),  # two registers: in half of one floats are computed with half as fast
        (WIDE_ONLY, 512, 16, 16),  # what is loaded comes in halves
        (MANY_FLOATS, 512, 16, 16),
        (AS_MANY, 512, 16, 16),
        (APART, 512, 16, 16),
        (FLOAT, 512, 16, 16),
    ],
)
def test_floats_that_become_doubles_and_come_of_them_lie_as_doubles_do(
    body: str, bits: int, columns: int | None, width: int
) -> None:
    loop = next(op for op in walk(threads(body).body) if op.name == "block")
    assert choose_width(loop, Target(Processor(bits)), columns) == width


ESCAPE = """%s: float = sitofp %tx
        %k: i32, %u: float = while 0:i32, %s { (%i: i32, %x: float)
          %b: i1 = fcmp %x, %f [pred=olt]
          %w: i1 = icmp %i, %tx [pred=slt]
          %c: i1 = select %w, %b, 0:i1
          condition %c, %i, %x
        } { (%j: i32, %y: float)
          %y1: float = fmul %y, %y
          %y2: float = fadd %y1, %f
          MORE
          %l: i32 = add %j, 1:i32
          yield %l, %y2
        }"""
LOADS = "%q: ptr = gep %p, %j [offset=0, strides=(4)] %v: float = load %q [align=4]"
TOGETHER = ESCAPE.replace("%i, %tx", "%i, %n").replace("fcmp %x", "fcmp %f").replace("MORE", "")
WORK = " ".join(f"%z{at}: float = fmul %y2, %y{1 + at % 2}" for at in range(16))
WAITS = [
    (ESCAPE.replace("MORE", ""), 16, 512, 4, "8 cycles of waiting, 3 of work"),
    (ESCAPE.replace("MORE", ""), 18, 512, 2, "the rows of a block are used up"),
    (ESCAPE.replace("MORE", ""), None, 512, 1, "who knows how many rows there are"),
    (ESCAPE.replace("MORE", WORK), 16, 512, 1, "work enough"),
    (ESCAPE.replace("MORE", LOADS), 16, 512, 1, "who loads may wait for memory"),
    (TOGETHER, 16, 512, 1, "all threads leave together: foretold"),
    (f"{ESCAPE.replace('MORE', '')} {ESCAPE.replace('MORE', '').replace('%', '%o').replace('%of', '%f')}".replace(
        "%otx", "%tx"), 16, 512, 1, "the first loop's rows would wait for the second's"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "rows", "bits", "jam", "why"), WAITS, ids=[each[-1] for each in WAITS])
def test_rows_that_wait_go_together(body: str, rows: int | None, bits: int, jam: int, why: str) -> None:
    del why
    shapes, _, loop = solved(threads(body, f"16:i32, {f'{rows}:i32' if rows else '%bdy'}, 1:i32"))
    assert choose_rows(loop, shapes, Target(Processor(bits)), rows) == jam


BYTE = "%q: ptr = gep %p, %tx [offset=0, strides=(1)] store 1:i8, %q [align=1]"
WORD = "%q: ptr = gep %p, %tx [offset=0, strides=(4)] store 1:i32, %q [align=4]"
SCATTERED = "%q: ptr = gep %p, %tx [offset=0, strides=(400)] store 1:i32, %q [align=4]"
SQUARES = " ".join(f"%x{at + 1}: i32 = mul %x{at}, %x{at}" for at in range(24))
LONG = f"%x0: i32 = add %tx, 1:i32 {SQUARES} %v: i8 = trunc %x24 {BYTE.replace('1:i8', '%v')}"
SIDES = [
    (BYTE, 256, True, "AVX2 has no masks for bytes"),
    (WORD, 256, False, "but for words"),
    (WORD, 128, True, "SSE has none"),
    (SCATTERED, 256, True, "AVX2 has no scatters"),
    (SCATTERED, 512, False, "AVX-512 has all of that"),
    (LONG, 256, False, "much is computed, which vectors do for less"),
    ("%q: ptr = gep %p, %n [offset=0, strides=(1)] store 1:i8, %q [align=1]", 256, False, "one store for all threads"),
    (
        f"{BYTE} %o: i32 = atomicrmw %p, 1:i32 [operation=add, ordering=monotonic]",
        256,
        False,
        "it does more than store",
    ),
]


def test_scatters_without_branches_stay() -> None:
    function = threads(f"%c: i1 = icmp %tx, %n [pred=sgt] if %c {{ {SCATTERED} yield }} {{ yield }}")
    function.facts = replace(function.facts, processor=Processor(256, branches_in_gathers=True))
    shapes, _, loop = solved(function)
    branch = next(op for op in walk(loop.region) if op.name == "if")
    assert not stores_alone(branch.regions[0], shapes)


@pytest.mark.parametrize(("side", "bits", "alone", "why"), SIDES, ids=[each[-1] for each in SIDES])
def test_stores_without_masks(side: str, bits: int, alone: bool, why: str) -> None:
    del why
    function = threads(f"%c: i1 = icmp %tx, %n [pred=sgt] if %c {{ {side} yield }} {{ yield }}")
    function.facts = replace(function.facts, processor=Processor(bits))
    shapes, _, loop = solved(function)
    branch = next(op for op in walk(loop.region) if op.name == "if")
    assert stores_alone(branch.regions[0], shapes) == alone


BYTES = "%q8: ptr = gep %p, %tx [offset=0, strides=(1)] %l8: i8 = load %q8 [align=1]"
CHOSEN = """%odd: i1 = icmp %tx, 3:i32 [pred=sgt]
  %w8: {type} = if %odd {{ {loads} %byte: i8 = add %l8, 1:i8 %seven: i1 = icmp %byte, 7:i8 [pred=eq] yield %{given} }}
    {{ yield 0:{type} }}
  store %w8, %p"""


@pytest.mark.parametrize(("bits", "width"), [(512, 64), (256, 32), (128, 16)])
def test_masks_that_go_from_block_to_block_fit_one_register(bits: int, width: int) -> None:
    """LLVM takes a mask of more lanes apart; numbers, and a mask that is there for one branch, it does not."""
    _, _, loop = solved(threads(CHOSEN.format(type="i1", loads=BYTES, given="seven")))
    assert choose_width(loop, Target(Processor(bits)), 128) == width
    inner = f"{BYTES} %even: i1 = icmp %l8, 2:i8 [pred=sgt] if %even {{ store %l8, %q8 [align=1] yield }} {{ yield }}"
    _, _, loop = solved(threads(f"%odd: i1 = icmp %tx, 3:i32 [pred=sgt] if %odd {{ {inner} yield }} {{ yield }}"))
    assert choose_width(loop, Target(Processor(bits)), 128) == width
    _, _, loop = solved(threads(CHOSEN.format(type="i8", loads=BYTES, given="byte")))
    assert choose_width(loop, Target(Processor(bits)), 128) == min(2 * bits // 8, 64)
