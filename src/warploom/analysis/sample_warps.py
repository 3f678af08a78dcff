# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers as the lanes of some warps of some blocks have them, where thread ids and block sizes decide them.

%l = and %tx, 31          warp 1 of a block of 64 threads: 0, 1, ..., 31
%c = icmp slt %tx, 48     true in 16 lanes of warp 1
%d = icmp slt %i, %n      not known: a parameter
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod

from warploom.core.launch import MAX_THREADS
from warploom.core.records import dataclass, field
from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.core import Attribute, Const, Op, Operand, Value
from warploom.ir.ops import WARP_SIZE
from warploom.ir.scalar import RUNTIME, Undefined, expression, signed

Shape = tuple[int, int, int]
Numbers = Sequence[int]  # as unsigned bits, one a lane
_ORDERS = ("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class _Poison(Exception):
    """The result is poison."""


def _poison() -> int:
    raise _Poison


@lru_cache(maxsize=4096)
def _function(text: str, count: int) -> Callable[..., Any]:
    names = ", ".join(f"a{number}" for number in range(count))
    function: Callable[..., Any] = eval(f"lambda {names}: {text}", {**RUNTIME, "poison": _poison})
    return function


def scalar_function(
    name: str, operands: Sequence[str], target: str, attrs: Mapping[str, Attribute]
) -> Callable[..., Any] | None:
    """What the integer op computes, as a function of unsigned bits that may raise Undefined or _Poison; None: no such
    op. `operands`: their types."""
    if not operands or not all(map(types.is_int, [*operands, target])):
        return None
    arguments = [f"a{number}" for number in range(len(operands))]
    if name == "freeze":
        return _function("a0", 1)
    source = operands[1] if name == "select" else operands[0]
    text = expression(name, arguments, source, target, attrs, "poison()")
    return None if text is None else _function(text, len(operands))


def compute(function: Callable[..., Any], arguments: Sequence[int]) -> int | None:
    """What `function` of scalar_function gives; None where that is undefined."""
    try:
        return int(function(*arguments))
    except (_Poison, Undefined):
        return None


@dataclass(slots=True)
class SampleWarp:
    """The lanes of one warp. `known`: ids and sizes; `makers`: the op behind each value."""

    makers: Mapping[Value, Op]
    known: dict[Value, Numbers | None] = field(default_factory=dict[Value, "Numbers | None"])

    def numbers(self, operand: Operand) -> Numbers | None:
        """The value in each lane; None where more than ids and sizes decides it."""
        if isinstance(operand, Const):
            return [operand.value] * WARP_SIZE if isinstance(operand.value, int) else None
        if operand not in self.known:
            self.known[operand] = None
            op = self.makers.get(operand)
            if op is not None and not op.regions and len(op.results) == 1:
                self.known[operand] = self._of(op)
        return self.known[operand]

    def _of(self, op: Op) -> Numbers | None:
        function = scalar_function(op.name, [each.type for each in op.operands], op.result.type, op.attrs)
        if function is None:
            return None
        rows: list[Numbers] = []
        for operand in op.operands:
            row = self.numbers(operand)
            if row is None:
                return None
            rows.append(row)
        found = [compute(function, arguments) for arguments in zip(*rows, strict=True)]
        return [each for each in found if each is not None] if None not in found else None

    def rounds(self, loop: Op) -> Numbers | None:
        """How often each lane goes round a `for`; None where that is not known, or the counter of a lane wraps."""
        pred = str(loop.attrs.get("pred"))
        if loop.name != "for" or pred not in _ORDERS:
            return None
        rows = [self.numbers(each) for each in loop.operands[:3]]
        width = types.bits(loop.operands[0].type)
        last = (1 << width - (pred[0] == "s")) - 1
        found: list[int] = []
        for lower, upper, step in zip(*(row or () for row in rows), strict=False):
            if pred[0] == "s":
                lower, upper = signed(lower, width), signed(upper, width)
            step = signed(step, width)
            end = last
            if pred[1] == "g":
                lower, upper, step = -lower, -upper, -step
                end = last + 1 if pred[0] == "s" else 0
            if step <= 0:
                return None
            rounds = max(0, (upper - lower - int(pred[2] == "t")) // step + 1)
            if lower + rounds * step > end:
                return None
            found.append(rounds)
        return found or None


def sample_warps(makers: Mapping[Value, Op], ids: Sequence[Value], sizes: Sequence[Operand]) -> list[SampleWarp]:
    """All warps of a block that fits what is known of `sizes`, of one with as long a row as can be: whatever is
    computed from x alone, or from the linear id alone, is tried for all that a block may have. A last warp of fewer
    lanes is tried as if it were whole."""
    known = [each.value if isinstance(each, Const) and isinstance(each.value, int) else None for each in sizes]
    shape = _longest(known)
    return [_warp(makers, ids, sizes, shape, warp) for warp in range(-(-prod(shape) // WARP_SIZE))]


def _longest(known: Sequence[int | None]) -> Shape:
    """As many threads as can be, along the first axis of unknown size."""
    room, found = MAX_THREADS, [each or 1 for each in known]
    for each in found:
        room //= each
    if None in known:
        found[known.index(None)] = max(1, room)
    return found[0], found[1], found[2]


def _warp(
    makers: Mapping[Value, Op], ids: Sequence[Value], sizes: Sequence[Operand], shape: Shape, warp: int
) -> SampleWarp:
    width, height, _ = shape
    threads = range(warp * WARP_SIZE, (warp + 1) * WARP_SIZE)
    known: dict[Value, Numbers | None] = {
        ids[0]: [each % width for each in threads],
        ids[1]: [each // width % height for each in threads],
        ids[2]: [each // width // height for each in threads],
    }
    for operand, size in zip(sizes, shape, strict=True):
        if isinstance(operand, Value):
            known[operand] = [size] * WARP_SIZE
    return SampleWarp(makers, known)
