# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of LLVM-C functions has what the package calls, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import warploom
from warploom.llvm.binding import NEWER, OPTIONS, SIGNATURES, load
from warploom.toolchain import find_toolchain


def test_the_table_is_exactly_what_is_called() -> None:
    package = Path(warploom.__file__).parent
    text = "\n".join(path.read_text() for path in package.rglob("*.py") if path.name != "binding.py")
    called = set(re.findall(r"lib\.(LLVM[A-Z]\w+)", text)) | set(re.findall(r'"(LLVMBuild\w+)"', text))
    assert called == {name for name in (*SIGNATURES, *NEWER) if not name.startswith("LLVMInitialize")}


def test_options_are_words() -> None:
    """LLVM says nothing of an option that it takes for a file name."""
    assert {"-enable-shrink-wrap=false", "-disable-vector-combine=true"} <= set(OPTIONS)
    assert all(each.startswith("-") and "=" in each for each in OPTIONS)


def test_a_library_is_set_up_once() -> None:
    library = find_toolchain().llvm_library
    assert load(library) is load(library)
