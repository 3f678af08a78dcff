# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give shared variables their place in the block's shared memory.

    @s = internal global [128 x float] undef        %base = call ptr @__warploom_shared_memory()
    ... getelementptr(@s, 12) ...             ==>   %s = base + SHARED_OFFSET constant + image offset + offset of s
                                                    ... getelementptr(%s, 12) ...

A block runs on one worker, whose memory `__warploom_shared_memory` returns; the image's own offset is written by the
runtime at registration. After this no shared variable is an LLVM global any more, so that LLVM has no ground to believe
that a barrier leaves it alone.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from warploom.backend.image import SHARED_OFFSET
from warploom.diagnostics import Diagnostic
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.module import FUNCTION_INDEX, Module, Opcode

STATIC_SHARED_OFFSET = 262144  # WARPLOOM_STATIC_SHARED_OFFSET of device_abi.h
_LARGEST_ALIGNMENT = 128
_CASTS = {
    Opcode.TRUNC: "LLVMBuildTrunc",
    Opcode.PTR_TO_INT: "LLVMBuildPtrToInt",
    Opcode.INT_TO_PTR: "LLVMBuildIntToPtr",
    Opcode.BIT_CAST: "LLVMBuildBitCast",
    Opcode.ADDR_SPACE_CAST: "LLVMBuildAddrSpaceCast",
}
_BINARY = {Opcode.ADD: "LLVMBuildAdd", Opcode.SUB: "LLVMBuildSub", Opcode.XOR: "LLVMBuildXor"}


@dataclass(frozen=True)
class SharedLayout:
    """Bytes of all shared variables of the image, and for each kernel the bytes it can reach."""

    image_size: int
    reached: dict[str, int]


def lower_shared_memory(device: DeviceModule) -> SharedLayout:
    """Replace every shared variable by an address in the block's shared memory."""
    module = device.module
    lowering = _Lowering(module)
    users: dict[str, set[Handle]] = {}
    sizes: dict[str, int] = {}
    offset = 0
    for name in device.static_shared:
        variable = module.lib.LLVMGetNamedGlobal(module.ref, name.encode())
        align = min(max(module.lib.LLVMGetAlignment(variable), 1), _LARGEST_ALIGNMENT)
        offset = (offset + align - 1) // align * align
        sizes[name] = module.size_of(module.lib.LLVMGlobalGetValueType(variable))
        users[name] = lowering.replace(variable, offset)
        offset += sizes[name]
    for name in device.dynamic_shared:
        lowering.replace(module.lib.LLVMGetNamedGlobal(module.ref, name.encode()), None)
    lowering.close()
    reached = {kernel.name: 0 for kernel in device.kernels}
    for name, functions in users.items():
        for kernel in _callers(module, functions) & reached.keys():
            reached[kernel] += sizes[name]
    return SharedLayout((offset + _LARGEST_ALIGNMENT - 1) // _LARGEST_ALIGNMENT * _LARGEST_ALIGNMENT, reached)


def _callers(module: Module, functions: set[Handle]) -> set[str]:
    """Names of all functions from which one of `functions` can be reached by direct calls, themselves included."""
    seen: set[Handle] = set()
    work = list(functions)
    while work:
        function = work.pop()
        if function in seen:
            continue
        seen.add(function)
        for user in module.users(function):
            if module.lib.LLVMIsAInstruction(user):
                work.append(module.function_of(user))
    return {module.name(function) for function in seen}


class _Lowering:
    """Materialises addresses at the entry of each function that uses one."""

    def __init__(self, module: Module) -> None:
        lib = module.lib
        self.module, self.lib = module, lib
        self.builder: Handle = lib.LLVMCreateBuilderInContext(module.context)
        self.pointer = lib.LLVMPointerTypeInContext(module.context, 0)
        self.i8 = lib.LLVMInt8TypeInContext(module.context)
        self.i64 = lib.LLVMInt64TypeInContext(module.context)
        self.offset_variable = lib.LLVMAddGlobal(module.ref, self.i64, SHARED_OFFSET.encode())
        lib.LLVMSetInitializer(self.offset_variable, lib.LLVMConstNull(self.i64))
        lib.LLVMSetExternallyInitialized(self.offset_variable, 1)
        self.base_type = lib.LLVMFunctionType(self.pointer, None, 0, 0)
        self.base = self._declare_base()

    def _declare_base(self) -> Handle:
        lib = self.lib
        name = b"__warploom_shared_memory"
        base = lib.LLVMGetNamedFunction(self.module.ref, name) or lib.LLVMAddFunction(
            self.module.ref, name, self.base_type
        )
        for attribute in ("memory", "nounwind", "willreturn"):
            kind = self.module.attribute_kind(attribute)
            made = lib.LLVMCreateEnumAttribute(self.module.context, kind, 0)
            lib.LLVMAddAttributeAtIndex(base, FUNCTION_INDEX, made)
        return base

    def close(self) -> None:
        self.lib.LLVMDisposeBuilder(self.builder)

    def replace(self, variable: Handle, offset: int | None) -> set[Handle]:
        """Rewrite every use of `variable`, at `offset` in the image's part or (None) the dynamic array.

        Returns the functions that use it.
        """
        addresses: dict[Handle, Handle] = {}
        made: dict[tuple[Handle, Handle], Handle] = {}
        for instruction in self._instructions_using(variable):
            function = self.module.function_of(instruction)
            if function not in addresses:
                addresses[function] = self._address(function, offset)
            made[(function, variable)] = addresses[function]
            for index, operand in enumerate(self.module.operands(instruction)):
                if self._mentions(operand, variable):
                    self.lib.LLVMSetOperand(instruction, index, self._rebuild(operand, variable, function, made))
        if not all(self._is_dead(user) for user in self.module.users(variable)):
            name = self.module.name(variable)
            raise Diagnostic(f"the address of shared variable {name} is used in the initialiser of a global variable")
        self.lib.LLVMReplaceAllUsesWith(variable, self.lib.LLVMGetPoison(self.pointer))
        self.lib.LLVMDeleteGlobal(variable)
        return set(addresses)

    def _is_dead(self, user: Handle) -> bool:
        """Whether `user` is a constant expression that nothing uses: LLVM keeps those until the context goes."""
        if not self.lib.LLVMIsAConstantExpr(user):
            return False
        return all(self._is_dead(outer) for outer in self.module.users(user))

    def _instructions_using(self, variable: Handle) -> list[Handle]:
        found: dict[Handle, None] = {}
        work, seen = [variable], set[Handle]()
        while work:
            for user in self.module.users(work.pop()):
                if self.lib.LLVMIsAInstruction(user):
                    found[user] = None
                elif user not in seen and self.lib.LLVMIsAConstantExpr(user):
                    seen.add(user)
                    work.append(user)
        return list(found)

    def _mentions(self, value: Handle, variable: Handle) -> bool:
        if value == variable:
            return True
        if not self.lib.LLVMIsAConstantExpr(value):
            return False
        return any(self._mentions(operand, variable) for operand in self.module.operands(value))

    def _entry_point(self, function: Handle) -> Handle:
        """The first instruction after the allocas of the entry block."""
        for instruction in self.module.block_instructions(self.lib.LLVMGetEntryBasicBlock(function)):
            if not self.lib.LLVMIsAAllocaInst(instruction):
                return instruction
        raise AssertionError("a block without terminator")

    def _address(self, function: Handle, offset: int | None) -> Handle:
        lib = self.lib
        lib.LLVMPositionBuilderBefore(self.builder, self._entry_point(function))
        base = lib.LLVMBuildCall2(self.builder, self.base_type, self.base, None, 0, b"shared")
        if offset is None:
            return base
        own = lib.LLVMBuildLoad2(self.builder, self.i64, self.offset_variable, b"shared.image")
        start = self._gep(base, own)
        return self._gep(start, lib.LLVMConstInt(self.i64, STATIC_SHARED_OFFSET + offset, 0))

    def _gep(self, pointer: Handle, offset: Handle) -> Handle:
        indices = (ctypes.c_void_p * 1)(offset)
        return self.lib.LLVMBuildGEP2(self.builder, self.i8, pointer, indices, 1, b"")

    def _rebuild(
        self, value: Handle, variable: Handle, function: Handle, made: dict[tuple[Handle, Handle], Handle]
    ) -> Handle:
        """`value`, a constant that mentions `variable`, as instructions behind the address at the function's entry."""
        if not self._mentions(value, variable):
            return value
        if (function, value) in made:
            return made[(function, value)]
        operands = [self._rebuild(operand, variable, function, made) for operand in self.module.operands(value)]
        self.lib.LLVMPositionBuilderBefore(self.builder, self._after(operands))
        made[(function, value)] = self._build(value, operands)
        return made[(function, value)]

    def _after(self, operands: list[Handle]) -> Handle:
        """The instruction after the latest of `operands` that is an instruction of the entry block."""
        instructions = {operand for operand in operands if self.lib.LLVMIsAInstruction(operand)}
        block = self.lib.LLVMGetInstructionParent(next(iter(instructions)))
        latest = [i for i in self.module.block_instructions(block) if i in instructions][-1]
        return self.lib.LLVMGetNextInstruction(latest)

    def _build(self, value: Handle, operands: list[Handle]) -> Handle:
        lib = self.lib
        opcode = lib.LLVMGetConstOpcode(value)
        if opcode == Opcode.GEP:
            indices = (ctypes.c_void_p * (len(operands) - 1))(*operands[1:])
            source = lib.LLVMGetGEPSourceElementType(value)
            return lib.LLVMBuildGEP2(self.builder, source, operands[0], indices, len(operands) - 1, b"")
        if opcode in _CASTS:
            build = getattr(lib, _CASTS[Opcode(opcode)])
            return build(self.builder, operands[0], lib.LLVMTypeOf(value), b"")
        if opcode in _BINARY:
            return getattr(lib, _BINARY[Opcode(opcode)])(self.builder, operands[0], operands[1], b"")
        raise AssertionError(f"constant expression with opcode {opcode} over a shared variable")
