# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is the same for all lanes of a warp although it is computed from the thread id.

    id = base + l, base a multiple of 32, 0 <= l < 32:

    id >> 5       ==>  base >> 5          id < 64   ==>  base < 64
    id & 31       ==>  l                  id % 32   ==>  l

Afterwards warp numbers, and conditions such as `threadIdx.x < 32`, are computed from `base` alone: outside of the
lanes. Sound because adding l < 32 to a multiple of 32 changes the low five bits only; ids are below 2^31, so signed
and unsigned agree. The linear id of a thread is recognised as a polynomial in the ids and dimensions, in any spelling.
"""

from __future__ import annotations

from collections import Counter

from warploom.core.records import dataclass
from warploom.ir.core import Const, Op, Operand, Region, Value, int_const, replace_uses, walk
from warploom.ir.ops import WARP_SIZE

_WIDEST = 8  # terms of a polynomial worth following
_AS_CLOSED = {"ugt": "uge", "sgt": "sge", "ule": "ult", "sle": "slt"}  # base > 63 is base >= 64

Polynomial = dict[tuple[int, ...], int]  # sorted atom numbers -> coefficient


@dataclass(frozen=True, slots=True)
class LaneId:
    """A value base + lane. `base`: outer, a multiple of 32."""

    base: Operand
    lane: Value


def find_linear_ids(region: Region, ids: list[Value], dims: list[Operand]) -> list[Value]:
    """The values in `region` that are tx + bdx * (ty + bdy * tz)."""
    atoms = {value: number for number, value in enumerate([*ids, *dims]) if isinstance(value, Value)}
    known: dict[Value, Polynomial | None] = {value: {(number,): 1} for value, number in atoms.items()}
    for op in walk(region):
        if len(op.results) == 1 and op.result.type == "i32":
            known[op.result] = _polynomial(op, known)
    wanted = _linear(ids, dims, known)
    return [op.result for op in walk(region) if len(op.results) == 1 and known.get(op.result) == wanted and wanted]


def _linear(ids: list[Value], dims: list[Operand], known: dict[Value, Polynomial | None]) -> Polynomial | None:
    total = known[ids[2]]
    for dim, id_ in ((dims[1], ids[1]), (dims[0], ids[0])):
        total = _plus(_times(total, _of(dim, known)), known[id_])
    return total


def _of(operand: Operand, known: dict[Value, Polynomial | None]) -> Polynomial | None:
    if isinstance(operand, Value):
        return known.get(operand)
    if not isinstance(operand.value, int):
        return None
    return {(): operand.value} if operand.value else {}


def _polynomial(op: Op, known: dict[Value, Polynomial | None]) -> Polynomial | None:
    if op.name not in ("add", "mul", "shl"):
        return None
    left, right = (_of(each, known) for each in op.operands)
    if op.name == "add":
        return _plus(left, right)
    if op.name == "shl":
        amount = op.operands[1]
        right = {(): 1 << amount.value} if isinstance(amount, Const) and isinstance(amount.value, int) else None
    return _times(left, right)


def _plus(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    if left is None or right is None:
        return None
    total = Counter(left)
    total.update(right)
    found = {key: value for key, value in total.items() if value}
    return found if len(found) <= _WIDEST else None


def _times(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    if left is None or right is None:
        return None
    total: Counter[tuple[int, ...]] = Counter()
    for a, x in left.items():
        for b, y in right.items():
            total[tuple(sorted(a + b))] += x * y
    return dict(total) if len(total) <= _WIDEST else None


def separate_lanes(region: Region, lane_ids: dict[Value, LaneId]) -> None:
    """Rewrite the uses of `lane_ids` in `region` that depend on the base or the lane alone."""
    aliases: dict[Value, Operand] = {}
    for op in walk(region):
        if len(op.operands) != 2 or len(op.results) != 1:
            continue
        first, amount = op.operands
        if (
            isinstance(first, Value)
            and first in lane_ids
            and isinstance(amount, Const)
            and isinstance(amount.value, int)
        ):
            _separate(op, lane_ids[first], amount.value, aliases)
    replace_uses(region, aliases)


def _separate(op: Op, id_: LaneId, amount: int, aliases: dict[Value, Operand]) -> None:
    if _drops_lane(op, amount):
        op.operands[0] = id_.base
        op.attrs.pop("flags", None)
    elif (op.name == "and" and amount == WARP_SIZE - 1) or (op.name in ("urem", "srem") and amount == WARP_SIZE):
        aliases[op.result] = id_.lane
    elif op.name == "icmp" and _cuts_between_warps(str(op.attrs["pred"]), amount):
        op.operands[0] = id_.base
        closed = _AS_CLOSED.get(str(op.attrs["pred"]))
        if closed:
            op.attrs["pred"] = closed
            op.operands[1] = int_const("i32", amount + 1)


def _drops_lane(op: Op, amount: int) -> bool:
    """Whether the low five bits make no difference to `op`."""
    if op.name in ("lshr", "ashr"):
        return amount >= 5
    return op.name in ("udiv", "sdiv") and 0 < amount < 1 << 31 and amount % WARP_SIZE == 0


def _cuts_between_warps(predicate: str, amount: int) -> bool:
    """Whether all ids base + l compare alike with `amount`."""
    if amount >= 1 << 31 or predicate[1:] not in ("lt", "ge", "gt", "le"):
        return False
    return (amount if predicate[1:] in ("lt", "ge") else amount + 1) % WARP_SIZE == 0
