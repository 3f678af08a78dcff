# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of numbers that kernels in Python may call: of `math`, `cmath`, `operator`, NumPy, and Python's own."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from warploom.pyjit.arithmetic import binary, comparison, power, unary
from warploom.pyjit.numbers import scalar_type
from warploom.pyjit.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    FLOAT32,
    HALF,
    INT,
    INT32,
    Scalar,
    Tuple,
    Type,
    arithmetic,
    unified,
    widened,
)
from warploom.pyjit.values import JitError, Value, converted, truth, tuple_of

Maker = Callable[[Sequence[Value]], Value]


def count_of(values: Sequence[Value], name: str, *counts: int) -> None:
    """JitError for another number of arguments than these."""
    if len(values) not in counts:
        raise JitError(f"{name} takes {' or '.join(map(str, counts))} arguments, not {len(values)}")


def _float_type(values: Sequence[Value]) -> Scalar:
    kinds = {value.scalar for value in values}
    if kinds == {FLOAT32} or kinds == {HALF}:
        return FLOAT32
    return FLOAT32 if kinds == {FLOAT32, HALF} else FLOAT


def of_floats(name: str, count: int = 1, *, result: Scalar | None = None) -> Maker:
    """A function of C's with a version for each float; complex arguments have one of complex.cuh."""

    def make(values: Sequence[Value]) -> Value:
        count_of(values, name, count)
        if any(value.scalar.kind == "c" for value in values):
            return _of_complex(name, values)
        found = _float_type(values)
        arguments = ", ".join(converted(value, found) for value in values)
        call = f"{name}{'f' if found == FLOAT32 and name not in _PREDICATES else ''}({arguments})"
        if result is not None:
            return Value(f"({result.text}){call}", result)
        return _narrowed(Value(call, found), values)

    return make


def _narrowed(value: Value, values: Sequence[Value]) -> Value:
    """The result of halves is one."""
    if all(each.scalar == HALF for each in values):
        return Value(converted(value, HALF), HALF)
    return value


_PREDICATES = ("isnan", "isinf", "isfinite")
_COMPLEX = frozenset(
    """exp sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh sqrt log log10 log2 abs phase
    isnan isinf isfinite""".split()
)
_OTHER_RESULT = {"abs": FLOAT, "phase": FLOAT, "isnan": BOOL, "isinf": BOOL, "isfinite": BOOL}


def _of_complex(name: str, values: Sequence[Value]) -> Value:
    if name not in _COMPLEX or len(values) != 1:
        raise JitError(f"'{name}' is not there for complex numbers")
    found = values[0].scalar if values[0].scalar.kind == "c" else COMPLEX
    result = _OTHER_RESULT.get(name, COMPLEX)
    made = Value(f"z_{name}({converted(values[0], COMPLEX)})", result)
    if result == BOOL or found == COMPLEX:
        return made
    kind = found.part if result == FLOAT else found
    return Value(f"(({kind.text}){made.text})", kind)


def _cmath(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, f"cmath.{name}", 1)
        value = values[0]
        if value.scalar.kind != "c":
            kind = Scalar("c", 2 * _float_type(values).size)
            value = Value(converted(value, kind), kind)
        return _of_complex(name, [value])

    return make


def _complex_log(values: Sequence[Value]) -> Value:
    count_of(values, "cmath.log", 1, 2)
    made = [_cmath("log")([value]) for value in values]
    return made[0] if len(made) == 1 else binary(ast.Div(), made[0], made[1])


def _polar(values: Sequence[Value]) -> Value:
    return tuple_of([_cmath("abs")(values), _cmath("phase")(values)])


def _rect(values: Sequence[Value]) -> Value:
    count_of(values, "cmath.rect", 2)
    size, angle = (converted(value, FLOAT) for value in values)
    found = Scalar("c", 2 * _float_type(values).size)
    return Value(f"(({found.text})z_rect({size}, {angle}))", found)


def _scaled(factor: float) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, "the conversion", 1)
        found = _float_type(values)
        return _narrowed(Value(f"({converted(values[0], found)} * ({found.text}){factor.hex()})", found), values)

    return make


def absolute(values: Sequence[Value]) -> Value:
    """`abs(x)`."""
    count_of(values, "abs", 1)
    (value,) = values
    if value.scalar.kind == "c":
        return _of_complex("abs", values)
    if value.scalar.kind == "f":
        return of_floats("fabs")(values)
    if value.scalar.kind != "i":
        return value
    return Value(f"llabs({converted(value, INT)})", INT, True)


def extreme(name: str) -> Maker:
    """Python's min and max: of two or more, or of the members of a tuple."""

    def make(values: Sequence[Value]) -> Value:
        if len(values) == 1 and isinstance(values[0].type, Tuple) and values[0].parts is not None:
            values = values[0].parts
        if len(values) < 2:
            raise JitError(f"{'min' if name == 'smaller' else 'max'} takes two arguments or more")
        first, *rest = values
        for value in rest:
            found = first.scalar if first.type == value.type else arithmetic(first.scalar, value.scalar)
            is_positive = first.is_positive and value.is_positive
            if name == "larger":
                is_positive = first.is_positive or value.is_positive
            text = f"{name}<{found.text}>({converted(first, found)}, {converted(value, found)})"
            first = Value(text, found, is_positive)
        return first

    return make


def _pair(name: str) -> Maker:
    """NumPy's maximum and its like."""

    def make(values: Sequence[Value]) -> Value:
        count_of(values, name, 2)
        found = _numpy_type(*values)
        return Value(f"{name}<{found.text}>({converted(values[0], found)}, {converted(values[1], found)})", found)

    return make


def _numpy_type(one: Value, other: Value) -> Scalar:
    return one.scalar if one.type == other.type else arithmetic(one.scalar, other.scalar)


def cast(found: Scalar) -> Maker:
    """A conversion to a type of number."""

    def make(values: Sequence[Value]) -> Value:
        count_of(values, found.name, 1)
        value = values[0]
        is_positive = found.kind == "u" or (value.is_positive and found.size >= value.scalar.size)
        if value.scalar.kind == "c" and found.kind not in "bc":
            raise JitError(f"a complex number cannot become {found.name}", hint="x.real is its real part")
        return Value(converted(value, found), found, is_positive, None)

    return make


def _complex(values: Sequence[Value]) -> Value:
    count_of(values, "complex", 1, 2)
    if len(values) == 1:
        return cast(COMPLEX)(values)
    found = Scalar("c", 2 * _float_type(values).size)
    parts = ", ".join(converted(value, found.part) for value in values)
    return Value(f"{found.text}({parts})", found)


def _round(values: Sequence[Value]) -> Value:
    count_of(values, "round", 1, 2)
    if len(values) == 1:
        return Value(f"round_even({converted(values[0], FLOAT)})", INT)
    found = _float_type(values[:1])
    return Value(f"({found.text})round_to({converted(values[0], FLOAT)}, {converted(values[1], INT)})", found)


def _to_int(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        made = of_floats(name)(values)
        return Value(f"((Int){made.text})", INT)

    return make


def _pow(values: Sequence[Value]) -> Value:
    count_of(values, "pow", 2)
    return power(*values)


def _two_results(name: str, *kinds: Scalar | None) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, name, 1)
        found = _float_type(values)
        members: tuple[Type, ...] = tuple(kind or found for kind in kinds)
        return Value(f"{name}<{found.text}>({converted(values[0], found)})", Tuple(members))

    return make


def _ldexp(values: Sequence[Value]) -> Value:
    count_of(values, "math.ldexp", 2)
    found = _float_type(values[:1])
    return Value(f"ldexp({converted(values[0], found)}, {converted(values[1], INT32)})", found)


def _logical(mark: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, "a logical function", 2)
        return Value(f"({truth(values[0])} {mark} {truth(values[1])})", BOOL, True)

    return make


def _operator(op: ast.operator) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, type(op).__name__, 2)
        return binary(op, *values)

    return make


def _comparison(op: ast.cmpop) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, type(op).__name__, 2)
        return comparison(op, *values)

    return make


def _unary(op: ast.unaryop) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, type(op).__name__, 1)
        return unary(op, values[0])

    return make


def _conjugate(values: Sequence[Value]) -> Value:
    count_of(values, "conjugate", 1)
    (value,) = values
    if value.scalar.kind != "c":
        return Value(converted(value, widened(value.scalar)), widened(value.scalar))
    return Value(f"(({value.scalar.text})conjugate({converted(value, COMPLEX)}))", value.type)


def _sign(values: Sequence[Value]) -> Value:
    count_of(values, "sign", 1)
    found = widened(values[0].scalar)
    return Value(f"sign<{found.text}>({converted(values[0], found)})", found)


def _square(values: Sequence[Value]) -> Value:
    count_of(values, "square", 1)
    return Value(f"squared({values[0].text})", values[0].type)


def select(values: Sequence[Value]) -> Value:
    """One value or another, by a condition; both are evaluated."""
    count_of(values, "cuda.selp", 3)
    condition, one, other = values
    found = unified(one.type, other.type)
    if found is None:
        raise JitError(f"cuda.selp of {one.type.name} and {other.type.name}")
    return Value(f"({truth(condition)} ? {converted(one, found)} : {converted(other, found)})", found)


_MATH_NAMES = (
    "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma", "fabs", "exp2", "cbrt", "trunc", "rint",
)  # fmt: skip
_OTHER_NAMES = {"gamma": "tgamma", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh"} | {
    "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip
_TWO = {"pow": "pow", "atan2": "atan2", "hypot": "hypot", "fmod": "fmod", "copysign": "copysign"} | {
    "arctan2": "atan2", "nextafter": "nextafter", "remainder": "remainder",
}  # fmt: skip
_MATH: dict[str, Maker] = {
    **{name: of_floats(name) for name in _MATH_NAMES},
    **{name: of_floats(other) for name, other in _OTHER_NAMES.items()},
    **{name: of_floats(other, 2) for name, other in _TWO.items()},
    **{name: of_floats(name, result=BOOL) for name in _PREDICATES},
    "radians": _scaled(math.pi / 180),
    "degrees": _scaled(180 / math.pi),
    "floor": _to_int("floor"),
    "ceil": _to_int("ceil"),
    "trunc": _to_int("trunc"),
    "frexp": _two_results("fraction", None, INT32),
    "modf": _two_results("parts", None, None),
    "ldexp": _ldexp,
}
_CMATH: dict[str, Maker] = {
    **{name: _cmath(name) for name in _COMPLEX},
    "log": _complex_log,
    "polar": _polar,
    "rect": _rect,
}
_OPERATORS: dict[str, Maker] = {
    **{name: _operator(op) for name, op in {
        "add": ast.Add(), "sub": ast.Sub(), "mul": ast.Mult(), "truediv": ast.Div(), "floordiv": ast.FloorDiv(),
        "mod": ast.Mod(), "pow": ast.Pow(), "and_": ast.BitAnd(), "or_": ast.BitOr(), "xor": ast.BitXor(),
        "lshift": ast.LShift(), "rshift": ast.RShift(),
    }.items()},
    **{name: _comparison(op) for name, op in {
        "lt": ast.Lt(), "le": ast.LtE(), "gt": ast.Gt(), "ge": ast.GtE(), "eq": ast.Eq(), "ne": ast.NotEq(),
    }.items()},
    "neg": _unary(ast.USub()), "pos": _unary(ast.UAdd()), "invert": _unary(ast.Invert()), "inv": _unary(ast.Invert()),
    "not_": _unary(ast.Not()), "abs": absolute,
}  # fmt: skip
_NUMPY: dict[str, Maker] = {
    **_MATH,
    **{name: _OPERATORS[other] for name, other in {
        "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv",
        "floor_divide": "floordiv", "remainder": "mod", "mod": "mod", "power": "pow", "bitwise_and": "and_",
        "bitwise_or": "or_", "bitwise_xor": "xor", "invert": "invert", "bitwise_not": "invert", "negative": "neg",
        "positive": "pos", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "equal": "eq",
        "not_equal": "ne", "logical_not": "not_", "left_shift": "lshift", "right_shift": "rshift",
    }.items()},
    "floor": of_floats("floor"), "ceil": of_floats("ceil"), "trunc": of_floats("trunc"),
    "maximum": _pair("maximum"), "minimum": _pair("minimum"), "fmax": _pair("numeric_maximum"),
    "fmin": _pair("numeric_minimum"), "abs": absolute, "absolute": absolute, "fabs": absolute,
    "logical_and": _logical("&&"), "logical_or": _logical("||"), "logical_xor": _logical("!="),
    "deg2rad": _MATH["radians"], "rad2deg": _MATH["degrees"], "conjugate": _conjugate, "conj": _conjugate,
    "sign": _sign, "square": _square, "float_power": of_floats("pow", 2),
    "reciprocal": lambda values: binary(ast.Div(), Value("1.0f", FLOAT32), values[0]),
}  # fmt: skip
_BUILTINS: dict[Any, Maker] = {
    builtins.abs: absolute,
    builtins.min: extreme("smaller"),
    builtins.max: extreme("larger"),
    builtins.int: cast(INT),
    builtins.float: cast(FLOAT),
    builtins.bool: cast(BOOL),
    builtins.complex: _complex,
    builtins.round: _round,
    builtins.pow: _pow,
}
METHODS: dict[str, Maker] = {"conjugate": _conjugate, "conj": _conjugate}


def number_function(function: Any) -> Maker | None:
    """What makes the code of a call of a function of Python's or NumPy's; None: it is not known."""
    try:
        if function in _BUILTINS:
            return _BUILTINS[function]
    except TypeError:  # it has no hash
        return None
    home, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    if home == "math":
        return _MATH.get(name)
    if home == "cmath":
        return _CMATH.get(name)
    if home == "_operator" and function is getattr(operator, name, None):
        return _OPERATORS.get(name) or _in_place(name)
    if type(function).__name__ == "ufunc":
        return _NUMPY.get(name)
    found = scalar_type(function)
    return cast(found) if found is not None else None


def _in_place(name: str) -> Maker | None:
    return _OPERATORS.get(name.removeprefix("i")) if name != "is_" else None
