# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of scalar ops as Python expressions, for the interpreter's generated code.

Integers are Python ints as unsigned bits (i1 may also be a bool), floating point is Python's float. half, bfloat and
float are computed in double and rounded once: that is exact for + - * / and sqrt, since double has more than twice
their digits. An expression may use an argument more than once: arguments are names or literals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.core import Attribute
from warploom.ir.divisions import signed_divide, signed_remainder, unsigned_divide, unsigned_remainder

_FLOAT_CELL = memoryview(bytearray(4)).cast("f")

_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*"}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}
_FLOAT = {"fadd": "+", "fsub": "-", "fmul": "*"}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FCMP = {
    "false": "False",
    "oeq": "{0} == {1}",
    "ogt": "{0} > {1}",
    "oge": "{0} >= {1}",
    "olt": "{0} < {1}",
    "ole": "{0} <= {1}",
    "one": "({0} < {1} or {0} > {1})",
    "ord": "({0} == {0} and {1} == {1})",
    "uno": "({0} != {0} or {1} != {1})",
    "ueq": "not ({0} < {1} or {0} > {1})",
    "ugt": "not {0} <= {1}",
    "uge": "not {0} < {1}",
    "ult": "not {0} >= {1}",
    "ule": "not {0} > {1}",
    "une": "{0} != {1}",
    "true": "True",
}


class Undefined(Exception):
    """The program did something that has no meaning, such as a trap."""


# -- rounding ---------------------------------------------------------------------------------------------------------


def round_float(value: float) -> float:
    """`value` as a C float."""
    _FLOAT_CELL[0] = value
    return _FLOAT_CELL[0]


def _round_narrow(value: float, digits: int, smallest: int, largest: float) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    exponent = max(math.frexp(value)[1] - digits, smallest)
    rounded = math.ldexp(round(math.ldexp(value, -exponent)), exponent)
    if abs(rounded) > largest:
        return math.copysign(math.inf, value)
    return math.copysign(rounded, value)


def round_half(value: float) -> float:
    """`value` as an IEEE half."""
    return _round_narrow(value, 11, -24, 65504.0)


def round_bfloat(value: float) -> float:
    """`value` as a bfloat."""
    return _round_narrow(value, 8, -133, float.fromhex("0x1.fep127"))


def round_to(type_: str) -> Callable[[float], float]:
    """What rounds to a type."""
    return {"half": round_half, "bfloat": round_bfloat, "float": round_float, "double": float}[type_]


ROUND_NAMES = {"half": "round_half", "bfloat": "round_bfloat", "float": "round_float"}


def int_to_float(value: int, type_: str) -> float:
    """A signed integer as floating point, rounded once."""
    if abs(value) < 1 << 53:
        return round_to(type_)(float(value))
    if type_ != "double":
        # Round to odd at 32 digits: what comes after them can no longer tip the balance.
        extra = abs(value).bit_length() - 32
        kept = abs(value) >> extra
        sticky = kept | (kept << extra != abs(value))
        wide = math.copysign(math.ldexp(float(sticky), extra), value)
        return round_to(type_)(wide)
    return float(value) if abs(value) < 1 << 1023 else math.copysign(math.inf, value)


# -- division ---------------------------------------------------------------------------------------------------------


def signed(value: int, width: int) -> int:
    """The signed meaning of `width` bits."""
    sign = 1 << (width - 1)
    return (value ^ sign) - sign


def float_divide(a: float, b: float) -> float:
    """fdiv in double."""
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def float_remainder(a: float, b: float) -> float:
    """frem: exact, so that no rounding follows."""
    if b == 0 or math.isinf(a) or a != a or b != b:
        return math.nan
    return math.fmod(a, b)


def float_to_int(value: float, width: int, is_signed: bool, poison: Callable[[], int]) -> int:
    """fptosi and fptoui: poison when it does not fit."""
    if not math.isfinite(value):
        return poison()
    whole = int(value)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    return whole & ((1 << width) - 1) if low <= whole <= high else poison()


# What the expressions below call.
RUNTIME: dict[str, Any] = {
    "round_float": round_float,
    "round_half": round_half,
    "round_bfloat": round_bfloat,
    "unsigned_divide": unsigned_divide,
    "unsigned_remainder": unsigned_remainder,
    "signed_divide": signed_divide,
    "signed_remainder": signed_remainder,
    "float_divide": float_divide,
    "float_remainder": float_remainder,
    "float_to_int": float_to_int,
    "int_to_float": int_to_float,
    "float_bits": types.float_bits,
    "float_value": types.float_value,
    "NAN": math.nan,
    "INF": math.inf,
}


# -- expressions ------------------------------------------------------------------------------------------------------


def signed_text(text: str, width: int) -> str:
    """The signed meaning of an unsigned expression."""
    sign = 1 << (width - 1)
    return f"(({text} ^ {sign}) - {sign})"


def icmp_text(predicate: str, a: str, b: str, width: int) -> str:
    """An integer comparison."""
    if predicate in ("eq", "ne"):
        return f"{a} {_COMPARE[predicate]} {b}"
    operator = _COMPARE[predicate[1:]]
    if predicate[0] == "u":
        return f"{a} {operator} {b}"
    # Flipping the sign bit maps signed order to unsigned order.
    sign = 1 << (width - 1)
    return f"({a} ^ {sign}) {operator} ({b} ^ {sign})"


def needs_rounding(name: str, type_: str) -> bool:
    """Whether the expression of op `name` is exact, or in double, and must be rounded to `type_`."""
    return type_ in ROUND_NAMES and name in ("fadd", "fsub", "fmul", "fdiv", "fptrunc")


def _shift_text(name: str, a: str, b: str, width: int, poison: str) -> str:
    shifted = {
        "shl": f"{a} << {b} & {(1 << width) - 1}",
        "lshr": f"{a} >> {b}",
        "ashr": f"{signed_text(a, width)} >> {b} & {(1 << width) - 1}",
    }[name]
    if b.isdigit():
        return shifted if int(b) < width else poison
    return f"({shifted} if {b} < {width} else {poison})"


def _integer_text(name: str, args: list[str], width: int, poison: str) -> str | None:
    a, b = args[0], args[-1]
    mask = (1 << width) - 1
    if name in _ARITHMETIC:
        return f"({a} {_ARITHMETIC[name]} {b}) & {mask}"
    if name in _BITWISE:
        return f"{a} {_BITWISE[name]} {b}"
    if name in ("shl", "lshr", "ashr"):
        return _shift_text(name, a, b, width, poison)
    if name in ("udiv", "urem"):
        return f"unsigned_{'divide' if name == 'udiv' else 'remainder'}({a}, {b}, {width})"
    if name in ("sdiv", "srem"):
        return f"signed_{'divide' if name == 'sdiv' else 'remainder'}({a}, {b}, {width})"
    return None


def _float_text(name: str, args: list[str]) -> str | None:
    if name in _FLOAT:
        return f"{args[0]} {_FLOAT[name]} {args[1]}"
    if name == "fneg":
        return f"-{args[0]}"
    if name in ("fdiv", "frem"):
        return f"float_{'divide' if name == 'fdiv' else 'remainder'}({args[0]}, {args[1]})"
    return None


def _cast_text(name: str, a: str, source: str, target: str, poison: str) -> str | None:
    if name in ("zext", "inttoptr", "fpext", "fptrunc", "ptrtoint", "freeze"):
        narrow = name in ("ptrtoint", "inttoptr") and types.bits(target) < types.bits(source)
        return f"{a} & {(1 << types.bits(target)) - 1}" if narrow else a
    if name == "trunc":
        return f"{a} & {(1 << types.bits(target)) - 1}"
    if name == "sext":
        return f"{signed_text(a, types.bits(source))} & {(1 << types.bits(target)) - 1}"
    if name in ("fptosi", "fptoui"):
        return f"float_to_int({a}, {types.bits(target)}, {name == 'fptosi'}, lambda: {poison})"
    if name in ("uitofp", "sitofp"):
        value = a if name == "uitofp" else signed_text(a, types.bits(source))
        return f"int_to_float({value}, {target!r})"
    return None


def bitcast_text(a: str, source: str, target: str) -> str:
    """A bitcast between scalars."""
    if types.is_float(source) == types.is_float(target):
        if types.is_float(source) and source != target:
            return f"float_value({target!r}, float_bits({source!r}, {a}))"
        return a
    return f"float_bits({source!r}, {a})" if types.is_float(source) else f"float_value({target!r}, {a})"


def expression(
    name: str, args: list[str], source: str, target: str, attrs: Mapping[str, Attribute], poison: str
) -> str | None:
    """The expression of a scalar op; None for other ops. `source` is the type of the first operand, `poison` an
    expression for a value that is undefined."""
    if name == "icmp":
        return icmp_text(str(attrs["pred"]), args[0], args[1], types.bits(source))
    if name == "fcmp":
        return _FCMP[str(attrs["pred"])].format(args[0], args[1])
    if name == "select":
        return f"{args[1]} if {args[0]} else {args[2]}"
    if name == "bitcast":
        return bitcast_text(args[0], source, target)
    cast = _cast_text(name, args[0], source, target, poison)
    if cast is not None:
        return cast
    if types.is_float(source):
        return _float_text(name, args)
    return _integer_text(name, args, types.bits(source), poison) if types.is_int(source) else None
