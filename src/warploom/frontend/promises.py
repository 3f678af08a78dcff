# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What clang promises LLVM on the programmer's behalf: which promises are kept, dropped or translated, and why.

LLVM may turn code whose promise is broken into anything. Where CUDA programs break one and nvcc's code does what was
meant (docs/adr/0018-undefined-in-cpp-defined-on-a-gpu.md), the promise must not reach LLVM: neither before the import,
nor in the functions that stay calls, nor in the text of a kernel. It is dropped in one of four places:

    flags of the device pass        clang never makes it                          DEVICE_FLAGS
    the module as it is read        taken off by `take_back`                      DROPPED_AT_READING
    before LLVM's first pass        made a mark that only the importer reads      TRANSLATED (cleanup.py)
    the import                      an op has no place for it                     what OP_FLAGS does not name

The tables name everything that clang writes into a device module; a test finds what a newer clang adds.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.frontend.device_module import DeviceModule
from warploom.frontend.host_library import RUNTIME_PREFIX
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode, TypeKind
from warploom.llvm.module import Module

# Flags of clang's device pass. Each takes a promise of C++ back that nvcc does not hold a program to.
DEVICE_FLAGS: dict[str, str] = {
    "-fno-strict-aliasing": "memory written as one type and read as another: CUB copies structs as words; no !tbaa",
    "-fno-delete-null-pointer-checks": "a null store faults, and a test for null behind an access stays a test; no "
    "`nonnull` of references and `this`, and each function has `null_pointer_is_valid`",
    "-fno-finite-loops": "a loop that waits, or never ends, is not deleted, nor what follows it; no `mustprogress`",
    "-Xclang -no-enable-noundef-analysis": "lanes pass values that they never set to functions, and ignore the result",
    "-fno-builtin-fmin -fno-builtin-fminf -fno-builtin-fmax -fno-builtin-fmaxf": "clang says of these builtins, and of "
    "all that is computed in their arguments, that the sign of a zero means nothing; calls become LLVM's own minima "
    "and maxima (backend/gpu_arithmetic.py)",
    # A function that ends without `return` calls llvm.ubsantrap there, which `return_at_ends` makes one. This way its
    # end differs from __builtin_unreachable, which is the programmer's own promise and stays.
    "-Xclang -fsanitize=return -Xclang -fsanitize-trap=return": "flowing off the end of a function only leaves its "
    "result open",
}

# Attributes of parameters, results and arguments that are taken off the module as it is read.
DROPPED_AT_READING: dict[str, str] = {
    "dereferenceable": "a reference may be bound to null or to the end of an array as long as nobody reads it; LLVM "
    "would load through it ahead",
    "dereferenceable_or_null": "the same for `this`",
}

# What is given to the module as it is read, because it holds of every program.
GIVEN_AT_READING: dict[str, str] = {
    "noundef": "of a kernel's parameters, which a launch copies from memory, and of what the runtime returns",
}

# Promises that change their form, and where.
TRANSLATED: dict[str, str] = {
    "noalias": "of a `__restrict__` parameter: a mark for the importer (cleanup.py), since LLVM would take it across "
    "barriers; of a struct's result (sret) LLVM keeps it: that memory is the caller's alone",
    "convergent": "kept for what exchanges values among threads, dropped for what one thread does alone (cleanup.py)",
    "memory": "of calls: the attribute `effects` of the op; taken back where a thread's index hides behind it "
    "(cleanup.py)",
    "noreturn": "of calls: the op is followed by `unreachable`",
    "llvm.ubsantrap": "a return: the end of a function without `return`",
    "sdiv udiv srem urem": "calls that mean what a GPU computes for every divisor (backend/gpu_division.py)",
    "shl lshr ashr fptosi fptoui": "guarded, so that they are defined for every operand (backend/gpu_arithmetic.py)",
    "!range": "of a bool that is loaded: dropped; it is whether its byte is not 0 (backend/gpu_arithmetic.py)",
    "or disjoint": "add nuw nsw, which analyses of addresses understand",
}

# Flags of instructions, by what the ops of the parallel IR keep of them; other flags end at the import.
WRAPPING = frozenset((Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.TRUNC))
EXACT = frozenset((Opcode.UDIV, Opcode.SDIV, Opcode.LSHR, Opcode.ASHR))
NOT_NEGATIVE = frozenset((Opcode.ZEXT, Opcode.UI_TO_FP))
FLOATING = frozenset(
    (Opcode.FADD, Opcode.FSUB, Opcode.FMUL, Opcode.FDIV, Opcode.FREM, Opcode.FNEG, Opcode.FCMP, Opcode.SELECT)
) | frozenset((Opcode.FP_TRUNC, Opcode.FP_EXT, Opcode.SI_TO_FP, Opcode.UI_TO_FP))  # fmt: skip
OP_FLAGS: dict[str, str] = {
    "nuw nsw": "kept: nvcc's code, too, computes addresses in 64 bits from indices that it takes not to overflow",
    "exact": "kept: made by pointer differences and by LLVM's own folds",
    "nneg": "kept: made by LLVM's own folds",
    "inbounds nuw": "of addresses: inbounds is kept, for steps that do not wrap; nuw and nusw are dropped",
    "contract": "kept until pass `contract` has run: -fmad=true, as nvcc has it by default",
    "afn": "kept of the functions that -use_fast_math replaces (ir/vector_functions.py): division and roots stay exact",
    "reassoc nnan ninf nsz arcp": "kept, but clang makes none: nvcc's fast math has no such rights",
    "samesign": "dropped: of comparisons, made by LLVM's own folds",
}

# Attributes of calls of functions that are kept: how their arguments travel.
ABI_ATTRIBUTES = ("byval", "sret", "zeroext", "signext", "inreg")

# Of the kernel as clang made it, what each function that the optimising engine writes gets: what code it may use.
KEPT_OF_KERNELS = (
    "target-cpu",
    "target-features",
    "tune-cpu",
    "probe-stack",
    "no-trapping-math",
    "denormal-fp-math",
    "denormal-fp-math-f32",
    "frame-pointer",
)
# What each gets besides: LLVM must not take a null store for a proof that it is never reached. Not `mustprogress`: what
# ends for certain says so by its own loop (loom_code.py).
GIVEN_TO_KERNELS = ("nounwind", "null_pointer_is_valid")

# What LLVM may go on believing. Enumerated attributes of functions first, then strings, then parameters, metadata.
KEPT: dict[str, str] = {
    "nounwind norecurse cold hot noinline alwaysinline optnone minsize optsize inlinehint builtin nobuiltin": "true",
    "null_pointer_is_valid": "made by -fno-delete-null-pointer-checks, and inherited by inlined code",
    "no-builtin-fmin no-builtin-fminf no-builtin-fmax no-builtin-fmaxf": "made by the flags of that name",
    "uwtable": "where to unwind: nothing depends on it; functions of the optimising engine have none",
    "willreturn nosync nofree nocallback speculatable nocreateundeforpoison allocsize allockind alloc-family": "of "
    "LLVM's intrinsics and of the device ABI's declarations: true of what the runtime does",
    "stack-protector-buffer-size min-legal-vector-width uniform-work-group-size": "nothing depends on them here",
    "byval sret zeroext signext inreg align noext immarg": "how arguments travel",
    "dead_on_unwind writable returned nocapture captures readonly readnone writeonly initializes": "true of memory "
    "that a caller gives for a result, or found by LLVM itself in a body that it has seen",
    "!llvm.loop !prof !nosanitize !srcloc !annotation !heapallocsite !fpmath !unpredictable !unroll": "advice",
    "!align": "of pointers that references are loaded from: accesses say their alignment themselves",
    "!dbg": "places in the source",
}

_MISSING_RETURN = 11  # kind of clang's llvm.ubsantrap at the end of a function without `return`


def device_flags() -> list[str]:
    """What clang's device pass is told."""
    return [word for flags in DEVICE_FLAGS for word in flags.split()]


def take_back(device: DeviceModule, calls: Iterable[Handle]) -> None:
    """Take the promises of DROPPED_AT_READING off the module, whose `calls` these are, and give it those of
    GIVEN_AT_READING. Before any pass."""
    module = device.module
    kinds = [module.attribute_kind(name) for name in DROPPED_AT_READING]
    kernels = {module.find(kernel.name) for kernel in device.kernels}
    for function in module.functions():
        _drop_from_function(module, function, kinds)
        _promise_values(module, function, is_kernel=function in kernels)
    for call in calls:
        _drop_from_call(module, call, kinds)


def _promise_values(module: Module, function: Handle, *, is_kernel: bool) -> None:
    lib = module.lib
    noundef = lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind("noundef"), 0)
    if is_kernel:
        for number in range(lib.LLVMCountParams(function)):
            lib.LLVMAddAttributeAtIndex(function, number + 1, noundef)
    elif module.name(function).startswith(RUNTIME_PREFIX) and not module.is_defined(function):
        returned = lib.LLVMGetReturnType(lib.LLVMGlobalGetValueType(function))
        if lib.LLVMGetTypeKind(returned) != TypeKind.VOID:
            lib.LLVMAddAttributeAtIndex(function, 0, noundef)


def _drop_from_function(module: Module, function: Handle, kinds: list[int]) -> None:
    lib = module.lib
    for index in range(lib.LLVMCountParams(function) + 1):
        for kind in kinds:
            if lib.LLVMGetEnumAttributeAtIndex(function, index, kind):
                lib.LLVMRemoveEnumAttributeAtIndex(function, index, kind)


def _drop_from_call(module: Module, call: Handle, kinds: list[int]) -> None:
    lib = module.lib
    for index in range(lib.LLVMGetNumArgOperands(call) + 1):
        for kind in kinds if lib.LLVMGetCallSiteAttributeCount(call, index) else ():
            if lib.LLVMGetCallSiteEnumAttribute(call, index, kind):
                lib.LLVMRemoveCallSiteEnumAttribute(call, index, kind)


def return_at_ends(module: Module) -> None:
    """Where a function ends without `return`, it returns 0: a GPU's code goes on with whatever a register holds. Before
    any pass."""
    lib, trap = module.lib, module.find("llvm.ubsantrap")
    if not trap:
        return
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for call in list(module.users(trap)):
        if lib.LLVMConstIntGetZExtValue(lib.LLVMGetOperand(call, 0)) != _MISSING_RETURN:
            continue
        end = lib.LLVMGetNextInstruction(call)
        assert lib.LLVMGetInstructionOpcode(end) == Opcode.UNREACHABLE, "llvm.ubsantrap does not return"
        lib.LLVMPositionBuilderBefore(builder, end)
        type_ = _result_type(module, call)
        if lib.LLVMGetTypeKind(type_) == TypeKind.VOID:
            lib.LLVMBuildRetVoid(builder)
        else:
            lib.LLVMBuildRet(builder, lib.LLVMConstNull(type_))
        lib.LLVMInstructionEraseFromParent(end)
        lib.LLVMInstructionEraseFromParent(call)
    lib.LLVMDisposeBuilder(builder)


def _result_type(module: Module, instruction: Handle) -> Handle:
    return module.lib.LLVMGetReturnType(module.lib.LLVMGlobalGetValueType(module.function_of(instruction)))
