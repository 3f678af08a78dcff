# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses with a small stride: what they become, and that they touch nothing but what the threads touch."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from vector_runs import results, threads, vectorised

from warploom.core.processor import Processor
from warploom.ir.core import Op, Value, walk, walk_op
from warploom.ir.ops import OF_THREADS
from warploom.ir.printer import print_function
from warploom.ir.types import is_vector
from warploom.passes.shape.specialise_launch import specialise

IDS = """
    %start: i32 = mul %bx, %bdx
    %id: i32 = add %start, %tx [flags=(nsw)]
    %low: i32 = and %tx, 3:i32
    %c: i1 = icmp %low, 1:i32 [pred=sgt]
    %mine: ptr = gep %p, %id [offset=0, strides=(12)]
    %mine1: ptr = gep %p, %id [offset=4, strides=(12)]
    %mine2: ptr = gep %p, %id [offset=8, strides=(12)]
    %flat: ptr = gep %p, %id [offset=0, strides=(4)]
    %q: ptr = gep %in, %id [offset=0, strides=(12)]
    %q1: ptr = gep %in, %id [offset=4, strides=(12)]
    %q2: ptr = gep %in, %id [offset=8, strides=(12)]
"""
ALL_FIELDS = """%x: i32 = load %q [align=4] %y: i32 = load %q1 [align=4] %z: i32 = load %q2 [align=4]
    %a: i32 = mul %x, %y %b: i32 = sub %a, %z"""

IN_TURNS = """%x: i32 = load %q [align=4] store %x, %mine [align=4]
    %y: i32 = load %q1 [align=4] store %y, %mine1 [align=4]
    %z: i32 = load %q2 [align=4] store %z, %mine2 [align=4]"""
OUT, IN = 2, 3  # the numbers of %p and %in

# what the threads do; what a vector of 8 does, by full registers of 4; what it does not
FACTS = {
    "all members of a struct are one load": (
        f"{ALL_FIELDS} store %b, %flat [align=4]",
        r"<24 x i32> = load %q\S* [\s\S]*mask=\(0, 3, 6, [^\n]*\n[^\n]*mask=\(1, 4, 7,[^\n]*\n[^\n]*mask=\(2, 5, 8,",
        r"gather|masked",
    ),
    "the last load of one field ends with it": (
        "%y: i32 = load %q1 [align=4] store %y, %flat [align=4]",
        r"<4 x i32> = load %q1\S* [\s\S]*offset=16, [\s\S]*offset=24,",
        r"gather|masked|<24 x i32>|offset=32",
    ),
    "all members of a struct are one store": (
        """%a: i32 = mul %id, %id
        store %id, %mine [align=4] store %a, %mine1 [align=4] store %n, %mine2 [align=4]""",
        r"<24 x i32> = shufflevector [^\n]*mask=\(0, 8, 16, 1, 9, 17[^\n]*\n +store ",
        r"scatter|masked",
    ),
    "an index with one of two chosen numbers": (
        """%uc: i1 = icmp %n, 3:i32 [pred=sgt]
        %u: i32, %v: i32 = if %uc { yield 0:i32, 2:i32 } { yield 1:i32, 1:i32 }
        %i3: i32 = mul %id, 3:i32 [flags=(nsw)]
        %iu: i32 = add %i3, %u [flags=(nsw)]
        %r: ptr = gep %in, %iu [offset=0, strides=(4)]
        %x: i32 = load %r [align=4] %y: i32 = add %x, %v store %y, %flat [align=4]""",
        r"<4 x i32> = load %r",
        r"gather|masked",
    ),
    "an index with a constant is the same struct": (
        """%i3: i32 = mul %id, 3:i32 [flags=(nsw)]
        %i4: i32 = add %i3, 1:i32 [flags=(nsw)]
        %w3: i64 = sext %i3 %w4: i64 = sext %i4
        %r: ptr = gep %in, %w3 [offset=0, strides=(1)]
        %r1: ptr = gep %in, %w4 [offset=0, strides=(1)]
        %r2: ptr = gep %in, %w4 [offset=1, strides=(1)]
        %x: i8 = load %r [align=1] %y: i8 = load %r1 [align=1] %z: i8 = load %r2 [align=1]
        %a: i8 = add %x, %y %b: i8 = add %a, %z
        %o: i32 = zext %b
        store %o, %flat [align=4]""",
        r"<24 x i8> = load",
        r"gather|masked|<8 x i8> = load|<16 x i8> = load",
    ),
    "under a condition each element asks for its thread": (
        """%v: i32 = if %c { %y: i32 = load %q1 [align=4] yield %y } { yield %n }
        store %v, %flat [align=4]""",
        r"bitcast %c\S*\n[^\n]*zext[^\n]*\n[^\n]*splat [\s\S]*<i32 1, i32 0, i32 0, i32 2, [\s\S]*= masked_load",
        r"gather",
    ),
    "a store between, of another member, moves nothing": (
        """%x: i32 = load %q [align=4] store %n, %q1 [align=4] %z: i32 = load %q2 [align=4]
        %a: i32 = add %x, %z
        store %a, %flat [align=4]""",
        r"load %q[\s\S]*masked_store [\s\S]*store",
        r"masked_store[\s\S]*> = load",
    ),
    "a store between, of the same member, comes first": (
        """%x: i32 = load %q [align=4] store %n, %q2 [align=4] %z: i32 = load %q2 [align=4]
        %a: i32 = add %x, %z
        store %a, %flat [align=4]""",
        r"load %q[\s\S]*masked_store [\s\S]*<8 x i32> = load",
        r"gather",
    ),
    "members of two types are bits": (
        """%x: i32 = load %q [align=4] %f: float = load %q1 [align=4] %z: i32 = load %q2 [align=4]
        %i: i32 = fptosi %f %a: i32 = add %x, %z %b: i32 = add %a, %i
        store %b, %flat [align=4]""",
        r"<24 x i32> = load[\s\S]*bitcast \S+ *\n",
        r"gather",
    ),
}


@pytest.mark.parametrize(("ops", "has", "has_not"), FACTS.values(), ids=FACTS)
def test_form(ops: str, has: str, has_not: str) -> None:
    function = specialise(threads(IDS + ops), (64, 1, 1))
    function.facts = replace(function.facts, processor=Processor(512 if "masked" in has else 128))
    text = print_function(vectorised(function, 8, 1))
    body = text[text.index("%at") :]
    assert re.search(has, body), text
    assert not re.search(has_not, body), text


@pytest.mark.parametrize("restricted", [(), (OUT,), (IN,), (OUT, IN)])
def test_members_between_those_of_other_structs(restricted: tuple[int, ...]) -> None:
    function = specialise(threads(IDS + IN_TURNS), (64, 1, 1))
    function.facts = replace(function.facts, noalias=restricted, processor=Processor(128))
    made = list(walk(vectorised(function, 8, 1).body))
    loads = [op for op in made if op.name == "load" and op.result.type == "<24 x i32>"]
    scattered = [op for op in made if op.name in ("gather", "scatter", "masked_store")]
    assert bool(loads) == bool(restricted)
    assert bool(scattered) != bool(restricted)


def test_members_between_those_of_the_same_pointer() -> None:
    function = specialise(threads(IDS + re.sub("%q[12]?", "%mine2", IN_TURNS)), (64, 1, 1))
    function.facts = replace(function.facts, noalias=(OUT, IN))
    expected = results(function, (64, 1, 1), 5)
    assert results(vectorised(function, 8, 1), (64, 1, 1), 5) == expected


def test_a_wide_stride_is_gathered() -> None:
    ops = "%r: ptr = gep %in, %low [offset=0, strides=(36)] %x: i32 = load %r [align=4] store %x, %flat [align=4]"
    made = vectorised(specialise(threads(IDS + ops), (64, 1, 1)), 8, 1)
    assert any(op.name == "gather" for op in walk(made.body))


@pytest.mark.parametrize("bits", [512, 256, 128])
@pytest.mark.parametrize("width", [8, 16, 32])
def test_pieces_are_loaded_by_large_registers_in_the_order_of_memory(bits: int, width: int) -> None:
    pieces = """%e0: ptr = gep %in, %id [offset=0, strides=(8)] %e1: ptr = gep %in, %id [offset=4, strides=(8)]
        %x: i32 = load %e0 [align=4] %y: i32 = load %e1 [align=4] %b: i32 = sub %x, %y store %b, %flat [align=4]"""
    function = specialise(threads(IDS + pieces), (64, 1, 1))
    function.facts = replace(function.facts, processor=Processor(bits))
    made = vectorised(function, width, 1)
    lanes = min(bits // 32, 2 * width) if bits == 512 else 2 * width
    loads = [op for op in walk(made.body) if op.name == "load" and op.result.type == f"<{lanes} x i32>"]
    steps = {op.result: op.attrs["offset"] for op in walk(made.body) if op.name == "gep"}
    offsets = [steps[op.operands[0]] for op in loads if isinstance(op.operands[0], Value)]
    assert offsets == list(range(0, 8 * width, 4 * lanes))
    assert results(made, (64, 1, 1), 5) == results(function, (64, 1, 1), 5)


TRAPS = {
    "all members": f"{ALL_FIELDS} store %b, %mine2 [align=4] store %a, %mine [align=4] store %x, %mine1 [align=4]",
    "two members of three, under a condition": f"""{ALL_FIELDS}
        if %c {{ store %b, %mine2 [align=4] store %a, %mine [align=4] yield }} {{ yield }}""",
    "one member, whose last one is the end of the array": """
        %last: i32 = mul %gdx, %bdx
        %down: i32 = sub %id, %last [flags=(nsw)]
        %r: ptr = gep %in, %down [offset=1020, strides=(12)]
        %r2: ptr = gep %r [offset=12, strides=()]
        %x: i32 = load %r2 [align=4]
        %s: i32 = if %c { %y: i32 = load %r2 [align=4] yield %y } { yield 2:i32 }
        %o: i32 = xor %x, %s
        store %o, %mine1 [align=4]""",
    "an update of one member after the other": """
        %x: i32 = load %mine [align=4] %a: i32 = mul %x, 3:i32 store %a, %mine [align=4]
        %y: i32 = load %mine1 [align=4] %b: i32 = add %y, %a store %b, %mine1 [align=4]
        %u: i32 = load %mine [align=4] %z: i32 = load %mine2 [align=4] %d: i32 = sub %z, %u store %d, %mine2 [align=4]
        %e: i32 = load %mine2 [align=4] store %e, %mine [align=4]""",
    "a store that moves down past the first of some loads": """
        store %id, %mine [align=4]
        %x: i32 = load %mine1 [align=4] %a: i32 = mul %x, 3:i32 store %a, %mine1 [align=4]
        %y: i32 = load %mine [align=4] %b: i32 = add %y, %a store %b, %mine2 [align=4]""",
    "a fence between loads of two members": """
        %x: i32 = load %mine [align=4] fence [ordering=seq_cst] %y: i32 = load %mine1 [align=4]
        %a: i32 = sub %x, %y store %a, %mine2 [align=4]""",
    "an atomic operation on one member between loads of two": """
        %x: i32 = load %mine [align=4]
        %o: i32 = atomicrmw %mine1, %n [operation=add, ordering=monotonic, align=4]
        %y: i32 = load %mine1 [align=4] %a: i32 = sub %y, %x store %a, %mine2 [align=4]""",
    "two stores to one member": """
        store %id, %mine [align=4] store %n, %mine1 [align=4] store %n, %mine [align=4] store %id, %mine2 [align=4]""",
    "an index that wraps": """
        %h: i32 = mul %id, 3:i32
        %s: i32 = add %h, -50:i32
        %some: i1 = icmp %s, 256:i32 [pred=ult]
        if %some { %w: i64 = zext %s
          %r: ptr = gep %in, %w [offset=0, strides=(4)]
          %x: i32 = load %r [align=4]
          store %x, %mine [align=4]
          yield } { yield }""",
    "neighbours overlap": """
        %half: ptr = gep %p, %id [offset=0, strides=(8)]
        %half1: ptr = gep %p, %id [offset=4, strides=(8)]
        %x: i32 = load %half [align=4]
        %y: i64 = load %half [align=4]
        %w: i64 = add %y, %m
        store %w, %half [align=4]
        %z: i32 = load %half1 [align=4]
        %s: i32 = add %z, %x
        store %s, %half1 [align=4]""",
    "bytes and halves": """
        %r: ptr = gep %in, %id [offset=0, strides=(3)]
        %r2: ptr = gep %in, %id [offset=2, strides=(3)]
        %x: i8 = load %r [align=1] %y: i8 = load %r2 [align=1]
        %a: i8 = add %x, %y
        %b1: ptr = gep %p, %id [offset=1, strides=(4)]
        %b2: ptr = gep %p, %id [offset=2, strides=(4)]
        store %a, %b1 [align=1]
        if %c { %h: i16 = load %r [align=1] store %h, %b2 [align=2] yield } { yield }""",
    "in a loop that threads leave": """
        %s: i32 = for 0:i32, %low, 1:i32, %id [pred=slt] { (%i: i32, %t: i32)
          %r: ptr = gep %q, %i [offset=4, strides=(4)]
          %r1: ptr = gep %q, %i [offset=0, strides=(4)]
          %x: i32 = load %r [align=4] %y: i32 = load %r1 [align=4]
          %z: i32 = mul %t, %x
          %u: i32 = add %z, %y
          yield %u }
        store %s, %mine1 [align=4]""",
}


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_nothing_changes(trap: str) -> None:
    function = threads(IDS + trap)
    for threads_in_x in (33, 13):
        block = (threads_in_x, 1, 1)
        expected = results(function, block, 5)
        for bits, width in ((512, 16), (256, 16), (128, 4)):
            function.facts = replace(function.facts, processor=Processor(bits))
            vector = vectorised(function, width, 1, alone=False)
            assert not any(op.name == "block" for op in walk(vector.body))
            assert results(vector, block, 5) == expected, (width, block)


LOADED = """%f: i32 = load %q [align=4]
    MESSAGE
    %g: i32 = load %q1 [align=4]
    %h: i32 = add %f, %g
    store %h, %flat [align=4]"""
STORED = """store %tx, %mine [align=4]
    MESSAGE
    store %id, %mine1 [align=4]
    store %low, %mine2 [align=4]"""
OUTSIDE = [
    "%o: i32 = load %acc [align=4, ordering=acquire]",
    "%o: i32 = load %acc [align=4, volatile=true]",
    "store 1:i32, %acc [align=4, ordering=release]",
    "store 1:i32, %acc [align=4, volatile=true]",
]


@pytest.mark.parametrize("message", OUTSIDE)
@pytest.mark.parametrize("accesses", [LOADED, STORED])
def test_members_do_not_pass_messages_to_other_threads(accesses: str, message: str) -> None:
    """The parameters are __restrict__: nothing else keeps the two apart."""
    function = threads(IDS + accesses.replace("MESSAGE", message))
    function.facts = replace(function.facts, noalias=(2, 3, 4, 5))
    inner = [op for op in walk(vectorised(function, 8, 1).body) if op.name == "for" and op.attrs.get(OF_THREADS)][2]
    ops = inner.region.ops
    (at,) = [at for at, op in enumerate(ops) if any(map(is_message, walk_op(op)))]
    kind = "load" if accesses is LOADED else "store"
    for side in (ops[:at], ops[at + 1 :]):
        assert any(op.name.endswith(kind) for op in side if _is_wide(op))


def is_message(op: Op) -> bool:
    return bool(op.attrs.get("ordering") or op.attrs.get("volatile"))


def _is_wide(op: Op) -> bool:
    return any(is_vector(each.type) for each in (*op.operands, *op.results))
