# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ifs and loops become simpler: joined, turned to selects, run once, freed of what they carry."""

from __future__ import annotations

import pytest
from canonical_code import canonical
from thread_code import text


def test_an_inner_if_on_the_same_condition() -> None:
    assert canonical("""
      %c: i1 = icmp %n, %tx [pred=slt]
      if %c {
        store 1:i32, %p [align=4]
        %d: i1 = icmp %tx, %n [pred=sle]
        if %d {
          store 2:i32, %p [align=4]
          yield
        } {
          store 3:i32, %p [align=4]
          yield
        }
        yield
      } {
        if %c {
          store 4:i32, %p [align=4]
          yield
        } {
          yield
        }
        yield
      }
    """) == text("""
      %c: i1 = icmp %n, %tx [pred=slt]
      if %c {
        store 1:i32, %p [align=4]
        store 3:i32, %p [align=4]
        yield
      } {
        yield
      }
    """)


def test_a_condition_decides_comparisons_that_were_written_the_other_way_round_before() -> None:
    assert canonical("""
      %e: i1 = icmp %tx, %n [pred=sle]
      %c: i1 = icmp %n, %tx [pred=sle]
      if %c {
        if %e {
          store 1:i32, %p [align=4]
          yield
        } {
          store 2:i32, %p [align=4]
          yield
        }
        yield
      } {
        if %e {
          store 3:i32, %p [align=4]
          yield
        } {
          store 4:i32, %p [align=4]
          yield
        }
        yield
      }
    """) == text("""
      %e: i1 = icmp %tx, %n [pred=sle]
      %c: i1 = icmp %n, %tx [pred=sle]
      if %c {
        if %e {
          store 1:i32, %p [align=4]
          yield
        } {
          store 2:i32, %p [align=4]
          yield
        }
        yield
      } {
        store 3:i32, %p [align=4]
        yield
      }
    """)


def test_what_a_frozen_number_says_of_the_number() -> None:
    """Of poison anything may be assumed; of any other number its frozen copy is no other."""
    assert canonical("""
      %a9: i32 = add %n, %tx [flags=(nsw)]
      %c: i1 = icmp %a9, 512:i32 [pred=slt]
      %z: i32 = freeze %a9
      %w: i64 = sext %z
      %d: i1 = icmp %w, 512:i64 [pred=sge]
      if %d {
        if %c {
          store 1:i32, %p [align=4]
          yield
        } {
          store 2:i32, %p [align=4]
          yield
        }
        yield
      } {
        yield
      }
    """) == text("""
      %a9: i32 = add %n, %tx [flags=(nsw)]
      %z: i32 = freeze %a9
      %d: i1 = icmp %z, 512:i32 [pred=sge]
      if %d {
        store 2:i32, %p [align=4]
        yield
      } {
        yield
      }
    """)


@pytest.mark.parametrize(
    ("condition", "first", "second"),
    [("select %a, %b, 1:i1", "yield", "CODE"), ("select %a, 0:i1, %b", "CODE", "yield")],
)
def test_what_a_choice_says_of_both_its_conditions(condition: str, first: str, second: str) -> None:
    inner = """
        if %a { store 1:i32, %p [align=4] yield } { store 2:i32, %p [align=4] yield }
        if %b { store 3:i32, %p [align=4] yield } { store 4:i32, %p [align=4] yield }
        yield"""
    result = canonical(f"""
      %a: i1 = icmp %tx, %n [pred=slt]
      %b: i1 = icmp %tx, 7:i32 [pred=eq]
      %c: i1 = {condition}
      if %c {{ {first.replace("CODE", inner)} }} {{ {second.replace("CODE", inner)} }}
    """)
    kept = [number for number in (1, 2, 3, 4) if f"store {number}:i32" in result]
    assert kept == ([1, 4] if second == "CODE" else [2, 3])


def test_neighbours_on_one_condition_join() -> None:
    # Also when they pass a value from one to the other.
    assert canonical("""
      %c: i1 = icmp %n, %tx [pred=slt]
      %r: i32 = if %c {
        %a: i32 = load %p [align=4]
        yield %a
      } {
        store 0:i32, %p [align=4]
        yield 7:i32
      }
      if %c {
        store %r, %p [align=4]
        yield
      } {
        yield
      }
    """) == text("""
      %c: i1 = icmp %n, %tx [pred=slt]
      if %c {
        %a: i32 = load %p [align=4]
        store %a, %p [align=4]
        yield
      } {
        store 0:i32, %p [align=4]
        yield
      }
    """)


def test_neighbours_with_a_barrier_stay_apart() -> None:
    # Joining would put the second store into the control flow that the barrier's splitting has to take apart.
    result = canonical("""
      %c: i1 = icmp %n, 5:i32 [pred=slt]
      if %c {
        barrier [level=block]
        yield
      } {
        yield
      }
      if %c {
        store 1:i32, %p [align=4]
        yield
      } {
        yield
      }
    """)
    assert result.count("if %c") == 2


def test_the_code_is_in_the_first_region() -> None:
    assert canonical("""
      %c: i1 = fcmp %f, 0.5:float [pred=olt]
      if %c {
        yield
      } {
        store 1:i32, %p [align=4]
        yield
      }
    """) == text("""
      %0: i1 = fcmp %f, 0.5:float [pred=uge]
      if %0 {
        store 1:i32, %p [align=4]
        yield
      } {
        yield
      }
    """)


def test_a_small_choice_is_a_select() -> None:
    assert canonical("""
      %c: i1 = icmp %n, %tx [pred=slt]
      %r: i32, %s: i1 = if %c {
        %a: i32 = add %n, %tx
        yield %a, 1:i1
      } {
        yield %n, 0:i1
      }
      if %s {
        store %r, %p [align=4]
        yield
      } {
        yield
      }
    """) == text("""
      %c: i1 = icmp %n, %tx [pred=slt]
      %a: i32 = add %n, %tx
      %r: i32 = select %c, %a, %n
      if %c {
        store %r, %p [align=4]
        yield
      } {
        yield
      }
    """)


def test_a_load_is_never_run_without_its_condition() -> None:
    result = canonical("""
      %c: i1 = icmp %n, %tx [pred=slt]
      %r: i32 = if %c {
        %a: i32 = load %p [align=4]
        yield %a
      } {
        yield %n
      }
      store %r, %p [align=4]
    """)
    assert "select" not in result


def test_what_one_side_computes_and_the_other_leaves_open_moves_before_the_if() -> None:
    # A loop that some threads leave early: the others' counter is then the same for all.
    assert canonical("""
      %c: i1 = icmp %n, %tx [pred=slt]
      %r: i32, %s: i32 = if %c {
        %v: i32 = vote -1:i32, 1:i32 [kind=ballot]
        %a: i32 = add %n, 1:i32 [flags=(nsw)]
        %b: i32 = mul %a, %a
        yield %b, %v
      } {
        yield poison:i32, poison:i32
      }
      store %r, %p [align=4]
      store %s, %p [align=4]
    """) == text("""
      %c: i1 = icmp %n, %tx [pred=slt]
      %a: i32 = add %n, 1:i32 [flags=(nsw)]
      %b: i32 = mul %a, %a
      %s: i32 = if %c {
        %v: i32 = vote -1:i32, 1:i32 [kind=ballot]
        yield %v
      } {
        yield poison:i32
      }
      store %b, %p [align=4]
      store %s, %p [align=4]
    """)


@pytest.mark.parametrize(
    "ops",
    [
        "%x: i32 = load %p [align=4]\n %a: i32 = add %x, 1:i32",
        "%a: i32 = udiv 7:i32, %n",
        "%x: i32 = vote -1:i32, 1:i32 [kind=ballot]\n %a: i32 = add %x, %n",
        "%a: i32 = if %d { store 1:i32, %p [align=4] yield %n } { %b: i32 = mul %n, %n yield %b }",
    ],
)
def test_loads_divisions_stores_and_collectives_stay_in_the_if(ops: str) -> None:
    result = canonical(f"""
      %c: i1 = icmp %n, %tx [pred=slt]
      %d: i1 = icmp %n, 5:i32 [pred=eq]
      %r: i32 = if %c {{
        store %n, %p [align=4]
        {ops}
        yield %a
      }} {{
        yield poison:i32
      }}
      store %r, %p [align=4]
    """)
    assert result.index("if %c") < result.index("%a: i32")


def test_loops_that_do_not_run_or_run_once() -> None:
    assert canonical("""
      %a: i32 = for 5:i32, 5:i32, 1:i32, %n [pred=slt] { (%i: i32, %x: i32)
        store %i, %p [align=4]
        yield %i
      }
      %b: i32 = for 5:i32, 6:i32, 1:i32, %a [pred=slt] { (%k: i32, %y: i32)
        store %k, %p [align=4]
        %z: i32 = add %y, %k
        yield %z
      }
      store %b, %p [align=4]
    """) == text("""
      store 5:i32, %p [align=4]
      %z: i32 = add %n, 5:i32
      store %z, %p [align=4]
    """)


def test_carried_values_that_never_change_or_are_not_used_go() -> None:
    # %a keeps its value, %b counts for itself only, %d equals %c.
    assert canonical("""
      %a: i32, %b: i32, %c: i32, %d: i32 = for 0:i32, %n, 1:i32, %tx, 0:i32, 1:i32, 1:i32 [pred=slt] {
          (%i: i32, %a1: i32, %b1: i32, %c1: i32, %d1: i32)
        store %a1, %p [align=4]
        %b2: i32 = add %b1, 1:i32
        %c2: i32 = mul %c1, %i
        yield %a1, %b2, %c2, %c2
      }
      %s: i32 = add %c, %d
      store %s, %p [align=4]
    """) == text("""
      %c: i32 = for 0:i32, %n, 1:i32, 1:i32 [pred=slt] { (%i: i32, %c1: i32)
        store %tx, %p [align=4]
        %c2: i32 = mul %c1, %i
        yield %c2
      }
      %s: i32 = add %c, %c
      store %s, %p [align=4]
    """)


def test_a_while_passes_only_what_changes() -> None:
    assert canonical("""
      %a: i32, %b: i32, %d: i1 = while %tx, %n { (%a1: i32, %b1: i32)
        %v: i32 = load %p [align=4]
        %c: i1 = icmp %v, %b1 [pred=slt]
        condition %c, %a1, %b1, %c
      } { (%a2: i32, %b2: i32, %d2: i1)
        store %a2, %p [align=4]
        if %d2 {
          store %b2, %p [align=4]
          yield
        } {
          yield
        }
        yield %a2, %b2
      }
      if %d {
        store %a, %p [align=4]
        yield
      } {
        yield
      }
    """) == text("""
      while {
        %v: i32 = load %p [align=4]
        %c: i1 = icmp %v, %n [pred=slt]
        condition %c
      } {
        store %tx, %p [align=4]
        store %n, %p [align=4]
        yield
      }
    """)


def test_the_trip_condition_is_known_in_the_body() -> None:
    assert (
        canonical("""
      for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)
        %c: i1 = icmp %n, %i [pred=sgt]
        if %c {
          store %i, %p [align=4]
          yield
        } {
          yield
        }
        yield
      }
    """).count("if")
        == 0
    )


def test_a_while_whose_condition_begins_as_true_and_is_false_then_is_its_body() -> None:
    assert canonical("""
      %r: i32, %q: i32 = while %n, 1:i1, %tx { (%s: i32, %go: i1, %w: i32)
        condition %go, %s, %w
      } { (%u: i32, %x: i32)
        store %u, %p [align=4]
        %t: i32 = add %u, %x
        yield %t, 0:i1, %u
      }
      store %r, %p [align=4]
      store %q, %p [align=4]
    """) == text("""
      store %n, %p [align=4]
      %t: i32 = add %n, %tx
      store %t, %p [align=4]
      store %n, %p [align=4]
    """)


def test_a_while_whose_condition_stays_true_is_a_loop() -> None:
    assert "while" in canonical("""
      %r: i32 = while 1:i1, %n { (%go: i1, %s: i32)
        condition %go, %s
      } { (%u: i32)
        store %u, %p [align=4]
        %c: i1 = icmp %u, %tx [pred=ult]
        yield %c, %tx
      }
    """)


def test_an_if_that_is_all_another_one_does_joins_it() -> None:
    assert canonical(
        """
        %a: i1 = icmp %tx, 1:i32 [pred=sgt]
        %b: i1 = icmp %tx, %n [pred=slt]
        if %a {
          if %b {
            store %n, %p [align=4]
            yield
          } {
            yield
          }
          yield
        } {
          yield
        }
        """
    ) == text(
        """
        %a: i1 = icmp %tx, 1:i32 [pred=sgt]
        %b: i1 = icmp %tx, %n [pred=slt]
        %0: i1 = select %a, %b, 0:i1
        if %0 {
          store %n, %p [align=4]
          yield
        } {
          yield
        }
        """
    )


def test_an_if_that_all_threads_agree_on_stays_around_what_it_does() -> None:
    ops = """
        %a: i1 = icmp %n, 1:i32 [pred=sgt]
        %b: i1 = icmp %tx, %n [pred=slt]
        if %a {
          if %b {
            store %n, %p [align=4]
            yield
          } {
            yield
          }
          yield
        } {
          yield
        }
        """
    assert canonical(ops) == text(ops)
