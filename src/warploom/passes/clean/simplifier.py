# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walk of simplify.py in program order: what stands for each value at a place, and ops that fold or exist already.

What is known in a scope (a region, the side of an `if`) is forgotten at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from warploom.ir.core import FALSE, TRUE, Const, Op, Operand, Region, Value
from warploom.ir.properties import is_arithmetic
from warploom.passes.clean.cse import ValueTable, is_comparable, keep_common_promises
from warploom.passes.clean.facts import consequences, implied_comparisons
from warploom.passes.clean.fold import SWAPPED, Definitions, fold

Construct = Callable[["Simplifier", Op, list[Op]], None]


class Simplifier:
    """The state of the walk."""

    def __init__(self, constructs: Mapping[str, Construct]) -> None:
        """`constructs`: what simplifies `if`, `for` and `while`."""
        self.constructs = constructs
        self.replaced: dict[Value, Operand] = {}
        self.assumed: list[tuple[Value, Operand | None]] = []  # to restore `replaced` at the end of a scope
        self.definitions: Definitions = {}
        self.table = ValueTable()
        self.depth: dict[Value, int] = {}
        self.level = 0
        self.threads: set[Operand] = set()  # numbers of threads
        self.changed = False
        self.reshaped = False  # control flow, or what goes through it

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
                left, right = op.operands
                frozen = self.definitions.get(left) if isinstance(left, Value) else None
                # What was frozen is the same number, or poison, of which anything may be assumed.
                source = frozen.operands[0] if frozen is not None and frozen.name == "freeze" else left
                decided = implied_comparisons(op, truth)
                self.assume_comparisons(left, right, decided)
                if source is not left:
                    self.assume_comparisons(source, right, decided)

    def assume_comparisons(self, left: Operand, right: Operand, decided: Iterable[tuple[str, bool]]) -> None:
        """In this scope comparisons of `left` with `right`, computed already or not, are what `decided` says."""
        known, swapped = self.table.comparisons(left, right)
        for pred, holds in decided:
            key = SWAPPED[pred] if swapped else pred
            value = known.get(key)
            if isinstance(value, Value):
                self._assume_value(value, holds)
            elif value is None:
                self.table.add(known, key, TRUE if holds else FALSE)

    def _assume_value(self, value: Value, truth: bool) -> None:
        self.assumed.append((value, self.replaced.get(value)))
        self.replaced[value] = TRUE if truth else FALSE

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
        elif op.name in self.constructs:
            self.constructs[op.name](self, op, done)
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
        if not plain and not is_comparable(op):  # what is plain is comparable
            return False
        known = self.table.find_or_add(op)
        if known is None:
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
        self.reshaped = True
