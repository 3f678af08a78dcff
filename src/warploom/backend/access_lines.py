# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of memory keep their lines through LLVM's passes, so that a fault names the line that it is of.

    loop:  store %x, %p, !dbg !17      LLVM: store %x, %p; loop:       here: store %x, %p, !dbg !17; loop:

What LLVM takes out of a loop loses its place: a debugger would seem to jump back to it. To a report of a fault that
place is all that matters. So accesses are noted in an annotation, the one kind of metadata without a meaning that LLVM
leaves on what it moves, and those that come back without a place get the one that is noted. What LLVM made of two
accesses has the place that both had in common, or line 0, and stays so. A place belongs to one function: what LLVM
inlined from another one gets none.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager, nullcontext

from warploom.backend.compilation import Compilation
from warploom.backend.llvm_passes import optimise
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

_MASKED = "llvm.masked."  # loads, stores, gathers and scatters under masks; atomics stay where they are
_KIND = "annotation"


def run_llvm(work: Compilation) -> None:
    """LLVM's own passes, at the level that was asked for."""
    with lines_kept(work.module) if work.options.debug else nullcontext():
        optimise(work.module, work.machine, work.options.optimise)


@contextmanager
def lines_kept(module: Module) -> Generator[None]:
    """Accesses keep their lines through the passes that run meanwhile."""
    lib, kind = module.lib, module.metadata_kind(_KIND)
    noted = dict(_note(module, kind))
    yield
    for function in filter(module.is_defined, module.functions()):
        for access in _accesses(module, function):
            note = lib.LLVMGetMetadata(access, kind)
            if note in noted:
                place, home = noted[note]
                if not lib.LLVMInstructionGetDebugLoc(access) and lib.LLVMGetSubprogram(function) == home:
                    lib.LLVMInstructionSetDebugLoc(access, place)
                lib.LLVMSetMetadata(access, kind, None)


def _note(module: Module, kind: int) -> Generator[tuple[Handle, tuple[Handle, Handle]]]:
    """Mark every access that has a line; each note, with the place and the subprogram that it stands for."""
    lib = module.lib
    notes: dict[tuple[Handle, Handle], Handle] = {}
    for function in filter(module.is_defined, module.functions()):
        home = lib.LLVMGetSubprogram(function)
        for access in _accesses(module, function):
            place = lib.LLVMInstructionGetDebugLoc(access)
            if not home or not place or not lib.LLVMDILocationGetLine(place):
                continue
            key = place, home
            if key not in notes:
                notes[key] = _node(module, f"access {len(notes)}".encode())
                yield notes[key], key
            lib.LLVMSetMetadata(access, kind, notes[key])


def _node(module: Module, text: bytes) -> Handle:
    """A metadata node that holds `text`, as a value."""
    lib = module.lib
    operands = (ctypes.c_void_p * 1)(lib.LLVMMDStringInContext2(module.context, text, len(text)))
    return lib.LLVMMetadataAsValue(module.context, lib.LLVMMDNodeInContext2(module.context, operands, 1))


def _accesses(module: Module, function: Handle) -> Generator[Handle]:
    lib = module.lib
    for instruction in module.instructions(function):
        opcode = lib.LLVMGetInstructionOpcode(instruction)
        if opcode in (Opcode.LOAD, Opcode.STORE) or (
            opcode == Opcode.CALL and module.name(lib.LLVMGetCalledValue(instruction)).startswith(_MASKED)
        ):
            yield instruction
