# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When the ops of a loop's body should begin, so that trips overlap as registers allow.

Times are in units of 1/20 cycle, from the begin of a trip; a new trip begins each `interval`, which is what the two
ports for vectors need for one. An op begins as late as those that need it allow: what is loaded takes no register
early. All times are shortened alike: an out-of-order processor makes up for a fifth, and where registers do not suffice
for all trips that would be under way, for up to half (measured with n-body on Cascade Lake: full latencies give more
values to keep and no gain, less than half of them nothing at all).
"""

from __future__ import annotations

from warploom.analysis.op_costs import CYCLE, PORTS, cost_of, registers_of
from warploom.core.records import dataclass
from warploom.ir.core import Op, Region, Value

STRETCHES = (8, 7, 6, 5)  # tenths of the full latencies
LONGEST_SEEN = 40  # cycles of a trip: in shorter ones a processor finds the next trip's work by itself
LEAST_WAIT = 1.5  # times the cycles that a trip's work takes


@dataclass(frozen=True, slots=True)
class Schedule:
    """When each op of a trip begins, when the next trip begins, and how long a trip takes with full latencies."""

    times: dict[Op, int]
    interval: int
    length: int

    def waits(self) -> bool:
        """Whether a trip takes so much longer than its work that a processor does not find the next one's by itself.

        It keeps some 60 ops of vectors that wait for their operands; with two begun a cycle and each waiting for half
        of the trip that is a trip of LONGEST_SEEN cycles.
        """
        return self.length >= LONGEST_SEEN * CYCLE and self.length >= LEAST_WAIT * self.interval


def schedule(region: Region, ops: list[Op], vector_bits: int) -> Schedule | None:
    """Times for `ops` of a loop's body; None where registers do not suffice to overlap trips."""
    made = {value: op for op in ops for value in op.results}
    costs = {op: _cost(op, made, vector_bits) for op in ops}
    begins = _latest(region, ops, made, costs)
    interval = sum(ports for _, ports in costs.values()) * CYCLE // PORTS
    length = max((begins[op] + costs[op][0] * CYCLE for op in ops), default=0)
    if not interval:
        return None
    carried = sum(registers_of(each.type, vector_bits) for each in region.params)
    left = (32 if vector_bits >= 512 else 16) - carried
    for stretch in STRETCHES:
        times = {op: begins[op] * stretch // 10 for op in ops}
        if _held(ops, made, times, vector_bits) <= left * interval:
            return Schedule(times, interval, length)
    return None


def _cost(op: Op, made: dict[Value, Op], vector_bits: int) -> tuple[int, int]:
    """Latency in cycles, and how often a port is taken."""
    registers = max((registers_of(each.type, vector_bits) for each in op.results), default=0)
    if op.name == "splat" and _is_loaded(op, made):
        return 0, 0  # the load does that
    latency, ports = cost_of(op, vector_bits)
    return latency, ports * registers


def _is_loaded(op: Op, made: dict[Value, Op]) -> bool:
    source = op.operands[0]
    return isinstance(source, Value) and source in made and made[source].name == "load"


def _latest(region: Region, ops: list[Op], made: dict[Value, Op], costs: dict[Op, tuple[int, int]]) -> dict[Op, int]:
    """When each op has to begin for what is carried to be there as early as can be."""
    first: dict[Op, int] = {}
    for op in ops:
        before = [made[each] for each in op.operands if isinstance(each, Value) and each in made]
        first[op] = max((first[each] + costs[each][0] * CYCLE for each in before), default=0)
    ends = {made[each] for each in region.terminator.operands if isinstance(each, Value) and each in made}
    last: dict[Op, int] = {}
    for op in reversed(ops):
        if op in ends:
            last[op] = min(last.get(op, first[op]), first[op])
        begin = last.setdefault(op, first[op])
        for each in op.operands:
            if isinstance(each, Value) and each in made:
                source = made[each]
                last[source] = min(last.get(source, begin), begin - costs[source][0] * CYCLE)
    return last


def _held(ops: list[Op], made: dict[Value, Op], times: dict[Op, int], vector_bits: int) -> int:
    """Registers times how long each is held, of all values of a trip."""
    until = dict(times)
    for op in ops:
        for each in op.operands:
            if isinstance(each, Value) and each in made:
                until[made[each]] = max(until[made[each]], times[op])
    return sum((until[op] - times[op]) * registers_of(each.type, vector_bits) for op in ops for each in op.results)
