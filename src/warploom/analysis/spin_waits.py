# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in which a thread waits for what another thread does.

    ^spin: %v = load %flag [volatile=true]          goes round until %v changes; nothing in the loop changes it
           %c = icmp %v, 0 [pred=eq]
           cond_br %c [targets=(spin, after)]

Where the threads of a block run one after another such a loop never ends when the other thread comes later, or ends by
its second exit (a time limit, a flag to stop) where all other threads would have had their turn.

Theorem: a loop does not wait when a thread that runs alone leaves it, whatever is in memory, or goes round it for ever
and no other thread of the kernel could change that. So every edge that such a thread takes only finitely often is
taken out of the loop, and the loop does not wait when no cycle is left. These edges are:

- *Retry*: where a compare-exchange has failed that expected what the thread had just read there. Alone it succeeds.
  The same where a thread asks whether the value it has just stored stands. (progress.py)
- *Count*: where a variable of the loop, or a sum in memory, moves on, that only the thread's own steps change and that
  a test on every way round compares; if something is done with it beside counting: a loop that only counts how often
  it has looked (or how long, by a clock) is a wait with a limit.
- *Walk*: where such a variable moves on by steps, if every look that decides about the loop is at an address that it
  moves: no place is looked at twice.
- *Chase*: where what was found at one place says where to look next, and differs from where that was, or from the
  constant that ends the chain. A chain of links has an end.
- *Claim*: a failed compare-exchange that expects a constant, or a flag set by an exchange, at another slot each time,
  where no thread of the kernel ever writes that constant back: a slot that is claimed stays so. (permanent_claims.py)

A loop that no look decides about (cycle.py) ends by itself, or never; the loops in it are asked one by one. A barrier
of the block on every way round lets all its threads go on together, so cycles with one do not wait. The answer errs
towards waiting: such kernels run on the reference engine.

Every cycle of states is a way through the blocks: where no cycle of blocks without such a barrier holds a look, no
states are asked for (they take longer than all else here).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from warploom.analysis.components import is_cycle, strong_components
from warploom.core.deferred import deferred
from warploom.core.type_names import TYPE_CHECKING
from warploom.ir.core import Block, Function, Op, Operand
from warploom.ir.properties import SLEEPS, lets_others_in

if TYPE_CHECKING:
    from warploom.analysis import cycle as loops
    from warploom.analysis import path_states, permanent_claims, progress
else:
    path_states = deferred("warploom.analysis.path_states")
    permanent_claims = deferred("warploom.analysis.permanent_claims")
    progress = deferred("warploom.analysis.progress")
    loops = deferred("warploom.analysis.cycle")

_BLOCK_LEVELS = ("block", "grid")


def find_spin_wait(function: Function) -> Op | None:
    """The access that a loop of `function` (in CFG form) waits on; None when no loop waits for another thread."""
    if not any(_may_be_waited_on(op) for block in function.blocks for op in block.ops) or not _may_look_again(function):
        return None
    states = path_states.path_states(function)
    joins = {number for number, block in enumerate(states.blocks) if any(map(_joins_block, block.ops))}
    edges = [edge for edge in states.edges if edge.source not in joins and edge.target not in joins]
    work = [(part, edges) for part in _cycles(range(len(states.blocks)), edges)]
    while work:
        members, edges = work.pop()
        cycle = loops.Cycle(states, members, edges, _entries(states, members))
        looks = _deciding_looks(cycle)
        finite = _finite_edges(cycle, looks) if looks else _ways_back(cycle)
        if not finite:
            return looks[0]
        left = [edge for edge in cycle.edges if edge not in finite]
        work += [(part, left) for part in _cycles(cycle.members, left)]
    return None


def _may_be_waited_on(op: Op) -> bool:
    """Whether `op` reads memory that other threads change while this one runs, or lets others do so."""
    if op.name in ("atomicrmw", "cmpxchg", "fence") or op.attrs.get("looks"):
        return True
    if op.name == "call":
        return op.attrs["callee"] in SLEEPS
    return op.name == "asm" or (op.name == "load" and bool(op.attrs.get("volatile") or op.attrs.get("ordering")))


def _may_look_again(function: Function) -> bool:
    """Whether a cycle of blocks without a barrier of the block holds what may be a look."""
    blocks = {block.name: block for block in function.blocks if not any(map(_joins_block, block.ops))}
    graph = {name: [str(target) for target in _targets(block)] for name, block in blocks.items()}
    used = {operand for block in function.blocks for op in block.ops for operand in op.operands}
    for part in strong_components(graph):
        if is_cycle(graph, part):
            ops = [op for name in part for op in blocks[name].ops]
            is_open = any(map(lets_others_in, ops))
            if any(_may_be_look(op, used, is_open) for op in ops):
                return True
    return False


def _targets(block: Block) -> Sequence[object]:
    targets = block.ops[-1].attrs.get("targets", ())
    assert isinstance(targets, tuple)
    return targets


def _may_be_look(op: Op, used: Collection[Operand], is_open: bool) -> bool:
    """Whether Cycle.is_look may hold for `op` in a loop and decide anything; `is_open`: loads may be looks there."""
    if op.name == "load":
        return is_open or bool(op.attrs.get("volatile") or op.attrs.get("ordering"))
    if op.name in ("atomicrmw", "cmpxchg"):
        return any(result in used for result in op.results)
    return op.name == "asm" or bool(op.attrs.get("looks"))


def _joins_block(op: Op) -> bool:
    """Whether all threads of a block advance together past `op`."""
    return op.name == "barrier_reduce" or (op.name == "barrier" and op.attrs["level"] in _BLOCK_LEVELS)


def _cycles(members: Iterable[int], edges: Iterable[path_states.Edge]) -> list[list[int]]:
    graph: dict[int, list[int]] = {number: [] for number in members}
    for edge in edges:
        if edge.source in graph and edge.target in graph:
            graph[edge.source].append(edge.target)
    return [part for part in strong_components(graph) if is_cycle(graph, part)]


def _entries(states: path_states.States, members: Sequence[int]) -> set[int]:
    """The states by which the loop is come into."""
    inside = set(members)
    return {edge.target for edge in states.edges if edge.target in inside and edge.source not in inside}


def _deciding_looks(cycle: loops.Cycle) -> list[Op]:
    """The looks that decide how often the loop goes round."""
    conditions = [cycle.block(number).ops[-1].operands[0] for number in cycle.decisions()]
    return cycle.sources(conditions, controls=cycle.decisions()).looks


def _ways_back(cycle: loops.Cycle) -> set[path_states.Edge]:
    """The edges that begin another iteration."""
    return {edge for edge in cycle.edges if edge.target in cycle.entries}


def _finite_edges(cycle: loops.Cycle, looks: Collection[Op]) -> set[path_states.Edge]:
    """The edges that a thread which runs alone takes only finitely often."""
    found = progress.retry_edges(cycle) | permanent_claims.claimed_edges(cycle)
    found |= progress.counted_edges(cycle, looks) | progress.walked_edges(cycle, looks)
    return found | progress.chased_edges(cycle)
