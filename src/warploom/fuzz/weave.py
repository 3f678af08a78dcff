# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements with actions, for judged kernels: what all kinds share, around the patterns that a kind adds."""

from __future__ import annotations

from collections.abc import Callable

from warploom.core.records import dataclass, field
from warploom.fuzz.expressions import Level, Scope, Variable
from warploom.fuzz.judge import Machine, mixed, wrapped
from warploom.fuzz.tree import Action, Expr, Stmt
from warploom.fuzz.words import WORDS, truth, word

DEEPEST = 3


@dataclass(frozen=True)
class Pattern:
    """A statement that a kind adds: how likely, who must run through it together, how it is written."""

    weight: int
    level: Level
    make: Callable[[Weaver, Level], Stmt]


@dataclass
class Weaver:
    """Writes the statements of one kernel. `left`: how many more; `loops`: around the current statement;
    `helpers`: text before the kernel, whose name is `stem`; `before`, `after`: text of the host around its launch in
    `stream`."""

    scope: Scope
    patterns: list[Pattern]
    left: int
    loops: int = 0
    names: int = 0
    flags: int = 0  # used up by patterns that wait
    helpers: list[str] = field(default_factory=list[str])
    declarations: list[str] = field(default_factory=list[str])
    before: str = ""
    stream: str = ""
    after: str = ""
    stem: str = "k"

    def name(self, stem: str) -> str:
        """A name that is new."""
        self.names += 1
        return f"{stem}_{self.names}"  # not u16, which is a type

    def word(self, type_: str = "u32", level: Level = Level.THREAD, depth: int = 2) -> Expr:
        """A random expression."""
        return word(self.scope, type_, level, depth)

    def body(self, level: Level, depth: int, length: int) -> list[Stmt]:
        """Statements; `level`: who runs through them together."""
        return [self.statement(level, depth) for _ in range(length)]

    def some(self, most: int) -> int:
        """A number of statements."""
        return self.scope.rng.randint(1, most) if self.left > 0 else 1

    def statement(self, level: Level, depth: int) -> Stmt:
        """Any statement that `level` allows."""
        rng = self.scope.rng
        self.left -= 1
        choices: list[tuple[int, Callable[[], Stmt]]] = [(4, lambda: self.assign(level)), (2, self.see)]
        if depth < DEEPEST and self.left > 0:
            choices += [(3, lambda: self.branch(level, depth)), (2, lambda: self.loop(level, depth))]
            choices.append((1, lambda: self.switch(level, depth)))
        if self.loops:
            choices.append((1, lambda: self.jump(level)))
        if level <= Level.BLOCK:
            choices.append((1, lambda: Stmt(["__syncthreads();"])))
        fitting = [each for each in self.patterns if level <= each.level]
        choices += [(each.weight, lambda each=each: each.make(self, level)) for each in fitting]
        return rng.choices([make for _, make in choices], [weight for weight, _ in choices])[0]()

    def target(self, level: Level, types: tuple[str, ...] = WORDS) -> Variable:
        """A variable that code of `level` may assign: what others agree on must not be changed by a few."""
        fitting = [v for v in self.scope.variables if not v.fixed and v.level >= level and v.type in types]
        return self.scope.rng.choice(fitting)

    def assign(self, level: Level) -> Stmt:
        """Give a variable a value."""
        variable = self.target(level)
        value = word(self.scope, variable.type, variable.level, 3)
        return Stmt([f"{variable.name} = ", value, ";"], assigning(variable.name))

    def see(self) -> Stmt:
        """Add a value to what the thread has seen."""
        return Stmt(["seen = mixed(seen, u64(", self.word(self.scope.rng.choice(WORDS)), "));"], seeing)

    def inner_level(self, level: Level) -> Level:
        """Who agrees on a condition inside of code of `level`."""
        return self.scope.rng.choice([each for each in Level if each >= level])

    def branch(self, level: Level, depth: int) -> Stmt:
        """`if`, perhaps with `else`."""
        inner = self.inner_level(level)
        loops, self.loops = self.loops, self.loops if inner is level else 0
        when = truth(self.scope, inner)
        parts: list[str | Expr | list[Stmt]] = ["if (", when, ") {", self.body(inner, depth + 1, self.some(3))]
        if self.scope.rng.random() < 0.5:
            parts += ["} else {", self.body(inner, depth + 1, self.some(3))]
        self.loops = loops
        return Stmt([*parts, "}"], branching)

    def switch(self, level: Level, depth: int) -> Stmt:
        """`switch` whose cases do not fall through."""
        inner, loops, self.loops = self.inner_level(level), self.loops, 0
        parts: list[str | Expr | list[Stmt]] = ["switch (", self.word("u32", inner), " % 4u) {"]
        for label in ("case 0:", "case 2:", "default:"):
            parts += [f" {label} {{", self.body(inner, depth + 1, self.some(2)), "} break;"]
        self.loops = loops
        return Stmt([*parts, " }"], switching)

    def loop(self, level: Level, depth: int) -> Stmt:
        """A loop of few rounds, on whose number `level` or fewer agree."""
        rng, name, inner = self.scope.rng, self.name("c"), self.inner_level(level)
        rounds, bound = rng.choice((3, 5, 9)), self.word("u32", inner)
        down = rng.random() < 0.3
        variable = Variable(name, "u32", inner, fixed=True)
        self.scope.variables.append(variable)
        self.loops += 1
        body = self.body(inner, depth + 1, self.some(3))
        self.loops -= 1
        self.scope.variables.remove(variable)
        count: list[str | Expr] = ["u32(", bound, f") % {rounds}u"]
        head: list[str | Expr] = [f"for (u32 {name} = 0, top{name} = ", *count, f"; {name} < top{name}; ++{name}) {{"]
        if down:
            head = [f"for (u32 {name} = ", *count, f"; {name}-- > 0u;) {{"]
        return Stmt([*head, body, "}"], looping(name, rounds, down=down))

    def jump(self, level: Level) -> Stmt:
        """Leave the loop around, or go to its next round."""
        stays = self.scope.rng.random() < 0.5
        return Stmt(["if (", truth(self.scope, level), ") ", "continue;" if stays else "break;"], jumping(stays=stays))


# -- actions ----------------------------------------------------------------------------------------------------------


def assigning(name: str) -> Action:
    """The variable gets the value of the statement's first expression."""

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        machine.assign(name, threads, machine.value(stmt.operands[0], threads))
        return threads

    return action


def see(machine: Machine, threads: list[int], values: list[int]) -> None:
    """The threads have seen these values."""
    seen = machine.names["seen"]
    for thread, value in zip(threads, values, strict=True):
        seen[thread] = mixed(seen[thread], wrapped("u64", value))


def seeing(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
    """The threads have seen the statement's first expression."""
    see(machine, threads, machine.value(stmt.operands[0], threads))
    return threads


def divided(threads: list[int], values: list[int]) -> tuple[list[int], list[int]]:
    """The threads for which a condition holds, and the others."""
    both = list(zip(threads, values, strict=True))
    return [thread for thread, value in both if value], [thread for thread, value in both if not value]


def branching(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
    """`if`."""
    yes, no = divided(threads, machine.value(stmt.operands[0], threads))
    yes = machine.run(stmt.bodies[0], yes)
    no = machine.run(stmt.bodies[1], no) if len(stmt.bodies) > 1 else no
    return sorted(yes + no)


def switching(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
    """`switch` of cases 0, 2 and default."""
    which = machine.value(stmt.operands[0], threads)
    cases: list[list[int]] = [[], [], []]
    for thread, value in zip(threads, which, strict=True):
        cases[{0: 0, 2: 1}.get(value % 4, 2)].append(thread)
    return sorted(thread for body, case in zip(stmt.bodies, cases, strict=True) for thread in machine.run(body, case))


def looping(name: str, rounds: int, *, down: bool) -> Action:
    """A loop of as many rounds as the statement's expression says, modulo `rounds`."""

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        tops = dict(zip(threads, [value % rounds for value in machine.value(stmt.operands[0], threads)], strict=True))
        going = threads
        machine.skipped.append(set())
        for order in range(rounds):
            going = [t for t in going if tops[t] > order]
            machine.assign(name, going, [tops[t] - 1 - order if down else order for t in going])
            machine.skipped[-1].clear()
            going = sorted([*machine.run(stmt.bodies[0], going), *machine.skipped[-1]])
        machine.skipped.pop()
        return [thread for thread in threads if thread not in machine.ended]

    return action


def jumping(*, stays: bool) -> Action:
    """`break` and `continue`."""

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        yes, no = divided(threads, machine.value(stmt.operands[0], threads))
        if stays and machine.skipped:  # the reducer may have taken the loop away: such a program does not compile
            machine.skipped[-1].update(yes)
        return no

    return action
