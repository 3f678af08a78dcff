# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ask for what a loop with long strides loads before it gets there.

    for %i = %lb, %ub, %stride {                  for %i = %lb, %ub, %stride {
      %x = load %p + %i                             prefetch %p + (%i + 4 * %stride < %ub ? %i + 4 * %stride : %i)
      ... 300 instructions ...              ==>     %x = load %p + %i
    }                                               ... 300 instructions ...
                                                  }

A block that strides over data with the whole grid touches another page in every step, where no prefetcher of a
processor follows. A short body needs no help: the processor starts the loads of several steps at once. A long one fills
its window of some 500 instructions, and then each step waits for memory by itself.

Sound because a prefetch reads nothing that anybody sees, and faults nowhere: the address need not even be right. Steps
beyond the loop's end are not asked for, which would be traffic for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from warploom.analysis.exact_linear import signed_value
from warploom.ir import types
from warploom.ir.core import Builder, Const, Function, Op, Operand, Region, Value, defined_in, int_const, walk
from warploom.ir.ops import Effect, effect
from warploom.passes.base import Context, Pass

NAME = "prefetch"
LINE = 64  # bytes
SHORT_STRIDE = 1024  # bytes: up to here the processor's own prefetchers follow
LONG_BODY = 128  # instructions, so many that few steps fit into a processor's window
LATENCY = 1000  # instructions in the time of an access to memory
MOST_STEPS = 16
MOST_LINES = 4  # of one load
UNKNOWN_TRIPS = 8
_SAME_STEP = frozenset("sext zext trunc freeze".split())
_ADDRESSING = _SAME_STEP | {"gep"}


@dataclass(frozen=True, slots=True)
class Step:
    """By how much a value grows in each step of a loop: `number` times `factors`, which the loop does not change."""

    number: int
    factors: tuple[Value, ...] = ()

    def plus(self, other: Step | None) -> Step | None:
        """The step of a sum."""
        if other is None or (self.number and other.number and self.factors != other.factors):
            return None
        return Step(self.number + other.number, self.factors if self.number else other.factors)

    def times(self, other: Operand) -> Step:
        """The step of a product with what the loop does not change."""
        if isinstance(other, Const):
            number = signed_value(other) or 0
            return Step(self.number * number, self.factors) if number else NONE
        return Step(self.number, (*self.factors, other)) if self.number else self


NONE = Step(0)


class _Steps:
    """The steps of values in one loop."""

    def __init__(self, loop: Op, definitions: dict[Value, Op]) -> None:
        self.counter, self.step = loop.region.params[0], loop.operands[2]
        self.inside, self.definitions = defined_in(loop), definitions

    def of(self, value: Operand) -> Step | None:
        """How `value` grows; None where that is not known."""
        if isinstance(value, Const) or value not in self.inside:
            return NONE
        if value == self.counter:
            return Step(1).times(self.step)
        op = self.definitions.get(value)
        if op is None or op.regions or effect(op) is not Effect.PURE:
            return None
        if op.name in _SAME_STEP:
            return self.of(op.operands[0])
        if op.name == "gep":
            return self._address(op)
        steps = [self.of(each) for each in op.operands]
        if all(each == NONE for each in steps):
            return NONE
        return self._of_arithmetic(op, steps)

    def _of_arithmetic(self, op: Op, steps: list[Step | None]) -> Step | None:
        if op.name == "add" and steps[0] is not None:
            return steps[0].plus(steps[1])
        if op.name in ("sub", "mul", "shl") and steps[0] is not None and self._is_from_outside(op.operands[1]):
            return steps[0] if op.name == "sub" else _scaled(steps[0], op)
        if op.name == "mul" and steps[1] is not None and self._is_from_outside(op.operands[0]):
            return steps[1].times(op.operands[0])
        return None

    def _is_from_outside(self, value: Operand) -> bool:
        return isinstance(value, Const) or value not in self.inside

    def _address(self, op: Op) -> Step | None:
        total = self.of(op.operands[0])
        strides = op.attrs["strides"]
        assert isinstance(strides, tuple), "gep: strides is no tuple"
        for index, stride in zip(op.operands[1:], strides, strict=True):
            step = self.of(index)
            if total is None or step is None:
                return None
            assert isinstance(stride, int), "gep: a stride is no number"
            total = total.plus(step.times(int_const("i64", stride)))
        return total


def _scaled(step: Step, op: Op) -> Step | None:
    if op.name == "mul":
        return step.times(op.operands[1])
    by = op.operands[1]
    return step.times(int_const("i64", 1 << (signed_value(by) or 0))) if isinstance(by, Const) else None


def is_out_of_reach(step: Step) -> bool:
    """Whether a processor's own prefetchers do not follow a step, in bytes."""
    return abs(step.number) > SHORT_STRIDE if not step.factors else step.number != 0


def may_be_far(pointer: Operand, function: Function, definitions: dict[Value, Op]) -> bool:
    """Whether an address may be in memory of the grid: not in a block's or a thread's own, which is in the cache."""
    while isinstance(pointer, Value):
        op = definitions.get(pointer)
        if op is None or op.name != "gep":
            return op is None or op.name not in ("scratch", "alloca")
        pointer = op.operands[0]
    return str(pointer.value).removeprefix("@") not in function.shared


def instructions(region: Region, bits: int) -> int:
    """About how many instructions a region runs, with vector registers of so many bits."""
    total = 0
    for op in region.ops:
        inner = sum(instructions(each, bits) for each in op.regions)
        if op.regions:
            total += inner * _trips(op) + 1
        elif op.name not in _ADDRESSING and effect(op) is not Effect.TERMINATOR:
            sizes = [types.size_of(each.type) for each in (*op.results, *op.operands) if types.is_vector(each.type)]
            total += max([1, *(-(-8 * size // bits) for size in sizes)])
    return total


def _trips(op: Op) -> int:
    if op.name == "while":
        return UNKNOWN_TRIPS
    if op.name != "for":
        return 1
    bounds = [signed_value(each) or 0 if isinstance(each, Const) else None for each in op.operands[:3]]
    low, high, step = bounds
    return max(0, -((low - high) // step)) if low is not None and high is not None and step else UNKNOWN_TRIPS


def _product(step: Step, steps: int, build: Builder) -> Operand:
    """So many steps, in bytes; i64."""
    total: Operand = int_const("i64", step.number * steps)
    for factor in step.factors:
        wide = factor if factor.type == "i64" else build.op("sext", [factor], "i64")
        total = build.op("mul", [wide, total], "i64")
    return total


def _ahead(loop: Op, steps: int, build: Builder) -> Value:
    """Whether the loop takes so many more steps."""
    counter, (_, end, step, *_) = loop.region.params[0], loop.operands
    far = build.op("mul", [step, int_const(step.type, steps)], step.type)
    later = build.op("add", [counter, far], counter.type)
    return build.op("icmp", [later, end], "i1", pred=str(loop.attrs["pred"]))


def prefetch_in(loop: Op, function: Function, definitions: dict[Value, Op]) -> bool:
    """Write prefetches for the loads of `loop` itself, not of loops inside; whether there are any."""
    bits = int(str(function.attrs.get("vector_bits", 512)))
    body = loop.region.ops
    loads = [op for op in body if op.name in ("load", "masked_load")]
    loads = [op for op in loads if may_be_far(op.operands[0], function, definitions)]
    if not loads or (length := instructions(loop.region, bits)) < LONG_BODY:
        return False
    known, steps = _Steps(loop, definitions), min(MOST_STEPS, -(-LATENCY // length))
    changed = False
    for load in loads:
        step = known.of(load.operands[0])
        if step is not None and is_out_of_reach(step):
            at = body.index(load)
            body[at:at] = _prefetches(loop, load, step, steps)
            changed = True
    return changed


def _prefetches(loop: Op, load: Op, step: Step, steps: int) -> list[Op]:
    """For the lines that `load` touches so many steps later."""
    ops: list[Op] = []
    build = Builder(ops, load.loc)
    further = [_ahead(loop, steps, build), _product(step, steps, build), int_const("i64", 0)]
    distance = build.op("select", further, "i64")
    for line in range(min(MOST_LINES, -(-types.size_of(load.result.type) // LINE))):
        prefetch_line(build, build.op("gep", [load.operands[0], distance], "ptr", offset=line * LINE, strides=(1,)))
    return ops


def prefetch_line(build: Builder, place: Operand) -> None:
    """Ask for the line at `place`."""
    hints = [int_const("i32", each) for each in (0, 3, 1)]  # to read, near, data
    build.effect("call", [place, *hints], callee="llvm.prefetch.p0", effects="argmem")


def run(function: Function, context: Context) -> bool:
    """Write prefetches for all loops of `function`."""
    loops = [op for op in walk(function.body) if op.name == "for"]
    if not loops:
        return False
    definitions = {value: op for op in walk(function.body) for value in op.results}
    changed = False
    for loop in loops:
        if prefetch_in(loop, function, definitions):
            context.remark(NAME, "what the loop loads is asked for some steps ahead", loop.loc)
            changed = True
    return changed


PREFETCH = Pass(NAME, run)
