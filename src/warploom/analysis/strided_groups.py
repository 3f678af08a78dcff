# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of a thread loop that go together: the members of one struct, the neighbours of one element.

    %x: float = load %p                  thread l has its struct at %p + 12 l:
    %z: float = load %p + 8              one group of stride 3, with the fields 0 and 2

A vector of threads then reads everything from the first thread's first field to the last thread's last one in one go
and takes it apart, which gathers nothing. A group is accesses of one kind and size in one sequence of ops, so under one
mask; their addresses have the same stride, a small multiple of that size, and differ by constants.

What is loaded moves up to the group's first load, what is stored down to its last store. That is sound where no op in
between, or that moves there, may meet the same memory (`_meets`): none without accesses, none to another variable or to
what another parameter points to where one of the two is `__restrict__`, none to other fields of the same structs, which
are no bytes of these in any thread. Volatile and atomic accesses may be messages about any memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import filterfalse

from warploom.analysis.access_group import AccessGroup
from warploom.analysis.byte_addresses import Address, Addresses, only_offset_differs
from warploom.analysis.lanes import Shapes
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, walk_op
from warploom.ir.ops import OPS, Effect, is_plain_load, is_plain_store, leaves_memory

LARGEST = 8  # elements from one thread's to the next one's: more of them cost what a gather costs


@dataclass(eq=False, slots=True)
class _Open:
    """A group that more may join."""

    group: AccessGroup
    first: Address
    between: list[Op] = field(default_factory=list[Op])  # what has touched memory since the first one


class _Finder:
    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.addresses = Addresses(shapes.ranges.definitions)
        self.found: dict[Op, AccessGroup] = {}
        function = shapes.ranges.function
        self.parameters: dict[Operand, bool] = {
            each: number in function.facts.noalias for number, each in enumerate(function.arguments)
        }  # and whether each is __restrict__

    def region(self, region: Region) -> None:
        """Find the groups of one sequence of ops, and of those inside."""
        open_: list[_Open] = []
        for op in region.ops:
            for inner in op.regions:
                self.region(inner)
            if not _touches_memory(op):
                continue
            open_ = [each for each in open_ if not self._ends(each, op)]
            if self._is_strided(op) and not self._joins(op, open_):
                self._start(op, open_)
            for each in open_:
                if op not in each.group.members:
                    each.between.append(op)

    def _is_strided(self, op: Op) -> bool:
        if not is_plain_load(op) and not is_plain_store(op):
            return False
        type_, stride = _accessed(op), self.shapes.of(op.operands[-1]).stride
        if types.is_vector(type_) or types.is_aggregate(type_) or not _is_whole_bytes(type_):
            return False
        size = types.size_of(type_)
        return size <= 8 and stride is not None and stride % size == 0 and 2 <= stride // size <= LARGEST

    def _ends(self, open_: _Open, op: Op) -> bool:
        """Whether nothing may join any more: a group of stores waits for its last one, past no op that meets it."""
        if op in open_.group.members or open_.group.place.name == "load":
            return False
        return any(self._meets(op, each) for each in open_.group.members)

    def _joins(self, op: Op, open_: list[_Open]) -> bool:
        return any(self._joins_one(op, each) for each in open_)

    def _joins_one(self, op: Op, open_: _Open) -> bool:
        group, address = open_.group, self.addresses.of(op.operands[-1])
        size, stride = types.size_of(_accessed(op)), self.shapes.of(op.operands[-1]).stride
        other = next(iter(group.members))
        if op.name != other.name or size != group.size or stride != size * group.stride:
            return False
        if (_accessed(op) == "ptr") != (_accessed(other) == "ptr") or not only_offset_differs(address, open_.first):
            return False
        at, rest = divmod(address.offset - open_.first.offset, size)
        at += group.members[other]
        fields = group.members.values()
        if rest or max(*fields, at) - min(*fields, at) >= group.stride or (op.name == "store" and at in fields):
            return False
        if op.name == "load" and any(self._meets(each, op) for each in self._written(open_.between)):
            return False
        group.members[op] = at
        if at < 0:
            group.members.update({each: number - at for each, number in group.members.items()})
        self.found[op] = group
        return True

    def _written(self, between: list[Op]) -> Iterator[Op]:
        """What of `between` may write, with what stood before it and moves down to it."""
        for each in filterfalse(leaves_memory, between):
            group = self.found.get(each)
            yield from group.members if group is not None else (each,)

    def _start(self, op: Op, open_: list[_Open]) -> None:
        size, stride = types.size_of(_accessed(op)), self.shapes.of(op.operands[-1]).stride
        assert stride is not None
        group = AccessGroup(size, stride // size, {op: 0})
        self.found[op] = group
        open_.append(_Open(group, self.addresses.of(op.operands[-1])))

    def _meets(self, op: Op, other: Op) -> bool:
        """Whether `op` may touch a byte that the load or store `other` touches, in any two threads of a vector, or be a
        message about it."""
        if is_plain_load(op) and other.name == "load":
            return False
        if not is_plain_load(op) and not is_plain_store(op):
            return not leaves_memory(op) or other.name == "store"
        one, two = (self.addresses.of(each.operands[-1]) for each in (op, other))
        if only_offset_differs(one, two):
            shape = self.shapes.of(other.operands[-1])
            assert shape.stride is not None
            apart = 0 if shape.guarded else (one.offset - two.offset) % shape.stride
            return not types.size_of(_accessed(other)) <= apart <= shape.stride - types.size_of(_accessed(op))
        return one.root == two.root or not self._are_apart(one.root, two.root)

    def _are_apart(self, one: Operand, two: Operand) -> bool:
        """Whether two roots are of memory that has no byte in common: no parameter points to a variable, and none to
        what another one that is `__restrict__` points to."""
        variables = self._is_variable(one) + self._is_variable(two)
        parameters = [each for each in (one, two) if each in self.parameters]
        if variables + len(parameters) < 2:
            return False
        return variables > 0 or any(self.parameters[each] for each in parameters)

    def _is_variable(self, root: Operand) -> bool:
        """Whether `root` is memory of its own: not in any other variable."""
        if isinstance(root, Const):
            return isinstance(root.value, str) and root.value.removeprefix("@") in self._sized_shared()
        made = self.shapes.ranges.definitions.get(root)
        return made is not None and made.name in ("alloca", "scratch")

    def _sized_shared(self) -> set[str]:
        return {name for name, each in self.shapes.ranges.function.shared.items() if each.size}


def _is_whole_bytes(type_: str) -> bool:
    return not types.is_int(type_) or types.bits(type_) in (8, 16, 32, 64)


def _accessed(op: Op) -> str:
    """The type that a load gives or a store takes."""
    return op.results[0].type if op.results else op.operands[0].type


_QUIET = frozenset(
    name
    for name, info in OPS.items()
    if info.effect in (Effect.PURE, Effect.CHECKED, Effect.TERMINATOR, Effect.CONTROL, Effect.ALLOCATE)
)


def _touches_memory(op: Op) -> bool:
    if not op.regions and op.name in _QUIET:
        return False  # most ops
    return any(
        each.name not in _QUIET and not (each.name == "call" and each.attrs.get("effects") == "none")
        for each in walk_op(op)
    )


def strided_groups(region: Region, shapes: Shapes) -> dict[Op, AccessGroup]:
    """The group of each load and store in `region` and below that has a small stride."""
    finder = _Finder(shapes)
    finder.region(region)
    return finder.found
