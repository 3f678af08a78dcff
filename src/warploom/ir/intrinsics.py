# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that the interpreter knows by name: LLVM's intrinsics and the C library's mathematics."""

from __future__ import annotations

import math
import operator

from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.dot_products import evaluator
from warploom.ir.intrinsic_arithmetic import (
    Factory,
    absolute,
    binary,
    bounded,
    choose,
    class_of,
    funnel_left,
    funnel_right,
    integer,
    leading_zeros,
    maximum,
    minimum,
    not_nan,
    reduction,
    reverse_bits,
    reverse_bytes,
    saturating_cast,
    shift_saturating_signed,
    shift_saturating_unsigned,
    signed_reduction,
    three_way,
    trailing_zeros,
    unary,
)
from warploom.ir.libm import Function, c_mathematics, mathematics_for
from warploom.ir.scalar import float_divide, round_to, signed
from warploom.ir.vector_functions import vector_mathematics

# -- the tables -------------------------------------------------------------------------------------------------------


def _by_type(name: str) -> Factory:
    return lambda arguments, _: mathematics_for(name, arguments[0])


def _first(_types: list[str], _result: str) -> Function:
    def first(value: Any, *_: Any) -> Any:
        return value

    return first


def _power_of_int(arguments: list[str], _: str) -> Function:
    power = mathematics_for("pow", arguments[0])

    def raise_to(base: float, exponent: int) -> float:
        return power(base, float(signed(exponent, 32)))

    return raise_to


def _sine_and_cosine(arguments: list[str], _: str) -> Function:
    sine, cosine = mathematics_for("sin", arguments[0]), mathematics_for("cos", arguments[0])

    def both(value: float) -> tuple[float, float]:
        return sine(value), cosine(value)

    return both


def _exponent(_: list[str], result: str) -> Function:
    mask = (1 << types.bits(types.elements(result)[1])) - 1

    def split(value: float) -> tuple[float, int]:
        digits, exponent = math.frexp(value)
        return digits, exponent & mask

    return split


def _class_test(arguments: list[str], _: str) -> Function:
    def test(value: float, mask: int) -> int:
        return int(bool(class_of(value, arguments[0]) & mask))

    return test


def _sign_test(arguments: list[str], _: str) -> Function:
    width = types.bits(arguments[0]) - 1

    def test(value: float) -> int:
        return types.float_bits(arguments[0], value) >> width

    return test


def _object_size(_: list[str], result: str) -> Function:
    """Unknown: the largest number or, where asked for, 0."""

    def size(_pointer: int, smallest: int, *_rest: int) -> int:
        return 0 if smallest else (1 << types.bits(result)) - 1

    return size


def _population(value: int) -> int:
    return int(value).bit_count()


def _is_nan(value: float) -> int:
    return int(value != value)


def _is_infinite(value: float) -> int:
    return int(math.isinf(value))


def _is_finite(value: float) -> int:
    return int(math.isfinite(value))


def _inverse_root(value: float) -> float:
    return float_divide(1.0, math.sqrt(value) if value >= 0 else math.nan)


# Element by element when given vectors. The key leaves out `llvm.` and the types at the end.
_ELEMENTWISE: dict[str, Factory] = {
    **{
        name: _by_type(name)
        for name in """acos asin atan ceil cos cosh exp exp2 exp10 fabs floor log log10 log2 nearbyint rint round
        roundeven sin sinh sqrt tan tanh trunc atan2 copysign pow fma ldexp lrint llrint lround llround""".split()
    },
    "fmuladd": _by_type("fma"),
    "powi": _power_of_int,
    "minimum": binary(minimum),
    "maximum": binary(maximum),
    "minnum": binary(not_nan(minimum)),
    "maxnum": binary(not_nan(maximum)),
    "minimumnum": binary(not_nan(minimum)),
    "maximumnum": binary(not_nan(maximum)),
    "canonicalize": _first,
    "arithmetic.fence": _first,
    "is.fpclass": _class_test,
    "fptosi.sat": saturating_cast(is_signed=True),
    "fptoui.sat": saturating_cast(is_signed=False),
    "ctpop": unary(_population),
    "ctlz": integer(leading_zeros),
    "cttz": integer(trailing_zeros),
    "bswap": integer(reverse_bytes),
    "bitreverse": integer(reverse_bits),
    "fshl": integer(funnel_left),
    "fshr": integer(funnel_right),
    "abs": integer(absolute),
    "smin": choose(min, is_signed=True),
    "smax": choose(max, is_signed=True),
    "umin": choose(min, is_signed=False),
    "umax": choose(max, is_signed=False),
    "scmp": three_way(is_signed=True),
    "ucmp": three_way(is_signed=False),
    "sshl.sat": integer(shift_saturating_signed),
    "ushl.sat": integer(shift_saturating_unsigned),
    **{
        f"{sign}{name}.{form}": bounded(function, sign == "s", form == "sat")
        for name, function in (("add", operator.add), ("sub", operator.sub), ("mul", operator.mul))
        for sign in "su"
        for form in ("sat", "with.overflow")
    },
}

# On whole values.
_WHOLE: dict[str, Factory] = {
    "expect": _first,
    "expect.with.probability": _first,
    "sincos": _sine_and_cosine,
    "modf": unary(math.modf),
    "frexp": _exponent,
    "is.constant": unary(lambda _: 0),
    "objectsize": _object_size,
    "ptrmask": binary(lambda pointer, mask: pointer & mask),
    "launder.invariant.group": _first,
    "strip.invariant.group": _first,
    "ssa.copy": _first,
    "vector.reduce.add": reduction(operator.add),
    "vector.reduce.mul": reduction(operator.mul),
    "vector.reduce.and": reduction(lambda a, b: a & b),
    "vector.reduce.or": reduction(lambda a, b: a | b),
    "vector.reduce.xor": reduction(lambda a, b: a ^ b),
    "vector.reduce.umin": reduction(min),
    "vector.reduce.umax": reduction(max),
    "vector.reduce.smin": signed_reduction(min),
    "vector.reduce.smax": signed_reduction(max),
    "vector.reduce.fadd": reduction(operator.add, start=True),
    "vector.reduce.fmul": reduction(operator.mul, start=True),
    "vector.reduce.fmin": reduction(not_nan(minimum)),
    "vector.reduce.fmax": reduction(not_nan(maximum)),
    "vector.reduce.fminimum": reduction(minimum),
    "vector.reduce.fmaximum": reduction(maximum),
}

# Without meaning for a program that runs.
NO_OPERATIONS = frozenset(
    """lifetime.start lifetime.end assume dbg.value dbg.declare dbg.assign dbg.label sideeffect donothing prefetch
    invariant.start invariant.end experimental.noalias.scope.decl var.annotation pseudoprobe fake.use""".split()
)

# Of the C library and its headers, beyond _SIGNATURES. Their argument types come with the call.
_C_OTHER: dict[str, Factory] = {
    "abs": integer(absolute),
    "labs": integer(absolute),
    "llabs": integer(absolute),
    "__isnan": unary(_is_nan),
    "__isnanf": unary(_is_nan),
    "__isinf": unary(_is_infinite),
    "__isinff": unary(_is_infinite),
    "__finite": unary(_is_finite),
    "__finitef": unary(_is_finite),
    "__signbit": _sign_test,
    "__signbitf": _sign_test,
    "rsqrt": unary(_inverse_root),
}


_MORE_RESULTS = frozenset(("sincos", "modf", "frexp"))


def base_name(callee: str) -> str:
    """`llvm.sadd.with.overflow.i32` is sadd.with.overflow: the longest name that some table has."""
    parts = callee.removeprefix("llvm.").split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in _ELEMENTWISE or name in _WHOLE or name in NO_OPERATIONS:
            return name
    return ".".join(parts)


def _over_elements(function: Function, arguments: list[str]) -> Function:
    vectors = [types.is_vector(each) for each in arguments]

    def call(*values: Any) -> Any:
        length = len(values[vectors.index(True)])
        spread = [value if vectors[n] else (value,) * length for n, value in enumerate(values)]
        return tuple(function(*each) for each in zip(*spread, strict=True))

    return call


def _element(type_: str) -> str:
    return types.element_of(type_) if type_ else type_


def _member_elements(type_: str) -> str:
    """A struct of vectors as a struct of their elements."""
    return "{ " + ", ".join(_element(each) for each in types.elements(type_)) + " }"


def _more_results_on_vectors(function: Function) -> Function:
    def call(*values: tuple[Any, ...]) -> Any:
        return tuple(zip(*[function(*each) for each in zip(*values, strict=True)], strict=True))

    return call


def _by_lane(function: Function) -> Function:
    def call(*values: tuple[Any, ...]) -> Any:
        return tuple([function(*each) for each in zip(*values, strict=True)])

    return call


def _vector_mathematics(callee: str) -> Function | None:
    """A function of our vector math library: what the C library's scalar one gives, lane by lane."""
    found = vector_mathematics(callee)
    if not found:
        return None
    type_ = "float" if found["bits"] == "32" else "double"
    if found["name"] in ("rsqrt", "rsqrt_estimate"):
        rounding = round_to(type_)

        def inverse_root(value: float) -> float:
            return rounding(_inverse_root(value))

        return _by_lane(inverse_root)
    function = c_mathematics(found["name"] + ("f" if type_ == "float" else ""))
    return _by_lane(function) if function else None


def resolve(callee: str, arguments: list[str], result: str) -> Function | None:
    """The Python function for a callee, given the types of the call; None for one that nobody knows here."""
    if not callee.startswith("llvm."):
        if callee in _C_OTHER:
            return _C_OTHER[callee](arguments, result)
        return evaluator(callee) or _vector_mathematics(callee) or c_mathematics(callee)
    name = base_name(callee)
    if name in _MORE_RESULTS and types.is_vector(arguments[0]):
        return _more_results_on_vectors(_WHOLE[name]([_element(each) for each in arguments], _member_elements(result)))
    if name in _WHOLE:
        return _WHOLE[name](arguments, result)
    if name not in _ELEMENTWISE:
        return None
    function = _ELEMENTWISE[name]([_element(each) for each in arguments], _element(result))
    if not any(types.is_vector(each) for each in arguments):
        return function
    if name.endswith("with.overflow"):
        return _more_results_on_vectors(function)
    return _over_elements(function, arguments)
