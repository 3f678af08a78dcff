# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keep LLVM for AArch64 from rounding twice where a 64-bit integer becomes a float.

    uitofp i64 %x to float      ==>     fptrunc (uitofp i64 %odd to double) to float         sitofp likewise

LLVM 19 turns a vector of such conversions, whoever made it, into those to double (ucvtf) and from there (fcvtn): the
first may round up to the middle between two floats, from where the second goes to the wrong one. %odd is %x as long as
a double holds it, 53 bits; beyond, its last 11 bits become one that tells whether any was set (rounding to odd). A
double holds that too, and a float, of 24 bits, has its middles at no such place: the second rounding is the only one.
Requires the module before optimisation.
"""

from __future__ import annotations

import ctypes

from warploom.llvm.codes import Linkage, Opcode, TypeKind
from warploom.llvm.module import Module

_NAMES = {Opcode.UI_TO_FP: "warploom.float.of.u64", Opcode.SI_TO_FP: "warploom.float.of.s64"}
# {offset} and {range}: of what a double holds exactly, as unsigned numbers.
_TEXT = """
define float @{name}(i64 %x) alwaysinline {{
  %low = and i64 %x, 2047
  %carry = add i64 %low, 2047
  %set = or i64 %carry, %x
  %odd = and i64 %set, -2048
  %place = add i64 %x, {offset}
  %exact = icmp ult i64 %place, {range}
  %kept = select i1 %exact, i64 %x, i64 %odd
  %wide = {conversion} i64 %kept to double
  %result = fptrunc double %wide to float
  ret float %result
}}
"""
_HELD = 1 << 53


def round_once(module: Module) -> None:
    """Rewrite every conversion of a 64-bit integer to float."""
    lib = module.lib
    found = [
        (instruction, opcode)
        for function in module.functions()
        for instruction in module.instructions(function)
        if (opcode := lib.LLVMGetInstructionOpcode(instruction)) in _NAMES
        and lib.LLVMGetTypeKind(lib.LLVMTypeOf(instruction)) == TypeKind.FLOAT
        and _bits(module, lib.LLVMTypeOf(lib.LLVMGetOperand(instruction, 0))) == 64
    ]
    if not found:
        return
    unsigned = _TEXT.format(name=_NAMES[Opcode.UI_TO_FP], conversion="uitofp", offset=0, range=_HELD)
    signed = _TEXT.format(name=_NAMES[Opcode.SI_TO_FP], conversion="sitofp", offset=_HELD, range=2 * _HELD)
    module.link_text(module.target_text() + unsigned + signed, "conversions")
    functions = {opcode: module.find(name) for opcode, name in _NAMES.items()}
    for function in functions.values():  # not before: the linker leaves behind what is internal and not used
        lib.LLVMSetLinkage(function, Linkage.INTERNAL)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for instruction, opcode in found:
        function = functions[opcode]
        lib.LLVMPositionBuilderBefore(builder, instruction)
        arguments = (ctypes.c_void_p * 1)(lib.LLVMGetOperand(instruction, 0))
        made = lib.LLVMBuildCall2(builder, lib.LLVMGlobalGetValueType(function), function, arguments, 1, b"")
        lib.LLVMReplaceAllUsesWith(instruction, made)
        lib.LLVMInstructionEraseFromParent(instruction)
    lib.LLVMDisposeBuilder(builder)


def _bits(module: Module, type_: int) -> int:
    integer = module.lib.LLVMGetTypeKind(type_) == TypeKind.INTEGER
    return int(module.lib.LLVMGetIntTypeWidth(type_)) if integer else 0
