# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes of a warp meet at volatile accesses to shared memory, as code from before `__syncwarp` takes for granted.

    volatile int *s = cells;                         load volatile  s[i + 16]   <- all lanes of the warp that come here
    if (i < 32) s[i] += s[i + 16];         ==>       load volatile  s[i]
                                                     store volatile s[i]        <- again

Up to compute capability 6 a warp ran in lock step: what one lane stored, all saw in the next statement, and `volatile`
kept the compiler from looking away. CUDA has not promised that since, though GPUs still do so mostly. Meeting is always
allowed: it only rules out orders of threads that could happen. Who waits in a loop for another lane's store
(analysis/spin_waits.py) still gets it: lanes that wait at different places are let go in turn. For that reason lanes do
not meet within an update that asks whether it stands, `do { v = f(*s); *s = v; } while (*s != v)`: a lane that was held
up before its store would undo the updates of lanes that went on.

Plain accesses in which lanes of a warp meet without anything that waits (passes/barrier/lock_step.py) are such places
too, for kernels that run thread by thread and wait in no loop: they are found in the parallel IR, and known again by
their place in the source. Lanes at several of them are let go in the order of the program, as those are that are
behind.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterable, Iterator, Sequence

from warploom.core.remarks import Loc, Unsupported
from warploom.frontend.cleanup import clean
from warploom.frontend.device_module import DeviceModule, Kernel
from warploom.frontend.importer import import_kernel
from warploom.frontend.importer_locations import Locations
from warploom.ir.core import walk
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, Opcode
from warploom.llvm.module import Module
from warploom.passes.barrier.lock_step import pairs_of
from warploom.passes.base import Context
from warploom.passes.shape.structure import STRUCTURE

Places = dict[Loc | None, int]  # in the order of the program, from 1

_LAST_RANK = 4095  # of a place: as an address it lies in the first page, where nothing is
LOCK_STEP = "__warploom_lock_step"
_ACCESSES = (Opcode.LOAD, Opcode.STORE, Opcode.ATOMIC_RMW, Opcode.ATOMIC_CMP_XCHG)
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


def races_of(device: DeviceModule, kernels: Iterable[Kernel], *, separate: bool) -> Places:
    """Where lanes of a warp meet in plain accesses of `kernels` with nothing between that waits. Requires a cleaned
    module."""
    found: Places = {}
    for kernel in kernels:
        try:
            function = import_kernel(device, kernel, separate=separate)
            STRUCTURE.run(function, Context())
        except Unsupported:
            continue
        if function.facts.waits:
            continue  # lanes that wait for each other must not meet
        points = {then for _, then in pairs_of(function)}
        for op in walk(function.body):
            if op in points and op.loc is not None:
                found[op.loc] = min(len(found) + 1, _LAST_RANK)
    return found


def races_behind(device: DeviceModule, machine: Handle, *, separate: bool) -> Places:
    """As `races_of`, of all kernels of a module as clang made it, which is cleaned: for a process that ends then."""
    clean(device.module, machine, device)
    return races_of(device, device.kernels, separate=separate)


def meet_at(module: Module, places: Places, functions: Iterable[Handle]) -> None:
    """Before each plain access of `functions` that comes from one of `places`."""
    if not places:
        return
    lib, locations = module.lib, Locations(module)
    for function in functions:
        points: list[tuple[Handle, Handle]] = []
        for each in module.instructions(function):
            rank = places.get(locations.of(each)) if lib.LLVMGetInstructionOpcode(each) in _ACCESSES else None
            if rank is not None:
                points.append((each, _as_address(module, rank)))
        _meet(module, points)


def _as_address(module: Module, rank: int) -> Handle:
    """A place's number as an address that nothing has."""
    lib = module.lib
    number = lib.LLVMConstInt(lib.LLVMInt64TypeInContext(module.context), rank, 0)
    return lib.LLVMConstIntToPtr(number, lib.LLVMPointerTypeInContext(module.context, 0))


def asks_for_what_was_stored(module: Module, instruction: Handle) -> bool:
    """Whether a load follows a store to its address, and only a comparison with what was stored uses it.

    Threads of a warp that write at once ask so whose value stands; another thread in between could spoil it.
    """
    lib = module.lib
    if lib.LLVMGetInstructionOpcode(instruction) != Opcode.LOAD:
        return False
    before = lib.LLVMGetPreviousInstruction(instruction)
    while before and lib.LLVMGetInstructionOpcode(before) in (Opcode.GEP, Opcode.ZEXT, Opcode.SEXT):
        before = lib.LLVMGetPreviousInstruction(before)
    if not before or lib.LLVMGetInstructionOpcode(before) != Opcode.STORE:
        return False
    stored, pointer = module.operands(before)
    users = list(module.users(instruction))
    compares = (lib.LLVMGetInstructionOpcode(user) == Opcode.ICMP and stored in module.operands(user) for user in users)
    return pointer == lib.LLVMGetOperand(instruction, 0) and bool(users) and all(compares)


def _accesses(module: Module, function: Handle) -> Iterator[tuple[Handle, Handle]]:
    """Volatile loads and stores before which lanes are to meet and do not yet, each with its address."""
    lib = module.lib
    known = module.find(LOCK_STEP)
    for block in module.blocks(function):
        asked: set[Handle] | None = None  # found out where there is something volatile: most code has nothing
        met = False
        for instruction in module.block_instructions(block):
            opcode = lib.LLVMGetInstructionOpcode(instruction)
            if opcode == Opcode.CALL:
                met = bool(known) and lib.LLVMGetCalledValue(instruction) == known
            if opcode in (Opcode.LOAD, Opcode.STORE) and lib.LLVMGetVolatile(instruction):
                pointer = module.operands(instruction)[-1]
                asked = _retried(module, block) if asked is None else asked
                if not met and pointer not in asked:
                    yield instruction, pointer
                met = False


def _retried(module: Module, block: Handle) -> set[Handle]:
    """The addresses at which `block` updates memory and asks whether its update stands."""
    return {
        module.operands(each)[0] for each in module.block_instructions(block) if asks_for_what_was_stored(module, each)
    }


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
