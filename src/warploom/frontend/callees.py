# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions can stay calls: those that one thread can run by itself.

Recursive functions, those reached through pointers and those of other translation units are not inlined, so the engine
cannot look into them. It can tell them which thread calls, but it cannot stop in the middle of a call until other
threads arrive. Of a function of another translation unit nothing is known before the program runs: a call stays one,
and which functions it leads to is noted, for the runtime to ask about them (function_facts.py).
"""

from __future__ import annotations

from warploom.analysis.components import is_cycle, strong_components
from warploom.frontend.device_module import DeviceModule
from warploom.frontend.host_library import DEVICE_RUNTIME, RUNTIME_PREFIX, is_host_function
from warploom.ir.divisions import division
from warploom.ir.dot_products import dot_product
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode

# Functions of the device ABI that give all threads of a launch the same answer, and those that give one thread the same
# answer wherever it asks.
UNIFORM = frozenset(
    [f"__warploom_{what}_{axis}" for what in ("block_dim", "grid_dim", "cluster_dim") for axis in "xyz"]
    + ["__warploom_dynamic_shared_size", "__warploom_is_cooperative"]
)
# The sizes of a launch and the numbers of a thread in it.
IDS = tuple(
    f"__warploom_{what}_{axis}" for what in ("grid_dim", "block_dim", "block_idx", "thread_idx") for axis in "xyz"
)
STEADY = UNIFORM.union(IDS, (f"__warploom_{what}" for what in ("lane_id", "warp_id", "shared_memory")))
_PLACES = (STEADY - UNIFORM) | DEVICE_RUNTIME  # what answers by the thread that asks
EXIT_THREAD = "__warploom_exit_thread"
# Functions of the device ABI that one thread can run by itself.
_ALONE = STEADY | frozenset(
    f"__warploom_{name}"
    for name in "spin_point nanosleep clock64 globaltimer vprintf assert_fail trap malloc free check_access".split()
)

_ELSEWHERE = "lies in another translation unit"
_WAITS = "may wait in a loop for another thread"
_NOT_ATOMIC = 0  # LLVMAtomicOrderingNotAtomic


class Callees:
    """Answers, for the functions of one module, why a call cannot stay a call."""

    def __init__(self, device: DeviceModule, separate: bool) -> None:
        self.device, self.module, self.lib = device, device.module, device.module.lib
        self.separate = separate
        self._answers: dict[Handle, str] = {}
        self._looks: dict[Handle, bool] = {}
        self._elsewhere: dict[Handle, frozenset[str]] = {}
        self._taken: list[Handle] | None = None

    def obstacle(self, function: Handle) -> str:
        """Why a call of `function` cannot stay one, as a clause about it ("waits at a barrier"); empty when it can."""
        if function not in self._answers:
            self._answers[function] = ""  # for a function that reaches itself: what else it reaches decides
            self._answers[function] = self._find_obstacle(function)
        return self._answers[function]

    def asks_where(self, function: Handle) -> bool:
        """Whether `function` may ask which thread, or which block, it runs in."""
        work, seen = [function], {function}
        while work:
            current = work.pop()
            if self.module.name(current) in _PLACES or self.is_elsewhere(current):
                return True
            for call in filter(self.lib.LLVMIsACallInst, self.module.instructions(current)):
                callee = self.lib.LLVMGetCalledValue(call)
                if not self.lib.LLVMIsAFunction(callee) and not self.lib.LLVMIsAInlineAsm(callee):
                    return True
                if callee not in seen:
                    seen.add(callee)
                    work += [callee] if self.lib.LLVMIsAFunction(callee) else []
        return False

    def looks(self, function: Handle) -> bool:
        """Whether what `function` gives may change when another thread stores: it reads volatile or atomically."""
        if function not in self._looks:
            self._looks[function] = False  # for a function that reaches itself: what else it reaches decides
            self._looks[function] = self._find_looks(function)
        return self._looks[function]

    def looks_through_pointer(self, type_: Handle) -> bool:
        """The same for whatever a pointer to a function of LLVM type `type_` can point at."""
        return any(self.looks(function) for function in self._pointed_at(type_))

    def elsewhere(self, function: Handle) -> frozenset[str]:
        """The functions of other translation units that a call of `function` may lead to, by name."""
        if function not in self._elsewhere:
            found, seen, work = set[str](), {function}, [function]
            while work:
                current = work.pop()
                if self.is_elsewhere(current):
                    found.add(self.module.name(current))
                for callee in self.called(current):
                    work += [callee] if callee not in seen else []
                    seen.add(callee)
            self._elsewhere[function] = frozenset(found)
        return self._elsewhere[function]

    def is_elsewhere(self, function: Handle) -> bool:
        """Whether another translation unit has to define `function`."""
        name = self.module.name(function)
        return not self.module.is_defined(function) and not is_host_function(name) and dot_product(name) is None

    def called(self, function: Handle) -> list[Handle]:
        """The functions that `function` calls directly."""
        calls = filter(self.lib.LLVMIsACallInst, self.module.instructions(function))
        return [callee for callee in map(self.lib.LLVMGetCalledValue, calls) if self.lib.LLVMIsAFunction(callee)]

    def obstacle_of_pointer(self, type_: Handle) -> str:
        """The same for whatever a pointer to a function of LLVM type `type_` can point at."""
        if self.separate:
            return "may lie in another translation unit"
        for function in self._pointed_at(type_):
            found = self.obstacle(function)
            if found:
                return f"may be {self.module.name(function)}, which {found}"
        return ""

    def _find_obstacle(self, function: Handle) -> str:
        name = self.module.name(function)
        if not self.module.is_defined(function):
            return self._obstacle_of_declared(name)
        for call in filter(self.lib.LLVMIsACallInst, self.module.instructions(function)):
            callee = self.lib.LLVMGetCalledValue(call)
            if self.lib.LLVMIsAFunction(callee):
                found = self.obstacle(callee)
            elif self.lib.LLVMIsAInlineAsm(callee):
                continue
            else:
                found = self.obstacle_of_pointer(self.lib.LLVMGetCalledFunctionType(call))
            if found:
                return found
        return _WAITS if self._may_wait(function) else ""

    def _may_wait(self, function: Handle) -> bool:
        """Whether `function` looks again and again at what others may change: in a loop, or by calling itself."""
        if not self.looks(function):
            return False
        return any(map(self._is_look, self.repeated(function)))

    def repeated(self, function: Handle) -> list[Handle]:
        """The instructions of `function` that one thread may run again: in its loops, or all if it calls itself."""
        if self._reaches(function, function):
            return list(self.module.instructions(function))
        graph = {block: self._targets(block) for block in self.module.blocks(function)}
        loops = [part for part in strong_components(graph) if is_cycle(graph, part)]
        return [each for part in loops for block in part for each in self.module.block_instructions(block)]

    def _targets(self, block: Handle) -> list[Handle]:
        end = self.lib.LLVMGetBasicBlockTerminator(block)
        return [self.lib.LLVMGetSuccessor(end, number) for number in range(self.lib.LLVMGetNumSuccessors(end))]

    def _reaches(self, function: Handle, wanted: Handle) -> bool:
        """Whether `function` calls `wanted`, directly or by what it calls."""
        seen, work = set[Handle](), [function]
        while work:
            for callee in self.called(work.pop()):
                if callee == wanted:
                    return True
                work += [callee] if callee not in seen else []
                seen.add(callee)
        return False

    def _find_looks(self, function: Handle) -> bool:
        if not self.module.is_defined(function):
            return self.module.name(function).startswith("__atomic_")
        return any(map(self._is_look, self.module.instructions(function)))

    def _is_look(self, instruction: Handle) -> bool:
        lib = self.lib
        if lib.LLVMIsACallInst(instruction):
            callee = lib.LLVMGetCalledValue(instruction)
            if lib.LLVMIsAFunction(callee):
                return self.looks(callee)
            is_pointer = not lib.LLVMIsAInlineAsm(callee)
            return is_pointer and self.looks_through_pointer(lib.LLVMGetCalledFunctionType(instruction))
        opcode = lib.LLVMGetInstructionOpcode(instruction)
        if opcode == Opcode.LOAD:
            return bool(lib.LLVMGetVolatile(instruction)) or lib.LLVMGetOrdering(instruction) > _NOT_ATOMIC
        if opcode == Opcode.ATOMIC_RMW:
            return bool(list(self.module.users(instruction)))
        return opcode == Opcode.ATOMIC_CMP_XCHG

    def _pointed_at(self, type_: Handle) -> list[Handle]:
        return [each for each in self._address_taken() if self.lib.LLVMGlobalGetValueType(each) == type_]

    def _obstacle_of_declared(self, name: str) -> str:
        if name in _ALONE or dot_product(name) is not None or division(name) is not None:
            return ""
        if name == EXIT_THREAD:
            return "ends the thread"
        if name.startswith(RUNTIME_PREFIX):
            return "waits for other threads"
        return "" if is_host_function(name) or self.device.separate else _ELSEWHERE

    def _address_taken(self) -> list[Handle]:
        if self._taken is None:
            self._taken = [
                function
                for function in self.module.functions()
                if any(not self._is_callee(user, function) for user in self.module.users(function))
            ]
        return self._taken

    def _is_callee(self, user: Handle, function: Handle) -> bool:
        lib = self.lib
        if not lib.LLVMIsACallInst(user) or lib.LLVMGetCalledValue(user) != function:
            return False
        return all(lib.LLVMGetOperand(user, n) != function for n in range(lib.LLVMGetNumArgOperands(user)))
