# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of a kernel for seldom launches, where threads do not meet: clang's own function, once for each thread.

    define void @k(ptr %p) {                          define void @k.blocks.thread(i32 %bx, ..., ptr %args, ptr %launch)
      %t = call i32 @__warploom_thread_idx_x()          %p = load what %args says
      ... %t ...                               ==>      ... %tx ...

                                                      define void @warploom.by_thread(%args, %launch, ptr %thread)
                                                        grid { block { call %thread(%bx, ..., %args, %launch) } }

Theorem: threads that neither wait for others nor exchange anything with them by name may run in any order, one after
the other as well. Such a kernel has no collective, no shared memory, no loop that looks at what others write, and hands
nothing from lane to lane that it leaves to the lock step of a warp. Nothing is assumed of a launch then, and neither
passes nor LLVM's text of the kernel are needed: that takes a tenth of the time of a kernel's compilation. The loops
over blocks and threads are there once a module; `loom_text.py` writes them, and what reads a thread's arguments.

The code generator is told to take little time. It fuses no products then, so that this is done here, by the rule of
passes/clean/contract.py.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from warploom.backend.loom_code import asks_for_thread, may_spin
from warploom.core.records import dataclass
from warploom.frontend.callees import EXIT_THREAD, IDS, STEADY
from warploom.frontend.device_module import DeviceModule, Kernel
from warploom.frontend.host_library import is_host_function
from warploom.frontend.importer_parameters import is_only_read
from warploom.ir.core import LAUNCH_PARAMS, Function, Op, walk
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, UNOPTIMISED, Opcode
from warploom.llvm.module import Module
from warploom.passes.barrier.lock_step import pairs_of
from warploom.passes.contracts import is_collective

SUFFIX = ".blocks.thread"
BODY = "warploom.thread.body"  # stands for the kernel's own code in the text of a version
_QUICK = ("cold", *UNOPTIMISED)
_CONTRACT = 1 << 5  # among the flags of an operation on floats


@dataclass(frozen=True, slots=True)
class ByThread:
    """A version: the function that runs one thread, and whether it may ask which one."""

    name: str
    asks: bool


class ThreadByThread:
    """Which kernels of a module can run so, and the functions that they need."""

    def __init__(self, device: DeviceModule) -> None:
        self._module = device.module
        # Functions that ask for more than the numbers of a thread and of its launch, or end in the middle.
        self._ask_more = {
            device.module.function_of(call)
            for name in (*STEADY.difference(IDS), EXIT_THREAD)
            for call in _calls(device.module, name)
        }
        self._chosen: list[str] = []  # in the order of the kernels: objects are to be the same each time

    def can_run(self, kernel: Kernel, function: Function, *, hands_on: bool | None) -> bool:
        """Whether threads of `kernel`, structured as `function`, may run one after the other. `hands_on`: whether lanes
        hand on values by lock step; None: not known yet."""
        module, facts = self._module, function.facts
        found = module.find(kernel.name)
        if function.shared or facts.waits or facts.reaches_cluster or found in self._ask_more:
            return False
        if module.lib.LLVMGetFirstUse(found) or not _arguments_are_kept(module, kernel, found):
            return False
        ops = list(walk(function.body))
        if any(is_collective(op) or (op.name == "while" and may_spin(op)) for op in ops):
            return False
        return not (bool(pairs_of(function)) if hands_on is None else hands_on)

    def version(self, kernel: Kernel, function: Function) -> ByThread:
        """The version of `kernel`, whose function `link` completes."""
        asks = any(op.name == "call_indirect" or self._asks(op) for op in walk(function.body))
        return ByThread(kernel.name + SUFFIX, asks)

    def _asks(self, op: Op) -> bool:
        """Whether `op` calls what may ask which thread it runs in."""
        if op.name != "call":
            return False
        name = str(op.attrs["callee"])
        found = self._module.find(name)
        return not is_host_function(name) or bool(found and self._module.is_defined(found)) or asks_for_thread(name)

    def choose(self, kernel: Kernel) -> None:
        """The version of `kernel` is written and will be linked."""
        self._chosen.append(kernel.name)

    def link(self) -> set[str]:
        """Give the functions that versions call their bodies: those of the kernels. The names of these kernels, which
        have none any more. Requires the text of the versions to be linked in."""
        numbers: dict[Handle, list[tuple[Handle, int]]] = {}
        for number, name in enumerate(IDS):
            for call in _calls(self._module, name):
                numbers.setdefault(self._module.function_of(call), []).append((call, number))
        for name in self._chosen:
            kernel, function = self._module.find(name), self._module.find(name + SUFFIX)
            _move_body(self._module, kernel, function, numbers.get(kernel, ()))
            fuse_products(self._module, function)
        return set(self._chosen)


def _move_body(module: Module, kernel: Handle, function: Handle, ids: Sequence[tuple[Handle, int]]) -> None:
    """Give `function` the blocks and the attributes of `kernel`, and `_QUICK`.

    It calls BODY with what the launch's dimensions and the parameters of the kernel are, and returns: this comes to
    stand at the top of the kernel's entry, where its stack memory is. `ids`: calls, and which number each asks for.
    """
    lib = module.lib
    (head,) = module.blocks(function)
    *lines, body, end = module.block_instructions(head)
    given = module.operands(body)[:-1]  # the last one is the callee
    launch, arguments = given[: len(LAUNCH_PARAMS)], given[len(LAUNCH_PARAMS) :]
    known = [*launch, *module.parameters(function)]
    for call, number in ids:
        lib.LLVMReplaceAllUsesWith(call, known[number])
        lib.LLVMInstructionEraseFromParent(call)
    for parameter, value in zip(module.parameters(kernel), arguments, strict=True):
        lib.LLVMReplaceAllUsesWith(parameter, value)
    last = head
    for block in list(module.blocks(kernel)):
        lib.LLVMMoveBasicBlockAfter(block, last)
        last = block
    for gone in (end, body):
        lib.LLVMInstructionEraseFromParent(gone)
    _move_lines(module, lines, lib.LLVMGetNextBasicBlock(head))
    lib.LLVMDeleteBasicBlock(head)
    attributes = (ctypes.c_void_p * lib.LLVMGetAttributeCountAtIndex(kernel, FUNCTION_INDEX))()
    lib.LLVMGetAttributesAtIndex(kernel, FUNCTION_INDEX, attributes)
    made = [lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind(each), 0) for each in _QUICK]
    for attribute in (*attributes, *made):
        lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, attribute)
    # What the kernel does to its arguments' memory it does to what it finds there now.
    lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, module.attribute_kind("memory"))
    lib.LLVMSetSubprogram(function, lib.LLVMGetSubprogram(kernel))
    lib.LLVMSetSubprogram(kernel, None)


def _move_lines(module: Module, lines: Sequence[Handle], block: Handle) -> None:
    """Move `lines` to the top of `block`, but for those that nobody needs."""
    lib = module.lib
    needed: list[Handle] = []
    for line in reversed(lines):
        if lib.LLVMGetFirstUse(line) or lib.LLVMGetInstructionOpcode(line) in (Opcode.STORE, Opcode.CALL):
            needed.append(line)
        else:
            lib.LLVMInstructionEraseFromParent(line)
    builder = lib.LLVMCreateBuilderInContext(module.context)
    lib.LLVMPositionBuilderBefore(builder, lib.LLVMGetFirstInstruction(block))
    for line in reversed(needed):
        lib.LLVMInstructionRemoveFromParent(line)
        lib.LLVMInsertIntoBuilder(builder, line)
    lib.LLVMDisposeBuilder(builder)


def fuse_products(module: Module, function: Handle) -> None:
    """Fuse each sum or difference of a product in `function`, where both allow it and the product has no other use."""
    lib = module.lib
    builder = lib.LLVMCreateBuilderInContext(module.context)
    for block in module.blocks(function):
        products: set[Handle] = set()
        for op in list(module.block_instructions(block)):
            opcode = lib.LLVMGetInstructionOpcode(op)
            if opcode not in (Opcode.FMUL, Opcode.FADD, Opcode.FSUB) or not lib.LLVMGetFastMathFlags(op) & _CONTRACT:
                continue
            if opcode == Opcode.FMUL:
                if len(list(module.users(op))) == 1:
                    products.add(op)
                continue
            number = next((each for each in (0, 1) if lib.LLVMGetOperand(op, each) in products), None)
            if number is not None:
                products.remove(lib.LLVMGetOperand(op, number))
                _fuse(module, builder, op, number)
    lib.LLVMDisposeBuilder(builder)


def _fuse(module: Module, builder: Handle, op: Handle, number: int) -> None:
    """Put one operation in the place of the sum or difference `op` and of its operand `number`, a product."""
    lib = module.lib
    lib.LLVMPositionBuilderBefore(builder, op)  # and takes its debug location
    product, other = lib.LLVMGetOperand(op, number), lib.LLVMGetOperand(op, 1 - number)
    left, right = (lib.LLVMGetOperand(product, each) for each in (0, 1))
    if lib.LLVMGetInstructionOpcode(op) == Opcode.FSUB:
        if number:
            left = lib.LLVMBuildFNeg(builder, left, b"")
        else:
            other = lib.LLVMBuildFNeg(builder, other, b"")
    made = module.call_intrinsic(builder, "llvm.fmuladd", [lib.LLVMTypeOf(op)], [left, right, other])
    lib.LLVMSetFastMathFlags(made, lib.LLVMGetFastMathFlags(op))
    lib.LLVMReplaceAllUsesWith(op, made)
    lib.LLVMInstructionEraseFromParent(op)
    lib.LLVMInstructionEraseFromParent(product)


def _arguments_are_kept(module: Module, kernel: Kernel, function: Handle) -> bool:
    """Whether no thread writes to a parameter that all share in memory."""
    parameters = zip(kernel.pieces, module.parameters(function), strict=True)
    return all(is_only_read(module, parameter) for piece, parameter in parameters if piece.indirect)


def _calls(module: Module, name: str) -> list[Handle]:
    """The calls of the function `name`."""
    callee = module.find(name)
    return [user for user in module.users(callee) if module.lib.LLVMIsACallInst(user)] if callee else []
