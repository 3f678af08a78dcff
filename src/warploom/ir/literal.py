# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of the IR as Python expressions, for the interpreter.

`Const.value` may be LLVM's own text: `zeroinitializer`, `<i32 1, i32 2>`, `getelementptr (i8, ptr @g, i64 4)`. A global
becomes whatever name `global_name` gives it, an undefined value whatever `undefined` says.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from warploom.core.patterns import regex
from warploom.ir import types
from warploom.ir.core import Const
from warploom.ir.memory import codec, member_offsets

_TOKEN = regex(r"""\s*(c"[^"]*"|@"[^"]*"|@[\w.$-]+|<\{|\}>|[<>\[\](){},]|[^\s<>\[\](){},]+)""")
_BINARY = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "and": "&", "or": "|"}


def float_text(value: float) -> str:
    """A Python expression for any float."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "(-INF)"
    return repr(value) if value >= 0 and repr(value)[0] != "-" else f"({value!r})"


def tuple_text(parts: list[str]) -> str:
    """A Python tuple."""
    return f"({', '.join(parts)},)" if parts else "()"


def undefined_text(type_: str, undefined: Callable[[str], str]) -> str:
    """An undefined value of any type."""
    if types.is_vector(type_) or types.is_aggregate(type_):
        return tuple_text([undefined_text(inner, undefined) for inner in types.elements(type_)])
    return undefined(type_)


def zero_text(type_: str) -> str:
    """The value of `type_` whose bytes are all zero."""
    return undefined_text(type_, lambda inner: "0.0" if types.is_float(inner) else "0")


def const_text(const: Const, global_name: Callable[[str], str], undefined: Callable[[str], str]) -> str:
    """A constant as a Python expression."""
    if isinstance(const.value, str):
        return _Reader(const.value, global_name, undefined).value(const.type)
    if types.is_float(const.type):
        how = codec(const.type)
        return float_text(how.unpack(const.value.to_bytes(how.size, "little")))
    return str(const.value)


class _Reader:
    """Reads the text of one constant."""

    def __init__(self, text: str, global_name: Callable[[str], str], undefined: Callable[[str], str]) -> None:
        self.text = text
        self.tokens = _TOKEN.findall(text)
        self.place = 0
        self.global_name = global_name
        self.undefined = undefined

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise ValueError(f"constant `{self.text}`: expected {expected or 'more'}, found {token or 'the end'}")
        self.place += 1
        return token

    def type(self) -> str:
        token = self.take()
        closing = {"<": ">", "[": "]", "{": "}", "<{": "}>"}.get(token)
        if closing is None:
            if self.peek() == "addrspace":
                self.place += 4
            return token
        if token in "<[":
            count = self.take()
            self.take("x")
            text = f"{token}{count} x {self.type()}{closing}"
            self.take(closing)
            return text
        members: list[str] = []
        while self.peek() != closing:
            members.append(self.type())
            if self.peek() == ",":
                self.take()
        self.take(closing)
        return f"{token} {', '.join(members)} {closing}"

    def typed(self) -> tuple[str, str]:
        type_ = self.type()
        return type_, self.value(type_)

    def sequence(self, closing: str) -> str:
        parts: list[str] = []
        while self.peek() != closing:
            parts.append(self.typed()[1])
            if self.peek() == ",":
                self.take()
        self.take(closing)
        return tuple_text(parts)

    def value(self, type_: str) -> str:
        token = self.take()
        simple = {"null": "0", "none": "0", "true": "1", "false": "0"}
        if token in simple:
            return simple[token]
        if token in ("undef", "poison"):
            return undefined_text(type_, self.undefined)
        if token == "zeroinitializer":
            return zero_text(type_)
        if token[0] == "@":
            return self.global_name(token[1:].strip('"'))
        if token in ("<", "[", "{", "<{"):
            return self.sequence({"<": ">", "[": "]", "{": "}", "<{": "}>"}[token])
        if token.startswith('c"'):
            return tuple_text([str(each) for each in _string_bytes(token[2:-1])])
        if token == "splat":
            self.take("(")
            text = self.typed()[1]
            self.take(")")
            return tuple_text([text] * len(types.elements(type_)))
        if re.match(r"[-+]?\d|0x", token):
            return self.number(type_, token)
        return self.expression(type_, token)

    def number(self, type_: str, token: str) -> str:
        if not types.is_float(type_):
            return str(int(token) & ((1 << types.bits(type_)) - 1))
        if token.startswith(("0xH", "0xR")):
            return float_text(codec(type_).unpack(int(token[3:], 16).to_bytes(2, "little")))
        if token.startswith("0x"):
            return float_text(struct.unpack("<d", int(token, 16).to_bytes(8, "little"))[0])
        return float_text(float(token))

    def expression(self, type_: str, name: str) -> str:
        while self.peek() != "(" or self.tokens[self.place - 1] == "inrange":
            if self.peek() == "(":
                while self.take() != ")":
                    pass
                continue
            self.take()
        self.take("(")
        if name == "getelementptr":
            return self.address()
        first_type, first = self.typed()
        if name in _BINARY:
            self.take(",")
            text = f"({first} {_BINARY[name]} {self.typed()[1]})"
        else:
            self.take("to")
            self.type()
            if types.is_float(type_) or types.is_float(first_type):
                raise ValueError(f"constant `{self.text}`: {name} between {first_type} and {type_}")
            text = first
        self.take(")")
        return f"({text} & {(1 << types.bits(type_)) - 1})"

    def address(self) -> str:
        element = self.type()
        self.take(",")
        text = self.typed()[1]
        first = True
        while self.peek() == ",":
            self.take()
            index_type, index = self.typed()
            sign = 1 << (types.bits(index_type) - 1)
            if first:
                text += f" + (({index} ^ {sign}) - {sign}) * {types.size_of(element)}"
                first = False
            elif element[0] in "[<" and not element.startswith("<{"):
                element = types.elements(element)[0]
                text += f" + (({index} ^ {sign}) - {sign}) * {types.size_of(element)}"
            else:
                text += f" + {member_offsets(element)[int(index)]}"
                element = types.elements(element)[int(index)]
        self.take(")")
        return f"(({text}) & {(1 << 64) - 1})"


def _string_bytes(text: str) -> list[int]:
    parts = re.findall(r"\\[0-9A-Fa-f]{2}|\\\\|.", text, re.DOTALL)
    return [92 if part == "\\\\" else int(part[1:], 16) if part[0] == "\\" else ord(part) for part in parts]
