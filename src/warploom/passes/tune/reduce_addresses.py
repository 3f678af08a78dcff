# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strength reduction of addresses in short loops: a base and a distance.

    for %y = 0, 16, 1 {                          %s = 4 * sext %n
      %i = add %row, %y                          %a = gep %A, sext (%row * %n)
      %m = mul %i, %n [nsw]                      for %y = 0, 16, 1, %d = 0 {
      %p = gep %A, sext %m            ==>          %p = gep %a, %d
      ...                                          ...
    }                                              yield %d + %s
                                                 }

LLVM makes copies of such a loop's body. Of the products it then makes vectors, one for each few copies, and takes them
apart again for the addresses; multiples of %s it computes before all loops. Loops of more trips it reduces by itself.

A loop that makes one trip in any case goes, and what is in it stays.

Sound where steps are exact (analysis/steps.py). The first trip's address is computed before the loop, by what would
compute it in the loop: at least one trip is made.
"""

from __future__ import annotations

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.steps import Step, Steps, in_bytes, know_counters, trips_of
from warploom.ir.core import Builder, Function, Op, Operand, Region, Value, clone_op, int_const, replace_uses
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.cache_lines import PREFETCH_CALLEE
from warploom.passes.tune.loop_addresses import ops_of

NAME = "reduce_addresses"
MOST_TRIPS = 64


def is_access(op: Op) -> bool:
    """Whether `op` has an address that must be as LLVM's flags promise, or does not matter."""
    return op.name in ("load", "store") or op.attrs.get("callee") == PREFETCH_CALLEE


class _Reducer:
    def __init__(self, function: Function) -> None:
        self.ranges = Ranges(function)
        know_counters(function.body, self.ranges)
        self.bases_inside: set[Operand] = set()  # what loops inside of the one at hand start from
        self.changed = False

    def region(self, region: Region) -> None:
        """Reduce the loops of a region, inner ones first."""
        ops: list[Op] = []
        for op in region.ops:
            least, most = trips_of(op, self.ranges) if op.name == "for" else (0, None)
            is_short = least > 0 and most is not None and most <= MOST_TRIPS
            for inner in op.regions:
                self.region(inner)
            if is_short and most == 1 and not op.results:
                self.changed = True
                replace_uses(op.region, {op.region.params[0]: op.operands[0]})
                ops += op.region.body
                continue
            if is_short:
                ops += self.bases(op)
            ops.append(op)
        region.ops = ops

    def bases(self, loop: Op) -> list[Op]:
        """Let `loop` add distances to bases; the ops before it that compute these."""
        steps = Steps(loop, self.ranges.definitions, self.ranges)
        addresses = {
            op.operands[-1 if op.name == "store" else 0] for op in loop.region.body if is_access(op)
        } | self.bases_inside
        geps = [op for op in loop.region.body if op.name == "gep" and op.result in addresses]
        found = {op: step for op in geps if (step := steps.of(op.result)) and step.exact and step.factors}
        if not found:
            return []
        self.changed = True
        before: list[Op] = []
        build = Builder(before, loop.loc)
        starts = {op: self._in_first_trip(op.result, loop, build) for op in found}
        distances = {step: Value("i64", "distance") for step in found.values()}
        for op, step in found.items():
            op.operands = [starts[op], distances[step]]
            op.attrs = {"offset": 0, "strides": (1,)}
        self._carry(loop, distances, build)
        return before

    def _in_first_trip(self, address: Value, loop: Op, build: Builder) -> Operand:
        mapping: dict[Value, Operand] = {loop.region.params[0]: loop.operands[0]}
        for each in ops_of(address, loop.region):
            copy = build.add(clone_op(each, mapping))
            self.ranges.definitions.update(dict.fromkeys(copy.results, copy))
        self.bases_inside.add(mapping[address])
        return mapping[address]

    def _carry(self, loop: Op, distances: dict[Step, Value], build: Builder) -> None:
        """Count the bytes of each step."""
        end = loop.region.terminator
        inside = Builder(loop.region.ops, loop.loc)
        loop.region.ops.remove(end)
        further = [
            inside.op("add", [distance, in_bytes(step, 1, build)], "i64") for step, distance in distances.items()
        ]
        inside.terminate("yield", [*end.operands, *further])
        loop.region.params += distances.values()
        loop.operands = [*loop.operands, *(int_const("i64", 0) for _ in distances)]
        loop.results = [*loop.results, *(Value("i64", "distance") for _ in distances)]


def run(function: Function, _context: Context) -> bool:
    """Reduce the addresses of the short loops of `function`."""
    reducer = _Reducer(function)
    reducer.region(function.body)
    if reducer.changed:
        reducer.ranges.note_limits()
    return reducer.changed


REDUCE_ADDRESSES = Pass(NAME, run, requires=(FLAT,))
