# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers and scatters under a mask where the processor has none: no branches, and nobody's memory is touched."""

from __future__ import annotations

from dataclasses import replace

import pytest
from random_threads import random_kernel
from vector_runs import results, threads, vectorised

from warploom.core.processor import Processor
from warploom.frontend.target import branches_in_gathers
from warploom.ir.core import Const, Function, Op, walk
from warploom.ir.parser import parse_function

MASKED = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %low: i32 = and %tx, 3:i32
    %c: i1 = icmp %low, 1:i32 [pred=sgt]
    %mine: ptr = gep %p, %id [offset=0, strides=(32)]
    %other: ptr = gep %p, %id [offset=4, strides=(32)]
    %wild: i32 = mul %id, 1000003:i32
    %where: i32 = select %c, %low, %wild
    if %c { %q: ptr = gep %in, %where [offset=0, strides=(4)]
      %x: i32 = load %q [align=4]
      store %x, %mine [align=4]
      %back: i32 = mul %id, 8:i32 [flags=(nsw)]
      %over: i32 = xor %back, 7:i32
      %r: ptr = gep %p, %over [offset=0, strides=(4)]
      store %x, %r [align=4]
      yield } { yield }"""


def without_gathers(function: Function) -> Function:
    function.facts = replace(function.facts, processor=Processor(256, branches_in_gathers=True))
    return function


def accesses(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name in ("gather", "scatter")]


def test_all_threads_gather_and_scatter() -> None:
    found = accesses(vectorised(without_gathers(threads(MASKED)), 8, 1, alone=False))
    assert {op.name for op in found} == {"gather", "scatter"}
    usual = [op for op in found if not op.attrs.get("by_lanes")]
    assert {op.name for op in usual} == {"gather", "scatter"}
    assert all(isinstance(op.operands[1 if op.name == "gather" else 2], Const) for op in usual)


def test_threads_of_the_last_vector_go_one_by_one_there() -> None:
    """Its code is short: most threads are in the vectors before it."""
    found = accesses(vectorised(without_gathers(threads(MASKED)), 8, 1, alone=False))
    rare = [op for op in found if op.attrs.get("by_lanes")]
    assert 0 < len(rare) < len(found)
    assert not any(op.attrs.get("by_lanes") for op in accesses(vectorised(threads(MASKED), 8, 1, alone=False)))


def test_masks_stay_where_the_processor_has_them() -> None:
    found = accesses(vectorised(threads(MASKED), 8, 1, alone=False))
    assert not any(isinstance(op.operands[1 if op.name == "gather" else 2], Const) for op in found)


def test_threads_that_are_not_active_touch_nothing() -> None:
    function = without_gathers(threads(MASKED))
    for block in ((33, 1, 1), (13, 1, 1)):
        assert results(vectorised(function, 8, 1, alone=False), block, 5) == results(function, block, 5)


@pytest.mark.parametrize("seed", range(100, 106))
def test_random_kernels(seed: int) -> None:
    function = without_gathers(parse_function(random_kernel(seed)))
    vector = vectorised(function, (4, 8, 16)[seed % 3], 1 + seed % 2, alone=False)
    assert results(vector, (16, 3, 1), 5) == results(function, (16, 3, 1), 5)


PROCESSORS = {
    ("+avx2", "x86-64-v3"): True,
    ("+avx2", "generic"): True,
    ("+avx2", "skylake"): False,
    ("+avx512f,+avx512vl,+avx512bw,+avx512dq", "x86-64-v4"): False,
    ("+sse4.2", "nehalem"): True,
    ("+neon", "cortex-a72"): True,
}


@pytest.mark.parametrize(("processor", "answer"), PROCESSORS.items())
def test_processors(processor: tuple[str, str], answer: bool) -> None:
    assert branches_in_gathers(*processor) is answer
