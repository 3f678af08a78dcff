# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads whose work starts at a multiple of their number get a loop of their own where they start side by side.

    block { (%tx)                                  if %n == 1 && %m == 0 {
      %i = mul %tx, %n                               block { (%tx) %row = 0; while [%i = %tx] { ... } }
      %row = mul %tx, %m                 ==>       } { if %n == 0 && %m == 1 {
      while [%i] { ... load %a[%row + %i] ... }      block { (%tx) %row = %tx; while [%i = 0] { ... } }
    }                                              } { block { ... as it was ... } } }

A kernel that reduces any axis of an array is told by its launch what the threads of a row share: the sum, and then
neighbours take neighbouring elements of it, or the elements, and then neighbours have sums of their own. Either is a
row of memory; but only what is known when the kernel is compiled makes a vector of it. One number by itself says
whether neighbours have places of their own or share one, which then is computed once for all of them.

Loops with collectives get them before they are split into warps, which then are vectors of such threads.

Sound because each copy runs where the numbers are what stands in their place, for all threads of the block. That they
are asked for where no thread may have used them is no matter: they are frozen first.
"""

from __future__ import annotations

from warploom.ir.core import (
    Builder,
    Function,
    Op,
    Operand,
    Region,
    Value,
    clone_op,
    defined_in,
    int_const,
    replace_uses,
    walk,
    walk_op,
)
from warploom.ir.ops import Level
from warploom.ir.properties import is_arithmetic
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import BLOCKS_SPLIT, FLAT
from warploom.passes.guards.thread_loops import replace_thread_loops

NAME = "launch_factors"
MOST = 2  # factors: each has a copy
LARGEST = 300  # ops of a loop over threads that is worth having so often
_LOOPS = ("for", "while")
_WIDER = ("sext", "zext")


# -- questions --------------------------------------------------------------------------------------------------------


def factors_of(block: Op) -> list[Value]:
    """The numbers of the launch that the thread's number in x is multiplied by; none where that decides no loop."""
    inside = defined_in(block)
    threads, starts = {block.region.params[0]}, set[Value]()
    factors: dict[Value, None] = {}
    for op in walk(block.region):
        if op.name in _WIDER and op.operands[0] in threads:
            threads.add(op.result)
        elif op.name == "mul" and not threads.isdisjoint(op.operands):
            others = [each for each in op.operands if isinstance(each, Value) and each not in inside]
            factors.update(dict.fromkeys(others))
            starts.update(op.results if others else ())
        elif is_arithmetic(op) and not starts.isdisjoint(op.operands):
            starts.update(op.results)
    decides = any(not starts.isdisjoint(op.operands) and _accesses(op) for op in walk(block.region))
    return list(factors) if decides and len(factors) <= MOST else []


def _accesses(op: Op) -> bool:
    """Whether `op` is a loop that touches memory."""
    return op.name in _LOOPS and any(each.name in ("load", "store") for each in walk_op(op))


# -- rewriting --------------------------------------------------------------------------------------------------------


def versions(block: Op, factors: list[Value]) -> list[Op]:
    """`block` where one factor is 1 and the others are 0, where a factor that is alone is 0, and as it is."""
    ops: list[Op] = []
    build = Builder(ops, block.loc)
    frozen = {each: build.op("freeze", [each], each.type) for each in factors}
    cases = [{each: int(each is one) for each in factors} for one in factors]
    if len(factors) == 1:
        cases.append({factors[0]: 0})
    otherwise = block
    for case in reversed(cases):
        known: dict[Value, Operand] = {each: int_const(each.type, number) for each, number in case.items()}
        holds = [build.op("icmp", [frozen[each], known[each]], "i1", pred="eq") for each in factors]
        test = holds[0]
        for each in holds[1:]:
            test = build.op("and", [test, each], "i1")
        copy = clone_op(block, {})
        replace_uses(copy.region, known)
        sides = [Region([], [each, Op("yield")]) for each in (copy, otherwise)]
        otherwise = Op("if", [test], [], {}, sides, block.loc)
    return [*ops, otherwise]


def _rewritten(block: Op, context: Context) -> list[Op] | None:
    """The versions of a loop; None where it stays alone."""
    factors = factors_of(block) if sum(1 for _ in walk_op(block)) <= LARGEST else []
    if not factors:
        return None
    context.remark(NAME, "threads whose work starts side by side have a loop of their own", block.loc)
    return versions(block, factors)


def run(function: Function, context: Context) -> bool:
    """Write versions of the loops over threads of `function`."""
    return replace_thread_loops(function, lambda block: _rewritten(block, context))


def run_of_warps(function: Function, context: Context) -> bool:
    """Write versions of the loops over threads of which only those of a warp wait for each other."""
    return replace_thread_loops(function, lambda block: _rewritten(block, context), Level.WARP)


LAUNCH_FACTORS = Pass(NAME, run, requires=(FLAT,))
WARP_FACTORS = Pass("warp_factors", run_of_warps, requires=(BLOCKS_SPLIT,))
