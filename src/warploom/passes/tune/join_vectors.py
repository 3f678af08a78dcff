# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lies across two vectors in registers comes from them, not from memory.

    %a = load %p                                  %a = load %p
    %b = load %p + 64                             %b = load %p + 64
    %x = load %p + 4     (16 floats each)  ==>    %x = shufflevector %a %b [mask=(1, 2, ..., 16)]

The neighbours in a row of a tile whose rows are as long as a vector: such a load touches two cache lines and, soon
after the tile was written, what two stores have yet to write. A processor passes on the bytes of one store to loads
within it; for those of two the load waits until both have reached the cache. Vectors shorter than a cache line seldom
touch two, and where a vector has several registers a shuffle has several steps: these stay.

Sound because the bytes are the same ones: all three addresses have one base and differ by constants, nothing writes to
memory between the first and the last of the loads, and all are in one sequence of ops, so that each happens when the
others do. Only in shared memory and in a thread's own: elsewhere no store came just before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from warploom.analysis.byte_addresses import Addresses
from warploom.analysis.sums import Sum
from warploom.ir import types
from warploom.ir.core import Const, Function, Op, Operand, Region, Value, walk
from warploom.ir.ops import is_plain_load, leaves_memory
from warploom.ir.properties import is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.cache_lines import LINE

NAME = "join_vectors"

# Loads of one type that are constants apart: what they have in common, and by where they lie.
_Rows = dict[tuple[Operand, Sum[Value], str], dict[int, Op]]


class _Joiner:
    """Rewrites one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions = {value: op for op in walk(function.body) for value in op.results}
        self.addresses = Addresses(self.definitions)
        self.joined = 0

    def region(self, region: Region) -> None:
        """Rewrite the loads of `region` and below."""
        for op in region.ops:
            for inner in op.regions:
                self.region(inner)
        for stretch in list(_stretches(region)):
            for places in self._rows(stretch).values():
                self._join(region, places)

    def _rows(self, stretch: list[Op]) -> _Rows:
        """The loads of vectors, by what they have in common and then by the bytes that they are apart."""
        rows: _Rows = {}
        for op in stretch:
            if not is_plain_load(op) or not _is_line(op.result.type):
                continue
            address = self.addresses.of(op.operands[0])
            if self._is_own(address.root):
                row = (*address.row(), op.result.type)
                rows.setdefault(row, {}).setdefault(address.offset, op)
        return rows

    def _is_own(self, root: Operand) -> bool:
        """Whether `root` is memory of the block or of a thread."""
        if isinstance(root, Const):
            return isinstance(root.value, str) and root.value.removeprefix("@") in self.function.shared
        made = self.definitions.get(root)
        return made is not None and made.name in ("alloca", "scratch")

    def _join(self, region: Region, places: dict[int, Op]) -> None:
        size = types.size_of(next(iter(places.values())).result.type)
        (kept, _), *_ = Counter(place % size for place in places).most_common(1)
        for place, load in places.items():
            lanes = types.lanes_of(load.result.type)
            before = place - (place - kept) % size
            one, two = places.get(before), places.get(before + size)
            if before == place or lanes is None or one is None or two is None or (place - before) * lanes % size:
                continue
            if not all(_moves_before(region, source, load) for source in (one, two)):
                continue
            first = (place - before) * lanes // size
            load.name, load.operands = "shufflevector", [one.result, two.result]
            load.attrs = {"mask": tuple(range(first, first + lanes))}
            self.joined += 1


def _is_line(type_: str) -> bool:
    """Whether a value is a vector that fills a cache line."""
    return types.is_vector(type_) and types.element_of(type_) != "i1" and types.size_of(type_) == LINE


def _stretches(region: Region) -> Iterator[list[Op]]:
    """The parts of a sequence of ops in which memory stays as it is."""
    stretch: list[Op] = []
    for op in list(region.ops):
        if leaves_memory(op):
            stretch.append(op)
        else:
            yield stretch
            stretch = []
    yield stretch


def _moves_before(region: Region, source: Op, place: Op) -> bool:
    """Move `source`, and what computes its address, before `place`; whether that can be."""
    start, end = region.ops.index(place), region.ops.index(source)
    needed: set[Value] = {each for each in source.operands if isinstance(each, Value)}
    moved = [source]
    for op in reversed(region.ops[start:end]):
        if not needed.isdisjoint(op.results):
            if not is_speculatable(op):
                return False
            needed |= {each for each in op.operands if isinstance(each, Value)}
            moved.append(op)
    if start < end:
        left = [op for op in region.ops[start : end + 1] if op not in moved]
        region.ops[start : end + 1] = [*reversed(moved), *left]
    return True


def run(function: Function, context: Context) -> bool:
    """Take what lies across two loaded vectors from these."""
    joiner = _Joiner(function)
    joiner.region(function.body)
    if joiner.joined:
        context.remark(NAME, f"{joiner.joined} loads became shuffles of the vectors beside them", function.loc)
    return joiner.joined > 0


JOIN_VECTORS = Pass(NAME, run, requires=(FLAT,), serves=lambda processor: processor.vector_bits == 8 * LINE)
