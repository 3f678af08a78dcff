# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Long loops over the threads of a block as functions, which several OS threads may share.

    grid { ... for 0, 256, 32 [of_threads] {      define void @k.blocks.0.threads.0(%frame, %scratch, %first, %last)
                 for 0, %n, 1 { ... }         ==>    load what was stored in %frame
               }                                     for 32 * %first, min(256, 32 * %last), 32 { for 0, %n, 1 { ... } }
         ... }                                     call @__warploom_share_threads(@k.blocks.0.threads.0, %frame,
                                                                                  %scratch, 8)

Where a launch has fewer blocks than there are processors, those that are idle help the ones that run blocks
(runtime/thread_loop.cpp): a block's code stays with one OS thread, but for such loops, which are called there with all
of their range or, side by side, with parts of it.

A loop over threads that has no vector form (`block`), or over warps (`warp`), is called with parts of the numbers of
its threads or warps.

Theorem: iterations of such loops, and of one that is marked `of_threads`, are threads of one block between two
barriers, which may run in any order and at once; the passes behind `vectorise` keep values from iteration to iteration
as values that the loop carries, or not at all. So parts of the range may run at once if the loop carries nothing, if no
atomic operation in it has been made a plain one and no store writes back what was there (`private_atomics` and
`vectorise` count on one OS thread a block), and if nothing in
it waits or asks which thread it is. What the parts write before their ends the caller sees behind the call.

A loop is long if it holds one of the program's whose trips are not known, or many: a call costs some nanoseconds, which
short loops would feel, and LLVM sees less. Loops over the threads of a vector are short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warploom.backend.loom_code import asks_for_thread
from warploom.backend.loom_frames import Handed, handed_on, load_frame, store_frame
from warploom.backend.loom_ops import quoted
from warploom.backend.loom_turns import Text, TurnsCode
from warploom.ir.core import Const, Function, Op, Operand, Region, Value, free_values, walk
from warploom.ir.ops import LOOPS, OF_LANES, OF_THREADS, PRIVATE, WARP_SIZE
from warploom.passes.vector.vectorise import ONE_BY_ONE

SHARE_THREADS = "__warploom_share_threads"
THREADS_SUFFIX = ".threads"
_PARALLEL = frozenset(("block", "warp"))


def long_thread_loops(function: Function, grid: Op) -> set[Op]:
    """The loops over threads below `grid` that several OS threads may share, and that may be worth it."""
    if function.facts.collapses or function.facts.waits:  # blocks are cut by the runtime; iterations take turns
        return set()
    return {op for op in outermost(grid.region) if may_be_shared(op) and _is_long(op)}


def outermost(region: Region) -> Iterator[Op]:
    """The loops over threads in `region`, but for those in others."""
    for op in region.ops:
        if is_over_threads(op):
            yield op
        else:
            for inner in op.regions:
                yield from outermost(inner)


def is_over_threads(op: Op) -> bool:
    """Whether `op` is a loop over threads, as vectors or not, or over warps."""
    return bool(op.attrs.get(OF_THREADS)) or op.name in _PARALLEL


def may_be_shared(loop: Op) -> bool:
    """Whether parts of the loop over threads `loop` may run at once."""
    return not loop.results and not any(_is_in_the_way(op) for op in walk(loop.region))


def _is_in_the_way(op: Op) -> bool:
    if op.name == "call":
        return asks_for_thread(str(op.attrs["callee"])) or op.attrs.get("effects") != "none"
    return bool(op.attrs.get(PRIVATE)) or op.name in ("call_indirect", "asm", "fence") or bool(op.attrs.get("volatile"))


def _is_long(loop: Op) -> bool:
    loops = (op for op in walk(loop.region) if op.name in LOOPS and not op.attrs.get(OF_THREADS))
    return any(_has_many_trips(op) for op in loops if not op.attrs.get(OF_LANES))


def _has_many_trips(loop: Op) -> bool:
    bounds = [each.value for each in loop.operands[:3] if isinstance(each, Const)] if loop.name == "for" else []
    if len(bounds) < 3:
        return True
    start, end, step = (int(each) if isinstance(each, int) else 0 for each in bounds)
    return abs(end - start) >= WARP_SIZE * max(abs(step), 1)


class ThreadsCode(TurnsCode):
    """A function whose long loops over threads the runtime calls."""

    def __init__(self, text: Text, function: Function, stem: str) -> None:
        super().__init__(text, function, stem)
        self.long_loops: set[Op] = set()
        self.places: dict[Value, str] = {}  # of what `scratch` makes: distances from %scratch, in bytes

    def _op_for(self, op: Op) -> None:
        if op not in self.long_loops:
            super()._op_for(op)
            return
        lower, upper, step = map(self.name, op.operands)
        span = self.value("span", f"sub i32 {upper}, {lower}")
        more = self.value("more", f"add i32 {span}, {step}")
        count = self.value("count", f"sdiv i32 {self.value('more', f'sub i32 {more}, 1')}, {step}")
        self._share(op, count)

    def _op_block(self, op: Op) -> None:
        if op in self.long_loops:
            self._share(op, self._product(op.operands))
        else:
            super()._op_block(op)

    def _op_warp(self, op: Op) -> None:
        if op in self.long_loops:
            self._share(op, self._product(op.operands))
        else:
            super()._op_warp(op)

    def _product(self, sizes: Sequence[Operand]) -> str:
        count, *others = map(self.name, sizes)
        for other in others:
            count = self.value("count", f"mul i32 {count}, {other}")
        return count

    def _share(self, op: Op, count: str) -> None:
        """Have the runtime call a function for parts of the loop `op` of `count` iterations."""
        captured = [each for each in free_values(op) if each in self.names]
        placed = [each for each in captured if each in self.places]
        captured = [each for each in captured if each not in self.places]
        handed = handed_on(captured, self.function)
        name = _Threads(self, handed, placed).write(op)
        members = [(each.type, self.names[each]) for each in handed.kept]
        members += [("i64", self.places[each]) for each in placed]
        frame = store_frame(self, members)
        self.text.use(SHARE_THREADS)
        self.line(f"call void @{SHARE_THREADS}(ptr @{name}, ptr {frame}, ptr %scratch, i32 {count})", op.loc, call=True)


class _Threads(TurnsCode):
    """The function for a part of a loop over threads."""

    def __init__(self, outer: ThreadsCode, handed: Handed, placed: list[Value]) -> None:
        super().__init__(outer.text, outer.function, outer.stem)
        self.made, self.unrolls, self.attributes = outer.made, outer.unrolls, outer.attributes
        self.loaded_trip_count = outer.loaded_trip_count
        self.handed, self.placed, self.outer = handed, placed, outer

    def write(self, op: Op) -> str:
        """Write the function; its name as LLVM writes it."""
        name = f"{self.stem}{THREADS_SUFFIX}.{len(self.made)}"
        self.made.append(name)
        loc = next((each.loc for each in walk(op.region) if each.loc is not None), None)
        self.scope = self.text.scope(name, loc) if self.outer.scope else ""
        distances = [Value("i64", "distance") for _ in self.placed]
        load_frame(self, Handed([*self.handed.kept, *distances], self.handed.tests))
        for value, distance in zip(self.placed, distances, strict=True):
            at = self.value("scratch", f"getelementptr inbounds i8, ptr %scratch, i64 {self.names[distance]}")
            self.names[value] = at
        if op.name == "for":
            self._vectors(op)
        else:
            self._numbers(op)
        self.line("ret void")
        parameters = "ptr noalias readonly %frame, ptr noalias %scratch, i32 %first, i32 %last"
        return quoted(self.text.finish_once(name, parameters, self))

    def _vectors(self, op: Op) -> None:
        """Some iterations of a loop with a step."""
        lower, upper, step = op.operands
        first, last = (Value("i32", hint) for hint in ("first", "last"))
        for value, number in ((first, "%first"), (last, "%last")):
            past = self.value("past", f"mul i32 {number}, {self.name(step)}")
            self.names[value] = self.value("bound", f"add i32 {self.name(lower)}, {past}")
        inside = self.value("inside", f"icmp slt i32 {self.names[last]}, {self.name(upper)}")
        chosen = f"select i1 {inside}, i32 {self.names[last]}, i32 {self.name(upper)}"
        self.names[last] = self.value("bound", chosen)
        super()._op_for(Op("for", [first, last, step], [], {"pred": op.attrs["pred"]}, [op.region], op.loc))

    def _numbers(self, op: Op) -> None:
        """Some threads or warps by their numbers, of whose digits that for x is the last one."""
        head, body, end = self.labels("numbers", "head", "body", "end")
        before = self.label
        self.jump(head)
        self.start(head)
        slot, number = self.reserve(), self.fresh("number")
        test = self.value("more", f"icmp slt i32 {number}, %last")
        self.line(f"br i1 {test}, label %{body}, label %{end}")
        self.start(body)
        *lower, highest = op.region.params
        rest = number
        for index, size in zip(lower, op.operands, strict=False):
            self.names[index] = self.value("id", f"urem i32 {rest}, {self.name(size)}")
            rest = self.value("rest", f"udiv i32 {rest}, {self.name(size)}")
        self.names[highest] = rest
        if op.name == "warp":
            self.warp = highest
        else:
            self.thread = tuple(op.region.params)
        self.region(op.region)
        next_ = self.value("next", f"add nsw i32 {number}, 1")
        self.lines[slot] = f"  {number} = phi i32 [ %first, %{before} ], [ {next_}, %{self.label} ]"
        self.jump(head, self._loop_mark(op.region, by_vectors=ONE_BY_ONE not in op.attrs))
        self.start(end)
