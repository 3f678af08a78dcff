# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Split the grid at grid barriers, so that a cooperative launch needs no core for each block.

    grid (b) { block (t) {                  grid (b) { block (t) { A } }
      A; grid barrier; B             ==>    grid (b) { block (t) { B } }
    } }

The same fission as at barriers of a block (split_barriers.py), with grid and block together as the loop over threads:
control flow around grid barriers moves to the function, values that cross are kept in one place for each thread of the
launch. Blocks still run in parallel between two barriers; shared memory must outlive a grid (attribute
`persistent_shared`), so each block has its own for the whole launch.

A cluster's barrier is split as a grid's: blocks of other clusters then wait longer than they must, which they cannot
tell, and blocks of a cluster find each other's shared memory in its place.

Sound because a grid barrier puts A of all threads of all blocks before B.
Requires: a grid holds nothing but its block. Ensures: no grid barrier is left.
"""

from __future__ import annotations

from warploom.core.deferred import deferred
from warploom.core.records import replace
from warploom.core.remarks import Unsupported
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import Builder, Function, Op, Operand, Region, Value, walk
from warploom.ir.ops import Level, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import GRIDS_SPLIT, NO_MASKED_BARRIERS, NO_PHASE_WAITS, ONE_LOOP_A_GRID, SCALAR

if TYPE_CHECKING:
    from warploom.passes.barrier import fission, interchange
else:
    fission = deferred("warploom.passes.barrier.fission")
    interchange = deferred("warploom.passes.barrier.interchange")

NAME = "split_grid"


class GridNest:
    """All threads of a launch. The ids are the block's and the thread's."""

    level = "grid"

    def __init__(self, grid: Op, block: Op) -> None:
        self.grid = grid
        self.block = block
        self.ids = [*grid.region.params, *block.region.params]

    def wrap(self, ids: list[Value], ops: list[Op]) -> Op:
        """A loop over all threads of all blocks."""
        inner = Op(
            "block", list(self.block.operands), [], dict(self.block.attrs), [Region(ids[3:], ops)], self.block.loc
        )
        region = Region(ids[:3], [inner])
        Builder(region.ops).terminate()
        return Op("grid", list(self.grid.operands), [], dict(self.grid.attrs), [region], self.grid.loc)

    def linear_id(self, build: Builder, ids: list[Value]) -> Operand:
        """Blocks in order, threads in order in each."""
        width, height, _ = (build.op("zext", [each], "i64") for each in self.grid.operands)
        x, y, z = (build.op("zext", [each], "i64") for each in ids[:3])
        row = build.op("add", [y, build.op("mul", [height, z], "i64")], "i64")
        block = build.op("add", [x, build.op("mul", [width, row], "i64")], "i64")
        threads: Operand = self.block.operands[0]
        for dim in self.block.operands[1:]:
            threads = build.op("mul", [threads, dim], "i32", flags=("nuw", "nsw"))
        before = build.op("mul", [block, build.op("zext", [threads], "i64")], "i64")
        return build.op("add", [before, fission.block_linear_id(build, ids[3:], self.block.operands)], "i64", "linear")


def run(function: Function, context: Context) -> bool:
    """Split every grid that holds a grid barrier."""
    changed = False
    for grid in [op for op in function.body.ops if op.name == "grid" and levels_in(op) & Level.GRID]:
        if NAME in context.off:
            raise Unsupported(f"the kernel has grid barriers, and {NAME} is off", grid.loc)
        _split(grid, function, context)
        changed = True
    return changed


def _split(grid: Op, function: Function, context: Context) -> None:
    if [op.name for op in grid.region.body] != ["block"]:
        raise AssertionError("split_grid: a grid with more than one block loop")
    block = grid.region.ops[0]
    for op in walk(block.region):
        if op.name == "barrier" and op.attrs["level"] == "grid":
            kind = "cluster" if op.attrs.get("cluster") else "grid"
            context.remark(NAME, f"{kind} barrier: became the end of a loop over all threads", op.loc)
    shared = frozenset(function.shared)
    region = Region([*grid.region.params, *block.region.params], block.region.ops)
    writer = fission.Writer(
        interchange.plan_interchange(region, Level.GRID, function, context, shared), GridNest(grid, block), context
    )
    at = function.body.ops.index(grid)
    function.body.ops[at : at + 1] = writer.write()
    if function.shared:
        function.facts = replace(function.facts, persistent_shared=True)
    fission.remark_cut(writer, NAME, "all threads", context)


SPLIT_GRID = Pass(
    NAME,
    run,
    needed=True,
    requires=(ONE_LOOP_A_GRID, SCALAR, NO_PHASE_WAITS, NO_MASKED_BARRIERS),
    ensures=(GRIDS_SPLIT,),
)
