# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators between values, by numba's rules."""

from __future__ import annotations

import ast
from collections.abc import Callable

from warploom.pyjit.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    HALF,
    INT,
    Enumerated,
    Known,
    Scalar,
    Tuple,
    arithmetic,
    bitwise,
    widened,
)
from warploom.pyjit.values import JitError, Value, converted, literal, member_of, truth

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_PLAIN = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_SHIFTS: dict[type[ast.operator], str] = {ast.LShift: "shift_left", ast.RShift: "shift_right"}


def binary(op: ast.operator, left: Value, right: Value, *, checked: int = 0) -> Value:
    """Two numbers and an operator between them. `checked`: what is raised where a divisor is zero."""
    kind = type(op)
    known = _known_now(kind, left, right)
    if known is not None:
        return literal(known)
    if kind in _BITS:
        return _of_bits(_BITS[kind], left, right)
    if left.scalar.unit or right.scalar.unit:
        return _of_times(kind, left, right)
    found = arithmetic(left.scalar, right.scalar)
    both = left.is_positive and right.is_positive
    if kind in _PLAIN:
        is_positive = both and kind is not ast.Sub and found.kind not in "fc"
        text = f"({converted(left, found)} {_PLAIN[kind]} {converted(right, found)})"
        return Value(text, found, is_positive or found.kind == "u")
    if kind is ast.Pow:
        return power(left, right)
    if kind in _SHIFTS:
        return _shift(kind, left, right)
    if kind is ast.Div:
        found = found if found.kind in "fc" else FLOAT
        return Value(f"({converted(left, found)} / {_divisor(right, found, checked)})", found)
    if kind in (ast.FloorDiv, ast.Mod):
        return _quotient(kind, found, left, right, both, checked)
    raise JitError(f"the operator {kind.__name__} is not supported in a kernel")


_OF_CONSTANTS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: int(a**b),
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}


def _known_now(kind: type[ast.operator], left: Value, right: Value) -> int | None:
    """What two constants of int64 make, where that is an int64 as well; else None."""
    a, b = left.constant, right.constant
    if kind not in _OF_CONSTANTS or left.type != INT or right.type != INT or type(a) is not int or type(b) is not int:
        return None
    if (kind in (ast.FloorDiv, ast.Mod) and b == 0) or (kind in (ast.Pow, *_SHIFTS) and not 0 <= b < 64):
        return None
    found = _OF_CONSTANTS[kind](a, b)
    return found if -(1 << 63) <= found < 1 << 63 else None


def _divisor(value: Value, found: Scalar, checked: int) -> str:
    text = converted(value, found)
    if not checked or (value.constant is not None and value.constant != 0):
        return text
    return f"checked_divisor({text}, {checked})"


def unary(op: ast.unaryop, value: Value) -> Value:
    """An operator before a number."""
    if isinstance(op, ast.Not):
        return Value(f"(!{truth(value)})", BOOL, True, _negated(value))
    if value.constant is not None and isinstance(op, ast.USub) and not isinstance(value.constant, bool):
        return literal(-value.constant)
    found = widened(value.scalar)
    if isinstance(op, ast.UAdd):
        return Value(converted(value, found), found, value.is_positive)
    if isinstance(op, ast.Invert) and found.kind in "fc":
        raise JitError("a float has no bits to turn")
    if found.unit:
        raise JitError(f"{found.name} has no sign to turn")
    return Value(f"({'-' if isinstance(op, ast.USub) else '~'}{converted(value, found)})", found)


def _negated(value: Value) -> bool | None:
    if isinstance(value.type, Known):
        return not value.type.what
    return None if value.constant is None else not value.constant


def comparison(op: ast.cmpop, left: Value, right: Value) -> Value:
    """One comparison: a condition, known now for what is no number."""
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(left, right, isinstance(op, ast.Is))
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(left, right, isinstance(op, ast.In))
    for one, other in ((left, right), (right, left)):
        if isinstance(one.type, Known) or (_is_closed(one) and one.type != other.type):
            return _of_known(op, left, right)
    if _is_closed(left):
        return Value(f"({left.text} {_equality(op)} {right.text})", BOOL, True)
    if isinstance(left.type, Tuple) and isinstance(right.type, Tuple):
        return _tuples(op, left, right)
    one, other = left.scalar, right.scalar
    if one.unit or other.unit:
        _same_unit(one, other)
        text = f"({left.text} {_COMPARE[type(op)]} {right.text})"
        are_times = f"are_times({left.text}, {right.text})"
        is_other = isinstance(op, ast.NotEq)
        return Value(f"(!{are_times} || {text})" if is_other else f"({are_times} && {text})", BOOL, True)
    found = arithmetic(one, other)
    if found.kind == "f" and one.kind in "iu" and other.kind in "iu":  # 64 bits with a sign and without
        return Value(_mixed(op, left, right), BOOL, True)
    return Value(f"({converted(left, found)} {_COMPARE[type(op)]} {converted(right, found)})", BOOL, True)


def _mixed(op: ast.cmpop, left: Value, right: Value) -> str:
    return f"(compared({left.text}, {right.text}) {_COMPARE[type(op)]} 0)"


def _is_closed(value: Value) -> bool:
    """Whether it is a member of an enumeration that is equal to itself only."""
    return isinstance(value.type, Enumerated) and not issubclass(value.type.members, int)


def _equality(op: ast.cmpop) -> str:
    if not isinstance(op, ast.Eq | ast.NotEq):
        raise JitError("what is no number has no order")
    return _COMPARE[type(op)]


def _of_known(op: ast.cmpop, left: Value, right: Value) -> Value:
    """What is known now, or a member of an enumeration, beside something else."""
    mark = _equality(op)
    is_same = isinstance(left.type, Known) and isinstance(right.type, Known) and left.type.what == right.type.what
    return literal(is_same == (mark == "=="))


def _identity(left: Value, right: Value, wanted: bool) -> Value:
    if isinstance(left.type, Known) or isinstance(right.type, Known):
        is_same = isinstance(left.type, Known) and isinstance(right.type, Known) and left.type.what is right.type.what
        return literal(is_same == wanted)
    if isinstance(left.type, Enumerated) or isinstance(right.type, Enumerated):
        if left.type != right.type:
            return literal(not wanted)
        return Value(f"({left.text} {'==' if wanted else '!='} {right.text})", BOOL, True)
    if left.scalar.kind == right.scalar.kind == "b":
        return Value(f"({left.text} {'==' if wanted else '!='} {right.text})", BOOL, True)
    raise JitError("numbers are not the same object in a kernel", hint="== compares them")


def _membership(left: Value, right: Value, wanted: bool) -> Value:
    if not isinstance(right.type, Tuple):
        raise JitError(f"'in' asks for a tuple in a kernel, not {right.type.name}")
    members = [member_of(right, number) for number in range(len(right.type.members))]
    parts = [comparison(ast.Eq(), left, each).text for each in members] or ["false"]
    return Value(f"({'' if wanted else '!'}({' || '.join(parts)}))", BOOL, True)


def _tuples(op: ast.cmpop, left: Value, right: Value) -> Value:
    assert isinstance(left.type, Tuple)
    assert isinstance(right.type, Tuple)
    is_equal = _equality(op) == "=="
    if len(left.type.members) != len(right.type.members):
        return literal(not is_equal)
    numbers = range(len(left.type.members))
    parts = [comparison(ast.Eq(), member_of(left, each), member_of(right, each)).text for each in numbers] or ["true"]
    return Value(f"({'' if is_equal else '!'}({' && '.join(parts)}))", BOOL, True)


def _same_unit(one: Scalar, other: Scalar) -> None:
    if one.unit != other.unit:
        raise JitError(f"{one.name} and {other.name} are of different units")


def _of_times(kind: type[ast.operator], left: Value, right: Value) -> Value:
    """Dates (M8) and spans (m8) of one unit."""
    one, other = left.scalar.unit, right.scalar.unit
    if kind not in (ast.Add, ast.Sub) or one.partition("64")[2] != other.partition("64")[2]:
        raise JitError(f"{left.type.name} {kind.__name__} {right.type.name} is not supported in a kernel")
    are_dates = one.startswith("datetime"), other.startswith("datetime")
    if (kind is ast.Add and all(are_dates)) or (kind is ast.Sub and are_dates == (False, True)):
        raise JitError(f"{left.type.name} {kind.__name__} {right.type.name} is no time")
    is_date = are_dates[0] != are_dates[1]
    unit = f"{'datetime' if is_date else 'timedelta'}64{one.partition('64')[2]}"
    name = "time_sum" if kind is ast.Add else "time_difference"
    return Value(f"{name}({left.text}, {right.text})", Scalar("i", 8, unit))


def _shift(kind: type[ast.operator], left: Value, right: Value) -> Value:
    found = widened(left.scalar)
    if left.scalar.kind in "fc" or right.scalar.kind in "fc":
        raise JitError("a float has no bits to shift")
    text = f"{_SHIFTS[kind]}<{found.text}>({converted(left, found)}, {converted(right, found)})"
    return Value(text, found, left.is_positive and kind is ast.RShift)


def _of_bits(mark: str, left: Value, right: Value) -> Value:
    if left.scalar.kind in "fc" or right.scalar.kind in "fc":
        raise JitError("a float has no bits to combine")
    found = bitwise(left.scalar, right.scalar)
    signs = left.is_positive, right.is_positive
    is_positive = any(signs) if mark == "&" else all(signs)
    return Value(f"({converted(left, found)} {mark} {converted(right, found)})", found, is_positive)


def power(left: Value, right: Value) -> Value:
    """`left ** right`."""
    found = arithmetic(left.scalar, right.scalar)
    if found.kind == "c":
        double = Scalar("c", 16)
        text = f"z_pow({converted(left, double)}, {converted(right, double)})"
        return Value(text if found == double else f"(({found.text}){text})", found)
    if found.kind != "f":
        return Value(f"power<{found.text}>({converted(left, found)}, {converted(right, INT)})", found)
    if HALF in (found, left.scalar):
        return _in_float(power, left, right)
    if right.constant == 2:
        return Value(f"power<{left.scalar.text}>({left.text}, 2)", left.scalar)
    if right.scalar.kind in "iu" and left.scalar.kind == "f":  # a float32 stays one
        return Value(f"float_power({left.text}, {converted(right, INT)})", left.scalar)
    suffix = "f" if found == FLOAT32 else ""
    return Value(f"pow{suffix}({converted(left, found)}, {converted(right, found)})", found)


def _in_float(made: Callable[[Value, Value], Value], left: Value, right: Value) -> Value:
    one, other = (Value(converted(each, FLOAT32), FLOAT32) if each.scalar == HALF else each for each in (left, right))
    found = made(one, other)
    return Value(converted(found, HALF), HALF) if found.type == FLOAT32 else found


def _quotient(kind: type[ast.operator], found: Scalar, left: Value, right: Value, both: bool, checked: int) -> Value:
    if found.kind == "c":
        raise JitError("complex numbers have no remainder")
    if found == HALF:
        return _in_float(lambda one, other: _quotient(kind, FLOAT32, one, other, False, checked), left, right)
    divisor = _divisor(right, found, checked)
    if found.kind != "f" and both:  # as C++ has it
        mark = "/" if kind is ast.FloorDiv else "%"
        return Value(f"({converted(left, found)} {mark} {divisor})", found, True)
    name = "floor_divide" if kind is ast.FloorDiv else "modulo"
    arguments = f"{converted(left, found)}, {divisor}"
    call = f"{name}({arguments})" if found.kind == "f" else f"{name}<{found.text}>({arguments})"
    return Value(call, found, found.kind != "f" and kind is ast.Mod and right.is_positive)
