# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a vector of threads as lists of operands, for what regions yield and what loops carry.

    %r: i32 (stride 1, two rows)     ==>   %r0, %r0 as i64, %r1, %r1 as i64
    %v: float (a vector)             ==>   %v: <W x float>

A list and the values that `bind` makes for it have the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.analysis.lane_shapes import Shape
from warploom.ir import types
from warploom.ir.core import Const, Operand, Region, Value, is_undefined
from warploom.passes.vector.widen import Lanes, Widener


def _types(w: Widener, value: Value, shape: Shape) -> list[str]:
    """The types of what `_parts` gives for one row."""
    if shape.is_vector:
        return [w.vector_of(value.type)]
    return [value.type, "i64"] if _has_wide(value.type, shape) else [value.type]


def parts_of(w: Widener, operand: Operand, shape: Shape, row: int) -> list[Operand]:
    """A value in the form that `shape` says; its own shape may say more."""
    if shape.is_vector:
        return [w.vector(operand, row)]
    if is_undefined(operand):
        return [Const(each, "poison") for each in _types(w, Value(operand.type), shape)]
    base = w.scalar(operand, row)
    return [base, w.wide(operand, row)] if _has_wide(operand.type, shape) else [base]


def flattened(w: Widener, operands: Sequence[Operand], shapes: Sequence[Shape]) -> list[Operand]:
    """The operands, each in the form that its shape says, row by row."""
    return [
        part
        for operand, shape in zip(operands, shapes, strict=True)
        for row in w.rows_of(shape.dims)
        for part in parts_of(w, operand, shape, row)
    ]


def bind(w: Widener, values: Sequence[Value], shapes: Sequence[Shape]) -> list[Value]:
    """New values for those that a loop or `if` passes on."""
    made: list[Value] = []
    for value, shape in zip(values, shapes, strict=True):
        rows: list[Lanes] = []
        for _ in w.rows_of(shape.dims):
            parts = [Value(each, value.name) for each in _types(w, value, shape)]
            made += parts
            if shape.is_vector:
                rows.append(Lanes(vector=parts[0]))
            else:
                rows.append(Lanes(parts[0], shape.stride or 0, parts[1] if len(parts) > 1 else None))
        w.values[value] = rows
    return made


def shapes_of(w: Widener, values: Sequence[Operand]) -> list[Shape]:
    """What of the shapes of values goes through regions and loops."""
    return [w.shapes.of(each).kept for each in values]


def side(w: Widener, source: Region, shapes: Sequence[Shape]) -> None:
    """Write the ops of `source`, and a yield of what it yields in the forms of `shapes`."""
    w.region(source)
    w.build.terminate("yield", flattened(w, source.terminator.operands, shapes))


def _has_wide(type_: str, shape: Shape) -> bool:
    """Whether a value has a second base that does not wrap."""
    return shape.exact and not shape.is_uniform and types.is_int(type_) and type_ != "i64"
