# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers as sums: constant + sum(factor * symbol), and which ops make one of others.

    %a = add %x, 3        1 * %x + 3           %d = shl %x, 2         4 * %x
    %b = sub %x, %y       1 * %x - 1 * %y      %e = xor %x, -1        -1 * %x - 1
    %c = mul %x, 5        5 * %x               %f = or %x, %y         1 * %x + 1 * %y   (disjoint)

Each equation holds modulo 2^width. The analyses of integers are views of this: what a symbol is, under which conditions
an equation holds over the integers, and where, is for each of them to say, and none turns into a stronger one.

| view | symbols | guarantee |
|---|---|---|
| `linear`, `affine` | products of up to three values | modulo 2^width; over the signed integers where `exact` |
| `exact_linear` | thread ids of a loop, and values that all threads share with how they are read | over the integers |
| `bounded_forms` | values | over the signed integers, at one place |
| `byte_addresses` | values | addresses modulo 2^64, indices over the signed integers |
| `steps` | what a loop does not change | for each trip of that loop, modulo 2^64 or over the signed integers |
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from warploom.core.records import dataclass, field
from warploom.core.type_names import Generic, TypeVar
from warploom.ir import types
from warploom.ir.core import Op, Operand, flags_of

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True)  # with slots no alias such as Sum[Value] could be called
class Sum(Generic[S]):
    """constant + sum(factor * symbol). No factor is 0."""

    constant: int
    terms: Mapping[S, int] = field(default_factory=dict[S, int])

    def plus(self, other: Sum[S], factor: int = 1) -> Sum[S]:
        """self + factor * other."""
        if not other.terms:
            return Sum(self.constant + factor * other.constant, self.terms)
        terms = dict(self.terms)
        for symbol, count in other.terms.items():
            terms[symbol] = terms.get(symbol, 0) + factor * count
        return sum_of(self.constant + factor * other.constant, terms)

    def times(self, factor: int) -> Sum[S]:
        """factor * self."""
        if factor == 1:
            return self
        terms = {symbol: count * factor for symbol, count in self.terms.items()} if factor else dict[S, int]()
        return Sum(self.constant * factor, terms)

    def without(self, symbol: S) -> Sum[S]:
        """The sum less its term of a symbol."""
        return Sum(self.constant, {each: factor for each, factor in self.terms.items() if each != symbol})

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms.items())))


def sum_of(constant: int, terms: Mapping[S, int]) -> Sum[S]:
    """A sum of terms whose factors may be 0."""
    return Sum(constant, {symbol: factor for symbol, factor in terms.items() if factor})


def factors_of(op: Op, number: Callable[[Operand], int | None]) -> tuple[int, int, int] | None:
    """(a, b, c) where an op of two integers is a * left + b * right + c modulo 2^width; None where it is no such sum.

    `number` tells of an operand what number it is, as it is read there; None where that is not known.
    """
    name = op.name
    if name == "add" or (name == "or" and "disjoint" in flags_of(op)):
        return 1, 1, 0
    if name == "sub":
        return 1, -1, 0
    if name == "mul":
        factor = number(op.operands[1])
        if factor is not None:
            return factor, 0, 0
        factor = number(op.operands[0])
        return None if factor is None else (0, factor, 0)
    if name == "shl":
        by = number(op.operands[1])
        return (1 << by, 0, 0) if by is not None and 0 <= by < types.bits(op.result.type) - 1 else None
    if name == "xor":
        return (-1, 0, -1) if number(op.operands[1]) == -1 else None
    return None
