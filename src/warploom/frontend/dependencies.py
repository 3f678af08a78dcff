# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dependency files as compilers write them for make."""

from __future__ import annotations

import re
from pathlib import Path


def parse_dependencies(text: str) -> set[Path]:
    """The prerequisites of a Makefile fragment that a compiler wrote, by absolute path."""
    joined = text.replace("\\\n", " ")
    read: set[Path] = set()
    for rule in joined.splitlines():
        _target, colon, prerequisites = rule.partition(": ")
        if colon:
            read |= {Path(unescape(word)).absolute() for word in re.findall(r"(?:\\.|[^\s\\])+", prerequisites)}
    return read


def unescape(word: str) -> str:
    r"""A file name as make writes it: `\ ` is a blank, `\#` a hash, `$$` a dollar."""
    return re.sub(r"\\([ #\\])", r"\1", word).replace("$$", "$")
