# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One walk in program order that folds, shares, and straightens control flow.

    %a = add %x, 0                                    if %c { A }           if %c { A; B }
    %b = add %y, %x       ==>    %b = add %y, %x      if %c { B }    ==>
    %d = add %a, %y              (%d is %b)           %r = if %c            %r = select %c, %x, %y
                                                        { yield %x } { yield %y }

Each rule is an equality of what one thread does; the order in which it reads, writes and waits is kept.
 - An op that folds, or that was computed before in a region around this one, is replaced.
 - Inside `if %c`, %c and what follows from it is known. An `if` on a constant is what it chooses. Of two neighbouring
   `if`s on one condition the second joins the first. Of two nested ones, where the inner one is all that the outer one
   does, both conditions make one. A result that exists outside of both sides is a `select`; so is every result when
   both sides are a few cheap ops without effects. What one side leaves open is computed before.
 - A carried value that never changes is its initial value. A loop that does not run is its initial values; one that
   runs once is its body.
"""

from __future__ import annotations

from warploom.ir.core import FALSE, TRUE, Const, Op, Operand, Region, Value
from warploom.ir.ops import levels_in
from warploom.ir.properties import is_arithmetic
from warploom.passes.choices import is_select, lift_results
from warploom.passes.cse import ValueTable, icmp_key, is_comparable, keep_common_promises, key_of
from warploom.passes.facts import consequences, implied_comparisons
from warploom.passes.fold import INVERSE, Definitions, compare, evaluate, fold, is_poison, negated


class Simplifier:
    """The state of the walk."""

    def __init__(self) -> None:
        self.replaced: dict[Value, Operand] = {}
        self.assumed: list[tuple[Value, Operand | None]] = []  # to restore `replaced` at the end of a scope
        self.definitions: Definitions = {}
        self.table = ValueTable()
        self.depth: dict[Value, int] = {}
        self.level = 0
        self.threads: set[Operand] = set()  # numbers of threads
        self.changed = False

    # -- operands and scopes ------------------------------------------------------------------------------------------

    def resolve(self, operand: Operand) -> Operand:
        """What stands for `operand` here."""
        while isinstance(operand, Value):
            other = self.replaced.get(operand)
            if other is None:
                return operand
            operand = other
        return operand

    def replace(self, value: Value, operand: Operand) -> None:
        """From here on `operand` stands for `value`."""
        self.replaced[value] = self.resolve(operand)
        self.changed = True

    def is_outside(self, operand: Operand) -> bool:
        """Whether an operand from a region of an op at this level is defined outside of that op."""
        return isinstance(operand, Const) or self.depth.get(operand, 0) <= self.level

    def begin(self) -> tuple[int, int]:
        """Enter a region."""
        self.level += 1
        return self.table.mark(), len(self.assumed)

    def end(self, scope: tuple[int, int]) -> None:
        """Leave it, and forget what is known only in it."""
        self.level -= 1
        self.table.forget(scope[0])
        while len(self.assumed) > scope[1]:
            value, before = self.assumed.pop()
            if before is None:
                del self.replaced[value]
            else:
                self.replaced[value] = before

    def assume(self, condition: Operand, holds: bool) -> None:
        """In this scope `condition` is known."""
        for value, truth in consequences(condition, holds, self.definitions):
            self._assume_value(value, truth)
            op = self.definitions.get(value)
            if op is not None and op.name == "icmp" and op.results[0].type == "i1":
                for pred, answer in implied_comparisons(op, truth):
                    self.assume_comparison(pred, op.operands[0], op.operands[1], answer)

    def assume_comparison(self, pred: str, left: Operand, right: Operand, holds: bool) -> None:
        """In this scope a comparison is known, computed already or not."""
        key = icmp_key(pred, left, right)
        known = self.table.find(key)
        if isinstance(known, Value):
            self._assume_value(known, holds)
        elif known is None:
            self.table.add(key, TRUE if holds else FALSE)

    def _assume_value(self, value: Value, truth: bool) -> None:
        self.assumed.append((value, self.replaced.get(value)))
        self.replaced[value] = TRUE if truth else FALSE

    # -- ops ----------------------------------------------------------------------------------------------------------

    def region(self, region: Region) -> None:
        """Simplify the ops of `region`, in a scope that the caller has begun."""
        for value in region.params:
            self.depth[value] = self.level
        done: list[Op] = []
        for op in region.ops:
            self.op(op, done)
        region.ops = done

    def op(self, op: Op, done: list[Op]) -> None:
        """Append what stands in place of `op`."""
        for number, operand in enumerate(op.operands):
            if isinstance(operand, Value) and operand in self.replaced:
                op.operands[number] = self.resolve(operand)
        if not op.regions:
            if op.results and self._is_known(op):
                return
            self.place(op, done)
        elif op.name == "if":
            self._if(op, done)
        elif op.name == "for":
            self._for(op, done)
        elif op.name == "while":
            self._while(op, done)
        else:
            if op.name in ("block", "warp", "lane"):
                self.threads.update(op.region.params)
            for inner in op.regions:
                scope = self.begin()
                self.region(inner)
                self.end(scope)
            self.place(op, done)

    def place(self, op: Op, done: list[Op]) -> None:
        """Append `op`, which stays."""
        for value in op.results:
            self.depth[value] = self.level
            self.definitions[value] = op
        done.append(op)

    def _is_known(self, op: Op) -> bool:
        """Whether the result of `op` is a constant or a value that exists; simplifies `op` if it stays."""
        plain = is_arithmetic(op)
        if plain:
            operands = op.operands
            value = fold(op, self.definitions)
            if value is not None:
                self.replace(op.results[0], value)
                return True
            self.changed |= op.operands is not operands
        if not is_comparable(op):
            return False
        key = key_of(op)
        known = self.table.find(key)
        if known is None:
            self.table.add(key, op.results[0])
            return False
        if isinstance(known, Value):
            keep_common_promises(self.definitions[known], op)
        self.replace(op.results[0], known)
        return True

    def splice(self, region: Region, results: list[Value], done: list[Op]) -> None:
        """Put the ops of a region that runs exactly once in place of the op around it."""
        for op in region.body:
            self.op(op, done)
        for value, operand in zip(results, region.terminator.operands, strict=True):
            self.replace(value, operand)
        self.changed = True

    # -- if -----------------------------------------------------------------------------------------------------------

    def _if(self, op: Op, done: list[Op]) -> None:
        condition = op.operands[0]
        if isinstance(condition, Const) and isinstance(condition.value, int):
            self.splice(op.regions[0 if condition.value else 1], op.results, done)
            return
        joined = self._neighbour(op, done)
        if joined is None:
            self._orient(op, done)
            joined = self._neighbour(op, done)
        if joined is None:
            for region, holds in zip(op.regions, (True, False), strict=True):
                scope = self.begin()
                self.assume(op.operands[0], holds)
                self.region(region)
                self.end(scope)
        else:
            done.pop()
            self._join(joined, op)
            op = joined
        self._unnest(op, done)
        for lifted in lift_results(op, self.is_outside):
            self.place(lifted, done)
        chosen = self._outside_results(op)
        is_small = is_select(op)
        if is_small:
            for region in op.regions:
                for inner in region.body:
                    self.place(inner, done)
            chosen += list(zip(op.results, *(region.terminator.operands for region in op.regions), strict=True))
        for result, first, second in chosen:
            choice = Op("select", [op.operands[0], first, second], [Value(result.type, result.name)], loc=op.loc)
            self.op(choice, done)
            self.replace(result, choice.result)
        if not is_small and (op.results or any(region.body for region in op.regions)):
            self.place(op, done)

    def _orient(self, op: Op, done: list[Op]) -> None:
        """No negated condition; nothing in the second region only."""
        then, other = op.regions
        is_one_sided = not op.results and len(then.ops) == 1 and len(other.ops) > 1
        would_be = not op.results and len(other.ops) == 1
        opposite = negated(op.operands[0], self.definitions)
        if opposite is not None and not would_be:
            op.operands = [opposite]
        elif is_one_sided:
            compared = self.definitions.get(op.operands[0]) if isinstance(op.operands[0], Value) else None
            if compared is not None and compared.name == "icmp":
                pred = INVERSE[str(compared.attrs["pred"])]
                opposite_op = Op("icmp", list(compared.operands), [Value("i1")], {"pred": pred}, loc=compared.loc)
            else:
                opposite_op = Op("xor", [op.operands[0], TRUE], [Value("i1")], loc=op.loc)
            self.op(opposite_op, done)
            op.operands = [self.resolve(opposite_op.result)]
        else:
            return
        op.regions.reverse()
        self.changed = True

    def _differs(self, condition: Operand, depth: int = 8) -> bool:
        """Whether `condition` is seen to be computed from a thread's number."""
        if condition in self.threads:
            return True
        op = self.definitions.get(condition) if isinstance(condition, Value) else None
        return op is not None and not op.regions and depth > 0 and any(self._differs(e, depth - 1) for e in op.operands)

    def _unnest(self, op: Op, done: list[Op]) -> None:
        """Make one `if` of `op` and one that is all it does, under both conditions.

        Not where all threads may agree on the outer one: it is a branch around them all.
        """
        then, other = op.regions
        if not self._differs(op.operands[0]):
            return
        while not op.results and len(then.ops) == 2 and len(other.ops) == 1 and then.ops[0].name == "if":
            inner = then.ops[0]
            alone = not inner.results and len(inner.regions[1].ops) == 1 and self.is_outside(inner.operands[0])
            if not alone or levels_in(op):
                return
            both = Op("select", [op.operands[0], inner.operands[0], FALSE], [Value("i1")], loc=inner.loc)
            self.op(both, done)
            op.operands = [self.resolve(both.result)]
            then = inner.regions[0]
            op.regions = [then, other]
            self.changed = True

    def _neighbour(self, op: Op, done: list[Op]) -> Op | None:
        """The `if` just before `op`, if it has the same condition and no thread waits in either."""
        if not done or done[-1].name != "if" or done[-1].operands[0] is not op.operands[0]:
            return None
        return None if levels_in(op) or levels_in(done[-1]) else done[-1]

    def _join(self, first: Op, second: Op) -> None:
        """Append what `second` does to `first`."""
        for number, (into, region) in enumerate(zip(first.regions, second.regions, strict=True)):
            scope = self.begin()
            self.assume(second.operands[0], number == 0)
            ends = into.ops.pop()
            for result, operand in zip(first.results, ends.operands, strict=True):
                self.assumed.append((result, self.replaced.get(result)))
                self.replaced[result] = operand
            self.region(region)
            into.ops += region.ops
            into.terminator.operands = [*ends.operands, *into.terminator.operands]
            self.end(scope)
        first.results = [*first.results, *second.results]
        self.changed = True

    def _outside_results(self, op: Op) -> list[tuple[Value, Operand, Operand]]:
        """Remove the results of an `if` that need no region; returns those that are a choice of two operands."""
        chosen: list[tuple[Value, Operand, Operand]] = []
        kept: list[tuple[Value, Operand, Operand]] = []
        seen: dict[tuple[Operand, Operand], Value] = {}
        ends = [region.terminator for region in op.regions]
        for result, first, second in zip(op.results, ends[0].operands, ends[1].operands, strict=True):
            if first == second or (is_poison(second) and self.is_outside(first)):
                self.replace(result, first)
            elif is_poison(first) and self.is_outside(second):
                self.replace(result, second)
            elif (first, second) in seen:
                self.replace(result, seen[first, second])
            else:
                seen[first, second] = result
                is_choice = self.is_outside(first) and self.is_outside(second)
                (chosen if is_choice else kept).append((result, first, second))
        if len(kept) < len(op.results):
            op.results = [result for result, _, _ in kept]
            ends[0].operands = [first for _, first, _ in kept]
            ends[1].operands = [second for _, _, second in kept]
        return chosen

    # -- loops --------------------------------------------------------------------------------------------------------

    def _for(self, op: Op, done: list[Op]) -> None:
        start, bound, step, *inits = op.operands
        body, pred = op.region, str(op.attrs["pred"])
        runs = compare(pred, start, bound)
        if runs is False:
            for result, init in zip(op.results, inits, strict=True):
                self.replace(result, init)
            self.changed = True
            return
        following = evaluate(Op("add", [start, step], [Value(start.type)]))
        if runs and following is not None and compare(pred, following, bound) is False:
            for param, operand in zip(body.params, [start, *inits], strict=True):
                self.replace(param, operand)
            self.splice(body, op.results, done)
            return
        self._fix_carried(op)
        scope = self.begin()
        self.assume_comparison(pred, body.params[0], bound, True)
        self.region(body)
        self.end(scope)
        self.place(op, done)

    def _fix_carried(self, op: Op) -> None:
        """Drop the carried values of a `for` that never change, or that equal another one."""
        body = op.region
        kept: list[int] = []
        seen: dict[tuple[Operand, Operand], int] = {}
        for number, (init, following) in enumerate(zip(op.operands[3:], body.terminator.operands, strict=True)):
            param, result = body.params[1 + number], op.results[number]
            following = self.resolve(following)
            if following is param or following == init:
                self.replace(param, init)
                self.replace(result, init)
            elif (init, following) in seen:
                twin = seen[init, following]
                self.replace(param, body.params[1 + twin])
                self.replace(result, op.results[twin])
            else:
                seen[init, following] = number
                kept.append(number)
        if len(kept) == len(op.results):
            return
        body.params = [body.params[0], *(body.params[1 + number] for number in kept)]
        body.terminator.operands = [body.terminator.operands[number] for number in kept]
        op.operands = [*op.operands[:3], *(op.operands[3 + number] for number in kept)]
        op.results = [op.results[number] for number in kept]

    def _while(self, op: Op, done: list[Op]) -> None:
        before, after = op.regions
        if self.resolve(before.terminator.operands[0]) == FALSE:
            for param, init in zip(before.params, op.operands, strict=True):
                self.replace(param, init)
            before.terminator.operands = before.terminator.operands[1:]
            self.splice(before, op.results, done)
            return
        if self._runs_once(op):
            self._splice_once(op, done)
            return
        self._fix_inits(op)
        scope = self.begin()
        self.region(before)
        self.end(scope)
        self._fix_passed(op)
        scope = self.begin()
        self.region(after)
        self.end(scope)
        self.place(op, done)

    def _runs_once(self, op: Op) -> bool:
        """Whether the condition of a `while` is a carried value that begins as true and is false from then on."""
        before, after = op.regions
        condition = before.terminator.operands[0]
        if before.body or condition not in before.params:
            return False
        slot = before.params.index(condition)
        return op.operands[slot] == TRUE and self.resolve(after.terminator.operands[slot]) == FALSE

    def _splice_once(self, op: Op, done: list[Op]) -> None:
        """Put the second region of a `while` that runs once in its place."""
        before, after = op.regions
        passed = before.terminator.operands[1:]
        last: dict[Operand, Operand] = dict(zip(before.params, after.terminator.operands, strict=True))
        for param, init in zip(before.params, op.operands, strict=True):
            self.replace(param, init)
        for param, operand in zip(after.params, passed, strict=True):
            self.replace(param, operand)
        after.terminator.operands = [last.get(each, each) for each in passed]
        self.splice(after, op.results, done)

    def _fix_inits(self, op: Op) -> None:
        """Drop the carried values of a `while` that never change."""
        before, after = op.regions
        passed = before.terminator.operands[1:]
        arrives = dict(zip(after.params, passed, strict=True))
        kept: list[int] = []
        for number, (init, following) in enumerate(zip(op.operands, after.terminator.operands, strict=True)):
            param = before.params[number]
            following = self.resolve(following)
            back = arrives.get(following, following) if isinstance(following, Value) else following
            if back is param or self.resolve(back) == init:
                self.replace(param, init)
            else:
                kept.append(number)
        if len(kept) == len(op.operands):
            return
        op.operands = [op.operands[number] for number in kept]
        before.params = [before.params[number] for number in kept]
        after.terminator.operands = [after.terminator.operands[number] for number in kept]

    def _fix_passed(self, op: Op) -> None:
        """Drop what a `while` passes on though it is known outside, or passes twice."""
        before, after = op.regions
        condition, *passed = before.terminator.operands
        kept: list[int] = []
        seen: dict[Operand, int] = {}
        for number, operand in enumerate(passed):
            param, result = after.params[number], op.results[number]
            if self.is_outside(operand):
                self.replace(param, operand)
                self.replace(result, operand)
            elif operand is condition:
                self.replace(param, TRUE)
                self.replace(result, FALSE)
            elif operand in seen:
                self.replace(param, after.params[seen[operand]])
                self.replace(result, op.results[seen[operand]])
            else:
                seen[operand] = number
                kept.append(number)
        if len(kept) == len(passed):
            return
        before.terminator.operands = [condition, *(passed[number] for number in kept)]
        after.params = [after.params[number] for number in kept]
        op.results = [op.results[number] for number in kept]


def simplify(body: Region) -> bool:
    """Simplify `body`; true if anything changed."""
    simplifier = Simplifier()
    simplifier.region(body)
    return simplifier.changed
