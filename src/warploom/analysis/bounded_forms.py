# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers as sums over the integers, with bounds from the conditions that hold at the place in question.

    if %left >= 0 && %left + 16 <= %columns {      -left <= 0, left + 16 - columns <= 0
      ... columns - 1 - left ...                   no less than 15, so that the i32 ops do not wrap
      if %tx > %step && %step >= 0 {               step + 1 - tx <= 0
        ... max(tx - 1, -min(left, 0)) ...         max(tx - 1, 0): tx - 1

A fact is a sum that is not positive. The most that a sum can be follows from the ranges of its values, and from facts:
sum = fact + rest is at most what `rest` is at most.

A condition often looks at a frozen copy of a value that may be poison. The copy stands for the value itself here. That
is sound where the answer is about something that is computed from that value, and so is poison when the value is: a
fact of a copy counts only for questions in which the value occurs.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.analysis.exact_linear import MAX_DEPTH, Ranges
from warploom.analysis.integers import signed_value, type_range
from warploom.analysis.sums import Sum, factors_of
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Value, flags_of

DEPTH = 3  # facts that are added up for one answer
MOST_FACTS = 32
MOST_STEPS = 20_000  # of all searches for bounds at one place; after that ranges must do


Form = Sum[Value]  # the values read as signed numbers


@dataclass(frozen=True, slots=True)
class Fact:
    """`form` <= 0. `copies`: the values of which a frozen copy was looked at."""

    form: Form
    copies: frozenset[Value]


@dataclass(slots=True)
class BoundedForms:
    """Sums and their bounds at one place of a function: `facts` hold there. `least`: of values that only grow."""

    ranges: Ranges
    least: dict[Value, Form]
    facts: list[Fact] = field(default_factory=list[Fact])
    known: dict[Operand, Form] = field(default_factory=dict[Operand, Form])
    copies: dict[Value, frozenset[Value]] = field(default_factory=dict[Value, frozenset[Value]])
    budget: int = MOST_STEPS

    def assume(self, facts: Iterable[Fact]) -> None:
        """From here on `facts` hold as well. What was found before still does, but more may follow now."""
        self.facts += list(facts)[: max(0, MOST_FACTS - len(self.facts))]
        self.known = {}

    # -- bounds

    def most(self, form: Form) -> int:
        """The most that `form` can be."""
        return self._most(form, frozenset(form.terms), DEPTH)

    def _most(self, form: Form, asked: frozenset[Value], depth: int) -> int:
        found = form.constant
        for value, factor in form.terms.items():
            low, high = self._range(value)
            found += factor * (high if factor > 0 else low)
        for value, factor in form.terms.items():
            if factor < 0 and value in self.least and depth:
                # value >= least: what grows takes the sum down from where it is with the least
                grown = form.plus(Sum(0, {value: 1}), -factor).plus(self.least[value], factor)
                found = min(found, self._most(grown, asked, depth - 1))
        self.budget -= 1
        for fact in self.facts if depth and self.budget > 0 else ():
            if fact.copies <= asked and any(form.terms.get(v, 0) * f > 0 for v, f in fact.form.terms.items()):
                found = min(found, self._most(form.plus(fact.form, -1), asked, depth - 1))
        return found

    def _range(self, value: Value) -> tuple[int, int]:
        return self.ranges.of(value, True)

    def is_at_most(self, left: Form, right: Form) -> bool:
        """Whether left <= right."""
        return self.most(left.plus(right, -1)) <= 0

    # -- sums

    def of(self, operand: Operand, depth: int = 0) -> Form:
        """`operand`, an integer of at most 64 bits, read as a signed number; the value itself where it is no sum."""
        if isinstance(operand, Const):
            number = signed_value(operand)
            assert number is not None, "an integer"
            return Sum(number)
        if operand not in self.known:
            self.known[operand] = self._of(operand, depth) or Sum(0, {operand: 1})
        return self.known[operand]

    def _of(self, value: Value, depth: int) -> Form | None:
        op = self.ranges.definitions.get(value)
        if op is None or op.regions or depth > MAX_DEPTH or not all(is_number(each) for each in op.operands):
            return None
        chosen = self.chosen(op, depth + 1)
        if chosen is not None:
            return self.of(chosen, depth + 1)
        form = self._sum(op, [self.of(each, depth + 1) for each in op.operands])
        if form is None:
            return None
        self.copies[value] = frozenset[Value]().union(*(self.copies_in(each) for each in op.operands))
        if op.name == "freeze":
            self.copies[value] |= frozenset(form.terms)
        if "nsw" in flags_of(op) or op.name in ("freeze", "sext"):
            return form
        low, high = type_range(value.type, True)
        return form if self.most(form) <= high and -self.most(form.times(-1)) >= low else None

    def _sum(self, op: Op, forms: list[Form]) -> Form | None:
        if op.name in ("freeze", "sext", "trunc"):
            return forms[0]
        if op.name == "zext":
            return forms[0] if self.most(forms[0].times(-1)) <= 0 else None
        factors = factors_of(op, lambda operand: _number(forms[op.operands.index(operand)]))
        if factors is None:
            return None
        left, right, constant = factors
        total = forms[0].times(left).plus(forms[1], right) if left else forms[1].times(right)
        return total.plus(Sum(constant))

    def copies_in(self, operand: Operand) -> frozenset[Value]:
        """The values of which a frozen copy is in `operand`, as far as it was looked into."""
        return self.copies.get(operand, frozenset()) if isinstance(operand, Value) else frozenset()

    # -- decisions

    def chosen(self, op: Op, depth: int = 0) -> Operand | None:
        """The operand that a minimum, a maximum or a choice by a comparison is; None where that is open."""
        if op.name == "select" and is_number(op.result):
            truth = self.decided(op.operands[0], depth + 1)
            return None if truth is None else op.operands[1 if truth else 2]
        kind = minimum_or_maximum(op)
        if kind is None or depth > MAX_DEPTH:
            return None
        one, other = op.operands[:2]
        first, second = self.of(one, depth), self.of(other, depth)
        if kind[0] == "u" and any(self.most(each.times(-1)) > 0 for each in (first, second)):
            return None
        if self.is_at_most(first, second):
            return one if kind.endswith("min") else other
        if self.is_at_most(second, first):
            return other if kind.endswith("min") else one
        return None

    def decided(self, condition: Operand, depth: int = 0) -> bool | None:
        """Whether a comparison of signed numbers holds; None where that is open."""
        op = self.ranges.definitions.get(condition) if isinstance(condition, Value) else None
        if op is None or op.name != "icmp" or not all(is_number(each) for each in op.operands) or depth > MAX_DEPTH:
            return None
        predicate = str(op.attrs["pred"])
        if predicate not in ("slt", "sle", "sgt", "sge"):
            return None
        left, right = (self.of(each, depth) for each in op.operands)
        if predicate[1] == "g":
            left, right = right, left
        less = Form(int(predicate[2] == "t"))
        if self.most(left.plus(right, -1).plus(less)) <= 0:
            return True
        return False if self.most(right.plus(left, -1).plus(Sum(1)).plus(less, -1)) <= 0 else None

    def facts_of(self, op: Op, truth: bool) -> list[Fact]:
        """What the comparison `op` says when its result is `truth`."""
        if op.name != "icmp" or not all(is_number(each) for each in op.operands):
            return []
        left, right = (self.of(each) for each in op.operands)
        copies = self.copies_in(op.operands[0]) | self.copies_in(op.operands[1])
        predicate = str(op.attrs["pred"])
        sign, relation = (predicate[0], predicate[1:]) if len(predicate) == 3 else ("s", predicate)
        relation = relation if truth else _NEGATED[relation]
        if relation in ("gt", "ge"):
            left, right, relation = right, left, {"gt": "lt", "ge": "le"}[relation]
        found: list[Form] = []
        if sign == "u":
            if self.most(right.times(-1)) > 0:  # below a number that is negative as a signed one: says little
                return []
            found.append(left.times(-1))
        if relation in ("lt", "le", "eq"):
            found.append(left.plus(right, -1).plus(Sum(int(relation == "lt"))))
        if relation == "eq":
            found.append(right.plus(left, -1))
        return [Fact(form, copies) for form in found]


_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}


def _number(form: Form) -> int | None:
    return None if form.terms else form.constant


def is_number(operand: Operand) -> bool:
    """Whether `operand` is an integer of at most 64 bits."""
    if isinstance(operand, Const) and signed_value(operand) is None:
        return False
    return types.is_int(operand.type) and types.bits(operand.type) <= 64


def minimum_or_maximum(op: Op) -> str | None:
    """`smin`, `smax`, `umin` or `umax`, where `op` is one of numbers."""
    if op.name != "call" or not op.results or not is_number(op.result):
        return None
    parts = str(op.attrs.get("callee")).split(".")
    return parts[1] if parts[0] == "llvm" and parts[1] in ("smin", "smax", "umin", "umax") else None
