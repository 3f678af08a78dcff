# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recognise counted loops.

    while %lb, %x { (%i, %s)                     %r = for %lb, %ub, %step, %x [pred=slt] { (%i, %s)
      %c = icmp %i, %ub [pred=slt]                 ...
      condition %c, %i, %s               ==>       yield %t
    } { (%j, %u)                                 }
      ...; %n = add %j, %step
      yield %n, %t
    }

Sound because a `for` means exactly that: i = lb; while (i pred ub) { body; i = i + step }, in arithmetic that wraps.
The flags of the increment stay with it: a sum that they forbid would have been compared, and that is undefined.
What else the first region computes goes to the top of the body; what of it is used after the loop is computed again
there, with the last values of the carried variables: in the `while`, too, it ran one more time than the body. So
everything in the first region must be removable: no writes, no barriers. A `while` that tests after its body, whose
first region is the body, is the same loop if the test holds before the first iteration: as constants say, or an `if`
around it.

A counter that is extended before it is compared becomes a wider counter if its increment cannot wrap: the flag nsw for
sext, nuw for zext, or nsw with a start and a step that are not negative.

A loop that ends by either of two counters, one of which counts to a small constant, is how templates go through the
elements of a thread, of which the last block has fewer. Threads leave it one after the other, so that each would go
through it alone:

    while (k < 4 && i < n) {                     for (k = 0; k < 4; ++k) {
      B; ++k; i += step;               ==>         if (i < n) { B; i += step; }
    }                                            }

Sound because a thread that has stopped keeps its `i`, as all else that it carries, and stops again. What the first
region computes may run for it once more, and so must be speculatable; B must not wait for other threads.

Moses et al., High-Performance GPU-to-CPU Transpilation and Optimization via High-Level Parallel Constructs: its passes
ask for such loops (sections III and IV).
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.core.records import dataclass
from warploom.ir import scalar
from warploom.ir.core import FALSE, Attribute, Const, Function, Op, Operand, Region, Value, clone_op, int_const, walk
from warploom.ir.properties import is_duplicable, is_pure, is_removable, is_speculatable
from warploom.ir.types import bits, is_int
from warploom.passes.base import Context, Pass
from warploom.passes.clean.dead_code import keep_endless_loops
from warploom.passes.clean.facts import consequences
from warploom.passes.clean.fold import INVERSE, SWAPPED, Definitions, compare
from warploom.passes.clean.loop_invariants import hoist_loop_invariants
from warploom.passes.contracts import STRUCTURED, is_collective

MOST_TRIPS = 16  # of a loop that threads go through to its end
PREDICATES = frozenset("slt sle sgt sge ult ule ugt uge ne".split())

Fact = tuple[str, Operand, Operand]  # a comparison that holds


@dataclass(frozen=True, slots=True)
class _Counter:
    """How a `while` counts: carried value number `slot` grows by `step` while `pred` holds against `bound`.

    `wide` is the op that extends the counter before the comparison, if any.
    """

    slot: int
    step: Operand
    pred: str
    bound: Operand
    increment: Op  # adds or subtracts the step
    wide: Op | None = None

    def attributes(self) -> dict[str, Attribute]:
        """What the `for` is told: how it ends, and how the counter cannot wrap."""
        flags: tuple[Attribute, ...] = promises(self.increment)
        if self.wide is not None:
            flags = ("nsw",) if self.wide.name == "sext" else ("nuw", "nsw")
        return {"pred": self.pred, "flags": flags} if flags else {"pred": self.pred}

    def signed_step(self, lead: list[Op]) -> Operand:
        """What to add to the counter; appends to `lead` what computes it."""
        if self.increment.name == "add":
            return self.step
        if isinstance(self.step, Const) and isinstance(self.step.value, int):
            return int_const(self.step.type, -self.step.value)
        lead.append(Op("sub", [int_const(self.step.type, 0), self.step], [Value(self.step.type, "step")]))
        return lead[-1].result


# -- questions --------------------------------------------------------------------------------------------------------


def steps_by(op: Op | None, counter: Value, arrives: Mapping[Operand, Operand]) -> Operand | None:
    """The something, when `op` computes `counter` plus or minus something. `arrives`: other names of operands."""
    if op is None or op.name not in ("add", "sub") or not is_int(op.result.type):
        return None
    first, second = (arrives.get(each, each) for each in op.operands)
    if op.name == "add" and first is counter:
        return second
    if op.name == "add" and second is counter:
        return first
    return second if op.name == "sub" and first is counter else None


def extends_exactly(extension: Op, increment: Op, start: Operand, step: Operand) -> bool:
    """Whether counting in the wider type gives the extension of every value of the counter."""
    flags = promises(increment)
    if extension.name == "sext":
        return "nsw" in flags
    return "nuw" in flags or ("nsw" in flags and _is_not_negative(start) and _is_not_negative(step))


def promises(increment: Op) -> tuple[Attribute, ...]:
    """Which ways of wrapping an addition is known not to do."""
    flags = increment.attrs.get("flags", ())
    return flags if isinstance(flags, tuple) and increment.name == "add" else ()


def ordered(pred: str, step: Operand, increment: Op) -> str:
    """`!=` as `<` or `>` where a counter that steps by one and passes the bound would have to wrap, but cannot."""
    flags = promises(increment)
    if pred != "ne" or not isinstance(step, Const):
        return pred
    if step == int_const(step.type, 1):
        return "slt" if "nsw" in flags else "ult" if "nuw" in flags else pred
    return "sgt" if step == int_const(step.type, -1) and "nsw" in flags else pred


def _is_not_negative(operand: Operand) -> bool:
    return (
        isinstance(operand, Const) and isinstance(operand.value, int) and not operand.value >> (bits(operand.type) - 1)
    )


def holds_at_first(pred: str, start: Operand, bound: Operand, facts: list[Fact]) -> bool:
    """Whether `start pred bound` is known to hold."""
    if isinstance(start, Const) and isinstance(bound, Const):
        return compare(pred, start, bound) is True
    preds = ("ne", "slt", "sgt", "ult", "ugt") if pred == "ne" else (pred,)
    return any((each, start, bound) in facts or (SWAPPED[each], bound, start) in facts for each in preds)


# -- the pass ---------------------------------------------------------------------------------------------------------


class _Raise:
    """One walk in program order; operands that change are replaced as they are met."""

    def __init__(self, used: set[Value]) -> None:
        self.used = used  # by any op
        self.replaced: dict[Value, Operand] = {}
        self.facts: list[Fact] = []
        self.definitions: Definitions = {}
        self.changed = False

    def resolve(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def visit(self, region: Region) -> None:
        ops: list[Op] = []
        for op in region.ops:
            op.operands = [self.resolve(each) for each in op.operands]
            if op.name == "while":
                ops += self.visit_while(op)
                continue
            ops.append(op)
            if op.name == "if":
                self.visit_if(op)
            elif len(op.results) == 1 and op.results[0].type == "i1":
                self.definitions[op.results[0]] = op
            else:
                for inner in op.regions:
                    self.visit(inner)
        region.ops = ops

    def visit_if(self, op: Op) -> None:
        for region, holds in zip(op.regions, (True, False), strict=True):
            known = len(self.facts)
            for value, truth in consequences(op.operands[0], holds, self.definitions):
                test = self.definitions.get(value)
                if test is not None and test.name == "icmp":
                    pred = str(test.attrs["pred"])
                    self.facts.append((pred if truth else INVERSE[pred], test.operands[0], test.operands[1]))
            self.visit(region)
            del self.facts[known:]

    def visit_while(self, op: Op) -> list[Op]:
        """What stands in its place."""
        loop = _While(op, self)
        raised = loop.test_first() or loop.test_last() or loop.test_both()
        if raised is None:
            for region in op.regions:
                self.visit(region)
            return [op]
        self.changed = True
        placed: list[Op] = []
        for each in raised:
            each.operands = [self.resolve(operand) for operand in each.operands]
            placed.append(each)
            for region in each.regions:
                self.visit(region)
        return placed


class _While:
    """One `while`, and what it would be as `for`."""

    def __init__(self, op: Op, state: _Raise) -> None:
        self.op = op
        self.state = state
        self.before, self.after = op.regions
        self.test = self.before.terminator
        self.passed = self.test.operands[1:]
        self.nexts = self.after.terminator.operands
        self.first = {value: each for each in self.before.ops for value in each.results}
        self.second = {value: each for each in self.after.ops for value in each.results}
        self.inside = {*self.first, *self.second, *self.before.params}
        # What the second region sees of the first one.
        self.arrives: dict[Operand, Operand] = dict(zip(self.after.params, self.passed, strict=True))

    def is_invariant(self, operand: Operand) -> bool:
        """Whether an operand of the first region is computed before the loop."""
        return isinstance(operand, Const) or operand not in self.inside

    def comparison(self) -> list[tuple[str, Value, Operand]]:
        """The condition as `value pred invariant`, if it is one."""
        return self.comparison_of(self.test.operands[0])

    def comparison_of(self, condition: Operand) -> list[tuple[str, Value, Operand]]:
        """Likewise, of another truth value of the first region."""
        op = self.first.get(condition) if isinstance(condition, Value) else None
        if op is None or op.name != "icmp":
            return []
        pred, left, right = str(op.attrs["pred"]), op.operands[0], op.operands[1]
        if not self.is_invariant(right):
            pred, left, right = SWAPPED[pred], right, left
        if pred not in PREDICATES or not isinstance(left, Value) or self.is_invariant(left):
            return []
        return [(pred, left, right)] if self.is_invariant(right) and is_int(left.type) else []

    # -- the test comes first --

    def test_first(self) -> list[Op] | None:
        """while (i pred ub) { ... }"""
        if not all(is_removable(op) and (is_duplicable(op) or not is_pure(op)) for op in self.before.body):
            return None
        counter = next((found for each in self.comparison() if (found := self.counter_before(*each))), None)
        return None if counter is None else self.for_from_top(counter)

    def counter_before(self, pred: str, left: Value, bound: Operand) -> _Counter | None:
        wide = self.first.get(left)
        if wide is not None and wide.name not in ("sext", "zext"):
            return None
        value = left if wide is None else wide.operands[0]
        if value not in self.before.params:
            return None
        slot = self.before.params.index(value)
        increment = self.increment(slot)
        step = steps_by(increment, value, self.arrives)
        if increment is None or step is None or not self.is_step(step):
            return None
        if wide is not None and not extends_exactly(wide, increment, self.op.operands[slot], step):
            return None
        return _Counter(slot, step, ordered(pred, step, increment), bound, increment, wide)

    def increment(self, slot: int) -> Op | None:
        """The op in either region that computes the next value of a carried value."""
        following = self.following(slot)
        return self.first.get(following, self.second.get(following)) if isinstance(following, Value) else None

    def following(self, slot: int) -> Operand:
        """The next value of a carried value, under the name that the first region has for it."""
        return self.arrives.get(self.nexts[slot], self.nexts[slot])

    def is_step(self, operand: Operand) -> bool:
        """Whether an operand is the same in every iteration, and a step at all."""
        return operand.value != 0 if isinstance(operand, Const) else operand not in self.inside

    def for_from_top(self, counter: _Counter) -> list[Op]:
        """The ops in place of a loop that tests first: `for`, and what of the first region is used after it."""
        slot, (before, after) = counter.slot, (self.before, self.after)
        lead: list[Op] = []
        value = before.params[slot]
        others = [number for number in range(len(before.params)) if number != slot]
        needs_last = self.is_used_after(value)
        index = Value(value.type if counter.wide is None else counter.wide.result.type, value.name)
        body = Region([index, *(before.params[number] for number in others)])
        start, step = self.op.operands[slot], counter.signed_step(lead)
        names: dict[Value, Operand] = {}
        if counter.wide is None:
            self.state.replaced[value] = index
        else:
            start, step = (self.extended(each, counter.wide, lead) for each in (start, step))
            body.ops.append(Op("trunc", [index], [value], loc=counter.wide.loc))
        self.state.replaced.update(zip(after.params, self.passed, strict=True))
        body.ops += [*before.body, *after.body]
        yields = [self.nexts[number] for number in others]
        inits = [self.op.operands[number] for number in others]
        results = [Value(before.params[number].type, before.params[number].name) for number in others]
        if needs_last:
            last = Value(value.type, value.name)
            carried = Value(value.type, value.name)
            body.params.append(carried)
            inits.append(self.op.operands[slot])
            yields.append(self.nexts[slot])
            results.append(last)
            names[value] = last
        body.ops.append(Op("yield", yields, loc=after.terminator.loc))
        names.update((before.params[number], result) for number, result in zip(others, results, strict=False))
        loop = Op("for", [start, counter.bound, step, *inits], results, counter.attributes(), [body], self.op.loc)
        return [*lead, loop, *self.recomputed(names)]

    def is_used_after(self, value: Value) -> bool:
        """Whether the results of the loop depend on the last value of a carried value."""
        seen: set[Operand] = set()
        work: list[Operand] = list(self.passed)
        while work:
            operand = work.pop()
            if operand in seen:
                continue
            seen.add(operand)
            op = self.first.get(operand) if isinstance(operand, Value) else None
            work += op.operands if op else []
        return value in seen

    def recomputed(self, names: dict[Value, Operand]) -> list[Op]:
        """What the first region passes, computed after the loop; `names`: the carried values there."""
        wanted: set[Operand] = set(self.passed)
        needed: list[Op] = []
        for op in reversed(self.before.body):
            if not wanted.isdisjoint(op.results):
                needed.append(op)
                wanted.update(op.operands)
        placed = [clone_op(op, names) for op in reversed(needed)]
        for result, operand in zip(self.op.results, self.passed, strict=True):
            self.state.replaced[result] = names.get(operand, operand) if isinstance(operand, Value) else operand
        return placed

    def extended(self, operand: Operand, extension: Op, lead: list[Op]) -> Operand:
        """An invariant operand in the wider type."""
        type_ = extension.result.type
        if isinstance(operand, Const) and isinstance(operand.value, int):
            width = bits(operand.type)
            return int_const(type_, scalar.signed(operand.value, width) if extension.name == "sext" else operand.value)
        lead.append(Op(extension.name, [operand], [Value(type_)], {}, loc=extension.loc))
        return lead[-1].result

    # -- two tests come first --

    def test_both(self) -> list[Op] | None:
        """while (i < 4 && j < n) { ... }, with a thread's own j"""
        if not all(is_speculatable(op) and is_duplicable(op) for op in self.before.body):
            return None
        condition = self.test.operands[0]
        both = self.first.get(condition) if isinstance(condition, Value) else None
        if both is None or not (both.name == "and" or (both.name == "select" and both.operands[2] == FALSE)):
            return None
        if any(is_collective(op) for op in walk(self.after)):
            return None
        for one, other in (both.operands[:2], both.operands[1::-1]):
            few, stops = self.counter_of(one), self.counter_of(other)
            if few and stops and self.is_short(few) and not stops.wide and few.slot != stops.slot:
                return self.for_with_guard(few, other) if self.gives_carried(few) else None
        return None

    def counter_of(self, condition: Operand) -> _Counter | None:
        """What is counted where `condition` compares a counter."""
        return next((found for each in self.comparison_of(condition) if (found := self.counter_before(*each))), None)

    def is_short(self, counter: _Counter) -> bool:
        """Whether it counts from 0 by 1 to a small constant."""
        bound, type_ = counter.bound, self.before.params[counter.slot].type
        return (
            counter.wide is None
            and counter.increment.name == "add"
            and (self.op.operands[counter.slot], counter.step) == (int_const(type_, 0), int_const(type_, 1))
            and counter.pred in ("slt", "ult")
            and isinstance(bound, Const)
            and isinstance(bound.value, int)
            and 0 < bound.value <= MOST_TRIPS
        )

    def gives_carried(self, few: _Counter) -> bool:
        """Whether all that is used of the loop's results is carried, and not what `few` has counted."""
        given = {each for number, each in enumerate(self.before.params) if number != few.slot}
        return all(
            operand in given
            for result, operand in zip(self.op.results, self.passed, strict=True)
            if result in self.state.used
        )

    def for_with_guard(self, few: _Counter, guard: Operand) -> list[Op]:
        """for (i = 0; i < 4; ++i) if (j < n) { ... }"""
        before, after = self.before, self.after
        others = [number for number in range(len(before.params)) if number != few.slot]
        params = [before.params[number] for number in others]
        self.state.replaced.update(zip(after.params, self.passed, strict=True))
        goes_on = Region(
            [], [*after.body, Op("yield", [self.nexts[each] for each in others], loc=after.terminator.loc)]
        )
        stays = Region([], [Op("yield", list(params), loc=after.terminator.loc)])
        following, results = ([Value(each.type, each.name) for each in params] for _ in range(2))
        choice = Op("if", [guard], following, {}, [goes_on, stays], self.op.loc)
        again = Op("yield", list(following), loc=after.terminator.loc)
        body = Region([before.params[few.slot], *params], [*before.body, choice, again])
        given = dict(zip(params, results, strict=True))
        for result, operand in zip(self.op.results, self.passed, strict=True):
            if isinstance(operand, Value) and operand in given:
                self.state.replaced[result] = given[operand]
        inits = [self.op.operands[each] for each in others]
        operands = [self.op.operands[few.slot], few.bound, few.step, *inits]
        return [Op("for", operands, results, few.attributes(), [body], self.op.loc)]

    # -- the test comes last --

    def test_last(self) -> list[Op] | None:
        """do { ... } while (i + step pred ub), if the first test is known to hold."""
        if self.after.body:
            return None
        for pred, left, bound in self.comparison():
            increment = self.first.get(left)
            for slot, value in enumerate(self.before.params):
                step = steps_by(increment, value, {})
                if increment is None or step is None or not self.is_step(step) or self.following(slot) is not left:
                    continue
                if holds_at_first(pred, self.op.operands[slot], self.state.resolve(bound), self.state.facts):
                    return self.for_from_bottom(_Counter(slot, step, pred, bound, increment))
        return None

    def for_from_bottom(self, counter: _Counter) -> list[Op]:
        """The `for` in place of a loop that tests last."""
        slot, before = counter.slot, self.before
        others = [number for number in range(len(before.params)) if number != slot]
        params = [before.params[number] for number in others]
        inits = [self.op.operands[number] for number in others]
        yields = [self.following(number) for number in others]
        results = [Value(each.type, each.name) for each in params]
        for result, operand in zip(self.op.results, self.passed, strict=True):
            if self.is_invariant(operand):
                self.state.replaced[result] = operand
                continue
            if operand not in yields:
                # Only after the loop; one iteration at least has set it.
                params.append(Value(operand.type, result.name))
                inits.append(Const(operand.type, "poison"))
                yields.append(operand)
                results.append(Value(operand.type, result.name))
            self.state.replaced[result] = results[yields.index(operand)]
        body = Region([before.params[slot], *params], [*before.body, Op("yield", yields, loc=self.test.loc)])
        lead: list[Op] = []
        operands = [self.op.operands[slot], counter.bound, counter.signed_step(lead), *inits]
        return [*lead, Op("for", operands, results, counter.attributes(), [body], self.op.loc)]


def run(function: Function, _: Context) -> bool:
    """Turn each `while` that counts into `for`."""
    hoisted = hoist_loop_invariants(function.body)  # steps and bounds among them
    if not any(op.name == "while" for op in walk(function.body)):
        return hoisted
    state = _Raise({each for op in walk(function.body) for each in op.operands if isinstance(each, Value)})
    state.visit(function.body)
    keep_endless_loops(function.body)  # those that are left
    return state.changed or hoisted


RAISE_LOOPS = Pass("raise-loops", run, requires=(STRUCTURED,))
