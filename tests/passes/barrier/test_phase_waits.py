# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits for the phase of a barrier in memory: together where all threads of the block come, else each by itself."""

from __future__ import annotations

import pytest

from warploom.core.remarks import Unsupported
from warploom.ir.core import walk
from warploom.ir.parser import parse_function
from warploom.passes.barrier.phase_waits import PHASE_WAITS
from warploom.passes.base import Context
from warploom.passes.runner import PipelineOptions
from warploom.pipeline import lower

LAUNCH = "%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32"
CALL = 'call %p, -1:i32, %old [callee="__warploom_phase_wait", effects="any"]\n'
TOGETHER, ALONE = "all threads of the block wait together", "each thread waits by itself"


def text(body: str, attrs: str = "phases=true, waits=true") -> str:
    """A kernel that waits."""
    return (
        f"kernel @k({LAUNCH}, %p: ptr, %n: i32, %old: i32) [{attrs}] {{\n"
        "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)\n"
        "block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)\n"
        "%few: i1 = icmp %tx, 5:i32 [pred=ult]\n"
        f"%all: i1 = icmp %n, 5:i32 [pred=ult]\n{body} yield }} yield }} yield }}"
    )


@pytest.mark.parametrize(
    ("body", "attrs", "said", "waits"),
    [
        (CALL, "phases=true, waits=true", [TOGETHER], False),
        (f"if %all {{ {CALL} yield }} {{ yield }}", "phases=true, waits=true", [TOGETHER], False),
        (f"for 0:i32, %n, 1:i32 [pred=slt] {{ (%i: i32) {CALL} yield }} {CALL}", "phases=true, waits=true",
         [TOGETHER, TOGETHER], False),
        (f"if %few {{ {CALL} yield }} {{ yield }}", "phases=true, waits=true", [ALONE], True),
        (f"{CALL} if %few {{ {CALL} yield }} {{ yield }}", "phases=true, waits=true", [ALONE, ALONE], True),
        (f"for 0:i32, %tx, 1:i32 [pred=slt] {{ (%i: i32) {CALL} yield }}", "phases=true, waits=true", [ALONE],
         True),
        (CALL, "phases=false, waits=true", [ALONE], True),
    ],
)  # fmt: skip
def test_together_where_all_come_and_nothing_else_waits(body: str, attrs: str, said: list[str], waits: bool) -> None:
    function, context = parse_function(text(body, attrs)), Context()
    assert PHASE_WAITS.run(function, context)
    assert [each.text[: len(said[0])] for each in context.remarks] == said
    assert function.facts.waits == waits
    counts = sum(op.name == "barrier_reduce" for op in walk(function.body))
    assert counts == said.count(TOGETHER)
    assert not any(op.attrs.get("callee") == "__warploom_phase_wait" for op in walk(function.body))


def test_a_kernel_without_any_is_left_alone() -> None:
    function = parse_function(text("", "waits=true"))
    assert not PHASE_WAITS.run(function, Context())
    assert function.facts.waits


def test_without_the_pass_they_are_refused() -> None:
    with pytest.raises(Unsupported, match="phase_waits is switched off"):
        lower(parse_function(text(CALL)), PipelineOptions(off=frozenset({"phase_waits"})))


def test_a_block_that_waits_together_needs_no_turns() -> None:
    lowered = lower(parse_function(text(CALL)), PipelineOptions())
    assert not lowered.function.facts.waits
    (grid,) = (op for op in lowered.function.body.ops if op.name == "grid")
    assert any(op.name == "while" for op in grid.region.ops), "the loop is the block's"
