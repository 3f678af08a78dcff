# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All of canonicalise: what leaves loops, what goes and what stays; time, and agreement of threads."""

from __future__ import annotations

import time

import pytest
from canonical_code import canonical
from differential import lowered, results
from random_control_flow import random_control_flow
from thread_code import after, from_thread, text

from warploom.core.remarks import Unsupported
from warploom.ir.core import Builder, Value, int_const, walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.barrier.split_warps import SPLIT_WARPS
from warploom.passes.base import Context
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.shape.structure import STRUCTURE


def test_invariant_ops_leave_all_their_loops_but_not_the_block() -> None:
    result = canonical("""
      for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)
        for 0:i32, %n, 1:i32 [pred=slt] { (%k: i32)
          %a: i32 = mul %n, %n
          %b: i32 = mul %a, %i
          %c: i32 = udiv %n, %bdx
          %d: i32 = add %b, %c
          store %d, %p [align=4]
          yield
        }
        yield
      }
    """)
    lines = result.splitlines()
    assert lines[0] == "%a: i32 = mul %n, %n"
    assert lines[2].strip() == "%b: i32 = mul %a, %i"
    assert lines[4].strip() == "%c: i32 = udiv %n, %bdx"  # too dear to run where it might not have run


def test_an_endless_loop_stays_and_an_idle_one_goes() -> None:
    assert canonical("""
      %r: i32 = while 0:i32 { (%i: i32)
        %c: i1 = icmp %i, %n [pred=ne]
        condition %c, %i
      } { (%k: i32)
        %j: i32 = add %k, 1:i32
        yield %j
      }
      while {
        condition 1:i1
      } {
        yield
      }
    """) == text("""
      while {
        condition 1:i1
      } {
        yield
      }
    """)


def test_what_has_effects_stays() -> None:
    ops = text("""
      %v: i32 = load %p [align=4, volatile=true]
      %w: i32 = atomicrmw %p, %n [operation=add, ordering=monotonic, align=4]
      %x: i32 = call %n [callee=f, effects=any]
      barrier [level=block]
      fence [ordering=seq_cst]
    """)
    assert canonical(ops) == ops


def test_it_is_idempotent_on_random_graphs() -> None:
    for seed in range(30):
        function = random_control_flow(seed, 12)
        STRUCTURE.run(function, Context())
        first = after(function, CANONICALISE)
        assert after(function, CANONICALISE) == first


def test_four_thousand_ops_take_well_under_a_second() -> None:
    function = from_thread("")
    block = function.body.ops[0].region.ops[0].region
    build = Builder([])
    value: Value = function.arguments[0]
    for number in range(1000):
        loaded = build.op("load", [function.arguments[2]], "i32", align=4)
        total = build.op("add", [loaded, value], "i32")
        value = build.op("mul", [total, int_const("i32", 2 * number + 3)], "i32")
        build.effect("store", [value, function.arguments[2]], align=4)
    block.ops[:0] = build.ops
    start = time.process_time()
    CANONICALISE.run(function, Context())
    assert time.process_time() - start < 0.6  # 0.06 s on an idle machine
    assert sum(op.name == "mul" for op in walk(function.body)) == 1000


EARLY_LEAVE = """kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)
    block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)
      %w: i64 = sext %tx
      %a: ptr = gep %p, %w [offset=0, strides=(4), inbounds=true]
      %i: i32 = while 0:i32 { (%c: i32)
        %votes: i32 = barrier_reduce %n [kind=or]
        %leave: i1 = icmp %votes, 0:i32 [pred=eq]
        %next: i32 = if %leave {
          yield poison:i32
        } {
          %live: i32 = vote -1:i32, 1:i32 [kind=ballot]
          store %live, %a [align=4]
          %inc: i32 = add %c, 1:i32 [flags=(nuw, nsw)]
          yield %inc
        }
        %more: i1 = icmp %next, 3:i32 [pred=slt]
        %on: i1 = select %leave, 0:i1, %more
        condition %on, %next
      } { (%d: i32)
        yield %d
      }
      %odd: i1 = icmp %i, 3:i32 [pred=eq]
      if %odd {
        barrier [level=block]
        %v: i32 = load %p [align=4]
        %x: i32 = add %v, %i
        barrier [level=block]
        store %x, %a [align=4]
        yield
      } {
        barrier [level=block]
        yield
      }
      yield
    }
    yield
  }
  yield
}
"""


def test_threads_that_agree_on_the_way_out_of_a_loop_agree_on_its_counter() -> None:
    # Barriers stand on both sides of what follows: as long as the counter seemed to differ, no splitting was possible.
    function = parse_function(EARLY_LEAVE)
    after_passes, _ = lowered(function, [CANONICALISE, SPLIT_BARRIERS, SPLIT_WARPS])
    for seed in range(4):
        assert results(after_passes, (1, 1, 1), (40, 1, 1), 1, seed) == results(
            function, (1, 1, 1), (40, 1, 1), 1, seed
        )
    with pytest.raises(Unsupported, match="both sides"):
        lowered(function, [SPLIT_BARRIERS])
