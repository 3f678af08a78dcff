# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Let a warp go statement by statement where its lanes hand each other values with nothing in between that waits.

    if t < 32 { ...; store x[t] }                 if t < 32 { ...; store x[t] }
    if t < 16 { load x[t + 16]; ... }    ==>      if t < 16 { barrier [level=warp]; load x[t + 16]; ... }

Such code has a race: `__syncwarp()` is missing, or the memory is not volatile. CUDA has not promised since compute
capability 7 that it works, but the lanes of a GPU's warp go in lock step while they go the same way, so tails of
reductions written so give what was meant on every GPU. A barrier of the lanes that come to a place is always allowed:
it only rules out orders of threads that could happen. So it is no matter of soundness where they stand: before each
access that meets another lane's in sample launches (analysis/sample_run.py). Programs without races have none.
"""

from __future__ import annotations

from warploom.analysis.sample_run import meeting_pairs
from warploom.core.remarks import Unsupported
from warploom.ir.core import Const, Function, Op, Operand, Region, walk
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_MASKED_BARRIERS, ONE_LOOP_A_GRID, SCALAR

NAME = "lock_step"


def run(function: Function, context: Context) -> bool:
    """Make lanes of a warp meet where they hand on values in `function`; true if they do anywhere."""
    if sum(op.name == "block" for op in walk(function.body)) != 1 or not _may_hand_on(function):
        return False
    pairs = meeting_pairs(function)
    if pairs and function.facts.waits:
        raise Unsupported(f"{_describe(pairs[0][0])} with no __syncwarp() between, and a loop waits", pairs[0][1].loc)
    for first, then in pairs:
        context.remark(NAME, f"race: {_describe(first)}, and no __syncwarp() between: lanes go in lock step", then.loc)
    _place(function.body, {then for _, then in pairs})
    return bool(pairs)


def _may_hand_on(function: Function) -> bool:
    """Whether anything is both loaded and stored, as far as the samples can tell objects apart."""
    bases: dict[Operand, Operand] = {}
    known: set[Operand | None] = set(function.arguments)
    loaded: set[Operand | None] = set()
    stored: set[Operand | None] = set()
    for op in walk(function.body):
        if op.name == "gep":
            bases[op.result] = bases.get(op.operands[0], op.operands[0])
        elif op.name in ("load", "store", "atomicrmw", "cmpxchg"):
            pointer = op.operands[1 if op.name == "store" else 0]
            base = bases.get(pointer, pointer)
            found = base if base in known or isinstance(base, Const) else None
            if op.name != "store":
                loaded.add(found)
            if op.name != "load":
                stored.add(found)
    if None in loaded or None in stored:
        return bool(loaded and stored)
    return not loaded.isdisjoint(stored)


def _describe(first: Op) -> str:
    verb = "loads what another lane has stored" if first.name != "load" else "stores what another lane has loaded"
    return f"a lane of the warp {verb}" + (f" at line {first.loc.line}" if first.loc else "")


def _place(region: Region, points: set[Op]) -> None:
    ops: list[Op] = []
    for op in region.ops:
        if op in points:
            ops.append(Op("barrier", [], [], {"level": "warp", "lock_step": True}, [], op.loc))
        for inner in op.regions:
            _place(inner, points)
        ops.append(op)
    region.ops = ops


LOCK_STEP = Pass(NAME, run, requires=(ONE_LOOP_A_GRID, SCALAR, NO_MASKED_BARRIERS))
