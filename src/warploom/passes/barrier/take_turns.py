# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with loops that wait for other threads: which of them loops over threads can run.

    if t == 0 { while { load volatile %flag } }     the loop over threads becomes one of calls that take turns
    barrier                                         (backend/loom_turns.py), if the pass finds nothing to refuse

Theorem: CUDA has each thread go on by itself, but for where it waits in a barrier or collective for the threads that
these name. A kernel that ends so ends here too, as long as no thread is held up by one that waits in a loop and that
it need not wait for. Between barriers none is: the iterations of a loop over threads take turns. But splitting makes
the threads wait for each other where the program does not: control flow around a barrier moves out of the threads, and
what stands before it, in it and behind it become loops one after the other. So where a loop waits

- control around it that holds barriers, and it itself where it does, must be the same for all threads: nobody is
  elsewhere;
- what follows the part that it stands in, up to the next barrier of all threads, must not write anything: nobody can
  wait for what is not done there.

Likewise for the lanes of a warp and its collectives: one that names some lanes only is no barrier of all. What falls
between stays with the reference engine, and so do waiting kernels with a barrier of the grid, and those in which a lane
counts, by an atomic operation, what other lanes have stored since a collective, without `__syncwarp()`: that is a race,
which lock step decides on a GPU and on that engine, and turns would decide otherwise.

The first part of the proof that a wait ends is runtime/turns.h, for who may be waited for outside of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from warploom.analysis.turns import may_wait
from warploom.analysis.uniformity import Uniformity, uniformity
from warploom.analysis.warp_groups import Warps, assume_warps, group_uniformity, known_warps, likely_warps
from warploom.core.records import dataclass
from warploom.core.remarks import WAITING, Unsupported
from warploom.ir.core import Const, Function, Op, Operand, Region, Value, int_const, walk, walk_op
from warploom.ir.ops import LOOPS, WARP_SIZE, Level, collective_level, leaves_memory, levels_in
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import GRIDS_SPLIT, NO_MASKED_BARRIERS, NO_PHASE_WAITS, SCALAR

NAME = "take_turns"
_ALL_LANES = int_const("i32", -1)


_ATOMIC = frozenset(("atomicrmw", "cmpxchg"))
_LOOKS = _ATOMIC | {"load"}
_Control = tuple[tuple[Op, int], ...]  # conditions on which lanes of a warp part, and their sides


@dataclass(frozen=True, slots=True)
class _Frame:
    """An op on the way from the threads' code to a loop, and where it stands."""

    region: Region
    index: int

    @property
    def op(self) -> Op:
        """The op."""
        return self.region.ops[self.index]


def run(function: Function, context: Context) -> bool:
    """Raise Unsupported where threads of `function` would wait for those that wait in a loop; changes nothing."""
    if not function.facts.waits:
        return False
    for op in walk(function.body):
        if collective_level(op) is Level.GRID and not op.regions:
            raise Unsupported("waits in a loop for another thread, and in a barrier of the grid", op.loc)
    known = needed = known_warps(function)
    while (problem := _problem(function, needed)) is not None:
        if needed == likely_warps(function):
            raise problem
        needed = Warps(needed + 1)
    if needed > known:
        assume_warps(function, needed)
        blocks = f"a width that is no multiple of {WARP_SIZE}"
        context.remark(NAME, f"the reference engine runs launches with blocks of {blocks}", function.loc)
    for path in _all_waits(function):
        context.remark(NAME, "a loop waits for another thread: threads take turns", path[-1].op.loc)
    return False


def _problem(function: Function, warps: Warps) -> Unsupported | None:
    """Why threads would wait for those that wait in a loop, in blocks of a kind."""
    levels = {
        Level.BLOCK: _Level(Level.BLOCK, uniformity(function)),
        Level.WARP: _Level(Level.WARP, group_uniformity(function, WARP_SIZE, warps)),
    }
    try:
        for block in [op for op in walk(function.body) if op.name == "block"]:
            _Counts(function, levels[Level.WARP].known).scan(block.region, (), [], is_after=False)
        for path in _all_waits(function):
            for level in levels.values():
                level.check(path)
    except Unsupported as problem:
        return problem
    return None


def _all_waits(function: Function) -> Iterator[tuple[_Frame, ...]]:
    for block in [op for op in walk(function.body) if op.name == "block"]:
        yield from _waits(function, block.region, ())


def _waits(function: Function, region: Region, path: tuple[_Frame, ...]) -> Iterator[tuple[_Frame, ...]]:
    """The way to each loop in `region` that may wait."""
    for index, op in enumerate(region.ops):
        here = (*path, _Frame(region, index))
        if op.name in LOOPS and may_wait(function, op):
            yield here
        for inner in op.regions:
            yield from _waits(function, inner, here)


class _Level:
    """The threads of a block, or the lanes of a warp, and where they wait for each other."""

    def __init__(self, level: Level, known: Uniformity) -> None:
        self.level, self.known = level, known
        self.levels = Level.BLOCK | Level.GRID if level is Level.BLOCK else ~Level(0)
        self.who = "threads of the block" if level is Level.BLOCK else "lanes of the warp"

    def check(self, path: tuple[_Frame, ...]) -> None:
        """Raise Unsupported where the loop at the end of `path` may hold up others."""
        wait = path[-1].op
        depth = next((n for n, frame in enumerate(path) if not self.splits(frame.op)), len(path))
        inner = path[depth].op if depth < len(path) else wait.regions[0].ops[0]
        if depth > 0 and not self.known.is_reached_uniformly(inner, self.level):
            raise Unsupported(f"waits in a loop for another thread while other {self.who} are elsewhere", wait.loc)
        loud = self.after(path[: depth + 1]) if depth < len(path) else None
        if loud is not None:
            place = f" at line {loud.loc.line}" if loud.loc else ""
            reason = f"waits in a loop for another thread, which may need what {self.who} do next{place}"
            raise Unsupported(reason, wait.loc)

    def splits(self, op: Op) -> bool:
        """Whether the loop over threads is split in `op`."""
        return bool(levels_in(op) & self.levels)

    def joins(self, op: Op) -> bool:
        """Whether all threads wait for each other at `op` in the program too."""
        level = collective_level(op) if not op.regions else None
        if level is None or not self.known.is_reached_uniformly(op, self.level):
            return False
        if level is not Level.WARP:
            return True
        if op.name == "barrier":
            return self.level is Level.WARP and not op.operands and not op.attrs.get("lock_step")
        return self.level is Level.WARP and bool(op.operands) and op.operands[0] == _ALL_LANES

    def after(self, path: tuple[_Frame, ...]) -> Op | None:
        """What writes after the part that the last of `path` stands in, before all threads have waited."""
        region, at = path[-1].region, path[-1].index + 1
        while at < len(region.ops) and not self.splits(region.ops[at]):
            at += 1  # of the same part
        return self.rest(path, at)

    def rest(self, path: tuple[_Frame, ...], start: int) -> Op | None:
        """The same from number `start` on of the region that the last of `path` stands in."""
        region, outer = path[-1].region, path[:-1]
        loud, is_closed = self.scan(region, start)
        if loud is None and not is_closed and outer:
            loud, is_closed = self.again(outer[-1].op, region)
        if loud is not None or is_closed or not outer:
            return loud
        return self.rest(outer, outer[-1].index + 1)

    def again(self, around: Op, region: Region) -> tuple[Op | None, bool]:
        """The same of the loop `around` whose `region` has come to its end; whether it is only left behind a place
        where all wait."""
        if around.name not in LOOPS:
            return None, False
        is_first = region is around.regions[0]
        for each in around.regions[::-1] if is_first else around.regions:
            loud, is_closed = self.scan(each)
            if loud is not None or is_closed:
                return loud, not is_first
        return None, False

    def scan(self, region: Region, start: int = 0) -> tuple[Op | None, bool]:
        """What writes in a region from number `start` up to where all wait; whether it comes to such a place."""
        for op in region.ops[start:]:
            if self.joins(op):
                return None, True
            if self.splits(op) and op.regions:
                loud, is_closed = self.head(op)
                if loud is not None or is_closed:
                    return loud, is_closed
            elif not is_quiet(op):
                return op, False
        return None, False

    def head(self, op: Op) -> tuple[Op | None, bool]:
        """The same of control flow, from its start."""
        closed: list[bool] = []
        for region in op.regions:
            loud, is_closed = self.scan(region)
            if loud is not None:
                return loud, False
            closed.append(is_closed)
            if op.name == "while" and is_closed:
                break  # what comes in the second region comes after
        return None, op.name != "for" and (all(closed) if op.name == "if" else closed[0])


class _Counts:
    """Looks for atomic operations of some lanes behind stores of others."""

    def __init__(self, function: Function, known: Uniformity) -> None:
        self.known = known
        self.shared = frozenset(function.shared)
        self.bases = {op.result: op.operands[0] for op in walk(function.body) if op.name == "gep"}
        loops = [op for op in walk(function.body) if op.name == "while" and may_wait(function, op)]
        looks = (op for loop in loops for op in walk_op(loop) if op.name in _LOOKS)
        self.shared_counts = any(map(self.is_shared, looks))  # somebody may wait for counts in shared memory

    def is_shared(self, op: Op) -> bool:
        """Whether `op` accesses a shared variable."""
        pointer = op.operands[0]
        while isinstance(pointer, Value) and pointer in self.bases:
            pointer = self.bases[pointer]
        return isinstance(pointer, Const) and str(pointer.value).strip('@"') in self.shared

    def counts(self, op: Op) -> bool:
        """Whether another thread may wait for what `op` counts."""
        return op.name in _ATOMIC and (self.shared_counts or not self.is_shared(op))

    def scan(self, region: Region, path: _Control, stored: list[_Control], *, is_after: bool) -> bool:
        """Go through a region. `stored`: the control around stores since a collective, if the warp `is_after` one;
        changed to what it is at the end. Whether the warp is then."""
        for op in region.ops:
            level = collective_level(op) if not op.regions else None
            if level is not None:
                is_after = True
                if op.name.startswith("barrier"):
                    stored.clear()
            elif op.regions:
                is_after = self.control(op, path, stored, is_after=is_after)
            elif self.counts(op):
                if any(not set(path) <= set(each) for each in stored):
                    reason = f"a lane counts what others have stored with no __syncwarp() between, and {WAITING}"
                    raise Unsupported(reason, op.loc)
            elif is_after and not is_quiet(op):
                stored.append(path)
        return is_after

    def control(self, op: Op, path: _Control, stored: list[_Control], *, is_after: bool) -> bool:
        """Go through control flow; loops twice, as what comes last in a round comes before the next."""
        if op.name in LOOPS:
            for _ in range(2):
                for region in op.regions:
                    is_after = self.scan(region, path, stored, is_after=is_after)
            return is_after
        parts = op.name == "if" and not self.known.is_uniform(op.operands[0], Level.WARP)
        before, ends = list(stored), list[bool]()
        stored.clear()
        for number, region in enumerate(op.regions):
            side = list(before)
            ends.append(self.scan(region, (*path, (op, number)) if parts else path, side, is_after=is_after))
            stored += [each for each in side if each not in stored]
        return any(ends)


def is_quiet(op: Op) -> bool:
    """Whether nothing in `op` writes what another thread can read."""
    makers = {each.result: each for each in walk_op(op) if each.name in ("alloca", "gep")}
    return all(_is_quiet(each, makers) for each in walk_op(op) if not each.regions)


def _is_quiet(op: Op, makers: dict[Value, Op]) -> bool:
    if op.name == "store":
        return _is_private(op.operands[1], makers)
    return collective_level(op) is not None or leaves_memory(op)


def _is_private(pointer: Operand, makers: dict[Value, Op]) -> bool:
    while isinstance(pointer, Value) and pointer in makers and makers[pointer].name == "gep":
        pointer = makers[pointer].operands[0]
    return isinstance(pointer, Value) and pointer in makers


TAKE_TURNS = Pass(NAME, run, needed=True, requires=(SCALAR, NO_PHASE_WAITS, NO_MASKED_BARRIERS, GRIDS_SPLIT))
