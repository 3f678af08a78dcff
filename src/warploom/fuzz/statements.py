# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements: control flow on which the grid, the block or the warp agrees or each thread decides for itself;
barriers where those agree that wait there, warp collectives where the warp agrees, shared memory as arrays.py rules.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from warploom.core.records import dataclass, field
from warploom.fuzz import collectives, features
from warploom.fuzz.arrays import Array, State, observe, update
from warploom.fuzz.expressions import TYPES, Level, Scope, Variable, condition, expression
from warploom.fuzz.fields import Field, shared_sums, store_field, store_private_float, tally
from warploom.fuzz.tree import Expr, Stmt

SHUFFLED = ("i32", "u32", "i64", "u64", "f32", "f64")
WIDTHS = (32, 32, 32, 16, 8, 4, 2, 1)
DEEPEST = 4


@dataclass
class Writer:
    """Writes the statements of one kernel. `may_exit`: threads may end early, each for itself; `waits`: there are
    barriers and collectives."""

    scope: Scope
    arrays: list[Array]
    counter: str  # the atomic of array `counters`
    may_exit: bool = False
    private: list[str] = field(default_factory=list[str])  # arrays of 8 i32
    features: bool = False  # those of features.py; blocks are whole warps then
    floats: list[str] = field(default_factory=list[str])  # private arrays of 6 f32
    fields: list[Field] = field(default_factory=list[Field])
    waits: bool = True
    rounds: tuple[int, ...] = (5,)  # loops run fewer than one of these
    depth: int = 3  # of the larger expressions
    names: int = 0
    left: int = 40  # statements that may still be written before only simple ones are
    loops: int = 0  # around the current statement, those that `break` may leave

    # -- lists ----------------------------------------------------------------------------------------------------

    def body(self, level: Level, depth: int, length: int) -> list[Stmt]:
        """Statements that leave the states of the arrays alone; `level`: who runs through them together."""
        return [self.statement(level, depth) for _ in range(length)]

    def phases(self, level: Level, depth: int, length: int, barriers: int) -> list[Stmt]:
        """Statements that the block or the grid runs, with barriers between; the states at the end are those before."""
        before = [array.state for array in self.arrays]
        found = self.body(level, depth, self.some(length))
        for left in reversed(range(barriers)):
            found += [*self.uses(), self.barrier(level, before if left == 0 else None), *self.uses()]
            found += self.body(level, depth, self.some(length))
        return found

    def uses(self) -> list[Stmt]:
        """Stores and loads of the arrays, beside a barrier: so that it matters."""
        chosen = [array for array in self.arrays if self.scope.rng.random() < 0.8]
        return [stmt for array in chosen for stmt in (update(array, self.scope, 2), observe(array, self.scope)) if stmt]

    def some(self, most: int) -> int:
        """A number of statements."""
        return self.scope.rng.randint(1, most) if self.left > 0 else 1

    # -- one statement --------------------------------------------------------------------------------------------

    def statement(self, level: Level, depth: int) -> Stmt:
        """Any statement that `level` allows."""
        rng = self.scope.rng
        choices: list[tuple[int, Callable[[Level, int], Stmt]]] = [(6, self.assign), (2, self.count), (4, self.store)]
        self.left -= 1
        if depth < DEEPEST and self.left > 0:
            choices += [(3, self.branch), (6 if self.fields else 2, self.loop), (1, self.switch)]
            if level <= Level.BLOCK and self.waits:
                choices += [(3, self.branch_with_barriers), (3, self.loop_with_barriers), (1, self.tree_reduction)]
        if level <= Level.WARP and self.waits:
            choices += [(4, self.collective), (1, self.divergent_collective), (1, self.exchange)]
        if self.may_exit:
            choices.append((2, self.leave))
        if self.loops:
            choices.append((1, self.jump))
        if self.fields:
            choices += [(7, self.store_field), (2, self.tally)]
        if self.fields and self.waits and level <= Level.BLOCK and not self.may_exit:
            choices.append((3, self.shared_sums))
        if self.features and level <= Level.WARP:
            choices += [(5, self.tile), (2, self.volatile_reduction)]
        if self.features and level <= Level.BLOCK:
            choices.append((2, self.claimed_places))
        weights = [weight for weight, _ in choices]
        return rng.choices([choice for _, choice in choices], weights)[0](level, depth)

    def target(self, level: Level, types: tuple[str, ...] = TYPES) -> Variable:
        """A variable that code of `level` may assign: what others agree on must not be changed by a few."""
        fitting = [v for v in self.scope.variables if not v.fixed and v.level >= level and v.type in types]
        return self.scope.rng.choice(fitting)

    def assign(self, level: Level, _depth: int) -> Stmt:
        """Give a variable a value."""
        variable = self.target(level)
        return Stmt([f"{variable.name} = ", expression(self.scope, variable.type, variable.level, self.depth), ";"])

    def count(self, _level: Level, _depth: int) -> Stmt:
        """An atomic on global memory, of one kind in the whole kernel."""
        index = expression(self.scope, "u32", Level.THREAD, 2)
        value = expression(self.scope, "u32", Level.THREAD, 2)
        return Stmt([f"atomic{self.counter}(&counters[", index, " % 64u], ", value, ");"])

    def store(self, level: Level, depth: int) -> Stmt:
        """Write to an array that threads share, or to a private one."""
        rng = self.scope.rng
        if self.arrays and rng.random() < 0.7:
            array = rng.choice(self.arrays)
            return update(array, self.scope, 3) or observe(array, self.scope) or self.assign(level, depth)
        if not self.private:
            return self.assign(level, depth)
        index = expression(self.scope, "u32", Level.THREAD, 2)
        value = expression(self.scope, "i32", Level.THREAD, 3)
        return Stmt([f"{rng.choice(self.private)}[", index, " & 7u] = ", value, ";"])

    def store_field(self, _level: Level, _depth: int) -> Stmt:
        """Write to memory of the thread's own."""
        if self.floats and self.scope.rng.random() < 0.3:
            return store_private_float(self.floats, self.scope, self.depth)
        return store_field(self.fields, self.scope, self.depth)

    def tally(self, _level: Level, _depth: int) -> Stmt:
        """An atomic on global memory."""
        return tally(self.scope, self.counter)

    def shared_sums(self, _level: Level, _depth: int) -> Stmt:
        """Atomics on shared memory."""
        self.names += 1
        return shared_sums(self.scope, f"sums{self.names - 1}")

    def tile(self, _level: Level, _depth: int) -> Stmt:
        """Tiles of cooperative groups."""
        variable = self.target(Level.THREAD)
        return features.tile(self.scope, variable.name, variable.type)

    def volatile_reduction(self, level: Level, _depth: int) -> Stmt:
        """A reduction without barriers."""
        self.names += 1
        variable = self.target(max(level, Level.WARP))
        return features.volatile_reduction(self.scope, f"sync{self.names - 1}", variable.name, variable.type)

    def claimed_places(self, _level: Level, _depth: int) -> Stmt:
        """A list in shared memory that threads append to."""
        self.names += 1
        return features.claimed_places(self.scope, f"list{self.names - 1}")

    def leave(self, level: Level, _depth: int) -> Stmt:
        """End some threads."""
        when = condition(self.scope, Level.THREAD if self.scope.rng.random() < 0.8 else level, 2)
        value = expression(self.scope, "u64", Level.THREAD, 2)
        rare = self.scope.rng.choice(("tid % 3u == 1u", "lane == 7u", "gid >= n", "tid >= 17u"))
        inner = [Stmt(["out[gid] = mixed(seen, ", value, ");"]), Stmt(["return;"])]
        return Stmt([f"if ({rare} && ", when, ") {", inner, "}"])

    def jump(self, level: Level, _depth: int) -> Stmt:
        """Leave the loop around, or go to its next round."""
        when = condition(self.scope, level, 2)
        return Stmt(["if (", when, ") ", self.scope.rng.choice(("break;", "continue;"))])

    # -- control flow ---------------------------------------------------------------------------------------------

    def inner_level(self, level: Level) -> Level:
        """Who agrees on a condition inside of code of `level`."""
        return self.scope.rng.choice([each for each in Level if each >= level])

    def branch(self, level: Level, depth: int) -> Stmt:
        """`if`, without barriers."""
        inner = self.inner_level(level)
        when = condition(self.scope, inner, self.depth)
        loops, self.loops = self.loops, self.loops if inner is level else 0
        parts: list[str | Expr | list[Stmt]] = ["if (", when, ") {", self.body(inner, depth + 1, self.some(3))]
        if self.scope.rng.random() < 0.5:
            parts += ["} else {", self.body(inner, depth + 1, self.some(3))]
        self.loops = loops
        return Stmt([*parts, "}"])

    def switch(self, level: Level, depth: int) -> Stmt:
        """`switch`; a case may fall through to the next."""
        rng = self.scope.rng
        inner = self.inner_level(level)
        loops, self.loops = self.loops, 0
        parts: list[str | Expr | list[Stmt]] = ["switch (", expression(self.scope, "u32", inner, 2), " % 4u) {"]
        for label in ("case 0:", "case 2:", "default:"):
            end = "} break;" if rng.random() < 0.7 else "}"
            parts += [f" {label} {{", self.body(inner, depth + 1, self.some(2)), end]
        self.loops = loops
        return Stmt([*parts, " }"])

    def loop(self, level: Level, depth: int) -> Stmt:
        """A loop without barriers."""
        inner = self.inner_level(level)
        with self.inside_loop(inner) as (head, tail):
            return Stmt([*head, self.body(inner, depth + 1, self.some(3)), *tail])

    @contextmanager
    def inside_loop(self, level: Level) -> Generator[tuple[list[str | Expr], list[str | Expr]]]:
        """The text around the body of a short loop, on whose number of rounds `level` agrees."""
        rng, name, type_ = self.scope.rng, f"c{self.names}", "u32"
        rounds = self.rounds[0] if len(self.rounds) == 1 else rng.choice(self.rounds)
        self.names += 1
        bound = expression(self.scope, "u32", level, 2)
        when = condition(self.scope, level, 2)
        count: list[str | Expr] = rng.choice((["u32(", bound, f") % {rounds}u"], [str(rng.randint(1, 4)) + "u"]))
        head: list[str | Expr]
        tail: list[str | Expr] = ["}"]
        match rng.randrange(4):
            case 0:
                head = [
                    f"for (u32 {name} = 0, top{name} = ",
                    *count,
                    f"; {name} < top{name} && ",
                    when,
                    f"; ++{name}) {{",
                ]
            case 1:
                head = [f"{{ u32 {name} = 0; do {{"]
                tail = [f"}} while (++{name} < 4u && ", when, "); }"]
            case 2:
                type_ = "i32"
                head = [f"for (i32 {name} = i32(", *count, f"); {name} > 0; {name} -= {rng.randint(1, 2)}) {{"]
            case _:
                head = [f"for (u32 {name} = 0, top{name} = ", *count, f"; {name} < top{name}; ++{name}) {{"]
        variable = Variable(name, type_, level, fixed=True)
        self.scope.variables.append(variable)
        self.loops += 1
        yield head, tail
        self.loops -= 1
        self.scope.variables.remove(variable)

    # -- barriers -------------------------------------------------------------------------------------------------

    def barrier(self, level: Level, states: list[State] | None = None) -> Stmt:
        """A barrier of the block, or where the grid agrees of the grid, after which the arrays are in `states` (None:
        any). The states of wide arrays are left to the grid's barriers."""
        rng = self.scope.rng
        value = condition(self.scope, Level.THREAD, 2)
        wanted = states or [array.some_state(rng) for array in self.arrays]
        wide = any(array.wide and array.state != state for array, state in zip(self.arrays, wanted, strict=True))
        everyone = level is Level.GRID and (wide if states else rng.random() < 0.5)
        for array, state in zip(self.arrays, wanted, strict=True):
            array.state = state if everyone or not array.wide else array.state
        if everyone:
            return Stmt(["cooperative_groups::this_grid().sync();"])
        words = [v for v in self.scope.variables if v.level is Level.BLOCK and not v.fixed]
        if words and rng.random() < 0.25:
            variable, kind = rng.choice(words), rng.choice(("count", "and", "or"))
            return Stmt([f"{variable.name} = {variable.type}(__syncthreads_{kind}(", value, "));"])
        return Stmt(["__syncthreads();"])

    def agreed_level(self, level: Level) -> Level:
        """Who agrees on a condition with barriers behind it."""
        return self.scope.rng.choice([each for each in (Level.GRID, Level.BLOCK) if each >= level])

    def branch_with_barriers(self, level: Level, depth: int) -> Stmt:
        """`if` with barriers inside."""
        rng, inner = self.scope.rng, self.agreed_level(level)
        when = condition(self.scope, inner, self.depth)
        loops, self.loops = self.loops, 0
        parts: list[str | Expr | list[Stmt]] = [
            "if (",
            when,
            ") {",
            self.phases(inner, depth + 1, 2, rng.randint(1, 2)),
        ]
        if rng.random() < 0.4:
            parts += ["} else {", self.phases(inner, depth + 1, 2, rng.randint(0, 2))]
        self.loops = loops
        return Stmt([*parts, "}"])

    def loop_with_barriers(self, level: Level, depth: int) -> Stmt:
        """A loop with barriers inside, perhaps one in the condition."""
        rng, inner = self.scope.rng, self.agreed_level(level)
        loops, self.loops = self.loops, 0  # a jump between barriers would skip a change of states
        if rng.random() < 0.2:
            name, value = f"c{self.names}", condition(self.scope, Level.THREAD, 2)
            self.names += 1
            head = f"for (u32 {name} = 0; {name} < 3u && __syncthreads_or("
            made = Stmt(
                [head, value, f"); ++{name}) {{", self.phases(Level.BLOCK, depth + 1, 2, rng.randint(0, 1)), "}"]
            )
        else:
            with self.inside_loop(inner) as (head, tail):
                self.loops = 0
                body = self.phases(inner, depth + 1, 2, rng.randint(1, 3))
                if rng.random() < 0.3:
                    body += [self.jump(inner, depth), *self.body(inner, depth + 1, rng.randint(0, 1))]
                made = Stmt([*head, body, *tail])
        self.loops = loops
        return made

    def tree_reduction(self, level: Level, depth: int) -> Stmt:
        """Halves of an array are added until one slot is left."""
        rng = self.scope.rng
        arrays = [array for array in self.arrays if not array.wide]
        if not arrays:
            return self.assign(level, depth)
        array, name = rng.choice(arrays), f"c{self.names}"
        self.names += 1
        operator = rng.choice(("+", "-"))
        wide = array.type if array.type.startswith("f") else "u64"
        one, other = f"{array.name}[tid]", f"{array.name}[tid + {name}]"
        add = f"{one} = {array.type}({wide}({one}) {operator} {wide}({other}));"
        step = Stmt([f"if (tid < {name} && tid + {name} < threads) {{", [Stmt([add])], "}"])
        rounds = Stmt([f"for (u32 {name} = 128; {name} > 0; {name} >>= 1) {{", [step, Stmt(["__syncthreads();"])], "}"])
        return Stmt(["{", [Stmt(["__syncthreads();"]), rounds], "}"])

    # -- warps ----------------------------------------------------------------------------------------------------

    def mask(self) -> str:
        """All lanes that are left: as the program computes it, or simply all."""
        return self.scope.rng.choice(("live", "0xffffffffu"))

    def with_live(self, inner: list[Stmt]) -> Stmt:
        """`live`: the lanes that exist and have not ended."""
        return Stmt(["{", [Stmt(["u32 live = __ballot_sync(0xffffffffu, 1);"]), *inner], "}"])

    def collective(self, level: Level, _depth: int) -> Stmt:
        """A vote, shuffle, match or reduction of the whole warp."""
        kind = self.scope.rng.choice((self.shuffle, self.shuffle, self.vote, self.match, self.reduce))
        return self.with_live([kind(level, self.mask(), "live")])

    def shuffle(self, level: Level, mask: str, valid: str) -> Stmt:
        """A thread's variable gets the value of another lane's."""
        rng = self.scope.rng
        if not any(not v.fixed and v.level >= Level.THREAD and v.type in SHUFFLED for v in self.scope.variables):
            return self.match(level, mask, valid)
        variable = self.target(Level.THREAD, SHUFFLED)
        kind = rng.choice(("from_lane", "from_below", "from_above", "from_partner"))
        # up, down and xor take one distance for all lanes; an index may differ
        other = expression(self.scope, "u32", Level.THREAD if kind == "from_lane" else Level.WARP, 2)
        value = expression(self.scope, variable.type, Level.THREAD, 2)
        start = f"{variable.name} = {kind}<{variable.type}>({mask}, {valid}, lane, "
        return Stmt([start, value, ", ", other, f", {rng.choice(WIDTHS)});"])

    def vote(self, level: Level, mask: str, _valid: str) -> Stmt:
        """What the warp thinks of a condition; the warp agrees on the result."""
        return collectives.vote(self.scope, self.target(max(level, Level.WARP)), level, mask)

    def match(self, _level: Level, _mask: str, valid: str) -> Stmt:
        """Lanes with the same value."""
        return collectives.match(self.scope, self.target(Level.THREAD), valid)

    def reduce(self, level: Level, _mask: str, valid: str) -> Stmt:
        """A reduction over the warp."""
        return collectives.reduce(self.scope, self.target(max(level, Level.WARP)), valid)

    def divergent_collective(self, _level: Level, _depth: int) -> Stmt:
        """A collective among the lanes for which a condition holds."""
        when = condition(self.scope, Level.THREAD, 2)
        kind = self.scope.rng.choice((self.shuffle, self.vote, self.match, self.reduce))
        inner = kind(Level.THREAD, "some", "some")
        lanes = Stmt(["u32 some = __ballot_sync(0xffffffffu, ", when, ");"])
        return Stmt(["{", [lanes, Stmt(["if (some >> lane & 1u) {", [inner], "}"])], "}"])

    def exchange(self, level: Level, depth: int) -> Stmt:
        """Lanes read each other's own slots between two __syncwarp()."""
        rng = self.scope.rng
        ready = [array for array in self.arrays if array.state == State("OWN") and not array.wide]
        if not ready:
            return self.assign(level, depth)
        array, variable = rng.choice(ready), self.target(Level.THREAD)
        value = expression(self.scope, array.type, Level.THREAD, 2)
        partner = f"(warp * 32u + (lane ^ {rng.choice((1, 2, 7, 16))}u))"
        theirs = f"{array.name}[{array.slot(partner, '0')}]"
        inner = [
            Stmt([f"{array.name}[{array.slot('tid', '0')}] = ", value, ";"]),
            Stmt(["__syncwarp();"]),
            Stmt([f"if ({partner} < threads) {variable.name} = {variable.type}({theirs});"]),
            Stmt(["__syncwarp();"]),
        ]
        return Stmt(["{", inner, "}"])
