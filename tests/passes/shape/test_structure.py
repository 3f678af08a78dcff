# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control-flow graphs become for, while and if: each shape as one would write it, any shape with the same meaning."""

from __future__ import annotations

from collections import Counter

import pytest
from random_control_flow import random_control_flow
from thread_code import after, from_blocks, text

from warploom.ir.core import LAUNCH_PARAMS, Block, Builder, Function, Op, Value, int_const, walk
from warploom.ir.interpreter import TooLong, run
from warploom.ir.memory import Memory
from warploom.ir.verifier import verify
from warploom.passes.base import Context, Pass
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.shape import structure
from warploom.passes.shape.raise_loops import RAISE_LOOPS
from warploom.passes.shape.structure import STRUCTURE


def structured(blocks: str) -> str:
    return after(from_blocks(blocks), STRUCTURE)


def names(function: Function) -> Counter[str]:
    return Counter(op.name for op in walk(function.body))


def test_an_early_return_guards_the_rest() -> None:
    # No selector: the rest is what the other side of the branch dominates.
    assert structured("""
        ^entry:
          %c: i1 = icmp %tx, %n [pred=sge]
          cond_br %c [targets=(exit, rest), counts=(0, 0)]
        ^rest:
          store %tx, %p [align=4]
          br [targets=(exit), counts=(0)]
        ^exit:
          ret
        """) == text("""
        %c: i1 = icmp %tx, %n [pred=sge]
        %0: i1 = icmp %tx, %n [pred=slt]
        if %0 {
          store %tx, %p [align=4]
          yield
        } {
          yield
        }
        """)


def test_a_diamond_yields_its_phis() -> None:
    assert structured("""
        ^entry:
          %c: i1 = icmp %tx, %n [pred=slt]
          cond_br %c [targets=(a, b), counts=(0, 0)]
        ^a:
          %v: i32 = load %p [align=4]
          br %v [targets=(join), counts=(1)]
        ^b:
          store %n, %p [align=4]
          br 7:i32 [targets=(join), counts=(1)]
        ^join(%r: i32):
          store %r, %p [align=4]
          ret
        """) == text("""
        %c: i1 = icmp %tx, %n [pred=slt]
        %r: i32 = if %c {
          %v: i32 = load %p [align=4]
          yield %v
        } {
          store %n, %p [align=4]
          yield 7:i32
        }
        store %r, %p [align=4]
        """)


COUNTED = """
        ^entry:
          br 0:i32, 1:i32 [targets=(head), counts=(2)]
        ^head(%i: i32, %s: i32):
          %c: i1 = icmp %i, %n [pred=slt]
          cond_br %c [targets=(body, exit), counts=(0, 0)]
        ^body:
          %t: i32 = add %s, %i
          %j: i32 = add %i, 1:i32
          br %j, %t [targets=(head), counts=(2)]
        ^exit:
          store %s, %p [align=4]
          ret
        """


def test_a_loop_that_leaves_at_its_header_is_a_plain_while() -> None:
    assert structured(COUNTED) == text("""
        %s: i32, %i: i32 = while 0:i32, 1:i32 { (%i.1: i32, %s.1: i32)
          %c: i1 = icmp %i.1, %n [pred=slt]
          condition %c, %s.1, %i.1
        } { (%s.2: i32, %i.2: i32)
          %t: i32 = add %s.2, %i.2
          %j: i32 = add %i.2, 1:i32
          yield %j, %t
        }
        store %s, %p [align=4]
        """)


def test_a_loop_that_leaves_at_its_end_is_a_while_without_second_region() -> None:
    assert structured("""
        ^entry:
          br 0:i32 [targets=(body), counts=(1)]
        ^body(%i: i32):
          store %i, %p [align=4]
          %j: i32 = add %i, 1:i32
          %c: i1 = icmp %j, %n [pred=sge]
          cond_br %c, %j [targets=(exit, body), counts=(0, 1)]
        ^exit:
          ret
        """) == text("""
        %j: i32 = while 0:i32 { (%i: i32)
          store %i, %p [align=4]
          %j.1: i32 = add %i, 1:i32
          %c: i1 = icmp %j.1, %n [pred=sge]
          %0: i1 = icmp %j.1, %n [pred=slt]
          condition %0, %j.1
        } { (%j.2: i32)
          yield %j.2
        }
        """)


def test_a_loop_that_leaves_in_the_middle_has_both_regions() -> None:
    assert structured("""
        ^entry:
          br [targets=(head), counts=(0)]
        ^head:
          store 1:i32, %p [align=4]
          %v: i32 = load %p [align=4]
          %a: i1 = icmp %v, 5:i32 [pred=eq]
          cond_br %a [targets=(then, test), counts=(0, 0)]
        ^then:
          store 2:i32, %p [align=4]
          br [targets=(test), counts=(0)]
        ^test:
          %c: i1 = icmp %v, %n [pred=slt]
          cond_br %c [targets=(rest, exit), counts=(0, 0)]
        ^rest:
          store 3:i32, %p [align=4]
          br [targets=(head), counts=(0)]
        ^exit:
          ret
        """) == text("""
        while {
          store 1:i32, %p [align=4]
          %v: i32 = load %p [align=4]
          %a: i1 = icmp %v, 5:i32 [pred=eq]
          if %a {
            store 2:i32, %p [align=4]
            yield
          } {
            yield
          }
          %c: i1 = icmp %v, %n [pred=slt]
          condition %c
        } {
          store 3:i32, %p [align=4]
          yield
        }
        """)


BREAK = """
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %c: i1 = icmp %i, %n [pred=slt]
          cond_br %c [targets=(body, exit), counts=(0, 0)]
        ^body:
          %v: i32 = load %p [align=4]
          %d: i1 = icmp %v, %i [pred=eq]
          cond_br %d [targets=(OUT, latch), counts=(0, 0)]
        ^latch:
          %j: i32 = add %i, 1:i32
          br %j [targets=(head), counts=(1)]
        ^exit:
          store %i, %p [align=4]
          br [targets=(end), counts=(0)]
        ^end:
          ret
        """


def test_a_break_adds_one_flag() -> None:
    # Both ways out lead to the same place: whether to go on is all there is to say.
    assert after(from_blocks(BREAK.replace("OUT", "exit")), STRUCTURE, CANONICALISE) == text("""
        %i: i32, %i.1: i32 = while 0:i32 { (%i.2: i32)
          %c: i1 = icmp %i.2, %n [pred=slt]
          %j: i32 = add %i.2, 1:i32
          %continue: i1 = if %c {
            %v: i32 = load %p [align=4]
            %continue.1: i1 = icmp %v, %i.2 [pred=ne]
            yield %continue.1
          } {
            yield 0:i1
          }
          condition %continue, %j, %i.2
        } { (%i.3: i32, %i.4: i32)
          yield %i.3
        }
        store %i.1, %p [align=4]
        """)


def test_a_return_in_a_loop_adds_a_selector() -> None:
    function = from_blocks(BREAK.replace("OUT", "end"))
    result = after(function, STRUCTURE)
    assert "%leave" in result
    assert result.count("= while") == 1
    assert names(function)["store"] == 1


def test_continue_needs_nothing() -> None:
    # Both edges back meet at the end of the body.
    result = structured("""
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %j: i32 = add %i, 1:i32
          %c: i1 = icmp %i, %n [pred=slt]
          cond_br %c [targets=(body, exit), counts=(0, 0)]
        ^body:
          %v: i32 = load %p [align=4]
          %d: i1 = icmp %v, %i [pred=eq]
          cond_br %d, %j [targets=(head, more), counts=(1, 0)]
        ^more:
          store %i, %p [align=4]
          br %j [targets=(head), counts=(1)]
        ^exit:
          ret
        """)
    assert "continue" not in result
    assert "poison" not in result
    assert result.count(" if ") == 1 or result.count("\n  if ") == 1


def test_a_shared_side_is_selected_not_copied() -> None:
    # if (a && b) X else Y: Y is reached from both tests.
    function = from_blocks("""
        ^entry:
          %a: i1 = icmp %tx, %n [pred=slt]
          cond_br %a [targets=(second, y), counts=(0, 0)]
        ^second:
          %v: i32 = load %p [align=4]
          %b: i1 = icmp %v, %n [pred=eq]
          cond_br %b [targets=(x, y), counts=(0, 0)]
        ^x:
          store 1:i32, %p [align=4]
          br [targets=(z), counts=(0)]
        ^y:
          store 2:i32, %p [align=4]
          br [targets=(z), counts=(0)]
        ^z:
          store 3:i32, %p [align=4]
          ret
        """)
    after(function, STRUCTURE)
    assert names(function)["store"] == 3
    assert names(function)["if"] == 3


def test_a_switch_that_falls_through_keeps_each_case_once() -> None:
    function = from_blocks("""
        ^entry:
          switch %n [targets=(d, a, b, a, c), counts=(0, 0, 0, 0, 0), cases=(1, 2, 3, 4)]
        ^a:
          store 1:i32, %p [align=4]
          br [targets=(b), counts=(0)]
        ^b:
          store 2:i32, %p [align=4]
          br [targets=(c), counts=(0)]
        ^c:
          store 3:i32, %p [align=4]
          br [targets=(d), counts=(0)]
        ^d:
          ret
        """)
    after(function, STRUCTURE)
    assert names(function)["store"] == 3


def test_a_switch_whose_default_cannot_happen_needs_one_test_less() -> None:
    function = from_blocks("""
        ^entry:
          switch %n [targets=(no, a, b), counts=(0, 0, 0), cases=(1, 2)]
        ^a:
          store 1:i32, %p [align=4]
          br [targets=(end), counts=(0)]
        ^b:
          store 2:i32, %p [align=4]
          br [targets=(end), counts=(0)]
        ^no:
          unreachable
        ^end:
          ret
        """)
    after(function, STRUCTURE)
    assert names(function)["if"] == 1


def test_a_cycle_with_two_entries_gets_one() -> None:
    function = from_blocks("""
        ^entry:
          %c: i1 = icmp %tx, %n [pred=slt]
          cond_br %c, 1:i32, 2:i32 [targets=(a, b), counts=(1, 1)]
        ^a(%x: i32):
          store %x, %p [align=4]
          %y: i32 = add %x, 1:i32
          br %y [targets=(b), counts=(1)]
        ^b(%z: i32):
          store %z, %p [align=4]
          %d: i1 = icmp %z, %n [pred=slt]
          cond_br %d, %z [targets=(a, end), counts=(1, 0)]
        ^end:
          ret
        """)
    assert "%entry" in after(function, STRUCTURE)
    assert names(function)["while"] == 1
    assert names(function)["store"] == 2


def test_an_endless_loop_stays_endless() -> None:
    assert structured("""
        ^entry:
          %c: i1 = icmp %tx, %n [pred=slt]
          cond_br %c [targets=(a, b), counts=(0, 0)]
        ^a:
          store 3:i32, %p [align=4]
          br [targets=(a), counts=(0)]
        ^b:
          store 4:i32, %p [align=4]
          ret
        """) == text("""
        %c: i1 = icmp %tx, %n [pred=slt]
        if %c {
          while {
            store 3:i32, %p [align=4]
            condition 1:i1
          } {
            yield
          }
          yield
        } {
          store 4:i32, %p [align=4]
          yield
        }
        """)


def test_a_call_that_does_not_return_ends_the_thread() -> None:
    assert structured("""
        ^entry:
          %c: i1 = icmp %tx, %n [pred=slt]
          cond_br %c [targets=(fail, rest), counts=(0, 0)]
        ^fail:
          call [callee=__warploom_trap, effects=any, noreturn=true]
          unreachable
        ^rest:
          store 4:i32, %p [align=4]
          ret
        """) == text("""
        %c: i1 = icmp %tx, %n [pred=slt]
        if %c {
          call [callee=__warploom_trap, effects=any, noreturn=true]
          yield
        } {
          store 4:i32, %p [align=4]
          yield
        }
        """)


def test_the_ids_become_parameters_of_grid_and_block() -> None:
    function = from_blocks("^entry:\n  ret")
    ids = list(function.ids)
    STRUCTURE.run(function, Context())
    (grid, _) = function.body.ops
    (block, _) = grid.region.ops
    assert [*grid.region.params, *block.region.params] == ids
    assert [*grid.operands, *block.operands] == function.launch


def chain_of_returns(count: int) -> Function:
    """if (*p == 0) return; if (*p == 1) return; ..."""
    launch = [Value("i32", name) for name in LAUNCH_PARAMS]
    ids = [Value("i32", name) for name in ("bx", "by", "bz", "tx", "ty", "tz")]
    function = Function("chain", [*launch, Value("ptr", "p")], ids=ids)
    pointer = function.arguments[0]
    for number in range(count):
        block = Block(f"b{number}")
        build = Builder(block.ops)
        loaded = build.op("load", [pointer], "i32", align=4)
        build.effect("store", [loaded, pointer], align=4)
        test = build.op("icmp", [loaded, int_const("i32", number)], "i1", pred="eq")
        build.effect("cond_br", [test], targets=("end", f"b{number + 1}"), counts=(0, 0))
        function.blocks.append(block)
    function.blocks.append(Block(f"b{count}", ops=[Op("br", attrs={"targets": ("end",), "counts": (0,)})]))
    function.blocks.append(Block("end", ops=[Op("ret")]))
    return function


def depth_of(op: Op) -> int:
    return 1 + max((depth_of(inner) for region in op.regions for inner in region.ops), default=0)


def test_a_long_chain_of_returns_does_not_nest_without_bound() -> None:
    function = chain_of_returns(300)
    STRUCTURE.run(function, Context())
    verify(function, "structured")
    assert max(depth_of(op) for op in function.body.ops) < 2 * structure.NESTING
    assert names(function)["store"] == 300


def outcome(function: Function, seed: int | None, limit: int) -> list[int] | None:
    memory = Memory()
    address = memory.array("i32", [(7919 * i * i + 31 * i) % 1013 for i in range(8)], "p")
    try:
        run(function, (1, 1, 1), (8, 1, 1), [5, address], memory, seed=seed, limit=limit)
    except TooLong:
        return None
    return memory.values("i32", address, 8)


@pytest.mark.parametrize("nesting", [1, 40])
def test_any_graph_keeps_its_meaning(nesting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Random graphs, irreducible ones and endless loops among them; values that no path sets are garbage under a seed.
    monkeypatch.setattr(structure, "NESTING", nesting)
    steps: tuple[Pass, ...] = (STRUCTURE, RAISE_LOOPS, CANONICALISE)
    compared = 0
    for seed in range(60):
        function = random_control_flow(seed, 3 + seed % 14)
        verify(function, "cfg")
        expected = outcome(function, None, 1000)
        for each in steps:
            each.run(function, Context())
            verify(function, "structured")
            if expected is not None:
                assert outcome(function, seed, 100_000) == expected, f"seed {seed} after {each.name}"
                compared += 1
    assert compared > 60


def test_what_the_side_without_the_barrier_decides_comes_before_it() -> None:
    text = structured("""
        ^entry:
          %c: i1 = icmp %tx, 3:i32 [pred=eq]
          cond_br %c, 5:i32 [targets=(test, wait), counts=(1, 0)]
        ^wait:
          barrier [level=block]
          %v: i32 = load %p [align=4]
          br 0:i32 [targets=(test), counts=(1)]
        ^test(%k: i32):
          %five: i1 = icmp %k, 5:i32 [pred=eq]
          cond_br %five [targets=(mine, others), counts=(0, 0)]
        ^mine:
          store 7:i32, %p [align=4]
          br [targets=(exit), counts=(0)]
        ^others:
          store %tx, %p [align=4]
          br [targets=(exit), counts=(0)]
        ^exit:
          ret
        """)
    assert text.count("if ") == 1
    assert text.count("store") == 2
