# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal ops are computed once, where that may be."""

from __future__ import annotations

from canonical_code import canonical
from thread_code import text


def test_equal_ops_are_computed_once_and_promise_what_both_do() -> None:
    assert canonical("""
      %a: i32 = mul %n, %tx [flags=(nuw, nsw)]
      store %a, %p [align=4]
      %b: i32 = mul %tx, %n [flags=(nsw)]
      store %b, %p [align=4]
    """) == text("""
      %a: i32 = mul %n, %tx [flags=(nsw)]
      store %a, %p [align=4]
      store %a, %p [align=4]
    """)


def test_the_order_of_a_differences_operands_counts() -> None:
    for name in ("sub", "shl", "udiv"):
        result = canonical(f"""
          %a: i32 = {name} %n, %tx
          store %a, %p [align=4]
          %b: i32 = {name} %tx, %n
          store %b, %p [align=4]
        """)
        assert result.count(f"= {name}") == 2


def test_what_a_region_computes_is_not_known_outside() -> None:
    result = canonical("""
      %c: i1 = icmp %n, 7:i32 [pred=ult]
      if %c {
        %a: i32 = mul %n, %n
        store %a, %p [align=4]
        yield
      } {
        yield
      }
      %b: i32 = mul %n, %n
      store %b, %p [align=4]
    """)
    assert result.count("mul") == 2


def test_a_load_is_never_shared() -> None:
    result = canonical("""
      %a: i32 = load %p [align=4]
      store %a, %p [align=4]
      %b: i32 = load %p [align=4]
      store %b, %p [align=4]
    """)
    assert result.count("load") == 2
