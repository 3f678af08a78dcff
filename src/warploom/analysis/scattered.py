# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why neighbouring threads do not load or store side by side: for the user, in words, with the line to look at.

    %k: i32 = load %columns[%i]      line 12
    %v: float = load %x[%k]          line 13     "x: the index is loaded at line 12"

The cause is found by walking from the address to what it is computed from, as long as something that the op takes is
already a vector of which nothing is known: where that ends, the pattern was lost.
"""

from __future__ import annotations

from warploom.analysis.integers import signed_value
from warploom.analysis.lane_shapes import X
from warploom.analysis.lanes import SPREAD, Shapes
from warploom.analysis.pointers import SHARED, Object
from warploom.core.records import dataclass, field
from warploom.ir import types
from warploom.ir.core import Const, Op, Operand, Value, walk_op

_DIVIDED = {"udiv": "divided", "sdiv": "divided", "urem": "the remainder", "srem": "the remainder"}
_SCALED = frozenset(("mul", "shl"))


@dataclass(slots=True)
class Reasons:
    """Explains the accesses of one thread loop."""

    loop: Op
    shapes: Shapes
    owners: dict[Value, Op] = field(default_factory=dict[Value, Op])  # of loops: what they carry

    def __post_init__(self) -> None:
        for op in walk_op(self.loop):
            if op.name in ("for", "while"):
                self.owners.update((param, op) for region in op.regions for param in region.params)

    def why(self, op: Op) -> str:
        """Why the load or store `op` goes here and there: `ARRAY: REASON`."""
        pointer = op.operands[-1]
        stride = self.shapes.of(pointer).stride
        if stride is not None:
            value = op.results[0] if op.results else op.operands[0]
            reason = f"neighbouring threads are {abs(stride)} bytes apart, an element has {types.size_of(value.type)}"
        else:
            reason = self._cause(pointer, "address")
        return f"{self._array(pointer)}: {reason}"

    def _maker(self, operand: Operand) -> Op | None:
        return self.shapes.ranges.definitions.get(operand) if isinstance(operand, Value) else None

    def _array(self, pointer: Operand) -> str:
        """What the user knows the memory by."""
        op = self._maker(pointer)
        while op is not None and op.name == "gep":
            pointer = op.operands[0]
            op = self._maker(pointer)
        if isinstance(pointer, Const):
            return Object(SHARED, str(pointer.value).removeprefix("@")).label.removeprefix("@")
        if op is None:
            return pointer.name or "memory"
        if op.name == "alloca":
            return "a private array"
        return "memory between barriers" if op.name == "scratch" else f"a pointer{_by(op)}"

    def _cause(self, operand: Operand, what: str) -> str:
        """Why nothing is known of the vector `operand`, an address or an index."""
        op = self._maker(operand)
        if op is None:
            return self._carried(operand, what)
        if op.name == "gep":
            return self._of_address(op)
        deeper = [each for each in op.operands if self.shapes.of(each).is_vector]
        if deeper and op.name not in ("load", "call", "if", "for", "while"):
            return self._cause(deeper[0], what)
        return f"the {what} {self._verb(op)}{_at(op)}"

    def _carried(self, operand: Operand, what: str) -> str:
        """Of what a loop carries or counts: where it starts says why, or the loop itself does."""
        loop = self.owners.get(operand) if isinstance(operand, Value) else None
        if loop is None:
            return f"the {what} is not known"
        params = loop.regions[0].params
        number = params.index(operand) if operand in params else -1
        starts = [loop.operands[0], *loop.operands[3:]] if loop.name == "for" else loop.operands
        if number >= 0 and self.shapes.of(starts[number]).is_vector:
            return f"{self._cause(starts[number], f'start of the {what}')}"
        return f"the {what} changes in a loop{_by(loop)} whose number of iterations differs between threads"

    def _of_address(self, op: Op) -> str:
        base, *indices = op.operands
        for index in indices:
            if self.shapes.of(index).is_vector:
                return self._cause(index, "index")
        if self.shapes.of(base).is_vector:
            return self._cause(base, "address")
        return f"the index is a 32-bit number that may wrap{_at(op)}"

    def _verb(self, op: Op) -> str:
        """What the op does that loses the pattern."""
        if op.name == "load":
            return "is loaded"
        if op.name == "call":
            return f"is what {op.attrs.get('callee')} returns"
        if op.name in ("if", "select"):
            return "depends on a condition that differs between threads"
        if op.name in ("for", "while"):
            return "comes out of a loop whose number of iterations differs between threads"
        if op.name == "alloca":
            return (
                "is private"
                if op.attrs.get(SPREAD)
                else "is that of a private array that vectors cannot read side by side"
            )
        if op.name in _DIVIDED:
            return f"is {_DIVIDED[op.name]} by a number that is not known to be a multiple of the vector's width"
        if op.name in _SCALED and all(_number(each) is None for each in op.operands):
            return "is multiplied by a number that is not known when the kernel is compiled"
        if op.name in ("sext", "zext", "trunc"):
            return "is a 32-bit number that may wrap"
        return f"is computed by `{op.name}`"


def differs(shapes: Shapes, op: Op) -> bool:
    """Whether neighbouring threads give `op` something different."""
    return any(shapes.of(each).dims & X for each in op.operands)


def _number(operand: Operand) -> int | None:
    return signed_value(operand) if isinstance(operand, Const) else None


def _at(op: Op) -> str:
    return f" at line {op.loc.line}" if op.loc else ""


def _by(op: Op | None) -> str:
    return f" of line {op.loc.line}" if op is not None and op.loc else ""
