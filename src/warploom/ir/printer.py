# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text form of a function. `parser.py` reads it back without loss.

    kernel @scale(%gdx: i32, ..., %n: i32, %p: ptr) {
      shared @tile [size=512, align=4]
      grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
        ...
        %v: float = load %a [align=4] @ "scale.cu":12:7
        ...
        yield
      }
      yield
    }

Types stand where a value is defined and on constants. A value prints under its hint; a hint that is taken already gets
a suffix `.N`; a value without a hint (or with one of digits only) gets a number.
"""

from __future__ import annotations

import json
import math
import re

from warploom.core.patterns import regex
from warploom.core.remarks import Loc
from warploom.ir.core import Attribute, Block, Const, Function, Op, Operand, Region, Value
from warploom.ir.facts_text import attributes_of
from warploom.ir.types import bits, float_bits, float_value, is_float, is_int

WORD = regex(r"[A-Za-z_][\w.$]*", re.ASCII)
NAME = regex(r"[\w.$-]+", re.ASCII)
# Words that an attribute reads as something else than a string.
RESERVED = frozenset(("true", "false", "inf", "nan"))

_CONSTANT_TEXT = regex(r"[A-Za-z_][\w.$]*|@[\w.$-]+", re.ASCII)
_SUFFIX = regex(r"\.\d+$")


def print_function(function: Function) -> str:
    """The text of `function`, structured or in CFG form."""
    printer = Printer()
    printer.function(function)
    return "\n".join(printer.lines) + "\n"


def print_op(op: Op) -> str:
    """The text of `op` and what is inside it, out of its function: names may differ from those of the whole."""
    printer = Printer()
    printer.op(op, "")
    return "\n".join(printer.lines)


def print_constant(constant: Const) -> str:
    """A constant with its type, as it stands among operands."""
    return f"{_constant_value(constant)}:{constant.type}"


def print_attributes(attrs: dict[str, Attribute]) -> str:
    """` [name=value, ...]`, or nothing."""
    if not attrs:
        return ""
    return " [" + ", ".join([f"{name}={_attribute(value)}" for name, value in attrs.items()]) + "]"


class Printer:
    """Prints into `lines`; `line_of` tells the line, from 1, on which an op begins."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line_of: dict[Op, int] = {}
        self._names: dict[Value, str] = {}
        self._used: set[str] = set()
        self._next: dict[str, int] = {}
        self._unnamed = 0

    def function(self, function: Function) -> None:
        """Print a whole function."""
        head = f"kernel @{_quoted(function.name)}({self._parameters(function.params)})"
        self.lines.append(f"{head}{print_attributes(attributes_of(function.facts))}{_location(function.loc)} {{")
        for shared in function.shared.values():
            self.lines.append(f"  shared @{_quoted(shared.name)} [size={shared.size}, align={shared.align}]")
        if function.ids:
            self.lines.append(f"  ids ({self._parameters(function.ids)})")
        for block in function.blocks:
            self._block(block)
        for op in function.body.ops:
            self.op(op, "  ")
        self.lines.append("}")

    def op(self, op: Op, indent: str) -> None:
        """Print `op`, each line beginning with `indent`."""
        self.line_of[op] = len(self.lines) + 1
        text = indent + self.head(op)
        for region in op.regions:
            parameters = f" ({self._parameters(region.params)})" if region.params else ""
            self.lines.append(f"{text} {{{parameters}")
            self._region(region, indent + "  ")
            text = indent + "}"
        self.lines.append(text)

    def head(self, op: Op) -> str:
        """The text of `op` without its regions."""
        operands = ", ".join([self.operand(each) for each in op.operands])
        text = f"{op.name} {operands}" if operands else op.name
        if op.results:
            text = f"{self._parameters(op.results)} = {text}"
        if op.attrs:
            text += print_attributes(op.attrs)
        return text + _location(op.loc) if op.loc else text

    def _region(self, region: Region, indent: str) -> None:
        for op in region.ops:
            self.op(op, indent)

    def _block(self, block: Block) -> None:
        parameters = f"({self._parameters(block.params)})" if block.params else ""
        self.lines.append(f"  ^{_quoted(block.name)}{parameters}:")
        for op in block.ops:
            self.op(op, "    ")

    def _parameters(self, values: list[Value]) -> str:
        return ", ".join([f"{self._value(each)}: {each.type}" for each in values])

    def operand(self, operand: Operand) -> str:
        """The name of a value, or a constant."""
        return self._value(operand) if isinstance(operand, Value) else print_constant(operand)

    def _value(self, value: Value) -> str:
        name = self._names.get(value)
        if name is None:
            name = self._names[value] = "%" + _quoted(self._unique(value.name))
        return name

    def _unique(self, hint: str) -> str:
        if not hint or hint.isdigit():
            self._unnamed += 1
            return str(self._unnamed - 1)
        name = hint
        if name in self._used:
            stem = _SUFFIX.sub("", hint)
            number = self._next.get(stem, 1)
            while (name := f"{stem}.{number}") in self._used:
                number += 1
            self._next[stem] = number + 1
        self._used.add(name)
        return name


def _quoted(name: str) -> str:
    return name if NAME.fullmatch(name) else json.dumps(name)


def _location(loc: Loc | None) -> str:
    return f" @ {json.dumps(loc.file)}:{loc.line}:{loc.column}" if loc else ""


def _attribute(value: Attribute) -> str:
    if isinstance(value, str):
        return value if WORD.fullmatch(value) and value not in RESERVED else json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "(" + ", ".join([_attribute(each) for each in value]) + ")"
    return repr(value)


def _constant_value(constant: Const) -> str:
    value, type_ = constant.value, constant.type
    if isinstance(value, str):
        return value if _CONSTANT_TEXT.fullmatch(value) else "`" + value.replace("`", "``") + "`"
    if is_int(type_):
        # Signed text reads best; a single bit is 0 or 1.
        width = int(type_[1:])
        return f"{value - (1 << width) if width > 1 and value >> (width - 1) == 1 else value:d}"
    return _float_text(type_, value) if is_float(type_) else str(value)


def _float_text(type_: str, pattern: int) -> str:
    """A short decimal text that means these bits; the bits themselves for infinities and NaNs."""
    number = float_value(type_, pattern) if 0 <= pattern < 1 << bits(type_) else math.nan
    if number - number != 0:
        return f"0x{pattern:X}"
    if type_ == "double":
        return repr(number)
    text = f"{number:.6g}"
    if float_bits(type_, float(text)) != pattern:
        text = f"{number:.9g}"  # enough for every float
    return text if "." in text or "e" in text else text + ".0"
