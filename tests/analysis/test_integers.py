# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of integers hold what the numbers in them give, and nothing beyond the ends: tried with all small ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from warploom.analysis.integers import (
    Range,
    fits,
    range_meet,
    range_of_number,
    range_of_op,
    range_scale,
    signed_value,
    type_range,
)
from warploom.ir.core import Const

RANGES = [(low, high) for low in range(-3, 4) for high in range(low, 4)]
OPS: list[tuple[str, Callable[[int, int], int]]] = [
    ("add", lambda a, b: a + b),
    ("sub", lambda a, b: a - b),
    ("mul", lambda a, b: a * b),
]


@pytest.mark.parametrize(("name", "compute"), OPS)
def test_ends_are_reached_and_not_passed(name: str, compute: Callable[[int, int], int]) -> None:
    for a, b in product(RANGES, RANGES):
        found = [compute(x, y) for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)]
        assert range_of_op(name, a, b) == (min(found), max(found))


def test_shifts_are_by_one_number() -> None:
    for a, by in product(RANGES, range(3)):
        assert range_of_op("shl", a, (by, by)) == (a[0] << by, a[1] << by)


def test_multiples_turn_round() -> None:
    for a, factor in product(RANGES, range(-2, 3)):
        assert range_scale(a, factor) == range_of_op("mul", a, range_of_number(factor))


def test_meeting_what_is_apart_gives_the_first() -> None:
    for a, b in product(RANGES, RANGES):
        both = sorted({*range(a[0], a[1] + 1)} & {*range(b[0], b[1] + 1)})
        expected: Range = (both[0], both[-1]) if both else a
        assert range_meet(a, b) == expected
        assert fits(range_meet(a, b), a)


def test_constants_and_types() -> None:
    assert (type_range("i8"), type_range("i8", signed=False), type_range("i1")) == ((-128, 127), (0, 255), (-1, 0))
    assert type_range("ptr") == type_range("i64")
    assert [signed_value(Const("i8", each)) for each in (0, 127, 128, 255)] == [0, 127, -128, -1]
    assert signed_value(Const("i8", "undef")) is None
    assert signed_value(Const("float", 0)) is None
