# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels in Python may call: numba.cuda's names, those of `math`, NumPy's functions of numbers, Python's own.

A name of the dialect is an object of class `Intrinsic`; a program imports it, and the compiler knows it again.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from warploom.pyjit.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    INT,
    INT32,
    NONE,
    SCALARS,
    UINT32,
    Scalar,
    Tuple,
    arithmetic,
    unified,
)
from warploom.pyjit.values import JitError, Value, converted

Maker = Callable[[Sequence[Value]], Value]


@dataclass(frozen=True)
class Intrinsic:
    """A name of the dialect: in a kernel it is code, outside it there is nothing to call."""

    name: str

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        raise RuntimeError(f"cuda.{self.name} has a meaning in kernels only")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Intrinsic(f"{self.name}.{name}")


def positive(text: str, found: Scalar = INT32) -> Value:
    """A number that is never below zero."""
    return Value(text, found, True)


SPECIAL: dict[str, Value] = {
    **{
        f"{group}.{axis}": positive(f"(int){group}.{axis}")
        for group in ("threadIdx", "blockIdx", "blockDim", "gridDim")
        for axis in "xyz"
    },
    "laneid": positive("(int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32)"),
    "warpsize": positive("32"),
}


def _count(values: Sequence[Value], name: str, *counts: int) -> None:
    if len(values) not in counts:
        raise JitError(f"{name} takes {' or '.join(map(str, counts))} arguments, not {len(values)}")


# -- positions --------------------------------------------------------------------------------------------------------


def _axes(values: Sequence[Value], name: str, text: Callable[[str], str]) -> Value:
    _count(values, f"cuda.{name}", 1)
    count = values[0].constant
    if count not in (1, 2, 3):
        raise JitError(f"cuda.{name} takes 1, 2 or 3")
    parts = tuple(positive(text(axis), INT) for axis in "xyz"[: int(count)])
    if len(parts) == 1:
        return parts[0]
    return Value("", Tuple(tuple(part.type for part in parts)), parts=parts)


def _grid(values: Sequence[Value]) -> Value:
    return _axes(values, "grid", lambda axis: f"((Int)blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis})")


def _gridsize(values: Sequence[Value]) -> Value:
    return _axes(values, "gridsize", lambda axis: f"((Int)gridDim.{axis} * blockDim.{axis})")


# -- functions of numbers ---------------------------------------------------------------------------------------------


def _float_type(values: Sequence[Value]) -> Scalar:
    return FLOAT32 if all(value.scalar == FLOAT32 for value in values) else FLOAT


def _math(name: str, count: int = 1, *, result: Scalar | None = None) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        _count(values, name, count)
        found = _float_type(values)
        arguments = ", ".join(converted(value, found) for value in values)
        call = f"{name}{'f' if found == FLOAT32 and name not in ('isnan', 'isinf', 'isfinite') else ''}({arguments})"
        return Value(call if result is None else f"({result.text}){call}", result or found)

    return make


def _scaled(factor: float) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        _count(values, "the conversion", 1)
        return Value(
            f"({converted(values[0], _float_type(values))} * ({_float_type(values).text}){factor.hex()})",
            _float_type(values),
        )

    return make


def _absolute(values: Sequence[Value]) -> Value:
    _count(values, "abs", 1)
    (value,) = values
    if value.scalar.kind == "f":
        return _math("fabs")(values)
    if value.scalar.kind != "i":
        return value
    return Value(f"llabs({converted(value, INT)})", INT, True)


def _extreme(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        if len(values) < 2:
            raise JitError(f"{'min' if name == 'smaller' else 'max'} takes two arguments or more")
        first, *rest = values
        for value in rest:
            found = first.type if first.type == value.type else arithmetic(first.scalar, value.scalar)
            is_positive = first.is_positive and value.is_positive
            if name == "larger":
                is_positive = first.is_positive or value.is_positive
            first = Value(f"{name}<{found.text}>({first.text}, {value.text})", found, is_positive)
        return first

    return make


def cast(found: Scalar) -> Maker:
    """A conversion to a type of number."""

    def make(values: Sequence[Value]) -> Value:
        _count(values, found.name, 1)
        value = values[0]
        is_positive = found.kind == "u" or (value.is_positive and found.size >= value.scalar.size)
        if found == BOOL:
            return Value(f"({value.text} != 0)", BOOL, True)
        return Value(converted(value, found), found, is_positive, None)

    return make


def _round(values: Sequence[Value]) -> Value:
    _count(values, "round", 1)
    return Value(f"round_even({converted(values[0], FLOAT)})", INT)


def _to_int(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        made = _math(name)(values)
        return Value(f"((Int){made.text})", INT)

    return make


def _pow(values: Sequence[Value]) -> Value:
    return _math("pow", 2)(values)


def _fixed(text: str, result: Scalar | None, *types: Scalar | None, is_positive: bool = False) -> Maker:
    """A function of CUDA's, whose arguments become `types` (None: stay as they are); no result: nothing."""

    def make(values: Sequence[Value]) -> Value:
        _count(values, text, len(types))
        pairs = zip(values, types, strict=True)
        arguments = ", ".join(converted(value, found) if found else value.text for value, found in pairs)
        return Value(f"{text}({arguments})", result or NONE, is_positive)

    return make


def _by_size(name: str, result: Scalar) -> Maker:
    """An intrinsic with a version for 32 bits and one for 64, which ends in `ll`."""

    def make(values: Sequence[Value]) -> Value:
        _count(values, name, 1)
        is_long = values[0].scalar.size == 8
        return Value(f"__{name}{'ll' if is_long else ''}({values[0].text})", result, True)

    return make


def _shuffle(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        _count(values, f"cuda.{name}", 3)
        mask, value, lane = values
        kept = value if value.scalar.size >= 4 else Value(converted(value, INT), INT)
        return Value(f"__{name}((unsigned){mask.text}, {kept.text}, (int){lane.text})", kept.type)

    return make


def _sync_warp(values: Sequence[Value]) -> Value:
    _count(values, "cuda.syncwarp", 0, 1)
    return Value(f"__syncwarp({', '.join(f'(unsigned){value.text}' for value in values)})", NONE)


def _select(values: Sequence[Value]) -> Value:
    _count(values, "cuda.selp", 3)
    condition, one, other = values
    found = unified(one.type, other.type)
    if found is None:
        raise JitError(f"cuda.selp of {one.type.name} and {other.type.name}")
    return Value(f"({condition.text} ? {converted(one, found)} : {converted(other, found)})", found)


_MATH_NAMES = (
    "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma", "fabs", "exp2", "cbrt",
)  # fmt: skip
_OTHER_NAMES = {"gamma": "tgamma", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh"} | {
    "arccosh": "acosh", "arctanh": "atanh", "absolute": "fabs", "rint": "rint", "trunc": "trunc",
}  # fmt: skip
_TWO = {"pow": "pow", "atan2": "atan2", "hypot": "hypot", "fmod": "fmod", "copysign": "copysign"} | {
    "arctan2": "atan2", "float_power": "pow", "power": "pow",
}  # fmt: skip
_MATH: dict[str, Maker] = {
    **{name: _math(name) for name in _MATH_NAMES},
    **{name: _math(other) for name, other in _OTHER_NAMES.items()},
    **{name: _math(other, 2) for name, other in _TWO.items()},
    **{name: _math(name, result=BOOL) for name in ("isnan", "isinf", "isfinite")},
    "radians": _scaled(math.pi / 180),
    "degrees": _scaled(180 / math.pi),
}

CUDA: dict[str, Maker] = {
    "grid": _grid,
    "gridsize": _gridsize,
    "syncthreads": _fixed("__syncthreads", None),
    "syncthreads_count": _fixed("__syncthreads_count", INT32, None, is_positive=True),
    "syncthreads_and": _fixed("__syncthreads_and", INT32, None, is_positive=True),
    "syncthreads_or": _fixed("__syncthreads_or", INT32, None, is_positive=True),
    "syncwarp": _sync_warp,
    "threadfence": _fixed("__threadfence", None),
    "threadfence_block": _fixed("__threadfence_block", None),
    "threadfence_system": _fixed("__threadfence_system", None),
    "all_sync": _fixed("__all_sync", BOOL, UINT32, None, is_positive=True),
    "any_sync": _fixed("__any_sync", BOOL, UINT32, None, is_positive=True),
    "ballot_sync": _fixed("__ballot_sync", UINT32, UINT32, None, is_positive=True),
    "activemask": _fixed("__activemask", UINT32, is_positive=True),
    "shfl_sync": _shuffle("shfl_sync"),
    "shfl_up_sync": _shuffle("shfl_up_sync"),
    "shfl_down_sync": _shuffle("shfl_down_sync"),
    "shfl_xor_sync": _shuffle("shfl_xor_sync"),
    "popc": _by_size("popc", INT32),
    "clz": _by_size("clz", INT32),
    "ffs": _by_size("ffs", INT32),
    "fma": _math("fma", 3),
    "cbrt": _math("cbrt"),
    "selp": _select,
    "nanosleep": _fixed("__nanosleep", None, UINT32),
}
ATOMICS = {
    "add": "atomic_add", "sub": "atomic_subtract", "max": "atomic_max", "min": "atomic_min", "and_": "atomic_and",
    "or_": "atomic_or", "xor": "atomic_xor", "exch": "atomic_exchange", "cas": "atomic_compare",
    "nanmax": "atomic_max", "nanmin": "atomic_min",
}  # fmt: skip

_BUILTINS: dict[Any, Maker] = {
    builtins.abs: _absolute,
    builtins.min: _extreme("smaller"),
    builtins.max: _extreme("larger"),
    builtins.int: cast(INT),
    builtins.float: cast(FLOAT),
    builtins.bool: cast(BOOL),
    builtins.round: _round,
    builtins.pow: _pow,
    math.floor: _to_int("floor"),
    math.ceil: _to_int("ceil"),
    math.trunc: _to_int("trunc"),
}


def maker_of(function: Any) -> Maker | None:
    """What makes the code of a call of `function`; None: it is not known."""
    if isinstance(function, Intrinsic):
        return CUDA.get(function.name)
    try:
        if function in _BUILTINS:
            return _BUILTINS[function]
    except TypeError:  # it has no hash
        return None
    home, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    if home == "math":
        return _MATH.get(name)
    if type(function).__name__ == "ufunc":
        return {"floor": _math("floor"), "ceil": _math("ceil"), "maximum": _extreme("larger")}.get(name) or {
            "minimum": _extreme("smaller"),
            "abs": _absolute,
        }.get(name, _MATH.get(name))
    found = scalar_type(function)
    return cast(found) if found is not None else None


def scalar_type(described: Any) -> Scalar | None:
    """The number that a type of NumPy's, of Python's or of the dialect is."""
    if isinstance(described, Scalar):
        return described
    if described is int:
        return INT
    if described is float:
        return FLOAT
    if described is bool:
        return BOOL
    name = getattr(described, "name", None) or getattr(described, "__name__", "")
    return SCALARS.get(str(name).rstrip("_")) if isinstance(name, str) else None
