# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""WARPLOOM_STRICT: every access of device code asks the runtime whether a GPU would take it.

    %v = load i32, ptr %p, align 4    ==>    call void @__warploom_check_access(ptr %p, i64 3, i32 0)
                                             %v = load i32, ptr %p, align 4

The runtime ends the grid where the address is memory of the host, or not a multiple of the access (alignment.py says
of what). Checks go in before any optimisation, in which copies of structs are still whole. What lies in a variable, in
a thread's own memory or in a parameter is not asked about: it is where the compiler put it. Much of that is only seen
once functions are inlined; `drop_needless` takes those checks out again, so that LLVM may keep the memory in registers.

The calls may end the thread and tell others nothing, so that they are calls with unknown effects to all passes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from warploom.backend.alignment import COPIES, accesses
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

CHECK = "__warploom_check_access"
_FILL = "llvm.memset.p0."
_STEPS = (Opcode.GEP, Opcode.BIT_CAST)
_WRITES = (Opcode.STORE, Opcode.ATOMIC_RMW, Opcode.ATOMIC_CMP_XCHG)


def check_accesses(module: Module) -> None:
    """Have every access of the module ask first, but where the compiler chose the address."""
    checks = [
        (instruction, *access)
        for function in module.functions()
        if module.is_defined(function)
        for instruction in module.instructions(function)
        for access in _touched(module, instruction)
        if not _is_own(module, access[0])
    ]
    if not checks:
        return
    lib, context = module.lib, module.context
    word, flag = (lib.LLVMIntTypeInContext(context, bits) for bits in (64, 32))
    parameters = (ctypes.c_void_p * 3)(lib.LLVMPointerTypeInContext(context, 0), word, flag)
    type_ = lib.LLVMFunctionType(lib.LLVMVoidTypeInContext(context), parameters, 3, 0)
    check = module.find(CHECK) or lib.LLVMAddFunction(module.ref, CHECK.encode(), type_)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for instruction, address, bytes_, writes in checks:
        lib.LLVMPositionBuilderBefore(builder, instruction)
        mask, kind = lib.LLVMConstInt(word, bytes_ - 1, 0), lib.LLVMConstInt(flag, int(writes), 0)
        arguments = (ctypes.c_void_p * 3)(address, mask, kind)
        lib.LLVMBuildCall2(builder, type_, check, arguments, 3, b"")
    lib.LLVMDisposeBuilder(builder)


def drop_needless(module: Module) -> None:
    """Take out the checks of addresses that are now seen to be the compiler's choice."""
    lib, check = module.lib, module.find(CHECK)
    if not check:
        return
    for call in list(module.users(check)):
        if _is_own(module, lib.LLVMGetOperand(call, 0)):
            lib.LLVMInstructionEraseFromParent(call)


def _touched(module: Module, instruction: Handle) -> Iterator[tuple[Handle, int, bool]]:
    """The addresses that an instruction uses, the bytes that each must be a multiple of, whether it writes."""
    lib, opcode = module.lib, module.lib.LLVMGetInstructionOpcode(instruction)
    if opcode != Opcode.CALL:
        for address, bytes_ in accesses(module, instruction):
            yield address, bytes_, opcode in _WRITES
        return
    callee = lib.LLVMGetCalledValue(instruction)
    name = module.name(callee) if lib.LLVMIsAFunction(callee) else ""
    if name.startswith(_FILL):
        yield lib.LLVMGetOperand(instruction, 0), 1, True
    elif name.startswith(COPIES):
        known = dict(accesses(module, instruction))
        target, source = (lib.LLVMGetOperand(instruction, number) for number in (0, 1))
        yield source, known.get(source, 1), False
        yield target, known.get(target, 1), True


def _is_own(module: Module, address: Handle) -> bool:
    """Whether `address` leads into a variable, a private array or a parameter that is handed over in memory."""
    lib = module.lib
    while lib.LLVMIsAInstruction(address) and lib.LLVMGetInstructionOpcode(address) in _STEPS:
        address = lib.LLVMGetOperand(address, 0)
    if lib.LLVMIsAArgument(address):
        function = lib.LLVMGetParamParent(address)
        number = list(module.parameters(function)).index(address)
        kinds = map(module.attribute_kind, ("byval", "sret"))
        return any(lib.LLVMGetEnumAttributeAtIndex(function, number + 1, kind) for kind in kinds)
    return bool(lib.LLVMIsAConstant(address) or lib.LLVMIsAAllocaInst(address))
