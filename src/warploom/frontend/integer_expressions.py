# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values that a C expression of integers may have, as far as its text tells.

    possible_values("n < 256 ? n : 256", {}.get)  ->  [256]

An operator applies to each combination of what its operands may be; `?:`, `min` and `max` may be either side. A
function without arguments is looked up as `name()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from warploom.core.patterns import regex
from warploom.core.records import dataclass

Lookup = Callable[[str], Sequence[int]]

TOKEN = regex(
    r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])|((?:\w+::)*[A-Za-z_]\w*(?:\.[xyz]\b)?)|(<<|>>|<=|>=|==|!=|&&|\|\||.))"
)
BINARY: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {"<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b),
     ">=": lambda a, b: int(a >= b)},
    {"<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63)},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: _divide(a, b), "%": lambda a, b: a - b * _divide(a, b)},
)  # fmt: skip
TYPE_WORDS = frozenset(
    "unsigned signed int long short size_t uint32_t int32_t uint64_t int64_t const char uint".split()
)
EITHER = frozenset(("min", "max", "std::min", "std::max", "MIN", "MAX"))


class UnknownExpression(Exception):
    """Not an expression of integers that this module reads."""


def possible_values(text: str, lookup: Lookup) -> list[int]:
    """Each value once, in the order met; UnknownExpression for what is no integer expression."""
    parser = _Parser(_tokens(text), lookup)
    values = parser.ternary()
    if parser.peek():
        raise UnknownExpression(text)
    return [*dict.fromkeys(values)]


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise UnknownExpression(text)
        tokens.append(match[1] or match[2] or match[3])
        position = match.end()
    return tokens


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise UnknownExpression("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@dataclass
class _Parser:
    """Recursive descent over tokens."""

    tokens: list[str]
    lookup: Lookup
    position: int = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise UnknownExpression(token)
        self.position += 1
        return token

    def ternary(self) -> list[int]:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.ternary()
        self.take(":")
        no = self.ternary()
        if len(set(map(bool, condition))) == 1:
            return yes if condition[0] else no
        return yes + no

    def binary(self, level: int) -> list[int]:
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while (operator := BINARY[level].get(self.peek())) is not None:
            self.take()
            right = self.binary(level + 1)
            left = [operator(a, b) for a in left for b in right]
        return left

    def unary(self) -> list[int]:
        token = self.peek()
        if token in ("-", "+", "~", "!"):
            self.take()
            values = self.unary()
            return [{"-": -each, "+": each, "~": ~each, "!": int(not each)}[token] for each in values]
        if token == "(" and self._is_cast():
            while self.take() != ")":
                pass
            return self.unary()
        return self.primary()

    def _is_cast(self) -> bool:
        """Whether `(` opens a cast to an integer type."""
        end = self.position + 1
        while end < len(self.tokens) and self.tokens[end] in TYPE_WORDS:
            end += 1
        return end > self.position + 1 and end < len(self.tokens) and self.tokens[end] == ")"

    def primary(self) -> list[int]:
        token = self.take()
        if token == "(":
            values = self.ternary()
            self.take(")")
            return values
        if token[0].isdigit():
            return [int(token, 16) if token[:2].lower() == "0x" else int(token)]
        if token == "static_cast":
            while self.take() != ">":
                pass
            return self.primary()
        if not (token[0].isalpha() or token[0] == "_"):
            raise UnknownExpression(token)
        return self._call(token) if self.peek() == "(" else list(self.lookup(token))

    def _call(self, name: str) -> list[int]:
        arguments: list[list[int]] = []
        self.take("(")
        while self.peek() != ")":
            arguments.append(self.ternary())
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        if name in EITHER and len(arguments) == 2:
            return arguments[0] + arguments[1]
        if name in TYPE_WORDS and len(arguments) == 1:
            return arguments[0]
        if not arguments:
            return list(self.lookup(f"{name}()"))
        return []  # some function: its value is unknown, the rest of the expression may still be
