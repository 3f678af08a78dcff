# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names and lines of the Python source that translate.py makes: what emitting any op needs."""

from __future__ import annotations

from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.core import Function, Op, Operand, Value
from warploom.ir.literal import const_text


class CannotTranslate(Exception):
    """The interpreter has no meaning for an op."""

    def __init__(self, op: Op, why: str) -> None:
        super().__init__(f"{op.name}: {why}")
        self.op = op


class Scope:
    """One Python function in the making."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, Op | None]] = []
        self.indent = 1
        self.loops = 0
        self.used: set[str] = set()
        self.defined: set[str] = set()


class SourceWriter:
    """Writes lines into `self.scope`, on behalf of `self.op`."""

    def __init__(self, function: Function, seeded: bool, races: bool) -> None:
        self.function = function
        self.seeded = seeded
        self.races = races
        self.scope = Scope()
        self.op: Op | None = None
        self.names: dict[Value, str] = {}
        self.made = 0
        self.namespace: dict[str, Any] = {}
        self.shared_names: dict[str, str] = {}  # Python name: shared variable
        self.globals: dict[str, str] = {}  # of a global: the Python name that holds its address
        self.callees: dict[str, str] = {}  # Python name: callee that the run must bind
        self.sites: list[Op] = []

    def emit(self, text: str) -> None:
        self.scope.lines.append(("  " * self.scope.indent + text, self.op))

    def fresh(self, hint: str) -> str:
        """A new name, defined in this function."""
        self.made += 1
        name = f"{hint}{self.made}"
        self.scope.defined.add(name)
        return name

    def define(self, value: Value) -> str:
        """The name of a value that is defined here."""
        name = self.names.get(value)
        if name is None:
            self.made += 1
            name = self.names[value] = f"v{self.made}"
        self.scope.defined.add(name)
        return name

    def global_name(self, name: str) -> str:
        if name in self.function.shared:
            text = f"s_{name}" if self.function.shared[name].size else "s_"
            text = "".join(each if each.isalnum() or each == "_" else f"_{ord(each)}_" for each in text)
            self.shared_names[text] = name
            self.scope.used.add(text)
            return text
        return self.globals.setdefault(name, f"g{len(self.globals)}")

    def garbage(self, type_: str) -> str:
        """An undefined scalar."""
        if types.is_float(type_):
            return f"garbage_float({type_!r})" if self.seeded else "0.0"
        return f"garbage_int({types.bits(type_)})" if self.seeded else "0"

    def arg(self, operand: Operand) -> str:
        """A name or literal for an operand."""
        if isinstance(operand, Value):
            name = self.names[operand]
            self.scope.used.add(name)
            return name
        text = const_text(operand, self.global_name, self.garbage)
        return self.named(text) if "garbage_" in text else text

    def named(self, text: str) -> str:
        """A name for an expression."""
        if text.isidentifier():
            return text
        name = self.fresh("t")
        self.emit(f"{name} = {text}")
        return name

    def site(self, op: Op) -> int:
        self.sites.append(op)
        return len(self.sites) - 1

    def bind(self, hint: str, thing: Any) -> str:
        """A global name of the generated code for a Python object."""
        name = f"{hint}_{len(self.namespace)}"
        self.namespace[name] = thing
        return name
