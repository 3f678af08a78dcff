# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums of ids and other numbers are known not to wrap."""

from __future__ import annotations

import pytest

from warploom.analysis.integers import fits, type_range


@pytest.mark.parametrize(
    ("inner", "expected"),
    [((0, 7), True), ((2, 5), True), ((-1, 5), False), ((2, 8), False), ((-1, 8), False), ((-9, -8), False)],
)
def test_a_range_fits_at_both_ends(inner: tuple[int, int], expected: bool) -> None:
    assert fits(inner, (0, 7)) == expected


def test_what_an_integer_may_be() -> None:
    assert type_range("i8", signed=True) == (-128, 127)
    assert type_range("i8", signed=False) == (0, 255)
