# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory accesses of a vector of threads.

    address                  load                                    store
    the same in all threads  one scalar load                         the last active thread's value
    stride = element         load <W x T>                            store
    stride = -element        the same, lanes reversed
    anything else            gather                                  scatter
                             (masked forms where not all threads are active)

Of rows of a block's own memory all is read, and all is written where a masked store is dear: analysis/shared_bounds.py.

Atomics on memory of the block need not be atomic at all: one processor runs all threads of a block.
"""

from __future__ import annotations

import math

from warploom.analysis.clamped_addresses import Clamp, clamp_of
from warploom.analysis.lanes import SPREAD
from warploom.analysis.shared_bounds import can_read_around, can_write_back, is_in_spread_array
from warploom.analysis.vector_cost import processor_of
from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.core import FALSE, Const, Op, Operand, Value, int_const
from warploom.ir.ops import PRIVATE, private_size
from warploom.passes.vector.widen import Lanes, Unvectorisable, Widener
from warploom.passes.vector.widen_alone import each_thread
from warploom.passes.vector.widen_arithmetic import check_scalar, scalar_copy

# How the values of an atomic operation come together, where there is a value that changes nothing.
REDUCTIONS = {
    **{name: name for name in ("add", "and", "or", "xor", "umin", "umax")},
    "min": "smin",
    "max": "smax",
    "fadd": "fadd",
    "fmin": "fmin",
    "fmax": "fmax",
}

_MANY_LANES = 8  # for a loop over those that are active; for fewer LLVM's branches are as short


def load(w: Widener, op: Op) -> None:
    """A load by itself."""
    if (op.attrs.get("volatile") or op.attrs.get("ordering")) and op not in w.seen_once:
        raise Unvectorisable("a volatile or atomic load waits for other threads", op)
    if w.shapes.of(op.operands[0]).is_uniform:
        w.define(op.result, lambda row: Lanes(scalar_copy(w, op, row)))
        return
    if op in w.seen_once:
        each_thread(w, op)
        return
    _check_element(op, op.result.type)
    w.define(op.result, lambda row: Lanes(vector=_load(w, op, row)))


def _load(w: Widener, op: Op, row: int) -> Operand:
    (pointer,) = op.operands
    stride, dims = w.shapes.of(pointer).stride, w.dims_of(op)
    if stride is None or abs(stride) != types.size_of(op.result.type):
        return _gather(w, op, row)
    guard = w.holding(w.get(pointer, row).claims, row, dims)
    if guard is None:
        size = (w.width - 1) * abs(stride) + types.size_of(op.result.type)
        padded = stride > 0 and (_is_own(w, pointer, stride) or can_read_around(pointer, size, w.shapes.ranges))
        return _row(w, op, row, stride, padded)
    (found,) = w.either(guard, lambda: [_row(w, op, row, stride)], lambda: [_off_row(w, op, row, stride)])
    return found


def _off_row(w: Widener, op: Op, row: int, stride: int) -> Operand:
    """Elements of which some do not lie in the row: all at one place where a clamp is the reason."""
    clamp, (pointer,) = clamp_of(op.operands[0], w.shapes), op.operands
    others = [each for each in w.get(pointer, row).claims if each.type != "i1"]
    if clamp is None or stride < 0 or len(others) != 1 or len(w.get(pointer, row).claims) != 1:
        return _gather(w, op, row, seldom=True)
    type_ = types.vector(op.result.type, w.width)
    threads = w.within(w.mask(row, w.dims_of(op)), w.inverse(others[0]))
    start, align = w.scalar(pointer, row), align_of_access(op)
    near = _masked_load(w, start, threads, type_, align=align)
    one = w.build.op("load", [_bound(w, clamp, row)], op.result.type, align=align)
    same = w.build.op("splat", [one], type_)
    return w.build.op("select", [others[0], same, near], type_, op.result.name)


def _bound(w: Widener, clamp: Clamp, row: int) -> Value:
    """The address at the bound."""
    index, *others = (w.scalar(each, row) for each in clamp.bounds)
    for each in others:
        callee = f"llvm.{clamp.kind}.{each.type}"
        attrs = {"callee": callee, "effects": "none", "speculatable": True}
        index = w.build.op("call", [index, each], each.type, **attrs)
    for cast in reversed(clamp.casts):
        index = w.build.op(cast, [index], "i64")
    operands = [
        index if number == clamp.number else w.scalar(each, row) for number, each in enumerate(clamp.address.operands)
    ]
    attrs = {key: value for key, value in clamp.address.attrs.items() if key != "inbounds"}
    return w.build.op("gep", operands, "ptr", **attrs)


def _row(w: Widener, op: Op, row: int, stride: int, padded: bool = False) -> Operand:
    """Elements that lie side by side; `padded`: inactive threads may read theirs as well."""
    type_ = types.vector(op.result.type, w.width)
    mask, align, start = w.mask(row, w.dims_of(op)), align_of_access(op), w.scalar(op.operands[0], row)
    if stride < 0:
        start = _before(w, start, -stride)
    if mask is None:
        found = w.build.op("load", [start], type_, op.result.name, align=align)
    elif padded:
        found = w.build.op("load", [start], type_, op.result.name, align=align, padded=True)
    else:
        facing = mask if stride > 0 else _reversed(w, mask)
        found = _masked_load(w, start, facing, type_, op.result.name, align=align)
    return found if stride > 0 else _reversed(w, found)


def _masked_load(w: Widener, start: Operand, mask: Operand, type_: str, name: str = "", **attrs: Any) -> Value:
    operands = [start, mask, Const(type_, "poison")]
    return w.build.op("masked_load", operands, type_, name, **attrs, **_without_masks(w, type_, mask))


def _without_masks(w: Widener, type_: str, mask: Operand) -> dict[str, bool]:
    """The attribute of accesses under a mask for which the processor has no instruction; LLVM knows a constant one."""
    size, lanes = types.size_of(types.element_of(type_)), types.lanes_of(type_) or 0
    branches = w.shapes.ranges.function.facts.processor.branches_in_masks(size)
    return {"by_lanes": True} if branches and lanes >= _MANY_LANES and not isinstance(mask, Const) else {}


def _gather(w: Widener, op: Op, row: int, seldom: bool = False) -> Operand:
    """Elements that lie anywhere."""
    _note_scattered(w)
    type_ = types.vector(op.result.type, w.width)
    places, mask, attrs = _scattered_places(w, op, row, seldom)
    near = _near(w, op, row)
    operands = [places, mask, Const(type_, "poison"), *near]
    name = "gather_near" if near else "gather"
    return w.build.op(name, operands, type_, op.result.name, align=align_of_access(op), **attrs)


def _near(w: Widener, op: Op, row: int) -> list[Operand]:
    """The last operand of an access that often is one of neighbours, or nothing."""
    if not op.attrs.get("often_a_row"):
        return []
    addresses, mask = w.vector(op.operands[-1], row), w.mask(row, w.dims_of(op))
    known = [addresses] if mask is None else [addresses, mask]
    return [w.cached_early(("span", addresses, mask), known, lambda: _span(w, addresses, mask))]


def _span(w: Widener, addresses: Operand, mask: Operand | None) -> Value:
    """How many bytes the last thread's address lies behind the first one's, where all are active; else 0."""
    ends = [int_const("i32", 0), int_const("i32", w.width - 1)]
    first, last = (
        w.build.op("ptrtoint", [w.build.op("extractelement", [addresses, end], "ptr")], "i64") for end in ends
    )
    span = w.build.op("sub", [last, first], "i64")
    if mask is None:
        return span
    every = w.build.op("reduce", [mask], "i1", kind="and")
    return w.build.op("select", [every, span, int_const("i64", 0)], "i64")


def _scattered_places(w: Widener, op: Op, row: int, seldom: bool) -> tuple[Operand, Operand, dict[str, bool]]:
    seldom = seldom or bool(op.attrs.get("often_a_row"))
    return scattered_places(w, w.vector(op.operands[-1], row), w.mask(row, w.dims_of(op)), seldom)


def scattered_places(
    w: Widener, addresses: Operand, mask: Operand | None, seldom: bool = False
) -> tuple[Operand, Operand, dict[str, bool]]:
    """Addresses, mask and attributes of a gather or scatter. Where masks become branches, threads that are not active
    read and write a place of no use; but for accesses that are seldom, which are a short loop."""
    if not w.shapes.ranges.function.facts.processor.branches_in_gathers:
        return addresses, mask or w.every, {}
    if (seldom or w.is_rare) and w.width >= _MANY_LANES:
        return addresses, mask or w.every, {"by_lanes": True}
    if mask is None:
        return addresses, w.every, {}
    inert = w.cached_early(("no use",), [], lambda: _place_of_no_use(w))

    def chosen() -> Operand:
        return w.build.op("select", [mask, addresses, inert], addresses.type)

    return w.cached_early(("places", mask, addresses), [mask, addresses], chosen), w.every, {}


def _place_of_no_use(w: Widener) -> Value:
    place = w.build.op("alloca", [], "ptr", "no_use", size=16, align=16)
    return w.build.op("splat", [place], types.vector("ptr", w.width))


def store(w: Widener, op: Op) -> None:
    """A store by itself."""
    if op in w.seen_once:
        each_thread(w, op)
        return
    if op.attrs.get("volatile") or op.attrs.get("ordering"):
        raise Unvectorisable("a volatile or atomic store is seen by other threads", op)
    for row in w.rows_of(w.dims_of(op)):
        _store(w, op, row)


def _store(w: Widener, op: Op, row: int) -> None:
    value, pointer = op.operands
    stride, size = w.shapes.of(pointer).stride, types.size_of(value.type)
    if stride == 0:
        w.if_row_runs(row, w.dims_of(op), lambda: _store_last(w, op, row))
        return
    _check_element(op, value.type)
    if stride is None or abs(stride) != size:
        scatter(w, op, row)
        return
    guard = w.holding(w.get(pointer, row).claims, row, w.dims_of(op))
    if guard is None:
        _store_row(w, op, row, stride, _writes_back(w, pointer, stride))
    else:
        w.either(guard, lambda: _store_row(w, op, row, stride), lambda: scatter(w, op, row, seldom=True))


def _store_last(w: Widener, op: Op, row: int) -> list[Operand]:
    value, pointer = op.operands
    last = _last(w, value, w.mask(row, w.dims_of(op)), row)
    w.build.effect("store", [last, w.scalar(pointer, row)], **op.attrs)
    return []


def _note_scattered(w: Widener) -> None:
    if w.at is not None:
        w.seen.scattered[w.at] = None


def scatter(w: Widener, op: Op, row: int, seldom: bool = False) -> list[Operand]:
    """Store elements that lie anywhere; yields nothing."""
    mask = w.mask(row, w.dims_of(op))
    if mask is None or seldom or not _may_be_one(w, mask):
        return _scatter(w, op, row, seldom)
    bits = w.bits(mask)
    several = w.build.op("icmp", [w.but_lowest(bits), int_const(bits.type, 0)], "i1", pred="ne")
    w.either(several, lambda: _scatter(w, op, row), lambda: _store_one(w, op, row, bits))
    return []


def _may_be_one(w: Widener, mask: Operand) -> bool:
    """Whether a scatter under `mask` asks if one thread is left: its instructions take their time for all."""
    return mask in w.often_one and not w.shapes.ranges.function.facts.processor.branches_in_gathers


def _store_one(w: Widener, op: Op, row: int, bits: Value) -> list[Operand]:
    """Store the element of the one thread of `bits`, if there is any."""

    def write() -> list[Operand]:
        lane = w.lowest(bits)
        value, place = (w.build.op("extractelement", [w.vector(each, row), lane], each.type) for each in op.operands)
        w.build.effect("store", [value, place], align=align_of_access(op))
        return []

    some = w.build.op("icmp", [bits, int_const(bits.type, 0)], "i1", pred="ne")
    w.either(some, write, list)
    return []


def _scatter(w: Widener, op: Op, row: int, seldom: bool = False) -> list[Operand]:
    _note_scattered(w)
    places, mask, attrs = _scattered_places(w, op, row, seldom)
    near = _near(w, op, row)
    operands = [w.vector(op.operands[0], row), places, mask, *near]
    w.build.effect("scatter_near" if near else "scatter", operands, align=align_of_access(op), **attrs)
    return []


def _store_row(w: Widener, op: Op, row: int, stride: int, writes_back: bool = False) -> list[Operand]:
    """`writes_back`: to inactive threads' elements what is there."""
    value, pointer = op.operands
    mask, vector = w.mask(row, w.dims_of(op)), w.vector(value, row)
    start = w.scalar(pointer, row)
    if stride < 0:
        start, vector = _before(w, start, -stride), _reversed(w, vector)
        mask = None if mask is None else _reversed(w, mask)
    if mask is None:
        w.build.effect("store", [vector, start], align=align_of_access(op))
    elif writes_back:
        # LLVM makes a masked store again of what it sees to be read there.
        before = w.build.op(
            "freeze", [w.build.op("load", [start], vector.type, align=align_of_access(op))], vector.type
        )
        chosen = w.build.op("select", [mask, vector, before], vector.type)
        w.build.effect("store", [chosen, start], align=align_of_access(op), **{PRIVATE: True})
    else:
        attrs = _without_masks(w, vector.type, mask)
        if not attrs and processor_of(w.shapes).stores_whole and not isinstance(mask, Const) and not w.is_rare:
            attrs = {"often_all": True}
        w.build.effect("masked_store", [vector, start, mask], align=align_of_access(op), **attrs)
    return []


def _writes_back(w: Widener, pointer: Operand, stride: int) -> bool:
    """Whether a row of elements, all of them threads' of this block, should be stored whole."""
    if stride > 0 and _is_own(w, pointer, stride):
        return True
    if not w.is_whole_and_alone or stride < 0 or not processor_of(w.shapes).stores_whole:
        return False
    return can_write_back(pointer, stride, w.shapes.ranges)


def _is_own(w: Widener, pointer: Operand, stride: int) -> bool:
    """Whether a row of elements lies in an array of the threads of this vector."""
    return is_in_spread_array(pointer, stride, w.shapes.ranges)


def _check_element(op: Op, type_: str) -> None:
    """A vector of it lies in memory as one after the other, and each lane can be read and written by itself."""
    check_scalar(op)
    if types.is_int(type_) and types.bits(type_) not in (8, 16, 32, 64):
        raise Unvectorisable(f"`{op.name}` of {type_} differs between threads", op)


def align_of_access(op: Op) -> int:
    """What is known of each thread's address: that of another one may be less aligned, so no more than its size."""
    element = op.results[0].type if op.results else op.operands[0].type
    return min(int(str(op.attrs.get("align") or types.align_of(element))), types.align_of(element))


def _before(w: Widener, start: Operand, size: int) -> Value:
    """Where the last thread's element lies when addresses go down."""
    return w.build.op("gep", [start], "ptr", offset=-(w.width - 1) * size, strides=())


def _reversed(w: Widener, vector: Operand) -> Operand:
    mask = tuple(range(w.width - 1, -1, -1))
    poison = Const(vector.type, "poison")
    return w.cached(("reversed", vector), lambda: w.build.op("shufflevector", [vector, poison], vector.type, mask=mask))


def _last(w: Widener, value: Operand, mask: Operand | None, row: int) -> Operand:
    """The value of the last thread of `mask`."""
    if w.shapes.of(value).is_uniform:
        return w.scalar(value, row)
    vector = w.vector(value, row)
    last: Operand = int_const("i32", w.width - 1)
    if mask is not None:
        bits = w.bits(mask)
        zeros = w.build.op(
            "call",
            [bits, FALSE],
            bits.type,
            callee=f"llvm.ctlz.{bits.type}",
            effects="none",
            speculatable=True,
        )
        last = w.build.op("sub", [int_const(bits.type, w.width - 1), zeros], bits.type)
    return w.build.op("extractelement", [vector, last], value.type)


def alloca(w: Widener, op: Op) -> None:
    """A private array: one piece for all threads of the vector, or one a thread."""
    size = private_size(op)
    if op.attrs.get(SPREAD):
        attrs = {key: value for key, value in op.attrs.items() if key != SPREAD}
        w.define(op.result, lambda _: Lanes(w.build.op("alloca", [], "ptr", op.result.name, **attrs)))
        return
    attrs = {**op.attrs, "size": size * w.width}
    w.define(op.result, lambda _: Lanes(w.build.op("alloca", [], "ptr", op.result.name, **attrs), size))


def fence(w: Widener, op: Op) -> None:
    """One fence: a single processor has done what all threads of the vector did before it."""
    w.build.effect("fence", [], **op.attrs)


def atomicrmw(w: Widener, op: Op) -> None:
    """An atomic operation: one for all threads where they meet at one address and the old value has no use."""
    kind = REDUCTIONS.get(str(op.attrs["operation"]))
    together = w.shapes.of(op.operands[0]).is_uniform and op.result not in w.used
    if kind is None or not together:
        each_thread(w, op)
        return
    # All threads of a vector meet at one address: what they add up to goes there at once.
    dims = w.shapes.of(op.operands[0]).dims
    for row in range(w.rows):
        w.if_row_runs(row, dims, lambda row=row: _reduce_into(w, op, kind, row))


def _reduce_into(w: Widener, op: Op, kind: str, row: int) -> list[Operand]:
    pointer, value = op.operands
    flags = ("reassoc",) if types.is_float(value.type) else ()
    vector, mask = w.vector(value, row), w.masks[row]
    if mask is not None:
        neutral = w.spread(_neutral(kind, value.type), 0)
        vector = w.build.op("select", [mask, vector, neutral], vector.type)
    total = w.build.op("reduce", [vector], value.type, kind=kind, flags=flags)
    w.build.op("atomicrmw", [w.scalar(pointer, row), total], value.type, **op.attrs)
    return []


def _neutral(kind: str, type_: str) -> Const:
    """What a reduction starts with."""
    if types.is_float(type_):
        if kind == "fadd":
            return Const(type_, types.float_bits(type_, -0.0))
        return Const(type_, types.float_bits(type_, math.nan))
    top = 1 << (types.bits(type_) - 1)
    numbers = {"and": -1, "umin": -1, "smin": top - 1, "smax": top}
    return int_const(type_, numbers.get(kind, 0))
