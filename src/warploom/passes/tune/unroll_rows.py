# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several trips of a loop in which rows of threads share loads, one row after the other.

    for %k = 0, %n, 1, %s0, %s1 {                 for %k = 0, %n & -2, 2, %s0, %s1 {
      %b  = load %B[%k]                             %b  = load %B[%k];      %b' = load %B[%k + 1]
      %s0 = %s0 + splat %A0[%k] * %b       ==>      %s0 = %s0 + splat %A0[%k] * %b + splat %A0[%k + 1] * %b'
      %s1 = %s1 + splat %A1[%k] * %b                %s1 = %s1 + splat %A1[%k] * %b + splat %A1[%k + 1] * %b'
    }                                             }
                                                  for ... the trips that are left, as before

Loop unrolling, with the copies ordered row by row. The addresses of A are computed once for all copies, which then lie
at constant distances; those of B are a base and a counter of bytes (loop_addresses.py). Each row's elements,
which share a cache line, are read together before another row's line can push it out. Where the shared vectors lie
further apart than a processor looks ahead by itself, each copy asks for the one that comes AHEAD trips later: a column
of blocks of a 512 x 512 matrix comes from the second or third cache, a line at a time.

Sound because the loop does nothing but load and compute: each copy gets what its trip would, and any order of such ops
that follows their operands gives the same values. The counter of a copy is below the bound, so adding to it does not
wrap. A prefetch may be given any address.
"""

from __future__ import annotations

from warploom.analysis.op_costs import registers_of
from warploom.analysis.steps import Steps
from warploom.ir import types
from warploom.ir.core import Builder, Function, Op, Operand, Region, Value, clone_op, int_const
from warploom.ir.properties import is_speculatable
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT
from warploom.passes.tune.cache_lines import LINE, prefetch_line
from warploom.passes.tune.computing_loops import Cones, cones, counts_up, only_computes, whole_groups
from warploom.passes.tune.loop_addresses import LoopAddresses, ops_of, without_promises

NAME = "unroll_rows"
MOST_COPIES = 4
TOGETHER = 8  # registers of sums, which do not wait for each other
LARGEST_ROW = 12  # ops of one row in one trip: more of them hide what a counter and an address cost
LARGEST_BODY = 600  # ops of all copies
AHEAD = 8  # trips
REACH = 2048  # bytes: the largest steps that processors follow by themselves
SPARE = 2  # registers that hold neither sums nor what rows share


# -- legality ---------------------------------------------------------------------------------------------------------


# -- what pays --------------------------------------------------------------------------------------------------------


def copies_for(op: Op, vector_bits: int) -> int:
    """How many trips of a loop go together; 1 where rows share nothing, or registers do not suffice."""
    body, results = op.region.body, list(op.region.terminator.operands)
    rows = cones(op.region, results)
    if len(rows) < 2 or not all(types.is_vector(each.type) for each in results):
        return 1
    if any(not 0 < len(row) <= LARGEST_ROW for row in rows[1:]):
        return 1
    shared = _shared_registers(rows, vector_bits)
    if not shared:
        return 1
    held = sum(registers_of(each.type, vector_bits) for each in results)
    left = (32 if vector_bits >= 512 else 16) - held - SPARE
    if shared > left:
        return 1
    # Where all rows go together, a copy's vectors are done with before the next copy's are loaded.
    most = left // shared if held > TOGETHER else MOST_COPIES
    copies = MOST_COPIES
    while copies > 1 and (copies > most or copies * len(body) > LARGEST_BODY):
        copies //= 2
    return copies


def _shared_loads(rows: Cones) -> list[Op]:
    """The loads of vectors in the first row that others use too."""
    others = {operand for row in rows[1:] for op in row for operand in op.operands}
    return [op for op in rows[0] if op.name == "load" and types.is_vector(op.result.type) and op.result in others]


def lies_far(load: Op, region: Region, steps: Steps) -> bool:
    """Whether the next trip's vector lies further away than processors fetch ahead, by an address of the counter."""
    address = load.operands[0]
    made = ops_of(address, region)
    carried = set(region.params[1:])
    if not all(is_speculatable(op) and carried.isdisjoint(op.operands) for op in made):
        return False
    step = steps.of(address)
    return step is None or (step.number != 0 and (bool(step.factors) or abs(step.number) > REACH))


def _shared_registers(rows: Cones, vector_bits: int) -> int:
    """The registers that hold the vectors which the first row loads and others use."""
    return sum(registers_of(each.result.type, vector_bits) for each in _shared_loads(rows))


# -- the rewrite ------------------------------------------------------------------------------------------------------


def unrolled(op: Op, copies: int, bits: int) -> list[Op]:
    """The loop over `copies` trips at a time, and the one over those that are left."""
    lower, upper, _, *carried = op.operands
    ops: list[Op] = []
    build = Builder(ops, op.loc)
    middle = whole_groups(build, op, copies)
    steps = Steps(op, {value: each for each in op.region.body for value in each.results})
    addresses = LoopAddresses(op, steps, build)
    region = _copied(op, copies, steps, addresses, bits)
    results = [Value(each.type, each.name) for each in op.results]
    distances = [Value(each.type, each.name) for each in addresses.distances.values()]
    step = int_const(op.region.params[0].type, copies)
    starts = [lower, middle, step, *carried, *addresses.zeros()]
    build.add(Op("for", starts, [*results, *distances], dict(op.attrs), [region], op.loc))
    if middle == upper:
        ops[-1].results[: len(results)] = op.results
        return ops
    rest = Op("for", [middle, upper, op.operands[2], *results], op.results, dict(op.attrs), op.regions, op.loc)
    build.add(rest)
    return ops


def _copied(op: Op, copies: int, steps: Steps, addresses: LoopAddresses, bits: int) -> Region:
    """The body so many times, ordered by what is carried."""
    rows = cones(op.region, list(op.region.terminator.operands))
    far = [each for each in _shared_loads(rows) if lies_far(each, op.region, steps)]
    flag = "nsw" if op.attrs["pred"] == "slt" else "nuw"
    head, *carried = (Value(each.type, each.name) for each in op.region.params)
    region = Region([head, *carried, *addresses.distances.values()])
    build = Builder(region.ops, op.loc)
    values: list[Operand] = list(carried)
    asked: list[Op] = []
    for number in range(copies):
        counter = build.op("add", [head, int_const(head.type, number)], head.type, flags=(flag,)) if number else head
        mapping: dict[Value, Operand] = dict(zip(op.region.params, [counter, *values], strict=True))
        addresses.start(number, build)
        for load in far:
            asked += _prefetched(op, load, head, number, addresses)
        for each in op.region.body:
            if each.results and each.result in addresses:
                mapping[each.result] = addresses.of(each, mapping, build)
            else:
                build.add(clone_op(each, mapping))
        values = [
            mapping.get(each, each) if isinstance(each, Value) else each for each in op.region.terminator.operands
        ]
    further = addresses.next(copies, build)
    build.terminate("yield", [*values, *further])
    together = max(1, TOGETHER // max(registers_of(each.type, bits) for each in values))
    return _ordered(region, asked, cones(region, values, together) + cones(region, further))


def _ordered(region: Region, asked: list[Op], groups: Cones) -> Region:
    """What is asked for ahead, then what is carried, some rows at a time; what has no use is left out."""
    places = [operand for op in asked for operand in op.operands]
    first = cones(region, places, len(places))[0] if places else []
    taken = set(first)
    ops = [*first, *asked]
    for op in (each for group in groups for each in group):
        if op not in taken:
            taken.add(op)
            ops.append(op)
    region.ops = [*ops, region.terminator]
    return region


def _prefetched(op: Op, load: Op, head: Value, number: int, addresses: LoopAddresses) -> list[Op]:
    """Asks for all lines of what `load` reads AHEAD trips after the copy `number`."""
    ops: list[Op] = []
    build = Builder(ops, load.loc)
    address = load.operands[0]
    if isinstance(address, Value) and address in addresses.bases:
        start = addresses.ahead(address, AHEAD, build)
    else:
        later = build.op("add", [head, int_const(head.type, number + AHEAD)], head.type)
        mapping: dict[Value, Operand] = {op.region.params[0]: later}
        for each in ops_of(address, op.region):
            without_promises(build.add(clone_op(each, mapping)))
        start = mapping.get(address, address) if isinstance(address, Value) else address
    for offset in range(0, types.size_of(load.result.type), LINE):
        prefetch_line(build, build.op("gep", [start], "ptr", offset=offset, strides=()) if offset else start)
    return ops


class _Visitor:
    def __init__(self, function: Function, context: Context) -> None:
        self.bits = function.facts.processor.vector_bits
        self.context = context
        self.changed = False

    def region(self, region: Region) -> None:
        ops: list[Op] = []
        for op in region.ops:
            if op.name == "for" and counts_up(op) and only_computes(op):
                copies = copies_for(op, self.bits)
                if copies > 1:
                    self.changed = True
                    self.context.remark(NAME, f"{copies} iterations of a loop run together, a row at a time", op.loc)
                    ops += unrolled(op, copies, self.bits)
                    continue
            for inner in op.regions:
                self.region(inner)
            ops.append(op)
        region.ops = ops


def run(function: Function, context: Context) -> bool:
    """Put trips of innermost loops together where rows share loads."""
    visitor = _Visitor(function, context)
    visitor.region(function.body)
    return visitor.changed


UNROLL_ROWS = Pass(NAME, run, requires=(FLAT,))
