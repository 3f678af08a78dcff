# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums of ids and other numbers are known not to wrap."""

from __future__ import annotations

import pytest

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import fits, type_range
from warploom.core.launch import LAUNCH_LIMIT, MAX_GRID
from warploom.ir.core import walk
from warploom.ir.parser import parse_function

ANYTHING = type_range("i32", signed=True)


@pytest.mark.parametrize(
    ("inner", "expected"),
    [((0, 7), True), ((2, 5), True), ((-1, 5), False), ((2, 8), False), ((-1, 8), False), ((-9, -8), False)],
)
def test_a_range_fits_at_both_ends(inner: tuple[int, int], expected: bool) -> None:
    assert fits(inner, (0, 7)) == expected


def test_what_an_integer_may_be() -> None:
    assert type_range("i8", signed=True) == (-128, 127)
    assert type_range("i8", signed=False) == (0, 255)


@pytest.mark.parametrize(
    ("factor", "most", "limit"),
    [
        ("mul %bx, 128:i32", LAUNCH_LIMIT, LAUNCH_LIMIT),  # an element a thread
        ("mul %bx, 384:i32", LAUNCH_LIMIT, LAUNCH_LIMIT // 3),
        ("shl %bx, 9:i32", LAUNCH_LIMIT, LAUNCH_LIMIT // 4),
        ("shl %bx, 11:i32", LAUNCH_LIMIT, LAUNCH_LIMIT // 16),
        ("shl %bx, 12:i32", ANYTHING[1], None),  # too many for elements
        ("mul %bx, 7919:i32", ANYTHING[1], None),  # of a random number
        ("mul %bx, -512:i32", ANYTHING[1], None),
    ],
)
def test_numbers_of_elements_do_not_wrap_in_launches_that_are_small_enough(
    factor: str, most: int, limit: int | None
) -> None:
    text = (
        "kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32) [block=(128, 1, 1)KNOWN] {\n"
        "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n%e: i32 = FACTOR\nyield\n}\nyield\n}\n"
    ).replace("FACTOR", factor)

    def range_of_product(known: str) -> tuple[Ranges, tuple[int, int]]:
        function = parse_function(text.replace("KNOWN", known))
        product = next(op for op in walk(function.body) if op.name in ("mul", "shl"))
        ranges = Ranges(function)
        return ranges, ranges.of(product.result, signed=True)

    ranges, (low, high) = range_of_product("")
    assert (low, high) == (ANYTHING if limit is None else (0, high))
    assert most - 2048 <= high <= most
    ranges.note_limits()
    if limit is not None:
        assert ranges.function.facts.launch_limit_x == limit
    _, anything = range_of_product(", any_launch=true")
    assert anything == ANYTHING
    assert MAX_GRID[0] * 128 > ANYTHING[1]


@pytest.mark.parametrize(
    ("column", "row", "size", "known", "why"),
    [
        ("mul %by, %gdx", "add %u, %bx", "mul %bdx, %bdy", True, "blocks of a plane, threads of a block"),
        ("mul %by, %gdx", "add %u, %bx", "mul %bdy, %bdx", True, "likewise"),
        ("mul %by, %gdy", "add %u, %bx", "mul %bdx, %bdy", False, "rows of another length"),
        ("mul %gdx, %gdx", "add %u, %bx", "mul %bdx, %bdy", False, "no row of blocks"),
        ("mul %by, %gdx", "add %u, %by", "mul %bdx, %bdy", False, "no block of a row"),
        ("mul %by, %gdx", "add %u, %bx", "mul %bdx, %bdx", False, "no block of threads"),
        ("mul %by, %gdx", "add %u, %bx", "mul %bdy, %bdy", False, "likewise"),
        ("mul %by, %gdx", "add %u, %bx", "add %bdx, %bdy", False, "likewise"),
        ("mul %by, %gdx", "sub %u, %bx", "mul %bdx, %bdy", False, "no number"),
    ],
)
def test_threads_in_all_are_counted_by_numbers_of_blocks(
    column: str, row: str, size: str, known: bool, why: str
) -> None:
    function = parse_function(
        "kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32) {\n"
        "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n"
        f"%u: i32 = {column}\n%v: i32 = {row}\n%w: i32 = {size}\n%e: i32 = mul %v, %w\nyield\n}}\nyield\n}}\n"
    )
    ranges = Ranges(function)
    product = next(op for op in walk(function.body) if op.results and op.result.name == "e")
    assert (ranges.of(product.result, signed=True) == (0, LAUNCH_LIMIT)) == known, why
