# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that the threads of a block, or of the grid, share, and who may touch what until the next barrier of theirs.

Between two barriers an array is in one state, and each state is free of races by itself:

    READ          any thread reads any slot, nobody writes
    OWN(shift)    thread t reads and writes only the slots of thread t + shift
    ONE(thread)   only this thread reads and writes
    ATOMIC(op)    any thread updates any slot by one and the same commuting atomic, and nobody reads

A barrier may change the states. Code that not every path runs through leaves them as it found them.
"""

from __future__ import annotations

import random

from warploom.core.records import dataclass, field
from warploom.fuzz.expressions import Level, Scope, constant, converted, expression
from warploom.fuzz.tree import Expr, Stmt

ATOMICS = ("Add", "Min", "Max", "And", "Or", "Xor")


@dataclass(frozen=True)
class State:
    """`number`: the shift of OWN, the thread of ONE; `operation` of ATOMIC."""

    kind: str = "READ"
    number: int = 0
    operation: str = ""


@dataclass(eq=False)
class Array:
    """`per_thread` slots a thread; `blocked`: a thread's slots lie side by side, else one for each thread apart.

    `wide`: the grid shares it, and only barriers of the grid change its state.
    """

    name: str
    type: str
    per_thread: int
    blocked: bool
    wide: bool = False
    state: State = field(default_factory=State)

    @property
    def thread(self) -> str:
        """The number of the running thread among those that share the array."""
        return "gid" if self.wide else "tid"

    @property
    def count(self) -> str:
        """How many threads share it."""
        return "total" if self.wide else "threads"

    @property
    def has_atomics(self) -> bool:
        return self.type in ("i32", "u32", "u64")

    def some_state(self, rng: random.Random) -> State:
        """Any state; after a time of writing rather one of reading."""
        kind = rng.choice(("READ", "OWN", "OWN", "ONE", "ATOMIC" if self.has_atomics else "OWN"))
        if self.state.kind != "READ" and rng.random() < 0.6:
            kind = "READ"
        if kind == "OWN":
            return State(kind, rng.choice((0, 0, 1, 5, 32)))
        return State(kind, rng.randrange(64), rng.choice(ATOMICS) if kind == "ATOMIC" else "")

    def own_slot(self, rng: random.Random) -> str:
        """One of the slots that the running thread owns."""
        shift = self.state.number
        owner = self.thread if shift == 0 else f"(({self.thread} + {shift}u) % {self.count})"
        which = rng.randrange(self.per_thread)
        return f"{self.name}[{self.slot(owner, str(which))}]"

    def slot(self, owner: str, which: str) -> str:
        """The number of slot `which` of thread `owner`."""
        return f"{owner} * {self.per_thread}u + {which}u" if self.blocked else f"{owner} + {which}u * {self.count}"

    def any_slot(self, scope: Scope, level: Level, depth: int) -> list[str | Expr]:
        """A slot that every thread of `level` agrees on."""
        index = expression(scope, "u32", level, depth)
        return [f"{self.name}[", index, f" % ({self.per_thread}u * {self.count})]"]


def load(array: Array, scope: Scope, type_: str, level: Level, depth: int) -> Expr | None:
    """A load that the array's state allows."""
    if array.state.kind == "READ" and level >= (Level.GRID if array.wide else Level.BLOCK):
        return converted(Expr(array.type, array.any_slot(scope, level, depth - 1)), type_)
    if array.state.kind == "OWN" and level is Level.THREAD:
        return converted(Expr(array.type, [array.own_slot(scope.rng)]), type_)
    return None


def update(array: Array, scope: Scope, depth: int) -> Stmt | None:
    """A store or atomic that the array's state allows."""
    rng, state = scope.rng, array.state
    value = expression(scope, array.type, Level.THREAD, depth)
    if state.kind == "OWN":
        slot = array.own_slot(rng)
        if array.has_atomics and rng.random() < 0.15:
            return Stmt([f"atomicExch(&{slot}, ", value, ");"])
        return Stmt([f"{slot} = ", value, ";"])
    if state.kind == "ONE":
        inner = Stmt([*array.any_slot(scope, Level.THREAD, depth - 1), " = ", value, ";"])
        return Stmt([f"if ({array.thread} == {state.number}u % {array.count}) {{", [inner], "}"])
    if state.kind == "ATOMIC":
        return Stmt([f"atomic{state.operation}(&", *array.any_slot(scope, Level.THREAD, depth - 1), ", ", value, ");"])
    return None


def observe(array: Array, scope: Scope) -> Stmt | None:
    """Add a slot that another thread has written to what this thread has seen."""
    if array.state.kind != "READ":
        return None
    shift, which = scope.rng.choice((1, 2, 16, 31, 32, 33, 64)), scope.rng.randrange(array.per_thread)
    owner = f"(({array.thread} + {shift}u) % {array.count})"
    return Stmt([f"seen = mixed(seen, bits({array.name}[{array.slot(owner, str(which))}]));"])


def initialise(array: Array, rng: random.Random) -> list[Stmt]:
    """Give every slot a value: by owner, and the array is then in state OWN(0)."""
    array.state = State("OWN")
    return [
        Stmt(
            [f"{array.name}[{array.slot(array.thread, str(which))}] = {array.type}(gid * ", constant(rng, "u32"), ");"]
        )
        for which in range(array.per_thread)
    ]
