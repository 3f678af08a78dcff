# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel through the interpreter before and after passes: the results must be the same."""

from __future__ import annotations

from collections.abc import Sequence

from warploom.ir.core import Function, clone_function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.verifier import verify
from warploom.passes.base import Context, Pass, apply

Dims = tuple[int, int, int]


def threads(grid: Dims, block: Dims) -> int:
    """Threads of a launch."""
    return grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]


def results(function: Function, grid: Dims, block: Dims, n: int, seed: int | None = None) -> list[int]:
    """What a kernel (%n: i32, %p: ptr) leaves in @p, which starts as an arbitrary sequence."""
    memory = Memory()
    count = threads(grid, block)
    address = memory.array("i32", [(7919 * i * i + 31 * i) % 1013 for i in range(count)], "p")
    run(function, grid, block, [n, address], memory, seed=seed)
    return memory.values("i32", address, count)


def lowered(function: Function, passes: Sequence[Pass], off: frozenset[str] = frozenset()) -> tuple[Function, Context]:
    """A copy of `function` after `passes`, verified."""
    copy, context = clone_function(function), Context(off)
    for each in passes:
        apply(each, copy, context)
        verify(copy, "structured")
    return copy, context
