# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Function as Python source, for the interpreter.

    grid, block, warp, lane     one Python function for the body; a loop calls it, or a Team runs it
    for, while, if              Python's own
    barriers and collectives    `yield` of a request (team.py), whose answer is the result

A body is a generator only if something in it yields.
"""

from __future__ import annotations

from collections import Counter

from warploom.core.records import dataclass
from warploom.ir.core import Function, Op, Region
from warploom.ir.ops import Effect, collective_level, effect
from warploom.ir.ops import Level as OpLevel
from warploom.ir.team import ALL_LANES, BLOCK, GRID, WARP
from warploom.ir.translate_base import Scope
from warploom.ir.translate_control import ControlTranslator
from warploom.ir.translate_ops import SPIN_CALLS

# Python allows 20 nested loops and 100 levels of indentation.
_DEEPEST_LOOPS = 14
_DEEPEST_INDENT = 60

_LEVELS = {OpLevel.WARP: WARP, OpLevel.BLOCK: BLOCK, OpLevel.GRID: GRID}
_OWN_LEVELS = {"grid": {WARP, BLOCK, GRID}, "block": {WARP, BLOCK}, "warp": {WARP, BLOCK}, "lane": {WARP}}
_TEAM_LEVEL = {"grid": GRID, "block": BLOCK, "warp": BLOCK, "lane": WARP}
_ENDS_THREAD = "__warploom_exit_thread"


@dataclass(frozen=True, slots=True)
class Yields:
    """What running an op may yield: requests of some levels, and places where another thread may run."""

    levels: frozenset[int] = frozenset()
    pauses: bool = False

    def __bool__(self) -> bool:
        return bool(self.levels) or self.pauses

    def __or__(self, other: Yields) -> Yields:
        return Yields(self.levels | other.levels, self.pauses or other.pauses)


@dataclass(slots=True)
class Translation:
    """The source and what it needs to run."""

    source: str
    line_ops: list[Op | None]  # by line number, from 1
    region_counts: list[Counter[str]]
    kernel_is_generator: bool


class Translator(ControlTranslator):
    """Translates one function; `translate` is the way in."""

    def __init__(self, function: Function, seeded: bool, races: bool) -> None:
        super().__init__(function, seeded, races)
        self.known: dict[Op, Yields] = {}
        self.finished: list[tuple[str, Op | None]] = []
        self.cfg_body: Region | None = None

    # -- what yields --

    def yields(self, op: Op) -> Yields:
        """What running `op` may yield."""
        found = self.known.get(op)
        if found is None:
            found = self.known[op] = self._yields(op)
        return found

    def _yields(self, op: Op) -> Yields:
        level = collective_level(op)
        if level is not None:
            return Yields(frozenset({_LEVELS[level]}))
        if not op.regions:
            touches = effect(op) in (Effect.READ, Effect.WRITE, Effect.READ_WRITE)
            spins = op.name == "call" and op.attrs["callee"] in (*SPIN_CALLS, _ENDS_THREAD)
            return Yields(pauses=(self.seeded and touches) or spins)
        inner = self.inside(op)
        if op.name == "grid":
            return Yields()
        if op.name in _OWN_LEVELS:
            return Yields(inner.levels - _OWN_LEVELS[op.name], inner.pauses)
        return inner | Yields(pauses=self.loop_waits(op))

    def inside(self, op: Op) -> Yields:
        """What the bodies of `op` may yield."""
        all_ = [self.yields(inner) for region in op.regions for inner in self.ops_of(region)]
        return Yields(frozenset[int]().union(*(each.levels for each in all_)), any(each.pauses for each in all_))

    def ops_of(self, region: Region) -> list[Op]:
        if region is self.cfg_body:
            ops = [op for block in self.function.blocks for op in block.ops]
            return [*ops, Op("while", regions=[Region(ops=ops)])]
        return region.ops

    # -- functions --

    def translate(self) -> Translation:
        """The whole function."""
        function = self.function
        body = self.structured_shell() if function.blocks else function.body
        for param in function.params:
            self.define(param)
        self.region(body, [])
        if self.scope.used & self.shared_names.keys():
            raise ValueError("a shared variable is used outside of grid")
        generator = any(self.yields(op) for op in body.ops)
        params = [self.names[param] for param in function.params]
        generator |= self.races
        prologue = ["q = 0", "L = []", *self.generator_mark()]
        self.finish("kernel", params, prologue, "for address in L: MEMORY.free(address)")
        text = "\n".join(line for line, _ in self.finished) + "\n"
        return Translation(text, [None, *(op for _, op in self.finished)], self.region_counts, generator)

    def structured_shell(self) -> Region:
        """grid { block { the basic blocks } }."""
        function = self.function
        self.cfg_body = Region(function.ids[3:], [])
        block = Op("block", [*function.launch[3:]], regions=[self.cfg_body])
        grid = Op("grid", [*function.launch[:3]], regions=[Region(function.ids[:3], [block, Op("yield")])])
        return Region([], [grid, Op("yield")])

    def finish(self, name: str, params: list[str], prologue: list[str], epilogue: str = "") -> None:
        """Put the function made in the current scope behind those finished."""
        lines: list[tuple[str, Op | None]] = [(f"def {name}({', '.join(params)}):", None)]
        lines += [("  " + line, None) for line in prologue]
        lines += self.scope.lines
        lines.append((f"  {epilogue}" if epilogue else "  pass", None))
        self.finished += lines

    def generator_mark(self) -> list[str]:
        """Race detection runs everything in teams, whose members are generators."""
        return ["if False: yield"] if self.races else []

    def any_op(self, op: Op) -> None:
        self.op = op
        if op.name in _OWN_LEVELS:
            self.parallel(op)
        elif op.regions:
            deep = self.scope.indent > _DEEPEST_INDENT or self.scope.loops > _DEEPEST_LOOPS
            self.in_own_function(op) if deep else self.control(op)
        elif effect(op) is Effect.COLLECTIVE:
            self.collective(op)
        elif op.name == "call" and op.attrs["callee"] == _ENDS_THREAD:
            self.emit("raise ThreadEnd")
        else:
            self.straight(op)
        self.op = op

    def control(self, op: Op) -> None:
        {"for": self.for_loop, "while": self.while_loop, "if": self.branch}[op.name](op)

    def in_own_function(self, op: Op) -> None:
        """The same as control(), called: Python's nesting is limited."""
        outer, self.scope = self.scope, Scope()
        self.control(op)
        results = [self.names[value] for value in op.results]
        pauses = bool(self.yields(op))
        quantum = ["q"] if "q" in self.scope.used else []
        free = sorted(self.scope.used - self.scope.defined)
        name = f"nested{len(self.finished)}"
        back = ", ".join([*quantum, *results])
        self.finish(name, free, [], f"return ({back},)" if back else "")
        self.scope = outer
        self.scope.used |= set(free)
        self.scope.defined |= set(results)
        left = f"{back}, = " if back else ""
        self.emit(f"{left}{'yield from ' if pauses else ''}{name}({', '.join(free)})")

    # -- collectives --

    def collective(self, op: Op) -> None:
        level = collective_level(op)
        assert level is not None
        args = [self.arg(each) for each in op.operands]
        kind = str(op.attrs.get("kind", ""))
        if _LEVELS[level] != WARP:
            brought = f"bool({args[0]}), 1" if args else "False, 1"
        elif op.name in ("barrier", "activemask"):
            brought = f"{args[0] if args else ALL_LANES}, 0"
        else:
            brought = ", ".join(args)
        # Lanes in lock step meet as at an `activemask`: those that come to one place together.
        name = "activemask" if op.attrs.get("lock_step") else op.name
        request = f"({_LEVELS[level]}, {name!r}, {kind!r}, {self.site(op)}, {brought})"
        self.emit(f"{self.define(op.result)} = yield {request}" if op.results else f"yield {request}")

    # -- parallel loops --

    def parallel(self, op: Op) -> None:
        sizes = [self.arg(each) for each in op.operands]
        inner = self.inside(op)
        generator = bool(inner) or self.races
        name, free = self.parallel_body(op, generator)
        if not generator:
            self.plain_loops(name, sizes, free)
            return
        rest = f"({', '.join(free)},)" if free else "()"
        start = f"starter({name}, ({', '.join(sizes)},), {rest}, SCHEDULE, {self.seeded})"
        options = ", lanes=True" if op.name in ("block", "lane") else ""
        if op.name == "grid":
            options += ", window=SCHEDULE.window"
        if self.races:
            options += f", enter=TRACKER.enter_{op.name}(), passed=TRACKER.passed_{op.name}"
        team = f"Team({' * '.join(sizes)}, {start}, {_TEAM_LEVEL[op.name]}, SCHEDULE{options})"
        self.emit(f"yield from {team}.run()" if self.yields(op) else f"drain({team})")
        if self.races:
            self.emit(f"TRACKER.leave_{op.name}()")

    def parallel_body(self, op: Op, generator: bool) -> tuple[str, list[str]]:
        """The function for one iteration: its name, and what it takes after the indices."""
        outer, self.scope = self.scope, Scope()
        params = [self.define(value) for value in op.region.params]
        if op.region is self.cfg_body:
            self.basic_blocks(self.function.blocks)
        else:
            self.region(op.region, [])
        used = self.scope.used
        shared = sorted(used & self.shared_names.keys()) if op.name == "grid" else []
        block = f"({', '.join(params)})"
        prologue = [f"{name} = new_shared({self.shared_names[name]!r}, L, {block})" for name in shared]
        epilogue = "for address in L: MEMORY.free(address)" if "L" in used or shared else ""
        if epilogue:
            prologue.insert(0, "L = []")
        prologue += self.generator_mark()
        free = sorted(used - self.scope.defined - {"q", "L"} - set(shared))
        takes = [*params, *free, *(["q"] if self.seeded and generator else [])]
        name = f"{op.name}{len(self.finished)}"
        self.finish(name, takes, prologue, epilogue)
        self.scope = outer
        self.scope.used |= set(free)
        return name, free

    def plain_loops(self, name: str, sizes: list[str], free: list[str]) -> None:
        """All iterations in order."""
        indent = self.scope.indent
        indices = [f"i{number}" for number in range(len(sizes))]
        for index, size in zip(reversed(indices), reversed(sizes), strict=True):
            self.emit(f"for {index} in range({size}):")
            self.scope.indent += 1
        self.emit(f"{name}({', '.join([*indices, *free])})")
        self.scope.indent = indent
