# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses with a small stride: the members of a struct a thread, every second element.

    %x: float = load %p       (stride 12)         %w: <48 x float> = load %p
    %z: float = load %p + 8                 ==>   %x = shufflevector %w [mask=(0, 3, 6, ...)]
                                                  %z = shufflevector %w [mask=(2, 5, 8, ...)]

Stores put fields together the same way, and write no byte between them: under a mask where there are gaps. LLVM makes
of such shuffles what the processor is best at. Which accesses are a group, and why they may move to one place:
analysis/strided_groups.py.

Sound because nothing is read before the first thread's first field or behind the last one's last field, nor of a thread
that is not active. Gaps between those are narrower than a page: whoever may read both ends may read them. Where the
last field is not the last element of the stride, the loads are of one register each, and the last one ends with that
field.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from warploom.analysis.access_group import AccessGroup
from warploom.analysis.vector_cost import masks_pay, processor_of
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand
from warploom.passes.widen import Lanes
from warploom.passes.widen_memory import MemoryWidener


class StridedWidener(MemoryWidener):
    """Writes groups of loads and stores."""

    def _op_load(self, op: Op) -> None:
        group = self.shapes.groups.get(op)
        if group is None:
            super()._op_load(op)
        elif op is group.place:
            self._load_group(group)

    def _op_store(self, op: Op) -> None:
        group = self.shapes.groups.get(op)
        if group is None:
            super()._op_store(op)
        elif op is group.place:
            for row in self.rows_of(self._dims(group)):
                self._store_group(group, row)

    def _dims(self, group: AccessGroup) -> int:
        """Along which axes anything in the group differs."""
        dims = 0
        for op in group.members:
            dims |= self.dims_of(op)
        return dims

    def _holds(self, group: AccessGroup, mask: Operand | None, row: int) -> Operand | None:
        """Whether the stride holds, and all threads are active where there are no masked accesses; None: surely."""
        claims = self.get(group.place.operands[-1], row).claims
        guard = self.holding(claims, row, self._dims(group))
        if mask is None or processor_of(self.shapes).has_masks(group.size):
            return guard
        every = self.build.op("reduce", [mask], "i1", kind="and")
        return every if guard is None else self.build.op("and", [guard, every], "i1")

    def _start(self, group: AccessGroup, row: int) -> Operand:
        """The address of the first thread's first field."""
        place = group.place
        return self._at(self.scalar(place.operands[-1], row), -group.members[place] * group.size)

    def _aligned(self, group: AccessGroup) -> int:
        return min(self._align(op) for op in group.members)

    def _lanes(self, group: AccessGroup) -> int:
        """Elements of one register, or all threads where these are fewer."""
        if self.width & (self.width - 1):
            return self.width
        return min(self.width, processor_of(self.shapes).lanes(group.size))

    def _wanted(self, group: AccessGroup, mask: Operand | None, at: int, fields: Collection[int]) -> Operand:
        """Which elements of a register, whose first one is element `at`, are `fields` of active threads.

        A shuffle of single bits takes LLVM an instruction a bit, so each element asks for its thread's bit.
        """
        count = self._lanes(group)
        elements = range(at, at + count)
        threads = [each // group.stride if each % group.stride in fields else None for each in elements]
        if mask is None:
            bits = ", ".join("i1 false" if each is None else "i1 true" for each in threads)
            return Const(types.vector("i1", count), f"<{bits}>")
        lane = f"i{max(8 * group.size, self.width)}"
        numbers = ", ".join(f"{lane} {0 if each is None else 1 << each}" for each in threads)
        type_ = types.vector(lane, count)

        def spread() -> Operand:
            active: Operand = self._bits(mask)
            if active.type != lane:
                active = self.build.op("zext", [active], lane)
            return self.build.op("splat", [active], type_)

        def make() -> Operand:
            all_ = self.cached(("bits", mask, type_), spread)
            mine = self.build.op("and", [all_, Const(type_, f"<{numbers}>")], type_)
            return self.build.op("icmp", [mine, Const(type_, "zeroinitializer")], types.vector("i1", count), pred="ne")

        return self.cached(("wanted", mask, numbers), make)

    def _at(self, start: Operand, offset: int) -> Operand:
        return self.build.op("gep", [start], "ptr", offset=offset, strides=()) if offset else start

    def _shuffled(self, one: Operand, other: Operand | None, mask: Sequence[int]) -> Operand:
        other = other or Const(one.type, "poison")
        if one.type == other.type and tuple(mask) == tuple(range(types.lanes_of(one.type) or 0)):
            return one
        type_ = types.vector(types.element_of(one.type), len(mask))
        return self.build.op("shufflevector", [one, other], type_, mask=tuple(mask))

    def _as_vector(self, vector: Operand, type_: str) -> Operand:
        return vector if vector.type == type_ else self.build.op("bitcast", [vector], type_)

    # -- loads

    def _load_group(self, group: AccessGroup) -> None:
        fields = sorted(set(group.members.values()))
        rows = [self._fields(group, fields, row) for row in self.rows_of(self._dims(group))]
        for op, at in group.members.items():
            type_ = types.vector(op.result.type, self.width)
            self.values[op.result] = [Lanes(vector=self._as_vector(row[fields.index(at)], type_)) for row in rows]

    def _fields(self, group: AccessGroup, fields: Sequence[int], row: int) -> list[Operand]:
        """One vector for each field."""
        mask = self.mask(row, self._dims(group))
        masked = mask if processor_of(self.shapes).has_masks(group.size) else None
        guard = self._holds(group, mask, row)
        if guard is None:
            return self._taken_apart(group, fields, masked, row)

        def gathers() -> list[Operand]:
            return [self._gather_field(group, at, row) for at in fields]

        return list(self._either(guard, lambda: self._taken_apart(group, fields, masked, row), gathers))

    def _gather_field(self, group: AccessGroup, at: int, row: int) -> Operand:
        """Other fields' own addresses may not be there yet."""
        place = group.place
        places, offset = self.vector(place.operands[0], row), (at - group.members[place]) * group.size
        if offset:
            places = self.build.op("gep", [places], places.type, offset=offset, strides=())
        type_ = types.vector(_unit(group), self.width)
        places, mask = self.places(places, self.mask(row, self._dims(group)))
        return self.build.op("gather", [places, mask, Const(type_, "poison")], type_, align=self._aligned(group))

    def _taken_apart(self, group: AccessGroup, fields: Sequence[int], mask: Operand | None, row: int) -> list[Operand]:
        if mask is not None or group.span < group.stride:
            parts = [self._part(group, fields, mask, row, at) for at in range(0, self.width, self._lanes(group))]
            return [self._concatenated([part[number] for part in parts]) for number in range(len(fields))]
        type_ = types.vector(_unit(group), self.width * group.stride)
        all_ = self.build.op("load", [self._start(group, row)], type_, align=self._aligned(group))
        return [self._shuffled(all_, None, range(at, self.width * group.stride, group.stride)) for at in fields]

    def _part(
        self, group: AccessGroup, fields: Sequence[int], mask: Operand | None, row: int, first: int
    ) -> list[Operand]:
        """The fields of as many threads as a register has elements, the first one of which is thread `first`."""
        lanes, stride = self._lanes(group), group.stride
        end = (lanes - 1) * stride + group.span
        places = [at if mask is not None else min(at, end - lanes) for at in range(0, lanes * stride, lanes)]
        loaded = [self._register(group, mask, row, first * stride + place) for place in places]
        found: list[Operand] = []
        for at in fields:
            parts: list[tuple[Operand, dict[int, int]]] = []
            for number, (register, place) in enumerate(zip(loaded, places, strict=True)):
                elements = {lane: lane * stride + at for lane in range(lanes)}
                mine = {lane: each - place for lane, each in elements.items() if each // lanes == number}
                if mine:
                    parts.append((register, mine))
            found.append(self._merged(parts, lanes))
        return found

    def _register(self, group: AccessGroup, mask: Operand | None, row: int, element: int) -> Operand:
        """A register full of elements."""
        align, start = self._aligned(group), self._at(self._start(group, row), element * group.size)
        type_ = types.vector(_unit(group), self._lanes(group))
        if mask is None:
            return self.build.op("load", [start], type_, align=align)
        wanted = self._wanted(group, mask, element, range(group.span))
        return self.build.op("masked_load", [start, wanted, Const(type_, "poison")], type_, align=align)

    def _merged(self, parts: Sequence[tuple[Operand, dict[int, int]]], lanes: int) -> Operand:
        """One vector of what several have; each with lane -> the element that this lane gets."""
        work = list(parts)
        while len(work) > 1 or work[0][1] != {lane: lane for lane in range(lanes)}:
            pairs = [work[at : at + 2] for at in range(0, len(work), 2)]
            work = [self._merged_two(pair, lanes) if len(pair) == 2 or len(work) == 1 else pair[0] for pair in pairs]
        return work[0][0]

    def _merged_two(self, pair: Sequence[tuple[Operand, dict[int, int]]], lanes: int) -> tuple[Operand, dict[int, int]]:
        (one, mine), *rest = pair
        other, others = rest[0] if rest else (None, dict[int, int]())
        mask = [mine.get(lane, others[lane] + lanes if lane in others else -1) for lane in range(lanes)]
        return self._shuffled(one, other, mask), {lane: lane for lane in (*mine, *others)}

    def _concatenated(self, parts: Sequence[Operand]) -> Operand:
        work = list(parts)
        while len(work) > 1:
            work = [self._joined(*work[at : at + 2]) for at in range(0, len(work), 2)]
        return work[0]

    # -- stores

    def _store_group(self, group: AccessGroup, row: int) -> None:
        mask, processor = self.mask(row, self._dims(group)), processor_of(self.shapes)

        def scatters() -> list[Operand]:
            return [each for op in group.members for each in self._scatter(op, row)]

        if not group.is_whole and not masks_pay(processor, group):
            scatters()
            return
        guard = self._holds(group, mask, row)
        masked = mask if processor.has_masks(group.size) else None
        if guard is None:
            self._put_together(group, masked, row)
        else:
            self._either(guard, lambda: self._put_together(group, masked, row), scatters)

    def _put_together(self, group: AccessGroup, mask: Operand | None, row: int) -> list[Operand]:
        type_ = types.vector(_unit(group), self.width)
        fields = {at: self._as_vector(self.vector(op.operands[0], row), type_) for op, at in group.members.items()}
        start, align = self._start(group, row), self._aligned(group)
        if group.is_whole and mask is None:
            all_ = self._interleaved([fields[at] for at in range(group.stride)])
            self.build.effect("store", [all_, start], align=align)
            return []
        lanes = self._lanes(group)
        for at in range(0, self.width * group.stride, lanes):
            register = self._woven(group, fields, at)
            if register is not None:
                wanted = self._wanted(group, mask, at, fields)
                self.build.effect("masked_store", [register, self._at(start, at * group.size), wanted], align=align)
        return []

    def _woven(self, group: AccessGroup, fields: dict[int, Operand], first: int) -> Operand | None:
        """The register whose first element is `first`; None where it is but a gap."""
        lanes, total = self._lanes(group), None
        have: dict[int, int] = {}
        for at, field in sorted(fields.items()):
            threads = {
                lane: (first + lane) // group.stride for lane in range(lanes) if (first + lane) % group.stride == at
            }
            if not threads:
                continue
            window = min(min(threads.values()) // lanes * lanes, self.width - lanes)
            if max(threads.values()) >= window + lanes:
                window = min(min(threads.values()), self.width - lanes)
            part = self._shuffled(field, None, range(window, window + lanes))
            mine = {lane: thread - window for lane, thread in threads.items()}
            total, have = self._merged_two([(part, mine)] if total is None else [(total, have), (part, mine)], lanes)
        return total

    def _interleaved(self, fields: Sequence[Operand]) -> Operand:
        """(first of each field, second of each field, ...)"""
        parts, count = list(fields), len(fields)
        while len(parts) > 2:
            if len(parts) % 2:
                parts.append(Const(parts[0].type, "poison"))
            parts = [self._joined(*parts[at : at + 2]) for at in range(0, len(parts), 2)]
        one, other = parts
        return self._shuffled(one, other, [at * self.width + lane for lane in range(self.width) for at in range(count)])

    def _joined(self, one: Operand, other: Operand) -> Operand:
        """`one`, and `other` behind it."""
        return self._shuffled(one, other, range(2 * (types.lanes_of(one.type) or 0)))


def _unit(group: AccessGroup) -> str:
    """The type of an element: that of all fields, or bits."""
    found = {each.results[0].type if each.results else each.operands[0].type for each in group.members}
    return found.pop() if len(found) == 1 else f"i{8 * group.size}"
