# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""64-bit integers divide by doubles where the processor converts vectors of them; shifts stay shifts."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from vector_runs import IDS, results, threads, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import Function, walk
from warploom.ir.divisions import signed_divide, signed_remainder, unsigned_divide, unsigned_remainder
from warploom.passes.vector.wide_division import _LESS  # pyright: ignore[reportPrivateUsage]

DIVISIONS = frozenset(("udiv", "urem", "sdiv", "srem"))


def divided(name: str, divisor: str) -> Function:
    """The kernel in which threads divide what they loaded, as 64 bits, by `divisor`."""
    return threads(
        f"""{IDS}
        %wide: i64 = sext %x
        %high: i64 = mul %wide, 4886718345:i64
        %step: i64 = zext %some
        %narrow: i64 = sub %step, 3:i64
        %q: i64 = {name} %high, {divisor}
        %low32: i32 = trunc %q
        %up: i64 = lshr %q, 32:i64
        %high32: i32 = trunc %up
        %both: i32 = xor %low32, %high32
        store %both, %mine [align=4]"""
    )


@pytest.mark.parametrize("name", sorted(DIVISIONS))
@pytest.mark.parametrize("divisor", ["%narrow", "%step", "%m", "1000003:i64", "-10:i64"])
def test_divides_as_the_interpreter_does(name: str, divisor: str) -> None:
    function = divided(name, divisor)
    vector = vectorised(function, 8, 1)
    assert not any(op.name in DIVISIONS for op in walk(vector.body) if op.results and op.result.type == "<8 x i64>")
    for n in (5, 0, -1):
        assert results(vector, (19, 1, 1), n) == results(function, (19, 1, 1), n)


@pytest.mark.parametrize("divisor", ["8:i64", "1:i64", "-4:i64", "-9223372036854775808:i64"])
def test_powers_of_two_stay(divisor: str) -> None:
    vector = vectorised(divided("sdiv", divisor), 8, 1)
    assert any(op.name == "sdiv" for op in walk(vector.body))


def test_stays_where_the_processor_does_not_convert() -> None:
    function = divided("udiv", "%step")
    function.facts = replace(function.facts, processor=Processor(vector_bits=256))
    assert any(op.name == "udiv" for op in walk(vectorised(function, 8, 1).body))


def by_doubles(a: int, b: int) -> tuple[int, int]:
    """The theorem's algorithm, with what it promises asserted."""
    inverse = 1 / float(b) * _LESS
    first = int(float(a) * inverse)
    rest = a - first * b
    assert rest >= 0, "the first quotient is too large"
    second = int(float(rest) * inverse)
    rest -= second * b
    assert 0 <= rest < 2 * b
    return (first + second + 1, rest - b) if rest >= b else (first + second, rest)


def test_theorem() -> None:
    numbers = random.Random(3)

    def any_number() -> int:
        size = numbers.randrange(1, 65)
        near = (1 << size) + numbers.randrange(-3, 3)
        return min(max(1, numbers.choice((near, numbers.getrandbits(size)))), (1 << 64) - 1)

    for _ in range(20000):
        b = any_number()
        multiple = min((1 << 64) - 1, max(0, b * (any_number() % ((1 << 64) // b + 1)) + numbers.randrange(-1, 2)))
        for a in (any_number(), multiple):
            assert by_doubles(a, b) == divmod(a, b)


def test_the_interpreter_says_what_zero_and_the_ends_give() -> None:
    low = 1 << 63
    assert (signed_divide(low, (1 << 64) - 1, 64), signed_remainder(low, (1 << 64) - 1, 64)) == (low, 0)
    assert unsigned_divide(7, 0, 64) == unsigned_remainder(7, 0, 64) == (1 << 32) - 1
    assert unsigned_divide(1 << 32, 0, 64) == (1 << 64) - 1
