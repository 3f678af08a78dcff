# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which addresses lie in or near a shared variable whatever the thread."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, values_of

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.shared_bounds import can_read_around, can_write_back

BODY = """
%wide: i64 = sext %ty
%row: ptr = gep @s:ptr, %wide [offset=0, strides=(64)]
%here: ptr = gep %row, %tx [offset=0, strides=(4)]
%west: ptr = gep %row, %tx [offset=-4, strides=(4)]
%south: ptr = gep %here [offset=64, strides=()]
%far: ptr = gep %here [offset=320, strides=()]
%before: ptr = gep %here [offset=-320, strides=()]
%any: ptr = gep @s:ptr, %n [offset=0, strides=(4)]
%dynamic: ptr = gep @d:ptr, %tx [offset=0, strides=(4)]
%memory: ptr = gep %p, %tx [offset=0, strides=(4)]
%start: i32 = sub %n, %n
%shifted: i32 = add %ty, %n [flags=(nuw, nsw), range=(0, 15)]
%known: ptr = gep @s:ptr, %shifted [offset=0, strides=(64)]
%promised: i32 = add %ty, %n [flags=(nuw, nsw)]
%unknown: ptr = gep @s:ptr, %promised [offset=0, strides=(64)]
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [("here", True), ("west", True), ("south", True), ("known", True), ("far", False), ("before", False),
     ("any", False), ("dynamic", False), ("memory", False), ("unknown", False)],
)  # fmt: skip
def test_rows(name: str, expected: bool) -> None:
    function = block_kernel(BODY, "block=(16, 16, 1)")
    ranges = Ranges(function)
    values = values_of(function)
    ranges.known[values["tx"]] = ranges.known[values["ty"]] = (0, 15)
    assert can_read_around(values[name], 64, ranges) == expected
    # Nothing around the variable may be written.
    assert can_write_back(values[name], 4, ranges) == (expected and name not in ("west", "south"))
    assert not can_write_back(values[name], 512, ranges)
