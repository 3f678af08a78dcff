# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of integer ops hold for all operands within theirs: tried with all numbers of four bits."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable

import pytest

from warploom.analysis.integers import Range
from warploom.analysis.intervals import counter_interval, op_interval
from warploom.ir.core import Const, Op, Value
from warploom.ir.evaluate import evaluate

LIMITS = (-8, 7)
RANGES: tuple[Range, ...] = ((-8, 7), (0, 7), (0, 3), (1, 3), (2, 2), (3, 6), (-8, -1), (-3, 2), (-1, 0), (0, 0))
OPS = ("and", "or", "xor", "lshr", "ashr", "udiv", "sdiv", "urem", "srem", "smin", "smax", "umin")


def signed(number: int, bits: int = 4) -> int:
    """The number that unsigned bits are."""
    return number - (1 << bits) if number >> (bits - 1) else number


def value_of(name: str, a: int, b: int) -> int | None:
    """What the op gives; None where that is undefined."""
    if name in ("smin", "smax"):
        return (min if name == "smin" else max)(a, b)
    if name == "umin":
        return signed(min(a & 15, b & 15))
    found = evaluate(Op(name, [Const("i4", a & 15), Const("i4", b & 15)], [Value("i4")], {}, []))
    return signed(found.value) if found is not None and isinstance(found.value, int) else None


def made(name: str) -> Op:
    """The op, of values."""
    attrs = {"callee": f"llvm.{name}.i4"} if name in ("smin", "smax", "umin") else {}
    return Op("call" if attrs else name, [Value("i4"), Value("i4")], [Value("i4")], dict(attrs), [])


@pytest.mark.parametrize("name", OPS)
def test_all_results_lie_within(name: str) -> None:
    narrower = 0
    for one, other in itertools.product(RANGES, RANGES):
        low, high = op_interval(made(name), [one, other], LIMITS)
        narrower += (low, high) != LIMITS
        for a in range(one[0], one[1] + 1):
            for b in range(other[0], other[1] + 1):
                found = value_of(name, a, b)
                assert found is None or low <= found <= high, (a, b)
    assert narrower >= 15


def test_extended_numbers() -> None:
    for one in RANGES:
        op = Op("zext", [Value("i4")], [Value("i8")], {}, [])
        low, high = op_interval(op, [one], (-128, 127))
        assert all(low <= a & 15 <= high for a in range(one[0], one[1] + 1))
        assert op_interval(Op("sext", [Value("i4")], [Value("i8")], {}, []), [one], (-128, 127)) == one
    assert op_interval(Op("zext", [Value("<2 x i4>")], [Value("<2 x i8>")], {}, []), [LIMITS], LIMITS) == LIMITS


def test_what_is_chosen_and_what_nothing_is_known_of() -> None:
    assert op_interval(Op("select", [Value("i1"), Value("i4"), Value("i4")], [Value("i4")], {}, []),
                       [(0, 1), (1, 3), (-2, 2)], LIMITS) == (-2, 3)  # fmt: skip
    assert op_interval(made("shl"), [(0, 1), (0, 1)], LIMITS) == LIMITS
    other = Op("call", [Value("i4")], [Value("i4")], {"callee": "llvm.abs.i4"}, [])
    assert op_interval(other, [(0, 1)], LIMITS) == LIMITS


HOLDS: dict[str, Callable[[int, int], bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


@pytest.mark.parametrize("pred", ["slt", "sle", "sgt", "sge", "ult", "ule", "ne"])
def test_a_counter_stays_within_while_its_loop_runs(pred: str) -> None:
    loop = Op("for", [Value("i4"), Value("i4"), Value("i4")], [], {"pred": pred}, [])
    narrower = 0
    for lower, upper, step in itertools.product(RANGES, RANGES, ((1, 1), (2, 3), (-1, -1), (-3, -2), (-1, 1))):
        low, high = counter_interval(loop, [lower, upper, step])
        narrower += (low, high) != LIMITS
        for start, end, by in itertools.product(*(range(each[0], each[1] + 1) for each in (lower, upper, step))):
            assert all(low <= each <= high for each in counted(pred, start, end, by))
    assert narrower > 10 or pred == "ne"


def counted(pred: str, start: int, end: int, step: int) -> list[int]:
    """The counter's values in the body of a loop of numbers of four bits."""
    found: list[int] = []
    counter = start
    while len(found) < 20:
        pair = (counter, end) if pred[0] in "sn" else (counter & 15, end & 15)
        if not (HOLDS[pred[1:]](*pair) if pred != "ne" else counter != end):
            break
        found.append(counter)
        counter = signed((counter + step) & 15)
    return found
