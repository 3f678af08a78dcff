# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two objects of one device module, whose kernels the runtime runs one against the other (WARPLOOM_COMPARE).

    x.bc --loom-------> x.o:       k, @v, @k.handle                  both images name @k.handle: so the
     `----reference---> x.twin.o:  k, weak @v, weak @k.handle   ==>  runtime knows that they are twins

The second object's variables are weak definitions of the first one's: the linker makes each pair one, and a kernel
finds what its twin left there. The code is each engine's own, but for functions that are called through pointers, whose
addresses are data like any other, and for those that several translation units share (-rdc=true).
"""

from __future__ import annotations

from pathlib import Path

from warploom.backend.compilation import Compilation, DeviceOptions
from warploom.backend.finish import add_image, complete, emit
from warploom.backend.image import ENTRY
from warploom.backend.parts import is_value, shared_variables, suffix_of
from warploom.backend.prepare import begin
from warploom.backend.reference import optimise
from warploom.backend.symbols import name_symbols, set_linkage
from warploom.core.records import replace
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage, Opcode, TypeKind, Visibility
from warploom.toolchain import Toolchain

# Bits of Kernel.float_kinds, shared with runtime/image.h.
FLOAT_KINDS = {TypeKind.HALF: 1, TypeKind.BFLOAT: 2, TypeKind.FLOAT: 4, TypeKind.DOUBLE: 8}
ALL_FLOAT_KINDS = 15
_LOCAL = (Linkage.INTERNAL, Linkage.PRIVATE)
_COPIES = {
    Opcode.LOAD, Opcode.PHI, Opcode.SELECT, Opcode.BIT_CAST, Opcode.FREEZE, Opcode.EXTRACT_ELEMENT,
    Opcode.INSERT_ELEMENT, Opcode.SHUFFLE_VECTOR, Opcode.EXTRACT_VALUE, Opcode.INSERT_VALUE,
}  # fmt: skip


def compile_twin(toolchain: Toolchain, bitcode: Path, output: Path, options: DeviceOptions) -> None:
    """Compile the device module in `bitcode` to the second object, `output`: as the reference engine always does."""
    work = begin(toolchain, bitcode, options)
    share(work)
    optimise(work)
    linkage = name_symbols(work)
    facts = {
        name: replace(found, float_kinds=float_kinds(work, work.module.find(work.symbol(name))))
        for name, found in complete(work).items()
    }
    work.device.variables.clear()  # the first object registers them
    add_image(work, facts, work.layout.image_size)
    set_linkage(work.module, linkage)
    weaken(work)
    emit(work, output)


def share(work: Compilation) -> None:
    """Give the symbols that both objects must agree on names of their own. Before anything is optimised: the same of
    the same module, whichever engine compiles it."""
    module, lib = work.module, work.module.lib
    kernels = {kernel.name for kernel in work.device.kernels}
    values = {
        module.name(function)
        for function in module.functions()
        if module.is_defined(function) and module.name(function) not in kernels and is_value(module, function)
    }
    names = shared_variables(work) | values
    if work.options.separate:  # other translation units know the rest by name
        names = {name for name in names if name in work.private or lib.LLVMGetLinkage(module.find(name)) in _LOCAL}
    else:
        work.suffix = suffix_of(work)
    work.across_suffix = suffix_of(work)
    for name in names:
        symbol = module.find(name)
        lib.LLVMSetComdat(symbol, None)
        lib.LLVMSetVisibility(symbol, Visibility.DEFAULT)
        lib.LLVMSetLinkage(symbol, Linkage.EXTERNAL)
    work.across = set(names)
    if work.options.twin:
        work.private |= kernels | {name + ENTRY for name in kernels}


def weaken(work: Compilation) -> None:
    """Make what the first object defines as well a second definition of it. Symbols have their names."""
    module, lib = work.module, work.module.lib
    shared = {work.symbol(name) for name in work.across}
    for symbol in [*module.functions(), *module.globals(), *module.aliases()]:
        name = module.name(symbol)
        if not module.is_defined(symbol) or name.startswith("llvm."):
            continue
        is_local = lib.LLVMGetLinkage(symbol) in _LOCAL
        if name in shared or (work.options.separate and not is_local):
            is_data = bool(lib.LLVMIsAGlobalVariable(symbol))
            lib.LLVMSetLinkage(symbol, Linkage.WEAK_ANY if is_data else Linkage.WEAK_ODR)


def float_kinds(work: Compilation, kernel: Handle) -> int:
    """The kinds of floating-point numbers that a kernel computes with, as a mask of FLOAT_KINDS: moving them is not to
    compute. What it calls and is not known may compute with all."""
    module, lib = work.module, work.module.lib
    found, seen, queue = 0, {kernel}, [kernel]
    while queue and found != ALL_FLOAT_KINDS:
        for instruction in module.instructions(queue.pop()):
            opcode = lib.LLVMGetInstructionOpcode(instruction)
            if opcode not in _COPIES:
                found |= _kind_of(work, lib.LLVMTypeOf(instruction))
            if opcode == Opcode.CALL:
                for operand in module.operands(instruction):
                    found |= _kind_of(work, lib.LLVMTypeOf(operand))
                callee = lib.LLVMGetCalledValue(instruction)
                if not lib.LLVMIsAFunction(callee):
                    return ALL_FLOAT_KINDS
                if module.is_defined(callee) and callee not in seen:
                    seen.add(callee)
                    queue.append(callee)
                elif not module.is_defined(callee) and module.name(callee).endswith(work.suffix):
                    return ALL_FLOAT_KINDS
    return found


def _kind_of(work: Compilation, type_: Handle) -> int:
    lib = work.module.lib
    kind = lib.LLVMGetTypeKind(type_)
    while kind in (TypeKind.VECTOR, TypeKind.ARRAY):
        type_ = lib.LLVMGetElementType(type_)
        kind = lib.LLVMGetTypeKind(type_)
    if kind == TypeKind.STRUCT:
        inner = [lib.LLVMStructGetTypeAtIndex(type_, at) for at in range(lib.LLVMCountStructElementTypes(type_))]
        return _all_of(work, inner)
    return FLOAT_KINDS.get(kind, 0)


def _all_of(work: Compilation, types: list[Handle]) -> int:
    found = 0
    for each in types:
        found |= _kind_of(work, each)
    return found
