# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small private arrays become registers: loops that count through one are unrolled before anything else is done.

    T a[4];                                    a0 = load p[t]
    for (k = 0; k < 4; ++k)                    a1 = load p[t + 128]
      a[k] = p[t + 128 * k];          ==>      ...
    for (k = 0; k < 4; ++k)                    q[t] = f(a0)
      q[t + 128 * k] = f(a[k]);                q[t + 128] = f(a1)

A loop over threads has a copy of such an array for each thread of a vector: accesses to elements of structures in it
are gathers and scatters, and packs that go through it are taken apart and put together in memory. Loops of few
iterations over few elements are how templates say "registers"; nvcc does the same.

Sound because a loop that ends by a counter with known bounds is so many copies of its body, for each thread by itself,
barriers in it included. Only where it is worth it: every place that a thread addresses in the array then is a constant,
so that LLVM's SROA takes the array apart; neither array nor copies are large; and no loop has a `switch` of many cases,
as where the launch says of which types elements are: each copy would have all of them, and they are longer than what
reads and writes the array. LLVM unrolls; this file only chooses the loops, by metadata, and keeps LLVM from unrolling
others.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from warploom.core.records import dataclass
from warploom.frontend.device_module import alloca_and_offset
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

LARGEST_ARRAY = 256  # bytes
MOST_TRIPS = 16
MOST_COPIES = 600  # instructions of all copies of a loop
MOST_CASES = 4  # of a `switch` in a loop that is copied
_KEPT_VALUES = (Opcode.ZEXT, Opcode.SEXT, Opcode.TRUNC, Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.OR)
_WIDER = (Opcode.ZEXT, Opcode.SEXT)
_UNROLL, _LEAVE = "llvm.loop.unroll.full", "llvm.loop.unroll.disable"


@dataclass(frozen=True)
class _Loop:
    """A loop that counts: its blocks, and how often it runs at most."""

    header: Handle
    latch: Handle
    blocks: frozenset[Handle]
    trips: int


def mark_loops(module: Module, functions: Iterable[Handle]) -> list[Handle]:
    """Mark the loops that LLVM is to unroll; the functions that have such loops."""
    return [function for function in functions if _Marker(module, function).mark()]


class _Marker:
    """One function."""

    def __init__(self, module: Module, function: Handle) -> None:
        self.module, self.lib, self.function = module, module.lib, function
        self.counters: dict[Handle, _Loop | None] = {}  # by phi
        self.before: dict[Handle, list[Handle]] = {}  # the predecessors of each block
        self.latches: dict[Handle, list[Handle]] = {}  # those that each block leads to
        self.sizes: dict[Handle, int] = {}  # instructions of each block
        self.switches: set[Handle] = set()  # blocks that end in a `switch` of many cases

    def mark(self) -> bool:
        """Mark the loops of this function; whether there are any."""
        arrays = [each for each in self._entry_allocas() if self._size(each) <= LARGEST_ARRAY]
        chosen: set[_Loop] = set()
        if arrays:
            self._look_at_blocks()
            for array in arrays:
                loops = self._loops_around(array)
                if not loops <= chosen and self._is_affordable(chosen | loops):
                    chosen |= loops
        if not chosen:
            return False
        unrolled = {loop.latch for loop in chosen}
        for latch in {each for found in self.latches.values() for each in found}:
            self._set_metadata(latch, _UNROLL if latch in unrolled else _LEAVE)
        return True

    # -- arrays

    def _entry_allocas(self) -> list[Handle]:
        entry = self.lib.LLVMGetEntryBasicBlock(self.function)
        return [each for each in self.module.block_instructions(entry) if self.lib.LLVMIsAAllocaInst(each)]

    def _size(self, alloca: Handle) -> int:
        if not self.lib.LLVMIsAConstantInt(self.lib.LLVMGetOperand(alloca, 0)):
            return LARGEST_ARRAY + 1
        return self.module.size_of(self.lib.LLVMGetAllocatedType(alloca))

    def _variable_indices(self, value: Handle) -> list[Handle]:
        if not self.lib.LLVMIsAGetElementPtrInst(value):
            return []
        return [each for each in self.module.operands(value)[1:] if not self.lib.LLVMIsAConstant(each)]

    def _loops_around(self, array: Handle) -> set[_Loop]:
        """The loops whose counters choose among the elements; none where anything else does, or sees an address."""
        loops: set[_Loop] = set()
        work, seen = [array], {array}
        tests, ends = set[Handle](), set[Handle]()
        while work:
            pointer = work.pop()
            for user in self.module.users(pointer):
                opcode = self.lib.LLVMGetInstructionOpcode(user)
                found: set[_Loop] | None = set()
                if opcode == Opcode.GEP and self.lib.LLVMGetOperand(user, 0) == pointer:
                    found = self._counters_of(self._variable_indices(user))
                elif opcode == Opcode.PHI:
                    found = self._walk_by(user, array, ends)
                elif opcode == Opcode.ICMP:
                    tests.add(user)
                    continue
                elif self._is_access(user, pointer):
                    continue
                else:
                    return set()
                if found is None:
                    return set()
                loops |= found
                if user not in seen:
                    seen.add(user)
                    work.append(user)
        return loops if tests <= ends else set()

    def _is_access(self, user: Handle, pointer: Handle) -> bool:
        """Whether SROA understands how `user` uses the address."""
        opcode = self.lib.LLVMGetInstructionOpcode(user)
        if opcode == Opcode.LOAD:
            return not self.lib.LLVMGetVolatile(user)
        if opcode == Opcode.STORE:
            return self.lib.LLVMGetOperand(user, 0) != pointer and not self.lib.LLVMGetVolatile(user)
        if opcode != Opcode.CALL:
            return False
        callee = self.module.name(self.lib.LLVMGetCalledValue(user))
        copies = callee.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset."))
        return callee.startswith("llvm.lifetime.") or (
            copies and bool(self.lib.LLVMIsAConstantInt(self.lib.LLVMGetOperand(user, 2)))
        )

    # -- counters

    def _counters_of(self, indices: list[Handle]) -> set[_Loop] | None:
        """The loops on whose counters alone `indices` depend; None where they depend on anything else."""
        loops: set[_Loop] = set()
        work, seen = [*indices], set[Handle]()
        while work:
            value = work.pop()
            if value in seen or self.lib.LLVMIsAConstantInt(value):
                continue
            seen.add(value)
            if not self.lib.LLVMIsAInstruction(value):
                return None
            opcode = self.lib.LLVMGetInstructionOpcode(value)
            if opcode == Opcode.PHI:
                loop = self._loop_of(value)
                if loop is None:
                    return None
                loops.add(loop)
            elif opcode in _KEPT_VALUES:
                work += self.module.operands(value)
            else:
                return None
        return loops

    def _loop_of(self, phi: Handle) -> _Loop | None:
        if phi not in self.counters:
            self.counters[phi] = self._new_loop(phi)
        return self.counters[phi]

    def _new_loop(self, phi: Handle) -> _Loop | None:
        """The loop that `phi` counts: from a constant, by a constant, while it is below a constant."""
        lib, header = self.lib, self.lib.LLVMGetInstructionParent(phi)
        if lib.LLVMCountIncoming(phi) != 2:
            return None
        values = [lib.LLVMGetIncomingValue(phi, number) for number in (0, 1)]
        later = 0 if self._steps(values[0], phi) else 1
        start, step = values[1 - later], self._steps(values[later], phi)
        limit = self._limit(phi, header)
        if not step or not limit or not lib.LLVMIsAConstantInt(start):
            return None
        trips = -(-abs(limit[0] - lib.LLVMConstIntGetSExtValue(start)) // abs(step))
        return self._loop(header, lib.LLVMGetIncomingBlock(phi, later), trips)

    def _loop(self, header: Handle, latch: Handle, trips: int) -> _Loop | None:
        """The loop between two blocks, where it is one, and short."""
        blocks = self._blocks(header, latch)
        is_entered_on_top = self.lib.LLVMGetEntryBasicBlock(self.function) not in blocks
        if self.latches.get(header) != [latch] or not is_entered_on_top or not 0 < trips <= MOST_TRIPS:
            return None
        return _Loop(header, latch, frozenset(blocks), trips)

    def _steps(self, value: Handle, phi: Handle) -> int:
        """What is added to `phi` to get `value`; 0 for anything else."""
        lib = self.lib
        if not lib.LLVMIsAInstruction(value) or lib.LLVMGetInstructionOpcode(value) != Opcode.ADD:
            return 0
        left, right = self.module.operands(value)
        return lib.LLVMConstIntGetSExtValue(right) if left == phi and lib.LLVMIsAConstantInt(right) else 0

    def _limit(self, phi: Handle, header: Handle) -> list[int]:
        """The constant that the loop's test, at its top, compares its counter with."""
        test = self.lib.LLVMGetBasicBlockTerminator(header)
        if self.lib.LLVMGetNumSuccessors(test) != 2 or self.lib.LLVMGetInstructionOpcode(test) == Opcode.SWITCH:
            return []
        condition = self.lib.LLVMGetCondition(test)
        is_test = self.lib.LLVMIsAInstruction(condition) and self.lib.LLVMGetInstructionOpcode(condition) == Opcode.ICMP
        operands = self.module.operands(condition) if is_test else []
        if len(operands) != 2 or self._narrow(operands[0]) != phi or not self.lib.LLVMIsAConstantInt(operands[1]):
            return []
        return [self.lib.LLVMConstIntGetSExtValue(operands[1])]

    def _walk_by(self, phi: Handle, array: Handle, tests: set[Handle]) -> set[_Loop] | None:
        """The loop in which `phi` goes from one place in the array to another, both constants, element by element, as
        constructors do; None where it is anything else. Its test goes to `tests`."""
        if phi not in self.counters:
            self.counters[phi] = self._new_walk(phi, array, tests)
        loop = self.counters[phi]
        return {loop} if loop else None

    def _new_walk(self, phi: Handle, array: Handle, tests: set[Handle]) -> _Loop | None:
        lib, module = self.lib, self.module
        if lib.LLVMCountIncoming(phi) != 2:
            return None
        values = [lib.LLVMGetIncomingValue(phi, number) for number in (0, 1)]
        ways = [alloca_and_offset(module, value) for value in values]
        later = 0 if ways[0][0] == phi else 1
        (again, step), (base, start) = ways[later], ways[1 - later]
        compared = [
            (test, value, other)
            for value in (phi, values[later])
            for test in module.users(value)
            if lib.LLVMGetInstructionOpcode(test) == Opcode.ICMP
            for other in module.operands(test)
            if other != value
        ]
        if again != phi or base != array or step <= 0 or len(compared) != 1:
            return None
        ((test, value, other),) = compared
        base, end = alloca_and_offset(module, other)
        if base != array:
            return None
        tests.add(test)
        trips = (end - start) // step + (value == phi)  # the last test may come where nothing else is left to do
        return self._loop(lib.LLVMGetInstructionParent(phi), lib.LLVMGetIncomingBlock(phi, later), trips)

    def _narrow(self, value: Handle) -> Handle:
        """What is made wider, if it is."""
        is_wide = self.lib.LLVMIsAInstruction(value) and self.lib.LLVMGetInstructionOpcode(value) in _WIDER
        return self.lib.LLVMGetOperand(value, 0) if is_wide else value

    # -- blocks

    def _look_at_blocks(self) -> None:
        """A walk from the entry, depth first: an edge to a block that the walk is in is a loop's."""
        entry = self.lib.LLVMGetEntryBasicBlock(self.function)
        walked, stack = {entry}, [(entry, iter(self._enter(entry)))]
        inside = {entry}
        while stack:
            block, successors = stack[-1]
            following = next(successors, None)
            if following is None:
                inside.remove(block)
                stack.pop()
                continue
            self.before.setdefault(following, []).append(block)
            if following in inside:
                self.latches.setdefault(following, []).append(block)
            elif following not in walked:
                walked.add(following)
                inside.add(following)
                stack.append((following, iter(self._enter(following))))

    def _enter(self, block: Handle) -> list[Handle]:
        """Count a block's instructions; what it leads to, each once."""
        self.sizes[block] = sum(1 for _ in self.module.block_instructions(block))
        end = self.lib.LLVMGetBasicBlockTerminator(block)
        ways = self.lib.LLVMGetNumSuccessors(end)
        if ways > MOST_CASES + 1 and self.lib.LLVMGetInstructionOpcode(end) == Opcode.SWITCH:
            self.switches.add(block)
        successors = (self.lib.LLVMGetSuccessor(end, number) for number in range(ways))
        return list(dict.fromkeys(successors))

    def _blocks(self, header: Handle, latch: Handle) -> set[Handle]:
        """What reaches `latch` without passing `header`, and `header`: the loop, where it is one."""
        found, work = {header}, [latch]
        while work:
            block = work.pop()
            if block not in found:
                found.add(block)
                work += self.before.get(block, ())  # the entry has none, nor has what is never reached
        return found

    def _is_affordable(self, loops: set[_Loop]) -> bool:
        """Whether the copies of all `loops` together are few instructions, and none has many cases."""
        if any(not self.switches.isdisjoint(loop.blocks) for loop in loops):
            return False
        copies: dict[Handle, int] = {}
        for loop in loops:
            for block in loop.blocks:
                copies[block] = copies.get(block, 1) * loop.trips
        return all(sum(copies[block] * self.sizes[block] for block in each.blocks) <= MOST_COPIES for each in loops)

    def _set_metadata(self, latch: Handle, text: str) -> None:
        """Give the loop that ends in `latch` a node of its own with one wish."""
        lib, context = self.lib, self.module.context
        wish = self._node(lib.LLVMMDStringInContext2(context, text.encode(), len(text)))
        itself = lib.LLVMTemporaryMDNode(context, None, 0)
        node = self._node(itself, wish)
        lib.LLVMMetadataReplaceAllUsesWith(itself, node)
        end = lib.LLVMGetBasicBlockTerminator(latch)
        kind = self.module.metadata_kind("llvm.loop")
        lib.LLVMSetMetadata(end, kind, lib.LLVMMetadataAsValue(context, node))

    def _node(self, *operands: Handle) -> Handle:
        array = (ctypes.c_void_p * len(operands))(*operands)
        return self.lib.LLVMMDNodeInContext2(self.module.context, array, len(operands))
