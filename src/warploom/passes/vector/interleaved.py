# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fields that are stored as neighbours, and were loaded as neighbours, are computed in the order that memory has.

    %a = <64 x float> load %p                              %a = <64 x float> load %p
    %x = shufflevector %a [mask=(0, 4, 8, ...)]            %x = shufflevector %a [mask=(0, 1, 2, ...)]
    %y = shufflevector %a [mask=(1, 5, 9, ...)], ...  ==>  %y = shufflevector %a [mask=(16, 17, 18, ...)], ...
    %u = fmul %x, splat %s                                 %u = fmul %x, splat %s
    %v = fmul %y, splat %s, ...                            %v = fmul %y, splat %s, ...
    store (%u, %v, ... interleaved), %q                    store %u, %q; store %v, %q + 64; ...

The same for what a loop carries, where all fields of a piece go into values of their own (four sums, say): the loop
carries them in the order of memory, and they are taken apart behind it. Where only some threads are active, so are the
elements of their pieces.

A thread that takes a piece of four numbers, as `float4` or an array, does the same to each of them most of the time.
For a vector of threads these are four vectors, which have to be taken apart and put together again for nothing.

Sound because an op that computes element by element gives each element the same wherever it stands. What the fields
were computed from stays for other uses, and goes where there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Attribute, Const, Op, Operand, Region, Value
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
    plan = _Plan(w, len(fields), _bits_of(fields[0].type))
    write = plan.of(tuple(fields), ())
    return [write(number) for number in range(len(fields))] if write and plan.sources > plan.repeated else []


def add_loop(w: Widener, loop: Op) -> None:
    """Append a loop of vectors; what it carries of the fields of pieces goes in the order of memory."""
    behind = [found for found in (_carry(w, loop, each) for each in _carried_fields(w, loop)) if found is not None]
    w.build.add(loop)
    for fields, vectors in behind:
        whole, count = _concatenated(w, vectors), len(fields)
        for at, each in enumerate(fields):
            attrs: dict[str, Attribute] = {"mask": _one_field(w, at, count)}
            w.build.add(Op("shufflevector", [whole, Const(whole.type, "poison")], [each], attrs, [], loop.loc))


def wanted_elements(w: Widener, mask: Operand, threads: Sequence[int | None], bits: int) -> Operand:
    """Whether the thread of each element is active; never for None.

    A shuffle of single bits takes LLVM an instruction a bit, so each element asks for its thread's bit.
    """
    lane, count = f"i{max(bits, w.width)}", len(threads)
    numbers = ", ".join(f"{lane} {0 if each is None else 1 << each}" for each in threads)
    type_ = types.vector(lane, count)

    def spread() -> Operand:
        active: Operand = w.bits(mask)
        if active.type != lane:
            active = w.build.op("zext", [active], lane)
        return w.build.op("splat", [active], type_)

    def make() -> Operand:
        all_ = w.cached(("bits", mask, type_), spread)
        mine = w.build.op("and", [all_, Const(type_, f"<{numbers}>")], type_)
        return w.build.op("icmp", [mine, Const(type_, "zeroinitializer")], types.vector("i1", count), pred="ne")

    return w.cached(("wanted", mask, numbers), make)


def put_together(w: Widener, fields: Sequence[Operand]) -> Operand:
    """(first of each field, second of each field, ...), by shuffles."""
    parts, count = list(fields), len(fields)
    while len(parts) > 2:
        if len(parts) % 2:
            parts.append(Const(parts[0].type, "poison"))
        parts = [_joined(w, *parts[at : at + 2]) for at in range(0, len(parts), 2)]
    one, other = parts
    return _shuffled(w, one, other, [at * w.width + lane for lane in range(w.width) for at in range(count)])


def _concatenated(w: Widener, parts: Sequence[Operand]) -> Operand:
    """One part behind the other, a power of two of them."""
    work = list(parts)
    while len(work) > 1:
        work = [_joined(w, *work[at : at + 2]) for at in range(0, len(work), 2)]
    return work[0]


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
    bits: int  # of a number
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
        width, count = self.w.width, self.count
        if types.element_of(value.type) == "i1":
            return lambda number: wanted_elements(
                self.w, value, [(number * width + at) // count for at in range(width)], self.bits
            )
        self.repeated += 1
        return lambda number: _picked(self.w, value, [(number * width + at) // count for at in range(width)])

    def _source(self, ops: Sequence[Op]) -> _Write | None:
        """A piece of memory that was taken apart."""
        whole, width = ops[0].operands[0], self.w.width
        for at, op in enumerate(ops):
            mask = _one_field(self.w, at, self.count)
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
        """A vector of `given` in front of the terminator of `region`."""
        return _at_the_end(self.w, region, lambda: write(number) if write else _number(self.w, given, number))


def _at_the_end(w: Widener, region: Region, write: Callable[[], Operand]) -> Operand:
    """What `write` writes in front of the terminator of `region`, where nothing written later is known."""
    outer, ops = w.build, list[Op]()
    w.build = Level(ops, outer.loc)
    made = write()
    w.build = outer
    region.ops[-1:-1] = ops
    return made


def _number(w: Widener, fields: _Fields, number: int) -> Operand:
    """The vector of a number, by shuffles."""
    return _picked(w, put_together(w, fields), range(number * w.width, (number + 1) * w.width))


def _one_field(w: Widener, at: int, count: int) -> tuple[int, ...]:
    """The shuffle that takes field `at` of pieces of `count` numbers."""
    return tuple(range(at, w.width * count, count))


def _bits_of(type_: str) -> int:
    return 8 * types.size_of(types.element_of(type_))


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


# -- loops ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Carried:
    """A value that a loop carries: where it stands."""

    start: int  # of the loop's operands
    parameter: Value  # in the region that gives the next one
    following: int  # of that region's terminator's operands
    result: int


def _carried_fields(w: Widener, loop: Op) -> list[list[_Carried]]:
    """What the loop carries of each piece: a value for each field."""
    body = loop.regions[-1]
    makers = {value: op for op in body.ops for value in op.results}
    places: dict[tuple[int, str], dict[int, list[_Carried]]] = {}
    for each in _all_carried(loop):
        if types.lanes_of(each.parameter.type) == w.width:
            found = _fields_behind(w, body.terminator.operands[each.following], makers)
            if len(found) == 1:
                ((count, at),) = found
                places.setdefault((count, each.parameter.type), {}).setdefault(at, []).append(each)
    return [
        [found[at][number] for at in range(count)]
        for (count, _), found in places.items()
        if len(found) == count
        for number in range(min(map(len, found.values())))
    ]


def _carry(w: Widener, loop: Op, fields: Sequence[_Carried]) -> tuple[list[Value], list[Value]] | None:
    """Let `loop` carry `fields` in the order of memory as well; what it gave for them so far, and what it gives now.
    None where they are not alike, or nothing is won."""
    body, count, type_ = loop.regions[-1], len(fields), fields[0].parameter.type
    inner, results = ([Value(type_) for _ in range(count)] for _ in range(2))
    plan = _Plan(w, count, _bits_of(type_))
    plan.found[tuple(each.parameter for each in fields)] = lambda number: inner[number]
    makers = {value: op for op in body.ops for value in op.results}
    write = plan.of(tuple(body.terminator.operands[each.following] for each in fields), (makers,))
    if write is None or plan.sources <= plan.repeated:
        return None
    start = tuple(loop.operands[each.start] for each in fields)
    begin = _Plan(w, count, _bits_of(type_)).of(start, ())
    body.terminator.operands += [_at_the_end(w, body, partial(write, number)) for number in range(count)]
    if begin is None:
        loop.operands += [_number(w, start, number) for number in range(count)]
    else:
        loop.operands += [begin(number) for number in range(count)]
    body.params += inner
    if loop.name == "while":
        outer = [Value(type_) for _ in range(count)]
        loop.regions[0].params += outer
        loop.regions[0].terminator.operands += outer
    given = [loop.results[each.result] for each in fields]
    for each in fields:
        loop.results[each.result] = Value(type_)
    loop.results += results
    return given, results


def _all_carried(loop: Op) -> list[_Carried]:
    body = loop.regions[-1]
    if loop.name == "for":
        return [_Carried(at + 3, each, at, at) for at, each in enumerate(body.params[1:])]
    before = loop.regions[0]
    passed = {each: number for number, each in enumerate(before.terminator.operands[1:])}
    return [
        _Carried(at, body.params[passed[each]], at, passed[each])
        for at, each in enumerate(before.params)
        if each in passed
    ]


def _fields_behind(w: Widener, value: Operand, makers: _Makers) -> set[tuple[int, int]]:
    """(numbers of a piece, which one) of the fields that `value` is computed from, within a region."""
    found: set[tuple[int, int]] = set()
    seen: set[Operand] = set()
    work: list[tuple[Operand, _Makers]] = [(value, makers)]
    while work and len(seen) < LARGEST:
        each, known = work.pop()
        if not isinstance(each, Value) or each in seen or each not in known:
            continue
        op = known[each]
        seen.add(each)
        if op.name == "shufflevector":
            count = (types.lanes_of(op.operands[0].type) or 0) // w.width
            found |= {(count, at) for at in range(count) if op.attrs["mask"] == _one_field(w, at, count)}
        elif op.name == "if":
            at = op.results.index(each)
            for region in op.regions:
                inner = {**known, **{value: made for made in region.ops for value in made.results}}
                work.append((region.terminator.operands[at], inner))
        elif _goes_by_elements(op):
            work += [(each, known) for each in op.operands]
    return found
