# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a thread of the reference engine that spins lets others run."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from warploom.backend.lock_step import asks_for_what_was_stored
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

SPIN_POINT, PHASE_WAIT = "__warploom_spin_point", "__warploom_phase_wait"
_MONOTONIC = 2  # LLVMAtomicOrderingMonotonic: from here on a load is atomic


def add_spin_points(module: Module, without: Collection[str]) -> None:
    """Before each atomic, fence and volatile load: a thread that spins there lets others run.

    Functions named in `without` are left as they are.
    """
    lib = module.lib
    points = [
        instruction
        for function in module.functions()
        if module.name(function) not in without
        for instruction in module.instructions(function)
        if _may_spin(module, instruction) and not asks_for_what_was_stored(module, instruction)
    ]
    if not points:
        return
    void = lib.LLVMFunctionType(lib.LLVMVoidTypeInContext(module.context), None, 0, 0)
    name = SPIN_POINT.encode()
    callee = lib.LLVMGetNamedFunction(module.ref, name) or lib.LLVMAddFunction(module.ref, name, void)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for point in points:
        lib.LLVMPositionBuilderBefore(builder, point)
        lib.LLVMBuildCall2(builder, void, callee, None, 0, b"")
    lib.LLVMDisposeBuilder(builder)


def _may_spin(module: Module, instruction: Handle) -> bool:
    opcode = module.lib.LLVMGetInstructionOpcode(instruction)
    if opcode in (Opcode.ATOMIC_RMW, Opcode.ATOMIC_CMP_XCHG, Opcode.FENCE):
        return True
    if opcode != Opcode.LOAD:
        return False
    return bool(module.lib.LLVMGetVolatile(instruction)) or module.lib.LLVMGetOrdering(instruction) >= _MONOTONIC


def callers_of(module: Module, names: Iterable[str]) -> set[Handle]:
    """Every function that calls one of `names`, or has it called for it: by a function it names."""
    lib, found = module.lib, set[Handle]()
    work = [lib.LLVMGetNamedFunction(module.ref, name.encode()) for name in names]
    while work:
        value = work.pop()
        for user in module.users(value) if value else ():
            is_code = bool(lib.LLVMIsAInstruction(user))
            caller = lib.LLVMGetBasicBlockParent(lib.LLVMGetInstructionParent(user)) if is_code else user
            if caller not in found:
                found.add(caller)
                work.append(caller)
    return found
