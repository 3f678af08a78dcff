# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Polynomials over IR values: constant + sum(coefficient * product of values).

A value in a product stands for its signed number. Products of values are atoms: `bx * bdx` is one symbol of the sum,
and equal products are equal symbols whatever order they were multiplied in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warploom.ir.core import Value

Product = tuple[Value, ...]  # ordered by the numbers that `Numbering` gives out

MOST_TERMS = 12  # longer sums are not worth carrying around: their value becomes a symbol of its own
MOST_FACTORS = 3


@dataclass(frozen=True, slots=True)
class Affine:
    """constant + sum(coefficient * product). No coefficient is 0."""

    constant: int
    terms: frozenset[tuple[Product, int]] = frozenset()

    def coefficients(self) -> dict[Product, int]:
        """The terms as a mapping."""
        return dict(self.terms)

    @property
    def symbols(self) -> set[Value]:
        """Every value that occurs."""
        return {value for product, _ in self.terms for value in product}


@dataclass(slots=True)
class Numbering:
    """Gives values numbers in the order in which it meets them, so that products have one form."""

    numbers: dict[Value, int] = field(default_factory=dict[Value, int])

    def sorted(self, values: Product) -> Product:
        """The one order of the factors `values`."""
        return tuple(sorted(values, key=lambda each: self.numbers.setdefault(each, len(self.numbers))))


def make(constant: int, coefficients: Mapping[Product, int]) -> Affine:
    """An Affine of terms that may have coefficient 0."""
    return Affine(constant, frozenset(term for term in coefficients.items() if term[1]))


def symbol(value: Value) -> Affine:
    """1 * value."""
    return Affine(0, frozenset({((value,), 1)}))


def add(a: Affine, b: Affine, factor: int = 1) -> Affine | None:
    """a + factor * b; None when too long."""
    if not b.terms:
        return Affine(a.constant + factor * b.constant, a.terms)
    merged = dict(a.terms)
    for product, coefficient in b.terms:
        merged[product] = merged.get(product, 0) + factor * coefficient
    result = make(a.constant + factor * b.constant, merged)
    return result if len(result.terms) <= MOST_TERMS else None


def scale(a: Affine, factor: int) -> Affine:
    """factor * a."""
    return make(a.constant * factor, {product: coefficient * factor for product, coefficient in a.terms})


def multiply(a: Affine, b: Affine, numbering: Numbering) -> Affine | None:
    """a * b; None when too long or of too high a degree."""
    if not b.terms:
        return scale(a, b.constant)
    if not a.terms:
        return scale(b, a.constant)
    result = Affine(0)
    for product, coefficient in [*b.terms, ((), b.constant)]:
        moved = _times(scale(a, coefficient), product, numbering)
        total = add(result, moved) if moved is not None else None
        if total is None:
            return None
        result = total
    return result


def _times(a: Affine, product: Product, numbering: Numbering) -> Affine | None:
    moved: dict[Product, int] = {}
    for factors, coefficient in [*a.terms, ((), a.constant)]:
        if len(factors) + len(product) > MOST_FACTORS:
            return None
        key = numbering.sorted((*factors, *product))
        moved[key] = moved.get(key, 0) + coefficient
    return make(moved.pop((), 0), moved)
