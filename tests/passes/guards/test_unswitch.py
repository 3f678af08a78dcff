# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over threads whose choices are all quick lose the other sides, and every thread does the same."""

from __future__ import annotations

import pytest
from differential import lowered, results

from warploom.ir.core import Function, Op, walk, walk_op
from warploom.ir.parser import parse_function
from warploom.passes.guards.unswitch import LARGEST, MOST_CHOICES, UNSWITCH

# Eight threads at a time add 1 to p[i]: as a row where n is 4, and gathered where it is not.
KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    %m: i32 = mul %bx, %bdx
    %outer: i1 = icmp %n, 4:i32 [pred=ult]
    for 0:i32, %bdx, 8:i32 [pred=slt, THREADS] { (%at: i32)
      %i: i32 = add %m, %at
      %w: i64 = zext %i
      %a: ptr = gep %p, %w [offset=0, strides=(4)]
      %all: <8 x i64> = splat %w
      %each: <8 x i64> = add %all, `<i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>`:<8 x i64>
      %as: <8 x ptr> = gep %p, %each [offset=0, strides=(4)]
      %row: i1 = icmp %n, 4:i32 [pred=eq]
      %x: <8 x i32> = if CONDITION {
        FIRST
      } {
        %g: <8 x i32> = gather %as, `splat (i1 true)`:<8 x i1>, poison:<8 x i32> [align=4]
        yield %g
      }
      MORE
      %one: <8 x i32> = splat 1:i32
      %y: <8 x i32> = add %x, %one
      if %outer {
        store %y, %a [align=4]
        yield
      } {
        scatter %y, %as, `splat (i1 true)`:<8 x i1> [align=4]
        yield
      }
      yield
    }
    yield
  }
  yield
}
"""
ROW = """%l: <8 x i32> = load %a [align=4]
        yield %l"""
GATHERED = """%h: <8 x i32> = gather %as, `splat (i1 true)`:<8 x i1>, poison:<8 x i32> [align=4]
        yield %h"""
CHECKED = f"""%low: i1 = icmp %w, 4096:i64 [pred=ult]
        %z: <8 x i32> = if %low {{
        {ROW}
        }} {{
        {GATHERED}
        }}
        yield %z"""


def kernel(condition: str = "%row", first: str = ROW, more: str = "", threads: str = "of_threads=true") -> Function:
    text = KERNEL.replace("CONDITION", condition).replace("FIRST", first).replace("MORE", more)
    return parse_function(text.replace("THREADS", threads))


def loops(function: Function) -> list[Op]:
    """The loops over threads once the pass has run, the quick one first; all launches compute the same."""
    changed, _ = lowered(function, [UNSWITCH])
    for n in (0, 3, 4, 7):
        for grid in ((1, 1, 1), (3, 1, 1)):
            assert results(changed, grid, (16, 1, 1), n) == results(function, grid, (16, 1, 1), n)
    return [op for op in walk(changed.body) if op.name == "for" and op.attrs.get("of_threads")]


def names(op: Op) -> set[str]:
    return {each.name for each in walk_op(op)}


def test_the_quick_loop_takes_rows_only() -> None:
    quick, other = loops(kernel())
    assert names(quick).isdisjoint(("gather", "scatter", "if"))
    assert {"gather", "scatter", "if"} <= names(other)


def test_a_condition_from_outside_needs_no_copy() -> None:
    assert len(loops(kernel("%outer"))) == 2


def test_what_is_asked_of_each_vector_stays_in_the_quick_loop() -> None:
    quick, _ = loops(kernel(first=CHECKED))
    assert "scatter" not in names(quick)
    assert "if" in names(quick)


def test_a_condition_of_a_vector_is_not_asked_in_front() -> None:
    of_vector = "%even: i1 = icmp %i, 8:i32 [pred=eq]\n      %row"
    function = parse_function(
        KERNEL.replace("%row", of_vector, 1)
        .replace("if CONDITION", "if %even")
        .replace("if %outer", "if %even")
        .replace("FIRST", ROW)
        .replace("MORE", "")
        .replace("THREADS", "of_threads=true")
    )
    assert len(loops(function)) == 1


def test_a_condition_that_may_fault_is_not_asked_in_front() -> None:
    divided = "%q: i32 = udiv 8:i32, %n\n      %row: i1 = icmp %q, 2:i32 [pred=eq]"
    function = parse_function(
        KERNEL.replace("%row: i1 = icmp %n, 4:i32 [pred=eq]", divided)
        .replace("if %outer", "if %row")
        .replace("CONDITION", "%row")
        .replace("FIRST", ROW)
        .replace("MORE", "")
        .replace("THREADS", "of_threads=true")
    )
    changed, _ = lowered(function, [UNSWITCH])
    assert len([op for op in walk(changed.body) if op.name == "for"]) == 1


def test_sides_that_both_gather_are_no_versions() -> None:
    quick, _ = loops(kernel(first=GATHERED))  # for the store alone
    assert "gather" in names(quick)
    assert "scatter" not in names(quick)


def test_all_choices_are_asked() -> None:
    """Where the first one is quick and the second is not, its other side runs."""
    second = f"""%v: <8 x i32> = if %outer {{
        %two: <8 x i32> = splat 2:i32
        yield %two
      }} {{
        {GATHERED}
      }}"""
    function = parse_function(
        KERNEL.replace("CONDITION", "%row").replace("FIRST", ROW).replace("MORE", second)
        .replace("THREADS", "of_threads=true").replace("add %x, %one", "add %v, %one")
    )  # fmt: skip
    assert len(loops(function)) == 2


def test_other_loops_stay() -> None:
    changed, _ = lowered(kernel(threads="of_lanes=true"), [UNSWITCH])
    assert len([op for op in walk(changed.body) if op.name == "for"]) == 1


@pytest.mark.parametrize(("count", "versions"), [(MOST_CHOICES - 2, 2), (MOST_CHOICES - 1, 1)])
def test_many_choices_are_left_where_they_are(count: int, versions: int) -> None:
    more = "".join(
        f"""%q{number}: <8 x i32> = if %row {{
        yield %x
      }} {{
        %g{number}: <8 x i32> = gather %as, `splat (i1 true)`:<8 x i1>, poison:<8 x i32> [align=4]
        yield %g{number}
      }}
      """
        for number in range(count)
    )
    assert len(loops(kernel(more=more))) == versions


def test_large_loops_stay() -> None:
    function = kernel()
    loop = next(op for op in walk(function.body) if op.name == "for")
    needed = LARGEST - sum(1 for _ in walk_op(loop))
    more = "".join(f"%v{number}: i32 = mul %i, {number}:i32\n      " for number in range(needed + 1))
    assert len(loops(kernel(more=more))) == 1
    assert len(loops(kernel(more=more.rsplit("%v", 1)[0]))) == 2


# Eight elements at a time, and eight 16 behind them; of a block's 32 those below %n become 3 more.
COUNTED = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    %m: i32 = mul %bx, %bdx
    %half: i32 = lshr %bdx, 1:i32
    %near: i1 = icmp %n, 4096:i32 [pred=slt]
    for 0:i32, BOUND, 8:i32 [pred=slt, of_threads=true] { (%at: i32)
      %first: i32 = add %m, %at
      %firsts: <8 x i32> = splat %first
      %own: <8 x i32> = add %firsts, `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>
      for 0:i32, 2:i32, 1:i32 [pred=ult] { (%turn: i32)
        %further: i32 = mul %turn, 16:i32
        %i: i32 = add %first, %further
        %limit: i32 = call %n, %further [callee=llvm.ssub.sat.i32, effects=none, speculatable=true]
        %limits: <8 x i32> = splat %limit
        %mask: <8 x i1> = icmp %own, %limits [pred=PRED]
        %any: i1 = reduce %mask [kind=or]
        if %any {
          %w: i64 = zext %i
          %a: ptr = gep %p, %w [offset=0, strides=(4)]
          %all: <8 x i64> = splat %w
          %each: <8 x i64> = add %all, `<i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>`:<8 x i64>
          %as: <8 x ptr> = gep %p, %each [offset=0, strides=(4)]
          %fits: i1 = icmp %i, FARTHEST [pred=ule]
          %x: <8 x i32> = if %fits {
            %l: <8 x i32> = masked_load %a, %mask, poison:<8 x i32> [align=4]
            yield %l
          } {
            %g: <8 x i32> = gather %as, %mask, poison:<8 x i32> [align=4]
            yield %g
          }
          %three: <8 x i32> = splat 3:i32
          %y: <8 x i32> = add %x, %three
          if %near {
            masked_store %y, %a, %mask [align=4]
            yield
          } {
            scatter %y, %as, %mask [align=4]
            yield
          }
          yield
        } { yield }
        yield
      }
      yield
    }
    yield
  }
  yield
}
"""


def counted(pred: str = "slt", bound: str = "16:i32", farthest: str = "-8:i32", base: str = "%m") -> list[Op]:
    """The loops over threads once the pass has run, the quickest one first; all launches compute the same."""
    text = COUNTED.replace("PRED", pred).replace("BOUND", bound).replace("FARTHEST", farthest)
    function = parse_function(text.replace("add %m, %at", f"add {base}, %at"))
    changed, _ = lowered(function, [UNSWITCH])
    for n in (0, 1, 15, 16, 31, 32, 33, 50, 63, 64, 65, 5000, 2**31 - 1, 2**31, 2**32 - 1):
        for grid in ((1, 1, 1), (2, 1, 1)):
            assert results(changed, grid, (32, 1, 1), n) == results(function, grid, (32, 1, 1), n)
    return [op for op in walk(changed.body) if op.name == "for" and op.attrs.get("of_threads")]


@pytest.mark.parametrize("bound", ["16:i32", "%half"])
def test_a_block_within_bounds_needs_no_masks(bound: str) -> None:
    within, quick, other = counted(bound=bound)
    assert names(within).isdisjoint(("masked_load", "masked_store", "gather", "scatter", "if", "reduce"))
    assert {"masked_load", "masked_store", "gather", "if", "reduce"} <= names(quick)
    assert "scatter" not in names(quick)
    assert {"masked_load", "masked_store", "gather", "scatter", "if", "reduce"} <= names(other)


def test_masks_stay_where_no_order_tells_of_them() -> None:
    quick, _ = counted(pred="ne")
    assert {"masked_load", "masked_store", "reduce", "gather"} <= names(quick)


def test_what_leaves_out_threads_of_each_block_stays() -> None:
    assert len(counted(base="0:i32")) == 2


def test_more_comparisons_than_are_worth_asking_stay() -> None:
    more = "\n".join(f"%more{number}: <8 x i1> = icmp %own, %limits [pred=sle]" for number in range(MOST_CHOICES))
    function = parse_function(
        COUNTED.replace("%any: i1", more + "\n%any: i1").replace("PRED", "slt").replace("BOUND", "16:i32")
        .replace("FARTHEST", "-8:i32")
    )  # fmt: skip
    changed, _ = lowered(function, [UNSWITCH])
    assert len([op for op in walk(changed.body) if op.name == "for" and op.attrs.get("of_threads")]) == 2


@pytest.mark.parametrize("far", ["20:i32", "39:i32", "40:i32", "56:i32"])
def test_vectors_that_reach_beyond_are_gathered(far: str) -> None:
    assert len(counted(farthest=far)) == 3
