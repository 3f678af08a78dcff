# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads that give the same again behind barriers.

    block (t) {
      %a = load %in + 4 * t          lasts until the stores through %out: before them
      barrier                        nothing in the block writes what %in may point to
      use %a
      barrier
      store ..., %out + 4 * t
    }

A block is a sequence of stretches: what stands between barriers, and each construct with a barrier in it. A load lasts
where, from its stretch to the last one that uses it or what can be computed from it, no thread of the block writes what
the load may have read, and none sends or gets a message (an atomic or volatile access, a fence, a call): then a thread
of another block that writes there has nothing that puts it behind the load, so the program has a race already. What the
kernel itself writes by the same name is left alone all the same: programs that mark what they have seen, and do not
mind who comes first, still count on one value for each thread.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.analysis.affine import Affine
from warploom.analysis.memory import Access, Memory
from warploom.analysis.pointers import PARAM
from warploom.ir.core import Op, Value, used_in, walk_op
from warploom.ir.ops import Level, is_plain_load, levels_in
from warploom.ir.properties import is_pure
from warploom.ir.types import size_of


def lasting_loads(block: Op, memory_of: Callable[[], Memory]) -> set[Value]:
    """The loads right in `block` that may be made again wherever in it their values are used, for as much as they cost:
    of neighbours in memory by neighbours in x. The memory is only looked at where a load is used behind a barrier."""
    stretch = _stretches(block)
    last = {op: _last_use(op, block, stretch) for op in block.region.body if is_plain_load(op)}
    crossing = [op for op, number in last.items() if number > stretch[op]]
    if not crossing:
        return set()
    memory = memory_of()
    accesses = memory.accesses(block)
    where = {inner: stretch[op] for op in block.region.body for inner in walk_op(op)}
    return {
        op.result for op in crossing if _lasts(op, last[op], accesses, where, memory) and _is_of_rows(op, block, memory)
    }


def _stretches(block: Op) -> dict[Op, int]:
    """The number of the stretch that each op right in `block` is in."""
    found: dict[Op, int] = {}
    number = 0
    for op in block.region.body:
        holds = bool(levels_in(op) & Level.BLOCK)
        number += holds
        found[op] = number
        number += holds
    return found


def _last_use(load: Op, block: Op, stretch: dict[Op, int]) -> int:
    """The last stretch that uses `load` or what is computed from it right in `block`."""
    known: set[Value] = {load.result}
    last = stretch[load]
    for op in block.region.body:
        if not known.isdisjoint(used_in(op)):
            last = stretch[op]
            if is_pure(op):
                known.update(op.results)
    return last


def _lasts(load: Op, last: int, accesses: list[Access], where: dict[Op, int], memory: Memory) -> bool:
    mine = memory.accesses(load)
    if len(mine) != 1 or mine[0].object.kind != PARAM:
        return False
    for access in accesses:
        is_between = where[load] <= where[access.op] <= last
        if access.orders and is_between:
            return False
        is_same = access.object == mine[0].object
        if access.writes and (is_same or (is_between and memory.may_overlap(access.object, mine[0].object))):
            return False
    return True


def _is_of_rows(load: Op, block: Op, memory: Memory) -> bool:
    """Whether threads side by side in x load what lies side by side."""
    offset = memory.accesses(load)[0].place.offset
    return offset is not None and _factor(offset, block.region.params[0]) == size_of(load.result.type)


def _factor(offset: Affine, id_: Value) -> int | None:
    """What `id_` is multiplied by in `offset`, where that is a number."""
    products = [product for product in offset.terms if id_ in product]
    return offset.terms[products[0]] if len(products) == 1 and products[0] == (id_,) else None
