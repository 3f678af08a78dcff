# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Minima, maxima, choices and comparisons that the conditions around them decide.

    if %tx > %step {                              if %tx > %step {          (%step counts up from 0)
      %west = max %tx - 1, 0               ==>      ... %tx - 1 ...
      ... %west ...                               }
    }

A choice by a comparison that is decided (`tx < last ? tx + 1 : last`) goes like a maximum, and a comparison becomes its
result. What is never negative there is read as a signed number: sums of indices are sums of addresses then.

A stencil clamps the neighbours of a cell to the edge of the data or of the tile, and then only computes cells that do
not lie there. In blocks that lie wholly within the data (version_blocks.py) all that is left of a clamp is such a
guard. Without the clamp the neighbours of a vector of threads lie side by side.

Sound because the operand that takes the place of a minimum is that minimum wherever the conditions hold
(analysis/bounded_forms.py), and it is used in their place only there.
"""

from __future__ import annotations

from warploom.analysis.bounded_forms import BoundedForms, Fact, Form, is_number, minimum_or_maximum
from warploom.analysis.exact_linear import Ranges
from warploom.ir.core import FALSE, TRUE, Const, Function, Op, Operand, Region, Value, flags_of, is_undefined, walk
from warploom.passes.base import Context, Pass
from warploom.passes.clean.facts import consequences
from warploom.passes.contracts import STRUCTURED

NAME = "use_guards"
MOST_CLAMPS = 200  # minima, maxima and choices of a kernel that is worth the search
DEEPEST = 8  # of minima of minima


def growing(function: Function, forms: BoundedForms) -> dict[Value, Form]:
    """The counters of loops that start at a value and count up without wrapping, and where they start."""
    found: dict[Value, Form] = {}
    for loop in walk(function.body):
        if loop.name == "while":
            for number, value in enumerate(loop.regions[0].params):
                if is_number(value) and counts_up(loop, number, forms.ranges.definitions):
                    found[value] = forms.of(loop.operands[number])
        elif loop.name == "for" and loop.attrs["pred"] == "slt" and loop.operands[2] == Const(loop.operands[2].type, 1):
            found[loop.region.params[0]] = forms.of(loop.operands[0])
    return found


def counts_up(loop: Op, number: int, definitions: dict[Value, Op]) -> bool:
    """Whether carried value `number` of a `while` grows by a constant each round, and is poison where it wraps."""
    before, after = loop.regions
    following = after.terminator.operands[number]
    if isinstance(following, Value) and following in after.params:
        following = before.terminator.operands[1 + after.params.index(following)]
    op = definitions.get(following) if isinstance(following, Value) else None
    if op is None or op.name != "add" or op.operands[0] is not before.params[number] or "nsw" not in flags_of(op):
        return False
    step = op.operands[1]
    return isinstance(step, Const) and is_number(step) and 0 < int(step.value) < 1 << 16


def is_clamp(op: Op, comparisons: dict[Value, Op]) -> bool:
    """Whether `op` is a minimum, a maximum, or a choice between numbers by how two numbers are ordered."""
    if op.name != "select" or not is_number(op.result):
        return minimum_or_maximum(op) is not None
    if any(map(is_undefined, op.operands)):
        return False
    condition = comparisons.get(op.operands[0]) if isinstance(op.operands[0], Value) else None
    return condition is not None and str(condition.attrs["pred"])[0] == "s"


class _Walk:
    """One walk through a function with what is known at each place."""

    def __init__(self, function: Function, context: Context) -> None:
        self.context = context
        self.ranges = Ranges(function)
        self.least: dict[Value, Form] = {}
        self.least.update(growing(function, BoundedForms(self.ranges, self.least)))
        self.changed = False

    def region(self, region: Region, facts: list[Fact]) -> None:
        """Rewrite the ops of a region where `facts` hold."""
        forms = BoundedForms(self.ranges, self.least)
        forms.assume(facts)
        for op in region.ops:
            for number, operand in enumerate(op.operands):
                decided = self._decided(operand, forms)
                if decided is not operand:
                    op.operands[number] = decided
                    self.context.remark(NAME, "the conditions around a minimum, maximum or choice decide it", op.loc)
                    self.changed = True
            if op.name == "zext" and self._is_positive(op.operands[0], forms):
                op.name = "sext"
                op.attrs.pop("flags", None)
                self.changed = True
            for number, inner in enumerate(op.regions):
                self.region(inner, facts + self._added(op, number, forms))

    def _is_positive(self, operand: Operand, forms: BoundedForms) -> bool:
        """Whether `operand` is never negative, and that only because of what is known here."""
        if not is_number(operand) or self.ranges.of(operand, True)[0] >= 0:
            return False
        return forms.most(forms.of(operand).times(-1)) <= 0

    def _decided(self, operand: Operand, forms: BoundedForms) -> Operand:
        """`operand` without the minima and maxima that are decided here."""
        for _ in range(DEEPEST):
            truth = forms.decided(operand)
            if truth is not None:
                return TRUE if truth else FALSE
            op = self.ranges.definitions.get(operand) if isinstance(operand, Value) else None
            chosen = forms.chosen(op) if op is not None else None
            if chosen is None:
                break
            operand = chosen
        return operand

    def _added(self, op: Op, number: int, forms: BoundedForms) -> list[Fact]:
        """What is known in region `number` of `op` and not around it."""
        if op.name != "if":
            return []
        found: list[Fact] = []
        for value, truth in consequences(op.operands[0], number == 0, self.ranges.definitions):
            compared = self.ranges.definitions.get(value)
            if compared is not None:
                found += forms.facts_of(compared, truth)
        return found


def run(function: Function, context: Context) -> bool:
    """Decide what clamps and comparisons can be decided."""
    choices = [op for op in walk(function.body) if op.name in ("call", "select")]
    if not choices:
        return False
    comparisons = {op.result: op for op in walk(function.body) if op.name == "icmp"}
    if not 0 < sum(is_clamp(op, comparisons) for op in choices) <= MOST_CLAMPS:
        return False
    found = _Walk(function, context)
    found.region(function.body, [])
    return found.changed


USE_GUARDS = Pass(NAME, run, requires=(STRUCTURED,))
