# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which copies become a loop again, and that every thread computes the same."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, int_const, walk
from warploom.ir.ops import ROLLED
from warploom.ir.parser import parse_function
from warploom.passes.shape.reroll import REROLL


def choices(copy: int, number: int = 0) -> str:
    """A value of a thread by eight conditions, one in the other."""
    name = f"{copy}.{number}"
    inner = f"%i.{name}: i32 = add %l.{copy}, {number}:i32" if number == 7 else choices(copy, number + 1)
    value = f"%i.{name}" if number == 7 else f"%v.{copy}.{number + 1}"
    return f"""
      %q.{name}: i1 = icmp %n, {number}:i32 [pred=sgt]
      %v.{name}: i32 = if %q.{name} {{
        {inner}
        yield {value}
      }} {{ yield {100 + number}:i32 }}"""


def copies(steps: list[int], store: str = "", other: str = "9:i32") -> Function:
    """Copies of a choice, each in the condition of the one before, for %tx plus each of `steps` below 12."""

    def level(copy: int) -> str:
        if copy == len(steps):
            return ""
        after = [f"%r.{copy + 1}.{each}" for each in range(copy + 1, len(steps))]
        made = [f"%r.{copy}.{each}: i32" for each in range(copy, len(steps))]
        at = f"%at.{copy}: i32 = add %tx, {steps[copy]}:i32"
        return f"""
      {at}
      %c.{copy}: i1 = icmp %at.{copy}, 12:i32 [pred=slt]
      {", ".join(made)} = if %c.{copy} {{
        %w.{copy}: i64 = zext %at.{copy}
        %a.{copy}: ptr = gep @s:ptr, %w.{copy} [offset=0, strides=(4)]
        %l.{copy}: i32 = load %a.{copy} [align=4]
        {choices(copy)}
        {store.replace("AT", f"%a.{copy}").replace("VALUE", f"%v.{copy}.0")}
        {level(copy + 1)}
        yield {", ".join([f"%v.{copy}.0", *after])}
      }} {{ yield {", ".join([other] * (len(steps) - copy))} }}"""

    sums = "\n".join(f"%s.{each}: i32 = add %s.{each - 1}, %r.0.{each}" for each in range(1, len(steps)))
    body = f"""
      store %tid, %mine [align=4]
      {level(0)}
      %s.0: i32 = mul %r.0.0, 3:i32
      {sums}
      store %s.{len(steps) - 1}, %here [align=4]
"""
    return parse_function(kernel(body))


@pytest.mark.parametrize("store", ["", "store VALUE, AT [align=4]"])
def test_copies_become_a_loop(store: str) -> None:
    function = copies([0, 4, 8], store)
    changed, context = lowered(function, [REROLL])
    assert [op.operands[1] for op in walk(changed.body) if op.attrs.get(ROLLED)] == [int_const("i32", 3)]
    assert sum(op.name == "if" for op in walk(changed.body)) == 9
    assert [each.source for each in context.remarks] == ["reroll"]
    for n in (0, 3, 9):
        # In blocks of one thread nobody else writes what it reads.
        assert results(changed, (5, 1, 1), (1, 1, 1), n) == results(function, (5, 1, 1), (1, 1, 1), n)


@pytest.mark.parametrize("n", [0, 2, 9])
def test_threads_whose_copies_end_early(n: int) -> None:
    function = copies([0, 3, 6, 9])
    changed, _ = lowered(function, [REROLL])
    assert any(op.attrs.get(ROLLED) for op in walk(changed.body))
    for block in ((3, 1, 1), (16, 1, 1)):
        assert results(changed, (2, 1, 1), block, n) == results(function, (2, 1, 1), block, n)


@pytest.mark.parametrize(
    "steps", [[0, 4], [0, 4, 9], [8, 4, 0], [0, 0, 0]], ids=["two", "uneven", "backwards", "the same"]
)
def test_what_stays(steps: list[int]) -> None:
    changed, _ = lowered(copies(steps), [REROLL])
    assert not any(op.attrs.get(ROLLED) for op in walk(changed.body))
