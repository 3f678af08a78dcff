# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values a thread carries across a barrier."""

from __future__ import annotations

from block_kernel import block_kernel, ops_of

from warploom.analysis.liveness import bytes_of, live_across


def live(body: str) -> list[list[str]]:
    """The names that live across each barrier of a kernel, in program order of the barriers."""
    function = block_kernel(body)
    found = live_across(ops_of(function, "block")[0])
    return [[value.name for value in found[op]] for op in ops_of(function, "barrier")]


def test_used_before_and_after() -> None:
    assert live("""%a: i32 = add %tx, 1:i32
      %b: i32 = add %a, %n
      barrier [level=block]
      %c: i32 = add %b, %tx
      store %c, %p [align=4]""") == [["tx", "b"]], "%a is not needed any more, %n is outside"


def test_a_loop_keeps_what_its_iterations_use() -> None:
    assert live("""%a: i32 = add %tx, 1:i32
      %start: i32 = add %tx, 2:i32
      %end: i32 = for 0:i32, 4:i32, 1:i32, %start [pred=slt] { (%i: i32, %carried: i32)
        %next: i32 = add %carried, %a
        barrier [level=block]
        yield %next
      }
      store %end, %p [align=4]""") == [["a", "next"]]


def test_one_side_of_an_if() -> None:
    assert live("""%a: i32 = add %tx, 1:i32
      %b: i32 = add %tx, 2:i32
      %c: i1 = icmp %n, 0:i32 [pred=sgt]
      if %c { barrier [level=block]
        store %a, %p [align=4]
        yield } { store %b, %p [align=4]
        yield }""") == [["a"]]


def test_bytes() -> None:
    function = block_kernel(
        "%a: i64 = zext %tx\nbarrier [level=block]\nstore %a, %p [align=8]\nstore %tx, %q [align=4]"
    )
    (values,) = live_across(ops_of(function, "block")[0]).values()
    assert bytes_of(values) == 12
