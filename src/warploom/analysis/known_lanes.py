# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers that the number of a lane decides: which lane each lane of a warp reads, before the program runs.

    %linear = add %base, %l       %base a multiple of 32: the low five bits are those of %l
    %o = xor %linear, 1           low five bits: 1, 0, 3, 2, ...
    %g = and %linear, 24          exactly 0, ..., 0, 8, ...

Sound because the low bits of sums, products and bitwise ops depend on the low bits of the operands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Value
from warploom.ir.evaluate import evaluate
from warploom.ir.ops import WARP_SIZE

_LOW = WARP_SIZE - 1
_BY_LOW_BITS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_CASTS = ("zext", "sext", "trunc")

Numbers = list[int]  # one a lane


@dataclass(slots=True)
class KnownLanes:
    """`lanes`: values that are the lane's number; `aligned`: multiples of 32."""

    definitions: Mapping[Value, Op]
    lanes: Collection[Value]
    aligned: Collection[Operand]
    exact: dict[Value, Numbers | None] = field(default_factory=dict[Value, Numbers | None])
    bits: dict[Value, Numbers | None] = field(default_factory=dict[Value, Numbers | None])

    def numbers(self, operand: Operand) -> Numbers | None:
        """The value in each lane, as unsigned bits; None where more than the lane decides."""
        if isinstance(operand, Const):
            return [operand.value] * WARP_SIZE if isinstance(operand.value, int) else None
        if operand in self.lanes:
            return list(range(WARP_SIZE))
        if operand not in self.exact:
            self.exact[operand] = None
            op = self.definitions.get(operand)
            if op is not None and types.is_int(operand.type):
                self.exact[operand] = self._remainder(op) or self._evaluated(op)
        return self.exact[operand]

    def low_bits(self, operand: Operand) -> Numbers | None:
        """The value modulo 32 in each lane."""
        exact = self.numbers(operand)
        if exact is not None:
            return [each & _LOW for each in exact]
        if operand in self.aligned:
            return [0] * WARP_SIZE
        if not isinstance(operand, Value):
            return None
        if operand not in self.bits:
            self.bits[operand] = None
            op = self.definitions.get(operand)
            if op is not None:
                self.bits[operand] = self._low_bits(op)
        return self.bits[operand]

    def _low_bits(self, op: Op) -> Numbers | None:
        if op.name in _CASTS and types.is_int(op.operands[0].type) and types.bits(op.operands[0].type) > 5:
            return self.low_bits(op.operands[0])
        compute = _BY_LOW_BITS.get(op.name)
        if compute is None or not types.is_int(op.result.type) or types.bits(op.result.type) < 5:
            return None
        left, right = (self.low_bits(each) for each in op.operands)
        if left is None or right is None:
            return None
        return [compute(a, b) & _LOW for a, b in zip(left, right, strict=True)]

    def _remainder(self, op: Op) -> Numbers | None:
        """x & c and x % 2^k (unsigned) with no more than the low five bits left."""
        if op.name not in ("and", "urem"):
            return None
        number = op.operands[1]
        if not isinstance(number, Const) or not isinstance(number.value, int):
            return None
        mask = number.value
        if op.name == "urem":
            if mask <= 0 or mask & (mask - 1):
                return None
            mask -= 1
        low = self.low_bits(op.operands[0]) if mask <= _LOW else None
        return None if low is None else [each & mask for each in low]

    def _evaluated(self, op: Op) -> Numbers | None:
        if op.regions:  # control flow
            return None
        operands = [self.numbers(each) for each in op.operands]
        found: Numbers = []
        for lane in range(WARP_SIZE):
            constants: list[Operand] = []
            for operand, known in zip(op.operands, operands, strict=True):
                if known is None or not types.is_int(operand.type):
                    return None
                constants.append(Const(operand.type, known[lane]))
            result = evaluate(Op(op.name, constants, [Value(op.result.type)], op.attrs))
            if result is None or not isinstance(result.value, int):
                return None
            found.append(result.value)
        return found
