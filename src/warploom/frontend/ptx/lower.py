# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX in a module becomes calls of functions that are compiled from C++.

    %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
                                                  ==>
    call void @__warploom_asm_0(ptr %out)      ; set(o0, in<u32>(__warploom_lane_id())), inlined like any function
    %lane = load i32, ptr %out

Sound because each instruction's C++ (include/warploom/ptx) does what the PTX manual says of it; every other is
refused with its place. Requires the module as clang made it, with debug locations and before any pass; leaves no inline
assembly but empty strings (compiler barriers).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from warploom.core.records import dataclass, field
from warploom.diagnostics import Diagnostic
from warploom.frontend.device_module import DeviceModule
from warploom.frontend.ptx.carries import join_carries, reads_carry, uses_carry
from warploom.frontend.ptx.emitter import Emitter
from warploom.frontend.ptx.parser import Parser, unescaped
from warploom.frontend.ptx.program import program_text
from warploom.frontend.ptx.statements import PREFIX, assembly_calls
from warploom.frontend.ptx.syntax import Constant, PtxError, Register
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, TypeKind
from warploom.llvm.module import Location, Module

# From C++ text to the bitcode of its device pass.
Compile = Callable[[str], Path]
_FRAME = '#include "warploom/ptx/ptx.h"\nnamespace warploom::ptx {{\n{}}}\n'
_KINDS = {TypeKind.FLOAT: ("float", 32), TypeKind.DOUBLE: ("double", 64), TypeKind.HALF: ("_Float16", 16)}
_WIDTHS = (8, 16, 32, 64, 128)


@dataclass
class Slot:
    """An operand of an asm statement: its C++ type and its width as a register."""

    cpp: str
    bits: int
    register: Register
    tied: int | None = None  # the result whose first value this is


@dataclass
class Statement:
    """One asm statement as a function."""

    text: str
    location: Location
    outputs: list[Slot] = field(default_factory=list[Slot])
    inputs: list[Slot] = field(default_factory=list[Slot])
    constants: dict[int, int] = field(default_factory=dict[int, int])  # input -> its value, where it has one
    crosses: bool = False  # whether the carry flag comes from other statements, and goes to others


def lower_inline_ptx(device: DeviceModule, compile_source: Compile, machine: Handle) -> None:
    """Replace every inline PTX string; a Diagnostic for the first that cannot be."""
    module = device.module
    statements = _statements(module)
    if not statements:
        return
    crosses = any(reads_carry(text) for _, text in statements)
    if crosses:
        failure = join_carries(device, machine, lambda: _statements(module))
        if failure is not None:
            raise refused(read(module, failure[0]), failure[1])
        statements = _statements(module)
    names: dict[str, str] = {}
    chosen: list[tuple[Handle, Statement, str]] = []
    for call, text in statements:
        statement = read(module, call)
        statement.crosses = crosses and uses_carry(text)
        body = function_text(statement)
        name = names.setdefault(body, f"{PREFIX}{len(names)}")
        chosen.append((call, statement, name))
    module.link_bitcode(compile_source(translation_unit(names)))
    builder = module.lib.LLVMCreateBuilderInContext(module.context)
    carries: dict[Handle, Handle] = {}
    for call, statement, name in chosen:
        carry = [_carry_of(module, builder, module.function_of(call), carries)] if statement.crosses else []
        _replace(module, builder, call, statement, name, carry)
    module.lib.LLVMDisposeBuilder(builder)
    for name in names.values():
        module.lib.LLVMSetLinkage(module.find(name), Linkage.INTERNAL)


def _statements(module: Module) -> list[tuple[Handle, str]]:
    """Each inline assembly call that is not empty, and its text."""
    return [(call, text) for call in assembly_calls(module) if (text := assembly_text(module, call))]


def _carry_of(module: Module, builder: Handle, function: Handle, carries: dict[Handle, Handle]) -> Handle:
    """The carry flag of a function: a byte in its frame."""
    if function not in carries:
        lib, byte = module.lib, module.lib.LLVMInt8TypeInContext(module.context)
        lib.LLVMPositionBuilderBefore(builder, lib.LLVMGetFirstInstruction(lib.LLVMGetEntryBasicBlock(function)))
        carries[function] = lib.LLVMBuildAlloca(builder, byte, b"carry")
        lib.LLVMBuildStore(builder, lib.LLVMConstNull(byte), carries[function])
    return carries[function]


def translation_unit(names: Mapping[str, str]) -> str:
    """The C++ of functions; `names` maps the text of each to its name."""
    return _FRAME.format("".join(body.replace("@", name, 1) for body, name in names.items()))


def assembly_text(module: Module, call: Handle) -> str:
    """The string of an inline assembly call, in LLVM's notation."""
    return _string(module, module.lib.LLVMGetInlineAsmAsmString, call).strip()


def _string(module: Module, getter: ctypes._NamedFuncPointer, call: Handle) -> str:  # pyright: ignore[reportPrivateUsage]
    size = ctypes.c_size_t()
    text = getter(module.lib.LLVMGetCalledValue(call), ctypes.byref(size))
    return ctypes.string_at(text, size.value).decode() if text else ""


def read(module: Module, call: Handle) -> Statement:
    """The operands of an inline assembly call; a Diagnostic for constraints that PTX has not."""
    lib = module.lib
    statement = Statement(assembly_text(module, call), module.location(call) or Location("", 0))
    constraints = _string(module, lib.LLVMGetInlineAsmConstraintString, call).split(",")
    outputs = [word for word in constraints if word.startswith("=")]
    inputs = [word for word in constraints if word and word[0] not in "=~"]
    if any("*" in word for word in constraints):
        raise refused(statement, "an operand in memory (constraint m)")
    for index, type_ in enumerate(_result_types(module, call, len(outputs))):
        statement.outputs.append(_slot(module, statement, type_, f"o{index}"))
    for index, word in enumerate(inputs):
        operand = lib.LLVMGetOperand(call, index)
        slot = _slot(module, statement, lib.LLVMTypeOf(operand), f"i{index}")
        if word.isdigit():
            slot.tied = int(word)
        if lib.LLVMIsAConstantInt(operand) and word.strip("&") not in ("r", "l", "x", "h") and not word.isdigit():
            statement.constants[index] = lib.LLVMConstIntGetSExtValue(operand)
        statement.inputs.append(slot)
    return statement


def _result_types(module: Module, call: Handle, count: int) -> list[Handle]:
    type_ = module.lib.LLVMTypeOf(call)
    if count <= 1:
        return [type_] * count
    return [module.lib.LLVMStructGetTypeAtIndex(type_, index) for index in range(count)]


def _slot(module: Module, statement: Statement, type_: Handle, name: str) -> Slot:
    kind = module.lib.LLVMGetTypeKind(type_)
    if kind in _KINDS:
        cpp, bits = _KINDS[kind]
    elif kind == TypeKind.POINTER:
        cpp, bits = "void *", 64
    elif kind == TypeKind.INTEGER and module.lib.LLVMGetIntTypeWidth(type_) in _WIDTHS:
        bits = module.lib.LLVMGetIntTypeWidth(type_)
        cpp = f"u{bits}"
    else:
        raise refused(statement, f"an operand of LLVM type {module.type_text(type_)}")
    # A char in a register of 32 bits, where alone PTX can hold it.
    return Slot(cpp, bits, Register(name, 32 if bits == 8 else bits))


def function_text(statement: Statement) -> str:
    """The C++ function of a statement, with `@` for its name; a Diagnostic when it cannot be written."""
    operands: list[Register | Constant] = [slot.register for slot in statement.outputs]
    for index, slot in enumerate(statement.inputs):
        if slot.tied is not None:
            operands.append(statement.outputs[slot.tied].register)
        elif index in statement.constants:
            operands.append(Constant(statement.constants[index]))
        else:
            operands.append(slot.register)
    try:
        body = program_text(Emitter(has_carry=statement.crosses), Parser(statement.text, operands).parse())
    except PtxError as error:
        raise refused(statement, error.reason, error.instruction) from error
    parameters = [f"{slot.cpp} *{slot.register.variable}_" for slot in statement.outputs]
    parameters += [f"{slot.cpp} {slot.register.variable}_" for slot in statement.inputs]
    before = [_initial(statement, slot, index) for index, slot in enumerate(statement.outputs)]
    before += [
        f"u{slot.register.bits} {slot.register.variable} = {_bits(slot)}; (void){slot.register.variable};"
        for slot in statement.inputs
        if slot.tied is None
    ]
    after = [f"*{slot.register.variable}_ = {_back(slot)};" for slot in statement.outputs]
    if statement.crosses:
        parameters.append("u8 *carry_")
        before.append("bool carry = *carry_;")
        after.append("*carry_ = carry;")
    place = f'#line {max(statement.location.line, 1)} "{_escaped(statement.location.file)}"\n'
    head = f'extern "C" __device__ __attribute__((always_inline, convergent)) void @({", ".join(parameters)})'
    return f"{place}{head} {{ {' '.join((*before, body, *after))} }}\n"


def _initial(statement: Statement, output: Slot, index: int) -> str:
    tied = next((slot for slot in statement.inputs if slot.tied == index), None)
    value = f"{_bits(tied)}" if tied is not None else "0"
    return f"u{output.register.bits} {output.register.variable} = {value};"


def _bits(slot: Slot) -> str:
    name = f"{slot.register.variable}_"
    if slot.cpp.startswith("u"):
        return name
    return f"u64({name})" if slot.cpp == "void *" else f"__builtin_bit_cast(u{slot.bits}, {name})"


def _back(slot: Slot) -> str:
    name = slot.register.variable
    if slot.cpp.startswith("u"):
        return f"{slot.cpp}({name})"
    return f"reinterpret_cast<void *>({name})" if slot.cpp == "void *" else f"__builtin_bit_cast({slot.cpp}, {name})"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _replace(
    module: Module, builder: Handle, call: Handle, statement: Statement, name: str, carry: list[Handle]
) -> None:
    lib = module.lib
    entry = lib.LLVMGetFirstInstruction(lib.LLVMGetEntryBasicBlock(module.function_of(call)))
    lib.LLVMPositionBuilderBefore(builder, entry)
    types = _result_types(module, call, len(statement.outputs))
    slots = [lib.LLVMBuildAlloca(builder, type_, b"ptx") for type_ in types]
    lib.LLVMPositionBuilderBefore(builder, call)  # and takes its debug location
    function = module.find(name)
    arguments = [*slots, *(lib.LLVMGetOperand(call, index) for index in range(len(statement.inputs))), *carry]
    array = (ctypes.c_void_p * len(arguments))(*arguments)
    made = lib.LLVMBuildCall2(builder, lib.LLVMGlobalGetValueType(function), function, array, len(arguments), b"")
    _copy_location(module, call, made)
    results = [lib.LLVMBuildLoad2(builder, type_, slot, b"ptx") for type_, slot in zip(types, slots, strict=True)]
    if len(results) == 1:
        lib.LLVMReplaceAllUsesWith(call, results[0])
    elif results:
        value = lib.LLVMGetPoison(lib.LLVMTypeOf(call))
        for index, result in enumerate(results):
            value = lib.LLVMBuildInsertValue(builder, value, result, index, b"ptx")
        lib.LLVMReplaceAllUsesWith(call, value)
    lib.LLVMInstructionEraseFromParent(call)


def _copy_location(module: Module, old: Handle, new: Handle) -> None:
    location = module.lib.LLVMInstructionGetDebugLoc(old)
    if location:
        module.lib.LLVMInstructionSetDebugLoc(new, location)


def refused(statement: Statement, reason: str, instruction: str = "") -> Diagnostic:
    """What to tell of an asm statement that cannot be translated."""
    text = instruction or " ".join(re.sub(r"\$(?=\d)", "%", unescaped(statement.text)).split())
    return Diagnostic(
        f'inline PTX is not supported: "{text}": {reason}',
        file=statement.location.file or None,
        line=statement.location.line or None,
        hint="write it in CUDA C++ under `#ifdef __WARPLOOM__`",
    )
