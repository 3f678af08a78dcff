# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses that other threads see, in code of which no loop waits for them: who may make them one after the other.

    %old = load %p [ordering=monotonic]           once: each thread of a vector, in order; all at once from one place
    while { %r = cmpxchg %p, ... }                a loop with one: each thread runs all of it, in order

Where no loop waits (analysis/spin_waits.py), a thread that runs alone leaves every loop, whatever is in memory. So any
order of the threads is one that CUDA allows, as long as each thread runs a whole loop by itself; what is in no loop
threads may do in lock step.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.ir.core import Function, Op, Region, walk_op
from warploom.ir.ops import LOOPS, levels_in


def is_seen(op: Op) -> bool:
    """Whether `op` is a load or store that other threads see, or looks at what they do."""
    if op.name == "cmpxchg":
        return True
    return op.name in ("load", "store") and bool(op.attrs.get("volatile") or op.attrs.get("ordering"))


def seen_once(function: Function, region: Region) -> set[Op]:
    """The accesses in no loop of a thread's code `region` that its threads may make in any order."""
    if function.facts.waits:
        return set()
    return {op for op in _outside_loops(region) if op.name not in LOOPS and is_seen(op)}


def seen_loops(function: Function, region: Region) -> set[Op]:
    """The loops with such accesses, the outermost ones, that a thread may run by itself."""
    if function.facts.waits:
        return set()
    loops = (op for op in _outside_loops(region) if op.name in LOOPS)
    return {op for op in loops if any(map(is_seen, walk_op(op))) and not levels_in(op)}


def _outside_loops(region: Region) -> Iterator[Op]:
    for op in region.ops:
        yield op
        if op.name not in LOOPS:
            for inner in op.regions:
                yield from _outside_loops(inner)
