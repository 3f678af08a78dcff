# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops do to memory: which object, which bytes of it, read or write; and which of two accesses can meet.

An object is a shared variable, another global, a kernel's pointer parameter (whatever it points to), one private
variable of each thread (`alloca`), or unknown. Shared memory is not reachable from a global pointer, and private memory
from no other thread. A pointer of unknown origin (loaded, selected, computed from integers) can point to global memory
and to each object whose address went somewhere where it could come back from: such an object is exposed.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.analysis.affine import Forms, affine_forms
from warploom.analysis.definitions import Definitions, constant_memory, definitions
from warploom.analysis.guards import Threads, all_threads
from warploom.analysis.injective import Distances, Place
from warploom.analysis.pointers import (
    ANYWHERE,
    GLOBAL,
    PARAM,
    POINTERS,
    PRIVATE,
    SCRATCH,
    SHARED,
    UNKNOWN,
    Object,
    Pointers,
    trace_pointers,
)
from warploom.analysis.uniformity import Uniformity, uniformity
from warploom.core.records import dataclass, field
from warploom.ir.core import Const, Function, Op, Region, Value
from warploom.ir.ops import Effect, effect
from warploom.ir.types import element_of, is_vector, size_of

_BLOCK_LOCAL = frozenset((SHARED, PRIVATE))


@dataclass(frozen=True, slots=True)
class Access:
    """One op touching one object. `orders`: a fence, or a volatile or atomic access: a message to other threads can
    hang on it, so nothing that they see may pass it."""

    op: Op
    object: Object
    place: Place
    reads: bool
    writes: bool
    orders: bool = False


_ATOMIC = frozenset(("atomicrmw", "cmpxchg"))
_TOUCHES = frozenset((Effect.READ, Effect.WRITE, Effect.READ_WRITE))
_NOTHING: list[Access] = []


@dataclass(slots=True)
class Memory:
    """Accesses of the ops of one function, and questions about pairs of them."""

    function: Function
    definitions: Definitions
    forms: Forms
    uniformity: Uniformity
    distances: Distances
    pointers: Pointers
    noalias: frozenset[Value] = frozenset()
    constants: dict[str | Value, int] = field(default_factory=dict[str | Value, int])  # sizes, by key of the object
    own: dict[Op, list[Access]] = field(default_factory=dict[Op, list[Access]])  # of ops without regions
    whole: dict[Op, list[Access]] = field(default_factory=dict[Op, list[Access]])  # of ops with regions

    # -- what ops do --------------------------------------------------------------------------------------------------

    def accesses(self, op: Op) -> list[Access]:
        """What `op` and the ops inside it do; barriers and collectives by themselves do nothing."""
        if not op.regions:
            return self.own.get(op, _NOTHING)
        if op not in self.whole:
            found: list[Access] = []
            for region in op.regions:
                for inner in region.ops:
                    found += self.accesses(inner)
            self.whole[op] = found
        return self.whole[op]

    def find_accesses(self, region: Region, threads: Threads) -> None:
        """Learn what each op in `region` and below does, when `threads` run it."""
        for op in region.ops:
            for number, inner in enumerate(op.regions):
                inside = threads
                if op.name == "if":
                    inside = self.distances.guards.narrow(threads, op.operands[0], number == 0)
                self.find_accesses(inner, inside)
            found = self._own_accesses(op, threads)
            if found:
                self.own[op] = found

    def _own_accesses(self, op: Op, threads: Threads) -> list[Access]:
        kind = effect(op)
        if kind in _TOUCHES:
            return self._pointer_accesses(op, threads)
        if kind is Effect.ORDER:
            return [Access(op, ANYWHERE, Place(None, None, threads), reads=True, writes=True, orders=True)]
        return self._call_accesses(op, threads) if kind is Effect.CALL else []

    def _pointer_accesses(self, op: Op, threads: Threads) -> list[Access]:
        found: list[Access] = []
        special = op.name in _ATOMIC or bool(op.attrs.get("volatile") or op.attrs.get("ordering"))
        for number, (reads, writes) in POINTERS[op.name].items():
            pointer = op.operands[number]
            for object_, offset in self.pointers.targets(pointer):
                # Each element of a vector has an address of its own.
                place = Place(None if is_vector(pointer.type) else offset, _bytes(op), threads)
                found.append(Access(op, object_, place, reads, writes, special and object_.kind != PRIVATE))
        return found

    def _call_accesses(self, op: Op, threads: Threads) -> list[Access]:
        effects = op.attrs.get("effects", "any")
        if effects == "none":
            return []
        place = Place(None, None, threads)
        if effects == "argmem":
            objects = dict.fromkeys(
                o for each in op.operands if element_of(each.type) == "ptr" for o in self.pointers.objects_of(each)
            )
            return [Access(op, object_, place, reads=True, writes=True) for object_ in objects]
        writes = effects != "read"
        return [Access(op, ANYWHERE, place, reads=True, writes=writes, orders=writes)]

    # -- questions ----------------------------------------------------------------------------------------------------

    def may_overlap(self, a: Object, b: Object) -> bool:
        """Whether the objects can have a byte in common."""
        if a == b:
            return True
        if UNKNOWN in (a.kind, b.kind):
            known = b if a.kind == UNKNOWN else a
            closed = known.kind in _BLOCK_LOCAL or known.kind == SCRATCH or known.key in self.noalias
            return not closed or known in self.pointers.exposed
        if PARAM not in (a.kind, b.kind):
            return False
        outside = {a.kind, b.kind} <= {PARAM, GLOBAL}
        return outside and a.key not in self.noalias and b.key not in self.noalias

    def may_alias(self, a: Access, b: Access) -> bool:
        """Whether one thread that does `a` and `b`, with one value of each symbol, can touch a byte twice."""
        if a.object == b.object:
            return not self.distances.are_apart_in_thread(a.place, b.place)
        return self.may_overlap(a.object, b.object)

    def conflict_in_thread(self, a: Access, b: Access) -> bool:
        """Whether one thread must do `a` and `b` in their order."""
        return self._may_change(a, b) and (_is_ordered(a, b) or (_is_write(a, b) and self.may_alias(a, b)))

    def conflict_across_threads(self, a: Access, b: Access) -> bool:
        """Whether the order matters in which one thread of a block does `a` and another one does `b`."""
        if not self._may_change(a, b):
            return False
        if _is_message(a, b):
            return True
        if not _is_write(a, b) or PRIVATE in (a.object.kind, b.object.kind):
            return False
        if a.object == b.object and self._is_one_object(a.object):
            return not self.distances.are_apart_across_threads(a.place, b.place)
        if not self.may_overlap(a.object, b.object):
            return False
        alone = Place(None, None, a.place.threads), Place(None, None, b.place.threads)
        return not self.distances.are_apart_across_threads(*alone)

    def conflict_anywhere(self, a: Access, b: Access) -> bool:
        """Whether the order of `a` and `b` matters, whichever threads of the block do them, in any iterations."""
        if not self._may_change(a, b):
            return False
        if _is_ordered(a, b):
            return True
        if not _is_write(a, b):
            return False
        if a.object == b.object and self._is_one_object(a.object):
            return not self.distances.are_apart_anywhere(a.place, b.place)
        return self.may_overlap(a.object, b.object)

    def _is_one_object(self, object_: Object) -> bool:
        """Whether `object_` is the same memory in all threads of a block and in every iteration."""
        if object_.kind in (UNKNOWN, PRIVATE):
            return isinstance(object_.key, Value) and self.distances.is_fixed(object_.key)
        return True

    def is_constant(self, object_: Object) -> bool:
        """Whether nothing writes the object while the kernel runs."""
        return object_.key in self.constants

    def _may_change(self, a: Access, b: Access) -> bool:
        """Whether both are to memory that is written at all."""
        return not self.is_constant(a.object) and not self.is_constant(b.object)


def _is_write(a: Access, b: Access) -> bool:
    return a.writes or b.writes


def _is_ordered(a: Access, b: Access) -> bool:
    """A message to other threads on one side, what it may be about on the other."""
    return (a.orders and b.object.kind != PRIVATE) or (b.orders and a.object.kind != PRIVATE)


def _is_message(a: Access, b: Access) -> bool:
    """A message to other blocks on one side, what it may be about on the other."""
    kinds = {a.object.kind, b.object.kind}
    return (a.orders or b.orders) and not kinds & _BLOCK_LOCAL


def conflicts(memory: Memory, accesses: Iterable[Access], others: Iterable[Access]) -> bool:
    """Whether any of `accesses` may meet any of `others` in the threads of a block (`Memory.conflict_anywhere`)."""
    others = list(others)
    return any(memory.conflict_anywhere(a, b) for a in accesses for b in others)


def _bytes(op: Op) -> int | None:
    if op.name in ("load", "masked_load", "gather", "gather_near"):
        return size_of(op.result.type)
    if op.name in ("store", "masked_store", "scatter", "scatter_near"):
        return size_of(op.operands[0].type)
    if op.name in ("atomicrmw", "cmpxchg"):
        return size_of(op.operands[1].type)
    count = op.operands[2]
    return count.value if isinstance(count, Const) and isinstance(count.value, int) else None


# -- building ---------------------------------------------------------------------------------------------------------


def memory_of(function: Function) -> Memory:
    """The memory behaviour of the structured `function`."""
    found = definitions(function)
    forms = affine_forms(function, found)
    uniform = uniformity(function)
    memory = Memory(function, found, forms, uniform, Distances(forms, uniform), trace_pointers(function, forms))
    memory.noalias = frozenset(function.arguments[number] for number in function.facts.noalias)
    memory.constants = constant_memory(function)
    memory.find_accesses(function.body, all_threads(forms))
    return memory
