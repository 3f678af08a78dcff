# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread values through regions: from variables to results and carried values.

    if %c { assign x := %a } { assign x := %b }         %x: i32 = if %c { yield %a } { yield %b }
    use x                                        ==>    use %x

Input: structured ops in which a value may be used outside of the region that defines it, and in which `assign` sets
variables. Output: the same ops, where what leaves a region is a result, what goes round a loop is carried, and `assign`
is gone. A variable that no path has assigned reads as poison, and so does one that an `assign` has read: variables that
`assign` reads are those of edges into a block, which only the beginning of the block reads.

Two passes over the ops. Backwards: which values defined in a region are live after it (Appel, Modern Compiler
Implementation, liveness; one visit is enough for loops since the carried variables of each are known). Forwards:
renaming, where the bindings of a region are undone at its end.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.ir.core import Const, Op, Operand, Region, Value

Carried = dict[Op, list[Value]]  # for each `while`: the variables that every edge to its header assigns


def thread_values(ops: list[Op], carried: Carried, variables: set[Value], known: Iterable[Value]) -> list[Op]:
    """Rewrite `ops`. `variables` are assigned several times, `known` are defined outside."""
    leaving = _Liveness(carried, variables)
    leaving.visit(ops, set())
    return _Renaming(carried, variables, leaving.leaving, known).visit(ops)


class _Liveness:
    """Finds for each op with regions the values defined inside that are live after it."""

    def __init__(self, carried: Carried, variables: set[Value]) -> None:
        self.carried = carried
        self.variables = variables
        self.leaving: dict[Op, list[Value]] = {}

    def visit(self, ops: list[Op], live: set[Value]) -> list[Value]:
        """Turn `live` after `ops` into live before; returns what `ops` define that is live after them."""
        after = set(live)
        defined: dict[Value, None] = {}
        for op in reversed(ops):
            if op.name == "if":
                found = self._if(op, live)
            elif op.name == "while":
                found = self._while(op, live)
            else:
                found = op.results
                live.difference_update(found)
                live.update(each for each in op.operands if isinstance(each, Value))
            defined.update((value, None) for value in found if value in after)
        return list(defined)[::-1]

    def _if(self, op: Op, live: set[Value]) -> list[Value]:
        then, other = live.copy(), live.copy()
        found = dict.fromkeys([*self.visit(op.regions[0].ops, then), *self.visit(op.regions[1].ops, other)])
        live |= then | other
        # On the side that does not define it, a value that is no variable is not live: its uses are dominated by its
        # definition.
        live.difference_update(value for value in found if value not in self.variables)
        live.update(each for each in op.operands if isinstance(each, Value))
        self.leaving[op] = list(found)
        return self.leaving[op]

    def _while(self, op: Op, live: set[Value]) -> list[Value]:
        before, after = op.regions
        carried = self.carried[op]
        inner = set(carried)
        from_after = self.visit(after.ops, inner)
        wanted = live | inner
        inner |= live
        from_before = self.visit(before.ops, inner)
        self.leaving[op] = [value for value in dict.fromkeys([*carried, *from_before]) if value in wanted]
        live |= inner
        live.difference_update(from_before, from_after)
        live.update(carried)
        return self.leaving[op]


class _Renaming:
    """Replaces variables by what they hold."""

    def __init__(
        self, carried: Carried, variables: set[Value], leaving: dict[Op, list[Value]], known: Iterable[Value]
    ) -> None:
        self.carried = carried
        self.variables = variables
        self.leaving = leaving
        self.holds: dict[Value, Operand] = {value: value for value in known}
        self.undo: list[tuple[Value, Operand | None]] = []
        self.depth: dict[Value, int] = dict.fromkeys(self.holds, 0)
        self.level = 0

    def visit(self, ops: list[Op]) -> list[Op]:
        """The rewritten ops."""
        done: list[Op] = []
        for op in ops:
            if op.name == "assign":
                self._assign(op)
                continue
            op.operands = [self._read(each) if isinstance(each, Value) else each for each in op.operands]
            done.append(op)
            if op.name == "if":
                self._if(op)
            elif op.name == "while":
                self._while(op)
            else:
                for value in op.results:
                    self._define(value)
        return done

    def _read(self, operand: Operand) -> Operand:
        if isinstance(operand, Const):
            return operand
        held = self.holds.get(operand)
        return Const(operand.type, "poison") if held is None else held

    def _bind(self, variable: Value, operand: Operand) -> None:
        self.undo.append((variable, self.holds.get(variable)))
        self.holds[variable] = operand

    def _bind_all(self, variables: list[Value], operands: list[Operand]) -> None:
        for variable, operand in zip(variables, operands, strict=True):
            self._bind(variable, operand)

    def _assign(self, op: Op) -> None:
        values = [self._read(each) for each in op.operands]
        for operand in op.operands:
            if isinstance(operand, Value) and operand in self.variables:
                self._bind(operand, Const(operand.type, "poison"))
        self._bind_all(op.results, values)

    def _define(self, value: Value) -> Value:
        self.depth[value] = self.level
        self._bind(value, value)
        return value

    def _fresh(self, like: Value) -> Value:
        value = Value(like.type, like.name)
        self.depth[value] = self.level
        return value

    def _is_outside(self, operand: Operand) -> bool:
        """Whether an operand read in a region of the current level exists before the region begins."""
        return isinstance(operand, Const) or self.depth[operand] < self.level

    def _leave(self, mark: int) -> None:
        """Undo the bindings of a region."""
        while len(self.undo) > mark:
            variable, held = self.undo.pop()
            if held is None:
                del self.holds[variable]
            else:
                self.holds[variable] = held
        self.level -= 1

    def _side(self, region: Region, leaving: list[Value]) -> list[Operand]:
        mark = len(self.undo)
        self.level += 1
        region.ops = self.visit(region.ops)
        yields = [self._read(each) for each in leaving]
        self._leave(mark)
        return yields

    def _if(self, op: Op) -> None:
        leaving = self.leaving[op]
        then, other = (self._side(region, leaving) for region in op.regions)
        kept: list[tuple[Operand, Operand]] = []
        for variable, first, second in zip(leaving, then, other, strict=True):
            same = self._common(first, second)
            if same is None:
                result = self._fresh(variable)
                op.results.append(result)
                kept.append((first, second))
                same = result
            self._bind(variable, same)
        op.regions[0].ops.append(Op("yield", [first for first, _ in kept]))
        op.regions[1].ops.append(Op("yield", [second for _, second in kept]))

    def _common(self, first: Operand, second: Operand) -> Operand | None:
        """What both sides of an `if` may be taken to yield, if it exists outside."""
        for one, another in ((first, second), (second, first)):
            agree = one == another or (isinstance(another, Const) and another.value == "poison")
            if agree and (isinstance(one, Const) or self.depth[one] <= self.level):
                return one
        return None

    def _while(self, op: Op) -> None:
        before, after = op.regions
        carried, leaving = self.carried[op], self.leaving[op]
        op.operands = [self._read(each) for each in carried]
        mark = len(self.undo)
        self.level += 1
        before.params = [self._fresh(each) for each in carried]
        self._bind_all(carried, list(before.params))
        before.ops = self.visit(before.ops)
        held = [(variable, self._read(variable)) for variable in leaving]
        passed = [(variable, operand) for variable, operand in held if not self._is_outside(operand)]
        fixed = [(variable, operand) for variable, operand in held if self._is_outside(operand)]
        before.terminator.operands.extend(operand for _, operand in passed)
        self._leave(mark)

        self.level += 1
        after.params = [self._fresh(variable) for variable, _ in passed]
        self._bind_all([variable for variable, _ in passed + fixed], [*after.params, *(each for _, each in fixed)])
        after.ops = self.visit(after.ops)
        after.ops.append(Op("yield", [self._read(each) for each in carried]))
        self._leave(mark)
        op.results = [self._fresh(variable) for variable, _ in passed]
        self._bind_all([variable for variable, _ in passed + fixed], [*op.results, *(each for _, each in fixed)])
