# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that trips of a loop load again: which are carried, and that the results stay the same."""

from __future__ import annotations

import pytest
from differential import lowered, results

from warploom.ir.core import Function, Op, walk
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.passes.tune.carry_rows import CARRY_ROWS

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
STORE = "store %sum, %result [align=4]"


def stencil(bounds: str = "1:i32, %end, 1:i32", store: str = STORE, attrs: str = "", bits: int = 512) -> Function:
    """A kernel that adds three rows of a tile of 8 x 16 numbers, as @t and then @p get them."""
    return parse_function(f"""
kernel @k({LAUNCH}, %n: i32, %p: ptr) [vector_bits={bits}] {{
  shared @s [size=512, align=64]
  shared @t [size=512, align=64]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    for 0:i32, 8:i32, 1:i32 [pred=slt] {{ (%y: i32)
      %from: ptr = gep %p, %y [offset=0, strides=(64)]
      %row: <16 x i32> = load %from [align=4]
      %to: ptr = gep @s:ptr, %y [offset=0, strides=(64)]
      store %row, %to [align=4]
      %other: ptr = gep @t:ptr, %y [offset=0, strides=(64)]
      store %row, %other [align=4]
      yield
    }}
    %end: i32 = add %n, 1:i32 [flags=(nsw)]
    %even: i32 = and %n, 1:i32
    for {bounds} [pred=slt] {{ (%y: i32)
      %up: i32 = add %y, -1:i32 [flags=(nsw)]
      %down: i32 = add %y, 1:i32 [flags=(nsw)]
      %a: ptr = gep @s:ptr, %up [offset=0, strides=(64)]
      %b: ptr = gep @s:ptr, %y [offset=0, strides=(64)]
      %c: ptr = gep @s:ptr, %down [offset=0, strides=(64)]
      %result: ptr = gep @t:ptr, %y [offset=0, strides=(64)]
      %north: <16 x i32> = load %a [align=4{attrs}]
      %here: <16 x i32> = load %b [align=4{attrs}]
      %south: <16 x i32> = load %c [align=4{attrs}]
      %two: <16 x i32> = sub %north, %here
      %sum: <16 x i32> = add %two, %south
      {store}
      yield
    }}
    for 0:i32, 8:i32, 1:i32 [pred=slt] {{ (%y: i32)
      %from: ptr = gep @t:ptr, %y [offset=0, strides=(64)]
      %row: <16 x i32> = load %from [align=4]
      %to: ptr = gep %p, %y [offset=0, strides=(64)]
      store %row, %to [align=4]
      yield
    }}
    yield
  }}
  yield
}}
""")


def carried(function: Function, n: int = 6) -> int:
    """How many vectors the middle loop carries after the pass, which must not change what the kernel computes."""
    after, _ = lowered(function, [CARRY_ROWS])
    launch = (1, 1, 1), (128, 1, 1), n
    assert results(after, *launch) == results(function, *launch)
    return len(loops(after)[1].results)


def loops(function: Function) -> list[Op]:
    """The loops of a kernel, in order."""
    return [op for op in walk(function.body) if op.name == "for"]


@pytest.mark.parametrize("n", [6, 1, 0])
def test_a_trip_loads_one_row_of_three(n: int) -> None:
    """The other two come from the trip before, or from before the loop; with no trips nothing is loaded."""
    function = stencil()
    assert carried(function, n) == 2
    after, _ = lowered(function, [CARRY_ROWS])
    assert [op.name for op in loops(after)[1].region.ops].count("load") == 1


@pytest.mark.parametrize(("step", "count"), [(2, 1), (3, 0)])
def test_longer_steps(step: int, count: int) -> None:
    """By two rows at a time the southern row is the next trip's northern one; by three none comes again."""
    assert carried(stencil(f"1:i32, %end, {step}:i32")) == count


def test_results_may_go_to_a_parameter() -> None:
    """It does not point to memory of the block."""
    assert (
        carried(stencil(store="%out: ptr = gep %p, %y [strides=(64), offset=0]\n      store %sum, %out [align=4]")) == 2
    )


@pytest.mark.parametrize(
    "store",
    [
        "store %sum, %b [align=4]",
        "%q: ptr = load %p [align=8]\n      %even2: i1 = icmp %n, 99:i32 [pred=eq]\n      if %even2 {\n"
        "        store %sum, %q [align=4]\n        yield\n      } {\n        yield\n      }",
        "store %sum, %result [align=4, ordering=release]",
    ],
)
def test_the_rows_must_stay_as_they_are(store: str) -> None:
    """Written by this trip, perhaps written through a pointer from memory, or with others that see the order."""
    after, _ = lowered(stencil(store=store), [CARRY_ROWS])
    assert not loops(after)[1].results


@pytest.mark.parametrize("attrs", [", volatile=true", ", ordering=monotonic"])
def test_only_plain_loads(attrs: str) -> None:
    """Others are seen, each of them."""
    after, _ = lowered(stencil(attrs=attrs), [CARRY_ROWS])
    assert not loops(after)[1].results


def test_the_step_must_be_known() -> None:
    """By how many rows the counter goes up decides which row comes again."""
    assert carried(stencil("1:i32, %end, %n"), 2) == 0


def test_few_with_sixteen_registers() -> None:
    """A stencil needs them for other things: two rows of one register each, none of two."""
    assert carried(stencil(bits=256)) == 0
    text = print_function(stencil(bits=256)).replace("<16 x i32>", "<8 x i32>")
    assert carried(parse_function(text)) == 2
