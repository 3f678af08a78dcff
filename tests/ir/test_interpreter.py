# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter runs threads, barriers and control flow as CUDA says, and counts ops."""

from __future__ import annotations

import pytest
from interpreting import LAUNCH, REVERSE, SEEDS, TILE, kernel, outcome

from warploom.ir.interpreter import (
    run,
)
from warploom.ir.memory import Memory
from warploom.ir.parser import parse_function

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
