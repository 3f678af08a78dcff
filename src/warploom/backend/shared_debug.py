# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""-G: debuggers read a shared variable like a local one of each function that names it.

    @tile = internal global [64 x i32] undef, !dbg !tile      %tile.address = alloca ptr
                                                        ==>   store ptr %address, ptr %tile.address
                                                              #dbg_declare(ptr %tile.address, !local, deref)

A shared variable has no address of its own: each function computes it (shared_memory.py). So the description as a
global variable, which says nothing of the place, gives way to one of a local variable behind a pointer. clang puts what
two inner blocks of one function call by the same name into the function's scope; where names meet, the scope is the
innermost one that holds all uses.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from warploom.backend.materialise import Address
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle

_GLOBALS, _RETAINED = 6, 7  # operands of a DICompileUnit and of a DISubprogram
_VARIABLE, _NAME = 0, 1  # operands of a DIGlobalVariableExpression and of a DIGlobalVariable
_SCOPE = 1  # operand of a DILexicalBlock
_GLOBAL_VARIABLE_EXPRESSION, _LEXICAL_BLOCKS = 7, (18, 19)  # LLVMMetadataKind
_DEREF = 0x06  # of DWARF's operations
_NO_FLAGS = _NATURAL = 0  # of a local variable, and its alignment


class SharedDescriptions:
    """Describes the shared variables of one module to debuggers; close it when all are replaced."""

    def __init__(self, device: DeviceModule) -> None:
        self.module, self.lib = device.module, device.module.lib
        module, lib = self.module, self.lib
        self._builder: Handle = lib.LLVMCreateDIBuilderDisallowUnresolved(module.ref)
        self._pointer: Handle = lib.LLVMPointerTypeInContext(module.context, 0)
        operations = (ctypes.c_uint64 * 1)(_DEREF)
        self._behind_pointer: Handle = lib.LLVMDIBuilderCreateExpression(self._builder, operations, 1)
        variables = {name: variable for name in device.static_shared if (variable := module.find(name))}
        records = {name: record for name, variable in variables.items() if (record := self._record(variable))}
        self._variables = {name: module.metadata_operands(record)[_VARIABLE] for name, record in records.items()}
        self._often = Counter(map(self._name, self._variables.values()))
        self._forget(set(records.values()))

    def close(self) -> None:
        """Free the builder of descriptions."""
        self.lib.LLVMDisposeDIBuilder(self._builder)

    def described(self, name: str, uses: Sequence[Handle], address: Address) -> Address:
        """`address` of the variable, which also tells debuggers of it; `uses`: all instructions that name it."""
        variable = self._variables.get(name)
        if not variable:
            return address

        def build(builder: Handle, place: Handle) -> Handle:
            made = address(builder, place)
            self._describe(variable, uses, builder, made)
            return made

        return build

    def _describe(self, variable: Handle, uses: Sequence[Handle], builder: Handle, address: Handle) -> None:
        lib, block = self.lib, self.lib.LLVMGetInsertBlock(builder)
        function = lib.LLVMGetBasicBlockParent(block)
        scope = lib.LLVMGetSubprogram(function)
        if not scope:
            return
        name, line = self._name(variable), lib.LLVMDIVariableGetLine(variable)
        if self._often[name] > 1:
            scope = self._common_scope([each for each in uses if self.module.function_of(each) == function]) or scope
        text = name.encode()
        _, _, file, type_, *_ = self.module.metadata_operands(variable)
        local = lib.LLVMDIBuilderCreateAutoVariable(
            self._builder, scope, text, len(text), file, line, type_, False, _NO_FLAGS, _NATURAL
        )
        slot = lib.LLVMBuildAlloca(builder, self._pointer, text + b".address")
        lib.LLVMBuildStore(builder, address, slot)
        place = lib.LLVMDIBuilderCreateDebugLocation(self.module.context, line, 0, scope, None)
        lib.LLVMDIBuilderInsertDeclareRecordAtEnd(self._builder, slot, local, self._behind_pointer, place, block)

    def _common_scope(self, instructions: Iterable[Handle]) -> Handle:
        """The innermost scope that holds all of `instructions` that have a line; 0 where none has."""
        lines = filter(None, map(self.lib.LLVMInstructionGetDebugLoc, instructions))
        chains = [self._scopes(self.lib.LLVMDILocationGetScope(line)) for line in lines]
        return next((each for each in chains[0] if all(each in chain for chain in chains)), 0) if chains else 0

    def _scopes(self, scope: Handle) -> list[Handle]:
        """`scope` and those around it, to the function's."""
        found = [scope]
        while self.lib.LLVMGetMetadataKind(found[-1]) in _LEXICAL_BLOCKS:
            found.append(self.module.metadata_operands(found[-1])[_SCOPE])
        return found

    def _name(self, variable: Handle) -> str:
        return self.module.string(self.module.metadata_operands(variable)[_NAME])

    def _record(self, variable: Handle) -> Handle:
        """What describes a global variable to debuggers; 0 for nothing."""
        return next((each for each in self.module.metadata_of(variable) if self._is_record(each)), 0)

    def _is_record(self, node: Handle) -> bool:
        return self.lib.LLVMGetMetadataKind(node) == _GLOBAL_VARIABLE_EXPRESSION

    def _forget(self, records: Container[Handle]) -> None:
        """Take `records` out of what compile units and functions list."""
        for unit in self.module.compile_units():
            self._forget_in(self.lib.LLVMValueAsMetadata(unit), _GLOBALS, records)
        for subprogram in filter(None, map(self.lib.LLVMGetSubprogram, self.module.functions())):
            self._forget_in(subprogram, _RETAINED, records)

    def _forget_in(self, node: Handle, index: int, records: Container[Handle]) -> None:
        module, lib = self.module, self.lib
        listed = module.metadata_operands(node)[index]
        members = module.metadata_operands(listed) if listed else []
        kept = [each for each in members if each not in records]
        if len(kept) < len(members):
            array = (ctypes.c_void_p * len(kept))(*kept)
            made = lib.LLVMMDNodeInContext2(module.context, array, len(kept))
            lib.LLVMReplaceMDNodeOperandWith(lib.LLVMMetadataAsValue(module.context, node), index, made)
