# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asking for lines of memory ahead: which accesses a processor does not follow by itself, and the call that asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import inf

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.integers import signed_value
from warploom.analysis.steps import Step, know_counters
from warploom.ir import types
from warploom.ir.core import Builder, Const, Function, Op, Operand, Region, Value, int_const
from warploom.ir.ops import Effect, effect
from warploom.passes.base import Context

LINE = 64  # bytes
SHORT_STRIDE = 1024  # bytes: up to here the processor's own prefetchers follow
UNKNOWN_TRIPS = 8
PREFETCH_CALLEE = "llvm.prefetch.p0"
_ADDRESSING = frozenset("sext zext trunc freeze gep".split())


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


def instructions(region: Region, bits: int, enough: float = inf) -> int:
    """About how many instructions a region runs, with vector registers of so many bits; or at least `enough`."""
    total = 0
    for op in region.ops:
        if total >= enough:
            break
        if op.regions:
            total += sum(instructions(each, bits, enough) for each in op.regions) * _trips(op) + 1
        elif op.name == "atomicrmw":
            total += 3  # loads, computes and stores
        elif op.name not in _ADDRESSING and effect(op) is not Effect.TERMINATOR:
            wide = [each.type for each in (*op.results, *op.operands) if each.type[0] == "<"]
            total += max([_registers(each, bits) for each in wide]) if wide else 1
    return total


@cache
def _registers(type_: str, bits: int) -> int:
    return -(-8 * types.size_of(type_) // bits) if types.is_vector(type_) else 1


def _trips(op: Op) -> int:
    if op.name == "while":
        return UNKNOWN_TRIPS
    if op.name != "for":
        return 1
    bounds = [signed_value(each) or 0 if isinstance(each, Const) else None for each in op.operands[:3]]
    low, high, step = bounds
    return max(0, -((low - high) // step)) if low is not None and high is not None and step else UNKNOWN_TRIPS


def prefetch_in_each(
    ops: Sequence[Op],
    function: Function,
    context: Context,
    prefetch_in: Callable[[Op, Function, Ranges], bool],
    remark: tuple[str, str],
) -> bool:
    """Run `prefetch_in` on each of `ops`, and note where it wrote anything: the name of a pass, and what it says."""
    if not ops:
        return False
    ranges = Ranges(function)
    know_counters(function.body, ranges)
    changed = False
    for op in ops:
        if prefetch_in(op, function, ranges):
            context.remark(*remark, op.loc)
            changed = True
    return changed


def prefetch_line(build: Builder, place: Operand, near: bool = True) -> None:
    """Ask for the line at `place`: into the first cache, or the second."""
    hints = [int_const("i32", each) for each in (0, 3 if near else 2, 1)]  # to read, where to, data
    build.effect("call", [place, *hints], callee=PREFETCH_CALLEE, effects="argmem")
