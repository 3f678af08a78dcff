# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ask for the pieces of rows that the next block loads and stores.

    grid %gdx, ... { (%bx, ...)                   grid %gdx, ... { (%bx, ...)
      for %y = 0, 16, 1 {                           %d = select (%bx + 1 < %gdx), 64, 0
        store ..., %p + (%bx * 16 + %y * %n)  ==>   for %y = 0, 16, 1 {
      }                                               %q = gep %p + (%bx * 16 + %y * %n)
    }                                                 prefetch %q + %d + 63
                                                      store ..., %q
                                                    }
                                                  }

A block that works on a tile of a matrix touches a short piece of each of many rows, and each row may lie in a page of
its own, where a processor's prefetchers follow nothing or only the loads. One core runs neighbouring blocks one after
the other, so while it computes, the lines of the next tile can be on their way. A store's line too has to be there
before the store leaves the processor, and all later stores wait behind it.

Into the second cache: rows that are a multiple of a page long, or nearly, have their pieces in few sets of the first
one, where they would push each other out before they are used.

One prefetch for each piece, of its end: the line of its beginning holds the end of the piece before it, which a block
has used not long ago. Where the next block lies in other rows (tiles of a diagonal) it has not, and accesses as
long as a line are asked for by both ends. Pieces that a loop joins to a long run of memory are left to the processor.

By how much an address grows from block to block is guessed (a sum that wraps, a loop that runs differently there: both
give another place). Sound as in prefetch.py: a prefetch has no result, and faults nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import signed_value
from warploom.analysis.steps import Step, Steps, in_bytes, trips_of
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import (
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    defined_in,
    flags_of,
    free_values,
    int_const,
    walk,
)
from warploom.ir.properties import is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.cache_lines import (
    LINE,
    PREFETCH_CALLEE,
    instructions,
    is_out_of_reach,
    may_be_far,
    prefetch_in_each,
    prefetch_line,
)

NAME = "prefetch_blocks"
MOST_LINES = 128  # of one block: they must stay in the second cache until they are used
LONGEST_PIECE = 256  # bytes: behind so many a processor's prefetchers have caught up
LEAST_WORK = 6  # instructions for each line
_ACCESSES = {"load": 0, "masked_load": 0, "store": 1, "masked_store": 1}  # where the address is
_EXTENSIONS = frozenset("sext zext trunc freeze".split())

Growth = dict[tuple[Value, ...], int]  # a sum of products of values, each times a number


def _plus(one: Growth, other: Growth, times: int = 1) -> Growth:
    total = dict(one)
    for factors, number in other.items():
        total[factors] = total.get(factors, 0) + times * number
    return {factors: number for factors, number in total.items() if number}


def _times(growth: Growth, by: Operand) -> Growth | None:
    if isinstance(by, Const):
        number = signed_value(by)
        return None if number is None else _plus({}, growth, number)
    return {(*factors, by): number for factors, number in growth.items()}


@dataclass(slots=True)
class BlockGrowth:
    """By how much values grow from one block to the next in x; None where that is not known."""

    grid: Op
    definitions: dict[Value, Op]
    inside: set[Value] = field(init=False)
    counters: dict[Value, Op] = field(init=False)
    found: dict[Value, Growth | None] = field(init=False)

    def __post_init__(self) -> None:
        self.inside = defined_in(self.grid)
        self.counters = {op.region.params[0]: op for op in walk(self.grid.region) if op.name == "for"}
        self.found = {each: {} for each in self.grid.region.params}
        self.found[self.grid.region.params[0]] = {(): 1}

    def of(self, value: Operand) -> Growth | None:
        """How `value` grows, in terms of what does not."""
        if isinstance(value, Const) or value not in self.inside:
            return {}
        if value not in self.found:
            self.found[value] = None  # what a loop carries to itself
            self.found[value] = self._of(value)
        return self.found[value]

    def _of(self, value: Value) -> Growth | None:
        if loop := self.counters.get(value):
            return self.of(loop.operands[0])  # trip by trip
        op = self.definitions.get(value)
        if op is None:
            return None
        if op.regions or not is_speculatable(op):
            return (
                {}
                if op.name not in ("gather", "gather_near") and all(self.of(each) == {} for each in free_values(op))
                else None
            )
        if op.name in _EXTENSIONS:
            return self.of(op.operands[0])
        grown = [self.of(each) for each in op.operands]
        known = [each for each in grown if each is not None]
        if len(known) < len(grown):
            return None
        return self._of_arithmetic(op, known) if any(known) else {}

    def _of_arithmetic(self, op: Op, grown: list[Growth]) -> Growth | None:
        if op.name == "gep":
            strides = op.attrs["strides"]
            assert isinstance(strides, tuple), "gep: strides is no tuple"
            total = grown[0]
            for growth, stride in zip(grown[1:], strides, strict=True):
                assert isinstance(stride, int), "gep: a stride is no number"
                total = _plus(total, growth, stride)
            return total
        if op.name in ("add", "sub"):
            return _plus(grown[0], grown[1], 1 if op.name == "add" else -1)
        if op.name == "xor" and op.operands[1] == int_const(op.result.type, -1):
            return _plus({}, grown[0], -1)  # LLVM writes n - 1 - b as n + ~b
        if op.name == "mul" and not all(grown):
            return _times(grown[0], op.operands[1]) if grown[0] else _times(grown[1], op.operands[0])
        if op.name == "shl" and isinstance(op.operands[1], Const):
            return _plus({}, grown[0], 1 << (signed_value(op.operands[1]) or 0))
        return None


# -- questions --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """What an access touches, with the region that it stands in, the loops around it, outer ones first, and the region
    that these stand in."""

    access: Op
    region: Region
    loops: tuple[Op, ...]
    home: Region

    @property
    def outermost(self) -> Op:
        """What stands in `home`: the loops or, where there are none, the access."""
        return self.loops[0] if self.loops else self.access

    @property
    def pointer(self) -> Operand:
        """The address."""
        return self.access.operands[_ACCESSES[self.access.name]]

    @property
    def size(self) -> int:
        """Bytes of one access."""
        access = self.access
        return types.size_of(access.operands[0].type if "store" in access.name else access.result.type)


def pieces_in(region: Region, loops: tuple[Op, ...] = (), home: Region | None = None) -> Iterator[Piece]:
    """The accesses that run once a block, or once for each trip of loops; not what a `while` holds."""
    for op in region.ops:
        if op.name in _ACCESSES:
            yield Piece(op, region, loops, home or region)
        elif op.name == "for":
            yield from pieces_in(op.region, (*loops, op), home or region)
        elif op.name == "if":
            for inner in op.regions:
                yield from pieces_in(inner, loops, home)


def most_trips(loop: Op, ranges: Ranges) -> int | None:
    """How often a loop runs at most: by its bounds, or by the range of a row's number."""
    most = trips_of(loop, ranges)[1]
    if most is not None:
        return most
    step = loop.operands[2]
    for op in loop.region.body:
        limits = op.attrs.get("range")
        if op.name == "add" and loop.region.params[0] in op.operands and isinstance(limits, tuple):
            first, last = limits
            if "nuw" in flags_of(op) and step == int_const(step.type, 1) and isinstance(last, int) and first == 0:
                return last + 1
    return None


def roots_of(factors: Sequence[Value], definitions: dict[Value, Op]) -> set[Value]:
    """What `factors` are multiples of."""
    found: set[Value] = set()
    for value in factors:
        while (op := definitions.get(value)) and (
            op.name in _EXTENSIONS or (op.name in ("mul", "shl") and isinstance(op.operands[1], Const))
        ):
            operand = op.operands[0]
            if not isinstance(operand, Value):
                break
            value = operand
        found.add(value)
    return found


def places_in(size: int, changes_rows: bool) -> list[int]:
    """The bytes, counted from its address, that an access of the next block is asked for by."""
    ends = [min(end, size) - 1 for end in range(LINE, size + LINE, LINE)]
    return [0, *ends] if changes_rows and size >= LINE else ends


def tile_of(piece: Piece, growth: Growth, ranges: Ranges, steps: Callable[[Op], Steps]) -> tuple[list[int], int] | None:
    """By which bytes of each access, and how often, to ask in a block; None where that is too much, or where the
    processor asks by itself."""
    definitions = ranges.definitions
    grows_by = roots_of([each for factors in growth for each in factors], definitions)
    run, times, is_scattered, changes_rows = piece.size, 1, False, is_out_of_reach(Step(growth.get((), 0)))
    for loop in reversed(piece.loops):
        trips, step = most_trips(loop, ranges), steps(loop).of(piece.pointer)
        if trips is None or step is None:
            return None
        if is_out_of_reach(step):
            is_scattered = True
            changes_rows |= not grows_by.isdisjoint(roots_of(step.factors, definitions))
        elif step.number:
            run += abs(step.number) * (trips - 1)
        times *= trips
    # A processor fetches what is loaded from rows that go on; what is stored it waits for.
    is_far = any(is_out_of_reach(Step(number, factors)) for factors, number in growth.items())
    wanted = is_far or (is_scattered and "store" in piece.access.name)
    places = places_in(piece.size, changes_rows)
    return (places, times) if wanted and run <= LONGEST_PIECE and times * len(places) <= MOST_LINES else None


# -- rewriting --------------------------------------------------------------------------------------------------------


def _distance(piece: Piece, growth: Growth, grid: Op) -> Operand | None:
    """The bytes from a block's piece to the next one's, before the loops; None where that cannot be computed there."""
    within = defined_in(piece.outermost)
    if any(factor in within for factors in growth for factor in factors):
        return None
    before: list[Op] = []
    build = Builder(before, piece.access.loc)
    total: Operand | None = None
    for factors, number in growth.items():
        part = in_bytes(Step(number, factors), 1, build)
        total = part if total is None else build.op("add", [total, part], "i64")
    assert total is not None, "an address that does not grow"
    bx = grid.region.params[0]
    following = build.op("add", [bx, int_const(bx.type, 1)], bx.type)
    is_there = build.op("icmp", [following, grid.operands[0]], "i1", pred="ult")
    found = build.op("select", [is_there, total, int_const("i64", 0)], "i64")
    at = piece.home.ops.index(piece.outermost)
    piece.home.ops[at:at] = before
    return found


def _ask(piece: Piece, places: Sequence[int], distance: Operand) -> None:
    ops: list[Op] = []
    build = Builder(ops, piece.access.loc)
    for place in places:
        prefetch_line(build, build.op("gep", [piece.pointer, distance], "ptr", offset=place, strides=(1,)), near=False)
    at = piece.region.ops.index(piece.access)
    piece.region.ops[at:at] = ops


def chosen(
    pieces: Sequence[Piece], growths: BlockGrowth, function: Function, ranges: Ranges
) -> list[tuple[Piece, Growth, list[int]]]:
    """The pieces to ask for, first come first, as far as the cache holds them and the block has work to do: how each
    grows, and by which bytes of each access."""
    found: list[tuple[Piece, Growth, list[int]]] = []
    seen: set[Operand] = set()
    left = MOST_LINES
    bits = function.facts.processor.vector_bits

    @cache
    def work() -> int:
        return instructions(growths.grid.region, bits)

    @cache
    def steps(loop: Op) -> Steps:  # one loop has many accesses
        return Steps(loop, ranges.definitions)

    for piece in pieces:
        pointer = piece.pointer
        growth = growths.of(pointer) if may_be_far(pointer, function, ranges.definitions) else None
        tile = tile_of(piece, growth, ranges, steps) if growth and pointer not in seen else None
        if growth is None or tile is None:
            continue
        places, times = tile
        lines = times * len(places)
        if lines > left or work() < (MOST_LINES - left + lines) * LEAST_WORK:
            continue
        seen.add(pointer)
        left -= lines
        found.append((piece, growth, places))
    return found


def prefetch_in(grid: Op, function: Function, ranges: Ranges) -> bool:
    """Write prefetches for the next block of `grid`; whether there are any."""
    growths = BlockGrowth(grid, ranges.definitions)
    changed = False
    for piece, growth, places in chosen(list(pieces_in(grid.region)), growths, function, ranges):
        distance = _distance(piece, growth, grid)
        if distance is not None:
            _ask(piece, places, distance)
            changed = True
    return changed


def run(function: Function, context: Context) -> bool:
    """Write prefetches for all grids of `function`, where there are none yet."""
    if any(op.attrs.get("callee") == PREFETCH_CALLEE for op in walk(function.body)):
        return False
    grids = [op for op in walk(function.body) if op.name == "grid"]
    remark = NAME, "what the next block loads and stores is prefetched"
    return prefetch_in_each(grids, function, context, prefetch_in, remark)


PREFETCH_BLOCKS = Pass(NAME, run, requires=(FLAT,))
