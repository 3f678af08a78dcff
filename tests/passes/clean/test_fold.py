# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What folds to a simpler op, and what does not."""

from __future__ import annotations

import pytest
from canonical_code import canonical, stored
from thread_code import text

from warploom.ir.core import Const, Op, Value
from warploom.passes.clean.fold import fold


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ("%r: i32 = add %n, 0:i32", "%n"),
        ("%r: i32 = add 0:i32, %n", "%n"),
        ("%r: i32 = add 4294967295:i32, 2:i32", "1:i32"),
        ("%r: i32 = sub %n, %n", "0:i32"),
        ("%r: i32 = mul %n, 0:i32", "0:i32"),
        ("%r: i32 = and %n, -1:i32", "%n"),
        ("%a: i32 = xor %n, 5:i32\n %r: i32 = xor %a, 5:i32", "%n"),
        ("%r: i32 = shl %n, 0:i32", "%n"),
        ("%r: i32 = ashr -8:i32, 1:i32", "-4:i32"),
        ("%r: i32 = udiv %n, 1:i32", "%n"),
        ("%r: i32 = srem -7:i32, 3:i32", "-1:i32"),
        ("%a: i64 = sext %n\n %r: i32 = trunc %a", "%n"),
        ("%c: i1 = icmp %n, %n [pred=sle]\n %r: i32 = select %c, 3:i32, %n", "3:i32"),
        ("%c: i1 = icmp %n, 3:i32 [pred=slt]\n %r: i32 = select %c, %n, %n", "%n"),
        ("%r: float = fadd 0.5:float, 0.25:float", "0.75:float"),
        ("%r: float = fmul %f, 1.0:float", "%f"),
        ("%r: i32 = fptosi -2.5:float", "-2:i32"),
    ],
)
def test_what_folds(ops: str, expected: str) -> None:
    assert stored(ops) == expected


@pytest.mark.parametrize(
    "ops",
    [
        "%r: float = fadd %f, 0.0:float",  # -0 + 0 is 0
        "%r: float = fmul %f, 0.0:float",  # infinity times 0 is no number
        "%r: float = fsub %f, %f",
        "%r: float = fdiv 0.0:float, 0.0:float",  # which NaN, the machine decides
        "%r: i32 = udiv %n, 0:i32",
        "%r: i32 = fptosi 0x501502F9:float",  # does not fit
    ],
)
def test_what_does_not_fold(ops: str) -> None:
    assert len(stored(ops).split()) > 1


def test_sums_with_constants_join() -> None:
    assert stored("%a: i32 = add %n, 3:i32 [flags=(nsw)]\n %r: i32 = sub %a, 5:i32 [flags=(nsw)]") == (
        "%r: i32 = add %n, -2:i32 [flags=(nsw)]"
    )


def test_a_promise_is_not_kept_when_the_constants_overflow() -> None:
    ops = "%a: i32 = add %n, 2147483647:i32 [flags=(nsw)]\n %r: i32 = add %a, 1:i32 [flags=(nsw)]"
    assert stored(ops) == "%r: i32 = add %n, -2147483648:i32"


def test_addresses_join() -> None:
    assert canonical("""
      %a: ptr = gep %p, 3:i64 [offset=4, strides=(8), inbounds=true]
      %b: ptr = gep %a, %m [offset=0, strides=(4), inbounds=true]
      %c: ptr = gep %b [offset=12, strides=(), inbounds=true]
      store %n, %c [align=4]
    """) == text("""
      %c: ptr = gep %p, %m [offset=40, strides=(4), inbounds=true]
      store %n, %c [align=4]
    """)


def test_a_negation_joins_its_comparison() -> None:
    ops = "%c: i1 = icmp %n, 7:i32 [pred=ult]\n %d: i1 = xor %c, true:i1\n %r: i32 = zext %d"
    assert stored(ops.replace("true:i1", "1:i1")) == "%d: i1 = icmp %n, 7:i32 [pred=uge]\n%r: i32 = zext %d"


def test_a_truth_value_compared_as_integer_is_itself() -> None:
    ops = "%c: i1 = icmp %n, 7:i32 [pred=ult]\n %i: i32 = zext %c\n %d: i1 = icmp %i, 0:i32 [pred=ne]"
    assert stored(ops + "\n%r: float = uitofp %d") == "%c: i1 = icmp %n, 7:i32 [pred=ult]\n%r: float = uitofp %c"


def test_fold_leaves_vectors_and_pointers_alone() -> None:
    value = Value("<2 x i32>", "v")
    op = Op("add", [value, Const("<2 x i32>", "zeroinitializer")], [Value("<2 x i32>")])
    assert fold(op, {}) is None
    assert op.name == "add"


@pytest.mark.parametrize(("pred", "result"), [("ult", "1:i32"), ("ule", "1:i32"), ("ugt", "0:i32"), ("uge", "0:i32")])
def test_what_is_masked_lies_below_what_is_larger(pred: str, result: str) -> None:
    ops = f"%a: i32 = and %n, 31:i32\n %c: i1 = icmp %a, 32:i32 [pred={pred}]\n %r: i32 = zext %c"
    assert stored(ops) == result
    assert "icmp" in stored(ops.replace("32:i32", "31:i32"))


@pytest.mark.parametrize(
    ("cast", "pred", "number", "expected"),
    [
        ("sext", "slt", "-5:i64", "%n, -5:i32 [pred=slt]"),
        ("sext", "ult", "-5:i64", "%n, -5:i32 [pred=ult]"),
        ("sext", "sge", "2147483647:i64", "%n, 2147483647:i32 [pred=sge]"),
        ("zext", "slt", "4294967295:i64", "%n, 4294967295:i32 [pred=ult]"),
        ("zext", "ugt", "7:i64", "%n, 7:i32 [pred=ugt]"),
        ("zext", "eq", "2147483648:i64", "%n, 2147483648:i32 [pred=eq]"),
    ],
)
def test_a_comparison_needs_no_extension(cast: str, pred: str, number: str, expected: str) -> None:
    ops = f"%w: i64 = {cast} %n\n %c: i1 = icmp %w, {number} [pred={pred}]\n %r: i32 = zext %c"
    assert stored(ops) == stored(f"%c: i1 = icmp {expected}\n %r: i32 = zext %c")


@pytest.mark.parametrize(
    ("cast", "number"), [("sext", "2147483648:i64"), ("zext", "-1:i64"), ("zext", "4294967296:i64")]
)
def test_a_number_that_does_not_fit_is_compared_with_the_extended_one(cast: str, number: str) -> None:
    ops = f"%w: i64 = {cast} %n\n %c: i1 = icmp %w, {number} [pred=slt]\n %r: i32 = zext %c"
    assert f"= {cast} %n" in stored(ops)
