# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Let a warp go statement by statement where its lanes hand each other values with nothing in between that waits.

    if t < 32 { ...; store x[t] }                 if t < 32 { ...; store x[t] }
    if t < 16 { load x[t + 16]; ... }    ==>      if t < 16 { barrier [level=warp]; load x[t + 16]; ... }

Such code has a race: `__syncwarp()` is missing, or the memory is not volatile. CUDA has not promised since compute
capability 7 that it works, but the lanes of a GPU's warp go in lock step while they go the same way, so tails of
reductions written so give what was meant on every GPU. A barrier of the lanes that come to a place is always allowed:
it only rules out orders of threads that could happen. So it is no matter of soundness where they stand: before each
access that meets another lane's in sample launches (analysis/sample_run.py). Programs without races have none.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.analysis.sample_run import Pair, meeting_pairs
from warploom.core.records import dataclass
from warploom.core.remarks import WAITING, Unsupported
from warploom.ir.core import Const, Function, Op, Operand, Region, walk
from warploom.ir.ops import LOOPS, collective_level
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_MASKED_BARRIERS, ONE_LOOP_A_GRID, SCALAR

NAME = "lock_step"
_Place = tuple[object, int | None]
_NOWHERE: _Place = "nowhere", None
_KINDS = {"load": "load", "store": "store", "atomicrmw": "atomic", "cmpxchg": "atomic"}
_Access = tuple[object, str]  # an object, and the kind of an access to it


def run(function: Function, context: Context) -> bool:
    """Make lanes of a warp meet where they hand on values in `function`; true if they do anywhere."""
    pairs = pairs_of(function)
    if pairs and function.facts.waits:
        reason = f"{_describe(pairs[0][0])} with no __syncwarp() between, and {WAITING}"
        raise Unsupported(reason, pairs[0][1].loc)
    for first, then in pairs:
        context.remark(NAME, f"race: {_describe(first)}, and no __syncwarp() between: lanes run in lock step", then.loc)
    _place(function.body, {then for _, then in pairs})
    return bool(pairs)


def pairs_of(function: Function) -> list[Pair]:
    """Accesses by which lanes of a warp of `function` hand on values with nothing between that waits: the first of each
    two, and the one behind it."""
    if sum(op.name == "block" for op in walk(function.body)) != 1 or not _may_hand_on(function):
        return []
    return meeting_pairs(function)


def _may_hand_on(function: Function) -> bool:
    """Whether any object is accessed in two ways (loaded, stored, by atomics) with no barrier between, as far as the
    samples can tell objects apart: the first two accesses that meet are of two kinds."""
    places = _Places(function)
    found: dict[Op, object] = {}
    for op in walk(function.body):
        if op.name in _KINDS:
            place = places.of(op.operands[1 if op.name == "store" else 0])
            if place is not _NOWHERE:
                found[op] = place and place[0]
        places.define(op)
    accesses = frozenset((place, _KINDS[op.name]) for op, place in found.items())
    return _meet(accesses, accesses) and _exposed(function.body, found) is None


@dataclass(frozen=True)
class _Exposed:
    """The accesses that no barrier need stand in front of and behind, in some code; whether there is a way through it
    without any."""

    first: frozenset[_Access] = frozenset()
    last: frozenset[_Access] = frozenset()
    through: bool = True

    def then(self, behind: _Exposed) -> _Exposed | None:
        """This code and what comes behind it; None where accesses meet in two ways."""
        if _meet(self.last, behind.first):
            return None
        first = self.first | behind.first if self.through else self.first
        last = self.last | behind.last if behind.through else behind.last
        return _Exposed(first, last, self.through and behind.through)

    def beside(self, other: _Exposed) -> _Exposed | None:
        """Either of two, or one behind the other: lanes may go one way when others have gone the other."""
        if _meet(self.last, other.first) or _meet(other.last, self.first):
            return None
        return _Exposed(self.first | other.first, self.last | other.last, self.through or other.through)


def _meet(before: frozenset[_Access], behind: frozenset[_Access]) -> bool:
    """Whether any object, or one that is not known, is accessed in two ways."""
    return any(
        kind != other and (place == there or None in (place, there))
        for place, kind in before
        for there, other in behind
    )


def _exposed(region: Region, objects: Mapping[Op, object]) -> _Exposed | None:
    """The accesses to `objects` in `region` that a barrier need not part from others; None where two meet."""
    found: _Exposed | None = _Exposed()
    for op in region.ops:
        if not op.regions and op not in objects and collective_level(op) is None:
            continue  # most ops
        part = _exposed_in(op, objects)
        found = found.then(part) if part is not None else None
        if found is None:
            return None
    return found


def _exposed_in(op: Op, objects: Mapping[Op, object]) -> _Exposed | None:
    if op in objects:
        access = frozenset([(objects[op], _KINDS[op.name])])
        return _Exposed(access, access)
    if collective_level(op) is not None and op.name != "activemask":
        return _Exposed(through=False)
    found = _Exposed()
    for number, region in enumerate(op.regions):
        part = _exposed(region, objects)
        if part is None:
            return None
        together = part if not number else found.beside(part) if op.name == "if" else found.then(part)
        if together is None:
            return None
        found = together
    if op.name in LOOPS:  # again, or not at all
        again = found.then(found)
        return None if again is None else _Exposed(again.first, again.last)
    return found


class _Places:
    """Where addresses lead in sample launches: to an object, so many bytes from its start (None: not a constant).

    A pointer that is loaded from a place leads to an object of its own. None: who knows. `_NOWHERE`: no sample knows.
    """

    def __init__(self, function: Function) -> None:
        self._found: dict[Operand, _Place | None] = {each: (each, 0) for each in function.arguments}

    def of(self, address: Operand) -> _Place | None:
        """The place of `address`, whose op has been defined."""
        return (address, 0) if isinstance(address, Const) else self._found.get(address)

    def define(self, op: Op) -> None:
        """Learn where the result of `op` leads."""
        if op.name == "alloca":
            self._found[op.result] = _NOWHERE
        elif op.name in ("gep", "load") and op.result.type == "ptr":
            base = self.of(op.operands[0])
            if base is None or base is _NOWHERE:
                self._found[op.result] = base
            elif op.name == "gep":
                self._found[op.result] = base[0], _moved(base[1], op)
            elif base[1] is not None:
                self._found[op.result] = ("loaded", *base), 0


def _moved(start: int | None, gep: Op) -> int | None:
    """How far from an object's start `gep` leads, whose operand leads to `start`."""
    offset = gep.attrs.get("offset", 0)
    if start is None or len(gep.operands) > 1 or not isinstance(offset, int):
        return None
    return start + offset


def _describe(first: Op) -> str:
    verb = "loads what another lane has stored" if first.name != "load" else "stores what another lane has loaded"
    return f"a lane of the warp {verb}" + (f" at line {first.loc.line}" if first.loc else "")


def _place(region: Region, points: set[Op]) -> None:
    ops: list[Op] = []
    for op in region.ops:
        if op in points:
            ops.append(Op("barrier", [], [], {"level": "warp", "lock_step": True}, [], op.loc))
        for inner in op.regions:
            _place(inner, points)
        ops.append(op)
    region.ops = ops


LOCK_STEP = Pass(NAME, run, requires=(ONE_LOOP_A_GRID, SCALAR, NO_MASKED_BARRIERS))
