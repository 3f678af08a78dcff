# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the values of a warp differ between its lanes, where the code holds warp collectives.

    %b: i32 = vote -1, %p [kind=ballot]          uniform: all lanes that are here get the same
    %m: i32 = activemask                         uniform
    %x: i64 = shuffle -1, %v, 0, 32 [kind=idx]   uniform where lane 0 is surely here; else a vector: who reads a lane
                                                 that is not here keeps its own value
    %y: i64 = shuffle -1, %v, 1, 32 [kind=xor]   a vector

Everything else is analysis/lanes.py's business. `Uniform` is meant among the lanes that execute the op, as it is there.
"""

from __future__ import annotations

from warploom.analysis.lane_shapes import UNIFORM, Shape, X, varying
from warploom.analysis.lanes import Shapes
from warploom.core.records import dataclass, field
from warploom.ir.core import Const, Op, Operand, Region, Value
from warploom.ir.ops import WARP_SIZE


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
        """Whether all lanes of the warp that exist come to the shuffle `op` together."""
        return not any(self._parts(each) for each in self.around[op])

    def _parts(self, control: Op) -> bool:
        dims = self.of(control.operands[0]).dims if control.name == "if" else self.trips.get(control, 0)
        return bool(dims & X)

    def is_there(self, op: Op, source: Operand) -> bool:
        """Whether the lane `source`, the same for all that ask, surely comes to the shuffle `op`."""
        first = isinstance(source, Const) and isinstance(source.value, int) and source.value % WARP_SIZE == 0
        return self.is_together(op) and (self.full or first)

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
        _, value, source, width = op.operands
        dims = self.of(value).dims
        if not dims & X:
            return varying(dims)
        one = (
            op.attrs["kind"] == "idx"
            and width == Const("i32", WARP_SIZE)
            and not self.of(source).dims & X
            and self.is_there(op, source)
        )
        return UNIFORM if one else varying(dims)
