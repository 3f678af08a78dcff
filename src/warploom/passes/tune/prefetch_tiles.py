# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ask for the next tile while a block works on the present one.

    for %start = 0, %n, 16 {                          for %start = 0, %n, 16 {
      for %y = 0, 16, 1 {                               for %y = 0, 16, 1 { ... as before ... }
        %x = load %b + (%start + %y) * %n      ==>      for %k = 0, 16, 2 {
        store %x, @tile + %y                              prefetch %b + (%start + %k) * %n + (16 * %n)
      }                                                   prefetch %b + (%start + (%k + 1)) * %n + (16 * %n)
      for %k = 0, 16, 2 { 60 instructions }               60 instructions
    }                                                   }
                                                      }

Each trip of the loop that computes asks for a part of the tile: all at once would be more lines than a processor can
have under way, and what it loads itself would stand in line behind them. Both loop nests have numbers of trips that are
known, powers of two; the bits of a trip's number say which of the loads it is to ask for. Sound as in
prefetch.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import signed_value
from warploom.analysis.steps import Steps, in_bytes, trips_of
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import Builder, Const, Op, Operand, Value, clone_op, int_const

MOST_AT_ONCE = 8  # lines that a trip asks for: a processor has some 12 under way, with what the trip itself loads
LEAST_WORK = 6  # instructions for each line
LEAST_TRIP = 64  # instructions, so that its number and the addresses cost little
_LINE = 64
_COUNTER = "i32"

Prefetch = Callable[[Builder, Operand, bool], None]  # asks for a line: into the first cache, or the second


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops around each other, outer ones first, and their trips: powers of two."""

    loops: tuple[Op, ...]
    trips: tuple[int, ...]

    @property
    def total(self) -> int:
        """How often the innermost body runs."""
        return prod(self.trips)


def lines_of(load: Op) -> int:
    """The lines that a load reads."""
    return -(-types.size_of(load.result.type) // _LINE)


def loads_in(loop: Op, ranges: Ranges, around: Nest | None = None) -> Iterator[tuple[Op, Nest]]:
    """The loads right in the loops of a nest."""
    nest = _with(around, loop, ranges)
    if nest is None:
        return
    for op in loop.region.body:
        if op.name == "for":
            yield from loads_in(op, ranges, nest)
        elif op.name == "load":
            yield op, nest


def host_of(loop: Op, most: int, ranges: Ranges, work: Callable[[Op], int]) -> Nest | None:
    """The loops of `loop`, as many as make no more than `most` trips: always the one that does most inside another."""
    nest: Nest | None = None
    inner: Op | None = loop
    while inner is not None:
        further = _with(nest, inner, ranges)
        if further is None or further.total > most or not _counts_from_zero(inner):
            break
        if nest is not None and work(inner) < LEAST_TRIP * further.trips[-1]:
            break
        nest = further
        inner = max((op for op in inner.region.body if op.name == "for"), key=work, default=None)
    return nest


def _with(around: Nest | None, loop: Op, ranges: Ranges) -> Nest | None:
    """The nest and a loop inside it; None where its trips are not known or no power of two."""
    least, most = trips_of(loop, ranges)
    if least != most or least & (least - 1) or not least or loop.region.params[0].type != _COUNTER:
        return None
    loops, trips = (around.loops, around.trips) if around else ((), ())
    return Nest((*loops, loop), (*trips, least))


def _counts_from_zero(loop: Op) -> bool:
    """Whether a counter's bits are the number of the trip."""
    lower, step = (
        signed_value(each) if isinstance(each, Const) else None for each in (loop.operands[0], loop.operands[2])
    )
    return lower == 0 and step is not None and step & (step - 1) == 0


class Tile:
    """What `load` reads in all trips of `nest`, as a first address and a step for each loop.

    `build` writes between the nest and what computes on the tile.
    """

    def __init__(self, load: Op, nest: Nest, definitions: dict[Value, Op], build: Builder) -> None:
        self.load, self.nest, self.build = load, nest, build
        steps = [Steps(loop, definitions).of(load.operands[0]) for loop in nest.loops]
        self.steps = [each for each in steps if each is not None]

    @property
    def is_regular(self) -> bool:
        """Whether all steps are known."""
        return len(self.steps) == len(self.nest.loops)

    def lines_of_row(self) -> int | None:
        """The lines of what one loop reads side by side; None where it is no such row."""
        if not self.is_regular or len(self.steps) != 1 or self.steps[0].factors:
            return None
        size, step = types.size_of(self.load.result.type), self.steps[0].number
        return -(-(step * (self.nest.total - 1) + size) // _LINE) if 0 < step <= size else None

    def start(self, further: Operand) -> Operand:
        """The first address, `further` bytes on."""
        mapping: dict[Value, Operand] = {}
        needed = _address_ops(self.load, self.nest)
        address = self.load.operands[0]
        for loop in self.nest.loops:
            lower = loop.operands[0]
            mapping[loop.region.params[0]] = mapping.get(lower, lower) if isinstance(lower, Value) else lower
            for op in loop.region.body:
                if op in needed:
                    self.build.add(clone_op(op, mapping))
        start = mapping.get(address, address) if isinstance(address, Value) else address
        return self.build.op("gep", [start, further], "ptr", offset=0, strides=(1,))

    def prefetches(self, host: Nest, start: Operand, prefetch: Prefetch, most_near: int) -> list[Op]:
        """What the body of `host` asks for: its share of the loads, `start` being the first one's address.

        No more than `most_near` lines of the tile are to come into the first cache, where they have to live beside the
        present tile; the others wait in the second.
        """
        ops: list[Op] = []
        inside = Builder(ops, self.load.loc)
        share = self.nest.total // host.total
        near = share * most_near // (self.nest.total * lines_of(self.load))
        number = inside.op("mul", [_trip(host, inside), int_const(_COUNTER, share)], _COUNTER)
        place = start
        for index, step in zip(_indices(number, self.nest, inside), self.steps, strict=True):
            wide = inside.op("zext", [index], "i64")
            further = inside.op("mul", [wide, in_bytes(step, 1, self.build)], "i64")
            place = inside.op("gep", [place, further], "ptr", offset=0, strides=(1,))
        for each in range(share):
            # From one base with what is known before the loop: LLVM would make vectors of other sums.
            there = inside.op("gep", [place, self._distance(each)], "ptr", offset=0, strides=(1,)) if each else place
            for line in range(lines_of(self.load)):
                at = inside.op("gep", [there], "ptr", offset=_LINE * line, strides=()) if line else there
                prefetch(inside, at, each < near)
        return ops

    def _distance(self, number: int) -> Operand:
        """From the first load to the one `number`, in bytes."""
        total: Operand = int_const("i64", 0)
        for trips, step in zip(reversed(self.nest.trips), reversed(self.steps), strict=True):
            total = self.build.op("add", [total, in_bytes(step, number % trips, self.build)], "i64")
            number //= trips
        return total


def _trip(host: Nest, build: Builder) -> Operand:
    """The number of the trip at hand, of all those that `host` makes."""
    number: Operand = int_const(_COUNTER, 0)
    for loop, trips in zip(host.loops, host.trips, strict=True):
        step = signed_value(loop.operands[2]) if isinstance(loop.operands[2], Const) else 1
        index = build.op("lshr", [loop.region.params[0], int_const(_COUNTER, (step or 1).bit_length() - 1)], _COUNTER)
        outer = build.op("mul", [number, int_const(_COUNTER, trips)], _COUNTER)
        number = build.op("add", [outer, index], _COUNTER)
    return number


def _indices(number: Operand, nest: Nest, build: Builder) -> list[Operand]:
    """The numbers of the trips of each loop, in the trip `number` of all."""
    found: list[Operand] = []
    for trips in reversed(nest.trips[1:]):
        found.append(build.op("and", [number, int_const(_COUNTER, trips - 1)], _COUNTER))
        number = build.op("lshr", [number, int_const(_COUNTER, trips.bit_length() - 1)], _COUNTER)
    return [number, *reversed(found)]


def _address_ops(load: Op, nest: Nest) -> set[Op]:
    """What computes the address of `load`, in any of the loops around it."""
    wanted: set[Operand] = {load.operands[0]}
    found: set[Op] = set()
    for loop in reversed(nest.loops):
        for op in reversed(loop.region.body):
            if not op.regions and not wanted.isdisjoint(op.results):
                found.add(op)
                wanted.update(op.operands)
    return found
