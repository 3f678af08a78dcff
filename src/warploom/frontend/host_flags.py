# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flags meant for g++ that clang does not have: build files put them behind -Xcompiler, and nvcc hands them on."""

from __future__ import annotations

import os
from collections.abc import Sequence

from warploom.core.patterns import regex
from warploom.toolchain import Toolchain, run_tool

# What clang surely has: with these alone it need not be asked.
_KNOWN = regex(
    r"-(?:[DIUWLlOg].*|std=.*|isystem|include|pthread|pg|pipe|w|shared|rdynamic|march=.*|mtune=.*|m64|mavx.*|msse.*|mfma|"
    r"f(?:PIC|pic|PIE|pie|openmp|permissive|no-(?:exceptions|rtti|strict-aliasing|math-errno)|visibility=.*|"
    r"template-.*=\d+|(?:un)?signed-char|exceptions|strict-aliasing|math-errno|fast-math|unroll-loops))"
)
_REFUSED = regex(r"error: (?:unknown argument|unsupported option)(?: |: )'([^']+)'")


def without_foreign(toolchain: Toolchain, flags: Sequence[str]) -> tuple[list[str], list[str]]:
    """The flags that this clang has, and those that it has not."""
    if all(_KNOWN.fullmatch(flag) for flag in flags if flag.startswith("-")):
        return list(flags), []
    asked = run_tool([toolchain.clang, "-###", "-x", "c++", "-c", os.devnull, *flags])
    foreign = set(_REFUSED.findall(asked.stderr))
    return [flag for flag in flags if flag not in foreign], [flag for flag in flags if flag in foreign]
