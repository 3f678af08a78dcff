# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bring a function to the form that the other passes expect: nothing computed twice, in vain, or later than needed.

    %z = mul %x, 1                              for ... {
    for ... { %a = add %n, %z  ==>  %a = add %n, %x    use %a
      %d = sub %q, %q; use %a, %d }                    use 0 }

Four steps in turn, each again when another one has found anything that may have uncovered work for it, a few times at
most:
 - dead code and unused results (dead_code.py), first: what goes need not be looked at;
 - loads of constant memory are marked as pure (constant_loads.py);
 - loop-invariant code motion (loop_invariants.py), before what follows shares what is out of loops;
 - simplify: folding, common subexpressions, control flow on known conditions (simplify.py, fold.py, cse.py, facts.py).
Each states why it is sound. All work on one thread's ops in program order, so that barriers mean nothing to them: no
op that reads or writes memory moves or goes, but loads that nothing uses. Each takes linear time.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.ir.core import Function
from warploom.passes.base import Context, Pass
from warploom.passes.clean.constant_loads import mark_constant_loads
from warploom.passes.clean.dead_code import Gone, remove_dead_code
from warploom.passes.clean.loop_invariants import hoist_loop_invariants
from warploom.passes.clean.simplify import Found, simplify
from warploom.passes.contracts import STRUCTURED

ROUNDS = 4
_DEAD_CODE, _CONSTANT_LOADS, _INVARIANTS, _SIMPLIFY = range(4)
# Whom a step gives work by what it found; None: nothing. The walk of simplify.py, in program order, sees all that
# follows from what it changes, but for what it makes of control flow; it does not mind how often a value is used.
_AFTER_REMOVING = {Gone.NOTHING: None, Gone.VALUES: set[int](), Gone.CONTROL_FLOW: {_SIMPLIFY}}
_AFTER_SIMPLIFYING = {
    Found.NOTHING: None,
    Found.VALUES: {_DEAD_CODE, _CONSTANT_LOADS, _INVARIANTS},
    Found.CONTROL_FLOW: {_DEAD_CODE, _CONSTANT_LOADS, _SIMPLIFY, _INVARIANTS},
}


def run(function: Function, context: Context) -> bool:
    """Canonicalise `function`; true if anything changed."""
    del context
    body = function.body
    steps: tuple[Callable[[], set[int] | None], ...] = (
        lambda: _AFTER_REMOVING[remove_dead_code(body)],
        lambda: {_SIMPLIFY, _INVARIANTS} if mark_constant_loads(function) else None,
        lambda: {_SIMPLIFY} if hoist_loop_invariants(body) else None,
        lambda: _AFTER_SIMPLIFYING[simplify(body)],
    )
    changed = False
    waiting = set(range(len(steps)))
    for number in tuple(range(len(steps))) * ROUNDS:
        if number in waiting:
            waiting.remove(number)
            uncovered = steps[number]()
            if uncovered is not None:
                changed = True
                waiting |= uncovered
    return changed


CANONICALISE = Pass("canonicalise", run, idempotent=True, requires=(STRUCTURED,))
