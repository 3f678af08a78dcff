# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mark atomic operations on memory that only one block, or one thread, can reach.

    atomicrmw @bins + 4 * %b, 1 [operation=add]     ==>     atomicrmw ... [operation=add, private]

One processor runs all threads of a block, one after the other or as vectors whose lanes take turns, and never leaves
one between the reading and the writing of an operation: a loop over threads that holds a marked one is not shared with
other processors (backend/loom_threads.py). So a plain load, the operation and a plain store do: an atomic
one locks the bus, 15 times the cost. Sound for shared and private variables, which no other block can address; a
pointer counts that leads to such a variable on every path. Not for shared variables of a kernel that asks for those of
other blocks of its cluster.
"""

from __future__ import annotations

from warploom.ir.core import Const, Function, Op, Operand, Value, walk
from warploom.ir.ops import PRIVATE
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import FLAT

_MOST_STEPS = 64


def stays_in_block(pointer: Operand, shared: set[str], definitions: dict[Value, Op]) -> bool:
    """Whether `pointer` surely leads to a shared or private variable."""
    work, seen = [pointer], set[Operand]()
    while work:
        each = work.pop()
        if each in seen:
            continue
        seen.add(each)
        if isinstance(each, Const):
            if not isinstance(each.value, str) or each.value.removeprefix("@") not in shared:
                return False
            continue
        op = definitions.get(each)
        if op is None or len(seen) > _MOST_STEPS or op.name not in ("gep", "select", "alloca"):
            return False
        work += {"gep": op.operands[:1], "select": op.operands[1:]}.get(op.name, [])
    return True


def run(function: Function, context: Context) -> bool:
    """Mark all of them."""
    del context
    atomics = [op for op in walk(function.body) if op.name in ("atomicrmw", "cmpxchg") and not op.attrs.get("volatile")]
    if not atomics:
        return False
    definitions = {value: op for op in walk(function.body) for value in op.results if not op.regions}
    shared = set[str]() if function.facts.reaches_cluster else set(function.shared)
    changed = False
    for op in atomics:
        if not op.attrs.get(PRIVATE) and stays_in_block(op.operands[0], shared, definitions):
            op.attrs[PRIVATE] = changed = True
    return changed


PRIVATE_ATOMICS = Pass("private_atomics", run, requires=(FLAT,))
