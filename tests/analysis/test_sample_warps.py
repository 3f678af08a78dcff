# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often lanes of a sample warp go round a loop."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from block_kernel import block_kernel

from warploom.analysis.sample_warps import SampleWarp
from warploom.ir.core import walk
from warploom.ir.ops import WARP_SIZE

# A loop's bounds and predicate, and its rounds in lane x; None: not known, as a lane's counter wraps.
LOOPS: dict[str, Callable[[int], int] | None] = {
    "0:i32, %tx, 1:i32 [pred=slt]": lambda x: x,
    "%tx, 0:i32, -2:i32 [pred=sge]": lambda x: x // 2 + 1,
    "%tx, 5:i32, 2147483616:i32 [pred=slt]": lambda x: int(x < 5),
    "%tx, 2147483647:i32, 1:i32 [pred=sle]": None,
    "%tx, 2147483647:i32, 3:i32 [pred=slt]": None,
    "%tx, -2147483648:i32, -1:i32 [pred=sgt]": lambda x: 2147483648 + x,
    "0:i32, -2147483648:i32, -1:i32 [pred=sge]": None,
    "%tx, -1:i32, 1:i32 [pred=ult]": lambda x: 4294967295 - x,
    "%tx, -1:i32, 1:i32 [pred=ule]": None,
    "%tx, -2:i32, 2147483647:i32 [pred=ult]": None,
    "%tx, 0:i32, -1:i32 [pred=ugt]": lambda x: x,
    "%tx, 0:i32, -1:i32 [pred=uge]": None,
    "%tx, 5:i32, 0:i32 [pred=slt]": None,
}


@pytest.mark.parametrize("text", LOOPS)
def test_rounds(text: str) -> None:
    function = block_kernel("for " + text + " { (%k: i32) yield }")
    (block,) = (op for op in walk(function.body) if op.name == "block")
    (loop,) = (op for op in walk(function.body) if op.name == "for")
    makers = {value: op for op in walk(function.body) for value in op.results}
    rounds = LOOPS[text]
    expected = None if rounds is None else [rounds(x) for x in range(WARP_SIZE)]
    assert SampleWarp(makers, {block.region.params[0]: range(WARP_SIZE)}).rounds(loop) == expected
