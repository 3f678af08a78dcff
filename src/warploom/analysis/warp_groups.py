# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is the same in all lanes of a warp, or of each aligned group of lanes, though computed from thread ids.

    %i = add %tx, (%bx * %bdx)
    %w = lshr %i, 5          the same in a warp          %t = lshr %i, 3      the same in groups of 8
    %c = icmp %tx, 64        the same in a warp          %m = and %tx, -16    the same in groups of 16

Meant for warps that lie in one row: blocks of one row, or whose width is a multiple of 32. Sound there because an id is
then a multiple of the group's size plus a number below it, and what drops the low bits, or compares with a multiple of
the size, cannot tell such ids apart. Control flow is uniformity.py's business.

Where the width of the block is not known, its warps may have several rows: on demand the ids y and z, and all that is
computed from them but the linear id, count as different in a warp then. What x alone decides counts as in rows.
"""

from __future__ import annotations

from math import prod

from warploom.analysis.affine import Forms, affine_forms
from warploom.analysis.definitions import definitions
from warploom.analysis.uniformity import GRID, VARYING, WARP, Solver, Uniformity
from warploom.ir.core import Const, Function, Op, Operand, Value, int_const
from warploom.ir.ops import WARP_SIZE

Terms = dict[frozenset[Value], int]  # a sum of products of different values
_CLOSED = {"lt": 0, "ge": 0, "gt": 1, "le": 1}  # x > c is x >= c + 1


def lies_in_rows(function: Function) -> bool:
    """Whether warps lie in one row of the block, for all that is known of its shape."""
    width, height, depth = definitions(function).block
    return width is None or width % WARP_SIZE == 0 or (height == 1 and depth == 1)


def may_have_short_rows(function: Function) -> bool:
    """Whether `lies_in_rows` is an assumption: launches may have a width that makes warps of several rows."""
    width, height, depth = definitions(function).block
    return width is None and not (height == 1 and depth == 1)


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


def group_uniformity(function: Function, size: int, *, short_rows: bool = False) -> Uniformity:
    """Uniformity where level WARP means aligned groups of `size` lanes; of warps that lie in rows if `lies_in_rows`.
    `short_rows`: y and z may differ in a warp where that is only assumed."""
    solver = _GroupSolver(function, size, short_rows and may_have_short_rows(function))
    solver.solve()
    return Uniformity(solver.ranks, solver.control, solver.shared)


class _GroupSolver(Solver):
    def __init__(self, function: Function, size: int, short_rows: bool) -> None:
        super().__init__(function)
        self.short_rows = short_rows
        self.linear: Terms = {}
        self.size = size
        self.rows = lies_in_rows(function)
        self.forms: Forms = affine_forms(function, definitions(function))
        self.of_row: set[Value] = set()  # ids that all threads of a row have
        self.in_row: set[Value] = set()

    def _control_flow(self, op: Op, control: int, floor: int) -> None:
        if op.name == "block" and self.rows:
            x, *others = op.region.params
            self.in_row.add(x)
            self.of_row.update(others)
            self.linear = linear_id(op)
            self._sink(x, VARYING)
            for each in others:
                self._sink(each, VARYING if self.short_rows else WARP)
            self._region(op.region, GRID, VARYING)
            return
        super()._control_flow(op, control, floor)

    def _collective(self, op: Op, control: int) -> int:
        """One lane's value for a group: which lanes the last warp of a block lacks is not asked."""
        rank = super()._collective(op, control)
        if op.name != "shuffle" or op.attrs["kind"] != "idx" or control < WARP:
            return rank
        _, _, source, width = op.operands
        whole = isinstance(width, Const) and isinstance(width.value, int) and width.value % self.size == 0
        return WARP if whole and self.rank(source) >= WARP else rank

    def _op(self, op: Op, control: int) -> int:
        rank = super()._op(op, control)
        return WARP if rank < WARP and self.rows and self._is_same(op) else rank

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
        terms = {frozenset(product): number for product, number in affine.terms}
        is_linear = self.short_rows and self.linear.items() <= terms.items()
        found = int(is_linear)
        for product, coefficient in affine.terms:
            if is_linear and frozenset(product) in self.linear:
                continue
            if len(product) == 1 and product[0] in self.in_row:
                found += coefficient
            elif any(self.rank(each) < WARP for each in product) or (coefficient * self._multiple(product)) % self.size:
                return False
        return found == 1 and affine.constant % self.size == 0

    def _multiple(self, product: tuple[Value, ...]) -> int:
        """A number that divides the product: a row is a multiple of 32 threads, where there are several."""
        width = self.forms.block_params[0]
        return prod(WARP_SIZE if each is width else 1 for each in product)
