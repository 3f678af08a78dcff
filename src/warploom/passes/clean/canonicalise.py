# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bring a function to the form that the other passes expect: nothing computed twice, in vain, or later than needed.

    %z = mul %x, 1                              for ... {
    for ... { %a = add %n, %z  ==>  %a = add %n, %x    use %a
      %d = sub %q, %q; use %a, %d }                    use 0 }

Four steps in turn, each again when anything has changed that may have uncovered work for it, a few times at most:
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
from warploom.passes.clean.constant_loads import mark_constant_loads
from warploom.passes.clean.dead_code import remove_dead_code
from warploom.passes.clean.loop_invariants import hoist_loop_invariants
from warploom.passes.clean.simplify import simplify
from warploom.passes.contracts import STRUCTURED

ROUNDS = 4


def run(function: Function, context: Context) -> bool:
    """Canonicalise `function`; true if anything changed."""
    del context
    body = function.body
    # Each, and whether it has found all that it finds without the others.
    steps = (
        (lambda: remove_dead_code(body), True),
        (lambda: mark_constant_loads(function), True),
        (lambda: simplify(body), False),
        (lambda: hoist_loop_invariants(body), False),
    )
    changed = False
    waiting = set(steps)
    for step in steps * ROUNDS:
        if step in waiting:
            run_once, is_done = step
            found = run_once()
            changed |= found
            waiting = set(steps) if found else waiting
            if is_done or not found:
                waiting.discard(step)
    return changed


CANONICALISE = Pass("canonicalise", run, idempotent=True, requires=(STRUCTURED,))
