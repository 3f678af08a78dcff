# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the values of a warp differ between its lanes, where the code holds warp collectives.

    %b: i32 = vote -1, %p [kind=ballot]          uniform: all lanes that are here get the same
    %m: i32 = activemask                         uniform
    %x: i64 = shuffle -1, %v, 0, 32 [kind=idx]   uniform: what lane 0 has, or 0 where it is not here
    %y: i64 = shuffle -1, %v, 1, 32 [kind=xor]   a vector, but where %v is uniform and all 32 lanes are here

Everything else is analysis/lanes.py's business. `Uniform` is meant among the lanes that execute the op, as it is there.
"""

from __future__ import annotations

from warploom.analysis.lane_shapes import UNIFORM, Shape, X, varying
from warploom.analysis.lanes import Shapes
from warploom.core.records import dataclass, field
from warploom.ir.core import Op, Region, Value, int_const
from warploom.ir.ops import WARP_SIZE

_WHOLE = int_const("i32", WARP_SIZE)


@dataclass(slots=True)
class WarpShapes(Shapes):
    """The shapes of the loop over the lanes of one warp. `full`: the warp has all 32 lanes."""

    full: bool = False
    around: dict[Op, tuple[Op, ...]] = field(default_factory=dict[Op, tuple[Op, ...]])

    def solve(self, loop: Op, lane: Value) -> None:
        """As for any loop; control flow around each collective is noted first."""
        self._note(loop.region, ())
        Shapes.solve(self, loop, lane)

    def _note(self, region: Region, control: tuple[Op, ...]) -> None:
        for op in region.ops:
            if op.name == "shuffle":
                self.around[op] = control
            for inner in op.regions:
                self._note(inner, (*control, op))

    def is_together(self, op: Op) -> bool:
        """Whether all 32 lanes come to the shuffle `op` together."""
        return self.full and not any(self._parts(each) for each in self.around[op])

    def _parts(self, control: Op) -> bool:
        dims = self.of(control.operands[0]).dims if control.name == "if" else self.trips.get(control, 0)
        return bool(dims & X)

    def _op(self, op: Op, result: Value) -> Shape:
        if op.name == "shuffle":
            return self._shuffle(op)
        if op.name == "activemask":
            return UNIFORM
        if op.name in ("vote", "warp_reduce", "match"):
            mask, value = op.operands
            if op.name == "match" and op.attrs["kind"] == "any":
                return varying(self.of(mask).dims | self.of(value).dims)
            return varying(self.of(mask).dims)
        return Shapes._op(self, op, result)

    def _shuffle(self, op: Op) -> Shape:
        if reads_one_lane(op, self):
            return UNIFORM
        dims = self.of(op.operands[1]).dims
        return varying(dims if self.is_together(op) else dims | X)


def reads_one_lane(op: Op, shapes: Shapes) -> bool:
    """Whether all lanes that come to the shuffle `op` read the same lane."""
    _, _, source, width = op.operands
    return op.attrs["kind"] == "idx" and width == _WHOLE and shapes.of(source).is_uniform
