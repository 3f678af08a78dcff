# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth values that are carried as bytes become conditions.

    %b: i8 = if %c { yield 1:i8 } { yield 0:i8 }          %b: i1 = if %c { yield 1:i1 } { yield 0:i1 }
    %d: i1 = icmp %b, 0:i8 [pred=ne]                 ==>  ... %b ...
    ... %d ...

A `bool` is a byte to clang, and stays one where control flow meets and a side brings no value yet. Other passes look at
conditions only: recompute_conditions.py.

Sound because each of the values that are connected by control flow is 0, 1, a condition made wider, or nothing in
particular; and all that is ever asked of them is their lowest bit, or whether they are 0, which then is the same.
"""

from __future__ import annotations

from warploom.ir import types
from warploom.ir.core import TRUE, Const, Function, Op, Operand, Value, is_undefined, replace_uses, walk
from warploom.passes.base import Context, Pass
from warploom.passes.clean.passed_on import passed_on, with_known_sources
from warploom.passes.contracts import STRUCTURED

NAME = "narrow_booleans"
_ZERO = Const("i8", 0)
Place = tuple[Op, int]  # an operand


def is_byte(value: Operand) -> bool:
    """Whether `value` has the width of a `bool` in memory."""
    return types.is_int(value.type) and types.bits(value.type) == 8


def asks_for_truth(op: Op) -> bool:
    """Whether `op` makes a condition of a byte."""
    if op.name == "icmp":
        return is_byte(op.operands[0]) and op.operands[1] == _ZERO and op.attrs["pred"] in ("eq", "ne")
    return op.name == "trunc" and op.result.type == "i1" and is_byte(op.operands[0])


def truth_of(operand: Operand, definitions: dict[Value, Op]) -> Operand | None:
    """The condition that `operand` is as a byte; None where it is none that is known."""
    if isinstance(operand, Const):
        return Const("i1", operand.value) if is_undefined(operand) or operand.value in (0, 1) else None
    op = definitions.get(operand)
    return op.operands[0] if op is not None and op.name == "zext" and op.operands[0].type == "i1" else None


def narrowable(ops: list[Op], definitions: dict[Value, Op]) -> tuple[set[Value], list[Place]]:
    """The bytes that may be conditions, and where they get their values."""
    edges = [(holder, at, value) for op in ops for holder, at, value in passed_on(op) if is_byte(value)]
    places = {(id(holder), at) for holder, at, _ in edges}
    found = {value for _, _, value in edges}
    for op in ops:
        if not asks_for_truth(op):
            found -= {each for at, each in enumerate(op.operands) if (id(op), at) not in places and each in found}
    found = with_known_sources(edges, found, lambda source: truth_of(source, definitions) is not None)
    return found, [(holder, at) for holder, at, value in edges if value in found]


def run(function: Function, context: Context) -> bool:
    """Make conditions of all bytes of `function` that may be."""
    ops = list(walk(function.body))
    if not any(asks_for_truth(op) for op in ops):
        return False
    definitions = {value: op for op in ops for value in op.results}
    found, places = narrowable(ops, definitions)
    if not found:
        return False
    for holder, at in places:
        condition = truth_of(holder.operands[at], definitions) if holder.operands[at] not in found else None
        if condition is not None and is_byte(holder.operands[at]):
            holder.operands[at] = condition
    asking = {op for op in ops if asks_for_truth(op) and op.operands[0] in found}
    for value in found:
        value.type = "i1"
    for op in [op for op in asking if op.attrs.get("pred") == "eq"]:
        op.name, op.operands, op.attrs = "xor", [op.operands[0], TRUE], {}
        asking.remove(op)
    mapping: dict[Value, Operand] = {op.result: op.operands[0] for op in asking}
    replace_uses(function.body, mapping)
    for region in (function.body, *(region for op in ops for region in op.regions)):
        region.ops = [op for op in region.ops if op not in asking]
    context.remark(NAME, "a bool is kept as a condition instead of a byte", function.loc)
    return True


NARROW_BOOLEANS = Pass(NAME, run, requires=(STRUCTURED,))
