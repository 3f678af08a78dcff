# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Split the loop over the threads of a block at barriers.

    block (t) {                          block (t) { A }
      A; barrier; B               ==>    block (t) { B }
    }

Sound because a barrier puts A of all threads before B of all threads, and so do two loops in sequence. Control flow
around barriers moves out of the threads (interchange.py); values that A and B share are kept or computed again by a
minimum cut (fission.py). A barrier that also counts votes leaves one byte a thread and sums them up outside.

Moses et al., High-Performance GPU-to-CPU Transpilation and Optimization via High-Level Parallel Constructs, III-B.
Ensures: no barrier of a block is left.
"""

from __future__ import annotations

from warploom.core.deferred import deferred
from warploom.core.remarks import Unsupported
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import Builder, Function, Op, Operand, Region, Value, int_const, walk_op
from warploom.ir.ops import Level
from warploom.passes.barrier.features import EARLY_STORES, FOR, IF, MINIMUM_CUT, WHILE
from warploom.passes.barrier.skeleton import OUTER, loops_with
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import (
    BLOCKS_SPLIT,
    GRIDS_SPLIT,
    NO_MASKED_BARRIERS,
    NO_PHASE_WAITS,
    ONE_LOOP_A_GRID,
    SCALAR,
)

if TYPE_CHECKING:
    from warploom.passes.barrier import fission, interchange
else:
    fission = deferred("warploom.passes.barrier.fission")
    interchange = deferred("warploom.passes.barrier.interchange")

NAME = "split_barriers"


class BlockNest:
    """The threads of one block."""

    level = "block"

    def __init__(self, op: Op) -> None:
        self.op = op
        self.ids = op.region.params

    def wrap(self, ids: list[Value], ops: list[Op]) -> Op:
        """A loop over all threads."""
        return Op("block", list(self.op.operands), [], dict(self.op.attrs), [Region(ids, ops)], self.op.loc)

    def linear_id(self, build: Builder, ids: list[Value]) -> Operand:
        """tx + bdx * (ty + bdy * tz)."""
        return fission.block_linear_id(build, ids, self.op.operands)


def run(function: Function, context: Context) -> bool:
    """Split every loop over threads that holds a barrier."""
    changed = False
    for region, inner in loops_with(function, Level.BLOCK):
        if NAME in context.off:
            raise Unsupported(f"the kernel has barriers, and {NAME} is off", inner.loc)
        _split(inner, region, function, context)
        changed = True
    return changed


def _split(block: Op, parent: Region, function: Function, context: Context) -> None:
    votes = _lower_votes(block)
    _remark_barriers(block, context)
    plan = interchange.plan_interchange(block.region, Level.BLOCK, function, context)
    writer = fission.Writer(plan, BlockNest(block), context)
    place = parent.ops.index(block)
    parent.ops[place : place + 1] = [*votes, *writer.write()]
    fission.remark_cut(writer, NAME, "threads", context)


def _remark_barriers(block: Op, context: Context) -> None:
    for op in walk_op(block):
        if op.name == "barrier" and op.attrs["level"] == "block":
            context.remark(NAME, "barrier: became the end of a loop over threads", op.loc)


# -- barriers that count ----------------------------------------------------------------------------------------------


def _lower_votes(block: Op) -> list[Op]:
    """Write each `barrier_reduce` as bytes, a barrier, and a sum outside; the result: where the bytes lie."""
    storage: list[Op] = []
    for op in list(walk_op(block)):
        for region in op.regions:
            for inner in list(region.ops):
                if inner.name == "barrier_reduce":
                    _lower_vote(inner, region, block, storage)
    return storage


def _lower_vote(op: Op, region: Region, block: Op, storage: list[Op]) -> None:
    """Bytes: 1 for true. Threads that do not come (they have ended) leave what makes no difference."""
    votes = Builder(storage, op.loc).op("scratch", [], "ptr", "votes", size=1, align=64, level="block")
    code: list[Op] = []
    build = Builder(code, op.loc)
    neutral = 1 if op.attrs["kind"] == "and" else 0
    count = _threads(build, block)
    build.effect("memset", [votes, int_const("i8", neutral), count], volatile=False, align_to=64, **{OUTER: True})
    vote = build.op("icmp", [op.operands[0], int_const("i32", 0)], "i1", pred="ne")
    byte = build.op("zext", [vote], "i8")
    number = fission.block_linear_id(build, block.region.params, block.operands)
    place = build.op("gep", [votes, number], "ptr", offset=0, strides=(1,), inbounds=True)
    build.effect("store", [byte, place], align=1)
    build.effect("barrier", [], level="block")
    total = _sum(build, votes, count)
    _conclude(build, op, total, count)
    at = region.ops.index(op)
    region.ops[at : at + 1] = code


def _threads(build: Builder, block: Op) -> Value:
    count: Operand = block.operands[0]
    for dim in block.operands[1:]:
        count = build.op("mul", [count, dim], "i32", flags=("nuw", "nsw"))
    return build.op("zext", [count], "i64", "threads")


def _sum(build: Builder, votes: Value, count: Value) -> Value:
    """The number of true bytes."""
    number, sum_ = Value("i64", "i"), Value("i32", "sum")
    body = Region([number, sum_])
    inner = Builder(body.ops, build.loc)
    place = inner.op("gep", [votes, number], "ptr", offset=0, strides=(1,), inbounds=True)
    byte = inner.op("load", [place], "i8", align=1)
    wide = inner.op("zext", [byte], "i32")
    inner.terminate("yield", [inner.op("add", [sum_, wide], "i32")])
    total = Value("i32", "votes")
    bounds: list[Operand] = [int_const("i64", 0), count, int_const("i64", 1), int_const("i32", 0)]
    build.add(Op("for", bounds, [total], {"pred": "ult", OUTER: True}, [body], build.loc))
    return total


def _conclude(build: Builder, op: Op, total: Value, count: Value) -> None:
    """What the barrier returns, under the name that it had."""
    kind = op.attrs["kind"]
    if kind == "count":
        build.add(Op("add", [total, int_const("i32", 0)], op.results, {}, [], op.loc))
        return
    everybody = build.op("trunc", [count], "i32")
    wanted: list[Operand] = [total, everybody if kind == "and" else int_const("i32", 0)]
    holds = build.op("icmp", wanted, "i1", pred="eq" if kind == "and" else "ne")
    build.add(Op("zext", [holds], op.results, {}, [], op.loc))


SPLIT_BARRIERS = Pass(
    NAME,
    run,
    needed=True,
    features=(FOR, WHILE, IF, MINIMUM_CUT, EARLY_STORES),
    requires=(SCALAR, NO_PHASE_WAITS, NO_MASKED_BARRIERS, GRIDS_SPLIT),
    ensures=(BLOCKS_SPLIT,),
    breaks=(ONE_LOOP_A_GRID,),
)
