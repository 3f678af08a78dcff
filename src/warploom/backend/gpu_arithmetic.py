# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give shifts, divisions and float-to-integer conversions the results that a GPU gives where C++ leaves them open.

    shl i32 %x, %n        ==>   select (n < 32), (shl %x, %n), 0           lshr likewise
    ashr i32 %x, %n       ==>   ashr %x, umin(%n, 31)
    fptosi float %x       ==>   llvm.fptosi.sat: clamped to the range, 0 for NaN; where the source is a double or the
                                result has 64 bits, NaN becomes the highest bit alone (measured on an H200)
    sub nsw i32 0, %x     ==>   sub i32 0, %x: the lowest number is its own negative, and by llvm.abs its own absolute
    call fminf(%x, %y)    ==>   call llvm.minimumnum.f32(%x, %y); fmin, fmax and fmaxf likewise, and __builtin_fminf,
                                which clang makes a call that may change the sign of any zero (`nsz`)
    trunc i8 %b to i1     ==>   icmp ne i8 %b, 0, of a bool that is loaded
    sdiv i32 %x, %n       ==>   a call that LLVM knows nothing of (gpu_division.py)

CUDA programs rely on it (`(1 << n) - 1` with n = 32); LLVM would fold such code to anything. Sound because every new
result equals the old one wherever that was defined; where LLVM can prove the amount small the selection goes away.
PTX ISA: shl, shr ("shift amounts greater than the register width are clamped"), cvt ("clamped to the range").
Requires the module before optimisation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from warploom.backend.gpu_division import DIVISIONS, name_divisions
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode, TypeKind
from warploom.llvm.module import Module

_BYTE = 8
_NOT_EQUAL = 33  # LLVMIntNE
_UNSIGNED_LESS = 36  # LLVMIntULT
_UNORDERED = 8  # LLVMRealUNO
_SHIFTS = (Opcode.SHL, Opcode.LSHR, Opcode.ASHR)
_CONVERSIONS = {Opcode.FP_TO_SI: "llvm.fptosi.sat", Opcode.FP_TO_UI: "llvm.fptoui.sat"}
_EXTREMES = {
    **dict.fromkeys(("fmin", "fminf", "llvm.minnum"), ("llvm.minimumnum", "llvm.minnum")),
    **dict.fromkeys(("fmax", "fmaxf", "llvm.maxnum"), ("llvm.maximumnum", "llvm.maxnum")),
}
_REASSOCIATE, _NO_SIGNED_ZEROS = 1, 8  # LLVMFastMathAllowReassoc, LLVMFastMathNoSignedZeros
_LONGEST = 64  # bits of an integer that LLVM-C hands over as a number
_NARROWEST = 32  # bits a conversion saturates to at least; narrower results are cut from it


def define_like_gpu(module: Module, found: Mapping[int, Sequence[Handle]]) -> None:
    """Rewrite every shift, every conversion of a scalar and every division that LLVM does not define everywhere.

    `found`: the instructions of the module, by opcode."""
    lib = module.lib
    name_divisions(module, [(each, opcode) for opcode in DIVISIONS for each in found.get(opcode, ())])
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for opcode in _SHIFTS:
        for shift in _integers(module, found.get(opcode, ())):
            if not _is_small(module, shift):
                _clamp_shift(module, builder, shift, opcode)
    for opcode, intrinsic in _CONVERSIONS.items():
        for conversion in _integers(module, found.get(opcode, ())):
            _saturate(module, builder, conversion, intrinsic)
    for load in _integers(module, found.get(Opcode.LOAD, ())):
        if lib.LLVMHasMetadata(load):
            _read_bool(module, builder, load)
    for difference in _integers(module, found.get(Opcode.SUB, ())):
        if lib.LLVMIsNull(lib.LLVMGetOperand(difference, 0)):
            lib.LLVMSetNSW(difference, 0)
    _define_functions(module, builder)
    lib.LLVMDisposeBuilder(builder)


def _integers(module: Module, instructions: Iterable[Handle]) -> list[Handle]:
    """Those whose result is an integer, not a vector of them."""
    lib = module.lib
    return [each for each in instructions if lib.LLVMGetTypeKind(lib.LLVMTypeOf(each)) == TypeKind.INTEGER]


def _define_functions(module: Module, builder: Handle) -> None:
    """Rewrite calls of functions that C++ or clang leaves open."""
    for function in module.functions():
        name = module.name(function)
        if name.startswith("llvm.abs."):
            _define_lowest(module, module.users(function))
        elif not module.is_defined(function) and (which := _EXTREMES.get(name.rpartition(".")[0] or name)):
            _order_zeros(module, builder, function, which)


def _define_lowest(module: Module, calls: Iterable[Handle]) -> None:
    """The absolute value of the lowest number is that number, also where the second argument says that it is poison."""
    lib = module.lib
    for call in _integers(module, calls):
        lib.LLVMSetOperand(call, 1, lib.LLVMConstNull(lib.LLVMTypeOf(lib.LLVMGetOperand(call, 1))))


def _order_zeros(module: Module, builder: Handle, function: Handle, intrinsics: tuple[str, str]) -> None:
    """Call the first of LLVM's `intrinsics` in place of `function`, by which -0 is less than +0, unless flags of the
    program (-ffast-math) say more. The second leaves either zero open, but is one instruction that does not where the
    target is no x86-64; an LLVM before 20 has no other."""
    lib = module.lib
    is_known = lib.LLVMLookupIntrinsicID(intrinsics[0].encode(), len(intrinsics[0]))
    intrinsic = intrinsics[0] if is_known and module.triple().startswith("x86_64") else intrinsics[1]
    for call in [each for each in module.users(function) if lib.LLVMGetInstructionOpcode(each) == Opcode.CALL]:
        if lib.LLVMGetCalledValue(call) != function:
            continue
        lib.LLVMPositionBuilderBefore(builder, call)
        operands = [lib.LLVMGetOperand(call, number) for number in range(2)]
        made = module.call_intrinsic(builder, intrinsic, [lib.LLVMTypeOf(call)], operands)
        flags = lib.LLVMGetFastMathFlags(call)
        lib.LLVMSetFastMathFlags(made, flags if flags & _REASSOCIATE else flags & ~_NO_SIGNED_ZEROS)
        lib.LLVMReplaceAllUsesWith(call, made)
        lib.LLVMInstructionEraseFromParent(call)


def _read_bool(module: Module, builder: Handle, load: Handle) -> None:
    """A byte of which clang says that it is 0 or 1 may be any: true is what is not 0."""
    lib, kind = module.lib, module.metadata_kind("range")
    if lib.LLVMGetIntTypeWidth(lib.LLVMTypeOf(load)) != _BYTE or not lib.LLVMGetMetadata(load, kind):
        return
    for each in (kind, module.metadata_kind("noundef")):
        lib.LLVMSetMetadata(load, each, 0)
    for user in list(module.users(load)):
        if lib.LLVMIsATruncInst(user) and lib.LLVMGetIntTypeWidth(lib.LLVMTypeOf(user)) == 1:
            lib.LLVMPositionBuilderBefore(builder, user)
            zero = lib.LLVMConstNull(lib.LLVMTypeOf(load))
            lib.LLVMReplaceAllUsesWith(user, lib.LLVMBuildICmp(builder, _NOT_EQUAL, load, zero, b""))
            lib.LLVMInstructionEraseFromParent(user)


def _is_small(module: Module, shift: Handle) -> bool:
    """Whether the amount is a constant below the width."""
    lib, amount = module.lib, module.lib.LLVMGetOperand(shift, 1)
    bits = lib.LLVMGetIntTypeWidth(lib.LLVMTypeOf(shift))
    return bool(lib.LLVMIsAConstantInt(amount)) and (bits > _LONGEST or lib.LLVMConstIntGetZExtValue(amount) < bits)


def _clamp_shift(module: Module, builder: Handle, shift: Handle, opcode: int) -> None:
    lib = module.lib
    type_ = lib.LLVMTypeOf(shift)
    bits = lib.LLVMGetIntTypeWidth(type_)
    amount = lib.LLVMGetOperand(shift, 1)
    lib.LLVMPositionBuilderBefore(builder, shift)
    small = lib.LLVMBuildICmp(builder, _UNSIGNED_LESS, amount, lib.LLVMConstInt(type_, bits, 0), b"")
    if opcode == Opcode.ASHR:
        largest = lib.LLVMConstInt(type_, bits - 1, 0)
        lib.LLVMSetOperand(shift, 1, lib.LLVMBuildSelect(builder, small, amount, largest, b""))
        return
    # The shift itself is only computed by an amount in range: out of range it would be poison.
    safe = lib.LLVMBuildSelect(builder, small, amount, lib.LLVMConstNull(type_), b"")
    lib.LLVMSetOperand(shift, 1, safe)
    lib.LLVMPositionBuilderBefore(builder, lib.LLVMGetNextInstruction(shift))
    chosen = lib.LLVMBuildSelect(builder, small, shift, lib.LLVMConstNull(type_), b"")
    lib.LLVMReplaceAllUsesWith(shift, chosen)
    lib.LLVMSetOperand(chosen, 1, shift)  # the selection itself was among the uses


def _saturate(module: Module, builder: Handle, conversion: Handle, intrinsic: str) -> None:
    lib = module.lib
    source, result = lib.LLVMGetOperand(conversion, 0), lib.LLVMTypeOf(conversion)
    wide = result if lib.LLVMGetIntTypeWidth(result) >= _NARROWEST else lib.LLVMInt32TypeInContext(module.context)
    lib.LLVMPositionBuilderBefore(builder, conversion)
    made = module.call_intrinsic(builder, intrinsic, [wide, lib.LLVMTypeOf(source)], [source])
    bits = lib.LLVMGetIntTypeWidth(wide)
    if bits > _NARROWEST or lib.LLVMGetTypeKind(lib.LLVMTypeOf(source)) == TypeKind.DOUBLE:
        is_nan = lib.LLVMBuildFCmp(builder, _UNORDERED, source, source, b"")
        made = lib.LLVMBuildSelect(builder, is_nan, lib.LLVMConstInt(wide, 1 << (bits - 1), 0), made, b"")
    if wide != result:
        made = lib.LLVMBuildTrunc(builder, made, result, b"")
    lib.LLVMReplaceAllUsesWith(conversion, made)
    lib.LLVMInstructionEraseFromParent(conversion)
