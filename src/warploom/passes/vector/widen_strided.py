# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses with a small stride: the members of a struct a thread, every second element.

    %x: float = load %p       (stride 12)         %w: <48 x float> = load %p
    %z: float = load %p + 8                 ==>   %x = shufflevector %w [mask=(0, 3, 6, ...)]
                                                  %z = shufflevector %w [mask=(2, 5, 8, ...)]

Stores put fields together the same way, and write no byte between them: under a mask where there are gaps. LLVM makes
of such shuffles what the processor is best at. Which accesses are a group, and why they may move to one place:
analysis/strided_groups.py.

Sound because nothing is read before the first thread's first field or behind the last one's last field, nor of a thread
that is not active. Gaps between those are narrower than a page: where both ends may be read so may they. Where the
last field is not the last element of the stride, the loads are of one register each, and the last one ends with that
field.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from warploom.analysis.access_group import AccessGroup
from warploom.analysis.vector_cost import masks_pay, processor_of
from warploom.core.deferred import deferred
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand
from warploom.passes.vector.widen import Lanes, Widener
from warploom.passes.vector.widen_memory import align_of_access, load, scatter, scattered_places, store

if TYPE_CHECKING:
    from warploom.passes.vector import interleaved
else:
    interleaved = deferred("warploom.passes.vector.interleaved")


def load_in_group(w: Widener, op: Op) -> None:
    """A load; where it belongs to a group, all of the group in the place of one of them."""
    group = w.shapes.groups.get(op)
    if group is None:
        load(w, op)
    elif op is group.place:
        _load_group(w, group)


def store_in_group(w: Widener, op: Op) -> None:
    """A store; where it belongs to a group, all of the group in the place of one of them."""
    group = w.shapes.groups.get(op)
    if group is None:
        store(w, op)
    elif op is group.place:
        for row in w.rows_of(_dims(w, group)):
            _store_group(w, group, row)


def _dims(w: Widener, group: AccessGroup) -> int:
    """Along which axes anything in the group differs."""
    dims = 0
    for op in group.members:
        dims |= w.dims_of(op)
    return dims


def _holds(w: Widener, group: AccessGroup, mask: Operand | None, row: int) -> Operand | None:
    """Whether the stride holds, and all threads are active where there are no masked accesses; None: surely."""
    claims = w.get(group.place.operands[-1], row).claims
    guard = w.holding(claims, row, _dims(w, group))
    if mask is None or processor_of(w.shapes).has_masks(group.size):
        return guard
    every = w.build.op("reduce", [mask], "i1", kind="and")
    return every if guard is None else w.build.op("and", [guard, every], "i1")


def _start(w: Widener, group: AccessGroup, row: int) -> Operand:
    """The address of the first thread's first field."""
    place = group.place
    return _at(w, w.scalar(place.operands[-1], row), -group.members[place] * group.size)


def _aligned(group: AccessGroup) -> int:
    return min(align_of_access(op) for op in group.members)


def _lanes(w: Widener, group: AccessGroup) -> int:
    """Elements of one register, or all threads where these are fewer."""
    if w.width & (w.width - 1):
        return w.width
    return min(w.width, processor_of(w.shapes).lanes(group.size))


def _wanted(w: Widener, group: AccessGroup, mask: Operand | None, at: int, fields: Collection[int]) -> Operand:
    """Which elements of a register, whose first one is element `at`, are `fields` of active threads."""
    count = _lanes(w, group)
    elements = range(at, at + count)
    threads = [each // group.stride if each % group.stride in fields else None for each in elements]
    if mask is None:
        bits = ", ".join("i1 false" if each is None else "i1 true" for each in threads)
        return Const(types.vector("i1", count), f"<{bits}>")
    return interleaved.wanted_elements(w, mask, threads, 8 * group.size)


def _at(w: Widener, start: Operand, offset: int) -> Operand:
    return w.build.op("gep", [start], "ptr", offset=offset, strides=()) if offset else start


def _shuffled(w: Widener, one: Operand, other: Operand | None, mask: Sequence[int]) -> Operand:
    other = other or Const(one.type, "poison")
    if one.type == other.type and tuple(mask) == tuple(range(types.lanes_of(one.type) or 0)):
        return one
    type_ = types.vector(types.element_of(one.type), len(mask))
    return w.build.op("shufflevector", [one, other], type_, mask=tuple(mask))


def _as_vector(w: Widener, vector: Operand, type_: str) -> Operand:
    return vector if vector.type == type_ else w.build.op("bitcast", [vector], type_)


def _load_group(w: Widener, group: AccessGroup) -> None:
    fields = sorted(set(group.members.values()))
    rows = [_fields(w, group, fields, row) for row in w.rows_of(_dims(w, group))]
    for op, at in group.members.items():
        type_ = types.vector(op.result.type, w.width)
        w.values[op.result] = [Lanes(vector=_as_vector(w, row[fields.index(at)], type_)) for row in rows]


def _fields(w: Widener, group: AccessGroup, fields: Sequence[int], row: int) -> list[Operand]:
    """One vector for each field."""
    mask = w.mask(row, _dims(w, group))
    masked = mask if processor_of(w.shapes).has_masks(group.size) else None
    guard = _holds(w, group, mask, row)
    if guard is None:
        return _taken_apart(w, group, fields, masked, row)

    def gathers() -> list[Operand]:
        return [_gather_field(w, group, at, row) for at in fields]

    return list(w.either(guard, lambda: _taken_apart(w, group, fields, masked, row), gathers))


def _gather_field(w: Widener, group: AccessGroup, at: int, row: int) -> Operand:
    """Other fields' own addresses may not be there yet."""
    place = group.place
    places, offset = w.vector(place.operands[0], row), (at - group.members[place]) * group.size
    if offset:
        places = w.build.op("gep", [places], places.type, offset=offset, strides=())
    type_ = types.vector(_unit(group), w.width)
    places, mask, attrs = scattered_places(w, places, w.mask(row, _dims(w, group)))
    return w.build.op("gather", [places, mask, Const(type_, "poison")], type_, align=_aligned(group), **attrs)


def _taken_apart(
    w: Widener, group: AccessGroup, fields: Sequence[int], mask: Operand | None, row: int
) -> list[Operand]:
    total, lanes = w.width * group.stride, _lanes(w, group)
    if group.span < group.stride or (mask is not None and total & (total - 1)):
        parts = [_part(w, group, fields, mask, row, at) for at in range(0, w.width, lanes)]
        return [_concatenated(w, [part[number] for part in parts]) for number in range(len(fields))]
    if mask is None:
        all_ = _whole(w, group, row)
    else:
        all_ = _concatenated(w, [_register(w, group, mask, row, at) for at in range(0, total, lanes)])
    return [_shuffled(w, all_, None, range(at, total, group.stride)) for at in fields]


def _whole(w: Widener, group: AccessGroup, row: int) -> Operand:
    """All elements, of which none is a gap. By registers of AVX-512 where it can be: those of a larger load LLVM reads
    in an order of its own, which prefetchers do not follow. With smaller ones the normalisation of rows of
    bench/tensor_rows.cu took 1.06 of its time so, and sums of columns as long."""
    total, align, start = w.width * group.stride, _aligned(group), _start(w, group, row)
    processor = processor_of(w.shapes)
    by_registers = processor.vector_bits >= 512 and not total & (total - 1)
    lanes = min(total, processor.lanes(group.size)) if by_registers else total
    type_ = types.vector(_unit(group), lanes)
    places = [_at(w, start, at * group.size) for at in range(0, total, lanes)]
    return _concatenated(w, [w.build.op("load", [place], type_, align=align) for place in places])


def _part(
    w: Widener, group: AccessGroup, fields: Sequence[int], mask: Operand | None, row: int, first: int
) -> list[Operand]:
    """The fields of as many threads as a register has elements, the first one of which is thread `first`."""
    lanes, stride = _lanes(w, group), group.stride
    end = (lanes - 1) * stride + group.span
    places = [at if mask is not None else min(at, end - lanes) for at in range(0, lanes * stride, lanes)]
    loaded = [_register(w, group, mask, row, first * stride + place) for place in places]
    found: list[Operand] = []
    for at in fields:
        parts: list[tuple[Operand, dict[int, int]]] = []
        for number, (register, place) in enumerate(zip(loaded, places, strict=True)):
            elements = {lane: lane * stride + at for lane in range(lanes)}
            mine = {lane: each - place for lane, each in elements.items() if each // lanes == number}
            if mine:
                parts.append((register, mine))
        found.append(_merged(w, parts, lanes))
    return found


def _register(w: Widener, group: AccessGroup, mask: Operand | None, row: int, element: int) -> Operand:
    """A register full of elements."""
    align, start = _aligned(group), _at(w, _start(w, group, row), element * group.size)
    type_ = types.vector(_unit(group), _lanes(w, group))
    if mask is None:
        return w.build.op("load", [start], type_, align=align)
    wanted = _wanted(w, group, mask, element, range(group.span))
    return w.build.op("masked_load", [start, wanted, Const(type_, "poison")], type_, align=align)


def _merged(w: Widener, parts: Sequence[tuple[Operand, dict[int, int]]], lanes: int) -> Operand:
    """One vector of what several have; each with lane -> the element that this lane gets."""
    work = list(parts)
    while len(work) > 1 or work[0][1] != {lane: lane for lane in range(lanes)}:
        pairs = [work[at : at + 2] for at in range(0, len(work), 2)]
        work = [_merged_two(w, pair, lanes) if len(pair) == 2 or len(work) == 1 else pair[0] for pair in pairs]
    return work[0][0]


def _merged_two(
    w: Widener, pair: Sequence[tuple[Operand, dict[int, int]]], lanes: int
) -> tuple[Operand, dict[int, int]]:
    (one, mine), *rest = pair
    other, others = rest[0] if rest else (None, dict[int, int]())
    mask = [mine.get(lane, others[lane] + lanes if lane in others else -1) for lane in range(lanes)]
    return _shuffled(w, one, other, mask), {lane: lane for lane in (*mine, *others)}


def _concatenated(w: Widener, parts: Sequence[Operand]) -> Operand:
    work = list(parts)
    while len(work) > 1:
        work = [_joined(w, *work[at : at + 2]) for at in range(0, len(work), 2)]
    return work[0]


def _store_group(w: Widener, group: AccessGroup, row: int) -> None:
    mask, processor = w.mask(row, _dims(w, group)), processor_of(w.shapes)

    def scatters() -> list[Operand]:
        return [each for op in group.members for each in scatter(w, op, row)]

    if not group.is_whole and not masks_pay(processor, group):
        scatters()
        return
    guard = _holds(w, group, mask, row)
    masked = mask if processor.has_masks(group.size) else None
    if guard is None:
        _put_together(w, group, masked, row)
    else:
        w.either(guard, lambda: _put_together(w, group, masked, row), scatters)


def _put_together(w: Widener, group: AccessGroup, mask: Operand | None, row: int) -> list[Operand]:
    type_ = types.vector(_unit(group), w.width)
    fields = {at: _as_vector(w, w.vector(op.operands[0], row), type_) for op, at in group.members.items()}
    start, align = _start(w, group, row), _aligned(group)
    if group.is_whole and mask is None:
        parts = [fields[at] for at in range(group.stride)]
        vectors = interleaved.interleaved(w, parts) or [interleaved.put_together(w, parts)]
        for number, each in enumerate(vectors):
            w.build.effect("store", [each, _at(w, start, number * w.width * group.size)], align=align)
        return []
    lanes = _lanes(w, group)
    for at in range(0, w.width * group.stride, lanes):
        register = _woven(w, group, fields, at)
        if register is not None:
            wanted = _wanted(w, group, mask, at, fields)
            w.build.effect("masked_store", [register, _at(w, start, at * group.size), wanted], align=align)
    return []


def _woven(w: Widener, group: AccessGroup, fields: dict[int, Operand], first: int) -> Operand | None:
    """The register whose first element is `first`; None where it is but a gap."""
    lanes, total = _lanes(w, group), None
    have: dict[int, int] = {}
    for at, field in sorted(fields.items()):
        threads = {lane: (first + lane) // group.stride for lane in range(lanes) if (first + lane) % group.stride == at}
        if not threads:
            continue
        window = min(min(threads.values()) // lanes * lanes, w.width - lanes)
        if max(threads.values()) >= window + lanes:
            window = min(min(threads.values()), w.width - lanes)
        part = _shuffled(w, field, None, range(window, window + lanes))
        mine = {lane: thread - window for lane, thread in threads.items()}
        total, have = _merged_two(w, [(part, mine)] if total is None else [(total, have), (part, mine)], lanes)
    return total


def _joined(w: Widener, one: Operand, other: Operand) -> Operand:
    """`one`, and `other` behind it."""
    return _shuffled(w, one, other, range(2 * (types.lanes_of(one.type) or 0)))


def _unit(group: AccessGroup) -> str:
    """The type of an element: that of all fields, or bits."""
    found = {each.results[0].type if each.results else each.operands[0].type for each in group.members}
    return found.pop() if len(found) == 1 else f"i{8 * group.size}"
