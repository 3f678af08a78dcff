# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keep LLVM from taking an integer beyond the range of half for one that half holds exactly.

    %f = sitofp i32 %x to float           ==>   %f = llvm.arithmetic.fence(sitofp i32 %x to float)
    %h = sitofp i32 %x to half            ==>   %h = fptrunc (llvm.arithmetic.fence(sitofp i32 %x to float)) to half
    uitofp likewise; of integers of more than 16 bits, and of vectors

LLVM (InstCombine of LLVM 23) drops the way through half from `fpext (fptrunc (sitofp %x) to half)` where %x is known to
have at most the 11 significant bits of half, as `i << 29` has. But half ends at 65504, and -2^31 becomes minus infinity
on the way. The fence is an identity that costs no instruction and that LLVM looks through nowhere. An integer of 16
bits with 11 significant ones is at most 65504. By way of float nothing is rounded twice: a float holds every integer up
to 2^24, and all beyond 65519 are infinity in half.
Requires the module before optimisation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode, TypeKind
from warploom.llvm.module import Module

_FROM_INTEGER = (Opcode.SI_TO_FP, Opcode.UI_TO_FP)
_BETWEEN = (Opcode.FP_TRUNC, Opcode.FP_EXT)
_EXACT_BITS = 16  # of integers that are in half's range if they have its precision


def keep_half_range(module: Module, found: Mapping[int, Sequence[Handle]]) -> None:
    """Rewrite the conversions of integers among the instructions `found`, by opcode, if any of these makes or takes
    half."""
    lib = module.lib
    made, changed = ([each for opcode in some for each in found.get(opcode, ())] for some in (_FROM_INTEGER, _BETWEEN))
    has_half = any(_is_half(module, each) for each in (*made, *changed))
    if not has_half and not any(_is_half(module, lib.LLVMGetOperand(each, 0)) for each in changed):
        return
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for instruction in made:
        operand = lib.LLVMGetOperand(instruction, 0)
        if _bits(module, operand) > _EXACT_BITS and not lib.LLVMIsAConstant(operand):
            _fence(module, builder, instruction)
    lib.LLVMDisposeBuilder(builder)


def _fence(module: Module, builder: Handle, conversion: Handle) -> None:
    lib = module.lib
    type_, operand = lib.LLVMTypeOf(conversion), lib.LLVMGetOperand(conversion, 0)
    through_float = _is_half(module, conversion)
    wide = _float_like(module, type_) if through_float else type_
    lib.LLVMPositionBuilderBefore(builder, conversion)
    made = lib.LLVMBuildCast(builder, lib.LLVMGetInstructionOpcode(conversion), operand, wide, b"")
    made = module.call_intrinsic(builder, "llvm.arithmetic.fence", [wide], [made])
    if through_float:
        made = lib.LLVMBuildCast(builder, Opcode.FP_TRUNC, made, type_, b"")
    lib.LLVMReplaceAllUsesWith(conversion, made)
    lib.LLVMInstructionEraseFromParent(conversion)


def _element(module: Module, type_: Handle) -> Handle:
    is_vector = module.lib.LLVMGetTypeKind(type_) == TypeKind.VECTOR
    return module.lib.LLVMGetElementType(type_) if is_vector else type_


def _is_half(module: Module, value: Handle) -> bool:
    return bool(module.lib.LLVMGetTypeKind(_element(module, module.lib.LLVMTypeOf(value))) == TypeKind.HALF)


def _bits(module: Module, value: Handle) -> int:
    return int(module.lib.LLVMGetIntTypeWidth(_element(module, module.lib.LLVMTypeOf(value))))


def _float_like(module: Module, type_: Handle) -> Handle:
    """float, or a vector of as many floats."""
    float_ = module.lib.LLVMFloatTypeInContext(module.context)
    if _element(module, type_) == type_:
        return float_
    return module.lib.LLVMVectorType(float_, module.lib.LLVMGetVectorSize(type_))
