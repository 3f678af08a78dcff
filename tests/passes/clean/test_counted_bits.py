# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop that counts the bits of a number is that number of bits; one that does anything else stays."""

from __future__ import annotations

import pytest
from canonical_code import canonical, stored
from thread_code import text


def clearing(
    following: str = "%less", added: str = "add %n2, 3:i8", test: str = "%x1, 0:i64 [pred=ne]", more: str = ""
) -> str:
    """A loop that clears the lowest bit until there is none."""
    return f"""
      %r: i8, %z: i64 = while 5:i8, %m {{ (%n1: i8, %x1: i64)
        %c: i1 = icmp {test}
        condition %c, %n1, %x1
      }} {{ (%n2: i8, %x2: i64)
        {more}
        %one: i64 = add %x2, -1:i64
        %less: i64 = and %one, %x2
        %sum: i8 = {added}
        yield %sum, {following}
      }}
    """


def test_clearing_the_lowest_bit() -> None:
    assert canonical(f"{clearing()}\n store %r, %p [align=1]\n store %z, %p [align=8]") == text("""
      %0: i64 = call %m [callee=llvm.ctpop.i64, effects=none, speculatable=true]
      %1: i8 = trunc %0
      %2: i8 = mul %1, 3:i8
      %3: i8 = add %2, 5:i8
      store %3, %p [align=1]
      store 0:i64, %p [align=8]
    """)


@pytest.mark.parametrize(
    "changed",
    [
        {"following": "%one"},  # counts down
        {"following": "%m"},
        {"test": "%x1, 1:i64 [pred=ne]"},
        {"test": "%x1, 0:i64 [pred=sgt]"},
        {"test": "%n1, 0:i8 [pred=ne]"},  # another value ends the loop
        {"added": "xor %n2, 3:i8"},
        {"added": "add %n2, %n2"},
        {"more": "store %x2, %p [align=8]"},
        {"more": "%v: i8 = load %p [align=1]", "added": "add %n2, %v"},
        {"more": "%t: i8 = trunc %x2", "added": "add %n2, %t"},
    ],
)
def test_what_does_anything_else_stays(changed: dict[str, str]) -> None:
    assert "while" in canonical(f"{clearing(**changed)}\n store %r, %p [align=1]\n store %z, %p [align=8]")


def test_shifting_until_nothing_is_left() -> None:
    assert stored("""
      %r: i32, %z: i64 = while %n, %m { (%n1: i32, %x1: i64)
        %c: i1 = icmp %x1, 0:i64 [pred=ne]
        condition %c, %n1, %x1
      } { (%n2: i32, %x2: i64)
        %t: i32 = trunc %x2
        %b: i32 = and %t, 1:i32
        %sum: i32 = add %b, %n2
        %half: i64 = lshr %x2, 1:i64
        yield %sum, %half
      }
    """) == text("""
      %0: i64 = call %m [callee=llvm.ctpop.i64, effects=none, speculatable=true]
      %1: i32 = trunc %0
      %2: i32 = add %n, %1
    """)


@pytest.mark.parametrize("second", ["and %y2, %one", "lshr %y2, 1:i64"])
def test_a_second_number_that_becomes_less_need_not_come_to_its_end(second: str) -> None:
    assert "while" in canonical(f"""
      %z: i64, %w: i64 = while %m, -1:i64 {{ (%x1: i64, %y1: i64)
        %c: i1 = icmp %x1, 0:i64 [pred=ne]
        condition %c, %x1, %y1
      }} {{ (%x2: i64, %y2: i64)
        %one: i64 = add %y2, -1:i64
        %half: i64 = lshr %x2, 1:i64
        %other: i64 = {second}
        yield %half, %other
      }}
      store %w, %p [align=8]
    """)


def shifting(trips: str, step: str = "1") -> str:
    return f"""
      %r: i8, %z: i64 = for 0:i32, {trips}:i32, {step}:i32, 0:i8, %m [pred=slt] {{ (%i: i32, %n1: i8, %x1: i64)
        %t: i8 = trunc %x1
        %b: i8 = and %t, 1:i8
        %sum: i8 = add %n1, %b
        %half: i64 = lshr %x1, 1:i64
        yield %sum, %half
      }}
      store %r, %p [align=1]
      store %z, %p [align=8]
    """


@pytest.mark.parametrize(("trips", "step"), [("64", "1"), ("70", "1"), ("127", "2")])
def test_shifting_as_often_as_there_are_bits(trips: str, step: str) -> None:
    assert canonical(shifting(trips, step)) == text("""
      %0: i64 = call %m [callee=llvm.ctpop.i64, effects=none, speculatable=true]
      %1: i8 = trunc %0
      store %1, %p [align=1]
      store 0:i64, %p [align=8]
    """)


def test_shifting_less_often() -> None:
    assert canonical(shifting("10")) == text("""
      %0: i64 = lshr %m, 10:i64
      %1: i64 = and %m, 1023:i64
      %2: i64 = call %1 [callee=llvm.ctpop.i64, effects=none, speculatable=true]
      %3: i8 = trunc %2
      store %3, %p [align=1]
      store %0, %p [align=8]
    """)


@pytest.mark.parametrize(
    ("trips", "step", "pred"), [("9", "1", "sle"), ("27", "3", "ule"), ("10", "1", "ult"), ("30", "3", "ne")]
)
def test_a_bound_that_is_met_is_one_trip_more(trips: str, step: str, pred: str) -> None:
    assert canonical(shifting(trips, step).replace("pred=slt", f"pred={pred}")) == canonical(shifting("10"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lshr %x1, 1:i64", "lshr %x1, 2:i64"),
        ("lshr %x1, 1:i64", "lshr %m, 1:i64"),
        ("and %t, 1:i8", "and %t, 3:i8"),
    ],
)
def test_shifting_otherwise_stays(one: str, other: str) -> None:
    assert "for" in canonical(shifting("10").replace(one, other))


def test_clearing_by_another_number_stays() -> None:
    assert "while" in canonical(clearing().replace("add %x2, -1:i64", "add %x2, -2:i64") + "\n store %r, %p [align=1]")


def test_a_loop_that_does_more_stays() -> None:
    more = "%half: i64 = lshr %x1, 1:i64\n store %x1, %p [align=8]"
    assert "for" in canonical(shifting("10").replace("%half: i64 = lshr %x1, 1:i64", more))


def each_bit(start: str, bound: str) -> str:
    return f"""
      %r: i32 = for {start}:i32, {bound}:i32, 1:i32, %tx [pred=ult] {{ (%i: i32, %n1: i32)
        %s: i32 = lshr %n, %i
        %b: i32 = and %s, 1:i32
        %sum: i32 = add %n1, %b
        yield %sum
      }}
    """


def test_the_bit_of_each_trip() -> None:
    assert stored(each_bit("0", "32")) == text("""
      %0: i32 = call %n [callee=llvm.ctpop.i32, effects=none, speculatable=true]
      %1: i32 = add %tx, %0
    """)
    assert "ctpop" in stored(each_bit("0", "7"))
    assert "for" in stored(each_bit("1", "32"))
    assert "for" in stored(each_bit("0", "33")), "that shift has no value"
    assert "for" in stored(each_bit("0", "32").replace("lshr %n, %i", "lshr %n, %n1")), "not the bit of the trip"
    assert "for" in stored(each_bit("0", "32").replace("lshr %n, %i", "lshr %i, %i")), "not one number's"
