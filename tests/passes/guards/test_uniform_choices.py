# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices that all threads make alike are made around their loop, and every thread still does the same."""

from __future__ import annotations

import pytest
from differential import lowered, results

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.passes.guards.uniform_choices import LEAST, MOST_COPIED, UNIFORM_CHOICES

MORE = "\n".join(f"        %y{number}: i32 = mul %y, {number}:i32" for number in range(LEAST))
# Thread i adds 1 to p[i] before CONDITION, then 10 or what it read, then 5.
KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    %m: i32 = mul %bx, %bdx
    %whole: i1 = icmp %m, %n [pred=slt]
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %i: i32 = add %m, %tx
      %w: i64 = zext %i
      %a: ptr = gep %p, %w [offset=0, strides=(4)]
      %x: i32 = load %a [align=4]
      %own: i1 = icmp %tx, 3:i32 [pred=slt]
      AROUND
      %r: i32 = if CONDITION {
        %y: i32 = add %x, 10:i32
MORE
        yield %y
      } {
        store 7:i32, %a [align=4]
        yield %x
      }
      %z: i32 = add %r, 5:i32
      store %z, %a [align=4]
      yield
    }
    yield
  }
  yield
}
"""


def kernel(condition: str = "%whole", more: str = MORE, around: str = "") -> Function:
    text = KERNEL.replace("CONDITION", condition).replace("MORE", more).replace("AROUND", around)
    return parse_function(text)


def loops(function: Function) -> list[Op]:
    """The loops over threads, once the pass has run; those of a choice stand in an `if`."""
    changed, _ = lowered(function, [UNIFORM_CHOICES])
    return [op for op in walk(changed.body) if op.name == "block"]


@pytest.mark.parametrize("n", [0, 1, 9, 100])
def test_each_side_has_a_loop_of_its_own(n: int) -> None:
    found = loops(kernel())
    assert len(found) == 2
    assert not any(op.name == "if" for each in found for op in walk(each.region))
    changed, _ = lowered(kernel(), [UNIFORM_CHOICES])
    for block in (1, 1, 1), (8, 1, 1):
        assert results(changed, (3, 1, 1), block, n) == results(kernel(), (3, 1, 1), block, n)


WITHIN = KERNEL.replace("%r: i32 = if CONDITION {", "%r: i32 = if %own { %s: i32 = if CONDITION {").replace(
    "        store 7:i32, %a [align=4]\n        yield %x\n      }",
    "        store 7:i32, %a [align=4]\n        yield %x\n      } yield %s } { yield 3:i32 }",
)


@pytest.mark.parametrize("n", [0, 1, 9, 100])
def test_a_choice_within_a_condition_is_frozen_and_made_around_the_loop(n: int) -> None:
    function = parse_function(WITHIN.replace("CONDITION", "%whole").replace("MORE", MORE).replace("AROUND", ""))
    found = loops(function)
    assert len(found) == 2
    assert all(sum(op.name == "if" for op in walk(each.region)) == 1 for each in found)
    changed, _ = lowered(function, [UNIFORM_CHOICES])
    assert any(op.name == "freeze" for op in walk(changed.body))
    for block in (1, 1, 1), (8, 1, 1):
        assert results(changed, (3, 1, 1), block, n) == results(function, (3, 1, 1), block, n)


def test_choices_that_differ_between_threads_stay() -> None:
    assert len(loops(kernel("%own"))) == 1


def test_what_is_small_or_stands_in_much_else_stays() -> None:
    assert len(loops(kernel(more=""))) == 1
    around = "\n".join(f"      %s{number}: i32 = mul %x, {number}:i32" for number in range(MOST_COPIED))
    assert len(loops(kernel(around=around))) == 1
