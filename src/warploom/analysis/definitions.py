# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where each value of a structured function is defined, and what is known of the ids and of the launch."""

from __future__ import annotations

from warploom.analysis.integers import Range
from warploom.core.launch import MAX_BLOCK, MAX_GRID
from warploom.core.records import dataclass, field
from warploom.ir.core import LAUNCH_PARAMS, Const, Function, Op, Region, Value
from warploom.ir.ops import LOOPS, PARALLEL


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a value comes from: result number `index` of `op`, or parameter `index` of region `region` of `op`."""

    op: Op
    index: int
    region: int | None  # None: a result
    in_threads: bool  # inside of a loop over threads or lanes
    in_loop: bool  # inside of a sequential loop which is inside of that


@dataclass(slots=True)
class Definitions:
    """The definition of every value but the function's parameters, and the thread ids by axis."""

    of: dict[Value, Definition] = field(default_factory=dict[Value, Definition])
    threads: dict[Value, int] = field(default_factory=dict[Value, int])  # tx ty tz -> 0 1 2
    intervals: dict[Value, Range] = field(default_factory=dict[Value, Range])  # of ids and launch parameters
    launch: dict[Value, int] = field(default_factory=dict[Value, int])  # known launch parameters
    block: tuple[int | None, int | None, int | None] = (None, None, None)

    def is_stable(self, value: Value) -> bool:
        """Whether one thread computes `value` at most once while a block runs its threads."""
        found = self.of.get(value)
        return found is None or not found.in_loop

    def is_outside_threads(self, value: Value) -> bool:
        """Whether `value` is computed once for all threads of a block."""
        found = self.of.get(value)
        return found is None or not found.in_threads

    def defining(self, value: object, name: str) -> Op | None:
        """The op that has `value` as a result, if it is a `name`."""
        found = self.of.get(value) if isinstance(value, Value) else None
        return found.op if found is not None and found.region is None and found.op.name == name else None


def definitions(function: Function) -> Definitions:
    """Where everything in the structured `function` is defined."""
    found = Definitions(block=block_size(function))
    for value, axis in zip(function.launch, range(len(LAUNCH_PARAMS)), strict=False):
        found.intervals[value] = (1, MAX_GRID[axis] if axis < 3 else MAX_BLOCK[axis - 3])
        size = None if axis < 3 else found.block[axis - 3]
        if size is not None:
            found.launch[value] = size
            found.intervals[value] = (size, size)
    _region(function.body, found, in_threads=False, in_loop=False)
    return found


def block_size(function: Function) -> tuple[int | None, int | None, int | None]:
    """The block's size along x, y, z where the kernel is specialised to it (fact `block`) or says it itself."""
    sizes: list[int | None] = [size or None for size in function.facts.block or (0, 0, 0)]
    if function.facts.narrowed:
        x, y, z = sizes
        return x, y, z
    for op in function.body.ops:
        for inner in op.region.ops if op.name == "grid" else [op]:
            if inner.name == "block":
                for axis, operand in enumerate(inner.operands):
                    if isinstance(operand, Const) and isinstance(operand.value, int):
                        sizes[axis] = operand.value
    x, y, z = sizes
    return x, y, z


def constant_memory(function: Function) -> dict[str | Value, int]:
    """Memory that nothing writes while the kernel runs, with its size in bytes: names of variables, and parameters that
    point to such memory."""
    constants = function.facts.constants
    return {function.arguments[key] if isinstance(key, int) else key: size for key, size in constants}


def _region(region: Region, found: Definitions, in_threads: bool, in_loop: bool) -> None:
    for op in region.ops:
        for index, result in enumerate(op.results):
            found.of[result] = Definition(op, index, None, in_threads, in_loop)
        if not op.regions:
            continue
        parallel = op.name in PARALLEL
        inner_threads = in_threads or op.name in ("block", "lane")
        inner_loop = (op.name in LOOPS and inner_threads) or (in_loop and not parallel)
        for number, inner in enumerate(op.regions):
            for index, param in enumerate(inner.params):
                found.of[param] = Definition(op, index, number, inner_threads, inner_loop)
            _region(inner, found, inner_threads, inner_loop)
        if op.name in ("grid", "block"):
            _ids(op, found)


def _ids(op: Op, found: Definitions) -> None:
    """Block ids lie below their grid's size, thread ids below their block's."""
    limits = MAX_GRID if op.name == "grid" else MAX_BLOCK
    for axis, param in enumerate(op.region.params):
        size = found.block[axis] if op.name == "block" else None
        found.intervals[param] = (0, (size or limits[axis]) - 1)
        if op.name == "block":
            found.threads[param] = axis
