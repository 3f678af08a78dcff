# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random integer expressions with rules, for judged kernels: text for CUDA, and what it is worth.

As those of expressions.py they are the same for all threads of the grid, a block or a warp, or differ, and are defined
for all values of their operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from warploom.fuzz.expressions import BOOL, COMPARISONS, IDS, Level, Scope
from warploom.fuzz.judge import Machine, inputs, wrapped
from warploom.fuzz.tree import Expr, Rule

WORDS = ("u32", "i32", "u64", "i64", "u8", "i16")
Part = str | Expr
# A value from the operands' values.
Numbers = Callable[[int], int] | Callable[[int, int], int] | Callable[[int, int, int], int]

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
_COMPARE: dict[str, Callable[[int, int], int]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
# Of u32 -> u32.
_UNARY: dict[str, Callable[[int], int]] = {
    "__popc": lambda a: a.bit_count(),
    "__clz": lambda a: 32 - a.bit_length(),
    "__brev": lambda a: int(f"{a:032b}"[::-1], 2),
    "__ffs": lambda a: (a & -a).bit_length(),
    "~": lambda a: ~a,
}


def word(scope: Scope, type_: str, level: Level, depth: int = 2) -> Expr:
    """A random expression of `type_` on which `level` agrees."""
    rng = scope.rng
    if type_ == BOOL:
        return truth(scope, level, depth)
    if depth <= 0 or rng.random() < 0.25:
        return leaf(scope, type_, level)

    def below(other: str = type_) -> Expr:
        return word(scope, other, level, depth - 1)

    kind = rng.randrange(10)
    if kind < 4:
        operator, wide = rng.choice([*_ARITHMETIC]), unsigned(type_)
        parts: list[Part] = [f"{type_}({wide}(", below(), f") {operator} {wide}(", below(), "))"]
        return of(type_, parts, _ARITHMETIC[operator])
    if kind == 4:
        return shift(type_, below(), below("u32"), right=rng.random() < 0.5)
    if kind == 5:
        return division(type_, below(), rng.choice((1, 2, 3, 7, 10, 64)), quotient=rng.random() < 0.5)
    if kind == 6:
        when, one, other = truth(scope, level, depth - 1), below(), below()
        return of(type_, ["(", when, " ? ", one, " : ", other, ")"], lambda c, x, y: x if c else y)
    if kind == 7:
        name = rng.choice([*_UNARY])
        return cast(of("u32", [f"u32({name}(", below("u32"), "))"], _UNARY[name]), type_)
    if kind == 8:
        return cast(below(rng.choice(WORDS)), type_)
    return cast(given(below("u32")), type_)


def truth(scope: Scope, level: Level, depth: int = 2) -> Expr:
    """A truth value, often one that holds for about half of the threads."""
    rng = scope.rng
    if depth > 0 and rng.random() < 0.2:
        one, other = truth(scope, level, depth - 1), truth(scope, level, depth - 1)
        operator = rng.choice(("&&", "||", "!="))
        rules: dict[str, Callable[[int, int], int]] = {
            "&&": lambda a, b: a and b,
            "||": lambda a, b: a or b,
            "!=": lambda a, b: a != b,
        }
        return Expr(BOOL, ["(", one, f" {operator} ", other, ")"], plain(rules[operator]))
    if rng.random() < 0.5:
        mask = rng.choice((1, 2, 3, 4, 5, 16))
        value = word(scope, "u32", level, depth - 1)
        return Expr(
            BOOL, ["((", value, f" & {mask}u) != 0u)"], lambda _machine, _thread, values: int(values[0] & mask != 0)
        )
    type_, operator = rng.choice(WORDS), rng.choice(COMPARISONS)
    one, other = word(scope, type_, level, depth - 1), word(scope, type_, level, depth - 1)
    return Expr(BOOL, ["(", one, f" {operator} ", other, ")"], plain(_COMPARE[operator]))


def leaf(scope: Scope, type_: str, level: Level) -> Expr:
    """A constant, a variable or an id."""
    rng = scope.rng
    variables = [each for each in scope.variables if each.level <= level]
    kind = rng.random()
    if variables and kind < 0.6:
        variable = rng.choice(variables)
        return cast(named(variable.name, variable.type), type_)
    if kind < 0.8:
        return cast(named(rng.choice([name for name, each in IDS if each <= level]), "u32"), type_)
    width = int(type_[1:])
    value = rng.choice((0, 1, 2, 3, 7, 31, 32, 255, rng.getrandbits(width), (1 << width) - 1, 1 << (width - 1)))
    return constant(type_, value)


# -- parts that kinds build from ------------------------------------------------------------------------------------


def named(name: str, type_: str) -> Expr:
    """A variable or an id."""

    def rule(machine: Machine, thread: int, _values: Sequence[int]) -> int:
        return machine.names[name][thread]

    return Expr(type_, [name], rule)


def constant(type_: str, value: int) -> Expr:
    """A number."""
    bits, number = value & ((1 << int(type_[1:])) - 1), wrapped(type_, value)
    return Expr(
        type_, [f"{type_}({bits}u{'ll' if type_.endswith('64') else ''})"], lambda _machine, _thread, _values: number
    )


def of(type_: str, parts: list[Part], rule: Numbers) -> Expr:
    """An expression whose value `rule` computes of its operands' values, but for the range of its type."""
    apply: Callable[..., int] = rule
    return Expr(type_, parts, lambda _machine, _thread, values: wrapped(type_, apply(*values)))


def plain(rule: Callable[[int, int], int]) -> Rule:
    """A rule for truth values."""
    return lambda _machine, _thread, values: int(bool(rule(values[0], values[1])))


def cast(expr: Expr, type_: str) -> Expr:
    """`expr` as `type_`."""
    return expr if expr.type == type_ else of(type_, [f"{type_}(", expr, ")"], lambda x: x)


def given(index: Expr) -> Expr:
    """A load from the read-only input."""

    def rule(_machine: Machine, _thread: int, values: Sequence[int]) -> int:
        return inputs()[values[0] % 1024]

    return Expr("i32", ["in[", index, " % 1024u]"], rule)


def shift(type_: str, value: Expr, by: Expr, *, right: bool) -> Expr:
    """A shift by fewer bits than there are."""
    most = int(type_[1:]) - 1
    if right:
        return of(type_, [f"{type_}(", value, " >> (", by, f" & {most}u))"], lambda a, b: a >> (b & most))
    return of(type_, [f"{type_}(u64(", value, ") << (", by, f" & {most}u))"], lambda a, b: a << (b & most))


def division(type_: str, value: Expr, by: int, *, quotient: bool) -> Expr:
    """A quotient, or a remainder, of a positive constant."""

    def rule(a: int) -> int:
        whole = abs(a) // by * (1 if a >= 0 else -1)
        return whole if quotient else a - whole * by

    return of(type_, [f"{type_}(", value, f" {'/' if quotient else '%'} {type_}({by}))"], rule)


def unsigned(type_: str) -> str:
    """The unsigned type in which `type_` computes."""
    return "u64" if type_.endswith("64") else "u32"
