# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asm statements as nvcc takes them to the ones that clang takes for the host's processor.

    asm("mov.u32 %0, %laneid; add.f32 %1, %1, %2;" : "=r"(x), "=f"(y) : "f"(z))
    asm("mov.u32 %0, %%laneid; add.f32 %1, %1, %2;" : "=r"(x), "=x"(y) : "x"(z))

    asm("st.u32 [%1], %0;" :: "r"(x) "l"(p))    ==>    asm("st.u32 [%1], %0;" :: "r"(x), "r"(p))

Device code is compiled for the host's processor, whose constraints differ: `f` is no register that can be written, `h`
is none at all. The names of registers do not matter here, only the types of the operands do, so those that clang would
refuse are replaced by such as it takes. nvcc does not need the comma between two operands. Works on preprocessed text;
lines stay where they are.
"""

from __future__ import annotations

import re

from warploom.core.patterns import regex
from warploom.core.records import dataclass

# What clang says when it refuses an asm statement for how it is written.
_REFUSED = regex(
    r"constraint '|invalid % escape in inline assembly string"
    r"""|error: expected '\)'\n[^\n]*\)\s*"[=+]?&?[a-z]"\s*\("""  # two operands without a comma
)
_LETTERS = {"f": "x", "d": "x", "h": "r", "l": "r", "q": "r"}
_ASM = regex(r"\b(?:asm|__asm__|__asm)\b")
_QUALIFIER = regex(r"\s*(?:volatile|__volatile__|inline|__inline__|goto)\b")
_STRING = regex(r'"(?:[^"\\\n]|\\.)*"')
_RAW = regex(r'R"([^()\\\s]{0,16})\((.*?)\)\1"', re.DOTALL)
_SKIPPED = regex(r"""R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![\w])'(?:[^'\\\n]|\\.)+'""", re.DOTALL)
_SPECIAL = regex(
    r"(?<!%)((?:%%)*)%(?=(?:tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|lanemask_|clock|globaltimer"
    r"|dynamic_smem_size|total_smem_size|cluster)(?![0-9]))"
)


@dataclass(frozen=True)
class _Piece:
    """A part of an asm statement between its colons."""

    start: int
    end: int


def is_refusal(messages: str) -> bool:
    """Did clang refuse an asm statement for how it is written?"""
    return _REFUSED.search(messages) is not None


def translated(text: str) -> str:
    """The text with every asm statement that has operands rewritten."""
    result: list[str] = []
    position = 0
    while True:
        found = _next_asm(text, position)
        if found is None:
            return "".join((*result, text[position:]))
        opening = found
        pieces = _pieces(text, opening)
        if pieces is None:
            result.append(text[position : opening + 1])
            position = opening + 1
            continue
        result.append(text[position : opening + 1])
        result.append(_rewritten(text, pieces))
        position = pieces[-1].end


def _next_asm(text: str, position: int) -> int | None:
    """The parenthesis that opens the next asm statement."""
    token = re.compile(_SKIPPED.pattern + "|" + _ASM.pattern, re.DOTALL)
    for match in token.finditer(text, position):
        if match.group()[0] in "\"'R":
            continue
        at = match.end()
        while qualifier := _QUALIFIER.match(text, at):
            at = qualifier.end()
        blank = re.compile(r"\s*\(").match(text, at)
        if blank:
            return blank.end() - 1
    return None


def _pieces(text: str, opening: int) -> list[_Piece] | None:
    """The parts of the statement whose parenthesis opens at `opening`; None when it does not end."""
    pieces: list[_Piece] = []
    depth, at, start = 0, opening, opening + 1
    while at < len(text):
        skipped = _SKIPPED.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        letter = text[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                return [*pieces, _Piece(start, at)]
        elif letter == ":" and depth == 1:
            pieces.append(_Piece(start, at))
            start = at + 1
        at += 1
    return None


def _rewritten(text: str, pieces: list[_Piece]) -> str:
    parts = [text[piece.start : piece.end] for piece in pieces]
    if len(parts) > 1:
        parts[0] = _STRING.sub(lambda match: _SPECIAL.sub(r"\1%%", match.group()), parts[0])
    for index in range(1, min(len(parts), 3)):
        parts[index] = _operands(parts[index])
    return ":".join(parts)


def _operands(text: str) -> str:
    """Each constraint: the string before the parenthesis of an operand; and the commas between operands."""
    result: list[str] = []
    depth = at = 0
    ended = False  # an operand, and no comma since
    while at < len(text):
        string = _STRING.match(text, at)
        if depth == 0 and ended and (string or text[at] == "["):
            result.append(",")
            ended = False
        if string:
            word = string.group()
            result.append(_constraint(word) if depth == 0 else word)
            at = string.end()
            continue
        depth += {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1}.get(text[at], 0)
        if depth == 0 and text[at] in "),":
            ended = text[at] == ")"
        result.append(text[at])
        at += 1
    return "".join(result)


def _constraint(word: str) -> str:
    return '"' + "".join(_LETTERS.get(letter, letter) for letter in word[1:-1]) + '"'
