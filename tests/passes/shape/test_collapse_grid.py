# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels may have their threads cut into other blocks."""

from __future__ import annotations

import pytest

from warploom.ir.parser import parse_function
from warploom.passes.base import Context
from warploom.passes.shape.collapse_grid import COLLAPSE_GRID

KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {SHARED
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      BODY
      yield
    }
    yield
  }
  yield
}
"""
SUM = "%b: i32 = mul %bx, %bdx\n %i: i32 = add %b, %tx\n"
USE = "%a: ptr = gep %p, %i [offset=0, strides=(4)]\n store %i, %a [align=4]\n"


def mark(body: str, shared: str = "") -> object:
    """The attribute that a kernel of `body` gets."""
    function = parse_function(KERNEL.replace("BODY", body).replace("SHARED", shared))
    changed = COLLAPSE_GRID.run(function, Context())
    assert changed == bool(function.facts.collapses or function.facts.any_launch)
    return function.facts.collapses or None


def test_the_number_of_the_thread_in_the_grid_is_the_same_in_other_blocks() -> None:
    assert mark(SUM + USE) == "any"


def test_the_sum_may_be_computed_in_64_bits() -> None:
    wide = (
        "%w: i64 = zext %bx\n %v: i64 = zext %bdx\n %t: i64 = zext %tx\n %b: i64 = mul %v, %w\n %i: i64 = add %t, %b\n"
    )
    assert mark(wide + USE) == "any"


def test_the_product_may_be_extended() -> None:
    assert (
        mark("%b: i32 = mul %bdx, %bx\n %w: i64 = zext %b\n %t: i64 = zext %tx\n %i: i64 = add %w, %t\n" + USE) == "any"
    )


def test_the_number_of_threads_in_x_wants_blocks_that_divide() -> None:
    assert mark(SUM + "%s: i32 = mul %bdx, %gdx\n %c: i1 = icmp %s, %i [pred=ult]\n" + USE) == "evenly"


def test_ids_of_y_may_be_used_as_they_are() -> None:
    assert mark(SUM + "%j: i32 = mul %by, %bdy\n %r: i32 = add %ty, %j\n %x: i32 = mul %r, %ty\n" + USE) == "any"


ROW = "%j: i32 = mul %by, %bdy\n %r: i32 = add %ty, %j\n %s: i32 = mul %r, %n [flags=(nsw)]\n"
AT = "%at: i32 = add %s, %i [flags=(nsw)]\n %q: ptr = gep %p, %at [offset=0, strides=(4)]\n"
NEAR = SUM.replace("mul %bx, %bdx", "mul %bx, %bdx [flags=(nsw)]").replace("%b, %tx", "%b, %tx [flags=(nsw)]")
STENCIL = f"{NEAR}{ROW}{AT}%x: i32 = load %q [align=4]\n store %x, %q [align=4]\n"


def test_rows_of_threads_may_be_blocks() -> None:
    assert mark(STENCIL) == "rows"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mul %r, %n", "mul %r, %ty"),
        ("add %ty, %j", "add %ty, %by"),
        ("gep %p, %at [offset=0, strides=(4)]", "gep %p, %at [offset=0, strides=(64)]"),
        ("add %s, %i", "add %r, %c"),
        ("%x: i32 = load %q", "%k: i32 = for 0:i32, %n, 1:i32, %r { (%v: i32, %w: i32) yield %v }\n %x: i32 = load %q"),
    ],
    ids=["a number in y by itself", "another sum", "far apart", "columns", "a loop"],
)
def test_rows_stay_in_their_blocks(old: str, new: str) -> None:
    text = STENCIL.replace(old, new)
    assert text != STENCIL
    far = "%c: i32 = mul %i, %n [flags=(nsw)]\n"
    assert mark(text.replace("%at: i32", f"{far}%at: i32")) == "any"


@pytest.mark.parametrize("other", ["%tx", "%bx", "%bdx", "%gdx", "%b"])
def test_an_id_or_size_by_itself_tells_the_blocks_apart(other: str) -> None:
    assert mark(SUM + f"%c: i1 = icmp {other}, %n [pred=ult]\n" + USE) is None


@pytest.mark.parametrize(
    "op",
    [
        "barrier [level=block]",
        "%m: i32 = activemask",
        'call %p [callee="f", effects=any]',
        "fence [ordering=seq_cst]",
        "%v: i32 = load %p [align=4, volatile=true]",
    ],
)
def test_threads_that_may_meet_stay_together(op: str) -> None:
    assert mark(SUM + USE + op) is None


def test_a_shared_variable_stays_that_of_its_block() -> None:
    assert mark(SUM + USE, "\n  shared @s [size=4, align=4]") is None


def test_a_loop_that_may_wait_for_another_block_stays() -> None:
    loop = """while {
        %v: i32 = load %p [align=4, ordering=monotonic]
        %c: i1 = icmp %v, %n [pred=ne]
        condition %c
      } {
        yield
      }"""
    assert mark(SUM + USE + loop) is None
    assert mark(SUM + USE + "%old: i32 = atomicrmw %p, %i [operation=add, ordering=monotonic]") == "any"


def is_for_any_launch(body: str) -> bool:
    """Whether a kernel of `body` numbers its threads in 64 bits."""
    function = parse_function(KERNEL.replace("BODY", body).replace("SHARED", ""))
    COLLAPSE_GRID.run(function, Context())
    return function.facts.any_launch


WIDE = "%w: i64 = zext %bx\n %v: i64 = zext %bdx\n %p0: i64 = mul %w, %v\n %t: i64 = zext %tx\n %i: i64 = add %p0, %t\n"


@pytest.mark.parametrize(
    "body",
    [
        WIDE + USE,
        "%w: i64 = zext %bx\n %i: i64 = shl %w, 8:i64\n" + USE,
        "%c: i1 = icmp %bx, %n [pred=ult]\n if %c { yield } { yield }\n",
        "%i: i32 = add %tx, %n\n" + USE,
    ],
)
def test_numbers_of_64_bits_do_not_wrap_in_any_launch(body: str) -> None:
    assert is_for_any_launch(body)


@pytest.mark.parametrize(
    "body",
    [
        SUM + USE,
        "%i: i32 = shl %bx, 8:i32\n" + USE,
        "%q: i32 = lshr %bx, 1:i32\n %i: i32 = mul %q, %n\n" + USE,
        "%g: i32 = mul %gdx, %bdx\n store %g, %p [align=4]\n",
        WIDE.replace("%i:", "%long:") + " %i: i32 = trunc %long\n" + USE,
    ],
)
def test_numbers_of_32_bits_may(body: str) -> None:
    assert not is_for_any_launch(body)
