# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When an `if` is better a `select`, and what of it can be computed before it.

Both sides of an `if` are a few cheap ops without effects: it becomes selects.

One side yields what the other leaves open:

    %r = if %c { %a = add %x, 1                %a = add %x, 1
                 barrier                 ==>   if %c { barrier }        (%r is %a)
                 yield %a }
               { yield poison }

Sound for pure ops, and choices between them, on operands from outside: they may run where they did not before, and
and poison may become any value, so also %a. Loops that threads leave early look like this: without the `if`, the
counter is seen to be the same for all threads, also when they do not agree on the way out.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.ir.core import Op, Operand, Region, Value, free_values, walk_op
from warploom.ir.ops import COMMUTATIVE, levels_in
from warploom.ir.properties import is_speculatable
from warploom.passes.clean.fold import is_poison

# An `if` becomes selects up to this many ops on each side and this many results: less than a mispredicted branch.
SELECT_OPS = 2
SELECT_RESULTS = 4
_CHEAP = COMMUTATIVE | frozenset(
    "sub shl lshr ashr fsub fneg icmp fcmp select trunc zext sext bitcast gep extractelement extractvalue".split()
)
# For each result; threads that go the other way compute them in vain, which costs less than a barrier out of place.
LIFTED_OPS = 8
LIFTED_OPS_BESIDE_BARRIERS = 64


def is_select(op: Op) -> bool:
    """Whether computing both sides of an `if` is cheaper than choosing one."""
    if not 0 < len(op.results) <= SELECT_RESULTS:
        return False
    bodies = [region.body for region in op.regions]
    return all(len(body) <= SELECT_OPS and all(each.name in _CHEAP for each in body) for body in bodies)


def lift_results(op: Op, is_outside: Callable[[Operand], bool]) -> list[Op]:
    """Take from the sides of an `if` what computes a result that the other side leaves open; returns these ops.

    `is_outside`: whether an operand is defined outside of `op`.
    """
    ends = [region.terminator.operands for region in op.regions]
    if not any(is_poison(operand) for operands in ends for operand in operands):
        return []
    lifted: list[Op] = []

    def is_free(operand: Operand) -> bool:
        return is_outside(operand) or any(operand in each.results for each in lifted)

    most = 0
    for side, other in ((0, 1), (1, 0)):
        for value, opposite in zip(ends[side], ends[other], strict=True):
            if is_poison(opposite) and not is_free(value):
                most = most or (LIFTED_OPS_BESIDE_BARRIERS if levels_in(op) else LIFTED_OPS)
                lifted += _take(value, op.regions[side], is_free, most)
    return lifted


def computes_freely(op: Op) -> bool:
    """Whether `op` is pure, or a choice between results of pure ops."""
    if op.name != "if":
        return not op.regions and is_speculatable(op)
    return all(computes_freely(each) for region in op.regions for each in region.body)


def _take(value: Operand, region: Region, is_free: Callable[[Operand], bool], most: int) -> list[Op]:
    """Remove from `region` the ops that compute `value`, in order; none if there are others than few pure ones."""
    makers = {result: op for op in region.body for result in op.results}
    wanted: set[Op] = set()
    pending: list[Operand] = [value]
    while pending:
        operand = pending.pop()
        if is_free(operand):
            continue
        maker = makers.get(operand) if isinstance(operand, Value) else None
        if maker in wanted:
            continue
        if maker is None or not computes_freely(maker):
            return []
        most -= sum(1 for _ in walk_op(maker))
        if most < 0:
            return []
        wanted.add(maker)
        pending += [*maker.operands, *(free_values(maker) if maker.regions else ())]
    chain = [op for op in region.body if op in wanted]
    region.ops = [op for op in region.ops if op not in wanted]
    return chain
