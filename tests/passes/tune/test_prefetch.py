# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loads are asked for ahead of time, and where."""

from __future__ import annotations

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.tune.prefetch import PREFETCH

LONG = """for 0:i32, 200:i32, 1:i32 [pred=slt] { (%k: i32)
        %z: i32 = load @own:ptr [align=4]
        yield
      }"""

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %s: i32, %p: ptr) {
  shared @own [size=64, align=4]
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    for %bx, %n, STEP [pred=slt] { (%i: i32)
      %w: i64 = sext INDEX
      %a: ptr = gep BASE, %w [offset=0, strides=(4)]
      %x: TYPE = load %a [align=4]
      BODY
      yield
    }
    yield
  }
  yield
}
"""


def after(
    step: str = "%s", index: str = "%i", base: str = "%p", body: str = LONG, type_: str = "float", attrs: str = ""
) -> Function:
    text = (
        KERNEL.replace("pred=slt]", f"pred=slt{attrs}]")
        .replace("STEP", step)
        .replace("INDEX", index)
        .replace("BASE", base)
        .replace("TYPE", type_)
    )
    function = parse_function(text.replace("BODY", body))
    before = print_function(function)
    changed = PREFETCH.run(function, Context())
    verify(function, "split")
    assert changed == (print_function(function) != before)
    return function


def prefetches(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name == "call"]


def test_a_stride_that_nobody_knows_is_asked_for_some_steps_ahead() -> None:
    function = after()
    (call,) = prefetches(function)
    made = {value: op for op in walk(function.body) for value in op.results}
    place = made[call.operands[0]]  # pyright: ignore[reportArgumentType]
    distance = made[place.operands[1]]  # pyright: ignore[reportArgumentType]
    assert distance.name == "select", "past the end of the loop, the load's own address is asked for"
    assert "mul" in [made[each].name for each in distance.operands if each in made]


def test_a_long_constant_stride_is_too() -> None:
    assert prefetches(after("4096:i32"))


def test_a_short_stride_is_left_to_the_processor() -> None:
    assert not prefetches(after("256:i32"))
    assert prefetches(after("257:i32"))


def test_a_vector_takes_one_for_each_line() -> None:
    assert len(prefetches(after(type_="<32 x float>"))) == 2


def test_memory_of_the_block_is_near() -> None:
    assert not prefetches(after(base="@own:ptr"))


def test_a_short_body_needs_no_help() -> None:
    assert not prefetches(after(body=""))


def test_an_address_that_stands_still_is_left_alone() -> None:
    assert not prefetches(after(index="%n"))


ROW = """for 0:i32, TRIPS, 1:i32 [pred=slt] { (%k: i32)
        %kw: i64 = zext %k
        %e: ptr = gep %a, %kw [offset=0, strides=(BY)]
        %y: TYPE = load %e [align=1]
        store %y, @own:ptr [align=1]
        %o1: i8 = load @own:ptr [align=1]
        %o2: i8 = load @own:ptr [align=1]
        yield
      }"""


def row(trips: str = "64:i32", by: int = 1, type_: str = "i8", more: str = "") -> int:
    """How many lines are asked for of a row that a loop inside loads; the step itself loads nothing far."""
    body = ROW.replace("TRIPS", trips).replace("BY", str(by)).replace("TYPE", type_)
    function = after(body=body + more)
    own = [op for op in walk(function.body) if op.name == "load" and op.results[0].name == "x"]
    assert own, "the step's own load, which asks for a line"
    return len(prefetches(function)) - 1


def test_a_row_that_a_loop_inside_loads_is_asked_for() -> None:
    assert row() == 1


def test_a_row_of_several_lines_takes_one_for_each() -> None:
    assert row(by=4, type_="float") == 4


def test_a_row_has_no_gaps() -> None:
    assert row(by=2) == 0


def test_a_row_of_many_lines_is_a_stream() -> None:
    assert row("1024:i32") == 0


def test_the_length_of_a_row_is_known() -> None:
    assert row("%n", more=LONG.replace("%k", "%j").replace("%z", "%u")) == 0


def test_what_seldom_loops_is_not_asked_for() -> None:
    assert prefetches(after())
    assert not prefetches(after(attrs=", few_trips=true"))


def test_vectors_of_threads_ask_for_the_next_step() -> None:
    threads = f"""for 0:i32, %s, 32:i32 [pred=slt, of_threads=true] {{ (%t: i32)
        %far: i64 = sext %t
        %there: ptr = gep %a, %far [offset=0, strides=(4)]
        %y: <32 x float> = load %there [align=4]
        for 0:i32, 32:i32, 1:i32 [pred=slt, of_lanes=true] {{ (%lane: i32)
          %l: i64 = zext %lane
          %each: ptr = gep %there, %l [offset=1024, strides=(4)]
          %z: float = load %each [align=4]
          yield
        }}
        {LONG}
        yield
      }}"""
    assert len(prefetches(after(body=threads))) == 1 + 2 + 2
    assert len(prefetches(after(body=threads.replace(LONG, "")))) == 1, "a short one needs no help"
    assert len(prefetches(after(body=threads, step="64:i32"))) == 0, "nor does a short step"
