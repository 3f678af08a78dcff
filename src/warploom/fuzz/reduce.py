# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program small: kernels, launches, statements and expressions go for as long as it still fails.

The question whether it fails is the caller's; it must say no to a program whose result depends on the order of threads,
because a barrier may have been dropped that kept it from doing so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from warploom.core.records import dataclass, field
from warploom.fuzz.expressions import BOOL, FLOATS
from warploom.fuzz.tree import Expr, Kernel, Program, Rule, Stmt, expressions, statements

T = TypeVar("T")
Question = Callable[[Program], bool]


@dataclass
class Reducer:
    """Cuts down `program` in place; `fails` is asked after each cut, which is undone when the answer is no."""

    program: Program
    fails: Question
    seconds: float = 600.0
    started: float = field(default_factory=time.monotonic)

    def run(self) -> Program:
        """Reduce until nothing helps or the time is up."""
        self.keep_fewest(self.program.kernels, least=1)
        for kernel in self.program.kernels:
            self.keep_fewest(kernel.launches, least=1)
        steps = (self.drop_statements, self.unwrap_statements, self.simplify_expressions)
        changed = True
        while changed and self.has_time():
            changed = False
            for kernel in self.program.kernels:
                for step in steps:
                    changed |= step(kernel)
        return self.program

    def has_time(self) -> bool:
        """Whether to go on."""
        return time.monotonic() - self.started < self.seconds

    def keep_fewest(self, items: list[T], least: int = 0) -> bool:
        """Drop items of a list, large parts first; true when some went."""
        before = size = len(items)
        while size >= 1:
            at = 0
            while at < len(items) and self.has_time():
                gone = items[at : at + size]
                del items[at : at + size]
                if len(items) < least or not self.fails(self.program):
                    items[at:at] = gone
                    at += size
            size //= 2
        return len(items) < before

    def drop_statements(self, kernel: Kernel) -> bool:
        """Drop statements of every list, outer lists first."""
        changed = False
        lists = [kernel.body, *(inner for _, stmt in statements(kernel.body) for inner in stmt.bodies)]
        for items in lists:
            changed |= self.keep_fewest(items)
        return changed

    def unwrap_statements(self, kernel: Kernel) -> bool:
        """Put what a statement holds in its place."""
        changed = False
        for items, stmt in list(statements(kernel.body)):
            for inner in stmt.bodies:
                changed |= stmt in items and self.replace_in(items, stmt, inner)
        return changed

    def replace_in(self, items: list[Stmt], stmt: Stmt, inner: list[Stmt]) -> bool:
        """Put `inner` in the place of `stmt` when that still fails."""
        at = items.index(stmt)
        items[at : at + 1] = inner
        if self.has_time() and self.fails(self.program):
            return True
        items[at : at + len(inner)] = [stmt]
        return False

    def simplify_expressions(self, kernel: Kernel) -> bool:
        """Put a constant, or an operand of the same type, in the place of each expression."""
        changed = False
        for expr in list(expressions(kernel.body)):
            for other in simpler(expr):
                before = expr.parts, expr.rule
                expr.parts, expr.rule = other.parts, other.rule
                if self.has_time() and self.fails(self.program):
                    changed = True
                    break
                expr.parts, expr.rule = before
        return changed


def simpler(expr: Expr) -> list[Expr]:
    """What may stand in the place of an expression, simplest first; nothing for one of the constants."""
    constants = ["1.0", "0.0"] if expr.type in FLOATS else ["1", "0"]
    texts = ["true", "false"] if expr.type == BOOL else [f"{expr.type}({value})" for value in constants]
    if str(expr) in texts:
        return []
    rules: tuple[Rule, Rule] = (lambda _machine, _thread, _values: 1, lambda _machine, _thread, _values: 0)
    found = [Expr(expr.type, [text], rule) for text, rule in zip(texts, rules, strict=True)]
    return found + [part for part in expr.operands if part.type == expr.type]
