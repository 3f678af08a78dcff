# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for control flow that moves out of a loop over threads: what runs without a thread, which stores go early."""

from __future__ import annotations

from fission_kernels import kernel

from warploom.analysis.poison import Poison, poison_in
from warploom.ir.core import Const, Function, Op, Value, walk
from warploom.ir.ops import Level
from warploom.ir.parser import parse_function
from warploom.passes.barrier.early_stores import EARLY_STORES, store_early
from warploom.passes.barrier.interchange import (
    Choice,
    Count,
    Flag,
    Group,
    Node,
    Outside,
    Plan,
    Repeat,
    Slot,
    Store,
    needs_a_thread,
    plan_interchange,
)
from warploom.passes.base import Context

BODY = """
      %k: i32 = add %n, 1:i32
      %v: i32 = load %here [align=4]
      %w: i32 = add %v, 1:i32
      store %w, %here [align=4]
      %c: i1 = icmp %n, 3:i32 [pred=slt]
      if %c { yield } { yield }
      for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) yield }
      for 0:i32, %n, 1:i32 [pred=ne] { (%j: i32) yield }
      %m: i32 = add %n, 1:i32 [flags=(nsw)]
      for 0:i32, %m, 1:i32 [pred=slt] { (%h: i32) yield }
      while 0:i1 { (%g: i1) condition %g } { yield 0:i1 }
"""


def parts_of() -> tuple[Function, dict[str, Op], Poison, Plan]:
    """A kernel, its ops by name or by result, and a plan of its only loop over threads."""
    function = parse_function(kernel(BODY))
    (block,) = (op for op in walk(function.body) if op.name == "block")
    named = {op.results[0].name if op.results else op.name: op for op in block.region.ops}
    named["for"], named["endless"], named["to poison"] = (op for op in block.region.ops if op.name == "for")
    return (
        function,
        named,
        poison_in(function, block.region),
        plan_interchange(block.region, Level.BLOCK, function, Context()),
    )


def test_what_could_go_wrong_without_a_thread() -> None:
    _, ops, poison, _ = parts_of()
    harmless: list[Node] = [Group((), [ops["w"]]), Outside(ops["k"])]
    for_threads = Repeat(ops["while"], [], [], Flag())
    endless = Repeat(ops["while"], [], [], None)
    assert not needs_a_thread([*harmless, for_threads], poison)
    assert needs_a_thread([endless], poison), "nobody ends it"
    assert needs_a_thread([Outside(ops["v"])], poison), "a load"
    bodies: list[tuple[list[Node], bool]] = [(harmless, False), ([Outside(ops["v"])], True), ([endless], True)]
    for inner, expected in bodies:
        assert needs_a_thread([Repeat(ops["while"], [], inner, Flag())], poison) == expected
        assert needs_a_thread([Repeat(ops["while"], inner, [], Flag())], poison) == expected
        assert needs_a_thread([Count(ops["for"], inner)], poison) == expected
        assert needs_a_thread([Choice(ops["if"], inner, [])], poison) == expected
        assert needs_a_thread([Choice(ops["if"], [], inner)], poison) == expected
    assert needs_a_thread([Count(ops["endless"], [])], poison), "it may step past its end"
    assert needs_a_thread([Count(ops["to poison"], [])], poison), "only threads know that the bound is none"


def early(between: list[Node], *, off: frozenset[str] = frozenset()) -> bool:
    """Whether the store of %w to its slot, in a group behind `between`, moves to where %w is made."""
    _, ops, _, plan = parts_of()
    home = Group((), [ops["w"]])
    late = Group((), [], [Store(SLOT, ops["w"].result)])
    plan.nodes = [home, *between, late]
    store_early(plan, Context(off))
    assert [each for each in plan.nodes if each in between] == between
    assert (late in plan.nodes) is not bool(home.actions)
    return bool(home.actions)


SLOT, OTHER = Slot("i32", "x"), Slot("i32", "y")
ONE = Const("i32", 1)


def test_a_store_goes_early() -> None:
    assert early([])
    assert early([Group((), [], [Store(OTHER, ONE)])]), "another slot"
    assert not early([], off=frozenset({EARLY_STORES}))


def test_a_store_stays_behind_what_uses_its_slot() -> None:
    assert not early([Group((), [], [Store(SLOT, ONE)])]), "it would be overwritten"
    _, ops, _, plan = parts_of()
    assert not early([Count(ops["for"], [Group((), [], [Store(SLOT, ONE)])])]), "in a loop in between as well"
    reads = Value("i32", "kept")
    plan.slots[reads] = SLOT
    home, late = Group((), [ops["w"]]), Group((), [], [Store(SLOT, ops["w"].result)])
    reader = Group((), [Op("add", [reads, ONE], [Value("i32", "sum")], {}, [])])
    plan.nodes = [home, reader, late]
    store_early(plan, Context())
    assert not home.actions, "another value is read from it in between"
