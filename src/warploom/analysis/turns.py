# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loops over threads have iterations that wait for each other, or for other blocks.

    block 256, 1, 1 { (%tx)                        iterations that take turns: while one waits, others go on, up to
      while { load volatile %flag } ...            the end of the loop or to where they wait themselves
    }

A kernel in which find_spin_wait finds a loop `waits` (core/kernel_facts.py). Loops are told again by what is in them,
after passes have moved, copied and split them: every `while` that reads memory, or calls what may, and every counted
loop around an access that other threads see, but for such loops in it. That errs towards waiting.
"""

from __future__ import annotations

from warploom.core.records import replace
from warploom.ir.core import Function, Op, Region, walk, walk_op
from warploom.ir.ops import LOOPS, OPS, Effect

PHASE_WAIT = "__warploom_phase_wait"
_TURNS = frozenset(("block", "warp", "lane"))
_SEEN = frozenset((Effect.READ, Effect.READ_WRITE, Effect.ORDER, Effect.COLLECTIVE))


def may_wait(function: Function, loop: Op) -> bool:
    """Whether the sequential `loop` may wait for another thread."""
    if not function.facts.waits or loop.attrs.get("bounded") or loop.name not in LOOPS:
        return False
    if loop.name == "while":
        return any(_reads(op) for region in loop.regions for op in walk(region))
    return _looks(function, loop.region)


def _looks(function: Function, region: Region) -> bool:
    """Whether `region` has an access that others see, but for loops in it that wait by themselves."""
    for op in region.ops:
        if _is_seen(op) or (not may_wait(function, op) and any(_looks(function, inner) for inner in op.regions)):
            return True
    return False


def takes_turns(function: Function, loop: Op) -> bool:
    """Whether iterations of the parallel loop `loop` may wait for each other."""
    if not function.facts.waits or loop.name not in _TURNS:
        return False
    return any(may_wait(function, op) for op in walk_op(loop))


def _reads(op: Op) -> bool:
    kind = OPS[op.name].effect
    return kind in _SEEN or (kind is Effect.CALL and op.attrs.get("effects") != "none")


def _is_seen(op: Op) -> bool:
    """Whether `op` is an access that other threads see at once, or lets them have their turn."""
    if op.name in ("atomicrmw", "cmpxchg", "fence", "call_indirect", "asm"):
        return True
    if op.name == "call":
        return bool(op.attrs.get("looks")) or op.attrs.get("effects") == "any"
    return bool(op.attrs.get("volatile") or op.attrs.get("ordering"))


def is_phase_wait(op: Op) -> bool:
    """Whether `op` waits for the next phase of a barrier in memory."""
    return op.name == "call" and op.attrs["callee"] == PHASE_WAIT


def note_phase_waits(function: Function) -> None:
    """Note of a kernel in CFG form that it waits for phases of barriers: it waits, and so for nothing else if it is
    not known to."""
    ops = (op for block in function.blocks for op in block.ops)
    if any(map(is_phase_wait, ops)):
        function.facts = replace(function.facts, phases=not function.facts.waits, waits=True)
