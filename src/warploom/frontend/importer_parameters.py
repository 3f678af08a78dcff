# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel's parameters: one Value for each LLVM parameter, and a private copy of a struct that the kernel changes.

A large struct arrives as a pointer to a copy that all threads share. Threads that only read it can; where one may
write, each gets a copy of its own, as the language says.
"""

from __future__ import annotations

from warploom.core.records import replace
from warploom.frontend.cleanup import is_restricted
from warploom.frontend.device_module import Kernel
from warploom.frontend.importer_state import ImportState
from warploom.ir.core import Op, Value, int_const
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

_READERS = ("llvm.memcpy.", "llvm.memmove.")
_USUAL_ALIGNMENT = 16


def import_parameters(state: ImportState, kernel: Kernel, llvm_function: Handle) -> None:
    """Fill `params` and the values of the parameters, and the facts `noalias` and `constants` as to pointers."""
    module, noalias, constants = state.module, list[int](), list[tuple[int | str, int]]()
    for number, parameter in enumerate(module.parameters(llvm_function)):
        value = Value(state.types.of(parameter), state.hint(parameter))
        state.function.params.append(value)
        state.values[parameter] = value
        piece = kernel.pieces[number]
        if piece.indirect:
            noalias.append(number)
            constants.append((number, kernel.sizes[piece.parameter]))
            if not is_only_read(module, parameter):
                align = max(_USUAL_ALIGNMENT, kernel.alignments[piece.parameter])
                _copy(state, parameter, value, kernel.sizes[piece.parameter], align)
        elif is_restricted(module, llvm_function, number + 1):
            noalias.append(number)
    state.function.facts = replace(state.function.facts, noalias=tuple(noalias), constants=tuple(constants))


def is_only_read(module: Module, pointer: Handle) -> bool:
    """Whether the memory behind `pointer` is loaded from, copied from or compared, and nothing else: also where it is
    one of several pointers."""
    lib = module.lib
    seen, work = {pointer}, [pointer]
    while work:
        address = work.pop()
        for user in module.users(address):
            opcode = lib.LLVMGetInstructionOpcode(user) if lib.LLVMIsAInstruction(user) else 0
            if opcode in (Opcode.LOAD, Opcode.ICMP):
                continue
            if opcode in (Opcode.GEP, Opcode.SELECT, Opcode.PHI):
                if user not in seen:
                    seen.add(user)
                    work.append(user)
                continue
            if opcode != Opcode.CALL:
                return False
            callee = module.name(lib.LLVMGetCalledValue(user))
            if callee.startswith("llvm.lifetime."):
                continue
            if not callee.startswith(_READERS) or lib.LLVMGetOperand(user, 0) == address:
                return False
    return True


def _copy(state: ImportState, parameter: Handle, shared: Value, size: int, align: int) -> None:
    copy = Value("ptr", shared.name)
    loc = state.function.loc
    state.prologue.append(Op("alloca", [], [copy], {"size": size, "align": align}, loc=loc))
    attrs = {"align_to": align, "align_from": 1}
    state.prologue.append(Op("memcpy", [copy, shared, int_const("i64", size)], attrs=dict(attrs), loc=loc))
    state.values[parameter] = copy
