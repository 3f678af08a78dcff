# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses as a base, indices times numbers, and a constant: which of them differ by constants.

    %i = add %ty, 1 [flags=(nsw)]
    %w = sext %i
    %a = gep @s, %w [strides=(64)] + 4      @s + 64 ty + 68

Only what cannot wrap is taken apart: what `%w` stands for is a number, not one modulo 2^32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warploom.analysis.integers import signed_value
from warploom.ir.core import Const, Op, Operand, Value, flags_of

_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Address:
    """root + sum(index * factor) + offset."""

    root: Operand
    terms: frozenset[tuple[Value, int]]
    offset: int


def only_offset_differs(one: Address, two: Address) -> bool:
    """Whether `one` and `two` are a constant number of bytes apart: two.offset - one.offset."""
    return one.root == two.root and one.terms == two.terms


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a function: `definitions` tells what makes each value."""

    definitions: Mapping[Value, Op]

    def of(self, operand: Operand) -> Address:
        """What `operand` points to."""
        offset = 0
        terms: dict[Value, int] = {}
        op = self._made_by(operand, "gep")
        while op is not None:
            offset += int(str(op.attrs.get("offset", 0)))
            strides = op.attrs.get("strides", ())
            assert isinstance(strides, tuple)
            for index, factor in zip(op.operands[1:], strides, strict=True):
                for value, times in self._sum(index, int(str(factor)), 0):
                    if value is None:
                        offset += times
                    else:
                        terms[value] = terms.get(value, 0) + times
            operand = op.operands[0]
            op = self._made_by(operand, "gep")
        return Address(operand, frozenset((value, times) for value, times in terms.items() if times), offset)

    def _made_by(self, operand: Operand, name: str) -> Op | None:
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        return op if op is not None and op.name == name else None

    def _sum(self, operand: Operand, factor: int, depth: int) -> Iterator[tuple[Value | None, int]]:
        """factor * operand, a signed number that does not wrap, as terms; None: the constant."""
        if isinstance(operand, Const):
            number = signed_value(operand)
            yield (None, factor * number) if number is not None else (Value(operand.type), factor)  # equal to nothing
            return
        op = self.definitions.get(operand)
        inner = self._parts(op, factor) if op is not None and depth < _DEPTH else None
        if inner is None:
            yield operand, factor
            return
        for each, times in inner:
            yield from self._sum(each, times, depth + 1)

    def _parts(self, op: Op, factor: int) -> list[tuple[Operand, int]] | None:
        if op.regions:
            return None
        if op.name == "sext" or (op.name == "zext" and "nneg" in flags_of(op)):
            return [(op.operands[0], factor)]
        exact = "nsw" in flags_of(op) or op.result.type == "i64"
        if op.name == "or" and "disjoint" in flags_of(op):
            return [(each, factor) for each in op.operands] if all(map(_is_number, op.operands)) else None
        if op.name in ("add", "sub") and exact and all(map(_is_number, op.operands)):
            return [(op.operands[0], factor), (op.operands[1], -factor if op.name == "sub" else factor)]
        if op.name not in ("mul", "shl") or not exact or not isinstance(op.operands[1], Const):
            return None
        number = signed_value(op.operands[1])
        if number is None or (op.name == "shl" and not 0 <= number < 32):
            return None
        return [(op.operands[0], factor * (1 << number if op.name == "shl" else number))]


def _is_number(operand: Operand) -> bool:
    return isinstance(operand, Value) or signed_value(operand) is not None
