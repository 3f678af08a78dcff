# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An access that is not aligned to its size ends the grid, as on a GPU: code of the reference engine checks addresses.

    %v = load i32, ptr %p, align 4    ==>    call void @__warploom_check_alignment(ptr %p, i64 3)
                                             %v = load i32, ptr %p, align 4

A GPU looks at the access, not at the type behind the pointer: of a misaligned `float4 *` the member x may be read by
itself. So the mask is the access's own size, where the type promises so much, 16 bytes at most; a whole struct is
copied in pieces of its alignment. Variables and what lies at constant places in them are where the compiler put them.

Requires the module before optimisation, in which copies of structs are still whole. Processors take any address, so
that the check is code, and costs: the engine that is made to be right has it, the other one reads the bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Opcode
from warploom.llvm.module import Module

_CHECK = "__warploom_check_alignment"
_WIDEST = 16  # bytes of a GPU's widest access
COPIES = ("llvm.memcpy.p0.p0.", "llvm.memmove.p0.p0.")
# Where an instruction has its address and what it reads or writes there; a load is that itself.
_ADDRESS = {Opcode.LOAD: 0, Opcode.STORE: 1, Opcode.ATOMIC_RMW: 0, Opcode.ATOMIC_CMP_XCHG: 0}
_VALUE = {Opcode.STORE: 0, Opcode.ATOMIC_RMW: 1, Opcode.ATOMIC_CMP_XCHG: 1}
_BODY = f"""define void @{_CHECK}(ptr %p, i64 %mask) alwaysinline {{
  %address = ptrtoint ptr %p to i64
  %low = and i64 %address, %mask
  %wrong = icmp ne i64 %low, 0
  br i1 %wrong, label %misaligned, label %aligned, !prof !0
misaligned:
  call void @__warploom_misaligned(ptr %p, i64 %mask)
  unreachable
aligned:
  ret void
}}
declare void @__warploom_misaligned(ptr, i64) cold noreturn nounwind
!0 = !{{!"branch_weights", i32 1, i32 1048576}}
"""


def check_alignment(module: Module) -> None:
    """Have every access of the module check its address, where that is not known to be aligned."""
    checks = [
        (instruction, address, bytes_ - 1)
        for function in module.functions()
        if module.is_defined(function)
        for instruction in module.instructions(function)
        for address, bytes_ in accesses(module, instruction)
        if bytes_ > 1 and not _is_placed(module, address)
    ]
    if not checks:
        return
    module.link_text("\n".join([module.target_text(), _BODY]), "alignment")
    lib, check = module.lib, module.find(_CHECK)
    type_, word = lib.LLVMGlobalGetValueType(check), lib.LLVMIntTypeInContext(module.context, 64)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for instruction, address, mask in checks:
        lib.LLVMPositionBuilderBefore(builder, instruction)
        arguments = (ctypes.c_void_p * 2)(address, lib.LLVMConstInt(word, mask, 0))
        lib.LLVMBuildCall2(builder, type_, check, arguments, 2, b"")
    lib.LLVMDisposeBuilder(builder)
    lib.LLVMSetLinkage(check, Linkage.INTERNAL)


def accesses(module: Module, instruction: Handle) -> Iterator[tuple[Handle, int]]:
    """The addresses that an instruction uses, each with the bytes that it must be a multiple of."""
    lib, opcode = module.lib, module.lib.LLVMGetInstructionOpcode(instruction)
    if opcode == Opcode.CALL:
        yield from _copied(module, instruction)
    elif opcode in _ADDRESS:
        address = lib.LLVMGetOperand(instruction, _ADDRESS[opcode])
        value = lib.LLVMGetOperand(instruction, _VALUE[opcode]) if opcode in _VALUE else instruction
        size = lib.LLVMStoreSizeOfType(module.data_layout, lib.LLVMTypeOf(value))
        if module.type_text(lib.LLVMTypeOf(address)) == "ptr":
            yield address, _whole(min(lib.LLVMGetAlignment(instruction), size, _WIDEST))


def _copied(module: Module, call: Handle) -> Iterator[tuple[Handle, int]]:
    """Both ends of a copy of a struct: of a known size, and both as aligned as its type."""
    lib, callee = module.lib, module.lib.LLVMGetCalledValue(call)
    if not lib.LLVMIsAFunction(callee) or not module.name(callee).startswith(COPIES):
        return
    target, source, size = (lib.LLVMGetOperand(call, number) for number in range(3))
    kind = module.attribute_kind("align")
    found = [lib.LLVMGetCallSiteEnumAttribute(call, number, kind) for number in (1, 2)]
    aligned = {lib.LLVMGetEnumAttributeValue(each) if each else 1 for each in found}
    if len(aligned) != 1 or not lib.LLVMIsAConstantInt(size):
        return
    bytes_ = min(aligned.pop(), _WIDEST)
    if lib.LLVMConstIntGetZExtValue(size) % bytes_ == 0:
        yield from ((target, bytes_), (source, bytes_))


def _whole(size: int) -> int:
    """The largest power of two that is no larger than `size`."""
    return 1 << max(size.bit_length() - 1, 0)


def _is_placed(module: Module, address: Handle) -> bool:
    """Whether `address` is a constant place in a variable."""
    lib = module.lib
    while lib.LLVMIsAInstruction(address) and lib.LLVMGetInstructionOpcode(address) == Opcode.GEP:
        base, *indices = module.operands(address)
        if not all(map(lib.LLVMIsAConstantInt, indices)):
            return False
        address = base
    return bool(lib.LLVMIsAConstant(address) or lib.LLVMIsAAllocaInst(address))
