# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges of integers: the one arithmetic of all analyses that ask how large a number can be.

A range is the least and the most that a number can be, both included, over the integers: nothing wraps here. Whether an
op of the IR wraps is for the caller to decide, from LLVM's flags or because the range fits its type.
"""

from __future__ import annotations

from functools import cache

from warploom.ir import types
from warploom.ir.core import Const

Range = tuple[int, int]


def signed_value(const: Const) -> int | None:
    """An integer constant as a signed number; None for any other constant."""
    if not isinstance(const.value, int) or not types.is_int(const.type):
        return None
    width = types.bits(const.type)
    return const.value - (1 << width) if const.value >> (width - 1) else const.value


@cache
def type_range(type_: str, signed: bool = True) -> Range:
    """The integers that a value of a type may be; pointers and the like are of 64 bits."""
    width = types.bits(type_) if types.is_int(type_) else 64
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def divisor_of(name: str, number: int) -> int:
    """What a division, a shift to the right or a mask by a constant divides by; 0 where that is not known."""
    if name in ("lshr", "ashr"):
        return 1 << number if 0 <= number < 31 else 0
    if name == "and":
        return number + 1 if number & (number + 1) == 0 else 0
    return number


def fits(inner: Range, outer: Range) -> bool:
    """Whether `inner` lies within `outer`."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def range_of_number(number: int) -> Range:
    """Only `number`."""
    return number, number


def range_add(a: Range, b: Range) -> Range:
    """The sums."""
    return a[0] + b[0], a[1] + b[1]


def range_subtract(a: Range, b: Range) -> Range:
    """The differences."""
    return a[0] - b[1], a[1] - b[0]


def range_scale(a: Range, factor: int) -> Range:
    """The multiples."""
    low, high = a[0] * factor, a[1] * factor
    return (low, high) if factor >= 0 else (high, low)


def range_multiply(a: Range, b: Range) -> Range:
    """The products."""
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def range_meet(a: Range, b: Range) -> Range:
    """The numbers in both; `a` where there is none (only unreachable code gets there)."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else a


def range_of_op(name: str, left: Range, right: Range) -> Range:
    """The range of add, sub, mul, or of shl by one known number."""
    if name == "add":
        return range_add(left, right)
    if name == "sub":
        return range_subtract(left, right)
    if name == "shl":
        return left[0] << right[0], left[1] << right[0]
    return range_multiply(left, right)
