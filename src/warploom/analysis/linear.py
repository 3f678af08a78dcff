# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Polynomials over IR values: constant + sum(coefficient * product of values).

A value in a product stands for its signed number. Products of values are atoms: `bx * bdx` is one symbol of the sum,
and equal products are equal symbols whatever order they were multiplied in.
"""

from __future__ import annotations

from warploom.analysis.sums import Sum, sum_of
from warploom.core.records import dataclass, field
from warploom.ir.core import Value

Product = tuple[Value, ...]  # ordered by the numbers that `Numbering` gives out
Affine = Sum[Product]

MOST_TERMS = 12  # longer sums are not worth carrying around: their value becomes a symbol of its own
MOST_FACTORS = 3


@dataclass(slots=True)
class Numbering:
    """Gives values numbers in the order in which it meets them, so that products have one form."""

    numbers: dict[Value, int] = field(default_factory=dict[Value, int])

    def sorted(self, values: Product) -> Product:
        """The one order of the factors `values`."""
        return tuple(sorted(values, key=lambda each: self.numbers.setdefault(each, len(self.numbers))))


def values_in(a: Affine) -> set[Value]:
    """Every value that occurs."""
    return {value for product in a.terms for value in product}


def symbol(value: Value) -> Affine:
    """1 * value."""
    return Sum(0, {(value,): 1})


def add(a: Affine, b: Affine, factor: int = 1) -> Affine | None:
    """a + factor * b; None when too long."""
    total = a.plus(b, factor)
    return total if len(total.terms) <= MOST_TERMS or not b.terms else None


def multiply(a: Affine, b: Affine, numbering: Numbering) -> Affine | None:
    """a * b; None when too long or of too high a degree."""
    if not b.terms:
        return a.times(b.constant)
    if not a.terms:
        return b.times(a.constant)
    result: Affine = Sum(0)
    for product, coefficient in [*b.terms.items(), ((), b.constant)]:
        moved = _times(a.times(coefficient), product, numbering)
        total = add(result, moved) if moved is not None else None
        if total is None:
            return None
        result = total
    return result


def _times(a: Affine, product: Product, numbering: Numbering) -> Affine | None:
    moved: dict[Product, int] = {}
    for factors, coefficient in [*a.terms.items(), ((), a.constant)]:
        if len(factors) + len(product) > MOST_FACTORS:
            return None
        key = numbering.sorted((*factors, *product))
        moved[key] = moved.get(key, 0) + coefficient
    return sum_of(moved.pop((), 0), moved)
