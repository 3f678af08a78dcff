# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of constants that a source file's headers define, from folders of -I and -isystem.

    #define THREADS 128    constexpr int threads() { return THREADS; }    constexpr int threads = 128;

A guess from the text, as launches.py makes it; read only when a name is asked for that the source does not define. A
library's headers are many: the nearest are read, and what a definition in one of them names is looked for there and in
the nearest of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.frontend.integer_expressions import UnknownExpression, possible_values
from warploom.ir.ops import WARP_SIZE

MAX_HEADERS = 100  # of a file
MAX_HEADER_BYTES = 1 << 18
MAX_DEPTH = 4  # of names in the definitions of names

INCLUDE = regex(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
COMMENT = regex(r"//.*|/\*.*?\*/")
WARP_NAMES = frozenset(("warpSize", "warp_size()"))  # the host's for WARP_SIZE


@dataclass
class HeaderConstants:
    """The constants of `text` and of the headers that it includes, which lie in `folders`."""

    text: str
    folders: Sequence[Path]
    depth: int = 0
    read: dict[Path, str] = field(default_factory=dict[Path, str])
    known: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def values(self, name: str) -> list[int]:
        """What `name` may be, `name()` what the function of that name may return; none where nothing is known."""
        name = name.rpartition("::")[2]
        if name in WARP_NAMES:
            return [WARP_SIZE]
        if name not in self.known and self.depth <= MAX_DEPTH:
            self.known[name] = []  # what it says while it is looked up
            self.known[name] = next((values for values in self._found(name) if values), list[int]())
        return self.known.get(name, [])

    def _found(self, name: str) -> Iterator[list[int]]:
        """The values by each definition."""
        plain, says = name.removesuffix("()"), _definition(name)
        for text in chain((self.text,), self._headers()):
            found = list(re.finditer(says, text, re.MULTILINE)) if plain in text else []
            for match in reversed(found):
                value = COMMENT.sub(" ", match[match.lastindex or 0])
                within = self if text is self.text else HeaderConstants(text, self.folders, self.depth + 1, self.read)
                try:
                    yield possible_values(value, within.values)
                except UnknownExpression:
                    continue

    def _headers(self) -> Iterator[str]:
        """The nearest first."""
        waiting, seen = INCLUDE.findall(self.text), set[Path]()
        for name in waiting:  # which grows
            path = next((path for folder in self.folders if (path := folder / name).is_file()), None)
            if path is None or path in seen or path.stat().st_size > MAX_HEADER_BYTES:
                continue
            if len(seen) == MAX_HEADERS:
                return
            seen.add(path)
            if path not in self.read:
                self.read[path] = path.read_text(errors="replace")
            waiting += INCLUDE.findall(self.read[path])
            yield self.read[path]


def _definition(name: str) -> str:
    """A pattern for definitions of `name`; its one group that took part is the value."""
    plain = re.escape(name.removesuffix("()"))
    if name.endswith("()"):
        return rf"\b{plain}\s*\(\s*(?:void\s*)?\)\s*(?:(?:const|noexcept)\s*)*\{{\s*return\b([^;{{}}]+);\s*\}}"
    macro = rf"^[ \t]*#[ \t]*define[ \t]+{plain}[ \t]+([^\n\\]+)$"
    return rf"{macro}|\bconstexpr\b[^;={{}}()]*\b{plain}\s*=([^;=]+);"
