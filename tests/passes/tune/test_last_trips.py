# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When what follows a loop around barriers is done in its last trip, and that it stays the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from differential import lowered, results
from fission_kernels import kernel

from warploom.ir.core import Function, Op, walk, walk_op
from warploom.ir.parser import parse_function
from warploom.passes.barrier.recompute_conditions import RECOMPUTE_CONDITIONS
from warploom.passes.barrier.split_barriers import SPLIT_BARRIERS
from warploom.passes.base import Context, Pass, apply
from warploom.passes.clean.canonicalise import CANONICALISE
from warploom.passes.tune.last_trips import LAST_TRIPS
from warploom.passes.vector.vectorise import VECTORISE
from warploom.pipeline import cleaned

SHARED = "shared @s [size=4096, align=4]\n  shared @t [size=4096, align=4]\n  shared @u [size=4096, align=4]"
# A pyramid: in round k thread t adds its left neighbour's number if t > k; who did in the last round writes it.
BODY = """
      %result: ptr = gep @t:ptr, %narrow [offset=0, strides=(4), inbounds=true]
      %beside: ptr = gep @t:ptr, %narrow [offset=4, strides=(4), inbounds=true]
      %unused: ptr = gep @u:ptr, %narrow [offset=0, strides=(4), inbounds=true]
      %left: ptr = gep @s:ptr, %narrow [offset=-4, strides=(4), inbounds=true]
      %first: i32 = load %here [align=4]
      store %first, %mine [align=4]
      store 7:i32, %result [align=4]
      store 8:i32, %unused [align=4]
      barrier [level=block]
      %end: i32, %last: i1 = while 0:i32, 0:i1 { (%k: i32, %was: i1)
        %inside: i1 = icmp %k, %n [pred=slt]
        %next: i32 = add %k, 1:i32 [flags=(nsw)]
        %on: i1 = icmp %tx, %k [pred=sgt]
        %even: i32 = and %tx, 1:i32
        %is_even: i1 = icmp %even, 0:i32 [pred=eq]
        %both: i1 = select %on, %is_even, 0:i1
        %chosen: i1 = select %inside, GUARD, %was
        %more: i1 = if %inside {
          COMPUTE
          barrier [level=block]
          %final: i32 = sub %n, 1:i32
          IN_FRONT
          %again: i1 = AGAIN
          if %again {
            if %on {
              %z: i32 = load %result [align=4]
              store %z, %mine [align=4]
              yield
            } {
              yield
            }
            barrier [level=block]
            yield
          } {
            OTHERWISE
            yield
          }
          yield %again
        } {
          yield 0:i1
        }
        condition %more, %next, %chosen
      } { (%k2: i32, %c2: i1)
        yield %k2, %c2
      }
      REST
"""
STEP = """BEFORE
            %a: i32 = load %left [align=4]
            %b: i32 = load %mine [align=4]
            %c: i32 = add %a, %b
            store %c, %result [align=4]
            AFTER"""
ONE_IF = "if %on {\n" + STEP + "\n yield\n } {\n yield\n }"
NESTED = """if %on {
            if %is_even {
              STEP
              yield
            } {
              yield
            }
            yield
          } {
            yield
          }""".replace("STEP", STEP)
AGAIN = "icmp %k, %final [pred=ne]"
REST = """if %last {
        %v: i32 = load %result [align=4]
        %w: i32 = add %v, 1000:i32
        store %w, %here [align=4]
        yield
      } {
        yield
      }"""
PASSES = [[cleaned(LAST_TRIPS)], [cleaned(LAST_TRIPS), cleaned(RECOMPUTE_CONDITIONS), SPLIT_BARRIERS, CANONICALISE]]


def pyramid(compute: str = ONE_IF, rest: str = REST, before: str = "", after: str = "", **others: str) -> Function:
    body = BODY.replace("COMPUTE", compute).replace("REST", rest).replace("BEFORE", before).replace("AFTER", after)
    for name, default in (("AGAIN", AGAIN), ("OTHERWISE", ""), ("IN_FRONT", ""), ("GUARD", "%on")):
        body = body.replace(name, others.get(name, default))
    return parse_function(kernel(body, SHARED))


def moved(function: Function) -> list[Op] | None:
    """The `if` in the loop that is for the last trip, after the pass; None where nothing changed."""
    if not apply(cleaned(LAST_TRIPS), function, Context()):
        return None
    (loop,) = [op for op in walk(function.body) if op.name == "while"]
    found = [op for op in walk_op(loop) if op.name == "if" and any(each.name == "store" for each in op.regions[1].ops)]
    assert len(found) == 1
    return found


def test_the_value_goes_from_a_register_to_its_place() -> None:
    found = moved(pyramid())
    assert found is not None
    assert [op.name for op in found[0].regions[1].body if op.name in ("load", "store")] == ["store"]


def test_the_store_that_nobody_reads_any_more_is_for_other_trips() -> None:
    found = moved(pyramid())
    assert found is not None
    assert [op.name for op in found[0].regions[0].body] == ["store"]


def test_a_store_of_which_a_part_is_read_elsewhere_stays_for_every_trip() -> None:
    low = "%low: i8 = load %result [align=4]\n %part: i32 = zext %low\n %w: i32 = add %v, %part"
    original = pyramid(rest=REST.replace("%w: i32 = add %v, 1000:i32", low))
    changed, context = lowered(original, [cleaned(LAST_TRIPS)])
    assert context.remarks
    for n in (1, 2, 3):
        assert results(changed, (1, 1, 1), (9, 1, 1), n) == results(original, (1, 1, 1), (9, 1, 1), n)


def test_two_nested_conditions_are_the_one_of_what_follows() -> None:
    assert moved(pyramid(NESTED, GUARD="%both")) is not None
    assert moved(pyramid(NESTED, GUARD="%on")) is None
    assert moved(pyramid(ONE_IF, GUARD="%both")) is None


def test_a_store_that_is_looked_at_is_for_every_trip() -> None:
    function = pyramid(after="%d: i32 = load %result [align=4, volatile=true]")
    assert apply(cleaned(LAST_TRIPS), function, Context())
    (around,) = [op for op in walk(function.body) if any("volatile" in e.attrs for r in op.regions for e in r.ops)]
    assert [op.name for op in around.regions[0].body if op.name in ("load", "store", "if")].count("store") == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"rest": REST.replace("load %result", "load %beside")}, "another thread stored what is loaded"),
        ({"rest": REST.replace("load %result", "load %unused")}, "the loop does not store what is loaded"),
        ({"rest": REST.replace("store %w, %here", "store %w, %left")}, "another thread may still read it"),
        ({"rest": "%other: i1 = icmp %tx, 3:i32 [pred=sgt]\n" + REST.replace("%last", "%other")},
         "other threads than those that store"),
        ({"rest": REST.replace("%v: i32", "fence [ordering=seq_cst]\n%v: i32")}, "a message to other blocks"),
        ({"before": "%g: i32 = load %p [align=4]"}, "another thread reads what is stored"),
        ({"AGAIN": "icmp %k, %tx [pred=ne]"}, "threads leave one by one"),
        ({"OTHERWISE": "store 9:i32, %unused [align=4]"}, "something happens behind the barrier"),
        ({"after": "store 5:i32, %result [align=4, volatile=true]"}, "the store that counts is another one"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_it_stays_behind_the_loop_where(changes: dict[str, str], why: str) -> None:
    assert moved(pyramid(**changes)) is None, why


def test_a_condition_that_is_loaded_behind_the_barrier_comes_too_late() -> None:
    loaded = "%flag: i32 = load @u:ptr [align=4]"
    assert moved(pyramid(IN_FRONT=loaded, AGAIN="icmp %flag, 8:i32 [pred=ne]")) is None


@pytest.mark.parametrize("passes", PASSES, ids=["alone", "split"])
@pytest.mark.parametrize(("compute", "guard"), [(ONE_IF, "%on"), (NESTED, "%both")], ids=["one if", "nested"])
@pytest.mark.parametrize("n", [-1, 0, 1, 2, 3, 7])
def test_every_thread_writes_the_same(passes: list[Pass], compute: str, guard: str, n: int) -> None:
    original = pyramid(compute, GUARD=guard)
    changed, _ = lowered(original, passes)
    for seed in (None, 1, 2):
        expected = results(original, (2, 1, 1), (9, 1, 1), n % 2**32, seed)
        assert results(changed, (2, 1, 1), (9, 1, 1), n % 2**32, seed) == expected


def test_a_loop_that_is_left_nowhere_else_leaves_nothing_behind() -> None:
    body = BODY[: BODY.index("%inside: i1")] + BODY[BODY.index("%next: i32") :]
    body = body.replace("select %inside, GUARD, %was", "and %on, 1:i1").replace("%more: i1 = if %inside {", "")
    body = body.replace("yield %again\n        } {\n          yield 0:i1\n        }", "").replace("%more", "%again")
    for name, text in {"COMPUTE": ONE_IF, "REST": REST, "AGAIN": AGAIN}.items():
        body = body.replace(name, text)
    for name in ("BEFORE", "AFTER", "OTHERWISE", "IN_FRONT"):
        body = body.replace(name, "")
    original = parse_function(kernel(body, SHARED))
    changed, _ = lowered(original, [cleaned(LAST_TRIPS)])
    (block,) = [op for op in walk(changed.body) if op.name == "block"]
    assert block.region.body[-1].name == "while"
    for n in (1, 2, 5):
        assert results(changed, (2, 1, 1), (9, 1, 1), n, 1) == results(original, (2, 1, 1), (9, 1, 1), n)


def test_vectors_take_the_last_trip_without_asking_whether_a_thread_is_active() -> None:
    function, _ = lowered(pyramid(), PASSES[1])
    function.facts = replace(function.facts, block=(16, 1, 1))
    VECTORISE.run(function, Context())
    (loop,) = [op for op in walk(function.body) if op.name == "while"]
    names = [op.name for op in walk_op(loop)]
    assert "masked_store" in names
    assert "reduce" not in names
