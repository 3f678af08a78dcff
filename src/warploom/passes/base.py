# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a pass is: a name, a function, and what it asks for and promises."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from warploom.analysis.memory import Memory, memory_of
from warploom.analysis.work_formulas import UNKNOWN, Formulas
from warploom.core.records import dataclass, field
from warploom.core.remarks import Loc, Remark
from warploom.ir.core import Function
from warploom.passes.contracts import Contract
from warploom.passes.vector.vector_calls import NO_LIBRARY, VectorCalls
from warploom.passes.vector.vector_report import VectorLoop


class Purpose(Enum):
    """What code is for: each has a pipeline."""

    FAST = "fast"
    SELDOM = "seldom"  # hardly ever run, as code for launches of any size: it is to be made quickly
    CHECKED = "checked"  # each access is looked at when it is made: WARPLOOM_STRICT
    DEBUG = "debug"  # threads run one by one and can be stepped: -G


@dataclass(slots=True)
class Context:
    """What all passes of one kernel share."""

    off: frozenset[str] = frozenset()  # names of passes, or of features of a pass, that are switched off
    remarks: list[Remark] = field(default_factory=list[Remark])
    width: int | None = None  # lanes of a vector; None: the pass chooses
    jam: int | None = None  # rows of threads that go together
    calls: VectorCalls = NO_LIBRARY
    vectors: list[VectorLoop] | None = None  # what became of loops over threads, where a report is asked for
    work: Formulas = UNKNOWN  # what a thread does
    keeps_memory: bool = False  # whoever runs the passes forgets `known_memory` when one has changed anything
    known_memory: Memory | None = None

    def memory_of(self, function: Function) -> Memory:
        """The memory behaviour of the function, for a pass that has not changed anything yet."""
        memory = self.known_memory or memory_of(function)
        if self.keeps_memory:
            self.known_memory = memory
        return memory

    def remark(self, source: str, text: str, loc: Loc | None = None) -> None:
        """Note something for the user."""
        self.remarks.append(Remark(source, text, loc))


@dataclass(frozen=True, slots=True)
class Pass:
    """One rewriting step. `run` changes the function in place; true when it changed anything.

    `requires` holds before it, `ensures` after it and from then on, but for what a later pass `breaks`; on top of what
    the verifier asks for. `cleanup`: passes that the runner runs behind it when it has changed anything; the pipeline
    says which. `needed`: without it a kernel with barriers cannot be lowered, so switching it off sends such kernels to
    the reference engine. `features`: parts of it that can be switched off by themselves; the pass looks for their names
    in `Context.off`. `idempotent`: run again on its own result it finds nothing, so the runner leaves it out when no
    pass has changed anything since. `after`: it is left out where none of the passes so named has changed anything; for
    the second place of a pass, which the pipeline says.
    """

    name: str
    run: Callable[[Function, Context], bool]
    requires: tuple[Contract, ...] = ()
    ensures: tuple[Contract, ...] = ()
    breaks: tuple[Contract, ...] = ()
    cleanup: tuple[Pass, ...] = ()
    needed: bool = False
    features: tuple[str, ...] = ()
    idempotent: bool = False
    after: tuple[str, ...] = ()


def apply(each: Pass, function: Function, context: Context) -> bool:
    """Run a pass and, when it has changed anything, those that clean up behind it; whether it has."""
    changed = each.run(function, context)
    if changed:
        context.known_memory = None
    for behind in each.cleanup if changed else ():
        if behind.name not in context.off:
            behind.run(function, context)
            context.known_memory = None
    return changed


def check_order(passes: Iterable[Pass]) -> None:
    """Assert that each pass finds what it requires: ensured by one before it that cannot be left out."""
    for each, missing in unmet(passes):
        raise AssertionError(f"{each.name} comes too early: nothing before it ensures that {missing.text}")


def unmet(passes: Iterable[Pass]) -> Iterator[tuple[Pass, Contract]]:
    """What passes require in vain."""
    held: set[Contract] = set()
    for each in passes:
        yield from ((each, wanted) for wanted in each.requires if wanted not in held)
        held -= set(each.breaks)
        if each.needed:
            held |= set(each.ensures)
