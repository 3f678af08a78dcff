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

from enum import Enum

from warploom.ir.core import TRUE, Op, Operand, Region, Value
from warploom.ir.ops import OPS, PARALLEL
from warploom.ir.properties import has_no_effect, is_exchange, is_removable
from warploom.passes.clean.choices import SELECT_OPS

_SHORT = SELECT_OPS + 1  # ops of a region, its terminator among them: simplify.py makes other forms of such sides

# Where a value comes from that control flow passes on: the op, and which of its results, or which parameter of which of
# its regions.
_Source = tuple[Op, int, int]
_RESULT = -1


# Ops that stay only when their results are needed, by their names alone.
_CONTROL = frozenset(("if", "for", "while"))
_NO_ROOTS = (frozenset(name for name, info in OPS.items() if has_no_effect(info)) | PARALLEL | _CONTROL) - {"while"}


class _Marking:
    def __init__(self, body: Region) -> None:
        self.sources: dict[Value, Op | _Source] = {}
        self.parents: dict[Op, Op] = {}
        self.live: set[Op] = set()
        self.values: set[Value] = set()
        self.slots: dict[Op, set[int]] = {}  # of `if`, `for`, `while`: results that stay
        self.carried: dict[Op, set[int]] = {}  # of `while`: parameters of the first region that stay
        self.work: list[Operand] = []
        self.regions: list[Region] = []
        self.control: list[Op] = []  # `if`, `for` and `while`
        roots: list[Op] = []
        blocks: list[Op] = []
        self._collect(body, None, roots, blocks)
        roots += [op for op in body.ops if op.name == "grid"]
        roots += blocks if len(blocks) == 1 else []
        for op in roots:
            self._need_op(op)
        values, work, sources, live = self.values, self.work, self.sources, self.live
        while work:
            value = work.pop()
            if isinstance(value, Value) and value not in values:
                values.add(value)
                source = sources.get(value)
                if isinstance(source, Op):
                    if source not in live:
                        self._need_op(source)
                elif source is not None:
                    self._need_source(*source)

    def _collect(self, region: Region, parent: Op | None, roots: list[Op], blocks: list[Op]) -> None:
        sources, parents = self.sources, self.parents
        self.regions.append(region)
        for op in region.ops:
            if parent is not None:
                parents[op] = parent
            if not op.regions:
                for value in op.results:
                    sources[value] = op
            else:
                for number, value in enumerate(op.results):
                    sources[value] = (op, _RESULT, number)
                if op.name == "block":
                    blocks.append(op)
                elif op.name in _CONTROL:
                    self.control.append(op)
                for place, inner in enumerate(op.regions):
                    for number, value in enumerate(inner.params):
                        sources[value] = (op, place, number)
                    self._collect(inner, op, roots, blocks)
            if op.name not in _NO_ROOTS and _is_root(op):
                roots.append(op)

    def _need_op(self, op: Op) -> None:
        """`op` stays, and so do the ops around it."""
        if op in self.live:
            return
        self.live.add(op)
        if not op.regions:
            if op.name not in ("yield", "condition"):
                self.work += op.operands
        elif op.name == "if":
            self.work.append(op.operands[0])
        elif op.name == "for":
            self.work += op.operands[:3]
        elif op.name == "while":
            self.work.append(op.regions[0].terminator.operands[0])
        else:
            self.work += op.operands
        parent = self.parents.get(op)
        if parent is not None and parent not in self.live:
            self._need_op(parent)

    def _need_source(self, op: Op, place: int, number: int) -> None:
        self._need_op(op)
        if op.name not in _CONTROL:
            return
        if op.name == "if":
            self._need_slot(op, number)
        elif op.name == "for":
            if place == _RESULT or number > 0:
                self._need_slot(op, number if place == _RESULT else number - 1)
        elif op.name == "while":
            if place == 0:
                self._need_carried(op, number)
            else:
                self._need_slot(op, number)

    def _need_slot(self, op: Op, number: int) -> None:
        slots = self.slots.setdefault(op, set())
        if number in slots:
            return
        slots.add(number)
        if op.name == "while":
            self.work.append(op.regions[0].terminator.operands[1 + number])
            return
        for region in op.regions:
            self.work.append(region.terminator.operands[number])
        if op.name == "for":
            self.work.append(op.operands[3 + number])

    def _need_carried(self, op: Op, number: int) -> None:
        carried = self.carried.setdefault(op, set())
        if number not in carried:
            carried.add(number)
            self.work.append(op.operands[number])
            self.work.append(op.regions[1].terminator.operands[number])


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
    for region in marking.regions:
        kept = [op for op in region.ops if op in live or op.name in ("yield", "condition")]
        if len(kept) != len(region.ops):
            reshaped = reshaped or len(kept) <= _SHORT or any(op.regions for op in region.ops if op not in live)
            region.ops = kept
            changed = True
    for op in marking.control:
        if op in live:
            reshaped |= _narrow(op, marking)
    if reshaped:
        return Gone.CONTROL_FLOW
    return Gone.VALUES if changed else Gone.NOTHING


def keep_endless_loops(body: Region) -> None:
    """Give each `while` that nothing needs an effect: it may be there to stop the thread."""
    marking = _Marking(body)
    for op in marking.control:
        if op.name == "while" and op not in marking.live:
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
