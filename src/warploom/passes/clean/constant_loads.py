# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mark the loads that read constant memory, at a constant place inside of it.

    %a = gep @table, offset=8                    %a = gep @table, offset=8
    %v = load %a                          ==>    %v = load %a [constant=true]

Sound because nothing writes such memory while the kernel runs (`__constant__` variables, tables, structs passed as
parameters that are only read), and because the bytes are there wherever their address is. A load like that is pure: the
passes that share, hoist and repeat pure ops do so with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.analysis.definitions import constant_memory
from warploom.ir.core import Const, Function, Op, Operand, Value, walk
from warploom.ir.types import size_of

_Place = tuple[str | Value, int]  # name of a variable or parameter, bytes from its start


def mark_constant_loads(function: Function) -> bool:
    """Mark in the structured `function`; true if a load is new among the marked ones."""
    sizes = constant_memory(function)
    if not sizes:
        return False
    places = _starts(sizes)
    changed = False
    for op in walk(function.body):
        if op.name == "gep":
            _follow(op, places)
        elif op.name == "load" and op.operands[0] in places and not _is_special(op):
            key, start = places[op.operands[0]]
            if 0 <= start <= sizes[key] - size_of(op.result.type):
                op.attrs["constant"] = changed = True
    return changed


def constant_places(function: Function) -> dict[Operand, _Place]:
    """Where in constant memory the pointers point that do so at a constant distance from its start."""
    places = _starts(constant_memory(function))
    for op in walk(function.body):
        if op.name == "gep":
            _follow(op, places)
    return places


def _starts(sizes: Iterable[str | Value]) -> dict[Operand, _Place]:
    """Where constant memory starts."""
    return {key if isinstance(key, Value) else Const("ptr", f"@{key}"): (key, 0) for key in sizes}


def _follow(gep: Op, places: dict[Operand, _Place]) -> None:
    """Note where the result of `gep` points."""
    if gep.operands[0] in places:
        offset = _constant_offset(gep)
        if offset is not None:
            key, start = places[gep.operands[0]]
            places[gep.result] = key, start + offset


def _constant_offset(gep: Op) -> int | None:
    offset = gep.attrs["offset"]
    return offset if len(gep.operands) == 1 and isinstance(offset, int) else None


def _is_special(load: Op) -> bool:
    return any(load.attrs.get(name) for name in ("volatile", "ordering", "constant"))
