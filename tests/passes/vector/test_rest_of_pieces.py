# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is left behind whole pieces of an array is mostly nothing: whether any thread has something is asked."""

from __future__ import annotations

import pytest
from vector_runs import IDS, results, threads, vectorised

from warploom.ir.core import walk

WIDTH = 8
REST = f"""{IDS}
    %whole: i32 = and %n, MASK:i32
    %at: i32 = add %whole, %tx [flags=(nsw)]
    %rest: i1 = icmp %at, END [pred=PRED]
    if %rest {{
      %q: ptr = gep %in, %at [offset=0, strides=(4)]
      %y: i32 = load %q [align=4]
      store %y, %mine [align=4]
      yield
    }} {{ yield }}"""


def program(mask: int = -4, end: str = "%n", pred: str = "slt") -> str:
    return REST.replace("MASK", str(mask)).replace("END", end).replace("PRED", pred)


# What a thread asks, and whether a vector of them is asked first.
FACTS = {
    "whether it takes one of the rest": (program(), True),
    "of an unsigned number": (program(pred="ult"), True),
    "of pieces of 32": (program(mask=-32), True),
    "of so large pieces that most threads may have one": (program(mask=-64), False),
    "whether it is in a group of four": (program(mask=3), False),
    "whether it is below another number": (program(end="%x"), False),
    "whether it is behind the rest": (program(pred="sge"), False),
}


@pytest.mark.parametrize(("code", "asks"), FACTS.values(), ids=FACTS)
def test_form(code: str, asks: bool) -> None:
    after = vectorised(threads(code), WIDTH, 1, alone=False)
    asked = [op for op in walk(after.body) if op.name == "reduce" and op.attrs["kind"] == "or"]
    assert bool(asked) == asks


@pytest.mark.parametrize("n", [0, 3, 4, 7, 21, 32, 39])
def test_results(n: int) -> None:
    function = threads(program())
    after = vectorised(function, WIDTH, 1, alone=False)
    for block in (8, 1, 1), (13, 1, 1):
        assert results(after, block, n) == results(function, block, n)
