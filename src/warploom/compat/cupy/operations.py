# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's ufuncs in CUDA C++, for fused kernels: those whose result is defined alike in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from warploom.compat.cupy.parameters import DType, c_name

PREAMBLE = """
namespace warploom_fused {
template <class T> __device__ T quotient(T a, T b) {  // towards minus infinity; by zero it is zero, as in NumPy
  if (b == 0) return 0;
  if constexpr (T(-1) < T(0)) { if (b == T(-1)) return T(0 - (unsigned long long)a); }
  const T q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}
template <class T> __device__ T rest(T a, T b) {
  if (b == 0) return 0;
  if constexpr (T(-1) < T(0)) { if (b == T(-1)) return 0; }
  const T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <class T> __device__ T larger(T a, T b) { return a >= b || a != a ? a : b; }
template <class T> __device__ T smaller(T a, T b) { return a <= b || a != a ? a : b; }
template <class T> __device__ T sign(T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a; }
template <class T> __device__ T shifted_left(T a, T b) {
  return b >= 0 && b < T(8 * sizeof(T)) ? T((unsigned long long)a << b) : T(0);
}
template <class T> __device__ T shifted_right(T a, T b) {
  return b >= 0 && b < T(8 * sizeof(T)) ? T(a >> b) : a < 0 ? T(-1) : T(0);
}
}
"""
_COMPARE = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_LOGIC = {
    "logical_and": "(({0} != 0) && ({1} != 0))",
    "logical_or": "(({0} != 0) || ({1} != 0))",
    "logical_xor": "(({0} != 0) != ({1} != 0))",
    "logical_not": "({0} == 0)",
}
_BITS = {"bitwise_and": "({0} & {1})", "bitwise_or": "({0} | {1})", "bitwise_xor": "({0} ^ {1})"}
_WHOLE = {
    **_BITS,
    "invert": "~{0}",
    "floor_divide": "warploom_fused::quotient<@>({0}, {1})",
    "remainder": "warploom_fused::rest<@>({0}, {1})",
    "left_shift": "warploom_fused::shifted_left<@>({0}, {1})",
    "right_shift": "warploom_fused::shifted_right<@>({0}, {1})",
}
_BOTH = {
    "add": "({0} + {1})",
    "subtract": "({0} - {1})",
    "multiply": "({0} * {1})",
    "negative": "-{0}",
    "positive": "{0}",
    "square": "({0} * {0})",
    "maximum": "warploom_fused::larger<@>({0}, {1})",
    "minimum": "warploom_fused::smaller<@>({0}, {1})",
    "sign": "warploom_fused::sign<@>({0})",
}
_FLOAT = {
    "divide": "({0} / {1})",
    "reciprocal": "(@(1) / {0})",
    "absolute": "fabs({0})",
    "fabs": "fabs({0})",
    "degrees": "({0} * @(180.0 / M_PI))",
    "rad2deg": "({0} * @(180.0 / M_PI))",
    "radians": "({0} * @(M_PI / 180.0))",
    "deg2rad": "({0} * @(M_PI / 180.0))",
    "arctan2": "atan2({0}, {1})",
    "power": "pow({0}, {1})",
    **{name: f"{name}({{0}})" for name in "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh "
       "floor ceil trunc rint".split()},
    **{f"arc{name}": f"a{name}({{0}})" for name in "sin cos tan sinh cosh tanh".split()},
    **{name: f"{name}({{0}}, {{1}})" for name in "hypot copysign fmod fmax fmin".split()},
}  # fmt: skip
_TESTS = {"isnan": "isnan({0})", "isinf": "isinf({0})", "isfinite": "isfinite({0})", "signbit": "signbit({0})"}


def is_known(dtype: DType) -> bool:
    """Whether kernels compute with a dtype as NumPy does."""
    return dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize in (4, 8))


def c_type(dtype: DType) -> str:
    """A dtype in C++."""
    return c_name(dtype)


def cast(dtype: DType) -> str:
    """The text that makes a value one of `dtype`."""
    return "({0} != 0)" if dtype.kind == "b" else f"(({c_name(dtype)}){{0}})"


def text_of(name: str, given: Sequence[DType], result: DType) -> str | None:
    """A ufunc on operands of dtypes, in C++ with `{0}` and `{1}` for them; None: it is not known."""
    if not all(is_known(each) for each in (*given, result)):
        return None
    kind = given[0].kind
    if name in _COMPARE and len({each.kind in "iu" for each in given}) == 1 and given[0] == given[1]:
        return f"({{0}} {_COMPARE[name]} {{1}})"
    if name in _LOGIC:
        return _LOGIC[name]
    table = {"b": _BITS, "f": {**_BOTH, **_FLOAT, **_TESTS}}.get(kind, {**_BOTH, **_WHOLE})
    found = table.get(name)
    if found is None or (kind == "b") != (result.kind == "b" and name not in _TESTS):
        return None
    plain = found.replace("@", c_name(given[0]))
    return plain if result.kind == "b" else f"(({c_name(result)})({plain}))"


def literal(value: np.generic[Any]) -> str:
    """A number of NumPy's in C++."""
    plain: Any = value.item()
    name = c_name(value.dtype)
    if isinstance(plain, bool):
        return str(plain).lower()
    if isinstance(plain, int):
        if plain == -(1 << 63):
            return "(-9223372036854775807ll - 1)"
        return f"(({name}){plain}{'ull' if plain >= 1 << 63 else 'll'})"
    if plain != plain:
        return f'(({name})__builtin_nan(""))'
    if plain in (float("inf"), float("-inf")):
        return f"(({name}){'-' if plain < 0 else ''}__builtin_inf())"
    return f"(({name}){plain.hex()})"
