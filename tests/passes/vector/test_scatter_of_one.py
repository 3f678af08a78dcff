# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scattered stores under a condition that chooses one thread by its number: that thread's is a plain store."""

from __future__ import annotations

import pytest
from test_vectorise_gathers import without_gathers
from vector_runs import IDS, results, threads, vectorised

from warploom.ir.core import Function, Op, walk

VALUE = IDS + "%from: ptr = gep %in, %tx [offset=0, strides=(4)] %v: i32 = load %from [align=4]"
STORE = """{
      %where: i32 = mul %id, 5:i32 [flags=(nsw)]
      %over: i32 = xor %where, 3:i32
      %q: ptr = gep %p, %over [offset=0, strides=(4)]
      store %v, %q [align=4]
      yield } { yield }"""
ONE = VALUE + f"%one: i1 = icmp %tx, %n [pred=eq] if %one {STORE}"
ONE_OR_ALL = VALUE + f"""
    %all: i1 = icmp %n, 4:i32 [pred=eq]
    %one: i1 = icmp %tx, 2:i32 [pred=eq]
    %who: i1 = or %all, %one
    if %who {STORE}"""
ONE_WITHIN = VALUE + f"""
    %one: i1 = icmp %tx, %n [pred=eq]
    if %one {{ if %c {STORE} yield }} {{ yield }}"""
OF_VALUES = VALUE + f"%one: i1 = icmp %v, %n [pred=eq] if %one {STORE}"
ALL_BUT_ONE = VALUE + f"""
    %one: i1 = icmp %tx, %n [pred=eq]
    if %one {{ yield }} {STORE.removesuffix("{ yield }")}"""


def plain_stores(function: Function) -> list[Op]:
    """Stores of one element that its vector and its vector of addresses have."""
    extracted = {op.result for op in walk(function.body) if op.name == "extractelement"}
    return [op for op in walk(function.body) if op.name == "store" and extracted.issuperset(op.operands)]


@pytest.mark.parametrize("code", [ONE, ONE_OR_ALL, ONE_WITHIN, OF_VALUES, ALL_BUT_ONE])
@pytest.mark.parametrize("n", [0, 3, 4, 7, 12, -1])
@pytest.mark.parametrize("size", [8, 13])
def test_any_threads(code: str, n: int, size: int) -> None:
    function = threads(code)
    assert results(vectorised(function, 8, 1), (size, 1, 1), n) == results(function, (size, 1, 1), n)


@pytest.mark.parametrize("code", [ONE, ONE_OR_ALL, ONE_WITHIN])
def test_one_thread_stores_plainly(code: str) -> None:
    assert plain_stores(vectorised(threads(code), 8, 1))


@pytest.mark.parametrize("code", [OF_VALUES, ALL_BUT_ONE])
def test_nothing_is_asked_where_no_number_is_chosen(code: str) -> None:
    assert not plain_stores(vectorised(threads(code), 8, 1))


def test_masks_that_are_branches_anyway_stay() -> None:
    assert not plain_stores(vectorised(without_gathers(threads(ONE)), 8, 1))
