# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Votes, matches and reductions of a warp whose result a variable takes. `mask`, `valid`: the lanes that come."""

from __future__ import annotations

from warploom.fuzz.expressions import Level, Scope, Variable, condition, expression
from warploom.fuzz.tree import Stmt

REDUCTIONS = (
    ("add", "u32"),
    ("min", "u32"),
    ("max", "i32"),
    ("min", "i32"),
    ("and", "u32"),
    ("or", "u32"),
    ("xor", "u32"),
)


def vote(scope: Scope, variable: Variable, level: Level, mask: str) -> Stmt:
    """What the warp thinks of a condition; `level`: who runs this together."""
    if level <= Level.WARP and scope.rng.random() < 0.1:
        # Who else is there is left open: on a GPU a warp may still be apart behind a branch.
        return Stmt([f"{variable.name} = {variable.type}(__activemask() >> lane & 1u);"])
    kind = scope.rng.choice(("__ballot_sync", "__any_sync", "__all_sync"))
    when = condition(scope, Level.THREAD, 2)
    # any and all tell "true" by any value but 0
    text = f"{variable.name} = {variable.type}({kind}({mask}, "
    return Stmt([text, when, "));" if kind == "__ballot_sync" else ") != 0);"])


def match(scope: Scope, variable: Variable, valid: str) -> Stmt:
    """Lanes with the same value."""
    type_ = scope.rng.choice(("u32", "i32", "u64", "i64"))
    value = expression(scope, type_, Level.THREAD, 1)
    if scope.rng.random() < 0.5:
        return Stmt([f"{variable.name} = {variable.type}(__match_any_sync({valid}, ", value, " & 3));"])
    call = f"{{ i32 same; {variable.name} = {variable.type}(__match_all_sync({valid}, "
    return Stmt([call, value, " & 1, &same) + same); }"])


def reduce(scope: Scope, variable: Variable, valid: str) -> Stmt:
    """A reduction over the warp."""
    kind, type_ = scope.rng.choice(REDUCTIONS)
    value = expression(scope, type_, Level.THREAD, 2)
    return Stmt([f"{variable.name} = {variable.type}(__reduce_{kind}_sync({valid}, ", value, "));"])
