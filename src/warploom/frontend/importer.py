# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR to the IR: one kernel becomes a Function in CFG form.

    define void @k(ptr %p)                              kernel @k(%gdx: i32, ..., %p: ptr) {
      %t = call i32 @__warploom_thread_idx_x()            ids (%bx, %by, %bz, %tx, %ty, %tz)
      %i = zext i32 %t to i64                       ==>   ^entry():
      %a = getelementptr i32, ptr %p, i64 %i                %i: i64 = zext %tx
      store i32 1, ptr %a                                   %a: ptr = gep %p, %i [offset=0, strides=(4), ...]
      call void @__warploom_barrier(...)                    store 1:i32, %a [align=4]
      ret void                                              barrier [level=block]
                                                            ret
                                                        }

Phis become block parameters, constant expressions become ops where they are used, calls of the device ABI become values
and ops (importer_calls.py). Blocks are visited in reverse post-order, so that operands come before their uses.

Requires a module cleaned by cleanup.clean. Raises Unsupported, with the place, for what the IR cannot say.
"""

from __future__ import annotations

import re
from collections.abc import Container

from warploom.analysis.spin_waits import find_spin_wait
from warploom.analysis.turns import note_phase_waits
from warploom.core.patterns import regex
from warploom.core.processor import Processor
from warploom.core.records import replace
from warploom.core.remarks import Unsupported
from warploom.frontend.callees import Callees
from warploom.frontend.device_module import DeviceModule, Kernel
from warploom.frontend.importer_calls import CallImporter
from warploom.frontend.importer_ops import OpImporter
from warploom.frontend.importer_parameters import import_parameters
from warploom.frontend.importer_state import ImportState
from warploom.frontend.pragmas import wanted_at
from warploom.frontend.target import branches_in_gathers, vector_bits
from warploom.ir.core import LAUNCH_PARAMS, Block, Function, Op, Operand, Shared, Value
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode

ID_NAMES = ("bx", "by", "bz", "tx", "ty", "tz")
_CASE = regex(r"^\s*i\d+ (-?\d+|true|false), label", re.MULTILINE)


def import_kernel(device: DeviceModule, kernel: Kernel, *, separate: bool = False) -> Function:
    """The kernel in CFG form. `separate`: other translation units may hold device code (-rdc=true)."""
    return _KernelImporter(device, kernel, separate).run()


class _KernelImporter:
    """Imports one kernel."""

    def __init__(self, device: DeviceModule, kernel: Kernel, separate: bool) -> None:
        self.device, self.kernel = device, kernel
        self.module, self.lib = device.module, device.module.lib
        self.llvm_function: Handle = self.module.find(kernel.name)
        launch = [Value("i32", name) for name in LAUNCH_PARAMS]
        self.function = Function(kernel.name, launch, ids=[Value("i32", name) for name in ID_NAMES])
        self.state = ImportState(self.module, self.function)
        self.ops = OpImporter(self.state)
        self.calls = CallImporter(self.state, Callees(device, separate))
        self.blocks: dict[Handle, Block] = {}
        self.names: set[str] = set()  # of the blocks
        self.phis: dict[Handle, list[Handle]] = {}

    def _look_at_target(self) -> None:
        features, cpu, tuned = (
            self.module.function_attribute(self.llvm_function, name) or ""
            for name in ("target-features", "target-cpu", "tune-cpu")
        )
        processor = Processor(vector_bits(features), branches_in_gathers(features, tuned or cpu))
        self.function.facts = replace(self.function.facts, processor=processor)

    def run(self) -> Function:
        """Import everything; the loc of an Unsupported raised inside is the instruction's."""
        function, state = self.function, self.state
        function.loc = state.locations.of_function(self.llvm_function)
        self._look_at_target()
        name = state.locations.name_of_function(self.llvm_function) or self.kernel.name
        function.facts = replace(function.facts, source_name=name, max_threads=self.kernel.max_threads)
        path = state.locations.path_of_function(self.llvm_function)
        if path is not None and function.loc is not None:
            wanted = wanted_at(path, function.loc.line)
            function.facts = replace(function.facts, width=wanted.get("width"), jam=wanted.get("jam"))
        state.loc = function.loc
        try:
            import_parameters(state, self.kernel, self.llvm_function)
            order = self._reverse_post_order()
            for block in order:
                self._declare(block)
            for block in order:
                self._import_block(block)
        except Unsupported as problem:
            raise problem if problem.loc else Unsupported(problem.reason, state.loc) from problem
        function.blocks[0].ops[:0] = state.prologue
        written = list(map(self.blocks.get, self.module.blocks(self.llvm_function)))
        function.blocks = [block for block in written if block is not None]
        self._list_shared()
        self._list_constants()
        if find_spin_wait(function) is not None:
            function.facts = replace(function.facts, waits=True)
        note_phase_waits(function)
        self._note_needs()
        return function

    def _note_needs(self) -> None:
        """Note the functions of other translation units that have to be plain (function_facts.py)."""
        needed = sorted(set[str]().union(*self.calls.elsewhere.values()))
        if not needed:
            return
        leading = [op for block in self.function.blocks for op in block.ops if is_call_of(op, self.calls.elsewhere)]
        for op in leading:
            op.attrs["looks"] = True
        still = find_spin_wait(self.function) is not None
        for op in leading:
            if not self.calls.looks(str(op.attrs["callee"])):
                del op.attrs["looks"]
        self.function.facts = replace(self.function.facts, needs=tuple(needed), needs_still=still)

    def _reverse_post_order(self) -> list[Handle]:
        lib = self.lib
        entry = lib.LLVMGetEntryBasicBlock(self.llvm_function)
        order: list[Handle] = []
        seen = {entry}
        stack = [(entry, iter(self._successors(entry)))]
        while stack:
            block, successors = stack[-1]
            following = next((each for each in successors if each not in seen), None)
            if following is None:
                order.append(block)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self._successors(following))))
        return order[::-1]

    def _successors(self, block: Handle) -> list[Handle]:
        """What `block` branches to; the last first, so that the order keeps `then` before `else` before `after`."""
        terminator = self.lib.LLVMGetBasicBlockTerminator(block)
        count = self.lib.LLVMGetNumSuccessors(terminator)
        return [self.lib.LLVMGetSuccessor(terminator, number) for number in reversed(range(count))]

    def _declare(self, block: Handle) -> None:
        """Make the block and its parameters: a branch can come before what it goes to."""
        lib = self.lib
        name = re.sub(r"\W", "_", self.module.name(lib.LLVMBasicBlockAsValue(block))) or "block"
        unique, number = name, 1
        while unique in self.names:
            unique, number = f"{name}_{number}", number + 1
        self.names.add(unique)
        made = self.blocks[block] = Block(unique)
        self.function.blocks.append(made)
        phis = self.phis[block] = []
        for instruction in self.module.block_instructions(block):
            if lib.LLVMGetInstructionOpcode(instruction) != Opcode.PHI:
                break
            phis.append(instruction)
            value = Value(self.state.types.of(instruction), self.state.hint(instruction))
            made.params.append(value)
            self.state.values[instruction] = value

    def _import_block(self, block: Handle) -> None:
        state, lib = self.state, self.lib
        state.start_block(self.blocks[block].ops)
        skipped = len(self.phis[block])
        for number, instruction in enumerate(self.module.block_instructions(block)):
            if number < skipped:
                continue
            state.loc = state.locations.of(instruction) or state.loc
            opcode = lib.LLVMGetInstructionOpcode(instruction)
            if opcode == Opcode.CALL:
                if self.calls.run(instruction):
                    return  # the thread ends here
            elif opcode in _TERMINATORS:
                self._terminate(block, instruction, opcode)
            else:
                self.ops.run(instruction, opcode)

    def _terminate(self, block: Handle, instruction: Handle, opcode: int) -> None:
        lib, state = self.lib, self.state
        if opcode == Opcode.RET:
            state.add(Op("ret"))
        elif opcode == Opcode.UNREACHABLE:
            state.add(Op("unreachable"))
        else:
            count = lib.LLVMGetNumSuccessors(instruction)
            if opcode == Opcode.SWITCH:
                cases = tuple(_case(text) for text in _CASE.findall(self.module.text(instruction)))
                chosen = [state.operand(lib.LLVMGetOperand(instruction, 0))]  # LLVMGetCondition is for branches only
                self._branch("switch", block, instruction, chosen).attrs["cases"] = cases
            elif count == 2:
                self._branch("cond_br", block, instruction, [state.operand(lib.LLVMGetCondition(instruction))])
            else:
                self._branch("br", block, instruction, [])

    def _branch(self, name: str, block: Handle, terminator: Handle, operands: list[Operand]) -> Op:
        lib = self.lib
        targets: list[str] = []
        counts: list[int] = []
        for number in range(lib.LLVMGetNumSuccessors(terminator)):
            target = lib.LLVMGetSuccessor(terminator, number)
            targets.append(self.blocks[target].name)
            counts.append(len(self.phis[target]))
            operands += [self.state.operand(self._incoming(phi, block)) for phi in self.phis[target]]
        return self.state.add(Op(name, operands, attrs={"targets": tuple(targets), "counts": tuple(counts)}))

    def _incoming(self, phi: Handle, block: Handle) -> Handle:
        lib = self.lib
        for number in range(lib.LLVMCountIncoming(phi)):
            if lib.LLVMGetIncomingBlock(phi, number) == block:
                return lib.LLVMGetIncomingValue(phi, number)
        raise AssertionError(f"{self.module.text(phi)} has no value for a predecessor")

    def _list_shared(self) -> None:
        """Note the shared variables that the kernel names."""
        lib, module = self.lib, self.module
        fixed, dynamic = set(self.device.static_shared), set(self.device.dynamic_shared)
        for name in sorted(self.state.global_names() & (fixed | dynamic)):
            variable = module.find(name)
            size = module.size_of(lib.LLVMGlobalGetValueType(variable)) if name in fixed else 0
            self.function.shared[name] = Shared(name, size, max(lib.LLVMGetAlignment(variable), 1))

    def _list_constants(self) -> None:
        """Note the variables that the kernel names and nothing writes while it runs: `__constant__` ones, tables."""
        lib, module = self.lib, self.module
        found = list(self.function.facts.constants)
        for name in sorted(self.state.global_names()):
            variable = module.find(name)
            if lib.LLVMIsAGlobalVariable(variable) and lib.LLVMIsGlobalConstant(variable):
                found.append((name, module.size_of(lib.LLVMGlobalGetValueType(variable))))
        self.function.facts = replace(self.function.facts, constants=tuple(found))


def is_call_of(op: Op, functions: Container[str]) -> bool:
    """Whether `op` calls one of `functions`."""
    return op.name == "call" and str(op.attrs["callee"]) in functions


_BRANCHES = frozenset((Opcode.BR, Opcode.UNCONDITIONAL_BR, Opcode.CONDITIONAL_BR, Opcode.SWITCH))
_TERMINATORS = _BRANCHES | {Opcode.RET, Opcode.UNREACHABLE}


def _case(text: str) -> int:
    return int(text == "true") if text in ("true", "false") else int(text)
