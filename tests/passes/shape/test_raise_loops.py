# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counted loops become `for`, with exactly the iterations that they had."""

from __future__ import annotations

import random

import pytest
from thread_code import after, from_thread, text

from warploom.ir.core import Function, clone_function, walk
from warploom.ir.interpreter import TooLong, run
from warploom.ir.memory import Memory
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.shape.raise_loops import RAISE_LOOPS


def raised(ops: str) -> str:
    return after(from_thread(ops), RAISE_LOOPS, CANONICALISE)


def outcome(function: Function, n: int, m: int) -> list[int]:
    memory = Memory()
    address = memory.array("i32", [3, 1, 4, 1, 5, 9, 2, 6], "p")
    run(function, (1, 1, 1), (1, 1, 1), [n & 0xFFFFFFFF, m & (1 << 64) - 1, address, 0.5], memory, limit=10_000)
    return memory.values("i32", address, 8)


def same_results(ops: str) -> str:
    """The thread's code after the passes, which must leave what the loop left, for short and for empty ranges."""
    function = from_thread(ops)
    changed = clone_function(function)
    result = after(changed, RAISE_LOOPS, CANONICALISE)
    for n, m in ((5, 7), (0, 0), (1, 1), (-3, -3), (8, 2)):
        assert outcome(changed, n, m) == outcome(function, n, m), (n, m)
    return result


def test_a_counted_loop_becomes_for() -> None:
    assert same_results("""
      %s: i32, %i: i32 = while 0:i32, 1:i32 { (%i1: i32, %s1: i32)
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %s1, %i1
      } { (%s2: i32, %i2: i32)
        %t: i32 = add %s2, %i2
        %j: i32 = add %i2, 1:i32
        yield %j, %t
      }
      store %s, %p [align=4]
    """) == text("""
      %s1: i32 = for 0:i32, %n, 1:i32, 1:i32 [pred=slt] { (%i1: i32, %s1.1: i32)
        %t: i32 = add %s1.1, %i1
        yield %t
      }
      store %s1, %p [align=4]
    """)


BOTH = """
      %s: i32, %last: i32, %i: i32, %k: i32 = while 0:i32, %tx, 1:i32 {{ (%k1: i32, %i1: i32, %s1: i32)
        %few: i1 = icmp %k1, {most}:i32 [pred=ult]
        %fits: i1 = icmp %i1, %n [pred=slt]
        %both: i1 = {both}
        condition %both, %s1, {last}, %i1, %k1
      }} {{ (%s2: i32, %last2: i32, %i2: i32, %k2: i32)
        %k3: i32 = add %k2, 1:i32 [flags=(nuw, nsw)]
        %i3: i32 = add %i2, 2:i32 [flags=(nsw)]
        %t: i32 = mul %s2, 3:i32
        yield %k3, %i3, %t
      }}
      %sum: i32 = add %s, %last
      store %sum, %p [align=4]
    """
AND, SELECT = "and %few, %fits", "select %fits, %few, 0:i1"


@pytest.mark.parametrize("both", [AND, SELECT])
def test_of_two_tests_the_one_that_ends_soon_counts(both: str) -> None:
    """Threads of which the other one fails go along, as they were."""
    result = same_results(BOTH.format(most=4, both=both, last="%i1"))
    assert "for 0:i32, 4:i32, 1:i32, %tx, 1:i32 [pred=ult, flags=(nuw, nsw)]" in result
    assert "select %fits, %i3, %i1" in result
    assert "while" not in result


@pytest.mark.parametrize(("most", "both", "last"), [(17, AND, "%i1"), (4, "or %few, %fits", "%i1"), (4, AND, "%k1")])
def test_two_tests_stay_where_one_is_for_long_or_has_a_use(most: int, both: str, last: str) -> None:
    assert "while" in raised(BOTH.format(most=most, both=both, last=last))


def test_a_load_behind_one_test_is_not_made_without_it() -> None:
    code = BOTH.format(most=4, both=AND, last="%i1")
    read = "%at: ptr = gep %p, %i1 [offset=0, strides=(4)] %b: i32 = load %at [align=4]"
    assert "while" in raised(code.replace("%fits: i1 = icmp %i1, %n", f"{read} %fits: i1 = icmp %b, %n"))


def test_a_counter_on_the_right_swaps_the_comparison() -> None:
    result = same_results("""
      %i: i32 = while 0:i32 { (%i1: i32)
        %c: i1 = icmp %n, %i1 [pred=sgt]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = add 2:i32, %i2
        yield %j
      }
    """)
    assert "for 0:i32, %n, 2:i32 [pred=slt]" in result


def test_counting_down_to_zero() -> None:
    # while (n--): sub becomes a negative step, ne stays.
    result = raised("""
      %i: i32 = while 9:i32 { (%i1: i32)
        %c: i1 = icmp %i1, 0:i32 [pred=ne]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = sub %i2, 1:i32
        yield %j
      }
    """)
    assert "for 9:i32, 0:i32, -1:i32 [pred=ne]" in result


def test_a_loop_that_nothing_needs_stays_unless_it_counts() -> None:
    # It may be there to stop the thread: on a GPU it does.
    endless = raised("""
      %i: i32 = while %n { (%i1: i32)
        %c: i1 = icmp %i1, 1:i32 [pred=ne]
        condition %c, %i1
      } { (%i2: i32)
        %odd: i32 = mul %i2, 3:i32
        %j: i32 = add %odd, 1:i32
        yield %j
      }
    """)
    assert "while %n" in endless
    assert "call [callee=llvm.sideeffect, effects=any]" in endless
    counted = raised("""
      %i: i32 = while 0:i32 { (%i1: i32)
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %i1
      } { (%i2: i32)
        %j: i32 = add %i2, 3:i32
        yield %j
      }
    """)
    assert "while" not in counted
    assert "for" not in counted


def test_the_step_may_be_any_value_from_outside() -> None:
    # A grid-stride loop.
    result = raised("""
      %i: i32 = while %tx { (%i1: i32)
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %step: i32 = mul %gdx, %bdx
        %j: i32 = add %i2, %step
        yield %j
      }
    """)
    assert "for %tx, %n, %step [pred=slt]" in result


def test_a_step_down_by_any_value_from_outside() -> None:
    result = raised("""
      %i: i32 = while %n { (%i1: i32)
        %c: i1 = icmp %i1, -1:i32 [pred=sgt]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = sub %i2, %bdx
        yield %j
      }
    """)
    assert "%step: i32 = sub 0:i32, %bdx" in result
    assert "for %n, -1:i32, %step [pred=sgt]" in result


def test_a_bound_computed_in_the_loop_from_outside_values() -> None:
    result = same_results("""
      %i: i32 = while 0:i32 { (%i1: i32)
        %b: i32 = sub %n, 1:i32
        %c: i1 = icmp %i1, %b [pred=slt]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = add %i2, 1:i32
        yield %j
      }
    """)
    assert "for 0:i32, %b, 1:i32 [pred=slt]" in result


def test_the_last_counter_is_carried_when_it_is_used() -> None:
    result = same_results("""
      %i: i32 = while 0:i32 { (%i1: i32)
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %i1
      } { (%i2: i32)
        %j: i32 = add %i2, 3:i32
        yield %j
      }
      store %i, %p [align=4]
    """)
    assert result.count("yield %j") == 1
    assert "for 0:i32, %n, 3:i32, 0:i32" in result


def test_what_the_test_computes_is_there_in_and_after_the_loop() -> None:
    # A load is not repeated at will: in the loop it comes first, after the loop it reads what the loop left.
    result = same_results("""
      %v: i32, %i: i32 = while 0:i32 { (%i1: i32)
        %v1: i32 = load %p [align=4]
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %v1, %i1
      } { (%v2: i32, %i2: i32)
        %w: i32 = add %v2, %i2
        store %w, %p [align=4]
        %j: i32 = add %i2, 1:i32
        yield %j
      }
      %q: ptr = gep %p [offset=4, strides=(), inbounds=true]
      store %v, %q [align=4]
    """)
    assert "while" not in result
    assert result.count("load") == 2


def test_a_counter_that_is_increased_with_the_test() -> None:
    # while (i++ < n): the next value is computed before the body, which may use it.
    result = same_results("""
      %i: i32 = while 0:i32 { (%i1: i32)
        %j: i32 = add %i1, 1:i32 [flags=(nsw)]
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %j
      } { (%i2: i32)
        store %i2, %p [align=4]
        yield %i2
      }
      %q: ptr = gep %p [offset=4, strides=(), inbounds=true]
      store %i, %q [align=4]
    """)
    assert "for 0:i32, %n, 1:i32, 0:i32 [pred=slt, flags=(nsw)]" in result


@pytest.mark.parametrize(
    ("step", "flags", "pred"),
    [
        ("1:i32", "[flags=(nsw)]", "slt"),
        ("1:i32", "[flags=(nuw)]", "ult"),
        ("-1:i32", "[flags=(nsw)]", "sgt"),
        ("1:i32", "", "ne"),  # may pass the bound by wrapping
        ("2:i32", "[flags=(nsw)]", "ne"),  # may pass the bound between two steps
    ],
)
def test_unequal_is_an_order_when_the_counter_cannot_wrap(step: str, flags: str, pred: str) -> None:
    result = raised(f"""
      %i: i32 = while %tx {{ (%i1: i32)
        %c: i1 = icmp %i1, %n [pred=ne]
        condition %c, %i1
      }} {{ (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = add %i2, {step} {flags}
        yield %j
      }}
    """)
    told = f"pred={pred}, {flags[1:-1]}" if flags else f"pred={pred}"
    assert f"for %tx, %n, {step} [{told}]" in result


EFFECT = """
      %i: i32 = while 0:i32 { (%i1: i32)
        store %i1, %p [align=4]
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %i1
      } { (%i2: i32)
        %j: i32 = add %i2, 1:i32
        yield %j
      }
"""
SHIFT = """
      %i: i32 = while %n { (%i1: i32)
        %c: i1 = icmp %i1, 0:i32 [pred=sgt]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = lshr %i2, 1:i32
        yield %j
      }
"""
MOVING_BOUND = """
      %i: i32, %b: i32 = while 0:i32, %n { (%i1: i32, %b1: i32)
        %c: i1 = icmp %i1, %b1 [pred=slt]
        condition %c, %i1, %b1
      } { (%i2: i32, %b2: i32)
        store %i2, %p [align=4]
        %j: i32 = add %i2, 1:i32
        %d: i32 = sub %b2, 1:i32
        yield %j, %d
      }
"""
UNTIL_EQUAL = """
      %i: i32 = while 0:i32 { (%i1: i32)
        %c: i1 = icmp %i1, %n [pred=eq]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = add %i2, 1:i32
        yield %j
      }
"""


@pytest.mark.parametrize("ops", [EFFECT, SHIFT, MOVING_BOUND, UNTIL_EQUAL])
def test_what_stays(ops: str) -> None:
    # A store runs once more than the body; a shift is no sum; the bound moves; `==` is not what `for` can ask.
    function = from_thread(ops)
    assert not RAISE_LOOPS.run(function, Context())
    assert "while" in raised(ops)


WIDE = """
      %i: i32 = while START { (%i1: i32)
        %w: i64 = EXTEND %i1
        %c: i1 = icmp %w, %m [pred=PRED]
        condition %c, %i1
      } { (%i2: i32)
        store %i2, %p [align=4]
        %j: i32 = add %i2, 1:i32 FLAGS
        yield %j
      }
      %q: ptr = gep %p [offset=4, strides=(), inbounds=true]
      store %i, %q [align=4]
"""


def wide(start: str, extend: str, pred: str, flags: str) -> str:
    return WIDE.replace("START", start).replace("EXTEND", extend).replace("PRED", pred).replace("FLAGS", flags)


@pytest.mark.parametrize(
    ("start", "extend", "pred", "flags", "exact"),
    [
        ("%n", "sext", "slt", "[flags=(nsw)]", True),
        ("0:i32", "zext", "slt", "[flags=(nuw)]", True),
        ("0:i32", "zext", "slt", "[flags=(nsw)]", True),
        ("%n", "zext", "slt", "[flags=(nsw)]", False),  # may begin below zero, where zext jumps
        ("0:i32", "sext", "slt", "", False),  # wraps where the wide counter does not
    ],
)
def test_an_extended_counter(start: str, extend: str, pred: str, flags: str, exact: bool) -> None:
    result = same_results(wide(start, extend, pred, flags)) if exact else raised(wide(start, extend, pred, flags))
    assert ("for" in result.split()) is exact
    assert ("i64" in result.partition("for")[2]) is exact
    if exact:  # in the wider type it wraps no way that the narrow one did not
        assert ("flags=(nsw)]" if extend == "sext" else "flags=(nuw, nsw)]") in result


BOTTOM = """
      %s: i32, %j: i32 = while START, 1:i32 { (%i1: i32, %s1: i32)
        store %i1, %p [align=4]
        %s2: i32 = mul %s1, 3:i32
        %j1: i32 = add %i1, 1:i32
        %c: i1 = icmp %j1, BOUND [pred=PRED]
        condition %c, %s2, %j1
      } { (%s3: i32, %j2: i32)
        yield %j2, %s3
      }
      %q: ptr = gep %p [offset=4, strides=(), inbounds=true]
      store %s, %q [align=4]
"""


def bottom(start: str, bound: str, pred: str = "slt") -> str:
    return BOTTOM.replace("START", start).replace("BOUND", bound).replace("PRED", pred)


def test_a_loop_that_tests_last_with_constants() -> None:
    assert same_results(bottom("0:i32", "6:i32")) == text("""
      %s1: i32 = for 0:i32, 6:i32, 1:i32, 1:i32 [pred=slt] { (%i1: i32, %s1.1: i32)
        store %i1, %p [align=4]
        %s2: i32 = mul %s1.1, 3:i32
        yield %s2
      }
      %q: ptr = gep %p [offset=4, strides=(), inbounds=true]
      store %s1, %q [align=4]
    """)


def test_a_loop_that_tests_last_may_run_once_more() -> None:
    # do { } while (++i < n) runs for n = 0, too.
    assert "while" in same_results(bottom("0:i32", "%n"))
    assert "while" in same_results(bottom("7:i32", "6:i32"))


@pytest.mark.parametrize(("guard", "pred"), [("sgt", "slt"), ("sgt", "ne")])
def test_a_guard_proves_the_first_iteration(guard: str, pred: str) -> None:
    ops = f"%g: i1 = icmp %n, 0:i32 [pred={guard}]\n if %g {{ {bottom('0:i32', '%n', pred)} yield }} {{ yield }}"
    result = same_results(ops)
    assert f"for 0:i32, %n, 1:i32, 1:i32 [pred={pred}]" in result


def test_a_guard_with_two_parts() -> None:
    ops = (
        "%g: i1 = icmp %n, 0:i32 [pred=sgt]\n %h: i1 = icmp %tx, 5:i32 [pred=slt]\n %b: i1 = and %g, %h\n"
        f"if %b {{ {bottom('0:i32', '%n')} yield }} {{ yield }}"
    )
    assert "for 0:i32, %n" in same_results(ops)


def test_the_other_side_of_a_guard_is_known_too() -> None:
    ops = f"%g: i1 = icmp %n, 0:i32 [pred=sle]\n if %g {{ yield }} {{ {bottom('0:i32', '%n')} yield }}"
    assert "[pred=slt]" in same_results(ops)


def test_a_value_of_the_last_iteration_that_is_not_carried() -> None:
    result = same_results("""
      %v: i32, %j: i32 = while 0:i32 { (%i1: i32)
        %a: i64 = zext %i1
        %q: ptr = gep %p, %a [offset=0, strides=(4), inbounds=true]
        %v1: i32 = load %q [align=4]
        %j1: i32 = add %i1, 1:i32
        %c: i1 = icmp %j1, 4:i32 [pred=slt]
        condition %c, %v1, %j1
      } { (%v2: i32, %j2: i32)
        yield %j2
      }
      store %v, %p [align=4]
    """)
    assert "poison:i32 [pred=slt]" in result


def test_nested_loops() -> None:
    function = from_thread("""
      %i: i32 = while 0:i32 { (%i1: i32)
        %c: i1 = icmp %i1, %n [pred=slt]
        condition %c, %i1
      } { (%i2: i32)
        %k: i32 = while %i2 { (%k1: i32)
          %d: i1 = icmp %k1, %n [pred=slt]
          condition %d, %k1
        } { (%k2: i32)
          store %k2, %p [align=4]
          %l: i32 = add %k2, %i2
          yield %l
        }
        %j: i32 = add %i2, 1:i32
        yield %j
      }
    """)
    after(function, RAISE_LOOPS)
    assert [op.name for op in walk(function.body) if op.name in ("for", "while")] == ["for", "for"]
    verify(function, "structured")


def test_any_counted_loop_keeps_its_iterations() -> None:
    # Every predicate and step on narrow counters, so that they wrap; loops that do not end are left out.
    chance = random.Random(7)
    compared = 0
    for _ in range(150):
        pred = chance.choice(("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "ne"))
        start, bound, step = (chance.randint(-8, 7) for _ in range(3))
        function = from_thread(f"""
          %i: i4, %s: i32 = while {start}:i4, 0:i32 {{ (%i1: i4, %s1: i32)
            %c: i1 = icmp %i1, {bound}:i4 [pred={pred}]
            condition %c, %i1, %s1
          }} {{ (%i2: i4, %s2: i32)
            %w: i32 = zext %i2
            %t: i32 = mul %s2, 31:i32
            %u: i32 = add %t, %w
            %j: i4 = add %i2, {step}:i4
            yield %j, %u
          }}
          %v: i32 = sext %i
          %x: i32 = xor %s, %v
          store %x, %p [align=4]
        """)
        changed = clone_function(function)
        assert RAISE_LOOPS.run(changed, Context()) is (step != 0)
        CANONICALISE.run(changed, Context())
        try:
            expected = outcome(function, 0, 0)
        except TooLong:
            continue
        assert outcome(changed, 0, 0) == expected, (pred, start, bound, step)
        compared += 1
    assert compared > 75
