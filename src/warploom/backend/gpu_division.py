# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer division by zero, and of the lowest number by -1, give what they give on a GPU (ir/divisions.py).

    %q = sdiv i32 %a, %b    ==>    %q = call i32 @__warploom_sdiv_i32(i32 %a, i32 %b)

    define internal i32 @__warploom_sdiv_i32(i32 %a, i32 %b) alwaysinline
      %safe = select (%b + 1 u< 2), 1, %b                 ; unsigned: select (%b == 0), 1, %b
      %q = sdiv i32 %a, %safe
      %whole = select (%b == -1), (0 - %a), %q            ; sdiv only: by 1 the quotient is %a
      %result = select (%b == 0), -1, %whole

The calls come first, before any optimisation: LLVM takes a plain division for a proof that its divisor is no zero, and
drops what the program does about zeros. The bodies come last, when the importer has made ops of those that it has
seen. A division by a constant for which LLVM defines it stays as it is, and costs nothing; so does one of a number by
itself, which LLVM folds to 1, or to no remainder, as nvcc does.
"""

from __future__ import annotations

import ctypes

from warploom.core.patterns import regex
from warploom.ir.divisions import BYPASSED, division, division_name, is_safe
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, Linkage, Opcode, TypeKind
from warploom.llvm.module import Module

DIVISIONS = {Opcode.UDIV: "udiv", Opcode.SDIV: "sdiv", Opcode.UREM: "urem", Opcode.SREM: "srem"}
_NUMBER = regex(r"(?:splat \(i\d+ )?(\d+)\)?")
_HALF = 0xFFFFFFFF
_LONGEST = 64  # bits of an integer that LLVM-C hands over as a number
_EFFECTLESS = ("nounwind", "willreturn", "nosync", "nofree", "nocallback", "speculatable", "memory")


def name_divisions(module: Module, divisions: list[tuple[Handle, int]]) -> None:
    """Make calls of the `divisions` (instruction, opcode) that LLVM does not define for every dividend."""
    lib = module.lib
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for instruction, opcode in divisions:
        if not _is_defined(module, instruction, DIVISIONS[opcode]):
            _call(module, builder, instruction, DIVISIONS[opcode])
    lib.LLVMDisposeBuilder(builder)


def define(module: Module) -> None:
    """Define the divisions that `module` declares, for inlining."""
    found = {
        name: what
        for function in module.functions()
        if not module.is_defined(function) and (what := division(name := module.name(function))) is not None
    }
    if not found:
        return
    bodies = [_definition(name, op, bits) for name, (op, bits) in found.items()]
    module.link_text("\n".join([module.target_text(), *bodies]), "divisions")
    for name in found:
        module.lib.LLVMSetLinkage(module.find(name), Linkage.INTERNAL)


def _is_defined(module: Module, instruction: Handle, op: str) -> bool:
    """Whether the division stays LLVM's: by a constant for which LLVM defines it (of vectors none is taken for one), or
    of a number by itself."""
    lib = module.lib
    dividend, divisor = (lib.LLVMGetOperand(instruction, number) for number in range(2))
    if _same_number(module, dividend, divisor):
        return True
    type_ = lib.LLVMTypeOf(divisor)
    if not lib.LLVMIsAConstantInt(divisor) or lib.LLVMGetTypeKind(type_) != TypeKind.INTEGER:
        return False
    bits = lib.LLVMGetIntTypeWidth(type_)
    if bits <= _LONGEST:
        return is_safe(op, lib.LLVMConstIntGetZExtValue(divisor), bits)
    return is_safe(op, int(module.text(divisor).split()[1]) & ((1 << bits) - 1), bits)


def _same_number(module: Module, one: Handle, other: Handle) -> bool:
    """Whether both are one value, or loads of one variable right after each other: code is not optimised yet."""
    lib = module.lib
    if one == other:
        return True
    loads = [lib.LLVMGetInstructionOpcode(each) == Opcode.LOAD for each in (one, other) if lib.LLVMIsAInstruction(each)]
    return (
        loads == [True, True]
        and lib.LLVMGetNextInstruction(one) == other
        and lib.LLVMGetOperand(one, 0) == lib.LLVMGetOperand(other, 0)
        and not lib.LLVMGetVolatile(other)
    )


def _call(module: Module, builder: Handle, instruction: Handle, op: str) -> None:
    lib = module.lib
    type_ = lib.LLVMTypeOf(instruction)
    operands = [lib.LLVMGetOperand(instruction, number) for number in range(2)]
    lib.LLVMPositionBuilderBefore(builder, instruction)
    if lib.LLVMGetTypeKind(type_) == TypeKind.VECTOR:
        made = _by_elements(module, builder, op, type_, operands)
    else:
        made = _call_scalar(module, builder, op, type_, operands)
    lib.LLVMReplaceAllUsesWith(instruction, made)
    lib.LLVMInstructionEraseFromParent(instruction)


def _by_elements(module: Module, builder: Handle, op: str, type_: Handle, operands: list[Handle]) -> Handle:
    lib, made = module.lib, module.lib.LLVMGetPoison(type_)
    for element in range(lib.LLVMGetVectorSize(type_)):
        index = lib.LLVMConstInt(lib.LLVMInt32TypeInContext(module.context), element, 0)
        parts = [lib.LLVMBuildExtractElement(builder, operand, index, b"") for operand in operands]
        one = _call_scalar(module, builder, op, lib.LLVMTypeOf(parts[0]), parts)
        made = lib.LLVMBuildInsertElement(builder, made, one, index, b"")
    return made


def _call_scalar(module: Module, builder: Handle, op: str, type_: Handle, operands: list[Handle]) -> Handle:
    lib = module.lib
    types, arguments = (ctypes.c_void_p * 2)(type_, type_), (ctypes.c_void_p * 2)(*operands)
    function_type = lib.LLVMFunctionType(type_, types, 2, 0)
    callee = _declared(module, division_name(op, lib.LLVMGetIntTypeWidth(type_)), function_type)
    return lib.LLVMBuildCall2(builder, function_type, callee, arguments, 2, b"")


def _declared(module: Module, name: str, type_: Handle) -> Handle:
    lib = module.lib
    function = module.find(name)
    if not function:
        function = lib.LLVMAddFunction(module.ref, name.encode(), type_)
        for attribute in _EFFECTLESS:
            made = lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind(attribute), 0)
            lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, made)
    return function


def _definition(name: str, op: str, bits: int) -> str:
    type_ = f"i{bits}"
    lines = [f"  {line}" for line in guarded(op, type_, "%a", "%b", "%d")]
    head = f"define {type_} @{name}({type_} %a, {type_} %b) alwaysinline nounwind willreturn memory(none) {{"
    return "\n".join([head, *lines, f"  ret {type_} %d", "}"])


def defines_all(op: str, type_: str, divisor: str) -> bool:
    """Whether `divisor`, as LLVM's text, is a number for which LLVM defines the division of every dividend."""
    found = _NUMBER.fullmatch(divisor)
    return found is not None and is_safe(op, int(found[1]), int(type_.rpartition("i")[2].rstrip(">")))


def guarded(op: str, type_: str, a: str, b: str, result: str) -> list[str]:
    """LLVM text that sets `result` to division `op` of `a` by `b`, for any `b`; other names begin with `result`.

    `type_`: an integer or a vector of integers. A divisor that is poison is fixed first: LLVM does not define a
    division by it, not even one whose result nobody uses.
    """
    is_vector = type_.startswith("<")
    bits = type_.rpartition("i")[2].rstrip(">")
    zero = "zeroinitializer" if is_vector else "0"
    one, ones = (f"splat (i{bits} {number})" if is_vector else number for number in ("1", "-1"))
    choose = f"select {type_.rpartition('i')[0]}i1{'>' if is_vector else ''}"
    number, last = f"{result}.by", f"{result}.part"
    lines = [f"{number} = freeze {type_} {b}", f"{result}.zero = icmp eq {type_} {number}, {zero}"]
    unsafe = f"{result}.zero"
    if op[0] == "s":  # 0 and -1 are the numbers for which b + 1 is below 2
        lines.append(f"{result}.above = add {type_} {number}, {one}")
        lines.append(f"{result}.odd = icmp ule {type_} {result}.above, {one}")
        unsafe = f"{result}.odd"
    lines.append(f"{result}.safe = {choose} {unsafe}, {type_} {one}, {type_} {number}")
    lines.append(f"{last} = {op} {type_} {a}, {result}.safe")
    if op == "sdiv":
        lines.append(f"{result}.minus = icmp eq {type_} {number}, {ones}")
        lines.append(f"{result}.negative = sub {type_} {zero}, {a}")
        lines.append(f"{result}.whole = {choose} {result}.minus, {type_} {result}.negative, {type_} {last}")
        last = f"{result}.whole"
    by_zero = ones
    if int(bits) == BYPASSED:
        half = f"splat (i64 {_HALF})" if is_vector else str(_HALF)
        lines.append(f"{result}.short = icmp ule {type_} {a}, {half}")
        lines.append(f"{result}.none = {choose} {result}.short, {type_} {half}, {type_} {ones}")
        by_zero = f"{result}.none"
    lines.append(f"{result} = {choose} {result}.zero, {type_} {by_zero}, {type_} {last}")
    return lines
