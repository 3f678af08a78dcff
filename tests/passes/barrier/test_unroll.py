# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops around barriers with known trip counts become copies."""

from __future__ import annotations

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.barrier.unroll import MAX_NESTED, UNROLL
from warploom.passes.base import Context

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"


def kernel(body: str) -> Function:
    """A kernel with parameters %n and %p, and `body` as the code of a thread."""
    text = f"""kernel @k({LAUNCH}, %n: i32, %p: ptr) {{
  shared @tile [size=512, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
{body}
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


def unrolled(body: str) -> tuple[Function, Context, bool]:
    function, context = kernel(body), Context()
    changed = UNROLL.run(function, context)
    verify(function, "structured")
    return function, context, changed


def named(function: Function, name: str) -> list[Op]:
    return [op for op in walk(function.body) if op.name == name]


HALVING = """
      %r: i32 = while START { (%s: i32)
        %c: i1 = icmp %s, 0:i32 [pred=sgt]
        condition %c, %s
      } { (%u: i32)
        %g: i1 = icmp %tx, %u [pred=ult]
        if %g {
          store %u, %p [align=4]
          yield
        } {
          yield
        }
        barrier [level=block]
        %h: i32 = lshr %u, 1:i32
        yield %h
      }
      store %r, @tile:ptr [align=4]"""


def test_the_counter_of_a_reduction_is_followed_through_its_shifts() -> None:
    function, context, changed = unrolled(HALVING.replace("START", "8:i32"))
    assert changed
    assert not named(function, "while")
    assert len(named(function, "barrier")) == 4  # 8 4 2 1
    bounds = [op.operands[1] for op in named(function, "icmp")]
    assert [str(getattr(each, "value", "")) for each in bounds] == ["8", "4", "2", "1"]
    # What the loop handed on is the counter that failed the test.
    assert "store 0:i32, @tile:ptr" in print_function(function)
    assert [remark.text for remark in context.remarks] == [
        "a loop around a barrier was unrolled into 4 copies of its body"
    ]


def test_a_uniform_but_unknown_count_stays_a_loop() -> None:
    function, _, changed = unrolled(HALVING.replace("START", "%bdx"))
    assert not changed
    assert len(named(function, "while")) == 1


def test_seventeen_trips_are_too_many() -> None:
    _, _, changed = unrolled(HALVING.replace("START", "65536:i32"))
    assert not changed


COUNTED = """
      %r: i32 = for 0:i32, BOUND, 1:i32, %n [pred=slt] { (%k: i32, %acc: i32)
        store %acc, @tile:ptr [align=4]
        INSIDE
        %next: i32 = add %acc, %k
        yield %next
      }
      store %r, %p [align=4]"""


def test_carried_values_go_from_copy_to_copy() -> None:
    function, _, changed = unrolled(COUNTED.replace("BOUND", "3:i32").replace("INSIDE", "barrier [level=block]"))
    assert changed
    adds = named(function, "add")  # n, n + 0 (folded), n + 0 + 1, n + 0 + 1 + 2
    assert adds[0].operands[0] is function.params[6]
    assert named(function, "store")[-1].operands[0] is adds[1].result


def test_a_loop_without_trips_is_what_goes_in() -> None:
    function, _, changed = unrolled(COUNTED.replace("BOUND", "-1:i32").replace("INSIDE", "barrier [level=block]"))
    assert changed
    assert not named(function, "barrier")
    assert named(function, "store")[-1].operands[0] is function.params[6]


def test_loops_without_barriers_are_llvms() -> None:
    _, _, changed = unrolled(COUNTED.replace("BOUND", "3:i32").replace("INSIDE", ""))
    assert not changed


def test_an_unsigned_counter_may_wrap_to_its_end() -> None:
    body = """
      for 254:i8, 2:i8, 1:i8 [pred=ne] { (%k: i8)
        barrier [level=block]
        yield
      }"""
    function, _, _ = unrolled(body)
    assert len(named(function, "barrier")) == 4


def test_an_inner_bound_that_depends_on_the_outer_counter_unrolls_too() -> None:
    body = """
      for 0:i32, 3:i32, 1:i32 [pred=slt] { (%i: i32)
        for 0:i32, %i, 1:i32 [pred=slt] { (%j: i32)
          barrier [level=block]
          yield
        }
        yield
      }"""
    function, _, _ = unrolled(body)
    assert not named(function, "for")
    assert len(named(function, "barrier")) == 0 + 1 + 2


def test_copies_have_a_budget() -> None:
    inside = "barrier [level=block]\n" + "store %acc, @tile:ptr [align=4]\n" * 200
    _, context, changed = unrolled(COUNTED.replace("BOUND", "16:i32").replace("INSIDE", inside))
    assert not changed
    assert "would exceed" in context.remarks[0].text


def test_an_if_on_the_counter_leaves_one_side() -> None:
    inside = """%last: i1 = icmp %k, 2:i32 [pred=eq]
        if %last {
          yield
        } {
          barrier [level=block]
          yield
        }"""
    function, _, _ = unrolled(COUNTED.replace("BOUND", "3:i32").replace("INSIDE", inside))
    assert not named(function, "if")
    assert len(named(function, "barrier")) == 2


def test_a_bound_in_floating_point_folds() -> None:
    # for (i = 1; i <= log2f(16); ...) compares floats.
    body = """
      %r: i32 = while 1:i32 { (%i: i32)
        %f: float = sitofp %i
        %c: i1 = fcmp %f, 4.0:float [pred=ole]
        condition %c, %i
      } { (%j: i32)
        barrier [level=block]
        %h: i32 = add %j, 1:i32 [flags=(nsw)]
        yield %h
      }"""
    function, _, _ = unrolled(body)
    assert len(named(function, "barrier")) == 4


def test_the_copies_of_a_loop_around_other_loops_are_few() -> None:
    def code(stores: int) -> str:
        inside = "store %j, %p [align=4] " * stores
        inner = "for 0:i32, 2:i32, 1:i32 [pred=slt] { (%k: i32) barrier [level=block] yield }"
        return f"for 0:i32, 8:i32, 1:i32 [pred=slt] {{ (%j: i32) {inside} {inner} yield }}"

    small, *_ = unrolled(code(MAX_NESTED // 8 - 10))
    large, *_ = unrolled(code(MAX_NESTED // 8))
    assert [len(named(each, "for")) for each in (small, large)] == [0, 1]
    assert [len(named(each, "barrier")) for each in (small, large)] == [16, 2]
