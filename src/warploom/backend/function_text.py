# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of one LLVM function while it is written: instructions, names, labels, and the memory of its frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from warploom.backend.loom_ops import const_text
from warploom.core.remarks import Loc
from warploom.core.type_names import Protocol
from warploom.ir.core import Const, Op, Operand, Value
from warploom.ir.types import size_of


class Sink(Protocol):
    """What the functions of one LLVM text share: declarations and metadata."""

    names_threads: bool  # each thread of a loop tells the runtime who it is
    is_x86: bool

    def refer_callee(self, op: Op) -> bool:
        """Declare the function that `op` calls; true when it may ask which thread calls it."""
        ...

    def refer(self, constant: Const) -> None:
        """Declare the globals that a constant names."""
        ...

    def use(self, name: str) -> None:
        """Declare a function of the runtime."""
        ...

    def declare(self, name: str, text: str) -> None:
        """Declare an intrinsic of LLVM."""
        ...

    def help(self, name: str, parameters: str, lines: Callable[[], Sequence[str]], *, seldom: bool = True) -> str:
        """Define a function of `lines`, if it is not there, that code calls, `seldom` where it hardly ever comes by;
        what a call of it begins with."""
        ...

    def metadata(self, text: str, *, distinct: bool = False) -> str:
        """The number of a metadata node; in `text` @ stands for the node itself."""
        ...

    def location(self, scope: str, loc: Loc | None) -> str:
        """The suffix that names a source location in the function `scope`."""
        ...


class FunctionText:
    """One function while it is written, an instruction at a time."""

    def __init__(self, sink: Sink, scope: str = "") -> None:
        self.sink = sink
        self.scope = scope  # of debug information
        self.lines: list[str] = []
        self.entry: list[str] = []  # stack memory, before everything else
        self.attributes = ""  # of this function alone
        self.names: dict[Value, str] = {}
        self.slots: dict[str, str] = {}  # by what they are for: mostly a type of vector
        self.label = "entry"
        self.count = 0

    def line(self, text: str, loc: Loc | None = None, *, call: bool = False) -> None:
        """Append one instruction."""
        place = self.sink.location(self.scope, loc) if self.scope and (loc or call) else ""
        self.lines.append(f"  {text}{place}")

    def fresh(self, hint: str) -> str:
        """A new local name."""
        self.count += 1
        return f"%{_plain(hint)}.{self.count}"

    def define(self, value: Value) -> str:
        """The new name of `value`."""
        self.names[value] = name = self.fresh(value.name)
        return name

    def name(self, operand: Operand) -> str:
        """An operand as LLVM writes it."""
        if isinstance(operand, Value):
            return self.names[operand]
        self.sink.refer(operand)
        return const_text(operand)

    def value(self, hint: str, text: str, loc: Loc | None = None) -> str:
        """Append `%hint = text`; the name."""
        name = self.fresh(hint)
        self.line(f"{name} = {text}", loc)
        return name

    def labels(self, kind: str, *parts: str) -> list[str]:
        """New labels `kind.part.N`."""
        self.count += 1
        return [f"{kind}.{part}.{self.count}" for part in parts]

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str, metadata: str = "") -> None:
        """End a basic block with an unconditional branch."""
        self.line(f"br label %{label}{metadata}")

    def declare(self, name: str, text: str) -> None:
        """Declare an intrinsic of LLVM."""
        self.sink.declare(name, text)

    def reserve(self) -> int:
        """A line to be filled in later."""
        self.lines.append("")
        return len(self.lines) - 1

    def stack(self, hint: str, size: int, align: int) -> str:
        """Memory of the function's frame."""
        name = self.fresh(hint)
        self.entry.append(f"  {name} = alloca [{size} x i8], align {align}")
        return name

    def slot(self, type_: str) -> str:
        """The function's memory for one vector of a type at a time."""
        return self.memory(type_, size_of(type_))

    def memory(self, key: str, size: int) -> str:
        """Memory of the function, `size` bytes, for one use at a time: the same for one key."""
        if key not in self.slots:
            self.slots[key] = self.stack("element", size, 64)
        return self.slots[key]


@cache
def _plain(hint: str) -> str:
    """A hint as part of a name that needs no quotes."""
    return re.sub(r"[^A-Za-z0-9_.]", "_", hint) or "v"
