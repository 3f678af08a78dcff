# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turn a global variable into an address that each function computes at its entry.

    store i32 %v, ptr getelementptr (i8, ptr @s, i64 12)      %s = <computed at the entry>
                                                        ==>   %p = getelementptr i8, ptr %s, i64 12
                                                              store i32 %v, ptr %p

Sound when the address is the same during the whole call: it is for shared memory (a block stays on its worker) and for
managed variables (bound once, before any launch).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping

from warploom.diagnostics import Diagnostic
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Opcode
from warploom.llvm.module import Module

_KEEP_LISTS = ("llvm.", "__clang_gpu_used_external")
_CHECKED_LISTS = (b"llvm.used", b"llvm.compiler.used")
_CASTS = {
    Opcode.TRUNC: "LLVMBuildTrunc",
    Opcode.PTR_TO_INT: "LLVMBuildPtrToInt",
    Opcode.INT_TO_PTR: "LLVMBuildIntToPtr",
    Opcode.BIT_CAST: "LLVMBuildBitCast",
    Opcode.ADDR_SPACE_CAST: "LLVMBuildAddrSpaceCast",
}
_BINARY = {Opcode.ADD: "LLVMBuildAdd", Opcode.SUB: "LLVMBuildSub", Opcode.XOR: "LLVMBuildXor"}
_NOWHERE: Mapping[Handle, Handle] = {}
Address = Callable[[Handle, Handle], Handle]


class Materialiser:
    """Replaces globals by addresses in one module."""

    def __init__(self, module: Module) -> None:
        lib = module.lib
        self.module, self.lib = module, lib
        self.builder: Handle = lib.LLVMCreateBuilderInContext(module.context)
        self.pointer: Handle = lib.LLVMPointerTypeInContext(module.context, 0)

    def close(self) -> None:
        """Free the instruction builder."""
        self.lib.LLVMDisposeBuilder(self.builder)

    def replace(self, variable: Handle, address: Address, after: Mapping[Handle, Handle] = _NOWHERE) -> set[Handle]:
        """Rewrite every use of `variable`; `address` builds it with the builder, once in each function: at its entry,
        or behind the instruction `after` of that function, which every use follows. It gets that instruction too, or 0.

        Returns the functions that use it. The variable itself stays, unused.
        """
        addresses: dict[Handle, Handle] = {}
        made: dict[tuple[Handle, Handle], Handle] = {}
        for instruction in self.instructions_using(variable):
            function = self.module.function_of(instruction)
            if function not in addresses:
                place = after.get(function, 0)
                next_ = self.lib.LLVMGetNextInstruction(place) if place else self.entry_point(function)
                self.lib.LLVMPositionBuilderBefore(self.builder, next_)
                addresses[function] = address(self.builder, place)
            made[(function, variable)] = addresses[function]
            for index, operand in enumerate(self.module.operands(instruction)):
                if self._mentions(operand, variable):
                    self.lib.LLVMSetOperand(instruction, index, self._rebuild(operand, variable, function, made))
        if not all(self._is_dead(user) for user in self.module.users(variable)):
            name = self.module.name(variable)
            raise Diagnostic(
                f"the address of {name} is used in the initialiser of a global variable",
                hint="store the address in a kernel: shared and managed variables have none before",
            )
        return set(addresses)

    def delete(self, variable: Handle) -> None:
        """Delete a variable whose uses are replaced."""
        for table in _CHECKED_LISTS:
            self._forget(table, variable)
        self.lib.LLVMReplaceAllUsesWith(variable, self.lib.LLVMGetPoison(self.pointer))
        self.lib.LLVMDeleteGlobal(variable)

    def _forget(self, table: bytes, variable: Handle) -> None:
        """Take `variable` out of a list of what to keep, whose members LLVM wants to be globals."""
        lib, module = self.lib, self.module.ref
        old = lib.LLVMGetNamedGlobal(module, table)
        members = self.module.operands(lib.LLVMGetInitializer(old)) if old else []
        kept = [member for member in members if member != variable]
        if len(kept) == len(members):
            return
        lib.LLVMDeleteGlobal(old)
        if kept:
            new = lib.LLVMAddGlobal(module, lib.LLVMArrayType2(self.pointer, len(kept)), table)
            array = (ctypes.c_void_p * len(kept))(*kept)
            lib.LLVMSetInitializer(new, lib.LLVMConstArray2(self.pointer, array, len(kept)))
            lib.LLVMSetLinkage(new, Linkage.APPENDING)
            lib.LLVMSetSection(new, b"llvm.metadata")

    def _is_dead(self, user: Handle) -> bool:
        """Whether `user` is no real use: a constant that nothing uses, which LLVM keeps, or a list of what to keep."""
        if self.lib.LLVMIsAGlobalVariable(user):
            return self.module.name(user).startswith(_KEEP_LISTS)
        if self.lib.LLVMIsAInstruction(user):
            return False
        return all(self._is_dead(outer) for outer in self.module.users(user))

    def instructions_using(self, variable: Handle) -> list[Handle]:
        """The instructions that name `variable`, in a constant expression too."""
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

    def entry_point(self, function: Handle) -> Handle:
        """The first instruction after the allocas of the entry block."""
        for instruction in self.module.block_instructions(self.lib.LLVMGetEntryBasicBlock(function)):
            if not self.lib.LLVMIsAAllocaInst(instruction):
                return instruction
        raise AssertionError("a block without terminator")

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
            build = getattr(lib, _CASTS[opcode])
            return build(self.builder, operands[0], lib.LLVMTypeOf(value), b"")
        if opcode in _BINARY:
            return getattr(lib, _BINARY[opcode])(self.builder, operands[0], operands[1], b"")
        raise AssertionError(f"constant expression with opcode {opcode} over a replaced variable")
