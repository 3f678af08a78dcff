# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""-ftz=true: a `float` that is denormal counts as zero, as an input and as a result; a `double` does not.

    %d = fmul float %a, %b    ==>    in a kernel without arithmetic of double: as it is. The runtime has the processor
                                     take denormals for zeros while it runs the kernel (Kernel::flush_denormals)

                                     in any other: %x = fmul float (flush %a), (flush %b); %d = flush %x

A processor flushes numbers of both types or of none. So the first way, which costs nothing, is for kernels in which no
double can be denormal: those that compute with none. Whatever a kernel calls belongs to it; behind a pointer or in
another file there may be doubles. What a call of a mathematical function, a minimum or a change of sign passes on is
flushed by code in both ways: processors do not look at what they only move, nor do functions that take a number apart.
So is what is compared: a choice between the numbers themselves passes them on as they are. Of a minimum or maximum only
the result is flushed, as flushing keeps the order of numbers; exp of a denormal is 1 either way, and ends with
arithmetic.

`flush` is arithmetic of integers, of which LLVM cannot take a denormal for its own; inline PTX says itself what it
flushes and is left alone. Sound because an operand that is the result of flushed arithmetic, a constant or a choice
among such is no denormal. Requires the module before optimisation, with one meaning for each instruction.
"""

from __future__ import annotations

import ctypes

from warploom.frontend.device_module import DeviceModule
from warploom.frontend.host_library import is_host_function
from warploom.frontend.ptx.statements import PREFIX as FROM_PTX
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, Linkage, Opcode, TypeKind
from warploom.llvm.module import Module

FLUSHING_ARCHITECTURES = ("x86_64", "aarch64")  # whose processors have the mode, and runtime/fiber.cpp sets it
PREPARE = "always-inline,function(sroa<preserve-cfg>)"
_FLUSH = "__warploom_flush_f32"
_ARITHMETIC = frozenset((Opcode.FADD, Opcode.FSUB, Opcode.FMUL, Opcode.FDIV, Opcode.FREM))
# Of intrinsics: those that processors compute in their mode, and those that copy bits, on a GPU too.
_COMPUTED = ("llvm.fma.", "llvm.fmuladd.", "llvm.sqrt.")
_ORDERED = ("llvm.minnum.", "llvm.maxnum.", "llvm.minimum.", "llvm.maximum.", "llvm.minimumnum.", "llvm.maximumnum.")
_EXPONENTIAL = ("llvm.exp.", "llvm.exp2.", "llvm.exp10.")
_COPYING = ("llvm.copysign.", "llvm.is.fpclass.", "llvm.lifetime.", "llvm.mem", "llvm.dbg.", "llvm.fake.use")
# What makes a float that is no denormal of something that is no float.
_FRESH = frozenset((Opcode.SI_TO_FP, Opcode.UI_TO_FP))
_EXPONENT, _SIGN = 0x7F800000, 0x80000000


def flush_denormals(device: DeviceModule, machine: Handle, *, by_mode: bool) -> set[str]:
    """Have float denormals of the module flushed; the names of the kernels that have to run in the processor's mode.

    `by_mode`: whether processors of the target have one.
    """
    module = device.module
    _prepare(module, machine)
    kernels = {module.find(kernel.name) for kernel in device.kernels}
    alone = {kernel for kernel in kernels if by_mode and _computes_without_doubles(module, kernel)}
    in_mode = alone | _reached(module, alone) - _reached(module, _other_roots(device, kernels - alone))
    flushing = _Flushing(module)
    for function in module.functions():
        if module.is_defined(function) and not _is_ptx(module, function):
            flushing.rewrite(function, by_code=function not in in_mode)
    flushing.finish()
    return {module.name(kernel) for kernel in alone}


def _prepare(module: Module, machine: Handle) -> None:
    """Put what inline PTX is made of into its functions: C++ that uses the same functions flushes, and PTX does not."""
    lib, kind = module.lib, module.attribute_kind("alwaysinline")
    always = lib.LLVMCreateEnumAttribute(module.context, kind, 0)
    asm = [function for function in module.functions() if _is_ptx(module, function)]
    for function in asm:
        lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, kind)
    module.run_passes(PREPARE, machine)
    for function in asm:
        lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, always)


# -- which way --------------------------------------------------------------------------------------------------------


def _other_roots(device: DeviceModule, kernels: set[Handle]) -> set[Handle]:
    """What may be called in either mode: other kernels, what is called through pointers or from another file."""
    module, lib = device.module, device.module.lib
    known = {module.find(kernel.name) for kernel in device.kernels}
    found = set(kernels)
    for function in module.functions():
        if function in known or not module.is_defined(function):
            continue
        is_called = all(
            lib.LLVMIsACallInst(user) and lib.LLVMGetCalledValue(user) == function for user in module.users(function)
        )
        if not is_called or (device.separate and lib.LLVMGetLinkage(function) != Linkage.INTERNAL):
            found.add(function)
    return found


def _reached(module: Module, roots: set[Handle]) -> set[Handle]:
    """Every function that `roots` may call by name, declared ones too, and themselves."""
    found, work = set(roots), list(roots)
    while work:
        for call in filter(module.lib.LLVMIsACallInst, module.instructions(work.pop())):
            callee = module.lib.LLVMGetCalledValue(call)
            if module.lib.LLVMIsAFunction(callee) and callee not in found:
                found.add(callee)
                work.append(callee)
    return found


def _computes_without_doubles(module: Module, kernel: Handle) -> bool:
    """Whether neither `kernel` nor what it calls computes with doubles, as far as can be known."""
    return all(
        _is_without_doubles(module, function) if module.is_defined(function) else _is_known(module, function)
        for function in _reached(module, {kernel})
    )


def _is_known(module: Module, function: Handle) -> bool:
    """Whether a declared function is one of the C library's, LLVM's or the runtime's that takes and gives no double."""
    lib, name = module.lib, module.name(function)
    if name.startswith(_COPYING) or name.startswith("llvm.fabs."):
        return True
    type_ = lib.LLVMGlobalGetValueType(function)
    parameters = [lib.LLVMTypeOf(each) for each in module.parameters(function)]
    return is_host_function(name) and not any(
        _is_double(module, t) for t in (lib.LLVMGetReturnType(type_), *parameters)
    )


def _is_without_doubles(module: Module, function: Handle) -> bool:
    lib, is_ptx = module.lib, _is_ptx(module, function)
    for instruction in module.instructions(function):
        opcode = lib.LLVMGetInstructionOpcode(instruction)
        if opcode == Opcode.CALL:
            callee = lib.LLVMGetCalledValue(instruction)
            if not lib.LLVMIsAFunction(callee) and not lib.LLVMIsAInlineAsm(callee):
                return False
        elif opcode in _ARITHMETIC or opcode == Opcode.FCMP:
            type_ = lib.LLVMTypeOf(lib.LLVMGetOperand(instruction, 0))
            if _is_double(module, type_) or (is_ptx and _is_float(module, type_)):
                return False
    return True


def _is_ptx(module: Module, function: Handle) -> bool:
    """Whether a function is inline PTX."""
    return module.name(function).startswith(FROM_PTX)


def _scalar_kind(module: Module, type_: Handle) -> int:
    kind = module.lib.LLVMGetTypeKind(type_)
    return module.lib.LLVMGetTypeKind(module.lib.LLVMGetElementType(type_)) if kind == TypeKind.VECTOR else kind


def _is_float(module: Module, type_: Handle) -> bool:
    return _scalar_kind(module, type_) == TypeKind.FLOAT


def _is_double(module: Module, type_: Handle) -> bool:
    return _scalar_kind(module, type_) == TypeKind.DOUBLE


# -- the code ---------------------------------------------------------------------------------------------------------


class _Flushing:
    """Adds calls of flushing functions to one module."""

    def __init__(self, module: Module) -> None:
        self.module, self.lib = module, module.lib
        self.builder: Handle = module.lib.LLVMCreateBuilderInContext(module.context)
        self.callees: dict[str, tuple[Handle, Handle]] = {}  # by type: the function's type, the function
        self.raw: set[Handle] = set()

    def rewrite(self, function: Handle, *, by_code: bool) -> None:
        """Flush what the instructions of `function` take and give. `by_code`: the processor flushes nothing."""
        self._find_raw(function)
        for instruction in list(self.module.instructions(function)):
            computes, moves = self._kind(instruction)
            if not moves and not (computes and by_code):
                continue
            name = self._callee(instruction)
            count = self._operand_count(instruction)
            if name.startswith(_ORDERED):
                if any(not self._is_flushed(self.lib.LLVMGetOperand(instruction, number)) for number in range(count)):
                    self._flush_result(instruction)
                continue
            if not name.startswith(_EXPONENTIAL):
                for number in range(count):
                    self._flush_operand(instruction, number)
            elif not by_code:
                continue
            if _is_float(self.module, self.lib.LLVMTypeOf(instruction)):
                self._flush_result(instruction)

    def finish(self) -> None:
        """Define what has been called."""
        self.lib.LLVMDisposeBuilder(self.builder)
        if self.callees:
            bodies = [_definition(type_, name) for type_, name in map(self._named, self.callees)]
            self.module.link_text("\n".join([self.module.target_text(), *bodies]), "flushing")
            for _, callee in [self._named(type_) for type_ in self.callees]:
                self.lib.LLVMSetLinkage(self.module.find(callee), Linkage.INTERNAL)

    def _kind(self, instruction: Handle) -> tuple[bool, bool]:
        """Whether a processor computes the instruction in its mode, and whether it may move a number as it is."""
        lib, module = self.lib, self.module
        opcode = lib.LLVMGetInstructionOpcode(instruction)
        if opcode in _ARITHMETIC or opcode == Opcode.FP_EXT:
            return _is_float(module, lib.LLVMTypeOf(lib.LLVMGetOperand(instruction, 0))), False
        if opcode == Opcode.FCMP:  # a choice by what is compared may become the processor's minimum, which flushes
            return False, _is_float(module, lib.LLVMTypeOf(lib.LLVMGetOperand(instruction, 0)))
        if opcode == Opcode.FP_TRUNC:
            return _is_float(module, lib.LLVMTypeOf(instruction)), False
        if opcode == Opcode.FNEG:
            return False, _is_float(module, lib.LLVMTypeOf(instruction))
        if opcode != Opcode.CALL:
            return False, False
        name = self._callee(instruction)
        if not name or name.startswith((_FLUSH, *_COPYING)):
            return False, False
        values = [instruction, *(lib.LLVMGetOperand(instruction, n) for n in range(self._operand_count(instruction)))]
        takes_floats = any(_is_float(module, lib.LLVMTypeOf(each)) for each in values)
        computed = name.startswith(_COMPUTED)
        return takes_floats and computed, takes_floats and not computed

    def _callee(self, instruction: Handle) -> str:
        """The declared function that an instruction calls by name; else nothing."""
        lib, module = self.lib, self.module
        callee = lib.LLVMGetCalledValue(instruction) if lib.LLVMIsACallInst(instruction) else None
        return module.name(callee) if callee and lib.LLVMIsAFunction(callee) and not module.is_defined(callee) else ""

    def _operand_count(self, instruction: Handle) -> int:
        if self.lib.LLVMIsACallInst(instruction):
            return self.lib.LLVMGetNumArgOperands(instruction)
        return self.lib.LLVMGetNumOperands(instruction)

    def _find_raw(self, function: Handle) -> None:
        """Note the float values of `function` that may be denormal when it is rewritten: what is loaded, what a call of
        a device function gives, and choices among such."""
        lib, module = self.lib, self.module
        self.raw, choices = set[Handle](module.parameters(function)), list[tuple[Handle, list[Handle]]]()
        for value in module.instructions(function):
            if not _is_float(module, lib.LLVMTypeOf(value)):
                continue
            opcode = lib.LLVMGetInstructionOpcode(value)
            if opcode == Opcode.PHI:
                incoming = range(lib.LLVMCountIncoming(value))
                choices.append((value, [lib.LLVMGetIncomingValue(value, number) for number in incoming]))
            elif opcode == Opcode.SELECT:
                choices.append((value, module.operands(value)[1:]))
            elif opcode not in _FRESH and not any(self._kind(value)):
                self.raw.add(value)
        changed = True
        while changed:
            changed = False
            for value, chosen in choices:
                if value not in self.raw and not all(map(self._is_flushed, chosen)):
                    self.raw.add(value)
                    changed = True

    def _is_flushed(self, value: Handle) -> bool:
        """Whether `value` is no denormal, once the function is rewritten."""
        if self.lib.LLVMIsAConstant(value):
            return bool(self.lib.LLVMIsAConstantFP(value)) and not self._is_denormal(value)
        return value not in self.raw

    def _is_denormal(self, constant: Handle) -> bool:
        integer = self.lib.LLVMInt32TypeInContext(self.module.context)
        bits = self.lib.LLVMConstIntGetZExtValue(self.lib.LLVMConstBitCast(constant, integer))
        return not bits & _EXPONENT

    def _flush_operand(self, instruction: Handle, number: int) -> None:
        lib = self.lib
        value = lib.LLVMGetOperand(instruction, number)
        if not _is_float(self.module, lib.LLVMTypeOf(value)) or self._is_flushed(value):
            return
        lib.LLVMPositionBuilderBefore(self.builder, instruction)
        lib.LLVMSetOperand(instruction, number, self._flush(value))

    def _flush_result(self, instruction: Handle) -> None:
        lib = self.lib
        lib.LLVMPositionBuilderBefore(self.builder, lib.LLVMGetNextInstruction(instruction))
        made = self._flush(instruction)
        lib.LLVMReplaceAllUsesWith(instruction, made)
        lib.LLVMSetOperand(made, 0, instruction)  # the call itself was among the uses

    def _flush(self, value: Handle) -> Handle:
        lib, type_ = self.lib, self.lib.LLVMTypeOf(value)
        text = self.module.type_text(type_)
        if text not in self.callees:
            parameters = (ctypes.c_void_p * 1)(type_)
            function_type = lib.LLVMFunctionType(type_, parameters, 1, 0)
            name = self._named(text)[1].encode()
            self.callees[text] = (function_type, lib.LLVMAddFunction(self.module.ref, name, function_type))
        function_type, callee = self.callees[text]
        arguments = (ctypes.c_void_p * 1)(value)
        return lib.LLVMBuildCall2(self.builder, function_type, callee, arguments, 1, b"")

    @staticmethod
    def _named(type_: str) -> tuple[str, str]:
        lanes = type_[1:].partition(" ")[0] if type_.startswith("<") else ""
        return type_, _FLUSH + (f"_{lanes}" if lanes else "")


def _definition(type_: str, name: str) -> str:
    """A denormal becomes the zero of its sign."""
    lanes = type_[1:].partition(" ")[0] if type_.startswith("<") else ""
    whole, truth = (f"<{lanes} x i32>", f"<{lanes} x i1>") if lanes else ("i32", "i1")
    exponent, sign = (f"splat (i32 {each})" if lanes else str(each) for each in (_EXPONENT, _SIGN))
    zero = "zeroinitializer" if lanes else "0"
    return f"""define {type_} @{name}({type_} %x) alwaysinline nounwind willreturn memory(none) {{
  %bits = bitcast {type_} %x to {whole}
  %exponent = and {whole} %bits, {exponent}
  %small = icmp eq {whole} %exponent, {zero}
  %sign = and {whole} %bits, {sign}
  %flushed = select {truth} %small, {whole} %sign, {whole} %bits
  %result = bitcast {whole} %flushed to {type_}
  ret {type_} %result
}}"""
