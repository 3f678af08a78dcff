# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels with barriers, most of them free of races: who wants to be sure asks the interpreter.

Threads work on shared variables, on their block's part of two arrays, on atomic counters, on private and on constant
memory. Between two barriers what is written of a variable is mostly each thread's own part of it. Barriers stand where
all threads come together, in loops and ifs too. Everything that a thread has computed flows into the output.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from warploom.ir.core import Function
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function
from warploom.ir.races import Race

Dims = tuple[int, int, int]

SHAPES: tuple[Dims, ...] = ((5, 1, 1), (24, 1, 1), (4, 3, 1), (2, 2, 3))
GRID = (2, 1, 1)
ELEMENTS = 64  # of each variable, i32
_HEAD = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
_SHARED = ("s", "t", "d")
_VARIABLES = ("@s:ptr", "@t:ptr", "@d:ptr", "%pb", "%qb")
_BARRIER = "barrier [level={}]"
_START = """
%rows: i32 = mul %tz, %bdy
%row: i32 = add %rows, %ty [flags=(nsw)]
%skip: i32 = mul %row, %bdx [flags=(nsw)]
%lin: i32 = add %skip, %tx [flags=(nsw)]
%area: i32 = mul %bdx, %bdy
%volume: i32 = mul %area, %bdz
%base: i32 = mul %bx, 64:i32
%base64: i64 = zext %base
%pb: ptr = gep %p, %base64 [offset=0, strides=(4)]
%qb: ptr = gep %q, %base64 [offset=0, strides=(4)]
%own: ptr = alloca [size=16, align=4]
store %tx, %own [align=4]
%own4: ptr = gep %own [offset=4, strides=()]
store %n, %own4 [align=4]
%own8: ptr = gep %own [offset=8, strides=()]
store 3:i64, %own8 [align=8]
for %lin, 64:i32, %volume [pred=slt] { (%i: i32)
  %i64: i64 = zext %i
"""


class _Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"barriers {seed}")
        self.lines: list[str] = []
        self.names = 0
        self.values: list[str] = ["%lin", "%tx", "%n", "%bx", "7:i32"]
        self.same: list[str] = ["%n", "%bx", "%bdx", "2:i32"]  # in all threads of a block
        self.counters: list[str] = []  # same in all threads, below 4
        self.pointers: list[str] = []
        # By variable: which part of it a thread writes, and which parts it reads, since the last barrier.
        self.writes: dict[str, str] = {}
        self.reads: dict[str, set[str]] = {}
        self.together = True
        # A few places are visited again and again.
        self.variables = self.sample(_VARIABLES, 2)
        self.own = self.sample(_OWN, 2)
        self.parts = [*self.own, *self.sample(_OTHERS, 2)]
        self.fixed = self.sample(("%n", "%bx", "9:i32", "0:i32", "63:i32"), 2)

    def run(self) -> list[str]:
        self.lines += _START.strip().splitlines()
        for name in _SHARED:
            address = self.let("gep", f"@{name}:ptr", "%i64", type_="ptr", attrs="offset=0, strides=(4)")
            self.lines.append(f"store %i, {address} [align=4]")
        self.lines += ["yield", "}", _BARRIER.format("block")]
        self.block(self.random.randint(8, 20), 2)
        total = "%lin"
        for value in self.values[5:]:
            total = self.let("mul", total, "31:i32")
            total = self.let("xor", total, value)
        tid = self.let("add", self.let("mul", "%bx", "%volume"), "%lin")
        place = self.let("gep", "%out", self.let("zext", tid, type_="i64"), type_="ptr", attrs="offset=0, strides=(4)")
        return [*self.lines, f"store {total}, {place} [align=4]"]

    # -- pieces -------------------------------------------------------------------------------------------------------

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def let(self, op: str, *operands: str, type_: str = "i32", attrs: str = "") -> str:
        name = self.name()
        self.lines.append(f"{name}: {type_} = {op} {', '.join(operands)}{f' [{attrs}]' if attrs else ''}")
        return name

    def sample(self, choices: Sequence[str], most: int) -> list[str]:
        return self.random.sample(choices, self.random.randint(1, most))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def value(self) -> str:
        return self.random.choice(self.values[-8:] if self.chance(0.7) else self.values)

    def condition(self, same: bool) -> str:
        left = self.random.choice(self.same + self.counters if same else self.values)
        pred = self.random.choice("slt sgt ult eq ne".split())
        return self.let("icmp", left, f"{self.random.randint(0, 3)}:i32", type_="i1", attrs=f"pred={pred}")

    def index(self, part: str) -> str:
        """Below ELEMENTS, in blocks of at most 24 threads; the parts of `_OWN` are each thread's own."""
        numbers: dict[str, Callable[[], str]] = {
            "lin": lambda: "%lin",
            "twice": lambda: self.let("shl", "%lin", "1:i32"),
            "odd": lambda: self.let("add", self.let("mul", "%lin", "2:i32"), "1:i32", attrs="flags=(nsw)"),
            "rows": lambda: self.let(
                "add", self.let("add", "%tx", self.let("mul", "%ty", "8:i32")), self.let("mul", "%tz", "16:i32")
            ),
            "far": lambda: self.let("add", "%lin", "%volume"),
            "back": lambda: self.let("sub", self.let("sub", "%volume", "1:i32"), "%lin", attrs="flags=(nsw)"),
            "shifted": lambda: self.let("add", "%lin", "5:i32", attrs="flags=(nsw)"),
            "next": lambda: self.let("add", "%lin", "1:i32"),
            "around": lambda: self.let("urem", self.let("add", "%lin", "1:i32"), "%volume"),
            "flip": lambda: self.let("xor", "%lin", "1:i32"),
            "same": lambda: self.random.choice(self.fixed),
            "counter": lambda: self.let("add", self.let("mul", self.counter(), "8:i32"), "%tx"),
            "crossed": lambda: self.let("add", self.let("mul", "%tx", "2:i32"), "%ty"),
            "any": lambda: self.let("and", self.value(), "63:i32"),
        }
        number = numbers[part]()
        return self.let(self.random.choice(("zext", "sext")), number, type_="i64")

    def counter(self) -> str:
        return self.random.choice([*self.counters, "%bx", "1:i32"])

    def address(self, variable: str, part: str, offset: int = 0) -> str:
        return self.let("gep", variable, self.index(part), type_="ptr", attrs=f"offset={offset}, strides=(4)")

    # -- statements ---------------------------------------------------------------------------------------------------

    def block(self, statements: int, depth: int) -> None:
        kinds: list[tuple[Callable[[int], None], int]] = [
            (self.load, 7), (self.store, 6), (self.arithmetic, 2), (self.atomic, 1), (self.private, 1),
            (self.constant, 1), (self.pointer, 1), (self.barrier, 5 if self.together else 0),
            (self.reduce, 1 if self.together else 0), (self.if_, 2 if depth else 0), (self.for_, 2 if depth else 0),
            (self.while_, 2 if depth else 0),
        ]  # fmt: skip
        for each in self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds], k=statements):
            each(depth - 1)

    def load(self, _: int) -> None:
        if self.pointers and not self.writes and self.chance(0.3):
            for variable in self.variables:
                self.reads.setdefault(variable, set()).add("pointer")
            self.values.append(self.let("load", self.random.choice(self.pointers), attrs="align=4"))
            return
        variable = self.random.choice(self.variables)
        written = self.writes.get(variable)
        part = written if written and self.chance(0.97) else self.random.choice(self.parts)
        self.reads.setdefault(variable, set()).add(part)
        if self.chance(0.1):
            half = self.let(
                "load", self.address(variable, part, self.random.choice((0, 2))), type_="i16", attrs="align=2"
            )
            self.values.append(self.let("sext", half))
            return
        value = self.let("load", self.address(variable, part), attrs="align=4")
        self.values.append(value)
        if part == "same" and self.together:
            self.same.append(value)

    def written(self) -> tuple[str, str]:
        """A variable, and a part of it that may be written here, mostly without a race."""
        variable = self.random.choice(self.variables)
        read = self.reads.get(variable, set()) - {self.writes.get(variable)}
        if len(read) == 1 and variable not in self.writes and read <= set(self.own):
            (self.writes[variable],) = read
        elif read and self.together and self.chance(0.97):
            self.barrier(0)
        return variable, self.writes.setdefault(variable, self.random.choice(self.own))

    def store(self, depth: int) -> None:
        variable, part = self.written()
        if self.reads.get(variable, set()) - {part} and not self.chance(0.03):
            self.arithmetic(depth)
            return
        value = self.value()
        if self.chance(0.1):
            half = self.let("trunc", value, type_="i16")
            self.lines.append(f"store {half}, {self.address(variable, part, self.random.choice((0, 2)))} [align=2]")
            return
        self.lines.append(f"store {value}, {self.address(variable, part)} [align=4]")

    def arithmetic(self, _: int) -> None:
        self.values.append(self.let(self.random.choice("add sub mul xor and".split()), self.value(), self.value()))
        self.same.append(self.let("add", self.random.choice(self.same), "1:i32"))

    def atomic(self, depth: int) -> None:
        attrs = "operation=add, ordering=monotonic, align=4"
        if self.together and self.chance(0.3):  # a counter: nobody looks at what it was before
            self.barrier(depth)
            self.let("atomicrmw", self.address(self.random.choice(self.variables), "same"), self.value(), attrs=attrs)
            self.barrier(depth)
            return
        variable, part = self.written()
        if not self.reads.get(variable, set()) - {part}:
            self.values.append(self.let("atomicrmw", self.address(variable, part), self.value(), attrs=attrs))

    def private(self, _: int) -> None:
        index = self.let("zext", self.let("and", self.value(), "3:i32"), type_="i64")
        place = self.let("gep", "%own", index, type_="ptr", attrs="offset=0, strides=(4)")
        place = self.random.choice((place, "%own", "%own4"))
        if self.chance(0.5):
            self.lines.append(f"store {self.value()}, {place} [align=4]")
        else:
            self.values.append(self.let("load", place, attrs="align=4"))

    def constant(self, _: int) -> None:
        variable, part = self.random.choice(("@c:ptr", "%big")), self.random.choice(("same", "lin", "counter"))
        self.values.append(self.let("load", self.address(variable, part), attrs="align=4"))

    def pointer(self, _: int) -> None:
        ways = [self.address(self.random.choice(self.variables), self.random.choice(self.own)) for _ in range(2)]
        self.pointers.append(self.let("select", self.condition(self.chance(0.5)), *ways, type_="ptr"))

    def barrier(self, _: int) -> None:
        self.lines.append(_BARRIER.format("warp" if self.chance(0.15) else "block"))
        self.writes.clear()
        self.reads.clear()

    def reduce(self, _: int) -> None:
        self.same.append(self.let("barrier_reduce", self.value(), attrs=f"kind={self.random.choice(('and', 'count'))}"))
        self.values.append(self.same[-1])
        self.writes.clear()
        self.reads.clear()

    # -- control flow -------------------------------------------------------------------------------------------------

    def inside(self, together: bool, depth: int, params: tuple[str, ...] = ()) -> list[str]:
        """A region's body; what it has computed."""
        outer = self.values, self.same, self.counters, self.pointers, self.together
        writes, reads = dict(self.writes), {variable: set(parts) for variable, parts in self.reads.items()}
        self.values, self.same = [*self.values, *params], list(self.same)
        self.counters, self.pointers = list(self.counters), list(self.pointers)
        self.together = together
        if together and params and self.chance(0.7):
            self.barrier(0)
        self.block(self.random.randint(0, 5), depth)
        if together and params and self.chance(0.7):
            self.barrier(0)
        found = self.values[-4:]
        self.values, self.same, self.counters, self.pointers, self.together = outer
        self.writes |= writes
        for variable, parts in reads.items():
            self.reads.setdefault(variable, set()).update(parts)
        return found

    def if_(self, depth: int) -> None:
        together = self.together and self.chance(0.6)
        condition, result = self.condition(together), self.name()
        self.lines.append(f"{result}: i32 = if {condition} {{")
        self.lines.append(f"yield {self.random.choice(self.inside(together, depth))}")
        self.lines.append("} {")
        self.lines.append(f"yield {self.random.choice(self.inside(together, depth))}")
        self.lines.append("}")
        self.values.append(result)

    def trips(self, together: bool) -> str:
        if together:
            return self.random.choice(("%n", "%bx", "1:i32", "2:i32", "3:i32"))
        return self.let("and", self.value(), "3:i32")

    def for_(self, depth: int) -> None:
        together = self.together and self.chance(0.8)
        trips, result, counter, carried, moving = self.trips(together), *(self.name() for _ in range(4))
        start = self.address(self.random.choice(self.variables), self.random.choice(self.own))
        end = self.name()
        self.lines.append(
            f"{result}: i32, {end}: ptr = for 0:i32, {trips}, 1:i32, {self.value()}, {start} [pred=slt] {{"
        )
        self.lines.append(f"({counter}: i32, {carried}: i32, {moving}: ptr)")
        self.counters.append(counter)
        self.pointers.append(moving)
        found = self.inside(together, depth, (carried,))
        self.counters.pop()
        self.pointers.pop()
        moved = self.let("gep", moving, type_="ptr", attrs="offset=4, strides=()")
        self.lines += [f"yield {self.random.choice(found)}, {moved}", "}"]
        self.values.append(result)

    def while_(self, depth: int) -> None:
        together = self.together and self.chance(0.8)
        trips, results = self.trips(together), [self.name() for _ in range(3)]
        before, after = [self.name() for _ in range(2)], [self.name() for _ in range(3)]
        self.lines.append(f"{': i32, '.join(results)}: i32 = while {self.value()}, 0:i32 {{")
        self.lines.append(f"({': i32, '.join(before)}: i32)")
        self.counters.append(before[1])
        found = self.inside(together, depth, (before[0],))
        self.counters.pop()
        more = self.let("icmp", before[1], trips, type_="i1", attrs="pred=slt")
        ways = [self.random.choice(found) for _ in range(2)]
        self.lines.append(f"condition {more}, {ways[0]}, {ways[1]}, {before[1]}")
        self.lines.append(f"}} {{ ({': i32, '.join(after)}: i32)")
        found = self.inside(together, depth, (after[0], after[1]))
        following = self.let("add", after[2], "1:i32")
        self.lines += [f"yield {self.random.choice(found)}, {following}", "}"]
        self.values += results[:2]


_OWN = ("lin", "twice", "odd", "rows", "far", "back", "shifted")
_OTHERS = ("next", "around", "flip", "same", "counter", "crossed", "any")


def random_kernel(seed: int, kept: float) -> Function:
    """The kernel of `seed`, whose barriers are each there with probability `kept`."""
    generator = _Generator(seed)
    chance = generator.random
    lines = generator.run()
    first = next(number for number, line in enumerate(lines) if line.startswith("barrier"))
    body = [
        line
        for number, line in enumerate(lines)
        if number == first or not line.startswith("barrier") or chance.random() < kept
    ]
    noalias = chance.choice(("(4)", "(1, 2, 3, 4)"))
    shared = "shared @s [size=256, align=8]\nshared @t [size=256, align=8]\nshared @d [size=0, align=8]"
    return parse_function(
        f"kernel @k({_HEAD}, %n: i32, %p: ptr, %q: ptr, %out: ptr, %big: ptr) "
        f"[noalias={noalias}, constants=((4, 256), (c, 256))] {{\n{shared}\n"
        "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n"
        "block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)\n"
        + "\n".join(body)
        + "\nyield\n}\nyield\n}\nyield\n}\n"
    )


def outcome(
    function: Function, block: Dims, n: int, seed: int | None = None, races: bool = False
) -> tuple[list[int], list[Race]]:
    """What one launch leaves in memory, and the races that were seen."""
    memory = Memory()
    count = 2 * ELEMENTS
    arrays = [memory.array("i32", [(7919 * i * i + k * i + k) % 1013 for i in range(count)]) for k in (3, 31, 5)]
    constants = [memory.array("i32", [5 * i % 11 for i in range(ELEMENTS)])]
    memory.globals["c"] = memory.array("i32", [7 * i % 13 for i in range(ELEMENTS)])
    found = run(function, GRID, block, [n, *arrays, *constants], memory, seed, races, dynamic_shared=4 * ELEMENTS)
    return [value for array in arrays for value in memory.values("i32", array, count)], found.races
