# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads that may sink to an atomic operation, which threads make one after the other.

    %x = load %data[%i]                 for each thread of the vector {
    %p = gep @counts, %x                  %x = load %data[%i]
    atomicrmw add %p, 1         ==>       %p = gep @counts, %x
                                          atomicrmw add %p, 1
                                        }

Threads whose addresses differ take their turns at the operation one after the other. What only computes its operands
may be done then: a vector of it would go through memory to get apart, and some processors wait long for a byte of a
vector that they have just stored.

Sound because the order of threads is free between barriers, and a thread's own order stays: nothing between its load
and its operation may write. Only where the two have other bases: the loads of racy code still come before all of the
operations, as in a warp that keeps step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warploom.analysis.byte_addresses import Addresses
from warploom.ir.core import Op, Operand, Region, Value, uses_of, walk
from warploom.ir.ops import is_plain_load, leaves_memory

ADDRESSING = frozenset(("gep", "sext", "zext"))
_ATOMIC = ("atomicrmw", "cmpxchg")
_Users = Mapping[Value, Sequence[tuple[Op, int]]]


def sinkable_loads(region: Region, definitions: Mapping[Value, Op]) -> set[Op]:
    """The loads in `region` and below that can wait for an atomic operation."""
    found: set[Op] = set()
    if not any(op.name in _ATOMIC for op in walk(region)):
        return found
    addresses, users = Addresses(definitions), uses_of(region)
    for each in (region, *(inner for op in walk(region) for inner in op.regions)):
        for number, op in enumerate(each.ops):
            if op.name in _ATOMIC:
                found |= _waiting_for(op, each.ops[:number], addresses, users)
    return found


def _waiting_for(atomic: Op, before: Sequence[Op], addresses: Addresses, users: _Users) -> set[Op]:
    root = addresses.of(atomic.operands[0]).root
    needed: set[Operand] = set(atomic.operands)
    moved, found = {atomic}, set[Op]()
    for op in reversed(before):
        if not leaves_memory(op):
            break
        sinks = is_plain_load(op) and addresses.of(op.operands[0]).root != root
        if needed.isdisjoint(op.results) or not (sinks or op.name in ADDRESSING):
            continue
        if all(user in moved for user, _ in users.get(op.result, ())):
            moved.add(op)
            needed.update(op.operands if op.name in ADDRESSING else ())
            found.update((op,) if sinks else ())
    return found
