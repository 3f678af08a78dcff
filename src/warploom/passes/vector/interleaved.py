# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fields that are stored as neighbours, and were loaded as neighbours, are computed in the order that memory has.

    %a = <64 x float> load %p                              %a = <64 x float> load %p
    %x = shufflevector %a [mask=(0, 4, 8, ...)]            %x = shufflevector %a [mask=(0, 1, 2, ...)]
    %y = shufflevector %a [mask=(1, 5, 9, ...)], ...  ==>  %y = shufflevector %a [mask=(16, 17, 18, ...)], ...
    %u = fmul %x, splat %s                                 %u = fmul %x, splat %s
    %v = fmul %y, splat %s, ...                            %v = fmul %y, splat %s, ...
    store (%u, %v, ... interleaved), %q                    store %u, %q; store %v, %q + 64; ...

A thread that takes a piece of four numbers, as `float4` or an array, does the same to each of them most of the time.
For a vector of threads these are four vectors, which have to be taken apart and put together again for nothing.

Sound because an op that computes element by element gives each element the same wherever it stands. What the fields
were computed from stays for other uses, and goes where there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, Value
from warploom.ir.ops import DIVISIONS
from warploom.ir.properties import is_arithmetic, is_duplicable
from warploom.passes.vector.widen import Level, Widener

LARGEST = 100  # ops of a field that are looked at
_OTHERWISE = frozenset("extractelement insertelement shufflevector splat reduce extractvalue insertvalue gep".split())
_INTRINSIC = regex(r"llvm\.\w+\.v\d+[if]\d+")

_Fields = tuple[Operand, ...]
_Write = Callable[[int], Operand]  # the vector of a number: as many vectors as fields follow each other in memory
_Makers = Mapping[Value, Op]


def interleaved(w: Widener, fields: Sequence[Operand]) -> list[Operand]:
    """The vectors that have (first of each field, second of each field, ...) one after the other; none where that takes
    more shuffles than putting the fields together."""
    plan = _Plan(w, len(fields))
    write = plan.of(tuple(fields), ())
    return [write(number) for number in range(len(fields))] if write and plan.sources > plan.repeated else []


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


def _picked(w: Widener, vector: Operand, mask: Sequence[int]) -> Operand:
    return _shuffled(w, vector, Const(vector.type, "poison"), mask)


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
                self.found[fields] = lambda number: self.w.cached(("in order", fields, number), lambda: made(number))
        return self.found[fields]

    def _of(self, fields: _Fields, inside: tuple[_Makers, ...]) -> _Write | None:
        first = fields[0]
        if any(types.lanes_of(each.type) != self.w.width or each.type != first.type for each in fields):
            return None
        if all(each == first for each in fields):
            return self._same(first, inside)
        ops = [each for each in (self._maker(each, inside) for each in fields) if each is not None]
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

    def _same(self, value: Operand, inside: tuple[_Makers, ...]) -> _Write:
        """One vector for all fields."""
        op = self._maker(value, inside)
        if isinstance(value, Const):
            text = str(value.value)
            is_even = text.startswith("splat (") or text in ("zeroinitializer", "poison")
        else:
            is_even = op is not None and op.name == "splat"
        if is_even:
            return lambda _: value
        self.repeated += 1
        width, count = self.w.width, self.count
        return lambda number: _picked(self.w, value, [(number * width + at) // count for at in range(width)])

    def _source(self, ops: Sequence[Op]) -> _Write | None:
        """A piece of memory that was taken apart."""
        whole, width = ops[0].operands[0], self.w.width
        for at, op in enumerate(ops):
            mask = tuple(range(at, width * self.count, self.count))
            if op.name != "shufflevector" or op.operands[0] is not whole or op.attrs["mask"] != mask:
                return None
        if types.lanes_of(whole.type) != width * self.count:
            return None
        self.sources += 1
        return lambda number: _picked(self.w, whole, range(number * width, (number + 1) * width))

    def _computed(self, ops: Sequence[Op], inside: tuple[_Makers, ...]) -> _Write | None:
        first = ops[0]
        if any(each.name != first.name or each.attrs != first.attrs for each in ops) or not _goes_by_elements(first):
            return None
        parts: list[_Write] = []
        for each in zip(*(op.operands for op in ops), strict=True):
            part = self.of(each, inside) if types.is_vector(each[0].type) else _scalar(each)
            if part is None:
                return None
            parts.append(part)
        type_ = first.result.type
        return lambda number: self.w.build.op(first.name, [part(number) for part in parts], type_, **first.attrs)

    def _chosen(self, fields: _Fields, ops: Sequence[Op], inside: tuple[_Makers, ...]) -> _Write | None:
        """The results of a branch: more results, which a side that is not alike puts together."""
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

        def make(number: int) -> Operand:
            for (given, write), region in zip(sides, op.regions, strict=True):
                region.terminator.operands.append(self._at_the_end(region, given, write, number))
            op.results.append(Value(fields[0].type))
            return op.results[-1]

        return make

    def _at_the_end(self, region: Region, given: _Fields, write: _Write | None, number: int) -> Operand:
        """A vector of `given` in front of the terminator of `region`, where nothing written later is known."""
        outer, ops, width = self.w.build, list[Op](), self.w.width
        self.w.build = Level(ops, outer.loc)
        if write is not None:
            made = write(number)
        else:
            made = _picked(self.w, put_together(self.w, given), range(number * width, (number + 1) * width))
        self.w.build = outer
        region.ops[-1:-1] = ops
        return made


def _scalar(operands: _Fields) -> _Write | None:
    """The condition of a `select`, or a constant of an intrinsic."""
    return (lambda _: operands[0]) if all(each == operands[0] for each in operands) else None


def _goes_by_elements(op: Op) -> bool:
    """Whether each element of the result depends on the same one of each operand, and may be computed twice."""
    if len(op.results) != 1 or not is_duplicable(op):
        return False
    if op.name == "call":
        return _INTRINSIC.fullmatch(str(op.attrs["callee"])) is not None
    return is_arithmetic(op) and op.name not in _OTHERWISE | DIVISIONS
