# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trips of a loop overlap where one is a long chain of ops: software pipelining.

    for %j = 0, 256, 1, %s {                 %v0 = load %B[0];  %r0 = f(%v0)
      %v  = load %B[%j]                      for %h = 0, 255, 1, %s, %r0 {
      %r  = f(%v)                    ==>       %s  = %s + g(%r0)                  (trip %h)
      %s  = %s + g(%r)                         %v' = load %B[%h + 1];  %r' = f(%v')
    }                                          yield %s, %r'
                                             }
                                             %s + g(%r0)

A processor begins an op of a later trip only when it is among the few dozen that wait; where each trip is a chain of 60
cycles and its work a third of that, these all belong to two trips. Each op gets a time (loop_schedule.py); those
of `copies` trips stand in the order of their times modulo the time that the group takes, so an op lies a stage later
for each whole such time. The first groups begin before the loop and the last ones end after it.

Sound because the loop does nothing but load and compute: no op runs that would not, and none twice, so any order that
follows operands gives the same values. An op follows its operands: begins are sorted, an op of the same time keeps its
place, and what the trip before carries has an earlier begin (`carries_in_order`). The method is iterative modulo
scheduling's (Rau, 1994), without a table of resources, which an out-of-order processor does not need.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.integers import signed_value
from warploom.core.deferred import deferred
from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import Builder, Const, Function, Op, Operand, Region, Value, clone_op, int_const, replace_uses
from warploom.ir.properties import is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.computing_loops import counts_up, only_computes, whole_groups
from warploom.passes.vector.vector_calls import opened

if TYPE_CHECKING:
    from warploom.passes.tune import loop_schedule
else:
    loop_schedule = deferred("warploom.passes.tune.loop_schedule")

NAME = "pipeline_loops"
COPIES = 2  # trips of a group: fewer values pass from one round of the loop to the next
LARGEST_BODY = 120  # ops
LEAST_ROUNDS = 4  # of the loop, for each stage

Key = tuple[Value, int]  # a value of the body in a trip, counted from the first trip of the newest group


# -- legality ---------------------------------------------------------------------------------------------------------


def carries_results(op: Op) -> bool:
    """Whether each trip passes on vectors that it computes itself, each once."""
    made = {value for each in op.region.body for value in each.results}
    carried = op.region.terminator.operands
    return (
        bool(carried)
        and len(set(carried)) == len(carried)
        and all(each in made and types.is_vector(each.type) for each in carried)
    )


def carries_in_order(op: Op, found: loop_schedule.Schedule) -> bool:
    """Whether what a trip gets from the one before is begun before it is used."""
    made = {value: each for each in found.times for value in each.results}
    source = dict(zip(op.region.params[1:], op.region.terminator.operands, strict=True))
    return all(
        found.times[made[before]] < found.times[each] + found.interval
        for each in found.times
        for operand in each.operands
        if isinstance(operand, Value) and isinstance(before := source.get(operand), Value)
    )


def _computed_from_counter(op: Op) -> set[Op]:
    """The scalar ops that need nothing but the counter and what is outside: addresses, in the main."""
    others = set(op.region.params[1:])
    found: set[Op] = set()
    for each in op.region.body:
        is_scalar = is_speculatable(each) and not any(types.is_vector(value.type) for value in each.results)
        if is_scalar and each.name != "load" and others.isdisjoint(each.operands):
            found.add(each)
        else:
            others.update(each.results)
    return found


# -- the rewrite ------------------------------------------------------------------------------------------------------


@dataclass
class _Rounds:
    """Writes rounds of the new loop: one group of trips for each stage."""

    op: Op
    addresses: set[Op]
    ordered: list[tuple[Op, int, int]]  # op, copy, stage
    values: dict[Key, Operand] = field(default_factory=dict[Key, Operand])

    def __post_init__(self) -> None:
        self.made = {value: each for each in self.op.region.body for value in each.results}
        self.carried = dict(zip(self.op.region.params[1:], self.op.region.terminator.operands, strict=True))
        self.stages = 1 + max(stage for _, _, stage in self.ordered)
        for before, start in zip(self.carried.values(), self.op.operands[3:], strict=True):
            assert isinstance(before, Value)
            self.values[before, -1] = start

    def key(self, operand: Operand, trip: int) -> Key | None:
        """Which value of which trip `operand` is in the trip `trip`; None for what is the same in all or an address."""
        if operand in self.carried:
            operand, trip = self.carried[operand], trip - 1  # pyright: ignore[reportArgumentType]
        if isinstance(operand, Value) and operand in self.made and self.made[operand] not in self.addresses:
            return operand, trip
        return None

    def passed_on(self) -> list[Key]:
        """What a round gets from the one before."""
        here: set[Key] = set()
        needed: dict[Key, None] = {}
        for op, copy, stage in self.ordered:
            trip = copy - stage * COPIES
            keys = (self.key(each, trip) for each in op.operands)
            needed.update((each, None) for each in keys if each is not None and each not in here)
            here.update((each, trip) for each in op.results)
        # What no trip reads is still the result of the loop, and no round behind it computes the first stage again.
        results = [value for value in self.carried.values() if isinstance(value, Value)]
        needed.update(((value, -1), None) for value in results if (value, COPIES - 1) in here)
        work = list(needed)
        while work:
            value, trip = work.pop()
            later = (value, trip + COPIES)
            if later not in here and later not in needed:
                needed[later] = None
                work.append(later)
        return list(needed)

    def round(self, build: Builder, counter: Callable[[int], Operand], stages: range) -> None:
        """One round, of `stages`; `counter` gives the counter of a trip."""
        counters: dict[int, Operand] = {}
        written: dict[Key, Operand] = {}

        def operand(each: Operand, trip: int) -> Operand:
            key = self.key(each, trip)
            if key is not None:
                return self.values[key]
            if each is self.op.region.params[0]:
                if trip not in counters:
                    counters[trip] = counter(trip)
                return counters[trip]
            if not isinstance(each, Value) or each not in self.made:
                return each
            if (each, trip) not in written:
                copy(self.made[each], trip, written)
            return written[each, trip]

        def copy(op: Op, trip: int, into: dict[Key, Operand]) -> None:
            mapping = {each: operand(each, trip) for each in op.operands if isinstance(each, Value)}
            made = build.add(clone_op(op, dict(mapping)))
            into.update(((old, trip), new) for old, new in zip(op.results, made.results, strict=True))

        for op, number, stage in self.ordered:
            if stage in stages:
                copy(op, number - stage * COPIES, self.values)

    def next(self) -> None:
        """Count trips from the next group on."""
        self.values = {(value, trip - COPIES): each for (value, trip), each in self.values.items()}

    def results(self) -> list[Operand]:
        """What the last trip carries on, after the last round."""
        last = COPIES - 1 - (self.stages - 1) * COPIES
        return [self.values[value, last] for value in self.carried.values() if isinstance(value, Value)]


def pipelined(build: Builder, rounds: _Rounds, upper: Operand) -> list[Operand]:
    """Write the loop up to `upper`, which is whole groups after its begin; what it carries in the end."""
    op, stages = rounds.op, rounds.stages
    lower, flag = op.operands[0], "nsw" if op.attrs["pred"] == "slt" else "nuw"
    type_ = op.region.params[0].type

    def plus(build: Builder, start: Operand, number: int, *flags: str) -> Operand:
        if isinstance(start, Const) and isinstance(start.value, int):
            return int_const(type_, start.value + number)
        return build.op("add", [start, int_const(type_, number)], type_, flags=flags) if number else start

    for number in range(stages - 1):
        rounds.round(build, lambda trip, at=number: plus(build, lower, at * COPIES + trip, flag), range(number + 1))
        rounds.next()
    keys = rounds.passed_on()
    starts = [rounds.values[key] for key in keys]
    head = Value(type_, op.region.params[0].name)
    region = Region([head, *(Value(value.type, value.name) for value, _ in keys)])
    inside = Builder(region.ops, op.loc)
    rounds.values = dict(zip(keys, region.params[1:], strict=True))
    ahead = (stages - 1) * COPIES
    rounds.round(inside, lambda trip: plus(inside, head, ahead + trip, flag), range(stages))
    rounds.next()
    inside.terminate("yield", [rounds.values[key] for key in keys])
    results = [Value(value.type, value.name) for value, _ in keys]
    bounds = [lower, plus(build, upper, -ahead), int_const(type_, COPIES)]
    build.add(Op("for", [*bounds, *starts], list(results), dict(op.attrs), [region], op.loc))
    rounds.values = dict(zip(keys, results, strict=True))
    for number in range(stages - 1):
        rounds.round(build, lambda trip, at=number: plus(build, upper, at * COPIES + trip), range(number + 1, stages))
        if number < stages - 2:
            rounds.next()
    return rounds.results()


def _ordered(ops: list[Op], found: loop_schedule.Schedule) -> list[tuple[Op, int, int]]:
    """The ops of a group in the order of a round, each with its copy and stage."""
    group = COPIES * found.interval
    placed: list[tuple[int, int, int, Op, int]] = []
    for place, op in enumerate(ops):
        for copy in range(COPIES):
            stage, time = divmod(found.times[op] + copy * found.interval, group)
            placed.append((time, -stage, place, op, copy))
    placed.sort(key=lambda each: each[:3])
    return [(op, copy, -stage) for _, stage, _, op, copy in placed]


class _Visitor:
    def __init__(self, function: Function, context: Context) -> None:
        self.bits = function.facts.processor.vector_bits
        self.context = context
        self.replaced: dict[Value, Operand] = {}
        self.changed = False

    def region(self, region: Region) -> None:
        ops: list[Op] = []
        for op in region.ops:
            for inner in op.regions:
                self.region(inner)
            rounds = self.rounds_of(op)
            if rounds is None:
                ops.append(op)
            else:
                self.changed = True
                self.context.remark(NAME, f"{rounds.stages} stages of {COPIES} iterations overlap", op.loc)
                self.rewrite(rounds, ops)
        region.ops = ops

    def rounds_of(self, op: Op) -> _Rounds | None:
        """How the trips of `op` overlap; None where they may not, or had better not."""
        if op.name != "for" or not (counts_up(op) and only_computes(op) and carries_results(op)):
            return None
        if len(op.region.body) > LARGEST_BODY:
            return None
        region = Region(op.region.params, [*opened(op.region.body, self.bits), op.region.terminator])
        copy = Op(op.name, op.operands, op.results, op.attrs, [region], op.loc)
        addresses = _computed_from_counter(copy)
        work = [each for each in region.body if each not in addresses]
        found = loop_schedule.schedule(region, work, self.bits)
        if found is None or not found.waits() or not carries_in_order(copy, found):
            return None
        rounds = _Rounds(copy, addresses, _ordered(work, found))
        trips = _known_trips(op)
        enough = rounds.stages > 1 and (trips is None or trips >= self.least(rounds))
        return rounds if enough else None

    def least(self, rounds: _Rounds) -> int:
        """The fewest trips for which the loop is worth its begin and end."""
        return LEAST_ROUNDS * rounds.stages * COPIES

    def rewrite(self, rounds: _Rounds, ops: list[Op]) -> None:
        """Write the loop, and one for trips that are left; where there may be too few trips, only if there are not."""
        op = rounds.op
        build = Builder(ops, op.loc)
        middle = whole_groups(build, op, COPIES)
        lower, upper, one, *carried = op.operands
        if _known_trips(op) is not None:
            results = pipelined(build, rounds, middle)
        else:
            taken = Region()
            inside = Builder(taken.ops, op.loc)
            inside.terminate("yield", [*pipelined(inside, rounds, middle), middle])
            skipped = Region()
            Builder(skipped.ops, op.loc).terminate("yield", [*carried, lower])
            type_ = op.region.params[0].type
            trips = build.op("sub", [middle, lower], type_)
            enough = build.op("icmp", [trips, int_const(type_, self.least(rounds))], "i1", pred="uge")
            made = [Value(each.type, each.name) for each in (*op.results, op.region.params[0])]
            build.add(Op("if", [enough], list(made), {}, [taken, skipped], op.loc))
            *results, middle = made
        if middle == upper:
            self.replaced.update(zip(op.results, results, strict=True))
        else:
            build.add(Op("for", [middle, upper, one, *results], op.results, dict(op.attrs), op.regions, op.loc))


def _known_trips(op: Op) -> int | None:
    """How many trips a loop makes, where its bounds are numbers."""
    lower, upper, *_ = (signed_value(each) if isinstance(each, Const) else None for each in op.operands[:2])
    return upper - lower if lower is not None and upper is not None and lower >= 0 else None


def run(function: Function, context: Context) -> bool:
    """Overlap the trips of innermost loops of `function` that wait for chains of ops."""
    visitor = _Visitor(function, context)
    visitor.region(function.body)
    replace_uses(function.body, visitor.replaced)
    return visitor.changed


PIPELINE_LOOPS = Pass(NAME, run, requires=(FLAT,))
