# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is the same in all lanes of a warp, or of each aligned group of lanes, though computed from thread ids.

    %i = add %tx, (%bx * %bdx)
    %w = lshr %i, 5          the same in a warp          %t = lshr %i, 3      the same in groups of 8
    %c = icmp %tx, 64        the same in a warp          %m = and %tx, -16    the same in groups of 16

Which numbers say where in its warp a thread stands depends on the blocks of a launch: a warp is 32 linear ids from a
multiple of 32 on, x + width * (y + height * z), but whether x counts them too, and y and z are the same in a warp,

    ANY          any block: only the linear id does
    ROWS         width a multiple of 32, or one row: so does x
    WHOLE_ROWS   width a multiple of 32: so does x, and whatever is added to it times the width

Sound because an id is then a multiple of the group's size plus a number below it, and what drops the low bits, or
compares with a multiple of the size, cannot tell such ids apart. Control flow is uniformity.py's business.

Where the width of the block is not known, a kernel may be compiled for some of these blocks only: the attribute `warps`
says which, and the runtime has the reference engine run launches of others.
"""

from __future__ import annotations

from enum import IntEnum
from math import prod

from warploom.analysis.affine import Forms, affine_forms
from warploom.analysis.definitions import definitions
from warploom.analysis.uniformity import GRID, VARYING, WARP, Solver, Uniformity
from warploom.core.records import replace
from warploom.ir.core import Const, Function, Op, Operand, Value, int_const
from warploom.ir.ops import WARP_SIZE

Terms = dict[frozenset[Value], int]  # a sum of products of different values
_CLOSED = {"lt": 0, "ge": 0, "gt": 1, "le": 1}  # x > c is x >= c + 1


class Warps(IntEnum):
    """The blocks that something holds for. Those of a larger number are among those of a smaller one."""

    ANY = 0
    ROWS = 1
    WHOLE_ROWS = 2


def known_warps(function: Function) -> Warps:
    """What holds for all blocks that a kernel may be launched with."""
    width, height, depth = definitions(function).block
    if width is not None and width % WARP_SIZE == 0:
        return Warps.WHOLE_ROWS
    return Warps.ROWS if height == 1 and depth == 1 else Warps.ANY


def likely_warps(function: Function) -> Warps:
    """What holds for the blocks that a kernel is written for: of a width that is not known, a multiple of 32."""
    return Warps.WHOLE_ROWS if definitions(function).block[0] is None else known_warps(function)


def assumed_warps(function: Function) -> Warps:
    """Which blocks the code is for: `ANY` where that is all that there may be."""
    return Warps(function.facts.warps)


def assume_warps(function: Function, warps: Warps) -> None:
    """Note that from now on the code is for such blocks only."""
    function.facts = replace(function.facts, warps=int(max(warps, assumed_warps(function))))


def linear_id(block: Op) -> Terms:
    """A thread's number in the block: x + width * (y + height * z)."""
    terms: Terms = {}
    sizes: frozenset[Value] = frozenset()
    skip = 1
    for number, size in zip(block.region.params, block.operands, strict=True):
        if size != int_const("i32", 1) or not terms:
            terms[sizes | {number}] = skip
        if isinstance(size, Const) and isinstance(size.value, int):
            skip *= size.value
        elif isinstance(size, Value):
            sizes |= {size}
    return terms


def group_uniformity(function: Function, size: int, warps: Warps) -> Uniformity:
    """Uniformity where level WARP means aligned groups of `size` lanes, in blocks of the kind `warps`."""
    solver = _GroupSolver(function, size, warps)
    solver.solve()
    return Uniformity(solver.ranks, solver.control, solver.shared)


class _GroupSolver(Solver):
    def __init__(self, function: Function, size: int, warps: Warps) -> None:
        super().__init__(function)
        self.size = size
        self.warps = warps
        self.forms: Forms = affine_forms(function, definitions(function))
        self.linear: Terms = {}
        self.in_row: Value | None = None  # x, where it counts the lanes of a warp
        self.of_row: set[Value] = set()  # ids that all lanes of a warp have

    def _control_flow(self, op: Op, control: int, floor: int) -> None:
        if op.name != "block":
            super()._control_flow(op, control, floor)
            return
        x, *others = op.region.params
        self.linear = linear_id(op)
        if self.warps > Warps.ANY:
            self.in_row, self.of_row = x, set(others)
        self._sink(x, VARYING)
        for each in others:
            self._sink(each, WARP if each in self.of_row else VARYING)
        self._region(op.region, GRID, VARYING)

    def _collective(self, op: Op, control: int) -> int:
        """One lane's value for a group, or 0 where it does not come."""
        rank = super()._collective(op, control)
        if op.name != "shuffle" or op.attrs["kind"] != "idx" or control < WARP:
            return rank
        _, _, source, width = op.operands
        whole = isinstance(width, Const) and isinstance(width.value, int) and width.value % self.size == 0
        return WARP if whole and self.rank(source) >= WARP else rank

    def _op(self, op: Op, control: int) -> int:
        rank = super()._op(op, control)
        return WARP if rank < WARP and self._is_same(op) else rank

    def _is_same(self, op: Op) -> bool:
        """Whether `op` cannot tell the lanes of a group apart: it drops what differs."""
        if len(op.operands) != 2:
            return False
        x, amount = op.operands
        if not isinstance(amount, Const) or not isinstance(amount.value, int) or not self._is_group_and_lane(x):
            return False
        number = amount.value
        if op.name in ("lshr", "ashr"):
            return number < 32 and (1 << number) % self.size == 0
        if op.name in ("udiv", "sdiv"):
            return 0 < number < 1 << 31 and number % self.size == 0 and self.forms.interval(x)[0] >= 0
        if op.name == "and":
            return number % self.size == 0
        if op.name != "icmp" or str(op.attrs["pred"])[1:] not in _CLOSED or number >= 1 << 31:
            return False
        bound = number + _CLOSED[str(op.attrs["pred"])[1:]]
        return bound % self.size == 0 and self.forms.interval(x)[0] >= 0

    def _is_group_and_lane(self, operand: Operand) -> bool:
        """Whether `operand` is a multiple of the size, the same in the group, plus the thread's place in it."""
        affine = self.forms.of(operand).affine
        terms = {frozenset(product): number for product, number in affine.terms.items()}
        is_linear = self.in_row is None and self.linear.items() <= terms.items()
        found = int(is_linear)
        for product, coefficient in affine.terms.items():
            if is_linear and frozenset(product) in self.linear:
                continue
            if product == (self.in_row,):
                found += coefficient
            elif any(self.rank(each) < WARP for each in product) or (coefficient * self._multiple(product)) % self.size:
                return False
        return found == 1 and affine.constant % self.size == 0

    def _multiple(self, product: tuple[Value, ...]) -> int:
        """A number that divides the product: the width is a multiple of 32 where there are several rows, or always."""
        is_multiple = self.warps is Warps.WHOLE_ROWS or (
            self.warps is Warps.ROWS and not self.of_row.isdisjoint(product)
        )
        width = self.forms.block_params[0]
        return prod(WARP_SIZE if each is width and is_multiple else 1 for each in product)
