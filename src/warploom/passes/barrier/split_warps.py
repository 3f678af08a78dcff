# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Split the loop over threads at warp collectives: a loop over warps, and loops over lanes inside it.

    block (tx, ty, tz) {                   warp (w) {
      A; y = shuffle x; B           ==>      lane (l) { A; put x }
    }                                        lane (l) { y = take; B }
                                           }

Only loops over threads that hold a collective are treated so. Each warp goes on by itself: a condition or a trip count
that differs between warps is uniform in a warp or costs a mask of 32 lanes, and what crosses from one loop to the next
needs 32 places, not one for each thread of the block. Thread ids come from the linear id w * 32 + l; a warp that lies
in one row of the block divides once, not once a lane.

Where all that a warp does has a vector form, that takes the place of the loops over lanes (vectorise_warp.py): one
version for warps of 32 lanes in a row, and one under a mask where there may be others.

Sound because warps are independent between barriers of the block; the rest is split_barriers.py's argument for lanes.
Han et al., COX: Exposing CUDA Warp-Level Functions to CPUs (hierarchical collapsing).
Requires: no barrier of a block. Ensures: no collective is left.
"""

from __future__ import annotations

from warploom.core.deferred import deferred
from warploom.core.launch import MAX_BLOCK
from warploom.core.remarks import Unsupported
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import (
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    int_const,
    replace_uses,
)
from warploom.ir.ops import WARP_SIZE, Level
from warploom.passes.barrier.skeleton import loops_with
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import BLOCKS_SPLIT, FLAT, GRIDS_SPLIT, NO_MASKED_BARRIERS, NO_PHASE_WAITS, SCALAR

if TYPE_CHECKING:
    from warploom.passes.barrier import fission, interchange, lower_collectives, warp_ids
    from warploom.passes.vector import vectorise_warp
else:
    fission = deferred("warploom.passes.barrier.fission")
    interchange = deferred("warploom.passes.barrier.interchange")
    lower_collectives = deferred("warploom.passes.barrier.lower_collectives")
    warp_ids = deferred("warploom.passes.barrier.warp_ids")
    vectorise_warp = deferred("warploom.passes.vector.vectorise_warp")

NAME = "split_warps"
_ONE = Const("i32", 1)

Ids = tuple[Operand, Operand, Operand]  # x, y, z


class LaneNest:
    """The lanes of one warp. The ids are the lane's number and the thread ids, which each loop computes anew."""

    level = "warp"

    def __init__(self, count: Operand, ids: list[Value]) -> None:
        self.count = count
        self.ids = ids

    def wrap(self, ids: list[Value], ops: list[Op]) -> Op:
        """A loop over all lanes."""
        return Op("lane", [self.count], [], {}, [Region(ids, ops)])

    def linear_id(self, build: Builder, ids: list[Value]) -> Operand:
        """The lane."""
        return build.op("zext", [ids[0]], "i64", "linear")


def run(function: Function, context: Context) -> bool:
    """Split every loop over threads that holds a warp collective."""
    changed = False
    for region, inner in loops_with(function, Level.WARP):
        if NAME in context.off:
            raise Unsupported(f"the kernel has warp collectives, and {NAME} is off", inner.loc)
        at = region.ops.index(inner)
        region.ops[at : at + 1] = _split(inner, function, context)
        changed = True
    return changed


def _split(block: Op, function: Function, context: Context) -> list[Op]:
    outside: list[Op] = []
    build = Builder(outside, block.loc)
    threads = _product(build, block.operands)
    rounded = build.op("add", [threads, int_const("i32", WARP_SIZE - 1)], "i32", flags=("nuw", "nsw"))
    warps = build.op("lshr", [rounded, int_const("i32", 5)], "i32", "warps")
    warp = Value("i32", "w")
    body: list[Op] = []
    inner = Builder(body, block.loc)
    base = inner.op("shl", [warp, int_const("i32", 5)], "i32", "base", flags=("nuw", "nsw"))
    count = _lanes(inner, threads, base)
    _Warp(block, warp, base, count, function, context).write(inner)
    inner.terminate()
    build.add(Op("warp", [warps], [], {}, [Region([warp], body)], block.loc))
    return outside


def _lanes(build: Builder, threads: Operand, base: Value) -> Operand:
    """How many lanes the warp has whose first thread is `base`: fewer than 32 only in the last warp of a block."""
    if isinstance(threads, Const) and int(threads.value) % WARP_SIZE == 0:
        return int_const("i32", WARP_SIZE)
    rest = build.op("sub", [threads, base], "i32", flags=("nuw", "nsw"))
    full = build.op("icmp", [rest, int_const("i32", WARP_SIZE)], "i1", pred="ult")
    return build.op("select", [full, rest, int_const("i32", WARP_SIZE)], "i32", "lanes")


def _product(build: Builder, dims: list[Operand]) -> Operand:
    count = dims[0]
    for dim in dims[1:]:
        if isinstance(count, Const) and isinstance(dim, Const):
            count = int_const("i32", int(count.value) * int(dim.value))
        elif dim != _ONE:
            count = build.op("mul", [count, dim], "i32", "threads", flags=("nuw", "nsw"))
    return count


class _Warp:
    """Writes the code of one warp."""

    def __init__(
        self, block: Op, warp: Value, base: Value, count: Operand, function: Function, context: Context
    ) -> None:
        self.block = block
        self.function = function
        self.warp = warp
        self.dims = block.operands
        self.base = base  # the linear id of lane 0
        self.count = count
        self.context = context

    def write(self, build: Builder) -> None:
        """Append the code. Where the shape of the block is unknown: one version for warps that lie in one row,
        but for launches that are seldom."""
        width, height, depth = self.dims
        if height == _ONE and depth == _ONE:
            zero = int_const("i32", 0)
            self.one_row(build, (self.base, zero, zero))
            return
        is_narrow = isinstance(width, Const) and int(width.value) < WARP_SIZE
        if is_narrow or self.function.facts.seldom_run:
            build.ops += self.lanes(self.block, None)
            return
        first = self.divide(build, self.base)
        if isinstance(width, Const) and int(width.value) % WARP_SIZE == 0:
            self.one_row(build, first)
            return
        room = build.op("sub", [width, first[0]], "i32")
        one_row = build.op("icmp", [room, self.count], "i1", pred="uge")
        offset = build.op("and", [first[0], int_const("i32", WARP_SIZE - 1)], "i32")
        aligned = build.op("icmp", [offset, int_const("i32", 0)], "i1", pred="eq")
        fits = build.op("and", [one_row, aligned], "i1", "one_row")
        copy = clone_op(self.block, {})
        whole = self.whole(first)
        if whole is None:
            self.either(build, fits, self.lanes(copy, first), self.lanes(self.block, None, is_rare=True))
        else:
            self.either(build, self.is_whole(build, fits), whole, self.lanes(self.block, None, is_rare=True))

    def one_row(self, build: Builder, first: Ids) -> None:
        """All warps lie in one row: one version for those that have all lanes, where that spares a mask."""
        whole = None if isinstance(self.count, Const) else self.whole(first)
        if whole is None:
            build.ops += self.lanes(self.block, first)
        else:
            self.either(build, self.is_whole(build, None), whole, self.lanes(self.block, first, is_rare=True))

    def whole(self, first: Ids) -> list[Op] | None:
        """The vector form of a warp that has all 32 lanes, if it has one."""
        region, lane, ids = self.body(clone_op(self.block, {}), first)
        return self.vector(region, lane, int_const("i32", WARP_SIZE), ids, first)

    def is_whole(self, build: Builder, also: Value | None) -> Value:
        """Whether the warp has all 32 lanes, and `also` holds."""
        whole = build.op("icmp", [self.count, int_const("i32", WARP_SIZE)], "i1", "whole", pred="eq")
        return whole if also is None else build.op("and", [also, whole], "i1")

    def either(self, build: Builder, condition: Value, then: list[Op], otherwise: list[Op]) -> None:
        """if (condition) then else otherwise"""
        regions = [Region([], then), Region([], otherwise)]
        for region in regions:
            Builder(region.ops).terminate()
        build.add(Op("if", [condition], [], {}, regions, self.block.loc))

    def divide(self, build: Builder, linear: Operand) -> tuple[Value, Value, Value]:
        """x, y, z of a linear id."""
        width, height, _ = self.dims
        row = build.op("udiv", [linear, width], "i32")
        x = build.op("urem", [linear, width], "i32", "tx")
        return x, build.op("urem", [row, height], "i32", "ty"), build.op("udiv", [row, height], "i32", "tz")

    def lanes(self, block: Op, first: Ids | None, is_rare: bool = False) -> list[Op]:
        """The loops over lanes, or the vector. `first`: the ids of lane 0, when all lanes lie in its row.
        `is_rare`: most warps have another form."""
        region, lane, ids = self.body(block, first)
        vector = self.vector(region, lane, self.count, ids, first, is_rare)
        if vector is not None:
            return vector
        storage: list[Op] = []
        lower_collectives.lower_collectives(region, lane, self.count, storage)
        plan = interchange.plan_interchange(region, Level.WARP, self.function, self.context)
        writer = fission.Writer(plan, LaneNest(self.count, [lane]), self.context)
        ops = writer.write()
        fission.remark_cut(writer, NAME, "lanes", self.context)
        return [*storage, *ops]

    def body(self, block: Op, first: Ids | None) -> tuple[Region, Value, list[Operand]]:
        """What a lane does, its number, and its ids: x, y, z, and the linear one."""
        lane = Value("i32", "l")
        ids: list[Op] = []
        build = Builder(ids, block.loc)
        linear = build.op("add", [self.base, lane], "i32", "linear", flags=("nuw", "nsw"))
        lane_ids = {linear: warp_ids.LaneId(self.base, lane)}
        found: Ids
        if first is None:
            found = self.divide(build, linear)
        else:
            x = build.op("add", [first[0], lane], "i32", "tx", flags=("nuw", "nsw"))
            found = (x, first[1], first[2])
            lane_ids[x] = warp_ids.LaneId(first[0], lane)
        linear_ids = warp_ids.find_linear_ids(block.region, block.region.params, block.operands)
        replace_uses(block.region, dict.fromkeys(linear_ids, linear))
        replace_uses(block.region, dict(zip(block.region.params, found, strict=True)))
        warp_ids.separate_lanes(block.region, lane_ids)
        return Region([lane], [*ids, *block.region.ops]), lane, [*found, linear]

    def vector(
        self, region: Region, lane: Value, count: Operand, ids: list[Operand], first: Ids | None, is_rare: bool = False
    ) -> list[Op] | None:
        """The lanes as one vector, where they have such a form."""
        sizes = (*MAX_BLOCK, MAX_BLOCK[0], WARP_SIZE, WARP_SIZE, MAX_BLOCK[0])
        values = (*ids, lane, self.warp, self.base)
        most = {each: size - 1 for each, size in zip(values, sizes, strict=True) if isinstance(each, Value)}
        aligned = [self.base] if first is None else [self.base, first[0]]
        loop = Op("lane", [count], [], {}, [region], self.block.loc)
        return vectorise_warp.vectorise_warp(
            loop, vectorise_warp.Warp(self.warp, aligned, most, is_rare), self.function, self.context
        )


SPLIT_WARPS = Pass(
    NAME,
    run,
    needed=True,
    requires=(SCALAR, NO_PHASE_WAITS, NO_MASKED_BARRIERS, GRIDS_SPLIT, BLOCKS_SPLIT),
    ensures=(FLAT,),
    breaks=(SCALAR,),
)
