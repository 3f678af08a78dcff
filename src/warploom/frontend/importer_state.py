# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the parts of the importer share while they import one kernel: values so far, the current block and place."""

from __future__ import annotations

from warploom.core.remarks import Loc, Unsupported
from warploom.frontend.importer_constants import Constants
from warploom.frontend.importer_locations import Locations
from warploom.frontend.importer_types import Types
from warploom.ir.core import Attribute, Function, Op, Operand, Value
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

_INDEX, _INDEX_BITS = "i64", 64

CASTS = {
    Opcode.TRUNC: "trunc",
    Opcode.ZEXT: "zext",
    Opcode.SEXT: "sext",
    Opcode.FP_TRUNC: "fptrunc",
    Opcode.FP_EXT: "fpext",
    Opcode.FP_TO_UI: "fptoui",
    Opcode.FP_TO_SI: "fptosi",
    Opcode.UI_TO_FP: "uitofp",
    Opcode.SI_TO_FP: "sitofp",
    Opcode.PTR_TO_INT: "ptrtoint",
    Opcode.INT_TO_PTR: "inttoptr",
    Opcode.BIT_CAST: "bitcast",
}
BINARY = {
    opcode: name.lower()
    for name, opcode in vars(Opcode).items()
    if name.isupper() and Opcode.ADD <= opcode <= Opcode.XOR
}  # fmt: skip


class ImportState:
    """Values by LLVM handle, and where ops go."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module, self.lib, self.function = module, module.lib, function
        self.types = Types(module)
        self.constants = Constants(module, self.types)
        self.locations = Locations(module)
        self.values: dict[Handle, Operand] = {}
        self.prologue: list[Op] = []  # goes to the start of the entry block
        self.loc: Loc | None = None
        self._ops: list[Op] = []
        self._expanded: dict[Handle, Operand] = {}
        self._globals: set[str] = set()

    def start_block(self, ops: list[Op]) -> None:
        """From here on ops go to `ops`; what constant expressions were expanded to elsewhere may not dominate them."""
        self._ops = ops
        self._expanded = {}

    def add(self, op: Op) -> Op:
        """Append `op` at the current place."""
        op.loc = self.loc
        self._ops.append(op)
        return op

    def op(self, name: str, operands: list[Operand], type_: str, hint: str = "", **attrs: Attribute) -> Value:
        """Append an op with one result."""
        return self.add(Op(name, operands, [Value(type_, hint)], attrs)).result

    def define(self, instruction: Handle, name: str, operands: list[Operand], attrs: dict[str, Attribute]) -> None:
        """Append the op that an instruction with a result becomes."""
        value = Value(self.types.of(instruction), self.hint(instruction))
        self.add(Op(name, operands, [value], attrs))
        self.values[instruction] = value

    def hint(self, instruction: Handle) -> str:
        """The source's part of a value's name: `arrayidx.i.i12` is an `arrayidx`."""
        return self.module.name(instruction).partition(".")[0]

    def operand(self, value: Handle) -> Operand:
        """An LLVM operand; a constant expression is expanded here."""
        found = self.values.get(value)
        if found is not None:
            return found
        constant = self.constants.operand(value)
        if constant is not None:
            if isinstance(constant.value, str) and constant.value.startswith("@"):
                self._globals.add(constant.value[1:])
            return constant
        if value not in self._expanded:
            self._expanded[value] = self._expand(value)
        return self._expanded[value]

    def global_names(self) -> set[str]:
        """Names of the globals that operands have named so far."""
        return self._globals

    def address(self, pointer: Handle, type_hint: str = "") -> Operand:
        """The address that a GEP, as instruction or constant, computes; its base when the offset is 0."""
        lib, types = self.lib, self.types
        type_ = lib.LLVMGetGEPSourceElementType(pointer)
        operands: list[Operand] = [self.operand(lib.LLVMGetOperand(pointer, 0))]
        offset, strides = 0, list[int]()
        for number in range(1, lib.LLVMGetNumOperands(pointer)):
            index = lib.LLVMGetOperand(pointer, number)
            if number > 1 and types.is_struct(type_):
                type_, member_offset = types.member(type_, lib.LLVMConstIntGetZExtValue(index))
                offset += member_offset
                continue
            if number > 1:
                type_ = lib.LLVMGetElementType(type_)
            stride = types.size(type_)
            if lib.LLVMIsAConstantInt(index):
                offset += lib.LLVMConstIntGetSExtValue(index) * stride
            else:
                operands.append(self._index(index))
                strides.append(stride)
        if not strides and not offset:
            return operands[0]
        inbounds = bool(lib.LLVMIsInBounds(pointer))
        return self.op("gep", operands, "ptr", type_hint, offset=offset, strides=tuple(strides), inbounds=inbounds)

    def _index(self, index: Handle) -> Operand:
        operand = self.operand(index)
        if operand.type == _INDEX:
            return operand
        bits = int(operand.type[1:])
        return self.op("sext" if bits < _INDEX_BITS else "trunc", [operand], _INDEX)

    def _expand(self, value: Handle) -> Operand:
        lib = self.lib
        if not lib.LLVMIsAConstantExpr(value):
            raise Unsupported(f"the operand {self.module.text(value)}")
        opcode = lib.LLVMGetConstOpcode(value)
        if opcode == Opcode.GEP:
            return self.address(value)
        type_ = self.types.of(value)
        operands = [self.operand(each) for each in self.module.operands(value)]
        if opcode in CASTS:
            return self.op(CASTS[opcode], operands, type_)
        if opcode in BINARY:
            return self.op(BINARY[opcode], operands, type_)
        raise Unsupported(f"the constant expression {self.module.text(value)}")
