# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions of the math library work on whole vectors, and what they are called.

    expf, llvm.exp.f32, 16 lanes        ==>    __warploom_v16_exp_f32

The names alone: backend/vector_math.py compiles the functions.
"""

from __future__ import annotations

import re
from functools import cache

from warploom.core.patterns import regex

LANES = (2, 4, 8, 16, 32, 64)
# Header by header. A name that starts with `fast_` is the form under -use_fast_math, of float only.
_HEADERS = {
    "exp": "exp exp2 exp10 expm1 fast_exp fast_exp10",
    "log": "log log2 log10 log1p",
    "trig": "sin cos tan sinpi cospi fast_sin fast_cos",
    "inverse_trig": "asin acos atan atan2",
    "hyperbolic": "sinh cosh tanh asinh acosh atanh",
    "roots": "rsqrt cbrt rcbrt hypot",
    "pow": "pow fast_pow",
    "erf": "erf erfc normcdf erfinv erfcinv",
    "gamma": "lgamma tgamma",
    "modulo": "fmod remainder",
}
HEADER_OF = {name: header for header, names in _HEADERS.items() for name in names.split()}
_FASTER = frozenset(name.removeprefix("fast_") for name in HEADER_OF if name.startswith("fast_"))
TWO_ARGUMENTS = frozenset("pow atan2 hypot fmod remainder fast_pow".split())


def vector_callee(callee: str, lanes: int, *, fast: bool) -> str | None:
    """The function over `lanes` lanes that stands for calls of `callee`; None where there is none.

    `callee`: a math function of the C library or CUDA (`expf`, `erf`), or LLVM's intrinsic (`llvm.exp.f32`).
    `fast`: under -use_fast_math, where CUDA replaces some functions of float by less accurate ones.
    """
    name, kind = _scalar_function(callee)
    if fast and kind == "f32" and "fast_" + name in HEADER_OF:
        name = "fast_" + name
    if name not in HEADER_OF or lanes not in LANES:
        return None
    return f"__warploom_v{lanes}_{name}_{kind}"


def is_faster_roughly(callee: str) -> bool:
    """Whether a call of `callee` under -use_fast_math takes a less accurate function."""
    name, kind = _scalar_function(callee)
    return kind == "f32" and name in _FASTER


_VECTORS = "__warploom_v"  # asked for first: few kernels need the pattern
_VECTOR_MATHEMATICS = regex(r"__warploom_v\d+_(?:fast_)?(?P<name>\w+)_f(?P<bits>32|64)")


def vector_mathematics(callee: str) -> re.Match[str] | None:
    """Name and bits of a callee that is named like a function of the library: `__warploom_v16_fast_exp_f32`."""
    return _VECTOR_MATHEMATICS.fullmatch(callee) if callee.startswith(_VECTORS) else None


@cache
def _scalar_function(callee: str) -> tuple[str, str]:
    """Name and type of a scalar function: ("exp", "f32") for expf and llvm.exp.f32."""
    if callee.startswith("llvm."):
        name, _, kind = callee.removeprefix("llvm.").rpartition(".")
        if kind in ("f32", "f64") and "." not in name:
            return name, kind
    name = callee.removeprefix("__warploom_")
    if name in HEADER_OF and not name.startswith("fast_"):
        return name, "f64"
    return name.removesuffix("f"), "f32"


def functions(kind: str) -> list[str]:
    """The functions of the library for one type, `f32` or `f64`."""
    return [name for name in HEADER_OF if kind == "f32" or not name.startswith("fast_")]
