# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes of a warp meet at volatile accesses to shared memory, as code from before `__syncwarp` takes for granted.

    volatile int *s = cells;                         load volatile  s[i + 16]   <- all lanes of the warp that come here
    if (i < 32) s[i] += s[i + 16];         ==>       load volatile  s[i]
                                                     store volatile s[i]        <- again

Up to compute capability 6 a warp ran in lock step: what one lane stored, all saw in the next statement, and `volatile`
kept the compiler from looking away. CUDA has not promised that since, though GPUs still do so mostly. Meeting is always
allowed: it only rules out orders of threads that could happen. Who waits in a loop for another lane's store
(analysis/spin_waits.py) still gets it: lanes that wait at different places are let go in turn.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Sequence

from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.module import FUNCTION_INDEX, Module, Opcode

LOCK_STEP = "__warploom_lock_step"
_MOVED = (Opcode.GEP, Opcode.BIT_CAST, Opcode.ADDR_SPACE_CAST, Opcode.FREEZE)


def meet_where_known(device: DeviceModule) -> None:
    """Before each volatile access to what is seen to be shared memory. Requires inlined code.

    The optimising engine takes the call for a warp barrier; a kernel that goes to the reference engine keeps it.
    """
    module = device.module
    shared = {module.find(name) for name in (*device.static_shared, *device.dynamic_shared)}
    for function in module.functions():
        _meet(module, [each for each in _accesses(module, function) if not shared.isdisjoint(_roots(module, each[1]))])


def meet_at_run_time(module: Module, without: Collection[str]) -> None:
    """Before each volatile access: the runtime finds out whether it goes to shared memory.

    Functions named in `without` are left as they are.
    """
    for function in module.functions():
        if module.name(function) not in without:
            _meet(module, list(_accesses(module, function)))


def _accesses(module: Module, function: Handle) -> Iterator[tuple[Handle, Handle]]:
    """Volatile loads and stores before which lanes are to meet and do not yet, each with its address."""
    lib = module.lib
    known = module.find(LOCK_STEP)
    for block in module.blocks(function):
        met = False
        for instruction in module.block_instructions(block):
            opcode = lib.LLVMGetInstructionOpcode(instruction)
            if opcode == Opcode.CALL:
                met = bool(known) and lib.LLVMGetCalledValue(instruction) == known
            if opcode in (Opcode.LOAD, Opcode.STORE) and lib.LLVMGetVolatile(instruction):
                if not met:
                    yield instruction, module.operands(instruction)[-1]
                met = False


def _meet(module: Module, points: Sequence[tuple[Handle, Handle]]) -> None:
    """Call the runtime before each access."""
    if not points:
        return
    lib = module.lib
    address: Handle = lib.LLVMPointerTypeInContext(module.context, 0)
    signature = lib.LLVMFunctionType(lib.LLVMVoidTypeInContext(module.context), _array([address]), 1, 0)
    callee = module.find(LOCK_STEP) or lib.LLVMAddFunction(module.ref, LOCK_STEP.encode(), signature)
    convergent = lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind("convergent"), 0)
    lib.LLVMAddAttributeAtIndex(callee, FUNCTION_INDEX, convergent)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for access, pointer in points:
        lib.LLVMPositionBuilderBefore(builder, access)
        lib.LLVMBuildCall2(builder, signature, callee, _array([pointer]), 1, b"")
    lib.LLVMDisposeBuilder(builder)


def _array(handles: Sequence[Handle]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(handles))(*handles)


def _roots(module: Module, pointer: Handle) -> set[Handle]:
    """What an address may be computed from: variables, parameters, loads."""
    lib = module.lib
    found: set[Handle] = set()
    seen: set[Handle] = set()
    work = [pointer]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        if lib.LLVMIsAInstruction(value):
            opcode = lib.LLVMGetInstructionOpcode(value)
        else:
            opcode = lib.LLVMGetConstOpcode(value) if lib.LLVMIsAConstantExpr(value) else None
        if opcode in _MOVED:
            work.append(module.operands(value)[0])
        elif opcode in (Opcode.PHI, Opcode.SELECT):
            work += module.operands(value)
        else:
            found.add(value)
    return found
