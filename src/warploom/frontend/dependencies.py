# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dependency files as compilers write them for make."""

from __future__ import annotations

import os
import re
from pathlib import Path


def parse_dependencies(text: str) -> set[Path]:
    """The prerequisites of a Makefile fragment that a compiler wrote, by absolute path."""
    return set(map(Path, dependency_names(text)))


def dependency_names(text: str) -> set[str]:
    """The same as strings: with the headers of CUDA there are some hundred."""
    here = str(Path.cwd())
    names = (unescape(word) if "\\" in word or "$" in word else word for word in prerequisites(text))
    return {os.path.join(here, name) for name in names}  # noqa: PTH118 - five times as fast


def prerequisites(text: str) -> list[str]:
    """The words behind the targets, as they are written."""
    rules = text.replace("\\\n", " ").splitlines()
    return [word for rule in rules for word in re.findall(r"(?:\\.|[^\s\\])+", rule.partition(": ")[2])]


def unescape(word: str) -> str:
    r"""A file name as make writes it: `\ ` is a blank, `\#` a hash, `$$` a dollar."""
    return re.sub(r"\\([ #\\])", r"\1", word).replace("$$", "$")
