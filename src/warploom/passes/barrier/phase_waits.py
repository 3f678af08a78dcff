# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits for the next phase of a barrier in memory (cuda::barrier, cuda::pipeline), which the headers leave as calls.

    call __warploom_phase_wait(%word, %mask, %old)     all threads of the block come:     else:

      while { ()                                         while { ()
        %now = load %word [volatile]                       %now = load %word [volatile]
        %same = (%now & %mask) == %old                     %same = (%now & %mask) == %old
        %stuck = barrier_reduce %same [kind=count]         condition %same
        if 0 < %stuck < all { trap }                     } { yield }
        condition %stuck != 0
      } { yield }

Theorem: let all threads of the block come to each such wait, or none (is_reached_uniformly), and let the kernel hold no
other loop that waits. Then all threads come to the same waits and barriers of the block in the same order, and between
two of them none waits for anything. So all come to the first, then to the next, whoever waits there for the others
besides. At a wait all threads ask at the same time. Where all find their phase over, all go on, as they would; where
none does, none would go on before somebody else comes, of another block, and they ask again. Where some do and others
do not, those that wait may need what the others do next: the launch ends with a message, and the reference engine runs
such programs. Without other waits the block needs no turns.

Where threads come one by one, as producers and consumers do, or other loops wait as well, it is a loop that waits like
any other (take_turns.py).
"""

from __future__ import annotations

from warploom.analysis.turns import is_phase_wait
from warploom.analysis.uniformity import uniformity
from warploom.core.records import replace
from warploom.ir.core import LAUNCH_PARAMS, Builder, Function, Op, Operand, Region, Value, int_const, walk
from warploom.ir.ops import Level
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import NO_PHASE_WAITS, SCALAR, STRUCTURED

NAME = "phase_waits"
WAITS_APART = "__warploom_waits_apart"
_ZERO = int_const("i32", 0)
_SIZES = ("bdx", "bdy", "bdz")


def run(function: Function, context: Context) -> bool:
    """Write the waits of `function` out; true if it has any."""
    waits = [op for op in walk(function.body) if is_phase_wait(op)]
    if not waits:
        return False
    known = uniformity(function)
    apart = next((op for op in waits if not known.is_reached_uniformly(op, Level.BLOCK)), None)
    is_alone = function.facts.phases
    function.facts = replace(function.facts, phases=False)
    for op in waits:
        if is_alone and apart is None:
            context.remark(NAME, "all threads of the block wait together for the barrier's phase", op.loc)
        else:
            reason = "not all threads of the block come here" if op is apart else "others of its waits are not such"
            context.remark(NAME, f"each thread waits by itself for the barrier's phase: {reason}", op.loc)
    together = is_alone and apart is None
    if together:
        function.facts = replace(function.facts, waits=False)
    for region in [each for op in walk(function.body) for each in op.regions]:
        if any(map(is_phase_wait, region.ops)):
            region.ops = [made for op in region.ops for made in _written(op, function, together)]
    return True


def _written(op: Op, function: Function, together: bool) -> list[Op]:
    if not is_phase_wait(op):
        return [op]
    word, mask, old = op.operands
    made: list[Op] = []
    outside, before = Builder(made, op.loc), Region()
    threads = _threads(outside, function) if together else _ZERO
    build = Builder(before.ops, op.loc)
    now = build.op("load", [word], "i32", align=4, volatile=True, ordering="seq_cst")
    same = build.op("icmp", [build.op("and", [now, mask], "i32"), old], "i1", pred="eq")
    if together:
        same = _asked_together(build, same, threads)
    build.terminate("condition", [same])
    after = Region()
    Builder(after.ops, op.loc).terminate()
    outside.add(Op("while", [], [], {}, [before, after], op.loc))
    return made


def _asked_together(build: Builder, same: Value, threads: Operand) -> Value:
    """Whether all threads still wait."""
    stuck = build.op("barrier_reduce", [build.op("zext", [same], "i32")], "i32", "stuck", kind="count")
    some = build.op("icmp", [stuck, _ZERO], "i1", pred="ne")
    not_all = build.op("icmp", [stuck, threads], "i1", pred="ne")
    parted, nothing = Region(), Region()
    inside = Builder(parted.ops, build.loc)
    inside.effect("call", [], callee=WAITS_APART, effects="any", noreturn=True)
    for region in (parted, nothing):
        Builder(region.ops, build.loc).terminate()
    build.add(Op("if", [build.op("and", [some, not_all], "i1")], [], {}, [parted, nothing], build.loc))
    return some


def _threads(build: Builder, function: Function) -> Operand:
    x, y, z = (function.params[LAUNCH_PARAMS.index(name)] for name in _SIZES)
    flags = ("nuw", "nsw")
    return build.op("mul", [build.op("mul", [x, y], "i32", flags=flags), z], "i32", "threads", flags=flags)


PHASE_WAITS = Pass(NAME, run, needed=True, requires=(STRUCTURED, SCALAR), ensures=(NO_PHASE_WAITS,))
