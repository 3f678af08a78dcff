# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debug information names a compiler that debuggers know.

gdb believes a line table about where a function's prologue ends, so that `step` into the function stops behind it, with
its arguments in place, only where the compiler's name begins with "clang". That of PyPI begins with its vendor's.
"""

from __future__ import annotations

from warploom.llvm.module import Module

_PRODUCER = 1  # the operand of a DICompileUnit
_KNOWN = b"clang version "


def name_known_compiler(module: Module, version: str) -> None:
    """Have each compile unit say that clang of that version made it."""
    lib = module.lib
    name = _KNOWN + version.encode()
    producer = lib.LLVMMDStringInContext2(module.context, name, len(name))
    for unit in module.compile_units():
        lib.LLVMReplaceMDNodeOperandWith(unit, _PRODUCER, producer)
