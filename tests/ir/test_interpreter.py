# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter runs threads, barriers, collectives and memory as CUDA says, and notices what must not happen."""

from __future__ import annotations

from typing import Any

import pytest

from warploom.ir.core import Function
from warploom.ir.interpreter import (
    Deadlock,
    Fault,
    MemoryFault,
    Program,
    Result,
    TooLong,
    Trap,
    UnknownFunction,
    run,
)
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
SEEDS = range(1, 21)


def kernel(threads: str, before: str = "", shared: str = "", params: str = "%out: ptr") -> Function:
    """A kernel whose threads run `threads`; `before` runs once a block. %p and %s are slots 4 * thread in %out."""
    return parse_function(f"""kernel @k({LAUNCH}, {params}) {{
  {shared}
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    {before}
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %base: i32 = mul %bx, %bdx
      %id: i32 = add %base, %tx
      %p: ptr = gep %out, %id [offset=0, strides=(4)]
      {threads}
      yield
    }}
    yield
  }}
  yield
}}""")


def outcome(
    function: Function, threads: int, blocks: int = 1, seed: int | None = None, **options: Any
) -> tuple[list[int], Result]:
    """What the kernel left in %out, one i32 a thread, and the result of the run."""
    memory = Memory()
    out = memory.array("i32", [0] * (threads * blocks), "out")
    result = run(function, (blocks, 1, 1), (threads, 1, 1), [out], memory, seed=seed, **options)
    return memory.values("i32", out, threads * blocks), result


REVERSE = """
      %there: ptr = gep @tile:ptr, %tx [offset=0, strides=(4)]
      store %tx, %there
      {barrier}
      %last: i32 = sub %bdx, 1:i32
      %other: i32 = sub %last, %tx
      %from: ptr = gep @tile:ptr, %other [offset=0, strides=(4)]
      %x: i32 = load %from
      store %x, %p"""
TILE = "shared @tile [size=256, align=4]"


# -- threads and barriers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_every_thread_of_every_block_runs_once(seed: int | None) -> None:
    values, result = outcome(kernel("store %id, %p"), 40, 3, seed)
    assert values == list(range(120))
    assert result.counts == {"grid": 1, "block": 3, "mul": 120, "add": 120, "gep": 120, "store": 120}


def test_three_dimensions_are_kept_apart() -> None:
    """Indices count x fastest."""
    function = parse_function(f"""kernel @k({LAUNCH}, %out: ptr) {{
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %a: ptr = gep %out, %tx, %ty, %tz, %bx, %by, %bz [offset=0, strides=(1, 2, 6, 24, 24, 48)]
      %old: i8 = load %a
      %new: i8 = add %old, 1:i8
      store %new, %a
      yield
    }}
    yield
  }}
  yield
}}""")
    for seed in (None, 1):
        memory = Memory()
        out = memory.array("i8", [0] * 96)
        run(function, (1, 2, 2), (2, 3, 4), [out], memory, seed=seed)
        assert memory.values("i8", out, 96) == [1] * 96


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_a_barrier_puts_stores_before_loads(seed: int | None) -> None:
    function = kernel(REVERSE.format(barrier="barrier [level=block]"), shared=TILE)
    assert outcome(function, 50, 2, seed)[0] == [*range(49, -1, -1)] * 2


def test_without_the_barrier_random_orders_disagree() -> None:
    """This is what makes the interpreter a judge: a missing barrier shows in the result."""
    function = kernel(REVERSE.format(barrier=""), shared=TILE)
    seen = {tuple(outcome(function, 8, seed=seed)[0]) for seed in SEEDS}
    assert len(seen) > 5


def test_a_seed_repeats_its_order() -> None:
    function = kernel(REVERSE.format(barrier=""), shared=TILE)
    assert outcome(function, 16, seed=7)[0] == outcome(function, 16, seed=7)[0]


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_a_barrier_waits_only_for_threads_that_have_not_ended(seed: int | None) -> None:
    body = """%c: i1 = icmp %tx, 5:i32 [pred=slt]
      if %c {
        barrier [level=block]
        store 1:i32, %p
        yield
      } {
        yield
      }"""
    assert outcome(kernel(body), 9, seed=seed)[0] == [1] * 5 + [0] * 4


@pytest.mark.parametrize(("kind", "expected"), [("count", 6), ("and", 0), ("or", 1)])
def test_barrier_reduce(kind: str, expected: int) -> None:
    body = f"""%odd: i32 = and %tx, 1:i32
      %n: i32 = barrier_reduce %odd [kind={kind}]
      store %n, %p"""
    for seed in (None, 1, 2):
        assert outcome(kernel(body), 12, seed=seed)[0] == [expected] * 12


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_a_barrier_in_a_loop(seed: int | None) -> None:
    """Prefix sums: each round reads what the round before wrote."""
    body = """%here: ptr = gep @tile:ptr, %tx [offset=0, strides=(4)]
      store 1:i32, %here
      %r: i32 = while 1:i32 { (%d: i32)
        barrier [level=block]
        %more: i1 = icmp %d, %bdx [pred=ult]
        condition %more, %d
      } { (%e: i32)
        %reach: i1 = icmp %tx, %e [pred=uge]
        %left: i32 = sub %tx, %e
        %v: i32 = if %reach {
          %q: ptr = gep @tile:ptr, %left [offset=0, strides=(4)]
          %w: i32 = load %q
          yield %w
        } {
          yield 0:i32
        }
        barrier [level=block]
        %own: i32 = load %here
        %sum: i32 = add %own, %v
        store %sum, %here
        %f: i32 = shl %e, 1:i32
        yield %f
      }
      %x: i32 = load %here
      store %x, %p"""
    assert outcome(kernel(body, shared=TILE), 33, seed=seed)[0] == list(range(1, 34))


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_a_grid_barrier_waits_for_all_blocks(seed: int | None) -> None:
    body = """store %id, %p
      barrier [level=grid]
      %threads: i32 = mul %gdx, %bdx
      %last: i32 = sub %threads, 1:i32
      %other: i32 = sub %last, %id
      %from: ptr = gep %out, %other [offset=0, strides=(4)]
      %x: i32 = load %from
      barrier [level=grid]
      store %x, %p"""
    assert outcome(kernel(body), 6, 5, seed)[0] == list(range(29, -1, -1))


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_a_thread_may_wait_for_a_store_of_another(seed: int | None) -> None:
    """Also of a block that comes later: whoever spins lets others run."""
    body = """%flags: ptr = gep %out, 0:i64 [offset=24, strides=(1)]
      %first: i1 = icmp %id, 0:i32 [pred=eq]
      if %first {
        %n: i32 = while 0:i32 { (%a: i32)
          %v: i32 = load %flags [volatile=true]
          %wait: i1 = icmp %v, 0:i32 [pred=eq]
          condition %wait, %v
        } { (%b: i32)
          yield %b
        }
        store %n, %p
        yield
      } {
        store %id, %p
        yield
      }"""
    assert outcome(kernel(body), 2, 4, seed)[0] == [6, *range(1, 8)]


def test_random_orders_interleave_blocks() -> None:
    body = """%old: i32 = atomicrmw %out, 1:i32 [operation=add, ordering=monotonic]
      %c: i1 = icmp %id, 0:i32 [pred=ne]
      if %c {
        store %old, %p
        yield
      } {
        yield
      }"""
    seen = {tuple(outcome(kernel(body), 2, 3, seed)[0]) for seed in SEEDS}
    assert len(seen) > 5
    assert all(values[0] == 6 for values in seen)


# -- warp collectives -------------------------------------------------------------------------------------------------


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


def test_shuffle_from_a_lane_that_has_no_thread_gives_the_own_value() -> None:
    assert shuffle("down", "4:i32", 32, threads=6) == [104, 105, 102, 103, 104, 105]


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


# -- split form -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [None, 3])
def test_thread_loops_in_sequence_share_scratch(seed: int | None) -> None:
    function = parse_function(f"""kernel @k({LAUNCH}, %out: ptr) {{
  %all: ptr = scratch [size=4, level=grid]
  grid %gdx, %gdy, %gdz {{ (%bx: i32, %by: i32, %bz: i32)
    %mine: ptr = scratch [size=4, level=block]
    block %bdx, %bdy, %bdz {{ (%tx: i32, %ty: i32, %tz: i32)
      %a: ptr = gep %mine, %tx [offset=0, strides=(4)]
      store %tx, %a
      yield
    }}
    for 0:i32, 3:i32, 1:i32 [pred=slt] {{ (%k: i32)
      block %bdx, %bdy, %bdz {{ (%tx2: i32, %ty2: i32, %tz2: i32)
        %b: ptr = gep %mine, %tx2 [offset=0, strides=(4)]
        %v: i32 = load %b
        %w: i32 = add %v, %k
        store %w, %b
        yield
      }}
      yield
    }}
    block %bdx, %bdy, %bdz {{ (%tx3: i32, %ty3: i32, %tz3: i32)
      %last: i32 = sub %bdx, 1:i32
      %o: i32 = sub %last, %tx3
      %c: ptr = gep %mine, %o [offset=0, strides=(4)]
      %x: i32 = load %c
      %to: ptr = gep %all, %bx, %tx3 [offset=0, strides=(16, 4)]
      store %x, %to
      yield
    }}
    yield
  }}
  grid %gdx, %gdy, %gdz {{ (%bx4: i32, %by4: i32, %bz4: i32)
    block %bdx, %bdy, %bdz {{ (%tx4: i32, %ty4: i32, %tz4: i32)
      %from: ptr = gep %all, %bx4, %tx4 [offset=0, strides=(16, 4)]
      %y: i32 = load %from
      %p: ptr = gep %out, %bx4, %tx4 [offset=0, strides=(16, 4)]
      store %y, %p
      yield
    }}
    yield
  }}
  yield
}}""")
    values, result = outcome(function, 4, 2, seed, races=True)
    assert values == [6, 5, 4, 3] * 2
    assert result.races == []
    assert result.counts["block"] == 2 * 5 + 2


# -- what must not happen ---------------------------------------------------------------------------------------------


def test_deadlock_says_who_waits_where() -> None:
    body = """%c: i1 = icmp %tx, 0:i32 [pred=eq]
      if %c {
        %r: i32 = vote -1:i32, 1:i32 [kind=any] @ "a.cu":7:3
        yield
      } {
        barrier [level=block] @ "a.cu":9:5
        yield
      }"""
    for seed in (None, 1):
        with pytest.raises(Deadlock, match=r"1 at vote \(a.cu:7\), 3 at barrier \(a.cu:9\)"):
            outcome(kernel(body), 4, seed=seed)


def test_different_masks_do_not_meet() -> None:
    body = "%r: i32 = vote %id, 1:i32 [kind=any]"
    with pytest.raises(Deadlock):
        outcome(kernel(body), 3)


@pytest.mark.parametrize(
    ("access", "message"),
    [
        ("%x: i32 = load %b", r"load at a.cu:3:1: i32 at byte 16 of out, which has 16"),
        ("store 1:i64, %b", r"store at a.cu:3:1: i64 at byte 16 of out, which has 16"),
        ("%x: i24 = load %b", r"3 bytes at byte 16 of out"),
        ("%x: i32 = atomicrmw %b, 1:i32 [operation=add, ordering=monotonic]", r"atomicrmw.*byte 16 of out"),
        ("memset %b, 0:i8, 1:i64", r"memset.*1 bytes at byte 16 of out"),
        ("%x: i32 = load null:ptr", r"address 0x0 \(null\)"),
    ],
)
def test_accesses_stay_inside_their_allocation(access: str, message: str) -> None:
    body = f'%b: ptr = gep %p, 0:i64 [offset=16, strides=(1)]\n      {access} @ "a.cu":3:1'
    for seed in (None, 1):
        with pytest.raises(MemoryFault, match=message):
            outcome(
                kernel("%e: i1 = icmp %id, 0:i32 [pred=eq]\nif %e {\n" + body + "\nyield\n} {\nyield\n}"), 4, seed=seed
            )


def test_an_access_to_freed_memory_is_noticed() -> None:
    body = """%m: ptr = call 4:i64 [callee="malloc", effects=any]
      store 1:i32, %m
      call %m [callee="free", effects=any]
      %x: i32 = load %m"""
    with pytest.raises(MemoryFault, match="byte 0 of malloc, which was freed"):
        outcome(kernel(body), 1)


def test_private_memory_ends_with_its_thread() -> None:
    body = """%a: ptr = alloca [size=4, align=4]
      %c: i1 = icmp %tx, 0:i32 [pred=eq]
      if %c {
        store %a, @tile:ptr
        barrier [level=block]
        yield
      } {
        barrier [level=block]
        barrier [level=block]
        %b: ptr = load @tile:ptr
        %x: i32 = load %b
        yield
      }"""
    with pytest.raises(MemoryFault, match="byte 0 of a, which was freed"):
        outcome(kernel(body, shared=TILE), 2)


def test_an_access_keeps_the_alignment_it_promises() -> None:
    body = "%b: ptr = gep %p, 0:i64 [offset=2, strides=(1)]\n      %x: i16 = load %b [align=4]"
    with pytest.raises(MemoryFault, match="not aligned to 4"):
        outcome(kernel(body), 1, seed=1)


def test_division_by_zero_and_traps() -> None:
    with pytest.raises(Trap, match="sdiv: division by zero"):
        outcome(kernel("%x: i32 = sdiv 1:i32, %tx"), 1)
    with pytest.raises(Trap, match="trap"):
        outcome(kernel('call [callee="llvm.trap", effects=any]'), 1)


def add_forty(value: int) -> int:
    """A function that only the caller knows."""
    return value + 40


def test_unknown_functions_are_named_and_may_be_given() -> None:
    function = kernel('%x: i32 = call %tx [callee="mystery", effects=none]\n      store %x, %p')
    with pytest.raises(UnknownFunction, match="unknown function mystery"):
        outcome(function, 2)
    assert outcome(function, 2, functions={"mystery": add_forty})[0] == [40, 41]


def test_endless_loops_end() -> None:
    body = """%x: i32 = while 0:i32 { (%a: i32)
        %v: i32 = load %p [volatile=true]
        %c: i1 = icmp %v, 0:i32 [pred=eq]
        condition %c, %a
      } { (%b: i32)
        yield %b
      }"""
    for seed in (None, 1):
        with pytest.raises(TooLong):
            outcome(kernel(body), 3, seed=seed, limit=1000)


# -- races ------------------------------------------------------------------------------------------------------------


def races(body: str, threads: int = 4, blocks: int = 1, shared: str = TILE, seed: int | None = None) -> set[str]:
    """Pairs of op names that race."""
    found = outcome(kernel(body, shared=shared), threads, blocks, seed, races=True)[1].races
    return {" ".join(sorted((race.first.name, race.second.name))) for race in found}


def test_a_missing_barrier_is_a_race_in_every_order() -> None:
    for seed in (None, 1, 2):
        assert races(REVERSE.format(barrier=""), seed=seed) == {"load store"}
        assert races(REVERSE.format(barrier="barrier [level=block]"), seed=seed) == set()


def test_races_have_locations() -> None:
    body = 'store %tx, @tile:ptr @ "a.cu":3:5'
    (race,) = outcome(kernel(body, shared=TILE), 2, races=True)[1].races
    assert race.first.loc is not None
    assert (race.first.loc.line, race.place, race.threads) == (3, "byte 0 of @tile, which has 256", (0, 1))


def test_atomics_do_not_race_with_each_other() -> None:
    atomic = "%x: i32 = atomicrmw @tile:ptr, 1:i32 [operation=add, ordering=monotonic]"
    assert races(atomic) == set()
    assert races(atomic + "\n      %y: i32 = load @tile:ptr") == {"atomicrmw load"}


def test_blocks_race_in_global_memory_only() -> None:
    assert races("store 1:i32, %out", threads=1, blocks=2) == {"store store"}
    assert races("store 1:i32, @tile:ptr", threads=1, blocks=2) == set()


def test_a_barrier_of_the_block_does_not_order_blocks() -> None:
    body = "{}\n      %x: i32 = load %out\n      barrier [level={}]\n      {}"
    store = "%c: i1 = icmp %id, 0:i32 [pred=eq]\n if %c {\n store 1:i32, %out\n yield\n } {\n yield\n }"
    assert races(body.format("", "block", store), threads=2, blocks=2) == {"load store"}
    assert races(body.format("", "block", store), threads=4, blocks=1) == set()
    assert races(body.format("", "grid", store), threads=2, blocks=2) == set()


def test_a_warp_barrier_orders_its_own_lanes_only() -> None:
    body = REVERSE.format(barrier="barrier [level=warp]")
    assert races(body, threads=32) == set()
    assert races(body, threads=64) == {"load store"}


# -- control flow -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pred", "last", "step"), [("slt", 5, 2), ("ne", 6, 2), ("sgt", -5, -2), ("ule", 4, 2)])
def test_for_loops(pred: str, last: int, step: int) -> None:
    body = f"""%n: i32, %s: i32 = for 0:i32, {last}:i32, {step}:i32, 0:i32, 7:i32 [pred={pred}] {{
          (%i: i32, %a: i32, %b: i32)
        %a2: i32 = add %a, 1:i32
        yield %b, %a2
      }}
      %m: i32 = mul %n, 100:i32
      %r: i32 = add %m, %s
      store %r, %p"""
    assert outcome(kernel(body), 1)[0] == [802]


def test_deep_nesting() -> None:
    """Python's own limits on nesting are no limits here."""
    depth = 60
    body = "barrier [level=block]\n%old: i32 = load %p\n%new: i32 = add %old, 1:i32\nstore %new, %p\nyield\n"
    for level in range(depth):
        if level % 2:
            body = f"if 1:i1 {{\n{body}}} {{\nyield\n}}\nyield\n"
        else:
            body = f"for 0:i32, 1:i32, 1:i32 [pred=slt] {{ (%i{level}: i32)\n{body}}}\nyield\n"
    function = kernel(body.removesuffix("yield\n"))
    for seed, watched in ((None, False), (1, False), (None, True), (2, True)):
        assert outcome(function, 3, seed=seed, races=watched)[0] == [1] * 3


CFG = f"""kernel @k({LAUNCH}, %out: ptr) {{
  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)
  ^entry:
    %p: ptr = gep %out, %tx [offset=0, strides=(4)]
    br 0:i32, 0:i32 [targets=(head), counts=(2)]
  ^head(%i: i32, %s: i32):
    %c: i1 = icmp %i, %tx [pred=slt]
    cond_br %c, %s [targets=(body, exit), counts=(0, 1)]
  ^body:
    %t: i32 = add %s, %i
    %j: i32 = add %i, 1:i32
    switch %i, %j, %s, %j, %t [targets=(head, head), counts=(2, 2), cases=(3)]
  ^exit(%r: i32):
    barrier [level=block]
    store %r, %p
    ret
}}"""


def test_basic_blocks() -> None:
    """Before structuring, too: sums of 3 where the loop passes it."""
    for seed in (None, 1, 2):
        assert outcome(parse_function(CFG), 6, seed=seed, races=seed == 2)[0] == [0, 0, 0, 0, 3, 3]


# -- counting ---------------------------------------------------------------------------------------------------------


def test_counts_are_exact_per_op() -> None:
    body = """%c: i1 = icmp %tx, 2:i32 [pred=slt]
      if %c {
        for 0:i32, 10:i32, 1:i32 [pred=slt] { (%i: i32)
          %x: i32 = xor %i, %tx
          yield
        }
        yield
      } {
        yield
      }"""
    _, result = outcome(kernel(body), 5, 2)
    assert result.counts["xor"] == 2 * 2 * 10
    assert result.counts["icmp"] == result.counts["if"] == 10
    assert result.counts["for"] == 4
    assert result.total == sum(result.counts.values())


# -- undefined values -------------------------------------------------------------------------------------------------


def test_undefined_is_zero_or_garbage() -> None:
    body = "%a: ptr = alloca [size=4, align=4]\n%x: i32 = load %a\n%y: i32 = or %x, undef:i32\nstore %y, %p"
    assert outcome(kernel(body), 2)[0] == [0, 0]
    assert len({tuple(outcome(kernel(body), 2, seed=seed)[0]) for seed in SEEDS}) > 10


def test_shared_memory_is_fresh_for_each_block() -> None:
    body = "%x: i32 = load @tile:ptr\nstore 9:i32, @tile:ptr\nstore %x, %p"
    assert outcome(kernel(body, shared=TILE), 1, 3)[0] == [0, 0, 0]
    assert 9 not in outcome(kernel(body, shared=TILE), 1, 3, seed=1)[0]


def test_dynamic_shared_variables_are_one() -> None:
    body = "store %id, @one:ptr\n%x: i32 = load @two:ptr\nstore %x, %p"
    shared = "shared @one [size=0, align=4]\n  shared @two [size=0, align=8]"
    assert outcome(kernel(body, shared=shared), 1, 3, dynamic_shared=4)[0] == [0, 1, 2]
    with pytest.raises(MemoryFault):
        outcome(kernel(body, shared=shared), 1, 3, dynamic_shared=2)


# -- globals ----------------------------------------------------------------------------------------------------------


def test_globals_are_found_by_name() -> None:
    function = kernel("%x: i32 = load @table:ptr\nstore %x, %p")
    memory = Memory()
    memory.add_global("table", b"\x07\0\0\0")
    out = memory.array("i32", [0])
    run(function, (1, 1, 1), (1, 1, 1), [out], memory)
    assert memory.values("i32", out, 1) == [7]
    with pytest.raises(Fault, match="@table"):
        outcome(function, 1)


def test_functions_have_addresses() -> None:
    function = kernel("%x: i32 = call_indirect @forty:ptr, %id [effects=none]\nstore %x, %p")
    assert outcome(function, 3, functions={"forty": add_forty})[0] == [40, 41, 42]


def test_a_program_runs_many_times() -> None:
    program = Program(kernel("store %id, %p"))
    for count in (1, 2):
        memory = Memory()
        out = memory.array("i32", [9, 9])
        assert program.run((1, 1, 1), (count, 1, 1), [out], memory).counts["store"] == count
        assert memory.values("i32", out, 2) == [0, [9, 1][count - 1]]
