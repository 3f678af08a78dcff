# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of chosen addresses move into the choice, where nothing forbids it."""

from __future__ import annotations

import pytest

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.vector.choose_loads import CHOOSE_LOADS

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %q: ptr, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %here: ptr = gep %p, %tx [offset=0, strides=(4)]
      %there: ptr = gep %q, %tx [offset=-4, strides=(4)]
      %c: i1 = icmp %tx, 0:i32 [pred=eq]
      CHOICE
      BETWEEN
      %v: i32 = load %a [align=4MORE]
      store %v, %here [align=4]
      yield
    }
    yield
  }
  yield
}
"""
IF = """%a: ptr = if %c {
        yield %here
      } {
        yield %there
      }"""
SELECT = "%a: ptr = select %c, %here, %there"
NESTED = """%a: ptr = if %c {
        yield %here
      } {
        %d: i1 = icmp %ty, 0:i32 [pred=eq]
        %b: ptr = if %d {
          yield %there
        } {
          %up: ptr = gep %p, %tx [offset=64, strides=(4)]
          yield %up
        }
        yield %b
      }"""


def lowered(choice: str, between: str = "", more: str = "") -> tuple[Function, bool]:
    """The kernel after the pass, verified, and whether it changed."""
    text = KERNEL.replace("CHOICE", choice).replace("BETWEEN", between).replace("MORE", more)
    function = parse_function(text)
    changed = CHOOSE_LOADS.run(function, Context())
    verify(function, "structured")
    return function, changed


def addresses(function: Function) -> list[str]:
    """What is loaded from, in program order."""
    return [getattr(op.operands[0], "name", "") for op in walk(function.body) if op.name == "load"]


@pytest.mark.parametrize("choice", [IF, SELECT])
def test_each_side_loads_from_its_own_address(choice: str) -> None:
    function, changed = lowered(choice)
    assert changed
    assert addresses(function) == ["here", "there"]
    (chosen,) = [op for op in walk(function.body) if op.name == "if"]
    assert [value.type for value in chosen.results] == ["i32"]


def test_choices_within_choices_are_followed() -> None:
    function, _ = lowered(NESTED)
    assert addresses(function) == ["here", "there", "up"]


@pytest.mark.parametrize(
    "between",
    [
        "store 1:i32, %there [align=4]",
        "%o: i32 = atomicrmw %q, 1:i32 [operation=add, ordering=monotonic]",
        "barrier [level=block]",
        "fence [ordering=seq_cst]",
        "if %c {\n store 1:i32, %q [align=4]\n yield\n } {\n yield\n }",
    ],
)
def test_a_load_does_not_move_past_what_may_change_memory(between: str) -> None:
    assert not lowered(IF, between)[1]


def test_a_load_moves_past_other_loads() -> None:
    assert lowered(IF, "%w: i32 = load %q [align=4]")[1]


def test_a_volatile_load_stays() -> None:
    assert not lowered(IF, "", ", volatile=true")[1]


def test_an_address_that_is_used_again_stays() -> None:
    assert not lowered(IF, "%w: i32 = load %a [align=4]")[1]


def test_an_address_that_is_looked_up_is_gathered_anyway() -> None:
    looked_up = "%i: i32 = load %q [align=4]\n %far: ptr = gep %p, %i [offset=0, strides=(4)]\n"
    assert not lowered(looked_up + IF.replace("yield %there", "yield %far"))[1]


def test_a_select_in_a_choice_becomes_a_choice_of_loads() -> None:
    inner = "%d: i1 = icmp %tx, 15:i32 [pred=eq]\n %far: ptr = select %d, %q, %there\n"
    function, _ = lowered(inner + IF.replace("yield %there", "yield %far"))
    assert addresses(function) == ["here", "q", "there"]


def chooses_between(index: str) -> bool:
    """Whether the load moves into a choice between `%tx` and the element of number `%x`, made by `index`."""
    there = "%there: ptr = gep %q, %tx [offset=-4, strides=(4)]"
    text = KERNEL.replace(there, f"{index}\n%there: ptr = gep %q, %x [offset=0, strides=(4)]")
    function = parse_function(text.replace("CHOICE", SELECT).replace("BETWEEN", "").replace("MORE", ""))
    return CHOOSE_LOADS.run(function, Context())


@pytest.mark.parametrize(
    ("index", "chosen", "why"),
    [
        ("%x: i32 = and %tx, 31:i32", True, "the lane's number counts on in a warp"),
        ("%x: i32 = lshr %tx, 5:i32", True, "the warp's number is the same in a warp"),
        ("%w: i64 = shuffle -1:i32, 7:i64, 0:i32, 32:i32 [kind=idx]\n%x: i32 = trunc %w", True, "one lane's value"),
        ("%w: i64 = shuffle -1:i32, 7:i64, %tx, 32:i32 [kind=idx]\n%x: i32 = trunc %w", False, "any lane's value"),
        ("%x: i32 = and %tx, 5:i32", False, "neighbours do not lie side by side"),
        ("%x: i32 = lshr %tx, 1:i32", False, "two threads share an element"),
    ],
)
def test_numbers_of_warps_and_lanes_are_regular(index: str, chosen: bool, why: str) -> None:
    assert chooses_between(index) is chosen, why
