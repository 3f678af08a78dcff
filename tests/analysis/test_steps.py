# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By how much values grow in a trip of a loop, and for which of them that is sure."""

from __future__ import annotations

import pytest

from warploom.analysis.exact_linear import Ranges
from warploom.analysis.steps import Step, Steps, know_counters, known_trips, trips_of
from warploom.ir.core import Function, Op, Value, walk
from warploom.ir.parser import parse_function


def kernel(body: str, head: str = "for 0:i32, %n, 1:i32 [pred=slt]") -> Function:
    return parse_function(f"""
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %w: i64, %p: ptr) {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    {head} {{ (%k: i32)
      {body}
      yield
    }}
    yield
  }}
  yield
}}
""")


def step_of_last(body: str, head: str = "for 0:i32, %n, 1:i32 [pred=slt]", ranges: bool = False) -> Step | None:
    """The step of the last value that `body` makes."""
    function = kernel(body, head)
    loop = next(op for op in walk(function.body) if op.name == "for")
    known = Ranges(function)
    know_counters(function.body, known)
    definitions: dict[Value, Op] = {value: op for op in walk(function.body) for value in op.results}
    return Steps(loop, definitions, known if ranges else None).of(loop.region.body[-1].result)


@pytest.mark.parametrize(
    ("body", "exact"),
    [
        ("%a: i32 = mul %k, %n [flags=(nsw)]\n%b: i64 = sext %a", True),
        ("%a: i32 = mul %k, %n\n%b: i64 = sext %a", False),
        ("%a: i32 = mul %k, %n [flags=(nsw)]\n%b: i64 = zext %a", False),
        ("%a: i32 = mul %k, %n [flags=(nsw)]\n%b: i64 = zext %a [flags=(nneg)]", True),
        ("%a: i64 = sext %k\n%c: i64 = sext %n\n%b: i64 = mul %a, %w", True),
        ("%a: i32 = mul %k, %n [flags=(nsw)]\n%b: i32 = freeze %a", False),
    ],
    ids=["no wrap", "may wrap", "read as unsigned", "not negative", "as wide as addresses", "poison frozen"],
)
def test_a_product_grows_by_its_factor(body: str, exact: bool) -> None:
    step = step_of_last(body)
    assert step is not None
    assert (step.number, [each.name for each in step.factors], step.exact) == (1, ["w" if "%w" in body else "n"], exact)


def test_an_address_grows_by_bytes() -> None:
    step = step_of_last("%a: i64 = sext %k\n%b: i64 = mul %a, 3:i64\n%c: ptr = gep %p, %b [offset=8, strides=(4)]")
    assert step == Step(12)


def test_a_counter_compared_as_unsigned_is_extended_as_unsigned() -> None:
    head = "for 0:i32, %n, 1:i32 [pred=ult]"
    assert step_of_last("%a: i64 = zext %k", head) == Step(1)
    assert step_of_last("%a: i64 = sext %k", head) == Step(1, (), exact=False)


def test_known_ranges_do_not_wrap() -> None:
    """Blocks in y are fewer than 2^16: sixteen rows each do not wrap, flags or not."""
    body = "%f: i32 = shl %by, 4:i32\n%a: i32 = add %f, %k\n%b: i64 = sext %a"
    head = "for 0:i32, 16:i32, 1:i32 [pred=slt]"
    assert step_of_last(body, head, ranges=True) == Step(1)
    assert step_of_last(body, head) == Step(1, (), exact=False)


@pytest.mark.parametrize("body", ["%a: i32 = xor %k, %n", "%a: i32 = load %p [align=4]", "%a: i32 = mul %k, %k"])
def test_nobody_knows(body: str) -> None:
    assert step_of_last(body) is None


@pytest.mark.parametrize(
    ("head", "trips"),
    [
        ("for 0:i32, 10:i32, 4:i32 [pred=slt]", (3, 3)),
        ("for 7:i32, 3:i32, 1:i32 [pred=slt]", (0, 0)),
        ("for %by, 70000:i32, 2:i32 [pred=slt]", (2233, 35000)),
        ("for 0:i32, %n, 1:i32 [pred=slt]", (0, None)),
        ("for 0:i32, 8:i32, -1:i32 [pred=slt]", (0, None)),
        ("for %n, 8:i32, 1:i32 [pred=slt]", (0, None)),
    ],
)
def test_trips(head: str, trips: tuple[int, int | None]) -> None:
    function = kernel("%a: i32 = add %n, 1:i32", head)
    (loop,) = (op for op in walk(function.body) if op.name == "for")
    assert trips_of(loop, Ranges(function)) == trips


@pytest.mark.parametrize(
    ("bounds", "trips"),
    [
        ("0:i32, 8:i32, 1:i32 [pred=slt]", 8),
        ("0:i32, 8:i32, 1:i32 [pred=sle]", 9),
        ("0:i32, 8:i32, 1:i32 [pred=ult]", 8),
        ("0:i32, 8:i32, 3:i32 [pred=ule]", 3),
        ("0:i32, 9:i32, 3:i32 [pred=sle]", 4),
        ("0:i32, 9:i32, 3:i32 [pred=ne]", 3),
        ("0:i32, 8:i32, 3:i32 [pred=ne]", 0),  # it passes its bound
        ("8:i32, 0:i32, 1:i32 [pred=ne]", 0),
        ("8:i32, 0:i32, 1:i32 [pred=slt]", 0),
        ("0:i32, 8:i32, -1:i32 [pred=slt]", 0),
        ("0:i32, 8:i32, 1:i32 [pred=sge]", 0),
        ("-3:i32, 3:i32, 1:i32 [pred=slt]", 6),
        ("-3:i32, 3:i32, 1:i32 [pred=ult]", 0),
        ("0:i32, 2147483647:i32, 1:i32 [pred=slt]", 2147483647),
        ("0:i32, 2147483647:i32, 1:i32 [pred=sle]", 0),  # it never ends
        ("0:i32, 2147483647:i32, 2:i32 [pred=slt]", 0),
        ("0:i32, 2147483647:i32, 2:i32 [pred=ult]", 1 << 30),
        ("%n, 8:i32, 1:i32 [pred=slt]", 0),
    ],
)
def test_how_often_a_loop_between_constants_runs(bounds: str, trips: int) -> None:
    assert known_trips(next(op for op in walk(kernel("", f"for {bounds}").body) if op.name == "for")) == trips
