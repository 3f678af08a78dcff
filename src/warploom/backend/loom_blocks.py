# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs once a block, as one function over a range of blocks.

    grid %gdx, %gdy, %gdz { B }     ==>     define void @k.blocks.N(%frame, %position, %scratch, %first, %last)
                                              load what was stored in %frame
                                              for each block from %first up to %last, x fastest: B

`loom_text.py` has the other half: what fills the frame and has the runtime call this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from warploom.analysis.loaded_trip_counts import loops_of_loaded_trip_count
from warploom.backend.loom_frames import Handed, offsets_of
from warploom.backend.loom_threads import ThreadsCode, long_thread_loops
from warploom.backend.loom_turns import Text
from warploom.backend.shared_memory import DYNAMIC, ENTER_BLOCK, LEAVE_BLOCK, STATIC
from warploom.core.launch import MAX_BLOCK, MAX_GRID
from warploom.core.remarks import Loc
from warploom.ir.core import Function, Op, Operand, Region, Value, walk, walk_op

SCRATCH_ALIGN = 64
LARGEST_UNROLLED = 1500  # ops of a kernel whose loops LLVM may unroll
MOST_BRANCHES = 20  # in a trip of a loop that LLVM may unroll
# What a launch may ask for: cudaDevAttrMaxGridDimX and so on.
LARGEST_LAUNCH = (*MAX_GRID, *MAX_BLOCK)


def worth_unrolling(grid: Op) -> Callable[[Region], bool]:
    """Which loops LLVM may unroll: of a large kernel only those that count through a private array, which makes
    registers of it. The others would take half of LLVM's time and make code half as long again. Of other kernels those
    with few branches in a trip: copies of many, as of a choice among ten types, take LLVM long and gain a twentieth."""
    ops = list(walk_op(grid))
    if len(ops) <= LARGEST_UNROLLED:
        return lambda body: sum(op.name == "if" for op in walk(body)) <= MOST_BRANCHES
    threads = {op.region for op in ops if op.name in ("block", "warp", "lane")}
    private: set[Operand] = {op.result for op in ops if op.name == "alloca"}
    for op in ops:
        if op.name == "gep" and op.operands[0] in private:
            private.add(op.result)
        elif op.regions and not private.isdisjoint(op.operands):
            private.update(each for region in op.regions for each in region.params if each.type == "ptr")

    def counts_through_array(body: Region) -> bool:
        if not private or body in threads:
            return False
        counted: set[Operand] = set(body.params)
        for op in walk(body):
            if counted.isdisjoint(op.operands):
                continue
            if op.operands[0] in private and op.name == "gep":
                return True
            counted.update(op.results)
            counted.update(each for region in op.regions for each in region.params)
        return False

    return counts_through_array


class BlocksCode(ThreadsCode):
    """`k.blocks.N`: the body of a parallel loop, over a range of blocks."""

    def __init__(self, sink: Text, function: Function, name: str, grid: Op, handed: Handed, *, leaves: bool) -> None:
        """`leaves`: what a block leaves in shared memory is lost."""
        super().__init__(sink, function, name)
        self.leaves = leaves
        self.grid, self.handed = grid, handed
        self.offsets, self.scratch_size = scratch_layout(grid)
        self.unrolls = worth_unrolling(grid)
        self.loaded_trip_count = loops_of_loaded_trip_count(grid)
        self.long_loops = long_thread_loops(function, grid)

    def write(self, launch: Sequence[Value], *, debug: bool) -> None:
        """Write the function; `launch` are the launch's dimensions, whose ranges LLVM may know."""
        self.scope = self.text.scope(self.stem, first_loc(self.grid.region)) if debug else ""
        self._load_frame(launch)
        self._blocks()
        self.line("ret void")
        parameters = "ptr noalias readonly %frame, ptr noalias %position, ptr noalias %scratch, i64 %first, i64 %last"
        self.text.finish(self.stem, parameters, "internal", self)

    def _load_frame(self, launch: Sequence[Value]) -> None:
        ranges = {value: dimension_range(self.text, number) for number, value in enumerate(launch)}
        kept = self.handed.kept
        types = [*(each.type for each in kept), "i64"]
        loaded: list[str] = []
        for number, (member, offset) in enumerate(zip(types, offsets_of(types), strict=True)):
            at = self.value("at", f"getelementptr inbounds i8, ptr %frame, i64 {offset}")
            value = kept[number] if number < len(kept) else None
            hint = (value.name or "captured") if value else "threads"
            loaded.append(self.value(hint, f"load {member}, ptr {at}{ranges.get(value, '') if value else ''}"))
        self.names.update(zip(kept, loaded[:-1], strict=True))
        for test in self.handed.tests:
            self.op(test)
        for op, before in self.offsets.items():
            self.places[op.result] = offset = self.value("offset", f"mul i64 {loaded[-1]}, {before}")
            self.names[op.result] = self.value("scratch", f"getelementptr inbounds i8, ptr %scratch, i64 {offset}")

    def _blocks(self) -> None:
        """The loop over blocks: indices count up like the digits of a number, x fastest."""
        sizes = [self.name(each) for each in self.grid.operands]
        first = self._first_indices(sizes)
        head, body, end = self.labels("blocks", "head", "body", "end")
        before = self.label
        self.jump(head)
        self.start(head)
        slots = [self.reserve() for _ in range(4)]
        number, *indices = [self.fresh("block"), *(self.define(each) for each in self.grid.region.params)]
        more = self.value("more", f"icmp ult i64 {number}, %last")
        self.line(f"br i1 {more}, label %{body}, label %{end}")
        self.start(body)
        for axis, index in enumerate(indices):
            at = self.value("at", f"getelementptr inbounds i32, ptr %position, i64 {axis}")
            self.line(f"store volatile i32 {index}, ptr {at}, align 4")  # read when something goes wrong
        memory = [self._enter(kind) for kind in (STATIC, DYNAMIC)] if self.leaves else []
        self.region(self.grid.region)
        for each in memory:
            self.text.use(LEAVE_BLOCK)
            self.line(f"call void @{LEAVE_BLOCK}(ptr {each})")
        following = [self.value("next", f"add nuw i64 {number}, 1"), *self._next_indices(indices, sizes)]
        latch = self.label
        self.jump(head, self.no_copies(by_vectors=True))
        starts = ["%first", *first]
        for slot, name, start, later in zip(slots, [number, *indices], starts, following, strict=True):
            type_ = "i64" if name == number else "i32"
            self.lines[slot] = f"  {name} = phi {type_} [ {start}, %{before} ], [ {later}, %{latch} ]"
        self.start(end)

    def _enter(self, kind: int) -> str:
        """The block's shared memory, until it is left."""
        self.text.use(ENTER_BLOCK)
        return self.value("memory", f"call ptr @{ENTER_BLOCK}(i32 {kind})")

    def _first_indices(self, sizes: Sequence[str]) -> list[str]:
        """Where the range starts."""
        indices: list[str] = []
        rest = "%first"
        for size in sizes[:2]:
            wide = self.value("wide", f"zext i32 {size} to i64")
            digit = self.value("digit", f"urem i64 {rest}, {wide}")
            rest = self.value("rest", f"udiv i64 {rest}, {wide}")
            indices.append(self.value("index", f"trunc i64 {digit} to i32"))
        return [*indices, self.value("index", f"trunc i64 {rest} to i32")]

    def _next_indices(self, indices: Sequence[str], sizes: Sequence[str]) -> list[str]:
        x, y, z = indices
        x_up = self.value("up", f"add i32 {x}, 1")
        x_wraps = self.value("wraps", f"icmp eq i32 {x_up}, {sizes[0]}")
        y_up = self.value("up", f"add i32 {y}, {self.value('carry', f'zext i1 {x_wraps} to i32')}")
        y_wraps = self.value("wraps", f"icmp eq i32 {y_up}, {sizes[1]}")
        return [
            self.value("next", f"select i1 {x_wraps}, i32 0, i32 {x_up}"),
            self.value("next", f"select i1 {y_wraps}, i32 0, i32 {y_up}"),
            self.value("next", f"add i32 {z}, {self.value('carry', f'zext i1 {y_wraps} to i32')}"),
        ]

    def _op_scratch(self, op: Op) -> None:
        if op not in self.offsets:
            super()._op_scratch(op)


def dimension_range(text: Text, number: int) -> str:
    """What LLVM may know of a dimension of the launch when it loads it."""
    end = LARGEST_LAUNCH[number] + 1
    bounds = text.metadata(f"!{{i32 1, i32 {end if end < 2**31 else end - 2**32}}}")
    return f", !range {bounds}, !noundef {text.metadata('')}"


def scratch_layout(grid: Op) -> tuple[dict[Op, int], int]:
    """Each `scratch` of a block below `grid`: its place in bytes a thread; and the bytes a thread of all.

    Threads count as a multiple of SCRATCH_ALIGN, so that each begins where any type may lie, or where it asks to.
    """
    offsets: dict[Op, int] = {}
    total = 0
    for op in walk_op(grid):
        if op.name == "scratch" and op.attrs["level"] == "block":
            step = max(1, int(str(op.attrs.get("align", 1))) // SCRATCH_ALIGN)
            offsets[op] = total = -(-total // step) * step
            total += int(str(op.attrs["size"]))
    return offsets, total


def first_loc(region: Region) -> Loc | None:
    """Where the code of a region comes from."""
    return next((op.loc for op in walk(region) if op.loc is not None), None)
