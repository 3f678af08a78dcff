# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strides that the launch says: 1 makes rows, 0 one element, and all others are right as well."""

from __future__ import annotations

import pytest
from vector_runs import IDS, results, threads, vectorised

from warploom.ir.core import Function, Op, clone_function, walk
from warploom.passes.base import Context
from warploom.passes.vector.stride_versions import NAME
from warploom.passes.vector.vectorise import VECTORISE

WIDTH = 8
KERNEL = (
    IDS
    + """
    %far: i32 = mul %tx, %n [flags=(nsw)]
    %more: i32 = add %far, %bx [flags=(nsw)]
    %q: ptr = gep %in, %more [offset=0, strides=(4)]
    %y: i32 = load %q [align=4]
    %z: i32 = add %x, %y
    store %z, %mine [align=4]"""
)
# Threads of one block store; what lies further apart than that is other threads'.
STORED = (
    IDS
    + """
    %apart: i64 = zext %n
    %thread: i64 = zext %tx
    %away: i64 = mul %thread, %apart
    %block: i32 = mul %bx, 100:i32
    %first: i64 = zext %block
    %there: i64 = add %first, %away
    %q: ptr = gep %p, %there [offset=160, strides=(4)]
    store %x, %q [align=4]"""
)


def loads(function: Function) -> list[Op]:
    return [op for op in walk(function.body) if op.name in ("load", "masked_load", "gather")]


def without(function: Function) -> Function:
    copy = clone_function(function)
    VECTORISE.run(copy, Context(width=WIDTH, jam=1, off=frozenset({NAME})))
    return copy


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6])
@pytest.mark.parametrize("size", [1, 13, 40])
def test_any_stride(n: int, size: int) -> None:
    function = threads(KERNEL)
    after = vectorised(function, WIDTH, 1)
    for seed in (None, 3):
        assert results(after, (size, 1, 1), n, seed=seed) == results(function, (size, 1, 1), n)


def test_there_is_a_load_for_each_usual_stride() -> None:
    function = threads(KERNEL)
    kinds = [op.name for op in loads(vectorised(function, WIDTH, 1))]
    before = [op.name for op in loads(without(function))]
    assert kinds.count("gather") == before.count("gather") > 0
    assert len(kinds) - len(before) >= 2 * before.count("gather")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_stores(n: int) -> None:
    function = threads(STORED)
    after = vectorised(function, WIDTH, 1)
    assert any(op.name == "scatter" for op in walk(after.body))
    assert any(op.name == "store" and op.operands[0].type == f"<{WIDTH} x i32>" for op in walk(after.body))
    for size in (13, 24):
        assert results(after, (size, 1, 1), n) == results(function, (size, 1, 1), n)


def test_two_unknown_numbers_stay_gathers() -> None:
    function = threads(KERNEL.replace("add %far, %bx", "mul %far, %n"))
    assert [op.name for op in loads(vectorised(function, WIDTH, 1))] == [op.name for op in loads(without(function))]
