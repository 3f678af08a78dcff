# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fields that are stored as neighbours, and were loaded as neighbours, are computed in the order that memory has.

    %a = <64 x float> load %p                                       %a = <64 x float> load %p
    %x = shufflevector %a [mask=(0, 4, 8, ...)]                     %r = fmul %a, splat %s
    %y = shufflevector %a [mask=(1, 5, 9, ...)], ...          ==>   store %r, %q
    %u = fmul %x, splat %s
    %v = fmul %y, splat %s, ...
    store (%u and %v and ... interleaved), %q

A thread that takes a piece of four numbers, as `float4` or an array, does the same to each of them most of the time.
For a vector of threads these are four vectors, which have to be taken apart and put together again for nothing.

Sound because an op that computes element by element gives each element the same wherever it stands. What the fields
were computed from stays for other uses, and goes where there are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from warploom.ir import types
from warploom.ir.core import Attribute, Const, Op, Operand, Region, Value
from warploom.ir.ops import DIVISIONS
from warploom.ir.properties import is_arithmetic, is_duplicable
from warploom.passes.vector.widen import Level, Widener

LARGEST = 100  # ops of a field that are looked at
_OTHERWISE = frozenset("extractelement insertelement shufflevector splat reduce extractvalue insertvalue gep".split())
_INTRINSIC = re.compile(r"(llvm\.\w+)\.v(\d+)([if]\d+)")

_Fields = tuple[Operand, ...]
_Write = Callable[[], Operand]
_Makers = Mapping[Value, Op]


def interleaved(w: Widener, fields: Sequence[Operand]) -> Operand | None:
    """(first of each field, second of each field, ...) where that takes fewer shuffles than putting it together."""
    plan = _Plan(w, len(fields))
    write = plan.of(tuple(fields), ())
    return write() if write is not None and plan.sources > plan.repeated else None


def put_together(w: Widener, fields: Sequence[Operand]) -> Operand:
    """(first of each field, second of each field, ...), by shuffles."""
    parts, count = list(fields), len(fields)
    while len(parts) > 2:
        if len(parts) % 2:
            parts.append(Const(parts[0].type, "poison"))
        parts = [_joined(w, *parts[at : at + 2]) for at in range(0, len(parts), 2)]
    one, other = parts
    return _shuffled(w, one, other, [at * w.width + lane for lane in range(w.width) for at in range(count)])


def _joined(w: Widener, one: Operand, other: Operand) -> Operand:
    return _shuffled(w, one, other, range(2 * (types.lanes_of(one.type) or 0)))


def _shuffled(w: Widener, one: Operand, other: Operand, mask: Sequence[int]) -> Operand:
    type_ = types.vector(types.element_of(one.type), len(mask))
    return w.build.op("shufflevector", [one, other], type_, mask=tuple(mask))


@dataclass(slots=True)
class _Plan:
    """How to write `count` fields in the order of memory."""

    w: Widener
    count: int
    sources: int = 0  # pieces of memory that need not be taken apart
    repeated: int = 0  # vectors of which each element has to be written several times
    seen: int = 0
    found: dict[_Fields, _Write | None] = field(default_factory=dict[_Fields, _Write | None])

    def of(self, fields: _Fields, inside: tuple[_Makers, ...]) -> _Write | None:
        """What writes `fields`; None where they are not alike. `inside`: what defines values in regions around them
        that the widener has left."""
        if fields not in self.found:
            self.seen += 1
            self.found[fields] = made = self._of(fields, inside) if self.seen <= LARGEST else None
            if made is not None:
                self.found[fields] = lambda: self.w.cached(("interleaved", fields), made)
        return self.found[fields]

    def _wide(self, type_: str) -> str:
        return types.vector(types.element_of(type_), self.w.width * self.count)

    def _of(self, fields: _Fields, inside: tuple[_Makers, ...]) -> _Write | None:
        first = fields[0]
        if any(types.lanes_of(each.type) != self.w.width or each.type != first.type for each in fields):
            return None
        if isinstance(first, Const):
            return self._constant(first) if all(each == first for each in fields) else None
        makers = [self._maker(each, inside) for each in fields]
        if all(each is first for each in fields):
            return self._same(first, makers[0])
        ops = [each for each in makers if each is not None]
        if len(ops) < len(fields):
            return None
        if ops[0].name == "shufflevector":
            return self._source(ops)
        if ops[0].name == "if":
            return self._chosen(fields, ops, inside)
        return self._computed(ops, inside)

    def _maker(self, operand: Operand, inside: tuple[_Makers, ...]) -> Op | None:
        if not isinstance(operand, Value):
            return None
        makers = chain(inside, (level.made for level in self.w.build.outwards()))
        return next((each[operand] for each in makers if operand in each), None)

    def _constant(self, value: Const) -> _Write | None:
        text = value.value
        if not isinstance(text, str) or not (text.startswith("splat (") or text in ("zeroinitializer", "poison")):
            return None
        return lambda: Const(self._wide(value.type), text)

    def _same(self, value: Value, op: Op | None) -> _Write:
        """One vector for all fields."""
        if op is not None and op.name == "splat":
            return lambda: self.w.build.op("splat", op.operands, self._wide(value.type))
        self.repeated += 1
        mask = [lane for lane in range(self.w.width) for _ in range(self.count)]
        return lambda: _shuffled(self.w, value, Const(value.type, "poison"), mask)

    def _source(self, ops: Sequence[Op]) -> _Write | None:
        """A piece of memory that was taken apart."""
        whole = ops[0].operands[0]
        for at, op in enumerate(ops):
            mask = tuple(range(at, self.w.width * self.count, self.count))
            if op.name != "shufflevector" or op.operands[0] is not whole or op.attrs["mask"] != mask:
                return None
        if whole.type != self._wide(ops[0].result.type):
            return None
        self.sources += 1
        return lambda: whole

    def _computed(self, ops: Sequence[Op], inside: tuple[_Makers, ...]) -> _Write | None:
        first = ops[0]
        if any(each.name != first.name or each.attrs != first.attrs for each in ops) or len(first.results) != 1:
            return None
        attrs = self._attrs(first)
        if attrs is None:
            return None
        parts: list[_Write] = []
        for each in zip(*(op.operands for op in ops), strict=True):
            part = self.of(each, inside) if types.is_vector(each[0].type) else self._scalar(each)
            if part is None:
                return None
            parts.append(part)
        type_ = self._wide(first.result.type)
        return lambda: self.w.build.op(first.name, [part() for part in parts], type_, **attrs)

    def _scalar(self, operands: _Fields) -> _Write | None:
        """The condition of a `select`, or a constant of an intrinsic."""
        return (lambda: operands[0]) if all(each == operands[0] for each in operands) else None

    def _attrs(self, op: Op) -> dict[str, Attribute] | None:
        """The attributes of `op` on wider vectors; None where it does not go element by element."""
        if not is_duplicable(op):
            return None
        if op.name == "call":
            name = _INTRINSIC.fullmatch(str(op.attrs["callee"]))
            if name is None or int(name[2]) != self.w.width:
                return None
            return {**op.attrs, "callee": f"{name[1]}.v{self.w.width * self.count}{name[3]}"}
        return dict(op.attrs) if is_arithmetic(op) and op.name not in _OTHERWISE | DIVISIONS else None

    def _chosen(self, fields: _Fields, ops: Sequence[Op], inside: tuple[_Makers, ...]) -> _Write | None:
        """The results of a branch: one more result, which a side that is not alike puts together."""
        op = ops[0]
        if any(each is not op for each in ops):
            return None
        numbers = [op.results.index(each) for each in fields if isinstance(each, Value)]
        sides: list[tuple[_Fields, _Write | None]] = []
        for region in op.regions:
            given = tuple(region.terminator.operands[number] for number in numbers)
            makers = {value: each for each in region.ops for value in each.results}
            sides.append((given, self.of(given, (makers, *inside))))
        if all(write is None for _, write in sides):
            return None

        def make() -> Operand:
            for (given, write), region in zip(sides, op.regions, strict=True):
                region.terminator.operands.append(self._at_the_end(region, given, write))
            op.results.append(Value(self._wide(fields[0].type)))
            return op.results[-1]

        return make

    def _at_the_end(self, region: Region, given: _Fields, write: _Write | None) -> Operand:
        """`given` interleaved, in front of the terminator of `region`, where nothing written later is known."""
        outer, ops = self.w.build, list[Op]()
        self.w.build = Level(ops, outer.loc)
        made = write() if write is not None else put_together(self.w, given)
        self.w.build = outer
        region.ops[-1:-1] = ops
        return made
