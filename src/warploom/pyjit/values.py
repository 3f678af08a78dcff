# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions on their way from Python to C++, and what is said when there is no way."""

from __future__ import annotations

import ast
import enum
import math
from collections.abc import Sequence

from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.pyjit.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    UINT,
    Array,
    Enumerated,
    Fixed,
    Known,
    NoValue,
    Scalar,
    Tuple,
    Type,
    unified,
)


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
    constant: complex | bool | None = None
    parts: tuple[Value, ...] | None = None

    @property
    def scalar(self) -> Scalar:
        """The type of a number; JitError for anything else."""
        if isinstance(self.type, Enumerated) and issubclass(self.type.members, int):
            return INT
        if not isinstance(self.type, Scalar):
            raise JitError(f"a number is wanted here, not {self.type.name}")
        return self.type


def literal(found: object) -> Value:
    """A constant of Python's."""
    if isinstance(found, enum.Enum):
        return _enumerated(found)
    if isinstance(found, bool):
        return Value(str(found).lower(), BOOL, True, found)
    if isinstance(found, int):
        return _whole(found)
    if isinstance(found, float):
        return Value(_float_text(found), FLOAT, constant=found)
    if isinstance(found, complex):
        text = f"Complex<double>{{{_float_text(found.real)}, {_float_text(found.imag)}}}"
        return Value(text, COMPLEX, constant=found)
    if found is None or isinstance(found, str | bytes):
        return Value("", Known(found))
    raise JitError(f"a kernel has no {type(found).__name__}: {found!r}")


def _whole(number: int) -> Value:
    if not -(1 << 63) <= number < 1 << 64:
        raise JitError(f"{number} has more than 64 bits")
    if number >= 1 << 63:
        return Value(f"{number}ull", UINT, True, number)
    text = f"{number}ll" if number >= 0 else f"({number}ll)" if number > -(1 << 63) else "LLONG_MIN"
    return Value(text, INT, number >= 0, number)


def _enumerated(member: enum.Enum) -> Value:
    kind = type(member)
    if isinstance(member, int):
        return Value(_whole(int(member)).text, Enumerated(kind), int(member) >= 0)
    return Value(f"{list(kind).index(member)}ll", Enumerated(kind))


def _float_text(number: float) -> str:
    if math.isnan(number):
        return '__builtin_nan("")'
    if math.isinf(number):
        return "__builtin_inf()" if number > 0 else "(-__builtin_inf())"
    return f"({number.hex()})"


def tuple_of(values: Sequence[Value], names: tuple[str, ...] = ()) -> Value:
    """Several values as one."""
    for value in values:
        if isinstance(value.type, NoValue):
            raise JitError("this call gives nothing")
    made = Tuple(tuple(value.type for value in values), names)
    has_text = not any(isinstance(value.type, Known) for value in values)
    text = f"{made.text}{{{', '.join(value.text for value in values)}}}" if has_text else ""
    return Value(text, made, parts=tuple(values))


def converted(value: Value, wanted: Type) -> str:
    """The text of a value as another type. Raises JitError where there is no way."""
    if value.type == wanted:
        if isinstance(wanted, Known | NoValue):
            raise JitError(f"{wanted.name} is no value of a kernel")
        return value.text
    if isinstance(wanted, Tuple) and isinstance(value.type, Tuple):
        return _converted_tuple(value, value.type, wanted)
    if isinstance(wanted, Array) and isinstance(value.type, Array | Fixed):
        return f"{wanted.text}({view_of(value).text})"
    is_whole = isinstance(value.type, Enumerated) and issubclass(value.type.members, int)
    if not isinstance(wanted, Scalar) or not (isinstance(value.type, Scalar) or is_whole):
        raise JitError(f"{value.type.name} cannot become {wanted.name}")
    found = value.scalar
    if found.kind == "c" and wanted.kind not in "bc":
        raise JitError(f"{found.name} cannot become {wanted.name}", hint="x.real is its real part")
    if found.unit != wanted.unit and found.unit and wanted.unit:
        raise JitError(f"{found.name} cannot become {wanted.name}")
    if wanted.kind == "b" and found.kind != "b":
        return f"({value.text} != ({found.text})0)"
    return f"(({wanted.text})({value.text}))"


def _converted_tuple(value: Value, found: Tuple, wanted: Tuple) -> str:
    if len(found.members) != len(wanted.members):
        raise JitError(f"{found.name} cannot become {wanted.name}")
    parts = [member_of(value, number) for number in range(len(found.members))]
    members = zip(parts, wanted.members, strict=True)
    return f"{wanted.text}{{{', '.join(converted(*each) for each in members)}}}"


def member_of(value: Value, number: int) -> Value:
    """One of several values."""
    assert isinstance(value.type, Tuple)
    if value.parts is not None:
        return value.parts[number]
    return Value(f"member<{number}>({value.text})", value.type.members[number])


def view_of(value: Value) -> Value:
    """An array of the kernel's own as one with extents; others as they are."""
    found = value.type
    if not isinstance(found, Fixed):
        return value
    shape = found.shape or (f"dynamic_extent<{found.element.stored}>()",)
    made = Array(found.element, found.ndim, True, found.is_const)
    return Value(f"{made.text}{{{value.text}, {{{', '.join(map(str, shape))}}}}}", made)


def common(one: Value, other: Value) -> Type:
    """The type of a value that is either. Raises JitError."""
    found = unified(one.type, other.type)
    if found is None or isinstance(found, NoValue | Known):
        raise JitError(f"a value is either {one.type.name} or {other.type.name}")
    return found


def truth(value: Value) -> str:
    """A value as a condition."""
    if isinstance(value.type, Tuple):
        return str(len(value.type.members) > 0).lower()
    if isinstance(value.type, Known):
        return str(bool(value.type.what)).lower()
    return value.text if value.scalar == BOOL else converted(value, BOOL)


def known_truth(value: Value) -> bool | None:
    """Whether a condition holds, where that is known now."""
    if isinstance(value.type, Tuple):
        return len(value.type.members) > 0
    if isinstance(value.type, Known):
        return bool(value.type.what)
    return None if value.constant is None else bool(value.constant)


def located(error: JitError, node: ast.AST, file: str) -> JitError:
    """The error with the place of `node`, unless it has one."""
    if error.file is not None:
        return error
    return JitError(error.message, file=file, line=getattr(node, "lineno", None), hint=error.hint)
