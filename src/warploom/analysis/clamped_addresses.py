# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses that follow the threads up to a bound.

    row[max(tx - 1, first)]        the threads' own places, side by side, or row[first]
    row[min(min(tx + 1, last), 15)]        or row[min(last, 15)]

Where a vector of threads meets the bound, its threads read from two places: a row, and one element for all others.
"""

from __future__ import annotations

from warploom.analysis.bounded_forms import minimum_or_maximum
from warploom.analysis.lane_shapes import X
from warploom.analysis.lanes import Shapes
from warploom.core.records import dataclass
from warploom.ir.core import Op, Operand, Value


@dataclass(frozen=True, slots=True)
class Clamp:
    """The index `number` of `address` is `casts` of the minimum or maximum (`kind`) of a stride and uniform bounds."""

    address: Op
    number: int
    casts: tuple[str, ...]  # the last one is done first
    kind: str
    bounds: tuple[Operand, ...]


def clamp_of(pointer: Operand, shapes: Shapes) -> Clamp | None:
    """The bound of the address `pointer`; None where it has none of this form."""
    address = _definition(pointer, shapes)
    if address is None or address.name != "gep":
        return None
    varying = [number for number, each in enumerate(address.operands) if shapes.of(each).dims & X]
    if len(varying) != 1 or varying == [0]:
        return None
    index, casts = address.operands[varying[0]], list[str]()
    op = _definition(index, shapes)
    while op is not None and op.name in ("sext", "zext"):
        casts.append(op.name)
        op = _definition(op.operands[0], shapes)
    kind, bounds = _kind_of(op), list[Operand]()
    while op is not None and kind is not None and _kind_of(op) == kind:
        sides = sorted(op.operands[:2], key=lambda each: bool(shapes.of(each).dims & X))
        if shapes.of(sides[0]).dims & X or not shapes.of(sides[1]).dims & X:
            return None
        bounds.append(sides[0])
        if not shapes.of(sides[1]).guarded:
            return Clamp(address, varying[0], tuple(casts), kind, tuple(bounds))
        op = _definition(sides[1], shapes)
    return None


def _definition(operand: Operand, shapes: Shapes) -> Op | None:
    return shapes.ranges.definitions.get(operand) if isinstance(operand, Value) else None


def _kind_of(op: Op | None) -> str | None:
    """Which minimum or maximum a call is."""
    return minimum_or_maximum(op) if op is not None else None
