# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the text of an asm statement says: declarations, labels and instructions with their operands."""

from __future__ import annotations

from warploom.core.records import dataclass, field


class PtxError(Exception):
    """The text is no PTX that is known here; the message says why, `instruction` names the culprit."""

    def __init__(self, reason: str, instruction: str = "") -> None:
        super().__init__(reason)
        self.reason, self.instruction = reason, instruction


@dataclass(frozen=True)
class Register:
    """A register by the name of the C++ variable that holds it, `bits` wide (1: a predicate)."""

    variable: str
    bits: int


@dataclass(frozen=True)
class Special:
    """A special register, without the per cent sign: `tid.x`."""

    name: str


@dataclass(frozen=True)
class Constant:
    """An immediate: an integer, or the bits of a floating-point literal that is `bits` wide (0: an integer)."""

    value: int
    bits: int = 0


@dataclass(frozen=True)
class Negated:
    """`!p`."""

    register: Register


@dataclass(frozen=True)
class Sink:
    """`_`: a result that nobody wants."""


@dataclass(frozen=True)
class Selected:
    """A part of a register: `a.b0`, `a.h1`, `a.b3210`."""

    register: Register | Constant
    part: str


@dataclass(frozen=True)
class Vector:
    """`{a, b}`."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class Both:
    """`d|p`: two results."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Address:
    """`[base + offset]`; the base is a register or an absolute address."""

    base: Register | Constant
    offset: int = 0


@dataclass(frozen=True)
class Name:
    """A label."""

    text: str


Operand = Register | Special | Constant | Negated | Sink | Selected | Vector | Both | Address | Name


@dataclass(frozen=True)
class Instruction:
    """`@guard name.modifier operands;` - `text` is the source of it."""

    text: str
    parts: tuple[str, ...]  # the name between its dots
    operands: tuple[Operand, ...]
    guard: Register | Negated | None = None


@dataclass(frozen=True)
class Label:
    """A place to branch to, by the name of its C++ label."""

    name: str


@dataclass
class Program:
    """One asm statement."""

    statements: list[Instruction | Label] = field(default_factory=list[Instruction | Label])
    declared: list[Register] = field(default_factory=list[Register])
