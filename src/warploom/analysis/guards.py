# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which threads of a block can run an op, from the `if` conditions around it.

    if (tx == 0)         tx in [0, 0]
    if (ty * bdx + tx < 32 && tz == k)      tx in [0, 31], ty in [0, 31], tz is k

Only what an interval an axis, or one value an axis, can say; anything else is no restriction.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis import integers, linear
from warploom.analysis.affine import Forms
from warploom.analysis.integers import Range
from warploom.analysis.linear import Affine
from warploom.analysis.sums import Sum
from warploom.core.launch import MAX_BLOCK
from warploom.core.records import dataclass
from warploom.ir.core import Const, Op, Operand, Value

_OPPOSITES = (("eq", "ne"), ("slt", "sge"), ("sgt", "sle"), ("ult", "uge"), ("ugt", "ule"))
_NEGATED = dict(_OPPOSITES) | {b: a for a, b in _OPPOSITES}
MAX_DEPTH = 8  # of and/or in one condition


@dataclass(frozen=True, slots=True)
class Threads:
    """A set of threads of a block that holds all that may run something: bounds of tx, ty, tz; `pins` are values that
    an id must be equal to, the same for all threads (None: no such value is known)."""

    bounds: tuple[Range, ...]
    pins: tuple[Affine | None, ...] = (None, None, None)

    def bounded(self, axis: int, interval: Range) -> Threads:
        """Those with the id of `axis` in `interval`."""
        bounds = list(self.bounds)
        bounds[axis] = integers.range_meet(bounds[axis], interval)
        return Threads(tuple(bounds), self.pins)

    def pinned(self, axis: int, value: Affine) -> Threads:
        """Those with `value` as the id of `axis`."""
        pins = list(self.pins)
        pins[axis] = value
        return Threads(self.bounds, tuple(pins))


def all_threads(forms: Forms) -> Threads:
    """Every thread of the block."""
    sizes = zip(forms.definitions.block, MAX_BLOCK, strict=True)
    return Threads(tuple((0, (size or most) - 1) for size, most in sizes))


@dataclass(frozen=True, slots=True)
class Guards:
    """Reads conditions. `is_fixed`: whether a value is computed once a block run, the same for all its threads."""

    forms: Forms
    is_fixed: Callable[[Value], bool]

    def narrow(self, threads: Threads, condition: Operand, truth: bool, depth: int = MAX_DEPTH) -> Threads:
        """Those of `threads` for which `condition` is `truth`."""
        found = self.forms.definitions.of.get(condition) if isinstance(condition, Value) else None
        if found is None or found.region is not None or depth == 0:
            return threads
        op = found.op
        if op.name == "icmp":
            return self._compare(threads, op, truth)
        parts = _conjuncts(op, truth)
        for part, wanted in parts:
            threads = self.narrow(threads, part, wanted, depth - 1)
        return threads

    def _compare(self, threads: Threads, op: Op, truth: bool) -> Threads:
        a, b = op.operands
        if a.type == "ptr" or a.type[0] != "i":
            return threads
        pred = str(op.attrs["pred"])
        pred = pred if truth else _NEGATED[pred]
        if pred[0] == "u":
            if self.forms.interval(a)[0] < 0 or self.forms.interval(b)[0] < 0:
                return threads
            pred = "s" + pred[1:]
        x, y = self.forms.of(a), self.forms.of(b)
        difference = linear.add(x.affine, y.affine, -1)
        if not x.exact or not y.exact or difference is None or pred == "ne":
            return threads
        if pred in ("sgt", "sge"):
            difference, pred = difference.times(-1), {"sgt": "slt", "sge": "sle"}[pred]
        if pred == "slt":
            difference = difference.plus(Sum(1))
        threads = self._at_most_zero(threads, difference)
        if pred == "eq":
            threads = self._at_most_zero(threads, difference.times(-1))
            threads = self._pin(threads, difference)
        return threads

    def _at_most_zero(self, threads: Threads, form: Affine) -> Threads:
        """`form` <= 0: each term is at most minus the least that the others add up to."""
        ids = self.forms.definitions.threads
        low, _ = self.forms.interval_of(form)
        for product, coefficient in form.terms.items():
            axes = [ids[value] for value in product if value in ids]
            if len(axes) != 1:
                continue
            own = integers.range_scale(self.forms.interval_of_product(product), coefficient)
            most = own[0] - low  # coefficient * product <= most
            factor = self._factor(product, coefficient)
            if factor > 0:
                threads = threads.bounded(axes[0], (0, max(most // factor, 0)))
            elif factor < 0 and len(product) == 1:
                threads = threads.bounded(axes[0], (-(most // -factor), MAX_BLOCK[axes[0]]))
        return threads

    def _factor(self, product: linear.Product, coefficient: int) -> int:
        """The least that the thread id in `product` is multiplied by; 0 when that may be negative or nothing."""
        ids = self.forms.definitions.threads
        least = 1
        for value in product:
            if value not in ids:
                least *= max(self.forms.interval(value)[0], 0)
        return coefficient * least

    def _pin(self, threads: Threads, form: Affine) -> Threads:
        """`form` == 0 with one thread id in it: the id is equal to the rest."""
        ids = self.forms.definitions.threads
        for product, coefficient in form.terms.items():
            if len(product) == 1 and product[0] in ids and abs(coefficient) == 1:
                rest = form.without(product).times(-coefficient)
                if all(self.is_fixed(value) for value in linear.values_in(rest)):
                    return threads.pinned(ids[product[0]], rest)
        return threads


def _conjuncts(op: Op, truth: bool) -> list[tuple[Operand, bool]]:
    """Conditions that all hold, with their truths, when the i1 result of `op` is `truth`."""
    if len(op.results) != 1 or op.result.type != "i1":
        return []
    if op.name == ("and" if truth else "or"):
        return [(each, truth) for each in op.operands]
    if op.name == "xor" and op.operands[1] == Const("i1", 1):
        return [(op.operands[0], not truth)]
    if op.name == "select":
        condition, x, y = op.operands
        if truth and y == Const("i1", 0):
            return [(condition, True), (x, True)]
        if not truth and x == Const("i1", 1):
            return [(condition, False), (y, False)]
    return []
