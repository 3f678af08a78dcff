# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas over the numbers of a launch."""

from __future__ import annotations

from fractions import Fraction

import pytest

from warploom.analysis.expressions import Expression, ceiling, evaluate, most, number, symbol

N, M = symbol("n"), symbol("m")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (N + number(3), 13),
        (N - number(3) + number(3), 10),
        (number(3) - N, -7),
        (N * M, 40),
        ((N + number(1)) * number(2), 22),
        ((N + number(1)) * (M - number(1)), 33),
        (N / M, 2.5),
        (N / number(4), 2.5),
        (-N, -10),
        (number(Fraction(1, 3)) * number(3), 1),
        (ceiling(N / M), 3),
        (most(N, M), 10),
        (N.at_most(M), 4),
        (number(7).at_most(number(5)) - most(number(1), number(2)), 3),
    ],
)
def test_the_text_of_a_formula_has_its_value(formula: Expression, expected: float) -> None:
    assert evaluate(formula.text, {"n": 10, "m": 4}) == expected


def test_numbers_are_folded() -> None:
    assert (number(6) * number(7) - number(2)).value == 40
    assert (N - N).value == 0
    assert (N * number(0)).value == 0
    assert N * number(1) == N
    assert (N - number(1) + number(1)) == N
    assert N.value is None


@pytest.mark.parametrize("text", ["n +", "unknown*2", "__import__('os')", "n.real", "1/0", "[1][0]", "'a'", "n**9"])
def test_what_is_no_formula_of_known_names_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        evaluate(text, {"n": 1})
