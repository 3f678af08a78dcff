# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a pass is: a name, a function, and what it asks for and promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from warploom.analysis.work_formulas import UNKNOWN, Formulas
from warploom.core.remarks import Loc, Remark
from warploom.ir.core import Function
from warploom.passes.vector_calls import NO_LIBRARY, VectorCalls
from warploom.passes.vector_report import VectorLoop


@dataclass(slots=True)
class Context:
    """What all passes of one kernel share."""

    off: frozenset[str] = frozenset()  # names of passes, or of features of a pass, that are switched off
    remarks: list[Remark] = field(default_factory=list[Remark])
    width: int | None = None  # lanes of a vector; None: the pass chooses
    jam: int | None = None  # rows of threads that go together
    calls: VectorCalls = NO_LIBRARY
    vectors: list[VectorLoop] | None = None  # what became of loops over threads, where somebody wants to know
    work: Formulas = UNKNOWN  # what a thread does

    def remark(self, source: str, text: str, loc: Loc | None = None) -> None:
        """Note something for the user."""
        self.remarks.append(Remark(source, text, loc))


# Holds of a whole function; its docstring's first line is what a failed check prints.
Check = Callable[[Function], bool]


@dataclass(frozen=True, slots=True)
class Pass:
    """One rewriting step. `run` changes the function in place; true when it changed anything.

    `requires` holds before it and `ensures` after it, on top of what the verifier asks for: the runner checks both
    where it verifies. `cleanup`: passes that the runner runs behind it when it has changed anything. `needed`: without
    it a kernel with barriers cannot be lowered, so switching it off sends such kernels to the reference engine.
    `features`: parts of it that can be switched off by themselves; the pass looks for their names in `Context.off`.
    `idempotent`: run again on its own result it finds nothing, so the runner leaves it out when no pass has changed
    anything since.
    """

    name: str
    run: Callable[[Function, Context], bool]
    requires: tuple[Check, ...] = ()
    ensures: tuple[Check, ...] = ()
    cleanup: tuple[Pass, ...] = ()
    needed: bool = False
    features: tuple[str, ...] = ()
    idempotent: bool = False


def apply(each: Pass, function: Function, context: Context) -> bool:
    """Run a pass and, when it has changed anything, those that clean up behind it; whether it has."""
    changed = each.run(function, context)
    for behind in each.cleanup if changed else ():
        if behind.name not in context.off:
            behind.run(function, context)
    return changed
