# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp collectives among the lanes of a warp, and loops over warps and lanes, as the interpreter runs them."""

from __future__ import annotations

import pytest
from interpreting import LAUNCH, SEEDS, kernel, outcome

from warploom.ir.parser import parse_function


def lanes(body: str, threads: int = 32, seed: int | None = None) -> list[int]:
    """%r of each thread."""
    return outcome(kernel(body + "\n      store %r, %p"), threads, seed=seed)[0]


def shuffle(kind: str, operand: str, width: int, mask: int = 0xFFFFFFFF, threads: int = 32) -> list[int]:
    """What each lane gets when every lane brings 100 + its number."""
    return lanes(
        f"""%v: i32 = add %tx, 100:i32
      %x: i64 = zext %v
      %y: i64 = shuffle {mask}:i32, %x, {operand}, {width}:i32 [kind={kind}]
      %r: i32 = trunc %y""",
        threads,
    )


def test_shuffle_down_and_up_keep_the_own_value_at_the_edge() -> None:
    assert shuffle("down", "4:i32", 32) == [*range(104, 132), *range(128, 132)]
    assert shuffle("up", "4:i32", 32) == [*range(100, 104), *range(100, 128)]
    assert shuffle("down", "3:i32", 8)[:8] == [103, 104, 105, 106, 107, 105, 106, 107]
    assert shuffle("up", "3:i32", 8)[8:16] == [108, 109, 110, 108, 109, 110, 111, 112]


def test_shuffle_idx_wraps_inside_its_segment() -> None:
    assert shuffle("idx", "5:i32", 32) == [105] * 32
    assert shuffle("idx", "5:i32", 4) == [100 + (lane & ~3) + 1 for lane in range(32)]
    assert shuffle("idx", "-1:i32", 32) == [131] * 32


def test_shuffle_xor_reads_earlier_segments_only() -> None:
    assert shuffle("xor", "1:i32", 32) == [100 + (lane ^ 1) for lane in range(32)]
    assert shuffle("xor", "8:i32", 8) == [100 + (lane if lane ^ 8 > lane else lane ^ 8) for lane in range(32)]


def test_shuffle_from_a_lane_that_has_no_thread_gives_0() -> None:
    assert shuffle("down", "4:i32", 32, threads=6) == [104, 105, 0, 0, 0, 0]
    assert shuffle("down", "4:i32", 4, threads=6) == [*range(100, 106)]  # outside of the width
    assert shuffle("xor", "4:i32", 8, threads=6) == [104, 105, 0, 0, 100, 101]
    assert shuffle("idx", "9:i32", 32, threads=6) == [0] * 6


def test_votes() -> None:
    for seed in (None, 1, 2):
        vote = "%odd: i32 = and %tx, 1:i32\n      %r: i32 = vote 15:i32, %odd [kind={}]"
        assert lanes(vote.format("ballot"), 4, seed) == [0b1010] * 4
        assert lanes(vote.format("any"), 4, seed) == [1] * 4
        assert lanes(vote.format("all"), 4, seed) == [0] * 4


def test_all_holds_when_missing_lanes_say_nothing() -> None:
    assert lanes("%r: i32 = vote -1:i32, 7:i32 [kind=all]", 5) == [1] * 5
    assert lanes("%r: i32 = vote -1:i32, 7:i32 [kind=ballot]", 5) == [31] * 5


def test_match() -> None:
    match = "%h: i32 = lshr %tx, 1:i32\n      %x: i64 = zext %h\n      %r: i32 = match -1:i32, {} [kind={}]"
    assert lanes(match.format("%x", "any"), 5) == [0b11, 0b11, 0b1100, 0b1100, 0b10000]
    assert lanes(match.format("%x", "all"), 5) == [0] * 5
    assert lanes(match.format("9:i64", "all"), 5) == [31] * 5


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("add", sum(range(-3, 5)) & 0xFFFFFFFF),
        ("umin", 0),
        ("umax", 0xFFFFFFFF),
        ("smin", 0xFFFFFFFD),
        ("smax", 4),
        ("and", 0),
        ("or", 0xFFFFFFFF),
        ("xor", 0x4 ^ 0xFFFFFFFD ^ 0xFFFFFFFE ^ 0xFFFFFFFF ^ 1 ^ 2 ^ 3),
    ],
)
def test_warp_reduce(kind: str, expected: int) -> None:
    body = f"%x: i32 = sub %tx, 3:i32\n      %r: i32 = warp_reduce 255:i32, %x [kind={kind}]"
    assert lanes(body, 8) == [expected] * 8


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_warps_and_masks_are_apart(seed: int | None) -> None:
    """Odd and even lanes of each of two warps meet at different ops with different masks."""
    body = """%odd: i32 = and %tx, 1:i32
      %c: i1 = trunc %odd
      %r: i32 = if %c {
        %a: i32 = vote 0xAAAAAAAA:i32, %tx [kind=ballot]
        yield %a
      } {
        %b: i32 = warp_reduce 0x55555555:i32, 1:i32 [kind=add]
        yield %b
      }""".replace("0xAAAAAAAA", str(0xAAAAAAAA)).replace("0x55555555", str(0x55555555))
    assert lanes(body, 64, seed) == [16, 0xAAAAAAAA] * 32


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_activemask_groups_the_lanes_at_one_place(seed: int | None) -> None:
    body = """%c: i1 = icmp %tx, 3:i32 [pred=ult]
      %r: i32 = if %c {
        %a: i32 = activemask
        yield %a
      } {
        %b: i32 = activemask
        yield %b
      }"""
    assert lanes(body, 8, seed) == [7] * 3 + [0xF8] * 5


def test_a_collective_does_not_wait_for_lanes_that_have_ended() -> None:
    body = """%c: i1 = icmp %tx, 3:i32 [pred=ult]
      if %c {
        %a: i32 = vote -1:i32, 1:i32 [kind=ballot]
        store %a, %p
        yield
      } {
        yield
      }"""
    for seed in (None, 1, 2, 3):
        assert outcome(kernel(body), 5, seed=seed)[0] == [7, 7, 7, 0, 0]


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_lane_and_warp_loops(seed: int | None) -> None:
    """After splitting at warp level: collectives among the lanes of `lane`, barriers of the block between warps."""
    function = parse_function(f"""kernel @k({LAUNCH}, %out: ptr) {{
  shared @tile [size=8, align=4]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    warp 2:i32 {{ (%w: i32)
      %buffer: ptr = scratch [size=4, level=warp]
      lane 32:i32 {{ (%l: i32)
        %a: ptr = gep %buffer, %l [offset=0, strides=(4)]
        %n: i32 = warp_reduce -1:i32, %l [kind=add]
        %m: i32 = add %n, %w
        store %m, %a
        %there: ptr = gep @tile:ptr, %w [offset=0, strides=(4)]
        store %m, %there
        barrier [level=block]
        yield
      }}
      lane 32:i32 {{ (%k: i32)
        %c: ptr = gep %buffer, %k [offset=0, strides=(4)]
        %x: i32 = load %c
        %other: i32 = xor %w, 1:i32
        %from: ptr = gep @tile:ptr, %other [offset=0, strides=(4)]
        %y: i32 = load %from
        %z: i32 = sub %x, %y
        %to: ptr = gep %out, %w, %k [offset=0, strides=(128, 4)]
        store %z, %to
        yield
      }}
      yield
    }}
    yield
  }}
  yield
}}""")
    values, result = outcome(function, 64, seed=seed, races=True)
    assert values == [0xFFFFFFFF] * 32 + [1] * 32
    # All lanes of a warp store the same number to the same slot of @tile: a race nevertheless.
    assert [(race.first.name, race.second.name) for race in result.races] == [("store", "store")]
