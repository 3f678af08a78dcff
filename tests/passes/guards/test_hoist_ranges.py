# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Guards of thread loops become bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from warploom.backend.loom import assumes_launch
from warploom.core.launch import LAUNCH_LIMIT
from warploom.ir.core import Const, Function, Op, Value, int_const, walk
from warploom.ir.evaluate import evaluate
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.guards.hoist_ranges import HOIST_RANGES
from warploom.passes.guards.version_blocks import VERSION_BLOCKS

Run = Callable[[Function, Context], bool]

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
STORE = "store %n, %p [align=4]"


def kernel(
    ops: str, inner: str = STORE, guard: str = "%c", attrs: str = "", bounds: str = "%bdx, %bdy, %bdz"
) -> Function:
    """A kernel whose threads run `ops`, then `inner` if `guard`."""
    text = f"""kernel @k({LAUNCH}, %n: i32, %m: i64, %p: ptr) {attrs} {{
  shared @tile [size=512, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block {bounds} {{ (%tx: i32, %ty: i32, %tz: i32)
{ops}
      if {guard} {{
{inner}
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
"""
    function = parse_function(text)
    verify(function, "structured")
    return function


def hoisted(function: Function) -> bool:
    changed = HOIST_RANGES.run(function, Context())
    verify(function, "structured")
    return changed


def block_of(function: Function) -> Op:
    return next(op for op in walk(function.body) if op.name == "block")


def count(function: Function, name: str) -> int:
    return sum(op.name == name for op in walk(function.body))


def bounds(function: Function, **known: int) -> list[int]:
    """The bounds of the thread loop, given values by name."""
    values: dict[Value, Const] = {}

    def learn(value: Value) -> None:
        if value.name in known:
            values[value] = int_const(value.type, known[value.name])

    for param in function.params:
        learn(param)
    grid = next(op for op in function.body.ops if op.name == "grid")
    for param in grid.region.params:
        learn(param)
    for op in grid.region.ops:
        if op.name == "block":
            return [_number(each, values) for each in op.operands]
        inputs = [values.get(each, each) if isinstance(each, Value) else each for each in op.operands]
        found = evaluate(Op(op.name, list(inputs), op.results, op.attrs))
        if found is not None:
            values[op.result] = found
    raise AssertionError("no thread loop")


def _number(operand: Const | Value, values: dict[Value, Const]) -> int:
    const = operand if isinstance(operand, Const) else values[operand]
    assert isinstance(const.value, int)
    return const.value


GLOBAL_ID = """
      %o: i32 = mul %bx, %bdx
      %i: i32 = add %o, %tx
      %c: i1 = icmp %i, %n [pred=slt]"""


@pytest.mark.parametrize(
    ("n", "bx", "expected"),
    [(1000, 0, 256), (1000, 3, 232), (1000, 4, 0), (1024, 3, 256), (-5, 0, 0), (2**31 - 1, 5, 256), (-(2**31), 7, 0)],
)
def test_the_global_id_below_n_gives_full_blocks_and_one_tail(n: int, bx: int, expected: int) -> None:
    function = kernel(GLOBAL_ID)
    assert hoisted(function)
    assert count(function, "if") == 0
    assert bounds(function, bx=bx, bdx=256, bdy=1, bdz=1, n=n) == [expected, 1, 1]


def test_wrapping_of_the_global_id_is_excluded_by_a_check_at_launch() -> None:
    function = kernel(GLOBAL_ID)
    hoisted(function)
    assert function.facts.launch_limit_x == LAUNCH_LIMIT


def test_for_launches_of_any_size_nothing_is_assumed() -> None:
    function = kernel(GLOBAL_ID)
    function.facts = replace(function.facts, any_launch=True)
    assert not hoisted(function)
    assert not assumes_launch(function)
    # In 64 bits nothing has to be.
    wide = kernel(
        "%w: i64 = zext %bx\n%v: i64 = zext %bdx\n%b: i64 = mul %w, %v\n%t: i64 = zext %tx\n%i: i64 = add %b, %t\n"
        "%z: i64 = sext %n\n%c: i1 = icmp %i, %z [pred=slt]",
        attrs="[block=(256, 1, 1), any_launch=true]",
    )
    assert hoisted(wide)
    assert not assumes_launch(wide)
    assert bounds(wide, bx=2**23, bdx=256, bdy=1, bdz=1, n=1000) == [0, 1, 1]


@pytest.mark.parametrize("known", [False, True])
def test_blocks_of_a_plane_are_numbered_without_wrapping(known: bool) -> None:
    size = "256:i32" if known else "%bdx"
    ops = f"""%r: i32 = mul %by, %gdx
      %b: i32 = add %r, %bx
      %o: i32 = mul %b, {size}
      %i: i32 = add %o, %tx
      %c: i1 = icmp %i, %n [pred=slt]"""
    function = kernel(ops, attrs="[block=(256, 1, 1)]") if known else kernel(ops)
    assert hoisted(function)
    assert function.facts.launch_limit == LAUNCH_LIMIT
    assert bounds(function, bx=1, by=2, gdx=3, n=1800, bdx=256, bdy=1, bdz=1)[0] == 8


def test_an_unsigned_offset_may_wrap_and_stays_a_guard() -> None:
    # n + tx, modulo 2^32, is below n for the last threads only.
    function = kernel("%i: i32 = add %n, %tx\n%c: i1 = icmp %i, 7:i32 [pred=ult]")
    assert not hoisted(function)
    assert count(function, "if") == 1


def test_the_flag_nsw_says_that_the_offset_does_not_wrap() -> None:
    function = kernel("%i: i32 = add %n, %tx [flags=(nsw)]\n%c: i1 = icmp %i, 7:i32 [pred=slt]")
    assert hoisted(function)
    assert not assumes_launch(function)
    assert bounds(function, n=3, bdx=8, bdy=1, bdz=1)[0] == 4
    assert bounds(function, n=-(2**31), bdx=8, bdy=1, bdz=1)[0] == 8


@pytest.mark.parametrize(
    ("pred", "n", "expected"),
    [
        ("slt", 3, 3), ("slt", -1, 0), ("sle", 3, 4), ("sle", 9, 8), ("sle", -1, 0),
        ("ult", 3, 3), ("ult", -1, 8), ("ule", 7, 8), ("ule", -1, 8),
        ("sgt", 3, 4), ("sgt", -1, 8), ("sgt", 100, 0), ("sge", 3, 5), ("uge", 0, 8), ("ugt", 7, 0),
        ("eq", 3, 1), ("eq", 8, 0), ("eq", -1, 0), ("eq", 0, 1),
    ],
)  # fmt: skip
def test_every_order_of_the_thread_id_is_a_range(pred: str, n: int, expected: int) -> None:
    function = kernel(f"%c: i1 = icmp %tx, %n [pred={pred}]")
    assert hoisted(function)
    assert bounds(function, n=n, bdx=8, bdy=1, bdz=1)[0] == expected


def test_a_range_that_starts_later_shifts_the_thread_id() -> None:
    function = kernel("%c: i1 = icmp %tx, 3:i32 [pred=sge]", inner="store %tx, %p [align=4]")
    hoisted(function)
    store = next(op for op in walk(function.body) if op.name == "store")
    shift = next(op for op in block_of(function).region.ops if op.name == "add")
    assert store.operands[0] is shift.result
    assert shift.operands[0] is block_of(function).region.params[0]


def test_one_thread_is_a_loop_with_one_trip_and_a_known_id() -> None:
    function = kernel("%c: i1 = icmp 0:i32, %tx [pred=eq]", inner="store %tx, %p [align=4]")
    hoisted(function)
    assert block_of(function).operands[0] == int_const("i32", 1)
    store = next(op for op in walk(function.body) if op.name == "store")
    assert store.operands[0] == int_const("i32", 0)


def test_different_from_one_thread_is_no_range() -> None:
    assert not hoisted(kernel("%c: i1 = icmp %tx, 3:i32 [pred=ne]"))


def test_two_numbers_of_a_thread_are_no_range() -> None:
    for test in ("%tx, %ty [pred=slt]", "%ty, %tx [pred=uge]"):
        assert not hoisted(kernel(f"%c: i1 = icmp {test}"))


def test_a_conjunction_gives_up_its_ranges_and_keeps_the_rest() -> None:
    ops = """
      %v: i32 = load %p [align=4]
      %x: i1 = icmp %v, 0:i32 [pred=eq]
      %y: i1 = icmp %tx, 5:i32 [pred=ult]
      %z: i1 = icmp %ty, 6:i32 [pred=ult]
      %d: i1 = select %x, %y, 0:i1
      %c: i1 = and %d, %z"""
    function = kernel(ops)
    assert hoisted(function)
    assert bounds(function, bdx=8, bdy=9, bdz=2) == [5, 6, 2]
    guard = next(op for op in walk(function.body) if op.name == "if")
    condition = guard.operands[0]
    assert isinstance(condition, Value)
    assert condition.name == "x"


@pytest.mark.parametrize(
    ("condition", "filled"),
    [("select %y, %z, 1:i1", 1), ("select %y, 0:i1, %z", 0), ("select %y, 1:i1, %z", 1), ("select %y, %z, 0:i1", 0)],
)
def test_one_side_of_a_conjunction_may_have_to_fail(condition: str, filled: int) -> None:
    """`not (y implies z)` is `y and not z`: as a flag that was set under conditions reads when it is taken back."""
    function = kernel(f"""
      %y: i1 = icmp %tx, 5:i32 [pred=slt]
      %z: i1 = icmp %ty, 6:i32 [pred=slt]
      %c: i1 = {condition}""")
    if filled:
        next(op for op in walk(function.body) if op.name == "if").regions.reverse()
    assert hoisted(function)
    assert count(function, "if") == 0
    expected = {(y, z) for y in (True, False) for z in (True, False) if (_chosen(condition, y, z)) != bool(filled)}
    assert len(expected) == 1
    ((y, z),) = expected
    assert bounds(function, bdx=8, bdy=8, bdz=1) == [5 if y else 3, 6 if z else 2, 1]


def _chosen(condition: str, y: bool, z: bool) -> bool:
    known = {"%y": y, "%z": z, "0:i1": False, "1:i1": True}
    which, yes, no = (known[each] for each in condition.removeprefix("select ").split(", "))
    return yes if which else no


def test_an_early_return_is_a_guard_with_the_other_side_filled() -> None:
    text = kernel("%y: i1 = icmp %tx, %n [pred=sge]\n%z: i1 = icmp %ty, 4:i32 [pred=sgt]\n%c: i1 = or %y, %z")
    guard = next(op for op in walk(text.body) if op.name == "if")
    guard.regions.reverse()
    assert hoisted(text)
    assert bounds(text, n=3, bdx=8, bdy=8, bdz=1) == [3, 5, 1]


def test_guards_inside_guards_follow() -> None:
    inner = f"""
        %c2: i1 = icmp %ty, %n [pred=slt]
        if %c2 {{
          {STORE}
          yield
        }} {{
          yield
        }}"""
    function = kernel("%c: i1 = icmp %tx, 5:i32 [pred=ult]", inner=inner)
    hoisted(function)
    assert count(function, "if") == 0
    assert bounds(function, n=2, bdx=8, bdy=8, bdz=1) == [5, 2, 1]


def test_what_only_a_guarded_thread_may_look_at_is_frozen() -> None:
    # `n - 1` may be poison where no thread gets past the first guard: the bound must not be.
    inner = f"""
        %k: i32 = add %n, -1:i32 [flags=(nsw)]
        %c2: i1 = icmp %ty, %k [pred=slt]
        if %c2 {{
          {STORE}
          yield
        }} {{
          yield
        }}"""
    function = kernel("%c: i1 = icmp %tx, %n [pred=ult]", inner=inner)
    hoisted(function)
    assert count(function, "if") == 0
    assert count(function, "freeze") == 1


def test_effects_before_the_guard_keep_it() -> None:
    assert not hoisted(kernel(f"{STORE}\n%c: i1 = icmp %tx, 5:i32 [pred=ult]"))


def test_threads_that_meet_at_a_barrier_are_not_dropped() -> None:
    function = kernel("%c: i1 = icmp %tx, 5:i32 [pred=ult]", inner=f"{STORE}\nbarrier [level=block]")
    assert not hoisted(function)


def test_a_bound_that_differs_between_threads_is_no_bound() -> None:
    ops = "%q: ptr = gep %p, %m [offset=0, strides=(4)]\n%v: i32 = load %q [align=4]\n%c: i1 = icmp %tx, %v [pred=slt]"
    assert not hoisted(kernel(ops))


def test_sixty_four_bits_are_compared_without_overflow() -> None:
    ops = "%w: i64 = zext %tx\n%i: i64 = add %m, %w [flags=(nsw)]\n%c: i1 = icmp %i, 9223372036854775807:i64 [pred=slt]"
    function = kernel(ops)
    assert hoisted(function)
    least, most = -(2**63), 2**63 - 1
    assert bounds(function, m=least, bdx=8, bdy=1, bdz=1)[0] == 8
    assert bounds(function, m=most - 3, bdx=8, bdy=1, bdz=1)[0] == 3
    assert bounds(function, m=most, bdx=8, bdy=1, bdz=1)[0] == 0


def test_an_index_times_a_constant_is_exact_where_the_block_size_is_known() -> None:
    ops = "%o: i32 = shl %bx, 4:i32\n%i: i32 = add %o, %tx\n%c: i1 = icmp %i, %n [pred=slt]"
    assert not hoisted(kernel(ops))
    known = kernel(ops, attrs="[block=(16, 1, 1)]", bounds="16:i32, 1:i32, 1:i32")
    assert hoisted(known)
    assert bounds(known, n=40, bx=2) == [8, 1, 1]


def test_every_second_thread_is_no_range() -> None:
    assert not hoisted(kernel("%t: i32 = shl %tx, 1:i32\n%c: i1 = icmp %t, %n [pred=slt]"))


@pytest.mark.parametrize("run", [HOIST_RANGES.run, VERSION_BLOCKS.run], ids=["hoist_ranges", "version_blocks"])
def test_one_of_two_results_of_a_loop_is_no_linear_function_of_the_thread(run: Run) -> None:
    # A value that a loop gives beside another is nothing that a bound can be made of; asking must not fail.
    loop = """%x: i32, %y: i32 = for 0:i32, %n, 1:i32, %tx, %tx [pred=slt] { (%k: i32, %a: i32, %b: i32)
        %s: i32 = add %a, %b
        yield %s, %a
      }
      %c: i1 = icmp %y, %n [pred=slt]"""
    function = kernel(loop)
    before = print_function(function)
    assert not run(function, Context())
    assert print_function(function) == before


PART = "%c: i1 = icmp %tx, %n [pred=sgt]"


def rows(x: int, y: int, ops: str = PART, bits: int = 512) -> Function:
    return kernel(ops, attrs=f"[block=({x}, {y}, 1), vector_bits={bits}]", bounds=f"{x}:i32, {y}:i32, 1:i32")


def test_rows_of_one_or_two_vectors_keep_their_mask() -> None:
    assert not hoisted(rows(16, 16))
    assert not hoisted(rows(32, 8))
    assert hoisted(rows(64, 4))
    assert hoisted(rows(32, 8, bits=256))


def test_the_edge_of_the_data_is_a_bound_in_short_rows_too() -> None:
    edge = "%o: i32 = mul %bx, 16:i32\n%i: i32 = add %o, %tx [flags=(nsw)]\n%c: i1 = icmp %i, %n [pred=PRED]"
    assert hoisted(rows(16, 16, edge.replace("PRED", "sge")))
    assert hoisted(rows(16, 16, edge.replace("PRED", "slt")))
    assert hoisted(rows(16, 16, "%c: i1 = icmp %tx, %n [pred=slt]"))


def test_a_single_row_and_a_known_part_of_rows_become_bounds() -> None:
    assert hoisted(rows(16, 1))
    assert hoisted(rows(16, 16, "%c: i1 = icmp %tx, 3:i32 [pred=sgt]"))
    assert hoisted(rows(16, 16, "%c: i1 = icmp %tx, %n [pred=eq]"))


def test_of_rows_with_a_mask_the_others_go() -> None:
    ops = "%a: i1 = icmp %tx, %n [pred=sgt]\n%b: i1 = icmp %ty, %n [pred=sgt]\n%c: i1 = and %a, %b"
    function = rows(16, 16, ops)
    assert hoisted(function)
    size = block_of(function).operands
    assert size[0] == int_const("i32", 16)
    assert isinstance(size[1], Value)


def test_a_shifted_thread_id_keeps_its_range() -> None:
    function = rows(16, 16, "%c: i1 = icmp %ty, %n [pred=sgt]")
    assert hoisted(function)
    (shift,) = [op for op in block_of(function).region.ops if "range" in op.attrs]
    assert shift.attrs["range"] == (0, 15)


@pytest.mark.parametrize("callee", ["_Zdevice", "__warploom_trap"])
@pytest.mark.parametrize(("pred", "hoists"), [("ult", True), ("uge", False), ("eq", False)])
def test_a_callee_that_may_ask_for_its_thread_keeps_the_threads_numbers(callee: str, pred: str, hoists: bool) -> None:
    call = f"call %n [callee={callee}, effects=any]"
    guard = f"      %c: i1 = icmp %tx, %n [pred={pred}]"
    assert hoisted(kernel(guard, call)) is hoists
    assert hoisted(kernel(guard, "call %n [callee=__warploom_vprintf, effects=any]"))
