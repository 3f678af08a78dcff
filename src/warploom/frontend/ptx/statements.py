# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where inline PTX stands in a module: what most modules lack, and what has to be known of it elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

PREFIX = "__warploom_asm_"  # of the functions that lower.py makes


def assembly_calls(module: Module) -> Iterator[Handle]:
    """Every inline assembly call, also one of an empty string."""
    lib = module.lib
    for function in module.functions():
        for instruction in module.instructions(function):
            if lib.LLVMGetInstructionOpcode(instruction) == Opcode.CALL and lib.LLVMIsAInlineAsm(
                lib.LLVMGetCalledValue(instruction)
            ):
                yield instruction
