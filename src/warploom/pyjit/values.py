# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions on their way from Python to C++, and what is said when there is no way."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from warploom.diagnostics import Diagnostic
from warploom.pyjit.types import BOOL, FLOAT, INT, UINT, Scalar, Type


class JitError(Diagnostic):
    """A function in Python that is no kernel: what is not supported, where, and what to write instead."""


class NotYetTyped(Exception):
    """A variable is read whose type only a later statement tells: the next round knows."""


@dataclass(frozen=True)
class Value:
    """C++ text of an expression, and its type.

    `is_positive`: never below zero, as far as that is known. `constant`: a number known now. `parts`: of a tuple that
    is written out.
    """

    text: str
    type: Type
    is_positive: bool = False
    constant: int | float | bool | None = None
    parts: tuple[Value, ...] | None = None

    @property
    def scalar(self) -> Scalar:
        """The type of a number; JitError for anything else."""
        if not isinstance(self.type, Scalar):
            raise JitError(f"a number is wanted here, not {self.type.name}")
        return self.type


def literal(number: complex | str | bytes | None) -> Value:
    """A constant of Python's."""
    if isinstance(number, bool):
        return Value(str(number).lower(), BOOL, True, number)
    if isinstance(number, int):
        if not -(1 << 63) <= number < 1 << 64:
            raise JitError(f"{number} has more than 64 bits")
        if number >= 1 << 63:
            return Value(f"{number}ull", UINT, True, number)
        text = f"{number}ll" if number >= 0 else f"({number}ll)" if number > -(1 << 63) else "LLONG_MIN"
        return Value(text, INT, number >= 0, number)
    if isinstance(number, float):
        return Value(_float_text(number), FLOAT, constant=number)
    raise JitError(f"a kernel has no {type(number).__name__}: {number!r}")


def _float_text(number: float) -> str:
    if math.isnan(number):
        return '__builtin_nan("")'
    if math.isinf(number):
        return "__builtin_inf()" if number > 0 else "(-__builtin_inf())"
    return f"({number.hex()})"


def converted(value: Value, wanted: Type) -> str:
    """The text of a value as another type."""
    if value.type == wanted:
        return value.text
    if not isinstance(wanted, Scalar) or not isinstance(value.type, Scalar):
        raise JitError(f"{value.type.name} cannot become {wanted.name}")
    return f"(({wanted.text})({value.text}))"


def located(error: JitError, node: ast.AST, file: str) -> JitError:
    """The error with the place of `node`, unless it has one."""
    if error.file is not None:
        return error
    return JitError(error.message, file=file, line=getattr(node, "lineno", None), hint=error.hint)
