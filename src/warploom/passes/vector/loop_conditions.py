# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a loop's condition that threads part at, and the part that is the same for all of them.

    while (k < %limit && x < 4) ...        k: the same in all threads of a vector
    ==>  mask' = mask & (x < 4);  go on while (k < %limit && any(mask'))

What all threads have in common need not be in the mask: when it does not hold all leave, and the mask has no further
use. Sound for `select a, b, false`, whose second operand may be poison where the first does not hold: parts keep
their order. Where `b` is the common one and holds no poison for some active thread, it holds none for any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warploom.core.records import dataclass
from warploom.ir.core import FALSE, Builder, Op, Operand, Value


@dataclass(frozen=True, slots=True)
class Common:
    """A condition that all threads have in common, and whether it is asked before the others."""

    condition: Operand
    is_first: bool


def parted(
    condition: Operand, definitions: Mapping[Value, Op], is_common: Callable[[Operand], bool]
) -> tuple[Operand, list[Common]]:
    """`condition` without what threads have in common, and that: the outermost first."""
    common: list[Common] = []
    while isinstance(condition, Value) and (op := definitions.get(condition)) is not None:
        if op.name != "select" or op.operands[2] != FALSE:
            break
        first, second, _ = op.operands
        if is_common(first) == is_common(second):
            break
        common.append(Common(first, True) if is_common(first) else Common(second, False))
        condition = second if is_common(first) else first
    return condition, common


def joined(build: Builder, some: Operand, common: list[Common], scalar: Callable[[Operand], Operand]) -> Operand:
    """Whether the loop goes on: `some` thread is left, and all that is common holds."""
    for each in reversed(common):
        pair = (scalar(each.condition), some) if each.is_first else (some, scalar(each.condition))
        some = build.op("select", [*pair, FALSE], "i1")
    return some
