# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ask for what a loop with long strides loads before it gets there.

    for %i = %lb, %ub, %stride {                  for %i = %lb, %ub, %stride {
      %x = load %p + %i                             prefetch %p + (%i + 4 * %stride < %ub ? %i + 4 * %stride : %i)
      ... 300 instructions ...              ==>     %x = load %p + %i
    }                                               ... 300 instructions ...
                                                  }

A block that strides over data with the whole grid touches another page in every step, where no prefetcher of a
processor follows. A short body needs no help: the processor starts the loads of several steps at once. A long one fills
its window of some 500 instructions, and then each step waits for memory by itself. What loops inside of a step load,
a tile, is asked for in parts (prefetch_tiles.py); a row, which one loop inside loads element by element, as if
the step itself loaded it. In a loop over the threads of a block each vector asks for what it loads in the next step.

Sound because a prefetch has no result and faults nowhere: the address need not even be right. Steps
beyond the loop's end are not asked for, which would be traffic for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.steps import Step, Steps, in_bytes
from warploom.ir import types
from warploom.ir.core import Builder, Function, Op, Operand, Region, Value, int_const, walk
from warploom.ir.ops import FEW_TRIPS
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.cache_lines import (
    LINE,
    PREFETCH_CALLEE,
    instructions,
    is_out_of_reach,
    may_be_far,
    prefetch_in_each,
    prefetch_line,
)
from warploom.passes.tune.prefetch_tiles import LEAST_WORK, MOST_AT_ONCE, Tile, host_of, lines_of, loads_in

NAME = "prefetch"
LONG_BODY = 128  # instructions, so many that few steps fit into a processor's window
LATENCY = 1000  # instructions in the time of an access to memory
MOST_STEPS = 16
NEAR = 32  # lines of a tile; more may push out what they are to be used with, and each other
MOST_LINES = 4  # of one load


def _ahead(loop: Op, steps: int, build: Builder) -> Value:
    """Whether the loop takes so many more steps."""
    counter, (_, end, step, *_) = loop.region.params[0], loop.operands
    far = build.op("mul", [step, int_const(step.type, steps)], step.type)
    later = build.op("add", [counter, far], counter.type)
    return build.op("icmp", [later, end], "i1", pred=str(loop.attrs["pred"]))


def prefetch_in(loop: Op, function: Function, ranges: Ranges) -> bool:
    """Write prefetches for the loads of `loop` itself, not of loops inside; whether there are any."""
    bits = function.facts.processor.vector_bits
    body, definitions = loop.region.ops, ranges.definitions
    if loop.attrs.get(FEW_TRIPS) or any(op.attrs.get("callee") == PREFETCH_CALLEE for op in body):
        return False
    loads = [op for op in body if op.name in ("load", "masked_load")]
    loads = [op for op in loads if may_be_far(op.operands[0], function, definitions)]
    nests = [op for op in body if op.name == "for"]
    if not (loads or nests) or (length := instructions(loop.region, bits, max(LONG_BODY, LATENCY))) < LONG_BODY:
        return False
    known, steps = Steps(loop, definitions), min(MOST_STEPS, -(-LATENCY // length))
    changed = False
    for nest in nests:
        if (
            _prefetch_tile(loop, nest, known, function, ranges)
            or _prefetch_row(loop, nest, known, function, ranges, steps)
            or _prefetch_next_trip(loop, nest, known, function, ranges)
        ):
            changed = True
    for load in loads:
        step = known.of(load.operands[0])
        if step is not None and is_out_of_reach(step):
            at = body.index(load)
            body[at:at] = _prefetches(loop, load, step, steps)
            changed = True
    return changed


def _prefetch_tile(loop: Op, nest: Op, known: Steps, function: Function, ranges: Ranges) -> bool:
    """Write prefetches for what a nest of loops in `loop` loads in the next step; whether there are any."""
    bits = function.facts.processor.vector_bits

    def work(op: Op) -> int:
        return instructions(Region([], [op]), bits)

    body = loop.region.ops
    after = [op for op in body[body.index(nest) + 1 :] if op.name == "for"]
    biggest = max(after, key=work, default=None)
    changed = False
    for load, around in loads_in(nest, ranges):
        step = known.of(load.operands[0])
        if step is None or not is_out_of_reach(step) or not may_be_far(load.operands[0], function, known.definitions):
            continue
        host = host_of(biggest, around.total, ranges, work) if biggest is not None else None
        lines = around.total * lines_of(load)
        if biggest is None or host is None or lines > host.total * MOST_AT_ONCE or work(biggest) < lines * LEAST_WORK:
            continue
        before: list[Op] = []
        build = Builder(before, nest.loc)
        tile = Tile(load, around, known.definitions, build)
        if not tile.is_regular:
            continue
        further = [_ahead(loop, 1, build), in_bytes(step, 1, build), int_const("i64", 0)]
        start = tile.start(build.op("select", further, "i64"))
        host.loops[-1].region.ops[:0] = tile.prefetches(host, start, prefetch_line, NEAR)
        at = body.index(nest) + 1
        body[at:at] = before
        changed = True
    return changed


def _prefetch_row(loop: Op, nest: Op, known: Steps, function: Function, ranges: Ranges, steps: int) -> bool:
    """Write prefetches for what the trips of a loop in `loop` load side by side; whether there are any."""
    before: list[Op] = []
    build = Builder(before, nest.loc)
    for load, around in loads_in(nest, ranges):
        step = known.of(load.operands[0])
        if step is None or not is_out_of_reach(step) or not may_be_far(load.operands[0], function, known.definitions):
            continue
        row = Tile(load, around, known.definitions, build)
        lines = row.lines_of_row()
        if lines is None or lines > MOST_LINES:
            continue
        further = [_ahead(loop, steps, build), in_bytes(step, steps, build), int_const("i64", 0)]
        start = row.start(build.op("select", further, "i64"))
        for line in range(lines):
            prefetch_line(build, build.op("gep", [start], "ptr", offset=line * LINE, strides=()))
    at = loop.region.ops.index(nest)
    loop.region.ops[at:at] = before
    return bool(before)


def _prefetch_next_trip(loop: Op, threads: Op, known: Steps, function: Function, ranges: Ranges) -> bool:
    """Let each vector of a loop over threads ask for what it loads in the next trip of `loop`; whether any does."""
    bits = function.facts.processor.vector_bits
    if not threads.attrs.get("of_threads") or instructions(threads.region, bits, LONG_BODY) < LONG_BODY:
        return False
    ahead: list[Op] = []
    build = Builder(ahead, threads.loc)
    body: list[Op] = []
    for op in threads.region.ops:
        before: list[Op] = []
        inside = Builder(before, op.loc)
        for load, lines, start in _lines_in(op, function, ranges, inside):
            step = known.of(load.operands[0])
            if step is None or not is_out_of_reach(step):
                continue
            further = [_ahead(loop, 1, build), in_bytes(step, 1, build), int_const("i64", 0)]
            there = inside.op("gep", [start(), build.op("select", further, "i64")], "ptr", offset=0, strides=(1,))
            for line in range(lines):
                prefetch_line(inside, inside.op("gep", [there], "ptr", offset=line * LINE, strides=()))
        body += [*before, op]
    threads.region.ops = body
    at = loop.region.ops.index(threads)
    loop.region.ops[at:at] = ahead
    return bool(ahead)


def _lines_in(
    op: Op, function: Function, ranges: Ranges, build: Builder
) -> Iterator[tuple[Op, int, Callable[[], Operand]]]:
    """The loads that `op` is, or makes side by side as a loop: each with how many lines it reads, from where."""
    if op.name == "load" and may_be_far(op.operands[0], function, ranges.definitions):
        yield op, min(MOST_LINES, -(-types.size_of(op.result.type) // LINE)), lambda: op.operands[0]
    elif op.name == "for":
        for load, around in loads_in(op, ranges):
            if not may_be_far(load.operands[0], function, ranges.definitions):
                continue
            row = Tile(load, around, ranges.definitions, build)
            lines = row.lines_of_row()
            if lines is not None and lines <= MOST_LINES:
                yield load, lines, lambda row=row: row.start(int_const("i64", 0))


def _prefetches(loop: Op, load: Op, step: Step, steps: int) -> list[Op]:
    """For the lines that `load` touches so many steps later."""
    ops: list[Op] = []
    build = Builder(ops, load.loc)
    further = [_ahead(loop, steps, build), in_bytes(step, steps, build), int_const("i64", 0)]
    distance = build.op("select", further, "i64")
    for line in range(min(MOST_LINES, -(-types.size_of(load.result.type) // LINE))):
        prefetch_line(build, build.op("gep", [load.operands[0], distance], "ptr", offset=line * LINE, strides=(1,)))
    return ops


def run(function: Function, context: Context) -> bool:
    """Write prefetches for all loops of `function`."""
    loops = [op for op in walk(function.body) if op.name == "for"]
    remark = NAME, "the loop prefetches what it loads some iterations later"
    return prefetch_in_each(loops, function, context, prefetch_in, remark)


PREFETCH = Pass(NAME, run, requires=(FLAT,))
