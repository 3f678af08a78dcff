# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rematerialisation of conditions that a loop around barriers carries, from its induction variable.

    %last = while %i = 0, %c = false {            %end = while %i = 0 {
      %new = %tx > %i                               %c = select %i == 0, false, %tx > %i - 1
      ... %c ... barrier ... %new ...      ==>      %new = %tx > %i
      condition %more, %i + 1, %new, %new           ... %c ... barrier ... %new ...
    } { ... yield %i.2, %c.2 }                      condition %more, %i + 1, %i
    ... %last ...                                 } { ... yield %i.2 }
                                                  ... %tx > %end ...

What a loop carries, and what it leaves behind, goes through memory when the loop moves out of the threads: a byte for
each thread, stored and loaded in every round. A condition that is computed from thread ids, the counter and what is the
same for all threads takes a few instructions instead, most of them once a row or once a round. So:

- an `if` that only chooses between conditions becomes selects, which the minimum cut can compute again; one that does
  something else too leaves the choice to a select before it;
- a carried condition that is a function of the last round's counter is computed from the counter: in the first round it
  is the initial value, and later the counter was less by its step;
- a condition that is left behind is computed behind the loop, from the counter as it was in the last round;
- a choice, the same for all threads, between two conditions that differ in uniform operands only becomes a choice of
  these operands: `select %more, (%tx > %i), (%tx > %i - 1)` is `%tx > select %more, %i, %i - 1`, which may become the
  bound of a loop over threads (hoist_ranges.py).

Sound because the ops are pure and give the same each time; the counter does not wrap (LLVM's flag says so), so that it
has its first value in the first round only; and all threads leave in the same round.
"""

from __future__ import annotations

from warploom.core.deferred import deferred
from warploom.core.records import dataclass
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir import types
from warploom.ir.core import (
    FALSE,
    TRUE,
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    flags_of,
    is_undefined,
    replace_uses,
    uses_of,
    walk,
    walk_op,
)
from warploom.ir.ops import Level, levels_in
from warploom.ir.properties import is_speculatable
from warploom.passes.barrier.skeleton import Skeleton, find_skeleton
from warploom.passes.base import Context, Pass
from warploom.passes.clean.fold import is_poison
from warploom.passes.contracts import GRIDS_SPLIT, NO_PHASE_WAITS, SCALAR

if TYPE_CHECKING:
    from warploom.passes.barrier import early_stores
else:
    early_stores = deferred("warploom.passes.barrier.early_stores")

NAME = "recompute_conditions"
LONGEST = 48  # ops of a condition that is computed again
LARGEST_CHOICE = 16  # ops on both sides of an `if` that becomes selects


@dataclass(eq=False, slots=True)
class _Threads:
    """One loop over threads with barriers."""

    block: Op
    skeleton: Skeleton
    makers: dict[Value, Op]

    @classmethod
    def of(cls, block: Op) -> _Threads:
        """What is known of `block` as it stands."""
        makers = {value: op for op in walk_op(block) for value in op.results}
        return cls(block, find_skeleton(block.region, Level.BLOCK), makers)

    def chain(self, value: Operand, inside: set[Value], leaves: list[Value]) -> list[Op] | None:
        """The ops of a loop that defines `inside` which compute `value` from `leaves`, ids and what is uniform."""
        found: dict[Op, None] = {}
        return list(found) if self._follow(value, inside, leaves, found) and len(found) <= LONGEST else None

    def _follow(self, value: Operand, inside: set[Value], leaves: list[Value], found: dict[Op, None]) -> bool:
        if isinstance(value, Const) or value in leaves:
            return True
        if value not in inside:
            return self._is_of_ids(value, LONGEST)
        op = self.makers.get(value)
        if op is None or not early_stores.is_cheap(op):
            return False
        if op not in found:
            if len(found) > LONGEST or not all(self._follow(each, inside, leaves, found) for each in op.operands):
                return False
            found[op] = None
        return True

    def is_uniform(self, value: Operand) -> bool:
        """Whether all threads have the same `value`."""
        return self.skeleton.is_outer(value)

    def _is_of_ids(self, value: Operand, depth: int) -> bool:
        """Whether `value` need not be kept: it is uniform, a thread id, or cheap to compute from such."""
        if self.skeleton.is_outer(value) or value in self.block.region.params:
            return True
        op = self.makers.get(value) if isinstance(value, Value) else None
        return (
            op is not None
            and depth > 0
            and early_stores.is_cheap(op)
            and all(self._is_of_ids(e, depth - 1) for e in op.operands)
        )


# -- choices ----------------------------------------------------------------------------------------------------------


def is_choice_of_conditions(op: Op) -> bool:
    """Whether `op` only computes conditions."""
    if op.name != "if" or not op.results or any(each.type != "i1" for each in op.results):
        return False
    bodies = [each for region in op.regions for each in region.body]
    return len(bodies) <= LARGEST_CHOICE and all(not each.regions and is_speculatable(each) for each in bodies)


def _as_selects(op: Op) -> list[Op]:
    ops = [each for region in op.regions for each in region.body]
    sides = [region.terminator.operands for region in op.regions]
    for result, yes, no in zip(op.results, *sides, strict=True):
        ops.append(Op("select", [op.operands[0], yes, no], [result], {}, [], op.loc))
    return ops


def chain_in(region: Region, value: Operand) -> list[Op] | None:
    """The ops right in `region` that compute `value`; None where they are no cheap ones or too many."""
    wanted: set[Operand] = {value}
    found: list[Op] = []
    for op in reversed(region.body):
        if not wanted.isdisjoint(op.results):
            if op.regions or not early_stores.is_cheap(op) or len(found) == LONGEST:
                return None
            found.append(op)
            wanted.update(op.operands)
    return found[::-1]


def _without_conditions(op: Op, threads: _Threads) -> list[Op]:
    """What computes the conditions that `op`, an `if` that does something else too, results in; it loses them.

    Those that are uniform stay: they cost no slot for each thread.
    """
    before: list[Op] = []
    for number in reversed(range(len(op.results))):
        if op.results[number].type != "i1" or threads.is_uniform(op.results[number]):
            continue
        sides = [region.terminator.operands[number] for region in op.regions]
        chains = [chain_in(region, side) for region, side in zip(op.regions, sides, strict=True)]
        if any(chain is None for chain in chains):
            continue
        for region, chain in zip(op.regions, chains, strict=True):
            moved = chain or []
            before += moved
            region.ops = [each for each in region.ops if each not in moved]
            del region.terminator.operands[number]
        before.append(Op("select", [op.operands[0], *sides], [op.results.pop(number)], {}, [], op.loc))
    return before


def _flatten(region: Region, threads: _Threads) -> bool:
    changed = False
    ops: list[Op] = []
    for op in region.ops:
        for inner in op.regions:
            changed |= _flatten(inner, threads)
        if op.name == "if" and not is_choice_of_conditions(op):
            taken = _without_conditions(op, threads)
            changed |= bool(taken)
            ops += taken
        flat = is_choice_of_conditions(op)
        changed |= flat
        ops += _as_selects(op) if flat else [op]
    region.ops = ops
    return changed


# -- loops ------------------------------------------------------------------------------------------------------------


def _next(loop: Op, number: int) -> Operand | None:
    """What carried value `number` is in the next round, where the loop's first region computes it."""
    before, after = loop.regions
    value = after.terminator.operands[number]
    if isinstance(value, Const):
        return value
    return before.terminator.operands[1 + after.params.index(value)] if value in after.params else None


def counters(loop: Op, threads: _Threads) -> list[tuple[Value, Operand, Op]]:
    """The carried values that grow by a constant each round and never wrap: each with its first value and the `add`."""
    before = loop.regions[0]
    found: list[tuple[Value, Operand, Op]] = []
    for number, value in enumerate(before.params):
        following = _next(loop, number) if types.is_int(value.type) and value in threads.skeleton.outer else None
        op = threads.makers.get(following) if isinstance(following, Value) else None
        if op is None or op.name != "add" or op.operands[0] is not value or not isinstance(op.operands[1], Const):
            continue
        if op.operands[1].value != 0 and {"nsw", "nuw"} & set(flags_of(op)):
            found.append((value, loop.operands[number], op))
    return found


def _compute_carried(loop: Op, threads: _Threads) -> bool:
    """Compute the conditions that `loop` carries from its counter."""
    before, after = loop.regions
    inside = defined_in(loop)
    for number, value in enumerate(before.params):
        following = _next(loop, number)
        used = any(value in op.operands for op in walk_op(loop))
        if value.type != "i1" or value in threads.skeleton.outer or following is None or not used:
            continue
        for counter, first, step in counters(loop, threads):
            chain = threads.chain(following, inside, [counter])
            if chain is None or threads.chain(loop.operands[number], inside, []) != []:
                continue
            ops: list[Op] = []
            build = Builder(ops, loop.loc)
            last = build.op("sub", [counter, step.operands[1]], counter.type)
            mapping: dict[Value, Operand] = {counter: last}
            ops += [clone_op(op, mapping) for op in chain]
            was = mapping.get(following, following) if isinstance(following, Value) else following
            is_first = build.op("icmp", [counter, first], "i1", pred="eq")
            initial = FALSE if is_undefined(loop.operands[number]) else loop.operands[number]
            now = build.op("select", [is_first, initial, was], "i1", value.name)
            for region in (before, after):
                replace_uses(region, {value: now})
            before.ops[:0] = ops
            return True
    return False


def _sink_results(loop: Op, region: Region, threads: _Threads) -> bool:
    """Compute the conditions that `loop` leaves behind after it."""
    before, after = loop.regions
    inside = defined_in(loop)
    used = uses_of(threads.block.region)
    changed = False
    for result, value in list(zip(loop.results, before.terminator.operands[1:], strict=True)):
        if result.type != "i1" or result in threads.skeleton.outer or result not in used:
            continue
        leaves = [each for each in before.params if each in threads.skeleton.outer]
        chain = threads.chain(value, inside, leaves)
        if chain is None:
            continue
        mapping: dict[Value, Operand] = {}
        for leaf in leaves:
            if any(leaf in op.operands for op in chain) or leaf is value:
                after.params.append(Value(leaf.type, leaf.name))
                loop.results.append(Value(leaf.type, leaf.name))
                before.terminator.operands.append(leaf)
                mapping[leaf] = loop.results[-1]
        at = region.ops.index(loop) + 1
        region.ops[at:at] = [clone_op(op, mapping) for op in chain]
        new = mapping.get(value, value) if isinstance(value, Value) else value
        replace_uses(threads.block.region, {result: new})
        changed = True
    return changed


# -- choices between conditions of one form ---------------------------------------------------------------------------


@dataclass(slots=True)
class _Merging:
    """Writes a uniform choice between two conditions as one condition."""

    threads: _Threads
    choice: Operand
    build: Builder

    def merged(self, one: Operand, other: Operand) -> Operand | None:
        """`one` where the choice holds and `other` elsewhere; None when they have different forms."""
        one, other = self._certain(one), self._certain(other)
        if one == other:
            return one
        if self.threads.is_uniform(one) and self.threads.is_uniform(other):
            return self.build.op("select", [self.choice, one, other], one.type)
        if len(self.build.ops) > LONGEST or not isinstance(one, Value) or not isinstance(other, Value):
            return None
        refused = self._unless_refused(one, other)
        if refused is not None:
            return refused
        first, second = self.threads.makers.get(one), self.threads.makers.get(other)
        if first is None or second is None or not has_form_of(first, second):
            return None
        operands: list[Operand] = []
        for pair in zip(first.operands, second.operands, strict=True):
            operand = self.merged(*pair)
            if operand is None:
                return None
            operands.append(operand)
        made = Op(first.name, operands, [Value(one.type, one.name)], dict(first.attrs), [], first.loc)
        if "flags" in made.attrs:
            made.attrs["flags"] = tuple(each for each in flags_of(first) if each in flags_of(second))
        return self._in_threads(made)

    def _certain(self, operand: Operand) -> Operand:
        """The other operand of a choice between one and poison, which may be anything: a round that is never begun."""
        op = self.threads.makers.get(operand) if isinstance(operand, Value) else None
        while op is not None and op.name == "select" and any(is_poison(each) for each in op.operands[1:]):
            operand = op.operands[2 if is_poison(op.operands[1]) else 1]
            op = self.threads.makers.get(operand) if isinstance(operand, Value) else None
        return operand

    def _in_threads(self, op: Op) -> Value:
        self.threads.skeleton.inside.add(op.result)
        self.threads.makers[op.result] = op
        return self.build.add(op).result

    def _unless_refused(self, one: Value, other: Value) -> Operand | None:
        """For `other` = select %refused, false, %rest: the choice of `one` and `rest`, and that it is not refused."""
        op = self.threads.makers.get(other)
        if op is None or op.name != "select" or op.operands[1] != FALSE or not self.threads.is_uniform(op.operands[0]):
            return None
        condition = self.merged(one, op.operands[2])
        if condition is None:
            return None
        stays = self.build.op("xor", [op.operands[0], TRUE], "i1")
        counts = self.build.op("select", [self.choice, TRUE, stays], "i1")  # what refuses may be poison in `one`
        return self._in_threads(Op("select", [counts, condition, FALSE], [Value("i1", one.name)]))


def has_form_of(one: Op, other: Op) -> bool:
    """Whether two pure ops compute the same of their operands."""
    attrs = [{key: value for key, value in op.attrs.items() if key != "flags"} for op in (one, other)]
    alike = one.name == other.name and len(one.operands) == len(other.operands) and attrs[0] == attrs[1]
    pairs = zip(one.operands, other.operands, strict=False)
    return alike and early_stores.is_cheap(one) and not one.regions and all(a.type == b.type for a, b in pairs)


def is_uniform_choice(op: Op, threads: _Threads) -> bool:
    """Whether `op` chooses one of two conditions that differ between threads, for all threads the same one."""
    if op.name != "select" or op.result.type != "i1":
        return False
    uniform = [threads.is_uniform(each) for each in op.operands]
    return uniform == [True, False, False]


def _merge_choices(region: Region, threads: _Threads) -> bool:
    """Write uniform choices between conditions as conditions of chosen operands."""
    changed = False
    ops: list[Op] = []
    for op in region.ops:
        for inner in op.regions:
            changed |= _merge_choices(inner, threads)
        if is_uniform_choice(op, threads):
            merging = _Merging(threads, op.operands[0], Builder([], op.loc))
            merged = merging.merged(*op.operands[1:])
            if merged is not None:
                ops += merging.build.ops
                replace_uses(threads.block.region, {op.result: merged})
                changed = True
        ops.append(op)
    region.ops = ops
    return changed


def _holding(region: Region) -> list[tuple[Op, Region]]:
    """The `while` loops around barriers, each with the region that it stands in; inner ones first."""
    found: list[tuple[Op, Region]] = []
    for op in region.ops:
        if levels_in(op) & Level.BLOCK:
            for inner in op.regions:
                found += _holding(inner)
            if op.name == "while":
                found.append((op, region))
    return found


def _may_gain(loop: Op) -> bool:
    return any(each.type == "i1" for each in (*loop.results, *loop.regions[0].params))


def recompute(block: Op) -> bool:
    """Do all this in one loop over threads."""
    loops = [each for each in _holding(block.region) if _may_gain(each[0])]
    if not loops:
        return False
    changed = _flatten(block.region, _Threads.of(block))
    for loop, region in loops:
        threads = _Threads.of(block)
        if not threads.skeleton.has_outer_control(loop):
            continue
        while _compute_carried(loop, threads):
            threads, changed = _Threads.of(block), True
        changed |= _sink_results(loop, region, threads)
    return _merge_choices(block.region, _Threads.of(block)) or changed


def run(function: Function, context: Context) -> bool:
    """Do it in all loops over threads of `function`."""
    blocks = [op for op in walk(function.body) if op.name == "block" and levels_in(op) & Level.BLOCK]
    changed = False
    for block in blocks:
        if recompute(block):
            context.remark(NAME, "conditions are recomputed instead of kept across barriers", block.loc)
            changed = True
    return changed


RECOMPUTE_CONDITIONS = Pass(NAME, run, requires=(SCALAR, NO_PHASE_WAITS, GRIDS_SPLIT))
