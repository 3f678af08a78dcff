# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host's <math.h> through ctypes, for the interpreter: what native code would call."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from warploom.core.type_names import Any
from warploom.ir.scalar import round_to, signed

Function = Callable[..., Any]

_UNARY = """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 exp10 expm1 fabs floor j0 j1 lgamma
log log10 log1p log2 logb nearbyint rint round roundeven sin sinh sqrt tan tanh tgamma trunc y0 y1"""
_BINARY = "atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder"
_OTHER: dict[str, tuple[str, str]] = {  # result and arguments: v the type itself, i int, l long
    "fma": ("v", "vvv"),
    "ldexp": ("v", "vi"),
    "scalbn": ("v", "vi"),
    "scalbln": ("v", "vl"),
    "jn": ("v", "iv"),
    "yn": ("v", "iv"),
    "ilogb": ("i", "v"),
    "lrint": ("l", "v"),
    "llrint": ("l", "v"),
    "lround": ("l", "v"),
    "llround": ("l", "v"),
}
_SIGNATURES = dict.fromkeys(_UNARY.split(), ("v", "v")) | dict.fromkeys(_BINARY.split(), ("v", "vv")) | _OTHER
_C_TYPES = {"i": ctypes.c_int, "l": ctypes.c_long}


@functools.cache
def _libm() -> ctypes.CDLL:
    from ctypes.util import find_library

    return ctypes.CDLL(find_library("m"))


def _int_arguments(function: Function, places: list[int], result_is_int: bool, width: int) -> Function:
    """Bits in and out of a C function with signed integers."""

    def call(*arguments: Any) -> Any:
        values = [signed(int(each), 32) if n in places else each for n, each in enumerate(arguments)]
        result = function(*values)
        return result & ((1 << width) - 1) if result_is_int else result

    return call


@functools.cache
def c_mathematics(name: str) -> Function | None:
    """A function of <math.h>, for double or, with `f` at the end, float."""
    double = name in _SIGNATURES
    signature = _SIGNATURES.get(name if double else name.removesuffix("f"))
    if signature is None:
        return None
    own = ctypes.c_double if double else ctypes.c_float
    try:
        function = getattr(_libm(), name)
    except AttributeError:  # exp10 and roundeven are not everywhere
        return None
    function.restype = own if signature[0] == "v" else _C_TYPES[signature[0]]
    function.argtypes = [own if letter == "v" else _C_TYPES[letter] for letter in signature[1]]
    places = [n for n, letter in enumerate(signature[1]) if letter != "v"]
    if places or signature[0] != "v":
        return _int_arguments(function, places, signature[0] != "v", 32 if signature[0] == "i" else 64)
    return function


def mathematics_for(name: str, type_: str) -> Function:
    """A function of <math.h> for a type; half and bfloat go through float. LookupError: there is none."""
    function = c_mathematics(name if type_ == "double" else name + "f")
    if function is None:
        raise LookupError(f"the C library has no {name}")
    if type_ in ("float", "double"):
        return function
    rounding = round_to(type_)
    return lambda *arguments: rounding(function(*arguments))
