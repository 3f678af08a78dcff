# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Affine forms, intervals, and injectivity in the thread id."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, ops_of, values_of

from warploom.analysis.affine import Form, Forms, affine_forms
from warploom.analysis.definitions import definitions
from warploom.analysis.memory import memory_of
from warploom.ir.core import Const, Function


def forms_of(function: Function) -> Forms:
    return affine_forms(function, definitions(function))


def shown(form: Form) -> str:
    terms = sorted(
        "*".join(value.name for value in product) + f"*{number}" for product, number in form.affine.terms.items()
    )
    return " + ".join([*terms, str(form.affine.constant)]) + ("" if form.exact else " modulo")


FORMS = [
    ("%a: i32 = add %ty, 1:i32", "ty*1 + 1", "the sum of an id and a constant fits"),
    ("%a: i32 = sub 3:i32, %tx", "tx*-1 + 3", "subtraction"),
    ("%a: i32 = shl %tx, 4:i32", "tx*16 + 0", "a shift multiplies"),
    ("%a: i32 = mul %bx, %bdx", "bx*bdx*1 + 0 modulo", "2^31 blocks of 1024 threads do not fit"),
    ("%a: i32 = mul %bx, %bdx [flags=(nsw)]", "bx*bdx*1 + 0", "LLVM says that it fits"),
    ("%a: i32 = mul %by, %bdy", "by*bdy*1 + 0", "65535 * 1024 fits"),
    ("%b: i32 = add %n, 1:i32\n%a: i64 = sext %b", "a*1 + 0", "what may wrap is a new symbol when extended"),
    ("%b: i32 = add %n, 1:i32 [flags=(nsw)]\n%a: i64 = sext %b", "n*1 + 1", "what does not wrap extends term by term"),
    ("%a: i64 = zext %n", "a*1 + 0", "n may be negative"),
    ("%a: i64 = zext %tx", "tx*1 + 0", "ids are not negative"),
    ("%b: i32 = and %n, 7:i32\n%a: i64 = zext %b", "b*1 + 0", "a mask is not negative"),
    ("%b: i32 = shl %tx, 1:i32\n%a: i32 = or %b, 1:i32 [flags=(disjoint)]", "tx*2 + 1", "or without carries adds"),
    ("%b: i64 = zext %tx\n%a: i32 = trunc %b", "tx*1 + 0", "truncation of what fits"),
]


@pytest.mark.parametrize(("body", "expected", "why"), FORMS, ids=[each[-1] for each in FORMS])
def test_form(body: str, expected: str, why: str) -> None:
    function = block_kernel(body)
    assert shown(forms_of(function).of(values_of(function)["a"])) == expected, why


def test_known_block_size_is_a_number() -> None:
    function = block_kernel("%a: i32 = mul %ty, %bdx", attrs="block=(16, 4, 1)")
    forms, found = forms_of(function), values_of(function)
    assert shown(forms.of(found["a"])) == "ty*16 + 0"
    assert forms.interval(found["a"]) == (0, 48)


INTERVALS = [
    ("%a: i32 = and %n, 15:i32", (0, 15)),
    ("%a: i32 = lshr %n, 28:i32", (0, 15)),
    ("%a: i32 = srem %n, 8:i32", (-7, 7)),
    ("%a: i32 = urem %n, 8:i32", (0, 7)),
    ("%b: i32 = and %n, 15:i32\n%a: i32 = udiv %b, 4:i32", (0, 3)),
    ("%c: i1 = icmp %n, 0:i32 [pred=eq]\n%a: i32 = select %c, 3:i32, 9:i32", (3, 9)),
    ("%b: i8 = trunc %n\n%a: i32 = zext %b", (0, 255)),
    ("for 2:i32, %bdx, 1:i32 [pred=slt] { (%a: i32) yield }", (2, 1023)),
    ("for 0:i32, %n, 2:i32 [pred=slt] { (%a: i32) yield }", (-(2**31), 2**31 - 1)),
    ("for 9:i32, 0:i32, -3:i32 [pred=sgt] { (%a: i32) yield }", (1, 9)),
]


@pytest.mark.parametrize(("body", "expected"), INTERVALS, ids=[each[0] for each in INTERVALS])
def test_interval(body: str, expected: tuple[int, int]) -> None:
    function = block_kernel(body)
    assert forms_of(function).interval(values_of(function)["a"]) == expected


LINEAR = """%r1: i32 = mul %tz, %bdy
      %r2: i32 = add %r1, %ty
      %r3: i32 = mul %r2, %bdx
      %lin: i32 = add %r3, %tx
      %i: i64 = zext %lin"""
GLOBAL_ID = """%m: i32 = mul %bx, %bdx
      %g: i32 = add %m, %tx
      %i: i64 = sext %g"""
TWO = "%x: i64 = zext %tx\n%y: i64 = zext %ty\n"
STORE = "store 0:i32, %a [align=4]"

# Index computation, address, kernel attributes, whether threads of a block store to different bytes, why.
INJECTIVE = [
    ("%i: i64 = zext %tx", "%i [4]", "block=(64, 1, 1)", True, "one thread a slot"),
    ("%i: i64 = zext %tx", "%i [4]", "", False, "threads of another row have the same tx"),
    ("%i: i64 = zext %tx", "%i [2]", "block=(64, 1, 1)", False, "slots overlap"),
    (LINEAR, "%i [4]", "", True, "the linear id, whatever the block"),
    (LINEAR, "%i [2]", "", False, "half a slot each"),
    (LINEAR, "%i [4]", "block=(8, 0, 0)", True, "the linear id with one size known"),
    (GLOBAL_ID, "%i [4]", "block=(64, 1, 1)", True, "it may wrap, but not within a block"),
    (GLOBAL_ID, "%i [4]", "", False, "rows of threads share it"),
    (TWO, "%y, %x [64, 4]", "block=(16, 16, 1)", True, "a row of 16 slots holds 16 threads"),
    (TWO, "%y, %x [64, 4]", "block=(17, 16, 1)", False, "the 17th thread of a row is in the next row"),
    (TWO, "%y, %x [68, 4]", "block=(16, 16, 1)", True, "padded rows"),
    (TWO, "%x, %y [64, 4]", "block=(16, 16, 1)", True, "transposed"),
    (TWO, "%y, %x [64, 4]", "", False, "rows of any length"),
    ("%i: i64 = sext %n", "%i [4]", "block=(64, 1, 1)", False, "all threads store to one slot"),
    ("%b: i32 = xor %tx, 1:i32\n%i: i64 = zext %b", "%i [4]", "block=(64, 1, 1)", False, "not affine"),
    ("%b: i32 = sub 63:i32, %tx\n%i: i64 = zext %b", "%i [4]", "block=(64, 1, 1)", True, "reversed"),
]


@pytest.mark.parametrize(("body", "address", "attrs", "expected", "why"), INJECTIVE, ids=[e[-1] for e in INJECTIVE])
def test_injective(body: str, address: str, attrs: str, expected: bool, why: str) -> None:
    index, strides = address.rstrip("]").split("[")
    gep = f"%a: ptr = gep %p, {index.strip()} [offset=0, strides=({strides},), inbounds=true]"
    function = block_kernel(f"{body}\n{gep}\n{STORE}", attrs)
    memory = memory_of(function)
    (access,) = memory.accesses(ops_of(function, "store")[0])
    assert memory.distances.is_injective(access.place) == expected, why


GUARDED = [
    ("%c: i1 = icmp %tx, 0:i32 [pred=eq]", "%y", True, "one thread a row"),
    ("%c: i1 = icmp %n, %tx [pred=eq]", "%y", True, "one thread a row, whichever"),
    ("%c: i1 = icmp %tx, 1:i32 [pred=slt]", "%y", True, "one thread a row, said otherwise"),
    ("%c: i1 = icmp %tx, 2:i32 [pred=slt]", "%y", False, "two threads a row"),
    ("%c: i1 = icmp %tx, 0:i32 [pred=ne]", "%y", False, "the other threads of the row"),
    ("%l: i32 = shl %ty, 4:i32\n%k: i32 = add %l, %tx\n%c: i1 = icmp %k, 0:i32 [pred=eq]", "0:i64", True, "one thread"),
    (
        "%b: i1 = icmp %tx, 0:i32 [pred=eq]\n%d: i1 = icmp %n, 5:i32 [pred=sgt]\n%c: i1 = and %b, %d",
        "%y",
        True,
        "one of two conditions",
    ),
]


@pytest.mark.parametrize(("body", "index", "expected", "why"), GUARDED, ids=[each[-1] for each in GUARDED])
def test_injective_under_a_guard(body: str, index: str, expected: bool, why: str) -> None:
    function = block_kernel(
        f"""{TWO}{body}
      %a: ptr = gep %p, {index} [offset=0, strides=(4,), inbounds=true]
      if %c {{ {STORE}
        yield }} {{ yield }}""",
        "block=(16, 16, 1)",
    )
    memory = memory_of(function)
    (access,) = memory.accesses(ops_of(function, "store")[0])
    assert memory.distances.is_injective(access.place) == expected, why


def test_the_bits_of_a_float_are_no_number() -> None:
    """A bfloat's value is kept as its bits; like `undef` it is equal to nothing here."""
    forms = forms_of(block_kernel("store 1:i32, %p [align=4]"))
    one = Const("bfloat", 0x3F80)
    assert forms.of(one) != forms.of(one)
    assert forms.interval(one) == (-(1 << 63), (1 << 63) - 1)
    assert forms.of(Const("i16", 0xFFFF)).affine.constant == -1
