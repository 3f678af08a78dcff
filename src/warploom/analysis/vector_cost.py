# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How wide the vectors of a thread loop should be, how many rows go together, and what vectors cost."""

from __future__ import annotations

from collections.abc import Collection

from warploom.analysis.access_group import AccessGroup
from warploom.analysis.lane_shapes import X, Y
from warploom.analysis.lanes import TOGETHER, Shapes
from warploom.analysis.recurrences import recurrence_of
from warploom.analysis.shared_bounds import is_in_spread_array
from warploom.analysis.steps import known_trips
from warploom.analysis.strides import is_scattered, number_of_rows
from warploom.analysis.thread_work import LOOP_WEIGHT
from warploom.core.processor import Processor
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Region, Value, used_in, walk, walk_op
from warploom.ir.ops import Effect, effect, levels_in

_LARGEST, FEWEST = 64, 4  # lanes
_SPARSEST = 4  # elements for each one that a masked store of a group stores
_ARITHMETIC = frozenset("fadd fsub fmul fdiv fneg call select".split())
_ADDRESSING = frozenset("gep sext zext trunc freeze".split())  # and what is no instruction
_LARGEST_BODY = 1000  # ops, all rows
LARGEST_WIDE = 500  # ops of a body that gives a vector of one register enough to do
_FEW_TRIPS = 16
_MOST_WAITING = 4  # rows that fill each other's time
_WORD = 4  # bytes: what a gather takes at least
_REGISTERS = 8  # registers for each that a loop carries, with what its next value needs


@dataclass(frozen=True, slots=True)
class Target:
    """The processor, and what the user asks for."""

    processor: Processor = field(default_factory=Processor)
    width: int | None = None
    jam: int | None = None


def processor_of(shapes: Shapes) -> Processor:
    """The processor that the function at hand is for."""
    return shapes.ranges.function.facts.processor


def masks_pay(processor: Processor, group: AccessGroup) -> bool:
    """Whether to store a group with gaps under a mask, and not each field by a scatter.

    AVX-512: a shuffle and a store for each register of the whole, against 16 elements one by one. With 8 lanes and two
    instructions for a shuffle a scatter is as good from stride 4 on.
    """
    can_be_masked = processor.has_masks(group.size) and group.stride <= _SPARSEST * len(group.members)
    return processor.vector_bits >= 512 or can_be_masked


def choose_width(loop: Op, target: Target, columns: int | None) -> int:
    """Threads of a vector: twice what one register holds of the loop's most frequent type, and no more than a row. A
    long body keeps the processor busy as it is: what one register holds, as twice as much is twice the code.

    `columns`: the most that a row has, where that is known. Where it is not, a block of several rows has short ones.
    """
    most, processor = columns or _LARGEST, target.processor
    registers = 1 if _ops_at_once(loop) > LARGEST_WIDE else 2
    most_lanes = min(_LARGEST, processor.lanes_of_masks) if _hands_on_masks(loop) else _LARGEST
    size = _element_size(loop)
    if columns is not None and columns <= _most_halved(processor) and _takes_registers_apart(loop):
        size, registers = 8, 1
    width = target.width or min(most_lanes, max(FEWEST, processor.vector_bits // (8 * size) * registers))
    if columns is None and target.width is None and _has_rows(loop):
        width //= 2
    while width > FEWEST and width // 2 >= most:
        width //= 2
    if target.width is None and width == columns and processor.vector_bits < 512 and parts_rows(loop):
        # Without mask registers a mask of two vectors is taken apart wherever it is used; other rows are work enough.
        width //= 2
    if target.width is None:
        # A row that a narrower vector divides needs no mask.
        while width > processor.vector_bits // 32 and most % width and not most % (width // 2):
            width //= 2
    return width


def _ops_at_once(op: Op) -> int:
    """How many ops a thread has in `op` that need not wait for each other: a short loop whose trips hand nothing on has
    those of all its trips, as if it was unrolled."""
    size = 1 + sum(_ops_at_once(each) for region in op.regions for each in region.ops)
    hands_on = op.name != "for" or op.region.params[1:] != op.region.terminator.operands
    return size * known_trips(op) if not hands_on and 0 < known_trips(op) <= _FEW_TRIPS else size


def parts_rows(loop: Op) -> bool:
    """Whether there are several rows, and an `if` that is there for its effects divides the threads of each. Not where
    loops are inside: a thread's next round waits for the one before, and other rows do not fill the time."""
    if loop.name != "block" or loop.operands[1] == Const("i32", 1):
        return False
    if any(op.name in ("for", "while") for op in walk(loop.region)):
        return False
    varying: set[Value] = {loop.region.params[0]}
    for op in walk(loop.region):
        if not varying.isdisjoint(op.operands):
            if op.name == "if" and not op.results:
                return True
            varying.update(op.results)
            varying.update(value for region in op.regions for value in region.params)
    return False


def _hands_on_masks(loop: Op) -> bool:
    """Whether truth values of threads, or which threads of a branch take another one, go from one basic block to
    another: LLVM hands on each bit by itself where no vector of bytes has as many."""
    branches = [op for op in walk(loop.region) if op.name == "if"]
    hands_on = any(each.type == "i1" for op in walk(loop.region) if op.regions for each in op.results)
    return hands_on or any(inner.name == "if" for op in branches for region in op.regions for inner in walk(region))


def _has_rows(loop: Op) -> bool:
    """Whether threads look at their number in y."""
    return loop.name == "block" and loop.region.params[1] in used_in(loop)


def _element_size(loop: Op) -> int:
    """The size of most of what the loop computes with: 8 bytes where half of it is that large, 1 where all of it is."""
    sizes = [
        types.size_of(op.results[0].type)
        for op in walk_op(loop)
        if op.name in ("load", "fadd", "fmul", "fsub", "fdiv", "call") and op.results and op.results[0].type != "ptr"
        if not types.is_vector(op.results[0].type) and not types.is_aggregate(op.results[0].type)
    ]
    if sizes and max(sizes) == 1:
        return 1
    return 8 if sizes and 2 * sum(size == 8 for size in sizes) >= len(sizes) else 4


def _most_halved(processor: Processor) -> int:
    """Columns of rows that may be vectors of half as many floats as a register holds: two, which are written out. In a
    loop over more of them the same gains an eighth with one sum of floats, and loses a seventh with two. In half of a
    register of AVX2 floats are computed with half as fast."""
    return processor.vector_bits // 32 if processor.vector_bits >= 512 else 0


def _takes_registers_apart(loop: Op) -> bool:
    """Whether, wherever the loop computes with floats, a vector of them, of one register, would be taken apart to
    become doubles, or put together of them, as often as that, and doubles are computed with more often. Then vectors of
    as many floats as there are doubles in a register cost no more arithmetic."""
    regions = (region for op in walk_op(loop) for region in op.regions)
    found = [each for each in map(_mixture, regions) if each[0]]
    return bool(found) and all(narrow <= apart and narrow < wide for narrow, wide, apart in found)


def _mixture(region: Region) -> tuple[int, int, int]:
    """How often floats and doubles are computed with right in `region`, and how often one becomes the other. A float
    that is loaded becomes a double on the way, and comes in halves by itself."""
    loaded = {op.results[0] for op in region.ops if op.name == "load"}
    narrow = wide = apart = 0
    for op in region.ops:
        type_ = op.results[0].type if op.results else ""
        if type_ == "double" and op.name == "fpext" and op.operands[0].type == "float":
            apart += op.operands[0] not in loaded
        elif type_ == "float" and op.name == "fptrunc":
            apart += 1
        elif op.name in _ARITHMETIC:
            narrow += type_ == "float"
            wide += type_ == "double"
    return narrow, wide, apart


def runs_better_alone(op: Op, shapes: Shapes) -> bool:
    """Whether threads had better go one by one through a loop that they leave one by one.

    A gather costs a third more than as many scalar loads, and of a vector only six threads in ten are in the loop on
    average; other ops cost a scalar loop about .4 of a load each, a vector next to nothing. So by count of accesses
    here and there, and of other ops: 1.3 a + .06 o > .6 (a + .4 o). Threads that wait for each other never go alone.
    """
    if levels_in(op):
        return False
    accesses, others = _work(op, shapes)
    costs = processor_of(shapes).costs
    alone = costs.active * (accesses + costs.scalar_op * others)
    return costs.scattered * accesses + costs.op * others > alone


def _work(op: Op, shapes: Shapes) -> tuple[int, int]:
    """Accesses with addresses of any kind, and other ops; inner loops count eight times."""
    accesses = others = 0
    for region in op.regions:
        for each in region.ops:
            weight = LOOP_WEIGHT if each.name in ("for", "while") else 1
            inner = _work(each, shapes)
            accesses, others = accesses + weight * inner[0], others + weight * inner[1]
            if each.name in ("load", "store"):
                accesses += is_scattered(each, shapes)
            elif each.name in ("atomicrmw", "cmpxchg"):
                accesses += 2
            elif each.name not in _ADDRESSING and not each.regions and effect(each) is not Effect.TERMINATOR:
                others += 1
    return accesses, others


def goes_alone(region: Region, shapes: Shapes) -> bool:
    """Whether a side of an `if` that threads part at is best run by one active thread after the other."""
    if any(levels_in(op) for op in region.ops):
        return False
    return any(
        op.name in ("for", "while") and shapes.trips[op] & X and runs_better_alone(op, shapes) for op in walk(region)
    )


def stores_alone(region: Region, shapes: Shapes) -> bool:
    """Whether a side of an `if` that threads part at stores what the processor has no masks for, and does little else.

    There each store of each thread has a branch of its own, often foretold wrongly: 3 a thread. One active thread after
    the other, six of ten, takes 1.5 for each, and for the ops what runs_better_alone says. Scatters have branches only
    where the vectoriser gives inactive threads no place of their own.
    """
    processor, vector, alone = processor_of(shapes), 0.0, 1.5
    costs = processor.costs
    branches = 0
    for op in region.body:
        if op.regions or effect(op) not in (Effect.PURE, Effect.READ, Effect.WRITE) or op.name == "call":
            return False
        differs = any(shapes.of(each).dims & X for each in (*op.operands, *op.results))
        if op.name in ("load", "store"):
            size = types.size_of((op.results or op.operands)[0].type)
            masked = processor.scatters if is_scattered(op, shapes) else processor.has_masks(size)
            masked = masked or is_in_spread_array(op.operands[-1], size, shapes.ranges)
            branches += differs and op.name == "store" and not masked
            vector, alone = vector + (costs.scattered if is_scattered(op, shapes) else costs.near), alone + 1
        elif differs and op.name not in _ADDRESSING:
            vector, alone = vector + costs.op, alone + costs.scalar_op
    return branches > 0 and costs.active * alone < vector + costs.branch * branches


def choose_rows(loop: Op, shapes: Shapes, target: Target, rows: int | None) -> int:
    """Rows of threads that go together: where an inner loop loads what they share, as many as registers hold; where its
    trips wait for each other, as many as fill the time.

    `rows`: of a block, where that is known.
    """
    if loop.name != "block" or loop.operands[1] == Const("i32", 1):
        return 1
    for op in walk(loop.region):
        dims = shapes.of(op.operands[0]).dims if op.name == "if" else shapes.trips.get(op, 0)
        if dims & Y and not dims & X:
            return 1
    if target.jam is not None:
        return target.jam
    if rows is None:
        return 1
    jam = _rows_that_share(loop, shapes, target)
    if jam == 1:
        jam = _rows_that_wait(loop, shapes, target)
    size = sum(1 for _ in walk(loop.region))
    while jam > 1 and (rows % jam or jam * size > _LARGEST_BODY):
        jam //= 2
    return jam


def _rows_that_share(loop: Op, shapes: Shapes, target: Target) -> int:
    shared = any(
        op.name == "load" and shapes.of(op.operands[0]).dims == X
        for each in walk(loop.region)
        if each.name in ("for", "while") and not shapes.trips[each] & X
        for op in walk_op(each)
    )
    each = max(1, 32 * shapes.width // target.processor.vector_bits)
    return max(1, target.processor.registers // 2 // each) if shared else 1


def _rows_that_wait(loop: Op, shapes: Shapes, target: Target) -> int:
    """Rows that fill the time in which a row's next trip waits for the one before, in a loop that only computes.

    They stay together until the last thread has left: 3 % more trips for 2 rows of 16 of the Mandelbrot set, 4 for 4.
    """
    loops = [op for op in walk(loop.region) if op.name in ("for", "while")]
    if len(loops) != 1 or not shapes.trips[loops[0]] & X:
        return 1
    found = recurrence_of(
        loops[0], lambda each: bool(shapes.of(each).dims & X), shapes.width, target.processor.vector_bits
    )
    if found is None or not found.work:
        return 1
    jam, processor = 1, target.processor
    # For each register that is carried there are a kept result, a mask or a temporary, and what its next value needs.
    most = processor.registers // max(1, _REGISTERS * found.carried)
    while jam < _MOST_WAITING and jam * found.work < found.chain and jam <= most:
        jam *= 2
    return jam


def predicted_cycles(loop: Op, shapes: Shapes, shared: frozenset[str]) -> tuple[float, float]:
    """Cycles of one thread of a loop in a vector, and alone: vectors pay where the first is no more than the second.

    In units of a scalar access: a gather costs 1.3 a thread, of bytes and halves 2 where threads part, else 3.2 (1.3
    where a number of the launch may make it a row), 2.5 where it reads what was just written (the processor cannot
    forward a store to it), an ordinary op .4 in a scalar loop and next to nothing in a vector. A loop inside counts
    eight times: it is a figure to compare forms of one loop by, not to foretell a run time.
    """
    return _costs(loop.region, shapes, shared)


def _costs(region: Region, shapes: Shapes, shared: frozenset[str], *, is_parted: bool = False) -> tuple[float, float]:
    """The costs a thread of a region in a vector and alone; what is the same for all threads counts for neither.

    `is_parted`: not all threads need come to the region. `shared`: what was just written.
    """
    costs_of = processor_of(shapes).costs
    vector = scalar = 0.0
    for op in region.ops:
        weight = LOOP_WEIGHT if op.name in ("for", "while") else 1
        known = shared if not _is_long(op) else frozenset[str]()
        for inner in op.regions:
            costs = _costs(inner, shapes, known, is_parted=is_parted or _parts(op, shapes))
            vector, scalar = vector + weight * costs[0], scalar + weight * costs[1]
        differs = any(shapes.of(each).dims & X for each in (*op.operands, *op.results))
        if op.regions or not differs or effect(op) is Effect.TERMINATOR or op.name in _ADDRESSING:
            continue
        if op.name in ("load", "store"):
            scattered = is_scattered(op, shapes)
            vector += _gather_cost(op, shapes, shared, is_parted) if scattered else _strided_cost(op, shapes)
            scalar += 1
        elif op.name in ("atomicrmw", "cmpxchg"):
            vector, scalar = vector + costs_of.atomic, scalar + costs_of.atomic
        else:
            vector, scalar = vector + costs_of.op, scalar + costs_of.scalar_op
    return vector, scalar


def _gather_cost(op: Op, shapes: Shapes, shared: frozenset[str], is_parted: bool) -> float:
    costs = processor_of(shapes).costs
    if is_in(op.operands[-1], shared, shapes):
        return costs.just_written
    if types.size_of((op.results or op.operands)[0].type) >= _WORD or number_of_rows(op, shapes) is not None:
        return costs.scattered
    return costs.scattered_part if is_parted else costs.part_of_all


def cycles_in_rows(region: Region, shapes: Shapes, shared: frozenset[str], choices: Collection[Op]) -> float:
    """Cycles of one thread in a vector that lies within one row of threads, in units of a scalar access: with the first
    side of each of `choices`. The fewer threads a vector has, the more of what they do once is each one's part."""
    costs, part, total = processor_of(shapes).costs, 1 / shapes.width, 0.0
    asks = any(op in choices for op in region.ops)  # where a row begins: of known lengths that is one comparison
    for op in region.ops:
        weight = LOOP_WEIGHT if op.name in ("for", "while") and not is_rest(op, shapes) else 1
        for inner in op.regions[:1] if op in choices else op.regions:
            total += weight * cycles_in_rows(inner, shapes, shared if not _is_long(op) else frozenset(), choices)
        if op.regions or effect(op) is Effect.TERMINATOR or op.name in _ADDRESSING:
            continue
        if op.name in ("load", "store"):
            scattered = is_scattered(op, shapes)
            total += _gather_cost(op, shapes, shared, False) if scattered else max(_strided_cost(op, shapes), part)
        elif op.name in ("atomicrmw", "cmpxchg"):
            total += costs.atomic
        elif any(shapes.of(each).dims & X for each in (*op.operands, *op.results)):
            total += max(costs.op, costs.scalar_op * part)
        elif not asks:
            total += costs.scalar_op * part
    return total


def is_rest(op: Op, shapes: Shapes) -> bool:
    """Whether the loop `op` goes on where one ended that all threads run."""
    makers = (shapes.ranges.definitions.get(each) for each in op.operands if isinstance(each, Value))
    return any(maker is not None and bool(maker.attrs.get(TOGETHER)) for maker in makers)


def _is_long(op: Op) -> bool:
    """Whether an op is a loop of so many trips, as far as is known, that what it reads was written a while ago."""
    return op.name in ("for", "while") and not all(isinstance(each, Const) for each in op.operands[:3])


def _parts(op: Op, shapes: Shapes) -> bool:
    """Whether threads of a vector part at an `if`. Of a loop that they leave one by one most trips are not the last."""
    return op.name == "if" and bool(shapes.of(op.operands[0]).dims & X)


def _strided_cost(op: Op, shapes: Shapes) -> float:
    """What an access to neighbours costs a thread; in a group, its part of all loads or stores and of the shuffles."""
    group = shapes.groups.get(op)
    if group is None:
        return processor_of(shapes).costs.near
    lanes = processor_of(shapes).lanes(group.size)
    fields = len(set(group.members.values()))
    return (group.stride + fields * (group.stride - 1)) / lanes / len(group.members)


def is_in(pointer: Operand, shared: frozenset[str], shapes: Shapes) -> bool:
    """Whether an address is that of a shared variable plus something."""
    op = shapes.ranges.definitions.get(pointer) if isinstance(pointer, Value) else None
    if op is not None and op.name == "gep":
        return is_in(op.operands[0], shared, shapes)
    return isinstance(pointer, Const) and str(pointer.value).removeprefix("@") in shared
