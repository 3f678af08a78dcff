# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many low bits of a value a thread's lane decides: these are alike in all warps.

    %tx, the linear id     5: a warp begins at a multiple of 32
    %l = and %tx, 31       all: what is behind the fifth bit is cut off
    %h = shl %tx, 30       all: two of the five are left, and zeros
    %c = icmp %l, 16       all: whatever is computed of such values

Sums, products and bitwise operations have as many bits as the least of their operands: carries only go up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Value
from warploom.ir.properties import is_convergent, is_pure

ALL = 64  # of a value of any type
OF_A_LANE = 5
_LOW_FIRST = ("add", "sub", "mul", "and", "or", "xor")


@dataclass(slots=True)
class LaneBits:
    """What is found out of a kernel's values. `counts`: whether a value numbers threads from a multiple of 32 on."""

    makers: Mapping[Value, Op]
    counts: Callable[[Value], bool]
    found: dict[Value, int] = field(default_factory=dict[Value, int])

    def decides(self, operand: Operand) -> bool:
        """Whether the lane decides all of an operand."""
        return self.of(operand) == ALL

    def of(self, operand: Operand) -> int:
        """How many low bits of an operand are the same function of the lane in all warps; ALL: it is."""
        if not isinstance(operand, Value):
            return ALL
        if operand not in self.found:
            self.found[operand] = 0  # of a value that needs itself
            bits = OF_A_LANE if self.counts(operand) else self._of(operand)
            width = types.bits(operand.type) if types.is_int(operand.type) else ALL
            self.found[operand] = ALL if bits >= width else bits
        return self.found[operand]

    def _of(self, value: Value) -> int:
        op = self.makers.get(value)
        if op is None or op.regions or not op.operands:
            return 0
        bits = [self.of(each) for each in op.operands]
        least, number = min(bits), _constant(op.operands[-1])
        if least == ALL or not types.is_int(value.type):
            return least if least == ALL and is_pure(op) and not is_convergent(op) else 0
        if op.name == "and" and number is not None and number < 1 << bits[0]:
            return ALL
        if op.name in ("shl", "lshr") and number is not None:
            return bits[0] + number if op.name == "shl" else max(0, bits[0] - number)
        if op.name in ("trunc", "zext", "sext", "freeze", *_LOW_FIRST):
            return least
        return 0


def _constant(operand: Operand) -> int | None:
    return operand.value if isinstance(operand, Const) and isinstance(operand.value, int) else None
