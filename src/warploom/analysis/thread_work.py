# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much a thread of a kernel may do: what tells the runtime whether a small grid is worth several OS threads.

    for i in 0..n { for j in 0..n { 20 ops } }        20 x 8 x 8 = 1280

How often a loop runs is known at run time only: each counts eight times, both sides of a condition count, and so do all
versions of a loop. A figure to compare kernels by, not to foretell a run time.
"""

from __future__ import annotations

from warploom.ir.core import Function, Region

LOOP_WEIGHT = 8
_LOOPS = frozenset(("for", "while"))


def thread_work(function: Function) -> int:
    """Ops that one thread of a structured kernel may run."""
    return _work(function.body)


def _work(region: Region) -> int:
    work = len(region.ops)
    for op in region.ops:
        weight = LOOP_WEIGHT if op.name in _LOOPS else 1
        work += weight * sum(map(_work, op.regions))
    return work
