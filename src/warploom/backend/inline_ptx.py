# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX that reads a special register or orders memory; any other is refused with its place.

    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane))    ==>    %lane = call i32 @__warploom_lane_id()

Sound because each register read here has the value that the function of the device ABI documents. Requires the module
with debug locations; leaves no inline assembly but empty strings (compiler barriers).
"""

from __future__ import annotations

import ctypes
import re

from warploom.diagnostics import Diagnostic
from warploom.llvm.binding import Handle
from warploom.llvm.module import Location, Module, Opcode

# Special register -> (function of the device ABI, bits of its result).
REGISTERS = {
    "laneid": ("__warploom_lane_id", 32),
    "warpid": ("__warploom_warp_id", 32),
    "dynamic_smem_size": ("__warploom_dynamic_shared_size", 32),
    "clock": ("__warploom_clock64", 64),
    "clock64": ("__warploom_clock64", 64),
    "globaltimer": ("__warploom_globaltimer", 64),
    "globaltimer_lo": ("__warploom_globaltimer", 64),
    **{f"tid.{axis}": (f"__warploom_thread_idx_{axis}", 32) for axis in "xyz"},
    **{f"ctaid.{axis}": (f"__warploom_block_idx_{axis}", 32) for axis in "xyz"},
    **{f"ntid.{axis}": (f"__warploom_block_dim_{axis}", 32) for axis in "xyz"},
    **{f"nctaid.{axis}": (f"__warploom_grid_dim_{axis}", 32) for axis in "xyz"},
}
_MOVE = re.compile(r"mov\.[busf](?:32|64)\s+\$0\s*,\s*%([a-z0-9_.]+)\s*;?")
_SEQUENTIALLY_CONSISTENT = 7  # LLVMAtomicOrderingSequentiallyConsistent
_FENCE = re.compile(r"(?:membar\.(?:cta|gl|sys)|fence(?:\.[a-z_]+)+)\s*;?")


def lower_inline_ptx(module: Module) -> None:
    """Replace every inline PTX string; a Diagnostic for the first that cannot be."""
    found = [
        instruction
        for function in module.functions()
        for instruction in module.instructions(function)
        if module.lib.LLVMGetInstructionOpcode(instruction) == Opcode.CALL
        and module.lib.LLVMIsAInlineAsm(module.lib.LLVMGetCalledValue(instruction))
    ]
    builder = module.lib.LLVMCreateBuilderInContext(module.context)
    for call in found:
        _lower(module, builder, call)
    module.lib.LLVMDisposeBuilder(builder)


def _lower(module: Module, builder: Handle, call: Handle) -> None:
    lib = module.lib
    source = _assembly(module, call)
    if not source:
        return
    lib.LLVMPositionBuilderBefore(builder, call)
    move = _MOVE.fullmatch(source)
    if move and move.group(1) in REGISTERS:
        name, bits = REGISTERS[move.group(1)]
        result = _call(module, builder, name, bits)
        wanted = lib.LLVMTypeOf(call)
        if lib.LLVMTypeOf(result) != wanted:
            result = lib.LLVMBuildIntCast2(builder, result, wanted, 0, b"")
        lib.LLVMReplaceAllUsesWith(call, result)
    elif _FENCE.fullmatch(source):
        lib.LLVMBuildFence(builder, _SEQUENTIALLY_CONSISTENT, 0, b"")
    else:
        raise _refused(module, call, source)
    lib.LLVMInstructionEraseFromParent(call)


def _assembly(module: Module, call: Handle) -> str:
    size = ctypes.c_size_t()
    assembly = module.lib.LLVMGetCalledValue(call)
    text = module.lib.LLVMGetInlineAsmAsmString(assembly, ctypes.byref(size))
    return " ".join(ctypes.string_at(text, size.value).decode().split()).replace("%%", "%")


def _call(module: Module, builder: Handle, name: str, bits: int) -> Handle:
    lib = module.lib
    integer = (lib.LLVMInt32TypeInContext if bits == 32 else lib.LLVMInt64TypeInContext)(module.context)
    type_ = lib.LLVMFunctionType(integer, None, 0, 0)
    function = module.find(name) or lib.LLVMAddFunction(module.ref, name.encode(), type_)
    return lib.LLVMBuildCall2(builder, type_, function, None, 0, b"")


def _refused(module: Module, call: Handle, source: str) -> Diagnostic:
    where = module.location(call) or Location("", 0)
    return Diagnostic(
        f'inline PTX is not supported: asm("{source}")',
        file=where.file or None,
        line=where.line or None,
        hint="write it in CUDA C++ under `#ifdef __WARPLOOM__`",
    )
