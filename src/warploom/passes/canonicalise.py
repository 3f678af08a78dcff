# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bring a function to the form that the other passes expect: nothing computed twice, in vain, or later than needed.

    %z = mul %x, 1                              for ... {
    for ... { %a = add %n, %z  ==>  %a = add %n, %x    use %a
      %d = sub %q, %q; use %a, %d }                    use 0 }

Four steps in turn, each again when another has changed anything since (which may uncover work), a few times at most:
 - dead code and unused results (dead_code.py), first: what goes need not be looked at;
 - loads of constant memory are marked as pure (constant_loads.py);
 - simplify: folding, common subexpressions, control flow on known conditions (simplify.py, fold.py, cse.py, facts.py);
 - loop-invariant code motion (loop_invariants.py).
Each states why it is sound. All work on one thread's ops in program order, so that barriers mean nothing to them: no
op that reads or writes memory moves or goes, but loads that nothing uses. Each takes linear time.
"""

from __future__ import annotations

from warploom.ir.core import Function
from warploom.passes.base import Context, Pass
from warploom.passes.constant_loads import mark_constant_loads
from warploom.passes.dead_code import remove_dead_code
from warploom.passes.loop_invariants import hoist_loop_invariants
from warploom.passes.simplify import simplify

ROUNDS = 4


def run(function: Function, context: Context) -> bool:
    """Canonicalise `function`; true if anything changed."""
    del context
    steps = (
        lambda: remove_dead_code(function.body),
        lambda: mark_constant_loads(function),
        lambda: simplify(function.body),
        lambda: hoist_loop_invariants(function.body),
    )
    changed = False
    waiting = set(steps)
    for step in steps * ROUNDS:
        if step in waiting:
            found = step()
            waiting = set(steps) if found else waiting
            waiting.discard(step)  # each has found all that it finds without the others
            changed |= found
    return changed


CANONICALISE = Pass("canonicalise", run, idempotent=True)
