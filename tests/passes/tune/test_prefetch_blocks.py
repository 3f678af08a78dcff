# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which pieces of rows a block asks for on behalf of the next one."""

from __future__ import annotations

from warploom.ir.core import Attribute, Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.tune.prefetch_blocks import PREFETCH_BLOCKS

WORK = """for 0:i32, 200:i32, 1:i32 [pred=slt] { (%k: i32)
      %z: i32 = load @own:ptr [align=4]
      yield
    }"""
LOAD = "%v: <16 x float> = load %a [align=4]"
STORE = "store %v, %a [align=4]"

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32,
          %n: i32, %p: ptr, %long: <32 x float>, %v: <16 x float>) {
  shared @own [size=4096, align=4]
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    %left: i32 = mul %bx, STEP [flags=(nsw)]
    WORK
    for 0:i32, TRIPS, 1:i32 [pred=slt] { (%y: i32)
      %row: i32 = mul %y, ROW [flags=(nsw)]
      %i: i32 = add %row, %left [flags=(nsw)]
      %w: i64 = sext %i
      %a: ptr = gep BASE, %w [offset=0, strides=(4)]
      ACCESS
      yield
    }
    yield
  }
  yield
}
"""


def filled(
    access: str = STORE,
    step: str = "16:i32",
    row: str = "%n",
    trips: str = "16:i32",
    base: str = "%p",
    work: str = WORK,
) -> str:
    text = KERNEL.replace("STEP", step).replace("ROW", row).replace("TRIPS", trips).replace("BASE", base)
    if access.startswith("%v"):
        text = text.replace(", %v: <16 x float>", "")
    return text.replace("WORK", work).replace("ACCESS", access)


def after(access: str = STORE, **others: str) -> Function:
    function = parse_function(filled(access, **others))
    before = print_function(function)
    changed = PREFETCH_BLOCKS.run(function, Context())
    verify(function, "split")
    assert changed == (print_function(function) != before)
    return function


def prefetches(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name == "call"]


def distance(function: Function) -> list[str]:
    """The names of what computes how far the next block's piece is away, and of the constants in it."""
    made = {value: op for op in walk(function.body) for value in op.results}
    (chosen,) = {made[made[call.operands[0]].operands[1]] for call in prefetches(function)}  # pyright: ignore[reportArgumentType]
    assert chosen.name == "select", "the last block of a row has no next one"
    return [str(getattr(each, "value", "")) or made[each].name for each in chosen.operands[1:]]  # pyright: ignore[reportArgumentType]


def test_a_store_into_rows_that_lie_apart_is_asked_for() -> None:
    assert distance(after()) == ["64", "0"]


def test_lines_go_to_the_second_cache_where_few_rows_share_a_set() -> None:
    (call,) = prefetches(after())
    assert [str(getattr(each, "value", "")) for each in call.operands[1:]] == ["0", "2", "1"]


def test_blocks_that_go_backwards_by_a_complement_are_asked_for_backwards() -> None:
    backwards = "%c: i32 = xor %bx, -1:i32\n    %left: i32 = mul %c, "
    function = parse_function(filled().replace("%left: i32 = mul %bx, ", backwards))
    assert PREFETCH_BLOCKS.run(function, Context())
    assert distance(function) == [str(2**64 - 64), "0"]
    other = parse_function(filled().replace("%left: i32 = mul %bx, ", backwards.replace("-1:i32", "-2:i32")))
    assert not PREFETCH_BLOCKS.run(other, Context())


def test_a_load_from_rows_that_go_on_from_block_to_block_is_left_to_the_processor() -> None:
    assert not prefetches(after(LOAD))


def test_a_load_that_is_far_from_the_last_block_is_asked_for() -> None:
    assert distance(after(LOAD, step="%n")) == ["mul", "0"]
    assert distance(after(LOAD, step="1024:i32")) == ["4096", "0"]


def test_rows_that_make_one_long_run_are_left_to_the_processor() -> None:
    assert not prefetches(after(row="16:i32", step="4096:i32"))


def places(function: Function) -> list[Attribute]:
    """The bytes of a piece that are asked for."""
    made = {value: op for op in walk(function.body) for value in op.results}
    return [made[call.operands[0]].attrs["offset"] for call in prefetches(function)]  # pyright: ignore[reportArgumentType]


def test_a_piece_behind_the_last_one_is_asked_for_by_its_end() -> None:
    assert places(after()) == [63]
    assert places(after("store %long, %a [align=4]")) == [63, 127]


def test_a_piece_of_a_line_in_other_rows_is_asked_for_by_both_ends() -> None:
    assert places(after(LOAD, step="%n")) == [0, 63]
    assert places(after(LOAD, step="1024:i32")) == [0, 63]
    assert places(after(LOAD, step="%bdx")) == [63]  # how long the step is nobody knows: it may be in the same rows
    assert places(after("%v: <8 x float> = load %a [align=4]", step="%n")) == [31]


def test_more_than_the_cache_holds_is_not_asked_for() -> None:
    work = WORK.replace("200", "2000")
    assert prefetches(after(trips="128:i32", work=work))
    assert not prefetches(after(trips="129:i32", work=work))
    assert prefetches(after(trips="64:i32", step="%n", work=work))
    assert not prefetches(after(trips="65:i32", step="%n", work=work))


def test_a_number_of_rows_that_nobody_knows_may_be_too_many() -> None:
    assert not prefetches(after(trips="%n"))


def test_the_range_of_a_row_bounds_their_number() -> None:
    access = f"%r: i32 = add %y, %n [flags=(nuw, nsw), range=(0, 15)]\n      {STORE}"
    assert prefetches(after(access, trips="%n"))


def test_memory_of_the_block_is_near() -> None:
    assert not prefetches(after(base="@own:ptr"))


def test_what_is_the_same_for_all_blocks_is_there_already() -> None:
    assert not prefetches(after(step="0:i32"))


def test_a_block_that_does_little_asks_for_little() -> None:
    assert not prefetches(after(work=""))


def test_an_address_that_grows_by_what_a_loop_changes_is_not_known() -> None:
    grows = "%b: i32 = mul %bx, %y\n      %wide: i64 = sext %b\n      %a2: ptr = gep %a, %wide [offset=0, strides=(4)]"
    assert not prefetches(after(f"{grows}\n      store %v, %a2 [align=4]"))


def test_one_address_is_asked_for_once() -> None:
    assert len(prefetches(after(f"%old: <16 x float> = load %a [align=4]\n      {STORE}", step="%n"))) == 2
