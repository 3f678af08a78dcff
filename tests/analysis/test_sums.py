# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, and the table of which ops make one of others: every pair of numbers of a few bits."""

from __future__ import annotations

from itertools import product

import pytest

from warploom.analysis.integers import signed_value
from warploom.analysis.sums import Sum, factors_of, sum_of
from warploom.ir.core import Const, Op, Operand, Value, int_const
from warploom.ir.evaluate import evaluate

NUMBERS = (*range(-5, 9), -128, 127, 100, -77)


def op_of(name: str, left: Operand, right: Operand) -> Op:
    return Op(name, [left, right], [Value("i8")], {"flags": ("disjoint",)} if name == "or" else {})


def known(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


@pytest.mark.parametrize("name", ["add", "sub", "mul", "shl", "or", "xor"])
def test_an_equation_holds_for_all_numbers(name: str) -> None:
    """Whatever of the op is known to be a number."""
    x, y = Value("i8", "x"), Value("i8", "y")
    held = 0
    for left, right in product(NUMBERS, NUMBERS):
        if name == "or" and left & right & 255:
            continue
        numbers = [int_const("i8", left), int_const("i8", right)]
        result = evaluate(op_of(name, *numbers))
        for one, other in product((x, numbers[0]), (y, numbers[1])):
            found = factors_of(op_of(name, one, other), known)
            if found is not None:
                assert result is not None, "a sum is never poison"
                held += 1
                assert (found[0] * left + found[1] * right + found[2] - int(result.value)) % 256 == 0
    assert held > 30


@pytest.mark.parametrize("name", ["mul", "shl", "xor", "or", "and", "sdiv"])
def test_values_alone_make_no_sum_of_others(name: str) -> None:
    """A product of values, bits of both; an `or` only where it is no sum of common bits."""
    op = Op(name, [Value("i8"), Value("i8")], [Value("i8")])
    assert factors_of(op, known) is None


def test_sums_add_up_and_no_factor_is_zero() -> None:
    one, other = Sum(3, {"x": 2, "y": -1}), Sum(-3, {"y": 1, "z": 4})
    assert one.plus(other) == Sum(0, {"x": 2, "z": 4})
    assert one.plus(other, -2) == Sum(9, {"x": 2, "y": -3, "z": -8})
    assert one.plus(one, -1) == Sum(0) == one.times(0)
    assert one.without("x") == Sum(3, {"y": -1})
    assert sum_of(1, {"x": 0, "y": 5}) == Sum(1, {"y": 5})


def test_equal_sums_are_one_key_whatever_order_they_were_made_in() -> None:
    one = Sum(1, {"x": 1}).plus(Sum(0, {"y": 2}))
    other = Sum(0, {"y": 2}).plus(Sum(1, {"x": 1}))
    assert len({one, other, Sum(1, {"x": 2, "y": 1})}) == 2
