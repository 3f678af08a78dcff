# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One loop of a function in CFG form: where its values come from, and which of them other threads decide.

A *look* is an access whose result changes when another thread stores: a volatile or atomic load, an exchange, a
compare-exchange, a read-modify-write that changes nothing, a call of a function that looks, and a plain load of a fixed
address where something in the loop keeps compilers from loading once (a fence, a barrier of the warp, a call). An
addition to memory that gives something else each time is none: the thread itself makes it change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from warploom.analysis.components import is_cycle, strong_components
from warploom.analysis.deciding_branches import deciding_branches
from warploom.analysis.path_states import CASTS, Edge, States, passed
from warploom.core.records import dataclass, field
from warploom.ir.core import Block, Const, Op, Operand, Value
from warploom.ir.ops import Effect, effect
from warploom.ir.properties import is_speculatable, lets_others_in

_ZERO_IS_READING = frozenset(("add", "sub", "xor", "or", "fadd", "fsub"))
_COUNTING = frozenset(("add", "sub", "fadd", "fsub", "uinc_wrap", "udec_wrap"))
_READS = frozenset(("load", "masked_load", "gather", "gather_near"))
WRITES = {"store": 1, "atomicrmw": 0, "cmpxchg": 0, "memset": 0, "memcpy": 0, "memmove": 0}  # where their pointer is


# What a pointer points into: a variable, a private array, memory behind an argument or behind a pointer that is kept.
Root = tuple[str, Operand | str, int]


@dataclass
class Sources:
    """What a value comes from, within a loop."""

    looks: list[Op] = field(default_factory=list[Op])
    params: set[Value] = field(default_factory=set[Value])
    varies: bool = False  # it may differ from one iteration to the next
    read: set[Root | None] = field(default_factory=set[Root | None])  # whose stores are among what was followed


@dataclass
class Stores:
    """What may be written where a pointer points to, and the states in which that happens."""

    operands: list[Operand]
    states: list[int]


class Cycle:
    """A strong component of states, with the edges between them that count."""

    def __init__(self, states: States, members: Sequence[int], edges: Iterable[Edge], home: Collection[int]) -> None:
        self.states, self.members = states, sorted(members)
        inside = set(members)
        self.edges = [edge for edge in edges if edge.source in inside and edge.target in inside]
        self.outgoing: dict[int, list[Edge]] = {number: [] for number in self.members}
        self.incoming: dict[int, list[Edge]] = {number: [] for number in self.members}
        for edge in self.edges:
            self.outgoing[edge.source].append(edge)
            self.incoming[edge.target].append(edge)
        self._states_of: dict[int, list[int]] = {}  # by the identity of their block
        for number in self.members:
            self._states_of.setdefault(id(self.block(number)), []).append(number)
        self.entries = {number for number in home if number in inside} or {self.members[0]}
        self.blocks = list({id(self.block(number)): self.block(number) for number in self.members}.values())
        self.ops = [op for block in self.blocks for op in block.ops]
        self.makers: dict[Value, Op] = {result: op for op in self.ops for result in op.results}
        self.homes = {op: block for block in self.blocks for op in block.ops}
        self.owners: dict[Value, tuple[Block, int]] = {
            param: (block, number) for block in self.blocks for number, param in enumerate(block.params)
        }
        self.lets_others_in = any(lets_others_in(op) for op in self.ops)
        self.writing = [op for op in self.ops if op.name in WRITES]
        self.written = {op.operands[WRITES[op.name]] for op in self.writing}
        self.looking = [op for op in self.ops if op.attrs.get("looks")]
        self._stores: dict[Root | None, Stores] = {}
        self._roots: dict[Op, Root | None] = {}  # what each of `writing` writes to
        self._fixed: dict[Operand, bool] = {}
        self._decided_by: Mapping[int, int] | None = None

    def block(self, number: int) -> Block:
        """The block of state `number`."""
        return self.states.blocks[number]

    def states_of(self, block: Block) -> list[int]:
        """The states of this loop that are `block`."""
        return self._states_of.get(id(block), [])

    def arriving(self, param: Value) -> list[tuple[Edge, Operand]]:
        """What each edge of the loop passes for its parameter `param`."""
        block, position = self.owners[param]
        edges = [edge for number in self.states_of(block) for edge in self.incoming[number]]
        return [(edge, passed(self.block(edge.source), edge.position)[position]) for edge in edges]

    def decisions(self) -> list[int]:
        """The states in which the loop is left or gone on with."""
        return [number for number in self.members if self.outgoing[number] and self.exits(number)]

    def exits(self, number: int) -> list[Edge]:
        """The edges that lead out of the loop from state `number`, but for those to the end of the program."""
        stays = set(self.outgoing[number])
        leaving = [edge for edge in self.states.leaving(number) if edge not in stays]
        return [edge for edge in leaving if self.block(edge.target).ops[-1].name != "unreachable"]

    # -- values -----------------------------------------------------------------------------------------------------

    def is_fixed(self, operand: Operand) -> bool:
        """Whether `operand` is the same in every iteration."""
        if operand not in self._fixed:
            self._fixed[operand] = False
            self._fixed[operand] = self._find_fixed(operand)
        return self._fixed[operand]

    def _find_fixed(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return True
        if operand in self.owners:
            return False
        op = self.makers.get(operand)
        return op is None or (computes(op) and all(self.is_fixed(each) for each in op.operands))

    def is_look(self, op: Op) -> bool:
        """Whether another thread's store may change what `op` gives, and the thread itself would not."""
        if op.name == "load":
            if op.attrs.get("volatile") or op.attrs.get("ordering"):
                return True
            pointer = op.operands[0]
            return (
                self.lets_others_in
                and not is_speculatable(op)
                and self.is_fixed(pointer)
                and pointer not in self.written
            )
        if op.name in ("call", "call_indirect"):
            return bool(op.attrs.get("looks"))
        if op.name == "asm":
            return op.attrs.get("effects") in ("read", "any")
        return op.name == "cmpxchg" or (op.name == "atomicrmw" and not self.counts_in_memory(op))

    def counts_in_memory(self, op: Op) -> bool:
        """Whether `op` finds something else each time for what the thread itself adds, and nothing takes back."""
        amount = op.operands[1]
        if op.name != "atomicrmw" or op.attrs["operation"] not in _COUNTING or not self.is_fixed(amount):
            return False
        if isinstance(amount, Const) and amount.value == 0 and op.attrs["operation"] in _ZERO_IS_READING:
            return False
        pointer = op.operands[0]
        root = root_of(self.states, pointer)
        return not any(self._may_write(each, root) for each in self.writing if each is not op)

    def sources(self, operands: Iterable[Operand], *, controls: Iterable[int] = ()) -> Sources:
        """What `operands` come from, and what decides which of several values they are; that states `controls` are
        come to counts likewise."""
        found = Sources()
        seen, decided, explained = set[Value](), set[int](), 0
        work, deciding = list(operands), list(controls)
        while work or deciding:
            if deciding:
                reached = sum(1 << number for number in set(deciding)) & ~explained
                explained |= reached
                deciding = [each for each, mask in self.decided_by().items() if mask & reached and each not in decided]
                decided.update(deciding)
                work += [self.block(each).ops[-1].operands[0] for each in deciding]
                continue
            value = work.pop()
            if isinstance(value, Const) or value in seen:
                continue
            seen.add(value)
            if value in self.makers:
                more, states = self._inputs(self.makers[value], found)
            elif value in self.owners:
                found.params.add(value)
                more, states = self._choices(value, found)
            else:
                continue
            work += more
            deciding += states
        return found

    def _inputs(self, op: Op, found: Sources) -> tuple[list[Operand], list[int]]:
        if self.is_look(op):
            found.looks.append(op)
            found.varies = True
            return [], []
        found.varies = found.varies or not computes(op)
        if op.name not in _READS:
            return list(op.operands), []
        root = root_of(self.states, op.operands[0])
        if root in found.read:
            return list(op.operands), []
        found.read.add(root)
        found.looks += [each for each in self.looking if each not in found.looks]  # it may have written what is read
        stores = self._stores_to(root)
        return [*op.operands, *stores.operands], list(stores.states)

    def _stores_to(self, root: Root | None) -> Stores:
        """The loop's stores that may go to `root`. There are many of either in a large kernel: each is found once."""
        if root not in self._stores:
            ops = [op for op in self.writing if self._may_write(op, root)]
            blocks = {id(self.homes[op]): self.homes[op] for op in ops}.values()
            self._stores[root] = Stores(
                list(dict.fromkeys(operand for op in ops for operand in op.operands)),
                [number for block in blocks for number in self.states_of(block)],
            )
        return self._stores[root]

    def _may_write(self, op: Op, root: Root | None) -> bool:
        """Whether `op`, one of `writing`, may go to where pointers of `root` do."""
        if op not in self._roots:
            self._roots[op] = root_of(self.states, op.operands[WRITES[op.name]])
        return root is None or self._roots[op] is None or self._roots[op] == root

    def _choices(self, param: Value, found: Sources) -> tuple[list[Operand], list[int]]:
        found.varies = True
        arriving = self.arriving(param)
        operands = [operand for _, operand in arriving]
        if len(set(operands)) < 2:
            return operands, []
        branching = [edge.source for edge, _ in arriving]
        operands += [self.block(number).ops[-1].operands[0] for number in branching if len(self.outgoing[number]) > 1]
        return operands, branching

    # -- control ----------------------------------------------------------------------------------------------------

    def decided_by(self) -> Mapping[int, int]:
        """For each state with a branch, the states about which it decides whether an iteration comes there, as bits."""
        if self._decided_by is None:
            graph = {number: [edge.target for edge in self.outgoing[number]] for number in self.members}
            self._decided_by = deciding_branches(graph, self.entries)
        return self._decided_by

    # -- cycles -----------------------------------------------------------------------------------------------------

    def parts(self, without: Collection[Edge] = (), avoid: Collection[int] = ()) -> list[list[int]]:
        """The strong components that are cycles, when edges `without` and states `avoid` are taken out."""
        gone = set(without)
        graph = {
            number: [edge.target for edge in self.outgoing[number] if edge not in gone]
            for number in self.members
            if number not in avoid
        }
        return [part for part in strong_components(graph) if is_cycle(graph, part)]

    def on_cycles(self, edges: Collection[Edge], parts: list[list[int]]) -> bool:
        """Whether any of `edges` lies within one of `parts`."""
        home = {number: index for index, part in enumerate(parts) for number in part}
        return any(edge.source in home and home[edge.source] == home.get(edge.target) for edge in edges)


def computes(op: Op) -> bool:
    """Whether `op` makes its results of its operands alone, where it runs."""
    if op.name in ("call", "call_indirect", "asm"):
        return op.attrs.get("effects") == "none" and not op.attrs.get("sideeffect")
    return is_speculatable(op) or effect(op) is Effect.CHECKED


# Where a pointer points: base, bytes from there, and each index with its stride.
Place = tuple[Operand, int, tuple[tuple[Operand, int], ...]]


def place_of(states: States, pointer: Operand) -> Place:
    """Two pointers with the same place are the same."""
    offset, indices = 0, list[tuple[Operand, int]]()
    pointer = states.without_casts(pointer)
    while isinstance(pointer, Value) and pointer in states.makers and states.makers[pointer].name == "gep":
        op = states.makers[pointer]
        strides = op.attrs["strides"]
        assert isinstance(strides, tuple)
        offset += int(str(op.attrs["offset"]))
        indices += [(index, int(str(stride))) for index, stride in zip(op.operands[1:], strides, strict=True)]
        pointer = states.without_casts(op.operands[0])
    return pointer, offset, tuple(sorted(indices, key=lambda pair: (pair[1], id(pair[0]))))


def root_of(states: States, pointer: Operand) -> Root | None:
    """What `pointer` points into: a variable, a private array, memory behind an argument; None when it is not known."""
    while isinstance(pointer, Value) and pointer in states.makers:
        op = states.makers[pointer]
        if op.name == "gep" or op.name in CASTS:
            pointer = op.operands[0]
        elif op.name == "alloca":
            return ("private", pointer, 0)
        elif op.name == "load" and op.attrs.get("constant"):
            return _constant_place(states, op.operands[0])
        else:
            return None
    if isinstance(pointer, Value):
        return ("argument", pointer, 0) if pointer in states.function.params else None
    return ("variable", str(pointer.value), 0) if isinstance(pointer.value, str) and "@" in pointer.value else None


def _constant_place(states: States, pointer: Operand) -> Root | None:
    """A pointer that lies in constant memory is known by its address."""
    offset = 0
    while isinstance(pointer, Value) and pointer in states.makers:
        op = states.makers[pointer]
        if op.name != "gep" or len(op.operands) > 1:
            return None
        offset += int(str(op.attrs["offset"]))
        pointer = op.operands[0]
    return ("pointer in", pointer if isinstance(pointer, Value) else str(pointer.value), offset)
