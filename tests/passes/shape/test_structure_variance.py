# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values of a control-flow graph threads may disagree on."""

from __future__ import annotations

from thread_code import from_blocks

from warploom.ir.core import Value
from warploom.passes.shape.control_flow_graph import build_graph, reverse_postorder
from warploom.passes.shape.structure_variance import Variance


def varying(blocks: str) -> set[str]:
    """The names of what varies, of a kernel with the thread id %tx, the uniform %n and the pointer %p."""
    function = from_blocks(blocks)
    nodes = reverse_postorder(build_graph(function).entry)
    found = Variance(nodes, function.ids[3:]).varying
    return {value.name for value in found if isinstance(value, Value)} - {"tx", "ty", "tz"}


def test_data_and_addresses() -> None:
    assert varying("""
        ^entry:
          %a: i32 = add %tx, %n
          %b: i32 = add %n, %n
          %q: ptr = gep %p, %a [offset=0, strides=(4)]
          %c: i32 = load %q
          %d: i32 = load %p
          %e: i32 = load %p [volatile=true]
          %ticket: i32 = atomicrmw %p, %n [operation=add, ordering=monotonic]
          %own: ptr = alloca [size=4, align=4]
          ret
        """) == {"a", "q", "c", "e", "ticket", "own"}


def test_where_paths_meet_that_threads_part_on() -> None:
    assert varying("""
        ^entry:
          %c: i1 = icmp %tx, 3:i32 [pred=eq]
          cond_br %c [targets=(one, other), counts=(0, 0)]
        ^one:
          %v: i32 = load %p
          br %v [targets=(meet), counts=(1)]
        ^other:
          br 0:i32 [targets=(meet), counts=(1)]
        ^meet(%flag: i32):
          %u: i1 = icmp %n, 3:i32 [pred=eq]
          cond_br %u [targets=(left, right), counts=(0, 0)]
        ^left:
          br 1:i32 [targets=(end), counts=(1)]
        ^right:
          br 2:i32 [targets=(end), counts=(1)]
        ^end(%same: i32):
          ret
        """) == {"c", "flag"}


def test_a_counter_is_the_same_in_its_loop_and_differs_behind_it() -> None:
    assert varying("""
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %more: i1 = icmp %i, %tx [pred=slt]
          %inside: i32 = mul %i, 2:i32
          cond_br %more [targets=(body, after), counts=(0, 0)]
        ^body:
          %next: i32 = add %i, 1:i32
          br %next [targets=(head), counts=(1)]
        ^after:
          %late: i32 = mul %i, 3:i32
          ret
        """) == {"more", "late"}


def test_who_leaves_early_takes_no_part_in_what_the_others_count() -> None:
    found = varying("""
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %more: i1 = icmp %i, %n [pred=slt]
          cond_br %more [targets=(body, out), counts=(0, 0)]
        ^body:
          %mine: i1 = icmp %i, %tx [pred=eq]
          cond_br %mine [targets=(out, go_on), counts=(0, 0)]
        ^go_on:
          %next: i32 = add %i, 1:i32
          br %next [targets=(head), counts=(1)]
        ^out:
          %last: i32 = add %i, 7:i32
          ret
        """)
    assert found == {"mine", "last"}


def test_some_threads_leave_where_the_others_do_not_come() -> None:
    """The branch out of the loop is one on which those threads agree that come to it."""
    found = varying("""
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %mine: i1 = icmp %tx, 3:i32 [pred=eq]
          cond_br %mine [targets=(one, all), counts=(0, 0)]
        ^one:
          %early: i1 = icmp %i, %n [pred=eq]
          cond_br %early [targets=(out, all), counts=(0, 0)]
        ^all:
          %next: i32 = add %i, 1:i32
          %done: i1 = icmp %next, 100:i32 [pred=eq]
          cond_br %done [targets=(out, back), counts=(0, 0)]
        ^back:
          br %next [targets=(head), counts=(1)]
        ^out:
          %last: i32 = add %i, 7:i32
          ret
        """)
    assert found == {"mine", "last"}


def test_what_an_edge_out_of_a_loop_hands_on_differs_too() -> None:
    assert varying("""
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %more: i1 = icmp %i, %tx [pred=slt]
          cond_br %more, %i [targets=(body, after), counts=(0, 1)]
        ^body:
          %next: i32 = add %i, 1:i32
          br %next [targets=(head), counts=(1)]
        ^after(%late: i32):
          ret
        """) == {"more", "late"}


def test_who_meets_again_before_the_way_out_leaves_together() -> None:
    assert varying("""
        ^entry:
          br 0:i32, %tx [targets=(head), counts=(2)]
        ^head(%i: i32, %mine: i32):
          %c: i1 = icmp %mine, 3:i32 [pred=eq]
          cond_br %c [targets=(some, all), counts=(0, 0)]
        ^some:
          br [targets=(all), counts=(0)]
        ^all:
          %next: i32 = add %i, 1:i32
          %done: i1 = icmp %next, %n [pred=eq]
          cond_br %done, %next, %mine [targets=(out, head), counts=(0, 2)]
        ^out:
          %last: i32 = add %i, 7:i32
          ret
        """) == {"mine", "c"}
