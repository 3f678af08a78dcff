# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop that ends with the first thread that leaves runs only where all threads of a vector are active: no masks."""

from __future__ import annotations

import pytest
from vector_runs import IDS, results, threads, vectorised

from warploom.ir.core import walk, walk_op

WIDTH = 8
# Threads below a bound add up every 16th number from theirs on.
SUMS = threads(f"""{IDS}
    %d: i1 = icmp %id, %n [pred=slt]
    if %d {{
      %last: i32, %sum: i32 = while %tx, 0:i32 {{ (%i: i32, %s: i32)
        %four: i32 = mul %i, 4:i32 [flags=(nsw)]
        %go: i1 = icmp %four, 200:i32 [pred=slt]
        condition %go, %i, %s
      }} {{ (%j: i32, %t: i32)
        %q: ptr = gep %in, %j [offset=0, strides=(4)]
        %y: i32 = load %q [align=4]
        %u: i32 = add %t, %y
        %next: i32 = add %j, 16:i32 [flags=(nsw)]
        yield %next, %u
      }}
      store %sum, %mine [align=4]
      yield
    }} {{ yield }}""")


def test_loads_of_whole_vectors_are_not_masked() -> None:
    after = vectorised(SUMS, WIDTH, 1, alone=False)
    loops = [[each.name for each in walk_op(op)] for op in walk(after.body) if op.name == "while"]
    whole, rest, *_ = (names for names in loops if "reduce" in names)
    assert ("load" in whole, "masked_load" in whole) == (True, False)
    assert ("load" in rest, "masked_load" in rest) == (False, True)


@pytest.mark.parametrize("n", [0, 1, 5, 8, 13, 16, 21, 32, 100])
@pytest.mark.parametrize("jam", [1, 2])
def test_sums(n: int, jam: int) -> None:
    after = vectorised(SUMS, WIDTH, jam, alone=False)
    for block in (16, 1, 1), (13, 1, 1), (8, 2, 1):
        for seed in (None, 3):
            assert results(after, block, n, seed=seed) == results(SUMS, block, n)
