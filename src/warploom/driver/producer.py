# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host's debug information names a compiler that gdb knows. Why: backend/debug_producer.py, for device code."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from warploom.toolchain import run_tool

_KNOWN = "clang "


def name_known_compiler(clang: Path, made: Path) -> None:
    """Where the compiler's name, of many bytes, begins with its vendor's, have it begin with "clang" in an object."""
    name = _name(clang)
    known = name[name.index(_KNOWN) :] if _KNOWN in name else name
    if known == name:
        return
    content = made.read_bytes()
    if name.encode() in content:  # else its sections are compressed
        made.write_bytes(content.replace(name.encode() + b"\0", known.encode().ljust(len(name)) + b"\0"))


@lru_cache(maxsize=2)
def _name(clang: Path) -> str:
    match = re.match(r".*", run_tool([str(clang), "--version"]).stdout)
    return match[0] if match is not None else ""
