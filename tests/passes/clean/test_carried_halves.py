# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which pairs are carried as two numbers, and that every thread computes the same."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.clean.carried_halves import CARRIED_HALVES

# Of each round: the lower half grows by the thread's number, the upper one by what is chosen.
BODY = """
      %narrow.1: i64 = mul %wide, 3:i64
      %end: i32, %last: i64 = while 0:i32, FIRST { (%k: i32, %pair: i64)
        %more: i1 = icmp %k, %n [pred=slt]
        condition %more, %k, %pair
      } { (%k2: i32, %pair2: i64)
        %low: i32 = trunc %pair2
        %up: i64 = lshr %pair2, 32:i64
        %high: i32 = trunc %up
        %x: i32 = add %low, %tx
        %odd: i1 = icmp %tx, %k2 [pred=slt]
        %wx: i64 = zext %x
        %made: i64 = if %odd {
          %y: i32 = add %high, 3:i32
          %wy: i64 = zext %y
          %sy: i64 = shl %wy, 32:i64
          %both: i64 = PUT %sy, %wx
          yield %both
        } { yield OTHER }
        %next: i32 = add %k2, 1:i32 [flags=(nsw)]
        yield %next, %made
      }
      %one: i64 = and %last, 4294967295:i64
      %two: i64 = lshr %last, 32:i64
      %sum: i64 = add %one, %two
      %result: i32 = trunc %sum
      store %result, %here [align=4]
      USE
"""


def made(
    put: str = "add", first: str = "17179869189:i64", other: str = "%wx", use: str = "", shift: str = ""
) -> Function:
    body = BODY.replace("shl %wy, 32:i64", shift) if shift else BODY
    text = kernel(body.replace("PUT", put).replace("FIRST", first).replace("OTHER", other).replace("USE", use))
    return parse_function(text)


def carries_pairs(function: Function) -> bool:
    changed, _ = lowered(function, [CARRIED_HALVES, CANONICALISE])
    return any(value.type == "i64" for op in walk(changed.body) if op.name == "while" for value in op.results)


@pytest.mark.parametrize("put", ["add", "or"])
@pytest.mark.parametrize("other", ["%wx", "%pair2", "30064771075:i64", "poison:i64"])
def test_halves_are_carried_by_themselves(put: str, other: str) -> None:
    function = made(put, other=other)
    assert not carries_pairs(function)
    changed, _ = lowered(function, [CARRIED_HALVES])
    if other == "poison:i64":
        return
    for n in (0, 1, 5):
        assert results(changed, (2, 1, 1), (8, 1, 1), n) == results(function, (2, 1, 1), (8, 1, 1), n)


WHOLE = """%all: i64 = mul %last, 3:i64
      %use: i32 = trunc %all
      store %use, %here [align=4]"""


def test_what_is_no_pair_or_asked_for_as_a_whole_stays() -> None:
    assert carries_pairs(made("sub"))
    assert carries_pairs(made(use=WHOLE))
    assert carries_pairs(made(first="%narrow.1"))
    assert carries_pairs(made(other="%narrow.1"))
    for shift in ("shl %wy, 31:i64", "lshr %wy, 32:i64"):
        assert carries_pairs(made(shift=shift))
