# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far apart neighbouring threads access memory, where that is a number of the launch: a stride, or a size."""

from __future__ import annotations

from warploom.analysis.integers import signed_value
from warploom.analysis.lane_shapes import X
from warploom.analysis.lanes import Shapes
from warploom.core.records import dataclass, replace
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Value

MOST_LEFT = 32  # elements of a piece; behind whole pieces fewer are left
_LONG = 16  # bits of a number that no row of threads counts around in steps of an element


def is_scattered(op: Op, shapes: Shapes) -> bool:
    """Whether neighbouring threads load or store elements that do not lie side by side."""
    if op in shapes.groups:
        return False
    stride = shapes.of(op.operands[-1]).stride
    value = op.results[0] if op.results else op.operands[0]
    return stride is None or (stride != 0 and abs(stride) != types.size_of(value.type))


def picks_one(condition: Operand, shapes: Shapes) -> bool:
    """Whether `condition` asks, among other things, for the thread of one number."""
    op = shapes.ranges.definitions.get(condition) if isinstance(condition, Value) else None
    if op is None or not shapes.of(condition).dims & X:
        return False
    if op.name in ("and", "or", "select"):
        return any(picks_one(each, shapes) for each in op.operands)
    if op.name != "icmp" or op.attrs["pred"] != "eq":
        return False
    strides = [shapes.of(each).stride for each in op.operands]
    return strides.count(0) == 1 and None not in strides


def picks_rest(condition: Operand, shapes: Shapes) -> bool:
    """Whether `condition` asks, among other things, for the threads that take what is left of a number of elements
    behind whole pieces, `%n & -4 + %tx < %n` say: few, and mostly none."""
    made = shapes.ranges.definitions

    def maker(operand: Operand, name: str) -> Op | None:
        op = made.get(operand) if isinstance(operand, Value) else None
        return op if op is not None and op.name == name else None

    op = made.get(condition) if isinstance(condition, Value) else None
    if op is None or not shapes.of(condition).dims & X:
        return False
    if op.name in ("and", "select"):
        return any(picks_rest(each, shapes) for each in op.operands)
    if op.name != "icmp" or op.attrs["pred"] not in ("ult", "slt"):
        return False
    place, end = op.operands
    total = maker(place, "add")
    starts = [maker(each, "and") for each in total.operands] if total else []
    masks = [start.operands[1] for start in starts if start is not None and start.operands[0] == end]
    sizes = [_constant(each) for each in masks]
    return any(each is not None and -MOST_LEFT <= each < 0 for each in sizes)


@dataclass(frozen=True, slots=True)
class Apart:
    """How much more each thread has than the one before it: `fixed` + `times` * `number`, where none of the numbers
    that `extensions` widen has wrapped around; one of few bits counts twice."""

    fixed: int = 0
    times: int = 0
    number: Value | None = None
    extensions: int = 0

    def plus(self, other: Apart | None, sign: int = 1) -> Apart | None:
        """Of a sum."""
        if other is None or (self.number and other.number and self.number is not other.number):
            return None
        number = self.number or other.number
        extensions = self.extensions + other.extensions
        return Apart(self.fixed + sign * other.fixed, self.times + sign * other.times, number, extensions)

    def scaled(self, by: int) -> Apart:
        """Of a product with a constant."""
        return Apart(self.fixed * by, self.times * by, self.number, self.extensions)


def _constant(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


def distance(operand: Operand, shapes: Shapes, depth: int = 0) -> Apart | None:
    """How neighbours differ in `operand`; None where that is not known."""
    shape = shapes.of(operand)
    if shape.is_uniform:
        return Apart()
    if shape.stride is not None and not shape.guarded:
        return Apart(shape.stride)
    op = shapes.ranges.definitions.get(operand) if isinstance(operand, Value) else None
    if op is None or op.name not in ("add", "sub", "mul", "shl", "sext", "zext", "gep") or depth > 16:
        return None
    parts = [distance(each, shapes, depth + 1) for each in op.operands]
    first = parts[0]
    if first is None:
        return None
    if op.name in ("sext", "zext"):
        short = types.bits(op.operands[0].type) < _LONG
        return replace(first, extensions=first.extensions + 1 + short) if first != Apart() else first
    if op.name in ("add", "sub"):
        return first.plus(parts[1], -1 if op.name == "sub" else 1)
    if op.name == "gep":
        strides = op.attrs.get("strides", ())
        assert isinstance(strides, tuple)
        total: Apart | None = first
        for part, by in zip(parts[1:], strides, strict=True):
            total = total.plus(part.scaled(int(str(by)))) if total is not None and part is not None else None
        return total
    return _product(op, first, parts[1], shapes)


def _product(op: Op, first: Apart, second: Apart | None, shapes: Shapes) -> Apart | None:
    a, b = op.operands
    by = _constant(b)
    if op.name == "shl":
        return first.scaled(1 << by) if by is not None and 0 <= by < types.bits(op.result.type) else None
    if second is None:
        return None
    for part, other in ((first, b), (second, a)):
        by = _constant(other)
        if by is not None:
            return part.scaled(by)
        if isinstance(other, Value) and not shapes.of(other).dims and part.number is None and part.fixed:
            return Apart(0, part.fixed, other)
    return None


def number_of_rows(op: Op, shapes: Shapes) -> tuple[Apart, int] | None:
    """How the addresses of an access differ, and the number with which neighbours access neighbours."""
    address, value = op.operands[-1], op.results[0] if op.results else op.operands[0]
    if not shapes.of(address).is_vector or not is_scattered(op, shapes):
        return None
    apart = distance(address, shapes)
    if apart is None or apart.number is None or not apart.times:
        return None
    number, rest = divmod(types.size_of(value.type) - apart.fixed, apart.times)
    return (apart, number) if not rest and number else None
