# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remove what nothing needs: ops, results of `if` and loops, carried values, empty control flow.

    %r, %q = for %lb, %ub, 1, %x, %y { (%i, %a, %b)          %q = for %lb, %ub, 1, %y { (%i, %b)
      %a2 = fadd %a, 1.0                                ==>    ...
      ...; yield %a2, %b2                                      yield %b2
    }   ; %r is not used                                     }

Sound because only ops without effects go, and a value goes only if no op that stays depends on it. Found by marking:
from the ops with effects to the values that they use, to the ops and the carried values that compute those; so a
carried value that only computes its own next value is not needed. The grid, and the block of a kernel that has just
one, stay even when empty. Votes and shuffles go as well when their results have no use: CUDA has them order no memory,
so a kernel without them allows no order of accesses that it did not allow before.

A `for` ends, and so does a `while` that was needed once: copies of it come from splitting loops over threads, and end
where it does. A `while` whose results had no use from the start may be one that never ends: on a GPU nothing behind it
is reached then. `keep_endless_loops` gives it an effect, once counted loops are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from warploom.ir.core import TRUE, Op, Operand, Region, Value, walk
from warploom.ir.ops import OPS, PARALLEL
from warploom.ir.properties import has_no_effect, is_exchange, is_removable
from warploom.passes.clean.choices import SELECT_OPS

_SHORT = SELECT_OPS + 1  # ops of a region, its terminator among them: simplify.py makes other forms of such sides

# Ops that stay only when their results are needed, by their names alone.
_CONTROL = frozenset(("if", "for", "while"))
_NONE = frozenset[int]()
_NO_ROOTS = (frozenset(name for name, info in OPS.items() if has_no_effect(info)) | PARALLEL | _CONTROL) - {"while"}


class _Marking:
    """What stays. Walks backwards, so that uses come before what they use, but for what a loop hands to its next trip:
    a loop is walked until nothing is new."""

    def __init__(self, body: Region) -> None:
        self.live: set[Op] = set()
        self.values: set[Value] = set()
        self.slots: dict[Op, frozenset[int]] = {}  # of `if`, `for`, `while`: results that stay
        self.carried: dict[Op, frozenset[int]] = {}  # of `while`: parameters of the first region that stay
        blocks = [op for op in walk(body) if op.name == "block"]
        self.roots = {op for op in body.ops if op.name == "grid"} | set(blocks if len(blocks) == 1 else ())
        self._region(body)

    def _region(self, region: Region) -> bool:
        """Mark in `region`, whose terminator is up to who stands around it; whether anything stays."""
        live, values = self.live, self.values
        found = False
        for op in reversed(region.ops):
            if op.regions:
                found |= self._nest(op)
                continue
            if op in live:
                found = True
                continue
            if op.name in _NO_ROOTS or not _is_root(op):
                for value in op.results:
                    if value in values:
                        break
                else:
                    continue
            live.add(op)
            values.update([each for each in op.operands if isinstance(each, Value)])
            found = True
        return found

    def _nest(self, op: Op) -> bool:
        """Mark `op` and in it; whether it stays."""
        by_name = {"if": self._if, "for": self._for, "while": self._while}
        found = by_name.get(op.name, self._parallel)(op)
        if found:
            self.live.add(op)
        return found

    def _parallel(self, op: Op) -> bool:
        found = op in self.roots or not self.values.isdisjoint(op.results)
        found |= op.name not in _NO_ROOTS and _is_root(op)
        for region in op.regions:
            found |= self._region(region)
        if found:
            self._need(op.operands)
        return found

    def _if(self, op: Op) -> bool:
        slots = self.slots[op] = self._needed(op.results)
        found = bool(slots)
        for region in op.regions:
            self._need(region.terminator.operands, slots)
            found |= self._region(region)
        if found:
            self._need(op.operands)
        return found

    def _for(self, op: Op) -> bool:
        region = op.region
        slots, found, before = self._needed(op.results) | self.slots.get(op, _NONE), False, None
        while slots != before:
            before = slots = self._handed(slots, region.params[1:], region.terminator.operands)
            found = self._region(region)
            slots |= self._needed(region.params[1:])
        self.slots[op] = slots
        if not found and not slots:
            return False
        self._need(op.operands[:3])
        self._need(op.operands[3:], slots)
        return True

    def _while(self, op: Op) -> bool:
        first, second = op.regions
        test = first.terminator.operands
        slots = self._needed(op.results) | self.slots.get(op, _NONE)
        carried = self.carried.get(op, _NONE)
        found, before = op in self.live or _is_root(op), None
        while (found, slots, carried) != before:
            before = found, slots, carried
            found |= bool(slots)
            if found:
                self._need(test[:1])
            self._need(test[1:], slots)
            found |= self._region(second)
            found |= self._region(first)
            slots |= self._needed(second.params)
            carried = self._handed(carried, first.params, second.terminator.operands)
        self.slots[op], self.carried[op] = slots, carried
        self._need(op.operands, carried)
        return found

    def _handed(self, slots: frozenset[int], params: Sequence[Value], handed: Sequence[Operand]) -> frozenset[int]:
        """Which of `params` are needed, where each trip hands on `handed`, of which so far `slots` were; these are
        needed now."""
        before = None
        while slots != before:
            before = slots
            self._need(handed, slots)
            slots |= self._needed(params)
        return slots

    def _need(self, operands: Sequence[Operand], slots: frozenset[int] | None = None) -> None:
        """All of `operands` are needed, or those with these numbers."""
        some = operands if slots is None else [operands[number] for number in slots]
        self.values.update([each for each in some if isinstance(each, Value)])

    def _needed(self, some: Sequence[Value]) -> frozenset[int]:
        return frozenset([number for number, value in enumerate(some) if value in self.values])


def _is_root(op: Op) -> bool:
    """Whether `op`, which is none of _NO_ROOTS, stays even if nothing uses what it computes."""
    if op.name == "while":
        return op.regions[0].terminator.operands[0] == TRUE
    return not is_removable(op) and not is_exchange(op)


class Gone(Enum):
    """What was removed."""

    NOTHING = "nothing"
    VALUES = "values"  # ops that compute them
    CONTROL_FLOW = "control flow"  # that, or what goes through it; or a side of an `if` has become short


def remove_dead_code(body: Region) -> Gone:
    """Remove what no effect of `body` depends on."""
    marking = _Marking(body)
    live = marking.live
    changed = reshaped = False
    regions = [body]
    for region in regions:  # which grows
        kept = [op for op in region.ops if op in live or op.name in ("yield", "condition")]
        if len(kept) != len(region.ops):
            reshaped = reshaped or len(kept) <= _SHORT or any(op.regions for op in region.ops if op not in live)
            region.ops = kept
            changed = True
        for op in kept:
            if op.regions:
                regions += op.regions
                if op.name in _CONTROL:
                    reshaped |= _narrow(op, marking)
    if reshaped:
        return Gone.CONTROL_FLOW
    return Gone.VALUES if changed else Gone.NOTHING


def keep_endless_loops(body: Region) -> None:
    """Give each `while` that nothing needs an effect: it may be there to stop the thread."""
    marking = _Marking(body)
    for op in [each for each in walk(body) if each.name == "while"]:
        if op not in marking.live:
            stays = Op("call", attrs={"callee": "llvm.sideeffect", "effects": "any"}, loc=op.loc)
            op.regions[0].ops.insert(0, stays)


def _narrow(op: Op, marking: _Marking) -> bool:
    """Drop the results and carried values of `op` that are not needed."""
    count = len(op.results)
    slots = [number for number in range(count) if number in marking.slots.get(op, ())]
    if op.name == "while":
        return _narrow_while(op, slots, marking)
    if len(slots) == count:
        return False
    op.results = [op.results[number] for number in slots]
    for region in op.regions:
        region.terminator.operands = [region.terminator.operands[number] for number in slots]
        if op.name == "for":
            region.params = [region.params[0], *(region.params[1 + number] for number in slots)]
    if op.name == "for":
        op.operands = [*op.operands[:3], *(op.operands[3 + number] for number in slots)]
    return True


def _narrow_while(op: Op, slots: list[int], marking: _Marking) -> bool:
    before, after = op.regions
    carried = [number for number in range(len(op.operands)) if number in marking.carried.get(op, ())]
    if len(slots) == len(op.results) and len(carried) == len(op.operands):
        return False
    test = before.terminator
    test.operands = [test.operands[0], *(test.operands[1 + number] for number in slots)]
    op.results = [op.results[number] for number in slots]
    after.params = [after.params[number] for number in slots]
    op.operands = [op.operands[number] for number in carried]
    before.params = [before.params[number] for number in carried]
    after.terminator.operands = [after.terminator.operands[number] for number in carried]
    return True
