# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put other code in place of the loops over threads of a kernel."""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.turns import takes_turns
from warploom.ir.core import Function, Op, Region, replace_uses, walk
from warploom.ir.ops import Level, levels_in


def replace_loops(
    function: Function, is_loop: Callable[[Op], bool], replacement: Callable[[Op], list[Op] | None]
) -> bool:
    """Put what `replacement` makes in place of each op of a grid that `is_loop`; None: it stays.

    True if any was replaced. Neither what was made nor what is in such a loop is looked at.
    """

    def visit(region: Region) -> bool:
        changed = False
        ops: list[Op] = []
        for op in region.ops:
            made = None
            if is_loop(op):
                made = replacement(op)
            else:
                for inner in op.regions:
                    changed |= visit(inner)
            changed |= made is not None
            ops += [op] if made is None else made
        region.ops = ops
        return changed

    grids = [op for op in walk(function.body) if op.name == "grid"]
    changed = [visit(grid.region) for grid in grids]
    return any(changed)


def replace_thread_loops(
    function: Function, replacement: Callable[[Op], list[Op] | None], levels: Level = Level(0)
) -> bool:
    """`replace_loops` of the loops whose threads do not wait for each other; or do so, but only at `levels`."""

    def made(block: Op) -> list[Op] | None:
        return None if levels_in(block) != levels or takes_turns(function, block) else replacement(block)

    return replace_loops(function, lambda op: op.name == "block", made)


def take_side(around: Region, choice: Op, number: int, whole: Region) -> None:
    """Put side `number` of `choice`, which stands in `around`, in its place; `whole` is around all uses."""
    side = choice.regions[number]
    at = around.ops.index(choice)
    around.ops[at : at + 1] = side.body
    replace_uses(whole, dict(zip(choice.results, side.terminator.operands, strict=True)))
