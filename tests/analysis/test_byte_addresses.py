# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses taken apart: which are a constant apart, and which indices stay whole."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, values_of

from warploom.analysis.byte_addresses import Addresses, only_offset_differs
from warploom.ir.core import walk


def distance(index: str, other: str = "%tx") -> int | None:
    """The bytes from element `other` of @s to element `index` where they are constant. `%i` is index's last op."""
    function = block_kernel(f"""
      {index}
      %a: ptr = gep @s:ptr, {other} [offset=0, strides=(4)]
      %b: ptr = gep @s:ptr, %i [offset=2, strides=(4)]
      %c: ptr = gep %b [offset=-2, strides=()]""")
    addresses = Addresses({value: op for op in walk(function.body) for value in op.results})
    values = values_of(function)
    one, two = (addresses.of(values[name]) for name in "ac")
    return two.offset - one.offset if only_offset_differs(one, two) else None


@pytest.mark.parametrize(
    ("index", "bytes_"),
    [
        ("%i: i32 = add %tx, 3:i32 [flags=(nsw)]", 12),
        ("%i: i32 = sub %tx, 3:i32 [flags=(nsw)]", -12),
        ("%j: i32 = add %tx, 3:i32 [flags=(nsw)]\n %i: i64 = sext %j", 12),
        ("%j: i32 = add %tx, 3:i32 [flags=(nsw)]\n %i: i64 = zext %j [flags=(nneg)]", 12),
        ("%j: i64 = sext %tx\n %i: i64 = add %j, -1:i64", -4),
    ],
)
def test_sums_that_do_not_wrap_are_taken_apart(index: str, bytes_: int) -> None:
    """Through extensions that keep the number."""
    assert distance(index) == bytes_


@pytest.mark.parametrize(
    "index",
    [
        "%i: i32 = add %tx, 3:i32",
        "%j: i32 = add %tx, 3:i32 [flags=(nsw)]\n %i: i64 = zext %j",
        "%i: i32 = add %tx, %n [flags=(nsw)]",
        "%i: i32 = mul %tx, 2:i32 [flags=(nsw)]",
        "%i: i32 = add %tx, undef:i32 [flags=(nsw)]",
    ],
)
def test_others_are_no_constant_apart(index: str) -> None:
    """They may wrap, depend on more, or go in other steps."""
    assert distance(index) is None


def test_no_undefined_index_equals_another() -> None:
    """Nor itself."""
    assert distance("%i: i32 = add %tx, 0:i32 [flags=(nsw)]", "undef:i32") is None
    assert distance("%i: i32 = freeze undef:i32", "undef:i32") is None


def test_other_objects_are_no_constant_apart() -> None:
    """Two variables, and what a pointer in memory points to, whatever the index."""
    function = block_kernel("""
      %far: ptr = load %p [align=8]
      %a: ptr = gep %p, %tx [offset=0, strides=(4)]
      %b: ptr = gep %q, %tx [offset=4, strides=(4)]
      %c: ptr = gep %far, %tx [offset=4, strides=(4)]
      %d: ptr = gep %p, %tx [offset=4, strides=(4)]""")
    addresses = Addresses({value: op for op in walk(function.body) for value in op.results})
    a, b, c, d = (addresses.of(values_of(function)[name]) for name in "abcd")
    assert only_offset_differs(a, d)
    assert not only_offset_differs(a, b)
    assert not only_offset_differs(a, c)
