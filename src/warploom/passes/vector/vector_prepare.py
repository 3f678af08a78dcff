# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites a thread loop, still in scalar form, so that a vector of its threads meets memory in rows.

    %a = alloca [size=64]                          %a = alloca [size=64 * W, spread]     one piece for W threads:
    %p = gep %a, %k [strides=(4)]           ==>    %p = gep %a, %k, %lane [strides=(4 * W, 4)]   slot by slot

    for %i = %gid, %n, %step { B }          ==>    for %i = %gid, %n, %step [together] { B }     all threads run these
                                                   for %i = where they stopped, %n, %step { B }

    while (%i * 4 < %n) { B }               ==>    while (%i * 4 < %n) [together] { B }
                                                   while (%i * 4 < %n) { B }

Private arrays: sound where elements, or fields of structures, do not lie over each other, and no address goes anywhere
else. Where one thread had a field, `width` of them lie side by side. Loops: `together` ends as soon as the first thread
of a vector would, and the second loop goes on from there, with the values that the first one had when it asked; asking
twice gives the same, as that is arithmetic alone.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import signed_value, type_range
from warploom.analysis.lane_shapes import X
from warploom.analysis.lanes import SPREAD, TOGETHER, Shapes
from warploom.analysis.steps import know_counters
from warploom.analysis.vector_cost import is_rest
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, Value, clone_region, uses_of, walk, walk_op
from warploom.ir.ops import FEW_TRIPS, LOOPS
from warploom.ir.properties import is_duplicable

_LARGEST_COPY = 300  # ops of a loop that is worth having twice


# -- private arrays ---------------------------------------------------------------------------------------------------


def spread_private(loop: Op, lane: Value, width: int, ranges: Ranges) -> None:
    """Interleave the private arrays of `width` threads, where nothing sees it but loads and stores of their elements.
    What counts these gets its range."""
    arrays = [each for each in walk_op(loop) if each.name == "alloca"]
    if not arrays:
        return
    uses, multiples = uses_of(loop.region), _multiples(loop.region)
    for op in arrays:
        addresses = _addresses(op, uses)
        sizes = _element_sizes(op, addresses, uses, multiples) if addresses is not None else None
        if addresses is None or not sizes:
            continue
        op.attrs.update({"size": int(str(op.attrs["size"])) * width, "align": 64, SPREAD: True})
        know_counters(loop.region, ranges)
        for gep in addresses:
            gep.attrs["strides"] = tuple(int(str(each)) * width for each in _tuple(gep, "strides"))
            gep.attrs["offset"] = int(str(gep.attrs.get("offset", 0))) * width
            gep.attrs.pop("inbounds", None)
        made = {gep.result: gep for gep in addresses}
        for address, size in sizes.items():
            _address_own(loop.region, address, made.get(address), uses[address], (lane, size))


def _addresses(alloca: Op, uses: dict[Value, list[tuple[Op, int]]]) -> list[Op] | None:
    """The geps that lead into the array; None when its address goes anywhere but to accesses."""
    geps: list[Op] = []
    work: list[Value] = [alloca.result]
    while work:
        for user, number in uses.get(work.pop(), []):
            if user.name == "gep" and number == 0:
                geps.append(user)
                work.append(user.result)
            elif (user.name, number) not in (("load", 0), ("store", 1)) or user.attrs.get("ordering"):
                return None
    return geps


def _multiples(region: Region) -> dict[Value, int]:
    """What divides the counters of loops that start and step by constants."""
    found: dict[Value, int] = {}
    for op in walk(region):
        if op.name == "for":
            start, step = (signed_value(each) if isinstance(each, Const) else None for each in op.operands[:3:2])
            if start is not None and step is not None:
                found[op.region.params[0]] = gcd(start, step)
    return found


def _element_sizes(
    alloca: Op, geps: list[Op], uses: dict[Value, list[tuple[Op, int]]], multiples: dict[Value, int]
) -> dict[Value, int] | None:
    """The size of what lies at each address that is accessed; None where elements may lie over each other.

    The array is so many structures of one size, each of whose fields has one size, or elements of one size.
    """
    period, places = int(str(alloca.attrs["size"])), {alloca.result: 0}
    for gep in geps:
        base = gep.operands[0]
        assert isinstance(base, Value), "an address in an array is no constant"
        places[gep.result] = places[base] + int(str(gep.attrs.get("offset", 0)))
        for index, stride in zip(gep.operands[1:], _tuple(gep, "strides"), strict=True):
            period = gcd(period, int(str(stride)) * (multiples.get(index, 1) if isinstance(index, Value) else 1))
    sizes: dict[Value, int] = {}
    fields: dict[int, int] = {}
    for address, place in places.items():
        for user, _ in uses.get(address, []):
            if user.name == "gep":
                continue
            type_ = (user.results or user.operands)[0].type
            if types.is_vector(type_) or types.is_aggregate(type_):
                return None
            sizes[address] = types.size_of(type_)
            if fields.setdefault(place % period, sizes[address]) != sizes[address]:
                return None
    ends = [*sorted(fields), period]
    return sizes if all(end + fields[end] <= after for end, after in pairwise(ends)) else None


def _address_own(
    region: Region, address: Value, made: Op | None, users: list[tuple[Op, int]], field: tuple[Value, int]
) -> None:
    """Accesses at `address`, which `made` computes: through an address of each thread's own. `field`: its lane, and the
    size of what is accessed."""
    lane, size = field
    if made is not None and all(user.name != "gep" for user, _ in users):
        made.operands.append(lane)
        made.attrs["strides"] = (*(int(str(each)) for each in _tuple(made, "strides")), size)
        return
    for op, number in users:
        if op.name != "gep":
            own = Value("ptr", address.name)
            op.operands[number] = own
            _insert_before(region, op, Op("gep", [address, lane], [own], {"offset": 0, "strides": (size,)}, [], op.loc))


def _insert_before(region: Region, op: Op, new: Op) -> bool:
    for position, each in enumerate(region.ops):
        if each is op:
            region.ops.insert(position, new)
            return True
        if any(_insert_before(inner, op, new) for inner in each.regions):
            return True
    return False


def _tuple(op: Op, key: str) -> tuple[object, ...]:
    found = op.attrs.get(key, ())
    assert isinstance(found, tuple)
    return found


# -- loops that threads leave one after the other ---------------------------------------------------------------------


def split_counted_loops(region: Region, shapes: Shapes) -> bool:
    """Split loops that threads leave in their order into iterations of all threads and a rest."""
    changed = False
    ops: list[Op] = []
    for op in region.ops:
        if op.name in LOOPS and not is_rest(op, shapes):
            if op.name == "for" and not op.attrs.get(FEW_TRIPS) and counts_threads(op, shapes):
                ops += _split(op, shapes)
                changed = True
                continue
            if op.name == "while" and _ends_in_order(op, shapes):
                ops += _split_while(op, shapes)
                changed = True
                continue
        for inner in op.regions:
            changed |= split_counted_loops(inner, shapes)
        ops.append(op)
    region.ops = ops
    return changed


def counts_threads(op: Op, shapes: Shapes) -> bool:
    """Whether neighbours start one after the other, go on in equal steps, and end at the same bound."""
    lower, upper, step = (shapes.of(each) for each in op.operands[:3])
    counter = op.region.params[0].type
    if op.attrs.get(TOGETHER) or counter not in ("i32", "i64") or op.attrs["pred"] not in ("slt", "ult"):
        return False
    starts = bool(lower.dims & X) and lower.stride is not None and 0 < lower.stride <= 1 << 16
    known = lower.exact or counter == "i64" or op.attrs["pred"] == "ult"
    backwards = signed_value(op.operands[2]) if isinstance(op.operands[2], Const) else 1
    return (
        starts
        and known
        and not upper.dims
        and not step.dims
        and backwards is not None
        and backwards > 0
        and sum(1 for _ in walk_op(op)) <= _LARGEST_COPY
    )


def _split(op: Op, shapes: Shapes) -> list[Op]:
    lower, upper, step, *init = op.operands
    counter, *_ = op.region.params
    mapping: dict[Value, Operand] = {}
    region = clone_region(op.region, mapping)
    here, *carried = region.params
    last, next_ = Value(counter.type, counter.name), Value(counter.type, counter.name)
    region.params = [here, Value(counter.type, counter.name), *carried]
    yielded = region.ops.pop()
    flags = op.attrs.get("flags", ())
    region.ops.append(Op("add", [here, step], [next_], {"flags": flags} if flags else {}, [], op.loc))
    region.ops.append(Op("yield", [next_, *yielded.operands], loc=yielded.loc))
    results = [Value(each.type, each.name) for each in op.results]
    main = Op(
        "for", [lower, upper, step, lower, *init], [last, *results], {**op.attrs, TOGETHER: True}, [region], op.loc
    )
    rest = Op("for", [last, upper, step, *results], op.results, dict(op.attrs), op.regions, op.loc)
    if op.attrs["pred"] == "ult" and counter.type == "i32":
        shapes.ranges.known[here] = (0, type_range("i32")[1])
    shapes.ranges.definitions.update({value: each for each in walk_op(main) for value in each.results})
    return [main, rest]


def _ends_in_order(op: Op, shapes: Shapes) -> bool:
    """Whether a `while` ends where a number that goes up from thread to thread meets one that is the same for all."""
    before, after = op.regions
    condition = before.terminator.operands[0]
    test = shapes.ranges.definitions.get(condition) if isinstance(condition, Value) else None
    if test is None or test.name != "icmp" or test not in before.ops or not shapes.trips[op] & X:
        return False
    counted, bound = sorted((shapes.of(each) for each in test.operands), key=lambda each: not each.dims & X)
    return (
        not op.attrs.get(TOGETHER)
        and not bound.dims & X
        and counted.stride is not None
        and all(is_duplicable(each) for each in before.body)
        and not any(each.name in LOOPS for each in walk(after))
        and sum(1 for _ in walk_op(op)) <= _LARGEST_COPY
    )


def _split_while(op: Op, shapes: Shapes) -> list[Op]:
    """The first loop gives what it carried when it asked last, as a result of its own where it had none."""
    mapping: dict[Value, Operand] = {}
    before, after = (clone_region(each, mapping) for each in op.regions)
    results = [Value(each.type, each.name) for each in op.results]
    passed = dict(zip(before.terminator.operands[1:], results, strict=True))
    given: list[Operand] = []
    for each in before.params:
        if each not in passed:
            before.terminator.operands.append(each)
            after.params.append(Value(each.type, each.name))
            passed[each] = Value(each.type, each.name)
            results.append(passed[each])
        given.append(passed[each])
    main = Op("while", [*op.operands], results, {**op.attrs, TOGETHER: True}, [before, after], op.loc)
    rest = Op("while", given, op.results, dict(op.attrs), op.regions, op.loc)
    shapes.ranges.definitions.update({value: each for each in walk_op(main) for value in each.results})
    return [main, rest]
