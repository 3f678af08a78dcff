# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`#pragma warploom width(16) jam(2)` before a kernel: what its author asks of the vectoriser.

    #pragma warploom width(16)              a compiler that does not know it skips it: nvcc (with a warning), gcc, clang
    template <int N>
    __global__ void blur(float *p) {        ->  kernel @blur ... [width=16]

clang does not hand pragmas on, so they are read from the text of the files in which kernels are defined: a pragma is
that of the `__global__` function whose definition comes next. `#if` is not respected. A pragma that cannot be read, or
that no kernel follows, is an error with its place.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from warploom.core.patterns import regex
from warploom.core.records import dataclass
from warploom.debug import MOST_JAM, MOST_WIDTH, power_of_two
from warploom.diagnostics import Diagnostic

_PRAGMA = regex(r"^[ \t]*#[ \t]*pragma[ \t]+warploom\b(.*)$", re.MULTILINE)
_DIRECTIVE = regex(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_COMMENT_OR_STRING = regex(r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_CLAUSE = regex(r"\s*,?\s*(\w+)\s*\(\s*([^()]*?)\s*\)")
_MOST = {"width": MOST_WIDTH, "jam": MOST_JAM}
_HINT = "for example: #pragma warploom width(16) jam(2)"


@dataclass(frozen=True)
class Pragma:
    """What a pragma asks for the kernel whose name stands in one of the lines `first` to `last`."""

    first: int
    last: int
    wanted: dict[str, int]


def wanted_at(path: Path, line: int) -> dict[str, int]:
    """What the pragma of the kernel that is defined at `line` asks for: `width`, `jam`; nothing without one."""
    try:
        found = path.stat()
    except OSError:
        return {}
    pragmas = _read(path, found.st_mtime_ns, found.st_size)
    for each in pragmas:
        if each.first <= line <= each.last:
            return each.wanted
    return {}


@lru_cache(maxsize=64)
def _read(path: Path, _time: int, _size: int) -> tuple[Pragma, ...]:
    text = path.read_text(errors="replace")
    return tuple(pragmas_in(text, path)) if "warploom" in text else ()


def pragmas_in(text: str, file: Path) -> list[Pragma]:
    """The pragmas of a file; a Diagnostic for one that says nothing that is known."""
    text = _COMMENT_OR_STRING.sub(_blank, text)
    found: list[Pragma] = []
    code = _DIRECTIVE.sub(_blank, text)
    for match in _PRAGMA.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        end = re.compile("[{;}]").search(code, match.end())
        if end is None or end[0] != "{" or "__global__" not in code[match.end() : end.start()]:
            raise Diagnostic(
                "#pragma warploom: the definition of a kernel must follow", file=file, line=line, hint=_HINT
            )
        last = text.count("\n", 0, end.start()) + 1
        found.append(Pragma(line + 1, last, _clauses(match[1], file, line)))
    return found


def _clauses(text: str, file: Path, line: int) -> dict[str, int]:
    wanted: dict[str, int] = {}
    position = 0
    while match := _CLAUSE.match(text, position):
        name, value = match.groups()
        if name not in _MOST:
            raise Diagnostic(f"#pragma warploom: '{name}' is not known", file=file, line=line, hint=_HINT)
        try:
            wanted[name] = power_of_two(name, value, _MOST[name])
        except Diagnostic as problem:
            raise Diagnostic(f"#pragma warploom: {problem.message}", file=file, line=line, hint=_HINT) from None
        position = match.end()
    if text[position:].strip() or not wanted:
        raise Diagnostic(f"#pragma warploom: cannot read '{text[position:].strip()}'", file=file, line=line, hint=_HINT)
    return wanted


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
