# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which lanes of a warp touch what others have touched, with nothing in between that waits: found by running a sample.

    if t < 16 { store %a, x[t] }         lanes 8 ... 15 store what lanes 0 ... 7 load:
    if t < 8  { load x[t + 8] }          the pair (store, load)

One warp of a block goes through the kernel in lock step, with numbers for what ids, sizes and parameters decide; what
comes from memory is not known. Where a condition is not known both sides run, a loop runs twice. Where it is the same
for all lanes, another launch may go the other way: that side is tried once as well, and only what it touches is noted.
Parameters are large, so that arrays and rows do not meet by chance; who wants to be surer asks several samples. A
program without races has no such pair in any launch that it is meant for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from warploom.analysis.definitions import block_size
from warploom.analysis.sample_warps import compute, scalar_function
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Function, Op, Operand, Region, Value, walk
from warploom.ir.ops import WARP_SIZE, collective_level
from warploom.ir.scalar import signed

Known = int | None  # a number as unsigned bits, or not known
Row = Known | list[Known]  # the same in all lanes, or one for each
Pair = tuple[Op, Op]  # what came first, what came then

_MOST_ROUNDS = 12  # of a loop: enough to halve 1024
_UNKNOWN_ROUNDS = 2
_MOST_STEPS = 20_000  # ops
_FAR = 40  # bits: objects are this far apart
_WORD = 4
_ORDER: dict[str, Callable[[int, int], int]] = {"smin": min, "smax": max, "umin": min, "umax": max}


class _Enough(Exception):
    """The sample has run long enough."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A launch: the block's shape, the warp that runs, and what parameters start from."""

    shape: tuple[int, int, int]
    warp: int
    block: int
    first: int

    def parameter(self, number: int) -> int:
        """The value of the kernel's parameter `number`."""
        return self.first + 1009 * (number * number % 7) + 64 * number


def samples(function: Function) -> list[Sample]:
    """The launches to try: all must show a pair before it counts."""
    known = block_size(function)
    _, ty, tz = (op.region.params for op in walk(function.body) if op.name == "block").__next__()
    used = {operand for op in walk(function.body) for operand in op.operands}
    guesses = [(32, 8, 1), (16, 16, 1)] if ty in used or tz in used else [(64, 1, 1), (256, 1, 1)]
    found: list[Sample] = []
    for guess, block, first in zip(guesses, (0, 3), (4099, 7919), strict=True):
        width, height, depth = (size or other for size, other in zip(known, guess, strict=True))
        found.append(Sample((width, height, depth), 0, block, first))
    return found


def meeting_pairs(function: Function) -> list[Pair]:
    """The pairs of accesses in which lanes of one warp meet in every sample, in the order of the program."""
    found: list[set[Pair]] = []
    order: dict[Pair, None] = {}
    for sample in samples(function):
        run = _Run(function, sample)
        run.start()
        if not run.pairs:
            return []
        found.append(set(run.pairs))
        order.update(run.pairs)
    return [pair for pair in order if all(pair in each for each in found)]


@dataclass
class _Run:
    function: Function
    sample: Sample
    values: dict[Value, Row] = field(default_factory=dict[Value, Row])
    pairs: dict[Pair, None] = field(default_factory=dict[Pair, None])
    objects: dict[object, int] = field(default_factory=dict[object, int])
    written: dict[int, tuple[Op, int]] = field(default_factory=dict[int, tuple[Op, int]])  # by word: who last, lanes
    read: dict[int, dict[Op, int]] = field(default_factory=dict[int, dict[Op, int]])  # by word, since then
    unmet: list[tuple[Op, list[Known], list[bool], int]] = field(
        default_factory=list[tuple[Op, "list[Known]", "list[bool]", int]]
    )  # loads that `read` is still to hear of: by whom, from where, in which lanes, how many bytes
    tried: set[Region] = field(default_factory=set[Region])
    functions: dict[Op, Callable[..., Known] | None] = field(
        default_factory=dict[Op, "Callable[..., Known] | None"]
    )  # what ops compute
    steps: int = 0

    def start(self) -> None:
        """Run the warp to its end."""
        sample, function = self.sample, self.function
        launch = (1000, 1, 1, *sample.shape)
        self.values.update(zip(function.launch, launch, strict=True))
        for number, each in enumerate(function.arguments):
            self.values[each] = self._object(each) if each.type == "ptr" else sample.parameter(number)
            if not types.is_int(each.type) and each.type != "ptr":
                self.values[each] = None
        try:
            self._region(function.body, [True] * WARP_SIZE)
        except _Enough:
            return

    def _object(self, key: object) -> int:
        return self.objects.setdefault(key, len(self.objects) + 1 << _FAR)

    # -- values -------------------------------------------------------------------------------------------------------

    def of(self, operand: Operand) -> Row:
        """What an operand is."""
        if isinstance(operand, Value):
            return self.values.get(operand)
        if isinstance(operand.value, int):
            return operand.value if types.is_int(operand.type) else None
        return self._object(operand.value) if operand.type == "ptr" and "@" in operand.value else None

    def lanes(self, operand: Operand) -> list[Known]:
        """What an operand is in each lane."""
        row = self.of(operand)
        return row if isinstance(row, list) else [row] * WARP_SIZE

    def _set(self, values: Sequence[Value], rows: Sequence[Row], active: Sequence[bool]) -> None:
        """Lanes that are active have a new value; the others keep theirs."""
        for value, row in zip(values, rows, strict=True):
            old = self.values.get(value)
            if all(active) or row == old:
                self.values[value] = row
                continue
            new = row if isinstance(row, list) else [row] * WARP_SIZE
            kept = old if isinstance(old, list) else [old] * WARP_SIZE
            self.values[value] = [a if on else b for a, b, on in zip(new, kept, active, strict=True)]

    def _each(self, function: Callable[..., Known], rows: Sequence[Row]) -> Row:
        if not any(isinstance(row, list) for row in rows):
            return None if None in rows else function(*rows)
        wide = [row if isinstance(row, list) else [row] * WARP_SIZE for row in rows]
        return [None if None in each else function(*each) for each in zip(*wide, strict=True)]

    def _compute(self, op: Op) -> Row:
        rows = [self.of(each) for each in op.operands]
        if op.name == "gep":
            return self._each(place, rows) if (place := self._function(op, _place_of)) else None
        if op.name == "select":
            return self._selected(rows)
        if op.name == "call":
            return self._call(op, rows)
        if op.name in ("and", "or") and op.result.type == "i1":
            return self._decided(rows, op.name == "or")
        if op.name in ("ptrtoint", "inttoptr", "freeze", "bitcast") and "ptr" in (op.operands[0].type, op.result.type):
            return rows[0]
        function = self._function(op, _integer_function)
        return self._each(function, rows) if function is not None else None

    def _function(self, op: Op, make: Callable[[Op], Callable[..., Known] | None]) -> Callable[..., Known] | None:
        """What `make` makes of `op`, which is run many times."""
        if op not in self.functions:
            self.functions[op] = make(op)
        return self.functions[op]

    def _selected(self, rows: list[Row]) -> Row:
        if not any(isinstance(row, list) for row in rows):
            condition, yes, no = rows
            return (yes if condition else no) if condition is not None else (yes if yes == no else None)
        wide = [row if isinstance(row, list) else [row] * WARP_SIZE for row in rows]
        return [(y if c else n) if c is not None else (y if y == n else None) for c, y, n in zip(*wide, strict=True)]

    def _decided(self, rows: list[Row], alone: bool) -> Row:
        """and, or: one operand alone may decide, when it is `alone`."""

        def both(a: Known, b: Known) -> Known:
            return alone if alone in (a, b) else None if None in (a, b) else not alone

        if not any(isinstance(row, list) for row in rows):
            return both(*(row for row in rows if not isinstance(row, list)))
        wide = [row if isinstance(row, list) else [row] * WARP_SIZE for row in rows]
        return [both(*each) for each in zip(*wide, strict=True)]

    def _call(self, op: Op, rows: list[Row]) -> Row:
        _, _, rest = str(op.attrs["callee"]).partition("llvm.")
        kind, _, type_ = rest.partition(".")
        choose = _ORDER.get(kind)
        if choose is None or not types.is_int(type_):
            return None
        width = types.bits(type_)
        if kind[0] == "u":
            return self._each(choose, rows)

        def choose_signed(a: int, b: int) -> int:
            return choose(signed(a, width), signed(b, width)) & ((1 << width) - 1)

        return self._each(choose_signed, rows)

    # -- control flow -------------------------------------------------------------------------------------------------

    def _region(self, region: Region, active: list[bool]) -> None:
        for op in region.ops:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise _Enough
            if op.regions:
                self._control(op, active)
            elif collective_level(op) is not None:
                self._collective(op, active)
            elif op.name in ("load", "store", "atomicrmw", "cmpxchg"):
                self._access(op, active)
            elif len(op.results) == 1:
                self._set(op.results, [self._compute(op)], active)

    def _control(self, op: Op, active: list[bool]) -> None:
        if op.name in ("grid", "block"):
            self._enter(op, active)
        elif op.name == "if":
            self._if(op, active)
        elif op.name == "for":
            self._for(op, active)
        elif op.name == "while":
            self._while(op, active)

    def _enter(self, op: Op, active: list[bool]) -> None:
        if op.name == "grid":
            self.values.update(zip(op.region.params, (self.sample.block, 0, 0), strict=True))
        else:
            width, height, depth = self.sample.shape
            threads = range(self.sample.warp * WARP_SIZE, (self.sample.warp + 1) * WARP_SIZE)
            x, y, z = op.region.params
            self.values[x] = [each % width for each in threads]
            self.values[y] = [each // width % height for each in threads]
            self.values[z] = [each // width // height for each in threads]
            active = [each < width * height * depth for each in threads]
        self._region(op.region, active)

    def _if(self, op: Op, active: list[bool]) -> None:
        condition = self.lanes(op.operands[0])
        same = self.of(op.operands[0])
        if isinstance(same, int):
            self._try(op.regions[1 if same else 0], active)
        sides: list[list[bool]] = []
        yields: list[list[Row]] = []
        for region, truth in zip(op.regions, (True, False), strict=True):
            inside = [on and (each is None or bool(each) is truth) for on, each in zip(active, condition, strict=True)]
            if any(inside):
                self._region(region, inside)
            sides.append(inside)
            yields.append([self.of(each) for each in region.terminator.operands])
        both = [a and b for a, b in zip(*sides, strict=True)]
        for number, result in enumerate(op.results):
            then, other = yields[0][number], yields[1][number]
            self._set([result], [then], sides[0])
            self._set([result], [other], [b and not a for a, b in zip(*sides, strict=True)])
            if any(both) and then != other:
                self._set([result], [None], both)

    def _try(self, region: Region, active: list[bool]) -> None:
        """Run what another launch may run here. Values stay as they are, and who was last at a place, if anybody."""
        if region in self.tried:
            return
        self.tried.add(region)
        values, written = dict(self.values), dict(self.written)
        self._hear_of_loads()
        read = {word: dict(readers) for word, readers in self.read.items()}
        self._region(region, active)
        self._hear_of_loads()
        self.values, self.written, self.read = values, self.written | written, self.read | read

    def _for(self, op: Op, active: list[bool]) -> None:
        counter, *carried = op.region.params
        _, upper, step = op.operands[:3]
        kinds = [counter.type, counter.type]
        test = scalar_function("icmp", kinds, "i1", {"pred": op.attrs["pred"]})
        following = scalar_function("add", kinds, counter.type, {})
        assert test is not None
        assert following is not None
        self._set([counter, *carried], [self.of(op.operands[0]), *map(self.of, op.operands[3:])], active)
        for number in range(_MOST_ROUNDS):
            goes = self._each(lambda *each: compute(test, each), [self.of(counter), self.of(upper)])
            active = self._going_on(active, goes, number)
            if not any(active):
                break
            self._region(op.region, active)
            new = [self.of(each) for each in op.region.terminator.operands]
            next_ = self._each(lambda *each: compute(following, each), [self.of(counter), self.of(step)])
            self._set([counter, *carried], [next_, *new], active)
        self._leave(op, carried, active)

    def _while(self, op: Op, active: list[bool]) -> None:
        before, after = op.regions
        self._set(before.params, [self.of(each) for each in op.operands], active)
        for number in range(_MOST_ROUNDS):
            self._region(before, active)
            condition, *passed = before.terminator.operands
            rows = [self.of(each) for each in passed]
            self._set(op.results, rows, active)
            active = self._going_on(active, self.of(condition), number)
            if not any(active):
                return
            self._set(after.params, rows, active)
            self._region(after, active)
            self._set(before.params, [self.of(each) for each in after.terminator.operands], active)
        self._set(op.results, [None] * len(op.results), active)

    def _going_on(self, active: list[bool], goes: Row, number: int) -> list[bool]:
        row = goes if isinstance(goes, list) else [goes] * WARP_SIZE
        unknown = number < _UNKNOWN_ROUNDS
        return [on and (unknown if each is None else bool(each)) for on, each in zip(active, row, strict=True)]

    def _leave(self, op: Op, carried: list[Value], active: list[bool]) -> None:
        self._set(op.results, [self.of(each) for each in carried], [True] * WARP_SIZE)
        if any(active):
            self._set(op.results, [None] * len(op.results), active)

    # -- memory -------------------------------------------------------------------------------------------------------

    def _collective(self, op: Op, active: list[bool]) -> None:
        if op.name != "activemask":
            self.written.clear()
            self.read.clear()
            self.unmet.clear()
        if op.results:
            self._set(op.results, [None] * len(op.results), active)

    def _access(self, op: Op, active: list[bool]) -> None:
        pointer = op.operands[1] if op.name == "store" else op.operands[0]
        value = op.operands[0] if op.name == "store" else None
        places = self.lanes(pointer)
        size = types.size_of(
            value.type if value is not None else op.operands[-1].type if op.name != "load" else op.result.type
        )
        atomic = op.name in ("atomicrmw", "cmpxchg")
        if op.name != "store":
            self.unmet.append((op, places, active, size))
            if self.written:
                self._meet_writers(op, places, active, size)
        if atomic or op.name == "store":
            self._hear_of_loads()
            for lane, word in _words(places, active, size):
                self._writes(op, lane, word)
            for place in {each for each in places if each is not None}:
                for word in range(place, place + size, _WORD):
                    self.read.pop(word, None)
        if op.results:
            self._set(op.results, [self._loaded(op, pointer)], active)

    def _loaded(self, op: Op, pointer: Operand) -> Row:
        """A pointer from memory leads to an object of its own."""
        place = self.of(pointer)
        return self._object(place) if op.name == "load" and op.result.type == "ptr" and isinstance(place, int) else None

    def _meet_writers(self, op: Op, places: Sequence[Known], active: Sequence[bool], size: int) -> None:
        for lane, word in _words(places, active, size):
            if word in self.written:
                self._meet(*self.written[word], op, lane)

    def _hear_of_loads(self) -> None:
        """What was loaded counts as read. Only a store asks: most loads are forgotten at a barrier before one comes."""
        for op, places, active, size in self.unmet:
            for lane, word in _words(places, active, size):
                readers = self.read.setdefault(word, {})
                readers[op] = readers.get(op, 0) | 1 << lane
        self.unmet.clear()

    def _writes(self, op: Op, lane: int, word: int) -> None:
        for reader, lanes in self.read.get(word, {}).items():
            self._meet(reader, lanes, op, lane)
        before, lanes = self.written.get(word, (op, 0))
        self.written[word] = (op, (lanes if before is op else 0) | 1 << lane)

    def _meet(self, first: Op, lanes: int, then: Op, lane: int) -> None:
        """`lane` comes with `then` to what `lanes` have touched with `first`; not if it has done so itself: where all
        lanes use one place, one thread is meant."""
        if lanes and not lanes >> lane & 1 and not (_is_atomic(first) and _is_atomic(then)):
            self.pairs.setdefault((first, then))


def _words(places: Sequence[Known], active: Sequence[bool], size: int) -> Iterator[tuple[int, int]]:
    """The words that active lanes access: by which lane, and where."""
    for lane, place in enumerate(places):
        if active[lane] and place is not None:
            for word in range(place, place + size, _WORD):
                yield lane, word


def _is_atomic(op: Op) -> bool:
    return op.name in ("atomicrmw", "cmpxchg") or bool(op.attrs.get("ordering"))


def _integer_function(op: Op) -> Callable[..., Known] | None:
    """What an op on integers computes; None: it is no such op."""
    kinds = ["i64" if each.type == "ptr" else each.type for each in op.operands]
    function = scalar_function(op.name, kinds, op.result.type, op.attrs)
    return None if function is None else lambda *arguments: compute(function, arguments)


def _place_of(op: Op) -> Callable[..., Known] | None:
    """Where `gep` leads, for a base and indices as unsigned bits; None: it is a vector's, or not in bytes."""
    strides, offset = op.attrs.get("strides", ()), op.attrs.get("offset", 0)
    if not isinstance(strides, tuple) or not isinstance(offset, int) or op.result.type != "ptr":
        return None
    widths = [types.bits(each.type) for each in op.operands[1:]]
    return _place(offset, tuple(zip(widths, [each for each in strides if isinstance(each, int)], strict=True)))


@cache
def _place(offset: int, indices: tuple[tuple[int, int], ...]) -> Callable[..., Known]:
    """The function of `_place_of`. `indices`: how wide each is, and how many bytes lie between two."""
    names = [f"a{number}" for number in range(len(indices))]
    parts = [
        f"(({name} ^ {1 << width - 1}) - {1 << width - 1}) * {factor}"
        for name, (width, factor) in zip(names, indices, strict=True)
    ]
    made: Callable[..., Known] = eval(
        f"lambda {', '.join(['base', *names])}: {' + '.join(['base', str(offset), *parts])}"
    )
    return made
