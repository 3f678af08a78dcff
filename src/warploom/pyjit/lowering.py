# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all parts of the lowering of a function share: its scope, its statements so far, what it raises."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warploom.core.records import dataclass, field
from warploom.pyjit.types import NONE
from warploom.pyjit.values import JitError, Value, located


@dataclass
class Raised:
    """What kernels of one module raise, by number from 1: exceptions with their text, function and line."""

    errors: list[tuple[type[BaseException], tuple[Any, ...], str, int]] = field(
        default_factory=list[tuple[type[BaseException], tuple[Any, ...], str, int]]
    )

    def number(self, kind: type[BaseException], words: tuple[Any, ...], function: str, line: int) -> int:
        """The number of an exception at a place."""
        entry = kind, words, function, line
        if entry not in self.errors:
            self.errors.append(entry)
        return self.errors.index(entry) + 1


class ZeroDivision(ZeroDivisionError, FloatingPointError):
    """A division by zero in a kernel with `debug=True`: the one is numba's on a GPU, the other in its simulator."""


@dataclass
class Scope:
    """What the expressions of one function may name."""

    file: str
    names: Mapping[str, Any]  # globals, what the function closes over, and Python's own
    locals: dict[str, Value] = field(default_factory=dict[str, Value])
    assigned: frozenset[str] = frozenset()
    call: Callable[[Any, Sequence[Value], Mapping[str, Value]], Value | None] = lambda _function, _values, _named: None
    constant: Callable[[Any], Value] = lambda _array: Value("", NONE)
    raised: Raised = field(default_factory=Raised)
    function: str = ""
    is_checked: bool = False  # debug=True: divisors and indices are tested


class Lowering:
    """Lowers expressions within a scope; statements that they need first are appended to `lines`."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.lines: list[str] = []
        self.counter = 0
        self.line = 0

    def value(self, node: ast.expr) -> Value:
        """The value of an expression. Raises JitError at its line, NotYetTyped."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        self.line = node.lineno
        try:
            if method is None:
                raise JitError(f"{type(node).__name__} is not supported in a kernel")
            return method(node)
        except JitError as error:
            raise located(error, node, self.scope.file) from None

    def known(self, node: ast.expr) -> Any:
        """The object of Python's that an expression names, where that is none of the kernel's own; else None."""
        if isinstance(node, ast.Name):
            return None if node.id in self.scope.assigned else self.scope.names.get(node.id)
        if isinstance(node, ast.Attribute):
            home = self.known(node.value)
            return None if home is None else getattr(home, node.attr, None)
        return None

    def fresh(self, prefix: str) -> str:
        """A name of C++'s that nothing has."""
        self.counter += 1
        return f"{prefix}_{self.counter}"

    def kept(self, value: Value) -> Value:
        """The value in a variable of its own, evaluated here and once."""
        if value.constant is not None or value.type.text == "void":
            return value
        name = self.fresh("kept")
        self.lines.append(f"const auto {name} = {value.text};")
        return Value(name, value.type, value.is_positive)

    def error(self, kind: type[BaseException], *words: Any) -> int:
        """The number of an exception raised here, with debug=True; 0 without."""
        if not self.scope.is_checked:
            return 0
        return self.scope.raised.number(kind, words, self.scope.function, self.line)
