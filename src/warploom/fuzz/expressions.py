# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of a wanted C type that are the same for all threads of the grid, a block or a warp, or differ.

Every expression is defined for all values of its operands (division, shifts and conversions go through functions of
prelude.cuh; arithmetic is unsigned) and has one result: floating point is never reassociated or contracted (the program
is compiled with -fmad=false).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import IntEnum

from warploom.core.records import dataclass, field
from warploom.fuzz.tree import Expr

SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("f32", "f64")
TYPES = INTEGERS + FLOATS
BOOL = "bool"


class Level(IntEnum):
    """Who agrees on a value, or runs through a piece of code together. A lower level serves where a higher is asked."""

    GRID = 0
    BLOCK = 1
    WARP = 2
    THREAD = 3


@dataclass(frozen=True)
class Variable:
    """A local variable or a parameter; `fixed`: never assigned (a loop counter)."""

    name: str
    type: str
    level: Level
    fixed: bool = False


# Makes an expression from memory that may be read now: (type, level of the index) -> expression, or None.
Source = Callable[[str, Level, int], Expr | None]


@dataclass
class Scope:
    """What an expression may name. `loads`: how much of it comes from memory; `more_math`: all exact functions."""

    rng: random.Random
    variables: list[Variable] = field(default_factory=list[Variable])
    sources: list[Source] = field(default_factory=list[Source])
    loads: float = 0.0
    more_math: bool = False


IDS: tuple[tuple[str, Level], ...] = (
    ("tid", Level.THREAD), ("gid", Level.THREAD), ("lane", Level.THREAD), ("threadIdx.x", Level.THREAD),
    ("threadIdx.y", Level.THREAD), ("threadIdx.z", Level.THREAD), ("warp", Level.WARP), ("blockIdx.x", Level.BLOCK),
    ("blockIdx.y", Level.BLOCK), ("blockDim.x", Level.GRID), ("gridDim.x", Level.GRID), ("threads", Level.GRID),
    ("block", Level.BLOCK), ("n", Level.GRID), ("a", Level.GRID),
)  # fmt: skip
# Exact, or rounded once, and defined for all operands.
MATH, MORE_MATH = ("sqrt", "fabs", "trunc", "floor"), ("sqrt", "fabs", "trunc", "floor", "ceil", "rint", "round")
BINARY_MATH = ("smaller", "larger", "fmod")
# Of u32 -> u32.
UNARY_WORDS = ("__popc", "__clz", "__brev", "__ffs", "~", "abs")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def expression(scope: Scope, type_: str, level: Level, depth: int) -> Expr:
    """A random expression of `type_` and at most `level`."""
    if type_ == BOOL:
        return condition(scope, level, depth)
    if depth <= 0 or scope.rng.random() < 0.25:
        return leaf(scope, type_, level)
    if scope.loads and scope.rng.random() < scope.loads:
        return from_memory(scope, type_, level, depth)
    return floating(scope, type_, level, depth) if type_ in FLOATS else integer(scope, type_, level, depth)


def leaf(scope: Scope, type_: str, level: Level) -> Expr:
    """A constant, a variable or an id."""
    rng = scope.rng
    variables = [each for each in scope.variables if each.level <= level]
    kind = rng.random()
    if variables and kind < 0.6:
        variable = rng.choice(variables)
        return converted(Expr(variable.type, [variable.name]), type_)
    if kind < 0.8:
        name = rng.choice([name for name, each in IDS if each <= level])
        return converted(Expr("u32", [name]), type_)
    return constant(rng, type_)


def constant(rng: random.Random, type_: str) -> Expr:
    """A constant; small ones and those at the edges of the type are likely."""
    if type_ in FLOATS:
        suffix = "f" if type_ == "f32" else ""
        return Expr(type_, [f"{rng.choice((0.0, 1.0, -1.0, 0.5, 3.25, -17.0, 1e6, 0.1))!r}{suffix}"])
    width = int(type_[1:])
    value = rng.choice((0, 1, 2, 3, 7, 31, 32, 255, rng.getrandbits(width), (1 << width) - 1, 1 << (width - 1)))
    return Expr(type_, [f"{type_}({value & ((1 << width) - 1)}u{'ll' if width == 64 else ''})"])


def converted(expr: Expr, type_: str) -> Expr:
    """`expr` as `type_`."""
    if expr.type == type_:
        return expr
    if expr.type in FLOATS and type_ in INTEGERS:
        return Expr(type_, [f"whole<{type_}>(", expr, ")"])
    return Expr(type_, [f"{type_}(", expr, ")"])


def integer(scope: Scope, type_: str, level: Level, depth: int) -> Expr:
    """An integer expression that is no leaf."""
    rng = scope.rng
    wide = "u64" if type_.endswith("64") else "u32"

    def below(other: str = type_) -> Expr:
        return expression(scope, other, level, depth - 1)

    kind = rng.randrange(12)
    if kind < 5:
        operator = rng.choice(("+", "-", "*", "&", "|", "^"))
        return Expr(type_, [f"{type_}({wide}(", below(), f") {operator} {wide}(", below(), "))"])
    if kind == 5:
        name = rng.choice(("shifted_left", "shifted_right"))
        return Expr(type_, [f"{name}<{type_}>(", below(), ", ", below("u32"), ")"])
    if kind == 6:
        name = rng.choice(("divided", "remainder_of"))
        return Expr(type_, [f"{name}<{type_}>(", below(), ", ", below(), ")"])
    if kind == 7:
        return Expr(type_, ["(", below(BOOL), " ? ", below(), " : ", below(), ")"])
    if kind == 8:
        name = rng.choice(UNARY_WORDS)
        inner = "i32" if name == "abs" else "u32"
        # The argument of abs stays off INT_MIN.
        return converted(Expr("u32", [f"u32({name}({inner}(", below(inner), " >> 1)))"]), type_)
    if kind == 9:
        return converted(below(rng.choice(TYPES)), type_)
    return from_memory(scope, type_, level, depth)


def floating(scope: Scope, type_: str, level: Level, depth: int) -> Expr:
    """A floating-point expression that is no leaf."""
    rng = scope.rng

    def below(other: str = type_) -> Expr:
        return expression(scope, other, level, depth - 1)

    kind = rng.randrange(10)
    if kind < 3:
        return Expr(type_, ["(", below(), f" {rng.choice('+-*')} ", below(), ")"])
    if kind == 3:
        return Expr(type_, ["quotient(", below(), ", ", below(), ")"])
    if kind == 4:
        if scope.more_math and rng.random() < 0.3:
            return Expr(type_, [f"{rng.choice(BINARY_MATH)}(", below(), ", ", below(), ")"])
        name = rng.choice(MORE_MATH if scope.more_math else MATH)
        return Expr(type_, [f"{name}(", below(), ")"])
    if kind == 5:
        return Expr(type_, ["fma(", below(), ", ", below(), ", ", below(), ")"])
    if kind == 6:
        return Expr(type_, ["(", below(BOOL), " ? ", below(), " : ", below(), ")"])
    if kind < 9:
        return converted(below(rng.choice(TYPES)), type_)
    return from_memory(scope, type_, level, depth)


def condition(scope: Scope, level: Level, depth: int) -> Expr:
    """A truth value."""
    rng = scope.rng
    if depth > 0 and rng.random() < 0.2:
        one, other = condition(scope, level, depth - 1), condition(scope, level, depth - 1)
        return Expr(BOOL, ["(", one, rng.choice((" && ", " || ", " != ")), other, ")"])
    if rng.random() < 0.3:  # about half of the values
        return Expr(BOOL, ["((", expression(scope, "u32", level, depth - 1), f" & {rng.choice((1, 2, 3, 4))}) != 0)"])
    type_ = rng.choice(("i32", "u32", "i32", "u32", *TYPES))
    one, other = expression(scope, type_, level, depth - 1), expression(scope, type_, level, depth - 1)
    return Expr(BOOL, ["(", one, f" {rng.choice(COMPARISONS)} ", other, ")"])


def from_memory(scope: Scope, type_: str, level: Level, depth: int) -> Expr:
    """A load."""
    source = scope.rng.choice([*scope.sources, None])
    found = source(type_, level, depth) if source is not None else None
    return found or input_element(scope, type_, level, depth)


def input_element(scope: Scope, type_: str, level: Level, depth: int) -> Expr:
    """A load from the read-only input, which is read as numbers of any width."""
    rng = scope.rng
    view = rng.choice(("i32", "i32", "i32", "u8", "i16", "u64"))
    count = 1024 * 4 // (int(view[1:]) // 8)
    near = Expr("u32", ["u32(gid + ", constant(rng, "u8"), ")"])
    index = near if level is Level.THREAD and rng.random() < 0.3 else expression(scope, "u32", level, depth - 1)
    return converted(Expr(view, [f"((const {view} *)in)[", index, f" % {count}u]"]), type_)
