# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of how each op of a thread is written for a vector of threads; for a warp collectives as well."""

from __future__ import annotations

from warploom.core.deferred import deferred
from warploom.core.type_names import TYPE_CHECKING
from warploom.passes.vector.widen import Rule, Rules
from warploom.passes.vector.widen_alone import call, each_thread
from warploom.passes.vector.widen_arithmetic import arithmetic, select
from warploom.passes.vector.widen_memory import alloca, atomicrmw, fence
from warploom.passes.vector.widen_strided import load_in_group, store_in_group

if TYPE_CHECKING:
    from warploom.analysis.known_lanes import KnownLanes
    from warploom.passes.vector import widen_control, widen_loops
else:
    widen_control = deferred("warploom.passes.vector.widen_control")
    widen_loops = deferred("warploom.passes.vector.widen_loops")

_OF_THREADS: dict[str, Rule] = {
    "select": select,
    "load": load_in_group,
    "store": store_in_group,
    "alloca": alloca,
    "call": call,
    "fence": fence,
    "atomicrmw": atomicrmw,
    "cmpxchg": each_thread,
    "memcpy": each_thread,
    "memmove": each_thread,
    "memset": each_thread,
    "if": lambda w, op: widen_control.branch(w, op),
    "for": lambda w, op: widen_loops.counted_loop(w, op),
    "while": lambda w, op: widen_loops.loop(w, op),
}

THREADS = Rules(_OF_THREADS, arithmetic)


def of_warp(known: KnownLanes) -> Rules:
    """The rules for the lanes of a warp; `known` says which lanes a shuffle reads."""
    from warploom.passes.vector import widen_warp

    collectives: dict[str, Rule] = {
        "load": widen_warp.load_in_lock_step,
        "store": widen_warp.store_in_lock_step,
        "barrier": widen_warp.barrier,
        "activemask": widen_warp.activemask,
        "vote": widen_warp.vote,
        "match": widen_warp.match,
        "warp_reduce": widen_warp.warp_reduce,
        "shuffle": lambda w, op: widen_warp.shuffle(w, op, known),
    }
    return Rules({**_OF_THREADS, **collectives}, arithmetic)
