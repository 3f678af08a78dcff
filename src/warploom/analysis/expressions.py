# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas over the numbers of a launch: made by the compiler, kept as text, evaluated when a launch has been seen.

    2*(s4_0/(g0*b0))         names, numbers, + - * /, max(a,b), min(a,b), ceil(a)

Numbers are folded as fractions. Two formulas are equal when their texts are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from warploom.core.records import dataclass
from warploom.core.type_names import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from fractions import Fraction

_FUNCTIONS = {"max": max, "min": min, "ceil": math.ceil}


@dataclass(frozen=True, slots=True)
class Expression:
    """A formula: `base` + `offset`; a number where there is no base."""

    base: str
    offset: int | Fraction = 0

    @property
    def value(self) -> int | Fraction | None:
        """The number, where it is one."""
        return self.offset if not self.base else None

    @property
    def text(self) -> str:
        """As `evaluate` reads it."""
        if not self.base:
            return f"({self.offset})" if self.offset < 0 or self.offset.denominator != 1 else str(self.offset)
        if self.offset == 0:
            return self.base
        return f"({self.base}{'+' if self.offset > 0 else '-'}{abs(self.offset)})"

    def __add__(self, other: Expression) -> Expression:
        bases = [each for each in (self.base, other.base) if each]
        base = f"({'+'.join(bases)})" if len(bases) == 2 else "".join(bases)
        return Expression(base, self.offset + other.offset)

    def __sub__(self, other: Expression) -> Expression:
        if self.base == other.base:
            return number(self.offset - other.offset)
        base = f"({self.base or '0'}-{other.base})" if other.base else self.base
        return Expression(base, self.offset - other.offset)

    def __neg__(self) -> Expression:
        return number(0) - self

    def __mul__(self, other: Expression) -> Expression:
        if self.value is not None:
            self, other = other, self
        if other.value is None:
            return Expression(f"({self.text}*{other.text})")
        if other.value in (0, 1) or self.value is not None:
            return number(other.value * self.offset) if other.value != 1 else self
        return Expression(f"({self.base}*{other.text})", self.offset * other.value)

    def __truediv__(self, other: Expression) -> Expression:
        if other.value:
            from fractions import Fraction  # here alone: takes long to load, and few kernels divide

            return self * number(Fraction(1, other.value))
        return Expression(f"({self.text}/{other.text})")

    def at_most(self, bound: Expression) -> Expression:
        """The lesser of both."""
        if self.value is not None and bound.value is not None:
            return number(min(self.value, bound.value))
        return Expression(f"min({self.text},{bound.text})")


def number(value: int | Fraction) -> Expression:
    """A number as a formula."""
    return Expression("", value)


def symbol(name: str) -> Expression:
    """A name that stands for a number of the launch."""
    return Expression(name)


def most(one: Expression, other: Expression) -> Expression:
    """The greater of both."""
    if one.value is not None and other.value is not None:
        return number(max(one.value, other.value))
    return Expression(f"max({one.text},{other.text})")


def ceiling(one: Expression) -> Expression:
    """The next whole number."""
    return number(math.ceil(one.value)) if one.value is not None else Expression(f"ceil({one.text})")


def evaluate(text: str, values: Mapping[str, float]) -> float:
    """The value of a formula; ValueError for what is none, and for a name that is not in `values`."""
    import ast  # here alone: few processes evaluate formulas

    try:
        return float(_evaluate(ast.parse(text, mode="eval").body, values))
    except (SyntaxError, KeyError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"{text}: {error}") from error


def _evaluate(node: ast.expr, values: Mapping[str, float]) -> float:
    import ast

    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, values)
    if isinstance(node, ast.BinOp):
        one, other = _evaluate(node.left, values), _evaluate(node.right, values)
        if isinstance(node.op, ast.Add):
            return one + other
        if isinstance(node.op, ast.Sub):
            return one - other
        if isinstance(node.op, ast.Mult):
            return one * other
        if isinstance(node.op, ast.Div):
            return one / other
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        return _FUNCTIONS[node.func.id](*(_evaluate(each, values) for each in node.args))
    raise ValueError(f"{ast.dump(node)} is no part of a formula")
