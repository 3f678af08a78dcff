# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The value of a scalar op whose operands are constants."""

from __future__ import annotations

from functools import lru_cache
from types import CodeType

from warploom.core.deferred import deferred
from warploom.core.type_names import TYPE_CHECKING, Any
from warploom.ir import types
from warploom.ir.core import Const, Op
from warploom.ir.scalar import RUNTIME, Undefined, expression, needs_rounding, round_to

if TYPE_CHECKING:
    from warploom.ir import literal
else:
    literal = deferred("warploom.ir.literal")

_POISON = "poison()"


class _Poison(Exception):
    """The result is poison."""


def _poison() -> int:
    raise _Poison


_NAMES: dict[str, Any] = {**RUNTIME, "poison": _poison, "__builtins__": None}


def evaluate(op: Op) -> Const | None:
    """The constant that `op` computes; None unless all operands are numbers and the result is one."""
    if len(op.results) != 1 or op.regions or not op.operands or op.name in ("freeze", "gep", "call"):
        return None
    target = op.result.type
    if not _is_scalar(target):
        return None
    arguments: list[str] = []
    for operand in op.operands:
        if not isinstance(operand, Const) or not isinstance(operand.value, int) or not _is_scalar(operand.type):
            return None
        arguments.append(_literal(operand, operand.value))
    text = expression(op.name, arguments, op.operands[0].type, target, op.attrs, _POISON)
    if text is None:
        return None
    try:
        value = eval(_compiled(text), _NAMES)
    except (_Poison, Undefined):
        return None
    if types.is_float(target):
        rounded = round_to(target)(value) if needs_rounding(op.name, target) else value
        # Which NaN comes out is the machine's business.
        return Const(target, types.float_bits(target, rounded)) if rounded == rounded else None
    return Const(target, int(value))


def _is_scalar(type_: str) -> bool:
    return types.is_int(type_) or types.is_float(type_)


def _literal(const: Const, value: int) -> str:
    return literal.float_text(types.float_value(const.type, value)) if types.is_float(const.type) else str(value)


@lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    return compile(text, "<constant>", "eval")
