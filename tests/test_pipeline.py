# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of passes, and how they are named."""

from __future__ import annotations

import pytest

from warploom import pipeline
from warploom.core.remarks import Unsupported
from warploom.diagnostics import Diagnostic
from warploom.ir.core import Function
from warploom.ir.parser import parse_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context, Pass
from warploom.pipeline import PipelineOptions, lower

# Two barriers, one in a loop that the block agrees on; as the importer leaves it.
KERNEL = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %n: i32, %p: ptr) {
  shared @tile [size=1024, align=4]
  ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)
  ^entry:
    %w: i64 = zext %tx
    %a: ptr = gep @tile:ptr, %w [offset=0, strides=(4), inbounds=true]
    store %tx, %a [align=4]
    br 0:i32 [targets=(head), counts=(1)]
  ^head(%i: i32):
    %c: i1 = icmp %i, %n [pred=slt]
    cond_br %c [targets=(body, done), counts=(0, 0)]
  ^body:
    barrier [level=block]
    %o: i32 = xor %tx, 1:i32
    %ow: i64 = zext %o
    %b: ptr = gep @tile:ptr, %ow [offset=0, strides=(4), inbounds=true]
    %v: i32 = load %b [align=4]
    barrier [level=block]
    store %v, %a [align=4]
    %j: i32 = add %i, 1:i32 [flags=(nsw)]
    br %j [targets=(head), counts=(1)]
  ^done:
    %x: i32 = load %a [align=4]
    %q: ptr = gep %p, %w [offset=0, strides=(4), inbounds=true]
    store %x, %q [align=4]
    ret
}
"""


def nothing(_function: Function, _context: Context) -> bool:
    return False


def test_what_leaves_the_pipeline_has_no_barrier() -> None:
    lowered = lower(parse_function(KERNEL), PipelineOptions(verify=True))
    verify(lowered.function, "split")


@pytest.mark.parametrize("name", pipeline.optional_passes())
def test_each_optional_pass_can_be_switched_off(name: str) -> None:
    lowered = lower(parse_function(KERNEL), PipelineOptions(verify=True, off=frozenset({name})))
    verify(lowered.function, "split")


def test_a_collective_that_is_left_is_a_fallback_and_not_a_crash() -> None:
    with pytest.raises(Unsupported, match="barrier is left"):
        lower(parse_function(KERNEL), PipelineOptions(), passes=pipeline.PASSES[:1])


def test_repeated_passes_get_numbers() -> None:
    one, other = Pass("one", nothing), Pass("other", nothing)
    assert [label for label, _ in pipeline.labelled([one, other, one, one])] == ["one", "other", "one.2", "one.3"]


def test_names_may_be_spelled_with_either_dash() -> None:
    names = pipeline.off_names("eliminate-barriers,hoist_parallel")
    assert names <= set(pipeline.pass_names())
    assert len(names) == 2


def test_an_unknown_name_is_answered_with_the_names() -> None:
    with pytest.raises(Diagnostic) as caught:
        pipeline.off_names("unrol")
    assert "no pass is called 'unrol'" in caught.value.message
    assert "did you mean 'unroll'" in str(caught.value.hint)


def test_the_environment_switches_passes_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPLOOM_OFF_PASS", "unroll")
    assert pipeline.options_from_environment().off == {"unroll"}
