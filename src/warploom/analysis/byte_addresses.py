# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses as a base, indices times numbers, and a constant: which of them differ by constants.

    %i = add %ty, 1 [flags=(nsw)]
    %w = sext %i
    %a = gep @s, %w [strides=(64)] + 4      @s + 64 ty + 68

Only what cannot wrap is taken apart: what `%w` stands for is a number, not one modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.analysis.integers import signed_value
from warploom.analysis.sums import Sum, factors_of
from warploom.core.records import dataclass
from warploom.ir.core import Const, Op, Operand, Value, flags_of

_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Address:
    """root + index, in bytes."""

    root: Operand
    index: Sum[Value]

    @property
    def offset(self) -> int:
        """The constant part of the index."""
        return self.index.constant

    def moved(self, by: int) -> Address:
        """The address so many bytes further."""
        return Address(self.root, self.index.plus(Sum(by)))

    def row(self) -> tuple[Operand, Sum[Value]]:
        """What all addresses have in common that are a constant number of bytes apart."""
        return self.root, Sum(0, self.index.terms)


def only_offset_differs(one: Address, two: Address) -> bool:
    """Whether `one` and `two` are a constant number of bytes apart: two.offset - one.offset."""
    return one.root == two.root and one.index.terms == two.index.terms


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a function: `definitions` tells what makes each value."""

    definitions: Mapping[Value, Op]

    def of(self, operand: Operand) -> Address:
        """What `operand` points to."""
        total: Sum[Value] = Sum(0)
        op = self._made_by(operand, "gep")
        while op is not None:
            strides = op.attrs.get("strides", ())
            assert isinstance(strides, tuple)
            total = total.plus(Sum(int(str(op.attrs.get("offset", 0)))))
            for index, factor in zip(op.operands[1:], strides, strict=True):
                total = total.plus(self._sum(index, 0), int(str(factor)))
            operand = op.operands[0]
            op = self._made_by(operand, "gep")
        return Address(operand, total)

    def _made_by(self, operand: Operand, name: str) -> Op | None:
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        return op if op is not None and op.name == name else None

    def _sum(self, operand: Operand, depth: int) -> Sum[Value]:
        """`operand`, a signed number that does not wrap."""
        if isinstance(operand, Const):
            number = signed_value(operand)
            return Sum(number) if number is not None else Sum(0, {Value(operand.type): 1})  # equal to nothing
        op = self.definitions.get(operand)
        if op is None or op.regions or depth == _DEPTH:
            return Sum(0, {operand: 1})
        if op.name == "sext" or (op.name == "zext" and "nneg" in flags_of(op)):
            return self._sum(op.operands[0], depth + 1)
        exact = "nsw" in flags_of(op) or op.result.type == "i64" or op.name in ("or", "xor")
        factors = factors_of(op, _number) if exact and all(map(_is_number, op.operands)) else None
        if factors is None:
            return Sum(0, {operand: 1})
        total: Sum[Value] = Sum(factors[2])
        for each, factor in zip(op.operands, factors[:2], strict=True):
            total = total.plus(self._sum(each, depth + 1), factor) if factor else total
        return total


def _number(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


def _is_number(operand: Operand) -> bool:
    return isinstance(operand, Value) or signed_value(operand) is not None
