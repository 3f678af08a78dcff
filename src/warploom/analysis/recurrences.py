# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in which a trip waits for the one before, and not for a free port.

    while |z| < 2 { z = z * z + c }       a trip of one vector: 9 ops on two ports, but 12 cycles from z to the next z

The chain is the time by which a further trip ends later when ports are without end, found by timing trips until all of
the loop's cycles of values have come round; the work is half the ops, as there are two ports for vectors. A processor
fills the time with the next vector only when it foretells where the loop ends, and threads that leave one by one
are hard to foretell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from warploom.analysis.op_costs import PORTS, cost_of, is_library_call
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import Op, Operand, Value
from warploom.ir.properties import is_speculatable

_TRIPS = 8  # timed before, and then counted
_DIVISIONS = frozenset("udiv sdiv urem srem".split())


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Cycles of a trip: of what it waits for, and of work; registers that pass from trip to trip, all of one row."""

    chain: float
    work: float
    carried: int


def recurrence_of(op: Op, differs: Callable[[Operand], bool], lanes: int, vector_bits: int) -> Recurrence | None:
    """What a trip of the innermost loop `op` costs a vector; None where it does not only compute.

    `differs`: whether a value is one of each thread. Values that all threads have in common cost a chain their time,
    and no work: other ports do that.
    """
    ops = [each for region in op.regions for each in region.body]
    if not all(_only_computes(each, differs) for each in ops):
        return None

    def registers(values: Iterable[Value]) -> int:
        return sum(_registers(each.type, lanes, vector_bits) for each in values if differs(each))

    work = sum(cost_of(each, vector_bits)[1] * registers(each.results) for each in ops) / PORTS
    return Recurrence(_chain(op, vector_bits), work, registers(op.regions[0].params))


def _only_computes(op: Op, differs: Callable[[Operand], bool]) -> bool:
    """Whether an op is one or a few instructions for a vector, and touches no memory."""
    if op.regions or not is_speculatable(op) or op.name == "load" or (op.name == "call" and is_library_call(op)):
        return False
    if op.name in _DIVISIONS and any(map(differs, op.results)):
        return False
    return not any(types.is_vector(each.type) or types.is_aggregate(each.type) for each in op.results)


def _registers(type_: str, lanes: int, vector_bits: int) -> int:
    """The registers of a vector of `type_`; conditions are taken for one of the mask's."""
    return max(1, 8 * types.size_of(type_) * lanes // vector_bits)


def _chain(op: Op, vector_bits: int) -> float:
    """Cycles by which a trip ends later than the one before."""
    carried = op.region.params[1:] if op.name == "for" else op.regions[0].params
    ready = dict.fromkeys(carried, 0)
    half = 0
    for trip in range(2 * _TRIPS):
        if trip == _TRIPS:
            half = max(ready.values(), default=0)
        ready = _after_a_trip(op, ready, vector_bits)
    return (max(ready.values(), default=0) - half) / _TRIPS


def _after_a_trip(op: Op, ready: dict[Value, int], vector_bits: int) -> dict[Value, int]:
    """When what the next trip gets is there."""
    times = dict(ready)

    def at(operand: Operand) -> int:
        return times.get(operand, 0) if isinstance(operand, Value) else 0

    for number, region in enumerate(op.regions):
        for each in region.body:
            begin = max(map(at, each.operands), default=0)
            times.update(dict.fromkeys(each.results, begin + cost_of(each, vector_bits)[0]))
        if number + 1 < len(op.regions):
            passed = region.terminator.operands[1:]
            times.update((param, at(each)) for param, each in zip(op.regions[1].params, passed, strict=True))
    return {param: at(each) for param, each in zip(ready, op.regions[-1].terminator.operands, strict=True)}
