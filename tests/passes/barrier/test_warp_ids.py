# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is computed from the first id of a warp, or from the lane alone, is what the thread's id gives."""

from __future__ import annotations

import pytest

from warploom.analysis.sample_warps import scalar_function
from warploom.ir.core import Attribute, Const, Op, Region, Value, int_const
from warploom.ir.ops import DIVISIONS, WARP_SIZE
from warploom.passes.barrier.warp_ids import LaneId, separate_lanes

AMOUNTS = (0, 1, 4, 5, 16, 31, 32, 33, 63, 64, 96, 100, 1 << 31, (1 << 32) - WARP_SIZE, (1 << 32) - 1)
IDS = (0, 1, 31, 32, 33, 63, 64, 95, 96, 127, 511, 1023)
KINDS = [
    *(("icmp", each) for each in "eq ne ult ule ugt uge slt sle sgt sge".split()),
    *((each, "") for each in "add and lshr ashr shl udiv sdiv urem srem".split()),
]


@pytest.mark.parametrize(("name", "pred"), KINDS)
def test_every_id_gives_the_same(name: str, pred: str) -> None:
    attrs: dict[str, Attribute] = {"pred": pred} if pred else {}
    type_ = "i1" if pred else "i32"
    least, most = (1, AMOUNTS[-1]) if name in DIVISIONS else (0, 31 if name.endswith(("shl", "shr")) else AMOUNTS[-1])
    for amount in (each for each in AMOUNTS if least <= each <= most):
        id_, base, lane, result = (Value("i32"), Value("i32"), Value("i32"), Value(type_))
        op = Op(name, [id_, int_const("i32", amount)], [result], dict(attrs))
        user = Op("freeze", [result], [Value(type_)])
        before = scalar_function(name, ["i32", "i32"], type_, attrs)
        assert before is not None
        separate_lanes(Region([], [op, user]), {id_: LaneId(base, lane)})
        after = scalar_function(name, ["i32", "i32"], type_, op.attrs)
        assert after is not None
        for number in IDS:
            values = {id_: number, base: number // WARP_SIZE * WARP_SIZE, lane: number % WARP_SIZE}
            first, second = op.operands
            assert isinstance(first, Value)
            assert isinstance(second, Const)
            values[result] = after(values[first], second.value)
            used = user.operands[0]
            assert isinstance(used, Value)
            assert values[used] == before(number, amount), (amount, number)
