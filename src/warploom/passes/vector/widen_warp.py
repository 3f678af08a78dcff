# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of a warp as one vector of 32 lanes, warp collectives included.

    lane 32 { (%l)                                 %v: <32 x float> = load %p
      %v: float = load %p                          %w = shufflevector %v, poison [mask=(16, ..., 31, 16, ..., 31)]
      %w = shuffle -1, %v, 16, 32 [kind=down]  ==> %s = fadd %v, %w
      %s = fadd %v, %w
      %b = vote -1, %q [kind=ballot] }             %b = bitcast (icmp ne %q, 0) to i32

    shuffle   a permutation where the lane's number decides the source; one element where all ask for one lane; else
              through memory, as one row where all read at one distance
    vote      the condition's bits as a number, and scalar ops
    match     one comparison for each different value
    reduce    a reduction for each different mask
    barrier   nothing

Theorem: threads between barriers of a block may run in lock step, and lanes that wait for each other in a collective
have done all before it and nothing behind it in any order of threads: so one op of the vector is a legal order for the
collective, and its operands and masks are those of the lanes that wait. The lanes that come to a collective are the
active ones: CUDA leaves it undefined when a lane that the collective's mask names is elsewhere, unless it has ended.
A lane that does not come brings 0 to a shuffle, as in lower_collectives.py, which writes the same through memory where
a warp has no vector form.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.known_lanes import KnownLanes
from warploom.analysis.warp_lanes import reads_one_lane
from warploom.ir import types
from warploom.ir.core import TRUE, Builder, Const, Op, Operand, Region, Value, globals_in, int_const
from warploom.ir.ops import WARP_SIZE
from warploom.ir.team import shuffle_source
from warploom.passes.vector.widen import Lanes, Unvectorisable, Widener
from warploom.passes.vector.widen_strided import load_in_group, store_in_group

_ALL = int_const("i32", -1)
_ZERO = int_const("i32", 0)
_MASK = types.vector("i1", WARP_SIZE)
_NUMBERS = types.vector("i32", WARP_SIZE)
# What changes nothing in a reduction.
_NEUTRAL = {"umin": -1, "and": -1, "smin": (1 << 31) - 1, "smax": 1 << 31}


def load_in_lock_step(w: Widener, op: Op) -> None:
    """A load; a volatile one of shared memory as any other."""
    load_in_group(w, _plain(w, op, op.operands[0]))


def store_in_lock_step(w: Widener, op: Op) -> None:
    """A store; a volatile one to shared memory as any other."""
    store_in_group(w, _plain(w, op, op.operands[1]))


def _plain(w: Widener, op: Op, pointer: Operand) -> Op:
    """A volatile access to shared memory, as it is in lock step: no loop waits for it (analysis/spin_waits.py)."""
    if not op.attrs.get("volatile") or not _is_shared(w, pointer):
        return op
    attrs = {key: value for key, value in op.attrs.items() if key != "volatile"}
    return Op(op.name, op.operands, op.results, attrs, [], op.loc)


def _is_shared(w: Widener, pointer: Operand) -> bool:
    while isinstance(pointer, Value):
        maker = w.shapes.ranges.definitions.get(pointer)
        if maker is None or maker.name != "gep":
            return False
        pointer = maker.operands[0]
    names = globals_in(pointer)
    return bool(names) and all(each in w.shapes.ranges.function.shared for each in names)


def activate(w: Widener, count: Operand) -> None:
    """Let the first `count` lanes alone be active."""
    bound = w.build.op("splat", [count], _NUMBERS)
    w.masks = [w.build.op("icmp", [w.steps("i32", 1), bound], _MASK, "active", pred="slt")]


def present_lanes(w: Widener) -> Operand:
    """The active lanes, a bit each."""
    mask = w.masks[0]
    return _ALL if mask is None else w.cached(("bits", mask), lambda: w.bits(mask))


def bits_of(w: Widener, condition: Operand) -> Operand:
    """The active lanes for which the vector `condition` holds, a bit each."""
    return w.bits(w.narrowed(0, condition))


def apply(w: Widener, name: str, left: Operand, right: Operand, type_: str = "i32", **attrs: str) -> Operand:
    """An op on two numbers; on each lane's where one of them is a vector."""
    if types.is_vector(left.type) or types.is_vector(right.type):
        left, right = (each if types.is_vector(each.type) else w.spread(each, 0) for each in (left, right))
        type_ = types.vector(type_, WARP_SIZE)
    return w.build.op(name, [left, right], type_, **attrs)


def own(w: Widener, operand: Operand) -> Operand:
    """A value as a scalar where all lanes have the same, else a vector."""
    return w.scalar(operand, 0) if w.shapes.of(operand).is_uniform else w.vector(operand, 0)


def put(w: Widener, value: Value, made: Operand) -> None:
    """Define `value` as what was made, scalar or vector."""
    if types.is_vector(made.type):
        w.values[value] = [Lanes(vector=made)]
    elif w.shapes.of(value).is_uniform:
        w.values[value] = [Lanes(made)]
    else:
        w.values[value] = [Lanes(vector=w.spread(made, 0))]


def named(w: Widener, mask: Operand) -> Operand:
    """The active lanes that a collective's `mask` names."""
    return present_lanes(w) if mask == _ALL else apply(w, "and", present_lanes(w), own(w, mask))


def barrier(_: Widener, op: Op) -> None:
    """A barrier of the warp: the lanes of a vector are in lock step. Unvectorisable for any other."""
    if op.attrs["level"] != "warp":
        raise Unvectorisable(f"a barrier of the {op.attrs['level']} is left", op)


def activemask(w: Widener, op: Op) -> None:
    """The lanes that are there."""
    put(w, op.result, present_lanes(w))


def vote(w: Widener, op: Op) -> None:
    """A vote: bits of a condition, compared with those of the lanes that are named."""
    mask, predicate = op.operands
    test = apply(w, "icmp", own(w, predicate), _ZERO, "i1", pred="ne")
    if types.is_vector(test.type):
        votes = bits_of(w, test)
    else:
        votes = w.build.op("select", [test, present_lanes(w), _ZERO], "i32")
    if mask != _ALL:
        votes = apply(w, "and", votes, own(w, mask))
    kind = op.attrs["kind"]
    if kind == "ballot":
        put(w, op.result, votes)
        return
    wanted = named(w, mask) if kind == "all" else _ZERO
    holds = apply(w, "icmp", votes, wanted, "i1", pred="eq" if kind == "all" else "ne")
    type_ = _NUMBERS if types.is_vector(holds.type) else "i32"
    put(w, op.result, w.build.op("zext", [holds], type_))


def match(w: Widener, op: Op) -> None:
    """Which lanes have the same value."""
    mask, value = op.operands
    voters = named(w, mask)
    if op.attrs["kind"] == "all" and not types.is_vector(voters.type):
        lane = _lowest(w, voters)
        first = w.build.op("extractelement", [w.vector(value, 0), lane], value.type)
        same = bits_of(w, apply(w, "icmp", w.vector(value, 0), first, "i1", pred="eq"))
        lanes = w.build.op("and", [same, voters], "i32")
        everybody = w.build.op("icmp", [lanes, voters], "i1", pred="eq")
        put(w, op.result, w.build.op("select", [everybody, voters, _ZERO], "i32"))
        return
    lanes = apply(w, "and", _equals(w, value), voters)
    if op.attrs["kind"] == "all":
        everybody = apply(w, "icmp", lanes, voters, "i1", pred="eq")
        none = w.spread(_ZERO, 0)
        lanes = w.build.op("select", [everybody, lanes, none], _NUMBERS)
    put(w, op.result, lanes)


def _equals(w: Widener, value: Operand) -> Operand:
    """For each lane the active lanes that have the same `value`."""
    if w.shapes.of(value).is_uniform:
        return present_lanes(w)
    return _for_each_different(w, w.vector(value, 0), lambda _, same: same)


def warp_reduce(w: Widener, op: Op) -> None:
    """A reduction over the lanes that a mask names."""
    mask, value = op.operands
    kind = str(op.attrs["kind"])
    vector = w.vector(value, 0)
    neutral = w.spread(int_const("i32", _NEUTRAL.get(kind, 0)), 0)

    def total(lanes: Operand) -> Operand:
        takes_part = w.build.op("bitcast", [lanes], _MASK)
        chosen = w.build.op("select", [takes_part, vector, neutral], _NUMBERS)
        return w.build.op("reduce", [chosen], "i32", kind=kind)

    if w.shapes.of(mask).is_uniform:
        put(w, op.result, total(named(w, mask)))
        return
    present = present_lanes(w)
    put(
        w,
        op.result,
        _for_each_different(w, w.vector(mask, 0), lambda own, _: total(w.build.op("and", [present, own], "i32"))),
    )


def _for_each_different(w: Widener, vector: Operand, make: Callable[[Operand, Operand], Operand]) -> Operand:
    """For each lane what `make` computes (an i32) from its element and the active lanes that have the same."""
    present = present_lanes(w)
    element = types.element_of(vector.type)
    left, found = Value("i32", "left"), Value(_NUMBERS)
    here, old = Value("i32"), Value(_NUMBERS)
    before, after = Region([left, found]), Region([here, old])
    build = Builder(before.ops, w.build.loc)
    more = build.op("icmp", [left, _ZERO], "i1", pred="ne")
    build.terminate("condition", [more, left, found])

    def turn() -> None:
        one = w.build.op("extractelement", [vector, _lowest(w, here)], element)
        all_ = w.build.op("splat", [one], vector.type)
        same = w.build.op("icmp", [vector, all_], _MASK, pred="eq")
        lanes = bits_of(w, same)
        made = w.build.op("splat", [make(one, lanes)], _NUMBERS)
        new = w.build.op("select", [same, made, old], _NUMBERS)
        others = w.build.op("xor", [lanes, _ALL], "i32")
        w.build.terminate("yield", [w.build.op("and", [here, others], "i32"), new])

    w.inside(after, turn)
    start: list[Operand] = [present, Const(_NUMBERS, "zeroinitializer")]
    results = [Value("i32"), Value(_NUMBERS)]
    w.build.add(Op("while", start, results, {}, [before, after], w.build.loc))
    return results[1]


def _lowest(w: Widener, lanes: Operand) -> Operand:
    """The number of the lowest lane; 0 where there is none."""
    return w.build.op("and", [w.lowest(lanes), int_const("i32", WARP_SIZE - 1)], "i32")


def shuffle(w: Widener, op: Op, known: KnownLanes) -> None:
    """A shuffle; `known` tells the lanes that are read where they are constants."""
    _, value, operand, width = op.operands
    one = reads_one_lane(op, w.shapes)
    all_come = w.masks[0] is None or (w.shapes.of(op.result).is_uniform and not one)
    if w.shapes.of(value).is_uniform and all_come:
        w.values[op.result] = [w.get(value, 0)]
        return
    if types.is_aggregate(value.type) or types.is_vector(value.type):
        raise Unvectorisable(f"a shuffle of {value.type}", op)
    if one:
        put(w, op.result, _from_one(w, op))
    else:
        asked = known.low_bits(operand)
        if asked is not None and isinstance(width, Const):
            size, kind = int(width.value), str(op.attrs["kind"])
            _permute(w, op, [shuffle_source(kind, lane, each, size) for lane, each in enumerate(asked)])
        else:
            _look_up(w, op)


def _brought(w: Widener, value: Operand) -> Operand:
    """What each of the 32 lanes brings to a shuffle: 0 where it does not come."""
    vector, mask = w.vector(value, 0), w.masks[0]
    if mask is None:
        return vector
    nothing = Const(vector.type, "zeroinitializer")
    return w.cached(("brought", mask, vector), lambda: w.build.op("select", [mask, vector, nothing], vector.type))


def _from_one(w: Widener, op: Op) -> Operand:
    """All read one lane."""
    _, value, operand, _ = op.operands
    source = w.scalar(operand, 0)
    lane = (
        int_const("i32", int(source.value) % WARP_SIZE)
        if isinstance(source, Const)
        else w.build.op("and", [source, int_const("i32", WARP_SIZE - 1)], "i32")
    )
    if not w.shapes.of(value).is_uniform:
        return w.build.op("extractelement", [_brought(w, value), lane], value.type, op.result.name)
    bit = w.build.op("lshr", [present_lanes(w), lane], "i32")
    came = w.build.op("trunc", [bit], "i1", "came")
    return w.build.op("select", [came, w.scalar(value, 0), int_const(value.type, 0)], value.type, op.result.name)


def _permute(w: Widener, op: Op, sources: list[int]) -> None:
    """Each lane reads a lane that is known now."""
    vector = _brought(w, op.operands[1])
    nothing = Const(vector.type, "poison")
    found = w.build.op("shufflevector", [vector, nothing], vector.type, op.result.name, mask=tuple(sources))
    put(w, op.result, found)


def _look_up(w: Widener, op: Op) -> None:
    """Each lane reads a lane that is known when it runs: from memory."""
    _, value, operand, width = op.operands
    vector = _brought(w, value)
    kind, size = str(op.attrs["kind"]), types.size_of(value.type)
    source, fits = _source(w, kind, own(w, operand), own(w, width))
    if kind in ("down", "up") and width == int_const("i32", WARP_SIZE) and w.shapes.of(operand).is_uniform:
        distance = w.build.op("and", [w.scalar(operand, 0), int_const("i32", WARP_SIZE - 1)], "i32")
        moved = _moved(w, vector, kind, distance, size)
        found = w.build.op("select", [fits, moved, vector], vector.type, op.result.name)
    else:
        row = w.build.op("alloca", [], "ptr", "row", size=size * WARP_SIZE, align=64)
        w.build.effect("store", [vector, row], align=64)
        places = w.build.op("gep", [row, source], types.vector("ptr", WARP_SIZE), offset=0, strides=(size,))
        nothing = Const(vector.type, "poison")
        mask = w.mask_of(0, w.dims_of(op))
        found = w.build.op("gather", [places, mask, nothing], vector.type, op.result.name, align=size)
    put(w, op.result, found)


def _moved(w: Widener, vector: Operand, kind: str, distance: Operand, size: int) -> Operand:
    """Element l + distance (up: l - distance) in each lane l where there is one, loaded from a row twice as long."""
    row = w.build.op("alloca", [], "ptr", "row", size=2 * size * WARP_SIZE, align=64)
    if kind == "up":
        first = w.build.op("gep", [row], "ptr", offset=size * WARP_SIZE, strides=())
        w.build.effect("store", [vector, first], align=64)
        distance = w.build.op("sub", [int_const("i32", WARP_SIZE), distance], "i32")
    else:
        w.build.effect("store", [vector, row], align=64)
    place = w.build.op("gep", [row, distance], "ptr", offset=0, strides=(size,))
    return w.build.op("load", [place], vector.type, align=size)


def _source(w: Widener, kind: str, operand: Operand, width: Operand) -> tuple[Operand, Operand]:
    """The lane that each lane reads, always one of 0 ... 31, and whether it asked for that one: PTX ISA, shfl.sync."""
    lanes = w.steps("i32", 1)
    limit = int_const("i32", WARP_SIZE - 1)
    distance = apply(w, "and", operand, limit)
    segment = apply(w, "and", apply(w, "sub", int_const("i32", WARP_SIZE), width), limit)
    first = apply(w, "and", lanes, segment)
    inside = apply(w, "xor", segment, limit)
    if kind == "idx":
        return apply(w, "or", first, apply(w, "and", distance, inside)), TRUE
    if kind == "up":
        source = apply(w, "sub", lanes, distance)
        fits = apply(w, "icmp", source, first, "i1", pred="sge")
    else:
        source = apply(w, "add" if kind == "down" else "xor", lanes, distance)
        fits = apply(w, "icmp", source, apply(w, "or", first, inside), "i1", pred="ule")
    return w.build.op("select", [fits, source, lanes], _NUMBERS, "source"), fits
