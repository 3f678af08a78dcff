# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Division of vectors of 64-bit integers, for which no processor has an instruction, by doubles.

    %q: <8 x i64> = udiv %a, %b      ==>    %y = 1 / b, a little less                       (doubles)
                                            %q0 = whole part of a * y;     %r0 = a - q0 * b   (integers)
                                            %q1 = whole part of r0 * y;    %r1 = r0 - q1 * b
                                            %q = q0 + q1 + (1 if r1 >= b); the remainder is r1 or r1 - b

Sound for all a and b > 0 below 2^64, whatever they are. Let u = 2^-53. Each of the roundings that a * y takes (of a, of
b, of 1 / b, of that times 1 - 8u, of the product) is off by a factor within 1 +- u, so a / b * (1 - 14u) < a * y <
a / b, and so for r0. Hence q0 <= a / b: no conversion is out of range, r0 is no negative number, and as a / b < 2^64

    r0 / b <= a / b * 14u + 1 < 2^15 + 1,      r1 / b <= r0 / b * 14u + 1 < 1 + 2^-34

so that r1 < 2 b, and one comparison is left. Products and differences are exact modulo 2^64, where they lie. Signed
numbers are divided without their signs: the quotient is negative where one of both is, the remainder where the dividend
is; the lowest number is 2^63 without its sign, and its quotient by -1 wraps to itself. By 0 all bits are set, only the
lower 32 where the dividend has no others (ir/divisions.py).

A vector of eight takes the time of two scalar divisions.
"""

from __future__ import annotations

from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, int_const
from warploom.passes.vector.widen import Widener

_LESS = 1 - 2.0**-50  # 1 - 8u


def is_for_doubles(w: Widener, op: Op) -> bool:
    """Whether a division is of 64 bits, not a shift, and the processor converts vectors of them."""
    if op.result.type != "i64" or w.shapes.ranges.function.facts.processor.vector_bits < 512:
        return False
    divisor = op.operands[1]
    return not (isinstance(divisor, Const) and (not isinstance(divisor.value, int) or _is_power(divisor.value)))


def _is_power(number: int) -> bool:
    """0, or the absolute value of a number of 64 bits is a power of two."""
    size = min(number, (1 << 64) - number)
    return size & (size - 1) == 0


def divide(w: Widener, op: Op, dividend: Operand, divisor: Operand) -> Operand:
    """The vector of quotients or remainders."""
    return _Division(w, dividend.type).of(op, dividend, divisor)


class _Division:
    """The ops of one division."""

    def __init__(self, w: Widener, type_: str) -> None:
        self.w, self.type = w, type_
        self.double = types.vector("double", w.width)
        self.truth = types.vector("i1", w.width)

    def of(self, op: Op, dividend: Operand, divisor: Operand) -> Operand:
        signed, is_remainder = op.name[0] == "s", op.name.endswith("rem")
        a, b = (self._size(each) if signed else each for each in (dividend, divisor))
        quotient, rest = self._divided(a, b)
        result = rest if is_remainder else quotient
        if signed:
            result = self._signed(dividend if is_remainder else self._do("xor", dividend, divisor), result)
        if self.w.shapes.ranges.of(op.operands[1], signed=True)[0] > 0 or isinstance(op.operands[1], Const):
            return result
        short = self._test("ult", dividend, self._number(1 << 32))
        by_zero = self._choose(short, self._number((1 << 32) - 1), self._number(-1))
        return self._choose(self._test("eq", divisor, self._number(0)), by_zero, result)

    def _divided(self, a: Operand, b: Operand) -> tuple[Operand, Operand]:
        """Quotient and remainder of numbers without a sign."""
        one, less = (self._double(each) for each in (1.0, _LESS))
        inverse = self._do("fmul", self._do("fdiv", one, self._as_double(b)), less)
        first = self._part(a, inverse)
        rest = self._do("sub", a, self._do("mul", first, b))
        second = self._part(rest, inverse)
        rest = self._do("sub", rest, self._do("mul", second, b))
        quotient = self._do("add", first, second)
        more = self._test("uge", rest, b)
        return (
            self._choose(more, self._do("add", quotient, self._number(1)), quotient),
            self._choose(more, self._do("sub", rest, b), rest),
        )

    def _part(self, dividend: Operand, inverse: Operand) -> Operand:
        ratio = self._do("fmul", self._as_double(dividend), inverse)
        return self.w.build.op("fptoui", [ratio], self.type)

    def _size(self, number: Operand) -> Operand:
        return self._signed(number, number)

    def _signed(self, sign: Operand, number: Operand) -> Operand:
        """`number`, or what it is below 0, as `sign` says."""
        below = self._test("slt", sign, self._number(0))
        return self._choose(below, self._do("sub", self._number(0), number), number)

    def _as_double(self, number: Operand) -> Operand:
        return self.w.build.op("uitofp", [number], self.double)

    def _do(self, name: str, one: Operand, other: Operand) -> Operand:
        return self.w.build.op(name, [one, other], one.type)

    def _test(self, pred: str, one: Operand, other: Operand) -> Operand:
        return self.w.build.op("icmp", [one, other], self.truth, pred=pred)

    def _choose(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        return self.w.build.op("select", [condition, then, otherwise], then.type)

    def _number(self, number: int) -> Operand:
        return self.w.spread(int_const("i64", number), 0)

    def _double(self, number: float) -> Operand:
        return self.w.spread(Const("double", types.float_bits("double", number)), 0)
