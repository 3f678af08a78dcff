# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which bytes become conditions, and that every thread computes the same."""

from __future__ import annotations

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.clean.narrow_booleans import NARROW_BOOLEANS

# Threads add 1 in each round where they were on in the one before, 100 where they are on at the end.
BODY = """
      %end: i32, %last: i8 = while 0:i32, FIRST { (%k: i32, %was: i8)
        %more: i1 = icmp %k, %n [pred=slt]
        %low: i1 = icmp %tx, %k [pred=sgt]
        %on: i8 = if %low {
          %far: i32 = sub 9:i32, %k
          %high: i1 = icmp %tx, %far [pred=sle]
          BYTE
          yield %b
        } {
          yield 0:i8
        }
        %off: i1 = icmp %was, 0:i8 [pred=eq]
        %c: i1 = xor %off, 1:i1
        if %c {
          %x: i32 = load %here [align=4]
          %y: i32 = add %x, 1:i32
          store %y, %here [align=4]
          yield
        } {
          yield
        }
        USE
        %next: i32 = add %k, 1:i32 [flags=(nsw)]
        condition %more, %next, %on
      } { (%k2: i32, %b2: i8)
        yield %k2, %b2
      }
      %c2: i1 = icmp %last, 0:i8 [pred=ne]
      if %c2 {
        %x2: i32 = load %here [align=4]
        %y2: i32 = add %x2, 100:i32
        store %y2, %here [align=4]
        yield
      } {
        yield
      }
"""
WIDER = "%b: i8 = zext %high"
CHOSEN = "%b: i8 = select %high, 1:i8, 0:i8"
NUMBER = "%b: i8 = select %high, 3:i8, 0:i8"
HALVES = "%t: i4 = trunc %n\n%b: i8 = zext %t"
SUM = "%h: i8 = zext %high\n%b: i8 = add %h, 1:i8"


def made(byte: str, first: str = "0:i8", use: str = "") -> Function:
    return parse_function(kernel(BODY.replace("BYTE", byte).replace("FIRST", first).replace("USE", use)))


def carried(function: Function) -> str:
    """The type of the truth value that the loop carries after the pass."""
    changed, _ = lowered(function, [NARROW_BOOLEANS])
    (loop,) = [op for op in walk(changed.body) if op.name == "while"]
    return loop.operands[1].type


@pytest.mark.parametrize("first", ["0:i8", "1:i8", "undef:i8", "poison:i8"])
@pytest.mark.parametrize("byte", [WIDER, CHOSEN])
def test_what_is_true_or_false_is_a_condition(byte: str, first: str) -> None:
    assert carried(made(byte, first)) == "i1"


@pytest.mark.parametrize("byte", [NUMBER, SUM, HALVES])
def test_another_number_stays_a_byte(byte: str) -> None:
    assert carried(made(byte)) == "i8"


def test_a_start_that_is_another_number_keeps_all_bytes() -> None:
    assert carried(made(WIDER, first="2:i8")) == "i8"


@pytest.mark.parametrize("use", ["store %was, %mine [align=1]", "%z: i32 = zext %on\nstore %z, %mine [align=4]"])
def test_a_byte_that_is_used_as_a_number_stays(use: str) -> None:
    assert carried(made(WIDER, use=use)) == "i8"


@pytest.mark.parametrize(("pred", "other"), [("slt", 0), ("ugt", 0), ("uge", 0), ("sle", 0), ("eq", 3), ("ne", 1)])
def test_a_byte_that_is_compared_as_a_number_stays(pred: str, other: int) -> None:
    use = f"%g: i1 = icmp %on, {other}:i8 [pred={pred}]\n%z: i32 = zext %g\nstore %z, %here [align=4]"
    assert carried(made(WIDER, use=use)) == "i8"


@pytest.mark.parametrize("first", ["0:i8", "1:i8"])
@pytest.mark.parametrize("byte", [WIDER, CHOSEN, NUMBER])
def test_every_thread_computes_the_same(byte: str, first: str) -> None:
    original = made(byte, first)
    changed, _ = lowered(original, [NARROW_BOOLEANS, SPLIT_BARRIERS])
    for n in (0, 1, 3, 12):
        assert results(changed, (2, 1, 1), (12, 1, 1), n, 1) == results(original, (2, 1, 1), (12, 1, 1), n)
