# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Guards of loops over threads: the tests that they are made of, and their sides computed in front of the loop.

    block { %i = add (mul %bx, %bdx), %tx             parts: %i < %n, and %tx is not 3
      if (%i < %n) && !(%tx == 3) { A } }             sides: %tx + %bx * %bdx, and %n

A part is a range of threads where its sides are linear in the thread ids over the integers (analysis/exact_linear.py).
"""

from __future__ import annotations

from collections.abc import Collection

from warploom.analysis.exact_linear import MAX_DEPTH, Exact, Linear, Ranges
from warploom.core.records import dataclass
from warploom.ir.core import (
    FALSE,
    TRUE,
    Builder,
    Const,
    Op,
    Operand,
    Value,
    clone_op,
    int_const,
)  # fmt: skip
from warploom.ir.properties import is_removable

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
INVERTED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True, slots=True)
class Guard:
    """thread id + rest `relation` bound, with `rest` and `bound` the same for all threads."""

    dimension: int
    relation: str  # lt le gt ge eq
    rest: Linear
    bound: Linear
    unsigned64: bool  # over [0, 2^64) instead of [-2^63, 2^63)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a conjunction: `value`, or its negation."""

    value: Operand
    positive: bool


def guarding_if(block: Op) -> Op | None:
    """The `if` around all that the body of `block` does."""
    body = block.region.body
    if not body or body[-1].name != "if" or body[-1].results:
        return None
    guard = body[-1]
    filled = [region for region in guard.regions if region.body]
    return guard if len(filled) == 1 and all(is_removable(each) for each in body[:-1]) else None


def parts_of(condition: Operand, positive: bool, definitions: dict[Value, Op]) -> list[Part]:
    """`condition` (or its negation) as a conjunction, in order of evaluation."""
    op = definitions.get(condition) if isinstance(condition, Value) else None
    if op is not None:
        if op.name == "xor" and TRUE in op.operands:
            return parts_of(op.operands[op.operands.index(TRUE) ^ 1], not positive, definitions)
        joined = _joined(op, positive)
        if joined is not None:
            return [part for each, holds in joined for part in parts_of(each, holds, definitions)]
    return [Part(condition, positive)]


def _joined(op: Op, positive: bool) -> tuple[tuple[Operand, bool], tuple[Operand, bool]] | None:
    """The two sides, each to hold or not, when `op` is an `and` (an `or`, for a negation), also in a short-circuit
    form: of `a and b`, `not a and b`, `a or b` or `not a or b`."""
    if op.name == ("and" if positive else "or"):
        return (op.operands[0], positive), (op.operands[1], positive)
    if op.name == "select" and op.results[0].type == "i1":
        condition, yes, no = op.operands
        decided = FALSE if positive else TRUE
        if no == decided:
            return (condition, True), (yes, positive)
        if yes == decided:
            return (condition, False), (no, positive)
    return None


def depends_on_block(form: Linear, blocks: Collection[Value], definitions: dict[Value, Op]) -> bool:
    """Whether `form` differs between the blocks of a grid."""
    work, seen = [each.value for each in form.shared], set[Value]()
    while work:
        value = work.pop()
        if value in blocks:
            return True
        op = definitions.get(value)
        if op is not None and value not in seen and not op.regions:
            seen.add(value)
            work += [each for each in op.operands if isinstance(each, Value)]
    return False


def is_well_defined(value: Operand, ranges: Ranges, depth: int = 0) -> bool:
    """Whether `value` is surely not poison: launch, ids and parameters, and what cannot wrap into poison from them."""
    if isinstance(value, Const):
        return isinstance(value.value, int)
    op = ranges.definitions.get(value)
    if op is None:
        return value in ranges.known or value in ranges.function.params
    total = op.name in ("add", "sub", "mul", "and", "or", "xor", "sext", "zext", "trunc", "icmp", "select", "freeze")
    if not total or op.attrs.get("flags") or depth > MAX_DEPTH:
        return False
    return op.name == "freeze" or all(is_well_defined(each, ranges, depth + 1) for each in op.operands)


class Preheader:
    """Writes ops in front of a thread loop."""

    def __init__(self, exact: Exact, ops: list[Op], guard: Op, certain: bool) -> None:
        self.exact = exact
        self.builder = Builder(ops, guard.loc)
        self.certain = certain  # some thread evaluates the guard
        self.copies: dict[Value, Operand] = {}

    def outside(self, value: Value) -> Operand:
        """`value` as known outside of the loop: copied with what it is computed from."""
        if value not in self.exact.inside:
            return value
        if value not in self.copies:
            op = self.exact.ranges.definitions[value]
            for operand in op.operands:
                if isinstance(operand, Value):
                    self.copies[operand] = self.outside(operand)
            copy = self.builder.add(clone_op(op, self.copies))
            self.exact.ranges.definitions[copy.result] = copy
        return self.copies[value]

    def op(self, name: str, operands: list[Operand], type_: str, **attrs: str) -> Value:
        """Append an op and make it known."""
        value = self.builder.op(name, operands, type_, **attrs)
        self.exact.ranges.definitions[value] = self.builder.ops[-1]
        return value

    def sum(self, side: Linear) -> Operand:
        """`side` in i64."""
        total: Operand | None = None
        for term, factor in side.shared.items():
            value: Operand = self.outside(term.value)
            if not self.certain and not is_well_defined(value, self.exact.ranges):
                value = self.op("freeze", [value], value.type)
            if value.type != "i64":
                value = self.op("sext" if term.signed else "zext", [value], "i64")
            if factor != 1:
                value = self.op("mul", [value, int_const("i64", factor)], "i64")
            total = value if total is None else self.op("add", [total, value], "i64")
        if total is None:
            return int_const("i64", side.constant)
        return self.op("add", [total, int_const("i64", side.constant)], "i64") if side.constant else total

    def least(self, one: Operand, other: Operand) -> Operand:
        """The smaller of two unsigned numbers."""
        for small, large in ((one, other), (other, one)):
            if isinstance(small, Const) and int(small.value) <= self.exact.ranges.of(large, False)[0]:
                return small
        less = self.op("icmp", [one, other], "i1", pred="ult")
        return self.op("select", [less, one, other], one.type)

    def threads_below(self, guard: Guard, old: Operand, inclusive: bool) -> Operand:
        """How many of the first `old` thread ids t have t + rest < bound (or <=); i32."""
        if not guard.rest.sum.terms and not guard.bound.sum.terms:
            number = guard.bound.constant - guard.rest.constant + inclusive
            return self.least(old, int_const("i32", min(max(number, 0), 1 << 20)))
        bound, rest, old64 = self.sum(guard.bound), self.sum(guard.rest), self.widen(old)
        order = ("u" if guard.unsigned64 else "s") + ("ge" if inclusive else "gt")
        some = self.op("icmp", [bound, rest], "i1", pred=order)
        # bound - rest may exceed 2^63; as bound >= rest it is exact as an unsigned number.
        count = self.least(self.op("sub", [bound, rest], "i64"), old64)
        if inclusive:
            count = self.least(self.op("add", [count, int_const("i64", 1)], "i64"), old64)
        count = self.op("select", [some, count, int_const("i64", 0)], "i64")
        return self.op("trunc", [count], "i32")

    def widen(self, size: Operand) -> Operand:
        """i32 to i64."""
        return int_const("i64", int(size.value)) if isinstance(size, Const) else self.op("zext", [size], "i64")

    def minus(self, one: Operand, other: Operand) -> Operand:
        """one - other, i32."""
        if isinstance(one, Const) and isinstance(other, Const):
            return int_const("i32", int(one.value) - int(other.value))
        return one if other == Const("i32", 0) else self.op("sub", [one, other], "i32")
