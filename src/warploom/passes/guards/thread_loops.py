# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put other code in place of the loops over threads of a kernel."""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.turns import takes_turns
from warploom.ir.core import Function, Op, Region, walk
from warploom.ir.ops import levels_in


def replace_thread_loops(function: Function, replacement: Callable[[Op], list[Op] | None]) -> bool:
    """Put what `replacement` makes in place of each loop whose threads do not wait for each other; None: it stays.

    True if any was replaced. What was made is not looked at again.
    """

    def visit(region: Region) -> bool:
        changed = False
        ops: list[Op] = []
        for op in region.ops:
            made = None
            if op.name != "block":
                for inner in op.regions:
                    changed |= visit(inner)
            elif not levels_in(op) and not takes_turns(function, op):
                made = replacement(op)
            changed |= made is not None
            ops += [op] if made is None else made
        region.ops = ops
        return changed

    grids = [op for op in walk(function.body) if op.name == "grid"]
    changed = [visit(grid.region) for grid in grids]
    return any(changed)
