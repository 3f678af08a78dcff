# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds of a whole kernel between passes: the terms in which passes say what they require, ensure and break.

A contract that a pass ensures holds after every later one, until one breaks it. `check_order` (base.py) shows of a
pipeline that each pass finds what it requires; under verification the runner looks at the kernel at hand as well.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.turns import is_phase_wait
from warploom.core.records import dataclass
from warploom.ir.core import Function, Op, flags_of, walk
from warploom.ir.ops import Level, collective_level


@dataclass(frozen=True, slots=True)
class Contract:
    """Something that holds of a whole kernel, in words, and the question whether it does."""

    text: str
    holds: Callable[[Function], bool]


def is_structured(function: Function) -> bool:
    """Whether no basic blocks are left."""
    return not function.blocks


def is_flat(function: Function) -> bool:
    """Whether the kernel is structured and holds no barrier or collective: it could go to the backend."""
    return is_structured(function) and not any(map(is_collective, walk(function.body)))


def is_collective(op: Op) -> bool:
    """Whether threads wait or exchange values at `op`."""
    return collective_level(op) is not None


def _has_one_loop_a_grid(function: Function) -> bool:
    grids = [op for op in function.body.ops if op.name == "grid"]
    return all([each.name for each in grid.region.body] == ["block"] for grid in grids)


def _holds_no(wrong: Callable[[Op], bool]) -> Callable[[Function], bool]:
    return lambda function: not any(map(wrong, walk(function.body)))


def _is_barrier_of(level: Level) -> Callable[[Op], bool]:
    return lambda op: collective_level(op) is level


_OF_VECTORS = frozenset("splat reduce gather scatter masked_load masked_store".split())

STRUCTURED = Contract("no basic blocks are left", is_structured)
ONE_LOOP_A_GRID = Contract("a grid holds nothing but one loop over the threads of its block", _has_one_loop_a_grid)
SCALAR = Contract("each op is of one thread, none of a vector of them", _holds_no(lambda op: op.name in _OF_VECTORS))
NO_PHASE_WAITS = Contract("no call waits for the phase of a barrier in memory", _holds_no(is_phase_wait))
CONTRACTED = Contract("no op may be fused with another any more", _holds_no(lambda op: "contract" in flags_of(op)))
NO_MASKED_BARRIERS = Contract(
    "no barrier of a warp has a mask", _holds_no(lambda op: op.name == "barrier" and bool(op.operands))
)
GRIDS_SPLIT = Contract("no barrier of a grid is left", _holds_no(_is_barrier_of(Level.GRID)))
BLOCKS_SPLIT = Contract("no barrier of a block is left", _holds_no(_is_barrier_of(Level.BLOCK)))
FLAT = Contract("no basic block, barrier or collective is left", is_flat)
