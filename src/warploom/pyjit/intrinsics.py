# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda's own names in kernels.

A name of the dialect is an object of class `Intrinsic`; a program imports it, and the compiler knows it again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from warploom.core.records import dataclass
from warploom.pyjit.arithmetic import binary, comparison
from warploom.pyjit.mathematics import Maker, absolute, cast, count_of, number_function, of_floats, select
from warploom.pyjit.types import (
    BOOL,
    FLOAT32,
    HALF,
    INT,
    INT32,
    NONE,
    SCALARS,
    UINT,
    UINT32,
    Known,
    Scalar,
    Tuple,
    Vector,
)
from warploom.pyjit.values import JitError, Value, converted, tuple_of


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


@dataclass(frozen=True)
class VectorName(Intrinsic):
    """A vector type of the dialect: `float32x4`, also `float4`."""

    type: Vector
    aliases: tuple[str, ...] = ()


def _vectors() -> dict[str, VectorName]:
    c_names = {"int8": ("char",), "int16": ("short",), "int32": ("int",), "int64": ("long", "longlong")}
    c_names |= {f"u{name}": tuple(f"u{each}" for each in names) for name, names in c_names.items()}
    c_names |= {"float32": ("float",), "float64": ("double",)}
    made: dict[str, VectorName] = {}
    for name, others in c_names.items():
        for count in range(1, 5):
            aliases = tuple(f"{other}{count}" for other in others)
            found = VectorName(f"{name}x{count}", Vector(SCALARS[name], count), aliases)
            made |= dict.fromkeys((found.name, *aliases), found)
    return made


VECTORS = _vectors()


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
for _group in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
    SPECIAL[_group] = Value(f"Vector<int, 3>{{(int){_group}.x, (int){_group}.y, (int){_group}.z}}", Vector(INT32, 3))


# -- positions --------------------------------------------------------------------------------------------------------


def _axes(values: Sequence[Value], name: str, text: Callable[[str], str]) -> Value:
    count_of(values, f"cuda.{name}", 1)
    count = values[0].constant
    if count not in (1, 2, 3):
        raise JitError(f"cuda.{name} takes 1, 2 or 3")
    parts = tuple(positive(text(axis), INT) for axis in "xyz"[: int(abs(count))])
    return parts[0] if len(parts) == 1 else tuple_of(parts)


def _grid(values: Sequence[Value]) -> Value:
    return _axes(values, "grid", lambda axis: f"((Int)blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis})")


def _gridsize(values: Sequence[Value]) -> Value:
    return _axes(values, "gridsize", lambda axis: f"((Int)gridDim.{axis} * blockDim.{axis})")


# -- functions of CUDA's ----------------------------------------------------------------------------------------------


def _fixed(text: str, result: Scalar | None, *types: Scalar | None, is_positive: bool = False) -> Maker:
    """A function of CUDA's, whose arguments become `types` (None: stay as they are); no result: nothing."""

    def make(values: Sequence[Value]) -> Value:
        count_of(values, text, len(types))
        pairs = zip(values, types, strict=True)
        arguments = ", ".join(converted(value, found) if found else value.text for value, found in pairs)
        return Value(f"{text}({arguments})", result or NONE, is_positive)

    return make


def _predicated(text: str) -> Maker:
    """A barrier that counts threads whose argument is not zero."""

    def make(values: Sequence[Value]) -> Value:
        count_of(values, text, 1)
        return Value(f"{text}({converted(values[0], BOOL)})", INT32, True)

    return make


def _by_size(name: str, result: Scalar | None) -> Maker:
    """An intrinsic with a version for 32 bits and one for 64, which ends in `ll`. No result: as its argument."""

    def make(values: Sequence[Value]) -> Value:
        count_of(values, name, 1)
        if values[0].scalar.kind not in "biu":
            raise JitError(f"cuda.{name} is of whole numbers")
        is_long = values[0].scalar.size == 8
        found = result or (UINT if is_long else UINT32)
        return Value(f"__{name}{'ll' if is_long else ''}({values[0].text})", found, True)

    return make


def _shuffle(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, f"cuda.{name}", 3)
        mask, value, lane = values
        kept = value if value.scalar.size >= 4 else Value(converted(value, INT), INT)
        return Value(f"__{name}((unsigned){mask.text}, {kept.text}, (int){lane.text})", kept.type)

    return make


def _sync_warp(values: Sequence[Value]) -> Value:
    count_of(values, "cuda.syncwarp", 0, 1)
    return Value(f"__syncwarp({', '.join(f'(unsigned){value.text}' for value in values)})", NONE)


def _match_any(values: Sequence[Value]) -> Value:
    count_of(values, "cuda.match_any_sync", 2)
    return Value(f"__match_any_sync({converted(values[0], UINT32)}, {values[1].text})", UINT32, True)


def _match_all(values: Sequence[Value]) -> Value:
    count_of(values, "cuda.match_all_sync", 2)
    return Value(f"match_all({converted(values[0], UINT32)}, {values[1].text})", Tuple((UINT32, BOOL)))


def _lane_mask(values: Sequence[Value]) -> Value:
    count_of(values, "cuda.lanemask_lt", 0)
    return Value(f"((1u << {SPECIAL['laneid'].text}) - 1u)", UINT32, True)


# -- halves -----------------------------------------------------------------------------------------------------------


def _half(maker: Maker) -> Maker:
    """A function of halves, which its arguments become."""

    def make(values: Sequence[Value]) -> Value:
        made = maker([cast(HALF)([value]) for value in values])
        return Value(converted(made, HALF), HALF) if made.type == FLOAT32 else made

    return make


def _operator(op: ast.operator) -> Maker:
    return _half(lambda values: binary(op, *values))


def _comparison(op: ast.cmpop) -> Maker:
    return _half(lambda values: comparison(op, *values))


def _half_fma(values: Sequence[Value]) -> Value:
    count_of(values, "cuda.fp16.hfma", 3)
    arguments = ", ".join(converted(value, HALF) for value in values)
    return Value(f"__hfma({arguments})", HALF)


def _half_extreme(name: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, f"cuda.fp16.{name}", 2)
        return Value(f"__{name}({converted(values[0], HALF)}, {converted(values[1], HALF)})", HALF)

    return make


def _half_reciprocal(text: str) -> Maker:
    def make(values: Sequence[Value]) -> Value:
        count_of(values, "a function of a half", 1)
        return Value(f"((__half)({text.format(converted(values[0], FLOAT32))}))", HALF)

    return make


_HALF: dict[str, Maker] = {
    "hadd": _operator(ast.Add()), "hsub": _operator(ast.Sub()), "hmul": _operator(ast.Mult()),
    "hdiv": _operator(ast.Div()), "hfma": _half_fma, "habs": _half(absolute),
    "hneg": lambda values: Value(f"(-{converted(values[0], HALF)})", HALF),
    "heq": _comparison(ast.Eq()), "hne": _comparison(ast.NotEq()), "hge": _comparison(ast.GtE()),
    "hgt": _comparison(ast.Gt()), "hle": _comparison(ast.LtE()), "hlt": _comparison(ast.Lt()),
    "hmax": _half_extreme("hmax"), "hmin": _half_extreme("hmin"),
    "hrcp": _half_reciprocal("1.0f / {}"), "hrsqrt": _half_reciprocal("1.0f / sqrtf({})"),
    "hexp10": _half_reciprocal("exp10f({})"),
    **{f"h{name}": _half(of_floats(name)) for name in (
        "sin", "cos", "log", "log2", "log10", "exp", "exp2", "sqrt", "ceil", "floor", "trunc", "rint",
    )},
}  # fmt: skip


def _vector(found: Vector) -> Maker:
    """A vector of numbers and vectors that make as many numbers together."""

    def make(values: Sequence[Value]) -> Value:
        parts: list[str] = []
        for value in values:
            if isinstance(value.type, Vector):
                kind = value.type.element
                members = [Value(f"{value.text}.{name}", kind) for name in "xyzw"[: value.type.count]]
                parts += [converted(member, found.element) for member in members]
            else:
                parts.append(converted(value, found.element))
        if len(parts) != found.count:
            raise JitError(f"{found.name} is made of {found.count} numbers, not {len(parts)}")
        return Value(f"{found.text}{{{', '.join(parts)}}}", found)

    return make


CUDA: dict[str, Maker] = {
    "grid": _grid,
    "gridsize": _gridsize,
    "syncthreads": _fixed("__syncthreads", None),
    "syncthreads_count": _predicated("__syncthreads_count"),
    "syncthreads_and": _predicated("__syncthreads_and"),
    "syncthreads_or": _predicated("__syncthreads_or"),
    "syncwarp": _sync_warp,
    "threadfence": _fixed("__threadfence", None),
    "threadfence_block": _fixed("__threadfence_block", None),
    "threadfence_system": _fixed("__threadfence_system", None),
    "all_sync": _fixed("__all_sync", BOOL, UINT32, None, is_positive=True),
    "any_sync": _fixed("__any_sync", BOOL, UINT32, None, is_positive=True),
    "ballot_sync": _fixed("__ballot_sync", UINT32, UINT32, None, is_positive=True),
    "activemask": _fixed("__activemask", UINT32, is_positive=True),
    "lanemask_lt": _lane_mask,
    "match_any_sync": _match_any,
    "match_all_sync": _match_all,
    "shfl_sync": _shuffle("shfl_sync"),
    "shfl_up_sync": _shuffle("shfl_up_sync"),
    "shfl_down_sync": _shuffle("shfl_down_sync"),
    "shfl_xor_sync": _shuffle("shfl_xor_sync"),
    "popc": _by_size("popc", INT32),
    "clz": _by_size("clz", INT32),
    "ffs": _by_size("ffs", INT32),
    "brev": _by_size("brev", None),
    "fma": of_floats("fma", 3),
    "cbrt": of_floats("cbrt"),
    "selp": select,
    "nanosleep": _fixed("__nanosleep", None, UINT32),
    "cg.this_grid": lambda _values: Value("cooperative_groups::this_grid()", GRID),
    **{f"fp16.{name}": maker for name, maker in _HALF.items()},
}
GRID = Known("cooperative_groups::this_grid()")
ATOMICS = {
    "add": "atomic_add", "sub": "atomic_subtract", "max": "atomic_max", "min": "atomic_min", "and_": "atomic_and",
    "or_": "atomic_or", "xor": "atomic_xor", "exch": "atomic_exchange", "cas": "atomic_compare",
    "nanmax": "atomic_nanmax", "nanmin": "atomic_nanmin", "inc": "atomic_increment", "dec": "atomic_decrement",
}  # fmt: skip


def maker_of(function: Any) -> Maker | None:
    """What makes the code of a call of `function`; None: it is not known."""
    if isinstance(function, VectorName):
        return _vector(function.type)
    if isinstance(function, Intrinsic):
        return CUDA.get(function.name)
    return number_function(function)
