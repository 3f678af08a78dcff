# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of large code that are each inside the condition of the one before become a loop again.

    if %tx < %n {                                    %xs = alloca
      %x0 = if %is_byte {..} {.. 10 types ..}        for %k = 0, 4 {
      if %tx + 128 < %n {                              %x = if %tx + 128 * %k < %n {
        %x1 = if %is_byte {..} {.. 10 types ..}          %y = if %is_byte {..} {.. 10 types ..}
        if %tx + 256 < %n { ... }              ==>       yield %y } { yield 0 }
      }                                                store %x, %xs[%k]
    }                                                }
    ... %x0 ... %x1 ...                              %x0 = load %xs[0]; %x1 = load %xs[1]; ...

Loops over small private arrays are unrolled before the import, so that the arrays become values
(frontend/private_arrays.py). Where each trip has a choice among many types, all later passes and LLVM then do four
times the work, for code that waits for branches and conversions and not for the loop around it.

Sound because the loop runs the copies in their order, each under its own condition. These compare a thread's number
plus a constant that grows from copy to copy with one limit, so that where one holds, all before it held: to test it
alone is to test it inside the others. What differs from copy to copy is a constant that grows evenly, an element of
an array that an earlier such loop has filled, a value put together from these (which is computed again), or stored
into an array in front of the loop. A copy that does not run has the value that its condition's other side gives.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import (
    Attribute,
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    defined_in,
    int_const,
    is_undefined,
    walk,
    walk_op,
)
from warploom.ir.ops import COMMUTATIVE, ROLLED
from warploom.ir.properties import is_duplicable, is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.clean.fold import fold
from warploom.passes.contracts import STRUCTURED, is_collective

NAME = "reroll"
FEWEST_COPIES = 3
FEWEST_CHOICES = 8  # in each copy: what is gained must be more than arrays and the loop cost
LARGEST_OFFSET = 1 << 20  # of a thread's number: their sum is far from wrapping
_KEPT = ("load", "store", "if")  # what is matched one by one, in order
_BELOW = ("slt", "sle")
Copies = tuple[Operand, ...]  # what a value is in each copy


class Different(Exception):
    """The copies are not alike."""


# -- legality ---------------------------------------------------------------------------------------------------------


def nested(op: Op) -> list[Op]:
    """`op` and the conditions inside it, each the last of the one before, with nothing on its other side."""
    found: list[Op] = []
    while op.name == "if" and not op.regions[1].body:
        found.append(op)
        inner = [each for each in op.regions[0].body if each.regions]
        if not inner:
            break
        op = inner[-1]
    return found


def is_large(op: Op) -> bool:
    """Whether there is more than enough in `op` for copies of it to be worth a loop."""
    return sum(each.name == "if" for each in walk_op(op)) >= FEWEST_COPIES * FEWEST_CHOICES


def may_be_kept(type_: str) -> bool:
    """Whether a value may be stored into an array."""
    return type_ == "ptr" or (not types.is_vector(type_) and types.bits(type_) in (1, 8, 16, 32, 64))


@dataclass(frozen=True, slots=True)
class Element:
    """A value that a loop of this pass has put into one of its arrays: the array, which it is, and the trip."""

    array: Value
    order: int
    number: int
    type: str


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a result of a chain comes from: of what all copies have, the value of one, and what is made of that."""

    copies: Copies
    number: int
    op: Op | None

    def of(self, value: Operand, build: Builder) -> Operand:
        """What is made of `value`."""
        if self.op is None:
            return value
        operands = [value if each is self.copies[self.number] else each for each in self.op.operands]
        return build.op(self.op.name, operands, self.op.result.type, self.op.result.name, **_unpromised(self.op))

    def gives(self, value: Operand, wanted: Operand) -> bool:
        """Whether `wanted` is made of `value`, whatever the other operands are."""
        ops: list[Op] = []
        self.of(value, Builder(ops))
        (op,) = ops
        return (op.name in ("mul", "and") and value == wanted == Const(value.type, 0)) or fold(op, {}) == wanted


def _counterparts(value: Operand, number: int, made: Sequence[dict[Hashable, Value]]) -> Copies | None:
    """What all copies compute as copy `number` does `value`; None where one does not."""
    key = next((each for each, there in made[number].items() if there is value), None)
    return None if key is None or not all(key in each for each in made) else tuple(each[key] for each in made)


@dataclass(frozen=True, slots=True)
class _Scope:
    """A region that is being written: that of the first copy, and what is known there."""

    origin: Region | None
    build: Builder
    known: dict[Copies, Operand]


class _Reroller:
    """One chain of copies."""

    def __init__(
        self, levels: Sequence[Op], threads: set[Value], made: dict[Value, Op], elements: dict[Value, Element]
    ) -> None:
        self.levels, self.threads, self.made, self.elements = levels, threads, made, elements
        self.inside = defined_in(levels[0]) - set(levels[0].results)
        self.arrays: list[Op] = []  # allocas
        self.before: list[Op] = []
        self.counter = Value("i32", "k")
        self.homes = {
            value: region
            for op in walk_op(levels[0])
            for region in op.regions
            for each in region.ops
            for value in each.results
        }
        self.scopes: list[_Scope] = []

    def rewritten(self) -> tuple[list[Op], dict[Value, Operand], list[Op]]:
        """What takes the place of the chain, its results, and allocas. Raises Different."""
        loc = self.levels[0].loc
        region = Region([self.counter])
        build = Builder(region.ops, loc)
        self.scopes.append(_Scope(None, build, {}))
        tests: Copies = tuple(each.operands[0] for each in self.levels)
        self._check_order(tests)
        condition = self.one(tests)
        roles, kept = self._results()
        copy = Op("if", [condition], [Value(each[0].type) for each in roles], loc=loc)
        copy.regions = [self._body(roles), Region([], [Op("yield", list(roles.values()), loc=loc)])]
        build.add(copy)
        behind: list[Op] = []
        found = self._store(roles, kept, copy, build, Builder(behind, loc))
        build.terminate()
        bounds: list[Operand] = [int_const("i32", each) for each in (0, len(self.levels), 1)]
        loop = Op("for", bounds, [], {"pred": "slt", ROLLED: True}, [region], loc)
        return [*self.before, loop, *behind], found, self.arrays

    def _check_order(self, tests: Copies) -> None:
        """Each condition follows from the next one."""
        ops = [self.made[each] for each in tests if isinstance(each, Value) and each in self.made]
        if len(ops) != len(tests) or ops[0].name != "icmp" or ops[0].attrs["pred"] not in _BELOW:
            raise Different
        if not all(_are_alike(ops[0], each) and each.operands[1] == ops[0].operands[1] for each in ops):
            raise Different
        parts = [self._parts(each.operands[0]) for each in ops]
        base, first = parts[0]
        step = parts[1][1] - first
        if base not in self.threads or not (first >= 0 < step and parts[-1][1] < LARGEST_OFFSET):
            raise Different
        if any(each != (base, first + number * step) for number, each in enumerate(parts)):
            raise Different

    def _results(self) -> tuple[dict[Copies, Operand], dict[Value, _Source]]:
        """What the copies yield, with the value of one that does not run; where each result comes from."""
        made = [self._made_of(self._own(number), number) for number in range(len(self.levels))]
        others: dict[Copies, Operand] = {}
        sources: dict[Value, _Source] = {}
        behind: list[tuple[_Source, Operand]] = []
        for result in self.levels[0].results:
            other, (number, value) = self._origin(result)
            copies, op = _counterparts(value, number, made), None
            if copies is None:
                op = self._apart(value)
                copies = next(filter(None, (_counterparts(each, number, made) for each in op.operands)), None)
                if copies is None:
                    raise Different
            known = others.setdefault(copies, Const(copies[0].type, "undef"))
            source = sources[result] = _Source(copies, number, op)
            if is_undefined(other):
                continue
            if op is not None:
                behind.append((source, other))
            elif is_undefined(known) or known == other:
                others[copies] = other
            else:
                raise Different
        for source, other in behind:
            if is_undefined(others[source.copies]):
                others[source.copies] = Const(source.copies[0].type, 0)
            if not source.gives(others[source.copies], other):
                raise Different
        if not all(may_be_kept(each[0].type) for each in others):
            raise Different
        return others, sources

    def _apart(self, value: Value) -> Op:
        """The op of a value that this copy alone computes from what all have: behind the loop it is as good."""
        op = self.made.get(value)
        if op is None or op.regions or len(op.results) != 1 or not (is_speculatable(op) and is_duplicable(op)):
            raise Different
        # What else it is made of may not be poison that only this copy's condition keeps away: it is a parameter.
        inside = [each for each in op.operands if each in self.inside]
        if len(inside) != 1 or any(each in self.made for each in op.operands if each is not inside[0]):
            raise Different
        return op

    def _origin(self, result: Value) -> tuple[Operand, tuple[int, Value]]:
        """What a result is where the copy that makes it does not run; that copy, and what it is there."""
        other: Operand = Const(result.type, "undef")
        value: Operand = result
        for number, level in enumerate(self.levels):
            place = level.results.index(value)
            value, without = (region.terminator.operands[place] for region in level.regions)
            if not is_undefined(without):
                if without in self.inside or not (is_undefined(other) or other == without):
                    raise Different
                other = without
            inner = self.levels[number + 1] if number + 1 < len(self.levels) else None
            if inner is None or value not in inner.results:
                if not isinstance(value, Value) or value not in self.inside:
                    raise Different
                return other, (number, value)
        raise Different

    def _own(self, number: int) -> list[Op]:
        """The ops of a copy that are matched one by one."""
        inner = self.levels[number + 1] if number + 1 < len(self.levels) else None
        return [each for each in self.levels[number].regions[0].body if each is not inner and self._is_kept(each)]

    def _is_kept(self, op: Op) -> bool:
        if op.name in _KEPT and not op.attrs.get("volatile"):
            return True
        if op.regions or not (is_speculatable(op) and is_duplicable(op)):
            raise Different
        return False

    def _made_of(self, own: Sequence[Op], number: int) -> dict[Hashable, Value]:
        """What a copy computes from what is matched, by how it does."""
        known: dict[Value, Hashable] = {
            value: (place, at) for place, op in enumerate(own) for at, value in enumerate(op.results)
        }
        for op in self.levels[number].regions[0].body:
            if not op.regions and len(op.results) == 1 and any(each in known for each in op.operands):
                attrs = tuple(sorted((name, repr(each)) for name, each in op.attrs.items() if name != "flags"))
                known.setdefault(
                    op.result,
                    (
                        op.name,
                        attrs,
                        *(known.get(each, each) if isinstance(each, Value) else each for each in op.operands),
                    ),
                )
        return {key: value for value, key in known.items()}

    # -- the copies as one

    def _body(self, roles: dict[Copies, Operand]) -> Region:
        copies = [self._own(number) for number in range(len(self.levels))]
        return self._region(self.levels[0].regions[0], copies, list(roles))

    def _region(self, origin: Region, copies: Sequence[Sequence[Op]], ends: Sequence[Copies]) -> Region:
        region = Region()
        scope = _Scope(origin, Builder(region.ops, self.levels[0].loc), {})
        self.scopes.append(scope)
        if len({len(each) for each in copies}) != 1:
            raise Different
        for ops in zip(*copies, strict=True):
            self._match(ops, scope)
        scope.build.terminate("yield", [self.one(each) for each in ends])
        self.scopes.pop()
        return region

    def _match(self, ops: Sequence[Op], scope: _Scope) -> None:
        first = ops[0]
        if not all(_are_alike(first, each) for each in ops):
            raise Different
        operands = [self.one(each) for each in zip(*(op.operands for op in ops), strict=True)]
        results = [Value(each.type, each.name) for each in first.results]
        regions = [self._matched([op.regions[number] for op in ops]) for number in range(len(first.regions))]
        scope.build.add(Op(first.name, operands, results, _shared(ops), regions, first.loc))
        for each, value in zip(zip(*(op.results for op in ops), strict=True), results, strict=True):
            scope.known[each] = value

    def _matched(self, regions: Sequence[Region]) -> Region:
        kept = [[op for op in each.body if self._is_kept(op)] for each in regions]
        ends = [each.terminator.operands for each in regions]
        return self._region(regions[0], kept, list(zip(*ends, strict=True)))

    def one(self, copies: Copies) -> Operand:
        """What is `copies[k]` in trip k. Raises Different."""
        for scope in reversed(self.scopes):
            if copies in scope.known:
                return scope.known[copies]
        first = copies[0]
        if all(each == first for each in copies) and first not in self.inside:
            return first
        if len({each.type for each in copies}) != 1:
            raise Different
        scope = self._scope_of(first)
        build = scope.build
        found = self._counted(copies, build) or self._element(copies, build) or self._computed(copies, build)
        scope.known[copies] = found
        return found

    def _scope_of(self, first: Operand) -> _Scope:
        """Where an op of the first copy is to be written: in the region that it stands in."""
        home = self.homes.get(first) if isinstance(first, Value) else None
        found = [scope for scope in self.scopes if home is not None and scope.origin is home]
        return found[0] if found else self.scopes[:2][-1]

    def _counted(self, copies: Copies, build: Builder) -> Operand | None:
        """A value and a constant that grows evenly."""
        if not types.is_int(copies[0].type) or all(each == copies[0] for each in copies):
            return None
        try:
            parts = [self._parts(each) for each in copies]
        except Different:
            return None
        base, start = parts[0]
        step = parts[1][1] - start
        if any(each != (base, start + number * step) for number, each in enumerate(parts)) or base in self.inside:
            return None
        type_ = copies[0].type
        bits = types.bits(type_)
        number: Operand = self.counter
        if bits != types.bits(self.counter.type):
            name = "zext" if bits > types.bits(self.counter.type) else "trunc"
            number = build.op(name, [number], type_)
        value = build.op("mul", [number, int_const(type_, step)], type_)
        if base is not None:
            value = build.op("add", [base, value], type_)
        return build.op("add", [value, int_const(type_, start)], type_) if start else value

    def _parts(self, operand: Operand) -> tuple[Value | None, int]:
        """A value, and the constant that is added to it. Raises Different where it is neither."""
        if isinstance(operand, Const):
            if not isinstance(operand.value, int):
                raise Different
            return None, operand.value
        op = self.made.get(operand)
        if op is not None and op.name == "add" and isinstance(op.operands[1], Const):
            base, number = op.operands[0], op.operands[1].value
            if isinstance(base, Value) and isinstance(number, int):
                return base, number
        return operand, 0

    def _element(self, copies: Copies, build: Builder) -> Operand | None:
        """An element of an array that an earlier loop has filled in the same order."""
        found = [self.elements.get(each) if isinstance(each, Value) else None for each in copies]
        first = found[0]
        if first is None or any(
            each is None or each.array is not first.array or each.number != number for number, each in enumerate(found)
        ):
            return None
        return _loaded(first.array, self.counter, first.type, build)

    def _computed(self, copies: Copies, build: Builder) -> Operand:
        """What the same op makes of other operands; else an element of an array, stored in front of the loop."""
        ops = [self.made.get(each) if isinstance(each, Value) else None for each in copies]
        first = ops[0]
        if first is not None and len(first.results) == 1 and not first.regions and first.operands:
            every = [each for each in ops if each is not None and _are_alike(first, each)]
            if len(every) == len(ops) and is_speculatable(first) and is_duplicable(first):
                try:
                    operands = [self.one(each) for each in zip(*map(self._operands, every), strict=True)]
                except Different:
                    pass
                else:
                    return build.op(first.name, operands, first.result.type, first.result.name, **_unpromised(first))
        if any(each in self.inside for each in copies) or not may_be_kept(copies[0].type):
            raise Different
        array = self._array(copies[0].type)
        before = Builder(self.before, self.levels[0].loc)
        for number, each in enumerate(copies):
            _store(each, array, int_const("i32", number), before)
        return _loaded(array, self.counter, copies[0].type, build)

    def _operands(self, op: Op) -> list[Operand]:
        """The operands, those of a commutative op in an order that copies have in common."""
        return sorted(op.operands, key=self._kind) if op.name in COMMUTATIVE else op.operands

    def _kind(self, operand: Operand) -> tuple[int, int]:
        """Loaded elements by their arrays, then what ops make of them, then all else."""
        if isinstance(operand, Const):
            return 3, 0
        if operand in self.elements:
            return 0, self.elements[operand].order
        op = self.made.get(operand)
        return (1 if op is not None and any(each in self.elements for each in op.operands) else 2), 0

    # -- arrays

    def _array(self, type_: str) -> Value:
        size = len(self.levels) * types.size_of(_as_stored(type_))
        array = Value("ptr", "copies")
        self.arrays.append(Op("alloca", [], [array], {"size": size, "align": 16}, loc=self.levels[0].loc))
        return array

    def _store(
        self, roles: dict[Copies, Operand], kept: dict[Value, _Source], copy: Op, build: Builder, behind: Builder
    ) -> dict[Value, Operand]:
        """Store what a copy yields, and load all of it behind the loop."""
        arrays: dict[Copies, Value] = {}
        for copies, value in zip(roles, copy.results, strict=True):
            arrays[copies] = self._array(value.type)
            _store(value, arrays[copies], self.counter, build)
        found: dict[Value, Operand] = {}
        for result, source in kept.items():
            array, number = arrays[source.copies], source.number
            loaded = _loaded(array, int_const("i32", number), source.copies[0].type, behind)
            self.elements[loaded] = Element(array, list(roles).index(source.copies), number, loaded.type)
            found[result] = source.of(loaded, behind)
        return found


def _are_alike(one: Op, other: Op) -> bool:
    """Whether two ops do the same with their operands."""
    return (
        one.name == other.name
        and len(one.operands) == len(other.operands)
        and [each.type for each in one.results] == [each.type for each in other.results]
        and len(one.regions) == len(other.regions)
        and {**one.attrs, "flags": ()} == {**other.attrs, "flags": ()}
    )


def _unpromised(op: Op) -> dict[str, Attribute]:
    """The attributes without LLVM's promises, which may not hold in all copies, and not where an op did not run."""
    return {name: each for name, each in op.attrs.items() if name not in ("flags", "inbounds")}


def _shared(ops: Sequence[Op]) -> dict[str, Attribute]:
    """The attributes, and the flags that all have."""
    attrs = dict(ops[0].attrs)
    if any(op.attrs.get("flags") != attrs.get("flags") for op in ops):
        attrs.pop("flags", None)
    return attrs


def _as_stored(type_: str) -> str:
    return "i8" if type_ == "i1" else type_


def _place(array: Value, number: Operand, type_: str, build: Builder) -> Value:
    size = types.size_of(type_)
    if isinstance(number, Const):
        return build.op("gep", [array], "ptr", offset=int(number.value) * size, strides=())
    wide = build.op("zext", [number], "i64")
    return build.op("gep", [array, wide], "ptr", offset=0, strides=(size,))


def _store(value: Operand, array: Value, number: Operand, build: Builder) -> None:
    stored = _as_stored(value.type)
    place = _place(array, number, stored, build)
    wide = value if stored == value.type else build.op("zext", [value], stored)
    build.effect("store", [wide, place], align=types.size_of(stored))


def _loaded(array: Value, number: Operand, type_: str, build: Builder) -> Value:
    stored = _as_stored(type_)
    place = _place(array, number, stored, build)
    value = build.op("load", [place], stored, align=types.size_of(stored))
    return value if stored == type_ else build.op("trunc", [value], type_)


# -- the rewrite ------------------------------------------------------------------------------------------------------


class _Visitor:
    def __init__(self, function: Function, context: Context) -> None:
        self.function, self.context = function, context
        self.made = {value: op for op in walk(function.body) for value in op.results}
        self.elements: dict[Value, Element] = {}
        self.mapping: dict[Value, Operand] = {}
        self.changed = False

    def block(self, block: Op) -> None:
        """Reroll the chains of one loop over threads."""
        self.arrays: list[Op] = []
        self.region(block.region, set(block.region.params))
        block.region.ops[:0] = self.arrays

    def region(self, region: Region, threads: set[Value]) -> None:
        ops: list[Op] = []
        for op in region.ops:
            self._use(op)
            levels = nested(op) if op.name == "if" and is_large(op) else []
            chain = self._chain(levels, threads)
            if chain is None:
                if op.name == "if":
                    for inner in op.regions:
                        self.region(inner, threads)
                else:
                    for inner in op.regions:
                        for each in walk(inner):
                            self._use(each)
                ops.append(op)
                continue
            ops += chain
        region.ops = ops

    def _use(self, op: Op) -> None:
        op.operands[:] = [self.mapping.get(each, each) if isinstance(each, Value) else each for each in op.operands]

    def _chain(self, levels: list[Op], threads: set[Value]) -> list[Op] | None:
        if any(is_collective(op) for op in walk_op(levels[0])) if levels else True:
            return None
        for op in walk_op(levels[0]):
            self._use(op)
        for count in range(len(levels), FEWEST_COPIES - 1, -1):
            try:
                ops, found, arrays = _Reroller(levels[:count], threads, self.made, self.elements).rewritten()
            except Different:
                continue
            self.arrays += arrays
            self.mapping |= found
            self.made |= {value: op for each in ops for op in walk_op(each) for value in op.results}
            self.changed = True
            self.context.remark(NAME, f"{count} copies of large code are one loop again", levels[0].loc)
            return ops
        return None


def run(function: Function, context: Context) -> bool:
    """Make loops of copies of large code in `function`."""
    ops = list(walk(function.body))
    if sum(op.name == "if" for op in ops) < FEWEST_COPIES * FEWEST_CHOICES:
        return False
    visitor = _Visitor(function, context)
    for op in ops:
        if op.name == "block":
            visitor.block(op)
    return visitor.changed


REROLL = Pass(NAME, run, requires=(STRUCTURED,))
