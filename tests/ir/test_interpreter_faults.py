# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter notices what must not happen: deadlocks, bad accesses, traps, endless loops, races."""

from __future__ import annotations

import pytest
from interpreting import REVERSE, TILE, kernel, outcome

from warploom.ir.interpreter import (
    Deadlock,
    MemoryFault,
    TooLong,
    Trap,
)


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


def test_traps() -> None:
    with pytest.raises(Trap, match="trap"):
        outcome(kernel('call [callee="llvm.trap", effects=any]'), 1)


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
