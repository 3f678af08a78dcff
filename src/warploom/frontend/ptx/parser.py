# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of an asm statement to a Program: scopes, registers, labels, guards, operands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warploom.core.patterns import regex
from warploom.frontend.ptx.syntax import (
    Address,
    Both,
    Constant,
    Instruction,
    Label,
    Name,
    Negated,
    Operand,
    Program,
    PtxError,
    Register,
    Selected,
    Sink,
    Special,
    Vector,
)  # fmt: skip

# Bits of what `.reg` can declare.
REGISTER_BITS = {
    "pred": 1,
    **{kind + str(bits): bits for kind in "bus" for bits in (8, 16, 32, 64)},
    "b128": 128, "f16": 16, "f16x2": 32, "bf16": 16, "bf16x2": 32, "f32": 32, "f64": 64,
}  # fmt: skip
_TOKEN = regex(
    r"\s+|//[^\n]*|/\*.*?\*/"
    r"|(?P<operand>\$\d+|\$\{\d+(?::\w+)?\})"
    r"|(?P<float>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d*(?:[eE][-+]?\d+)?)"
    r"|(?P<number>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)"
    r"|(?P<word>[.%]?[A-Za-z_$%][\w$]*(?:(?:\.|::)\w+)*)"
    r'|(?P<string>"[^"]*")'
    r"|(?P<mark>[@!{}\[\](),;:|+<>~*-])",
    re.DOTALL,
)
_PART = regex(r"[bh]\d+")


def unescaped(text: str) -> str:
    """LLVM's form of an asm string to the user's: `$(`, `$|` and `$)` are braces and the bar, `${:uid}` a number."""
    text = re.sub(r"\$\{:uid\}", "0", text)
    return re.sub(r"\$([(|)])", lambda match: {"(": "{", "|": "|", ")": "}"}[match.group(1)], text)


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise PtxError(f"unexpected character {text[position]!r}")
        if match.lastgroup is not None:
            found.append((match.lastgroup, match.group()))
        position = match.end()
    return found


class Parser:
    """Reads one asm string. `operands` are the registers and constants that `$0`, `$1`, ... stand for."""

    def __init__(self, text: str, operands: Sequence[Register | Constant]) -> None:
        self._tokens = _tokens(unescaped(text))
        self._at = 0
        self._operands = operands
        self._scopes: list[tuple[int, dict[str, Register]]] = [(0, {})]
        self._scope_count = 0
        self._program = Program()
        self._labels: set[str] = set()

    def parse(self) -> Program:
        """The whole text; a PtxError when it is no PTX."""
        while self._at < len(self._tokens):
            self._statement()
        for name in self._targets():
            if name not in self._labels:
                raise PtxError(f"no label {name} in this asm statement", f"bra {name}")
        return self._program

    def _targets(self) -> list[str]:
        jumps = [s for s in self._program.statements if isinstance(s, Instruction) and s.parts[0] == "bra"]
        return [operand.text for jump in jumps for operand in jump.operands if isinstance(operand, Name)]

    # -- tokens -------------------------------------------------------------------------------------------------------

    def _peek(self, ahead: int = 0) -> str:
        index = self._at + ahead
        return self._tokens[index][1] if index < len(self._tokens) else ""

    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self, expected: str = "") -> str:
        found = self._peek()
        if not found or (expected and found != expected):
            raise PtxError(f"expected {expected or 'more'!r}, found {found or 'the end'!r}")
        self._at += 1
        return found

    # -- statements ---------------------------------------------------------------------------------------------------

    def _statement(self) -> None:
        word = self._peek()
        if word == ";":
            self._take()
        elif word == "{":
            self._take()
            self._scope_count += 1
            self._scopes.append((self._scope_count, {}))
        elif word == "}":
            self._take()
            if len(self._scopes) == 1:
                raise PtxError("a closing brace without an opening one")
            self._scopes.pop()
        elif word == ".reg":
            self._declaration()
        elif word == ".pragma":  # a wish about how to compile
            while self._take() != ";":
                pass
        elif word.startswith("."):
            raise PtxError(f"the directive {word} is not supported", word)
        elif self._kind() == "word" and self._peek(1) == ":":
            self._label()
        else:
            self._instruction()

    def _label(self) -> None:
        name = self._take()
        self._take(":")
        if name in self._labels:
            raise PtxError(f"two labels {name} in one asm statement", name)
        self._labels.add(name)
        self._program.statements.append(Label(name))

    def _declaration(self) -> None:
        self._take(".reg")
        kind = self._take().removeprefix(".")
        if kind not in REGISTER_BITS:
            raise PtxError(f"registers of type .{kind} are not supported", f".reg .{kind}")
        while True:
            name = self._take()
            if self._peek() == "<":
                self._take("<")
                count = int(self._take().rstrip("U"), 0)
                self._take(">")
                for index in range(count):
                    self._declare(f"{name}{index}", REGISTER_BITS[kind])
            else:
                self._declare(name, REGISTER_BITS[kind])
            if self._peek() != ",":
                break
            self._take(",")
        self._take(";")

    def _declare(self, name: str, bits: int) -> None:
        scope, names = self._scopes[-1]
        register = Register(f"v{scope}_" + re.sub(r"\W", "_", name), bits)
        names[name] = register
        self._program.declared.append(register)

    def _instruction(self) -> None:
        start = self._at
        guard: Register | Negated | None = None
        if self._peek() == "@":
            self._take("@")
            negated = self._peek() == "!"
            if negated:
                self._take("!")
            register = self._named(self._take())
            if not isinstance(register, Register) or register.bits != 1:
                raise PtxError("a guard must be a predicate register")
            guard = Negated(register) if negated else register
        if self._kind() != "word":
            raise PtxError(f"expected an instruction, found {self._peek()!r}")
        name = self._take()
        operands: list[Operand] = []
        while self._peek() not in (";", "", "}"):
            if operands and self._peek() == ",":
                self._take(",")
            operands.append(self._operand(is_branch=name.split(".")[0] == "bra"))
        end = self._at
        if self._peek() == ";":
            self._take(";")
        text = self._source(start, end)
        parts = tuple(part for part in re.split(r"\.", name) if part)
        self._program.statements.append(Instruction(text, parts, tuple(operands), guard))

    def _source(self, start: int, end: int) -> str:
        words = " ".join(word for _, word in self._tokens[start:end])
        return re.sub(r" (?=[,;\]}|:])|(?<=[@!\[{|:]) ", "", words).replace("$", "%")

    # -- operands -----------------------------------------------------------------------------------------------------

    def _operand(self, *, is_branch: bool = False) -> Operand:
        if is_branch and self._kind() == "word":
            return Name(self._take())
        first = self._simple()
        if self._peek() == "|":
            self._take("|")
            return Both(first, self._simple())
        return first

    def _simple(self) -> Operand:
        word = self._peek()
        if word == "{":
            return self._vector()
        if word == "[":
            return self._address()
        if word == "!":
            self._take()
            register = self._named(self._take())
            if not isinstance(register, Register):
                raise PtxError("'!' takes a predicate register")
            return Negated(register)
        if word in ("-", "~", "(", "+") or self._kind() in ("number", "float"):
            return self._constant()
        named = self._named(self._take())
        if isinstance(named, Register | Constant) and _PART.fullmatch(self._peek().removeprefix(".")):
            return Selected(named, self._take().removeprefix("."))
        return named

    def _vector(self) -> Vector:
        self._take("{")
        elements = [self._simple()]
        while self._peek() == ",":
            self._take(",")
            elements.append(self._simple())
        self._take("}")
        return Vector(tuple(elements))

    def _address(self) -> Address:
        self._take("[")
        base = self._simple()
        offset = 0
        while self._peek() in ("+", "-"):
            sign = -1 if self._take() == "-" else 1
            value = self._simple()
            if not isinstance(value, Constant) or value.bits:
                raise PtxError("the offset of an address must be an integer")
            offset += sign * value.value
        if self._peek() == ",":
            raise PtxError("coordinates in an address are not supported: tensor maps, textures and surfaces")
        self._take("]")
        if not isinstance(base, Register | Constant):
            raise PtxError("an address must be a register: the names of variables are not known to PTX here")
        return Address(base, offset)

    def _constant(self) -> Constant:
        word = self._take()
        if word == "-":
            value = self._constant()
            if value.bits:
                return Constant(value.value ^ (1 << (value.bits - 1)), value.bits)
            return Constant(-value.value)
        if word == "+":
            return self._constant()
        if word == "~":
            return Constant(~self._constant().value)
        if word == "(":
            value = self._constant()
            self._take(")")
            return value
        if re.match(r"0[fF]", word) and "." not in word:
            return Constant(int(word[2:], 16), 32)
        if re.match(r"0[dD]", word):
            return Constant(int(word[2:], 16), 64)
        if "." in word:
            import struct

            return Constant(struct.unpack("<Q", struct.pack("<d", float(word)))[0], 64)
        if not word[0].isdigit():
            raise PtxError(f"unexpected {word!r}")
        digits = word.rstrip("U")
        octal = len(digits) > 1 and digits.startswith("0") and digits.isdigit()
        return Constant(int(digits, 8) if octal else int(digits, 0))

    def _named(self, word: str) -> Operand:
        if word.startswith("$"):
            index = int(re.sub(r"\D", "", word.split(":")[0]))
            if index >= len(self._operands):
                raise PtxError(f"operand %{index} does not exist")
            return self._operands[index]
        if word == "_":
            return Sink()
        if word == "WARP_SZ":
            return Constant(32)
        for _, names in reversed(self._scopes):
            if word in names:
                return names[word]
        name, _, part = word.rpartition(".")
        if name and _PART.fullmatch(part):
            whole = self._named(name)
            if isinstance(whole, Register | Constant):
                return Selected(whole, part)
        if word.startswith("%"):
            return Special(word.lstrip("%"))
        raise PtxError(f"{word} is not declared in this asm statement")
