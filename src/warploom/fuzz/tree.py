# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree of a generated program: what the generator builds, the reducer cuts down, and `render` writes.

Text with holes: an expression holds text and expressions, a statement holds text, expressions and lists of statements.
The reducer needs no more: any statement may go, a statement may be replaced by one of its lists, an expression by a
constant of its type or by an operand.

What the judge (judge.py) is to run also holds rules: what an expression is worth, what a statement does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from warploom.core.records import dataclass, field

EXACT = ("-fmad=false", "-w")  # contraction would round differently from build to build
# (machine, thread, values of the operands) -> the expression's value in this thread.
Rule = Callable[[Any, int, Sequence[int]], int]
# (machine, threads that run the statement, statement) -> the threads that go on behind it.
Action = Callable[[Any, list[int], "Stmt"], list[int]]


@dataclass(eq=False)
class Expr:
    """An expression of C type `type`; those of judged kernels have a rule."""

    type: str
    parts: list[str | Expr]
    rule: Rule | None = None

    @property
    def operands(self) -> list[Expr]:
        """The expressions in it."""
        return [part for part in self.parts if isinstance(part, Expr)]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


@dataclass(eq=False)
class Stmt:
    """A statement; lists of statements stand between braces that are part of the text. Without an action it does
    nothing that the judge must know of (a declaration, a barrier)."""

    parts: list[str | Expr | list[Stmt]]
    action: Action | None = None

    @property
    def operands(self) -> list[Expr]:
        """The expressions in it, but for those of inner statements."""
        return [part for part in self.parts if isinstance(part, Expr)]

    @property
    def bodies(self) -> list[list[Stmt]]:
        """The lists of statements inside it."""
        return [part for part in self.parts if isinstance(part, list)]


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel: grid and block, whether the sizes stand in the source as constants, scalar arguments
    `n`, `a` and `f`."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    constant: bool
    n: int
    a: int
    f: float

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return prod(self.block)

    @property
    def size(self) -> int:
        """Threads in all."""
        return prod(self.grid) * self.threads


@dataclass(eq=False)
class Kernel:
    """One kernel: declarations (fixed), statements, launches.

    `dynamic`: bytes of dynamic shared memory a thread; `cooperative`: it has barriers of the grid; `own`: bytes of
    fields a thread; `restrict`: its pointers say that they do not alias; `helpers`: what stands before it, `headers`:
    what that includes; `prelude`: it uses functions of prelude.cuh; `judged`: the judge knows what it leaves in memory,
    of which `scratch` numbers of that array are part; `call`: the text that launches it, if not the usual, with {name},
    {grid}, {block}, {dynamic}, {arguments} and {size} (threads) in it.
    """

    name: str
    declarations: list[str]
    body: list[Stmt]
    launches: list[Launch]
    dynamic: int = 0
    cooperative: bool = False
    own: int = 0
    restrict: bool = False
    helpers: str = ""
    headers: tuple[str, ...] = ()
    judged: bool = False
    prelude: bool = True
    scratch: int = 0
    call: str = ""


@dataclass(eq=False)
class Program:
    """The kernels of one file, how it is compiled, and the engines that may run it."""

    kernels: list[Kernel] = field(default_factory=list[Kernel])
    flags: tuple[str, ...] = EXACT
    engines: tuple[str, ...] = ("reference", "loom")


def statements(body: list[Stmt]) -> Iterator[tuple[list[Stmt], Stmt]]:
    """Every statement below `body` with the list it stands in, outer before inner."""
    for stmt in list(body):
        yield body, stmt
        for inner in stmt.bodies:
            yield from statements(inner)


def expressions(body: list[Stmt]) -> Iterator[Expr]:
    """Every expression below `body`, outer before inner."""
    for _, stmt in statements(body):
        for part in stmt.parts:
            if isinstance(part, Expr):
                yield from _below(part)


def _below(expr: Expr) -> Iterator[Expr]:
    yield expr
    for part in expr.parts:
        if isinstance(part, Expr):
            yield from _below(part)


def render_body(body: list[Stmt], depth: int = 1) -> str:
    """The text of a list of statements."""
    return "".join(_render(stmt, depth) for stmt in body)


def _render(stmt: Stmt, depth: int) -> str:
    indent = "  " * depth
    text = indent
    for part in stmt.parts:
        text += f"\n{render_body(part, depth + 1)}{indent}" if isinstance(part, list) else str(part)
    return f"{text}\n"
