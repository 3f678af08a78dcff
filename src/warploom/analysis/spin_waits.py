# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in which a thread waits for what another thread does.

    ^spin: %v = load %flag [volatile=true]          leaves when %v changes; nothing in the loop changes it
           %c = icmp %v, 0 [pred=eq]
           cond_br %c [targets=(spin, after)]

Where the threads of a block run one after another such a loop never ends when the other thread comes later. A loop is
taken for one when every way out of it that its iterations decide hangs on memory that others change, and on no counter:

- a volatile or atomic load; a plain load of a fixed address in a loop with a fence;
- an exchange or compare-exchange that asks the same each time (a lock), or a read-modify-write that changes nothing.

Not waiting: a compare-exchange that expects what was read before (the update `old -> f(old)` fails only because another
thread succeeded); a load that asks whether the store just before it still stands (a warp's threads write at once, and
all but one try again); any of these at an address that moves on with the loop; a loop with a block barrier inside,
where all threads advance together. The answer errs towards waiting: such kernels run on the reference engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warploom.analysis.components import is_cycle, strong_components
from warploom.ir.core import Block, Const, Function, Op, Operand, Value
from warploom.ir.dominance import Dominance, dominance, successors
from warploom.ir.ops import is_pure

_STRAIGHT = frozenset(("add", "sub", "gep", "fadd", "fsub", "shl", "lshr", "ashr", "mul", "udiv", "sdiv"))
_SAME_AGAIN = frozenset(("xchg", "and", "or", "max", "min", "umax", "umin", "fmax", "fmin"))
_ZERO_IS_READING = frozenset(("add", "sub", "xor", "or", "fadd", "fsub"))
_BLOCK_LEVELS = ("block", "grid")


def find_spin_wait(function: Function) -> Op | None:
    """The access that a loop of `function` (in CFG form) waits on; None when no loop waits for another thread."""
    if not any(_may_be_waited_on(op) for block in function.blocks for op in block.ops):
        return None
    by_name = {block.name: block for block in function.blocks}
    tree, before = dominance(function), _predecessors(by_name)
    for names in _loops({name: successors(block) for name, block in by_name.items()}, before):
        found = _Loop(by_name, names, tree, before).waits_on()
        if found is not None:
            return found
    return None


def _may_be_waited_on(op: Op) -> bool:
    """Whether `op` reads memory that other threads change while this one runs."""
    if op.name in ("atomicrmw", "cmpxchg", "fence"):
        return True
    return op.name == "load" and bool(op.attrs.get("volatile") or op.attrs.get("ordering"))


# -- loops ------------------------------------------------------------------------------------------------------------


def _predecessors(by_name: Mapping[str, Block]) -> dict[str, list[Block]]:
    """The blocks that branch to each block."""
    found: dict[str, list[Block]] = {name: [] for name in by_name}
    for block in by_name.values():
        for target in dict.fromkeys(successors(block)):
            found[target].append(block)
    return found


def _loops(graph: Mapping[str, tuple[str, ...]], before: Mapping[str, list[Block]]) -> list[frozenset[str]]:
    """Every loop as the set of its blocks, inner ones too: strong components, then those left without the entries."""
    found: list[frozenset[str]] = []
    work = [list(graph)]
    while work:
        inside = dict.fromkeys(work.pop())
        part = {name: [target for target in graph[name] if target in inside] for name in inside}
        for members in strong_components(part):
            if not is_cycle(part, members):
                continue
            component = frozenset(members)
            found.append(component)
            entries = {name for name in members if any(each.name not in component for each in before[name])}
            entries = entries or {min(component)}
            rest = [name for name in members if name not in entries]
            if rest:
                work.append(rest)
    return found


# -- one loop ---------------------------------------------------------------------------------------------------------


@dataclass
class _Slice:
    """What a value computed in a loop comes from."""

    candidates: list[Op] = field(default_factory=list[Op])  # accesses that others' stores decide
    counts: bool = False  # a counter of the loop
    varies: bool = False  # anything that may differ from one iteration to the next
    seen: set[Value] = field(default_factory=set[Value])
    tests: set[str] = field(default_factory=set[str])  # blocks whose branch is part of it


class _Loop:
    """Asks one loop whether it waits."""

    def __init__(
        self,
        by_name: Mapping[str, Block],
        names: frozenset[str],
        tree: Dominance,
        predecessors: Mapping[str, list[Block]],
    ) -> None:
        self.by_name, self.names, self.tree, self.predecessors = by_name, names, tree, predecessors
        self.blocks = [by_name[name] for name in sorted(names)]
        self.makers: dict[Value, Op] = {
            result: op for block in self.blocks for op in block.ops for result in op.results
        }
        self.owners: dict[Value, tuple[Block, int]] = {
            param: (block, number) for block in self.blocks for number, param in enumerate(block.params)
        }
        self.has_fence = any(op.name == "fence" for block in self.blocks for op in block.ops)

    def waits_on(self) -> Op | None:
        """The access that the loop waits on; None when it does not wait."""
        if any(_joins_block(op) for block in self.blocks for op in block.ops):
            return None
        awaited: Op | None = None
        for block in self.blocks:
            if not any(self._leaves_to(target) for target in successors(block)):
                continue
            found = _Slice()
            self._follow(block.ops[-1].operands[0], found)
            if not found.varies:
                continue  # decides the same in every iteration
            sources = [op for op in found.candidates if self._stays_at_one_address(op)]
            if not sources or found.counts:
                return None
            awaited = awaited or sources[0]
        return awaited

    def _leaves_to(self, target: str) -> bool:
        return target not in self.names and self.by_name[target].ops[-1].name != "unreachable"

    def _follow(self, operand: Operand, found: _Slice) -> None:
        """Add what `operand` comes from, within the loop, to `found`."""
        work = [operand]
        while work:
            value = work.pop()
            if isinstance(value, Const) or value in found.seen:
                continue
            found.seen.add(value)
            if value in self.makers:
                work += self._inputs(self.makers[value], found)
            elif value in self.owners:
                work += self._incoming(value, found)

    def _inputs(self, op: Op, found: _Slice) -> list[Operand]:
        if self._asks_whether_a_store_stands(op):
            found.varies = True
            return []
        if self._is_candidate(op):
            found.candidates.append(op)
            found.varies = True
            return []
        if op.name in ("cmpxchg", "atomicrmw", "call", "call_indirect", "asm"):
            found.varies = True
            return []
        if op.name == "load":
            found.varies = True
        return list(op.operands)

    def _incoming(self, param: Value, found: _Slice) -> list[Operand]:
        block, number = self.owners[param]
        found.varies = True
        inside = [self._arguments(each, block.name, number) for each in self._inside_predecessors(block)]
        operands = [operand for group in inside for operand in group]
        if self._is_header(block) and any(self._advances(operand, param) for operand in operands):
            found.counts = True
        if len(set(operands)) > 1:
            operands += self._deciding(block, found)
        return operands

    def _inside_predecessors(self, block: Block) -> list[Block]:
        return [each for each in self.predecessors[block.name] if each.name in self.names]

    def _is_header(self, block: Block) -> bool:
        return any(each.name not in self.names for each in self.predecessors[block.name])

    @staticmethod
    def _arguments(source: Block, target: str, number: int) -> list[Operand]:
        """What the branch at the end of `source` passes for parameter `number` of `target`."""
        branch = source.ops[-1]
        counts = branch.attrs["counts"]
        assert isinstance(counts, tuple)
        position = len(branch.operands) - sum(int(str(count)) for count in counts)
        passed: list[Operand] = []
        for name, count in zip(successors(source), counts, strict=True):
            if name == target:
                passed.append(branch.operands[position + number])
            position += int(str(count))
        return passed

    def _advances(self, operand: Operand, param: Value) -> bool:
        """Whether `operand` is `param` and a step that the loop does not change."""
        op = self.makers.get(operand) if isinstance(operand, Value) else None
        if op is None or op.name not in _STRAIGHT or param not in op.operands:
            return False
        return all(each is param or self._is_fixed(each) for each in op.operands)

    def _is_fixed(self, operand: Operand) -> bool:
        return isinstance(operand, Const) or (operand not in self.makers and operand not in self.owners)

    def _varies(self, operand: Operand) -> bool:
        """Whether `operand` may differ from one iteration to the next."""
        work, seen = [operand], set[Operand]()
        while work:
            value = work.pop()
            if isinstance(value, Const) or value in seen:
                continue
            seen.add(value)
            if value in self.owners:
                return True
            op = self.makers.get(value)
            if op is not None and not is_pure(op):
                return True
            work += op.operands if op is not None else []
        return False

    def _deciding(self, block: Block, found: _Slice) -> list[Operand]:
        """The conditions that decide from where `block` is reached: those since the last block all paths share."""
        conditions: list[Operand] = []
        work = self._inside_predecessors(block)
        visited: set[str] = set()
        while work:
            above = work.pop()
            if above.name in visited:
                continue
            visited.add(above.name)
            if above.ops[-1].name in ("cond_br", "switch") and above.name not in found.tests:
                found.tests.add(above.name)
                conditions.append(above.ops[-1].operands[0])
            if not self.tree.dominates(above.name, block.name):
                work += self._inside_predecessors(above)
        return conditions

    # -- accesses ---------------------------------------------------------------------------------------------------

    def _is_candidate(self, op: Op) -> bool:
        """Whether repeating `op` gives something new only when another thread stores."""
        if op.name == "load":
            if op.attrs.get("volatile") or op.attrs.get("ordering"):
                return True
            return self.has_fence and not self._varies(op.operands[0])
        if op.name == "cmpxchg":
            return not self._varies(op.operands[1])
        if op.name != "atomicrmw":
            return False
        kind, amount = op.attrs["operation"], op.operands[1]
        if kind in _ZERO_IS_READING and isinstance(amount, Const) and amount.value == 0:
            return True
        return kind in _SAME_AGAIN and not self._varies(amount)

    def _asks_whether_a_store_stands(self, op: Op) -> bool:
        """Whether `op` compares what was just stored with what a load of the same place then gives."""
        if op.name != "icmp" or op.attrs["pred"] not in ("eq", "ne"):
            return False
        return any(self._reads_back(*pair) for pair in (op.operands, op.operands[::-1]))

    def _reads_back(self, read: Operand, stored: Operand) -> bool:
        load = self.makers.get(read) if isinstance(read, Value) else None
        if load is None or load.name != "load":
            return False
        block = next(each for each in self.blocks if load in each.ops)
        before = [op for op in block.ops[: block.ops.index(load)] if not is_pure(op)]
        return bool(before) and before[-1].name == "store" and before[-1].operands == [stored, load.operands[0]]

    def _stays_at_one_address(self, op: Op) -> bool:
        """Whether nothing but what is waited for moves the address of `op` on."""
        pointer = op.operands[1] if op.name == "store" else op.operands[0]
        found = _Slice()
        self._follow(pointer, found)
        return not found.varies or bool(found.candidates)


def _joins_block(op: Op) -> bool:
    """Whether all threads of a block advance together past `op`."""
    return op.name == "barrier_reduce" or (op.name == "barrier" and op.attrs["level"] in _BLOCK_LEVELS)
