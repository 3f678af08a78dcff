# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the vectoriser makes of a thread loop: one fact each."""

from __future__ import annotations

import re

import pytest
from vector_runs import IDS, threads, vectorised

from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.shape.specialise_launch import specialise
from warploom.passes.vector import vectorise
from warploom.passes.vector.vectorise import VECTORISE
from warploom.passes.vector.widen import Unvectorisable

# -- facts: what the threads do; what their vector form has in it; what it has not ------------------------------------

FACTS = {
    "neighbours in memory are loaded at once": (
        "%q: ptr = gep %in, %tx [offset=0, strides=(4)] %y: i32 = load %q [align=4] store %y, %mine [align=4]",
        r"<8 x i32> = load %q",
        r"gather|scatter|masked",
    ),
    "neighbours downwards are loaded at once and turned round": (
        """%d: i32 = sub 63:i32, %tx [flags=(nsw)]
        %q: ptr = gep %in, %d [offset=0, strides=(4)]
        %y: i32 = load %q [align=4]
        store %y, %mine [align=4]""",
        r"offset=-28, [^\n]*\n[^\n]*<8 x i32> = load [^\n]*\n[^\n]*mask=\(7, 6, 5, 4, 3, 2, 1, 0\)",
        r"gather",
    ),
    "the end of a row minus the thread, as LLVM writes it, goes downwards too": (
        """%flipped: i32 = xor %tx, -1:i32
        %d: i32 = add %flipped, 64:i32 [flags=(nsw)]
        %q: ptr = gep %in, %d [offset=0, strides=(4)]
        %y: i32 = load %q [align=4]
        store %y, %mine [align=4]""",
        r"mask=\(7, 6, 5, 4, 3, 2, 1, 0\)",
        r"gather",
    ),
    "an address for all is loaded once": (
        "%y: i32 = load %in [align=4] store %y, %mine [align=4]",
        r"%y: i32 = load %in \[align=4\]\n +%\S+: <8 x i32> = splat %y",
        r"gather|load <",
    ),
    "elements far from each other are gathered": (
        "%q: ptr = gep %in, %tx [offset=0, strides=(36)] %y: i32 = load %q [align=4] store %y, %mine [align=4]",
        r"gather",
        r"scatter",
    ),
    "a table is looked up by a gather": (
        "%q: ptr = gep %in, %some [offset=0, strides=(4)] %y: i32 = load %q [align=4] store %y, %mine [align=4]",
        r"gather %q\S*, `splat \(i1 true\)`",
        r"extractelement",
    ),
    "under a condition neighbours are loaded under a mask": (
        """%y: i32 = if %c { %q: ptr = gep %in, %tx [offset=0, strides=(4)]
          %z: i32 = load %q [align=4] yield %z } { yield 1:i32 }
        store %y, %mine [align=4]""",
        r"= masked_load %q, %c\S*, poison",
        r"gather",
    ),
    "whole vectors have no mask": ("store %tx, %mine [align=4]", r" store %\S+, %mine", r"masked"),
    "a store to one address keeps the last thread's value": (
        "store %x, %in [align=4]",
        r"extractelement %x\S*, 7:i32\n +store",
        r"scatter",
    ),
    "a store to one address keeps the last active thread's value": (
        "if %c { store %x, %in [align=4] yield } { yield }",
        r"ctlz.i8.*\n.*sub 7:i8.*\n.*extractelement %x",
        r"scatter",
    ),
    "what a loop carries of the fields of pieces lies interleaved, and is taken apart behind it": (
        """%some0: i32, %some1: i32 = for 0:i32, %n, 1:i32, 0:i32, 0:i32 [pred=slt] { (%i: i32, %a: i32, %b: i32)
          %q: ptr = gep %in, %i, %tx [offset=0, strides=(512, 8)] %u: i32 = load %q [align=8]
          %h: ptr = gep %q [offset=4, strides=()] %v: i32 = load %h [align=4]
          %e: i32 = add %a, %u %f: i32 = add %b, %v
          yield %e, %f }
        %y: i32 = mul %some0, %some1
        store %y, %mine [align=4]""",
        r"add %\S+, %\S+\n[\s\S]*yield[\s\S]*mask=\(0, 2, 4, [\s\S]*mask=\(1, 3, 5, [\s\S]*mul",
        r"gather",
    ),
    "a loop that threads leave in their order runs without masks until the first one leaves": (
        """%last: i32 = while %tx { (%a: i32)
          %a4: i32 = shl %a, 2:i32 %goes: i1 = icmp %a4, %n [pred=ult]
          condition %goes, %a } { (%b: i32)
          %q: ptr = gep %in, %b [offset=0, strides=(4)] store %x, %q [align=4]
          %next: i32 = add %b, 64:i32 yield %next }
        store %last, %mine [align=4]""",
        r"reduce %goes\S* \[kind=and\][\s\S]*scatter %x, %q, `splat \(i1 true\)`[\s\S]*while",
        r"kind=and[\s\S]*kind=and",
    ),
    "a loop whose condition threads may give any answer to has masks from the start": (
        """%last: i32 = while %tx { (%a: i32)
          %goes: i1 = icmp %a, %some [pred=ult]
          condition %goes, %a } { (%b: i32)
          %next: i32 = add %b, 64:i32 yield %next }
        store %last, %mine [align=4]""",
        r"kind=or",
        r"kind=and",
    ),
    "private arrays lie interleaved": (
        """%a: ptr = alloca [size=32, align=16]
        %b: ptr = gep %a, %n5 [offset=0, strides=(4)]
        store %x, %b [align=4]
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=64\]",
        r"gather|scatter",
    ),
    "private arrays through which bytes are counted lie interleaved": (
        """%a: ptr = alloca [size=32, align=16]
        for 8:i64, 32:i64, 8:i64 [pred=ne] { (%i: i64)
          %b: ptr = gep %a, %i [offset=4, strides=(1)] store %x, %b [align=4] yield }
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=64\]",
        r"gather|scatter",
    ),
    "fields of structures in private arrays lie interleaved, each by itself": (
        """%a: ptr = alloca [size=32, align=16]
        %b: ptr = gep %a, %n5 [offset=0, strides=(8)] %h: ptr = gep %b [offset=4, strides=()]
        store %x, %b [align=8] %s: i16 = trunc %x store %s, %h [align=4]
        %k: ptr = gep %a [offset=12, strides=()] %u: i16 = load %k [align=4]
        %w: i32 = zext %u %o: i32 = load %a [align=16]
        %y: i32 = add %w, %o
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=64\][\s\S]*offset=32, strides=\(2\)[\s\S]*offset=96, strides=\(2\)",
        r"gather|scatter|masked",
    ),
    "private arrays of which bytes are part of several values lie one behind the other": (
        """%a: ptr = alloca [size=32, align=16]
        store %x, %a [align=16] %h: ptr = gep %a [offset=2, strides=()] %u: i16 = load %h [align=2]
        %y: i32 = zext %u
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=16\]",
        r"size=256, align=64",
    ),
    "private arrays of values of two sizes at one place lie one behind the other": (
        """%a: ptr = alloca [size=32, align=16]
        store %x, %a [align=16] %h: ptr = gep %a [offset=4, strides=()] store %x, %h [align=4]
        %v: i64 = load %a [align=16] %y: i32 = trunc %v
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=16\]",
        r"size=256, align=64",
    ),
    "private arrays that are asked for in order lie one behind the other": (
        """%a: ptr = alloca [size=32, align=16]
        store %x, %a [align=16]
        %y: i32 = load %a [align=16, ordering=monotonic]
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=16\]",
        r"size=256, align=64",
    ),
    "private arrays through which odd bytes are counted lie one behind the other": (
        """%a: ptr = alloca [size=32, align=16]
        for 8:i64, 32:i64, 6:i64 [pred=slt] { (%i: i64)
          %b: ptr = gep %a, %i [offset=0, strides=(1)] store %x, %b [align=2] yield }
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=16\]",
        r"size=256, align=64",
    ),
    "rows of private arrays are read and written whole, whichever threads are active": (
        """%a: ptr = alloca [size=16, align=16]
        for 0:i32, 4:i32, 1:i32 [pred=ult] { (%i: i32)
          if %c { %b: ptr = gep %a, %i [offset=0, strides=(4)]
            %o: i32 = load %b [align=4] %z: i32 = add %o, %x store %z, %b [align=4] yield } { yield }
          yield }
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
        r"load %b \[align=4, padded=true\][\s\S]*freeze[\s\S]*select %c[\s\S]*private=true",
        r"masked|scatter",
    ),
    "rows that may lie outside of private arrays are met under masks": (
        """%a: ptr = alloca [size=16, align=16]
        for 0:i32, 5:i32, 1:i32 [pred=ult] { (%i: i32)
          if %c { %b: ptr = gep %a, %i [offset=0, strides=(4)] store %x, %b [align=4] yield } { yield }
          yield }
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
        r"masked_store",
        r"private=true",
    ),
    "each thread's piece of private memory is aligned": (
        """%a: ptr = alloca [size=20, align=16]
        memset %a, 1:i8, 20:i64 [align_to=16]
        %y: i32 = load %a [align=16]
        store %y, %mine [align=4]""",
        r"alloca \[size=256, align=16\]",
        r"offset=20",
    ),
    "iterations of all threads are split from the rest": (
        """%s: i32 = for %tx, %n, 64:i32, 0:i32 [pred=slt] { (%i: i32, %t: i32)
          %q: ptr = gep %in, %i [offset=0, strides=(4)]
          %y: i32 = load %q [align=4]
          %z: i32 = add %t, %y
          yield %z }
        store %s, %mine [align=4]""",
        r"= for [^\n]*pred=slt\] { [^}]*<8 x i32> = load [^}]*}[\s\S]*(while|for 0:i32, 8:i32)",
        r"together",
    ),
    "a loop of all threads has no mask": (
        """%s: i32 = for 0:i32, %n, 1:i32, %x [pred=slt] { (%i: i32, %t: i32)
          %z: i32 = mul %t, %i
          yield %z }
        store %s, %mine [align=4]""",
        r"= for 0:i32, %n, 1:i32",
        r"while|select|active",
    ),
    "no value is kept that nothing uses behind the loop": (
        """%t: i32, %k: i32 = while %some, 1:i32 { (%i: i32, %a: i32)
          %go: i1 = icmp %i, 0:i32 [pred=sgt]
          condition %go, %i, %a } { (%j: i32, %b: i32)
          %less: i32 = sub %j, 1:i32
          %b3: i32 = mul %b, 3:i32
          yield %less, %b3 }
        store %x, %mine [align=4]""",
        r"= while ",
        r"select %active, %b3",
    ),
    "a value that is used behind the loop is kept": (
        """%t: i32, %k: i32 = while %some, 1:i32 { (%i: i32, %a: i32)
          %go: i1 = icmp %i, 0:i32 [pred=sgt]
          condition %go, %i, %a } { (%j: i32, %b: i32)
          %less: i32 = sub %j, 1:i32
          %b3: i32 = mul %b, %x
          yield %less, %b3 }
        store %k, %mine [align=4]""",
        r"= while [\s\S]*: <8 x i32> = select %\S+, %b3\S*, ",
        r"select %\S+, %less",
    ),
    "atomics at one address are reduced first": (
        "%o: i32 = atomicrmw %acc, %x [operation=add, ordering=monotonic]",
        r"reduce %x\S* \[kind=add[^\n]*\n[^\n]*atomicrmw %acc",
        r"for 0:i32, 8:i32",
    ),
    "of atomics whose result is used each runs by itself": (
        "%o: i32 = atomicrmw %acc, %x [operation=add, ordering=monotonic] store %o, %mine [align=4]",
        r"for 0:i32, 8:i32, 1:i32[\s\S]*atomicrmw %acc",
        r"reduce",
    ),
    "a side that reads by address runs only where a thread takes it": (
        """%y: i32 = if %c { %q: ptr = gep %in, %some [offset=0, strides=(4)]
          %z: i32 = load %q [align=4] yield %z } { yield 1:i32 }
        store %y, %mine [align=4]""",
        r"reduce %c\S* \[kind=or\]\n[^\n]*= if ",
        r"masked",
    ),
    "a short side without effects runs without asking": (
        """%y: i32 = if %c { %z: i32 = mul %x, 3:i32 yield %z } { yield 1:i32 }
        store %y, %mine [align=4]""",
        r"select %c",
        r"reduce| if ",
    ),
    "a branch inside of a side runs only where a thread takes that side": (
        """%odd: i1 = icmp %n, 3:i32 [pred=eq]
        %y: i32 = if %c {
          %z: i32 = if %odd { %w: i32 = mul %x, 3:i32 yield %w } { yield 5:i32 } yield %z
        } { yield 1:i32 }
        store %y, %mine [align=4]""",
        r"reduce %c\S* \[kind=or\]",
        r"masked",
    ),
    "32-bit divisions go through doubles": (
        "%y: i32 = udiv %n, %x store %y, %mine [align=4]",
        r"fdiv[^\n]*\n[^\n]*fptoui",
        r"udiv",
    ),
    "an index that may wrap is asked whether it does": (
        """%h: i32 = add %tx, %n
        %w: i64 = zext %h
        %q: ptr = gep %in, %w [offset=0, strides=(4)]
        %y: i32 = load %q [align=4]
        store %y, %mine [align=4]""",
        r"icmp %h\S*, -8:i32 \[pred=ule\][\s\S]*if [\s\S]*= load[\s\S]*gather",
        r"scatter",
    ),
    "an unsigned index that may be below zero is asked whether it is": (
        """%h: i32 = sub %tx, 5:i32
        %fine: i1 = icmp %h, 0:i32 [pred=sge]
        if %fine {
          %w: i64 = zext %h
          %q: ptr = gep %in, %w [offset=0, strides=(4)]
          %y: i32 = load %q [align=4]
          store %y, %mine [align=4]
          yield } { yield }""",
        r"icmp %h\S*, -8:i32 \[pred=ule\][\s\S]*if [\s\S]*= masked_load[\s\S]*gather",
        r"scatter",
    ),
    "LLVM's intrinsics take vectors": (
        "%y: i32 = call %x, %n [callee=llvm.smin.i32, effects=none, speculatable=true] store %y, %mine [align=4]",
        r"callee=llvm.smin.v8i32",
        r"for 0:i32, 8:i32",
    ),
    "a function is called for each thread, which is told its number": (
        "%y: i32 = call %x [callee=f, effects=any] store %y, %mine [align=4]",
        r"for 0:i32, 8:i32[\s\S]*__warploom_set_thread[\s\S]*callee=f,",
        r"callee=llvm",
    ),
    "who looks at what others do looks in order": (
        "%y: i32 = load %mine [align=4, volatile=true] store %y, %mine [align=4, ordering=monotonic]",
        r"for 0:i32, 8:i32[\s\S]*load %\S* \[align=4, volatile=true\][\s\S]*for 0:i32, 8:i32[\s\S]*ordering=monotonic",
        r"masked",
    ),
    "a loop that tries until nobody is in between is run by each thread": (
        """%old: i32 = load %p [align=4, ordering=monotonic]
        %last: i32 = while %old { (%o: i32)
          %r: { i32, i1 } = cmpxchg %p, %o, %tx [align=4, ordering=monotonic, failure=monotonic]
          %was: i32 = extractvalue %r [path=(0)] %ok: i1 = extractvalue %r [path=(1)] %no: i1 = xor %ok, 1:i1
          condition %no, %was } { (%now: i32) yield %now }
        store %last, %mine [align=4]""",
        r"for 0:i32, 8:i32[\s\S]*while[\s\S]*cmpxchg[\s\S]*store %\S+ %mine",
        r"masked",
    ),
    "more than a vector's alignment is not claimed": (
        "%q: ptr = gep %in, %tx [offset=0, strides=(4)] %y: i32 = load %q [align=16] store %y, %mine [align=4]",
        r"<8 x i32> = load %q\S* \[align=4\]",
        r"align=16",
    ),
}


@pytest.mark.parametrize(("ops", "has", "has_not"), FACTS.values(), ids=FACTS)
def test_form(ops: str, has: str, has_not: str) -> None:
    function = threads(f"{IDS}\n%n5: i32 = and %n, 7:i32\n{ops}")
    text = print_function(vectorised(specialise(function, (64, 1, 1)), 8, 1))
    body = text[text.index("%at") :]
    assert re.search(has, body), text
    assert not re.search(has_not, body), text


def test_the_last_vector_of_a_row_has_a_mask() -> None:
    text = print_function(vectorised(specialise(threads("store %tx, %p [align=4]"), (13, 1, 1)), 8, 1))
    assert "icmp `<i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>`:<8 x i32>" in text
    assert "masked" not in text
    assert "ctlz" in text


SCALAR = {
    "volatile": "for 0:i32, 5:i32, 1:i32 [pred=slt] { (%k: i32) %y: i32 = load %mine [align=4, volatile=true] yield }",
    "<4 x i1>": "%t: i4 = trunc %tx %y: <4 x i1> = bitcast %t",
    "i128": "%q: ptr = gep %in, %tx [offset=0, strides=(16)] %y: i128 = load %q [align=16]",
    "{ i32, i1 }": "%y: { i32, i1 } = cmpxchg %mine, 0:i32, 1:i32 [ordering=monotonic, failure=monotonic]",
}


@pytest.mark.parametrize(("reason", "ops"), SCALAR.items(), ids=SCALAR)
def test_threads_without_a_vector_form_run_one_after_the_other(reason: str, ops: str) -> None:
    function, context = threads(f"{IDS}\n{ops}"), Context(width=8)
    before = print_function(function)
    assert not VECTORISE.run(function, context)
    assert print_function(function) == before
    (remark,) = context.remarks
    assert remark.text.startswith("threads run one after the other: ")
    assert reason in remark.text


def test_a_large_body_is_written_once_under_a_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = threads(f"{IDS} store %tx, %mine [align=4]")
    assert len(re.findall(r"store ", print_function(vectorised(kernel, 8, 1)))) == 2
    monkeypatch.setattr(vectorise, "LARGEST_TWICE", 0)
    (store,) = re.findall(r".*store .*", print_function(vectorised(kernel, 8, 1)))
    assert "masked_store" in store
    whole = specialise(kernel, (64, 1, 1))
    assert "masked" not in print_function(vectorised(whole, 8, 1)), "no thread is missing from the last vector"


def test_where_vectors_do_not_pay_nobody_else_is_to_try() -> None:
    function = threads(
        "%q: ptr = gep %in, %tx [offset=0, strides=(36)] %y: i32 = load %q [align=4] store %y, %q [align=4]"
    )
    VECTORISE.run(function, Context())
    verify(function, "structured")
    assert "one_by_one=true" in print_function(function)


def test_a_loop_that_no_form_suits_after_all_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither that of threads in x nor that of threads in y, which is asked for at run time."""

    def refuse(_loop: object) -> None:
        raise Unvectorisable("no vector form", None)

    def same(_self: object, _op: object, along: object) -> object:
        return along

    monkeypatch.setattr("warploom.passes.vector.vectorise._Loop.write", refuse)
    monkeypatch.setattr("warploom.passes.vector.vectorise._Vectoriser._across", same)
    function = threads(IDS + " store %some, %mine [align=4]")
    VECTORISE.run(function, Context(width=8))
    verify(function, "structured")


# Four tables of bytes that are mixed.
TABLES = "%q: ptr = gep %in, %tx [offset=0, strides=(4)] %four: i32 = load %q [align=4]\n" + "\n".join(
    f"""%s{k}: i32 = lshr %four, {8 * k}:i32 %b{k}: i8 = trunc %s{k} %i{k}: i64 = zext %b{k}
    %a{k}: ptr = gep %in, %i{k} [offset={256 * k}, strides=(1)] %t{k}: i8 = load %a{k} [align=1]
    %m{k}: i8 = and %t{k}, {3 << 2 * k}:i8"""
    for k in range(4)
)
MIXED = "%low: i8 = or %m0, %m1 %high: i8 = or %m2, %m3 %all: i8 = or %low, %high %wide: i32 = zext %all\n"


@pytest.mark.parametrize("is_parted", [False, True])
def test_tables_of_bytes_are_read_one_by_one_unless_threads_part(*, is_parted: bool) -> None:
    ops = f"{TABLES}\n{MIXED} store %wide, %q [align=4]"
    if is_parted:
        ops = f"%b: i32 = and %tx, 1:i32 %even: i1 = icmp %b, 0:i32 [pred=eq]\nif %even {{ {ops}\nyield }} {{ yield }}"
    function = threads(ops)
    VECTORISE.run(function, Context())
    verify(function, "structured")
    assert ("one_by_one=true" in print_function(function)) != is_parted
