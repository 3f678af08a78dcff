# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said to follow from a condition holds wherever the condition does."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from warploom.ir.core import FALSE, TRUE, Const, Op, Operand, Value
from warploom.passes.clean.facts import consequences, implied_comparisons

A, B, C = (Value("i1", name) for name in "abc")
FORMS: dict[str, list[list[Operand]]] = {
    "and": [[A, B]],
    "or": [[A, B]],
    "xor": [[A, B], [A, TRUE]],
    "select": [[A, B, C], [A, B, FALSE], [A, B, TRUE], [A, FALSE, B], [A, TRUE, B]],
}
PREDICATES = ("eq", "ne", *(sign + order for sign in "su" for order in ("lt", "le", "gt", "ge")))


def _number(operand: Operand, values: Mapping[Value, int]) -> int:
    return values[operand] if isinstance(operand, Value) else int(operand == TRUE)


def _result(op: Op, values: Mapping[Value, int]) -> int:
    one, other, *third = (_number(each, values) for each in op.operands)
    if op.name == "select":
        return other if one else third[0]
    return {"and": one & other, "or": one | other, "xor": one ^ other}[op.name]


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize(("name", "operands"), [(name, each) for name, forms in FORMS.items() for each in forms])
def test_parts_of_a_condition(name: str, operands: list[Operand], holds: bool) -> None:
    op = Op(name, operands, [Value("i1", "r")])
    said = [(value, truth) for value, truth in consequences(op.result, holds, {op.result: op}) if value != op.result]
    for bits in product((0, 1), repeat=3):
        values: dict[Value, int] = dict(zip((A, B, C), bits, strict=True))
        if _result(op, values) == holds:
            assert all(values[value] == truth for value, truth in said)


@pytest.mark.parametrize(
    ("name", "operands", "holds", "expected"),
    [
        ("and", [A, B], True, [(A, True), (B, True)]),
        ("or", [A, B], False, [(A, False), (B, False)]),
        ("xor", [A, TRUE], True, [(A, False)]),
        ("select", [A, B, FALSE], True, [(A, True), (B, True)]),
        ("select", [A, TRUE, B], False, [(A, False), (B, False)]),
    ],
)
def test_what_is_found(name: str, operands: list[Operand], holds: bool, expected: list[tuple[Value, bool]]) -> None:
    op = Op(name, operands, [Value("i1", "r")])
    found = list(consequences(op.result, holds, {op.result: op}))
    assert sorted(found, key=str) == sorted([(op.result, holds), *expected], key=str)


def _compared(predicate: str, one: int, other: int) -> bool:
    """Of numbers of three bits."""
    if predicate[0] == "s":
        one, other = (each - 8 if each & 4 else each for each in (one, other))
    order = predicate[-2:]
    return {
        "eq": one == other,
        "ne": one != other,
        "lt": one < other,
        "le": one <= other,
        "gt": one > other,
        "ge": one >= other,
    }[order]


@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons_of_the_same_numbers(predicate: str, truth: bool) -> None:
    op = Op("icmp", [Const("i32", 0), Const("i32", 0)], [Value("i1", "r")], {"pred": predicate})
    said = implied_comparisons(op, truth)
    assert (predicate, truth) in said
    for one, other in product(range(8), repeat=2):
        if _compared(predicate, one, other) == truth:
            assert all(_compared(asked, one, other) == answer for asked, answer in said)
