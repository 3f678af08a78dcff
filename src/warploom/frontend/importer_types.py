# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM types as the IR spells them, with their sizes; each type is asked about once.

Named structs are spelled out: `%struct.Pair` becomes `{ i32, float }`.
"""

from __future__ import annotations

from warploom.core.remarks import Unsupported
from warploom.llvm.binding import Handle
from warploom.llvm.codes import TypeKind
from warploom.llvm.module import Module

_PLAIN = {
    TypeKind.VOID: "void",
    TypeKind.HALF: "half",
    TypeKind.FLOAT: "float",
    TypeKind.DOUBLE: "double",
    TypeKind.BFLOAT: "bfloat",
}


class Types:
    """The types of one module."""

    def __init__(self, module: Module) -> None:
        self.module, self.lib = module, module.lib
        self._texts: dict[Handle, str] = {}
        self._sizes: dict[Handle, int] = {}

    def text(self, type_: Handle) -> str:
        """The IR's spelling of an LLVM type; Unsupported when it has none."""
        found = self._texts.get(type_)
        if found is None:
            found = self._texts[type_] = self._spell(type_)
        return found

    def of(self, value: Handle) -> str:
        """The type of a value."""
        return self.text(self.lib.LLVMTypeOf(value))

    def size(self, type_: Handle) -> int:
        """Bytes that an array element of `type_` takes."""
        found = self._sizes.get(type_)
        if found is None:
            found = self._sizes[type_] = self.module.size_of(type_)
        return found

    def is_struct(self, type_: Handle) -> bool:
        """Whether `type_` is a struct."""
        return self.lib.LLVMGetTypeKind(type_) == TypeKind.STRUCT

    def member(self, type_: Handle, number: int) -> tuple[Handle, int]:
        """Type and byte offset of a struct's member."""
        offset = self.lib.LLVMOffsetOfElement(self.module.data_layout, type_, number)
        return self.lib.LLVMStructGetTypeAtIndex(type_, number), offset

    def _spell(self, type_: Handle) -> str:
        lib = self.lib
        kind = lib.LLVMGetTypeKind(type_)
        if kind in _PLAIN:
            return _PLAIN[kind]
        if kind == TypeKind.INTEGER:
            return f"i{lib.LLVMGetIntTypeWidth(type_)}"
        if kind == TypeKind.POINTER and lib.LLVMGetPointerAddressSpace(type_) == 0:
            return "ptr"
        if kind == TypeKind.VECTOR:
            return f"<{lib.LLVMGetVectorSize(type_)} x {self.text(lib.LLVMGetElementType(type_))}>"
        if kind == TypeKind.ARRAY:
            return f"[{lib.LLVMGetArrayLength2(type_)} x {self.text(lib.LLVMGetElementType(type_))}]"
        if kind == TypeKind.STRUCT:
            return self._spell_struct(type_)
        raise Unsupported(f"a value of type {self.module.type_text(type_)}")

    def _spell_struct(self, type_: Handle) -> str:
        lib = self.lib
        count = lib.LLVMCountStructElementTypes(type_)
        members = [self.text(lib.LLVMStructGetTypeAtIndex(type_, number)) for number in range(count)]
        inner = f"{{ {', '.join(members)} }}" if members else "{}"
        return f"<{inner}>" if lib.LLVMIsPackedStruct(type_) else inner
