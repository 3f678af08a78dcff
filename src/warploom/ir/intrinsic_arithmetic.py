# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of LLVM's intrinsics, for the table in intrinsics.py.

A Factory gets the argument types and the result type of a call and makes the function for it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.libm import Function
from warploom.ir.scalar import float_to_int, round_to, signed

Factory = Callable[[list[str], str], Function]
Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]


def unary(function: Unary) -> Factory:
    """The same function for all types."""
    return lambda _types, _result: function


def binary(function: Binary) -> Factory:
    """The same function for all types."""
    return lambda _types, _result: function


# -- floating point ---------------------------------------------------------------------------------------------------


def minimum(a: float, b: float) -> float:
    """IEEE 754-2019 minimum: NaN wins, -0 < +0."""
    if a != a or b != b:
        return math.nan
    return (a if math.copysign(1, a) < 0 else b) if a == b else min(a, b)


def maximum(a: float, b: float) -> float:
    """IEEE 754-2019 maximum: NaN wins, -0 < +0."""
    if a != a or b != b:
        return math.nan
    return (b if math.copysign(1, a) < 0 else a) if a == b else max(a, b)


def not_nan(function: Binary) -> Binary:
    """minnum, maxnum: a number wins over NaN."""
    return lambda a, b: b if a != a else a if b != b else function(a, b)


def class_of(value: float, type_: str) -> int:
    """The bit of llvm.is.fpclass for a value; a Python float keeps no signalling NaN."""
    negative = math.copysign(1, value) < 0
    if value != value:
        return 2
    if math.isinf(value):
        return 1 << (2 if negative else 9)
    if value == 0:
        return 1 << (5 if negative else 6)
    smallest = {"half": -14, "bfloat": -126, "float": -126, "double": -1022}[type_]
    if abs(value) < math.ldexp(1.0, smallest):
        return 1 << (4 if negative else 7)
    return 1 << (3 if negative else 8)


def saturating_cast(is_signed: bool) -> Factory:
    """fptosi.sat, fptoui.sat."""

    def make(_: list[str], result: str) -> Function:
        width = types.bits(result)
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)

        def cast(value: float) -> int:
            if value != value:
                return 0
            if math.isinf(value) or not low <= int(value) <= high:
                return (low if value < 0 else high) & ((1 << width) - 1)
            return float_to_int(value, width, is_signed, lambda: 0)

        return cast

    return make


# -- integers ---------------------------------------------------------------------------------------------------------


def integer(function: Callable[..., int]) -> Factory:
    """From a function of (width, arguments...)."""
    return lambda arguments, _: functools.partial(function, types.bits(arguments[0]))


def leading_zeros(width: int, value: int, *_: int) -> int:
    """ctlz."""
    return width - int(value).bit_length()


def trailing_zeros(width: int, value: int, *_: int) -> int:
    """cttz."""
    return (value & -value).bit_length() - 1 if value else width


def reverse_bits(width: int, value: int) -> int:
    """bitreverse."""
    return int(f"{value:0{width}b}"[::-1], 2)


def reverse_bytes(width: int, value: int) -> int:
    """bswap."""
    return int.from_bytes(value.to_bytes(width // 8, "little"), "big")


def funnel_left(width: int, high: int, low: int, shift: int) -> int:
    """fshl."""
    return ((high << width | low) << shift % width) >> width & ((1 << width) - 1)


def funnel_right(width: int, high: int, low: int, shift: int) -> int:
    """fshr."""
    return (high << width | low) >> shift % width & ((1 << width) - 1)


def absolute(width: int, value: int, *_: int) -> int:
    """abs."""
    return abs(signed(value, width)) & ((1 << width) - 1)


def choose(function: Callable[[int, int], int], is_signed: bool) -> Factory:
    """smin, smax, umin, umax."""
    if not is_signed:
        return binary(function)

    def signed_choice(width: int, a: int, b: int) -> int:
        return function(signed(a, width), signed(b, width)) & ((1 << width) - 1)

    return integer(signed_choice)


def three_way(is_signed: bool) -> Factory:
    """scmp, ucmp."""

    def make(arguments: list[str], result: str) -> Function:
        flip = 1 << (types.bits(arguments[0]) - 1) if is_signed else 0
        mask = (1 << types.bits(result)) - 1

        def compare(a: int, b: int) -> int:
            return (((a ^ flip) > (b ^ flip)) - ((a ^ flip) < (b ^ flip))) & mask

        return compare

    return make


def shift_saturating_signed(width: int, a: int, b: int) -> int:
    """sshl.sat."""
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return min(max(signed(a, width) << b, low), high) & ((1 << width) - 1)


def shift_saturating_unsigned(width: int, a: int, b: int) -> int:
    """ushl.sat."""
    return min(a << b, (1 << width) - 1)


def bounded(function: Callable[[int, int], int], is_signed: bool, saturate: bool) -> Factory:
    """add, sub, mul that saturate or say whether they overflowed."""

    def compute(width: int, a: int, b: int) -> Any:
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
        exact = function(signed(a, width), signed(b, width)) if is_signed else function(a, b)
        mask = (1 << width) - 1
        if saturate:
            return min(max(exact, low), high) & mask
        return (exact & mask, int(not low <= exact <= high))

    return integer(compute)


# -- vectors ----------------------------------------------------------------------------------------------------------


def reduction(function: Binary, start: bool = False) -> Factory:
    """vector.reduce.*; `start`: there is a first value beside the vector."""

    def make(_: list[str], result: str) -> Function:
        width_mask = (1 << types.bits(result)) - 1 if types.is_int(result) else 0
        rounding = None if width_mask else round_to(result)

        def combine(a: Any, b: Any) -> Any:
            return function(a, b) & width_mask if rounding is None else rounding(function(a, b))

        def from_start(first: Any, vector: tuple[Any, ...]) -> Any:
            return functools.reduce(combine, vector, first)

        def without(vector: tuple[Any, ...]) -> Any:
            return functools.reduce(combine, vector)

        return from_start if start else without

    return make


def signed_reduction(function: Callable[[int, int], int]) -> Factory:
    """vector.reduce.smin, smax."""

    def make(_: list[str], result: str) -> Function:
        width = types.bits(result)

        def reduce(vector: tuple[int, ...]) -> int:
            return functools.reduce(function, [signed(each, width) for each in vector]) & ((1 << width) - 1)

        return reduce

    return make
