# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of integer ops from the bounds of their operands, as signed numbers.

Only ops whose bounds do not follow from an affine form: masks, shifts right, divisions, selections, extensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from warploom.analysis.integers import Range
from warploom.ir.core import Op
from warploom.ir.types import bits, is_int


def op_interval(op: Op, operands: Sequence[Range], limits: Range) -> Range:
    """Bounds of the result of `op`; `limits` where nothing better is known."""
    if op.name == "zext":
        return _zext(op, operands[0], limits)
    rule = _rule(op)
    return rule(operands, limits) if rule is not None else limits


def has_rule(op: Op) -> bool:
    """Whether anything is known of such an op: it computes one integer."""
    return len(op.results) == 1 and is_int(op.result.type) and (op.name == "zext" or _rule(op) is not None)


def _rule(op: Op) -> _Rule | None:
    if op.name == "call":
        return _INTRINSICS.get(".".join(str(op.attrs.get("callee")).split(".")[:2]))
    return _RULES.get(op.name)


def counter_interval(loop: Op, operands: Sequence[Range]) -> Range:
    """Bounds of the counter of a `for` while its body runs, from those of lower bound, upper bound and step.

    A counter that may wrap around before it meets its bound is not bounded.
    """
    lower, upper, step = operands
    half = 1 << (bits(loop.operands[0].type) - 1)
    unbounded = (-half, half - 1)
    pred = str(loop.attrs["pred"])
    if pred in ("ult", "ule") and (lower[0] < 0 or upper[0] < 0):
        return unbounded
    if pred in ("slt", "sle", "ult", "ule") and step[0] > 0:
        last = upper[1] - (pred[1:] == "lt")
        return (lower[0], max(last, lower[0])) if last + step[1] < half else unbounded
    if pred in ("sgt", "sge") and step[1] < 0:
        last = upper[0] + (pred == "sgt")
        return (min(last, lower[1]), lower[1]) if last + step[0] >= -half else unbounded
    return unbounded


def _width(limits: Range) -> int:
    return limits[1].bit_length() + 1


def _select(operands: Sequence[Range], _limits: Range) -> Range:
    _, x, y = operands
    return min(x[0], y[0]), max(x[1], y[1])


def _and(operands: Sequence[Range], limits: Range) -> Range:
    tops = [high for low, high in operands if low >= 0]
    return (0, min(tops)) if tops else limits


def _or_xor(operands: Sequence[Range], limits: Range) -> Range:
    if any(low < 0 for low, _ in operands):
        return limits
    return 0, (1 << max(high for _, high in operands).bit_length()) - 1


def _lshr(operands: Sequence[Range], limits: Range) -> Range:
    (low, high), (least, most) = operands
    if least < 0 or most >= _width(limits):
        return limits if low < 0 else (0, high)
    if low >= 0:
        return low >> most, high >> least
    return (0, ((1 << _width(limits)) - 1) >> least) if least > 0 else limits


def _ashr(operands: Sequence[Range], limits: Range) -> Range:
    (low, high), (least, most) = operands
    if least < 0 or most >= _width(limits):
        return limits
    return min(low >> least, low >> most), max(high >> least, high >> most)


def _div(operands: Sequence[Range], limits: Range) -> Range:
    (low, high), (least, most) = operands
    return (low // most, high // least) if low >= 0 and least > 0 else limits


def _urem(operands: Sequence[Range], limits: Range) -> Range:
    (low, high), (least, most) = operands
    if least <= 0:
        return limits  # by zero it has all bits set
    return 0, (min(most - 1, high) if low >= 0 else most - 1)


def _srem(operands: Sequence[Range], limits: Range) -> Range:
    (low, high), (least, most) = operands
    if least <= 0:
        return limits
    return max(1 - most, min(low, 0)), min(most - 1, max(high, 0))


def _sext(operands: Sequence[Range], _limits: Range) -> Range:
    return operands[0]


def _zext(op: Op, operand: Range, limits: Range) -> Range:
    if operand[0] >= 0:
        return operand
    source = op.operands[0].type
    return (0, (1 << bits(source)) - 1) if is_int(source) else limits


def _min(operands: Sequence[Range], _limits: Range) -> Range:
    (a, b), (c, d) = operands[:2]
    return min(a, c), min(b, d)


def _max(operands: Sequence[Range], _limits: Range) -> Range:
    (a, b), (c, d) = operands[:2]
    return max(a, c), max(b, d)


def _umin(operands: Sequence[Range], limits: Range) -> Range:
    tops = [high for low, high in operands[:2] if low >= 0]
    return (0, min(tops)) if tops else limits


_Rule = Callable[[Sequence[Range], Range], Range]
_RULES: dict[str, _Rule] = {
    "select": _select,
    "and": _and,
    "or": _or_xor,
    "xor": _or_xor,
    "lshr": _lshr,
    "ashr": _ashr,
    "udiv": _div,
    "sdiv": _div,
    "urem": _urem,
    "srem": _srem,
    "sext": _sext,
}
_INTRINSICS: dict[str, _Rule] = {"llvm.smin": _min, "llvm.smax": _max, "llvm.umin": _umin}
