# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One walk in program order that folds, shares, and straightens control flow.

    %a = add %x, 0                                    if %c { A }           if %c { A; B }
    %b = add %y, %x       ==>    %b = add %y, %x      if %c { B }    ==>
    %d = add %a, %y              (%d is %b)           %r = if %c            %r = select %c, %x, %y
                                                        { yield %x } { yield %y }

Each rule is an equality of what one thread does; the order in which it reads, writes and waits is kept.
 - An op that folds, or that was computed before in a region around this one, is replaced.
 - Inside `if %c`, %c and what follows from it is known. An `if` on a constant is what it chooses. Of two neighbouring
   `if`s on one condition the second joins the first. Of two nested ones, where the inner one is all that the outer one
   does, both conditions make one. A result that exists outside of both sides is a `select`; so is every result when
   both sides are a few cheap ops without effects. What one side leaves open is computed before.
 - A carried value that never changes is its initial value. A loop that does not run is its initial values; one that
   runs once is its body.
"""

from __future__ import annotations

from enum import Enum

from warploom.ir.core import Region
from warploom.passes.clean.simplifier import Construct, Simplifier
from warploom.passes.clean.simplify_branches import branch
from warploom.passes.clean.simplify_loops import counted_loop, loop

_CONSTRUCTS: dict[str, Construct] = {"if": branch, "for": counted_loop, "while": loop}


class Found(Enum):
    """What a walk has changed."""

    NOTHING = "nothing"
    VALUES = "values"  # which ops compute them
    CONTROL_FLOW = "control flow"  # that, and values maybe: another walk may find more


def simplify(body: Region) -> Found:
    """Simplify `body`."""
    simplifier = Simplifier(_CONSTRUCTS)
    simplifier.region(body)
    if simplifier.reshaped:
        return Found.CONTROL_FLOW
    return Found.VALUES if simplifier.changed else Found.NOTHING
