# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM constants as operands of the IR: bits for scalars, LLVM's text for the rest.

A constant expression is no operand: the importer makes ops of it where it is used.
"""

from __future__ import annotations

import ctypes
import struct

from warploom.core.remarks import Unsupported
from warploom.frontend.importer_types import Types
from warploom.ir import types
from warploom.ir.core import Const
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage
from warploom.llvm.module import Module

_LONGEST = 64  # bits of an integer that LLVM-C hands over as a number


class Constants:
    """The constants of one module, each read once."""

    def __init__(self, module: Module, spelling: Types) -> None:
        self.module, self.lib, self.types = module, module.lib, spelling
        self._made: dict[Handle, Const] = {}
        self._strings: dict[Handle, str | None] = {}

    def operand(self, value: Handle) -> Const | None:
        """`value` as an operand; None for a constant expression or what is no constant."""
        found = self._made.get(value)
        if found is not None:
            return found
        if self.lib.LLVMIsAConstantExpr(value) or not self.lib.LLVMIsAConstant(value):
            return None
        made = self._made[value] = self._make(value)
        return made

    def string(self, value: Handle) -> str | None:
        """The text that a pointer to a constant string points at; None when it points at anything else."""
        if value not in self._strings:
            self._strings[value] = self._read_string(value)
        return self._strings[value]

    def _make(self, value: Handle) -> Const:
        lib = self.lib
        type_ = self.types.of(value)
        if lib.LLVMIsUndef(value):
            return Const(type_, "poison" if lib.LLVMIsPoison(value) else "undef")
        if types.is_vector(type_) or types.is_aggregate(type_):
            return Const(type_, self._elements_text(value, type_))
        if lib.LLVMIsAConstantInt(value):
            return Const(type_, self._integer(value, types.bits(type_)))
        if lib.LLVMIsAConstantFP(value):
            return Const(type_, self._float_bits(value, types.bits(type_)))
        if lib.LLVMIsAConstantPointerNull(value):
            return Const(type_, "null")
        if lib.LLVMIsAGlobalValue(value):
            return self._global(value)
        raise Unsupported(f"the constant {self.module.text(value)}")

    def _global(self, value: Handle) -> Const:
        weak = self.lib.LLVMGetLinkage(value) == Linkage.EXTERNAL_WEAK
        if weak and not self.module.is_defined(value):
            return Const("ptr", "null")  # threadIdx and its like: objects without state
        return Const("ptr", "@" + self.module.name(value))

    def _integer(self, value: Handle, bits: int) -> int:
        if bits <= _LONGEST:
            return self.lib.LLVMConstIntGetZExtValue(value)
        return int(self.module.text(value).split()[1]) & ((1 << bits) - 1)

    def _float_bits(self, value: Handle, bits: int) -> int:
        integer = self.lib.LLVMIntTypeInContext(self.module.context, bits)
        return self.lib.LLVMConstIntGetZExtValue(self.lib.LLVMConstBitCast(value, integer))

    def _elements_text(self, value: Handle, type_: str) -> str:
        if self.lib.LLVMIsNull(value):
            return "zeroinitializer"
        parts: list[str] = []
        for number in range(len(types.elements(type_))):
            element = self.operand(self.lib.LLVMGetAggregateElement(value, number))
            if element is None:
                raise Unsupported(f"the constant {self.module.text(value)}")
            parts.append(f"{element.type} {constant_text(element)}")
        opening, closing = ("<{ ", " }>") if type_.startswith("<{") else (type_[0], type_[-1])
        return f"{opening}{', '.join(parts)}{closing}"

    def _read_string(self, value: Handle) -> str | None:
        lib = self.lib
        if not lib.LLVMIsAGlobalVariable(value) or not lib.LLVMIsGlobalConstant(value):
            return None
        initializer = lib.LLVMGetInitializer(value)
        if not initializer or not lib.LLVMIsConstantString(initializer):
            return None
        size = ctypes.c_size_t()
        data = lib.LLVMGetAsString(initializer, ctypes.byref(size))
        return ctypes.string_at(data, size.value).rstrip(b"\0").decode("utf-8", "replace")


def constant_text(constant: Const) -> str:
    """A constant as LLVM's text has it, without its type."""
    value, type_ = constant.value, constant.type
    if isinstance(value, str):
        return value
    if types.is_int(type_):
        return str(value)
    if type_ == "float":  # LLVM writes a float as the double of the same value
        return f"0x{_as_double(value):016X}"
    return f"0x{value:016X}" if type_ == "double" else f"0x{'H' if type_ == 'half' else 'R'}{value:04X}"


def _as_double(bits: int) -> int:
    exponent, mantissa = bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:  # infinity and NaN: struct would quiet a signalling NaN
        return bits >> 31 << 63 | 0x7FF << 52 | mantissa << 29
    return struct.unpack("<Q", struct.pack("<d", struct.unpack("<f", struct.pack("<I", bits))[0]))[0]
