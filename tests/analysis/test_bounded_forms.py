# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over the integers and their bounds."""

from __future__ import annotations

from block_kernel import block_kernel, values_of

from warploom.analysis.bounded_forms import BoundedForms, Fact, Form
from warploom.analysis.exact_linear import Ranges
from warploom.ir.core import Function

BODY = """
%a: i32 = add %tx, 3:i32
%b: i32 = shl %a, 2:i32
%c: i32 = sub %n, %b
%d: i32 = add %n, %n [flags=(nsw)]
%e: i64 = sext %b
%f: i32 = xor %tx, -1:i32
"""


def forms(function: Function) -> BoundedForms:
    return BoundedForms(Ranges(function), {})


def test_ops_that_do_not_wrap_are_sums() -> None:
    function = block_kernel(BODY, "block=(16, 16, 1)")
    values, known = values_of(function), forms(function)
    assert known.of(values["e"]) == Form(12, {values["tx"]: 4})
    assert known.of(values["f"]) == Form(-1, {values["tx"]: -1})
    assert known.of(values["d"]) == Form(0, {values["n"]: 2})


def test_what_may_wrap_is_a_value_of_its_own() -> None:
    function = block_kernel(BODY)
    values = values_of(function)
    assert forms(function).of(values["c"]) == Form(0, {values["c"]: 1})


def test_a_fact_keeps_a_sum_from_wrapping() -> None:
    function = block_kernel(BODY)
    values, known = values_of(function), forms(function)
    known.assume([Fact(Form(0, {values["n"]: -1}), frozenset())])
    assert known.of(values["c"]) == Form(-12, {values["n"]: 1, values["tx"]: -4})


def test_facts_bound_sums() -> None:
    function = block_kernel(BODY)
    values, known = values_of(function), forms(function)
    tx, ty, n = values["tx"], values["ty"], values["n"]
    difference = Form(0, {tx: 1, n: -1})
    assert known.most(difference) > 0
    known.assume([Fact(Form(1, {tx: 1, ty: -1}), frozenset()), Fact(Form(2, {ty: 1, n: -1}), frozenset())])
    assert known.most(difference) == -3


def test_a_fact_of_a_copy_answers_questions_about_its_value_only() -> None:
    function = block_kernel(BODY)
    values, known = values_of(function), forms(function)
    tx, ty, n = values["tx"], values["ty"], values["n"]
    copies = frozenset((n,))
    known.assume([Fact(Form(1, {tx: 1, n: -1}), copies), Fact(Form(0, {n: 1, ty: -1}), copies)])
    assert known.most(Form(0, {tx: 1, n: -1})) == -1
    assert known.most(Form(0, {tx: 1, ty: -1})) > 0


def test_what_grows_is_at_least_its_first_value() -> None:
    function = block_kernel(BODY)
    values = values_of(function)
    known = BoundedForms(Ranges(function), {values["n"]: Form(5)})
    assert known.most(Form(0, {values["n"]: -2})) == -10


def test_an_unsigned_minimum_of_a_negative_number_is_open() -> None:
    function = block_kernel("""
      %below: i32 = sub %tx, 1024:i32
      %u: i32 = call %below, %tx [callee=llvm.umin.i32, effects=none]
      %s: i32 = call %below, %tx [callee=llvm.smin.i32, effects=none]""")
    values, known = values_of(function), forms(function)
    assert known.of(values["u"]) == Form(0, {values["u"]: 1}), "as an unsigned number it is the larger one"
    assert known.of(values["s"]) == Form(-1024, {values["tx"]: 1})
