# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What functions hand on to each other: comparisons with constants are computed again, not stored."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import pytest
from loom_text_harness import BLOCK, GRID, NUMBER, emit, function, launch, words

from warploom.backend.loom_frames import comparisons_of, handed_on, offsets_of
from warploom.ir import types
from warploom.ir.core import Function, free_values

# As a `switch` over %n leaves them; %alone compares what nothing else needs.
TESTS = """
%low: i1 = icmp %kind, 5:i32 [pred=slt]
%first: i1 = icmp 0:i32, %kind [pred=eq]
%alone: i1 = icmp %size, 4294967293:i32 [pred=sgt]
%both: i1 = icmp %kind, %kind [pred=ult]
"""
CHOICE = """
%c1: i32 = select %low, 1:i32, 0:i32
%c2: i32 = select %first, 10:i32, 0:i32
%c3: i32 = select %alone, 100:i32, 0:i32
%c4: i32 = select %both, 1000:i32, 0:i32
%c12: i32 = add %c1, %c2
%c34: i32 = add %c3, %c4
%sum: i32 = add %c12, %c34
store %sum, %at [align=4]
"""
LOOP = "%u: i32 = for 0:i32, %g, 1:i32, 0:i32 [pred=slt] { (%k: i32, %v: i32) %x: i32 = add %v, %k yield %x }"


def kernel(more: str = "") -> Function:
    """Each thread stores what the four comparisons say."""
    body = f"{TESTS} {GRID} {BLOCK} {NUMBER} {more} {CHOICE} yield }} yield }}"
    return function("%p: ptr, %kind: i32, %size: i32", body)


def expected(n: int, m: int) -> int:
    return (n < 5) + 10 * (n == 0) + 100 * (m > -3)


@pytest.mark.parametrize("more", ["", LOOP], ids=["in blocks", "in shared loops over threads"])
def test_comparisons_say_the_same_behind_a_frame(load: Callable[..., ctypes.CDLL], more: str) -> None:
    library = load(emit(kernel(more)))
    for n, m in ((0, 0), (4, -3), (5, -2), (-7, -(2**31)), (2**31 - 1, 2**31 - 1)):
        data, pointer = words(24)
        launch(library, (2, 1, 1), (12, 1, 1), pointer, ctypes.c_int(n), ctypes.c_int(m))
        assert set(data) == {expected(n, m)}, (n, m)
    shares = ctypes.c_uint.in_dll(library, "log_parts").value
    assert bool(shares) is bool(more)


def test_what_several_comparisons_compare_is_stored_once_and_a_lonely_one_itself() -> None:
    made = kernel()
    (grid,) = (op for op in made.body.ops if op.name == "grid")
    handed = handed_on([each for each in free_values(grid) if each.type == "i1"], made)
    assert [each.name for each in handed.kept] == ["both", "kind", "alone"]
    assert [op.result.name for op in handed.tests] == ["low", "first"]
    text = emit(made)
    assert len(re.findall(r"^  store i1 ", text, re.MULTILINE)) == 2
    in_blocks = text[text.index("@k.blocks.0(ptr noalias") :].partition("\n}")[0]
    assert in_blocks.count("icmp slt i32 %kind") == in_blocks.count("icmp eq i32 0, %kind") == 1


def test_only_comparisons_with_a_constant_that_each_launch_makes_are_computed_again() -> None:
    made = kernel()
    found = comparisons_of(made)
    assert [each.name for each in found] == ["low", "first", "alone"]
    in_a_branch = function(
        "%p: ptr, %n: i32",
        "%c: i1 = icmp %n, %n [pred=eq] %r: i1 = if %c { %t: i1 = icmp %n, 7:i32 [pred=slt] yield %t } "
        "{ yield true:i1 } %z: i32 = zext %r store %z, %p [align=4]",
    )
    assert not comparisons_of(in_a_branch)


@pytest.mark.parametrize(
    ("members", "offsets"),
    [
        (["i1", "i32", "i8", "i64"], [0, 4, 8, 16]),
        (["ptr", "i1", "<16 x i32>", "i16"], [0, 8, 64, 128]),
        (["<8 x i1>", "i128", "float", "half"], [0, 16, 32, 36]),
        ([], []),
    ],
)
def test_members_of_a_frame_lie_where_their_types_may(members: list[str], offsets: list[int]) -> None:
    assert [*offsets_of(members)] == offsets
    assert all(at % types.align_of(each) == 0 for at, each in zip(offsets, members, strict=True))
